# SPDX-License-Identifier: Apache-2.0
"""Builds one module with Verilator and runs cocotb tests on it, from a pytest function.

Environment: SEED (integer, default 1), WAVES=1 (writes dump.vcd in the build folder), K (regular
expression on cocotb test names). Build folders are build/rtl/<module>/<hash of parameters>, kept
and reused while sources and options are the same; the Verilator run-time library is compiled once
and shared by all of them."""

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
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import cocotb_tools.config
import pytest
from cocotb_tools.runner import Verilator

RTL = Path(__file__).resolve().parent.parent
REPO = RTL.parent
BUILD = REPO / "build" / "rtl"
JOBS = "2"

# Make variables. The wheel leaves out how the compiler is told of a precompiled header.
_MAKE = ("CFG_CXXFLAGS_PCH_I=-include", "OPT_FAST=-O1")

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

    def _build_command(self) -> list[list[str]]:
        (verilate, make) = super()._build_command()
        if not self.public_all:
            at = verilate.index("--public-flat-rw")
            verilate[at : at + 1] = ["--public-depth", "1"]
        return [[str(a) for a in verilate], [*(str(a) for a in make), *_MAKE]]


@contextmanager
def _locked(path: Path) -> Any:
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


def _fail(message: str) -> None:
    pytest.fail(message, pytrace=False)


def _execute(command: Sequence[str], cwd: Path, env: Mapping[str, str], log: Path) -> int:
    with log.open("a") as handle:
        return subprocess.run(command, cwd=cwd, env=env, stdout=handle, stderr=subprocess.STDOUT).returncode


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


