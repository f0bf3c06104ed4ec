# SPDX-License-Identifier: Apache-2.0
"""What a program gets of a Zynq's HP ports under Linux, in modelled time: queued transfers from
memory into the logic, through sluice.ko and mainline's xilinx_dma, on the guest's own clock. Prints
a row for each number of ports and depth of the queue.

Exit status: 0; 1, it could not be measured; 2, bad input."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosim.guests import VERSION, BoardError, BuildError, Guest, GuestError, Logic, kernel
from cosim.guests.library import library_programs
from cosim.guests.logic import CLOCK
from tools.debian import UnavailableError

from .measure import FLAVOUR, ROOT, commit

DESIGN = "zynq7010/hp_stress_sg"
PORT_MB_S = 800  # 64 bits at 100 MHz
MOST_PORTS = 4
MOST_DEPTH = 256


def say(text: str) -> None:
    print(f"zynq-queue: {text}", file=sys.stderr, flush=True)


def guest() -> Guest:
    """The Zynq's guest with the measuring design in its logic, and sluice-bench."""
    built = kernel(FLAVOUR, VERSION)
    modules = built.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    programs = library_programs(FLAVOUR.processor, ("sluice-bench",))
    return Guest(
        FLAVOUR.name,
        logic=Logic(DESIGN),
        modules=[modules["sluice"]],
        files={"/root/sluice-bench": programs["sluice-bench"]},
        name="zynq-queue",
    )


def rows(
    machine: Guest, ports: list[int], depths: list[int], size: int, transfers: int
) -> Iterator[dict[str, Any]]:
    """One measurement after the other. Raises GuestError if one fails."""
    loaded = machine.run("insmod /modules/sluice.ko")
    if loaded.status != 0:
        raise GuestError(str(loaded))
    for count in ports:
        channels = ",".join(f"hp{port}.mm2s" for port in range(count))
        for depth in depths:
            words = f"--device dev:pl --channels {channels} --bytes {size} --depth {depth}"
            done = machine.run(f"/root/sluice-bench queue {words} --transfers {transfers}")
            if done.status != 0:
                raise GuestError(str(done))
            yield {"ports": count, **json.loads(done.text)}


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m driver.overhead.queue", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows there too")
    parser.add_argument(
        "--ports", type=int, nargs="+", default=[1, 4], metavar="N", help="HP ports at once"
    )
    parser.add_argument(
        "--depth", type=int, nargs="+", default=[1, 2, 4, 16], metavar="N", help="of the queue"
    )
    parser.add_argument("--bytes", type=int, default=65536, help="of a transfer (%(default)s)")
    parser.add_argument(
        "--transfers", type=int, default=256, help="timed, of each port (%(default)s)"
    )
    given = parser.parse_args()
    if not all(1 <= count <= MOST_PORTS for count in given.ports):
        parser.error(f"--ports: 1 to {MOST_PORTS}")
    if not all(1 <= depth <= MOST_DEPTH for depth in given.depth):
        parser.error(f"--depth: 1 to {MOST_DEPTH}")
    if given.bytes < 1 or given.transfers < 1:
        parser.error("--bytes and --transfers: 1 or more")
    found: list[dict[str, Any]] = []
    try:
        with guest() as machine:
            print("ports  depth    MB/s  of the ports")
            for row in rows(machine, given.ports, given.depth, given.bytes, given.transfers):
                found.append(row)
                share = row["mb_s"] / (PORT_MB_S * row["ports"])
                print(
                    f"{row['ports']:5}  {row['depth']:5}  {row['mb_s']:6.0f}  {share:12.1%}",
                    flush=True,
                )
    except (UnavailableError, BuildError, BoardError, GuestError) as error:
        say(str(error))
        return 1
    finally:
        if given.json and found:
            words = list(FLAVOUR.machine)
            words[words.index("-icount") + 1] = CLOCK
            result = {"experiment": "zynq-queue", "design": DESIGN, "machine": " ".join(words)}
            result |= {"kernel": kernel(FLAVOUR, VERSION).version, "commit": commit()}
            given.json.write_text(json.dumps(result | {"rows": found}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
