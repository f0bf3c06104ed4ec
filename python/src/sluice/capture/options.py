# SPDX-License-Identifier: Apache-2.0
"""What was asked for, and which of it a channel can do."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from sluice.capture import datatype
from sluice.capture.view.ask import Pictures, Shape, View, parse_shape, parse_view
from sluice.errors import InputError
from sluice.io import Channel, Direction
from sluice.io.native import load
from sluice.units import parse_bytes, parse_rate

Method = Literal["mmap", "copy", "read", "uncached"]
Policy = Literal["overwrite", "hold"]
Format = Literal["raw", "npy"]

FEWEST_PERIODS = 3
_PERIOD = "64KiB"
_MOST = 1 << 63  # bytes of a ring: more has no address
_DEVICE = "dev:"
_HEAP = "heap="
_COHERENT = "heap=coherent"


@dataclass(frozen=True, slots=True)
class Options:
    """What was asked for, checked as far as it can be without the board."""

    uri: str
    channel: str
    output: str | None  # None: for the view alone
    frames: int | None
    period_bytes: int
    periods: int
    rate_mb_s: float | None
    sink_mb_s: float | None
    method: Method | None  # None: mmap, and copy what the engine is close to
    policy: Policy
    check: bool  # the counter source's words
    format: Format
    datatype: datatype.Datatype
    force: bool
    settings: tuple[str, ...]
    json: str | None
    view: View | None = None
    shape: Shape = field(default_factory=Shape)  # of the pictures, as far as it was said
    period_given: bool = True  # else a period is as long as a picture, where there is one

    @property
    def board_uri(self) -> str:
        """Return the URI of the board with the memory that the method needs."""
        if self.method != "uncached":
            return self.uri
        _, asked, keys = self.uri.partition("?")
        return f"{self.uri}{'&' if keys else '' if asked else '?'}{_COHERENT}"


def parsed(  # noqa: PLR0913 - the words of the command
    *,
    uri: str,
    channel: str,
    output: str | None,
    frames: int | None,
    period_bytes: str | None,
    periods: int,
    rate: str | None,
    sink_rate: str | None,
    method: str | None,
    policy: str,
    check: str | None,
    form: str,
    sample: str | None,
    force: bool,
    settings: tuple[str, ...],
    json: str | None,
    view: str | None = None,
    picture: str | None = None,
    size: str | None = None,
) -> Options:
    """Return the command's words as options. InputError names the first that is wrong."""
    if output is None and view is None:
        raise InputError("the frames have no target; give -o FILE, --view terminal, or both")
    if output == "":
        raise InputError("-o: the name is empty; give a file, a folder that ends in /, or -")
    if json == "":
        raise InputError("--json: the name of the file is empty")
    if frames is not None and frames < 1:
        raise InputError(f"--frames must be 1 or more, is {frames}")
    if periods < FEWEST_PERIODS:
        raise InputError(f"--periods must be {FEWEST_PERIODS} or more, is {periods}")
    period = _PERIOD if period_bytes is None else period_bytes
    nbytes = parse_bytes(period)
    if nbytes < 1:
        raise InputError("--period-bytes must be 1 or more")
    if nbytes * periods >= _MOST or periods >= 1 << 32:
        raise InputError(
            f"--period-bytes {period}, --periods {periods}: the ring exceeds the address space"
        )
    if check not in {None, "counter"}:
        raise InputError(f"--check {check} is not known; allowed: counter")
    default = datatype.COUNTER if check else datatype.BYTES
    found = datatype.parse_datatype(sample or default)
    if nbytes % found.nbytes:
        raise InputError(
            f"--period-bytes {period}: samples of {found.name} have {found.nbytes} bytes, "
            "and a period must have a whole number of them"
        )
    _check_method(uri, method)
    return Options(
        uri=uri,
        channel=channel,
        output=output,
        frames=frames,
        period_bytes=nbytes,
        periods=periods,
        rate_mb_s=_rate("--rate", rate),
        sink_mb_s=_rate("--sink-rate", sink_rate),
        method=_one_of("--method", method, Method) if method is not None else None,
        policy=_one_of("--policy", policy, Policy),
        check=check is not None,
        format=_one_of("--format", form, Format),
        datatype=found,
        force=force,
        settings=settings,
        json=json,
        view=None if view is None else parse_view(view),
        shape=parse_shape(picture, size),
        period_given=period_bytes is not None,
    )


def with_pictures(options: Options, pictures: Pictures | None) -> Options:
    """Return the options for frames that are pictures. InputError: they cannot be both."""
    if pictures is None or (options.view is None and not options.shape):
        return options
    if options.check and pictures.pattern is not None:
        raise InputError(
            "--check counter: the test picture replaces the counter's words; leave out "
            "--check, or --view, --picture and --size"
        )
    nbytes = pictures.picture.nbytes
    if options.period_given and options.period_bytes != nbytes:
        raise InputError(
            f"--period-bytes {options.period_bytes}: a picture, {pictures.picture}, has {nbytes} "
            "bytes, and a frame is one; leave out --period-bytes, or give --picture and --size "
            "that fit"
        )
    if nbytes % options.datatype.nbytes:
        raise InputError(
            f"--datatype {options.datatype.name}: a picture, {pictures.picture}, has {nbytes} "
            f"bytes, which is not a whole number of samples of {options.datatype.nbytes}"
        )
    return replace(options, period_bytes=nbytes)


def _check_method(uri: str, method: str | None) -> None:
    if method not in {"read", "uncached"}:
        return
    if not uri.startswith(_DEVICE):
        what = "which would copy" if method == "read" else "whose memory it is"
        raise InputError(
            f"--method {method}: {uri} is not a board of the driver, {what}; allowed here: mmap, "
            "copy"
        )
    if method == "uncached" and _HEAP in uri:
        raise InputError(
            f"--method uncached: {uri} names a heap, but the driver allocates the memory; leave "
            "the heap out"
        )


def _rate(option: str, text: str | None) -> float | None:
    if text is None:
        return None
    rate = parse_rate(text)
    if rate <= 0:
        raise InputError(f"{option} {text}: a rate must be above 0")
    return rate


def _one_of(option: str, word: str, literal: object) -> Any:  # noqa: ANN401 - a literal
    allowed = get_args(literal)
    if word not in allowed:
        raise InputError(f"{option} {word} is not known; allowed: {', '.join(allowed)}")
    return word


def check_channel(channel: Channel, options: Options) -> None:
    """Refuse what the channel cannot do, before anything is started."""
    info = channel.info
    name = f"{options.uri}, channel {options.channel}"
    if info.direction != Direction.S2MM:
        raise InputError(f"{name}: this channel does not receive; give one that does")
    if not info.capabilities & load().CAN_CAPTURE:
        raise InputError(
            f"{name}: this channel receives transfers and cannot capture; use `sluice pipe`, or "
            "a channel that captures, as sim:zynq7010/capture has"
        )
    if options.policy == "hold" and not info.capabilities & load().CAN_HOLD:
        raise InputError(f"--policy hold: {name} cannot block the stream; allowed here: overwrite")
    if info.max_packet_bytes and options.period_bytes > info.max_packet_bytes:
        raise InputError(
            f"--period-bytes {options.period_bytes}: a period of {name} has at most "
            f"{info.max_packet_bytes} bytes"
        )
