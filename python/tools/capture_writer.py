# SPDX-License-Identifier: Apache-2.0
"""Measure the file writer of `sluice capture` alone, from memory, beside dd into the same tmpfs.

At each block size both write the same bytes, in turns, and the turns change places. The ratio is
the median of those of the rounds, which other work on the machine disturbs less than the rates.
Both write one block of memory again and again. The writer's time is from opening the file to
closing it, dd's is what dd itself says: its reading of /dev/zero is in it, and its start is not.
`python python/tools/capture_writer.py` prints the figures and keeps them.
"""

import argparse
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from kept import keep
from sluice.capture.files import Files
from sluice.capture.options import parsed
from sluice.capture.sinks import FileSink, page_memory
from sluice.capture.target import FileTarget, parse_target

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "docs" / "evidence" / "capture" / "writer.json"
BLOCKS = (4 << 10, 64 << 10, 1 << 20)
GOAL, GOAL_FROM = 0.9, 64 << 10  # of dd's rate; from a command's default block on
_SECONDS = re.compile(r"copied, ([0-9.e+-]+) s", re.ASCII)


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=Path("/dev/shm"), help="a tmpfs")  # noqa: S108
    parser.add_argument("--mib", type=int, default=256, help="MiB of a file")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("-o", "--output", type=Path, default=KEPT, help="where to keep the figures")
    asked = parser.parse_args()
    dd = shutil.which("dd")
    if dd is None:
        print("there is no dd on the PATH", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        rows = [row(dd, Path(folder), block, asked.mib << 20, asked.rounds) for block in BLOCKS]
    command = "python python/tools/capture_writer.py"
    of_file = {"file_bytes": asked.mib << 20, "goal": GOAL, "goal_from_bytes": GOAL_FROM}
    print(keep(asked.output, command, **of_file, rows=rows), end="")
    return int(any(found["ratio"] < GOAL for found in rows if found["block_bytes"] >= GOAL_FROM))


def row(dd: str, folder: Path, block: int, nbytes: int, rounds: int) -> dict[str, Any]:
    """Return the rates of both at one block size."""
    memory = page_memory(block)
    memory[:] = 1
    ours, its = [], []
    direct = False
    for turn in range(rounds):
        if turn % 2:
            its.append(by_dd(dd, folder / "dd", block, nbytes // block))
        seconds, direct = by_writer(memory, folder, block, nbytes // block)
        ours.append(nbytes / seconds / 1e6)
        if not turn % 2:
            its.append(by_dd(dd, folder / "dd", block, nbytes // block))
    return {
        "block_bytes": block,
        "direct": direct,
        "writer_mb_s": statistics.median(ours),
        "dd_mb_s": statistics.median(its),
        "ratio": statistics.median(our / one for our, one in zip(ours, its, strict=True)),
        "writer_samples_mb_s": ours,
        "dd_samples_mb_s": its,
    }


def by_writer(memory: Any, folder: Path, block: int, blocks: int) -> tuple[float, bool]:  # noqa: ANN401
    """Return the seconds that the command's sink takes, and whether it went past the page cache."""
    options = parsed(
        uri="memory",
        channel="memory",
        output=str(folder / "writer"),
        frames=None,
        period_bytes=str(block),
        periods=64,
        rate=None,
        sink_rate=None,
        method=None,
        policy="overwrite",
        check=None,
        form="raw",
        sample=None,
        force=False,
        settings=(),
        json=None,
    )
    target = parse_target(options.output, options.format)
    if not isinstance(target, FileTarget):
        raise TypeError(f"{options.output} is not a file")
    start = time.perf_counter()
    with Files(force=False) as files, FileSink(files, target, options) as sink:
        files.begin()
        for number in range(blocks):
            sink.put(number, memory)
    seconds = time.perf_counter() - start
    if target.data.stat().st_size != blocks * block:
        raise RuntimeError(f"{target.data} does not have what was put")
    target.data.unlink()
    return seconds, sink.direct_bytes > 0


def by_dd(dd: str, path: Path, block: int, blocks: int) -> float:
    """Return dd's MB/s."""
    command = [dd, "if=/dev/zero", f"of={path}", f"bs={block}", f"count={blocks}"]
    said = subprocess.run(  # noqa: S603
        command, capture_output=True, text=True, check=True, env={"LC_ALL": "C"}
    ).stderr
    path.unlink()
    found = _SECONDS.search(said)
    if found is None:
        raise RuntimeError(f"dd says no time: {said}")
    return block * blocks / float(found[1]) / 1e6


if __name__ == "__main__":
    sys.exit(main())
