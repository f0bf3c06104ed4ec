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
        help="Simulations at once; changes no figure. Default: all cores.",
    ),
]

Shown = Annotated[
    str | None,
    typer.Option(
        "--view",
        metavar="WHERE",
        help="Show frames as pictures. terminal: in this one. page, page=PORT, page=ADDRESS:PORT: "
        "on a page, on loopback unless an address is given. DIR/: as PNG files with an index.json.",
    ),
]
Coded = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        help="How the pixels of a frame are coded: grey (8 bits), rgb565 or yuyv (BT.601, 16 to "
        "235). Default: as the board's test picture or the recording says.",
    ),
]
Sized = Annotated[
    str | None,
    typer.Option(metavar="WxH", help="Pixels of a frame, such as 640x480. Default: likewise."),
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

  0 all measured; 1 something failed; 2 wrong input; 130 ended by Ctrl-C, 143 by SIGTERM
  (what was measured is kept and marked partial).
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

  0 all jobs are measured; 1 a job failed; 2 wrong input; 130 ended by Ctrl-C, 143 by SIGTERM
  (the file keeps what was measured, and --continue measures the rest).
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

  0 all has arrived; 1 something failed, or the sink holds other data; 2 wrong input; 130 ended by
  Ctrl-C, 143 by SIGTERM (what was on its way has arrived, and is said).
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

  0 all frames are there, or what is missing is named; 1 something failed, the disk is full, or
  --check found a gap without a reason; 2 wrong input; 130 ended by Ctrl-C, 143 by SIGTERM, 141
  by the reader of a pipe (what there is stays, and is marked partial).
""",
    "view": """
[bold]Examples[/bold]

  sluice view film

  sluice view film.sigmf-meta --view page

  sluice view film --view pictures/

  sluice view camera.raw --picture yuyv --size 640x480

[bold]Exit status[/bold]

  0 all is written, or a key ended it; 1 something failed; 2 wrong input; 130 ended by Ctrl-C, 143
  by SIGTERM.
""",
    "serve": """
[bold]Examples[/bold]

  sluice serve 'dev:radio?heap=cma'

  sluice serve 'sim:zynq7010/capture?level=transaction' second=sim:zynq7020/capture

  sluice serve dev:radio --listen 192.168.1.2:7583 --max-clients 2 --limit-bytes 64MiB

  sluice capture tcp:localhost/capture hp0.s2mm -o radio --frames 1000

[bold]Exit status[/bold]

  0 ended by Ctrl-C or SIGTERM; 1 something failed; 2 wrong input.
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
    """Measure what the memory ports of an FPGA board deliver, beside what silicon delivered.

    Boards are simulated: the real logic moves real data, verified byte by byte, and time is
    simulated time. `run --device` measures a real one, by the clock of its system.
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
                metavar="EXPERIMENT", help="A name that `sluice list` shows, or a TOML file."
            ),
        ],
        jobs: Jobs = None,
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
                "--continue",
                help="Keep the runs that the result file already holds; measure the rest.",
            ),
        ] = False,
        **values: object,
    ) -> None:
        """Measure an experiment, and print each row beside what was expected and published.

        Options narrow the experiment to some of its rows, or change its conditions; a published
        figure is shown only where the conditions are those under which it was measured.
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
            help="Parquet file for the rows; their provenance goes to a .json file beside it. "
            "Default: the name of SPEC, with .parquet, in the current folder.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            "-j",
            metavar="N",
            help="Jobs at once here, or workers of Slurm; changes no figure. Default: all cores.",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="WHERE",
            help="Let workers of Dask measure: local:N, slurm, or a scheduler's address.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--continue", help="Keep the jobs that FILE already holds; measure the rest."),
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
        str, typer.Option(metavar="SIZE", help="Block that software starts at a time.")
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
            help="With --json: write the object to FILE and print the table; - prints the object.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """List configurations that meet the requested rates, cheapest first; name what limits others.

    A Zynq's configurations are its ports; a card's are the depth of its queue and how a program
    waits. With both rates, every port or the card works in both directions, with the larger rate
    in each. Exit status 1: no configuration meets them.
    """
    from sluice.experiments import plan  # noqa: PLC0415
    from sluice.experiments.run import Order, Saving, perform  # noqa: PLC0415

    _check_jobs(jobs)
    if file is not None and not as_json:
        raise InputError(f"'{file}' is no option; a file for the result needs --json before it")
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
            metavar="FILE", help="Write the result here. Default: beside SPECIFICATION, as .json."
        ),
    ] = None,
    points: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Keep measured points here, and go on with those it holds."
        ),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Fit the parameters of the memory model that no document gives to measured rows.

    The result holds the values, the error of each row, the error of each row when it is left out
    of the fit, and how much each parameter matters. The same SPECIFICATION gives the same result.
    """
    from sluice.calibrate import calibrate  # noqa: PLC0415

    _check_jobs(jobs)
    typer.echo(calibrate(specification, json, jobs, points))


