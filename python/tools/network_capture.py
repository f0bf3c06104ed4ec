# SPDX-License-Identifier: Apache-2.0
"""Measure a capture over TCP, on the loopback, beside a plain socket with blocks of its size.

The server is sluice-serve in a process of its own. It serves the board `memory` of its benchmark
mode, whose engine is as fast as periods are released and writes nothing: no simulation, and no
board that is at hand, is as fast as the loopback. All else is the way of any board's periods: the
engine's ring, the session, the socket, the client's ring, `sluice_capture_wait()` and its release.
The plain socket is a process that sends blocks of the same size, and sluice-bench, which receives
each whole. Both take turns, and the turns change places; the ratio is the median of those of the
rounds. `python python/tools/network_capture.py` prints the figures and keeps them.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from kept import keep
from sluice.io import open_board
from sluice.paths import find_bench, find_server

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "docs" / "evidence" / "capture" / "network.json"
BLOCKS = (4 << 10, 64 << 10, 614400, 1 << 20)
GOAL = 0.8  # of the plain socket's rate


def main() -> int:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="of a round, each way")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("-o", "--output", type=Path, default=KEPT, help="where to keep the figures")
    asked = parser.parse_args()
    words = [str(find_server()), "--listen", "127.0.0.1:0", "--json", "--benchmark-memory"]
    with subprocess.Popen(  # noqa: S603
        words, stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            if server.stdout is None:
                raise RuntimeError("the server has no output")
            uri = f"tcp:127.0.0.1:{json.loads(server.stdout.readline())['port']}/memory"
            with open_board(uri) as board:
                board.attributes["memory.counter"] = 0
            rows = [row(uri, block, asked.seconds, asked.rounds) for block in BLOCKS]
        finally:
            server.terminate()
            server.stdout.read()  # type: ignore[union-attr]
    command = "python python/tools/network_capture.py"
    how = {"source": "memory: the server's benchmark mode", "round_seconds": asked.seconds}
    print(keep(asked.output, command, **how, goal=GOAL, rows=rows), end="")
    return int(any(found["ratio"] < GOAL for found in rows))


def row(uri: str, block: int, seconds: float, rounds: int) -> dict[str, Any]:
    """Return the rates of both at one block size."""
    command = [str(find_bench()), "network", "--device", uri, "--bytes", str(block)]
    command += ["--seconds", str(seconds), "--rounds", str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    found = json.loads(done.stdout)
    capture, raw = found["capture_mb_s"], found["raw_mb_s"]
    return {
        "block_bytes": block,
        "periods": found["periods"],
        "lost_periods": found["lost"],
        "capture_mb_s": statistics.median(capture),
        "raw_mb_s": statistics.median(raw),
        "ratio": statistics.median(ours / its for ours, its in zip(capture, raw, strict=True)),
        "capture_samples_mb_s": capture,
        "raw_samples_mb_s": raw,
    }


if __name__ == "__main__":
    sys.exit(main())
