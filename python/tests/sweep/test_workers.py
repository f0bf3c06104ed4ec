# SPDX-License-Identifier: Apache-2.0
"""Sweeps on workers of Dask: two here, one of them killed; others that have another library."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from distributed import LocalCluster

from calling import FAKE_BENCH, PATIENCE_S, Sluice, spawn, wait_for, wait_until
from sluice.sweep import worker
from sweep.conftest import measured

Spec = Callable[..., Path]
SLEEP_S = "0.1"


@dataclass(frozen=True)
class Workers:
    """Two workers, and what their stand-ins for sluice-bench log."""

    cluster: LocalCluster
    log: Path

    @property
    def address(self) -> str:
        """Return where their scheduler is."""
        return str(self.cluster.scheduler_address)

    def started(self) -> str:
        """Return what has been measured."""
        return self.log.read_text(encoding="utf-8") if self.log.exists() else ""


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Give two workers, each a process that is started again when it dies."""
    folder = tmp_path_factory.mktemp("cluster")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SLUICE_BENCH", str(FAKE_BENCH))
        patch.setenv("FAKE_BENCH_LOG", str(folder / "log"))
        patch.setenv("FAKE_BENCH_SLEEP_S", SLEEP_S)
        with LocalCluster(  # type: ignore[no-untyped-call]
            n_workers=2, threads_per_worker=1, dashboard_address=":0", local_directory=str(folder)
        ) as found:
            yield Workers(found, folder / "log")


def test_a_worker_killed_in_mid_run_costs_nothing(
    grid: Path, tmp_path: Path, workers: Workers
) -> None:
    file, target, log = grid.with_suffix(".toml"), tmp_path / "a.parquet", workers.log
    before = len(workers.started().splitlines())
    process = spawn("sweep", file, "-o", target, "--scheduler", workers.address)
    wait_for(log, before + 4)  # of 12 points: both workers are at work
    os.kill(workers.cluster.workers[0].process.pid, signal.SIGKILL)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert "36 jobs in" in out
    rows = measured(target)
    assert len({(row["point"], row["run"]) for row in rows}) == len(rows) == 36
    assert rows == measured(grid)


SCHEDULER = """
import time
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    print(cluster.scheduler_address, flush=True)
    time.sleep(1000)
"""


