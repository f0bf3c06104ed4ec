# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.verilated FOLDER`: make what Verilator has written there quicker.

To compile: Verilator gives each unpacked struct of a package an `operator<`, which only associative
arrays with such keys use. Register blocks have hundreds of structs, and the comparisons of tuples
in these operators take two to three seconds of each translation unit that includes a design's
header.

To run: eval() first evaluates what depends on inputs, whether or not one has changed. A board
changes inputs only before settle(), where the clock is low (sluice/sim/design.hpp), so that a
rising clock finds that evaluated. (A design whose inputs all end in registers has no such
evaluation.) And the code asks before each assertion whether assertions are on, which they always
are.

To look at: the model's class gets a member function that gives all of its state as bytes, so that
a board sees whether a clock edge has changed anything.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_ORDER = re.compile(r"^    bool operator<\(.*?^    }\n", re.MULTILINE | re.DOTALL)


_INPUTS = re.compile(r"\b\w+___eval_ico\(")
_INPUTS_FIRST = "vlSelfRef.__VicoFirstIteration = 1U;"
_INPUTS_FIRST_AT_FALL = "vlSelfRef.__VicoFirstIteration = (1U & ~vlSelfRef.clk_i);"
_ASSERT_ON = re.compile(r"vlSymsp->_vm_contextp__->assertOnGet\(\d+, \d+\)")

_CAPABILITIES = "    // CONSTEXPR CAPABILITIES"
_TICKS = re.compile(r"^ +QData/\*63:0\*/ (\w+__DOT__u_page__DOT__ticks_q);$", re.MULTILINE)
_STATE = """    // All of its state, and the counter of its design page.
    const void* state(std::size_t& bytes) const;
    QData ticks() const;
"""
_STATE_OF = """
const void* {name}::state(std::size_t& bytes) const {{
    bytes = sizeof *vlSymsp;
    return vlSymsp;
}}
QData {name}::ticks() const {{ return vlSymsp->TOP.{ticks}; }}
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
    """Gives the model's class state(): where its state is, and how many bytes of it; and ticks(),
    the counter of the design page, which changes where nothing else does. A folder that has them
    keeps its files.

    ValueError: Verilator has written something else than what this was made for.
    """
    name = f"V{folder.name}"
    header, source, root = (folder / f"{name}{end}" for end in (".h", ".cpp", "___024root.h"))
    text = header.read_text()
    if _STATE in text:
        return
    ticks = _TICKS.findall(root.read_text())
    if text.count(_CAPABILITIES) != 1 or len(ticks) != 1:
        raise ValueError(f"{folder}: the class {name} is not written as expected")
    header.write_text(text.replace(_CAPABILITIES, f"{_STATE}\n{_CAPABILITIES}"))
    with source.open("a") as file:
        file.write(_STATE_OF.format(name=name, ticks=ticks[0]))


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("usage: python -m tools.verilated FOLDER", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    drop_orders(folder)
    skip_at_run(folder)
    show_state(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
