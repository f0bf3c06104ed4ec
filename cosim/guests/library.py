# SPDX-License-Identifier: Apache-2.0
"""libsluice for a guest's processor: for devices alone, without simulated boards."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tools.debian import UnavailableError

from .flavours import Processor
from .kernel import alone
from .recipe import BuildError

ROOT = Path(__file__).resolve().parents[2]


def library_programs(processor: Processor, names: Sequence[str]) -> dict[str, Path]:
    """Programs that are linked with the library, statically, by name. Raises UnavailableError,
    BuildError."""
    if shutil.which(processor.compiler + "g++") is None:
        raise UnavailableError(f"there is no {processor.compiler}g++: run tools/setup guest")
    folder = ROOT / "build" / f"guest-library-{processor.name}"
    toolchain = ROOT / "cmake" / f"{processor.compiler.rstrip('-')}.cmake"
    configure = [
        *("cmake", "-S", str(ROOT), "-B", str(folder), "-G", "Ninja"),
        *(f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", "-DCMAKE_EXE_LINKER_FLAGS=-static"),
        *("-DSLUICE_SIMULATED_BOARDS=OFF", "-DSLUICE_TESTS=OFF"),
    ]
    with alone(folder.name):
        for command in (configure, ["cmake", "--build", str(folder), "--target", *names]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                raise BuildError(f"libsluice for {processor.name}:\n{done.stdout}{done.stderr}")
    found = {name: next(folder.glob(f"**/{name}"), None) for name in names}
    return {name: path for name, path in found.items() if path is not None}
