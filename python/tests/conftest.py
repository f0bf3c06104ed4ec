# SPDX-License-Identifier: Apache-2.0
"""Fixtures: the command in this process or in its own, with a stand-in for sluice-bench."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from calling import FAKE_BENCH, Done, Sluice
from sluice.cli import command
from sluice.errors import RunError
from sluice.paths import find_bench, repository

EXPERIMENTS = ("zynq7010-hp", "zynq7010-streamsize")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return the results of both experiments, measured once with the stand-in. Do not change."""
    folder = tmp_path_factory.mktemp("recorded")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLUICE_BENCH", str(FAKE_BENCH))
        for name in EXPERIMENTS:
            assert command(["run", name, "--runs", "2", "-o", str(folder)]) == 0
    return [folder / f"{name}.json" for name in EXPERIMENTS]


@pytest.fixture(autouse=True)
def fake_bench(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every test measure with the stand-in, without pauses, and without colours."""
    monkeypatch.setenv("SLUICE_BENCH", str(FAKE_BENCH))
    for name in ("FAKE_BENCH_MODE", "FAKE_BENCH_SLEEP_S", "FAKE_BENCH_LOG", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def real_bench(fake_bench: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure with the sluice-bench that is built. Without it, fail where CI is set, else skip."""
    del fake_bench
    monkeypatch.delenv("SLUICE_BENCH")
    try:
        find_bench()
    except RunError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.fixture
def cuda_stub(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put the test double of libcuda, which `make build` builds, in libcuda's place."""
    root = repository()
    assert root is not None
    library = root / "build" / "release" / "lib" / "cuda" / "libcuda-stub.so"
    assert library.is_file(), "the test double of libcuda is not built: run `make build`"
    monkeypatch.setenv("SLUICE_LIBCUDA", str(library))
    monkeypatch.delenv("SLUICE_STUB", raising=False)


@pytest.fixture
def sluice(capfd: pytest.CaptureFixture[str]) -> Sluice:
    """Return the command, run in this process."""

    def call(*arguments: str | Path) -> Done:
        capfd.readouterr()
        status = command([str(argument) for argument in arguments])
        said = capfd.readouterr()
        return Done(status, said.out, said.err)

    return call


@pytest.fixture
def refused(sluice: Sluice) -> Callable[..., str]:
    """Return the command, which must refuse: one sentence, status 2, nothing on stdout."""

    def call(*arguments: str | Path) -> str:
        done = sluice(*arguments)
        assert done.status == 2, done
        assert not done.out
        assert done.err.startswith("sluice: ")
        assert done.err.count("\n") == 1
        assert "Traceback" not in done.err
        return done.err

    return call


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a file system of 64 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount, unmount = shutil.which("mount"), shutil.which("umount")
    command = [mount or "", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if not mount or not unmount:
        pytest.skip("there is no mount on the PATH")
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("this user mounts no file system")
    yield folder
    subprocess.run([unmount, str(folder)], check=True)
