# SPDX-License-Identifier: Apache-2.0
"""Where jobs are measured: threads that wait for sluice-bench here, or the workers of Dask."""

import importlib
import logging
import math
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from sluice import conditions
from sluice.errors import InputError, RunError, SluiceError
from sluice.stop import SIGNALS, Stop
from sluice.sweep import job
from sluice.sweep.engine import Place

if TYPE_CHECKING:
    from distributed import Client

_RETRIES = 2  # of a batch that failed on a worker
_CONNECT_S = 10
_ASK_S = 2.0
_FIRST_WORKER_S = 600
_QUEUE_S = 60  # for sbatch to answer
_WORKER_POLL_S = 0.1
_SBATCH = ["sbatch", "--test-only"]
_LOCAL = re.compile(r"local:([1-9][0-9]{0,3})")
_ADDRESS = re.compile(r"(tcp|tls|ucx|ws|wss)://\S+:\d+")
# What Dask does in each process for its own pages, which nobody opens here: it would take a tenth
# of the time of short jobs.
_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "1h",
    "distributed.admin.system-monitor.interval": "10s",
    "distributed.admin.system-monitor.gil.enabled": False,
    "distributed.client.scheduler-info-interval": "10s",
}
# They complain of every lost worker, and of a lost scheduler by tracebacks.
_LOGGERS = (
    "distributed",
    *(f"distributed.{of}" for of in ("client", "nanny", "scheduler", "worker")),
)
ALLOWED = "local:N, slurm, or the address of a scheduler, such as tcp://host:8786"


def check(scheduler: str | None) -> None:
    """Refuse a word that names no scheduler."""
    if scheduler is None or scheduler == "slurm":
        return
    if not _LOCAL.fullmatch(scheduler) and not _ADDRESS.fullmatch(scheduler):
        raise InputError(f"--scheduler {scheduler} is not allowed; give {ALLOWED}")


@contextmanager
def opened(scheduler: str | None, jobs: int | None, stop: Stop) -> Iterator[Place]:
    """Open the place where jobs are measured; what was started is ended with it."""
    if scheduler is None:
        count = jobs or conditions.cores()
        with ThreadPoolExecutor(count) as pool:
            yield Place(
                executor=pool,
                task=lambda batch: (job.measure, batch, stop),
                at_once=lambda: count,
                name=f"this machine, {count} at once",
                lost=_broken,
                hears=True,
            )
        return
    with _client(scheduler, jobs, stop) as (client, shares_files):
        _wait_for_worker(client, scheduler, stop)
        stop.check(f"the workers of {scheduler} had just started, and nothing was measured")
        yield _dask(client, scheduler, shares_files=shares_files)


def _wait_for_worker(client: "Client", scheduler: str, stop: Stop) -> None:
    """Wait for the first worker; of a queue of jobs it may take long."""
    deadline = time.monotonic() + _FIRST_WORKER_S
    while True:
        try:
            if client.nthreads():  # type: ignore[no-untyped-call]
                return
        except OSError as error:
            raise RunError(f"--scheduler {scheduler}: the scheduler has gone: {error}") from error
        stop.check("no worker has connected yet")
        if time.monotonic() > deadline:
            raise RunError(
                f"--scheduler {scheduler}: no worker connected within {_FIRST_WORKER_S} s; "
                f"{_no_worker(scheduler)}"
            )
        time.sleep(_WORKER_POLL_S)


def _no_worker(scheduler: str) -> str:
    """Return what to do where no worker connects."""
    if scheduler == "slurm":
        return "see with `squeue --me` whether Slurm has started their jobs"
    if _LOCAL.fullmatch(scheduler):
        return "give fewer workers, or leave --scheduler out"
    return "start some with `dask worker`"


def _broken(error: BaseException) -> SluiceError:
    raise error  # of this machine's own threads: a bug


