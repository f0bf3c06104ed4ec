# SPDX-License-Identifier: Apache-2.0
"""Builds one module with Verilator and runs cocotb tests on it, from a pytest function.

Environment: SEED (integer, default 1), WAVES=1 (writes dump.vcd in the build folder), K (regular
expression on cocotb test names). Build folders are build/rtl/<module>/<hash of parameters>, kept
and reused while sources and options are the same. The Verilator run-time library and its header are
compiled once and shared by all of them."""

from __future__ import annotations

import fcntl
import hashlib
import inspect
import json
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, NoReturn

import cocotb_tools.config
import pytest
from cocotb_tools.runner import Verilator

RTL = Path(__file__).resolve().parent.parent
REPO = RTL.parent
sys.path.append(str(REPO))

from tools import cores, verilated

BUILD = REPO / "build" / "rtl"
JOBS = "2"

# Make variables. One translation unit compiles in a quarter of the processor time of the many that
# Verilator writes for a large module, which read the same headers again and again. Most tests
# compile for longer than they run: -O1 without the passes that take a third of it on functions as
# long as these, and that make the simulator little faster.
_OPTIMISE = "-O1 -fno-tree-dominator-opts -fno-tree-dse -fno-tree-fre"
_MAKE = ("VM_PARALLEL_BUILDS=0",)

_VERILATE = ("--assert", "-Wall", "--x-initial", "unique", "--x-assign", "unique", "-O3")

# Half of what a small bench compiles is this header of the run time, so it is compiled once.
_HEADER = "verilated_run.h"
_HEADER_TEXT = '#include "verilated.h"\n#include "verilated_vpi.h"\n'
# With the options of a bench's own sources: GCC takes no other's.
_HEADER_RULE = "%.gch: % ; $(CXX) $(OPT_FAST) $(CXXFLAGS) $(CPPFLAGS) -x c++-header -o $@ $<"

# Objects of the Verilator run time: the same in every build folder with the same options.
_RUNTIME = (
    "verilated.o",
    "verilated_vpi.o",
    "verilated_threads.o",
    "verilated_random.o",
    "verilated_vcd_c.o",
)


class _Runner(Verilator):
    """cocotb's Verilator runner with signals public at the top level only: faster to build and to
    run."""

    public_all = False

    header: Path  # included first in every source

    def _build_command(self) -> list[list[str]]:
        (verilate, make) = super()._build_command()
        if not self.public_all:
            at = verilate.index("--public-flat-rw")
            verilate[at : at + 1] = ["--public-depth", "1"]
        flags = f"OPT_FAST={_OPTIMISE} -include '{self.header}'"
        return [[str(a) for a in verilate], [*(str(a) for a in make), *_MAKE, flags]]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _digest(*things: object) -> str:
    return hashlib.sha256(json.dumps(things, sort_keys=True, default=str).encode()).hexdigest()


def _files_digest(paths: Sequence[Path]) -> str:
    total = hashlib.sha256()
    for path in paths:
        total.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def _fail(message: str) -> NoReturn:
    pytest.fail(message, pytrace=False)


def _execute(command: Sequence[str], cwd: Path, env: Mapping[str, str], log: Path) -> int:
    with log.open("a") as handle:
        return subprocess.run(
            command, cwd=cwd, env=env, stdout=handle, stderr=subprocess.STDOUT, check=False
        ).returncode


def _share_runtime(build_dir: Path, store: Path) -> None:
    """Puts the compiled run time of an earlier build into a new folder, newer than anything make
    compares it with."""
    for name in _RUNTIME:
        if (store / name).exists() and not (build_dir / name).exists():
            shutil.copyfile(store / name, build_dir / name)
            dep = name[:-2] + ".d"
            if (store / dep).exists():
                shutil.copyfile(store / dep, build_dir / dep)


def _keep_runtime(build_dir: Path, store: Path) -> None:
    store.mkdir(parents=True, exist_ok=True)
    for name in _RUNTIME:
        for file in (name, name[:-2] + ".d"):
            if (build_dir / file).exists() and not (store / file).exists():
                temporary = store / f"{file}.{os.getpid()}"
                shutil.copyfile(build_dir / file, temporary)
                temporary.replace(store / file)


def _compile_header(build: _Build, make: Sequence[str], log: Path) -> None:
    """Compiles the header of the run time by the Makefile of a bench, if that is not done yet.
    Where that fails, or for another bench's options, GCC reads the header itself."""
    header = build.store / _HEADER
    with _locked(build.store / ".lock"):
        if header.exists():
            return
        fresh = build.store / f"new-{_HEADER}"
        fresh.write_text(_HEADER_TEXT)
        rule = [f"OPT_FAST={_OPTIMISE}", f"--eval={_HEADER_RULE}", f"{fresh}.gch"]
        _execute([*make, *rule], build.dir, os.environ, log)
        if (compiled := Path(f"{fresh}.gch")).exists():
            compiled.replace(f"{header}.gch")
        fresh.replace(header)


