# SPDX-License-Identifier: Apache-2.0
"""The rows of a result about rates: conditions, figures, and the runs that they come from."""

from collections.abc import Sequence
from typing import Annotated, Literal, Self

from pydantic import Field, computed_field, model_validator

from sluice.experiments.rates.published import EQUAL, Figure
from sluice.experiments.rates.rows import Row
from sluice.experiments.rates.statistics import Rates, summarise
from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.labels import RTL, Direction, Level, row_label
from sluice.models import Distinct, Record, Text, Whole
from sluice.overload import OverloadError

SIMULATED: Literal["simulated"] = "simulated"


class Run(Record):
    """One measured run, as sluice-bench reports it."""

    run: Whole = Field(description="Number of the run, from 0.")
    mb_s: Annotated[float, Field(ge=0)] = Field(description="Rate of the run.")
    bytes: Whole = Field(description="Bytes that all engines moved together.")
    start_ns: float = Field(description="First start, by clock.")
    finish_ns: float = Field(description="Last finish, by clock.")
    pl_cycles: Whole = Field(description="Clock cycles of the logic in between.")
    verified: bool = Field(description="True if the payload was compared byte by byte and right.")
    skew_ns: tuple[float, ...] = Field(description="Start skews drawn for this run.")
    clock: Literal["simulated", "CLOCK_MONOTONIC_RAW"] = Field(
        default=SIMULATED,
        description="Clock of the times: simulated (the simulated board's) or "
        "CLOCK_MONOTONIC_RAW (that of a device's system).",
    )

    @model_validator(mode="after")
    def _takes_time(self) -> Self:
        if self.finish_ns <= self.start_ns:
            raise ValueError(
                f"finish_ns must be after start_ns: {self.finish_ns:g}, {self.start_ns:g}"
            )
        return self


class Placement(Record):
    """Positions of the buffers in memory."""

    rule: Text = Field(description="Rule of the placement, as text.")
    stagger_bytes: Whole = Field(
        description="Distance of each buffer from the one before, beyond a common alignment."
    )


