# SPDX-License-Identifier: Apache-2.0
"""The command line: what can be said, and nothing about how it is done."""

import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

import sluice
from sluice.errors import InputError, SluiceError
from sluice.experiments.options import NoOptions, parameters
from sluice.experiments.registry import kinds
from sluice.terminal import complain, output

Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        help="Number of simulations at a time. It does not change results. Default: all cores.",
    ),
]

Shown = Annotated[
    str | None,
    typer.Option(
        "--view",
        metavar="WHERE",
        help="Show frames as pictures: on this terminal (terminal), on a web page (page, "
        "page=PORT, "
        "page=ADDRESS:PORT), or as PNG files with an index.json (DIR/). A page is on loopback "
        "unless an address is given.",
    ),
]
Coded = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="Pixel format of a frame: grey (8 bits), rgb565 or yuyv (BT.601, 16 to 235). Default: "
        "that of the board's test picture or of the recording.",
    ),
]
Sized = Annotated[
    str | None,
    typer.Option(
        metavar="WxH", help="Size of a frame in pixels, such as 640x480. Default: as for --picture."
    ),
]

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

  sluice run pcie-transfers --level transaction --iterations 1000 --json card.json --continue

  sluice run pcie-transfers --code FH --size 4KiB --iterations 4 --tlp link.pcap

[bold]Exit status[/bold]

  0: every row is measured. 1: something failed. 2: wrong input. 130: ended by Ctrl-C. 143: ended
  by SIGTERM. After 130 and 143 the result has the measured rows, and is marked partial.
""",
    "sweep": """
[bold]Examples[/bold]

  sluice sweep bench/sweeps/zynq-hp-placement.toml -o map.parquet

  sluice sweep mine.toml -o mine.parquet --continue

  sluice sweep mine.toml -o mine.parquet --scheduler local:8

  sluice sweep mine.toml -o mine.parquet --scheduler tcp://head:8786

  sluice sweep mine.toml -o mine.parquet --scheduler slurm --jobs 64

  sluice report mine.parquet -o report

[bold]Exit status[/bold]

  0: all jobs are measured. 1: a job failed. 2: wrong input. 130: ended by Ctrl-C. 143: ended by
  SIGTERM. The file has the jobs that were measured, and --continue measures the rest.
""",
    "plan": """
[bold]Examples[/bold]

  sluice plan --board zynq7010 --read 1.2GB/s --write 600MB/s --clock-mhz 125 --chunk 64KiB

  sluice plan --board zynq7010 --write 2GB/s --json

  sluice plan --board zynq7010 --read 600MB/s --chunk 256KiB --sweep map.parquet

  sluice plan --board pcie-gen3x8 --read 6GB/s --chunk 256B --json card.json
""",
    "calibrate": """
[bold]Examples[/bold]

  sluice calibrate model/calibration/zynq7000.toml

  sluice calibrate mine.toml --json mine.json
""",
    "pipe": """
[bold]Examples[/bold]

  sluice pipe image.bin sim:pcie-gen3x8/xdma#h2c0@1MiB --verify

  sluice pipe dev:0000:03:00.0#c2h0@0x100000 part.bin --bytes 64MiB --json part.json

  sluice pipe sim:pcie-gen2x4/xdma#c2h0 sim:pcie-gen2x4/xdma#h2c0@8MiB --bytes 4MiB --chunk 64KiB

  head -c 1M /dev/urandom | sluice pipe - dev:0000:03:00.0#h2c0

[bold]Exit status[/bold]

  0: all data has arrived. 1: something failed, or the sink holds other data. 2: wrong input. 130:
  ended by Ctrl-C. 143: ended by SIGTERM. After 130 and 143 data in flight has arrived, and the
  command reports how much.
""",
    "capture": """
[bold]Examples[/bold]

  sluice capture 'sim:zynq7010/capture?level=transaction' hp0.s2mm -o radio --frames 1000

  sluice capture 'dev:radio?heap=cma' receive -o radio --period-bytes 1MiB --periods 16

  sluice capture sim:zynq7010/capture hp0.s2mm -o f/ --frames 10 --format npy --check counter

  sluice capture 'dev:radio?heap=cma' receive -o - | zstd > radio.zst

  sluice capture 'sim:zynq7010/capture_32?level=transaction' hp0.s2mm --view terminal --picture yuyv

  sluice capture 'dev:camera?heap=cma' receive -o film --view page --picture rgb565 --size 640x480

