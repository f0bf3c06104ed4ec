# SPDX-License-Identifier: Apache-2.0
"""What the tests need to call the command and to look at what it did."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

SCHEMA = json.loads(
    (files("sluice.experiments") / "result.schema.json").read_text(encoding="utf-8")
)
PATIENCE_S = 300.0  # of a busy machine, with what ends by itself
FAKE_BENCH = Path(__file__).parent / "fake_bench.py"


@dataclass(frozen=True)
class Done:
    """What a command said and how it ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:  # noqa: ANN401
        """Return what it printed, which must be one JSON object and nothing else."""
        return json.loads(self.out)


Sluice = Callable[..., Done]


def spawn(*arguments: str | Path, **environment: str) -> "subprocess.Popen[str]":
    """Start the command in a process of its own, its output going to pipes."""
    return subprocess.Popen(
        [sys.executable, "-m", "sluice", *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )


def wait_for(path: Path, lines: int) -> None:
    """Wait until sluice-bench was started a number of times."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if path.exists() and len(path.read_text(encoding="utf-8").splitlines()) >= lines:
            return
        time.sleep(0.01)
    pytest.fail("sluice-bench was not started")


def wait_until(true: Callable[[], object]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + PATIENCE_S
    while not true():
        assert time.monotonic() < deadline, "it does not come to be so"
        time.sleep(0.01)


def bench_processes(marker: str) -> list[str]:
    """Return the stand-ins that still run for this test."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if marker.encode() in entry.read_bytes():
                found.append(entry.parent.name)
        except OSError:
            continue
    return found


def check(document: Any) -> None:  # noqa: ANN401
    """Hold a result against the schema that is published."""
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
