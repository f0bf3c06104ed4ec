# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.verilated FOLDER`: make what Verilator has written there quicker.

To compile: Verilator gives each unpacked struct of a package an `operator<`, which only associative
arrays with such keys use. Register blocks have hundreds of structs, and the comparisons of tuples
in these operators take two to three seconds of each translation unit that includes a design's
header.

To compile and to run: instances of a module share one body of code (verilated_lanes.py).

To run: eval() first evaluates what depends on inputs, whether or not one has changed. A board
changes inputs only before settle(), where the clock is low (sluice/sim/design.hpp), so that a
rising clock finds that evaluated. (A design whose inputs all end in registers has no such
evaluation.) And the code asks before each assertion whether assertions are on, which they always
are. Lanes at rest are not evaluated (verilated_rest.py).

To look at: the model's class gets a member function that gives all of its state as bytes, so that
a board sees whether a clock edge has changed anything; and one that gives the block RAM of a lane,
so that programs on a simulated board have a pointer to it.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from tools.verilated_lanes import share_lanes
from tools.verilated_rest import rest_lanes

_ORDER = re.compile(r"^    bool operator<\(.*?^    }\n", re.MULTILINE | re.DOTALL)


_INPUTS = re.compile(r"\b\w+___eval_ico\(")
_INPUTS_FIRST = "vlSelfRef.__VicoFirstIteration = 1U;"
_INPUTS_FIRST_AT_FALL = "vlSelfRef.__VicoFirstIteration = (1U & ~vlSelfRef.clk_i);"
_ASSERT_ON = re.compile(r"vlSymsp->_vm_contextp__->assertOnGet\(\d+, \d+\)")

_CAPABILITIES = "    // CONSTEXPR CAPABILITIES"
_TICKS = re.compile(r"^ +QData/\*63:0\*/ (\w+__DOT__u_page__DOT__ticks_q);$", re.MULTILINE)
_RAM = re.compile(
    r"^ +VlUnpacked<\w+/\*\d+:0\*/, \d+> (\w+__DOT__u_region__DOT__ram);$", re.MULTILINE
)
_LANE = re.compile(r"__BRA__(\d+)__KET__")  # the outermost index
_STATE = """    // All of its state, the counter of its design page, and the block RAM of a lane.
    const void* state(std::size_t& bytes) const;
    QData ticks() const;
    void* ram(unsigned lane, std::size_t& bytes) const;
"""
_STATE_OF = """
const void* {name}::state(std::size_t& bytes) const {{
    bytes = sizeof *vlSymsp;
    return vlSymsp;
}}
QData {name}::ticks() const {{ return vlSymsp->TOP.{ticks}; }}
void* {name}::ram(unsigned lane, std::size_t& bytes) const {{
    bytes = 0;
    switch (lane) {{
{rams}        default: return nullptr;
    }}
}}
"""
_RAM_OF = """        case {lane}: bytes = sizeof vlSymsp->TOP.{ram}; return &vlSymsp->TOP.{ram};
"""


def drop_orders(folder: Path) -> None:
    """Takes the `operator<` of structs out of the headers in a folder. A header without any keeps
    its time of change."""
    for header in sorted(folder.glob("V*.h")):
        text = header.read_text()
        shorter = _ORDER.sub("", text)
        if shorter != text:
            header.write_text(shorter)


def skip_at_run(folder: Path) -> None:
    """Skips what a simulation needs not do: inputs at a rising clock, and whether to assert.

    ValueError: Verilator has written something else than what this was made for.
    """
    evals = 0
    expected = 0
    for source in sorted(folder.glob("V*.cpp")):
        text = source.read_text()
        if _INPUTS.search(text):
            expected = 1
        evals += text.count(_INPUTS_FIRST) + text.count(_INPUTS_FIRST_AT_FALL)
        quicker = _ASSERT_ON.sub("true", text.replace(_INPUTS_FIRST, _INPUTS_FIRST_AT_FALL))
        if quicker != text:
            source.write_text(quicker)
    if evals != expected:
        raise ValueError(
            f"{folder}: Verilator starts {evals} evaluations of inputs; expected {expected}"
        )


def show_state(folder: Path) -> None:
    """Gives the model's class state(): where its state is, and how many bytes of it; ticks(), the
    counter of the design page, which changes where nothing else does; and ram(), the bus side's
    memory of each lane's sl_mem_periph, in the order of lanes. A folder that has them keeps its
    files.

    ValueError: Verilator has written something else than what this was made for.
    """
    name = f"V{folder.name}"
    header, source, root = (folder / f"{name}{end}" for end in (".h", ".cpp", "___024root.h"))
    text = header.read_text()
    if _STATE in text:
        return
    members = root.read_text()
    ticks = _TICKS.findall(members)
    if text.count(_CAPABILITIES) != 1 or len(ticks) != 1:
        raise ValueError(f"{folder}: the class {name} is not written as expected")
    for module in folder.glob("V*.h"):
        if module != root and _RAM.search(module.read_text()):
            raise ValueError(f"{folder}: ram() does not know the block RAM in {module.name}")
    header.write_text(text.replace(_CAPABILITIES, f"{_STATE}\n{_CAPABILITIES}"))
    with source.open("a") as file:
        found = sorted(_RAM.findall(members), key=lambda name: int(_LANE.findall(name)[0]))
        rams = (_RAM_OF.format(lane=n, ram=ram) for n, ram in enumerate(found))
        file.write(_STATE_OF.format(name=name, ticks=ticks[0], rams="".join(rams)))


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("usage: python -m tools.verilated FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    drop_orders(folder)
    skip_at_run(folder)
    show_state(folder)
    rest_lanes(folder)
    share_lanes(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
