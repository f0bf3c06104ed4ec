# SPDX-License-Identifier: Apache-2.0
"""tools/verilated_lanes.py: one body for the instances of a module."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools.verilated_lanes import share_lanes

INCLUDE = '#include "Vtop__pch.h"\n'
SYMS = "    Vtop__Syms* const __restrict vlSymsp VL_ATTR_UNUSED = vlSelf->vlSymsp;\n"
SELF = "    auto& vlSelfRef = std::ref(*vlSelf).get();\n"
LANE = "Vtop_lane___nba_sequent__TOP__top__DOT__lane__BRA__{lane}__KET____0"
# Differs in an interface of the instance, a pin, a member of its own, a text, and local variables.
BODY = """    CData/*3:0*/ __Vfunc_next__{lane}__a;
    __Vfunc_next__{lane}__a = 0;
    std::string __Vfunc_text__{lane};
    __Vfunc_next__{lane}__a = vlSymsp->TOP__top__DOT__lane__BRA__{lane}__KET____bus.__PVT__data;
    vlSelfRef.__PVT__count = (__Vfunc_next__{lane}__a + (IData)(vlSymsp->TOP.pin{lane}_data));
    vlSelfRef.__Vdfg_0_{own} = vlSymsp->TOP__top__DOT__lane__BRA__{lane}__KET____bus.__PVT__valid;
    if (vlSymsp->TOP.rst_ni) VL_WRITEF_NX("%m: full", 1, 'M', "top.lane[{lane}].u_fifo");
