#!/usr/bin/env -S python3 -S
# SPDX-License-Identifier: Apache-2.0
"""A stand-in for sluice-bench that obeys its contract, and misbehaves when told to.

FAKE_BENCH_SLEEP_S  seconds that a run takes
FAKE_BENCH_FREE     so many command lines of the log take no time
FAKE_BENCH_MODE     ok | garbage | array | short | wrong-run | twice | silent | fail | refuse |
                    crash | corrupt | deaf | bad-list | list-fails
                    card: `transfers` has a queue, a link and settings, instead of 2 us for each
SLUICE_PARENT       the process that started it; when that has gone, a run ends
FAKE_BENCH_LOG      a file to which each command line that measures is appended
"""

import fcntl
import hashlib
import json
import os
import signal
import sys
import time
from types import SimpleNamespace

MODE = os.environ.get("FAKE_BENCH_MODE", "ok")
HAS_PARENT = os.environ.get("SLUICE_PARENT") == str(os.getppid())
PEAK_MB_S = 4264.0
PEAK_LINK_MB_S = 7857.0
CATALOGUE = {
    "version": "0.0.0-fake",
    "boards": [
        {
            "name": "zynq7010",
            "uri": "sim:zynq7010/hp_stress",
            "description": "Zynq-7010 with DDR3-1066, 32 bits, simulated",
            "designs": [
                {
                    "name": "hp_stress",
                    "description": "One AXI DMA on each of four HP ports",
                    "ports": ["HP0", "HP1", "HP2", "HP3"],
                    "widths": [32, 64],
                    "directions": ["both", "duplex", "mm2s", "s2mm"],
                    "full_rate": True,
                },
                {
                    "name": "capture",
                    "description": "One AXI DMA without end, for programs that use the library",
                    "ports": ["HP0"],
                    "widths": [64],
                    "directions": [],
                },
            ],
            "ddr_peak_mb_s": PEAK_MB_S,
            "memory_bytes": 512 << 20,
            "default_clock_mhz": 100,
            "clock_mhz": [10, 250],
            "max_transfer_bytes": (1 << 26) - 1,
            "presets": {"bare_metal": {"start_cost_ns": 2100, "start_cost_clocks": 210}},
            "overload_error": {"mean_percent": 3.0, "worst_percent": 6.0},
        },
        *(
            {
                "name": name,
                "uri": f"sim:{name}/xdma",
                "description": "A card in a PC, simulated",
                "designs": [
                    {
                        "name": design,
                        "description": "AMD's XDMA registers",
                        "ports": ["PCIe"],
                        "widths": [256],
                        "directions": [],
                        "levels": levels,
                    }
                    for design, levels in (
                        ("xdma", ["rtl", "transaction"]),
                        ("xdma_stream", ["rtl"]),
                    )
                ],
                "ddr_peak_mb_s": PEAK_LINK_MB_S,
                "memory_bytes": 1 << 30,
                "default_clock_mhz": 250,
                "clock_mhz": [10, 500],
                "max_transfer_bytes": (1 << 28) - 1,
                "presets": {"bare_metal": {"start_cost_ns": 500}},
            }
            for name in ("pcie-gen2x4", "pcie-gen3x8")
        ),
    ],
}
DEVICE = {
    "version": "0.0.0-fake",
    "device": {
        "uri": "dev:card",
        "design": "",
        "clock": "CLOCK_MONOTONIC_RAW",
        "ports": [
            {
                "number": number,
                "name": f"HP{number}",
                "directions": ["duplex"],
                "width_bits": 0,
                "max_transfer_bytes": 1 << 20,
            }
            for number in (0, 2)
        ],
    },
}
# Shares of the expected rate that a 64-bit duplex row reaches.
DUPLEX = {"0": 0.999, "0,1": 0.71, "0,2": 0.995, "0,1,2": 0.64, "0,1,2,3": 0.61}


REAL = ("start-cost-ns", "skew-ns", "clock-mhz")
WHOLE = ("width", "bytes", "runs", "first-run", "seed", "stagger-bytes")
SIMULATED = {"board", "design", "level", "start-cost-ns", "skew-ns"}
REPEATED = ("set", "attribute")
FLAG = "--fast-forward"


