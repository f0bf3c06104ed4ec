# SPDX-License-Identifier: Apache-2.0
"""The result of a fit: the values, how sharp each is, and the error of every row."""

from collections.abc import Sequence
from typing import Any

from sluice.calibrate.fits import CpuFit, Fit
from sluice.calibrate.search import Point, Search
from sluice.calibrate.specification import Parameter
from sluice.labels import row_label

FORMAT = "sluice-calibration-1"
DEGRADED = 0.995  # of the theoretical rate: rows below it say something about the memory system


def rates_result(fit: Fit) -> dict[str, Any]:
    """Return the result of a fit as the document of its file."""
    what = fit.specification
    start = tuple(parameter.start for parameter in what.parameters)
    fit.check(start)
    best = fit.descend(start)
    fitted = fit.measure(best, what.final_runs)
    predicted = fit.measure(best, what.final_runs, predicted=True)
    final = fitted + predicted
    parameters = _parameters(fit, best)
    # Nothing was fitted to predicted rows: they are left out as they are.
    left_out = [fit.errors[fit.best_without(index)][index] for index in range(len(fitted))]
    left_out += [error for _, _, error in predicted]
    degraded = [
        row.published is not None and row.published.mb_s < DEGRADED * row.expected_mb_s
        for row, _, _ in final
    ]
    # Rows of other experiments help the fit, and are not part of the score.
    first = final[0][0].published
    scored = [
        below and row.published is not None and first is not None
        and row.published.dataset == first.dataset
        for below, (row, _, _) in zip(degraded, final, strict=True)
    ]  # fmt: skip
    errors = [error for _, _, error in final]
    return {
        "format": FORMAT,
        "comment": "Made by `sluice calibrate`; the build takes the model's defaults from here.",
        "specification": what.file.name,
        "experiment": what.experiment.name,
        "conditions": {
            "bytes": what.bytes,
            "runs": what.final_runs,
            "seed": what.seed,
            "skew_ns": what.experiment.defaults.skew_ns,
            "start_cost_ns": final[0][0].start_cost_ns,
            "placement": what.experiment.placement.rule,
        },
        "parameters": parameters,
        "points_measured": len(fit.errors),
        "score_percent": _percent(_mean_of(errors, scored)),
        "worst_percent": _percent(max(abs(error) for error in errors)),
        "left_out_score_percent": _percent(_mean_of(left_out, scored)),
        "rows": [
            {
                "row": row_label(row.width_bits, row.direction, row.ports),
                "published_in": f"{row.published.dataset}, table {row.published.table}",
                "degraded": is_degraded,
                **({"predicted": True} if index >= len(fitted) else {}),
                "published_mb_s": row.published.mb_s,
                "published_range": [row.published.min, row.published.max],
                "model_mb_s": round(rates.mean, 1),
                "model_range": [round(rates.min, 1), round(rates.max, 1)],
                "error_percent": _percent(error),
                "left_out_error_percent": _percent(left),
            }
            for index, ((row, rates, error), is_degraded, left) in enumerate(
                zip(final, degraded, left_out, strict=True)
            )
            if row.published is not None
        ],
    }


def cpu_result(fit: CpuFit) -> dict[str, Any]:
    """Return the result of a fit as the document of its file."""
    what = fit.specification
    best = fit.descend(tuple(parameter.start for parameter in what.parameters))
    final = fit.measure(best)
    parameters = _parameters(fit, best)
    return {
        "format": FORMAT,
        "comment": "Made by `sluice calibrate`; the build takes the model's defaults from here.",
        "specification": what.file.name,
        "experiment": what.experiment.name,
        "parameters": parameters,
        "points_measured": len(fit.errors),
        "score_percent": _percent(sum(abs(error) for _, error in final) / len(final)),
        "worst_percent": _percent(max(abs(error) for _, error in final)),
        "rows": [
            {
                "row": row.name,
                "published_in": row.source,
                "published": row.published,
                "model": round(row.figure, 2),
                "unit": row.unit,
                "error_percent": _percent(error),
            }
            for row, error in final
        ],
    }


def _parameters(fit: Search, best: Point) -> list[dict[str, Any]]:
    return [
        {
            "name": parameter.name,
            "value": best[index],
            "searched": [parameter.least, parameter.most, parameter.step],
            "objective_percent": _neighbours(fit, best, index, parameter),
        }
        for index, parameter in enumerate(fit.parameters)
    ]


def _neighbours(fit: Search, best: Point, index: int, parameter: Parameter) -> dict[str, float]:
    """Return the objective at the value and one step to each side: how sharp the fit is."""
    values = (best[index] + step for step in (-parameter.step, 0, parameter.step))
    return {
        str(value): _percent(fit.objective((*best[:index], value, *best[index + 1 :])))
        for value in values
        if parameter.least <= value <= parameter.most
    }


def _mean_of(errors: Sequence[float], chosen: Sequence[bool]) -> float:
    kept = [abs(error) for error, wanted in zip(errors, chosen, strict=True) if wanted]
    return sum(kept) / len(kept) if kept else 0.0


def _percent(share: float) -> float:
    return round(100 * share, 2)
