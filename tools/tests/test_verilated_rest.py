# SPDX-License-Identifier: Apache-2.0
"""tools/verilated_rest.py: lanes at rest are not evaluated."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools import verilated_rest
from tools.verilated import skip_at_run
from tools.verilated_lanes import share_lanes

# Lanes that work on a command, and count cycles. What they take and what they answer goes through
# registers of the top, which change whenever they do.
DESIGN = """
module sl_hp_lane (
    input logic clk_i, rst_ni, start, input logic [7:0] steps, output logic [7:0] left_q,
    output logic [63:0] stamp_q
);
  logic [63:0] tick_q;
  always_ff @(posedge clk_i)
    if (!rst_ni) {left_q, stamp_q, tick_q} <= '0;
    else begin
      tick_q <= tick_q + 64'd1;
      if (start) left_q <= steps;
      else if (left_q != 0) left_q <= left_q - 8'd1;
      if (start) stamp_q <= tick_q;
    end
  DISPLAY
endmodule

module top (
    input logic clk_i, rst_ni, input logic [1:0] go, input logic [7:0] steps,
    output logic [7:0] left0, left1, output logic [63:0] stamp0, stamp1
);
  logic [1:0] go_q;
  logic [7:0] steps_q;
  logic [7:0] left[2];
  logic [63:0] stamp[2];
  always_ff @(posedge clk_i) {go_q, steps_q} <= {go, steps};
  for (genvar n = 0; n < 2; n++) begin : gen_lane
    sl_hp_lane u_lane (.clk_i, .rst_ni, .start(go_q[n]), .steps(steps_q), .left_q(left[n]),
                       .stamp_q(stamp[n]));
  end
  always_ff @(posedge clk_i) {left0, left1} <= {left[0], left[1]};
  assign {stamp0, stamp1} = {stamp[0], stamp[1]};
endmodule
"""
# Lanes of another body, whose output the top delays.
SMALL = """
module sl_hp_lane (input logic clk_i, rst_ni, clear, output logic [63:0] out_q);
  BODY
endmodule

module top (input logic clk_i, rst_ni, clear, output logic [63:0] out0, out1);
  logic clear_q;
  logic [63:0] out[2];
  always_ff @(posedge clk_i) clear_q <= clear;
  for (genvar n = 0; n < 2; n++) begin : gen_lane
    sl_hp_lane u_lane (.clk_i, .rst_ni, .clear(clear_q), .out_q(out[n]));
  end
  always_ff @(posedge clk_i) {out0, out1} <= {out[0], out[1]};