[bold]Exit status[/bold]

  0: every frame is in the files, or is reported as missing. 1: something failed, the disk is full,
  or --check found a gap without a reason. 2: wrong input. 130: ended by Ctrl-C. 143: ended by
  SIGTERM. 141: the reader of the pipe has closed it. After 130, 143 and 141 the files stay, and are
  marked partial.
""",
    "view": """
[bold]Examples[/bold]

  sluice view film

  sluice view film.sigmf-meta --view page

  sluice view film --view pictures/

  sluice view camera.raw --picture yuyv --size 640x480

[bold]Exit status[/bold]

  0: everything is written, or a key ended the command. 1: something failed. 2: wrong input. 130:
  ended by Ctrl-C. 143: ended by SIGTERM.
""",
    "serve": """
[bold]Examples[/bold]

  sluice serve 'dev:radio?heap=cma'

  sluice serve 'sim:zynq7010/capture?level=transaction' second=sim:zynq7020/capture

  sluice serve dev:radio --listen 192.168.1.2:7583 --max-clients 2 --limit-bytes 64MiB

  sluice capture tcp:localhost/capture hp0.s2mm -o radio --frames 1000

[bold]Exit status[/bold]

  0: ended by Ctrl-C or SIGTERM. 1: something failed. 2: wrong input.
""",
    "report": """
[bold]Examples[/bold]

  sluice report results/zynq7010-hp.json

  sluice report hp.json streamsize.json -o report

  sluice report hp.json -o hp.html

  sluice report map.parquet -o report

  sluice run zynq7010-hp --json - | sluice report - -o report
