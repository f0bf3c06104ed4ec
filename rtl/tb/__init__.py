# SPDX-License-Identifier: Apache-2.0
"""Shared cocotb helpers: `run` for pytest functions, the rest for cocotb tests inside the
simulator."""

from .run import REPO, RTL, run
from .stalls import NO_STALL, seed, stall, stall_pauses

__all__ = ["NO_STALL", "REPO", "RTL", "run", "seed", "stall", "stall_pauses"]