def arguments() -> SimpleNamespace:
    """Read `measure`'s options: argparse takes longer to import than all else here together."""
    given: dict[str, object] = {}
    words = [word for word in sys.argv[2:] if word != FLAG]
    for option, text in zip(words[::2], words[1::2], strict=True):
        name = option.removeprefix("--")
        given[name] = int(text) if name in WHOLE else float(text) if name in REAL else text
    simulated = "device" not in given
    needed = {"direction", "ports", "clock-mhz", *WHOLE}
    needed |= SIMULATED if simulated else {"device"}
    wrong = needed.symmetric_difference(set(given) - set(REPEATED))
    if wrong:
        sys.exit(f"fake_bench: missing or unknown: {', '.join(sorted(wrong))}")
    if not simulated:
        given |= {"start-cost-ns": 0.0, "skew-ns": 0.0}
    return SimpleNamespace(**{name.replace("-", "_"): value for name, value in given.items()})


def measure(row: SimpleNamespace, run: int) -> dict[str, object]:
    """Return one run, made up from the row, the seed and the run's number alone."""
    ports = row.ports.split(",")
    directions = 2 if row.direction == "duplex" else 1
    engines = len(ports) * directions
    expected = min(engines * row.width / 8 * row.clock_mhz, PEAK_MB_S)
    share = DUPLEX.get(row.ports, 1.0) if row.width == 64 and directions == 2 else 1.0
    text = f"{row.seed} {run} {row.width} {row.direction} {row.ports} {row.bytes} {row.clock_mhz}"
    chance = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") / 2**32
    rate = expected * share * (1 - 0.03 * chance * (1.01 - share) * 10)
    total = engines * row.bytes
    duration_ns = total / rate * 1000 + 350 + row.start_cost_ns * len(ports)
    return {
        "run": run,
        "mb_s": total / duration_ns * 1000,
        "bytes": total,
        "start_ns": 0.0,
        "finish_ns": duration_ns,
        "pl_cycles": int(duration_ns * row.clock_mhz / 1000),
        "verified": MODE != "corrupt",
        "skew_ns": [round(chance * row.skew_ns, 3)] * len(ports),
        "clock": "CLOCK_MONOTONIC_RAW" if hasattr(row, "device") else "simulated",
    }


def list_device(uri: str) -> int:
    """Behave like `sluice-bench list --device`."""
    if uri == "dev:none":
        sys.stderr.write("sluice-bench: unknown board 'none'; /dev/sluice has: card\n")
        return 2
    document = json.loads(json.dumps(DEVICE))
    document["device"]["uri"] = uri
    if uri.startswith("vfio:"):
        document["device"]["design"] = "dma_loopback"
        for port in document["device"]["ports"]:
            port["width_bits"] = 64
    sys.stdout.write(json.dumps(document))
    return 0


def log() -> bool:
    """Append the command line to the log, if there is one; tell whether it takes no time."""
    name = os.environ.get("FAKE_BENCH_LOG")
    if not name:
        return False
    with open(name, "a+", encoding="utf-8") as file:  # noqa: PTH123  (pathlib takes long to import)
        fcntl.flock(file, fcntl.LOCK_EX)  # those that start together are counted one by one
        file.write(" ".join(sys.argv[1:]) + "\n")
        file.seek(0)
        number = len(file.read().splitlines())
    return number <= int(os.environ.get("FAKE_BENCH_FREE", "0"))


def pause(free: bool) -> None:  # noqa: FBT001
    """Take the time of a run."""
    seconds = 0.0 if free else float(os.environ.get("FAKE_BENCH_SLEEP_S", "0"))
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if HAS_PARENT and os.environ["SLUICE_PARENT"] != str(os.getppid()):
            os._exit(130)
        time.sleep(min(0.01, max(0.0, deadline - time.monotonic())))


