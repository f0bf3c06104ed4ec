# SPDX-License-Identifier: Apache-2.0
"""The library's own programs, for a guest."""

from __future__ import annotations

import json
import re
import shlex
import socketserver
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from cosim.commands import must
from cosim.guests import Guest
from cosim.guests.flavours import FLAVOURS
from cosim.guests.library import library_programs
from tools.debian import UnavailableError

PROGRAMS = ("sluice_example_loopback", "sluice_on_device")
BENCH = "/tests/sluice-bench"
CALL = """#!{python}
import json, socket, sys
link = socket.socket(socket.AF_UNIX)
link.connect({place!r})
with link.makefile("rw") as file:
    print(json.dumps(sys.argv[1:]), file=file, flush=True)
    status, text = json.loads(file.readline())
(sys.stderr if status else sys.stdout).write(text)
sys.exit(status)
"""


def build_library(flavour: str = "arm64", more: Sequence[str] = ()) -> dict[str, Path]:
    """By their path in the guest. `more`: further programs of the library's."""
    try:
        built = library_programs(FLAVOURS[flavour].processor, (*PROGRAMS, *more))
    except UnavailableError as error:
        pytest.skip(str(error))
    return {f"/tests/{name}": path for name, path in built.items()}


def measure(guest: Guest, uri: str, direction: str, options: str = "") -> None:
    """Two runs of sluice-bench on a board; all bytes have arrived, in the time that is said."""
    size = 16384
    words = f"--device {uri} --direction {direction} --bytes {size} --runs 2 {options}"
    lines = must(guest, f"{BENCH} measure {words}").splitlines()
    runs = [json.loads(line) for line in lines]
    assert [run["run"] for run in runs] == [0, 1]
    for run in runs:
        assert run["verified"]
        assert run["clock"] == "CLOCK_MONOTONIC_RAW"
        assert run["bytes"] == size * (2 if direction == "duplex" else 1)
        elapsed_ns = run["finish_ns"] - run["start_ns"]
        assert run["mb_s"] == pytest.approx(run["bytes"] / elapsed_ns * 1e3)
        assert set(run["skew_ns"]) == {0}
    # One clock for both runs, which goes on between them.
    assert 0 < runs[0]["finish_ns"] < runs[1]["start_ns"]


@contextmanager
def bench_in(guest: Guest, folder: Path) -> Iterator[Path]:
    """sluice-bench of the guest as a program here, as it would be by ssh to a board."""

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            words = json.loads(self.rfile.readline())
            found = guest.run(shlex.join([BENCH, *words]), 120)
            self.wfile.write(json.dumps([found.status, found.text]).encode() + b"\n")

    program, place = folder / "sluice-bench", folder / "socket"
    program.write_text(CALL.format(python=sys.executable, place=str(place)))
    program.chmod(0o755)
    with socketserver.UnixStreamServer(str(place), Answer) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield program
        finally:
            server.shutdown()
            thread.join()


def refusal(guest: Guest, words: str) -> str:
    """What sluice-bench says, in one sentence, to what cannot be measured."""
    found = guest.run(f"{BENCH} {words}", 60)
    assert found.status == 2, found
    said = re.fullmatch(r"sluice-bench: (.+)\n", found.text)
    assert said is not None, found
    return said[1]
