# SPDX-License-Identifier: Apache-2.0
"""The queue beside IIO's: what a transfer between memory and a stream of a Zynq's logic costs
Linux, in instructions and in modelled time, by a client in the kernel, by sluice.ko and libsluice,
and by IIO's interface for dma-bufs. Same channel of the same AXI DMA, same kernel, same buffers.

Exit status: 0 done, and every figure is as asked for; 1 it could not be measured; 2 bad input; 3 a
figure misses its goal."""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosim.guests import FLAVOURS, NEWEST, BoardError, BuildError, Guest, GuestError, Logic, kernel
from cosim.guests.door import CLOCK
from cosim.guests.library import library_programs
from tools.debian import UnavailableError

from .iio_report import goals, markdown, replace, table
from .measure import FLOOR, HERE, ROOT, MeasureError, Rounds, commit, parse, plugin, record
from .windows import Symbols, read

FLAVOUR = FLAVOURS["zynq-iio"]
VERSION = NEWEST  # 6.12's xilinx_dma has no prep_peripheral_dma_vec, which IIO calls
DESIGN = "zynq7010/hp_stress_sg"
NODE = "/iio-stream"  # of stream.dtso
DIRECTIONS = ("mm2s", "s2mm")
PROGRAM = "sluice_stream"
PAGE = ROOT / "docs" / "reference" / "linux-overhead.md"
PROSE = HERE / "iio.md.in"
EVIDENCE = ROOT / "docs" / "evidence" / "experiments" / "linux-iio.json"
# In the order in which they are measured: each driver has the channel in turn.
OURS = ("calls", "library")
IIO = "iio"
WAYS = (FLOOR, *OURS, IIO)
MOST_DEPTH = 64
MOST_BYTES = 1 << 20  # of a buffer whose memory is one piece, in any heap


@dataclass(frozen=True)
class Case:
    """What is moved, and how much of it is queued."""

    direction: str
    size: int  # bytes of a transfer
    depth: int  # of the queue
    wake: int  # transfers that are waited for at a time


@dataclass(frozen=True)
class Plan:
    """What to measure."""

    cases: tuple[Case, ...]
    transfers: int  # of a round
    rounds: int
    ways: tuple[str, ...] = WAYS


def say(text: str) -> None:
    print(f"linux-iio: {text}", file=sys.stderr, flush=True)


def commands(way: str, case: Case, plan: Plan) -> Iterator[str]:
    """What the guest runs to measure a case, one way, in order."""
    total = case.depth + plan.transfers * plan.rounds
    queue = f"{case.size} {case.depth}"
    program = f"/tests/{PROGRAM}"
    yield f"{program} begin pl {case.direction} {case.size} {total}"
    if way == FLOOR:
        options = f"node={NODE} channel={case.direction} bytes={case.size}"
        options += f" depth={case.depth} wake={case.wake}"
        options += f" transfers={plan.transfers} rounds={plan.rounds}"
        yield f"dmesg -c > /dev/null; insmod /modules/stream_floor.ko {options}"  # it measures
        yield "rmmod stream_floor; dmesg | sed -n 's/.*stream_floor: //p'"
    else:
        yield f"{program} {way} {case.direction} {queue} {case.wake} {plan.transfers} {plan.rounds}"
    yield f"{program} end pl {case.direction} {queue} {total}"


def run(guest: Guest, command: str) -> str:
    """What a command says. Raises MeasureError if it fails."""
    done = guest.run(command)
    if done.status != 0:
        raise MeasureError(str(done))
    return done.text


@contextmanager
def channel_of(guest: Guest, way: str) -> Iterator[None]:
    """Give the channel to a way's driver, and back to sluice.ko."""
    sluice = "/sys/bus/platform/drivers/sluice"
    if way not in OURS:
        run(guest, f"echo stream-port > {sluice}/unbind")
    if way == IIO:
        run(guest, "insmod /modules/iio_stream.ko")
    yield
    if way == IIO:
        run(guest, "rmmod iio_stream")
    if way not in OURS:
        run(guest, f"echo stream-port > {sluice}/bind")


def measured(guest: Guest, plan: Plan) -> Iterator[tuple[str, Case, Rounds]]:
    """Each way and case, as they are measured."""
    run(guest, "insmod /modules/sluice.ko")
    for way in plan.ways:
        with channel_of(guest, way):
            for case in plan.cases:
                told = [run(guest, command) for command in commands(way, case, plan)]
                yield way, case, parse("".join(told))


