# SPDX-License-Identifier: Apache-2.0
"""The command line: what can be said, and nothing about how it is done."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

import sluice
from sluice.errors import InputError, SluiceError
from sluice.terminal import complain, output

app = typer.Typer(
    name="sluice",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)

_EXAMPLES = {
    "sluice": """
[bold]Examples[/bold]

  sluice list

  sluice run zynq7010-hp --json hp.json

  sluice report hp.json -o report
""",
    "list": """
[bold]Examples[/bold]

  sluice list

  sluice list --json
""",
    "run": """
[bold]Examples[/bold]

  sluice run zynq7010-hp

  sluice run zynq7010-hp --width 64 --direction duplex --ports 0,2 --full

  sluice run zynq7010-hp --clock-mhz 150 --start-cost-ns 0 --json hp-150.json

  sluice run zynq7010-streamsize --bytes 64KiB --runs 20 --json -

  sluice run zynq7010-hp --level transaction --full --runs 16 --json hp-32.json --continue

  sluice run ./my-experiment.toml -o results

  sluice run ./my-board.toml --device dev:0000:00:01.0 --json board.json

[bold]Exit status[/bold]

  0 all measured; 1 something failed; 2 wrong input; 130 ended by Ctrl-C, 143 by SIGTERM
  (what was measured is kept and marked partial).
""",
    "plan": """
[bold]Examples[/bold]

  sluice plan --board zynq7010 --read 1.2GB/s --write 600MB/s --clock-mhz 125 --chunk 64KiB

  sluice plan --board zynq7010 --write 2GB/s --json
""",
    "calibrate": """
[bold]Examples[/bold]

  sluice calibrate model/calibration/zynq7000.toml

  sluice calibrate mine.toml --json mine.json
""",
    "report": """
[bold]Examples[/bold]

  sluice report results/zynq7010-hp.json

  sluice report hp.json streamsize.json -o report

  sluice report hp.json -o hp.html

  sluice run zynq7010-hp --json - | sluice report - -o report
""",
}


def command(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status; everything that goes wrong is one sentence."""
    try:
        status = typer.main.get_command(app)(
            list(arguments), prog_name="sluice", standalone_mode=False
        )
    except SluiceError as error:
        complain(str(error))
        return error.exit_status
    except typer.TyperException as error:
        if message := error.format_message():
            complain(f"{message} (see `sluice --help`)")
        return error.exit_code
    return status if isinstance(status, int) else 0


def _show_version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        typer.echo(f"sluice {sluice.__version__}")
        raise typer.Exit


