# SPDX-License-Identifier: Apache-2.0
"""A card and memory of a device that is no card: exported by vfio-pci, revocable, IOMMU on.

ivshmem is what a GPU's memory is: a BAR, there for programs and peers; NVMe has a memory buffer.
"""

from __future__ import annotations

import json
import platform
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from guest_library import BENCH, build_library, refusal
from sluice_guest import FULL, SEED, TEST, boot_pcie, run

from cosim.boot import Boot
from cosim.commands import must
from cosim.guests import Card, Guest
from cosim.guests.flavours import NEWEST

pytestmark = pytest.mark.skipif(not FULL, reason="x86_64 is booted by make test-full")

BYTES = 64 << 20
ROUNDS = 1000
# What is given: 64 MiB of it, then taken back under load.
GPU = ("-object", "memory-backend-memfd,id=gpu,size=64M,share=on")
ROOT = tuple(
    word
    for number in (1, 2, 3)
    for word in ("-device", f"pcie-root-port,id=p{number},chassis={number},slot={number}")
)
SWITCH = (
    *("-device", "pcie-root-port,id=root,chassis=1,slot=1"),
    *("-device", "x3130-upstream,id=up,bus=root"),
    *(
        word
        for number in (1, 2, 3)
        for word in (
            "-device",
            f"xio3130-downstream,id=p{number},bus=up,chassis={number + 1},slot={number}",
        )
    ),
)
DEVICES = (
    *("-device", "ivshmem-plain,memdev=gpu,bus=p2"),
    *("-device", "nvme,serial=x,cmb_size_mb=16,bus=p3"),
)


BUILT = Path(__file__).resolve().parents[2] / "build" / "release"
STUB = BUILT / "lib" / "cuda" / "libcuda-stub.so"
DYNAMIC_BENCH = "/tests/dynamic-bench"
LIBRARIES = "/tests/lib"
CODES = ("GH", "HG", "FI", "GI", "FIR", "GIR", "FG", "GF", "FGR", "GFR", "FR", "GR", "FIP", "GIP")


# A root port reaches another only where the kernel has the processor in its list.
@dataclass(frozen=True)
class Topology:
    """Where the three are, and what the kernel makes of it."""

    bridges: tuple[str, ...]
    first: int  # number of the bus behind the first port
    append: str = ""
    processor: str | None = None
    allowed: bool = True
    translated: bool = True


TOPOLOGIES = {
    "listed": Topology(ROOT, 1, append="iommu.strict=1", processor="EPYC"),
    "unlisted": Topology(ROOT, 1, append="iommu.strict=1", allowed=False),
    # Nothing between the ports of this switch, so an IOMMU would hold all three in one group.
    "switch": Topology(
        SWITCH, 3, append="intel_iommu=off vfio.enable_unsafe_noiommu_mode=1", translated=False
    ),
}


@pytest.fixture(scope="module", params=TOPOLOGIES.values(), ids=TOPOLOGIES)
def topology(request: pytest.FixtureRequest) -> Topology:
    found: Topology = request.param
    return found


@pytest.fixture(scope="module")
def guest(topology: Topology) -> Iterator[Guest]:
    processor = ("-cpu", topology.processor) if topology.processor else ()
    options = (*processor, *GPU, *topology.bridges, *DEVICES)
    card = Card("pcie/xdma", ("--width", "128"), bus="p1")
    boot = Boot("peer-memory")
    files = build_library("x86_64", ["sluice-bench"]) | dynamic_programs()
    with boot_pcie(
        boot,
        card,
        flavour="x86_64",
        version=NEWEST,
        append=topology.append,
        qemu_options=options,
        files=files,
    ) as guest:
        yield guest
        assert not [line for line in guest.console.lines() if "DMAR" in line and "fault" in line]


def dynamic_programs() -> dict[str, Path]:
    """This machine's own sluice-bench, which can open CUDA's library, with what it is linked with:
    by their path in the guest. Nothing where the guest has another processor."""
    if platform.machine() != "x86_64" or not STUB.exists():
        return {}
    files = {DYNAMIC_BENCH: BUILT / "bench" / "sluice-bench", f"{LIBRARIES}/{STUB.name}": STUB}
    for program in (BUILT / "bench" / "sluice-bench", STUB):
        told = subprocess.run(["ldd", program], capture_output=True, text=True, check=True)
        for name, path in re.findall(r"(\S+) => (/\S+)", told.stdout):
            files[f"{LIBRARIES}/{name}"] = Path(path)
        for path in re.findall(r"^\s*(/lib\S+)", told.stdout, re.MULTILINE):
            files[path] = Path(path)  # the loader, where the program names it
    return files


