# SPDX-License-Identifier: Apache-2.0
"""The best point: of all, and found by a search that measures some."""

from collections.abc import Callable
from pathlib import Path

import pytest

from calling import Sluice
from sluice.sweep.job import Job
from sluice.sweep.run import best_of
from sluice.sweep.source import Score, Search, source_of
from sluice.sweep.specification import Best, Sweep
from sluice.sweep.store import Store
from sweep.conftest import measured

Spec = Callable[..., Path]


def landscape(values: dict[str, int]) -> float:
    """Return a figure with one top, at (37, 12)."""
    return -float((values["x"] - 37) ** 2 + (values["y"] - 12) ** 2)


def searched(seed: int, order: int, **best: object) -> tuple[list[int], Sweep]:
    """Return the points that a search asks for, whose jobs end in some order."""
    spec = Sweep(
        title="t",
        description="d",
        experiment="e",
        axes={"x": tuple(range(60)), "y": tuple(range(40))},
        seed=seed,
        best=Best(maximise="figure", evaluations=150, **best),
    )
    assert spec.best is not None
    search = Search(spec, spec.best, 150)
    asked: list[int] = []
    while True:
        jobs = []
        while (job := search.next()) is not None:
            jobs.append(job)
        if not jobs:
            return asked, spec
        for job in jobs[::order]:
            values = spec.of_point(job.point)
            search.tell(job, [{"figure": landscape(values), "x": values["x"]}])
        asked += [job.point for job in jobs]


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_search_finds_the_top(seed: int) -> None:
    asked, spec = searched(seed, 1)
    assert len(asked) == len(set(asked)) == 150
    assert spec.number((37, 12)) in asked


def test_a_search_does_not_depend_on_the_order_of_answers() -> None:
    assert searched(1, 1) == searched(1, -1)


def test_a_point_is_ranked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search of many evaluations takes no longer for each of them."""
    ranked: list[Score] = []
    rank = Score.rank

    def counting(self: Score, best: Best) -> tuple[bool, float]:
        ranked.append(self)
        return rank(self, best)

    monkeypatch.setattr(Score, "rank", counting)
    asked, _ = searched(1, 1)
    assert len(ranked) <= len(asked)


def answer(search: Search, spec: Sweep, job: Job) -> None:
    """Tell a search what a job gave; runs differ."""
    search.tell(job, [{"figure": landscape(spec.of_point(job.point)) + job.run}])


@pytest.mark.parametrize("until", [0, 1, 77, 101, 160, 299])
def test_a_search_that_goes_on_takes_the_same_way(until: int) -> None:
    """Whatever had been measured of it, and in whatever order its jobs had ended."""
    best = Best(maximise="figure", evaluations=150)
    axes: dict[str, tuple[object, ...]] = {"x": tuple(range(60)), "y": tuple(range(40))}
    spec = Sweep(title="t", description="d", experiment="e", axes=axes, runs=2, best=best)
    whole: list[Job] = []
    search = Search(spec, best, 150)
    while (job := search.next()) is not None:
        whole.append(job)
        answer(search, spec, job)
    assert len(whole) == 300
    kept = whole[:until]
    further = Search(spec, best, 150)
    for job in kept[::-1]:
        answer(further, spec, job)
    found: list[Job] = []
    while (job := further.next()) is not None:
        found.append(job)
        answer(further, spec, job)
    assert found == whole


def test_conditions_move_the_best() -> None:
    asked, spec = searched(1, 1, where=("x <= 20",))
    assert spec.number((20, 12)) in asked


def test_the_best_of_a_grid(sluice: Sluice, spec: Spec, tmp_path: Path) -> None:
    more = '\n[best]\nmaximise = "mb_s"\nwhere = ["verified == true", "skew_ns >= 100"]\n'
    said = sluice("sweep", spec(more=more), "-o", tmp_path / "a.parquet", "--json").json["best"]
    by_point: dict[int, list[float]] = {}
    for row in measured(tmp_path / "a.parquet"):
        if row["skew_ns"] >= 100:
            by_point.setdefault(row["point"], []).append(row["mb_s"])
    means = {point: sum(rates) / len(rates) for point, rates in by_point.items()}
    assert said["point"] == max(means, key=lambda point: means[point])
    assert said["figure"] == pytest.approx(max(means.values()))
    assert said["values"]["axes.ports"] == [0, 2]


@pytest.mark.parametrize("figures", [(None, 5.0, 4.0), (None, None, None)])
def test_a_point_without_a_figure_is_not_the_best(
    tmp_path: Path, figures: tuple[float | None, ...]
) -> None:
    spec = Sweep(
        title="t",
        description="d",
        experiment="e",
        axes={"x": tuple(range(len(figures)))},
        best=Best(maximise="figure", where=("x >= 0",)),
    )
    source, store = source_of(spec), Store(tmp_path / "a.parquet", len(figures), 1)
    assert not list(store.begin())
    for point, figure in enumerate(figures):
        # The first row is without a figure at every point.
        rows = [{"x": point, "figure": None}, {"x": point, "figure": figure}]
        store.add(Job(point, 0), rows)
        source.tell(Job(point, 0), rows)
    store.finish()
    found = best_of(spec, store.path)
    assert (None if found is None else found.point) == (1 if any(figures) else None)


def test_a_search_measures_some_points(sluice: Sluice, spec: Spec, tmp_path: Path) -> None:
    more = '\n[best]\nminimise = "mb_s"\nevaluations = 6\n'
    done = sluice("sweep", spec(more=more), "-o", tmp_path / "a.parquet")
    assert done.status == 0
    assert "Best mb_s (mean of its runs): " in done.out
    rows = measured(tmp_path / "a.parquet")
    assert len({row["point"] for row in rows}) == 6
    # Going on takes the same way, and measures nothing.
    assert sluice("sweep", spec(more=more), "-o", tmp_path / "a.parquet", "--continue").status == 0
    assert measured(tmp_path / "a.parquet") == rows


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ("maximise = 'mb_s'\nminimise = 'mb_s'", "maximise: must be given, or minimise, and not"),
        ("maximise = 'mb_s'\nwhere = ['fast']", 'must hold conditions such as "efficiency >= 0.9'),
        ("maximise = 'speed'", "best: 'speed' is not a column of numbers; columns: "),
        ("maximise = 'mb_s'\nwhere = ['x > 1']", "best.where: there is no column 'x'; columns: "),
        ("maximise = 'mb_s'\nevaluations = 0", "best.evaluations: must be at least 1, is 0"),
    ],
)
def test_what_cannot_be_sought(
    sluice: Sluice, spec: Spec, tmp_path: Path, more: str, sentence: str
) -> None:
    done = sluice("sweep", spec(more=f"\n[best]\n{more}\n"), "-o", tmp_path / "a.parquet")
    assert done.status == 2, done
    assert sentence in done.err
    assert done.err.count("\n") == 1
