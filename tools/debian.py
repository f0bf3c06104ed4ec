# SPDX-License-Identifier: Apache-2.0
"""Unpacks packages, or a package's source, out of some suite of Debian into a folder, and runs
programs from there.

Needs no root and changes nothing outside that folder: apt works on folders of its own, with the
mirror of the machine's apt configuration and Debian's own keys; packages are unpacked, not
installed, and programs (of amd64) run by the loader that came with them.
"""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
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
        with locked(self.cache):
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
        self.root.mkdir(exist_ok=True)
        configure(self.cache, "deb", self.suites, self.architecture)
        run(self.cache, "apt-get", "-q", "update", "--error-on=any")
        get = ["download"] if self.alone else ["-y", "--download-only", "install"]
        run(self.cache, "apt-get", "-q", *get, *self.packages)
        for file in sorted((self.cache / "archives").glob("*.deb")):
            run(self.cache, "dpkg-deb", "-x", str(file), str(self.root))
        (self.cache / "complete").write_text("")


@dataclass(frozen=True)
class Source:
    """A package's source out of Debian, with Debian's patches, in a folder of its own."""

    package: str
    suites: tuple[str, ...]  # the first one that gives a version of `minimum` or newer is used
    minimum: tuple[int, ...]
    cache: Path  # made when needed; whoever removes it has it made again

    @property
    def tree(self) -> Path:
        """Where the source is, once fetch() has been called."""
        return self.cache / "tree"

    @property
    def fetched(self) -> bool:
        """Whether it is there already."""
        return self._mark.exists()

    @property
    def _mark(self) -> Path:
        return self.cache / "complete"

    def fetch(self) -> str:
        """Fetches and unpacks it unless it is there. Its version. Raises UnavailableError."""
        with locked(self.cache):
            if not self.fetched:
                self._mark.write_text(self._fetch())
        return self._mark.read_text()

    def _fetch(self) -> str:
        problems = []  # a mirror may lack what its index lists
        for suite in self.suites:
            try:
                configure(self.cache, "deb-src", (suite,))
                run(self.cache, "apt-get", "-q", "update", "--error-on=any")
                told = run(self.cache, "apt-cache", "showsrc", "--only-source", self.package)
                versions = [str(v) for v in re.findall(r"^Version: (\S+)$", told, re.MULTILINE)]
                newest = max(versions, key=upstream, default="")
                if upstream(newest) >= self.minimum:
                    self._unpack(newest, suite)
                    return newest
            except UnavailableError as error:
                problems.append(str(error))
        wanted = ".".join(map(str, self.minimum))
        raise UnavailableError(
            "; ".join(problems)
            or f"the source of {self.package} {wanted} or newer is not in Debian's "
            f"{' or '.join(self.suites)}"
        )

    def _unpack(self, version: str, suite: str) -> None:
        shutil.rmtree(self.tree, ignore_errors=True)
        wanted = f"{self.package}={version}"
        try:
            run(self.cache, "apt-get", "-q", "source", "--download-only", wanted)
            # apt has checked the files by the archive's signature.
            description = f"{self.package}_{version.rpartition(':')[2]}.dsc"
            run(self.cache, "dpkg-source", "--no-check", "-x", description, str(self.tree))
        except UnavailableError as error:
            what = f"the source of {self.package} {version} of Debian {suite}"
            raise UnavailableError(f"{what}: {error}") from None
        for folder in ("archives", "lists"):
            shutil.rmtree(self.cache / folder)


def upstream(version: str) -> tuple[int, ...]:
    """The numbers of what Debian has packaged: (11, 1, 3) of 1:11.1.3+ds-1."""
    found = re.match(r"(?:\d+:)?(\d+(?:\.\d+)*)", version)
    return tuple(int(part) for part in found[1].split(".")) if found else ()


@contextmanager
def locked(cache: Path) -> Iterator[None]:
    """Makes a folder; nobody else fills it at the same time."""
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def configure(cache: Path, kind: str, suites: tuple[str, ...], architecture: str = "amd64") -> None:
    """A configuration of apt on folders of its own in `cache`. `kind`: deb or deb-src.
    Raises UnavailableError."""
    if not KEYRING.exists():
        raise UnavailableError(f"no {KEYRING} here")
    for folder in ("lists/partial", "archives/partial"):
        (cache / folder).mkdir(parents=True, exist_ok=True)
    (cache / "status").write_text("")
    (cache / "sources.list").write_text(
        "".join(f"{kind} [signed-by={KEYRING}] {mirror()} {suite} main\n" for suite in suites)
    )
    (cache / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{cache}/sources.list";\n'
        'Dir::Etc::sourceparts "/dev/null";\n'
        'Dir::Etc::preferencesparts "/dev/null";\n'
        f'Dir::State "{cache}";\n'
        f'Dir::State::lists "{cache}/lists";\n'
        f'Dir::State::status "{cache}/status";\n'
        f'Dir::Cache "{cache}";\n'
        f'APT::Architecture "{architecture}";\n'
        f'APT::Architectures {{"{architecture}";}};\n'
        f'APT::Default-Release "{suites[-1]}";\n'
        'APT::Install-Recommends "false";\n'
        'APT::Sandbox::User "";\n'
        'Acquire::Languages "none";\n'
        'Acquire::Retries "2";\n'
        'Acquire::http::Timeout "20";\n'
        'Debug::NoLocking "true";\n'
    )


def run(cache: Path, *command: str) -> str:
    """Runs a program of apt's or dpkg's in `cache`/archives, as configure() has it for apt. What it
    says. Raises UnavailableError."""
    if shutil.which(command[0]) is None:
        raise UnavailableError(f"no {command[0]} here")
    environment = {"APT_CONFIG": str(cache / "apt.conf"), "PATH": "/usr/bin:/bin:/usr/sbin"}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, cwd=cache / "archives"
    )
    if done.returncode != 0:
        lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
        # apt's first error names the file; its last one sums up.
        why = [line for line in lines if line.startswith("E: ")][:1] or lines[-1:]
        raise UnavailableError(f"'{' '.join(command)}' failed: {' '.join(why).rstrip('.')}")
    return done.stdout
