# SPDX-License-Identifier: Apache-2.0
"""Write the tables of pages about programs under Linux from the results that are kept.

`python python/tools/linux_tables.py` reads the results of experiments of kind linux in
docs/evidence/experiments, which `sluice run NAME --json FILE` writes, and replaces each part of a
page between `<!-- NAME -->` and `<!-- end -->`. With `--check` it writes nothing, and fails if a
page is not what they say.
"""

import argparse
import re
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import reds_tables
from linux_results import KIB, Results, read_results, short_us, sizes_of, table_of
from sluice.errors import RunError, SluiceError
from sluice.experiments.linux.result import Fit, LinuxRow

EXPLANATION = Path(__file__).resolve().parents[2] / "docs" / "explanation"
SIZES = tuple(KIB * size for size in (4, 16, 32, 64, 128))
ROUTED_MHZ = 169  # docs/reference/fpga-report.md: the copy engine in an XC7Z020-1
TABLES = {  # of user space; the one of kernel space follows each
    "5.1": "programmed I/O",
    "5.3": "PS-DMA, buffers mapped for each call",
    "5.5": "PS-DMA",
    "5.7": "PS-DMA to the logic",
    "6.1": "CDMA on HP0",
    "6.3": "CDMA on the ACP",
    "6.5": "CDMAs on HP0 and HP2",
    "6.7": "CDMA on HP0, to the logic",
    "6.9": "CDMA on the ACP, to the logic",
    "6.11": "CDMAs on HP0 and HP2, to the logic",
    "6.13": "CDMAs on all HP, to the logic",
    "6.15": "AXI DMA, loop-back",
}


def kernel_table(table: str) -> str:
    """Return the number of the table of kernel space that belongs to one of user space."""
    chapter, number = table.split(".")
    return f"{chapter}.{int(number) + 1}"


def _cell(row: LinuxRow | None) -> str:
    if row is None:
        return "-"
    printed = "" if row.published_us is None else f" ({row.published_us:g})"
    return f"{row.us.median:.0f}{printed}"


def _agreement(fit: Fit | None) -> list[str]:
    if fit is None:
        return ["not given", "", ""]
    return [
        f"{fit.slope_difference:+.1%}".replace("%", " %"),
        f"{fit.intercept_difference:+.0%}".replace("%", " %"),
        f"{fit.mean_error:.1%}".replace("%", " %"),
    ]


def _printed(results: Results, title: str, number: Callable[[str], str]) -> str:
    sizes = [f"{size // KIB} KiB" for size in SIZES]
    rows = []
    for user, way in TABLES.items():
        table = number(user)
        cells = [_cell(results.printed.get((table, size))) for size in SIZES]
        rows.append([table, way, *cells, *_agreement(results.fits.get(table))])
    return table_of(["table", title, *sizes, "slope", "start", "rows"], rows)


def user_tables(results: Results) -> str:
    """Return our times beside those of user space, us."""
    return _printed(results, "way, as a program sees it", lambda table: table)


def kernel_tables(results: Results) -> str:
    """Return our times beside those of kernel space, us."""
    return _printed(results, "the same in the kernel", kernel_table)


def summary(results: Results) -> str:
    """Return what the user tables that are given agree to."""
    given = [results.fits[table] for table in TABLES if table in results.fits]
    slope = statistics.fmean(abs(fit.slope_difference) for fit in given)
    start = statistics.fmean(abs(fit.intercept_difference) for fit in given)
    large = statistics.fmean(fit.large_mean_error or 0 for fit in given)
    return (
        "In the user tables with printed times, the mean of |difference| is:\n\n"
        f"- slopes: {slope * 100:.1f} %\n"
        f"- starts: {start * 100:.0f} %\n"
        f"- rows of 32 KiB and more: {large * 100:.1f} %"
    )


