# SPDX-License-Identifier: Apache-2.0
"""The trees: those of this project agree with its registers, its driver and its bindings; a design
of one's own is described by the same nodes."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
import yaml  # type: ignore[import-untyped]

from tools.cores import ROOT
from tools.devicetree.__main__ import EPILOG
from tools.devicetree.builds import builds
from tools.devicetree.description import read_ours
from tools.devicetree.tests.blob import Node
from tools.devicetree.tests.conftest import Apply, Command

OVERLAYS = ROOT / "driver" / "overlays"
ZYNQ = sorted(OVERLAYS.glob("zynq*.dtso"))
LANE_BLOCKS = {
    "sluice,stream-source": "HP_SOURCE_OFFSET",
    "sluice,stream-sink": "HP_SINK_OFFSET",
    "sluice,lane-control": "HP_CONTROL_OFFSET",
    "sluice,stream-loopback": "HP_CONTROL_OFFSET",
    "sluice,capability-1.0": "HP_CAPABILITY_OFFSET",
    "sluice,timer-1.0": "HP_TIMER_OFFSET",
    "sluice,test-picture": "HP_PICTURE_OFFSET",
    "xlnx,axi-dma-1.00.a": "HP_DMA_OFFSET",
    "xlnx,axi-cdma-1.00.a": "HP_CDMA_OFFSET",
    "altr,socfpga-msgdma": "HP_CSR_OFFSET",
}
EXAMPLE = "\n".join(re.findall(r"^  (.* = .*|\[.*\])$", EPILOG, re.M))


def registers(source: Path) -> ModuleType:
    """The constants of a design's registers, which tools/regs has made."""
    sys.path.insert(0, str(ROOT / "regs" / "gen" / "python"))
    found = re.search(r"regs/(\w+)\.rdl", source.read_text())
    assert found
    return import_module(f"sluice_regs.{found[1]}")


def bus_and_channels(tree: Node) -> tuple[Node, Node]:
    (bus,) = (node for name, node in tree.children.items() if name.startswith("bus@"))
    (board,) = (n for name, n in tree.children.items() if name.startswith("pl-channels"))
    return bus, board


@pytest.mark.parametrize("source", ZYNQ, ids=lambda source: source.stem)
def test_registers_are_where_the_design_has_them(source: Path, apply: Apply) -> None:
    bus, _ = bus_and_channels(apply(source))
    found = registers(source)
    assert bus.cells("ranges") == [0, 0x4000_0000, found.WINDOW]
    seen = set()
    for node in bus.children.values():
        compatible = node.texts("compatible")[0]
        offset = node.cells("reg")[0]
        lane, within = divmod(offset, found.HP_STRIDE)
        assert lane < found.HP_COUNT
        assert within == getattr(found, LANE_BLOCKS[compatible])
        assert node.name.endswith(f"@{offset:x}")
        seen.add(offset)
    assert len(seen) == len(bus.children)


@pytest.mark.parametrize("source", ZYNQ, ids=lambda source: source.stem)
def test_channels_are_those_of_the_engines(source: Path, apply: Apply) -> None:
    tree = apply(source)
    bus, board = bus_and_channels(tree)
    directions = board.texts("sluice,directions")
    named = list(zip(board.texts("dma-names"), directions, strict=True))
    cells = board.cells("dmas")
    assert len(cells) == 2 * len(named) == 2 * len(set(named))
    lines = []
    for (name, direction), phandle, index in zip(named, cells[::2], cells[1::2], strict=True):
        engine = tree.phandle(phandle)
        assert bus.children[engine.name] is engine
        channels = list(engine.children.values())
        if "xlnx,axi-dma-1.00.a" in engine.texts("compatible"):
            way = ("mm2s", "s2mm")[index]
            (channel,) = (c for c in channels if c.name == f"dma-channel-{way}")
            assert direction == {"mm2s": "tx", "s2mm": "rx"}[way] and name.endswith(f".{way}")
        else:
            channel = channels[0] if channels else engine
            assert (index, direction) == (0, "copy")
        lines += channel.cells("interrupts")
    assert len(set(lines)) == len(lines)
    # Which interrupt of the processor that is: UG585 table 7-4, less the 32 that are not shared.
    mapped = tree["irqf2p"].cells("interrupt-map")
    rows = {mapped[at]: mapped[at + 2 : at + 5] for at in range(0, len(mapped), 5)}
    for line in lines:
        assert rows[line] == [0, (61 if line < 8 else 76) + line - 32, 4]


def test_a_timer_is_for_programs(apply: Apply) -> None:
    """Its line is behind those of the engine, UIO finds it, and sluice.ko is not told of it."""
    bus, board = bus_and_channels(apply(OVERLAYS / "zynq-capture.dtso"))
    timer = bus["timer@5000"]
    assert timer.texts("compatible") == ["sluice,timer-1.0", "generic-uio"]
    assert timer.cells("interrupts") == [2]
    assert len(board.texts("sluice,control-names")) == 3


