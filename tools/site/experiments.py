# SPDX-License-Identifier: Apache-2.0
"""The page of the results in docs/evidence/experiments and of the pictures in docs: what each
shows, the command that makes it, and the plots that `sluice report` draws of them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .manual import escaped
from .repository import SiteError

FOLDER = Path("docs/evidence/experiments")
# Results that are not `sluice run`'s do not have their command in them.
COMMANDS = {
    "linux-iio": "make linux-iio",
    "zynq-queue": "make zynq-queue",
    "zynq-queue-transaction": (
        "python -m driver.overhead.queue --level transaction --json zynq-queue-transaction.json"
    ),
}
TITLES = {
    "linux-iio": ("The queue beside IIO's", "../../reference/linux-overhead.md"),
    "zynq-queue": ("A program under Linux, of the ports' logic", "../../reference/sluice-pl.md"),
    "zynq-queue-transaction": (
        "A program under Linux, of transactions", "../../reference/sluice-pl.md",
    ),
}  # fmt: skip
PICTURES = {
    "docs/images/zynq7010-hp-64bit.png": ("make figures", "The rates of the README"),
    "docs/images/mechanisms.png": (
        "python python/tools/mechanisms.py", "What each mechanism of the memory model costs",
    ),
    "docs/images/view-page.png": (
        "python python/tools/view_pictures.py", "`sluice view`, on a page",
    ),
    "docs/images/view-torn.png": (
        "python python/tools/view_pictures.py",
        "A frame that lacks lines, as `sluice view` shows it",
    ),
    "docs/evidence/sweeps/zynq-hp-placement-map.png": (
        "sluice report docs/evidence/sweeps/zynq-hp-placement.parquet",
        "Efficiency of a Zynq's ports by placement and skew",
    ),
}  # fmt: skip


@dataclass
class Result:
    """A result that is kept, and the plots of it."""

    name: str
    title: str
    text: str
    command: str
    origin: str  # commit and date
    plots: list[Path] = field(default_factory=list)


def read(root: Path) -> list[Result]:
    """The results of the folder.

    Raises:
        SiteError: one has no command, or a picture of docs/ is not listed here.
    """
    found: list[Result] = []
    for path in sorted((root / FOLDER).glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        if "provenance" in content:
            made = content["provenance"]
            origin = f"`{made['commit'][:9]}`, {made['started'][:10]}"
            command = made["command"]
            found.append(
                Result(path.stem, content["title"], content["description"], command, origin)
            )
        elif path.stem in COMMANDS:
            title, page = TITLES[path.stem]
            text = f"[What it shows]({page})."
            origin = f"`{content['commit'][:9]}`, Linux {content['kernel']}"
            found.append(Result(path.stem, title, text, COMMANDS[path.stem], origin))
        else:
            raise SiteError(
                f"{FOLDER / path.name} names no command that made it: add it to COMMANDS and "
                "TITLES in tools/site/experiments.py"
            )
    there = {str(path.relative_to(root)) for path in (root / "docs").rglob("*.png")}
    if there != PICTURES.keys():
        differing = ", ".join(sorted(there ^ PICTURES.keys()))
        raise SiteError(
            f"PICTURES in tools/site/experiments.py must list every picture of docs/ with its "
            f"command; differing: {differing}"
        )
    return found


def start_report(root: Path, folder: Path) -> subprocess.Popen[str]:
    """Begin to write the report about the results that `sluice run` made."""
    files = [
        str(path) for path in sorted((root / FOLDER).glob("*.json")) if path.stem not in COMMANDS
    ]
    command = [sys.executable, "-m", "sluice", "report", *files, "-o", str(folder)]
    return subprocess.Popen(
        command, cwd=root, env=os.environ | {"PYTHONPATH": str(root / "python" / "src")},
        text=True, stdout=subprocess.PIPE,  # files, a line each; errors are shown as they come
    )  # fmt: skip


def finish_report(report: subprocess.Popen[str], results: list[Result]) -> list[Path]:
    """Wait for the report and give each result its plots. Returns all files of the report.

    Raises:
        SiteError: the report failed.
    """
    output, _ = report.communicate()
    if report.returncode != 0:
        raise SiteError("sluice report failed; it has said why above")
    files = [Path(line) for line in output.split("\n") if line]
    by_length = sorted(results, key=lambda result: -len(result.name))
    for file in files:
        if file.suffix == ".png":
            owner = next((r for r in by_length if file.stem.startswith(f"{r.name}-")), None)
            if owner is not None:
                owner.plots.append(file)
    return files


def page(results: list[Result]) -> str:
    """The page, as docs/evidence/experiments/README.md would be."""
    lines = [
        "# Experiments and their figures", "",
        "Results that are kept, with the command that makes each. `sluice run` writes the same "
        "file with `--json FILE`, and `sluice report FILE` draws the plots.", "",
        "[All of them in one report](report/index.html){ target=_blank }, with every row.", "",
        "| result | command | made at | data |", "|---|---|---|---|",
    ]  # fmt: skip
    for result in results:
        lines.append(
            f"| [{escaped(result.title)}](#{result.name}) | `{result.command}` | {result.origin} | "
            f"[JSON]({result.name}.json) |"
        )
    lines += ["| [Pictures of other pages](#pictures-of-other-pages) | | | |"]
    for result in results:
        lines += ["", f"## {escaped(result.title)} {{ #{result.name} }}", ""]
        lines += [result.text if result.text.startswith("[") else escaped(result.text), ""]
        lines += ["```", result.command, "```", ""]
        for plot in result.plots:
            kind = plot.stem.removeprefix(f"{result.name}-").replace("-", " ")
            alternative = f"{result.title}: {kind}".replace("[", "").replace("]", "")
            lines += [
                f"[![{alternative}](report/{plot.name}){{ loading=lazy }}](report/{plot.name})",
                "",
            ]
    lines += ["", "## Pictures of other pages", ""]
    for path, (command, text) in PICTURES.items():
        there = "../../" + path.removeprefix("docs/")
        lines += [f"### {text}", "", "```", command, "```", ""]
        lines += [f"![{text.replace('`', '')}]({there}){{ loading=lazy }}", ""]
    return "\n".join(lines)
