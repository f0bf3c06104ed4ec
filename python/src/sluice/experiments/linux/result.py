# SPDX-License-Identifier: Apache-2.0
"""The rows of a result about programs under Linux, and how tables as a whole agree."""

import statistics
from collections.abc import Iterable, Sequence
from typing import Annotated, Literal

from pydantic import Field, computed_field

from sluice.experiments.linux.energy import Energy, EnergyTable
from sluice.experiments.linux.experiment import State, View, Way
from sluice.experiments.result import Conditions, Result, ResultRow
from sluice.models import Record, Text, Whole

SCORED_FROM = 4096  # bytes: user rows below never reach the driver
LARGE_FROM = 32768
BUFFERED = "the call ends before the driver is reached"
_Time = Annotated[float, Field(ge=0)]


class Spread(Record):
    """How the times of one row spread, us."""

    runs: Annotated[int, Field(ge=1)] = Field(description="Number of timed calls.")
    min: _Time = Field(description="Shortest time.")
    median: _Time = Field(description="Median.")
    mean: _Time = Field(description="Mean.")
    p99: _Time = Field(description="99th percentile; of fewer than 100 calls the longest time.")
    max: _Time = Field(description="Longest time.")


class Frames(Record):
    """What became of a stream's frames."""

    interval_us: Annotated[float, Field(gt=0)] = Field(
        description="Time from one frame to the next, us."
    )
    left: float = Field(
        description="Share of this time that is left after the median call. Below 0, the program "
        "is too slow."
    )
    lost: Whole = Field(
        description="Number of frames that were overwritten before the program had finished with "
        "them."
    )
    unjudged: Whole = Field(
        default=0,
        description="Number of frames without a record of their bytes and drops, lost or not.",
    )
    dropped_beats: Whole = Field(description="Number of beats of the stream that found no room.")


class LinuxRow(ResultRow):
    """One size of one work, as the program or the kernel sees it."""

    name: Text = Field(description="Name of the work.")
    design: Text = Field(description="Name of the design in the logic.")
    clock_mhz: Annotated[float, Field(gt=0)] | None = Field(
        description="Clock of the logic in the guest, MHz. Null for the board's."
    )
    settings: dict[str, Whole] = Field(
        default_factory=dict, description="Settings of the guest's memory system."
    )
    note: str | None = Field(description="Note for readers of this row, or null.")
    work_note: str | None = Field(
        default=None, description="Note for readers of this work's rows, or null."
    )
    way: Way = Field(
        description="published (as the thesis did it), calls (one call after the other) or "
        "queue (several transfers in flight)."
    )
    state: State = Field(
        description="cold (each call in a process of its own) or warm (all calls in one process)."
    )
    view: View = Field(
        description="Where the time is measured: in the program around a call, in the kernel's "
        "driver, or at the engine."
    )
    table: str | None = Field(
        description="Number of the printed table that has this row, null if no table has it."
    )
    samples: Whole = Field(description="Size of a call in samples.")
    bytes: Whole = Field(description="Bytes of a call for one engine.")
    us: Spread = Field(description="Times of the calls in us, by the machine's own clock.")
    kernel: str = Field(description="Release of the machine's kernel.")
    engines: Annotated[int, Field(ge=1)] = Field(
        description="Number of engines that moved that much at once."
    )
    mb_s: _Time = Field(
        description="bytes of all engines over the median time, in 10^6 bytes a second."
    )
    cpu_percent: _Time | None = Field(
        description="Share of the program's time that the processor worked for it; null for other "
        "views."
    )
    reached_bytes: Whole | None = Field(
        description="Bytes that had reached the driver when the program's time ended; null for "
        "other views."
    )
    published_us: Annotated[float, Field(gt=0)] | None = Field(
        description="The printed time, corrected if `repaired` has a reason; null if nothing was "
        "printed."
    )
    printed_us: Annotated[float, Field(gt=0)] | None = Field(
        description="The printed time, as printed."
    )
    repaired: str | None = Field(
        description="Reason why the printed time cannot be right, or null."
    )
    scored: bool = Field(
        description="Whether the row counts where tables are compared: not where nothing is "
        "printed, and not where `unscored` says why."
    )
    energy: Energy | None = Field(default=None, description="Estimate of a call's energy, or null.")
    frames: Frames | None = Field(
        default=None, description="What happened to a stream's frames; null for other rows."
    )
    beside_mb_s: _Time | None = Field(
        default=None,
        description="Rate of engines that copied at the same time, 10^6 bytes a second, or null.",
    )
    unscored: str | None = Field(
        default=None, description="Reason why a row with a printed time does not count, or null."
    )

    @computed_field(  # type: ignore[prop-decorator]
        description="us.median / published_us - 1; null where published_us is null."
    )
    @property
    def difference(self) -> float | None:
        """Return how far the time is from the printed one, as a share of the latter."""
        return None if self.published_us is None else self.us.median / self.published_us - 1

    @property
    def label(self) -> str:
        """Return the name of the row."""
        return f"{self.name}, {self.bytes} bytes, {self.view}"


