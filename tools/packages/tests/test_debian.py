# SPDX-License-Identifier: Apache-2.0
"""The Debian packages, built from their source package in one clean root and installed in another.

Takes half an hour: make test-full.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.debian import mirror
from tools.packages import deb, tree

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = {"libsluice0", "libsluice-dev", "sluice-tools", "sluice-dkms", "python3-sluice"}
SUITE = "bookworm"

LOOPBACK = """
from sluice.io import open_board
with open_board("sim:zynq7010/hp_stress?level=transaction") as board:
    board.attributes["hp0.loopback"] = 1
    source, destination = board.buffer(4096), board.buffer(4096)
    with board.channel("hp0.mm2s") as send, board.channel("hp0.s2mm") as receive:
        receive.submit(destination)
        send.submit(source)
        print(receive.wait(timeout=1.0).nbytes)
"""


def build_dependencies() -> list[str]:
    control = (ROOT / "debian" / "control").read_text()
    match = re.search(r"^Build-Depends: (.*?)^\S", control, re.MULTILINE | re.DOTALL)
    assert match is not None
    names = [entry.split()[0] for entry in match[1].split(",")]
    return [name for name in names if name != "debhelper-compat"] + ["debhelper"]


def test_what_only_a_build_needs_is_left_out() -> None:
    lock = "nanobind==1 \\\n    --hash=sha256:0\nnumpy==2 \\\n    --hash=sha256:1\n"
    assert tree.requirements(lock) == "numpy==2      --hash=sha256:1\n"


def test_packages_reach_a_folder_on_another_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build's temporary folder may be in memory."""
    programs = {
        "dpkg-source": 'mkdir "$3"',
        "dpkg-buildpackage": "touch ../libsluice0_1_amd64.deb",
    }
    for name, script in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(os, "rename", _refuse)
    (tmp_path / "dist").mkdir()
    (package,) = deb.build_packages(tmp_path / "dist" / "sluice.dsc")
    assert package == tmp_path / "dist" / "libsluice0_1_amd64.deb"
    assert package.is_file()


def _refuse(*_: object, **__: object) -> None:
    raise OSError(errno.EXDEV, "Invalid cross-device link")


def test_versions_agree() -> None:
    upstream, _ = deb.version()
    assert upstream == (ROOT / "VERSION").read_text().strip()
    assert f"usr/src/sluice-{upstream}" in (ROOT / "debian" / "sluice-dkms.install").read_text()


class Clean:
    """A root with a minimal system and some packages."""

    def __init__(self, folder: Path, packages: list[str], variant: str) -> None:
        self.folder = folder
        command = ["mmdebstrap", f"--variant={variant}", f"--include={','.join(packages)}"]
        subprocess.run([*command, SUITE, folder, mirror()], check=True, capture_output=True)
        # Whoever asks a registry for packages does so as this machine does.
        for file in Path("/etc/apt/apt.conf.d").glob("99*"):
            shutil.copy(file, folder / "etc/apt/apt.conf.d")
        shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")

    def run(self, script: str) -> str:
        """What a shell in there prints; its own namespace of mounts ends with it."""
        mounts = f"mount -t proc proc {self.folder}/proc; mount --rbind /dev {self.folder}/dev"
        inside = f"exec chroot {self.folder} env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-ec", f'{mounts}; {inside} sh -ec "$1"', "sh", script],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{script}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        return done.stdout


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if "SLUICE_FULL" not in os.environ:
        pytest.skip("builds Debian packages for half an hour: set SLUICE_FULL=1")
    missing = [name for name in ("mmdebstrap", "dpkg-source") if shutil.which(name) is None]
    if missing:
        pytest.skip(f"needs {' and '.join(missing)}")
    if os.geteuid() != 0:
        pytest.skip("needs the superuser, for a root of its own")
    folder = tmp_path_factory.mktemp("debian")
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def packages(scratch: Path) -> Path:
    """The folder with the packages, which were built without a network."""
    clean = Clean(scratch / "build", build_dependencies(), "buildd")
    deb.source_package(clean.folder / "source")
    name = f"sluice_{'-'.join(deb.version())}.dsc"
    clean.run(
        f"cd /source && dpkg-source --extract {name} sluice && cd sluice && "
        "DEB_BUILD_OPTIONS=parallel=2 dpkg-buildpackage -b -us -uc"
    )
    made = scratch / "made"
    made.mkdir()
    for package in (clean.folder / "source").glob("*.deb"):
        shutil.move(package, made)
    shutil.rmtree(clean.folder)
    return made


@pytest.fixture(scope="module")
def installed(scratch: Path, packages: Path) -> Clean:
    """A root with all packages installed."""
    clean = Clean(scratch / "use", ["ca-certificates", "gcc", "libc6-dev", "pkg-config"], "minbase")
    shutil.copytree(packages, clean.folder / "packages")
    shutil.copy(ROOT / "lib" / "examples" / "loopback.c", clean.folder / "root")
    clean.run("apt-get update -q; apt-get install -q -y --no-install-recommends /packages/*.deb")
    return clean


def test_packages(packages: Path) -> None:
    assert {file.name.split("_")[0] for file in packages.glob("*.deb")} == PACKAGES


def test_a_program_is_compiled(installed: Clean) -> None:
    installed.run("cd && cc loopback.c $(pkg-config --cflags --libs sluice) && ./a.out")


def test_notices_are_beside_programs_and_libraries(installed: Clean) -> None:
    for package in ("libsluice0", "sluice-tools", "python3-sluice"):
        found = installed.run(f"zcat -f /usr/share/doc/{package}/third-party.txt*")
        assert "Victor Zverovich" in found and "Redistributions in binary form" in found, package


def test_the_command_measures(installed: Clean) -> None:
    row = "--ports 0 --direction mm2s --width 64 --level transaction"
    assert "HP0" in installed.run(f"cd && sluice run zynq7010-hp {row} --json one.json")


def test_python_moves_data(installed: Clean) -> None:
    assert installed.run(f"python3 - <<'E'\n{LOOPBACK}\nE").strip() == "4096"


def test_dkms_knows_the_modules(installed: Clean) -> None:
    upstream, _ = deb.version()
    assert f"sluice/{upstream}: added" in installed.run("dkms status")


def test_it_is_removed_without_a_trace(installed: Clean) -> None:
    installed.run(f"apt-get purge -q -y {' '.join(sorted(PACKAGES))}")
    found = installed.run("find /usr /etc -xdev -name '*sluice*'").split()
    assert found == []
