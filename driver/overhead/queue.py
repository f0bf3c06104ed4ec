# SPDX-License-Identifier: Apache-2.0
"""What a program gets of a Zynq's HP ports under Linux, in modelled time: queued transfers between
memory and the logic, through sluice.ko and mainline's xilinx_dma, on the guest's own clock; and
what a client in the kernel gets, by one thread or one for each port. Prints a row for each way,
number of ports, depth of the queue, and use of the data by the program.

Exit status: 0; 1, it could not be measured; 2, bad input."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosim.guests import (
    VERSION,
    BoardError,
    BuildError,
    ChoiceError,
    Guest,
    GuestError,
    Logic,
    kernel,
)
from cosim.guests.door import CLOCK
from cosim.guests.library import library_programs
from tools.debian import UnavailableError

from .measure import FLAVOUR, HERE, ROOT, commit

PORT_MB_S = 800  # 64 bits at 100 MHz
MOST_PORTS = 4
SETTLE_S = 2  # of the guest's time: what the kernel still does for its boot can take 1.2 ms
MEASURE_S = 3600  # against hanging only
MOST_DEPTH = 256


@dataclass(frozen=True)
class Way:
    """Between memory and what is in the logic: a design, its channels, and what sluice-bench is
    told."""

    design: str
    channel: str
    words: tuple[str, ...] = ()


KERNEL = "kernel"  # a client in the kernel copies to block RAM, one copy a port at a time
KERNEL_DESIGN = "zynq7020/cdma"
RAM_ADDRESS = 0x40080000
RAM_BYTES = 65536  # of an engine
WAYS = {
    "stream": Way("zynq7010/hp_stress_sg", "mm2s"),
    "to-ram": Way("zynq7020/cdma", "copy", ("--to", "ram")),
    "from-ram": Way("zynq7020/cdma", "copy", ("--from", "ram")),
}


def say(text: str) -> None:
    print(f"zynq-queue: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True)
class Machine:
    """What is simulated how: see `sluice-pl --help`."""

    level: str = "rtl"
    processor: str = "instructions"


@dataclass(frozen=True)
class Step:
    """A command for the guest's shell that measures and prints one line, and what is known of it
    before."""

    command: str
    known: dict[str, Any]


def kernel_steps(ports: list[int], size: int, transfers: int) -> list[Step]:
    """Copies of `size` bytes to each engine's block RAM by a client in the kernel: submitted to all
    in turn and waited for, or by a thread a port."""
    steps = []
    for count in ports:
        devices = ",".join(f"400{port}0000.dma-controller" for port in range(count))
        for threads in (0, 1):
            words = f"devices={devices} bytes={size} rounds={transfers} threads={threads}"
            words += f" memory={RAM_ADDRESS:#x} part={RAM_BYTES}"
            # The module measures while it is loaded, and then refuses to stay: insmod loads it by
            # one system call, and then by another.
            command = f"insmod /modules/dma_ports.ko {words} 2>/dev/null || dmesg -c |"
            command += r" sed -n 's/.*dma_ports: \([0-9]*\)$/\1/p' | tail -n 1 | grep ."
            known = {"design": KERNEL_DESIGN, "ports": count, "threads": threads}
            known |= {"transfer_bytes": size, "transfers": transfers}
            steps.append(Step(command, known))
    return steps


def steps(
    way: Way,
    ports: list[int],
    depths: list[int],
    uses: list[str],
    size: int,
    transfers: int,
) -> list[Step]:
    """Of a program. What it does with the data is varied with the deepest queue only."""
    found = []
    for count in ports:
        channels = ",".join(f"hp{port}.{way.channel}" for port in range(count))
        for depth in depths:
            for use in uses if depth == max(depths) else uses[:1]:
                # One at a time, and where the program is what takes the time.
                timed = max(transfers // 4, 1) if depth == 1 or use == "touch" else transfers
                words = f"--device dev:pl --channels {channels} --bytes {size} --depth {depth}"
                words += f" --use {use} --transfers {timed} {' '.join(way.words)}"
                known = {"design": way.design, "ports": count}
                found.append(Step(f"/root/sluice-bench queue {words}", known))
    return found


def lines_of(
    machine: Machine,
    design: str,
    module: Path,
    files: dict[str, Path],
    first: str,
    steps: list[Step],
) -> Iterator[tuple[Step, str]]:
    """Boots the Zynq's guest with a design in its logic and a module, and takes the steps one
    after the other, with nothing else going on in it. Raises UnavailableError, BuildError,
    BoardError, ChoiceError, GuestError."""
    settle = f"sleep {SETTLE_S}"
    script = "\n".join(["set -e", first, settle, *(step.command for step in steps), ""])
    guest = Guest(
        FLAVOUR.name,
        logic=Logic(design, level=machine.level, processor=machine.processor),
        modules=[module],
        files=files,
        script=script,
        name=f"zynq-queue-{module.stem}",
    )
    with guest:
        yield from zip(steps, guest.script_lines(MEASURE_S), strict=True)


def kernel_rows(
    machine: Machine, ports: list[int], size: int, transfers: int
) -> Iterator[dict[str, Any]]:
    """What a client in the kernel gets. Raises as lines_of() does."""
    module = kernel(FLAVOUR, VERSION).build_modules(HERE / "module", include=[HERE])["dma_ports"]
    planned = kernel_steps(ports, size, transfers)
    for step, line in lines_of(machine, KERNEL_DESIGN, module, {}, "", planned):
        elapsed_ns = int(line)
        moved = step.known["ports"] * transfers * size
        yield {**step.known, "elapsed_ns": elapsed_ns, "mb_s": moved * 1e3 / elapsed_ns}


def rows(machine: Machine, way: Way, planned: list[Step]) -> Iterator[dict[str, Any]]:
    """What a program gets. Raises as lines_of() does."""
    built = kernel(FLAVOUR, VERSION)
    module = built.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])["sluice"]
    programs = library_programs(FLAVOUR.processor, ("sluice-bench",))
    files = {"/root/sluice-bench": programs["sluice-bench"]}
    first = "insmod /modules/sluice.ko"
    for step, line in lines_of(machine, way.design, module, files, first, planned):
        yield {**step.known, **json.loads(line)}


def measured(name: str, given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The rows of a way."""
    machine = Machine(given.level, given.processor)
    if name == KERNEL:
        transfers = max(given.transfers // 4, 1)
        yield from kernel_rows(machine, given.ports, given.bytes, transfers)
        return
    what = given.ports, given.depth, given.use, given.bytes, given.transfers
    yield from rows(machine, WAYS[name], steps(WAYS[name], *what))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m driver.overhead.queue", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all rows there too")
    parser.add_argument(
        "--level",
        choices=("rtl", "transaction"),
        default="rtl",
        help="of the logic; transaction is faster (%(default)s)",
    )
    parser.add_argument(
        "--processor",
        choices=("instructions", "cortex-a9"),
        default="instructions",
        help="what its time is; cortex-a9: with caches, TLBs and memory (%(default)s)",
    )
    parser.add_argument(
        "--ports", type=int, nargs="+", default=[1, 4], metavar="N", help="HP ports at once"
    )
    parser.add_argument(
        "--ways",
        nargs="+",
        choices=(*WAYS, KERNEL),
        default=[*WAYS, KERNEL],
        help="between memory and logic; kernel: a client there, and block RAM",
    )
    parser.add_argument(
        "--use",
        nargs="+",
        choices=("none", "sync", "touch"),
        default=["none", "sync", "touch"],
        help="of the data by the program; the first for every queue, all for the deepest",
    )
    parser.add_argument(
        "--depth", type=int, nargs="+", default=[1, 2, 4, 16], metavar="N", help="of the queue"
    )
    parser.add_argument("--bytes", type=int, default=65536, help="of a transfer (%(default)s)")
    parser.add_argument(
        "--transfers",
        type=int,
        default=256,
        help="timed, of each port (%(default)s); a quarter where no queue has to fill",
    )
    given = parser.parse_args()
    if not all(1 <= count <= MOST_PORTS for count in given.ports):
        parser.error(f"--ports: 1 to {MOST_PORTS}")
    if not all(1 <= depth <= MOST_DEPTH for depth in given.depth):
        parser.error(f"--depth: 1 to {MOST_DEPTH}")
    if given.bytes < 1 or given.transfers < 1:
        parser.error("--bytes and --transfers: 1 or more")
    if KERNEL in given.ways and given.bytes > RAM_BYTES:
        parser.error(f"--bytes: 1 to {RAM_BYTES} with --ways {KERNEL}")
    found: list[dict[str, Any]] = []
    try:
        print("way       ports  depth  use        MB/s  of the ports")
        for name in given.ways:
            for row in measured(name, given):
                found.append({"way": name, **row})
                share = row["mb_s"] / (PORT_MB_S * row["ports"])
                how = row.get("use") or ("threads" if row["threads"] else "serial")
                print(
                    f"{name:8}  {row['ports']:5}  {row.get('depth', 1):5}  {how:7}  "
                    f"{row['mb_s']:6.0f}  {share:12.1%}",
                    flush=True,
                )
    except ChoiceError as error:
        parser.error(str(error))
    except (UnavailableError, BuildError, BoardError, GuestError) as error:
        say(str(error))
        return 1
    finally:
        if given.json and found:
            words = list(FLAVOUR.machine)
            words[words.index("-icount") + 1] = CLOCK
            result = {"experiment": "zynq-queue", "machine": " ".join(words), "level": given.level}
            result |= {"processor": given.processor, "kernel": kernel(FLAVOUR, VERSION).version}
            result |= {"commit": commit()}
            given.json.write_text(json.dumps(result | {"rows": found}, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
