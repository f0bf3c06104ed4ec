# SPDX-License-Identifier: Apache-2.0
"""The tables of the page about frames of a camera (REDS 2024)."""

from collections.abc import Callable, Mapping

from linux_results import KIB, Results, short_us, sizes_of, table_of
from sluice.errors import RunError
from sluice.experiments.linux.result import LinuxRow

_MB_S = 400  # 32 bits at 100 MHz
_BEAT_BYTES = 4
_LOST_CYCLES = 5
_CHUNKS = {  # bytes: which works of reds-chunk have them
    **dict.fromkeys((64, 256, 512, 1504), "small chunks"),
    **dict.fromkeys((4 * KIB, 64 * KIB, 1024 * KIB), "large chunks"),
}
_COPIES = (64, 256, KIB, 1504, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, 600 * KIB)
_LIMITS = (4 * KIB, 64 * KIB, 600 * KIB)
_LINES = (16 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 1024 * KIB, 4096 * KIB)
_PAGES = (64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB, 2048 * KIB)


def frames(results: Results) -> str:
    """Return what is left of the time from one frame to the next."""
    return _frames_of(results, "reds-frames")


def long(results: Results) -> str:
    """Return the same of as many frames as were published."""
    return _frames_of(results, "reds-frames-long")


def _frames_of(results: Results, experiment: str) -> str:
    rows = []
    for row in results.of[experiment].rows:
        if row.frames is None:
            continue
        counts = (row.us.runs, row.frames.lost, row.frames.dropped_beats)
        left = f"{100 * row.frames.left:.1f} %"
        rows.append([row.name, f"{row.us.median:.0f}", left, *map(str, counts)])
    head = [
        "way",
        "busy with a frame, us",
        "left of 8.33 ms",
        "frames seen",
        "lost",
        "beats dropped",
    ]
    return table_of(head, rows)


def chunks(results: Results) -> str:
    """Return the rates of the engine by the size of a chunk, MB/s."""
    formula = [f"{_MB_S * size / (size + _BEAT_BYTES * _LOST_CYCLES):.1f}" for size in _CHUNKS]
    rows = [["printed formula, 5 cycles lost", *formula]]
    for way, name in (
        ("the source pauses for 5 cycles", "5 cycles behind each chunk"),
        ("no pause", "no pause"),
    ):
        found = (
            results.row("reds-chunk", f"{name}, {kind}", size, "engine")
            for size, kind in _CHUNKS.items()
        )
        rows.append([way, *(f"{row.bytes / row.us.mean:.1f}" for row in found)])
    return table_of(["MB/s", *sizes_of(tuple(_CHUNKS))], rows)


def copies(results: Results) -> str:
    """Return the times of copies by the kernel, us."""
    rows = []
    for way, name, view in (
        ("`read()`", "read() of a frame", "user"),
        ("`copy_to_user()` within it", "read() of a frame", "kernel"),
        ("the same by the tracer", "read() of a frame, traced", "kernel"),
    ):
        found = [results.row("reds-copy", name, size, view) for size in _COPIES]
        rows.append([way, *(short_us(row.us.median) for row in found)])
    return table_of(["us", *sizes_of(_COPIES)], rows)


def loads(results: Results) -> str:
    """Return the times of loads that wait for each other, ns, by how much memory there is."""
    rows = []
    for way, name, sizes in (
        ("random lines", "1,000 loads, of random lines", _LINES),
        ("a line of each page", "1,000 loads, of a line in each page", _PAGES),
    ):
        # The time of 1,000 loads in us is that of one in ns.
        found = (results.row("reds-tools", name, size) for size in sizes)
        cells = [f"{short_us(row.us.median)} ({row.bytes // KIB} KiB)" for row in found]
        rows.append([way, *cells])
    return table_of(["ns a load (of so much memory)", *("",) * len(_LINES)], rows)


def tools(results: Results) -> str:
    """Return what the two tools printed beside what ours gives."""
    copy = results.row("reds-tools", "copy in order", 32768 * KIB)
    line = results.row("reds-tools", "1,000 loads, of random lines", 128 * KIB)
    page = results.row("reds-tools", "1,000 loads, of a line in each page", 256 * KIB)
    hit = results.row("reds-tools", "1,000 loads, of random lines", 16 * KIB)
    kernel = results.row("reds-copy", "read() of a frame", 600 * KIB, "kernel")

    def printed_us(row: LinuxRow) -> float:
        if row.published_us is None:
            raise RunError(f"'{row.name}' of {row.bytes} bytes has no printed figure")
        return row.published_us

    rows = [
        ["copy in order, 32 MiB, MB/s", f"{copy.bytes / printed_us(copy):.1f}", f"{copy.mb_s:.1f}"],
        [
            "a miss of the L1 cache adds, ns",
            f"{printed_us(line):.2f}",
            f"{line.us.median - hit.us.median:.1f}",
        ],
        [
            "a miss of the TLB adds, ns",
            f"{printed_us(page):.2f}",
            f"{page.us.median - hit.us.median:.1f}",
        ],
        [
            "`copy_to_user()` of 614,400 bytes, us (fitted)",
            f"{printed_us(kernel):,.0f}",
            f"{kernel.us.median:,.0f}",
        ],
    ]
    return table_of(["", "REDS 2024", "in the guest"], rows)


def limits(results: Results) -> str:
    """Return the shortest times from frame to frame without loss, and the rates of the streams."""
    found: dict[str, list[str]] = {}
    for row in results.of["reds-limits"].rows:
        if row.view == "user":
            cell = f"{short_us(row.us.median)} us, {row.mb_s:.0f} MB/s"
            found.setdefault(row.name, []).append(cell)
    rows = [[way, *cells] for way, cells in found.items()]
    return table_of(["way", *sizes_of(_LIMITS)], rows)


_PORTS = (64 * KIB, 600 * KIB)


def ports(results: Results) -> str:
    """Return the shortest times of one capture and of several, and their rates together."""
    found: dict[str, list[str]] = {}
    for row in results.of["capture-ports"].rows:
        if row.view == "user":
            cell = f"{short_us(row.us.median)} us, {row.mb_s:.0f} MB/s"
            found.setdefault(row.name, []).append(cell)
    rows = [[way, *cells] for way, cells in found.items()]
    return table_of(["captures", *sizes_of(_PORTS)], rows)


def beside(results: Results) -> str:
    """Return what a capture loses beside copies, and what these copy."""
    rows = []
    for row in results.of["capture-beside"].rows:
        if row.frames is not None:
            copied = "-" if row.beside_mb_s is None else f"{row.beside_mb_s:.0f}"
            rows.append([row.name, str(row.frames.dropped_beats), str(row.frames.lost), copied])
    return table_of(["capture", "beats dropped", "frames lost", "copied meanwhile, MB/s"], rows)


PARTS: Mapping[str, Callable[[Results], str]] = {
    "frames": frames,
    "long": long,
    "chunks": chunks,
    "copies": copies,
    "loads": loads,
    "tools": tools,
    "limits": limits,
    "ports": ports,
    "beside": beside,
}
