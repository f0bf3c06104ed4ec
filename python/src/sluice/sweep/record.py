# SPDX-License-Identifier: Apache-2.0
"""The record beside a sweep's Parquet file: what was measured, and how to get it again."""

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from sluice import save
from sluice.errors import InputError, reason
from sluice.experiments.result import Provenance
from sluice.models import Record, Text, Whole, checked, read_json

FORMAT: Literal["sluice-sweep-1"] = "sluice-sweep-1"


class BestPoint(Record):
    """The best point of a sweep."""

    point: Whole = Field(description="Number of the point.")
    values: dict[str, Any] = Field(description="Value of each key that varies.")
    column: Text = Field(description="Column that is maximised or minimised.")
    of: Text = Field(description="Statistic over all runs of the point: mean, min or max.")
    figure: float = Field(description="Value of that statistic.")


class SweepRecord(Record):
    """A sweep; its rows are in the Parquet file of the same name."""

    format: Literal["sluice-sweep-1"] = Field(default=FORMAT, description="Name of this format.")
    name: Text = Field(description="Name of the sweep's file, without .toml.")
    spec: dict[str, Any] = Field(description="Content of the sweep's file.")
    document: dict[str, Any] = Field(
        description="Content of the experiment's file, before the sweep changes it."
    )
    where: Text = Field(description="Path of the experiment's file; for checks, of the sweep's.")
    partial: bool = Field(
        description="True if jobs are missing, because the sweep is running, was interrupted or "
        "failed."
    )
    jobs: Whole = Field(description="Number of measured jobs; a job is one run of one point.")
    wanted: Whole = Field(description="Number of jobs of the whole sweep; a search may need fewer.")
    place: Text = Field(description="Machine or workers that measured last.")
    busy_s: Annotated[float, Field(ge=0)] = Field(
        description="Time in seconds that all workers together spent in jobs, in the last call."
    )
    best: BestPoint | None = Field(default=None, description="The best point, where one is sought.")
    provenance: Provenance = Field(description="Source of the figures.")


def record_of(path: Path) -> Path:
    """Return where the record of a Parquet file is."""
    return path.with_suffix(".json")


def read_record(path: Path) -> SweepRecord:
    """Return the record beside a Parquet file."""
    file = record_of(path)
    try:
        text = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"{file}, the record beside {path}, cannot be read: {reason(error)}"
        ) from error
    return checked(SweepRecord, read_json(text, str(file)), str(file))


def write_record(path: Path, record: SweepRecord) -> None:
    """Write the record beside a Parquet file."""
    text = record.model_dump_json(indent=1) + "\n"
    save.write(record_of(path), text.encode())
