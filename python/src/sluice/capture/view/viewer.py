# SPDX-License-Identifier: Apache-2.0
"""What a viewer is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sluice.capture.view.ask import Pictures
    from sluice.capture.view.pattern import Tear
    from sluice.capture.view.tally import Tally


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame that a viewer shows."""

    number: int
    data: NDArray[np.uint8]
    time_ns: int  # when it ended; 0: not known
    torn: bool
    tear: Tear | None  # None also: torn, and where is not known


@dataclass(frozen=True, slots=True)
class Scene:
    """What a viewer shows frames of."""

    title: str
    pictures: Pictures
    tally: Tally

    @property
    def torn_word(self) -> str:
        """Return what a torn frame is called: of other pictures only short ones are known."""
        return "short" if self.pictures.pattern is None else "torn"


class Viewer(Protocol):
    """Shows frames, in a thread of its own."""

    @property
    def name(self) -> str:
        """Return where it shows them."""
        ...

    @property
    def interval_s(self) -> float:
        """Return the least time of the host between two frames."""
        ...

    @property
    def patience_s(self) -> float | None:
        """Return how long its end may take; None: as long as it takes."""
        ...

    def show(self, frame: Frame | None, not_shown: int) -> bool:
        """Show a frame (None: the numbers alone); tell whether it did.

        OSError, SluiceError: it cannot any more.
        """
        ...

    def end(self, words: str) -> None:
        """Show that no frame comes, and give back what was taken."""
        ...
