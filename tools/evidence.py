# SPDX-License-Identifier: Apache-2.0
"""What `make test-full` said, part by part: results/test-full/PART.json ("/" in the part's name
is "-" there), and for those that are kept in docs/evidence, the page that shows them.

A part is replaced when it is run again, so that an interrupted or selected run loses nothing.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs" / "evidence"
RESULTS = ROOT / "results" / "test-full"
PAGE = KEPT / "README.md"
BOOTED = ROOT / "build" / "guests" / "booted"  # written by cosim/guests/guest.py
HEAD = """\
# What has been run

`make test-full` runs every test with its long sweeps, on every guest. Then it runs the random tests
(native and RTL) as the gate does, with four more seeds. This folder keeps its last results, in a
JSON file for each part. The command leaves them in results/test-full, and `make evidence` copies
them here.

- `make test-full T=rtl/sg` runs that part alone, and replaces only its results.
- `make test-full T=rtl` runs all units of the RTL.
- `make test-full CONTINUE=1` skips what the same commit has passed, and so continues a run that was
  interrupted.

"""


def parts() -> dict[str, tuple[str, ...]]:
    """The parts of `make test-full`, by name: where their Python tests are; the native ones have
    none. Each is short enough to have the machine to itself: a unit of the RTL is one, and a file
    of those that boot guests."""
    found: dict[str, tuple[str, ...]] = {
        "native": (),
        "python": ("python/tests",),
        "tools": ("tools",),
    }
    for unit in sorted({file.parents[1] for file in ROOT.glob("rtl/*/tests/test_*.py")}):
        name = str(unit.relative_to(ROOT))
        found[name] = (name,)
    for folder in ("cosim", "driver"):
        for file in sorted((ROOT / folder / "tests").glob("test_*.py")):
            found[f"{folder}/{file.stem}"] = (str(file.relative_to(ROOT)),)
    return found


def is_seeded(part: str) -> bool:
    """Whether a part's tests are random ones, which further seeds say more of."""
    return part == "native" or part.startswith("rtl/")


def selected(parts: dict[str, tuple[str, ...]], select: str | None) -> dict[str, tuple[str, ...]]:
    """Those of a name, of a path, or below a folder; none if it selects something else."""
    if select is None:
        return parts
    return {
        name: paths
        for name, paths in parts.items()
        if select in (name, *paths) or name.startswith(f"{select.rstrip('/')}/")
    }


@dataclass
class Run:
    """One seed of a part."""

    seed: int
    sweeps: bool  # with the long sweeps (SLUICE_FULL)
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def add_junit(self, path: Path) -> Counter[str]:
        """Counts the test cases of a JUnit file; one that is missing or broken is a failure.
        Returns why tests were skipped."""
        reasons: Counter[str] = Counter()
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError):
            self.failed += 1
            return reasons
        for case in root.iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                self.failed += 1
            elif (skip := case.find("skipped")) is not None:
                self.skipped += 1
                reasons[skip.get("message") or "unnamed"] += 1
            else:
                self.passed += 1
        return reasons

    @property
    def total(self) -> int:
        return self.passed + self.failed + self.skipped


@dataclass
class Part:
    """All that was run of a part."""

    part: str
    commit: str = ""
    date: str = ""
    runs: list[Run] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)  # by reason
    guests: dict[str, int] = field(default_factory=dict)  # boots, by guest and Linux's release

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(asdict(self), indent=2) + "\n"
        kept_file(folder, self.part).write_text(text)


def kept_file(folder: Path, part: str) -> Path:
    return folder / f"{part.replace('/', '-')}.json"


def begin(part: str) -> Part:
    """A part that is about to be run."""
    BOOTED.unlink(missing_ok=True)
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=9"]
    commit = subprocess.run(git, capture_output=True, text=True).stdout.strip()
    return Part(part, commit or "unknown", datetime.now(UTC).date().isoformat())


def brief(reasons: Mapping[str, int]) -> dict[str, int]:
    """Reasons up to their first colon or semicolon: the rest is what one machine said."""
    found: Counter[str] = Counter()
    for reason, count in reasons.items():
        found[re.split(r"[:;]", reason, maxsplit=1)[0]] += count
    return dict(sorted(found.items()))


def end_run(part: Part, run: Run, reasons: Counter[str]) -> None:
    """Adds what one seed gave."""
    part.runs.append(run)
    if run.sweeps:  # the others leave out what the first had
        part.skipped = brief(reasons)
    if BOOTED.exists():
        part.guests = dict(sorted(Counter(BOOTED.read_text().splitlines()).items()))


def read(folder: Path) -> list[Part]:
    """The parts that are kept in a folder."""
    found = []
    for file in sorted(folder.glob("*.json")):
        values = json.loads(file.read_text())
        runs = [Run(**run) for run in values.pop("runs")]
        found.append(Part(runs=runs, **values))
    return found


def stale() -> list[str]:
    """Parts of which results are kept, and which are no more."""
    return sorted({kept.part for kept in read(KEPT)} - parts().keys())


def passed(part: Part) -> Part | None:
    """What a part's last run said, if all of it was of this commit, and nothing failed."""
    last = next((p for p in read(RESULTS) if p.part == part.part), None)
    if last is None or last.commit != part.commit or part.commit.endswith(("-dirty", "unknown")):
        return None
    return None if any(run.failed for run in last.runs) else last


def page(parts: Iterable[Part]) -> str:
    """docs/evidence/README.md."""
    rows = [
        "| part | commit | date | seeds | passed | failed | skipped |",
        "|---|---|---|---|---|---|---|",
    ]
    guests, skipped = [], []
    for part in parts:
        seeds = ", ".join(f"{run.seed}{' with sweeps' if run.sweeps else ''}" for run in part.runs)
        sums = (
            sum(getattr(r, name) for r in part.runs) for name in ("passed", "failed", "skipped")
        )
        cells = [part.part, f"`{part.commit}`", part.date, seeds, *(f"{n:,}" for n in sums)]
        rows.append(f"| {' | '.join(cells)} |")
        guests += [
            f"| {part.part} | {name.replace(' ', ' | ')} | {n} |" for name, n in part.guests.items()
        ]
        skipped += [f"| {part.part} | {reason} | {n} |" for reason, n in part.skipped.items()]
    text = HEAD + "\n".join(rows) + "\n"
    if guests:
        lines = ["| part | guest | Linux | boots |", "|---|---|---|---|", *guests]
        text += "\n## Guests that were booted\n\n" + "\n".join(lines) + "\n"
    if skipped:
        lines = ["| part | reason | tests |", "|---|---|---|", *skipped]
        text += "\n## Skipped\n\n" + "\n".join(lines) + "\n"
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description="Keep what make test-full said in docs/evidence.")
    parser.add_argument("--check", action="store_true", help="fail if the page is not the files'")
    if parser.parse_args().check:
        if gone := stale():
            print(f"{', '.join(gone)}: no such part any more: remove its file in {KEPT}")
            return 1
        if PAGE.read_text() != page(read(KEPT)):
            print(f"{PAGE.relative_to(ROOT)} is not what the files beside it say: `make evidence`")
            return 1
        return 0
    found = read(RESULTS)
    if not found:
        print("evidence: results/test-full is empty: run `make test-full` first", file=sys.stderr)
        return 2
    for part in found:
        part.write(KEPT)
    for name in stale():
        kept_file(KEPT, name).unlink()
    PAGE.write_text(page(read(KEPT)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
