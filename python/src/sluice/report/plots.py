# SPDX-License-Identifier: Apache-2.0
"""The plots of a result: bars of efficiency by port set, of rate by design, or curves of rate.

Each plot is drawn twice by the same function: with the light palette for the PNG, and with
marker colours for the SVG, which `svg.inline` replaces by CSS variables, so that the page
decides on light or dark.
"""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.patheffects import withStroke

from sluice.labels import DIRECTIONS, ports_label, row_label
from sluice.published import ABOVE
from sluice.report.svg import inline
from sluice.result import Result, ResultRow
from sluice.units import format_bytes, format_number

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
_BAND_ALPHA = 0.22
_LEAST_FOR_TEXT = 12  # percent: a lower bar has its figure above it
_MOST_FOR_DECIMALS = 20  # bars: more of them have whole figures
_MOST_SETS = 6  # of bars: more of them have their names in small letters
_MOST_NAMED_PORTS = 4  # more are named by the first and the last


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

    def svg(self) -> str:
        """Return the plot for the page."""
        canvas, content = self._save("svg", _MARKERS)
        return inline(
            content.decode(),
            self.name,
            title=self.title,
            description=self.description,
            colours=_CSS,
            tips=canvas.tips,
        )

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


def plots_of(result: Result, name: str) -> list[Plot]:
    """Return the plots of a result; a result without rows has none."""
    widths = sorted({row.width_bits for row in result.rows})
    by_size = len({row.bytes for row in result.rows}) > 1
    if not by_size and len(widths) > 1 and len({row.ports for row in result.rows}) == 1:
        return [_efficiency_plot(result.rows, f"{name}-by-width", "Efficiency by width")]
    if len({row.variant for row in result.rows}) > 1 and not by_size:
        if len({len(row.ports) for row in result.rows}) > 1:
            return [_count_plot(result.rows, f"{name}-by-count")]
        return [_design_plot(result.rows, f"{name}-by-design")]
    plots = []
    for width in widths:
        rows = [row for row in result.rows if row.width_bits == width]
        suffix = f"{name}-{width}bit"
        if by_size:
            plots.append(_size_plot(rows, suffix, width))
        else:
            plots.append(_efficiency_plot(rows, suffix, f"Efficiency of {width}-bit ports"))
    return plots


def _style(palette: Palette) -> Any:  # noqa: ANN401  (matplotlib types each key of its own)
    return _STYLE | {
        "text.color": palette.ink,
        "axes.labelcolor": palette.muted,
        "axes.edgecolor": palette.muted,
        "xtick.color": palette.ink,
        "ytick.color": palette.muted,
        "grid.color": palette.line,
    }


# --- efficiency by port set ---------------------------------------------------------------


def _efficiency_plot(rows: Sequence[ResultRow], name: str, title: str) -> Plot:
    best = max(rows, key=lambda row: row.efficiency)
    worst = min(rows, key=lambda row: row.efficiency)
    return Plot(
        name=name,
        title=title,
        description=(
            f"Bars of mean rate as a share of the expected rate, by set of ports and direction. "
            f"From {100 * worst.efficiency:.1f} % ({_say(worst)}) "
            f"to {100 * best.efficiency:.1f} % ({_say(best)})."
        ),
        size_in=(10.4, 3.6),
        draw=lambda canvas: _draw_efficiency(canvas, rows),
    )


def _draw_efficiency(canvas: Canvas, rows: Sequence[ResultRow]) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    sets = list(dict.fromkeys(_set_label(row, rows) for row in rows))
    directions = [word for word in DIRECTIONS if any(row.direction == word for row in rows)]
    staggers = sorted({row.placement.stagger_bytes for row in rows})
    kinds = [(direction, stagger) for direction in directions for stagger in staggers]
    step = 0.84 / len(kinds)
    decimals = 0 if len(sets) * len(kinds) > _MOST_FOR_DECIMALS else 1
    foot = {}
    for row in rows:
        kind = (row.direction, row.placement.stagger_bytes)
        offset = (kinds.index(kind) - (len(kinds) - 1) / 2) * step
        bar = _Bar(sets.index(_set_label(row, rows)) + offset, step * 0.9, decimals)
        foot[bar.x] = format_bytes(row.placement.stagger_bytes).replace(" ", "\n")
        _draw_bar(canvas, axes, row, bar)
    axes.set_xticks(range(len(sets)), sets, fontsize=9 if len(sets) > _MOST_SETS else 10.5)
    if len(staggers) > 1:
        axes.xaxis.remove_overlapping_locs = False
        axes.set_xticks(list(foot), list(foot.values()), minor=True, fontsize=7.5)
        axes.tick_params(axis="x", which="minor", length=0, colors=palette.muted)
        axes.tick_params(axis="x", which="major", pad=26)
        axes.set_xlabel("each buffer lies so much further than the one before")
    axes.set_xlim(-0.55, max(len(sets) - 0.45, 1.6))
    axes.set_ylim(0, 112)
    axes.set_yticks(range(0, 101, 25), [f"{share} %" for share in range(0, 101, 25)])
    axes.grid(axis="y", linewidth=0.8)
    axes.axhline(100, color=palette.muted, linewidth=0.9, linestyle=(0, (1, 2)))
    _efficiency_legend(canvas, axes, rows, directions)


