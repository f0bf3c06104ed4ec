# SPDX-License-Identifier: Apache-2.0
"""The how-to for bare-metal drivers: its example says what the page says."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from calling import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "howto" / "run-your-bare-metal-driver.md"
EXAMPLE = ROOT / "build" / "release" / "lib" / "sluice_example_bare_metal"


def said(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [EXAMPLE, *arguments], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


def test_the_example_says_what_its_page_says() -> None:
    shown = re.search(
        r"^\$ build/bare_metal/lib/sluice_example_bare_metal\n(.+)$", PAGE.read_text(), re.MULTILINE
    )
    assert shown is not None
    done = said()
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == shown[1]


@pytest.mark.parametrize("level", ["rtl", "transaction"])
def test_an_engine_without_descriptors_runs_it_too(level: str) -> None:
    done = said(f"sim:zynq7010/hp_stress?level={level}")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("50000 bytes came back, in direct register mode")


def test_the_map_of_addresses_is_that_of_the_code() -> None:
    header = (ROOT / "lib" / "examples" / "bare_metal" / "board.h").read_text()
    places = dict(re.findall(r"#define (\w+) 0x(\w+)UL", header))
    memory, memory_bytes = int(places["MEMORY"], 16), int(places["MEMORY_BYTES"], 16)
    page = PAGE.read_text()
    assert f"0x{places['ENGINE']}, {int(places['ENGINE_BYTES'], 16) // 1024} KiB" in page
    assert f"0x{memory:08x} to 0x{memory + memory_bytes - 1:08x}" in page


def test_a_board_that_is_not_there_is_refused_by_name() -> None:
    done = said("sim:zynq7010/none")
    assert done.returncode == 1
    assert "unknown design 'none'; allowed: " in done.stderr