@contextmanager
def _client(scheduler: str, jobs: int | None, stop: Stop) -> Iterator[tuple["Client", bool]]:
    """Connect to a scheduler, and say whether its workers share our files."""
    try:
        import dask  # noqa: PLC0415
        from distributed import Client, LocalCluster  # noqa: PLC0415
    except ImportError as error:
        raise InputError(
            f"--scheduler {scheduler} needs Dask, which is not installed; run "
            "`pip install distributed`"
        ) from error
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    if match := _LOCAL.fullmatch(scheduler):
        if jobs is not None:
            raise InputError(f"--jobs {jobs}: {scheduler} says how many workers there are")
        dask.config.set(_QUIET)
        try:
            with _interrupts_held():
                workers = LocalCluster(  # type: ignore[no-untyped-call]
                    n_workers=int(match[1]),
                    threads_per_worker=1,
                    dashboard_address=None,
                    memory_limit=None,  # of Python, which holds little: jobs are other processes
                )
        except (OSError, RuntimeError) as error:
            raise RunError(
                f"--scheduler {scheduler}: the workers cannot be started: {error}"
            ) from error
        with (
            workers as cluster,
            Client(cluster) as client,  # type: ignore[no-untyped-call]
        ):
            client.register_plugin(_shipped().Deaf())
            yield client, True
    elif scheduler == "slurm":
        with (
            _slurm(jobs, stop) as cluster,
            Client(cluster) as client,  # type: ignore[no-untyped-call]
        ):
            yield client, False
    else:
        if jobs is not None:
            raise InputError(f"--jobs {jobs}: {scheduler} has its own workers; leave --jobs out")
        try:
            client = Client(scheduler, timeout=_CONNECT_S)  # type: ignore[no-untyped-call]
        except OSError as error:
            raise InputError(
                f"--scheduler {scheduler}: there is no scheduler; start one with `dask scheduler`"
            ) from error
        except (TypeError, ValueError, RuntimeError, ImportError) as error:
            raise InputError(
                f"--scheduler {scheduler}: Dask cannot use this address: {error}"
            ) from error
        with client:
            yield client, False


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let Ctrl-C reach the command alone, and be heard as soon as this is over.

    What starts meanwhile, or is started by a thread that does, has it blocked from the start: the
    command ends its workers in order.
    """
    from multiprocessing import resource_tracker  # noqa: PLC0415  (where workers are started alone)

    resource_tracker.ensure_running()  # else multiprocessing, which starts it, would unblock it
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _shipped() -> Any:  # noqa: ANN401  (a module)
    """Return what travels to workers as code."""
    import cloudpickle  # type: ignore[import-untyped]  # noqa: PLC0415

    from sluice.sweep import shipped  # noqa: PLC0415  (it needs Dask)

    cloudpickle.register_pickle_by_value(shipped)
    return shipped


def _slurm(jobs: int | None, stop: Stop) -> Any:  # noqa: ANN401  (dask-jobqueue has no types)
    """Return a cluster whose workers are jobs of Slurm, as the configuration of Dask describes."""
    try:
        with _handlers_kept():  # it takes Ctrl-C over as it is imported
            jobqueue = importlib.import_module("dask_jobqueue")
    except ImportError as error:
        raise InputError(
            "--scheduler slurm needs dask-jobqueue, which is not installed; run "
            "`pip install dask-jobqueue`"
        ) from error
    if jobs is None:
        raise InputError(
            "--scheduler slurm needs --jobs N: the number of workers to request from Slurm"
        )
    try:
        cluster = jobqueue.SLURMCluster()
    except (ValueError, OSError) as error:
        raise InputError(
            f"--scheduler slurm: {error}; set cores and memory under jobqueue.slurm in "
            "~/.config/dask/jobqueue.yaml"
        ) from error
    try:
        _check_queue(cluster.job_script(), stop)
    except SluiceError:
        cluster.close()
        raise
    cluster.scale(jobs)
    return cluster


@contextmanager
def _handlers_kept() -> Iterator[None]:
    """Have what handles signals handle them afterwards, too."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _check_queue(script: str, stop: Stop) -> None:
    """Ask Slurm whether it would take a worker's job; later, Dask would wait for it in vain."""
    try:
        # In a session of its own: a Ctrl-C in the terminal reaches this program alone.
        process = subprocess.Popen(  # noqa: S603
            _SBATCH,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
    except OSError as error:
        raise InputError(
            f"--scheduler slurm: sbatch cannot be run: {error.strerror}; run the sweep on a "
            "machine that submits jobs to Slurm"
        ) from error
    with process, stop.calling(process.kill):
        try:
            _, told = process.communicate(script, timeout=_QUEUE_S)
        except subprocess.TimeoutExpired as error:
            raise RunError(f"--scheduler slurm: sbatch gave no answer in {_QUEUE_S} s") from error
        finally:
            process.kill()
    stop.check("Slurm has not answered yet")
    if process.returncode:
        said = " ".join(line.removeprefix("sbatch: error: ") for line in told.splitlines())
        raise InputError(
            f"--scheduler slurm: Slurm refuses a worker's job: {said or 'without a reason'}; "
            "change jobqueue.slurm in ~/.config/dask/jobqueue.yaml"
        )


def identity_here() -> str:
    """Return the identity of the library that this command is."""
    from sluice.sweep import worker  # noqa: PLC0415  (it reads all of it)

    return worker.identity()


def _dask(client: "Client", scheduler: str, *, shares_files: bool) -> Place:
    """Return the workers of a scheduler, all of which have this very library."""
    import cloudpickle  # noqa: PLC0415

    from sluice.sweep import wheel, worker  # noqa: PLC0415

    shipped = _shipped()
    if not shares_files:
        client.register_plugin(shipped.Wheel(wheel.build()))
    wanted = identity_here()
    pickled = cloudpickle.dumps((worker.known_identity, ()))
    found = client.run(shipped.call, pickled, on_error="return")
    for address, answer in found.items():
        if isinstance(answer, BaseException):
            raise InputError(
                f"worker {address} cannot load the library: {answer}; install "
                "its dependencies there"
            )
        if answer != wanted:
            raise InputError(worker.other_version(f"worker {address}", answer, wanted))

    def task(batch: job.Batch) -> tuple[Any, ...]:
        return shipped.call, cloudpickle.dumps((worker.measure, (batch, wanted)))

    executor = client.get_executor(  # type: ignore[no-untyped-call]
        retries=_RETRIES, pure=False
    )
    return Place(
        executor=executor,
        task=task,
        at_once=_Workers(client).count,
        name=f"{scheduler}, {len(found)} workers",
        lost=lambda error: RunError(
            f"the workers of {scheduler} did not finish a job: "
            f"{str(error) or type(error).__name__}; run the command again with --continue"
        ),
    )


class _Workers:
    """How many workers there are; they come and go, and the scheduler is not asked all the time."""

    def __init__(self, client: "Client") -> None:
        self._client, self._known, self._asked = client, 0, -math.inf

    def count(self) -> int:
        if time.monotonic() - self._asked > _ASK_S:
            threads = self._client.nthreads()  # type: ignore[no-untyped-call]
            self._known, self._asked = sum(threads.values()), time.monotonic()
        return self._known