def _set_label(row: ResultRow, rows: Sequence[ResultRow]) -> str:
    """Return what stands under the bars of a row: what tells its set of bars from the others."""
    if len({other.width_bits for other in rows}) > 1:
        name = f"{row.width_bits} bits"
    elif len(row.ports) > _MOST_NAMED_PORTS:
        name = f"{row.ports[0]} to {row.ports[-1]}"
    else:
        name = ports_label(row.ports)
    if len({other.clock_mhz for other in rows}) > 1:
        name += f"\n{format_number(row.clock_mhz)} MHz"
    return name


@dataclass(frozen=True, slots=True)
class _Bar:
    """Where a bar stands, and how its figure is written."""

    x: float
    width: float
    decimals: int


def _draw_bar(canvas: Canvas, axes: Axes, row: ResultRow, bar: _Bar) -> None:
    x, width = bar.x, bar.width
    palette = canvas.palette
    share = 100 / row.expected_mb_s
    rates = row.mb_s
    halo = [withStroke(linewidth=3.4, foreground=palette.page)]  # to stand out from the bar
    bars = axes.bar(
        x, rates.mean * share, width, color=palette.of(row.direction), linewidth=0, zorder=2
    )
    bars[0].set_gid(canvas.tip(_tip(row)))
    if len(rates.samples) > 1:
        axes.plot(
            [x - width * 0.22] * 2,
            [rates.min * share, rates.max * share],
            color=palette.ink,
            linewidth=1.4,
            solid_capstyle="butt",
            path_effects=halo,
            zorder=4,
        )
    top = rates.max * share
    figure = row.published
    if figure is not None:
        at = x + width * 0.22
        if figure.min is not None and figure.max is not None:
            span = [figure.min * share, figure.max * share]
            axes.plot(
                [at] * 2, span, color=palette.silicon, linewidth=1.4, path_effects=halo, zorder=4
            )
            top = max(top, span[1])
        axes.plot(
            [at],
            [figure.mb_s * share],
            marker="^" if figure.relation == ABOVE else "D",
            markersize=5.5,
            markerfacecolor=palette.page,
            markeredgecolor=palette.silicon,
            markeredgewidth=1.8,
            linestyle="none",
            zorder=5,
            clip_on=False,
        )
        top = max(top, figure.mb_s * share)
    # All figures in one line at the foot of the bars, clear of whiskers and published markers.
    inside = 100 * row.efficiency > _LEAST_FOR_TEXT
    axes.annotate(
        f"{100 * row.efficiency:.{bar.decimals}f}",
        (x, 0 if inside else top),
        (0, 5),
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=9,
        fontweight="bold" if inside else "normal",
        color=palette.page if inside else palette.ink,
        zorder=6,
    )


def _efficiency_legend(
    canvas: Canvas, axes: Axes, rows: Sequence[ResultRow], directions: Sequence[str]
) -> None:
    palette = canvas.palette
    handles: list[Artist] = [
        Patch(color=palette.of(direction), label=_direction(direction, rows))
        for direction in directions
    ]
    if any(len(row.mb_s.samples) > 1 for row in rows):
        handles.append(
            Line2D([], [], color=palette.ink, linewidth=1.4, label=f"{_how(rows)}, min to max")
        )
    if any(row.published for row in rows):
        handles.append(
            Line2D(
                [],
                [],
                color=palette.silicon,
                linewidth=1.4,
                marker="D",
                markersize=5,
                markerfacecolor=palette.page,
                markeredgewidth=1.4,
                label="measured on silicon, min to max",
            )
        )
    _legend(axes, handles)


