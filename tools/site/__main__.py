# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="import-not-found,import-untyped,misc,no-any-return,unused-ignore"
# What `tools/setup docs` installs is not there where `make lint` checks types.
"""`python -m tools.site [--output FOLDER]`: builds the documentation site and checks its links.

Exit status: 0 the site is built; 1 a page, a link or the navigation is wrong; 2 the call is, or
something that the site needs is not installed.
"""

from __future__ import annotations

import argparse
import logging
import os
import sys
import time
from pathlib import Path

from . import links, navigation

PACKAGES = ("griffe", "material", "mkdocs", "mkdocstrings", "tree_sitter")


def build(folder: Path) -> int:
    """Build the site into a folder; returns the exit status."""
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")  # the theme's, about other software
    from mkdocs.commands.build import build as build_site
    from mkdocs.config import load_config
    from mkdocs.exceptions import Abort, ConfigurationError

    log = logging.StreamHandler(sys.stderr)
    log.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    log.setLevel(logging.WARNING)
    logging.getLogger("mkdocs").addHandler(log)
    begin = time.monotonic()
    try:
        build_site(load_config(str(navigation.CONFIG), site_dir=str(folder), strict=True))
    except (Abort, ConfigurationError) as error:
        print(f"site: not built: {error}", file=sys.stderr)
        return 1
    wrong = list(links.problems(folder))
    for problem in wrong:
        print(problem, file=sys.stderr)
    if wrong:
        print(f"site: {len(wrong)} links are wrong", file=sys.stderr)
        return 1
    count = sum(1 for _ in folder.rglob("*.html"))
    print(f"{folder / 'index.html'}: {count} pages in {time.monotonic() - begin:.0f} s")
    return 0


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.site", description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=navigation.ROOT / "build" / "site", metavar="FOLDER",
        help="where the site is written, default: build/site; what is there is deleted",
    )  # fmt: skip
    folder = parser.parse_args(arguments).output.resolve()
    from importlib.util import find_spec

    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        print(
            f"site: Python has no {', '.join(missing)}: run `make docs`, or tools/setup docs",
            file=sys.stderr,
        )
        return 2
    if folder.exists() and not folder.is_dir():
        print(f"site: {folder} is not a folder: give another with --output", file=sys.stderr)
        return 2
    return build(folder)


if __name__ == "__main__":
    sys.exit(main())