# Way, table that was printed of it, its size in KiB, our calls one at a time, busy polling, queued:
# names of works of the experiment.
_WAYS: tuple[tuple[str, str, str, int, str, str, tuple[tuple[str, str], ...]], ...] = (
    ("by the processor", "zynq-pio", "5.1", 32, "write() again and again", "", ()),
    (
        "PS-DMA",
        "zynq-psdma",
        "5.5",
        64,
        "one copy a channel at a time, channels: 1",
        "",
        (
            ("16, 1 channel", "queue of 16, channels: 1"),
            ("16, 8 channels", "queue of 16, channels: 8"),
        ),
    ),
    (
        "PS-DMA to the logic",
        "zynq-psdma-pl",
        "5.7",
        64,
        "one copy a channel at a time, channels: 1",
        "",
        (
            ("16, 1 channel", "queue of 16, channels: 1"),
            ("16, 8 channels", "queue of 16, channels: 8"),
        ),
    ),
    (
        "CDMA on HP0",
        "zynq-cdma",
        "6.1",
        64,
        "HP0: one copy at a time",
        "",
        (("16", "HP0: queue of 16"),),
    ),
    (
        "CDMA on HP0, to the logic",
        "zynq-cdma-pl",
        "6.7",
        64,
        "HP0: one copy a port at a time",
        "HP0: one copy at a time, busy polling",
        (("16", "HP0: queue of 16"),),
    ),
    (
        "CDMAs on all HP, to the logic",
        "zynq-cdma-pl",
        "6.13",
        64,
        "all HP: one copy a port at a time",
        "all HP: one copy a port at a time, busy polling",
        (("16", "all HP: queue of 16"),),
    ),
    (
        "AXI DMA, loop-back, one direction",
        "zynq-loop",
        "6.15",
        512,
        "one transfer each way at a time",
        "",
        (("4", "queue of 4"),),
    ),
)


def other_ways(results: Results) -> str:
    """Return the rates of sluice.ko beside the printed ones, MB/s."""
    rows = []
    for way, experiment, table, kib, one, polling, queues in _WAYS:
        size = kib * KIB
        published = results.printed[table, size].published_us
        queued = [f"{results.rate(experiment, name, size)} ({depth})" for depth, name in queues]
        rows.append(
            [
                f"{way}, {kib} KiB",
                "not given" if published is None else f"{size / published:.0f}",
                results.rate(experiment, one, size),
                results.rate(experiment, polling, size) if polling else "-",
                ", ".join(queued) or "-",
            ]
        )
    head = ["way", "printed", "one call at a time", "and busy polling", "queued (depth)"]
    return table_of(head, rows)


def crossover(results: Results) -> str:
    """Return the times of small calls by the processor and by a CDMA, us."""
    ways = (
        ("`write()`, by the processor", "zynq-pio", "write() again and again"),
        ("`write()`, by a CDMA, polled", "zynq-cdma", "HP0: write() again and again"),
        ("a queue of `sluice.ko`, one copy at a time", "zynq-cdma", "HP0: one copy at a time"),
    )
    sizes = sorted(
        {row.bytes for _, experiment, name in ways for row in results.of[experiment].rows
         if row.name == name and row.view == "user" and row.bytes <= 16 * KIB}
    )  # fmt: skip
    rows = []
    for way, experiment, name in ways:
        found = {
            row.bytes: f"{row.us.median:.1f}"
            for row in results.of[experiment].rows
            if row.name == name and row.view == "user"
        }
        rows.append([way, *(found.get(size, "-") for size in sizes)])
    return table_of(["way, us", *(f"{size} B" for size in sizes)], rows)