def _legend(axes: Axes, handles: Sequence[Artist]) -> None:
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


# --- rate by transfer size ----------------------------------------------------------------


def _size_plot(rows: Sequence[ResultRow], name: str, width: int) -> Plot:
    first = min(rows, key=lambda row: row.bytes)
    last = max(rows, key=lambda row: row.bytes)
    return Plot(
        name=name,
        title=f"Rate of {width}-bit ports by transfer size",
        description=(
            f"Curve of mean rate over transfer size, logarithmic. From {first.mb_s.mean:.0f} MB/s "
            f"at {format_bytes(first.bytes)} to {last.mb_s.mean:.0f} MB/s at "
            f"{format_bytes(last.bytes)}; {last.expected_mb_s:.0f} MB/s are expected."
        ),
        size_in=(10.4, 4.2),
        draw=lambda canvas: _draw_sizes(canvas, rows),
    )


def _draw_sizes(canvas: Canvas, rows: Sequence[ResultRow]) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    handles: list[Artist] = []
    groups = list(dict.fromkeys((row.direction, row.ports, row.clock_mhz) for row in rows))
    for direction, ports, clock in groups:
        members = sorted(
            (
                row
                for row in rows
                if (row.direction, row.ports, row.clock_mhz) == (direction, ports, clock)
            ),
            key=lambda row: row.bytes,
        )
        handles.append(_draw_curve(canvas, axes, members))
    grey = palette.of(rows[0].direction) if len(groups) == 1 else palette.muted
    handles.append(Patch(color=grey, alpha=_BAND_ALPHA, label=f"{_how(rows)}, min to max"))
    sizes = sorted({row.bytes for row in rows})
    axes.set_xscale("log", base=2)
    axes.minorticks_off()
    axes.set_xticks(sizes, [format_bytes(size).replace(" ", "\n") for size in sizes])
    axes.set_xlim(sizes[0] / 1.35, sizes[-1] * 1.35)
    ceiling = max(max(row.mb_s.max, row.expected_mb_s) for row in rows)
    axes.set_ylim(0, ceiling * 1.1)
    axes.set_ylabel("MB/s")
    axes.set_xlabel("bytes a transfer")
    axes.grid(axis="y", linewidth=0.8)
    for expected in sorted({row.expected_mb_s for row in rows}):
        axes.axhline(expected, color=palette.muted, linewidth=0.9, linestyle=(0, (1, 2)))
        axes.annotate(
            f"expected {expected:.0f} MB/s",
            (sizes[0] / 1.3, expected),
            (0, 3),
            textcoords="offset points",
            color=palette.muted,
            fontsize=8.5,
        )
    handles += _draw_statement(canvas, axes, rows)
    _legend(axes, handles)


def _draw_curve(canvas: Canvas, axes: Axes, rows: Sequence[ResultRow]) -> Artist:
    colour = canvas.palette.of(rows[0].direction)
    sizes = [row.bytes for row in rows]
    axes.fill_between(
        sizes,
        [row.mb_s.min for row in rows],
        [row.mb_s.max for row in rows],
        color=colour,
        alpha=_BAND_ALPHA,
        linewidth=0,
        zorder=2,
    )
    label = f"{DIRECTIONS[rows[0].direction]}, {ports_label(rows[0].ports)}, mean"
    means = [row.mb_s.mean for row in rows]
    (curve,) = axes.plot(sizes, means, color=colour, linewidth=2, label=label)
    for row in rows:
        (point,) = axes.plot(
            [row.bytes],
            [row.mb_s.mean],
            marker="o",
            markersize=5.5,
            color=colour,
            markeredgecolor=canvas.palette.page,
            markeredgewidth=1,
            linestyle="none",
            zorder=4,
        )
        point.set_gid(canvas.tip(_tip(row)))
    return curve


