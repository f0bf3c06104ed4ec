# SPDX-License-Identifier: Apache-2.0
"""What runs on a worker of Dask."""

import hashlib
from functools import cache
from pathlib import Path

import sluice
from sluice.errors import InputError, RunError, SluiceError
from sluice.paths import find_bench
from sluice.sweep import job
from sluice.sweep.job import Batch, Done

_PACKAGE = Path(sluice.__file__).parent
IDENTITY = "identity"  # of the library that is shipped, beside its sluice-bench


@cache
def identity() -> str:
    """Return what tells one state of the library and of sluice-bench from another."""
    shipped = _PACKAGE / "bin" / IDENTITY
    if shipped.is_file():
        return shipped.read_text(encoding="utf-8").strip()
    digest = hashlib.sha256()
    for path in sorted(_PACKAGE.rglob("*.py")):
        digest.update(str(path.relative_to(_PACKAGE)).encode() + path.read_bytes())
    digest.update(find_bench().read_bytes())
    return f"sluice {sluice.__version__} ({digest.hexdigest()[:12]})"


def known_identity() -> str:
    """Return the identity, or the sentence that says why there is none."""
    try:
        job.catalogue()
        return identity()
    except SluiceError as error:
        return f"a library that cannot measure: {error}"


def measure(batch: Batch, wanted: str) -> Done:
    """Measure a batch on a worker, if it has the library of the one who asks.

    Raises where another worker may do better; returns what no worker can do.
    """
    if (found := known_identity()) != wanted:
        raise InputError(other_version("a worker", found, wanted))
    done = job.measure(batch)
    if done.failure is not None and done.failure[0] != InputError.exit_status:
        if not done.rows:
            raise RunError(done.failure[1])
        # What was measured is kept; the job that failed comes first in a batch of its own.
        measured = {job for job, _ in done.rows}
        done.failure, done.rest = None, tuple(job for job in batch.jobs if job not in measured)
    return done


def other_version(name: str, found: str, wanted: str) -> str:
    """Return the sentence about a worker that would measure something else."""
    return (
        f"{name} has {found}, and this command is {wanted}; restart the workers, so that they take "
        "the library that the command ships"
    )
