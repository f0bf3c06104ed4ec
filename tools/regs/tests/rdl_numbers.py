# SPDX-License-Identifier: Apache-2.0
"""A second reading of the descriptions, to compare the generated numbers with.

It walks what systemrdl-compiler elaborates and shares no code with the exporter.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from peakrdl_regblock.udps import ALL_UDPS  # type: ignore[import-untyped]
from systemrdl.compiler import RDLCompiler
from systemrdl.node import AddrmapNode, FieldNode, RegNode

REGS = Path(__file__).resolve().parents[3] / "regs"
NAMES = sorted(path.stem for path in REGS.glob("*.rdl") if path.stem != "properties")


@cache
def elaborate(name: str) -> AddrmapNode:
    compiler = RDLCompiler()
    for definition in ALL_UDPS:
        compiler.register_udp(definition)
    compiler.compile_file(str(REGS / f"{name}.rdl"))
    return compiler.elaborate(name).top


def numbers(name: str) -> dict[str, int]:
    """Constants that every language must define, without prefix."""
    top = elaborate(name)
    result = {"WINDOW": 1 << top.get_property("sl_address_bits")}
    if any(isinstance(child, AddrmapNode) for child in top.children()):
        return result | _places(top)
    for node in top.descendants():
        path = node.get_path().removeprefix(f"{name}.").replace(".", "_").upper()
        if isinstance(node, RegNode):
            result[f"{path}_OFFSET"] = node.absolute_address
            result[f"{path}_DEFAULT"] = 0
            for field in node.fields():
                reset = field.get_property("reset", default=0)
                assert isinstance(reset, int)
                result[f"{path}_DEFAULT"] += reset * 2**field.low
        elif isinstance(node, FieldNode):
            result[f"{path}_SHIFT"] = node.low
            result[f"{path}_MASK"] = sum(2**bit for bit in range(node.low, node.high + 1))
            for member in node.get_property("encode", default=None) or ():
                result[f"{path}_{member.name}"] = member.value
    return result


def _places(top: AddrmapNode) -> dict[str, int]:
    result: dict[str, int] = {}
    for node in top.children():
        assert isinstance(node, AddrmapNode)
        name = node.inst_name
        result[f"{name}_OFFSET"] = node.raw_absolute_address
        for child in node.children():
            if isinstance(child, AddrmapNode):
                result[f"{name}_{child.inst_name}_OFFSET"] = child.raw_absolute_address
        if node.is_array:
            result[f"{name}_COUNT"] = node.n_elements
            result[f"{name}_STRIDE"] = node.array_stride or 0
    return result


def array_places(name: str) -> dict[tuple[str, int], int]:
    """Absolute address of each place in each element of an array, by name and index."""
    result = {}
    for node in elaborate(name).children(unroll=True):
        if isinstance(node, AddrmapNode) and node.is_array:
            assert node.current_idx is not None
            inside = [child for child in node.children() if isinstance(child, AddrmapNode)]
            for child in inside:
                key = f"{node.inst_name}_{child.inst_name}"
                result[key, node.current_idx[0]] = child.absolute_address
            if not inside:
                result[node.inst_name, node.current_idx[0]] = node.absolute_address
    return result