def _draw_statement(canvas: Canvas, axes: Axes, rows: Sequence[ResultRow]) -> list[Artist]:
    """Draw what was stated about the rate: above a figure, from a size on."""
    stated = [row for row in rows if row.published and row.published.relation == ABOVE]
    if not stated or stated[0].published is None:
        return []
    colour, bound = canvas.palette.silicon, stated[0].published.mb_s
    low = min(row.bytes for row in stated)
    high = max(row.bytes for row in stated)
    lines = axes.plot(
        [low, high * 1.35],
        [bound, bound],
        color=colour,
        linewidth=1.6,
        label="measured on silicon: above this line",
        zorder=3,
    )
    axes.plot([low, low], [0, bound], color=colour, linewidth=0.9, linestyle=(0, (2, 2)), zorder=3)
    axes.annotate(
        f"on silicon above {bound:.0f} MB/s\nfrom {format_bytes(low)} up",
        (low, bound / 2),
        (7, 0),
        textcoords="offset points",
        va="center",
        color=canvas.palette.ink,
        fontsize=9,
    )
    return [*lines]


# --- rate by number of ports, or by design ------------------------------------------------


def _count_plot(rows: Sequence[ResultRow], name: str) -> Plot:
    best = max(rows, key=lambda row: row.mb_s.mean)
    return Plot(
        name=name,
        title=f"Rate by number of {_count_word(rows)}",
        description=(
            f"Curves of mean rate over the number of {_count_word(rows)}, one a design and "
            f"direction. The highest is {best.mb_s.mean:.0f} MB/s, of {best.variant} with "
            f"{len(best.ports)}."
        ),
        size_in=(10.4, 4.2),
        draw=lambda canvas: _draw_counts(canvas, rows),
    )


def _draw_counts(canvas: Canvas, rows: Sequence[ResultRow]) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    designs = list(dict.fromkeys(row.variant for row in rows))
    handles: list[Artist] = []
    for direction in dict.fromkeys(row.direction for row in rows):
        for design in designs:
            members = sorted(
                (row for row in rows if (row.variant, row.direction) == (design, direction)),
                key=lambda row: len(row.ports),
            )
            colour = _design_colour(palette, designs.index(design))
            means = [row.mb_s.mean for row in members]
            label = f"{design}, {_direction(direction, rows)}"
            counts = [len(row.ports) for row in members]
            handles += axes.plot(counts, means, color=colour, linewidth=2, label=label, zorder=3)
            for row in members:
                _draw_count(canvas, axes, row, colour)
    longest = [row for row in rows if row.variant == designs[0]]
    expected = {len(row.ports): row.expected_mb_s for row in longest}
    handles += axes.plot(
        sorted(expected),
        [expected[count] for count in sorted(expected)],
        color=palette.muted,
        linewidth=0.9,
        linestyle=(0, (1, 2)),
        label="expected: streams, at most the memory's peak",
    )
    if any(row.published for row in rows):
        handles.append(_silicon_handle(palette, "measured on silicon"))
    counts = sorted({len(row.ports) for row in rows})
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.set_xlim(counts[0] - 0.4, counts[-1] + 0.4)
    axes.set_ylim(0, 1.1 * max(max(row.mb_s.max, row.expected_mb_s) for row in rows))
    axes.set_ylabel("MB/s")
    axes.set_xlabel(_count_word(rows))
    axes.grid(axis="y", linewidth=0.8)
    _legend(axes, handles)


def _draw_count(canvas: Canvas, axes: Axes, row: ResultRow, colour: str) -> None:
    (point,) = axes.plot(
        [len(row.ports)],
        [row.mb_s.mean],
        marker="o",
        markersize=6,
        color=colour,
        markeredgecolor=canvas.palette.page,
        markeredgewidth=1,
        linestyle="none",
        zorder=4,
    )
    point.set_gid(canvas.tip(_tip(row)))
    if row.published is not None:
        _draw_silicon(canvas.palette, axes, len(row.ports), row.published.mb_s)


def _draw_silicon(palette: Palette, axes: Axes, x: float, mb_s: float) -> None:
    axes.plot(
        [x],
        [mb_s],
        marker="D",
        markersize=5.5,
        markerfacecolor=palette.page,
        markeredgecolor=palette.silicon,
        markeredgewidth=1.8,
        linestyle="none",
        zorder=5,
    )


def _silicon_handle(palette: Palette, label: str) -> Artist:
    return Line2D(
        [],
        [],
        color=palette.silicon,
        linestyle="none",
        marker="D",
        markersize=5,
        markerfacecolor=palette.page,
        markeredgewidth=1.4,
        label=label,
    )