endmodule
"""
SMALL_MAIN = """
#include <cstdio>
#include "Vtop.h"
int main() {
  Vtop rests, works;
  rests.rest(1, 1);
  works.rest(0, 0);
  unsigned differ = 0;
  for (unsigned n = 1; n < 6000; ++n) {
    for (Vtop* top : {&rests, &works}) {
      top->rst_ni = n > 20 && n != 200;
      top->clear = n >= 200 && n < 3000;
      top->clk_i = 0;
      top->eval();
      top->clk_i = 1;
      top->eval();
    }
    differ += rests.out0 != works.out0 || rests.out1 != works.out1;
  }
  std::printf("%u differ\\n", differ);
}
"""
CONFIG = '`verilator_config\nno_inline -module "sl_hp_lane"\n'
MAIN = """
#include <cstdio>
#include "Vtop.h"
int main() {
  Vtop rests, works;
#ifdef REST
  works.rest(0, 0);
#endif
  unsigned most = 0, differ = 0;
  for (unsigned n = 0; n < 4000; ++n) {
    for (Vtop* top : {&rests, &works}) {
      top->rst_ni = n > 2 && n != 2450;  // while both lanes rest
      top->go = n % 331 == 0 ? 1 : n % 277 == 0 ? 2 : 0;
      top->steps = n / 64 % 255;
      top->clk_i = 0;
      top->eval();
      top->clk_i = 1;
      top->eval();
    }
    differ += rests.left0 != works.left0 || rests.left1 != works.left1 ||
              rests.stamp0 != works.stamp0 || rests.stamp1 != works.stamp1;
#ifdef REST
    if (rests.resting() > most) most = rests.resting();
    if (works.resting() != 0) most = 100;
#endif
  }
  std::printf("%u at rest, %u differ, %llu\\n", most, differ, (unsigned long long)rests.stamp1);
}
"""


def verilate(tmp_path: Path, design: str, display: str = "", main: str = MAIN) -> Path:
    (tmp_path / "top.sv").write_text(design.replace("DISPLAY", display))
    (tmp_path / "shared.vlt").write_text(CONFIG)
    (tmp_path / "main.cpp").write_text(main)
    folder = tmp_path / "top"
    command = ["verilator", "--cc", "--exe", "--top-module", "top", "--prefix", "Vtop", "--assert"]
    command += ["--Mdir", str(folder), "--x-initial", "fast", "-O3", "main.cpp"]
    subprocess.run([*command, "shared.vlt", "top.sv"], check=True, cwd=tmp_path)
    skip_at_run(folder)
    return folder


def printed(folder: Path, options: str) -> str:
    command = ["make", "-s", "-C", str(folder), "-f", "Vtop.mk", f"OPT_FAST=-O0 {options}"]
    subprocess.run([*command, "OPT_GLOBAL=-O0", "VM_PARALLEL_BUILDS=0"], check=True)
    return subprocess.run([folder / "Vtop"], check=True, capture_output=True, text=True).stdout


def test_lanes_rest_and_nobody_notices(tmp_path: Path) -> None:
    folder = verilate(tmp_path, DESIGN)
    assert verilated_rest.rest_lanes(folder) == 2
    share_lanes(folder)
    assert printed(folder, "-DREST") == "2 at rest, 0 differ, 1428\n"  # edges from the reset


@pytest.mark.parametrize(
    "body",
    [
        """always_ff @(posedge clk_i) begin
             if (!rst_ni || clear) out_q = '0;
             if (rst_ni) out_q = out_q + 64'd1;
           end""",
        """logic [63:0] tick_q;
           always_ff @(posedge clk_i) tick_q <= rst_ni ? tick_q + 64'd1 : 64'd0;
           always_ff @(posedge clk_i) begin
             out_q = tick_q;
             if (!clear) out_q = out_q >> 10;
           end""",
        """logic [63:0] tick_q;
           always_ff @(posedge clk_i) begin
             if (!rst_ni) tick_q <= '0;
             else tick_q <= tick_q + 64'd1;
             if (clear) out_q <= tick_q;
           end""",
    ],
    ids=["reset and counted at once", "of a copy", "copied now and then"],
)
def test_counters_go_on(tmp_path: Path, body: str) -> None:
    folder = verilate(tmp_path, SMALL.replace("BODY", body), main=SMALL_MAIN)
    assert verilated_rest.rest_lanes(folder) == 2
    share_lanes(folder)
    assert printed(folder, "") == "0 differ\n"


def test_what_a_lane_writes_is_compared_before_it_may_write_it_back() -> None:
    uses = verilated_rest._Uses
    member, other = ("TOP__lane", "a"), ("TOP", "b")
    lane = verilated_rest._Lane(0, ["TOP__lane"], uses(named={member}, written={member}))
    writes = verilated_rest._Piece("", lane.uses, "TOP__lane", "f")
    reads = verilated_rest._Piece("", uses(named={member, other}, written={other}))
    unrelated = verilated_rest._Piece("", uses(named={other}, written={other}))
    assert list(verilated_rest._points(lane, [writes, reads, writes])) == [[], None, []]
    assert list(verilated_rest._points(lane, [writes, unrelated, writes])) == [[], None, None]


def test_what_a_lane_sees_is_compared_again_after_it_may_have_changed() -> None:
    uses = verilated_rest._Uses
    seen, other = ("TOP", "a"), ("TOP", "b")
    lane = verilated_rest._Lane(0, ["TOP__lane"], uses(named={seen}), sees={seen})
    reads = verilated_rest._Piece("", lane.uses, "TOP__lane", "f")
    writes = verilated_rest._Piece("", uses(named={seen}, written={seen}))
    unrelated = verilated_rest._Piece("", uses(named={other}, written={other}))
    assert list(verilated_rest._points(lane, [reads, writes, reads])) == [[seen], None, [seen]]
    assert list(verilated_rest._points(lane, [reads, unrelated, reads])) == [[seen], None, None]


@pytest.mark.parametrize(
    "display, lanes",
    [
        pytest.param('always_ff @(posedge clk_i) assert (left_q < 8\'hff) else $error("x");', 2),
        pytest.param('always_ff @(posedge clk_i) if (start) $display("%0d", left_q);', 0),
        pytest.param('always_ff @(posedge clk_i) if ($random == 7) $error("x");', 0),
    ],
    ids=["assertion that stops", "text without a stop", "random"],
)
def test_what_a_lane_may_call(tmp_path: Path, display: str, lanes: int) -> None:
    folder = verilate(tmp_path, DESIGN, display)
    before = {path: path.read_text() for path in folder.iterdir()}
    assert verilated_rest.rest_lanes(folder) == lanes
    if not lanes:
        assert {path: path.read_text() for path in folder.iterdir()} == before


def code(text: str) -> verilated_rest._Code:
    return verilated_rest._Code(text, "TOP__lane")


def test_statements_tell_what_they_read_and_write() -> None:
    uses = code(
        """    CData/*3:0*/ local;
    local = (vlSelfRef.a.__PVT__b[vlSymsp->TOP.i] & (IData)(vlSelfRef.c));
    if ((1U & vlSelfRef.d)) {
        vlSelf->e[vlSelfRef.f] = VL_SHIFTL_III(8,8,32, (IData)(local), 1U);
    }
    vlSelfRef.queue.push_back(vlSelfRef.g);
    vlSelfRef.pending.commit(vlSymsp->TOP__lane__bus.h);
    VL_ZERO_W(65, vlSelfRef.wide);
    VL_WRITEF_NX("%S",1, 'S',&(vlSelfRef.text));
    VL_STOP_MT("lane.sv", 7, "");
