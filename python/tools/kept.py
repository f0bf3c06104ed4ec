# SPDX-License-Identifier: Apache-2.0
"""Figures that are kept in docs/evidence: what made them, on which machine, at which commit."""

import json
from pathlib import Path
from typing import Any

from sluice import conditions
from sluice.save import write


def keep(path: Path, command: str, **figures: object) -> str:
    """Write figures beside the command that makes them, and return the text."""
    document: dict[str, Any] = {
        "command": command,
        **figures,
        "machine": conditions.machine().model_dump(),
        "commit": conditions.commit(),
    }
    text = json.dumps(document, indent=1) + "\n"
    write(path, text.encode())
    return text
