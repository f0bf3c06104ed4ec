# SPDX-License-Identifier: Apache-2.0
"""What a sweep has measured: a journal while it goes on, one Parquet file when it ends.

The journal has a line for each job and is flushed after each batch, so that a process that is
killed loses what is under way and no more. At the end, or at a signal, its lines are sorted into
the Parquet file, which replaces the older one in one step.
"""

import json
import os
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sluice.errors import InputError, RunError, reason
from sluice.experiments.kind import Cell, Cells
from sluice.sweep.job import Job
from sluice.units import format_count

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

KEYS = ("point", "run", "row")
NOT_MEASURED = ("elapsed_s",)  # columns about the machine that simulated
_ROWS_AT_ONCE = 1_000  # all that the command holds of them: of a row group, and when it reads
_MOST_BYTES = 1 << 20  # of lines that wait to be written
_MOST_FLAGS = 1 << 27  # jobs with a flag each; of more, the measured ones are listed
_WIDER = {bool: "bool", int: "int64", float: "float64", str: "string"}


def journal_of(path: Path) -> Path:
    """Return where the journal of a Parquet file is."""
    return path.with_name(f"{path.name}.journal")


class _Marks:
    """Which jobs have been measured: a byte each, or a set where there may be too many."""

    def __init__(self, jobs: int) -> None:
        self._flags = bytearray(jobs) if jobs <= _MOST_FLAGS else None
        self._listed: set[int] = set()
        self.count = 0

    def __contains__(self, number: int) -> bool:
        return number in self._listed if self._flags is None else bool(self._flags[number])

    def add(self, number: int) -> None:
        if number in self:
            return
        self.count += 1
        if self._flags is None:
            self._listed.add(number)
        else:
            self._flags[number] = 1

    def remove(self, number: int) -> None:
        if number not in self:
            return
        self.count -= 1
        if self._flags is None:
            self._listed.discard(number)
        else:
            self._flags[number] = 0


class Store:
    """The rows of a sweep. Open it with `begin`, end it with `finish`."""

    def __init__(self, path: Path, points: int, runs: int) -> None:
        self.path = path
        self._runs = runs
        self._marks = _Marks(points * runs)
        self._offsets, self._numbers = array("q"), array("q")
        self._types: dict[str, str] = {}
        self._journal: FileIO | None = None
        self._begun = False
        self._lines: list[bytes] = []  # that are still to be written
        self._end = 0  # of the journal, with those
        self._written = 0

    @property
    def count(self) -> int:
        """Return how many jobs have been measured."""
        return self._marks.count

    def begin(self) -> Iterator[tuple[Job, list[Cells]]]:
        """Open a journal of what the Parquet file and an older journal hold, and give that.

        It replaces the older journal once it holds all, so that a kill before then loses nothing.
        """
        journal = journal_of(self.path)
        part = journal.with_name(f".{journal.name}.part")
        kept = jobs_of(self.path) if self.path.exists() else iter(())
        try:
            with _writing(journal):
                self._journal = FileIO(part, "w")
            self._begun = True
            for job, rows in chain(kept, map(_job_of, _whole_lines(journal))):
                if self.add(job, rows):
                    yield job, rows
            self.flush()
            with _writing(journal):
                part.replace(journal)
        finally:
            part.unlink(missing_ok=True)

    def holds(self, job: Job) -> bool:
        """Tell whether a job has been measured."""
        return job.point * self._runs + job.run in self._marks

    def add(self, job: Job, rows: list[Cells]) -> bool:
        """Keep the rows of a job; one that is there already changes nothing."""
        if self._journal is None or self.holds(job):
            return False
        number = job.point * self._runs + job.run
        line = json.dumps({"job": job, "rows": rows}, separators=(",", ":"), allow_nan=False)
        self._marks.add(number)
        self._numbers.append(number)
        self._offsets.append(self._end)
        self._lines.append(line.encode() + b"\n")
        self._end += len(self._lines[-1])
        for row in rows:
            self._learn(row)
        if self._end - self._written > _MOST_BYTES:
            self.flush()
        return True

    def flush(self) -> None:
        """Hand what was added to the system. RunError: it has no room, and whole jobs are kept."""
        if self._journal is None or not self._lines:
            return
        left = memoryview(b"".join(self._lines))
        try:
            with _writing(journal_of(self.path)):
                while left:
                    left = left[self._journal.write(left) or 0 :]
        except RunError as error:
            self._forget()
            kept = format_count(self.count, "job")
            raise RunError(f"{error}; kept: {kept}, and --continue measures the rest") from error
        self._lines.clear()
        self._written = self._end

    def _forget(self) -> None:
        """Take back the jobs that could not be written, and keep no further ones."""
        while self._offsets and self._offsets[-1] >= self._written:
            self._offsets.pop()
            self._marks.remove(self._numbers.pop())
        self._lines.clear()
        journal, self._journal = self._journal, None
        if journal is not None:
            with suppress(OSError), journal:
                journal.truncate(self._written)

    def finish(self) -> None:
        """Write the Parquet file, in the order of points and runs, and remove the journal.

        RunError: there is no room for it, and the journal stays.
        """
        if not self._begun:
            return
        self.flush()
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self._begun = False
        journal = journal_of(self.path)
        part = self.path.with_name(f".{self.path.name}.part")
        try:
            with _writing(self.path):
                self._write(journal, part)
                part.replace(self.path)
                journal.unlink()
        except RunError as error:
            raise RunError(
                f"{error}; kept in {journal}: {format_count(self.count, 'job')}, which --continue "
                "takes from there"
            ) from error
        finally:
            part.unlink(missing_ok=True)

    def _learn(self, row: Mapping[str, Cell]) -> None:
        """Widen the type of each column to what this row has there."""
        for name, value in row.items():
            known = self._types.get(name)
            found = "null" if value is None else _WIDER[type(value)]
            if known in (None, "null") or known == found:
                self._types[name] = found
            elif found != "null":
                numbers = {known, found} == {"int64", "float64"}
                self._types[name] = "float64" if numbers else "string"

    def _write(self, journal: Path, part: Path) -> None:
        import pyarrow.parquet as pq  # noqa: PLC0415

        schema = self._schema()
        order = sorted(range(len(self._numbers)), key=self._numbers.__getitem__)
        with (
            journal.open("rb") as lines,
            part.open("wb") as file,
            pq.ParquetWriter(file, schema) as writer,
        ):
            rows: list[Cells] = []
            for index in order:
                lines.seek(self._offsets[index])
                job, found = _job_of(lines.readline())
                rows += [_keyed(job, place, row) for place, row in enumerate(found)]
                if len(rows) >= _ROWS_AT_ONCE:
                    writer.write_table(_table(rows, schema))
                    rows = []
            writer.write_table(_table(rows, schema))
            writer.close()
            file.flush()
            os.fsync(file.fileno())

    def _schema(self) -> "pa.Schema":
        import pyarrow as pa  # noqa: PLC0415

        names = [name for name in self._types if name not in NOT_MEASURED]
        names += [name for name in NOT_MEASURED if name in self._types]
        kinds = {
            name: "string" if self._types[name] == "null" else self._types[name] for name in names
        }
        fields = [(name, pa.int64()) for name in KEYS]
        fields += [(name, pa.type_for_alias(kind)) for name, kind in kinds.items()]
        return pa.schema(fields)


