# SPDX-License-Identifier: Apache-2.0
"""A top that registers every port of a module and brings them to four pins.

Inputs come from a shift register, outputs go to registers and from there into a signature that
shifts out: nothing of the module is optimised away and no path through a pin is timed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

TOP = "fpga_top"
CLOCK = "clk_i"


class Port(NamedTuple):
    name: str
    direction: str  # "input" or "output"
    width: int


def ports_of(design: Mapping[str, object], module: str) -> list[Port]:
    """The ports of a module in Yosys's JSON."""
    modules = design["modules"]
    assert isinstance(modules, dict)
    return [
        Port(name, str(port["direction"]), len(port["bits"]))
        for name, port in modules[module]["ports"].items()
    ]


def wrapper(module: str, parameters: Mapping[str, int], ports: list[Port]) -> str:
    """SystemVerilog of the top; a module without a clock is the logic between its registers."""
    inputs = [p for p in ports if p.direction == "input" and p.name != CLOCK]
    outputs = [p for p in ports if p.direction == "output"]
    in_bits, out_bits = sum(p.width for p in inputs), sum(p.width for p in outputs)
    connections = [f".{CLOCK}(clk)"] if any(p.name == CLOCK for p in ports) else []
    for group, vector in ((inputs, "in_q"), (outputs, "out_d")):
        low = 0
        for port in group:
            connections.append(f".{port.name}({vector}[{low}+:{port.width}])")
            low += port.width
    overrides = ", ".join(f".{name}({value})" for name, value in parameters.items())
    joined = ",\n    ".join(connections)
    return f"""// SPDX-License-Identifier: Apache-2.0
module {TOP} (input logic clk, input logic si, output logic so);
  logic [{in_bits - 1}:0] in_q;
  logic [{out_bits - 1}:0] out_d, out_q, sum_q;
  always_ff @(posedge clk) begin
    in_q  <= {{in_q, si}};
    out_q <= out_d;
    sum_q <= {{sum_q[{out_bits - 2}:0], si}} ^ out_q;
  end
  assign so = sum_q[{out_bits - 1}];
  {module} #({overrides}) u_dut (
    {joined}
  );
endmodule
"""
