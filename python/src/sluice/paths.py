# SPDX-License-Identifier: Apache-2.0
"""Where the project's own files are: experiments, published figures, sluice-bench.

They are in the checkout that the package is installed from, or inside the package, if it is that of
a wheel (tools/packages/wheel.py).
"""

import os
import shutil
from pathlib import Path

from sluice.errors import InputError, RunError

_REPOSITORY_MARK = Path("bench") / "experiments"


def repository() -> Path | None:
    """Return the checkout that this package is installed from, else that of SLUICE_CHECKOUT."""
    # A wheel has boards of its own, also where it lies somewhere inside a checkout.
    parents = () if shipped("share").is_dir() else Path(__file__).resolve().parents
    for folder in parents:
        if (folder / _REPOSITORY_MARK).is_dir():
            return folder
    named = os.environ.get("SLUICE_CHECKOUT")
    if named and not (Path(named) / _REPOSITORY_MARK).is_dir():
        raise RunError(f"SLUICE_CHECKOUT names {named}, which is not a checkout of Sluice")
    return Path(named) if named else None


def shipped(name: str) -> Path:
    """Return where a wheel has this file or folder, relative to the package."""
    return Path(__file__).parent / name


def _measurements(folder: str) -> Path:
    """Return the project's folder of experiments, or of published figures."""
    root = repository()
    return shipped("share") / folder if root is None else root / "bench" / folder


def experiment_files() -> dict[str, Path]:
    """Return the experiments of the project, by name."""
    found = {path.stem: path for path in _measurements("experiments").glob("*.toml")}
    return dict(sorted(found.items()))


def find_experiment(name: str) -> Path:
    """Return the file of an experiment, given its name or the path of a TOML file."""
    if name.endswith(".toml") or os.sep in name:
        path = Path(name)
        if not path.is_file():
            raise InputError(f"there is no experiment file {name}")
        return path
    known = experiment_files()
    if name not in known:
        allowed = ", ".join(known) or "none found"
        raise InputError(
            f"there is no experiment '{name}'; experiments: {allowed}. "
            "Give one of these, or the path of a TOML file, such as ./my.toml"
        )
    return known[name]


def find_published(dataset: str, experiment: Path) -> Path:
    """Return the file of published figures: a name of the project's, or a path beside the TOML."""
    if dataset.endswith(".json"):
        return experiment.parent / dataset
    return _measurements("published") / f"{dataset}.json"


def find_bench() -> Path:
    """Return sluice-bench: SLUICE_BENCH, else the wheel's, this checkout's build, or the PATH's."""
    return _find("sluice-bench", "SLUICE_BENCH", Path("bench"), "simulates the boards")


def find_server() -> Path:
    """Return sluice-serve: SLUICE_SERVE, else the wheel's, this checkout's build, or the PATH's."""
    return _find("sluice-serve", "SLUICE_SERVE", Path("lib") / "server", "serves boards")


def _find(name: str, variable: str, folder: Path, does: str) -> Path:
    named = os.environ.get(variable)
    if named:
        path = Path(named)
        if not path.is_file() or not os.access(path, os.X_OK):
            raise RunError(f"{variable} names {named}, which is not a program")
        return path
    of_wheel = shipped("bin") / name
    if of_wheel.is_file():
        return of_wheel
    root = repository()
    if root is not None:
        built = root / "build" / "release" / folder / name
        if built.is_file() and os.access(built, os.X_OK):
            return built
    on_path = shutil.which(name)
    if on_path:
        return Path(on_path)
    raise RunError(
        f"{name}, which {does}, is not built; build it with `make build`, or name it in {variable}"
    )