def read_table(path: Path) -> "pa.Table":
    """Return what a sweep's Parquet file holds."""
    file = _opened(path)
    with _reading(path):
        return file.read()


def columns_of(path: Path) -> list[str]:
    """Return the columns of a sweep's Parquet file."""
    names: list[str] = _opened(path).schema_arrow.names
    return names


def jobs_of(path: Path, columns: Sequence[str] | None = None) -> Iterator[tuple[Job, list[Cells]]]:
    """Yield the rows of a sweep's Parquet file, or some columns of them, job by job."""
    job, rows = None, []
    batches = _opened(path).iter_batches(_ROWS_AT_ONCE, columns=columns, use_threads=False)
    while True:
        with _reading(path):
            batch = next(batches, None)
        if batch is None:
            break
        for row in batch.to_pylist():
            found = Job(row.pop("point"), row.pop("run"))
            del row["row"]
            if job is not None and found != job:
                yield job, rows
                rows = []
            job = found
            rows.append(row)
    if job is not None:
        yield job, rows


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be written."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{path} cannot be written: {reason(error)}") from error


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say which file it is that cannot be read."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        yield
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    except pa.ArrowInvalid as error:
        raise InputError(f"{path} is not a Parquet file: {error}") from error


def _opened(path: Path) -> "pq.ParquetFile":
    import pyarrow.parquet as pq  # noqa: PLC0415

    with _reading(path):
        file = pq.ParquetFile(path)
    if missing := [name for name in KEYS if name not in file.schema_arrow.names]:
        raise InputError(
            f"{path} is not a result of `sluice sweep`, because it has no column {missing[0]}"
        )
    return file


def _keyed(job: Job, place: int, row: Cells) -> Cells:
    return {"point": job.point, "run": job.run, "row": place, **row}


def _table(rows: list[Cells], schema: "pa.Schema") -> "pa.Table":
    import pyarrow as pa  # noqa: PLC0415

    words = [field.name for field in schema if field.type == pa.string()]
    for row in rows:
        for name in words:
            if (value := row.get(name)) is not None and not isinstance(value, str):
                row[name] = json.dumps(value)
    return pa.Table.from_pylist(rows, schema=schema)


def _whole_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a journal; the last one may have been cut short."""
    if not path.exists():
        return
    with path.open("rb") as lines:
        for line in lines:
            if line.endswith(b"\n"):
                yield line


def _job_of(line: bytes) -> tuple[Job, list[Cells]]:
    try:
        document: Any = json.loads(line)
        return Job(*document["job"]), document["rows"]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"the journal of the sweep holds {line[:40]!r}, which is no job") from error
