# SPDX-License-Identifier: Apache-2.0
"""Checked reading of tables that came from a file: every error names the file and the key."""

import math
from collections.abc import Mapping
from typing import Any, TypeVar

from sluice.errors import InputError, SluiceError

_T = TypeVar("_T")


class Fields:
    """One table of a TOML or JSON document. Take the fields, then `finish()`.

    `where` names the document in messages, `error` is the exception to raise.
    """

    def __init__(
        self, where: str, table: object, path: str = "", error: type[SluiceError] = InputError
    ) -> None:
        self._where = where
        self._path = path
        self._error = error
        self._taken: set[str] = set()
        if not isinstance(table, Mapping):
            raise self.problem("", f"must be a table, is {_kind(table)}")
        self._table: Mapping[str, Any] = table

    def problem(self, key: str, message: str) -> SluiceError:
        """Return the error that says `message` about `key`."""
        place = ".".join(part for part in (self._path, key) if part)
        return self._error(
            f"{self._where}: {place}: {message}" if place else f"{self._where}: {message}"
        )

    def __contains__(self, key: str) -> bool:
        """Tell whether `key` is there and not null."""
        return self._table.get(key) is not None

    def any(self, key: str) -> Any:  # noqa: ANN401
        """Return the value of `key`, which must be there."""
        self._taken.add(key)
        if key not in self._table:
            raise self.problem(key, "is missing")
        return self._table[key]

    def text(self, key: str) -> str:
        """Return a text that is not empty."""
        value = self.any(key)
        if not isinstance(value, str) or not value.strip():
            raise self.problem(key, f"must be a text, is {_kind(value)}")
        return value.strip()

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self.any(key)
        if not isinstance(value, bool):
            raise self.problem(key, f"must be true or false, is {_kind(value)}")
        return value

    def whole(self, key: str, least: int = 0, most: int | None = None) -> int:
        """Return a whole number within its limits."""
        return self._whole(key, self.any(key), least, most)

    def number(self, key: str, least: float = 0.0) -> float:
        """Return a finite number of at least `least`."""
        return self._number(key, self.any(key), least)

    def items(self, key: str, *, empty: bool = False) -> list[Any]:
        """Return a list, which may be empty only if so said."""
        value = self.any(key)
        if not isinstance(value, list) or not (value or empty):
            raise self.problem(key, f"must be a list with entries, is {_kind(value)}")
        return value

    def texts(self, key: str, *, empty: bool = False) -> tuple[str, ...]:
        """Return a list of texts, each given once; it may be empty only if so said."""
        values = self.items(key, empty=empty)
        for value in values:
            if not isinstance(value, str) or not value:
                raise self.problem(key, f"must hold texts, holds {_kind(value)}")
        return tuple(self._distinct(key, values))

    def wholes(self, key: str, least: int = 0) -> tuple[int, ...]:
        """Return a list of whole numbers, each given once."""
        values = [self._whole(key, value, least, None) for value in self.items(key)]
        return tuple(self._distinct(key, values))

    def numbers(self, key: str, least: float = 0.0) -> tuple[float, ...]:
        """Return a list of finite numbers, which may be empty."""
        value = self.any(key)
        if not isinstance(value, list):
            raise self.problem(key, f"must be a list of numbers, is {_kind(value)}")
        return tuple(self._number(key, entry, least) for entry in value)

    def table(self, key: str) -> "Fields":
        """Return the table under `key`."""
        return self._nested(self.any(key), key)

    def tables(self, key: str) -> "list[Fields]":
        """Return the list of tables under `key`, which may be empty."""
        value = self.any(key)
        if not isinstance(value, list):
            raise self.problem(key, f"must be a list of tables, is {_kind(value)}")
        return [self._nested(entry, f"{key}[{index}]") for index, entry in enumerate(value)]

    def names(self) -> list[str]:
        """Return the keys of this table."""
        return list(self._table)

    def finish(self) -> None:
        """Refuse what nobody asked for: a key that is not known is a mistake."""
        for key in self._table:
            if key not in self._taken:
                known = ", ".join(sorted(self._taken))
                raise self.problem(key, f"unknown key; allowed here: {known}")

    def _nested(self, value: object, key: str) -> "Fields":
        path = f"{self._path}.{key}" if self._path else key
        return Fields(self._where, value, path, self._error)

    def _number(self, key: str, value: object, least: float) -> float:
        if (
            isinstance(value, bool)
            or not isinstance(value, int | float)
            or not math.isfinite(value)
            or value < least
        ):
            raise self.problem(key, f"must be a number of at least {least:g}, is {_kind(value)}")
        return value

    def _whole(self, key: str, value: object, least: int, most: int | None) -> int:
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or value < least
            or (most is not None and value > most)
        ):
            limits = f"of at least {least}" if most is None else f"from {least} to {most}"
            raise self.problem(key, f"must be a whole number {limits}, is {_kind(value)}")
        return value

    def _distinct(self, key: str, values: list[_T]) -> list[_T]:
        for index, value in enumerate(values):
            if value in values[:index]:
                raise self.problem(key, f"holds {value!r} twice")
        return values


def _kind(value: object) -> str:
    """Return a value for a message: short ones as they are, others by kind."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return "an empty list" if not value else "a list"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."  # noqa: PLR2004
