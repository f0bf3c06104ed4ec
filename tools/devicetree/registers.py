# SPDX-License-Identifier: Apache-2.0
"""What regs/*.rdl says of a design: which blocks a lane has, and where."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from tools import cores
from tools.regs.model import read

LANES = "HP"
PAGE_BYTES = 4096


@dataclass(frozen=True)
class Block:
    module: str  # whose registers they are: sl_axi_dma
    offset: int  # in the lane
    bytes: int
    parts: frozenset[str]  # of its registers: groups that are there


@dataclass(frozen=True)
class Map:
    bytes: int  # of the whole control space
    lanes: int  # the most
    stride: int
    blocks: tuple[Block, ...]  # of a lane, by their offset


@cache
def read_map(design: str) -> Map:
    """The map of a design of HP ports."""
    description = read(cores.ROOT / "regs" / f"{design}.rdl", cores.ROOT)
    lane: Any = description.node.get_child_by_name(LANES)
    assert lane is not None, f"{description.source} has no array {LANES}"
    blocks = sorted((_block(node) for node in lane.children()), key=lambda block: block.offset)
    pages = [block.offset // PAGE_BYTES for block in blocks]
    # A block that is alone on its page has all of it; those that share one have what they decode.
    return Map(
        bytes=1 << description.address_bits,
        lanes=lane.array_dimensions[0],
        stride=lane.array_stride,
        blocks=tuple(
            replace(block, bytes=PAGE_BYTES) if pages.count(page) == 1 else block
            for block, page in zip(blocks, pages, strict=True)
        ),
    )


def _block(node: Any) -> Block:
    return Block(
        module=node.orig_type_name,
        offset=node.raw_address_offset,
        bytes=1 << node.get_property("sl_address_bits"),
        parts=frozenset(child.inst_name for child in node.children()),
    )