""",
}


def application() -> typer.Typer:
    """Return the command with all its parts."""
    app = typer.Typer(
        name="sluice",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback(epilog=_EXAMPLES["sluice"])(_sluice)
    parts: dict[str, Callable[..., object]] = {
        "list": _list,
        "run": _run_command(),
        "sweep": _sweep,
        "plan": _plan,
        "calibrate": _calibrate,
        "pipe": _pipe,
        "capture": _capture,
        "view": _view,
        "serve": _serve,
        "report": _report,
    }
    for name, part in parts.items():
        app.command(name, epilog=_EXAMPLES[name])(part)
    return app


def command(arguments: Sequence[str]) -> int:
    """Run the command and return its exit status; everything that goes wrong is one sentence."""
    try:
        status = typer.main.get_command(application())(
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


def _check_jobs(jobs: int | None) -> None:
    if jobs is not None and jobs < 1:
        raise InputError(f"--jobs {jobs} is not allowed; give at least 1")


def _show_version(wanted: bool) -> None:  # noqa: FBT001
    if wanted:
        typer.echo(f"sluice {sluice.__version__}")
        raise typer.Exit


def _sluice(
    version: Annotated[
        bool,
        typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True),
    ] = False,
) -> None:
    """Measure the data rates of an FPGA board's memory ports, and compare them with silicon.

    Boards are simulated. The real logic moves real data, every byte is verified, and time is
    simulated time. `run --device` measures a real board by the clock of its system.
    """
    del version


def _list(
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of tables.")
    ] = False,
) -> None:
    """Show boards, designs and experiments."""
    from sluice import bench, listing  # noqa: PLC0415  (numpy only where something is measured)
    from sluice.experiments import registry  # noqa: PLC0415
    from sluice.paths import experiment_files, find_bench  # noqa: PLC0415

    catalogue = bench.catalogue(find_bench())
    experiments = [registry.load(path) for path in experiment_files().values()]
    if as_json:
        typer.echo(listing.to_json(catalogue, experiments), nl=False)
    else:
        listing.print_listing(catalogue, experiments, output())


def _run_command() -> Callable[..., None]:
    """Return `sluice run`; its options are those of every kind, and those below for all kinds."""

    def run_experiment(
        *,
        experiment: Annotated[
            str,
            typer.Argument(
                metavar="EXPERIMENT",
                help="Name of an experiment that `sluice list` shows, or a TOML file.",
            ),
        ],
        jobs: Jobs = None,
        json: Annotated[
            str | None,
            typer.Option(
                metavar="FILE|-",
                help="File for the result. - is standard output, without the table.",
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
                "--continue",
                help="Keep the runs that the result file already has, and measure the rest.",
            ),
        ] = False,
        **values: object,
    ) -> None:
        """Measure an experiment, and print each row with the expected and the published figure.

        Options narrow the experiment to some of its rows, or change its conditions. A published
        figure is shown only if it was measured under the same conditions.
        """
        from sluice.experiments.options import given  # noqa: PLC0415
        from sluice.experiments.run import Saving, run  # noqa: PLC0415

        _check_jobs(jobs)
        if json == "":
            raise InputError("--json: the name of the file is empty")
        raise typer.Exit(run(experiment, given(values), jobs, Saving(json, folder, resume)))

    own = inspect.signature(run_experiment).parameters
    of_kinds: dict[str, inspect.Parameter] = {}
    for kind in kinds().values():
        of_kinds |= parameters(kind.options)
    everything = [
        own["experiment"],
        *of_kinds.values(),
        *(own[name] for name in ("jobs", "json", "folder", "resume")),
    ]
    run_experiment.__signature__ = inspect.Signature(everything)  # type: ignore[attr-defined]
    run_experiment.__annotations__ = {entry.name: entry.annotation for entry in everything}
    return run_experiment


def _sweep(
    spec: Annotated[
        Path,
        typer.Argument(
            metavar="SPEC", help="TOML file that names an experiment and the conditions to vary."
        ),
    ],
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Parquet file for the rows. Their provenance goes to a .json file beside it. "
            "Default: the name of SPEC with .parquet, in the current folder.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            help="Number of jobs at a time, or of Slurm workers. It does not change results. "
            "Default: all cores.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Measure on Dask workers: local:N, slurm, or the address of a scheduler.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--continue", help="Keep the jobs that FILE already has, and measure the rest."
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the record as JSON instead of words.")
    ] = False,
) -> None:
    """Measure an experiment under many conditions: a whole grid, random points of it, or a search.

    The command writes a Parquet file with a row for each run. A job is one run of one point. It
    depends on SPEC alone, so any number of machines gives the same figures.
    """
    import shlex  # noqa: PLC0415

    from sluice.sweep.run import Order, sweep  # noqa: PLC0415

    _check_jobs(jobs)
    target = target or Path(f"{spec.stem}.parquet")
    words = ["sluice", "sweep", str(spec), "-o", str(target)]
    words += ["--scheduler", scheduler] if scheduler else []
    order = Order(spec, target, shlex.join(words), jobs, scheduler, resume, as_json)
    raise typer.Exit(sweep(order))


def _plan(
    board: Annotated[str, typer.Option(metavar="NAME", help="Board, as `sluice list` names it.")],
    read: Annotated[
        str | None, typer.Option(metavar="RATE", help="Required read rate, for example 1.2GB/s.")
    ] = None,
    write: Annotated[
        str | None, typer.Option(metavar="RATE", help="Required write rate, for example 600MB/s.")
    ] = None,
    clock_mhz: Annotated[
        float | None, typer.Option(metavar="MHZ", help="Clock of the logic. Default: the board's.")
    ] = None,
    chunk: Annotated[
        str,
        typer.Option(
            metavar="SIZE", help="Block that software starts at a time, for example 64KiB."
        ),
    ] = "1MiB",
    sweep: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Take port rates from this Parquet file of `sluice sweep`, not from simulations.",
        ),
    ] = None,
    jobs: Jobs = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="FILE",
            help="File for the object of --json; the table is then printed, too. - prints the "
            "object.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """List configurations that meet the requested rates, cheapest first, and what limits others.

    A Zynq's configurations are sets of its ports. A card's configurations are the depth of its
    queue and how a program waits. With both rates, every port or the card works in both
    directions, with the larger rate in each. Exit status 1: no configuration meets the rates.
    """
    from sluice.experiments import plan  # noqa: PLC0415
    from sluice.experiments.run import Order, Saving, perform  # noqa: PLC0415

    _check_jobs(jobs)
    if file is not None and not as_json:
        raise InputError(
            f"'{file}' is not an option; put --json before the name of a file for the result"
        )
    if file == "":
        raise InputError("--json: the name of the file is empty")
    experiment, line = plan.requested(board, read, write, clock_mhz, chunk, sweep=sweep)
    order = Order(NoOptions(), line, jobs, Saving((file or "-") if as_json else None))
    raise typer.Exit(perform(plan.KIND, experiment, order))


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
            metavar="FILE", help="File for the result. Default: SPECIFICATION with .json."
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="File that keeps measured points; a later call continues with them.",
        ),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Fit those parameters of the memory model that no document gives to measured rows.

    The result has the values, the error of each row, and the effect of each parameter. Rows with
    predicted = true are part of the result, and nothing is fitted to them. The result also has
    the error of each row when the fit leaves that row out. The same SPECIFICATION always gives the
    same result.
    """
    from sluice.calibrate import calibrate  # noqa: PLC0415

    _check_jobs(jobs)
    typer.echo(calibrate(specification, json, jobs, points))


