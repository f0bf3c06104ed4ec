# SPDX-License-Identifier: Apache-2.0
"""Results in the formats of older versions are still read."""

import json
from pathlib import Path
from typing import Any

import pytest

from calling import Sluice, check
from sluice.experiments.registry import read_result
from sluice.experiments.result import to_json

OLD: dict[str, dict[str, Any]] = {
    "rates": {"format": "sluice-result-1"},
    "cpu": {"format": "sluice-cpu-result-1"},
    "threads": {"format": "sluice-threads-result-1"},
}


def older(document: dict[str, Any]) -> dict[str, Any]:
    """Return a result as older versions wrote it: no envelope, no provenance of its own."""
    kind = document["kind"]
    shared = document["provenance"]
    flat = {k: document[k] for k in ("experiment", "title", "description", "rows")}
    flat |= {k: shared[k] for k in ("command", "versions", "commit")} | document["conditions"]
    if kind == "rates":
        flat |= {k: shared[k] for k in ("machine", "started", "elapsed_s")}
        flat["partial"] = document["partial"]
        for row in flat["rows"]:
            row["versions"] = shared["versions"]
            for name in ("device", "attributes", "level", "settings", "labels"):
                row.pop(name)  # the first versions had none of them
    else:
        flat["board"] = shared["board"]
    return flat | OLD[kind]


@pytest.mark.parametrize("name", ["zynq7010-hp", "zynq-cpu-access", "streamif-isolation"])
def test_results_of_older_versions_are_read(sluice: Sluice, tmp_path: Path, name: str) -> None:
    path = tmp_path / "r.json"
    if name == "streamif-isolation":
        toml = tmp_path / "mine.toml"
        toml.write_text(
            'kind = "threads"\ntitle = "t"\ndescription = "d"\nboard = "zynq7010"\n'
            'design = "hp_stress"\nplot = "slowest thread"\n[[case]]\nname = "alone"\n'
            'scenario = "isolation"\noptions = {}\n',
            encoding="utf-8",
        )
        name = str(toml)
    few = ("--width", "64", "--runs", "2") if name == "zynq7010-hp" else ()
    new = sluice("run", name, *few, "--json", "-").json
    path.write_text(json.dumps(older(json.loads(json.dumps(new)))), encoding="utf-8")
    kind, result = read_result(path.read_bytes(), str(path))
    assert kind.name == new["kind"]
    found = json.loads(to_json(result))
    check(found)
    assert found["rows"] == new["rows"]
    assert found["conditions"] == new["conditions"]
    assert found["provenance"]["board"] == new["provenance"]["board"]
    assert sluice("report", path, "-o", tmp_path / "report").status == 0


def test_an_older_result_is_continued(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    words = ("zynq7010-hp", "--width", "64", "--direction", "duplex", "--ports", "0,2")
    new = sluice("run", *words, "--runs", "2", "--json", "-").json
    path.write_text(json.dumps(older(new)), encoding="utf-8")
    done = sluice("run", *words, "--runs", "3", "--json", path, "--continue")
    assert done.status == 0, done.err
    (row,) = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert len(row["runs"]) == 3


def test_an_older_result_with_a_design_that_is_no_text(sluice: Sluice, tmp_path: Path) -> None:
    path = tmp_path / "r.json"
    words = ("zynq7010-hp", "--width", "64", "--direction", "duplex", "--ports", "0,2")
    document = older(sluice("run", *words, "--json", "-").json)
    document["rows"][0]["design"] = []
    path.write_text(json.dumps(document), encoding="utf-8")
    done = sluice("report", path, "-o", tmp_path / "report")
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert f"{path}: " in done.err
    assert "must be a text, is an empty list" in done.err
