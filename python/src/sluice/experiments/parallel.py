# SPDX-License-Identifier: Apache-2.0
"""Measuring several rows at once, and keeping those that ended when one fails."""

from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from sluice.errors import SluiceError

_K = TypeVar("_K")
_V = TypeVar("_V")


@dataclass(slots=True)
class Answers(Generic[_K, _V]):
    """What was measured until the end or a failure."""

    found: dict[_K, _V] = field(default_factory=dict)
    failure: SluiceError | None = None  # the first


def measure_all(
    tasks: Mapping[_K, Callable[[], _V]], at_once: int, on_answer: Callable[[_K], object]
) -> Answers[_K, _V]:
    """Carry out all tasks, `at_once` at a time in threads, and call `on_answer` after each.

    After a failure (a SluiceError) no further task begins; those under way are waited for, and
    what they find is kept. A signal ends them, if they were begun by Session.ask().
    """
    answers: Answers[_K, _V] = Answers()
    with ThreadPoolExecutor(at_once) as pool:
        keys = {pool.submit(task): key for key, task in tasks.items()}
        pending = set(keys)
        while pending:
            ended, pending = wait(pending, return_when=FIRST_COMPLETED)
            for future in ended:
                try:
                    answers.found[keys[future]] = future.result()
                except SluiceError as error:
                    answers.failure = answers.failure or error
                    pending = {other for other in pending if not other.cancel()}
                else:
                    on_answer(keys[future])
    return answers
