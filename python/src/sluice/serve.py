# SPDX-License-Identifier: Apache-2.0
"""`sluice serve`: becomes sluice-serve, so that nothing of Python is in the way of the data."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from sluice.errors import InputError, RunError
from sluice.paths import find_server


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    boards: tuple[str, ...]
    listen: str
    max_clients: int
    limit_bytes: int
    stall_seconds: int
    free_running: bool
    json: bool


def words(options: Options) -> Sequence[str]:
    """Return sluice-serve's own words for it."""
    for board in options.boards:
        if board.startswith("-"):
            raise InputError(f"'{board}' is not a board; give a URI such as sim:zynq7010/capture")
    said = [
        f"--listen={options.listen}",
        f"--max-clients={options.max_clients}",
        f"--limit-bytes={options.limit_bytes}",
        f"--stall-seconds={options.stall_seconds}",
    ]
    said += ["--free-running"] if options.free_running else []
    said += ["--json"] if options.json else []
    return [*said, *options.boards]


def serve(options: Options) -> NoReturn:
    """Serve until a signal. This process is sluice-serve from here on."""
    server = find_server()
    said = words(options)
    sys.stdout.flush()
    sys.stderr.flush()
    try:
        os.execv(server, [str(server), *said])  # noqa: S606  (the program that was built)
    except OSError as error:
        raise RunError(f"{server} cannot be run: {error.strerror}") from error