"""
    ).uses
    lane = "TOP__lane"
    written = {"e", "queue", "pending", "wide"}
    assert uses.written == {(lane, name) for name in written} | {("TOP__lane__bus", "h")}
    read = {(lane, name) for name in "acdfg"} | {("TOP", "i")}
    assert uses.read == read
    assert uses.named == uses.written | read | {(lane, "text")}


def test_quotes_in_comments_begin_no_text() -> None:
    uses = code(
        '    // it\'s "odd\n    vlSelfRef.a = 1U;\n    // " x\n    vlSelfRef.b = 2U;\n'
    ).uses
    assert uses.written == {("TOP__lane", "a"), ("TOP__lane", "b")}


@pytest.mark.parametrize(
    "statement",
    [
        "vlSelfRef.a = other;",
        "vlSelfRef.a = unknown(vlSelfRef.b);",
        "vlSelfRef.a = vlSelfRef.b = 1U;",
        "vlSelfRef.a += 1U;",
        "vlSelfRef.a <<= 1U;",
        "vlSelfRef.a = (1U + vlSelfRef.b++);",
        "vlSelfRef.a = *(&vlSelfRef.b);",
        "auto& a = vlSelfRef.b;",
        "vlSelfRef.a = vlSelf->bus->b;",
        "vlSelfRef.a = VL_RANDOM_I();",
        "vlSelfRef.a = VL_TIME_UNITED_Q(1);",
        "vlSelfRef.queue.at(0) = 1U;",
        "vlSelfRef.a = vlSelfRef.queue.pop_front();",
        "VL_ASSIGN_W(65, vlSelfRef.a, vlSelfRef.b);",
        "Vtop_dpi(vlSelfRef.a);",
        'VL_WRITEF_NX("text",0);',
        'VL_WRITEF_NX("%d",1, 0,8,vlSelfRef.a++); VL_STOP_MT("lane.sv", 7, "");',
        "if (vlSelfRef.a) { vlSelfRef.b = 1U;",
        "return;",
        "__Vlabel0: ; goto __Vlabel0;",
        "}",
    ],
)
def test_other_statements_are_unknown(statement: str) -> None:
    with pytest.raises(verilated_rest._Unknown):
        code(f"    {statement}\n")


@pytest.mark.parametrize(
    "statements, kept",
    [
        (
            "vlSelfRef.copy = vlSelfRef.tick; vlSelfRef.copy = 0ULL; vlSelfRef.a = vlSelfRef.copy;",
            True,
        ),
        (
            "vlSelfRef.copy = vlSelfRef.tick; vlSelfRef.a = vlSelfRef.copy; vlSelfRef.copy = 0ULL;",
            False,
        ),
        ("while ((vlSelfRef.b)) { vlSelfRef.copy = vlSelfRef.tick; }", False),
        ("vlSelfRef.copy[1U] = vlSelfRef.tick; vlSelfRef.copy = 0ULL;", False),
        ("vlSelfRef.copy = vlSelfRef.tick; vlSelfRef.copy = (vlSelfRef.copy >> 0xaU);", False),
    ],
    ids=["read at last", "read between", "in a loop", "in part", "made of itself"],
)
def test_a_copy_of_a_counter_is_the_last_or_nowhere(statements: str, kept: bool) -> None:
    assert verilated_rest._kept(code(statements), "copy") == kept
