# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.verilated FOLDER`: make what Verilator has written there quicker to compile.

Verilator gives each unpacked struct of a package an `operator<`, which only associative arrays with
such keys use. Register blocks have hundreds of structs, and the comparisons of tuples in these
operators take two to three seconds of each translation unit that includes a design's header.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

_ORDER = re.compile(r"^    bool operator<\(.*?^    }\n", re.MULTILINE | re.DOTALL)


def drop_orders(folder: Path) -> None:
    """Takes the `operator<` of structs out of the headers in a folder. A header without any keeps
    its time of change."""
    for header in sorted(folder.glob("V*.h")):
        text = header.read_text()
        shorter = _ORDER.sub("", text)
        if shorter != text:
            header.write_text(shorter)


def main() -> int:
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        print("usage: python -m tools.verilated FOLDER", file=sys.stderr)
        return 2
    drop_orders(Path(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
