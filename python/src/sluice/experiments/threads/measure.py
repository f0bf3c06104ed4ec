# SPDX-License-Identifier: Apache-2.0
"""Measuring hardware threads: each case is one command of sluice-bench."""

from collections.abc import Iterator

from sluice.errors import RunError
from sluice.experiments.kind import Measurement, Session
from sluice.experiments.threads.experiment import ThreadsExperiment
from sluice.experiments.threads.result import ThreadsConditions, ThreadsFigure, ThreadsRow
from sluice.models import Record, checked

_TIMEOUT_S = 3600


class _Answer(Record):
    figures: tuple[ThreadsFigure, ...]
    verified: bool


def measure(
    experiment: ThreadsExperiment, session: Session
) -> Measurement[ThreadsConditions, ThreadsRow]:
    """Plan the cases of an experiment."""
    experiment.offered_designs(experiment.offered_board(session.catalogue))
    return Measurement(
        rows=_rows(experiment, session),
        conditions=ThreadsConditions(design=experiment.design, plot=experiment.plot),
    )


def _rows(experiment: ThreadsExperiment, session: Session) -> Iterator[ThreadsRow]:
    for case in experiment.case:
        words = [case.scenario, "--board", experiment.board, "--design", experiment.design]
        words += case.words
        answer = checked(
            _Answer, session.ask(words, case.name, _TIMEOUT_S), "sluice-bench", RunError
        )
        yield ThreadsRow(
            name=case.name,
            command=" ".join(words),
            figures=answer.figures,
            verified=answer.verified,
        )
