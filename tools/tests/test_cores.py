# SPDX-License-Identifier: Apache-2.0
"""The cores: they have every source once, the tools read them, and FuseSoC takes them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml  # type: ignore[import-untyped]

from tools import cores, version

DESIGNS = ("hp_stress", "dma_loopback", "cdma", "msgdma")
TIMEOUT_S = 600


def listed() -> list[str]:
    """Files that the cores list, each as often as they do."""
    found = []
    for core in cores.core_files():
        filesets = yaml.safe_load((cores.ROOT / core).read_text())["filesets"]
        for entry in (e for fileset in filesets.values() for e in fileset.get("files", ())):
            name = entry if isinstance(entry, str) else next(iter(entry))
            found.append((core.parent / name).as_posix())
    return found


def fusesoc(folder: Path, *arguments: str) -> str:
    """What `fusesoc run` prints; it builds in `folder`."""
    command = [str(Path(sys.executable).with_name("fusesoc")), "run", f"--build-root={folder}"]
    done = subprocess.run(
        [*command, *arguments],
        cwd=cores.ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    text = done.stdout + done.stderr
    assert done.returncode == 0, text[-4000:]
    return text


def test_every_source_is_in_one_core() -> None:
    git = subprocess.run(
        ["git", "ls-files", "rtl/*.sv", "rtl/*.svh", "regs/*.sv"],
        cwd=cores.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    apart = re.compile(r"/(tests|proofs)/|^rtl/tb/")
    wanted = {file for file in git.stdout.split() if not apart.search(file)}
    counts = Counter(file for file in listed() if not apart.search(file))
    assert set(counts) == wanted
    assert [file for file, count in counts.items() if count != 1] == []


def test_sources_come_before_what_uses_them() -> None:
    files = cores.sources("sl_axi_guard")
    assert files[-1] == "rtl/axi/sl_axi_guard.sv"
    assert {"rtl/axi/sl_axi_if.sv", "rtl/mover/sl_fifo.sv"} < set(files)
    assert cores.includes() == ["rtl/axi"]


def test_synthesis_has_no_checkers() -> None:
    checker = "rtl/axi/sl_axi_check.sv"
    assert checker in cores.sources("sl_dma_port")
    assert checker not in cores.sources("sl_dma_port", synthesis=True)


def test_bench_brings_what_it_needs() -> None:
    bench = "rtl/axi/tests/sl_axi_join_pins.sv"
    assert cores.sources(bench)[-2:] == ["rtl/axi/sl_axi_join.sv", bench]


def test_unknown_module(capsys: pytest.CaptureFixture[str]) -> None:
    assert cores.main(["--sources", "sl_nothing"]) == 2
    assert capsys.readouterr().err == "tools.cores: no core has a module 'sl_nothing'\n"


def test_fusesoc_has_every_file_that_a_top_needs(tmp_path: Path) -> None:
    """FuseSoC follows the cores' dependencies, our tools the sources' text."""
    fusesoc(tmp_path, "--setup", "--target=lint", "sluice:design:cdma")
    (edam,) = tmp_path.rglob("*.eda.yml")
    names = {Path(file["name"]).name for file in yaml.safe_load(edam.read_text())["files"]}
    assert {Path(file).name for file in cores.sources("sl_hp_ports")} <= names


@pytest.mark.parametrize("design", ["cdma", "f2s_stress"])
def test_lint(design: str, tmp_path: Path) -> None:
    fusesoc(tmp_path, "--target=lint", f"sluice:design:{design}")


def test_simulation(tmp_path: Path) -> None:
    assert "hp_stress_identity: passed" in fusesoc(
        tmp_path, "--target=sim", "sluice:design:hp_stress"
    )


@pytest.mark.parametrize("design", DESIGNS)
def test_vivado_project(design: str, tmp_path: Path) -> None:
    fusesoc(tmp_path, "--setup", "--target=vivado", f"sluice:design:{design}")
    (project,) = tmp_path.rglob(f"*{design}_{version.version(version.ROOT)}.tcl")
    text = project.read_text()
    assert "xc7z020clg484-1" in text and "sl_hp_ports" in text
    assert re.search(rf"Design=\S*{design}", text)
    for name in ("sl_hp_ports.sv", "sl_axi_if.sv", "sl_axi_cdma.sv"):
        assert f"/{name}" in text
    assert re.search(r"include_dirs .*sluice_rtl_axi", text)


def test_quartus_project(tmp_path: Path) -> None:
    fusesoc(tmp_path, "--setup", "--target=quartus", "sluice:design:f2s_stress")
    (project,) = tmp_path.rglob("*.tcl")
    text = project.read_text()
    assert "5CSXFC6D6F31C6" in text and re.search(r"TOP_LEVEL_ENTITY f2s_stress", text)
    for name in ("f2s_stress.sv", "sl_f2s_lane.sv", "sl_msgdma.sv", "sl_axi_if.sv"):
        assert f"/{name}" in text
