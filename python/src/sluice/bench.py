# SPDX-License-Identifier: Apache-2.0
"""The native program that measures: asking sluice-bench, and what it says when it fails."""

import json
import subprocess
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from sluice import child
from sluice.boards import Catalogue, read_catalogue
from sluice.errors import InputError, RunError, SluiceError
from sluice.stop import Stop

NUL = "a value has a NUL character, which no program accepts"
_INPUT_STATUS = 2
_LIST_TIMEOUT_S = 60


def catalogue(bench: Path) -> Catalogue:
    """Ask sluice-bench for its boards."""
    return read_catalogue(_list(bench))


def device(bench: Path, uri: str) -> Any:  # noqa: ANN401
    """Ask sluice-bench what it can measure on a device; for sluice.device to read."""
    return _list(bench, "--device", uri)


def _list(bench: Path, *options: str) -> Any:  # noqa: ANN401
    """Return what `sluice-bench list` prints."""
    return ask(bench, ["list", *options], f"{bench} list", _LIST_TIMEOUT_S)


def ask(
    bench: Path, words: Sequence[str], what: str, timeout_s: int, stop: Stop | None = None
) -> Any:  # noqa: ANN401
    """Return the JSON object that sluice-bench prints; errors say for what it was asked.

    With `stop`, a signal ends it, and that is a StoppedError.
    """
    printed = output(bench, words, what, timeout_s, stop)
    try:
        return json.loads(printed)
    except ValueError as error:
        raise RunError(f"{what}: sluice-bench did not print a JSON object: {error}") from error


def output(
    bench: Path, words: Sequence[str], what: str, timeout_s: int, stop: Stop | None = None
) -> bytes:
    """Return all that sluice-bench prints, as `ask` does."""
    if stop is not None:
        stop.check()
    child.announce()
    try:
        # With `stop` in a session of its own: a Ctrl-C in the terminal reaches this program alone.
        process = subprocess.Popen(  # noqa: S603  (the program that the user named or built)
            [bench, *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=stop is not None,
        )
    except OSError as error:
        raise RunError(f"{bench} cannot be run: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{what}: {NUL}") from error
    with process, nullcontext() if stop is None else stop.calling(process.kill):
        try:
            printed, said = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            raise RunError(f"{what}: sluice-bench gave no answer in {timeout_s} s") from error
        finally:
            process.kill()
    if process.returncode:
        if stop is not None:
            stop.check()
        raise failure(what, process.returncode, said)
    return printed


def failure(what: str, status: int, stderr: bytes) -> SluiceError:
    """Return the error of a sluice-bench that ended with `status`, in its own words if any."""
    if status < 0:
        return RunError(f"{what}: sluice-bench {child.ended(status)}")
    lines = stderr.decode(errors="replace").strip().splitlines()
    said = lines[-1].strip() if lines else f"{child.ended(status)} and said nothing"
    said = said.removeprefix("sluice-bench: ")
    sentence = f"{what}: sluice-bench: {said}"
    return (InputError if status == _INPUT_STATUS else RunError)(sentence)
