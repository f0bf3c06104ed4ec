# SPDX-License-Identifier: Apache-2.0
"""What travels to workers of Dask as code, not by name: they may not have this package yet.

It may import nothing of the package, and is not reloaded there.
"""

import hashlib
import os
import pickle
import signal
import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

from distributed import Worker, WorkerPlugin


class Wheel(WorkerPlugin):
    """Puts the package of a wheel on the path of a worker, and of each that joins later."""

    name = "sluice-wheel"

    def __init__(self, content: bytes) -> None:
        self.content = content

    def setup(self, worker: Worker) -> None:
        """Unpack the wheel; what is imported already stays, and is refused if it differs."""
        digest = hashlib.sha256(self.content).hexdigest()[:16]
        folder = Path(worker.local_directory) / f"sluice-{os.getpid()}-{digest}"
        with zipfile.ZipFile(BytesIO(self.content)) as wheel:
            wheel.extractall(folder)
        for program in folder.glob("sluice/bin/**/*"):
            program.chmod(0o755)
        sys.path.insert(0, str(folder))


class Deaf(WorkerPlugin):
    """Has a worker that started with Ctrl-C blocked ignore it: what it starts may take it over."""

    name = "sluice-deaf"

    def setup(self, worker: Worker) -> None:
        """Do so, in the worker's main thread, which starts the threads of jobs."""
        del worker
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def call(pickled: bytes) -> Any:  # noqa: ANN401
    """Call a function with its arguments; the scheduler, which reads the task too, cannot."""
    function, arguments = pickle.loads(pickled)  # noqa: S301  (from the client of this cluster)
    return function(*arguments)


# Dask sends functions of __main__ as code, and all others by name, which the scheduler looks up.
call.__module__ = "__main__"
