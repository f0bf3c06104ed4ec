# SPDX-License-Identifier: Apache-2.0
"""Generated files: written, or compared with those that are there."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

Files = dict[Path, bytes]  # by their path relative to the root


@dataclass(frozen=True)
class Difference:
    path: Path
    kind: str  # differs, missing or stale

    def __str__(self) -> str:
        return f"{self.kind}: {self.path}"


def compare(root: Path, files: Mapping[Path, bytes], present: Iterable[Path]) -> list[Difference]:
    """What must change for the tree to hold exactly these files, ordered by path. `present`: the
    generated files that it holds now."""
    there = set(present)
    result = [Difference(path, "stale") for path in there - files.keys()]
    for path, content in files.items():
        if path not in there:
            result.append(Difference(path, "missing"))
        elif (root / path).read_bytes() != content:
            result.append(Difference(path, "differs"))
    return sorted(result, key=lambda difference: difference.path)


def write(root: Path, files: Mapping[Path, bytes], present: Iterable[Path]) -> list[Difference]:
    """Make the tree hold exactly these files; returns what was changed."""
    changes = compare(root, files, present)
    for change in changes:
        path = root / change.path
        if change.kind == "stale":
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(files[change.path])
    return changes


def settle(
    root: Path, files: Mapping[Path, bytes], present: Iterable[Path], *, check: bool, command: str
) -> int:
    """Write the files, or with `check` only compare them; says what differs and returns the exit
    status. `command`: what writes them."""
    changes = (compare if check else write)(root, files, present)
    for change in changes:
        done = "deleted" if change.kind == "stale" else "written"
        print(change if check else f"{done}: {change.path}")
    if check and changes:
        print(f"Generated files are not up to date: run `{command}`.", file=sys.stderr)
        return 1
    return 0
