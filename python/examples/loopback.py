# SPDX-License-Identifier: Apache-2.0
"""Sends words through a board's loop-back and looks at what comes back.

    python python/examples/loopback.py [URI [SENDER RECEIVER]]

The same on a simulated board and on a device of the driver.
"""

import sys

import numpy as np

from sluice.io import open_board

DEFAULTS = ["sim:zynq7010/hp_stress", "hp0.mm2s", "hp0.s2mm"]
WORDS = 16384


def main(arguments: list[str]) -> int:
    """Return 0 if every word came back."""
    if len(arguments) not in (0, 1, 3):
        print(f"usage: {sys.argv[0]} [URI [SENDER RECEIVER]]", file=sys.stderr)
        return 2
    uri, sender, receiver = arguments + DEFAULTS[len(arguments) :]
    words = np.random.default_rng(1).integers(0, 2**32, WORDS, dtype=np.uint32)
    with open_board(uri) as board:
        if "hp0.loopback" in board.attributes:
            board.attributes["hp0.loopback"] = 1
        with (
            board.buffer(words.nbytes) as source,
            board.buffer(words.nbytes) as destination,
            board.channel(sender) as send,
            board.channel(receiver) as receive,
        ):
            with source.access(write=True, dtype=np.uint32) as data:
                data[:] = words
            receive.submit(destination)
            send.submit(source)
            send.wait(timeout=1.0)
            received = receive.wait(timeout=1.0)
            with destination.access(dtype=np.uint32) as data:
                same = bool(np.array_equal(data, words))
    print(
        f"{received.nbytes} bytes in {received.finish_ns - received.start_ns} ns,"
        f" {'' if same else 'not '}as sent"
    )
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
