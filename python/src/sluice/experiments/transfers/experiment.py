# SPDX-License-Identifier: Apache-2.0
"""The file of an experiment about transfers of a card and a GPU: series over sizes."""

from dataclasses import dataclass
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr, model_validator

from sluice.errors import InputError
from sluice.experiments.kind import Experiment
from sluice.labels import RTL, Level
from sluice.models import Size, Table, Text, Whole, problem
from sluice.published import Cell, printed_figure, read_dataset

Code = Literal[
    "FH", "HF", "FM", "HM", "FR", "GR", "FH+HF",
    "GH", "HG", "FI", "GI", "FIR", "GIR", "FG", "GF", "FGR", "GFR", "FIP", "GIP",
]  # fmt: skip
OF_CARD: frozenset[Code] = frozenset(("FH", "HF", "FM", "HM", "FH+HF"))  # without a GPU
Completions = Literal["interrupt", "poll"]
HostMemory = Literal["pinned", "pageable"]
Gpu = Literal["quadro-m2000", "gtx-950"]

MOST_DEPTH = 256


class PublishedRate(Cell):
    """A printed rate of one size, in MB/s."""

    size: Size = Field(description="Size of its transfers.")


class Series(Table):
    """Transfers of one kind over sizes that double."""

    code: Code = Field(
        description="Path of the data, with F for the card, H for the host and G for the GPU. FH "
        "and HF go by the card's DMA, FH+HF is both at once. FM and HM go by the CPU through the "
        "card's BAR. GH and HG go by the GPU. FR and GR go from card to GPU and back by the "
        "card's DMA, FGR and GFR by the GPU at the card's BAR. With FG and GF the GPU does not "
        "know the BAR, so the CPU copies. FI and GI go through host memory that the GPU does not "
        "know, FIR and GIR through memory that it knows. FIP and GIP are the same by chunks, "
        "with both halves at work."
    )
    host: HostMemory = Field(
        default="pinned",
        description="Host memory of GH and HG: pinned (the GPU knows it) or pageable (the CPU "
        "copies between it and pinned memory).",
    )
    level: Level = Field(
        default=RTL,
        description="rtl (the card is its own logic) or transaction (engines of the same policy).",
    )
    model: dict[str, Whole] = Field(
        default_factory=dict,
        description="Settings of the model that are changed for this series, by name.",
    )
    design: Text = Field(default="xdma", description="Name of the design.")
    smallest: Size = Field(description="First size.")
    largest: Size = Field(description="Last size. Each size is twice the one before.")
    depth: Annotated[int, Field(ge=1, le=MOST_DEPTH)] = Field(
        default=1, description="Transfers that are queued at a time."
    )
    completions: Completions = Field(
        default="interrupt", description="How the program waits for the engine."
    )
    published: Cell | None = Field(
        default=None,
        description="The printed linear model: a row with a bandwidth in MB/s and a latency in µs.",
    )
    published_rates: tuple[PublishedRate, ...] = Field(
        default=(), description="Printed rates of single sizes."
    )

    @model_validator(mode="after")
    def _sizes_double(self) -> Self:
        if self.largest < self.smallest:
            raise problem("largest", "must be no less than smallest")
        ratio = self.largest / self.smallest
        if ratio != 2 ** (len(self.sizes) - 1):
            raise problem("largest", "must be smallest, doubled a whole number of times")
        if self.host == "pageable" and self.code not in ("GH", "HG"):
            raise problem("host", "must be pinned, but of GH and HG (FI and GI have pageable)")
        for index, rate in enumerate(self.published_rates):
            if rate.size not in self.sizes:
                raise problem(f"published_rates[{index}].size", "must be one of the sizes")
        return self

    @property
    def sizes(self) -> tuple[int, ...]:
        """Return the sizes, in bytes."""
        sizes = [self.smallest]
        while sizes[-1] * 2 <= self.largest:
            sizes.append(sizes[-1] * 2)
        return tuple(sizes)

    @property
    def name(self) -> str:
        """Return what tells the series from others."""
        extra = [
            *([self.design] if self.design != "xdma" else []),
            *([f"depth {self.depth}"] if self.depth > 1 else []),
            *(["polled"] if self.completions == "poll" else []),
            *(["pageable"] if self.host == "pageable" else []),
            *(f"{name} = {value}" for name, value in self.model.items()),
        ]
        return f"{self.code} ({', '.join(extra)})" if extra else self.code


@dataclass(frozen=True, slots=True)
class PublishedFit:
    """A printed linear model."""

    bandwidth_mb_s: float
    latency_us: float
    source: str


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """A printed rate."""

    mb_s: float
    source: str


class TransfersExperiment(Experiment):
    """Transfers between a card, its host and a GPU."""

    kind: Literal["transfers"] = Field(description="Kind of the experiment.")
    iterations: Annotated[int, Field(ge=1)] = Field(
        default=1000, description="Largest number of transfers of a row."
    )
    budget: Size = Field(
        default=1 << 20,
        description="Largest number of bytes of a row. A row has at least one transfer.",
    )
    fit: bool = Field(
        default=False, description="True: fit time = latency + bytes / bandwidth to each series."
    )
    model: dict[str, Whole] = Field(
        default_factory=dict, description="Settings of the link's model that are changed, by name."
    )
    gpu: Gpu | None = Field(
        default=None, description="Model of the GPU beside the card, if a series needs one."
    )
    series: Annotated[tuple[Series, ...], Field(min_length=1)] = Field(
        description="The series, each a table [[series]]."
    )

    _published: dict[str, PublishedFit] = PrivateAttr(default_factory=dict)
    _rates: dict[tuple[str, int], PublishedFigure] = PrivateAttr(default_factory=dict)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        names = [series.name for series in self.series]
        if len(set(names)) != len(names):
            raise problem(
                "series",
                "must hold series that differ in code, design, depth, waiting, host or model",
            )
        for index, series in enumerate(self.series):
            if series.code not in OF_CARD and self.gpu is None:
                raise problem("gpu", f"must be given: series[{index}] is {series.code}")
        return self

    def find_published(self) -> None:
        """Find the printed model of each series, and the printed rates."""
        for index, series in enumerate(self.series):
            for number, printed in enumerate(series.published_rates):
                where = f"series[{index}].published_rates[{number}]"
                self._rates[series.name, printed.size] = PublishedFigure(
                    *printed_figure(printed, self.file, where)
                )
            if (cell := series.published) is None:
                continue
            where = f"series[{index}].published"
            table = read_dataset(cell.dataset, self.file, where).table(
                cell.table, f"{self.file}: {where}"
            )
            key = f"{self.file}: {where}.quantity"
            columns = [table.column(name, key) for name in ("bandwidth", "latency")]
            for row in table.rows:
                if row[0] == cell.quantity:
                    rate, latency = (table.figure(row, column, key) for column in columns)
                    self._published[series.name] = PublishedFit(
                        rate, latency, f"{table.source}, {table.cited}"
                    )
                    break
            else:
                raise InputError(f"{key}: table {table.name} has no row '{cell.quantity}'")

    @property
    def design_names(self) -> tuple[str, ...]:
        """Return the designs that it measures."""
        return tuple(dict.fromkeys(series.design for series in self.series))

    @property
    def row_count(self) -> int:
        """Return how many rows it has."""
        return sum(len(series.sizes) for series in self.series)

    @property
    def published_fits(self) -> dict[str, PublishedFit]:
        """Return the printed models, by name of their series."""
        return self._published

    @property
    def published_rates(self) -> dict[tuple[str, int], PublishedFigure]:
        """Return the printed rates, by name of their series and size."""
        return self._rates
