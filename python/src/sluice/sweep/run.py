# SPDX-License-Identifier: Apache-2.0
"""`sluice sweep`: measure what is missing, keep what was measured, say what is best."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from sluice import conditions, save
from sluice.errors import InputError, SluiceError
from sluice.experiments.kind import Experiment
from sluice.experiments.result import Provenance
from sluice.locked import locked
from sluice.models import checked, read_toml
from sluice.paths import find_experiment
from sluice.progress import progress_bar
from sluice.stop import Stop, StoppedError
from sluice.sweep import executors, job
from sluice.sweep.engine import Engine, Place, Tally
from sluice.sweep.record import BestPoint, SweepRecord, read_record, record_of, write_record
from sluice.sweep.show import show
from sluice.sweep.source import Score, Source, source_of
from sluice.sweep.specification import Recipe, Sweep
from sluice.sweep.store import KEYS, Store, columns_of, jobs_of, journal_of
from sluice.terminal import complain, output

_SUFFIX = ".parquet"


@dataclass(frozen=True, slots=True)
class Order:
    """How a sweep is to be measured."""

    file: Path
    target: Path
    command: str
    jobs: int | None = None
    scheduler: str | None = None
    resume: bool = False
    as_json: bool = False


def sweep(order: Order) -> int:
    """Measure a sweep, and return the exit status."""
    _need_parquet()
    executors.check(order.scheduler)
    recipe = read_sweep(order.file)
    first = _check(recipe)
    _check_files(order.target)
    with locked(order.target):
        return _sweep(order, recipe, first)


def _sweep(order: Order, recipe: Recipe, first: Experiment | None) -> int:
    """Measure a sweep whose file nobody else writes."""
    spec = recipe.spec
    held = _check_target(order.target, recipe, resume=order.resume)
    source = source_of(spec)
    store = Store(order.target, spec.points, spec.runs)
    with Stop() as stop, executors.opened(order.scheduler, order.jobs, stop) as place:
        keeper = _Keeper(order, recipe, source, store, place, first)
        if not held:  # else the record says what the Parquet file holds, until that is replaced
            keeper.write(Tally(), partial=True)
        for known, rows in store.begin():
            source.tell(known, rows)
        tally = _measured(order, keeper, stop)
        failure = tally.failure
        if failure is None and stop.signal is not None:
            count = f"{store.count} of {source.jobs} jobs"
            said = f"{count} are in {order.target}; --continue measures the rest"
            failure = StoppedError(stop.signal, said)
        try:
            store.finish()
            record = keeper.write(tally, partial=failure is not None)
        except SluiceError as error:
            raise failure or error from error
    if order.as_json:
        output().out(record.model_dump_json(indent=1))
    else:
        show(record, order.target, output())
    if failure is not None:
        complain(str(failure))
        return failure.exit_status
    return 0


def read_sweep(file: Path) -> Recipe:
    """Return the recipe of the jobs that a sweep's file describes."""
    text = read_toml(file)
    spec = checked(Sweep, text, str(file))
    if spec.experiment is None:
        return Recipe(spec=spec, document={}, where=str(file))
    name = spec.experiment
    beside = name.endswith(".toml") and not Path(name).is_absolute()
    path = find_experiment(str(file.parent / name) if beside else name)
    return Recipe(spec=spec, document=read_toml(path), where=str(path))


def text_of(recipe: Recipe) -> str:
    """Return a recipe as the text that travels to workers."""
    return recipe.model_dump_json(by_alias=True, exclude_none=True)


def best_of(spec: Sweep, path: Path) -> BestPoint | None:
    """Return the best point that is in a Parquet file, None where none meets the conditions."""
    best = spec.best
    if best is None:
        return None
    scores: dict[int, Score] = {}
    names = [*KEYS, *dict.fromkeys([best.column, *(c.column for c in best.conditions)])]
    if not set(names) <= set(columns_of(path)):
        return None
    for known, rows in jobs_of(path, names):
        scores.setdefault(known.point, Score()).add(best, known.run, rows)
    meeting = [point for point, score in scores.items() if score.counts(best)]
    if not meeting:
        return None
    top = max(meeting, key=lambda point: (scores[point].rank(best), -point))
    return BestPoint(
        point=top,
        values=spec.of_point(top),
        column=best.column,
        of=best.of,
        figure=scores[top].figure(best),
    )


