# SPDX-License-Identifier: Apache-2.0
"""Measuring transfers of a card: each row is one run of `sluice-bench transfers`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, cast, get_args

from sluice import conditions, save
from sluice.boards import Board
from sluice.errors import InputError
from sluice.experiments.kind import Measurement, Session
from sluice.experiments.options import level_of
from sluice.experiments.parallel import measure_all
from sluice.experiments.percentiles import percentile
from sluice.experiments.result import Result
from sluice.experiments.transfers.command import Figures, Step, Transfers
from sluice.experiments.transfers.experiment import (
    OF_CARD,
    Code,
    Gpu,
    PublishedFigure,
    Series,
    TransfersExperiment,
)
from sluice.experiments.transfers.options import Options
from sluice.experiments.transfers.result import (
    Latency,
    PublishedFitRow,
    PublishedRateRow,
    TransfersConditions,
    TransfersRow,
)
from sluice.labels import Level
from sluice.progress import progress_bar
from sluice.stop import StoppedError
from sluice.units import format_bytes, parse_bytes

_PAYLOADS = (128, 256, 512, 1024)
_OF_MEMORY: tuple[Code, ...] = ("FR", "GR")  # that need no copy engine of a GPU
_HARDWARE = "a GPU that is no model"
_STUB = "stub"  # its rows are measured again: a GPU may have come since
_START_BYTES = 4096  # the start of a transfer takes about as long to simulate as these


@dataclass(frozen=True, slots=True)
class _Planned:
    """A row that is to be measured."""

    series: Series
    transfers: Transfers
    published: PublishedFigure | None = None

    @property
    def what(self) -> str:
        """Return what an error is of."""
        return f"{self.series.name}, {format_bytes(self.transfers.bytes)}"

    @property
    def work(self) -> int:
        """Return about how long it takes to simulate, in bytes."""
        return self.transfers.iterations * (self.transfers.bytes + _START_BYTES)


def measure(
    experiment: TransfersExperiment, options: Options, session: Session
) -> Measurement[TransfersConditions, TransfersRow]:
    """Plan the transfers of an experiment."""
    _check(options, experiment)
    level = None if options.level is None else level_of(options.level)
    gpu = experiment.gpu if options.gpu is None else _gpu(options)
    planned = _chosen(experiment, options)
    settings = experiment.model | dict(options.settings or ())
    if options.mps is not None:
        settings["mps"] = options.mps
    if options.device is not None:
        name = options.device
        designs: tuple[str, ...] = ()
    else:
        name = options.board or experiment.board
        catalogue = session.catalogue
        board = catalogue.board(name) if options.board else experiment.offered_board(catalogue)
        designs = _designs(board, planned, level)
    if options.device is not None or options.cuda is not None:
        session = replace(session, jobs=1)  # rows in real time, one at a time
    # Another board, or another link, is not what was printed.
    as_printed = (name, settings, gpu, options.cuda) == (
        experiment.board,
        experiment.model,
        experiment.gpu,
        None,
    )
    published = {
        series: PublishedFitRow(
            bandwidth_mb_s=fit.bandwidth_mb_s, latency_us=fit.latency_us, source=fit.source
        )
        for series, fit in experiment.published_fits.items()
        if as_printed
    }
    shared = TransfersConditions(
        board=name,
        level=level,
        cuda=options.cuda,
        peer=options.peer,
        settings=settings,
        fit=experiment.fit,
        published=published,
    )
    known = _known(session.earlier, shared)
    for option, file in (("--tlp", options.tlp), ("--log", options.log)):
        if file is None:
            continue
        if len(planned) != 1:
            raise InputError(
                f"{option} {file}: a recording is of one row, and {len(planned)} are to be "
                "measured; choose one by --code and --size"
            )
        if option == "--log" and planned[0].series.code in ("FM", "HM"):
            raise InputError(f"--log {file}: the CPU's copies have no steps; choose another --code")
        save.check_writable(file)
        known = {}  # so that it is recorded

    def on_board(row: _Planned) -> _Planned:
        transfers = replace(
            row.transfers,
            board=name,
            gpu=gpu if row.transfers.gpu else None,
            device=options.device,
            cuda=options.cuda,
            peer=options.peer,
            level=level or row.series.level,
            settings=() if options.device else tuple((settings | row.series.model).items()),
            tlp=options.tlp,
            steps=options.log is not None,
        )
        rate = experiment.published_rates.get((row.series.name, transfers.bytes))
        return replace(row, transfers=transfers, published=rate if as_printed else None)

    rows = [on_board(row) for row in planned]
    return Measurement(
        rows=_rows(experiment.name, rows, known, session, options.log),
        conditions=shared,
        designs=designs,
    )


def _chosen(experiment: TransfersExperiment, options: Options) -> list[_Planned]:
    """Return the rows that were asked for, of what the card and the GPU can do."""
    planned = [row for row in _planned(experiment, options) if _can_be(row, options)]
    if not planned:
        raise InputError(
            "what was chosen needs a GPU that copies; give --cuda"
            if options.peer is not None
            else "what was chosen needs a GPU; give --cuda or --peer"
        )
    if options.device is None:
        return planned
    # Its design is what it is, and its driver waits as it does: one series of each that is left.
    of_device = [_of_device(row) for row in planned]
    return list({(row.series.name, row.transfers.bytes): row for row in of_device}.values())


def _of_device(row: _Planned) -> _Planned:
    unchosen = {"design": "xdma", "completions": "interrupt", "model": {}}
    return replace(row, series=row.series.model_copy(update=unchosen))


def _can_be(row: _Planned, options: Options) -> bool:
    """Tell whether the card and the GPU that were chosen have such a row."""
    of_card = row.series.code in OF_CARD
    if options.cuda is not None:
        return of_card or not row.series.model  # settings are of the model's GPU
    if options.peer is not None:
        return row.series.code in (*OF_CARD, *_OF_MEMORY)
    return of_card or options.device is None


def _gpu(options: Options) -> Gpu:
    """Return the model of a GPU that was asked for."""
    for name in get_args(Gpu):
        if name == options.gpu:
            if options.device is None and options.cuda is None:
                return cast("Gpu", name)
            raise InputError(f"--gpu {name}: is a model beside a simulated card; give no other")
    raise InputError(f"--gpu {options.gpu} is not known; allowed: {', '.join(get_args(Gpu))}")


def _check(options: Options, experiment: TransfersExperiment) -> None:
    """Refuse what does not go together: what only a simulated card has, two in a GPU's place."""
    if options.mps is not None and options.mps not in _PAYLOADS:
        allowed = ", ".join(str(payload) for payload in _PAYLOADS)
        raise InputError(f"--mps must be one of {allowed}, is {options.mps}")
    if "" in (options.device, options.peer):
        raise InputError("--device and --peer need a name")
    if options.peer is not None and options.device is None:
        raise InputError(f"--peer {options.peer}: is beside a card that is a device; give --device")
    if options.peer is not None and options.cuda is not None:
        raise InputError(f"--peer {options.peer}: --cuda {options.cuda} is in the GPU's place")
    if options.device is None:
        return
    given = {
        "--board": options.board,
        "--level": options.level,
        "--mps": options.mps,
        "--set": options.settings,
        "--tlp": options.tlp,
        f"{experiment.name}: model": experiment.model or None,
    }
    for option, value in given.items():
        if value is not None:
            raise InputError(f"{option}: is of simulated cards, not of --device {options.device}")


