# SPDX-License-Identifier: Apache-2.0
"""Measure what `sluice sweep` costs beside its jobs: processor time, and the command's memory.

Runs the sweep of bench/sweeps/zynq-hp-placement.toml with more runs, on this machine's cores and
on as many workers of Dask, and reads from /proc what each process has used:

- jobs: processor time of all sluice-bench processes, and of the Python in jobs that asks them,
  which is measured beforehand, without a sweep.
- overhead: all other processor time of the command and its workers, from start to end: Python's
  start, scheduler, handing over, keeping rows, the Parquet file.
- memory: resident memory of the command after the first 1000 jobs, its maximum while jobs are
  measured, and its maximum until the end, when pyarrow's libraries have been loaded.
"""

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sluice import conditions
from sluice.stop import Stop
from sluice.sweep import job
from sluice.sweep.run import read_sweep, text_of
from sluice.sweep.specification import Recipe
from sluice.sweep.store import journal_of

ROOT = Path(__file__).resolve().parents[2]
SWEEP = ROOT / "bench" / "sweeps" / "zynq-hp-placement.toml"
FIRST_JOBS = 1000  # after which memory has to be flat
POLL_S = 0.05
ASKED = 40  # points
TICKS = os.sysconf("SC_CLK_TCK")
PAGE_MIB = os.sysconf("SC_PAGE_SIZE") / (1 << 20)


@dataclass
class Watch:
    """What a command and the processes below it have used so far."""

    command: int
    target: Path
    jobs: int  # that there will be
    own_s: dict[int, float] = field(default_factory=dict)  # of the command and its workers
    children_s: dict[int, float] = field(default_factory=dict)  # that each has waited for
    first_mib: float | None = None
    measuring_mib: float = 0.0
    most_mib: float = 0.0
    _jobs: int = 0
    _read: int = 0

    def look(self) -> None:
        """Read it again. Of a process that has gone, what was read last stays."""
        below = [number for number in children(self.command) if is_python(number)]
        for number in (self.command, *below):
            if fields := stat(number):
                user, system, its_user, its_system = map(int, fields[11:15])
                self.own_s[number] = (user + system) / TICKS
                self.children_s[number] = (its_user + its_system) / TICKS
        self._count()
        if self._jobs >= FIRST_JOBS and (mib := resident_mib(self.command)):
            self.first_mib = self.first_mib or mib
            self.most_mib = max(self.most_mib, mib)
            if self._jobs < self.jobs:
                self.measuring_mib = max(self.measuring_mib, mib)

    @property
    def simulations_s(self) -> float:
        """Return the time of what workers, or without them the command, have started."""
        workers = {n: s for n, s in self.children_s.items() if n != self.command}
        return sum((workers or self.children_s).values())

    @property
    def python_s(self) -> float:
        """Return the time of the command and of its workers."""
        return sum(self.own_s.values())

    def _count(self) -> None:
        try:
            with journal_of(self.target).open("rb") as journal:
                journal.seek(self._read)
                new = journal.read()
        except FileNotFoundError:
            return  # not yet, or no longer
        self._read += len(new)
        self._jobs += new.count(b"\n")


def stat(number: int) -> list[str]:
    """Return the fields of /proc/N/stat from the state on; none of a process that has gone."""
    try:
        text = Path(f"/proc/{number}/stat").read_text(encoding="utf-8")
    except OSError:
        return []
    return text.rpartition(")")[2].split()


def resident_mib(number: int) -> float:
    """Return the resident memory of a process."""
    fields = stat(number)
    return round(int(fields[21]) * PAGE_MIB, 1) if fields else 0.0


def children(number: int) -> list[int]:
    """Return the children of a process."""
    found = []
    for entry in Path(f"/proc/{number}/task").glob("*/children"):
        try:
            found += [int(word) for word in entry.read_text(encoding="utf-8").split()]
        except OSError:
            continue
    return found


def is_python(number: int) -> bool:
    """Tell whether a child of the command is a worker of Dask, or what multiprocessing needs."""
    try:
        return b"multiprocessing" in Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return False