@dataclass(frozen=True, slots=True)
class _Keeper:
    """What writes the record beside the rows."""

    order: Order
    recipe: Recipe
    source: Source
    store: Store
    place: Place
    first: Experiment | None  # of the points; None of checks
    started: datetime = field(default_factory=lambda: datetime.now(UTC))
    clock: float = field(default_factory=time.monotonic)
    commit: str | None = field(default_factory=conditions.commit)

    def write(self, tally: Tally, *, partial: bool) -> SweepRecord:
        """Write what is known now."""
        path, spec, first = self.order.target, self.recipe.spec, self.first
        record = SweepRecord(
            name=self.order.file.stem,
            spec=spec.model_dump(mode="json", by_alias=True, exclude_none=True),
            document=self.recipe.document,
            where=self.recipe.where,
            partial=partial,
            jobs=self.store.count,
            wanted=self.source.jobs,
            place=self.place.name,
            busy_s=round(tally.busy_s, 3),
            best=best_of(spec, path) if path.exists() else None,
            provenance=Provenance(
                command=self.order.command,
                board=first.board if first else "guests",
                designs=first.design_names if first else (),
                seed=spec.seed,
                versions=conditions.versions(job.catalogue().version),
                commit=self.commit,
                machine=conditions.machine(),
                started=self.started.isoformat(timespec="seconds"),
                elapsed_s=round(time.monotonic() - self.clock, 3),
            ),
        )
        write_record(path, record)
        return record


def _measured(order: Order, keeper: _Keeper, stop: Stop) -> Tally:
    """Measure behind a progress bar, which shows only where standard error is a terminal."""
    store, wanted = keeper.store, keeper.source.jobs
    progress = progress_bar("jobs", rate=True)
    bar = progress.add_task(
        order.file.stem, total=wanted, completed=store.count, done=store.count, wanted=wanted
    )

    def on_jobs(count: int) -> None:
        progress.update(bar, advance=count, done=store.count)

    engine = Engine(keeper.place, keeper.source, store, text_of(keeper.recipe), stop, on_jobs)
    with progress:
        return engine.run()


def _check(recipe: Recipe) -> Experiment | None:
    """Refuse, before anything is measured, a value that its experiment does not allow.

    Each value is tried once, beside the first of all others; of the rest the job itself tells.
    Returns the experiment of the first point; checks have none.
    """
    spec = recipe.spec
    if spec.checks is not None:
        return None
    text = text_of(recipe)
    for axis, values in enumerate(spec.values.values()):
        for index in range(len(values)):
            if axis and not index:
                continue  # the first point was tried
            places = [0] * len(spec.values)
            places[axis] = index
            kind, experiment = job.experiment_of(text, spec.number(places))
            kind.measure(experiment, kind.options(), job.session())
    kind, first = job.experiment_of(text, 0)
    for where, keys in (("set", spec.set), ("axes", spec.axes)):
        for key in keys:
            if key.partition("[")[0] in kind.of_chance:
                raise InputError(
                    f"{where}: {key} has no effect; give runs and seed of the sweep in its place"
                )
    if spec.runs > 1 and not kind.of_chance:
        raise InputError(
            f"runs: {spec.runs} runs of an experiment of kind {kind.name} would all be the same; "
            "leave runs out"
        )
    return first


def _check_files(path: Path) -> None:
    """Refuse a target that cannot be written."""
    if path.suffix != _SUFFIX:
        raise InputError(f"-o {path} is not allowed; give a file that ends in {_SUFFIX}")
    for file in (path, record_of(path), journal_of(path)):
        save.check_writable(file)


def _check_target(path: Path, recipe: Recipe, *, resume: bool) -> bool:
    """Refuse another sweep's target, and tell whether it holds jobs to go on from."""
    there = path.exists() or journal_of(path).exists()
    if there and not resume:
        raise InputError(f"{path} exists; give --continue to continue it, or another file by -o")
    if not there:
        return False
    earlier = read_record(path)
    then = checked(
        Recipe,
        {"spec": earlier.spec, "document": earlier.document, "where": recipe.where},
        str(record_of(path)),
    )
    if _figures(recipe) != _figures(then):
        raise InputError(
            f"{path} holds another sweep, or one of an experiment that has changed since; give "
            "another file by -o"
        )
    return True


def _figures(recipe: Recipe) -> str:
    """Return all that figures depend on, as text: not titles, nor plots of the report."""
    words = {"title", "description", "heat_map", "pareto"}
    spec = recipe.spec.model_dump_json(by_alias=True, exclude=words)
    return spec + recipe.model_dump_json(include={"document"})


def _need_parquet() -> None:
    try:
        import pyarrow.parquet  # type: ignore[import-untyped]  # noqa: PLC0415, F401
    except ImportError as error:
        raise InputError(
            "sluice sweep writes Parquet with pyarrow, which is not installed; run "
            "`pip install pyarrow`"
        ) from error
