# SPDX-License-Identifier: Apache-2.0
"""Options of `sluice run`: those that several kinds take, and how a command line says them.

A kind lists its options as a dataclass whose fields are annotated for typer.
"""

import inspect
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_type_hints

import typer
from typer.models import OptionInfo

from sluice.errors import InputError
from sluice.experiments.kind import Kind
from sluice.experiments.registry import kinds
from sluice.labels import LEVELS, Level

_O = TypeVar("_O")


class Setting(NamedTuple):
    """A setting of the memory model."""

    name: str
    value: int

    def __str__(self) -> str:
        """Return it as it is given."""
        return f"{self.name}={self.value}"


def _setting(text: str) -> Setting:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip().isdecimal():
        raise InputError(f"--set {text} is not of the form NAME=N, N a whole number")
    return Setting(name.strip(), int(value))


Settings = Annotated[
    list[Setting] | None,
    typer.Option(
        "--set",
        metavar="NAME=N",
        parser=_setting,
        help="Change a setting of the memory model. Repeatable.",
    ),
]


Device = Annotated[
    str | None,
    typer.Option(
        "--device",
        metavar="URI",
        help="Measure a device (dev:BOARD) or a function of vfio-pci (vfio:FUNCTION) instead of "
        "a simulated board. Its width and clock must be those of the row.",
    ),
]
LevelWord = Annotated[
    str | None,
    typer.Option(
        "--level",
        metavar="WORD",
        help="rtl (the design's own logic) or transaction (engines of the same policy without "
        "logic, fifty times faster or more).",
    ),
]


def level_of(word: str) -> Level:
    """Return the level that --level names."""
    for level in get_args(Level):
        if level == word:
            found: Level = level
            return found
    raise InputError(f"--level {word} is not allowed; give {' or '.join(LEVELS)}")


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Of a kind that takes the options of all kinds alone."""


def hints(options: type) -> dict[str, Any]:
    """Return the annotation of each option of a kind, by name of its field."""
    return get_type_hints(options, include_extras=True)


def parameters(options: type) -> dict[str, inspect.Parameter]:
    """Return the options of a kind as parameters of a function for typer, by name."""
    keyword = inspect.Parameter.KEYWORD_ONLY
    return {
        name: inspect.Parameter(name, keyword, default=getattr(options(), name), annotation=hint)
        for name, hint in hints(options).items()
    }


def flag(name: str, hint: Any) -> str:  # noqa: ANN401
    """Return what the option of a field is called on the command line."""
    info = next(entry for entry in hint.__metadata__ if isinstance(entry, OptionInfo))
    said = [word for word in (info.default, *(info.param_decls or ())) if isinstance(word, str)]
    return said[0] if said else "--" + name.replace("_", "-")


def given(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given."""
    return {
        name: value
        for name, value in values.items()
        if value is not None and value is not False and value != []
    }


def options_of(kind: Kind[Any, _O, Any], experiment: str, values: Mapping[str, Any]) -> _O:
    """Return the options of a kind; refuse one that has no meaning for it."""
    taken = hints(kind.options)
    for name in values:
        if name not in taken:
            known = [flag(*item) for item in taken.items()]
            wrong = next(
                flag(name, hint)
                for other in kinds().values()
                if (hint := hints(other.options).get(name)) is not None
            )
            raise InputError(
                f"{experiment} is an experiment of kind {kind.name}, which does not take {wrong}; "
                f"it takes {', '.join([*known, '--jobs', '--json'])} and -o"
            )
    return kind.options(**values)


def command_line(words: list[str], kind: Kind[Any, Any, Any], values: Mapping[str, Any]) -> str:
    """Return the command that gives these options."""
    for name, hint in hints(kind.options).items():
        value = values.get(name)
        for entry in value if isinstance(value, list) else [value] if name in values else []:
            words = [*words, flag(name, hint), *([] if entry is True else [str(entry)])]
    return shlex.join(words)