@dataclass
class _Build:
    """A module with its options, and the folder that they name."""

    module: str
    files: list[Path]
    include_dirs: list[Path]
    parameters: Mapping[str, Any]
    defines: dict[str, object]
    args: Sequence[str]
    public_all: bool
    waves: bool
    repeat: str  # the command that runs the test again
    dir: Path = field(init=False)
    store: Path = field(init=False)  # of the run time's objects

    def __post_init__(self) -> None:
        options = [
            self.module,
            self.parameters,
            self.defines,
            [str(f) for f in self.files],
            [str(d) for d in self.include_dirs],
            self.args,
            _MAKE,
            _OPTIMISE,
            self.public_all,
        ]
        self.dir = BUILD / self.module / _digest(options, self.waves)[:16]
        self.store = (
            BUILD
            / ".runtime"
            / _digest(
                self.waves,
                _MAKE,
                _OPTIMISE,
                _HEADER_TEXT,
                sys.version,
                metadata.version("verilator"),
            )[:16]
        )

    @property
    def sources(self) -> str:
        """Digest of all that is compiled."""
        dirs = self.include_dirs
        headers = [h for d in dirs for h in (*sorted(d.rglob("*.svh")), *sorted(d.rglob("*.vlt")))]
        return _files_digest([*self.files, *headers])

    @property
    def done(self) -> bool:
        stamp = self.dir / ".sources"
        if not (stamp.exists() and (self.dir / self.module).exists()):
            return False
        return stamp.read_text() == self.sources

    def commands(self) -> list[list[str]]:
        """Verilator and make. Runner.build() would only print what they say; kept here for the
        message of a failure."""
        runner = _Runner()
        runner.public_all = self.public_all
        runner.header = self.store / _HEADER
        runner._set_sources(self.files)
        runner._set_verilog_sources([])
        runner._set_vhdl_sources([])
        runner._set_build_args(self.args)
        runner.includes = self.include_dirs
        runner.defines = self.defines
        runner.parameters = self.parameters
        runner.hdl_toplevel = self.module
        runner.build_dir = self.dir
        runner.timescale = ("1ns", "1ps")
        runner.waves = self.waves
        runner.always = runner.verbose = False
        verilate, make = runner._build_command()
        make[make.index("-j") + 1] = JOBS
        return [verilate, make]


def _build(build: _Build) -> None:
    """Builds the simulator, unless it is there."""
    if build.done:
        return
    stamp, log = build.dir / ".sources", build.dir / "build.log"
    verilate, make = _start_build(build)
    code = _execute(verilate, build.dir, os.environ, log)
    output = log.read_text(errors="replace")
    if code != 0 or "%Warning" in output:
        _fail(f"{build.module}: Verilator reports:\n{output[-8000:]}\n{build.repeat}")
    verilated.drop_orders(build.dir)
    _share_runtime(build.dir, build.store)
    _compile_header(build, make, log)
    wanted = build.sources
    if _execute(make, build.dir, os.environ, log) != 0:
        _fail(f"{build.module}: C++ build failed:\n{log.read_text()[-8000:]}\n{build.repeat}")
    _keep_runtime(build.dir, build.store)
    stamp.write_text(wanted)


def _refuse(build: _Build, message: str) -> None:
    """Holds that Verilator refuses the module, and says `message`."""
    log = build.dir / "build.log"
    verilate, _ = _start_build(build)
    code = _execute([*verilate, "--lint-only"], build.dir, os.environ, log)
    output = log.read_text(errors="replace")
    if code == 0:
        _fail(f"{build.module}: built, should be refused with '{message}'\n{build.repeat}")
    if message not in output:
        _fail(f"{build.module}: no '{message}' in:\n{output[-4000:]}\n{build.repeat}")


def _start_build(build: _Build) -> list[list[str]]:
    """Makes an empty log in the folder; returns the commands."""
    build.dir.mkdir(parents=True, exist_ok=True)
    for name in (".sources", "build.log"):
        (build.dir / name).unlink(missing_ok=True)
    return build.commands()


def _find_tools() -> None:
    """Puts what stands beside this Python on the PATH, where cocotb's runner looks as well."""
    bin_dir = str(Path(sys.executable).parent)
    path = os.environ.get("PATH", "")
    if bin_dir not in path.split(os.pathsep):
        os.environ["PATH"] = os.pathsep.join([bin_dir, path])


def _simulate(
    build: _Build, folder: Path, test_modules: Sequence[str], chosen: str, extra: Mapping[str, str]
) -> tuple[int, str]:
    """Runs the tests whose names `chosen` matches; returns exit code and output."""
    runner = _Runner()
    runner.build_dir = build.dir
    runner.env = {}
    runner.sim_hdl_toplevel = build.module
    runner.test_module = ",".join(test_modules)
    runner.hdl_toplevel_lang = "verilog"
    runner._set_env_test()
    env = os.environ
    settings = {
        "PATH": os.pathsep.join([env["PATH"], str(cocotb_tools.config.libs_dir)]),
        "PYTHONPATH": os.pathsep.join([str(folder), str(RTL), runner.env["PYTHONPATH"]]),
        "COCOTB_LOG_LEVEL": env.get("COCOTB_LOG_LEVEL", "WARNING"),
        "GPI_LOG_LEVEL": env.get("GPI_LOG_LEVEL", "WARNING"),
        "COCOTB_RANDOM_SEED": str(_seed()),
        "SEED": str(_seed()),
        "TB_PARAMETERS": json.dumps(build.parameters),
        "COCOTB_REWRITE_ASSERTION_FILES": "",
        "COCOTB_RESULTS_FILE": str(build.dir / "results.xml"),
        **({"COCOTB_TEST_FILTER": chosen} if chosen else {}),
        **extra,
    }
    log = build.dir / "test.log"
    for file in (log, build.dir / "results.xml"):
        file.unlink(missing_ok=True)
    command = [str(build.dir / build.module), *(["--trace"] if build.waves else [])]
    code = _execute(command, build.dir, {**env, **runner.env, **settings}, log)
    return code, log.read_text(errors="replace")


