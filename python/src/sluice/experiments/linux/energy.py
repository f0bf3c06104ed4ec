# SPDX-License-Identifier: Apache-2.0
"""An estimate of a call's energy: what was counted of it, by currents and powers of data sheets.

The memory's commands as in Micron's TN-41-01: what each draws beyond standby, for as long as the
data sheet says that it lasts. Each constant is a range. All that follows is estimated twice, with
the least of all constants and with the greatest: other choices may lie a little beyond the two.
"""

from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from sluice.models import Record, Table, Text, problem

BEAT_BYTES = 8  # of a port of 64 bits
_BURST_CLOCKS = 4  # eight words, at both edges
_Amount = Annotated[float, Field(ge=0)]
Name = Literal[
    "devices",
    "vdd_v",
    "clock_mhz",
    "idd0_ma",
    "idd2n_ma",
    "idd3n_ma",
    "idd4r_ma",
    "idd4w_ma",
    "idd5_ma",
    "t_rc_ns",
    "t_ras_ns",
    "t_rfc_ns",
    "t_refi_ns",
    "read_lines",
    "read_line_mw",
    "write_lines",
    "write_line_mw",
    "core_w",
]


# Each is no more than the other, or a command would take less than nothing.
_ORDERED: tuple[tuple[Name, Name], ...] = (
    ("idd2n_ma", "idd3n_ma"),
    ("idd3n_ma", "idd0_ma"),
    ("idd3n_ma", "idd4r_ma"),
    ("idd3n_ma", "idd4w_ma"),
    ("idd3n_ma", "idd5_ma"),
    ("t_ras_ns", "t_rc_ns"),
)


class ConstantTable(Table):
    """A constant, as a range."""

    name: Name = Field(
        description="Name of the constant. devices is the number of memory chips; vdd_v and "
        "clock_mhz are theirs. idd0_ma to idd5_ma and t_rc_ns to t_refi_ns are JESD79-3's, for a "
        "chip. read_lines and write_lines count a chip's lines for data, strobes and masks. "
        "read_line_mw and write_line_mw are the power of a line while it is driven or "
        "terminated. core_w is the power of a working processor above that of a sleeping one."
    )
    low: Annotated[float, Field(gt=0)] = Field(description="Lowest value.")
    high: Annotated[float, Field(gt=0)] = Field(description="Highest value.")
    source: Text = Field(description="Source of the value.")


class EnergyTable(Table):
    """What an estimate of energy is made of."""

    note: Text = Field(description="What the estimate leaves out.")
    constant: tuple[ConstantTable, ...] = Field(
        description="The constants, each once, a table [[energy.constant]]."
    )

    @model_validator(mode="after")
    def _has_each_once(self) -> Self:
        names = [one.name for one in self.constant]
        if sorted(names) != sorted(get_args(Name)):
            raise problem("constant", f"must hold each once: {', '.join(get_args(Name))}")
        for index, one in enumerate(self.constant):
            if one.low > one.high:
                raise problem(f"constant[{index}].low", "must be no more than high")
        return self

    @model_validator(mode="after")
    def _nothing_takes_less_than_standby(self) -> Self:
        of = {one.name: one for one in self.constant}
        for least, most in _ORDERED:
            if of[least].low > of[most].low or of[least].high > of[most].high:
                raise problem("constant", f"{least} must be no more than {most}")
        return self


class Counted(Record):
    """What was counted of a call."""

    processor_reads: _Amount = Field(description="Bursts that the memory read for the processor.")
    processor_writes: _Amount = Field(description="Bursts that it wrote for the processor.")
    processor_rows: _Amount = Field(description="Rows that were opened for these.")
    engine_reads: _Amount = Field(description="Bursts that it read for engines.")
    engine_writes: _Amount = Field(description="Bursts that it wrote for engines.")
    engine_rows: _Amount = Field(description="Rows that were opened for these.")
    hp_beats: _Amount = Field(
        description="Beats of 64 bits on HP ports. Their energy is not known."
    )
    active_us: _Amount = Field(description="Time that the processor worked, us.")


class Range(Record):
    """An estimate, in nJ a byte, which is mJ an MB."""

    low: _Amount = Field(
        description="Lower one of two estimates, with the lowest and with the highest values of "
        "all constants."
    )
    high: _Amount = Field(description="Higher one of them.")


class Energy(Record):
    """An estimate of what a call takes, in nJ a byte that it moves."""

    counted: Counted = Field(description="Counts that the estimate uses.")
    memory: Range = Field(description="Commands of the memory, its data lines and refresh.")
    standby: Range = Field(description="The memory's standby during the call.")
    processor: Range = Field(
        description="The processor's work, beyond that of a sleeping processor."
    )
    total: Range = Field(description="Sum of these.")


def estimate(table: EnergyTable, counted: Counted, us: float, moved: int) -> Energy:
    """Return the estimate for a call that took so long and moved so many bytes."""
    low = _parts({one.name: one.low for one in table.constant}, counted, us)
    high = _parts({one.name: one.high for one in table.constant}, counted, us)
    memory, standby, processor = (
        # More current in standby is less beyond it.
        Range(low=min(pair) / moved, high=max(pair) / moved)
        for pair in zip(low, high, strict=True)
    )
    total = Range(
        low=memory.low + standby.low + processor.low,
        high=memory.high + standby.high + processor.high,
    )
    return Energy(counted=counted, memory=memory, standby=standby, processor=processor, total=total)


def _parts(of: dict[Name, float], counted: Counted, us: float) -> tuple[float, float, float]:
    """Return nJ of the memory's commands, of its standby, and of the processor."""
    pj = of["vdd_v"] * of["devices"]  # of a mA for a ns
    burst_ns = _BURST_CLOCKS * 1e3 / of["clock_mhz"]
    open_ns, closed_ns = of["t_ras_ns"], of["t_rc_ns"] - of["t_ras_ns"]
    row = pj * (
        of["idd0_ma"] * of["t_rc_ns"] - of["idd3n_ma"] * open_ns - of["idd2n_ma"] * closed_ns
    )
    read = pj * (of["idd4r_ma"] - of["idd3n_ma"]) * burst_ns
    read += of["devices"] * of["read_lines"] * of["read_line_mw"] * burst_ns
    write = pj * (of["idd4w_ma"] - of["idd3n_ma"]) * burst_ns
    write += of["devices"] * of["write_lines"] * of["write_line_mw"] * burst_ns
    refresh = pj * (of["idd5_ma"] - of["idd3n_ma"]) * of["t_rfc_ns"]
    commands = (
        (counted.processor_rows + counted.engine_rows) * row
        + (counted.processor_reads + counted.engine_reads) * read
        + (counted.processor_writes + counted.engine_writes) * write
        + us * 1e3 / of["t_refi_ns"] * refresh
    )
    standby = pj * of["idd3n_ma"] * us * 1e3
    return commands / 1e3, standby / 1e3, of["core_w"] * counted.active_us * 1e3
