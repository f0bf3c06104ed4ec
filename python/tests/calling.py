# SPDX-License-Identifier: Apache-2.0
"""What the tests need to call the command and to look at what it did."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