def test_a_scheduler_that_dies_is_a_sentence(
    spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where all jobs have been handed over: Dask cancels what it loses."""
    few = spec(("runs = 3", "runs = 1"), ("[0, 4096]", "[0]"), ("to = 200, step", "to = 1, step"))
    log, program = tmp_path / "log", tmp_path / "scheduler.py"
    program.write_text(SCHEDULER, encoding="utf-8")
    for name, value in (("", FAKE_BENCH), ("_LOG", log), ("_SLEEP_S", "3600")):
        monkeypatch.setenv(f"{'FAKE' if name else 'SLUICE'}_BENCH{name}", str(value))
    with subprocess.Popen(
        [sys.executable, str(program)], stdout=subprocess.PIPE, text=True, start_new_session=True
    ) as scheduler:
        assert scheduler.stdout is not None
        address = scheduler.stdout.readline().strip()
        words = ("sweep", few, "-o", tmp_path / "a.parquet")
        process = spawn(*words, "--scheduler", address)
        wait_for(log, 1)
        os.killpg(scheduler.pid, signal.SIGKILL)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1, said
    assert said.startswith(f"sluice: the workers of {address} did not finish a job: ")
    assert said.endswith("; run the command again with --continue\n")
    assert said.count("\n") == 1


def spawned(process: "subprocess.Popen[str]") -> bool:
    """Tell whether a command has begun to start workers of its own."""
    for tasks in Path(f"/proc/{process.pid}/task").glob("*/children"):
        for number in tasks.read_text(encoding="utf-8").split():
            with suppress(OSError):
                if b"spawn_main" in Path(f"/proc/{number}/cmdline").read_bytes():
                    return True
    return process.poll() is not None


def test_ctrl_c_while_workers_start(grid: Path, tmp_path: Path) -> None:
    """In a terminal it reaches all of them."""
    before = grid.read_bytes()
    process = subprocess.Popen(
        [
            *(sys.executable, "-m", "sluice", "sweep", grid.with_suffix(".toml"), "-o", grid),
            *("--scheduler", "local:2", "--continue"),
        ],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_until(lambda: spawned(process))
    os.killpg(process.pid, signal.SIGINT)
    out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, said
    assert said == (
        "sluice: stopped by SIGINT; the workers of local:2 had just started, and nothing was "
        "measured\n"
    )
    assert not out
    assert grid.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"grid.json", "grid.parquet", "grid.toml"}


def test_workers_of_another_version_are_refused(
    refused: Callable[..., str], spec: Spec, tmp_path: Path, workers: Workers,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    words = ("sweep", spec(), "--scheduler", workers.address)
    wanted, before = worker.identity(), workers.started()
    # What the wheel says it is stays what it was; the command is another one then.
    monkeypatch.setattr("sluice.sweep.executors.identity_here", lambda: "sluice 9.9.9 (another)")
    said = refused(*words, "-o", tmp_path / "a.parquet")
    assert "sluice: worker tcp://" in said
    assert said.endswith(
        f"has {wanted}, and this command is sluice 9.9.9 (another); restart the workers, so that "
        "they take the library that the command ships\n"
    )
    assert workers.started() == before  # nothing was measured


def test_no_scheduler(
    refused: Callable[..., str], spec: Spec, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sluice.sweep.executors._CONNECT_S", 1)
    words = ("sweep", spec(), "-o", tmp_path / "a.parquet")
    assert refused(*words, "--scheduler", "tcp://127.0.0.1:9") == (
        "sluice: --scheduler tcp://127.0.0.1:9: there is no scheduler; start one with "
        "`dask scheduler`\n"
    )
    said = refused(*words, "--scheduler", "tls://127.0.0.1:9")  # without a certificate
    assert "--scheduler tls://127.0.0.1:9: Dask cannot use this address: TLS expects" in said
    assert "local:2 says how many workers" in refused(*words, "--scheduler", "local:2", "-j", "3")


def test_ctrl_c_while_no_worker_is_there(spec: Spec, tmp_path: Path) -> None:
    with LocalCluster(n_workers=0, dashboard_address=":0") as cluster:  # type: ignore[no-untyped-call]
        words = ("sweep", spec(), "-o", tmp_path / "a.parquet")
        process = spawn(*words, "--scheduler", cluster.scheduler_address)
        deadline = time.monotonic() + PATIENCE_S
        while not cluster.scheduler.clients.keys() - {"fire-and-forget"}:  # it has connected
            assert time.monotonic() < deadline
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert said == "sluice: stopped by SIGINT; no worker has connected yet\n"


JOBQUEUE = """
import os, signal
from pathlib import Path

signal.signal(signal.SIGINT, lambda *_: None)  # as dask-jobqueue does when it is imported
OURS = signal.getsignal(signal.SIGINT)


class SLURMCluster:
    def __init__(self):
        assert signal.getsignal(signal.SIGINT) is not OURS

    def job_script(self):
        return "#!/bin/sh\\n"

    def close(self):
        Path(os.environ["CLOSED"]).touch()
"""


def test_slurm_refuses_a_job(
    refused: Callable[..., str],
    sluice: Sluice,
    spec: Spec,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "dask_jobqueue.py").write_text(JOBQUEUE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "dask_jobqueue", raising=False)
    closed = tmp_path / "closed"
    monkeypatch.setenv("CLOSED", str(closed))
    words = ("sweep", spec(), "-o", tmp_path / "a.parquet", "--scheduler", "slurm", "--jobs", "2")
    monkeypatch.setattr("sluice.sweep.executors._SBATCH", [str(tmp_path / "sbatch"), "--test-only"])
    assert refused(*words) == (
        "sluice: --scheduler slurm: sbatch cannot be run: No such file or directory; run the sweep "
        "on a machine that submits jobs to Slurm\n"
    )
    sbatch = tmp_path / "sbatch"
    sbatch.write_text("#!/bin/sh\necho 'sbatch: error: no such partition' >&2; exit 1\n")
    sbatch.chmod(0o755)
    assert refused(*words) == (
        "sluice: --scheduler slurm: Slurm refuses a worker's job: no such partition; change "
        "jobqueue.slurm in ~/.config/dask/jobqueue.yaml\n"
    )
    sbatch.write_text("#!/bin/sh\nkill -INT $PPID; exec sleep 1000\n")
    done = sluice(*words)
    assert done.status == 130
    assert done.err == "sluice: stopped by SIGINT; Slurm has not answered yet\n"
    assert closed.exists()