class RatesRow(ResultRow):
    """One measured row."""

    device: str | None = Field(
        default=None,
        description="Device that moved the data, dev:BOARD or vfio:FUNCTION, null for a "
        "simulated board. With a device, board, design, width and clock are the experiment's, "
        "and start_cost_ns and skew_ns are 0.",
    )
    board: Text = Field(description="Name of the board.")
    design: Text = Field(description="Name of the design on it.")
    attributes: dict[str, Whole] = Field(
        default_factory=dict,
        description="Attributes of the design that the experiment set, by name.",
    )
    level: Level = Field(
        default=RTL,
        description="rtl (the design's own logic moved the data) or transaction (engines of the "
        "same policy without logic).",
    )
    fast_forward: bool = Field(
        default=False,
        description="True if the simulation skipped the middle of long transfers where all rates "
        "stayed the same (--fast-forward).",
    )
    settings: dict[str, Whole] = Field(
        default_factory=dict,
        description="Settings of the memory model that differ from the board's own, by name.",
    )
    labels: dict[str, str | int] = Field(
        default_factory=dict,
        description="Names in the publication, by label, such as mode and threads. Empty if "
        "they are the same as ours.",
    )
    ports: Distinct[str] = Field(description='Ports that moved data, such as ["HP0", "HP2"].')
    width_bits: Annotated[int, Field(ge=1)] = Field(description="Data width of each port.")
    direction: Direction = Field(
        description="mm2s is memory to stream (PS to PL), s2mm is stream to memory (PL to PS). "
        "duplex is both at once, and writes the data that it reads. both is both at once, with a "
        "source and a sink. copy is memory to memory, with each byte counted once."
    )
    clock_mhz: Annotated[float, Field(gt=0)] = Field(description="Clock of the logic.")
    bytes: Annotated[int, Field(ge=1)] = Field(
        description="Block that each engine moved in a run. Duplex has two engines a port."
    )
    mb_s: Rates = Field(
        description="Rate over all ports and directions: bytes of all engines / (last finish - "
        "first start)."
    )
    expected_mb_s: Annotated[float, Field(gt=0)] = Field(
        description="Theoretical rate: ports x width x clock x directions, at most the peak of the "
        "board's memory."
    )
    published_detail: Figure | None = Field(
        description="Everything that was published about this row, even a statement without a mean."
    )
    at_overload: bool = Field(
        default=False,
        description="True if the memory, not ports and clock, limits the rate of a simulated "
        "board. False also if that is not known. It is not known on a device, in older results, "
        "and with a design whose engine alone does not reach its port's rate.",
    )
    overload_error: OverloadError | None = Field(
        default=None,
        description="How far the model is from silicon at overload. Null: the row is not at "
        "overload, or silicon was not measured there.",
    )
    verified: bool = Field(
        description="True if the payload of every run was compared byte by byte and right."
    )
    seed: Whole = Field(
        description="Seed of the start skews. The same seed gives the same samples."
    )
    runs_wanted: Annotated[int, Field(ge=1)] = Field(
        description="Requested number of runs; a partial row has fewer."
    )
    start_cost_ns: Annotated[float, Field(ge=0)] = Field(
        description="Time that software needs to start an engine."
    )
    skew_ns: Annotated[float, Field(ge=0)] = Field(description="Largest random start skew.")
    placement: Placement = Field(description="Positions of the buffers in memory.")
    runs: Annotated[tuple[Run, ...], Field(min_length=1)] = Field(
        description="The runs as sluice-bench reported them."
    )

    @computed_field(description="mb_s.mean / expected_mb_s.")  # type: ignore[prop-decorator]
    @property
    def efficiency(self) -> float:
        """Return the mean as a share of what was expected."""
        return self.mb_s.mean / self.expected_mb_s

    @computed_field(  # type: ignore[prop-decorator]
        description="Published mean in MB/s; null if nothing was published, or if the conditions "
        "differ."
    )
    @property
    def published(self) -> float | None:
        """Return the published mean, if one was printed (a statement is none)."""
        figure = self.published_detail
        return figure.mb_s if figure is not None and figure.relation == EQUAL else None

    @computed_field(  # type: ignore[prop-decorator]
        description="mb_s.mean / published - 1; null where published is null."
    )
    @property
    def difference(self) -> float | None:
        """Return how far the mean is from the published one, as a share of the latter."""
        return None if self.published is None else self.mb_s.mean / self.published - 1

    @property
    def label(self) -> str:
        """Return the name of the row, such as "64-bit duplex HP0,2"."""
        return row_label(self.width_bits, self.direction, self.ports)

    @property
    def wrong(self) -> bool:
        """Tell whether a run carried wrong data."""
        return not self.verified

    @property
    def variant(self) -> str:
        """Return what to call the design beside others: its name, and attributes that were set."""
        return ", ".join([self.design, *(f"{k} = {v}" for k, v in self.attributes.items())])

    @property
    def clock(self) -> str:
        """Return the clock that the times of all runs are of."""
        return self.runs[0].clock


class NoConditions(Conditions):
    """Each row has all of its conditions."""


class RatesResult(Result[NoConditions, RatesRow]):
    """What ports deliver."""

    kind: Literal["rates"] = Field(default="rates", description="Kind of the experiment.")


def measured_row(row: Row, runs: Sequence[Run]) -> RatesRow:
    """Join a planned row with the runs that were measured of it, at least one."""
    rates = summarise([run.mb_s for run in runs])
    at_overload = row.at_overload(rates.mean)
    return RatesRow(
        device=row.device,
        board=row.board,
        design=row.design,
        attributes=dict(row.attributes),
        level=row.level,
        fast_forward=row.fast_forward,
        settings=dict(row.settings),
        labels=row.labels,
        ports=row.ports,
        width_bits=row.width_bits,
        direction=row.direction,
        clock_mhz=row.clock_mhz,
        bytes=row.bytes,
        mb_s=rates,
        expected_mb_s=row.expected_mb_s,
        published_detail=row.published,
        at_overload=at_overload,
        overload_error=row.overload_error if at_overload else None,
        verified=all(run.verified for run in runs),
        seed=row.seed,
        runs_wanted=row.runs,
        start_cost_ns=row.start_cost_ns,
        skew_ns=row.skew_ns,
        placement=Placement(rule=row.placement_rule, stagger_bytes=row.stagger_bytes),
        runs=tuple(runs),
    )