def _design_plot(rows: Sequence[ResultRow], name: str) -> Plot:
    return Plot(
        name=name,
        title="Rate by design and placement",
        description="Bars of mean rate, by direction, design and placement of the buffers: "
        + "; ".join(
            f"{row.variant}, {_stagger(row)}, {_direction(row.direction, rows)} "
            f"{row.mb_s.mean:.0f} MB/s"
            for row in rows
        ),
        size_in=(10.4, 3.8),
        draw=lambda canvas: _draw_designs(canvas, rows),
    )


def _draw_designs(canvas: Canvas, rows: Sequence[ResultRow]) -> None:
    axes, palette = canvas.figure.subplots(), canvas.palette
    designs = list(dict.fromkeys(row.variant for row in rows))
    kinds = list(dict.fromkeys((row.variant, row.placement.stagger_bytes) for row in rows))
    directions = list(dict.fromkeys(row.direction for row in rows))
    step = 0.84 / len(kinds)
    foot = {}
    for row in rows:
        kind = kinds.index((row.variant, row.placement.stagger_bytes))
        x = directions.index(row.direction) + (kind - (len(kinds) - 1) / 2) * step
        colour = _design_colour(palette, designs.index(row.variant))
        bars = axes.bar(x, row.mb_s.mean, step * 0.9, color=colour, linewidth=0, zorder=2)
        bars[0].set_gid(canvas.tip(_tip(row)))
        foot[x] = _stagger(row)
        axes.annotate(
            f"{row.mb_s.mean:.0f}",
            (x, row.mb_s.mean),
            (0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=9,
        )
    axes.xaxis.remove_overlapping_locs = False
    axes.set_xticks(
        range(len(directions)), [_direction(direction, rows) for direction in directions]
    )
    axes.set_xticks(list(foot), list(foot.values()), minor=True, fontsize=8)
    axes.tick_params(axis="x", which="minor", length=0, colors=palette.muted)
    axes.tick_params(axis="x", which="major", pad=18)
    axes.set_xlabel("each buffer lies so much further than the one before")
    axes.set_ylim(0, 1.12 * max(row.mb_s.max for row in rows))
    axes.set_ylabel("MB/s")
    axes.grid(axis="y", linewidth=0.8)
    _legend(
        axes,
        [
            Patch(color=_design_colour(palette, index), label=design)
            for index, design in enumerate(designs)
        ],
    )


def _how(rows: Sequence[ResultRow]) -> str:
    return "simulated" if all(row.device is None for row in rows) else "measured"


def _stagger(row: ResultRow) -> str:
    stagger = row.placement.stagger_bytes
    return format_bytes(stagger) if stagger else "none"


def _design_colour(palette: Palette, index: int) -> str:
    return (palette.duplex, palette.s2mm, palette.mm2s, palette.both)[index % 4]


def _count_word(rows: Sequence[ResultRow]) -> str:
    """Return what the experiment counts: its label whose value is a number, or ports."""
    names = [name for name, value in rows[0].labels.items() if isinstance(value, int)]
    return names[0] if names else "ports"


# --- words --------------------------------------------------------------------------------


def _direction(direction: str, rows: Sequence[ResultRow]) -> str:
    """Return what a direction is called, in the words of the experiment if it has its own."""
    row = next(row for row in rows if row.direction == direction)
    words = [word for word in row.labels.values() if isinstance(word, str)]
    return words[0] if words else DIRECTIONS[direction]


def _say(row: ResultRow) -> str:
    return f"{DIRECTIONS[row.direction]} on {ports_label(row.ports)}"


def _tip(row: ResultRow) -> str:
    label = row_label(row.width_bits, row.direction, row.ports)
    lines = [
        f"{label}, {format_bytes(row.bytes)} at {format_number(row.clock_mhz)} MHz",
        f"mean {row.mb_s.mean:.1f} MB/s, {100 * row.efficiency:.2f} % of {row.expected_mb_s:.1f}",
        f"min {row.mb_s.min:.1f}, max {row.mb_s.max:.1f}, {len(row.mb_s.samples)} runs",
    ]
    if row.placement.stagger_bytes:
        lines.append(f"buffers staggered by {format_bytes(row.placement.stagger_bytes)}")
    if row.difference is not None:
        lines.append(f"silicon {row.published_mean:.1f} MB/s: {100 * row.difference:+.2f} %")
    return "\n".join(lines)
