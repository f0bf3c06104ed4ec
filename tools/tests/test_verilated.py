# SPDX-License-Identifier: Apache-2.0
"""tools/verilated.py: what Verilator has written, without what nobody uses and what is known."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools import verilated

REPOSITORY = Path(__file__).resolve().parents[2]
STRUCT = """struct Vtop_in_t {
    SData/*15:0*/ __PVT__next;

    bool operator==(const Vtop_in_t& rhs) const {
        return __PVT__next == rhs.__PVT__next;
    }
"""
ORDER = """
    bool operator<(const Vtop_in_t& rhs) const {
        return std::tie(__PVT__next)
            <  std::tie(rhs.__PVT__next);
    }
"""
END = "};\n"


def test_drops_the_orders_and_nothing_else(tmp_path: Path) -> None:
    header, plain = tmp_path / "Vtop_pkg.h", tmp_path / "Vtop.h"
    header.write_text((STRUCT + ORDER + END) * 2)
    plain.write_text("class Vtop {};\n")
    before = plain.stat().st_mtime_ns
    verilated.drop_orders(tmp_path)
    assert header.read_text() == (STRUCT + "\n" + END) * 2
    assert plain.stat().st_mtime_ns == before
    after = header.stat().st_mtime_ns
    verilated.drop_orders(tmp_path)
    assert header.stat().st_mtime_ns == after


INPUTS = "void Vtop___024root___eval_ico(Vtop___024root* vlSelf) {\n"
EVAL = "    vlSelfRef.__VicoFirstIteration = 1U;\n"
EVAL_AT_FALL = "    vlSelfRef.__VicoFirstIteration = (1U & ~vlSelfRef.clk_i);\n"
ASSERT = "    if ({}) {{\n        if (VL_UNLIKELY(bad)) stop();\n    }}\n"


def test_skips_inputs_at_a_rising_clock_and_whether_to_assert(tmp_path: Path) -> None:
    source, plain = tmp_path / "Vtop__0.cpp", tmp_path / "Vtop__1.cpp"
    source.write_text(EVAL + ASSERT.format("vlSymsp->_vm_contextp__->assertOnGet(2, 1)"))
    plain.write_text(INPUTS + "    vlSelfRef.__VicoFirstIteration = 0U;\n")
    before = plain.stat().st_mtime_ns
    for _ in range(2):
        verilated.skip_at_run(tmp_path)
        assert source.read_text() == EVAL_AT_FALL + ASSERT.format("true")
    assert plain.stat().st_mtime_ns == before


def test_a_design_whose_inputs_end_in_registers_evaluates_none(tmp_path: Path) -> None:
    source = tmp_path / "Vtop__0.cpp"
    source.write_text(ASSERT.format("vlSymsp->_vm_contextp__->assertOnGet(2, 1)"))
    verilated.skip_at_run(tmp_path)
    assert source.read_text() == ASSERT.format("true")


@pytest.mark.parametrize("text", [INPUTS, INPUTS + EVAL * 2, EVAL])
def test_what_verilator_writes_otherwise_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "Vtop__0.cpp").write_text(text)
    with pytest.raises(ValueError, match="evaluations of inputs; expected"):
        verilated.skip_at_run(tmp_path)


CLASS = """class Vtop VL_NOT_FINAL : public VerilatedModel {
  public:

    // CONSTEXPR CAPABILITIES
"""
ROOT = """    QData/*63:0*/ top__DOT__u_page__DOT__ticks_q;
    QData/*63:0*/ top__DOT__u_sink__DOT__tick_q;
    QData/*63:0*/ top__DOT__last_tick_q;
    VlUnpacked<QData/*63:0*/, 4096> top__DOT__lane__BRA__0__KET____DOT__u_region__DOT__ram;
    VlUnpacked<QData/*63:0*/, 512> top__DOT__u_buffer__DOT__ram;
    VlUnpacked<QData/*63:0*/, 4096> top__DOT__lane__BRA__1__KET____DOT__u_region__DOT__ram;
"""


def model(tmp_path: Path, header: str, root: str) -> Path:
    folder = tmp_path / "top"
    folder.mkdir()
    (folder / "Vtop.h").write_text(header)
    (folder / "Vtop.cpp").write_text("// code\n")
    (folder / "Vtop___024root.h").write_text(root)
    return folder


def test_the_class_shows_its_state(tmp_path: Path) -> None:
    folder = model(tmp_path, CLASS, ROOT)
    verilated.show_state(folder)
    once = (folder / "Vtop.h").read_text(), (folder / "Vtop.cpp").read_text()
    assert "const void* state(std::size_t& bytes) const;" in once[0]
    assert "const void* Vtop::state(std::size_t& bytes) const {" in once[1]
    assert "ticks() const { return vlSymsp->TOP.top__DOT__u_page__DOT__ticks_q; }" in once[1]
    for lane in (0, 1):
        ram = f"vlSymsp->TOP.top__DOT__lane__BRA__{lane}__KET____DOT__u_region__DOT__ram"
        assert f"case {lane}: bytes = sizeof {ram}; return &{ram};" in once[1]
    assert "case 2:" not in once[1]
    verilated.show_state(folder)
    assert ((folder / "Vtop.h").read_text(), (folder / "Vtop.cpp").read_text()) == once


@pytest.mark.parametrize(
    "header, root", [("class Vtop {};\n", ROOT), (CLASS, ""), (CLASS, ROOT * 2)]
)
def test_a_class_of_another_shape_is_refused(tmp_path: Path, header: str, root: str) -> None:
    with pytest.raises(ValueError, match="not written as expected"):
        verilated.show_state(model(tmp_path, header, root))


def test_a_block_ram_of_a_module_that_is_not_inlined_is_refused(tmp_path: Path) -> None:
    folder = model(tmp_path, CLASS, ROOT)
    lane = "    VlUnpacked<QData/*63:0*/, 4096> __PVT__u_mem__DOT__u_region__DOT__ram;\n"
    (folder / "Vtop_lane.h").write_text(lane)
    with pytest.raises(ValueError, match=r"ram\(\) does not know the block RAM in Vtop_lane.h"):
        verilated.show_state(folder)


@pytest.mark.parametrize("file", ["sim/src/verilated_models.cpp", "cosim/src/one_port_designs.cpp"])
def test_what_includes_a_verilated_header_is_compiled_after_it(file: str) -> None:
    """Else a build after a change of RTL would link old code to the new model."""
    folder = file.partition("/")[0]
    wanted = f"{folder}/CMakeFiles/sluice_{folder}.dir/{file.removeprefix(f'{folder}/')}.o"
    ninja = ["ninja", "-C", str(REPOSITORY / "build" / "release"), "-t", "query", wanted]
    said = subprocess.run(ninja, capture_output=True, text=True, check=True).stdout
    # "| " is an input; "|| " only an order.
    awaited = set(re.findall(r"^ +\| .*/libV(\w+)\.a$", said, re.MULTILINE))
    included = REPOSITORY / (
        "build/release/sim/built/built_models.hpp" if folder == "sim" else file
    )
    assert awaited == set(re.findall(r"#include <V(\w+)\.h>", included.read_text()))
    assert awaited
