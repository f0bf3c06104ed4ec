# SPDX-License-Identifier: Apache-2.0
"""Which files exist."""

from __future__ import annotations

from pathlib import Path

from systemrdl.messages import RDLCompileError

from tools.generated import Files

from . import c_header, markdown, python_module, regblock, sv_package
from .model import Description, RegistersError, read_all

# Folders that hold generated files only: what else lies there is stale.
SV = Path("regs/gen/sv")
C = Path("regs/gen/c")
PYTHON = Path("regs/gen/python")
DOCS = Path("docs/reference/registers")
FOLDERS = (SV, C, PYTHON, DOCS)


def render(root: Path) -> Files:
    """Every generated file, by its path relative to the root.

    Raises:
        RegistersError: a description is not valid.
    """
    files: Files = {
        PYTHON / "sluice_regs/__init__.py": python_module.render_package().encode(),
        PYTHON / "sluice_regs/py.typed": b"",
    }
    for description in read_all(root):
        files |= _render(description)
    return files


def _refused(description: Description, error: RDLCompileError) -> RegistersError:
    """A PeakRDL exporter does not take a description: its messages say where and why."""
    message = "\n".join(description.messages)
    return RegistersError(message or f"{description.source}: error: {error}")


def _render(description: Description) -> Files:
    name = description.name
    texts = {
        C / f"{name}.h": c_header.render(description),
        SV / f"{name}_addr_pkg.sv": sv_package.render(description),
        PYTHON / f"sluice_regs/{name}.py": python_module.render(description),
        DOCS / f"{name}.md": markdown.render(description),
    }
    files = {path: text.encode() for path, text in texts.items()}
    if not description.has_module:
        return files
    try:
        modules = regblock.render(description)
    except RDLCompileError as error:
        raise _refused(description, error) from error
    return files | {SV / path: text.encode() for path, text in modules.items()}


def present(root: Path) -> set[Path]:
    """The generated files that the tree holds now."""
    return {
        path.relative_to(root)
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