def _read_results(build: _Build) -> tuple[int, int, list[str]]:
    """How many tests ran, how many were skipped, and the names of those that failed."""
    results = build.dir / "results.xml"
    if not results.exists():
        return 0, 0, []
    cases = list(ElementTree.parse(results).getroot().iter("testcase"))
    ran = [c for c in cases if c.find("skipped") is None]
    failed = [c for c in ran if c.find("failure") is not None or c.find("error") is not None]
    return len(ran), len(cases) - len(ran), [str(c.get("name")) for c in failed]


def _seed() -> int:
    return int(os.environ.get("SEED") or "1", 0)


def _repeat(caller: Path, module: str) -> str:
    """The command that runs the current test again."""
    label = os.environ.get("PYTEST_CURRENT_TEST", f"{caller}::{module}").rsplit(" ", 1)[0]
    file, *rest = label.split("::")
    if not Path(file).exists() and caller.is_relative_to(REPO):
        label = "::".join([str(caller.relative_to(REPO)), *rest])
    return f"make test T='{label}' SEED={_seed()}"


def _files(module: str, sources: Sequence[str | Path]) -> list[Path]:
    """What is compiled, in order."""
    named = [os.path.relpath(RTL / source, REPO) for source in sources]
    if missing := [file for file in named if not (REPO / file).exists()]:
        _fail(f"{module}: source {missing[0]} does not exist")
    top = [module] if module in cores.by_name() else []
    try:
        return [REPO / file for file in cores.sources(*named, *top)]
    except cores.CoresError as error:
        _fail(f"{module}: {error}")


def run(
    module: str,
    parameters: Mapping[str, Any] | None = None,
    test_module: str | Sequence[str] | None = None,
    *,
    sources: Sequence[str | Path] = (),
    testcase: str | Sequence[str] | None = None,
    includes: Sequence[str | Path] = (),
    defines: dict[str, object] | None = None,
    build_args: Sequence[str] = (),
    extra_env: Mapping[str, str] | None = None,
    public_all: bool = False,
    expect_build_error: str | None = None,
) -> Path:
    """Builds `module`, with what the cores say that it needs, and runs the cocotb tests of
    `test_module`.

    `sources` (paths relative to rtl/) are files that no core has, such as the module itself where
    it is a bench; what they need comes from the cores, too.
    `parameters` go to the top module and, as JSON in TB_PARAMETERS, to the tests. `test_module`
    defaults to the file of the caller; several run in one simulator, one after the other.
    `public_all` lets tests reach below the top's own signals (slower). With `expect_build_error`
    the build has to fail and its output to hold that text; nothing is simulated. Returns the build
    folder."""
    caller = Path(inspect.stack()[1].filename)
    build = _Build(
        module,
        _files(module, sources),
        [*(REPO / folder for folder in cores.includes()), RTL / "tb", *(RTL / s for s in includes)],
        dict(parameters or {}),
        dict(defines or {}),
        [*_VERILATE, *build_args],
        public_all,
        os.environ.get("WAVES", "") not in ("", "0"),
        _repeat(caller, module),
    )
    _find_tools()
    modules = test_module or caller.stem
    modules = [modules] if isinstance(modules, str) else modules
    names = [testcase] if isinstance(testcase, str) else list(testcase or ())
    chosen = os.environ.get("K") or (r"\.(" + "|".join(names) + ")$" if names else "")

    with _locked(BUILD / module / f".{build.dir.name}.lock"):
        if expect_build_error is not None:
            _refuse(build, expect_build_error)
            return build.dir
        _build(build)
        code, output = _simulate(build, caller.parent, modules, chosen, extra_env or {})
        count, skipped, failed = _read_results(build)
    if build.waves:
        print(f"{module}: waves in {build.dir / 'dump.vcd'}")
    if os.environ.get("K") and code == 0 and skipped and not count:
        pytest.skip(f"{module} {build.parameters}: skips all that K={chosen} chooses")
    if code != 0 or failed or count == 0:
        what = (
            f"failed: {', '.join(failed)}"
            if failed
            else f"simulator exit {code}, {count} tests ran"
        )
        log = build.dir / "test.log"
        _fail(f"{module} {build.parameters}: {what}\n{output[-8000:]}\nlog: {log}\n{build.repeat}")
    print(output, end="")
    return build.dir