def function(topology: Topology, port: int) -> str:
    return f"0000:{topology.first + port - 1:02x}:00.0"


def hand_over(guest: Guest, peer: str) -> None:
    must(
        guest,
        f"echo vfio-pci > /sys/bus/pci/devices/{peer}/driver_override; "
        f"echo {peer} > /sys/bus/pci/drivers_probe",
    )


@pytest.mark.parametrize(("port", "bar"), [(2, 2), (3, 2)], ids=["ivshmem", "nvme"])
def test_memory_of_a_device(guest: Guest, topology: Topology, port: int, bar: int) -> None:
    own = [f"/dev/sluice/{function(topology, 1)}/{name}" for name in ("h2c0", "c2h0", "memory")]
    peer = function(topology, port)
    hand_over(guest, peer)
    words = (*own, peer, bar, BYTES, SEED, ROUNDS if port == 2 else ROUNDS // 10)
    if topology.allowed:
        found = run(guest, "vfio", *words, timeout_s=3600)
        assert found["bytes"][0] >= BYTES
        assert found["peer_translated"] == [topology.translated]
        # A guest's time is the host's: how long it took is said, and no bound.
        print(f"taken back, in ns: {found['unmapped_ns']}")
        return
    refused = guest.run(f"{TEST} vfio {' '.join(map(str, words))}")
    assert refused.status == 1 and "SLUICE_ATTACH" in refused.text, refused
    place = f"/sys/class/sluice/sluice!{function(topology, 1)}!h2c0/import_error"
    assert "no path from this device" in must(guest, f"cat '{place}'")


# Rows of pcie-transfers, the card's DMA in memory of another device: a GPU's, as far as it sees.
def test_transfers_of_the_published_codes(guest: Guest, topology: Topology) -> None:
    if not topology.allowed:
        pytest.skip("there is no way between the two")
    peer = function(topology, 2)
    hand_over(guest, peer)
    words = f"transfers --device dev:{function(topology, 1)} --peer {peer}/2 --iterations 2"
    for code in ("FR", "GR"):
        for nbytes in (4096, 1 << 20):
            found = json.loads(must(guest, f"{BENCH} {words} --code {code} --bytes {nbytes}", 300))
            assert found["verified"] and found["gpu"] == f"memory of {peer}"
        wrong = f"{BENCH} {words} --code {code} --bytes 4096 --corrupt 77"
        assert json.loads(must(guest, wrong))["verified"] is False
    assert "has no copy engine" in refusal(guest, f"{words} --code GH --bytes 4096")


# The stub of CUDA with that memory as a GPU's: libsluice-cuda, imports both ways, and the card.
def test_all_codes_with_the_stub_of_cuda(guest: Guest, topology: Topology) -> None:
    if not topology.allowed:
        pytest.skip("there is no way between the two")
    if not dynamic_programs():
        pytest.skip("the guest's processor is not this machine's, or `make build` was not run")
    peer = function(topology, 2)
    hand_over(guest, peer)
    setting = f"SLUICE_LIBCUDA={LIBRARIES}/{STUB.name} SLUICE_STUB=vfio={peer}/2"
    bench = f"LD_LIBRARY_PATH={LIBRARIES} {setting} {DYNAMIC_BENCH} transfers"
    words = f"{bench} --device dev:{function(topology, 1)} --cuda 0 --iterations 1 --bytes 4096"
    for code in CODES:
        found = json.loads(must(guest, f"{words} --code {code}", 300))
        assert found["verified"] and found["gpu"] == "stub", code
        wrong = json.loads(must(guest, f"{words} --code {code} --corrupt 5", 300))
        assert wrong["verified"] is False, code


def test_exporter_is_killed(guest: Guest, topology: Topology) -> None:
    if not topology.allowed:
        pytest.skip("there is no way between the two")
    own = [f"/dev/sluice/{function(topology, 1)}/{name}" for name in ("h2c0", "c2h0", "memory")]
    peer = function(topology, 2)
    hand_over(guest, peer)
    for _ in range(20):
        run(guest, "exporter", *own, peer, 2)