"""
HEADER = """
class alignas(VL_CACHE_LINE_BYTES) Vtop_bus final {
    CData/*3:0*/ __PVT__data;
    CData/*0:0*/ __PVT__valid;
};
class alignas(VL_CACHE_LINE_BYTES) Vtop_wide_bus final {
    QData/*63:0*/ __PVT__first;
    CData/*3:0*/ __PVT__data;
    VlUnpacked<CData/*0:0*/, 2> __PVT__valid;
};
class alignas(VL_CACHE_LINE_BYTES) Vtop_lane final {
    IData/*31:0*/ __PVT__q;
    struct {
        CData/*0:0*/ __Vdfg_0_10;
        CData/*0:0*/ __Vdfg_0_17;
        CData/*0:0*/ __Vdfg_0_24;
    };
    void method{lane}(Vtop__Syms* vlSymsp);
};
class alignas(VL_CACHE_LINE_BYTES) Vtop___024root final {
    VL_IN8(pin0_data,7,0);
    VL_IN8(pin1_data,7,0);
    VL_OUT8(pin2_data,3,0);
    VL_IN16(pin_0,15,0);
    VL_IN(pin_1,31,0);
    VL_INW(wide_0,95,0,3);
    VL_INW(wide_1,127,0,4);
};
class alignas(VL_CACHE_LINE_BYTES) Vtop__Syms final : public VerilatedSyms {
    Vtop___024root                 TOP;
    Vtop_bus                       TOP__top__DOT__lane__BRA__0__KET____bus;
    Vtop_bus                       TOP__top__DOT__lane__BRA__1__KET____bus;
    Vtop_bus                       TOP__top__DOT__lane__BRA__2__KET____bus;
    Vtop_bus                       TOP__bus0;
    Vtop_wide_bus                  TOP__bus1;
};
"""


def function(body: str, lane: int, cold: str = "") -> str:
    name = LANE.format(lane=lane)
    debug = f'    VL_DEBUG_IF(VL_DBG_MSGF("+  {name}\\n"); );\n'
    return f"{cold}void {name}(Vtop_lane* vlSelf) {{\n{debug}{SYMS}{SELF}{body}}}\n"


def instances(body: str, lanes: int = 2, cold: str = "") -> list[str]:
    filled = (body.format(lane=lane, own=10 + 7 * lane, next=lane + 1) for lane in range(lanes))
    return [function(text, lane, cold) for lane, text in enumerate(filled)]


def write(folder: Path, *texts: str) -> list[Path]:
    folder.mkdir()
    (folder / "Vtop.h").write_text(HEADER)
    paths = [folder / f"Vtop_lane__{number}.cpp" for number in range(len(texts))]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(INCLUDE + "\n" + text)
    return paths


def test_instances_share_the_first_ones_body(tmp_path: Path) -> None:
    first, second = write(tmp_path / "top", *instances(BODY))
    assert share_lanes(tmp_path / "top") == 1
    text = first.read_text()
    shared = f"{LANE.format(lane=0)}__shared"
    assert text.count(f"void {shared}(Vtop_lane* vlSelf, const {shared}_row& of) {{\n") == 1
    rows = text[text.index(f"const {shared}_row {shared}_rows[2] = {{\n") :].splitlines()[1:3]
    bus, pin = "TOP__top__DOT__lane__BRA__{0}__KET____bus", "TOP.pin{0}_data"
    assert rows == [
        f"    {{{lane}, {{offsetof(Vtop__Syms, {bus.format(lane)}), 0}}, "
        f"{{offsetof(Vtop__Syms, {pin.format(lane)}), offsetof(Vtop_lane, __Vdfg_0_{own}), 0}}, "
        f'{{"top.lane[{lane}].u_fifo", 0}}}},'
        for lane, own in ((0, 10), (1, 17))
    ]
    body = text[text.index("_row& of) {\n") :]
    for line in (
        "    auto* const object0 = &SL_AT(vlSymsp, "
        "vlSymsp->TOP__top__DOT__lane__BRA__0__KET____bus, of.object[0]);\n",
        "    __Vfunc_next__0__a = object0->__PVT__data;\n",
        "(IData)(SL_OF_MODEL(vlSymsp->TOP.pin0_data, 0)));\n",
        "    SL_OF_SELF(vlSelfRef.__Vdfg_0_10, 1) = object0->__PVT__valid;\n",
        "    if (vlSymsp->TOP.rst_ni) VL_WRITEF_NX(\"%m: full\", 1, 'M', of.text[0]);\n",
    ):
        assert line in body
    call = (
        f"void {LANE.format(lane=1)}(Vtop_lane* vlSelf) {{ {shared}(vlSelf, {shared}_rows[1]); }}\n"
    )
    assert second.read_text().endswith(call)
    assert "__PVT__data" not in second.read_text()
    assert share_lanes(tmp_path / "top") == 0  # that is all


def test_cold_functions_stay_cold(tmp_path: Path) -> None:
    (path,) = write(tmp_path / "top", "".join(instances(BODY, lanes=3, cold="VL_ATTR_COLD ")))
    assert share_lanes(tmp_path / "top") == 2
    assert len(re.findall(r"^VL_ATTR_COLD void ", path.read_text(), re.MULTILINE)) == 4


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("    VlWide<{lane}>/*9:0*/ wide;\n", id="type"),
        pytest.param("    while ({lane}U & vlSymsp->TOP.wide) {{\n    }}\n", id="block"),
        pytest.param("    vlSelfRef.__PVT__q = {lane}U;\n" * 65, id="too many"),
        pytest.param("    Vtop__CONST_{lane}(vlSelfRef.__PVT__q);\n", id="name of no local"),
        pytest.param("    Vtop_sub__0((&vlSymsp->TOP__sub{lane}));\n", id="object"),
        pytest.param(
            "    vlSelfRef.__PVT__q = vlSelf->__PVT__sub{lane}->__PVT__q;\n", id="pointer"
        ),
        pytest.param("    vlSelfRef.__PVT__q = (vlSelfRef.__PVT__q > CONST_{lane});\n", id="more"),
        pytest.param("    vlSelfRef.__PVT__q = vlSymsp->TOP.pin_{lane};\n", id="type of a member"),
        pytest.param("    vlSelfRef.__PVT__q = vlSymsp->TOP.wide_{lane}[1U];\n", id="words"),
        pytest.param(
            "    vlSelfRef.__PVT__q = &vlSymsp->TOP__bus{lane}.__PVT__valid;\n", id="class"
        ),
        pytest.param("    vlSelfRef.method{lane}(vlSymsp);\n", id="method"),
        pytest.param("    while (1U) {{\n        if ({lane}U) break;\n    }}\n", id="break"),
        pytest.param("    switch (q) {{\n    case {lane}U: q = 1U;\n    }}\n", id="case"),
        pytest.param("    do {{\n    }} while ({lane}U);\n", id="do"),
        pytest.param("    double real = {lane}U;\n", id="number of a declaration"),
        pytest.param(
            "    CData/*0:0*/ a{next};\n    vlSelfRef.__PVT__q = a1 + {lane}U;\n",
            id="local named as something else of the other",
        ),
        pytest.param(
            "    CData/*0:0*/ a{lane};\n    CData/*0:0*/ a{next};\n    vlSelfRef.__PVT__q = a1;\n",
            id="locals crosswise",
        ),
        pytest.param(
            "    CData/*0:0*/ a0;\n    CData/*0:0*/ b{lane};\n    b{lane} = 1;\n    a0 = b0;\n",
            id="local of the other",
        ),
    ],
)
def test_functions_that_differ_otherwise_stay(tmp_path: Path, body: str) -> None:
    paths = write(tmp_path / "top", *instances(body))
    before = [path.read_text() for path in paths]
    assert share_lanes(tmp_path / "top") == 0
    assert [path.read_text() for path in paths] == before


def test_a_few_statements_are_chosen_by_instance(tmp_path: Path) -> None:
    body = """    CData/*0:0*/ bit__{lane}__a;
    bit__{lane}__a = (1U & (vlSymsp->TOP.wide >> {lane}U));
    // Body
    if ((1U & (vlSymsp->TOP.wide >> {next}U))) {{
        vlSelfRef.__PVT__q = bit__{lane}__a;
    }} else if (({lane}U == vlSelfRef.__PVT__q)) {{
        vlSelfRef.__PVT__q = 0;
    }}
