# SPDX-License-Identifier: Apache-2.0
"""Records what AMD's own driver and tools do to a card, and the card to them: registers, memory,
interrupts, for cosim/tests/xdma_replay_test.cpp. AMD's source is the user's (XDMA/linux-kernel of
dma_ip_drivers). Exit status: 0 done, 1 it could not be recorded."""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from cosim.commands import must
from cosim.guests import FLAVOURS, VERSION, BuildError, Card, Guest, GuestError, Kernel, kernel
from driver import amd
from tools.debian import UnavailableError

FLAVOUR = FLAVOURS["arm64"]
OUTPUT = Path(__file__).resolve().parents[1] / "cosim" / "tests" / "recordings"
DATA_BYTES = 5000
CONTROL = "/dev/xdma0_control"


@dataclass(frozen=True)
class Scene:
    """A design, and what is done with it once the driver is there."""

    design: str
    parameters: str  # of the module
    commands: tuple[str, ...]


def there_and_back(size: int, address: int) -> tuple[str, ...]:
    return amd.there_and_back("/data", f"/tmp/back{size}", size, address)


def looped_back(size: int) -> Iterator[str]:
    back = f"/tmp/back{size}"
    yield (
        f": > {back}; dma_from_device -d /dev/xdma0_c2h_0 -f {back} -s {size} -c 1 & sleep 0.5; "
        f"dma_to_device -d /dev/xdma0_h2c_0 -f /data -s {size} -c 1 && wait"
    )
    yield f"cmp -n {size} {back} /data"


def look(*offsets: int) -> Iterator[str]:
    for offset in offsets:
        yield f"reg_rw {CONTROL} {offset:#x} w"


def put(offset: int, value: int) -> str:
    return f"reg_rw {CONTROL} {offset:#x} w {value:#x}"


def set_and_clear(register: int, bit: int) -> Iterator[str]:
    """By the registers behind it, of which one sets and one clears."""
    for way in (0x4, 0x8):
        yield put(register + way, bit)
        yield from look(register)


def registers() -> Iterator[str]:
    """Each register, when nothing moves; those that are only written, with what they change."""
    for channel in (0x0000, 0x1000):
        yield from look(*(channel + at for at in (0x00, 0x04, 0x40, 0x44, 0x48, 0x4C, 0x88, 0x8C)))
        yield from set_and_clear(channel + 0x04, 0x2)
        yield from set_and_clear(channel + 0x90, 0x2)
        yield put(channel + 0xC0, 0x2)  # counters cleared
        yield put(channel + 0xC0, 0x4)  # to run until the next transfer has ended
        yield from look(*(channel + at for at in range(0xC0, 0xDC, 4)))
        yield from look(*(channel + 0x4000 + at for at in (0x00, 0x80, 0x84, 0x88, 0x8C)))
    for enable in (0x2004, 0x2010):
        yield from set_and_clear(enable, 0x2)
        yield put(enable + 0x4, 0x2)  # as it was
    yield from look(0x2000, 0x2040, 0x2044, 0x2048, 0x204C)
    yield from look(0x2080, 0x2084, 0x2088, 0x208C, 0x20A0, 0x20A4, 0x3000, 0x6000)
    for several in (0x6010, 0x6020):
        yield from set_and_clear(several, 0x1)


SCENES = {
    "xdma-interrupt": Scene(
        "xdma",
        "poll_mode=0",
        (
            *there_and_back(4, 0),
            *there_and_back(1000, 77),
            *there_and_back(DATA_BYTES, 4096),
            *registers(),
            *there_and_back(64, 1 << 20),
        ),
    ),
    "xdma-poll": Scene("xdma", "poll_mode=1", (*there_and_back(4, 3), *there_and_back(1000, 64))),
    "xdma-stream": Scene(
        "xdma_stream",
        "poll_mode=0",
        (put(amd.LOOP_BACK, 1), *looped_back(64), *looped_back(1000)),
    ),
    "xdma-stream-credits": Scene(
        "xdma_stream",
        "poll_mode=0 enable_st_c2h_credit=1",
        (put(amd.LOOP_BACK, 1), *looped_back(64), *looped_back(1000)),
    ),
}


def record(built: Kernel, module: Path, tools: dict[str, Path], name: str, folder: Path) -> None:
    """Plays a scene; what has passed takes the place of what was kept."""
    scene = SCENES[name]
    data = random.Random(name).randbytes(DATA_BYTES)
    file = folder / f"{name}.txt"
    options = ("--width", "128", "--record", str(file))
    with Guest(
        FLAVOUR.name,
        version=built.version,
        cards=[Card(f"pcie/{scene.design}", options)],
        modules=[module],
        files={**tools, "/data": data},
        name="recordings",
    ) as guest:
        must(guest, f"insmod /modules/xdma.ko {scene.parameters}")
        for command in scene.commands:
            must(guest, f"PATH=$PATH:{amd.FOLDER}; {command}")
        must(guest, "rmmod xdma")
    shutil.move(file, OUTPUT / file.name)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m driver.recordings", description=__doc__)
    parser.add_argument("source", type=Path, help="AMD's XDMA/linux-kernel")
    parser.add_argument("scenes", nargs="*", default=list(SCENES), help=", ".join(SCENES))
    given = parser.parse_args()
    for name in given.scenes:
        if name not in SCENES:
            parser.error(f"there is no {name}; allowed: {', '.join(SCENES)}")
    OUTPUT.mkdir(exist_ok=True)
    try:
        built = kernel(FLAVOUR, VERSION)
        tools = amd.tools(FLAVOUR.processor, given.source)
        with tempfile.TemporaryDirectory(prefix="sluice-amd-") as folder:
            module = amd.module(built, given.source, Path(folder) / "xdma-amd")
            for name in given.scenes:
                print(f"{name} ...", flush=True)
                record(built, module, tools, name, Path(folder))
    except (UnavailableError, BuildError, GuestError, AssertionError, OSError) as error:
        print(f"recordings: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
