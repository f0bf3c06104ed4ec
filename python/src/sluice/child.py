# SPDX-License-Identifier: Apache-2.0
"""Programs that this one starts: they end with it, and their end is one sentence."""

import os
import signal

PARENT = "SLUICE_PARENT"  # number of the process that starts sluice-bench, which ends with it


def announce() -> None:
    """Say to what is started from now on whose child it is, so that SIGKILL ends it too.

    It is cheap enough for each start: the environment is that of this process.
    """
    own = str(os.getpid())
    if os.environ.get(PARENT) != own:
        os.environ[PARENT] = own


def ended(status: int) -> str:
    """Return how a child ended whose status is not 0, after its name in a sentence."""
    if status >= 0:
        return f"ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"was ended by {name}"