def clocks(results: Results) -> str:
    """Return the rates by the logic's clock, MB/s."""
    names = (
        "HP0, one copy a port at a time",
        "HP0, queue of 16",
        "all HP, one copy a port at a time",
        "all HP, queue of 16",
    )
    rows = []
    mhz = dict.fromkeys(row.clock_mhz for row in results.of["zynq-clock"].rows)
    for clock in (clock for clock in mhz if clock is not None):
        rates = [results.rate("zynq-clock", f"{clock:.0f} MHz: {name}", 64 * KIB) for name in names]
        rows.append([f"{clock:.0f}{'*' if clock > ROUTED_MHZ else ''}", *rates])
    return table_of(["MHz of the logic", *names], rows)


def threads(results: Results) -> str:
    """Return the rates of one thread and of one for each port, MB/s."""
    ways = (
        "one copy a port at a time",
        "a thread a port, one copy at a time",
        "queue of 16",
    )
    rows = [
        [ports, *(results.rate("zynq-cdma-pl", f"{ports}: {way}", 64 * KIB) for way in ways)]
        for ports in ("HP0 and HP2", "all HP")
    ]
    return table_of(["ports", *ways], rows)


def _by_size(
    results: Results, experiment: str, ways: Sequence[tuple[str, str]], sizes: Sequence[int]
) -> list[list[str]]:
    """Return a row of times for each way, us: what it is called here, and the name of its work."""
    return [
        [way, *(short_us(results.row(experiment, name, size).us.median) for size in sizes)]
        for way, name in ways
    ]


def pipe(results: Results) -> str:
    """Return the times of a pipe, both ways together, us."""
    sizes = tuple(KIB * size for size in (4, 16, 64, 128, 512))
    printed = (results.printed["6.17", size].published_us for size in sizes)
    ways = (
        ("a new process, with open()", "open(), write() and read(), one pass a process"),
        ("a new process, without", "write() and read(), one pass a process"),
        ("again and again", "write() and read() again and again"),
        (
            "no copies by the driver, each word touched",
            "no copies by the driver, each word touched",
        ),
    )
    rows = [["Xillybus, printed", *(f"{us:.0f}" for us in printed if us is not None)]]
    rows += _by_size(results, "zynq-pipe", ways, sizes)
    return table_of(["way, us", *sizes_of(sizes)], rows)


def registers(results: Results) -> str:
    """Return the times of a copy that a program starts by the engine's registers, us."""
    sizes = (256, KIB, 4 * KIB, 16 * KIB, 64 * KIB)
    ways = (
        ("no kernel", "memory to memory: no kernel, again and again"),
        ("no kernel, a new process", "memory to memory: no kernel, one copy a process"),
        ("`write()`, the driver polls", "memory to memory: write() again and again"),
        ("`sluice.ko`, one copy at a time", "memory to memory: sluice.ko, one copy at a time"),
    )
    rows = _by_size(results, "zynq-direct", ways, sizes)
    return table_of(["way, us", *sizes_of(sizes)], rows)


def coherent(results: Results) -> str:
    """Return the times and rates of the loop-back on HP0 and on the ACP, 64 KiB."""
    ways = (
        ("as published, mapped for each call, again and again",) + ("write() again and again",) * 2,
        (
            "`sluice.ko`, one at a time, accesses bracketed",
            "one transfer each way at a time, caches maintained",
            "one transfer each way at a time, accesses bracketed",
        ),
        ("`sluice.ko`, one at a time, buffers stay mapped",)
        + ("one transfer each way at a time",) * 2,
        ("`sluice.ko`, queue of 4", "queue of 4", "queue of 4"),
    )
    rows = []
    for way, *names in ways:
        of_ports = zip(("", "ACP: "), names, strict=True)
        found = [results.row("zynq-loop", port + name, 64 * KIB) for port, name in of_ports]
        rows.append([way, *(f"{row.us.median:.0f} us, {row.mb_s:.0f} MB/s" for row in found)])
    return table_of(["way", "HP0", "ACP"], rows)


