# SPDX-License-Identifier: Apache-2.0
"""The kinds of experiments: every folder of this package whose module has a KIND is one."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from sluice import experiments
from sluice.errors import InputError
from sluice.experiments.kind import Experiment, Kind
from sluice.experiments.older import upgraded
from sluice.experiments.result import FORMAT, Result
from sluice.models import checked, read_json, read_toml, shown

DEFAULT = "rates"  # of files that name no kind

AnyKind = Kind[Any, Any, Any]


@cache
def kinds() -> Mapping[str, AnyKind]:
    """Return all kinds by name, that of files without `kind` first."""
    modules = [
        importlib.import_module(f"{experiments.__name__}.{entry.name}")
        for entry in pkgutil.iter_modules(experiments.__path__)
        if entry.ispkg
    ]
    found = {kind.name: kind for kind in (module.KIND for module in modules)}
    return dict(sorted(found.items(), key=lambda item: (item[0] != DEFAULT, item[0])))


def load(path: Path) -> tuple[AnyKind, Experiment]:
    """Return the experiment in a file, and its kind."""
    document = read_toml(path)
    kind = kind_of(document, str(path))
    return kind, kind.load(path, document)


def kind_of(document: Mapping[str, object], where: str) -> AnyKind:
    """Return the kind of the experiment in a document."""
    return _kind(document.get("kind", DEFAULT), where)


def read_result(text: str | bytes, where: str) -> tuple[AnyKind, Result[Any, Any]]:
    """Return the result in a file's text, and its kind; errors name the file and the key."""
    document = read_json(text, where)
    if not isinstance(document, dict):
        raise InputError(f"{where}: must be a table, is {shown(document)}")
    document = upgraded(document)
    if document.get("format") != FORMAT:
        raise InputError(
            f"{where}: format: {shown(document.get('format'))} is not '{FORMAT}': this is no "
            "result of `sluice run`, or that of a newer version"
        )
    kind = _kind(document.get("kind"), where)
    return kind, checked(kind.result, document, where)


def _kind(name: object, where: str) -> AnyKind:
    known = kinds()
    if not isinstance(name, str) or name not in known:
        raise InputError(f"{where}: kind: {shown(name)} is not one of {', '.join(known)}")
    return known[name]
