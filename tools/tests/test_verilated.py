# SPDX-License-Identifier: Apache-2.0
"""tools/verilated.py: a header that Verilator has written, without the orders of its structs."""

from __future__ import annotations

from pathlib import Path

from tools import verilated

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