def energy(results: Results) -> str:
    """Return what was counted of a call, and the energy of a byte, nJ."""
    ways = (
        ("programmed I/O", "programmed I/O: write()"),
        ("CDMA, the driver polls", "CDMA on HP0: write(), the driver polls"),
        ("CDMA, `sluice.ko`, one at a time", "CDMA on HP0: sluice.ko, one copy at a time"),
        ("CDMA, `sluice.ko`, queue of 16", "CDMA on HP0: sluice.ko, queue of 16"),
        ("PS-DMA, `sluice.ko`, one at a time", "PS-DMA: sluice.ko, one copy at a time"),
        ("PS-DMA, `sluice.ko`, queue of 16", "PS-DMA: sluice.ko, queue of 16"),
        (
            "AXI DMA loop-back, `sluice.ko`, one at a time",
            "AXI DMA on HP0, loop-back: sluice.ko, one transfer each way at a time",
        ),
        (
            "AXI DMA loop-back, `sluice.ko`, queue of 4",
            "AXI DMA on HP0, loop-back: sluice.ko, queue of 4",
        ),
    )
    rows = []
    for way, name in ways:
        found = results.row("zynq-energy", name, 32 * KIB).energy
        if found is None:
            raise RunError(f"zynq-energy.json: '{name}' has no energy")
        counted = found.counted
        reads = counted.processor_reads + counted.engine_reads
        writes = counted.processor_writes + counted.engine_writes
        parts = (found.memory, found.standby, found.processor, found.total)
        ranges = [f"{_two_digits(part.low)}-{_two_digits(part.high)}" for part in parts]
        rows.append([way, f"{reads:.0f}, {writes:.0f}", f"{counted.active_us:.0f}", *ranges])
    head = [
        "way",
        "bursts read, written",
        "processor busy, us",
        "memory",
        "its standby",
        "processor",
        "sum",
    ]
    return table_of(head, rows)


def _two_digits(value: float) -> str:
    return f"{value:.2f}" if value < 1 else f"{value:.1f}"


Parts = Mapping[str, Callable[[Results], str]]
ZYNQ_PARTS: Parts = {
    "user tables": user_tables,
    "kernel tables": kernel_tables,
    "summary": summary,
    "other ways": other_ways,
    "coherent": coherent,
    "crossover": crossover,
    "pipe": pipe,
    "registers": registers,
    "threads": threads,
    "energy": energy,
    "clocks": clocks,
}


PAGES: Mapping[str, Parts] = {
    "zynq-tables.md": ZYNQ_PARTS,
    "frames-of-a-camera.md": reds_tables.PARTS,
}


def with_parts(name_of_page: str, page: str, results: Results) -> str:
    """Return the page with its parts as the results say."""
    for name, part in PAGES[name_of_page].items():
        text = f"<!-- {name} -->\n{part(results)}\n<!-- end -->"
        pattern = rf"<!-- {re.escape(name)} -->\n.*?<!-- end -->"
        page, found = re.subn(pattern, text.replace("\\", r"\\"), page, flags=re.DOTALL)
        if found != 1:
            raise RunError(f"{name_of_page} has part '{name}' {found} times, must have it once")
    return page


def main() -> int:
    """Write the pages, or check them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail if one is stale")
    check = parser.parse_args().check
    stale = []
    try:
        results = read_results()
        for name in PAGES:
            path = EXPLANATION / name
            page = path.read_text(encoding="utf-8")
            wanted = with_parts(name, page, results)
            if wanted != page and not check:
                path.write_text(wanted, encoding="utf-8")
            elif wanted != page:
                stale.append(name)
    except SluiceError as error:
        print(f"linux_tables: {error}", file=sys.stderr)
        return error.exit_status
    except KeyError as error:
        print(f"linux_tables: the results do not have {error}", file=sys.stderr)
        return RunError.exit_status
    for name in stale:
        print(
            f"{name} is not what the results in docs/evidence say; run python "
            "python/tools/linux_tables.py",
            file=sys.stderr,
        )
    return int(bool(stale))


if __name__ == "__main__":
    sys.exit(main())
