# SPDX-License-Identifier: Apache-2.0
"""Rates of ports from a sweep, in place of simulating them."""

from collections.abc import Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any

from sluice.errors import InputError
from sluice.experiments.rates.rows import Row
from sluice.experiments.rates.runs import CONDITIONS, conditions_of
from sluice.experiments.rates.statistics import Rates, summarise
from sluice.labels import row_label
from sluice.sweep.record import read_record
from sluice.sweep.store import read_table
from sluice.units import format_bytes, format_number

_OF_RATES = "rates"  # the kind of experiments whose sweeps have what is needed
_OTHER_MODEL = ("model", "engine", "axes.attributes")  # keys that make it another board
_Identity = tuple[object, ...]


class Swept:
    """The rates that a sweep holds, by all that they depend on."""

    def __init__(self, path: Path) -> None:
        """Read a Parquet file of `sluice sweep`, and the record beside it."""
        self.path = path
        record = read_record(path)
        keys = {**record.spec.get("set", {}), **record.spec.get("axes", {})}
        changed = [key for key in keys if key.split("[")[0].startswith(_OTHER_MODEL)]
        changed += [key for key in _OTHER_MODEL if _table(record.document, key)]
        if changed:
            raise InputError(
                f"{path}: the sweep changes {changed[0]}, and a plan is for the board as it is; "
                "give a sweep that leaves it unchanged"
            )
        table = read_table(path)
        needed = [*CONDITIONS, "mb_s", "verified"]
        if missing := [name for name in needed if name not in table.column_names]:
            raise InputError(
                f"{path}: a plan needs a sweep of an experiment of kind {_OF_RATES}; this one has "
                f"no column {missing[0]}"
            )
        self._rates: dict[_Identity, list[float]] = {}
        for row in table.select(needed).to_pylist():
            if not row["verified"]:
                raise InputError(
                    f"{path}: a run carried wrong data, so a plan cannot use it; measure again"
                )
            self._rates.setdefault(_of_cells(row), []).append(row["mb_s"])

    def rates(self, row: Row) -> Rates | None:
        """Return the rates of a row, None where the sweep has none."""
        found = self._rates.get(_of_cells(conditions_of(row)))
        return None if found is None else summarise(found)

    def complaint(self, rows: Sequence[Row]) -> InputError:
        """Return the error where the sweep has none of these rows in all placements."""
        row = rows[0]
        staggers = " and ".join(str(one) for one in sorted({one.stagger_bytes for one in rows}))
        start = format_number(row.start_cost_ns)
        return InputError(
            f"{self.path} has no configuration that can be planned with, such as "
            f"{row_label(row.width_bits, row.direction, row.ports)} of {row.board}. Sweep it at "
            f"{format_number(row.clock_mhz)} MHz with blocks of {format_bytes(row.bytes)}, "
            f"staggered by {staggers} bytes. It also needs a start cost of {start} ns, a skew of "
            f"{format_number(row.skew_ns)} ns, and level {row.level}"
        )


def _table(document: Mapping[str, Any], key: str) -> Any:  # noqa: ANN401
    """Return what a document holds under a dotted key."""
    return reduce(lambda table, part: table.get(part, {}), key.split("."), document)


def _of_cells(cells: Mapping[str, object]) -> _Identity:
    return tuple(cells[name] for name in CONDITIONS)