class Fit(Record):
    """A straight line through the times of a table, over bytes."""

    table: Text = Field(description="Number of the printed table.")
    view: View = Field(description="Whose time it is about.")
    rows: Whole = Field(description="Number of rows in it, which are those of 4 KiB and more.")
    ns_per_byte: float = Field(description="Slope of what was measured.")
    published_ns_per_byte: float = Field(description="Slope of what was printed.")
    intercept_us: float = Field(description="Time of no bytes, measured.")
    published_intercept_us: float = Field(description="The same of what was printed.")
    mean_error: _Time = Field(description="Mean of |difference| over those rows.")
    large_mean_error: _Time | None = Field(
        description="The same over rows of 32 KiB and more, null without such rows."
    )

    @computed_field(description="ns_per_byte / published_ns_per_byte - 1.")  # type: ignore[prop-decorator]
    @property
    def slope_difference(self) -> float:
        """Return how far the slope is from the printed one."""
        return self.ns_per_byte / self.published_ns_per_byte - 1

    @computed_field(description="intercept_us / published_intercept_us - 1.")  # type: ignore[prop-decorator]
    @property
    def intercept_difference(self) -> float:
        """Return how far the intercept is from the printed one."""
        return self.intercept_us / self.published_intercept_us - 1


class LinuxConditions(Conditions):
    """What all works share."""

    machine: Literal["guest", "this machine"] = Field(description="Machine that measured.")
    level: str | None = Field(description="Level of the logic in the guest; null elsewhere.")
    processor: str | None = Field(
        description="Model of the time of the guest's processor; null elsewhere."
    )
    kernel_arguments: str = Field(
        description="Arguments that were added to the kernel's command line."
    )
    source: str | None = Field(description="Citation of the printed tables.")
    energy: EnergyTable | None = Field(
        default=None, description="Constants of the energy estimates, null without estimates."
    )


class LinuxResult(Result[LinuxConditions, LinuxRow]):
    """What programs under Linux get."""

    kind: Literal["linux"] = Field(default="linux", description="Kind of the experiment.")

    @computed_field(description="A line through each printed table, beside one through our rows.")  # type: ignore[prop-decorator]
    @property
    def fits(self) -> tuple[Fit, ...]:
        """Return the fits of all tables that have at least two scored rows."""
        return tuple(fits(self.rows))


def fits(rows: Sequence[LinuxRow]) -> Iterable[Fit]:
    """Return a fit for each printed table."""
    for table in dict.fromkeys(row.table for row in rows if row.table is not None):
        scored = [r for r in rows if r.table == table and r.scored and r.bytes >= SCORED_FROM]
        points = [(r.bytes, r.us.median, r.published_us) for r in scored if r.published_us]
        if len({point[0] for point in points}) < 2:  # noqa: PLR2004  (a line needs two)
            continue
        sizes = [float(point[0]) for point in points]
        ours = statistics.linear_regression(sizes, [point[1] for point in points])
        theirs = statistics.linear_regression(sizes, [point[2] for point in points])
        errors = [(row.bytes, abs(row.difference or 0)) for row in scored]
        large = [error for size, error in errors if size >= LARGE_FROM]
        yield Fit(
            table=table,
            view=scored[0].view,
            rows=len(scored),
            ns_per_byte=1e3 * ours.slope,
            published_ns_per_byte=1e3 * theirs.slope,
            intercept_us=ours.intercept,
            published_intercept_us=theirs.intercept,
            mean_error=statistics.fmean(error for _, error in errors),
            large_mean_error=statistics.fmean(large) if large else None,
        )