def test_a_capability_block_counts_what_is_received(apply: Apply) -> None:
    """Of an engine that takes descriptors; what it sends has none."""
    bus, board = bus_and_channels(apply(OVERLAYS / "zynq-hp-stress-sg.dtso"))
    blocks = [bus[f"capability@{lane}4000"] for lane in ("", "1", "2", "3")]
    counted = board.cells("sluice,capabilities")
    for block in blocks:
        assert counted[:3] == [0, block.cells("phandle")[0], 0]
        counted = counted[3:]
    assert not counted
    bus, board = bus_and_channels(apply(OVERLAYS / "zynq-hp-stress.dtso"))
    assert "capability@4000" not in bus.children and "sluice,capabilities" not in board.properties


def test_direct_register_mode_has_no_clock_of_descriptors(apply: Apply) -> None:
    for name, has in (("hp-stress", False), ("hp-stress-sg", True), ("capture", True)):
        bus, _ = bus_and_channels(apply(OVERLAYS / f"zynq-{name}.dtso"))
        clocks = bus["dma-controller@0"].texts("clock-names")
        assert ("m_axi_sg_aclk" in clocks) == has
        assert len(bus["dma-controller@0"].cells("clocks")) == len(clocks)


def test_block_ram_is_that_of_the_board(apply: Apply) -> None:
    for name, size in (
        ("zynq-cdma", 4 * 32768),
        ("zynq-cdma-acp", 65536),
        ("zynq7020-cdma", 4 * 65536),
    ):
        _, board = bus_and_channels(apply(OVERLAYS / f"{name}.dtso"))
        assert board.cells("reg") == [0x4008_0000, size]
    _, board = bus_and_channels(apply(OVERLAYS / "zynq-hp-stress.dtso"))
    assert "reg" not in board.properties


def test_what_sluice_pci_is_built_with() -> None:
    kbuild = (ROOT / "driver" / "Kbuild").read_text()
    linked = set(re.findall(r"overlays/(sluice-[\w-]+)\.dtbo\.o", kbuild))
    assert linked == {file.stem for file in OVERLAYS.glob("sluice-*.dtso")}
    ours = {f"sluice-{name.replace('_', '-')}" for name, entry in read_ours().items() if entry.card}
    assert linked == ours


def test_our_nodes_are_as_the_bindings_say(apply: Apply) -> None:
    allowed = {}
    for file in (ROOT / "driver" / "bindings").rglob("*.yaml"):
        binding = yaml.safe_load(file.read_text())
        compatible = binding["properties"]["compatible"]
        compatible = compatible.get("items", [compatible])[0]  # or one name alone
        for name in compatible.get("enum", [compatible.get("const")]):
            allowed[name] = (set(binding["properties"]), set(binding["required"]))
    seen = set()
    for source in ZYNQ:
        for node in apply(source).every():
            if (name := node.properties.get("compatible", b"").decode().split("\0")[0]) in allowed:
                known, required = allowed[name]
                assert required <= set(node.properties) <= known | {"phandle"}, (source, node)
                seen.add(name)
    assert seen == set(allowed)


def test_every_line_of_the_catalogue_is_read() -> None:
    text = (ROOT / "sim" / "CMakeLists.txt").read_text()
    lines = re.findall(r"^sluice_(?:hp_)?design(?:_as)?\((\w+) ", text, re.M)
    assert set(builds()) == set(lines)
    assert builds()["hp_stress"].parameters == {
        "DataWidth": 64,
        "ResetTimeout": 65536,
        "NumPorts": 4,
    }
    assert builds()["cdma_acp"].design == "cdma"
    assert builds()["capture_32"].design == builds()["capture_acp"].design == "capture"


def own(command: Command, folder: Path, text: str) -> Path:
    """The overlay of a description."""
    (folder / "own.toml").write_text(text)
    made = folder / "own.dtso"
    result = command(folder / "own.toml", "-o", made)
    assert (result.status, result.out, result.err) == (0, "", "")
    return made


@pytest.mark.parametrize("name", [n for n, entry in read_ours().items() if not entry.zynq7020])
def test_own_description_of_our_design_gives_our_blob(
    name: str, command: Command, compile: Callable[[Path], bytes], tmp_path: Path
) -> None:
    build = builds()[name]
    delay = read_ours()[name].irq_delay
    lines = ['chip = "zynq7010"', f'design = "{build.design}"']
    lines += [f"irq_delay = {delay}"] if delay is not None else []
    lines += ["[parameters]", *(f"{key} = {value}" for key, value in build.parameters.items())]
    ours = compile(OVERLAYS / f"zynq-{name.replace('_', '-')}.dtso")
    assert compile(own(command, tmp_path, "\n".join(lines))) == ours


