# SPDX-License-Identifier: Apache-2.0
"""What the link of a card carries, as Wireshark reads it: docs/howto/record-the-link.md."""

import shutil
import subprocess
from pathlib import Path

import pytest

from sluice.paths import find_bench

pytestmark = pytest.mark.usefixtures("real_bench")
ROOT = Path(__file__).resolve().parents[3]
CARD = "10.0.0.1"
FIELDS = ("ip.src", "tlp.kind", "tlp.length", "tlp.address32", "tlp.address64", "tlp.byte_count")
MWR_32, MRD_64, MWR_64, CPL_D = "0x40", "0x20", "0x60", "0x4a"
TRANSFER_BYTES, MPS = 4096, 256

Packet = tuple[str, ...]


@pytest.fixture
def packets(tmp_path: Path) -> list[Packet]:
    """Of one transfer from card to host, by interrupt; the fields in their order."""
    tshark = shutil.which("tshark")
    if tshark is None:
        pytest.skip("tshark is not installed")
    file = tmp_path / "link.pcap"
    bench = [find_bench(), "transfers", "--board", "pcie-gen3x8", "--code", "FH"]
    options = ["--bytes", str(TRANSFER_BYTES), "--iterations", "1", "--tlp", file]
    subprocess.run([*bench, *options], check=True, capture_output=True)
    script = ROOT / "model" / "tools" / "tlp.lua"
    read = [tshark, "-X", f"lua_script:{script}", "-r", file, "-T", "fields"]
    columns = [word for field in FIELDS for word in ("-e", field)]
    text = subprocess.run([*read, *columns], check=True, capture_output=True, text=True).stdout
    return [tuple(line.split("\t")) for line in text.splitlines()]


def test_every_packet_is_read(packets: list[Packet]) -> None:
    assert packets
    assert all(kind and length for _, kind, length, *_ in packets)


def test_a_transfer_is_what_the_page_says(packets: list[Packet]) -> None:
    """The descriptor, 16 writes of MPS one after the other, the message, two registers."""
    data = [n for n, packet in enumerate(packets) if packet[1] == MWR_64]
    assert data
    start, end = data[0], data[-1] + 1
    writes = [packets[n] for n in data[: TRANSFER_BYTES // MPS]]
    addresses = [int(packet[4], 16) for packet in writes]
    assert [packet[2] for packet in writes] == [str(MPS // 4)] * (TRANSFER_BYTES // MPS)
    assert addresses == list(range(addresses[0], addresses[0] + TRANSFER_BYTES, MPS))
    assert all(packet[0] == CARD for packet in writes)

    before = [packet for packet in packets[:start] if packet[1] in (MRD_64, CPL_D)][-2:]
    assert [packet[1:3] for packet in before] == [(MRD_64, "8"), (CPL_D, "8")]
    assert before[1][5] == "32"

    message = packets[end]
    assert message[:4] == (CARD, MWR_32, "1", "0xfee00000")
    loads = [packet for packet in packets[end + 1 :] if packet[1] == "0x00"][:2]
    assert [int(packet[3], 16) & 0xFFF for packet in loads] == [0x044, 0x048]