def _pipe(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A file, - for standard input, a board's channel to the host: URI#CHANNEL, "
            "followed by @OFFSET for a place in a card's memory, or a GPU's memory: "
            "gpu:INDEX?bytes=SIZE.",
        ),
    ],
    sink: Annotated[
        str,
        typer.Argument(
            metavar="SINK",
            help="A file, - for standard output, or a board's channel from the host or a GPU's "
            "memory, likewise.",
        ),
    ],
    nbytes: Annotated[
        str | None,
        typer.Option(
            "--bytes",
            metavar="SIZE",
            help="Bytes to move. Default: to the source's end; from a stream, until Ctrl-C.",
        ),
    ] = None,
    chunk: Annotated[
        str, typer.Option(metavar="SIZE", help="Bytes of a transfer, and of a packet to a stream.")
    ] = "256KiB",
    chunks: Annotated[
        int,
        typer.Option(
            metavar="N",
            help="Chunks of the ring in host memory, 1 to 64. With 1 the halves take turns.",
        ),
    ] = 8,
    verify: Annotated[
        bool, typer.Option("--verify", help="Read the sink back, and compare.")
    ] = False,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="An attribute of the board's design, such as s0.sink.enable=1; may be repeated.",
        ),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-", help="Write the result here; - is standard output, and no words."
        ),
    ] = None,
) -> None:
    """Move data between a channel of a board and a file, a GPU's memory or another channel.

    Chunks go through a ring in host memory: while the source fills some, the sink empties others.
    A simulated board's rate is in its simulated time, in which files take no time.
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
        str, typer.Argument(metavar="CHANNEL", help="Its channel, such as hp0.s2mm.")
    ],
    target: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE|DIR/|-",
            help="FILE.sigmf-data with FILE.sigmf-meta; a folder for a file a frame and "
            "capture.json; - for standard output, which gets raw bytes. With --view it may be "
            "left out.",
        ),
    ] = None,
    frames: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="End when N frames are kept; a frame is a period. Default: until Ctrl-C.",
        ),
    ] = None,
    period_bytes: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Bytes of a period; the end of a packet makes one shorter. Default: 64KiB, with "
            "--view or --picture a picture.",
        ),
    ] = None,
    periods: Annotated[
        int, typer.Option(metavar="N", help="Periods of the ring in memory, at least 3.")
    ] = 64,
    rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Set the board's counter source to this rate and start it, such as 200MB/s. "
            "Default: of a simulated board half of what its port carries; a device's is left as "
            "it is.",
        ),
    ] = None,
    sink_rate: Annotated[
        str | None,
        typer.Option(
            metavar="RATE",
            help="Write no faster than this, by the board's clock: what would a slow disk lose?",
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="WORD",
            help="mmap: the sink gets the ring's memory. copy: it gets a copy of each period. "
            "uncached: the ring is coherent memory of the driver, whose caches nobody maintains "
            "(dev: boards). read: it gets a copy that the driver makes (dev: boards). Default: "
            "mmap, and copy what the engine is close to, or what goes into a stream.",
        ),
    ] = None,
    policy: Annotated[
        str,
        typer.Option(
            metavar="WORD",
            help="Of a full ring. overwrite: the engine goes on, and frames are lost. hold: the "
            "stream waits.",
        ),
    ] = "overwrite",
    check: Annotated[
        str | None,
        typer.Option(
            metavar="counter", help="Check each word of the counter source, and explain gaps."
        ),
    ] = None,
    form: Annotated[
        str,
        typer.Option(
            "--format", metavar="raw|npy", help="Format of the data: raw bytes, or NumPy's .npy."
        ),
    ] = "raw",
    sample: Annotated[
        str | None,
        typer.Option(
            "--datatype",
            metavar="TYPE",
            help="Samples of the data in SigMF's words, such as ri16_le or cf32_le. Default: ru8, "
            "with --check counter ru32_le.",
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
            help="An attribute of the board's design; may be repeated.",
        ),
    ] = None,
    json: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|-", help="Write the result here; - is standard output, and no words."
        ),
    ] = None,
    view: Shown = None,
    picture: Coded = None,
    size: Sized = None,
) -> None:
    """Record a channel's stream into files, and name every byte that is missing.

    The channel captures into a ring of periods without an end. Each period goes from the ring to
    the file, past the page cache where the file system allows that. Lost frames and dropped beats
    stand in the description, in the result and in the last lines.

    --view shows frames as pictures meanwhile: the newest one that has come. It costs the capture a
    copy of each frame that is shown, and never waits.
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
            help="What `sluice capture` wrote: FILE.sigmf-meta, FILE.sigmf-data, FILE.npy, FILE "
            "alone or a folder; or a file of raw frames.",
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
            help="Frames a second. Default: as they came where the recording says that, else 25; "
            "at most 60.",
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files of another view.")
    ] = False,
) -> None:
    """Show the frames of a recording as pictures, each lost frame at its place.

    Losses are those that the recording's description names. Frames of the design's test picture
    are looked at line by line for what is torn.
    """
    from sluice.capture.view.play import play  # noqa: PLC0415

    raise typer.Exit(play(recording, view, picture, size, rate, force=force))


