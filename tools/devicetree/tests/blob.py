# SPDX-License-Identifier: Apache-2.0
"""Device-tree blobs, read by the format's specification (Devicetree Specification, chapter 5)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

MAGIC = 0xD00DFEED
BEGIN_NODE, END_NODE, PROPERTY, END = 1, 2, 3, 9


@dataclass
class Node:
    name: str
    properties: dict[str, bytes] = field(default_factory=dict)
    children: dict[str, Node] = field(default_factory=dict)

    def __getitem__(self, path: str) -> Node:
        node = self
        for name in filter(None, path.split("/")):
            node = node.children[name]
        return node

    def cells(self, name: str) -> list[int]:
        value = self.properties[name]
        return list(struct.unpack(f">{len(value) // 4}I", value))

    def texts(self, name: str) -> list[str]:
        return self.properties[name].decode().rstrip("\0").split("\0")

    def every(self) -> list[Node]:
        return [self, *(node for child in self.children.values() for node in child.every())]

    def phandle(self, number: int) -> Node:
        (found,) = [
            n for n in self.every() if n.properties.get("phandle") == struct.pack(">I", number)
        ]
        return found


def parse(data: bytes) -> Node:
    magic, _, structure, strings = struct.unpack(">4I", data[:16])
    assert magic == MAGIC
    at, root = structure, None
    open_nodes: list[Node] = []

    def text(start: int) -> str:
        return data[start : data.index(b"\0", start)].decode()

    while True:
        (token,) = struct.unpack(">I", data[at : at + 4])
        at += 4
        if token == BEGIN_NODE:
            node = Node(text(at))
            at += len(node.name) + 1
            if open_nodes:
                open_nodes[-1].children[node.name] = node
            else:
                root = node
            open_nodes.append(node)
        elif token == END_NODE:
            open_nodes.pop()
        elif token == PROPERTY:
            size, name = struct.unpack(">II", data[at : at + 8])
            at += 8
            open_nodes[-1].properties[text(strings + name)] = data[at : at + size]
            at += size
        else:
            assert token == END and root is not None
            return root
        at = (at + 3) & ~3