@app.callback(epilog=_EXAMPLES["sluice"])
def _sluice(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Measure what the memory ports of an FPGA board deliver, beside what silicon delivered.

    Boards are simulated: the real logic moves real data, verified byte by byte, and time is
    simulated time. `run --device` measures a real one, by the clock of its system.
    """
    del version


@app.command("list", epilog=_EXAMPLES["list"])
def _list(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of tables.")
    ] = False,
) -> None:
    """Show boards, designs and experiments."""
    from sluice import bench, listing  # noqa: PLC0415  (numpy only where something is measured)
    from sluice.cpu import load_any  # noqa: PLC0415
    from sluice.paths import experiment_files, find_bench  # noqa: PLC0415

    catalogue = bench.catalogue(find_bench())
    experiments = [load_any(path) for path in experiment_files().values()]
    if as_json:
        typer.echo(listing.to_json(catalogue, experiments), nl=False)
    else:
        listing.print_listing(catalogue, experiments, output())


@app.command("run", epilog=_EXAMPLES["run"])
def _run(
    experiment: Annotated[
        str,
        typer.Argument(
            metavar="EXPERIMENT", help="A name that `sluice list` shows, or a TOML file."
        ),
    ],
    width: Annotated[
        list[int] | None,
        typer.Option(metavar="BITS", help="Only rows of this port width. Repeatable."),
    ] = None,
    direction: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Only rows of this direction: duplex, mm2s (PS to PL), s2mm (PL to PS), both or "
            "copy (memory to memory). Repeatable.",
        ),
    ] = None,
    ports: Annotated[
        list[str] | None,
        typer.Option(metavar="0,2", help="Only rows with exactly these ports. Repeatable."),
    ] = None,
    clock_mhz: Annotated[
        float | None, typer.Option(metavar="MHZ", help="Clock of the logic instead.")
    ] = None,
    block_bytes: Annotated[
        str | None,
        typer.Option(
            "--bytes", metavar="SIZE", help="Block that each engine moves instead, such as 64KiB."
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Blocks as large as the published ones (32 MiB): slow.")
    ] = False,
    runs: Annotated[
        int | None, typer.Option(metavar="N", help="Runs of each row, each with its own skew.")
    ] = None,
    seed: Annotated[int | None, typer.Option(metavar="N", help="Seed of the start skews.")] = None,
    start_cost_ns: Annotated[
        int | None,
        typer.Option(metavar="NS", help="Software's cost of starting an engine instead."),
    ] = None,
    skew_ns: Annotated[
        int | None, typer.Option(metavar="NS", help="Largest random start skew instead.")
    ] = None,
    stagger_bytes: Annotated[
        list[int] | None,
        typer.Option(
            metavar="N", help="Move each buffer this much further than the one before. Repeatable."
        ),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="rtl: the design's own logic. transaction: engines of the same policy without "
            "logic, about fifty times faster.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="NAME=N", help="Change a setting of the memory model. Repeatable."
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            metavar="URI",
            help="Measure a device, dev:BOARD, or a function of vfio-pci, vfio:FUNCTION, instead "
            "of a simulated board; its width and clock are taken to be those of the row.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            help="Simulations at once; changes no figure. Default: all cores.",
        ),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-", help="Write the result here; - is standard output, and no table."
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="DIR", help="Write the result to DIR/EXPERIMENT.json."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--continue", help="Keep the runs that the result file already holds; measure the rest."
        ),
    ] = False,
) -> None:
    """Measure an experiment, and print each row beside what was expected and published.

    Options narrow the experiment to some of its rows, or change its conditions; a published
    figure is shown only where the conditions are those under which it was measured.
    """
    from sluice.plan import Request  # noqa: PLC0415
    from sluice.run import Saving, run  # noqa: PLC0415
    from sluice.units import parse_bytes  # noqa: PLC0415

    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs} is not allowed; give at least 1")
    if json == "":
        raise InputError("--json: the name of the file is empty")
    request = Request(
        width_bits=tuple(width or ()),
        directions=tuple(direction or ()),
        ports=tuple(ports or ()),
        clock_mhz=clock_mhz,
        bytes=None if block_bytes is None else parse_bytes(block_bytes),
        full=full,
        runs=runs,
        seed=seed,
        start_cost_ns=start_cost_ns,
        skew_ns=skew_ns,
        stagger_bytes=tuple(stagger_bytes or ()),
        level=level,
        settings=tuple(_setting(text) for text in settings or ()),
    )
    raise typer.Exit(run(experiment, request, jobs, Saving(json, folder, resume), device))


def _setting(text: str) -> tuple[str, int]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or not value.strip().isdecimal():
        raise InputError(f"--set {text} is not of the form NAME=N, N a whole number")
    return name.strip(), int(value)


@app.command("plan", epilog=_EXAMPLES["plan"])
def _plan(
    board: Annotated[str, typer.Option(metavar="NAME", help="Board, as `sluice list` names it.")],
    read: Annotated[
        str | None, typer.Option(metavar="RATE", help="To read from memory, such as 1.2GB/s.")
    ] = None,
    write: Annotated[
        str | None, typer.Option(metavar="RATE", help="To write to memory, such as 600MB/s.")
    ] = None,
    clock_mhz: Annotated[
        float | None, typer.Option(metavar="MHZ", help="Clock of the logic. Default: the board's.")
    ] = None,
    chunk: Annotated[
        str, typer.Option(metavar="SIZE", help="Block that software starts at a time.")
    ] = "1MiB",
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", metavar="N", help="Simulations at once. Default: all cores."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
) -> None:
    """List the configurations that reach a wish, cheapest first, and what limits the others.

    Where both rates are given, every port works in both directions. Exit status 1: none reaches it.
    """
    from sluice.advise import Wish, advise  # noqa: PLC0415
    from sluice.units import parse_bytes, parse_rate  # noqa: PLC0415

    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs} is not allowed; give at least 1")
    wish = Wish(
        board=board,
        read_mb_s=parse_rate(read) if read is not None else 0.0,
        write_mb_s=parse_rate(write) if write is not None else 0.0,
        clock_mhz=clock_mhz,
        chunk_bytes=parse_bytes(chunk),
    )
    raise typer.Exit(advise(wish, jobs, None if as_json else output()))


@app.command("calibrate", epilog=_EXAMPLES["calibrate"])
def _calibrate(
    specification: Annotated[
        Path,
        typer.Argument(
            metavar="SPECIFICATION",
            help="A TOML file of parameters and rows, such as model/calibration/zynq7000.toml.",
        ),
    ],
    json: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the result here. Default: beside SPECIFICATION, as .json."
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep measured points here, and go on with those it holds."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            help="Simulations at once; changes no figure. Default: all cores.",
        ),
    ] = None,
) -> None:
    """Fit the parameters of the memory model that no document gives to measured rows.

    The result holds the values, the error of each row, the error of each row when it is left out
    of the fit, and how much each parameter matters. The same SPECIFICATION gives the same result.
    """
    from sluice.calibrate import calibrate  # noqa: PLC0415

    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs} is not allowed; give at least 1")
    typer.echo(calibrate(specification, json, jobs, points))


@app.command("report", epilog=_EXAMPLES["report"])
def _report(
    results: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULT...", help="Files that `sluice run --json` wrote; - is standard input."
        ),
    ],
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR|FILE",
            help="A folder for index.html and the PNGs, or a file ending in .html, with the "
            "PNGs beside it. Default: the folder report beside the first RESULT.",
        ),
    ] = None,
) -> None:
    """Write one self-contained HTML page about results, and its plots as PNGs."""
    from sluice.report import write_report  # noqa: PLC0415  (matplotlib takes a second)

    for path in write_report(results, target):
        typer.echo(path)