def boot_and_run(plan: Plan) -> tuple[str, list[dict[str, Any]]]:
    """One boot: the kernel's release, and a record for each way and case, with all rounds. Raises
    MeasureError, and what guests raise."""
    built = kernel(FLAVOUR, VERSION)
    driver = built.build_modules(ROOT / "driver", include=[ROOT / "regs" / "gen" / "c"])
    own = built.build_modules(HERE / "module", include=[HERE])
    programs = library_programs(FLAVOUR.processor, [PROGRAM])
    with tempfile.TemporaryDirectory(prefix="sluice-iio-") as folder:
        counted = Path(folder) / "windows"
        with Guest(
            FLAVOUR.name,
            version=VERSION,
            logic=Logic(DESIGN),
            overlays=[HERE / "stream.dtso"],
            modules=[driver["sluice"], own["stream_floor"], own["iio_stream"]],
            files={f"/tests/{PROGRAM}": programs[PROGRAM]},
            qemu_options=["-plugin", f"{plugin()},out={counted}"],
            name="linux-iio",
        ) as guest:
            done = []
            for way, case, rounds in measured(guest, plan):
                shape_of = f"{case.depth} queued, {case.wake} waited for"
                say(f"{way}: {case.direction}, {case.size} bytes, {shape_of}")
                done.append((way, case, rounds))
            kallsyms = run(guest, "cat /proc/kallsyms")
            release = guest.release
        windows = read(counted)
        symbols = Symbols(FLAVOUR.processor.compiler, programs[PROGRAM], kallsyms)
        scale = next((rounds.scale for _, _, rounds in done if rounds.scale is not None), None)
        if scale is None:
            raise MeasureError("no way has told how many instructions its clock's time is")
        records = [
            record(way, plan.transfers, rounds, windows, symbols, scale[0] / scale[1])
            | shape(case, plan, [parts[0] for parts in rounds.parts_ns])
            for way, case, rounds in done
        ]
        if next(windows, None) is not None:
            raise MeasureError("there are more windows than rounds: marks where none should be")
    return release, records


def shape(case: Case, plan: Plan, rounds_ns: Sequence[int]) -> dict[str, Any]:
    """What a record says of its case, and of its time."""
    elapsed_ns = statistics.median_low(rounds_ns)
    return {
        "direction": case.direction,
        "transfer_bytes": case.size,
        "depth": case.depth,
        "wake": case.wake,
        "rounds_ns": list(rounds_ns),
        "mb_s": plan.transfers * case.size * 1e3 / elapsed_ns,
    }


def measure(plan: Plan) -> dict[str, Any]:
    """The result, as it is written to JSON."""
    release, rows = boot_and_run(plan)
    words = list(FLAVOUR.machine)
    words[words.index("-icount") + 1] = CLOCK
    return {
        "experiment": "linux-iio",
        "machine": " ".join(words),
        "kernel": release,
        "commit": commit(),
        "design": DESIGN,
        "transfers": plan.transfers,
        "rounds": plan.rounds,
        "rows": rows,
    }


def queues(depths: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each queue, with each completion waited for; a deeper one with half of it at a time too."""
    for depth in depths:
        yield depth, 1
        if depth > 2:
            yield depth, depth // 2


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m driver.overhead.iio", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the result there")
    parser.add_argument(
        "--page",
        action="store_true",
        help="write the section of the reference, and its raw rows to docs/evidence",
    )
    parser.add_argument(
        "--directions", nargs="+", choices=DIRECTIONS, default=list(DIRECTIONS), help="of streams"
    )
    parser.add_argument(
        "--bytes", type=int, nargs="+", default=[4096, 65536], metavar="N", help="of a transfer"
    )
    parser.add_argument(
        "--depth", type=int, nargs="+", default=[1, 32], metavar="N", help="of the queue"
    )
    parser.add_argument("--transfers", type=int, default=96, help="of a round (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="of each (%(default)s, up to 64)")
    given = parser.parse_args()
    if not all(8 <= size <= MOST_BYTES and size % 8 == 0 for size in given.bytes):
        parser.error(f"--bytes: multiples of 8 up to {MOST_BYTES}")
    if not all(1 <= depth <= MOST_DEPTH for depth in given.depth):
        parser.error(f"--depth: 1 to {MOST_DEPTH}")
    if not 1 <= given.rounds <= 64 or given.transfers < 1:
        parser.error("--rounds: 1 to 64; --transfers: 1 or more")
    wanted = itertools.product(given.directions, given.bytes, queues(given.depth))
    cases = tuple(Case(direction, size, *queue) for direction, size, queue in wanted)
    try:
        result = measure(Plan(cases, given.transfers, given.rounds))
    except (UnavailableError, BuildError, BoardError, GuestError, MeasureError) as error:
        say(str(error))
        return 1
    result["goals"] = goals(result)
    text = json.dumps(result, indent=1) + "\n"
    if given.json:
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(text)
    if given.page:
        EVIDENCE.write_text(text)
        PAGE.write_text(replace(PAGE.read_text(), markdown(result, PROSE.read_text())))
    print("\n".join(table(result)))
    for goal in result["goals"]:
        verdict = "met" if goal["met"] else "MISSED"
        print(f"{goal['what']}: {goal['value']:,.0f}, at most {goal['limit']:,.0f}: {verdict}")
    return 0 if all(goal["met"] for goal in result["goals"]) else 3


if __name__ == "__main__":
    sys.exit(main())
