# SPDX-License-Identifier: Apache-2.0
"""Entry point: `sluice`, or `python -m sluice`."""

import sys

EXIT_INTERRUPTED = 130


def main() -> None:
    """Run the command; an early Ctrl-C (imports take a moment) ends it without a traceback."""
    try:
        from sluice.cli import command  # noqa: PLC0415  (inside, so that the handler covers it)

        sys.exit(command(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)


if __name__ == "__main__":
    main()
