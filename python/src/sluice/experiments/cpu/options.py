# SPDX-License-Identifier: Apache-2.0
"""The options of `sluice run` for experiments about the CPU's own accesses."""

from dataclasses import dataclass

from sluice.experiments.options import Settings


@dataclass(frozen=True, slots=True)
class Options:
    """What changes the conditions of an experiment."""

    settings: Settings = None
