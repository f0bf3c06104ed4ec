# SPDX-License-Identifier: Apache-2.0
"""Finds libsluice's Python module, which `make build` makes and a wheel has."""

import importlib.machinery
import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

from sluice.errors import RunError
from sluice.paths import repository, shipped


def _file() -> Path:
    """Return the module's file: SLUICE_NATIVE, else the wheel's, or this checkout's build."""
    named = os.environ.get("SLUICE_NATIVE")
    if named:
        path = Path(named)
        if not path.is_file():
            raise RunError(f"SLUICE_NATIVE names {named}, which is not a file")
        return path
    root = repository()
    folders = [shipped("io")]
    if root is not None:
        folders.append(root / "build" / "release" / "python" / "native")
    for folder in folders:
        for suffix in importlib.machinery.EXTENSION_SUFFIXES:
            path = folder / f"_native{suffix}"
            if path.is_file():
                return path
    raise RunError(
        "libsluice for this Python is not built; build it with `make build`, "
        "or name its file in SLUICE_NATIVE"
    )


@cache
def load() -> ModuleType:
    """Return sluice.io._native, loaded. Raises RunError if it is not built."""
    path = _file()
    name = "sluice.io._native"
    loader = importlib.machinery.ExtensionFileLoader(name, str(path))
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise RunError(f"{path} is not a module of this Python")
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError as error:
        raise RunError(f"{path} does not load: {error}") from error
    sys.modules[name] = module
    return module
