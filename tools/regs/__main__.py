# SPDX-License-Identifier: Apache-2.0
"""`python -m tools.regs [--check]`.

Exit status: 0 done, or nothing differs; 1 --check found differences; 2 a description or the call
is wrong.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tools import generated

from . import generate
from .model import RegistersError

ROOT = Path(__file__).resolve().parents[2]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.regs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, report differences")
    parser.add_argument("--root", type=Path, default=ROOT, help="another copy of the repository")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    try:
        return generated.settle(
            root,
            generate.render(root),
            generate.present(root),
            check=options.check,
            command="python -m tools.regs",
        )
    except RegistersError as error:
        print(error, file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{error.filename}: error: {error.strerror}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
