# SPDX-License-Identifier: Apache-2.0
"""sluice-bench frames: each frame of a captured stream is timed, or lost and named so."""

import json
import os
import subprocess
from typing import Any

import pytest

from sluice.paths import find_bench

pytestmark = pytest.mark.usefixtures("real_bench")

FULL = os.environ.get("SLUICE_FULL") == "1"
FAST = "sim:zynq7010/capture?level=transaction"
RTL = "sim:zynq7010/capture"


def ran(*words: str, uri: str = FAST) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [find_bench(), "frames", "--device", uri, *words],
        check=False,
        capture_output=True,
        text=True,
    )


def frames(*words: str, uri: str = FAST) -> Any:  # noqa: ANN401
    done = ran(*words, uri=uri)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("method", ["mmap", "copy"])
@pytest.mark.parametrize("look", ["none", "read", "filter"])
def test_each_frame_is_seen(method: str, look: str) -> None:
    """640 x 480 pixels of 16 bits, at 120 Hz. A simulated board has no processor's time."""
    found = frames("--frames", "6", "--method", method, "--look", look)
    assert len(found["user_ns"]) == 6
    assert (found["lost"], found["drops"], found["work_ns"]) == (0, 0, [])
    assert found["bytes"] == 614_400


@pytest.mark.skipif(not FULL, reason="takes minutes: set SLUICE_FULL=1")
@pytest.mark.parametrize("method", ["mmap", "copy"])
@pytest.mark.parametrize(("design", "lane"), [("capture", "hp0"), ("capture_acp", "acp0")])
@pytest.mark.parametrize(("level", "count"), [("transaction", 10_000), ("rtl", 200)])
def test_many_frames(level: str, count: int, design: str, lane: str, method: str) -> None:
    """120 a second, each word compared: none is lost, and none missing."""
    uri = f"sim:zynq7010/{design}?level={level}"
    words = ("--channel", f"{lane}.s2mm", "--frames", str(count), "--method", method)
    found = frames(*words, uri=uri)
    assert len(found["user_ns"]) == count
    assert (found["lost"], found["drops"], found["unjudged"]) == (0, 0, 0)


def test_frames_of_several_channels() -> None:
    """Each sends as many; the counts are those of all."""
    words = ("--channels", "hp0.s2mm,hp1.s2mm,hp3.s2mm", "--rate", "1000", "--bytes", "65536")
    found = frames(*words, "--frames", "20", uri="sim:zynq7010/hp_stress_sg?level=transaction")
    assert len(found["user_ns"]) == 60
    assert (found["lost"], found["drops"], found["unjudged"]) == (0, 0, 0)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--channels", "hp0.s2mm,hp0.s2mm"), "--channels: hp0.s2mm is named twice"),
        (("--beside", "hp0"), "--beside: hp0 is the lane of hp0.s2mm"),
        (("--beside", "hp1"), "--beside opens the device again, so --device must be dev:, is sim:"),
        (("--beside-bytes", "4096"), "--beside-bytes requires --beside"),
    ],
)
def test_channels_and_lanes_are_checked(words: tuple[str, ...], sentence: str) -> None:
    done = ran(*words, uri="sim:zynq7010/hp_stress_sg?level=transaction")
    assert done.returncode == 2
    assert sentence in done.stderr


def test_frames_at_the_rate_of_the_port() -> None:
    found = frames("--rate", "0", "--bytes", "65536", "--frames", "40", "--periods", "8")
    assert len(found["user_ns"]) + found["lost"] == 40


def test_frames_of_the_rtl() -> None:
    found = frames("--rate", "1000", "--bytes", "4096", "--frames", "8", uri=RTL)
    assert len(found["user_ns"]) == 8
    assert found["lost"] == found["drops"] == 0


@pytest.mark.parametrize("level", ["rtl", "transaction"])
def test_frames_of_a_stream_of_32_bits(level: str) -> None:
    uri = f"sim:zynq7020/capture_32?level={level}"
    found = frames("--rate", "1000", "--bytes", "4096", "--frames", "8", uri=uri)
    assert len(found["user_ns"]) == 8
    assert found["lost"] == found["drops"] == 0


def test_a_stream_that_waits_loses_nothing() -> None:
    found = frames("--rate", "0", "--bytes", "4096", "--frames", "60", "--hold")
    assert len(found["user_ns"]) == 60
    assert found["lost"] == found["drops"] == 0


