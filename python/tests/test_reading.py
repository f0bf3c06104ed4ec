# SPDX-License-Identifier: Apache-2.0
"""Sizes, numbers and checked tables."""

import pytest

from sluice.errors import InputError, RunError
from sluice.fields import Fields
from sluice.labels import ports_label, row_label
from sluice.units import format_bytes, format_number, format_time_ns, parse_bytes


@pytest.mark.parametrize(
    ("text", "count"),
    [("0", 0), ("64", 64), ("64B", 64), ("64KiB", 65536), ("1 MiB", 1 << 20), ("2MB", 2_000_000)],
)
def test_sizes(text: str, count: int) -> None:
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "MiB", "-1", "1.5MiB", "1e6", "64 kib", "0x40", "٣"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(InputError, match="not a size"):
        parse_bytes(text)


def test_quantities_for_reading() -> None:
    assert [format_bytes(n) for n in (0, 1, 1536, 65536, 1 << 20, 3 << 30)] == [
        "0 B",
        "1 B",
        "1536 B",
        "64 KiB",
        "1 MiB",
        "3 GiB",
    ]
    assert [format_number(n) for n in (100, 100.0, 133.33)] == ["100", "100", "133.33"]
    assert [format_time_ns(n) for n in (0, 999.5, 2100)] == ["0 ns", "999.5 ns", "2.1 µs"]


def test_labels() -> None:
    assert ports_label(["HP0"]) == "HP0"
    assert ports_label(["HP0", "HP2"]) == "HP0,2"
    assert ports_label(["HP0", "ACP"]) == "HP0,ACP"
    assert row_label(64, "mm2s", ["HP1"]) == "64-bit PS to PL HP1"


TABLE = {"text": "t", "n": 3, "x": 0.5, "flag": True, "list": [1, 2], "sub": {"k": 1}, "none": None}


def test_fields_of_the_right_kind() -> None:
    fields = Fields("f", TABLE)
    assert fields.text("text") == "t"
    assert fields.whole("n") == 3
    assert fields.number("x") == 0.5
    assert fields.flag("flag") is True
    assert fields.wholes("list") == (1, 2)
    assert fields.numbers("list") == (1, 2)
    assert fields.table("sub").whole("k") == 1
    assert "none" not in fields
    with pytest.raises(InputError, match="f: none: unknown key; allowed here: flag, list"):
        fields.finish()


@pytest.mark.parametrize(
    ("method", "key", "message"),
    [
        ("text", "gone", "f: p.gone: is missing"),
        ("text", "n", "f: p.n: must be a text, is 3"),
        ("whole", "x", "f: p.x: must be a whole number of at least 0, is 0.5"),
        ("whole", "flag", "must be a whole number of at least 0, is true"),
        ("number", "text", "must be a number of at least 0, is 't'"),
        ("flag", "n", "must be true or false, is 3"),
        ("items", "sub", "must be a list with entries, is a table"),
        ("texts", "list", "must hold texts, holds 1"),
        ("numbers", "none", "must be a list of numbers, is nothing"),
        ("table", "list", r"f: p.list: must be a table, is a list"),
        ("tables", "list", r"f: p.list\[0\]: must be a table, is 1"),
    ],
)
def test_fields_of_the_wrong_kind(method: str, key: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        getattr(Fields("f", TABLE, "p"), method)(key)


def test_fields_raise_what_they_are_told_to() -> None:
    with pytest.raises(RunError, match="f: k: holds 1 twice"):
        Fields("f", {"k": [1, 1]}, error=RunError).wholes("k")
    with pytest.raises(InputError, match="must be a number"):
        Fields("f", {"k": float("nan")}).number("k")
