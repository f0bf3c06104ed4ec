# SPDX-License-Identifier: Apache-2.0
"""Boards for Python programs: channels, buffers and captures of libsluice.

    from sluice.io import open_board

    with open_board("sim:zynq7010/dma_loopback") as board:
        source, sink = board.buffer(65536), board.buffer(65536)
        with source.access(write=True) as data:
            data[:] = 42
        with board.channel("hp0.mm2s") as send, board.channel("hp0.s2mm") as receive:
            receive.submit(sink)
            send.submit(source)
            print(receive.wait().nbytes)

Times are in seconds, and sizes are in bytes. Threads may share a board, and calls on it wait for
each other.

If the library refuses a call, it raises OSError with an errno and a sentence. If Python has a class
for that errno, such as TimeoutError or PermissionError, it raises that class. A call on an object
that was closed or freed raises ValueError.
"""

from sluice.io.board import AttributeInfo, Board, BoardInfo, MemoryFile, open_board
from sluice.io.buffer import Buffer
from sluice.io.capture import Capture, CaptureStatus, Counts, Loss, Period, PeriodsLost
from sluice.io.channel import Channel, ChannelInfo, Completion, Direction

__all__ = [
    "AttributeInfo",
    "Board",
    "BoardInfo",
    "Buffer",
    "Capture",
    "CaptureStatus",
    "Channel",
    "ChannelInfo",
    "Completion",
    "Counts",
    "Direction",
    "Loss",
    "MemoryFile",
    "Period",
    "PeriodsLost",
    "open_board",
]