def asking_s(recipe: Recipe) -> float:
    """Return the processor time of Python in a point's jobs, as the mean of some."""
    text, runs = text_of(recipe), range(recipe.spec.runs)
    points = random.Random(1).sample(range(recipe.spec.points), ASKED)  # noqa: S311
    job.measure_point(text, points[0], runs, Stop())  # imports what it needs
    before = time.process_time()
    for point in points[1:]:
        job.measure_point(text, point, runs, Stop())
    return (time.process_time() - before) / (ASKED - 1)


def measure(file: Path, target: Path, options: list[str]) -> dict[str, Any]:
    """Run the sweep, and return what it cost."""
    recipe = read_sweep(file)
    points = recipe.spec.samples or recipe.spec.points
    asking = asking_s(recipe) * points
    command = [sys.executable, "-m", "sluice", "sweep", str(file), "-o", str(target), *options]
    started = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)  # noqa: S603
    watch, ended = Watch(process.pid, target, points * recipe.spec.runs), threading.Event()

    def keep_looking() -> None:
        while not ended.wait(POLL_S):
            watch.look()

    looking = threading.Thread(target=keep_looking)
    looking.start()
    status = process.wait()
    ended.set()
    looking.join()
    elapsed_s = time.monotonic() - started
    if status:
        sys.exit(f"sweep_overhead: `sluice sweep` ended with status {status}")
    record = json.loads(target.with_suffix(".json").read_text(encoding="utf-8"))
    return {
        "place": record["place"],
        "jobs": record["jobs"],
        "elapsed_s": round(elapsed_s, 1),
        "simulations_s": round(watch.simulations_s, 2),
        "asking_s": round(asking, 2),
        "overhead_s": round(watch.python_s - asking, 2),
        "overhead": round((watch.python_s - asking) / (watch.simulations_s + asking), 4),
        "after_1000_jobs_mib": watch.first_mib,
        "most_measuring_mib": watch.measuring_mib or None,
        "most_mib": watch.most_mib or None,
    }


def shortened(runs: int, samples: int | None, size: str) -> str:
    """Return the sweep's file with other numbers of runs and points, and other blocks."""
    text = re.sub(r"(?m)^runs = .*", f"runs = {runs}", SWEEP.read_text(encoding="utf-8"))
    if samples is not None:
        text = re.sub(r"(?m)^runs = ", f"samples = {samples}\nruns = ", text)
    return re.sub(r'(?m)^"defaults.bytes" = .*', f'"defaults.bytes" = "{size}"', text)


def main() -> None:
    """Measure in the places that were asked for."""
    cores = conditions.cores()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=8, help="runs of each point (8)")
    parser.add_argument("--samples", type=int, help="points, drawn at random (all)")
    parser.add_argument("--bytes", default="256KiB", help="size of a block (256KiB)")
    parser.add_argument(
        "--place", action="append", help=f"pool, or local:N (pool and local:{cores})"
    )
    parser.add_argument("--json", type=Path, help="file for the figures (standard output)")
    given = parser.parse_args()
    for name, count in (("--runs", given.runs), ("--samples", given.samples)):
        if count is not None and count < 1:
            parser.error(f"{name} {count} is not allowed; give at least 1")
    rows = []
    for place in given.place or ["pool", f"local:{cores}"]:
        options = ["--jobs", str(cores)] if place == "pool" else ["--scheduler", place]
        with tempfile.TemporaryDirectory(prefix="sluice-sweep-") as folder:
            file = Path(folder) / SWEEP.name
            file.write_text(shortened(given.runs, given.samples, given.bytes), encoding="utf-8")
            rows.append(measure(file, Path(folder) / "a.parquet", options))
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    document = {
        "bytes": given.bytes,
        "runs": given.runs,
        "commit": conditions.commit(),
        "machine": conditions.machine().model_dump(),
        "rows": rows,
    }
    text = json.dumps(document, indent=1) + "\n"
    if given.json is None:
        sys.stdout.write(text)
    else:
        given.json.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
