# SPDX-License-Identifier: Apache-2.0
"""What every plot of a report needs: a palette, a canvas, and drawing it for page and file.

Each plot is drawn twice by the same function: with the light palette for the PNG, and with
marker colours for the SVG, which `svg.inline` replaces by CSS variables, so that the page
decides on light or dark.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import matplotlib as mpl
from markupsafe import Markup
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sluice.report.svg import inline

mpl.use("Agg")

_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 9.5,
    "svg.fonttype": "none",
    "svg.hashsalt": "sluice",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.axisbelow": True,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "legend.frameon": False,
    "legend.fontsize": 9,
}
_PNG_DPI = 160


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours by what they are for; the three directions are told apart by colour-blind eyes."""

    ink: str = "#1c2430"
    muted: str = "#5b6675"
    line: str = "#dde2e8"
    page: str = "#ffffff"
    duplex: str = "#2f6fde"
    mm2s: str = "#0b8272"
    s2mm: str = "#bd6a06"
    both: str = "#6d4fb0"
    silicon: str = "#b5179e"

    def of(self, direction: str) -> str:
        """Return the colour of a direction."""
        two_ways = {"both": self.both, "copy": self.both}
        return {"duplex": self.duplex, "mm2s": self.mm2s, "s2mm": self.s2mm, **two_ways}[direction]


_LIGHT = Palette()
# Colours that no one would choose, to be found again in the SVG.
_MARKERS = Palette(*(f"#fe01{index:02x}" for index in range(len(fields(Palette)))))
_CSS = {getattr(_MARKERS, entry.name): f"var(--{entry.name})" for entry in fields(Palette)}


@dataclass(slots=True)
class Canvas:
    """A figure being drawn, and what its marks say when the pointer rests on them."""

    figure: Figure
    palette: Palette
    tips: dict[str, str] = field(default_factory=dict)

    def tip(self, text: str) -> str:
        """Return a new id for a mark that says `text`."""
        identity = f"mark{len(self.tips)}"
        self.tips[identity] = text
        return identity


@dataclass(frozen=True, slots=True)
class Plot:
    """One plot, ready to be drawn for the page or as a PNG."""

    name: str
    title: str
    description: str
    size_in: tuple[float, float]
    draw: Callable[[Canvas], None]

    def svg(self) -> Markup:
        """Return the plot for the page."""
        canvas, content = self._save("svg", _MARKERS)
        svg = inline(
            content.decode(),
            self.name,
            title=self.title,
            description=self.description,
            colours=_CSS,
            tips=canvas.tips,
        )
        return Markup(svg)  # noqa: S704  (an XML serialiser has escaped every text)

    def png(self) -> bytes:
        """Return the plot as a PNG with its title, on white."""
        return self._save("png", _LIGHT)[1]

    def _save(self, kind: str, palette: Palette) -> tuple[Canvas, bytes]:
        with mpl.rc_context(_style(palette)):
            canvas = Canvas(Figure(figsize=self.size_in, layout="constrained"), palette)
            self.draw(canvas)
            buffer = io.BytesIO()
            if kind == "png":
                canvas.figure.suptitle(
                    self.title, x=0.012, ha="left", fontsize=12, fontweight="bold"
                )
                canvas.figure.savefig(buffer, format="png", dpi=_PNG_DPI, facecolor=palette.page)
            else:
                canvas.figure.savefig(
                    buffer, format="svg", transparent=True, metadata={"Date": None}
                )
        return canvas, buffer.getvalue()


def _style(palette: Palette) -> Any:  # noqa: ANN401  (matplotlib types each key of its own)
    return _STYLE | {
        "text.color": palette.ink,
        "axes.labelcolor": palette.muted,
        "axes.edgecolor": palette.muted,
        "xtick.color": palette.ink,
        "ytick.color": palette.muted,
        "grid.color": palette.line,
    }


def legend(axes: Axes, handles: Sequence[Artist]) -> None:
    """Put the legend above the axes."""
    axes.legend(
        handles=list(handles),
        loc="lower left",
        bbox_to_anchor=(0, 1.0),
        ncols=min(len(handles), 5),
        borderaxespad=0,
        borderpad=0.2,
        handlelength=1.2,
        columnspacing=1.6,
    )