def _pipe(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A file, - for standard input, a board's channel to the host (URI#CHANNEL), or "
            "a GPU's memory (gpu:INDEX?bytes=SIZE). @OFFSET after a channel is a place in a "
            "card's memory.",
        ),
    ],
    sink: Annotated[
        str,
        typer.Argument(
            metavar="SINK",
            help="A file, - for standard output, a board's channel from the host, or a GPU's "
            "memory, written as for SOURCE.",
        ),
    ],
    nbytes: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="Number of bytes to move. Default: up to the source's end. A stream has no end; "
            "press Ctrl-C.",
        ),
    ] = None,
    chunk: Annotated[
        str, typer.Option(metavar="SIZE", help="Size of a transfer, and of a packet to a stream.")
    ] = "256KiB",
    chunks: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Number of chunks in the ring in host memory, 1 to 64. With 1, source and sink "
            "take turns.",
        ),
    ] = 8,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the sink back and compare it with the source.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set an attribute of the board's design, such as s0.sink.enable=1. Repeatable.",
        ),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-", help="File for the result. - is standard output, without the text."
        ),
    ] = None,
) -> None:
    """Move data between a channel of a board and a file, a GPU's memory or another channel.

    Chunks go through a ring in host memory. The source fills some chunks while the sink empties
    others. The rate of a simulated board is in its simulated time, in which files take no time.
    """
    from sluice.pipe.run import Options, pipe  # noqa: PLC0415
    from sluice.units import parse_bytes  # noqa: PLC0415

    if json == "":
        raise InputError("--json: the name of the file is empty")
    wanted = None if nbytes is None else parse_bytes(nbytes)
    options = Options(
        source=source,
        sink=sink,
        nbytes=wanted,
        chunk=parse_bytes(chunk),
        chunks=chunks,
        verify=verify,
        settings=tuple(settings or ()),
        json=json,
    )
    raise typer.Exit(pipe(options))


def _capture(
    board: Annotated[
        str,
        typer.Argument(
            metavar="BOARD",
            help="The board: sim:BOARD/DESIGN, dev:BOARD, vfio:FUNCTION or tcp:HOST/BOARD.",
        ),
    ],
    channel: Annotated[
        str, typer.Argument(metavar="CHANNEL", help="Channel of the board, such as hp0.s2mm.")
    ],
    target: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR/|-",
            help="FILE for FILE.sigmf-data and FILE.sigmf-meta, DIR/ for one file a frame and "
            "capture.json, or - for raw bytes on standard output. Not needed with --view.",
        ),
    ] = None,
    frames: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Number of frames (periods) after which the capture ends. Default: it ends with "
            "Ctrl-C.",
        ),
    ] = None,
    period_bytes: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Size of a period. The end of a packet makes a period shorter. Default: 64KiB, "
            "or a picture with --view or --picture.",
        ),
    ] = None,
    periods: Annotated[
        int, typer.Option(metavar="N", help="Number of periods in the ring in memory, at least 3.")
    ] = 64,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Rate of the board's counter source, such as 200MB/s, which is then started. "
            "Default: half the port's rate on a simulated board. On a device, the source is not "
            "changed.",
        ),
    ] = None,
    sink_rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Largest rate of writing, by the board's clock, to test what a slow disk would "
            "lose.",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="How the sink gets a period: mmap (the ring's memory), copy, read (a copy by "
            "the driver) or uncached (coherent memory of the driver). read and uncached need a "
            "dev: board. Default: mmap, but copy for a stream, and for periods that the engine "
            "is close to.",
        ),
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="What happens when the ring is full: overwrite (frames are lost) or hold (the "
            "stream is blocked).",
        ),
    ] = "overwrite",
    check: Annotated[
        str | None,
        typer.Option(
            metavar="counter",
            help="Check each word of the counter source, and report the reason of each gap.",
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="raw|npy",
            help="Format of the data: raw bytes (raw), or NumPy's .npy (npy).",
        ),
    ] = "raw",
    sample: Annotated[
        str | None,
        typer.Option(
            "--datatype",
            metavar="TYPE",
            help="SigMF type of the samples, such as ri16_le or cf32_le. Default: ru8, or "
            "ru32_le with --check counter.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files of another capture.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="Set an attribute of the board's design. Repeatable.",
        ),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-", help="File for the result. - is standard output, without the text."
        ),
    ] = None,
    view: Shown = None,
    picture: Coded = None,
    size: Sized = None,
) -> None:
    """Record a channel's stream into files, and report every byte that is missing.

    The channel captures into a ring of periods. The command writes each period from the ring to the
    file, past the page cache where the file system allows that. The description, the result and
    the last lines report lost frames and dropped beats.

    --view shows the newest frame as a picture meanwhile. It costs the capture a copy of each frame
    that is shown, and never blocks it.
    """
    from sluice.capture.options import parsed  # noqa: PLC0415
    from sluice.capture.run import capture  # noqa: PLC0415

    options = parsed(
        uri=board,
        channel=channel,
        output=target,
        frames=frames,
        period_bytes=period_bytes,
        periods=periods,
        rate=rate,
        sink_rate=sink_rate,
        method=method,
        policy=policy,
        check=check,
        form=form,
        sample=sample,
        force=force,
        settings=tuple(settings or ()),
        json=json,
        view=view,
        picture=picture,
        size=size,
    )
    raise typer.Exit(capture(options))