def _designs(board: Board, planned: Sequence[_Planned], level: Level | None) -> tuple[str, ...]:
    """Return the designs of the rows, which have the level that is wanted."""
    for design, wanted in dict.fromkeys(
        (row.series.design, level or row.series.level) for row in planned
    ):
        levels = board.design(design).levels
        if wanted not in levels:
            raise InputError(
                f"--level: design {design} has no level {wanted}; allowed: {', '.join(levels)}"
            )
    return tuple(dict.fromkeys(row.series.design for row in planned))


def _planned(experiment: TransfersExperiment, options: Options) -> list[_Planned]:
    """Return the rows of an experiment that were asked for."""
    codes = options.code or [series.code for series in experiment.series]
    for code in codes:
        if code not in (allowed := dict.fromkeys(series.code for series in experiment.series)):
            raise InputError(
                f"--code {code}: {experiment.name} has no such transfers; allowed: "
                f"{', '.join(allowed)}"
            )
    sizes = [parse_bytes(size) for size in options.size or ()]
    series_chosen = [series for series in experiment.series if series.code in codes]
    there = sorted({size for series in series_chosen for size in series.sizes})
    for size in sizes:
        if size not in there:
            raise InputError(
                f"--size {format_bytes(size)}: {experiment.name} has no such transfers; allowed: "
                f"{', '.join(format_bytes(one) for one in there)}"
            )
    return [
        _Planned(series, _transfers(experiment, series, size, options.iterations))
        for series in series_chosen
        for size in series.sizes
        if not sizes or size in sizes
    ]


