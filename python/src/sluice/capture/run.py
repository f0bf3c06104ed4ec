# SPDX-License-Identifier: Apache-2.0
"""`sluice capture`: opens the board and the sink, records, describes, and says what is missing."""

from __future__ import annotations

import os
import signal
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from sluice import save
from sluice.capture import show, sigmf
from sluice.capture.check import Counter
from sluice.capture.files import Files
from sluice.capture.ledger import Ledger
from sluice.capture.options import check_channel, with_pictures
from sluice.capture.outcome import result_of
from sluice.capture.recorder import ALWAYS, NEVER, SOMETIMES, Recorder
from sluice.capture.reserve import Reserve
from sluice.capture.sinks import SinkError, StoppedInSinkError, open_sink
from sluice.capture.source import WORD_BYTES, plan_source
from sluice.capture.target import (
    FileTarget,
    FolderTarget,
    NoTarget,
    StreamTarget,
    Target,
    check_target,
    files_of,
    parse_target,
)
from sluice.capture.view.ask import plan_pictures
from sluice.capture.view.open import check_view, is_of_view, open_feed
from sluice.capture.view.tally import Tally
from sluice.capture.view.viewer import Scene
from sluice.errors import InputError, RunError, SluiceError, reason
from sluice.io import Direction
from sluice.io.native import load
from sluice.opening import (
    failing,
    is_standard_output,
    open_channel,
    open_named,
    set_attributes,
)
from sluice.stop import Stop
from sluice.terminal import complain, output

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sluice.capture.options import Options
    from sluice.capture.recorder import Ended
    from sluice.capture.result import CaptureResult
    from sluice.capture.sinks import AnySink
    from sluice.capture.source import Source
    from sluice.capture.view.ask import Pictures
    from sluice.capture.view.feed import Feed
    from sluice.io import Board, Buffer, Capture, Channel

_WORDS: dict[Ended, str] = {
    "frames": "all frames are there",
    "signal": "ended by a signal",
    "full": "ended: the disk is full",
    "closed": "ended: the reader has gone",
    "failed": "ended: the file cannot be written",
    "stopped": "the capture stopped",
}
_CLOSED_STATUS = 128 + signal.SIGPIPE


def capture(options: Options) -> int:
    """Record; return the exit status."""
    target = _checked_target(options)
    with Stop(second_ends=True) as stop, ExitStack() as things:
        board = things.enter_context(open_named(options.board_uri))
        channel = open_channel(board, options.uri, options.channel)
        with failing(options.uri):
            pictures = _pictures(board, channel, options)
        options = with_pictures(options, pictures)
        check_channel(channel, options)
        copy_below = _copy_below(options, target)
        with failing(options.uri):
            source = plan_source(board, channel, options)
        ring = things.enter_context(_ring(board, options))
        if source is not None:
            with failing(options.uri):
                if pictures is not None:
                    pictures.prepare(board)
                source.prepare(board)
        set_attributes(board, options.settings)
        source = None if source is None else source.as_set(options.settings)
        session = Session(options, target, board, channel, copy_below, source, ring, stop, pictures)
        try:
            return session.run()
        except StoppedInSinkError:
            stop.check("nothing was recorded, because no program reads the pipe")
            raise


def _pictures(board: Board, channel: Channel, options: Options) -> Pictures | None:
    """Return what frames are as pictures."""
    if channel.info.direction != Direction.S2MM:
        return None  # refused below
    return plan_pictures(
        board,
        channel,
        options.shape,
        options.settings,
        uri=options.uri,
        wanted=options.view is not None,
        starts_source=board.info.simulated_time or options.rate_mb_s is not None,
    )


def _copy_below(options: Options, target: Target) -> float:
    """Return how much of the ring has to be free for a sink to read a frame from it."""
    if options.method == "read":
        return ALWAYS
    if options.policy == "hold":  # nothing is written over
        return ALWAYS if options.method == "copy" else NEVER
    if isinstance(target, StreamTarget):
        if options.method == "mmap":
            raise InputError(
                f"--method mmap: {options.output} is a stream, which may already have received a "
                "frame when the engine overwrites it; allowed: copy, or --policy hold"
            )
        return ALWAYS
    return {"mmap": NEVER, "copy": ALWAYS}.get(options.method or "", SOMETIMES)


def _checked_target(options: Options) -> Target:
    """Return what -o names. InputError: it, or what --json names, cannot be written."""
    try:
        target = parse_target(options.output, options.format)
        check_target(target, force=options.force)
    except OSError as error:  # a name that is too long
        raise InputError(f"-o {options.output}: {reason(error)}") from error
    if options.view is not None:
        try:
            check_view(options.view, target, force=options.force)
        except OSError as error:
            raise InputError(f"--view {options.view.folder}: {reason(error)}") from error
    try:
        _check_json(options, target)
    except OSError as error:
        raise InputError(f"--json {options.json}: {reason(error)}") from error
    return target


