# SPDX-License-Identifier: Apache-2.0
"""Capture at the full rate of a port for long, with a reader that releases in time.

`python python/tools/capture_full_rate.py` captures frames of a counter source without a pause, 64
bits at 100 MHz (800 MB/s), for 60 s of the board's time at level transaction (16 minutes of a
processor) and for 1 s at level rtl. Each word of each frame is compared. It writes
docs/evidence/capture/full-rate.json, and fails if a frame is lost.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from kept import keep
from sluice.errors import SluiceError
from sluice.paths import find_bench

EVIDENCE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "capture" / "full-rate.json"
FRAME_BYTES = 614_400
MB_S = 800
SECONDS = {"transaction": 60.0, "rtl": 1.0}


def command_of(level: str, seconds: float) -> list[str]:
    """Return the words of the measurement."""
    frames = -int(-seconds * MB_S * 1_000_000 // FRAME_BYTES)
    words = ["sluice-bench", "frames", "--device", f"sim:zynq7010/capture?level={level}"]
    return [*words, "--rate", "0", "--bytes", str(FRAME_BYTES), "--frames", str(frames)]


def summary(level: str, command: list[str], answer: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of an answer."""
    seen = len(answer["user_ns"])
    engine_s = sum(answer["engine_ns"]) / 1e9
    return {
        "level": level,
        "command": " ".join(command),
        "frame_bytes": FRAME_BYTES,
        "frames": seen,
        "lost": answer["lost"],
        "dropped_beats": answer["drops"],
        "board_seconds": round(engine_s, 6),
        "mb_s": round(len(answer["engine_ns"]) * FRAME_BYTES / engine_s / 1e6, 3),
    }


def main() -> int:
    """Measure, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", type=Path, default=EVIDENCE, help="the file to write")
    for level, seconds in SECONDS.items():
        name = f"--{level}-seconds"
        parser.add_argument(name, type=float, default=seconds, help="of the board's time; 0: none")
    options = parser.parse_args()
    rows = []
    try:
        for level in SECONDS:
            seconds = getattr(options, f"{level}_seconds")
            if seconds <= 0:
                continue
            command = command_of(level, seconds)
            done = subprocess.run(  # noqa: S603
                [find_bench(), *command[1:]], capture_output=True, text=True, check=False
            )
            if done.returncode != 0:
                print(f"capture_full_rate: {level}: {done.stderr.strip()}", file=sys.stderr)
                return 1
            rows.append(summary(level, command, json.loads(done.stdout)))
            print(json.dumps(rows[-1]))
        keep(options.o, "python python/tools/capture_full_rate.py", rows=rows)
    except SluiceError as error:
        print(f"capture_full_rate: {error}", file=sys.stderr)
        return error.exit_status
    return int(any(row["lost"] or row["dropped_beats"] for row in rows))


if __name__ == "__main__":
    sys.exit(main())
