# SPDX-License-Identifier: Apache-2.0
"""docs/reference/design-toml.md: the keys of a description."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from tools.regs.banner import generated

from .description import OwnDesign, OwnEngine

PAGE = Path("docs/reference/design-toml.md")


def page() -> str:
    head = generated("tools/devicetree/description.py", "tools/devicetree")
    return f"""<!-- {head} -->

# Design files

A design file describes a design in the programmable logic of a Zynq-7000, in TOML.
`python -m tools.devicetree FILE` makes a device tree from it
([how to](../howto/use-the-linux-driver.md#make-the-device-tree-of-a-zynq-design)). An unknown key
is an error.

{_table(OwnDesign)}
## [[engine]]

An engine of a design that is not of `rtl/design`.

{_table(OwnEngine)}"""


def _table(model: type[BaseModel]) -> str:
    rows = ["| key | meaning |", "|---|---|"]
    for name, field in model.model_fields.items():
        meaning = str(field.description).replace("|", r"\|")
        default = field.default
        if field.is_required():
            meaning += " Required."
        elif name == "base":
            meaning += f" Default: {default:#x}."
        elif isinstance(default, bool):
            meaning += f" Default: {str(default).lower()}."
        elif isinstance(default, str | int) and default:
            meaning += f" Default: {default}."
        rows.append(f"| `{name}` | {meaning} |")
    return "\n".join([*rows, ""])