def _check_json(options: Options, target: Target) -> None:
    if options.json is None:
        return
    if isinstance(target, StreamTarget) and _are_one(options.json, target.path):
        raise InputError(f"--json {options.json} and -o {options.output} are one; choose another")
    if options.json == save.STDOUT:
        return
    path = Path(options.json)
    if (
        path.resolve() in {file.resolve() for file in files_of(target)}
        or (isinstance(target, FolderTarget) and target.has(path))
        or (options.view is not None and is_of_view(options.view, path))
    ):
        raise InputError(f"--json {path} is a file of the capture itself; choose another")
    save.check_writable(path)


def _are_one(one: str, other: str) -> bool:
    """Tell whether two names, of which "-" is standard output, are of one file."""
    if save.STDOUT in {one, other}:
        return is_standard_output(one) and is_standard_output(other)
    return Path(one).exists() and Path(one).samefile(other)


def _ring(board: Board, options: Options) -> Buffer:
    try:
        return board.buffer(options.period_bytes * options.periods)
    except OSError as error:
        raise InputError(f"--period-bytes, --periods: {error.strerror}") from error


@dataclass(slots=True)
class Session:
    """A capture from its start to its result."""

    options: Options
    target: Target
    board: Board
    channel: Channel
    copy_below: float
    source: Source | None
    ring: Buffer
    stop: Stop
    pictures: Pictures | None
    _start: datetime | None = None  # by the host; None: its time is simulated
    _reserve: Reserve | None = None  # of the description; None: a stream has none
    _problem: SluiceError | None = None

    def run(self) -> int:
        """Record, and return the exit status."""
        counts = bool(self.channel.info.capabilities & load().CAN_COUNT)
        quiet = self.options.view is not None and self.options.view.kind == "terminal"
        with (
            Files(force=self.options.force) as files,
            open_sink(files, self.target, self.options, self._stopped) as sink,
            self._view(files) as feed,
            ExitStack() as things,
        ):
            recorder = self._recorder(sink)
            recorder.view = feed
            self._describe_beginning(files, recorder, exact=counts)
            if self._reserve is not None:
                things.enter_context(self._reserve)
            with show.Live(self.options.channel, self.options.frames, quiet=quiet) as live:
                recorder.moved = lambda: self._moved(recorder, live)
                captured = self._started(files, recorder)
                ended = self._recorded(recorder, captured)
            if feed is not None:
                feed.close(_WORDS[ended])
                self._problem = self._problem or feed.problem
            ended = self._closed(sink, ended)
            try:
                status = captured.status()
                counts, produced = status.exact, status.produced
            except OSError:  # of a board that has failed
                produced = recorder.next_number
            if recorder.counter is not None:
                recorder.counter.settle()
            result = self._result(recorder, ended, exact=counts, produced=produced)
            return self._end(result, self._deliver(result))

    def _stopped(self) -> bool:
        return self.stop.signal is not None

    def _recorder(self, sink: AnySink) -> Recorder:
        options = self.options
        beat_bytes = self.channel.info.width_bits // 8
        counter = None
        if options.check:
            with failing(options.uri):
                first = None if self.source is None else self.source.first_word(self.board)
            counter = Counter(max(beat_bytes // WORD_BYTES, 1), first)
        return Recorder(
            board=self.board,
            sink=sink,
            ledger=Ledger(options.period_bytes, beat_bytes, padded=options.format == "npy"),
            counter=counter,
            wanted=options.frames,
            hold=options.policy == "hold",
            copy_below=self.copy_below,
            sink_mb_s=options.sink_mb_s,
            stopped=self._stopped,
        )

    @contextmanager
    def _view(self, files: Files) -> Iterator[Feed | None]:
        """Give what takes frames to the viewer; None: there is none."""
        view, options = self.options.view, self.options
        if view is None or self.pictures is None:
            yield None
            return
        scene = Scene(
            f"{options.uri} {options.channel}", self.pictures, Tally(self.pictures.pattern)
        )
        simulated = self.board.info.simulated_time
        with open_feed(view, scene, files, simulated=simulated) as feed:
            if view.kind == "terminal":  # which is given back before all else has ended
                with self.stop.calling(feed.interrupt):
                    yield feed
            else:
                yield feed

    def _describe_beginning(self, files: Files, recorder: Recorder, *, exact: bool) -> None:
        """Make the description, as it is right if nothing more can be written."""
        path = self.target.description
        if path is None:
            return
        self._set_start()
        result = self._result(recorder, "failed", exact=exact, produced=0)
        self._reserve = Reserve(files, path, self._description(result))

    def _set_start(self) -> None:
        if not self.board.info.simulated_time:
            self._start = datetime.now(UTC)

    def _started(self, files: Files, recorder: Recorder) -> Capture:
        """Start the capture, then the source."""
        options = self.options
        if options.force and isinstance(self.target, FolderTarget):
            self.target.clear()
        try:
            captured = self.channel.capture(
                self.ring,
                options.period_bytes,
                options.periods,
                skip_lost=True,
                hold=options.policy == "hold",
                read_into=recorder.copy if options.method == "read" else None,
            )
        except OSError as error:
            raise InputError(f"{options.uri}#{options.channel}: {error.strerror}") from error
        self._set_start()
        recorder.start_ns = self.board.now_ns()
        try:
            files.begin()
        except OSError as error:
            with suppress(OSError):
                captured.stop()
            raise RunError(f"{options.output} cannot be written: {reason(error)}") from error
        return captured

    def _recorded(self, recorder: Recorder, captured: Capture) -> Ended:
        ended: Ended = "stopped"
        failed = None
        try:
            with captured:
                if self.source is not None:
                    self.source.start(self.board)
                ended = recorder.run(captured)
                if self.source is not None:
                    self.source.stop(self.board)
        except OSError as error:  # of the board
            failed = RunError(f"{self.options.uri}: {error.strerror}")
        self._problem = recorder.problem or failed
        return ended

    def _closed(self, sink: AnySink, ended: Ended) -> Ended:
        try:
            sink.close()
        except SinkError as error:
            self._problem = self._problem or error
            return error.reason
        return ended

    def _moved(self, recorder: Recorder, live: show.Live) -> None:
        live.update(recorder)
        view = recorder.view
        if isinstance(self.target, NoTarget) and view is not None and view.problem is not None:
            raise SinkError(view.viewer.name, view.cause)
        if self._reserve is None:
            return
        gaps = 0 if recorder.counter is None else recorder.counter.entries
        try:
            self._reserve.hold(recorder.ledger.entries + gaps)
        except OSError as error:
            raise SinkError(str(self._reserve.path), error) from error

    def _result(
        self, recorder: Recorder, ended: Ended, *, exact: bool, produced: int
    ) -> CaptureResult:
        return result_of(
            self.options,
            self.target,
            self.board.info,
            self.source,
            recorder,
            pictures=self.pictures,
            ended=ended,
            exact=exact,
            produced=produced,
        )

    def _description(self, result: CaptureResult) -> str:
        if isinstance(self.target, FileTarget):
            return sigmf.describe(result, self.options, self.target, self._start)
        return _json(result)

    def _deliver(self, result: CaptureResult) -> int:
        """Write the description and the result; return what to end with if all else is well."""
        status = 0
        if self._reserve is not None:
            try:
                self._reserve.finish(self._description(result))
            except SluiceError as error:
                complain(str(error))
                status = error.exit_status
        json = self.options.json
        files = [] if json in {None, save.STDOUT} else [Path(str(json))]
        to_stdout = isinstance(self.target, StreamTarget)
        console = Console(stderr=True, highlight=False) if to_stdout else output()
        try:
            delivered = save.deliver(
                _json(result), json, files, lambda: show.closing(result, console)
            )
            console.file.flush()
        except OSError as error:  # of standard output or standard error, where words go
            _leave_words(console.file.fileno())
            complain(f"the text of the result cannot be written: {reason(error)}")
            delivered = 1
        return status or delivered

    def _end(self, result: CaptureResult, status: int) -> int:
        """Return the exit status, or raise what the end was."""
        came = "came" if isinstance(self.target, NoTarget) else "kept"
        kept = f"{came}: {show.kept(result)}"
        if result.ended_by == "signal":
            self.stop.check(kept)
        if result.ended_by == "closed":
            complain(f"{self._problem}; written before: {show.kept(result)}")
            return _CLOSED_STATUS
        if self._problem is not None:
            raise RunError(f"{self._problem}; {kept}")
        if result.ended_by == "stopped":
            raise RunError(f"the capture on {result.channel} stopped by itself; {kept}")
        if result.check is not None and not result.check.passed:
            raise RunError(show.checked(result.check))
        return status


def _leave_words(descriptor: int) -> None:
    """Let words that are still kept back go nowhere, where they cannot go where they should."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def _json(result: CaptureResult) -> str:
    return result.model_dump_json(indent=2) + "\n"
