# SPDX-License-Identifier: Apache-2.0
"""sluice pipe: files and the memory of a simulated card, and the ring between two ends."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from calling import PATIENCE_S, Sluice
from sluice.errors import InputError
from sluice.pipe import channels, files
from sluice.pipe.ends import ChannelEnd, FileEnd, parse_end
from sluice.pipe.pump import Busy, Pump, Slot, new_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

CARD = "sim:pcie-gen3x8/xdma?level=transaction"
STREAM = "sim:pcie-gen3x8/xdma_stream"
IN, OUT = f"{CARD}#h2c0", f"{CARD}#c2h0"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data"
    path.write_bytes(np.random.default_rng(1).bytes(700_001))
    return path


# ---- what ends are called


def test_ends_are_parsed() -> None:
    assert parse_end("-") == FileEnd("-")
    assert parse_end("./sim:x#y") == FileEnd("./sim:x#y")
    assert parse_end("sim:a/b?c=1#h2c0") == ChannelEnd("sim:a/b?c=1", "h2c0", None)
    assert parse_end("dev:0000:03:00.0#c2h0@0x1000") == ChannelEnd(
        "dev:0000:03:00.0", "c2h0", 0x1000
    )
    assert parse_end("vfio:0#x@2MiB") == ChannelEnd("vfio:0", "x", 2 << 20)


@pytest.mark.parametrize("text", ["", "sim:a/b", "sim:a/b#", "sim:a/b#c@", "sim:a/b#c@far"])
def test_what_is_no_end_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        parse_end(text)


# ---- the ring


class Chunk:
    """Host memory."""

    def __init__(self, nbytes: int) -> None:
        self.data = np.zeros(nbytes, np.uint8)

    @contextmanager
    def access(self, *, read: bool = True, write: bool = False) -> Iterator[Any]:
        """Give it."""
        del read, write
        yield self.data


class Numbers:
    """A source of packets of random lengths; notes how many are under way."""

    def __init__(self, packets: list[bytes]) -> None:
        self.busy = Busy()
        self.left = deque(packets)
        self.begun: deque[bytes | None] = deque()
        self.most = 0
        self.total = None

    def cancel(self) -> None:
        """Do nothing."""

    def begin(self, slot: Slot) -> bool:
        """Begin a packet."""
        del slot
        # As a file does, it learns only later that there is no more.
        self.begun.append(self.left.popleft() if self.left else None)
        self.most = max(self.most, len(self.begun))
        return True

    def end(self, slot: Slot) -> bool:
        """Bring the oldest."""
        packet = self.begun.popleft()
        if packet is None:
            return False
        with slot.memory.access(write=True) as data:
            data[: len(packet)] = np.frombuffer(packet, np.uint8)
        slot.nbytes = len(packet)
        return True


class Taker:
    """A sink that keeps what it is given, when it ends."""

    def __init__(self) -> None:
        self.busy = Busy()
        self.taken: list[bytes] = []
        self.begun: deque[Slot] = deque()
        self.most = 0

    def begin(self, slot: Slot) -> None:
        """Begin a packet."""
        self.begun.append(slot)
        self.most = max(self.most, len(self.begun))

    def end(self, slot: Slot) -> None:
        """Take the oldest."""
        assert self.begun.popleft() is slot
        with slot.memory.access() as data:
            self.taken.append(data[: slot.nbytes].tobytes())


@pytest.mark.parametrize("chunks", [1, 2, 3, 8])
@pytest.mark.parametrize("count", [0, 1, 7, 50])
def test_all_arrives_in_its_order(chunks: int, count: int) -> None:
    bits = np.random.default_rng(chunks * 100 + count)
    packets = [bits.bytes(int(bits.integers(1, 64))) for _ in range(count)]
    source, sink, digest = Numbers(packets), Taker(), new_digest()
    moved: list[int] = []
    slots = [Slot(Chunk(64)) for _ in range(chunks)]
    pump = Pump(source, sink, slots, moved.append, lambda: False, digest)
    pump.run()
    assert sink.taken == packets
    assert moved == [len(packet) for packet in packets]
    assert pump.arrived == sum(moved)
    assert digest.digest() == hashlib.sha256(b"".join(packets)).digest()
    if chunks > 1 and count > chunks:
        assert source.most >= chunks // 2
        assert sink.most >= chunks // 2


def test_what_is_on_its_way_arrives_after_a_stop() -> None:
    source, sink = Numbers([bytes([number]) for number in range(100)]), Taker()
    slots = [Slot(Chunk(64)) for _ in range(4)]
    pump = Pump(source, sink, slots, lambda _: None, lambda: len(sink.taken) >= 10)
    pump.run()
    assert 10 <= len(sink.taken) <= 14
    assert sink.taken == [bytes([number]) for number in range(len(sink.taken))]
    assert not source.begun


def test_time_that_two_transfers_share_counts_once() -> None:
    busy = Busy()
    for start, finish in ((10, 20), (15, 30), (40, 50), (45, 48)):
        busy.add(start, finish)
    assert (busy.first_ns, busy.nanoseconds, busy.last_ns) == (10, 30, 50)


# ---- the command


def test_file_to_card_and_back(sluice: Sluice, data: Path, tmp_path: Path) -> None:
    done = sluice("pipe", data, f"{IN}@1MiB", "--verify", "--chunk", "64KiB", "--json", "-")
    assert done.status == 0, done.err
    found = done.json
    assert found["bytes"] == 700_001
    assert found["verified"] is True
    assert found["partial"] is False
    assert found["clock"] == "simulated"
    assert found["sha256"] == hashlib.sha256(data.read_bytes()).hexdigest()
    assert 5000 < found["mb_s"] < 7900
    back, told = tmp_path / "back", tmp_path / "told.json"
    done = sluice("pipe", OUT, back, "--bytes", "100001", "--verify", "--json", told)
    assert done.status == 0, done.err
    assert "verified" in done.out
    assert back.read_bytes() == bytes(100_001)  # a board of its own, whose memory is 0
    assert json.loads(told.read_text())["bytes"] == 100_001


def test_both_halves_at_once(sluice: Sluice) -> None:
    words = ("pipe", OUT, f"{IN}@8MiB", "--bytes", "4MiB", "--chunk", "64KiB", "--verify")
    one = sluice(*words, "--chunks", "1", "--json", "-")
    many = sluice(*words, "--chunks", "8", "--json", "-")
    assert one.status == many.status == 0
    found = many.json
    assert found["mb_s"] > 1.7 * one.json["mb_s"]
    slower = min(found["source"]["mb_s"], found["sink"]["mb_s"])
    assert found["mb_s"] >= 0.95 * slower
    # One half after the other: their times add up.
    found = one.json
    both = found["source"]["busy_s"] + found["sink"]["busy_s"]
    assert both <= found["seconds"] <= 1.2 * both


def test_standard_input_and_output(data: Path) -> None:
    into = [sys.executable, "-m", "sluice", "pipe", "-", f"{IN}@0"]
    done = subprocess.run(into, input=data.read_bytes(), capture_output=True, check=True)
    assert b"700001 bytes" in done.stdout
    out = [sys.executable, "-m", "sluice", "pipe", OUT, "-", "--bytes", "5000"]
    done = subprocess.run(out, capture_output=True, check=True)
    assert done.stdout == bytes(5000)
    assert b"5000 bytes" in done.stderr


def test_a_stream_takes_a_packet_a_chunk(sluice: Sluice, data: Path) -> None:
    words = ("--bytes", "10000", "--chunk", "4KiB", "--set", "s0.sink.enable=1")
    done = sluice("pipe", data, f"{STREAM}#h2c0", *words)
    assert done.status == 0, done.err
    assert "10000 bytes" in done.out


def test_packets_of_a_stream(sluice: Sluice, tmp_path: Path) -> None:
    """Shorter than a chunk each, and passed on as long as they are."""
    beats, wanted = 25, 3000  # beats of 32 bytes
    settings = {
        "packet_beats": beats,
        "start": 7,
        "clear": 1,
        "continuous": 1,
        "enable": 1,
    }
    words = [f"--set=s0.source.{name}={value}" for name, value in settings.items()]
    sink = tmp_path / "packets"
    done = sluice("pipe", f"{STREAM}#c2h0", sink, "--bytes", str(wanted), "--chunk", "1KiB", *words)
    assert done.status == 0, done.err
    found = np.fromfile(sink, np.uint32)
    assert len(found) * 4 == wanted  # three packets of 800 bytes, and the beginning of another
    assert (found == 7 + np.arange(len(found))).all()


def test_a_stream_that_nobody_takes_ends_with_ctrl_c(data: Path) -> None:
    command = [sys.executable, "-m", "sluice", "pipe", str(data), f"{STREAM}#h2c0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "stopped before the end" in out


def test_ctrl_c_keeps_what_has_arrived() -> None:
    command = [sys.executable, "-m", "sluice", "pipe", "-", IN, "--chunk", "4KiB", "--json", "-"]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(bytes(10_000))
    process.stdin.flush()
    # It has read what there is once the pipe takes as much as it holds, again.
    for _ in range(3):
        process.stdin.write(bytes(1 << 16))
        process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    found = json.loads(out)
    assert found["partial"] is True
    assert f"{found['bytes']} bytes have arrived" in err.decode()


def test_a_second_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    """Here the first one cannot: nobody opens the other side of the source."""
    source = tmp_path / "source"
    os.mkfifo(source)
    process = subprocess.Popen([sys.executable, "-m", "sluice", "pipe", str(source), IN])
    time.sleep(3)
    process.send_signal(signal.SIGINT)
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(timeout=PATIENCE_S / 10) == -signal.SIGINT
    finally:
        process.kill()


def test_other_data_in_the_sink_is_found(
    monkeypatch: pytest.MonkeyPatch, sluice: Sluice, tmp_path: Path
) -> None:
    real = files.FileSink.begin

    def corrupting(sink: files.FileSink, slot: Slot) -> None:
        real(sink, slot)
        with (tmp_path / "sink").open("r+b") as file:
            file.seek(77)
            file.write(b"\x01")

    monkeypatch.setattr(files.FileSink, "begin", corrupting)
    done = sluice("pipe", OUT, tmp_path / "sink", "--bytes", "1000", "--verify")
    assert done.status == 1
    assert "does not hold what left" in done.err


def test_other_data_in_the_card_is_found(
    monkeypatch: pytest.MonkeyPatch, sluice: Sluice, data: Path
) -> None:
    real = channels.ChannelSink.end

    def corrupting(sink: channels.ChannelSink, slot: Slot) -> None:
        real(sink, slot)
        first = sink.board.read_card(sink.first, 1)
        sink.board.write_card(sink.first, bytes([first[0] ^ 1]))

    monkeypatch.setattr(channels.ChannelSink, "end", corrupting)
    done = sluice("pipe", data, f"{IN}@4KiB", "--chunk", "1MiB", "--verify")
    assert done.status == 1
    assert "does not hold what left" in done.err


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("a", "b"), "for two files there is cp"),
        (("/nowhere/file", IN), "cannot be opened"),
        ((OUT, "/nowhere/file"), "cannot be opened"),
        ((OUT, OUT), "nothing goes to this channel"),
        ((IN, "file"), "nothing comes from this channel"),
        ((f"{CARD}#zz", "file"), "allowed: h2c0, c2h0"),
        (("sim:nothing/x#h2c0", "file"), "nothing"),
        ((OUT, f"{STREAM}#h2c0"), "must be one board's"),
        ((OUT, "file", "--chunk", "0"), "--chunk must be 1 or more"),
        ((OUT, "file", "--chunk", "many"), "is not a size"),
        ((OUT, "file", "--chunks", "65"), "--chunks must be 1 to 64"),
        ((OUT, "file", "--bytes", "0"), "--bytes must be 1 or more"),
        ((OUT, "-", "--json", "-"), "are one; choose another"),
        ((OUT, f"{IN}@512KiB", "--bytes", "1MiB"), "overlap"),
        ((OUT, "file", "--set", "s0.loopback=99999999999999999999999"), "VALUE a whole number"),
        ((OUT, "-", "--verify"), "cannot be read back"),
        (("/dev/zero", f"{STREAM}#h2c0", "--verify"), "cannot be read back"),
        ((f"{STREAM}#c2h0@4", "file"), "has no offset"),
        ((OUT, "file", "--json", "/nowhere/result"), "cannot be written"),
        ((OUT, "file", "--set", "s0.loopback"), "not of the form NAME=VALUE"),
        ((OUT, "file", "--set", "nothing=1"), "nothing"),
    ],
)
def test_bad_input(refused: Callable[..., str], words: tuple[str, ...], sentence: str) -> None:
    assert sentence in refused("pipe", *words)


def test_the_end_of_the_cards_memory_is_an_error(sluice: Sluice) -> None:
    """Where how much comes is not known before."""
    done = sluice("pipe", "/dev/zero", f"{IN}@1023MiB", "--chunk", "512KiB")
    assert done.status == 1
    assert "exceed the card's memory" in done.err


def test_a_sink_is_as_it_was_after_bad_input(sluice: Sluice, tmp_path: Path) -> None:
    sink = tmp_path / "sink"
    sink.write_bytes(b"kept")
    for words in (
        (f"{OUT}@2GiB",),
        (f"{OUT}@1023MiB", "--bytes", "2MiB"),
        (OUT, "--chunk", "200MiB", "--chunks", "64"),
    ):
        done = sluice("pipe", words[0], sink, *words[1:])
        assert done.status == 2, done.err
        assert sink.read_bytes() == b"kept"
    for json_of in (sink, tmp_path / "." / "sink"):
        assert sluice("pipe", OUT, sink, "--bytes", "1", "--json", json_of).status == 2
        assert sluice("pipe", sink, IN, "--json", json_of).status == 2
    assert sink.read_bytes() == b"kept"


def test_names_are_said_as_they_are(sluice: Sluice, tmp_path: Path) -> None:
    sink = tmp_path / "a[b] [x"
    done = sluice("pipe", OUT, sink, "--bytes", "10")
    assert done.status == 0, done.err
    assert sink.name in done.out


def test_a_stream_is_given_up_although_more_comes() -> None:
    """The source brings something that can go nowhere."""
    words = ["--chunk", "1KiB", "--set=s0.source.continuous=1", "--set=s0.source.packet_beats=8"]
    words += ["--set=s0.source.enable=1"]
    command = [sys.executable, "-m", "sluice", "pipe", f"{STREAM}#c2h0", f"{STREAM}#h2c0", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(4)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130, err
    assert "stopped before the end" in out


def test_a_full_disk_is_an_error(sluice: Sluice) -> None:
    done = sluice("pipe", OUT, "/dev/full", "--bytes", "5000")
    assert done.status == 1
    assert "/dev/full cannot be written: no space left on device" in done.err
