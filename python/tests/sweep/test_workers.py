# SPDX-License-Identifier: Apache-2.0
"""Sweeps on workers of Dask: two here, one of them killed; others that have another library."""

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster

from calling import PATIENCE_S, Sluice, spawn, wait_for
from sluice.sweep import worker
from sweep.conftest import measured

Spec = Callable[..., Path]
SLEEP_S = "0.1"


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalCluster]:
    """Give two workers, each a process that is started again when it dies."""
    monkeypatch.setenv("FAKE_BENCH_LOG", str(tmp_path / "log"))
    monkeypatch.setenv("FAKE_BENCH_SLEEP_S", SLEEP_S)
    with LocalCluster(  # type: ignore[no-untyped-call]
        n_workers=2, threads_per_worker=1, dashboard_address=":0", local_directory=str(tmp_path)
    ) as found:
        yield found


def test_a_worker_killed_in_mid_run_costs_nothing(
    sluice: Sluice,
    spec: Spec,
    tmp_path: Path,
    cluster: LocalCluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file, target, log = spec(), tmp_path / "a.parquet", tmp_path / "log"
    where = cluster.scheduler_address
    process = spawn("sweep", file, "-o", target, "--scheduler", where)
    wait_for(log, 4)  # of 12 points: both workers are at work
    os.kill(cluster.workers[0].process.pid, signal.SIGKILL)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, err
    assert "36 jobs in" in out
    monkeypatch.delenv("FAKE_BENCH_LOG")
    monkeypatch.delenv("FAKE_BENCH_SLEEP_S")
    assert sluice("sweep", file, "-o", tmp_path / "b.parquet", "--jobs", "1").status == 0
    rows = measured(target)
    assert len({(row["point"], row["run"]) for row in rows}) == len(rows) == 36
    assert rows == measured(tmp_path / "b.parquet")


def test_workers_of_another_version_are_refused(
    refused: Callable[..., str], spec: Spec, tmp_path: Path, cluster: LocalCluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    words = ("sweep", spec(), "--scheduler", cluster.scheduler_address)
    wanted = worker.identity()
    # What the wheel says it is stays what it was; the command is another one then.
    monkeypatch.setattr("sluice.sweep.executors.identity_here", lambda: "sluice 9.9.9 (another)")
    said = refused(*words, "-o", tmp_path / "a.parquet")
    assert "sluice: worker tcp://" in said
    assert said.endswith(
        f"has {wanted}, and this command is sluice 9.9.9 (another); restart the workers, so that "
        "they take the library that the command ships\n"
    )
    assert not (tmp_path / "log").exists()  # nothing was measured


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
