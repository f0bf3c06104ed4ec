# SPDX-License-Identifier: Apache-2.0
"""A result: what `sluice run` writes and `sluice report` reads, as result.schema.json says."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sluice.bench import Run, run_from
from sluice.cpu_result import FORMAT as CPU_FORMAT
from sluice.cpu_result import CpuResult, read_cpu_result
from sluice.errors import InputError
from sluice.experiment import Placement
from sluice.fields import Fields
from sluice.labels import DIRECTIONS, LEVELS, RTL
from sluice.plan import Row
from sluice.published import ABOVE, EQUAL, Figure
from sluice.rates import Rates, summarise
from sluice.threads_result import FORMAT as THREADS_FORMAT
from sluice.threads_result import ThreadsResult, read_threads_result

FORMAT = "sluice-result-1"


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One measured row: its conditions, its figures and the runs that they come from."""

    device: str | None
    board: str
    design: str
    attributes: dict[str, int]
    level: str
    settings: dict[str, int]
    labels: dict[str, str | int]
    ports: tuple[str, ...]
    width_bits: int
    direction: str
    clock_mhz: float
    bytes: int
    mb_s: Rates
    expected_mb_s: float
    published: Figure | None
    verified: bool
    seed: int
    runs_wanted: int
    start_cost_ns: float
    skew_ns: float
    placement: Placement
    runs: tuple[Run, ...]

    @property
    def variant(self) -> str:
        """Return what to call the design beside others: its name, and attributes that were set."""
        return ", ".join([self.design, *(f"{k} = {v}" for k, v in self.attributes.items())])

    @property
    def clock(self) -> str:
        """Return the clock that the times of all runs are of."""
        return self.runs[0].clock

    @property
    def efficiency(self) -> float:
        """Return the mean as a share of what was expected."""
        return self.mb_s.mean / self.expected_mb_s

    @property
    def published_mean(self) -> float | None:
        """Return the published mean, if one was printed (a statement is none)."""
        figure = self.published
        return figure.mb_s if figure is not None and figure.relation == EQUAL else None

    @property
    def difference(self) -> float | None:
        """Return how far the mean is from the published one, as a share of the latter."""
        published = self.published_mean
        return None if published is None else self.mb_s.mean / published - 1


@dataclass(frozen=True, slots=True)
class Result:
    """All rows of one `sluice run`."""

    experiment: str
    title: str
    description: str
    command: str
    started: str
    elapsed_s: float
    partial: bool
    versions: dict[str, str]
    machine: dict[str, str | int]
    commit: str | None
    rows: tuple[ResultRow, ...]


def result_row(row: Row, runs: Sequence[Run]) -> ResultRow:
    """Join a planned row with the runs that were measured of it, at least one."""
    return ResultRow(
        device=row.device,
        board=row.board,
        design=row.design,
        attributes=dict(row.attributes),
        level=row.level,
        settings=dict(row.settings),
        labels=row.labels,
        ports=row.ports,
        width_bits=row.width_bits,
        direction=row.direction,
        clock_mhz=row.clock_mhz,
        bytes=row.bytes,
        mb_s=summarise([run.mb_s for run in runs]),
        expected_mb_s=row.expected_mb_s,
        published=row.published,
        verified=all(run.verified for run in runs),
        seed=row.seed,
        runs_wanted=row.runs,
        start_cost_ns=row.start_cost_ns,
        skew_ns=row.skew_ns,
        placement=row.placement,
        runs=tuple(runs),
    )


