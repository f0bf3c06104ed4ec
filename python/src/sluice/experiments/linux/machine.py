# SPDX-License-Identifier: Apache-2.0
"""Where an experiment under Linux runs: in the Zynq's guest, which a checkout can boot, or here."""

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from sluice import child
from sluice.errors import InputError, RunError
from sluice.experiments.linux.experiment import LinuxExperiment, LogicTable, ModuleTable, WorkTable
from sluice.labels import TRANSACTION, Level
from sluice.paths import repository
from sluice.stop import Stop

GUEST_PROCESSOR = "cortex-a9"
_INPUT_STATUS = 2
_END_S = 60  # against hanging only
_SPEAKER = "measure: "  # begins what cosim.guests.measure says last
# The kernel frees what a module needed to start some time after it has loaded it. On ARM it then
# flushes the TLB page by page from that module's memory to the highest that it freed of late, which
# took 4 ms of the processor. A measurement begins when that is over.
_REST = "sleep 1"
# However a script ends, the modules that it loaded go; a guest goes with all that is loaded.
_UNLOADS = (
    "loaded=",
    "trap 'for one in $loaded\ndo rmmod $one\ndone' EXIT",
    f"trap 'exit {128 + signal.SIGTERM}' TERM",
)


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that runs a script of the shell."""

    stop: Stop
    here: bool = False
    level: Level = TRANSACTION

    def lines(
        self, experiment: LinuxExperiment, logic: LogicTable, calls: Sequence[str]
    ) -> Iterator[Any]:
        """Run commands one after the other, and return the JSON that each line holds.

        The first is about the machine. Each command ends before the next begins. Where an estimate
        of energy is wanted, the last is what was counted.
        """
        command = ["/bin/sh"] if self.here else [sys.executable, "-m", "cosim.guests.measure"]
        text = self._script(logic, calls)
        if not self.here:
            text = json.dumps(self._order(experiment, logic, text))
        yield from _lines(command, text, None if self.here else _root(), self.stop)

    def _script(self, logic: LogicTable, calls: Sequence[str]) -> str:
        start = ["set -e", *(_UNLOADS if self.here else ())]
        for one in logic.module:
            start += (
                _load_here(one)
                if self.here
                else [_words("insmod", f"/modules/{one.name}.ko", one.arguments)]
            )
        start += [*logic.setup, *([_REST] if logic.module else ())]
        if self.here:  # a guest tells its kernel itself
            start.append('echo "{\\"kernel\\": \\"$(uname -r)\\"}"')
        return "\n".join([*start, *calls, ""])

    def program(self, work: WorkTable) -> str:
        """Return where the program of a work is."""
        return work.program if self.here else f"/root/{work.program}"

    def _order(
        self, experiment: LinuxExperiment, logic: LogicTable, script: str
    ) -> dict[str, object]:
        programs = [shlex.split(work.program)[0] for work in experiment.works_of(logic)]
        return {
            "guest": logic.guest,
            "design": f"{experiment.board}/{logic.design}",
            "clock_mhz": logic.clock_mhz,
            "settings": logic.settings,
            "level": self.level,
            "processor": GUEST_PROCESSOR,
            "counts": experiment.energy is not None,
            "overlay": logic.overlay,
            "modules": [one.name for one in logic.module],
            "programs": list(dict.fromkeys(programs)),
            "append": experiment.kernel_arguments,
            "script": script,
        }


def _words(*words: str) -> str:
    return " ".join(word for word in words if word)


def _load_here(one: ModuleTable) -> list[str]:
    """Return what loads a module on this machine, where it may be loaded for others already."""
    there = f"[ -e /sys/module/{one.name.replace('-', '_')} ]"
    if one.arguments:
        sentence = (
            f"{_SPEAKER}module {one.name} is loaded already, and the experiment gives it "
            f"parameters; unload it first with rmmod {one.name}"
        )
        refuse = f"echo {shlex.quote(sentence)} >&2\nexit {_INPUT_STATUS}"
    else:
        refuse = ":"
    load = f'{_words("modprobe", one.name, one.arguments)}; loaded="{one.name} $loaded"'
    return [f"if {there}", f"then {refuse}", f"else {load}", "fi"]


def _root() -> Path:
    root = repository()
    if root is None or not (root / "cosim" / "guests").is_dir():
        raise InputError(
            "a guest is booted from a checkout of Sluice, which this installation is not of; "
            "give --here on a Zynq"
        )
    return root


def _lines(command: Sequence[str], text: str, folder: Path | None, stop: Stop) -> Iterator[Any]:
    """Feed a program, and return the JSON of each line that it prints; a signal ends it."""
    stop.check()
    with (
        tempfile.TemporaryFile("w+") as given,
        tempfile.TemporaryFile("w+") as told,
        subprocess.Popen(  # noqa: S603  (a shell or this Python, both named above)
            command,
            cwd=folder,
            stdin=_with(given, text),
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
            start_new_session=True,
        ) as process,
    ):

        def end() -> None:
            # A shell would wait for its program; what boots a guest ends that itself.
            with suppress(ProcessLookupError):
                if folder is None:
                    os.killpg(process.pid, signal.SIGTERM)
                else:
                    process.terminate()

        with stop.calling(end):
            try:
                for line in process.stdout or ():
                    try:
                        yield json.loads(line)
                    except ValueError as error:
                        raise RunError(f"a program under Linux printed {line.strip()!r}") from error
                status = process.wait()
            finally:
                if process.poll() is None:
                    end()
                    with suppress(subprocess.TimeoutExpired):
                        process.wait(_END_S)
                process.kill()
        told.seek(0)
        said = told.read().strip()
    stop.check()
    if status != 0:
        # What a guest's kernel says may be several lines.
        _, ours, sentence = said.rpartition(_SPEAKER)
        if not ours:
            sentence = said.splitlines()[-1] if said else f"the machine {child.ended(status)}"
        raise (InputError if status == _INPUT_STATUS else RunError)(sentence)


def _with(file: IO[str], text: str) -> IO[str]:
    """Return a file that has a text, to be read from its start."""
    file.write(text)
    file.seek(0)
    return file