def card(given: dict[str, str]) -> dict[str, float]:
    """Return what a chunk takes in a full queue, in ns, and the shares of that time.

    The card waits for one of these, whichever is slowest: the software and the way there and back,
    shared by the queue; tags of reads; credits of writes; the wire.
    """
    pairs = zip(sys.argv[2::2], sys.argv[3::2], strict=True)
    settings = dict(text.split("=") for option, text in pairs if option == "--set")
    size, depth, reads = int(given["--bytes"]), int(given["--depth"]), "HF" in given["--code"]
    latency = 0 if settings.get("root_read_ns") == "0" else 1000
    software = int(given.get("--start-cost-ns", "500"))
    software += 1000 if given["--completions"] == "interrupt" else 0
    packets = -(-size // int(settings.get("mps", "256")))
    wire = (size + 32 + 24 * packets) / PEAK_LINK_MB_S * 1000
    waits = {
        "tags": latency * -(-size // 512) / int(settings.get("tags", "32")) if reads else 0.0,
        "credits": 0.0 if reads else 400 * packets / int(settings.get("posted_headers", "64")),
        "queue": (latency + software) / depth,
    }
    one = max(wire, *waits.values())
    shares = {f"{name}_share": float(one == waits[name]) for name in ("tags", "credits")}
    shares["completion_share"] = min(1.0, latency / one)
    return {"one": one} | shares | dict.fromkeys(("up_share", "down_share"), wire / one)


def transfers() -> int:
    """Behave like `sluice-bench transfers`: 2 µs and 1 ns for 2 bytes; one in fifty takes 9 µs."""
    pause(log())
    words = [word for word in sys.argv[2:] if word not in ("--pageable", "--steps")]
    given = dict(zip(words[::2], words[1::2], strict=True))
    if "--device" in given and {"--completions", "--design", "--level"} & set(given):
        sys.stderr.write("sluice-bench: --device excludes what is simulated\n")
        return 2
    size, iterations = int(given["--bytes"]), int(given["--iterations"])
    if MODE == "refuse":
        sys.stderr.write(f"sluice-bench: a transfer has at most 64 bytes, not {size}\n")
        return 2
    one = 2000 + size // 2
    ways = 2 if given["--code"] == "FH+HF" else 1
    samples = [9000 if i % 50 == 49 else one for i in range(ways * iterations)]
    shares = {f"{name}_share": 0.0 for name in ("credits", "completion", "up", "down")}
    figures = {
        "elapsed_ns": one * iterations,
        "latency_ns": [] if given["--code"] in ("FM", "HM") else samples,
        "steps": [["c2h", 0, size, 0, one]] if "--steps" in sys.argv else [],
        "tags_share": 0.25,
        "verified": MODE != "corrupt",
    }
    if MODE == "card":
        shares = card(given)
        figures |= {"elapsed_ns": max(1, int(shares.pop("one") * iterations))}
    link = {"tags_share": figures.pop("tags_share")} | shares
    on_machine = "--cuda" in given or "--device" in given
    figures["link"] = None if on_machine else link
    figures["clock"] = "CLOCK_MONOTONIC_RAW" if on_machine else "simulated"
    figures["gpu"] = "stub" if "--cuda" in given else None
    if "--gpu" in given:
        figures["gpu"] = f"model {given['--gpu']}"
    print(json.dumps(figures))  # noqa: T201
    return 0


def main() -> int:  # noqa: C901, PLR0911, PLR0912
    """Behave like sluice-bench."""
    if sys.argv[1:2] == ["list"] and "--device" in sys.argv:
        return list_device(sys.argv[-1])
    if sys.argv[1:] == ["list"]:
        if MODE == "list-fails":
            sys.stderr.write("no board can be simulated here\n")
            return 1
        sys.stdout.write("not json" if MODE == "bad-list" else json.dumps(CATALOGUE))
        return 0
    if sys.argv[1] == "transfers":
        return transfers()
    if sys.argv[1] == "cpu":
        pause(log())
        if MODE == "refuse":
            sys.stderr.write("sluice-bench: 33 bytes of work\n")
            return 2
        uncached = "--uncached" in sys.argv
        sys.stdout.write(json.dumps({"cold_ns": 4e6 if uncached else 2e6, "warm_ns": 1e6}) + "\n")
        return 0
    if sys.argv[1] in ("isolation", "pipeline"):
        pause(log())
        if MODE == "fail" and sys.argv[1] == "pipeline":
            sys.stderr.write("sluice-bench: a command failed\n")
            return 1
        busy = 790.5 if "--through-memory" in sys.argv else 795.25
        figures = [
            {"name": "slowest thread", "value": busy, "unit": "MB/s"},
            {"name": "refused", "value": 3, "unit": "commands"},
        ]
        print(json.dumps({"figures": figures, "verified": MODE != "corrupt"}))  # noqa: T201
        return 0
    row = arguments()
    signal.signal(signal.SIGINT, lambda *_: None if MODE == "deaf" else os._exit(130))
    free = log()
    if MODE == "refuse":
        sys.stderr.write("sluice-bench: --bytes 7 is below 8\n")
        return 2
    if MODE == "garbage":
        sys.stdout.write("a line of prose\n")
    if MODE == "array":
        sys.stdout.write("[]\n")
    if MODE == "silent":
        return 0
    for run in range(row.first_run, row.first_run + row.runs):
        if MODE in ("fail", "crash") and run == 1:
            sys.stderr.write("port HP0: DMA reports DECERR at 0x20000000\n")
            sys.stderr.flush()
            if MODE == "crash":
                os.kill(os.getpid(), signal.SIGSEGV)
            return 1
        pause(free)
        found = measure(row, run)
        if MODE == "wrong-run":
            found["run"] = run + 1000
        line = json.dumps(found)
        sys.stdout.write(line[:20] if MODE == "short" else line + "\n")
        if MODE == "twice":
            sys.stdout.write(line + "\n")
        sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