def to_json(result: Result) -> str:
    """Return a result as the text of its file."""
    document = {
        "format": FORMAT,
        "experiment": result.experiment,
        "title": result.title,
        "description": result.description,
        "partial": result.partial,
        "versions": result.versions,
        "commit": result.commit,
        "machine": result.machine,
        "command": result.command,
        "started": result.started,
        "elapsed_s": round(result.elapsed_s, 3),
        "rows": [_row_document(row, result.versions) for row in result.rows],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


AnyResult = Result | CpuResult | ThreadsResult


def read_any_result(text: str | bytes, where: str) -> AnyResult:
    """Return the result of any kind of experiment in a file's text."""
    fields = _fields(text, where)
    if "format" in fields and fields.any("format") == CPU_FORMAT:
        return read_cpu_result(fields)
    if "format" in fields and fields.any("format") == THREADS_FORMAT:
        return read_threads_result(fields)
    return read_result(text, where)


def _fields(text: str | bytes, where: str) -> Fields:
    try:
        return Fields(where, json.loads(text))
    except ValueError as error:
        raise InputError(f"{where} is not JSON: {error}") from error


def read_result(text: str | bytes, where: str) -> Result:
    """Return the result in a file's text; errors name the file and the key."""
    fields = _fields(text, where)
    if "format" not in fields or fields.any("format") != FORMAT:
        raise fields.problem("format", f"is not '{FORMAT}': this is no result of `sluice run`")
    machine = fields.table("machine")
    versions = fields.table("versions")
    return Result(
        experiment=fields.text("experiment"),
        title=fields.text("title"),
        description=fields.text("description"),
        command=fields.text("command"),
        started=fields.text("started"),
        elapsed_s=fields.number("elapsed_s"),
        partial=fields.flag("partial"),
        versions={name: versions.text(name) for name in versions.names()},
        machine={name: machine.any(name) for name in machine.names()},
        commit=fields.text("commit") if "commit" in fields else None,
        rows=tuple(_read_row(row) for row in fields.tables("rows")),
    )


def _row_document(row: ResultRow, versions: dict[str, str]) -> dict[str, Any]:
    figure = row.published
    return {
        "device": row.device,
        "board": row.board,
        "design": row.design,
        "attributes": row.attributes,
        "level": row.level,
        "settings": row.settings,
        "labels": row.labels,
        "ports": list(row.ports),
        "width_bits": row.width_bits,
        "direction": row.direction,
        "clock_mhz": row.clock_mhz,
        "bytes": row.bytes,
        "mb_s": asdict(row.mb_s),
        "expected_mb_s": row.expected_mb_s,
        "efficiency": row.efficiency,
        "published": row.published_mean,
        "difference": row.difference,
        "published_detail": asdict(figure) if figure else None,
        "verified": row.verified,
        "seed": row.seed,
        "runs_wanted": row.runs_wanted,
        "start_cost_ns": row.start_cost_ns,
        "skew_ns": row.skew_ns,
        "placement": asdict(row.placement),
        "runs": [asdict(run) for run in row.runs],
        "versions": versions,
    }


def _read_row(fields: Fields) -> ResultRow:
    direction = fields.text("direction")
    if direction not in DIRECTIONS:
        raise fields.problem("direction", f"'{direction}' is none of {', '.join(DIRECTIONS)}")
    level = fields.text("level") if "level" in fields else RTL  # older results are all of RTL
    if level not in LEVELS:
        raise fields.problem("level", f"'{level}' is none of {', '.join(LEVELS)}")
    attributes = fields.table("attributes") if "attributes" in fields else None
    settings = fields.table("settings") if "settings" in fields else None
    labels = fields.table("labels") if "labels" in fields else None
    placement = fields.table("placement")
    runs = tuple(run_from(run) for run in fields.tables("runs"))
    if not runs:
        raise fields.problem("runs", "must hold at least one run")
    return ResultRow(
        device=fields.text("device") if "device" in fields else None,
        board=fields.text("board"),
        design=fields.text("design"),
        attributes=(
            {name: attributes.whole(name) for name in attributes.names()} if attributes else {}
        ),
        level=level,
        labels={name: labels.any(name) for name in labels.names()} if labels else {},
        settings={name: settings.whole(name) for name in settings.names()} if settings else {},
        ports=fields.texts("ports"),
        width_bits=fields.whole("width_bits", 1),
        direction=direction,
        clock_mhz=fields.number("clock_mhz"),
        bytes=fields.whole("bytes", 1),
        mb_s=_read_rates(fields.table("mb_s")),
        expected_mb_s=_above_zero(fields, "expected_mb_s"),
        published=(
            _read_figure(fields.table("published_detail")) if "published_detail" in fields else None
        ),
        verified=fields.flag("verified"),
        seed=fields.whole("seed"),
        runs_wanted=fields.whole("runs_wanted", 1),
        start_cost_ns=fields.number("start_cost_ns"),
        skew_ns=fields.number("skew_ns"),
        placement=Placement(placement.text("rule"), placement.whole("stagger_bytes")),
        runs=runs,
    )


def _read_rates(fields: Fields) -> Rates:
    samples = fields.numbers("samples")
    if not samples:
        raise fields.problem("samples", "must hold at least one number")
    return Rates(
        min=fields.number("min"),
        median=fields.number("median"),
        mean=fields.number("mean"),
        p99=fields.number("p99"),
        max=fields.number("max"),
        sigma=fields.number("sigma"),
        samples=samples,
    )


def _read_figure(fields: Fields) -> Figure:
    relation = fields.text("relation")
    if relation not in (EQUAL, ABOVE):
        raise fields.problem("relation", f"'{relation}' is neither '{EQUAL}' nor '{ABOVE}'")
    low, high, sigma = (
        fields.number(name) if name in fields else None for name in ("min", "max", "sigma")
    )
    texts = (fields.text(name) for name in ("dataset", "table", "source", "measured_with"))
    return Figure(relation, _above_zero(fields, "mb_s"), low, high, sigma, *texts)


def _above_zero(fields: Fields, key: str) -> float:
    value = fields.number(key)
    if not value > 0:
        raise fields.problem(key, "must be above 0")
    return value
