# SPDX-License-Identifier: Apache-2.0
"""Results of older versions, each kind of which had a format of its own, in the present form."""

from typing import Any

from sluice.experiments.result import FORMAT

_KINDS = {
    "sluice-result-1": "rates",
    "sluice-cpu-result-1": "cpu",
    "sluice-threads-result-1": "threads",
}


def upgraded(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document in the present format; what is in none of the older ones is returned as is.

    Fields that older results have under other names are moved; those that some lack are null.
    """
    kind = _KINDS.get(str(document.get("format")))
    if kind is None:
        return document
    rows = document.get("rows")
    of_rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    where = [document, *of_rows]  # the board and the design stand in each row, or on top
    absent = {"machine": None, "started": None, "elapsed_s": None} if kind != "rates" else {}
    provenance = absent | document
    provenance["board"] = next((table["board"] for table in where if "board" in table), "unknown")
    designs: list[Any] = []
    for table in where:
        if "design" in table and table["design"] not in designs:
            designs.append(table["design"])
    provenance["designs"] = designs
    provenance["seed"] = next((row["seed"] for row in of_rows if "seed" in row), None)
    return {"partial": False} | document | {
        "format": FORMAT,
        "kind": kind,
        "conditions": document,
        "provenance": provenance,
    }  # fmt: skip
