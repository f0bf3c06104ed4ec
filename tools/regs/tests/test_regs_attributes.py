# SPDX-License-Identifier: Apache-2.0
"""The lists of attributes in the C headers agree with a second reading of the descriptions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from systemrdl.node import FieldNode

from tools.regs.tests.rdl_numbers import NAMES, REGS, elaborate
from tools.regs.tests.test_regs_values import GEN, run_c


def lists(name: str) -> list[str]:
    """Names of the lists in a block's header."""
    text = (GEN / f"c/{name}.h").read_text()
    return re.findall(r"^#define (\w+_ATTRIBUTES)\(X\)", text, re.M)


def expected(name: str) -> dict[str, tuple[int, int, int, int]]:
    """Offset, mask, largest value and whether it is a pair, of each attribute by name."""
    result = {}
    for node in elaborate(name).descendants():
        if not isinstance(node, FieldNode) or "sl_attribute" not in node.list_properties():
            continue
        bits = 2 ** (node.high - node.low + 1) - 1
        values = [member.value for member in node.get_property("encode", default=None) or ()]
        result[str(node.get_property("sl_attribute"))] = (
            node.parent.absolute_address,
            bits << node.low,
            max(values, default=bits) if node.is_sw_writable else 0,
            int(node.parent.inst_name.endswith("_LO")),
        )
    return result


WITH_ATTRIBUTES = [name for name in NAMES if lists(name)]


def test_blocks_with_attributes() -> None:
    described = {
        path.stem for path in REGS.glob("sl_*.rdl") if "sl_attribute =" in path.read_text()
    }
    assert described == set(WITH_ATTRIBUTES)


@pytest.mark.parametrize("name", WITH_ATTRIBUTES)
def test_attributes_in_c(name: str, tmp_path: Path) -> None:
    show = 'printf("%s %u %u %u %d\\n", name, offset, mask, max, wide);'
    body = "\n".join(f"{entry}(X)" for entry in lists(name))
    body = f"#define X(name, text, offset, mask, max, wide) {show}\n{body}"
    rows = [line.split() for line in run_c("c11", body, [name], tmp_path).splitlines()]
    found = {row[0]: tuple(int(value) for value in row[1:]) for row in rows}
    assert len(found) == len(rows)
    assert found == expected(name)


def test_what_the_driver_shares_is_only_read() -> None:
    """Its control node has no other attributes of a capability block: a capture has the rest."""
    text = (GEN / "c/sl_capability.h").read_text()
    shared, captures = text.split("#define SL_CAPABILITY_ATTRIBUTES(X)")[1].split("#define")
    assert "capability.bytes" in shared and 'capability.period"' in captures
    assert set(re.findall(r"(0x[0-9a-f]+)U, [01]\)", shared)) == {"0x0"}


def test_a_setting_with_named_values_takes_no_other() -> None:
    text = (GEN / "c/sl_stream_sink.h").read_text()
    assert re.search(r'X\("sink.stall_mode", [^)]*_STALL_MODE_MASK, 0x2U, 0\)', text)
