# SPDX-License-Identifier: Apache-2.0
"""Measures one target, or finds its result in the cache.

Each step's result is kept under a digest of all that goes into it (sources, parameters, tools'
versions, the scripts here), so a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tools import cores
from tools.debian import UnavailableError

from . import nextpnr
from .targets import DEVICES, ROOT, XC7, Device, Target
from .wrapper import TOP, ports_of, wrapper
from .yosys import yosys_version

SEEDS = (1, 2, 3)
SCRIPTS = ("measure.py", "nextpnr.py", "wrapper.py", "yosys.py")
# Mapped for the fewest LUTs, every row alike: reads of register files become trees of MUXF7 and
# MUXF8, a LUT costs 1 whatever its inputs (by default fewer inputs cost less), and ABC9 runs one
# of its longer scripts.
FEW_LUTS = (
    "proc",
    "bmuxmap",
    "scratchpad -copy abc9.script.flow2 abc9.script",
    f"{XC7.synthesis} -widemux 5 -noiopad -noclkbuf -top {{top}} -run begin:map_luts",
    "opt_expr -mux_undef -noclkinv",
    "abc9 -luts 6:1",
    "clean",
    "techmap -map +/xilinx/lut_map.v -map +/xilinx/cells_map.v -D LUT_WIDTH=6",
    "xilinx_dffopt",
    "opt_lut_ins -tech xilinx",
    "clean",
    "blackbox =A:whitebox",
)
# As synth_xilinx maps by itself, for speed: what is placed and routed.
DEFAULT = (f"{XC7.synthesis} -noiopad -noclkbuf -top {{top}}",)
# LUTs that a cell takes where it is no LUT itself.
LUT_RAM = {"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM32X1S": 1, "RAM64X1S": 1}
BRAM = {"RAMB36E1": 1.0, "RAMB18E1": 0.5}
Result = dict[str, Any]


class Measurer:
    """Runs the steps of targets; `say` gets a line of progress for each."""

    def __init__(self, build: Path, say: Callable[[str], None]) -> None:
        self.build = build
        self.tool_cache = ROOT / "build" / "cache" / "nextpnr-xilinx"
        self.say = say
        self.tools = {"yosys": yosys_version()}
        self.unavailable: dict[str, str] = {}
        for device in DEVICES:
            try:
                self.tools[device.key] = nextpnr.tool_version(device, self.tool_cache)
            except UnavailableError as error:
                self.unavailable[device.key] = str(error)
                self.say(f"{device.name}: not placed and routed: {error}")
        here = Path(__file__).parent
        self.scripts = "".join((here / name).read_text() for name in SCRIPTS)

    def target(self, target: Target) -> Result:
        """All of a target's figures."""
        result: Result = {"key": target.key, "parameters": target.parameters}
        for name, flow in (("area", FEW_LUTS), ("default", DEFAULT)):
            if name == "area" or target.route or target.lut_goal is not None:
                result[name] = self._step(
                    target,
                    name,
                    "",
                    lambda folder, flow=flow: self._area(target, flow, folder),  # type: ignore[misc]
                )
        result["routed"] = {}
        for device in target.devices if target.route else ():
            if device.key in self.unavailable:
                result["routed"][device.key] = {"unavailable": self.unavailable[device.key]}
                continue
            result["routed"][device.key] = self._step(
                target,
                device.key,
                self.tools[device.key],
                lambda folder, device=device: self._route(target, device, folder),  # type: ignore[misc]
            )
        return result

    def _step(self, target: Target, name: str, tool: str, work: Callable[[Path], Result]) -> Result:
        digest = hashlib.sha256()
        overrides = str(sorted(target.parameters.items()))
        for text in (self.tools["yosys"], tool, self.scripts, target.module, overrides):
            digest.update(text.encode() + b"\0")
        for file in (*target.files, *cores.headers()):
            digest.update(file.encode() + b"\0" + (ROOT / file).read_bytes() + b"\0")
        folder = self.build / f"{target.key}-{name}-{digest.hexdigest()[:16]}"
        kept = folder / "result.json"
        if kept.exists():
            self.say(f"{target.key} {name}: as kept in {folder.relative_to(ROOT)}")
            kept_result: Result = json.loads(kept.read_text())
            return kept_result
        folder.mkdir(parents=True, exist_ok=True)
        start = time.monotonic()
        result = work(folder)
        result["seconds"] = round(time.monotonic() - start, 1)
        # Written apart and moved: a result that is there is whole.
        temporary = kept.with_suffix(".part")
        temporary.write_text(json.dumps(result, indent=1))
        temporary.replace(kept)
        self.say(f"{target.key} {name}: {result['seconds']} s")
        return result

    def _yosys(self, folder: Path, name: str, commands: list[str]) -> None:
        log = folder / f"{name}.log"
        arguments = [part for command in commands for part in ("-p", command)]
        done = subprocess.run(
            [sys.executable, "-m", "tools.fpga.yosys", "-ql", str(log), *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            lines = log.read_text(errors="replace").splitlines() if log.exists() else []
            lines = [line for line in lines if "error" in line.lower()] or lines[-1:]
            raise nextpnr.ToolError(f"yosys failed ({log}): {' '.join(lines[:1])}{done.stderr}")

    def _read(self, target: Target, top: str, extra: str = "") -> str:
        overrides = ""
        if top == target.module:
            overrides = "".join(f" -G {k}={v}" for k, v in target.parameters.items())
        folders = "".join(f" -I {folder}" for folder in cores.includes())
        files = " ".join(target.files)
        return f"read_slang -DSYNTHESIS{folders} --top {top}{overrides} {files} {extra}"

    def _area(self, target: Target, flow: tuple[str, ...], folder: Path) -> Result:
        """Cells of the module by itself, for the Xilinx part."""
        netlist = folder / "area.json"
        self._yosys(
            folder,
            "area",
            [
                self._read(target, target.module),
                *(command.format(top=target.module) for command in flow),
                f"write_json {netlist}",
            ],
        )
        cells = json.loads(netlist.read_text())["modules"][target.module]["cells"]
        netlist.unlink()
        return count_cells(cells)

    def _route(self, target: Target, device: Device, folder: Path) -> Result:
        elaborated = folder / "elaborated.json"
        self._yosys(
            folder, "ports", [self._read(target, target.module), f"write_json {elaborated}"]
        )
        ports = ports_of(json.loads(elaborated.read_text()), target.module)
        elaborated.unlink()
        top = folder / "top.sv"
        top.write_text(wrapper(target.module, target.parameters, ports))
        netlist = folder / "netlist.json"
        self._yosys(
            folder,
            "synthesis",
            [
                self._read(target, TOP, str(top)),
                f"{device.synthesis} -top {TOP}",
                f"write_json {netlist}",
            ],
        )
        runs = []
        for seed in SEEDS:
            self.say(f"{target.key} {device.key}: place and route, seed {seed} of {len(SEEDS)}")
            run = nextpnr.route(device, self.tool_cache, folder, netlist, seed)
            runs.append({"seed": seed, **asdict(run)})
        netlist.unlink()
        return {"runs": runs}


def lut_feeds(netlist: dict[str, Any]) -> int:
    """LUTs that only feed a MUXF7 or MUXF8: its inputs have no other way in than the LUTs, or the
    MUXF7s, beside it, each of which feeds one."""
    driver = {
        cell["connections"]["O"][0]: cell["type"]
        for cell in netlist.values()
        if cell["type"].startswith(("LUT", "MUXF7"))
    }
    taken: set[int] = set()
    count = 0
    for cell in netlist.values():
        if cell["type"] in ("MUXF7", "MUXF8"):
            beside = "LUT" if cell["type"] == "MUXF7" else "MUXF7"
            for port in ("I0", "I1"):
                net = cell["connections"][port][0]
                if driver.get(net, "").startswith(beside) and net not in taken:
                    taken.add(net)
                else:
                    count += 1
    return count


def count_cells(netlist: dict[str, Any]) -> Result:
    """LUTs (inverters, LUT RAM and LUTs on the way to a MUXF included), registers and 36 Kb block
    RAMs."""
    cells = Counter(cell["type"] for cell in netlist.values())
    feeds = lut_feeds(netlist)
    logic = sum(n for cell, n in cells.items() if cell.startswith("LUT") or cell == "INV")
    memory = sum(n * LUT_RAM.get(cell, 0) for cell, n in cells.items())
    return {
        "lut": logic + memory + feeds,
        "lut_as_ram": memory,
        "lut_as_feed": feeds,
        "inv": cells.get("INV", 0),
        "ff": sum(n for cell, n in cells.items() if cell.startswith("FD")),
        "bram": sum(n * BRAM.get(cell, 0.0) for cell, n in cells.items()),
        "dsp": cells.get("DSP48E1", 0),
        "cells": dict(cells),
    }
