# SPDX-License-Identifier: Apache-2.0
"""Unpacks packages out of some suite of Debian into a folder, and runs programs from there.

Needs no root and changes nothing outside that folder: apt works on folders of its own, with the
mirror of the machine's apt configuration and Debian's own keys; packages are unpacked, not
installed, and programs (of amd64) run by the loader that came with them.
"""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
APT = Path("/etc/apt")
LIBRARIES = "usr/lib/x86_64-linux-gnu"


class UnavailableError(Exception):
    """The program cannot be had here; the text says why."""


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
    raise UnavailableError(f"no Debian mirror in {APT}")


@dataclass(frozen=True)
class Unpacked:
    """Packages and all they depend on, out of Debian, in a folder of their own."""

    packages: tuple[str, ...]
    suites: tuple[str, ...]  # the last one is preferred; the others have what it lacks
    cache: Path  # made when needed; whoever removes it has it made again
    architecture: str = "amd64"
    alone: bool = False  # without what they depend on

    @property
    def root(self) -> Path:
        """Where the packages' files are, once fetch() or command() has been called."""
        return self.cache / "root"

    def fetch(self) -> None:
        """Fetches and unpacks what is missing. Raises UnavailableError."""
        self.cache.mkdir(parents=True, exist_ok=True)
        with (self.cache / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            try:
                if not (self.cache / "complete").exists():
                    self._fetch()
            except UnavailableError as error:
                what = f"{' '.join(self.packages)} of Debian {self.suites[-1]}"
                raise UnavailableError(f"{what}: {error}") from None

    def command(self, binary: str) -> list[str]:
        """The command that runs usr/bin/`binary`; fetches it if need be.
        Raises UnavailableError."""
        self.fetch()
        program = self.root / "usr" / "bin" / binary
        if not program.exists():
            raise UnavailableError(f"{program} is missing: remove {self.cache} and run again")
        libraries = self.root / LIBRARIES
        loader = libraries / "ld-linux-x86-64.so.2"
        return [str(loader), "--library-path", str(libraries), str(program)]

    def version(self) -> str:
        """The version of the first package, as unpacked; "unknown" before that."""
        for file in sorted((self.cache / "archives").glob(f"{self.packages[0]}_*.deb")):
            return file.name.split("_")[1].replace("%3a", ":")
        return "unknown"

    def _fetch(self) -> None:
        for tool in ("apt-get", "dpkg-deb"):
            if shutil.which(tool) is None:
                raise UnavailableError(f"no {tool} here")
        if not KEYRING.exists():
            raise UnavailableError(f"no {KEYRING} here")
        cache = self.cache
        for folder in ("lists/partial", "archives/partial", "root"):
            (cache / folder).mkdir(parents=True, exist_ok=True)
        (cache / "status").write_text("")
        (cache / "sources.list").write_text(
            "".join(f"deb [signed-by={KEYRING}] {mirror()} {suite} main\n" for suite in self.suites)
        )
        (cache / "apt.conf").write_text(
            f'Dir::Etc::sourcelist "{cache}/sources.list";\n'
            'Dir::Etc::sourceparts "/dev/null";\n'
            'Dir::Etc::preferencesparts "/dev/null";\n'
            f'Dir::State "{cache}";\n'
            f'Dir::State::lists "{cache}/lists";\n'
            f'Dir::State::status "{cache}/status";\n'
            f'Dir::Cache "{cache}";\n'
            f'APT::Architecture "{self.architecture}";\n'
            f'APT::Architectures {{"{self.architecture}";}};\n'
            f'APT::Default-Release "{self.suites[-1]}";\n'
            'APT::Install-Recommends "false";\n'
            'APT::Sandbox::User "";\n'
            'Acquire::Languages "none";\n'
            'Acquire::Retries "2";\n'
            'Acquire::http::Timeout "20";\n'
            'Debug::NoLocking "true";\n'
        )
        get = ["download"] if self.alone else ["-y", "--download-only", "install"]
        for step in (
            ["apt-get", "-q", "update", "--error-on=any"],
            ["apt-get", "-q", *get, *self.packages],
        ):
            environment = {"APT_CONFIG": str(cache / "apt.conf"), "PATH": "/usr/bin:/bin:/usr/sbin"}
            done = subprocess.run(
                step, env=environment, capture_output=True, text=True, cwd=cache / "archives"
            )
            if done.returncode != 0:
                last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
                raise UnavailableError(f"'{' '.join(step)}' failed: {' '.join(last)}")
        for file in sorted((cache / "archives").glob("*.deb")):
            subprocess.run(["dpkg-deb", "-x", str(file), str(self.root)], check=True)
        (cache / "complete").write_text("")
