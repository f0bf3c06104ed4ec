# SPDX-License-Identifier: Apache-2.0
"""Rules in Vale's format: those of its kinds `existence`, `substitution` and `occurrence`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml  # type: ignore[import-untyped]

SENTENCE = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!\.\.)(?<=[.!?])[\"')*\]]*\s+")


@dataclass(frozen=True)
class Rule:
    name: str
    message: str
    pattern: re.Pattern[str]
    replacements: tuple[str, ...] = ()
    limit: int | None = None  # matches in a sentence

    def findings(self, text: str) -> Iterator[str]:
        if self.limit is not None:
            for sentence in SENTENCE.split(text):
                if len(self.pattern.findall(sentence)) > self.limit:
                    yield f"{self.message} ({sentence[:60]}…)"
            return
        for match in self.pattern.finditer(text):
            words = match[0]
            if self.replacements:
                yield self.message % (self.replacements[(match.lastindex or 1) - 1], words)
            else:
                yield self.message % words


def rule_of(path: Path) -> Rule:
    """A rule of Vale's kinds `existence`, `substitution` and `occurrence`."""
    rule = yaml.safe_load(path.read_text(encoding="utf-8"))
    swap: dict[str, str] = rule.get("swap", {})
    tokens = [rule["token"]] if "token" in rule else [*rule.get("tokens", []), *swap]
    pattern = "|".join(f"({token})" for token in tokens)
    flags = re.IGNORECASE if rule.get("ignorecase") else 0
    return Rule(
        name=path.stem,
        message=rule["message"],
        pattern=re.compile(pattern, flags),
        replacements=tuple(swap.values()),
        limit=rule.get("max"),
    )
