# SPDX-License-Identifier: Apache-2.0
"""Shared cocotb helpers: `run` for pytest functions, the rest for cocotb tests inside the
simulator."""

import cocotb
from cocotb.regression import RegressionManager

from .run import REPO, RTL, run
from .stalls import NO_STALL, seed, stall, stall_pauses
from .sweep import FULL, swept

if cocotb.is_simulation:
    # With tests chosen by name cocotb would run those too that the configuration skips.
    setattr(RegressionManager, "set_mode", lambda *_: None)  # noqa: B010

__all__ = [
    "FULL",
    "NO_STALL",
    "REPO",
    "RTL",
    "run",
    "seed",
    "stall",
    "stall_pauses",
    "swept",
]
