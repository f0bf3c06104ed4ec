# SPDX-License-Identifier: Apache-2.0
"""Which words a result has: those of its rows' form."""

from typing import Any

from sluice.experiments.plan.cards_words import CardsWords
from sluice.experiments.plan.ports_words import PortsWords
from sluice.experiments.plan.result import PlanResult
from sluice.experiments.plan.words import Words

_WORDS: dict[str, Words[Any]] = {"ports": PortsWords(), "card": CardsWords()}


def words_of(result: PlanResult) -> Words[Any]:
    """Return the words about a result, which has at least one row."""
    return _WORDS[result.rows[0].form]


def advice(result: PlanResult) -> str:
    """Return which configuration to take."""
    best = result.best
    return "No configuration reaches it." if best is None else words_of(result).take(best)
