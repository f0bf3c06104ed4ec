# SPDX-License-Identifier: Apache-2.0
"""Which files exist, and what stands above the nodes in them."""

from __future__ import annotations

from pathlib import Path

from sluice.errors import InputError

from tools.generated import Files
from tools.regs.banner import generated

from .builds import SOURCE as BUILDS
from .builds import builds
from .description import OURS, Chip, OurDesign, read_ours, read_own
from .overlay import Place, card, zynq
from .page import PAGE, page

BY = "tools/devicetree"
FOLDER = Path("driver/overlays")
LICENCE = "// SPDX-License-Identifier: GPL-2.0-only"


def render() -> Files:
    """Every generated file, by its path relative to the root. Raises InputError."""
    texts = {PAGE: page()}
    for name, entry in read_ours().items():
        file = name.replace("_", "-")
        texts[FOLDER / f"zynq-{file}.dtso"] = _zynq(name, name, entry, "zynq7010")
        if entry.zynq7020:
            build = entry.zynq7020
            texts[FOLDER / f"zynq7020-{file}.dtso"] = _zynq(name, build, entry, "zynq7020")
        if entry.card:
            design = entry.own(name, "zynq7010").made()
            what = f"Design {name} on a PCI Express card: on the node of its function."
            head = _head(name, what, "Addresses are those of BAR 0, interrupts MSI-X vectors.")
            texts[FOLDER / f"sluice-{file}.dtso"] = card(design, Place.clock_hz, head)
    return {path: text.encode() for path, text in texts.items()}


def present(root: Path) -> set[Path]:
    """The generated files that the tree holds now."""
    found = {path.relative_to(root) for path in (root / FOLDER).glob("*.dts[oi]")}
    return found | ({PAGE} if (root / PAGE).exists() else set())


def own(path: Path) -> str:
    """The overlay of a person's own design. Raises InputError."""
    given, design = read_own(path)
    said = f"A design in the logic of a {given.chip}: an overlay on the board's device tree."
    return zynq(design, given.place, [f"// {generated(path.name, BY)}", f"/* {said} */"])


def _zynq(name: str, build: str, entry: OurDesign, chip: Chip) -> str:
    try:
        design = entry.own(build, chip).made()
    except InputError as error:
        raise InputError(f"{OURS}: {name}: {error}") from error
    what = f"Design {name} in the logic of a Zynq-7000: an overlay on the board's device tree."
    return zynq(design, Place(), _head(build, what, "Interrupts are lines of IRQF2P."))


def _head(build: str, *what: str) -> list[str]:
    registers = f"Registers: regs/{builds()[build].design}.rdl; parameters: {BUILDS}, {build}."
    return [
        LICENCE,
        f"// {generated(OURS, BY)}",
        "/*",
        *(f" * {line}" for line in (*what, registers)),
        " */",
    ]
