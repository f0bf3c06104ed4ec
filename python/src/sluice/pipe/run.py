# SPDX-License-Identifier: Apache-2.0
"""`sluice pipe`: opens both ends, moves the data, and says what was moved."""

import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from sluice import save
from sluice.cuda import Gpu
from sluice.errors import InputError, RunError
from sluice.io import Board, Buffer
from sluice.opening import is_open, is_standard_output, open_named, set_attributes
from sluice.pipe.channels import ChannelSink, ChannelSource
from sluice.pipe.ends import STANDARD, ChannelEnd, End, FileEnd, GpuEnd, parse_end
from sluice.pipe.files import FileSink, FileSource
from sluice.pipe.gpus import GpuSink, GpuSource, free_slot, open_end, ring_slot
from sluice.pipe.pump import Pump, Slot, new_digest
from sluice.pipe.result import Half, PipeResult, rate
from sluice.progress import progress_bar
from sluice.stop import Stop
from sluice.terminal import output
from sluice.units import format_bytes

AnySource = ChannelSource | FileSource | GpuSource
AnySink = ChannelSink | FileSink | GpuSink

FEWEST, MOST = 1, 64  # chunks of a ring
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for."""

    source: str
    sink: str
    nbytes: int | None
    chunk: int
    chunks: int
    verify: bool
    settings: tuple[str, ...]  # of the board, NAME=VALUE
    json: str | None


def pipe(options: Options) -> int:
    """Move the data; return the exit status."""
    source_end, sink_end = parse_end(options.source), parse_end(options.sink)
    _check(options, source_end, sink_end)
    with Stop(second_ends=True) as stop, ExitStack() as open_things:
        board = open_things.enter_context(open_named(_channel_of(source_end, sink_end).uri))
        set_attributes(board, options.settings)
        gpu = _gpu_of(source_end, sink_end)
        slots: list[Slot] = []
        open_things.callback(_free_slots, slots)  # after both ends are closed
        source = _source(board, gpu, source_end, options)
        if not isinstance(source, ChannelSource):
            open_things.callback(source.close)
        slots += [_slot(board, gpu, options.chunk) for _ in range(options.chunks)]
        # Last, as a file is empty from then on.
        sink = _sink(board, gpu, sink_end, options, source)
        if not isinstance(sink, ChannelSink):
            open_things.callback(sink.close)
        pump = Pump(
            source=source,
            sink=sink,
            slots=slots,
            moved=lambda _: None,
            stopped=lambda: stop.signal is not None,
            digest=new_digest() if options.verify else None,
        )
        start_ns = time.monotonic_ns()
        stopped = _pump(pump, options, stop)
        host_s = (time.monotonic_ns() - start_ns) / 1e9
        verified = _verified(pump, board, sink, options) if options.verify else None
        result = _result(
            pump, options, source_end, sink_end, host_s, verified=verified, partial=stopped
        )
        status = _deliver(result, options)
        if verified is False:
            raise RunError(f"{sink_end.name} does not hold what left {source_end.name}")
        if stopped:
            stop.check(f"{pump.arrived} bytes have arrived")
    return status


def _check(options: Options, source: End, sink: End) -> None:
    if not FEWEST <= options.chunks <= MOST:
        raise InputError(f"--chunks must be {FEWEST} to {MOST}, is {options.chunks}")
    if options.chunk < 1:
        raise InputError("--chunk must be 1 or more bytes")
    if options.nbytes is not None and options.nbytes < 1:
        raise InputError("--bytes must be 1 or more")
    _channel_of(source, sink)
    if isinstance(source, ChannelEnd) and isinstance(sink, ChannelEnd) and source.uri != sink.uri:
        raise InputError(
            f"{source.uri} and {sink.uri}: both channels must be one board's, so that both reach "
            "the same memory"
        )
    for end, descriptor in ((source, 0), (sink, 1)):
        if isinstance(end, FileEnd) and end.path == STANDARD and not is_open(descriptor):
            raise InputError(f"standard {'output' if descriptor else 'input'} is closed")
    if options.json is not None:
        _check_json(options.json, source, sink)
    if options.verify and isinstance(sink, FileEnd) and not _is_plain(sink):
        raise InputError(f"--verify: what went to {sink.path} cannot be read back")


def _check_json(json: str, source: End, sink: End) -> None:
    files = [end.path for end in (source, sink) if isinstance(end, FileEnd)]
    if json == STANDARD:
        if isinstance(sink, FileEnd) and is_standard_output(sink.path):
            raise InputError(f"--json - and the sink {sink.path} are one; choose another")
        return
    save.check_writable(Path(json))
    if any(os.path.realpath(path) == os.path.realpath(json) for path in files):
        raise InputError(f"--json {json} is the source or the sink; choose another file")


def _is_plain(sink: FileEnd) -> bool:
    return sink.path != STANDARD and (not Path(sink.path).exists() or Path(sink.path).is_file())


def _channel_of(source: End, sink: End) -> ChannelEnd:
    """Return the end whose board is opened."""
    for end in (source, sink):
        if isinstance(end, ChannelEnd):
            return end
    if isinstance(source, GpuEnd) or isinstance(sink, GpuEnd):
        raise InputError("neither end is a channel of a board; a GPU's memory needs one beside it")
    raise InputError("neither end is a channel of a board; for two files there is cp")


def _gpu_of(source: End, sink: End) -> Gpu | None:
    """Return the GPU whose memory an end is, opened."""
    for end in (source, sink):
        if isinstance(end, GpuEnd):
            return open_end(end)
    return None


def _memory(board: Board, chunk: int) -> Buffer:
    try:
        return board.buffer(chunk)
    except OSError as error:
        raise InputError(f"--chunk, --chunks: {error.strerror}") from error


def _slot(board: Board, gpu: Gpu | None, chunk: int) -> Slot:
    if gpu is None:
        return Slot(_memory(board, chunk))
    try:
        return ring_slot(board, gpu, chunk)
    except OSError as error:
        raise InputError(f"--chunk, --chunks: {error.strerror}") from error


def _free_slots(slots: list[Slot]) -> None:
    for slot in slots:
        free_slot(slot)


def _source(board: Board, gpu: Gpu | None, end: End, options: Options) -> AnySource:
    if isinstance(end, FileEnd):
        return FileSource(end, options.nbytes)
    if isinstance(end, GpuEnd):
        return GpuSource(_opened(gpu), end, options.nbytes, options.chunk)
    return ChannelSource(board, end, options.nbytes, options.chunk)


def _opened(gpu: Gpu | None) -> Gpu:
    if gpu is None:
        raise TypeError("an end is a GPU's memory, and no GPU was opened")
    return gpu


def _sink(board: Board, gpu: Gpu | None, end: End, options: Options, source: AnySource) -> AnySink:
    if isinstance(end, FileEnd):
        return FileSink(end)
    if isinstance(end, GpuEnd):
        gpu_sink = GpuSink(_opened(gpu), end, source.total)
        if options.verify:
            gpu_sink.prepare_to_verify(source.total)
        return gpu_sink
    sink = ChannelSink(board, end, options.chunk)
    if options.verify:
        sink.prepare_to_verify()
    if source.total is None:
        return sink
    sink.check_range(source.total)
    if isinstance(source, ChannelSource) and source.on_card and sink.on_card:
        apart = (
            source.first + source.total <= sink.first or sink.first + source.total <= source.first
        )
        if not apart:
            raise InputError(
                f"the source's {source.total} bytes at {source.first} and the sink's at "
                f"{sink.first} overlap; give other offsets"
            )
    return sink


def _pump(pump: Pump, options: Options, stop: Stop) -> bool:
    """Move the data. Return whether it was stopped before the end."""
    total = pump.source.total
    progress = progress_bar("MiB")
    wanted = "?" if total is None else f"{total / _MIB:.0f}"
    task = progress.add_task(options.sink, total=total, done="0", wanted=wanted)

    def moved(nbytes: int) -> None:
        progress.update(task, advance=nbytes, done=f"{pump.arrived / _MIB:.0f}")

    pump.moved = moved
    announced = [pump.source.cancel]
    if isinstance(pump.sink, ChannelSink) and not pump.sink.on_card:
        announced.append(pump.sink.cancel)  # a stream may never take what it was sent
    with ExitStack() as announcing, progress:
        for announce in announced:
            announcing.enter_context(stop.calling(announce))
        pump.run()
    return stop.signal is not None


def _verified(pump: Pump, board: Board, sink: AnySink, options: Options) -> bool:
    if isinstance(sink, ChannelSink):
        with _memory(board, options.chunk) as memory:
            found = sink.digest(memory)
    else:
        found = sink.digest()
    return pump.digest is not None and found.digest() == pump.digest.digest()


def _result(  # noqa: PLR0913 - what there is to say
    pump: Pump,
    options: Options,
    source: End,
    sink: End,
    host_s: float,
    *,
    verified: bool | None,
    partial: bool,
) -> PipeResult:
    simulated = any(isinstance(end, ChannelEnd) and end.simulated for end in (source, sink))
    seconds = _board_s(pump, source, sink) if simulated else host_s
    return PipeResult(
        bytes=pump.arrived,
        chunk_bytes=options.chunk,
        chunks=options.chunks,
        clock="simulated" if simulated else "host",
        seconds=seconds,
        mb_s=rate(pump.arrived, seconds),
        source=_half(source, pump.source.busy.nanoseconds, pump.arrived),
        sink=_half(sink, pump.sink.busy.nanoseconds, pump.arrived),
        sha256=pump.digest.hexdigest() if pump.digest is not None else None,
        verified=verified,
        partial=partial,
    )


def _board_s(pump: Pump, source: End, sink: End) -> float:
    """Return the time from the first transfer to the last, by the board's clock."""
    ends = ((source, pump.source.busy), (sink, pump.sink.busy))
    times = [busy for end, busy in ends if isinstance(end, ChannelEnd)]
    begun = [busy.first_ns for busy in times if busy.first_ns is not None]
    return (max(busy.last_ns for busy in times) - min(begun)) / 1e9 if begun else 0.0