def _transfers(
    experiment: TransfersExperiment, series: Series, size: int, iterations: int | None
) -> Transfers:
    return Transfers(
        board=experiment.board,
        design=series.design,
        code=series.code,
        bytes=size,
        iterations=iterations or min(experiment.iterations, max(1, experiment.budget // size)),
        depth=series.depth,
        completions=series.completions,
        gpu=None if series.code in OF_CARD else experiment.gpu,
        host=series.host,
    )


def _known(
    earlier: Sequence[Result[Any, Any]], shared: TransfersConditions
) -> dict[tuple[object, ...], TransfersRow]:
    """Return the rows that earlier results hold, of the same board, level and settings."""
    return {
        _identity(known): known
        for result in earlier
        if _of_board(result.conditions) == _of_board(shared)
        for row in result.rows
        if row.gpu != _STUB
        for known in [row.model_copy(update={"level": row.level or result.conditions.level})]
    }


def _of_board(shared: TransfersConditions) -> tuple[object, ...]:
    return shared.board, shared.cuda, shared.peer, shared.settings


def _identity(row: TransfersRow) -> tuple[object, ...]:
    hardware = row.gpu is not None and not row.gpu.startswith("model ")
    gpu = _HARDWARE if hardware else row.gpu
    return row.series, row.level, gpu, row.design, row.bytes, row.iterations


def _identity_of(planned: _Planned) -> tuple[object, ...]:
    transfers = planned.transfers
    level = None if transfers.device else transfers.level
    gpu = None
    if transfers.code not in OF_CARD:
        hardware = transfers.cuda is not None or transfers.peer is not None
        gpu = _HARDWARE if hardware else f"model {transfers.gpu}"
    return (
        planned.series.name,
        level,
        gpu,
        None if transfers.device else transfers.design,
        transfers.bytes,
        transfers.iterations,
    )


def _rows(
    name: str,
    planned: Sequence[_Planned],
    known: dict[tuple[object, ...], TransfersRow],
    session: Session,
    log: Path | None,
) -> Iterator[TransfersRow]:
    """Measure what is not known, then give all rows that there are."""
    rows = {
        index: found
        for index, row in enumerate(planned)
        if (found := known.get(_identity_of(row))) is not None
    }
    missing = {
        index: partial(row.transfers.ask, session, row.what)
        for index, row in enumerate(planned)
        if index not in rows
    }
    progress = progress_bar("rows")
    task = progress.add_task(
        name,
        total=sum(row.work for row in planned),
        completed=sum(planned[index].work for index in rows),
        done=len(rows),
        wanted=len(planned),
    )
    done = len(rows)

    def on_answer(index: int) -> None:
        nonlocal done
        done += 1
        progress.update(task, advance=planned[index].work, done=done)

    with progress:
        answers = measure_all(missing, session.jobs or conditions.cores(), on_answer)
    for index, figures in answers.found.items():
        rows[index] = _row(planned[index], figures)
        if log is not None:
            _write_log(log, figures)
    for index in sorted(rows):
        yield rows[index]
    if isinstance(answers.failure, StoppedError):
        answers.failure.count = f"{len(rows)} of {len(planned)} transfers were measured"
    if answers.failure is not None:
        raise answers.failure


def _write_log(path: Path, figures: Figures) -> None:
    """Write the steps of all transfers, in the order of their ends."""
    lines = [",".join(Step._fields), *(",".join(map(str, step)) for step in figures.steps)]
    save.write(path, ("\n".join(lines) + "\n").encode())


def _row(planned: _Planned, figures: Figures) -> TransfersRow:
    transfers = planned.transfers
    printed, link = planned.published, figures.link
    ways = 2 if transfers.code == "FH+HF" else 1
    return TransfersRow(
        series=planned.series.name,
        code=transfers.code,
        design=None if transfers.device else transfers.design,
        bytes=transfers.bytes,
        depth=transfers.depth,
        completions=None if transfers.device else transfers.completions,
        level=None if transfers.device else transfers.level,
        gpu=figures.gpu,
        host=transfers.host,
        settings=planned.series.model,
        iterations=transfers.iterations,
        mb_s=ways * transfers.mb_s_a_direction(figures),
        us=figures.elapsed_ns / transfers.iterations / 1e3,
        latency=_latency(figures.latency_ns),
        up_share=link.up_share if link else None,
        down_share=link.down_share if link else None,
        tags_share=link.tags_share if link else None,
        credits_share=link.credits_share if link else None,
        completion_share=link.completion_share if link else None,
        clock=figures.clock,
        verified=figures.verified,
        published=None
        if printed is None
        else PublishedRateRow(mb_s=printed.mb_s, source=printed.source),
    )


def _latency(samples_ns: tuple[int, ...]) -> Latency | None:
    if not samples_ns:
        return None
    ordered = sorted(samples_ns)
    return Latency(
        min_us=ordered[0] / 1e3,
        p50_us=percentile(ordered, 0.5) / 1e3,
        p90_us=percentile(ordered, 0.9) / 1e3,
        p99_us=percentile(ordered, 0.99) / 1e3,
        max_us=ordered[-1] / 1e3,
    )