def _serve(
    boards: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]BOARD...",
            help="Boards to serve, as URIs. Clients call one NAME, else by its design, or a device "
            "by its own name.",
        ),
    ],
    listen: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS[:PORT]",
            help="Address of this machine to listen at, such as 192.168.1.2 or 0.0.0.0:7583. The "
            "default is for programs of this machine, and for SSH tunnels.",
        ),
    ] = "127.0.0.1:7583",
    max_clients: Annotated[
        int, typer.Option(metavar="N", min=1, max=1000, help="Clients at once.")
    ] = 8,
    limit_bytes: Annotated[
        str,
        typer.Option(
            metavar="SIZE", help="Memory for the captures of a client, here and on their way."
        ),
    ] = "256MiB",
    stall_seconds: Annotated[
        int,
        typer.Option(
            metavar="S",
            min=1,
            max=3600,
            help="Disconnect a client that takes nothing of what is sent for so long.",
        ),
    ] = 30,
    free_running: Annotated[
        bool,
        typer.Option(
            "--free-running",
            help="Let the time of simulated boards pass by itself while they capture, so that a "
            "slow client loses periods as it would of a device.",
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print a JSON object a line for each event.")
    ] = False,
) -> None:
    """Serve captures of boards to programs at other machines, which open tcp:HOST[:PORT]/BOARD.

    A client captures as it would from a board of its own. What the network or the client is too
    slow for, the board's engine writes over, and the client learns which periods those are. The
    server listens for programs of this machine alone unless --listen says otherwise; nothing is
    encrypted, so that across a network an SSH tunnel is the way.
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
            help="Files that `sluice run --json` or `sluice sweep` wrote; - is standard input.",
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
    from sluice.report.write import write_report  # noqa: PLC0415  (matplotlib takes a second)

    for path in write_report(results, target):
        typer.echo(path)
