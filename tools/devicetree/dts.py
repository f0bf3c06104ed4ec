# SPDX-License-Identifier: Apache-2.0
"""The text of device-tree sources."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

COLUMNS = 100
TAB = 8


def text(value: str) -> str:
    return f'"{value}"'


def cells(*values: int | str) -> str:
    """Numbers, and references such as &dma0."""
    return f"<{' '.join(value if isinstance(value, str) else f'{value:#x}' for value in values)}>"


def numbers(*values: int) -> str:
    """The same, decimal: for what is counted."""
    return f"<{' '.join(map(str, values))}>"


def byte(value: int) -> str:
    return f"/bits/ 8 <{value}>"


@dataclass
class Node:
    """A node; its properties have values as they are written, and none where they are flags."""

    name: str
    label: str = ""
    properties: list[tuple[str, tuple[str, ...]]] = field(default_factory=list)
    children: list[Node] = field(default_factory=list)

    def set(self, name: str, *values: str) -> None:
        self.properties.append((name, values))

    def add(self, child: Node) -> Node:
        self.children.append(child)
        return child

    def lines(self, depth: int = 0) -> Iterable[str]:
        indent = "\t" * depth
        label = f"{self.label}: " if self.label else ""
        yield f"{indent}{label}{self.name} {{"
        for name, values in self.properties:
            yield from _property(name, values, depth + 1)
        for number, child in enumerate(self.children):
            if number or self.properties:
                yield ""
            yield from child.lines(depth + 1)
        yield f"{indent}}};"


def _property(name: str, values: tuple[str, ...], depth: int) -> Iterable[str]:
    """A property in as many lines as it needs, its values below one another."""
    if not values:
        yield "\t" * depth + f"{name};"
        return
    start = depth * TAB + len(name) + len(" = ")
    lines, column = [f"{name} = {values[0]}"], start + len(values[0])
    for value in values[1:]:
        if column + len(", ") + len(value) + len(",") <= COLUMNS:
            lines[-1] += f", {value}"
            column += len(", ") + len(value)
        else:
            lines[-1] += ","
            lines.append(value)
            column = start + len(value)
    tabs, spaces = divmod(start, TAB)
    yield "\t" * depth + lines[0] + (";" if len(lines) == 1 else "")
    for number, line in enumerate(lines[1:], 2):
        yield "\t" * tabs + " " * spaces + line + (";" if number == len(lines) else "")
