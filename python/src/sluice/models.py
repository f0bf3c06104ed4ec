# SPDX-License-Identifier: Apache-2.0
"""Checked documents: TOML and JSON as pydantic models, errors as one sentence.

Every error names the document, the key, what is wrong there and what is allowed.
"""

import json
import re
import tomllib
from collections.abc import Hashable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from sluice.errors import InputError, SluiceError
from sluice.units import parse_bytes

_T = TypeVar("_T")
_H = TypeVar("_H", bound=Hashable)
_M = TypeVar("_M", bound=BaseModel)

_LONGEST_SHOWN = 40
_QUOTED = re.compile(r"'([^']*)'")
_BRANCH = "?"  # starts the tag of a form of a union, which is no part of the key's path


class Record(BaseModel):
    """A table that a program wrote: unknown keys, of a newer version, are ignored."""

    model_config = ConfigDict(
        frozen=True,
        defer_build=True,  # until the first use, so that the command starts fast
        strict=True,
        allow_inf_nan=False,
        str_strip_whitespace=True,
        json_schema_serialization_defaults_required=True,
        json_schema_extra={"additionalProperties": False},
    )


class Table(Record):
    """A table that a person wrote: an unknown key is an error."""

    @model_validator(mode="before")
    @classmethod
    def _only_known_keys(cls, table: Any) -> Any:  # noqa: ANN401
        if isinstance(table, Mapping):
            known = sorted(field.alias or name for name, field in cls.model_fields.items())
            for key in table:
                if key not in known:
                    raise problem(str(key), f"unknown key; allowed here: {', '.join(known)}")
        return table


def problem(key: str, sentence: str) -> PydanticCustomError:
    """Return an error for a validator to raise, about a key of the table that it validates."""
    return PydanticCustomError("problem", "{sentence}", {"key": key, "sentence": sentence})


def branch(name: str) -> str:
    """Return the tag of one form of a union; messages leave it out of the path of a key."""
    return _BRANCH + name


def _distinct(values: tuple[_H, ...]) -> tuple[_H, ...]:
    for index, value in enumerate(values):
        if value in values[:index]:
            shown = list(value) if isinstance(value, tuple) else value
            raise problem("", f"holds {shown!r} twice")
    return values


def _bytes(value: object) -> object:
    if isinstance(value, str):
        try:
            size = parse_bytes(value)
        except InputError as error:
            raise problem("", str(error)) from error
        if not size:
            raise problem("", "must be at least 1 byte")
        return size
    raise problem("", f'must be a size such as "1MiB", is {shown(value)}')


Text = Annotated[str, Field(min_length=1)]
Distinct = Annotated[
    tuple[_T, ...],
    Field(min_length=1, json_schema_extra={"uniqueItems": True}),
    AfterValidator(_distinct),
]
Size = Annotated[
    int,
    BeforeValidator(_bytes, json_schema_input_type=str),
    Field(json_schema_extra={"examples": ["64KiB", "1MiB"]}),
]
Whole = Annotated[int, Field(ge=0)]


def read_toml(path: Path) -> dict[str, Any]:
    """Return the document in a TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:  # a number of many digits is a ValueError
        raise InputError(f"{path} is not a TOML file: {error}") from error


def read_json(text: str | bytes, where: str) -> Any:  # noqa: ANN401
    """Return the document in a text that must be JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where} is not JSON: {error}") from error


def checked(
    model: type[_M], document: object, where: str, error: type[SluiceError] = InputError
) -> _M:
    """Return a document as a model; what is wrong with it is one sentence that starts `where`."""
    try:
        return model.model_validate(_tuples(document))
    except ValidationError as found:
        raise error(_sentence(where, found.errors(include_url=False)[0])) from found
    except RecursionError as found:
        raise error(f"{where}: has too many tables or lists within one another") from found


def read_model(model: type[_M], path: Path) -> _M:
    """Return the model in a TOML file."""
    return checked(model, read_toml(path), str(path))


def shown(value: object) -> str:
    """Return a value for a message: short ones as they are, others by kind."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "a list" if value else "an empty list"
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def _tuples(document: object) -> object:
    """Return a document with tuples for its lists, as strict models want them."""
    if isinstance(document, Mapping):
        return {key: _tuples(value) for key, value in document.items()}
    if isinstance(document, list):
        return tuple(_tuples(value) for value in document)
    return document


def _sentence(where: str, error: ErrorDetails) -> str:
    place = ""
    context = error.get("ctx", {})
    steps = [*error["loc"], *([context["key"]] if context.get("key") else [])]
    for step in steps:
        if isinstance(step, int):
            place += f"[{step}]"
        elif not step.startswith(_BRANCH):
            place += f".{step}" if place else step
    return ": ".join(part for part in (where, place, _complaint(error)) if part)


_COMPLAINTS = {
    "problem": "{sentence}",
    "missing": "is missing",
    "model_type": "must be a table, is {given}",
    "dict_type": "must be a table, is {given}",
    "string_type": "must be a text, is {given}",
    "string_too_short": "must be a text, is {given}",
    "bool_type": "must be true or false, is {given}",
    "int_type": "must be a whole number, is {given}",
    "float_type": "must be a number, is {given}",
    "finite_number": "must be a number, is {given}",
    "tuple_type": "must be a list with entries, is {given}",
    "too_short": "must be a list with entries, is {given}",
    "greater_than_equal": "must be at least {ge:g}, is {given}",
    "greater_than": "must be above {gt:g}, is {given}",
    "less_than_equal": "must be at most {le:g}, is {given}",
    "literal_error": "{given} is not one of {allowed}",
}


def _complaint(error: ErrorDetails) -> str:
    """Return what is wrong, in the words of this project."""
    words = error.get("ctx", {}) | {"given": shown(error["input"])}
    words["allowed"] = ", ".join(_QUOTED.findall(str(words.get("expected", ""))))
    if error["type"] not in _COMPLAINTS:
        return f"{words['given']}: {error['msg']}"
    return _COMPLAINTS[error["type"]].format_map(words)
