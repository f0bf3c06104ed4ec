# SPDX-License-Identifier: Apache-2.0
"""Measuring transfers of a card: each row is one run of `sluice-bench transfers`."""

from collections.abc import Callable, Iterator
from functools import partial

from sluice.errors import InputError
from sluice.experiments.kind import Measurement, Session
from sluice.experiments.options import level_of
from sluice.experiments.transfers.command import Transfers
from sluice.experiments.transfers.experiment import TransfersExperiment
from sluice.experiments.transfers.options import Options
from sluice.experiments.transfers.result import (
    Latency,
    PublishedFitRow,
    TransfersConditions,
    TransfersRow,
)
from sluice.labels import RTL
from sluice.units import format_bytes

_PAYLOADS = (128, 256, 512, 1024)


def measure(
    experiment: TransfersExperiment, options: Options, session: Session
) -> Measurement[TransfersConditions, TransfersRow]:
    """Plan the transfers of an experiment."""
    if options.mps is not None and options.mps not in _PAYLOADS:
        allowed = ", ".join(str(payload) for payload in _PAYLOADS)
        raise InputError(f"--mps must be one of {allowed}, is {options.mps}")
    name = options.board or experiment.board
    board = session.catalogue.board(name)
    level = RTL if options.level is None else level_of(options.level)
    for design in experiment.design_names:
        levels = board.design(design).levels
        if level not in levels:
            raise InputError(
                f"--level: design {design} has no level {level}; allowed: {', '.join(levels)}"
            )
    settings = experiment.model | dict(options.settings or ())
    if options.mps is not None:
        settings["mps"] = options.mps
    # Another board, or another payload, is not what was printed.
    as_printed = name == experiment.board and options.mps is None
    published = {
        series: PublishedFitRow(
            bandwidth_mb_s=fit.bandwidth_mb_s, latency_us=fit.latency_us, source=fit.source
        )
        for series, fit in experiment.published_fits.items()
        if as_printed
    }
    simulated = partial(Transfers, board=name, level=level, settings=tuple(settings.items()))
    return Measurement(
        rows=_rows(experiment, options, session, simulated),
        conditions=TransfersConditions(
            board=name, level=level, settings=settings, fit=experiment.fit, published=published
        ),
    )


def _rows(
    experiment: TransfersExperiment,
    options: Options,
    session: Session,
    simulated: Callable[..., Transfers],
) -> Iterator[TransfersRow]:
    for series in experiment.series:
        for size in series.sizes:
            fitting = max(1, experiment.budget // size)
            iterations = options.iterations or min(experiment.iterations, fitting)
            transfers = simulated(
                design=series.design,
                code=series.code,
                bytes=size,
                iterations=iterations,
                depth=series.depth,
                completions=series.completions,
            )
            figures = transfers.ask(session, f"{series.name}, {format_bytes(size)}")
            ways = 2 if series.code == "FH+HF" else 1
            yield TransfersRow(
                series=series.name,
                code=series.code,
                design=series.design,
                bytes=size,
                depth=series.depth,
                completions=series.completions,
                iterations=iterations,
                mb_s=ways * transfers.mb_s_a_direction(figures),
                us=figures.elapsed_ns / iterations / 1e3,
                latency=_latency(figures.latency_ns),
                up_share=figures.up_share,
                down_share=figures.down_share,
                tags_share=figures.tags_share,
                credits_share=figures.credits_share,
                completion_share=figures.completion_share,
                verified=figures.verified,
            )


def _latency(samples_ns: tuple[int, ...]) -> Latency | None:
    if not samples_ns:
        return None
    ordered = sorted(samples_ns)

    def percentile(share: float) -> float:
        # The smallest sample that so many are no longer than.
        rank = max(1, -int(-share * len(ordered) // 1))
        return ordered[min(rank, len(ordered)) - 1] / 1e3

    return Latency(
        min_us=ordered[0] / 1e3,
        p50_us=percentile(0.5),
        p90_us=percentile(0.9),
        p99_us=percentile(0.99),
        max_us=ordered[-1] / 1e3,
    )