"""
    path, _, _ = write(tmp_path / "top", *instances(body, lanes=3))
    assert share_lanes(tmp_path / "top") == 2
    text = path.read_text()
    bits = (
        f"case {lane}: bit__0__a = (1U & (vlSymsp->TOP.wide >> {lane}U)); break;"
        for lane in range(3)
    )
    assert f"    switch (of.instance) {{ {' '.join(bits)} }}\n    // Body\n" in text
    wide = [f"((1U & (vlSymsp->TOP.wide >> {lane + 1}U)))" for lane in range(3)]
    chosen = f"of.instance == 0 ? bool{wide[0]} : of.instance == 1 ? bool{wide[1]} : {wide[2]}"
    assert (
        f"    if ({chosen}) {{\n        vlSelfRef.__PVT__q = bit__0__a;\n    }} else if (" in text
    )


def test_an_object_of_another_class_has_its_member_elsewhere(tmp_path: Path) -> None:
    body = "    vlSelfRef.__PVT__q = vlSymsp->TOP__bus{lane}.__PVT__data;\n"
    path, _ = write(tmp_path / "top", *instances(body))
    assert share_lanes(tmp_path / "top") == 1
    assert "_q = SL_OF_MODEL(vlSymsp->TOP__bus0.__PVT__data, 0);" in path.read_text()


def test_a_statement_more_stays(tmp_path: Path) -> None:
    first, second = instances(BODY)
    more = second.replace("    if (", "    vlSelfRef.__PVT__count = 0;\n    if (")
    write(tmp_path / "top", first, more)
    assert share_lanes(tmp_path / "top") == 0


# Two lanes that differ in nothing but their place: an interface, pins and a bit of a vector each.
DESIGN = """
interface bus_if;
  logic [7:0] data;
  logic       valid;
endinterface

module lane (input logic clk_i, rst_ni, flip, input logic [7:0] pin, output logic [7:0] sum);
  bus_if bus ();
  logic [7:0] first_q, second_q;
  assign bus.valid = first_q[0] ^ pin[1];
  assign bus.data  = bus.valid ? pin : first_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) {first_q, second_q} <= '0;
    else begin
      first_q  <= first_q + bus.data;
      second_q <= bus.valid ^ flip ? second_q ^ first_q : second_q + 8'd3;
    end
  assign sum = second_q;
  always_ff @(posedge clk_i) if (rst_ni && second_q == 8'd6) $display("%m: six");
endmodule

module top (input logic clk_i, rst_ni, input logic [7:0] pin0, pin1, output logic [7:0] sum0, sum1);
  logic [1:0] flip;
  always_ff @(posedge clk_i) flip <= pin0[3:2];
  for (genvar n = 0; n < 2; n++) begin : gen_lane
    logic [7:0] sum;
    lane u_lane (.clk_i, .rst_ni, .flip(flip[n]), .pin(n == 0 ? pin0 : pin1), .sum);
  end
  assign sum0 = gen_lane[0].sum;
  assign sum1 = gen_lane[1].sum;
endmodule
"""
CONFIG = '`verilator_config\nno_inline -module "lane"\n'
MAIN = """
#include <cstdio>
#include "Vtop.h"
int main() {
  Vtop top;
  for (int n = 0; n < 400; ++n) {
    top.rst_ni = n > 2;
    top.pin0 = n * 37;
    top.pin1 = n * n;
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    std::printf("%d %d\\n", top.sum0, top.sum1);
  }
}
"""


@pytest.fixture
def verilated(tmp_path: Path) -> Path:
    for name, text in (("top.sv", DESIGN), ("shared.vlt", CONFIG), ("main.cpp", MAIN)):
        (tmp_path / name).write_text(text)
    folder = tmp_path / "top"
    command = ["verilator", "--cc", "--exe", "--top-module", "top", "--prefix", "Vtop"]
    command += ["--Mdir", str(folder), "--x-initial", "fast", "-O3", "main.cpp"]
    subprocess.run([*command, "shared.vlt", "top.sv"], check=True, cwd=tmp_path)
    return folder


def printed(folder: Path) -> str:
    command = ["make", "-s", "-C", str(folder), "-f", "Vtop.mk", "OPT_FAST=-O0", "OPT_GLOBAL=-O0"]
    subprocess.run([*command, "VM_PARALLEL_BUILDS=0"], check=True)
    program = subprocess.run([folder / "Vtop"], check=True, capture_output=True, text=True)
    (folder / "Vtop__ALL.o").unlink()
    (folder / "Vtop").unlink()
    return program.stdout


def test_a_design_prints_the_same_with_shared_bodies(verilated: Path) -> None:
    before = printed(verilated)
    assert "top.gen_lane[0].u_lane: six\n" in before
    assert "top.gen_lane[1].u_lane: six\n" in before
    assert share_lanes(verilated) > 0
    code = "".join(path.read_text() for path in verilated.glob("Vtop_lane__*.cpp"))
    for shared in ("object0->", "SL_OF_MODEL(vlSymsp->TOP.pin0, 0)", "of.text[0]", "switch (of."):
        assert shared in code
    assert printed(verilated) == before
