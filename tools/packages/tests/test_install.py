# SPDX-License-Identifier: Apache-2.0
"""What `cmake --install` installs: a program of somebody else's is compiled against it, by
pkg-config's file and by CMake's package, and moves data on a simulated board."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sluice.cuda import library

from tools import version

ROOT = Path(__file__).resolve().parents[3]
BUILD = ROOT / "build" / "release"

CMAKE = """
cmake_minimum_required(VERSION 3.25)
project(consumer C CXX)
find_package(sluice {version} REQUIRED)
add_executable(loopback {loopback})
target_link_libraries(loopback PRIVATE sluice::sluice)
add_executable(gpu {gpu})
target_link_libraries(gpu PRIVATE sluice::sluice sluice::cuda)
"""


def run(*command: str | Path, **environment: str) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )
    assert done.returncode == 0, f"{command}:\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which everything was installed, and moved to its place afterwards."""
    if not (BUILD / "libsluice.so").exists():
        pytest.skip("needs libsluice.so, which `make build` builds")
    folder = tmp_path_factory.mktemp("install") / "prefix"
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


def library_folder(prefix: Path) -> Path:
    (found,) = prefix.rglob("libsluice.so")
    return found.parent


def test_exports_are_the_calls_of_the_header(prefix: Path) -> None:
    printed = run("nm", "-D", "--defined-only", library_folder(prefix) / "libsluice.so")
    exported = set(re.findall(r" T (\w+)@@SLUICE_0$", printed, re.MULTILINE))
    header = (prefix / "include" / "sluice.h").read_text()
    declared = set(re.findall(r"SLUICE_API[^;(]*?\b(sluice_\w+)\(", header))
    assert exported == declared
    assert len(re.findall(" [TDBW] ", printed)) == len(declared), "other names are exported too"


def test_soname(prefix: Path) -> None:
    for name in ("sluice", "sluice-cuda"):
        printed = run("readelf", "-d", library_folder(prefix) / f"lib{name}.so")
        assert f"[lib{name}.so.0]" in printed


def test_pkg_config(prefix: Path, tmp_path: Path) -> None:
    if shutil.which("pkg-config") is None:
        pytest.skip("needs pkg-config")
    folder = library_folder(prefix)
    asked = {"PKG_CONFIG_PATH": str(folder / "pkgconfig")}
    modversion = run("pkg-config", "--modversion", "sluice", **asked).strip()
    assert modversion == version.version(version.ROOT)
    flags = run("pkg-config", "--cflags", "--libs", "sluice", "sluice-cuda", **asked)
    program = tmp_path / "loopback"
    run("cc", ROOT / "lib" / "examples" / "loopback.c", "-o", program, *flags.split())
    assert "sluice_last_error@SLUICE_0" in run("nm", "-D", program)
    run(program, LD_LIBRARY_PATH=str(folder))


def test_cmake_package(prefix: Path, tmp_path: Path) -> None:
    examples = {
        "loopback": ROOT / "lib" / "examples" / "loopback.c",
        "gpu": ROOT / "lib" / "cuda" / "examples" / "gpu.c",
    }
    (tmp_path / "CMakeLists.txt").write_text(
        CMAKE.format(version=version.version(version.ROOT), **examples)
    )
    run("cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", tmp_path / "build")
    run(tmp_path / "build" / "loopback")


def test_libraries_without_development_files_serve_python(
    prefix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("cmake", "--install", BUILD, "--prefix", tmp_path, "--component", "runtime")
    monkeypatch.delenv("SLUICE_CUDA", raising=False)
    monkeypatch.setattr(library, "repository", lambda: None)
    assert list(tmp_path.rglob(library._file())), "sluice.cuda asks for another name"


@pytest.mark.parametrize(("flags", "installs"), [("-static-libgcc", True), ("-static", False)])
def test_only_static_programs_have_no_shared_libraries(
    tmp_path: Path, flags: str, installs: bool
) -> None:
    run(
        *("cmake", "-S", ROOT, "-B", tmp_path, f"-DCMAKE_EXE_LINKER_FLAGS={flags}"),
        *("-DSLUICE_SIMULATED_BOARDS=OFF", "-DSLUICE_TESTS=OFF", "-DSLUICE_SERVE=OFF"),
    )
    assert (tmp_path / "sluice.pc").exists() == installs


def test_commands(prefix: Path) -> None:
    assert '"boards"' in run(prefix / "bin" / "sluice-bench", "list")
    assert "usage" in run(prefix / "bin" / "sluice-card", "--help").lower()
    pages = {page.name for page in (prefix / "share" / "man").rglob("*.[0-9]")}
    assert {"sluice.4", "ioctl_sluice_submit.2"} <= pages
    assert (prefix / "lib" / "udev" / "rules.d" / "60-sluice.rules").is_file()
