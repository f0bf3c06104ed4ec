# SPDX-License-Identifier: Apache-2.0
"""How a program that was started ended, and whose child it is."""

import os
import signal

import pytest

from sluice import child


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (3, "ended with status 3"),
        (-signal.SIGSEGV, "was ended by SIGSEGV"),
        (-63, "was ended by signal 63"),
    ],
)
def test_how_it_ended(status: int, sentence: str) -> None:
    assert child.ended(status) == sentence


def test_a_child_knows_the_process_that_starts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not an earlier one, of which this is a child itself."""
    monkeypatch.setenv(child.PARENT, "1")
    child.announce()
    assert os.environ[child.PARENT] == str(os.getpid())