def _half(end: End, busy_ns: int, nbytes: int) -> Half:
    # A name may have bytes that are no text.
    name = end.name.encode(errors="replace").decode()
    return Half(name=name, busy_s=busy_ns / 1e9, mb_s=rate(nbytes, busy_ns / 1e9))


def _deliver(result: PipeResult, options: Options) -> int:
    text = result.model_dump_json(indent=2) + "\n"
    files = [] if options.json in {None, STANDARD} else [Path(str(options.json))]
    # Standard output may be the sink's.
    to_stdout = options.sink == STANDARD
    console = Console(stderr=True, highlight=False) if to_stdout else output()
    return save.deliver(text, options.json, files, lambda: _show(result, console))


def _show(result: PipeResult, console: Console) -> None:
    def words(mb_s: float | None) -> str:
        return "-" if mb_s is None else f"{mb_s:.1f} MB/s"

    console.print(
        f"{result.bytes} bytes in {result.seconds * 1e3:.3f} ms of "
        f"{'simulated' if result.clock == 'simulated' else 'this'} time: {words(result.mb_s)}, in "
        f"{result.chunks} chunks of {format_bytes(result.chunk_bytes)}",
        markup=False,
    )
    for way, half in (("from", result.source), ("to", result.sink)):
        console.print(f"  {way} {half.name}: {words(half.mb_s)} while it was at work", markup=False)
    if result.verified is not None:
        console.print(f"  sha256 {result.sha256}: {'verified' if result.verified else 'WRONG'}")
    if result.partial:
        console.print("  stopped before the end")