def _view(
    recording: Annotated[
        str,
        typer.Argument(
            metavar="RECORDING",
            help="Output of `sluice capture`: FILE.sigmf-meta, FILE.sigmf-data, FILE.npy, FILE "
            "or a folder. Or a file of raw frames.",
        ),
    ],
    view: Shown = "terminal",
    picture: Coded = None,
    size: Sized = None,
    rate: Annotated[
        float | None,
        typer.Option(
            "--fps",
            metavar="N",
            help="Frames a second, at most 60. Default: the recorded rate, or 25 if the "
            "recording has none.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files of another view.")
    ] = False,
) -> None:
    """Show the frames of a recording as pictures, each lost frame at its place.

    The description of the recording has the losses. Frames of the design's test picture are
    checked line by line, which finds torn ones.
    """
    from sluice.capture.view.play import play  # noqa: PLC0415

    raise typer.Exit(play(recording, view, picture, size, rate, force=force))


def _serve(
    boards: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]BOARD...",
            help="Boards to serve, as URIs. Clients use NAME, or without one the design of a "
            "simulated board or the name of a device.",
        ),
    ],
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS[:PORT]",
            help="Address to listen at, such as 192.168.1.2 or 0.0.0.0:7583. The default serves "
            "programs on this machine and SSH tunnels.",
        ),
    ] = "127.0.0.1:7583",
    max_clients: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="Clients at once.")
    ] = 8,
    limit_bytes: Annotated[
        str,
        typer.Option(
            metavar="SIZE", help="Largest memory for the captures of a client, here and in flight."
        ),
    ] = "256MiB",
    stall_seconds: Annotated[
        int,
        typer.Option(
            metavar="S",
            min=1,
            max=3600,
            help="Disconnect a client that receives nothing for this time.",
        ),
    ] = 30,
    free_running: Annotated[
        bool,
        typer.Option(
            "--free-running",
            help="Let the time of simulated boards pass by itself during a capture. A slow "
            "client then loses periods, as with a device.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each event as a JSON object on its own line.")
    ] = False,
) -> None:
    """Serve captures of boards to programs on other machines, which open tcp:HOST[:PORT]/BOARD.

    A client captures as from a local board. If the network or the client is too slow, the board's
    engine overwrites periods, and the client learns which. Without --listen, the server listens
    for programs on this machine only. Nothing is encrypted, so use an SSH tunnel across a network.
    """
    from sluice.serve import Options, serve  # noqa: PLC0415
    from sluice.units import parse_bytes  # noqa: PLC0415

    serve(
        Options(
            boards=tuple(boards),
            listen=listen,
            max_clients=max_clients,
            limit_bytes=parse_bytes(limit_bytes),
            stall_seconds=stall_seconds,
            free_running=free_running,
            json=as_json,
        )
    )


def _report(
    results: Annotated[
        list[str],
        typer.Argument(
            metavar="RESULT...",
            help="Files of `sluice run --json` or `sluice sweep`. - is standard input.",
        ),
    ],
    target: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="DIR|FILE",
            help="Folder for index.html, or a file ending in .html. Charts (PNG, SVG) and data "
            "(JSON, CSV) go beside it. Default: the folder report beside the first RESULT.",
        ),
    ] = None,
) -> None:
    """Write one HTML page about results that works offline, its charts and its data as files."""
    from sluice.report.write import write_report  # noqa: PLC0415  (jinja2 and Pillow)

    for path in write_report(results, target):
        typer.echo(path)