def test_example_of_the_help(command: Command, apply: Apply, tmp_path: Path) -> None:
    tree = apply(own(command, tmp_path, EXAMPLE))
    bus, board = bus_and_channels(tree)
    assert bus.cells("ranges") == [0, 0x43C0_0000, 0x10_0000]
    assert board.texts("dma-names") == ["hp0.mm2s", "hp0.s2mm", "hp1.mm2s", "hp1.s2mm"]
    engines = [bus["dma-controller@0"], bus["dma-controller@10000"]]
    ways = ("dma-channel-mm2s", "dma-channel-s2mm")
    channels = [engine[way] for engine in engines for way in ways]
    assert [channel.cells("interrupts") for channel in channels] == [[8], [9], [10], [11]]
    assert channels[1].properties["xlnx,irq-delay"] == b"\x08"
    (clkc,) = tree["clkc"].cells("phandle")
    for engine in engines:
        assert engine.cells("clocks") == 4 * [clkc, 15]
        assert engine.cells("assigned-clocks") == [clkc, 15]
        assert engine.cells("assigned-clock-rates") == [125_000_000]
    assert "pl-clock" not in tree.children


def test_engines_of_ones_own(command: Command, apply: Apply, tmp_path: Path) -> None:
    text = """
    chip = "zynq7020"
    label = "radio"
    base = 0x8000_0000
    clock_hz = 150_000_000
    [[engine]]
    name = "adc"
    kind = "axi-dma"
    channels = ["s2mm"]
    offset = 0x40_0000
    interrupts = [4]
    length_bits = 14
    data_bits = 32
    descriptors = false
    [[engine]]
    kind = "axi-cdma"
    offset = 0x41_0000
    interrupts = [12]
    length_bits = 26
    unaligned = true
    coherent = true
    [[engine]]
    kind = "msgdma"
    offset = 0x42_0000
    interrupts = [13]
    length_bits = 20
    """
    tree = apply(own(command, tmp_path, text))
    bus, board = bus_and_channels(tree)
    assert bus.cells("ranges") == [0, 0x8000_0000, 0x42_1000]
    assert tree["pl-clock"].cells("clock-frequency") == [150_000_000]
    assert board.texts("label") == ["radio"]
    assert board.texts("dma-names") == ["adc.s2mm", "acp1.copy", "hp2.copy"]
    assert board.texts("sluice,directions") == ["rx", "copy", "copy"]
    assert board.cells("dmas")[1::2] == [1, 0, 0]
    assert board.cells("sluice,max-segment-bytes") == [(1 << 14) - 1]
    adc, copy, other = (bus[f"dma-controller@{n:x}"] for n in (0x40_0000, 0x41_0000, 0x42_0000))
    assert list(adc.children) == ["dma-channel-s2mm"]
    assert adc["dma-channel-s2mm"].cells("xlnx,datawidth") == [32]
    assert adc.cells("xlnx,sg-length-width") == [14]
    assert "m_axi_sg_aclk" not in adc.texts("clock-names")
    assert "dma-coherent" in copy.properties and "dma-coherent" not in adc.properties
    assert "xlnx,include-dre" in copy["dma-channel"].properties
    assert other.cells("reg") == [0x42_0000, 0x20, 0x42_0020, 0x20, 0x42_0040, 8]
    assert other.cells("interrupts") == [13]


def test_block_ram_of_a_design_elsewhere(command: Command, apply: Apply, tmp_path: Path) -> None:
    text = """
    chip = "zynq7010"
    design = "cdma"
    base = 0x8000_0000
    [parameters]
    RamBeats = 4096
    RamBase = 0x8008_0000
    """
    _, board = bus_and_channels(apply(own(command, tmp_path, text)))
    assert board.name == "pl-channels@80080000"
    assert board.cells("reg") == [0x8008_0000, 4 * 32768]


def test_engine_without_responses(command: Command, apply: Apply, tmp_path: Path) -> None:
    """altera-msgdma would wait for responses at a port that it is given."""
    text = 'chip = "zynq7010"\ndesign = "msgdma"\n[parameters]\nIncludeResponse = 0\n'
    bus, _ = bus_and_channels(apply(own(command, tmp_path, text)))
    engine = bus["dma-controller@10000"]
    assert engine.texts("reg-names") == ["csr", "desc"]
    assert engine.cells("reg") == [0x10000, 0x20, 0x10020, 0x20]


def test_more_length_than_a_driver_uses(command: Command, apply: Apply, tmp_path: Path) -> None:
    """xilinx_dma takes 23 bits of a CDMA's length, whatever there are."""
    text = 'chip = "zynq7010"\ndesign = "cdma"\n[parameters]\nLenWidth = {}\n'
    for bits, used in ((26, 23), (16, 16)):
        _, board = bus_and_channels(apply(own(command, tmp_path, text.format(bits))))
        assert board.cells("sluice,max-segment-bytes") == [(1 << used) - 1]
