# SPDX-License-Identifier: Apache-2.0
"""Unpacks nextpnr for Xilinx parts, out of a newer suite of Debian, into the build cache.

Needs no root and changes nothing outside the cache: apt works on folders of its own, with the
mirror of the machine's apt configuration and Debian's own keys; packages are unpacked, not
installed, and the tool runs by the loader that it came with.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

PACKAGE = "nextpnr-himbaechel-xilinx"
SUITE = "sid"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
APT = Path("/etc/apt")
LIBRARIES = "usr/lib/x86_64-linux-gnu"


class UnavailableError(Exception):
    """The tool cannot be had here; the text says why."""


def mirror() -> str:
    """The address of Debian's archive in this machine's apt configuration."""
    files = [APT / "sources.list", *sorted((APT / "sources.list.d").glob("*"))]
    for file in files:
        if file.suffix not in (".list", ".sources") or not file.is_file():
            continue
        for line in file.read_text(errors="replace").splitlines():
            if line.lstrip().startswith("#"):
                continue
            for address in re.findall(r"\b(?:https?|mirror\+\w+)://\S+", line):
                if re.search(r"/debian/?$", address):
                    return str(address)
    raise UnavailableError(f"no Debian mirror in {APT}: {PACKAGE} comes from Debian {SUITE}")


def command(cache: Path) -> list[str]:
    """The command that runs the tool; fetches and unpacks it first if it is not in the cache."""
    root = cache / "root"
    binary = root / "usr" / "bin" / PACKAGE
    if not (cache / "complete").exists():
        _fetch(cache, root)
    if not binary.exists():
        raise UnavailableError(f"{binary} is missing: remove {cache} and run again")
    libraries = root / LIBRARIES
    loader = libraries / "ld-linux-x86-64.so.2"
    return [str(loader), "--library-path", str(libraries), str(binary)]


def package_version(cache: Path) -> str:
    """The version of the unpacked package."""
    for file in sorted((cache / "archives").glob(f"{PACKAGE}_*.deb")):
        return file.name.split("_")[1]
    return "unknown"


def _fetch(cache: Path, root: Path) -> None:
    for tool in ("apt-get", "dpkg-deb"):
        if shutil.which(tool) is None:
            raise UnavailableError(f"{PACKAGE} is unpacked from Debian {SUITE}: no {tool} here")
    if not KEYRING.exists():
        raise UnavailableError(f"{PACKAGE} is unpacked from Debian {SUITE}: no {KEYRING} here")
    for folder in ("lists/partial", "archives/partial", "root"):
        (cache / folder).mkdir(parents=True, exist_ok=True)
    (cache / "status").write_text("")
    (cache / "sources.list").write_text(f"deb [signed-by={KEYRING}] {mirror()} {SUITE} main\n")
    (cache / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{cache}/sources.list";\n'
        'Dir::Etc::sourceparts "/dev/null";\n'
        'Dir::Etc::preferencesparts "/dev/null";\n'
        f'Dir::State "{cache}";\n'
        f'Dir::State::lists "{cache}/lists";\n'
        f'Dir::State::status "{cache}/status";\n'
        f'Dir::Cache "{cache}";\n'
        'APT::Architecture "amd64";\n'
        'APT::Install-Recommends "false";\n'
        'APT::Sandbox::User "";\n'
        'Acquire::Languages "none";\n'
        'Acquire::Retries "2";\n'
        'Acquire::http::Timeout "20";\n'
        'Debug::NoLocking "true";\n'
    )
    for step in (
        ["apt-get", "-q", "update", "--error-on=any"],
        ["apt-get", "-q", "-y", "--download-only", "install", PACKAGE],
    ):
        environment = {"APT_CONFIG": str(cache / "apt.conf"), "PATH": "/usr/bin:/bin:/usr/sbin"}
        done = subprocess.run(step, env=environment, capture_output=True, text=True)
        if done.returncode != 0:
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            raise UnavailableError(f"'{' '.join(step)}' failed: {' '.join(last)}")
    for file in sorted((cache / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(file), str(root)], check=True)
    (cache / "complete").write_text("")