def test_drops_are_counted() -> None:
    """At 250 MHz the ACP takes less than the source sends."""
    acp = "sim:zynq7010/capture_acp?level=transaction&clock_mhz=250"
    words = ("--channel", "acp0.s2mm", "--bytes", "65536", "--frames", "50", "--rate", "0")
    for compare in ((), ("--ends",)):
        found = frames(*words, *compare, uri=acp)
        assert found["drops"] > 0
        assert len(found["user_ns"]) + found["lost"] <= 50


def test_frames_of_which_no_record_is_kept() -> None:
    found = frames("--bytes", "256", "--rate", "0", "--frames", "20000", "--periods", "1000")
    assert found["unjudged"] > 0
    assert len(found["user_ns"]) + found["lost"] == 20000


def test_a_stream_that_waits_at_a_rate() -> None:
    found = frames("--hold", "--bytes", "4096", "--frames", "5")
    assert len(found["user_ns"]) == 5


def test_slow_frames_are_awaited() -> None:
    assert len(frames("--rate", "0.05", "--frames", "2", "--bytes", "4096")["user_ns"]) == 2


@pytest.mark.parametrize(("level", "pause"), [("rtl", 0), ("rtl", 5), ("transaction", 5)])
def test_a_chunk_takes_its_beats_and_the_pause(level: str, pause: int) -> None:
    """4 bytes a cycle of 10 ns: the engine loses none of its own."""
    uri = f"sim:zynq7010/capture_32?level={level}"
    words = ("--bytes", "1504", "--frames", "14", "--periods", "18", "--rate", "0")
    found = frames(*words, "--pause-ticks", str(pause), uri=uri)["engine_ns"]
    assert len(found) == 13
    assert sum(found) / len(found) == pytest.approx((1504 / 4 + pause) * 10, abs=2)


def test_the_shortest_time_is_the_streams() -> None:
    """The processor of a simulated board takes no time."""
    found = frames("--shortest", "--bytes", "65536", "--frames", "20")
    assert found["user_ns"] == [pytest.approx(65536 / 8 * 10, abs=50)]


def test_the_shortest_time_without_a_dropped_beat() -> None:
    """At 250 MHz the ACP takes less than the source sends, and a frame fits in front of it."""
    acp = "sim:zynq7010/capture_acp?level=transaction&clock_mhz=250"
    words = ("--channel", "acp0.s2mm", "--bytes", "4096", "--frames", "100", "--periods", "8")
    (shortest,) = frames(*words, "--shortest", "--ends", uri=acp)["user_ns"]
    assert shortest > 1.2 * 4096 / 8 * 4
    assert frames(*words, "--rate", str(1e9 / shortest), uri=acp)["drops"] == 0
    assert frames(*words, "--rate", str(1.05e9 / shortest), uri=acp)["drops"] > 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--pause-ticks", "5"], "--pause-ticks needs --rate 0"),
        (
            ["--pause-ticks", "5", "--rate", "0", "--frames", "16777216"],
            "--pause-ticks: --frames must be at most 16777215, is 16777216",
        ),
        (["--pause-ticks", "16777216"], "--pause-ticks: Value 16777216 not in range"),
        (["--bytes", "100"], "--bytes must be a multiple of the stream's 8 bytes, is 100"),
        (["--periods", "2"], "--periods must be at least 3, is 2"),
        (["--rate", "-1"], "--rate must be 0 or more"),
        (["--frames", "0"], "--frames: Value 0 not in range 1 to 4294967295"),
        (["--channel", "hp9"], "capture has no channel 'hp9'; it has: hp0.s2mm"),
        (["--look", "filter", "--width", "2"], "a frame has at least 3 rows of 3 pixels"),
        (["--bytes", "134217728"], "--bytes: hp0.s2mm takes frames of at most "),
    ],
)
def test_bad_input(words: list[str], sentence: str) -> None:
    done = ran(*words)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("\n") == 1


def test_channels_that_do_not_capture() -> None:
    done = ran("--channel", "hp0.mm2s", uri="sim:zynq7010/hp_stress")
    assert done.returncode == 2
    assert "--channels: hp0.mm2s does not capture" in done.stderr