def run(
    module: str,
    sources: Sequence[str | Path],
    parameters: Mapping[str, Any] | None = None,
    test_module: str | Sequence[str] | None = None,
    *,
    testcase: str | Sequence[str] | None = None,
    includes: Sequence[str | Path] = (),
    defines: Mapping[str, Any] | None = None,
    build_args: Sequence[str] = (),
    extra_env: Mapping[str, str] | None = None,
    public_all: bool = False,
    expect_build_error: str | None = None,
) -> Path | None:
    """Builds `module` from `sources` (packages first; paths relative to rtl/) and runs the cocotb
    tests of `test_module`.

    `parameters` go to the top module and, as JSON in TB_PARAMETERS, to the tests. `test_module`
    defaults to the file of the caller. `public_all` lets tests reach below the top's own signals
    (slower). With `expect_build_error` the build has to fail and its output to hold that text;
    nothing is simulated. Returns the build folder."""
    caller = Path(inspect.stack()[1].filename)
    if test_module is None:
        test_module = caller.stem
    parameters = dict(parameters or {})
    defines = dict(defines or {})
    waves = os.environ.get("WAVES", "") not in ("", "0")
    seed = int(os.environ.get("SEED") or "1", 0)
    files = [p if (p := Path(s)).is_absolute() else RTL / p for s in sources]
    include_dirs = [p if (p := Path(s)).is_absolute() else RTL / p for s in includes]
    for file in files:
        if not file.exists():
            _fail(f"{module}: source {file} does not exist")
    headers = [h for d in include_dirs for h in sorted(d.rglob("*.svh")) + sorted(d.rglob("*.vlt"))]

    args = [
        "--assert",
        "-Wall",
        "--x-initial",
        "unique",
        "--x-assign",
        "unique",
        "-O3",
        *build_args,
    ]
    options = [
        module,
        parameters,
        defines,
        [str(f) for f in files],
        [str(d) for d in include_dirs],
        args,
        _MAKE,
        public_all,
    ]
    build_dir = BUILD / module / _digest(options, waves)[:16]
    store = BUILD / ".runtime" / _digest(waves, _MAKE, sys.version)[:16]
    label = os.environ.get("PYTEST_CURRENT_TEST", f"{caller}::{module}").rsplit(" ", 1)[0]
    repeat = f"make test T='{label}' SEED={seed}"
    if not Path(label.split("::")[0]).exists() and caller.is_relative_to(REPO):
        repeat = repeat.replace(label.split("::")[0], str(caller.relative_to(REPO)))

    runner = _Runner()
    runner.public_all = public_all
    bin_dir = str(Path(sys.executable).parent)
    path = os.pathsep.join([bin_dir, os.environ.get("PATH", "")])
    os.environ["PATH"] = path if bin_dir not in os.environ.get("PATH", "").split(os.pathsep) else os.environ["PATH"]

    with _locked(BUILD / module / f".{build_dir.name}.lock"):
        stamp = build_dir / ".sources"
        wanted = _files_digest(files + headers)
        log = build_dir / "build.log"
        if not (stamp.exists() and stamp.read_text() == wanted and (build_dir / module).exists()):
            build_dir.mkdir(parents=True, exist_ok=True)
            stamp.unlink(missing_ok=True)
            log.unlink(missing_ok=True)
            # Runner.build() only prints; take its commands and keep the output for the failure
            # message.
            runner._set_sources(files)
            runner._set_verilog_sources([])
            runner._set_vhdl_sources([])
            runner._set_build_args(args)
            runner.includes = include_dirs
            runner.defines = defines
            runner.parameters = parameters
            runner.hdl_toplevel = module
            runner.build_dir = build_dir
            runner.timescale = ("1ns", "1ps")
            runner.waves = waves
            runner.always = runner.verbose = False
            verilate, make = runner._build_command()
            make[make.index("-j") + 1] = JOBS
            env = {**os.environ, "PATH": path}
            code = _execute(verilate, build_dir, env, log)
            output = log.read_text(errors="replace")
            if expect_build_error is not None:
                if code == 0:
                    _fail(f"{module}: built, should be refused with '{expect_build_error}'\n{repeat}")
                if expect_build_error not in output:
                    _fail(f"{module}: no '{expect_build_error}' in:\n{output[-4000:]}\n{repeat}")
                return build_dir
            if code != 0 or "%Warning" in output:
                _fail(f"{module}: Verilator reports:\n{output[-8000:]}\n{repeat}")
            _share_runtime(build_dir, store)
            if _execute(make, build_dir, env, log) != 0:
                _fail(f"{module}: C++ build failed:\n{log.read_text()[-8000:]}\n{repeat}")
            _keep_runtime(build_dir, store)
            stamp.write_text(wanted)
        elif expect_build_error is not None:
            _fail(f"{module}: built, should be refused with '{expect_build_error}'\n{repeat}")

        env = {
            "COCOTB_LOG_LEVEL": os.environ.get("COCOTB_LOG_LEVEL", "WARNING"),
            "GPI_LOG_LEVEL": os.environ.get("GPI_LOG_LEVEL", "WARNING"),
            "COCOTB_RANDOM_SEED": str(seed),
            "SEED": str(seed),
            "TB_PARAMETERS": json.dumps(parameters),
            "COCOTB_REWRITE_ASSERTION_FILES": "",
            **(extra_env or {}),
        }
        names = [testcase] if isinstance(testcase, str) else list(testcase or [])
        if os.environ.get("K"):
            env["COCOTB_TEST_FILTER"] = os.environ["K"]
        elif names:
            env["COCOTB_TEST_FILTER"] = r"\.(" + "|".join(names) + ")$"
        full = {**os.environ, "PATH": path + os.pathsep + str(cocotb_tools.config.libs_dir), **env}
        test_modules = test_module if isinstance(test_module, str) else ",".join(test_module)
        runner.env = {}
        runner.sim_hdl_toplevel = module
        runner.test_module = test_modules
        runner.hdl_toplevel_lang = "verilog"
        runner._set_env_test()
        full = {**runner.env, **full}
        for key in (
            "PYTHONPATH",
            "COCOTB_TOPLEVEL",
            "COCOTB_TEST_MODULES",
            "TOPLEVEL_LANG",
            "GPI_USERS",
            "PYGPI_PYTHON_BIN",
            "COCOTB_TRUST_INERTIAL_WRITES",
        ):
            full[key] = runner.env[key]
        full["PYTHONPATH"] = os.pathsep.join([str(caller.parent), str(RTL), full["PYTHONPATH"]])
        results = build_dir / "results.xml"
        results.unlink(missing_ok=True)
        full["COCOTB_RESULTS_FILE"] = str(results)
        log = build_dir / "test.log"
        log.unlink(missing_ok=True)
        code = _execute([str(build_dir / module), *(["--trace"] if waves else [])], build_dir, full, log)
        output = log.read_text(errors="replace")
        failed: list[str] = []
        count = 0
        if results.exists():
            for case in ElementTree.parse(results).getroot().iter("testcase"):
                count += case.find("skipped") is None
                if case.find("failure") is not None or case.find("error") is not None:
                    failed.append(str(case.get("name")))
        if waves:
            print(f"{module}: waves in {build_dir / 'dump.vcd'}")
        if code != 0 or failed or count == 0:
            what = f"failed: {', '.join(failed)}" if failed else f"simulator exit {code}, {count} tests ran"
            _fail(f"{module} {parameters}: {what}\n{output[-8000:]}\nlog: {log}\n{repeat}")
        print(output, end="")
    return build_dir
