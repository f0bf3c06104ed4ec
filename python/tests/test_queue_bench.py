# SPDX-License-Identifier: Apache-2.0
"""sluice-bench queue and calls: queued transfers of several channels, by the board's clock."""

import json
import subprocess
from typing import Any

import pytest

from sluice.paths import find_bench

pytestmark = pytest.mark.usefixtures("real_bench")

BYTES = 16384
TRANSFERS = 8
PORT_MB_S = 800  # 64 bits at 100 MHz


def queue(uri: str, channels: str, *words: str, command: str = "queue") -> Any:  # noqa: ANN401
    given = ["--device", uri, "--channels", channels, "--bytes", str(BYTES)]
    given += ["--transfers", str(TRANSFERS), *words]
    done = subprocess.run(
        [find_bench(), command, *given], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("depth", [1, 4])
def test_of_a_port(depth: int) -> None:
    said = queue("sim:zynq7010/hp_stress", "hp0.mm2s", "--depth", str(depth))
    assert (said["transfers"], said["depth"]) == (TRANSFERS, depth)
    assert said["bytes"] == TRANSFERS * BYTES
    elapsed_ns = said["finish_ns"] - said["start_ns"]
    assert said["mb_s"] == pytest.approx(said["bytes"] / elapsed_ns * 1e3)
    assert 0.8 * PORT_MB_S < said["mb_s"] < PORT_MB_S


def test_of_two_ports_at_once() -> None:
    said = queue("sim:zynq7010/hp_stress", "hp0.mm2s,hp2.s2mm")
    assert said["bytes"] == 2 * TRANSFERS * BYTES
    assert 1.5 * PORT_MB_S < said["mb_s"] < 2 * PORT_MB_S


def test_of_copies() -> None:
    said = queue("sim:zynq7010/cdma", "hp0.copy,hp3.copy")
    assert said["bytes"] == 2 * TRANSFERS * BYTES
    assert said["mb_s"] < 2 * PORT_MB_S


@pytest.mark.parametrize("side", ["--to", "--from"])
def test_of_copies_between_memory_and_block_ram(side: str) -> None:
    """Each engine has its own, and the port carries one direction: nearly its rate."""
    said = queue("sim:zynq7020/cdma", "hp1.copy,hp3.copy", side, "ram", "--use", "touch")
    assert said["bytes"] == 2 * TRANSFERS * BYTES
    assert (said["from"], said["to"]) == ("memory", "ram")[:: 1 if side == "--to" else -1]
    assert said["use"] == "touch"
    assert 1.5 * PORT_MB_S < said["mb_s"] < 2 * PORT_MB_S


def test_memory_of_a_node_that_is_not_there() -> None:
    command = [find_bench(), "calls", "--device", "sim:zynq7020/cdma", "--channels", "hp0.copy"]
    command += ["--to", "ram", "--ram-of", "/dev/sluice/none/memory"]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "--ram-of: /dev/sluice/none/memory cannot be opened" in done.stderr


def test_of_calls() -> None:
    """Each run takes what a transfer of the queue takes."""
    one = queue("sim:zynq7020/cdma", "hp1.copy", "--to", "ram")
    said = queue("sim:zynq7020/cdma", "hp1.copy", "--to", "ram", "--runs", "3", command="calls")
    assert (said["bytes"], said["reached"]) == (BYTES, BYTES)
    assert len(said["user_ns"]) == len(said["work_ns"]) == 3
    elapsed_ns = one["finish_ns"] - one["start_ns"]
    assert said["user_ns"] == pytest.approx([elapsed_ns / TRANSFERS] * 3, rel=0.01)


def test_threads_need_a_device() -> None:
    """A thread has the board open for itself; a simulated one would be another board."""
    command = [find_bench(), "calls", "--device", "sim:zynq7020/cdma", "--channels", "hp0.copy"]
    done = subprocess.run([*command, "--threads"], check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert "--threads: each opens the device, so --device must be dev:, is sim:" in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--channels", "hp0.mm2s", "--to", "ram"], "--from and --to ram: hp0.mm2s does not copy"),
        (["--channels", "hp0.mm2s", "--from", "ram", "--to", "ram"], "one side is memory"),
        (["--channels", "hp0.mm2s", "--ram-of", "/none"], "--ram-of: neither --from nor --to"),
        (["--channels", "hp0.mm2s", "--use", "fill"], "--use"),
        (["--channels", "hp9.mm2s"], "no channel"),
        (["--channels", "hp0.mm2s", "--depth", "0"], "--depth must be 1 to 256, is 0"),
        (["--channels", "hp0.mm2s", "--depth", "257"], "--depth must be 1 to 256, is 257"),
        (["--channels", "hp0.mm2s", "--transfers", "0"], "--transfers must be 1 or more, is 0"),
        (["--channels", "hp0.mm2s", "--bytes", "0"], "--bytes: hp0.mm2s moves 1 to"),
        ([], "--channels is required"),
    ],
)
def test_bad_input(words: list[str], expected: str) -> None:
    command = [find_bench(), "queue", "--device", "sim:zynq7010/hp_stress", *words]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 2
    assert expected in done.stderr
