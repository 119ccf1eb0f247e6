"""What every picture of scores is made of: colours, patterns, fonts, axes, and how it becomes a file.

matplotlib without its global state and without Qt: only `Figure` and its Agg and SVG canvases, imported late.
"""

import io
import logging
import re
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, Literal, TypedDict

from annotator.resources import resource_path
from scoring.model.record import Record
from scoring.texts import tr

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

WIDTH_INCHES = 7.4
_LONGEST_NAME = 26
_BOLD = "semibold"
_SMALL_POINTS = 8.0
_LEGEND_MARK_INCHES = 0.55
"""Room for the mark before a name and the gap behind it."""
_FAMILIES = (
    *("Inter", "DejaVu Sans", "Noto Sans CJK SC", "Noto Sans SC", "Source Han Sans SC", "PingFang SC"),
    *("Hiragino Sans GB", "Microsoft YaHei", "WenQuanYi Micro Hei", "SimHei"),
)
"""Fonts tried for each character; those beyond the second where the computer has them."""
_CHINESE = re.compile("(?i)cjk|notosanssc|sourcehan|pingfang|hiragino|msyh|wqy|simhei")
"""Files of these fonts."""

HATCHES = ("", "////", "xxxx", "\\\\\\\\", "----", "||||", "++++", "//--", "\\\\||")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", "-.", ":")
"""Patterns (of lines only: a dot is drawn as hundreds of curves), marks and lines, beside the colours."""


class PictureFormat(StrEnum):
    """Files a picture can become."""

    PNG = "png"
    SVG = "svg"
    PDF = "pdf"


class FigurePalette(Record):
    """The colours of a picture, as `#rrggbb`.

    `low` to `high` is the scale of heat maps, `missing` the ground of cells without a value, `series` the
    colours of runs and classes in turn.
    """

    background: str
    text: str
    muted: str
    line: str
    low: str
    high: str
    missing: str
    series: tuple[str, ...]

    def colour(self, number: int) -> str:
        """Colour of a series; there are as many as patterns, then both repeat."""
        return self.series[number % len(self.series)]


LIGHT = FigurePalette(
    background="#ffffff",
    text="#1b2330",
    muted="#5f6b7e",
    line="#e2e5ea",
    low="#dce6ff",
    high="#1d3fae",
    missing="#f3f5f8",
    series=(
        "#3563e9",
        "#0b7a75",
        "#b0450b",
        "#6b4fd8",
        "#8a5a00",
        "#a1378f",
        "#4d7a12",
        "#5f6b7e",
        "#0a6c8f",
    ),
)
DARK = FigurePalette(
    background="#191d24",
    text="#e4e8ee",
    muted="#97a1b2",
    line="#2a303a",
    low="#26355a",
    high="#9dbbff",
    missing="#14181e",
    series=(
        "#7aa0ff",
        "#5fd3cb",
        "#ff9d66",
        "#b3a1ff",
        "#e5b567",
        "#f092dc",
        "#b2d463",
        "#97a1b2",
        "#6fcbf0",
    ),
)


def say(text: str, *, context: str = "", **values: object) -> str:
    """A text of a picture in the language of this process; in English where no font has its characters.

    Args:
        text: The English text, as `tr` takes it.
        context: As in `tr`.
        values: What stands in its places; names are drawable already.
    """
    said = tr(text, context=context, **values)
    if set(map(ord, said)) <= _characters() | {ord("\n")}:
        return said
    return text.format(**values) if values else text


def new_figure(
    palette: FigurePalette, *, height_inches: float, width_inches: float = WIDTH_INCHES
) -> "Figure":
    """An empty figure in the colours of a palette, its parts laid out so that nothing overlaps."""
    from matplotlib.figure import Figure

    return Figure(
        figsize=(width_inches, height_inches), dpi=100, facecolor=palette.background, layout="constrained"
    )


def titled_axes(
    palette: FigurePalette,
    *,
    title: str,
    height_inches: float,
    width_inches: float = WIDTH_INCHES,
    grid: Literal["x", "y", ""] = "y",
) -> "tuple[Figure, Axes]":
    """A figure and its axes in the calm look of all pictures: title at the left, two spines, a faint grid.

    Args:
        palette: Their colours.
        title: What is shown.
        height_inches: Height of the picture.
        width_inches: Width of the picture.
        grid: Axis with grid lines; empty for none.
    """
    figure = new_figure(palette, height_inches=height_inches, width_inches=width_inches)
    axes = figure.add_subplot()
    style_axes(axes, palette, title=title, grid=grid)
    return figure, axes


def style_axes(
    axes: "Axes", palette: FigurePalette, *, title: str, grid: Literal["x", "y", ""] = "y"
) -> None:
    """Give axes the calm look of all pictures; see `titled_axes`."""
    axes.set_facecolor(palette.background)
    axes.set_title(title, loc="left", color=palette.text, fontsize=10, fontweight=_BOLD, pad=10)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(palette.line)
    axes.tick_params(colors=palette.muted, labelsize=8, length=0, labelfontfamily=list(families()))
    if grid:
        axes.grid(axis=grid, color=palette.line, linewidth=0.8)
        axes.set_axisbelow(True)


def title_figure(figure: "Figure", palette: FigurePalette, title: str) -> None:
    """Give a figure of several axes its title, as `titled_axes` gives one of a single."""
    figure.suptitle(title, x=0.01, ha="left", color=palette.text, fontsize=10, fontweight=_BOLD)


def inside(ticks: Iterable[float], bounds: tuple[float, float]) -> list[float]:
    """The ticks of an axis that are seen."""
    return [tick for tick in ticks if bounds[0] <= tick <= bounds[1]]


def percent_axis(axes: "Axes", palette: FigurePalette, label: str, *, lowest: float = 0) -> None:
    """Make the upright axis one of percent, to 100 from 0, or from below the lowest value of lines."""
    start = min(75, 25 * int(lowest // 25))
    axes.set(ylim=(start, 100), yticks=range(start, 101, {75: 5, 50: 10}.get(start, 25)))
    axes.set_ylabel(upright_words(axes, label), color=palette.muted, fontsize=8)


def upright_words(axes: "Axes", label: str) -> str:
    """What the upright axis of lines is called, which says where it does not start at 0."""
    return say("{label}; axis not from 0", label=label) if axes.get_ylim()[0] > 0 else label


def finish_with_legend(
    figure: "Figure", palette: FigurePalette, handles: Sequence["Artist"], names: Sequence[str]
) -> "Figure":
    """Put a legend below everything, in as many columns as fit, and finish the picture."""
    widths = [width_inches(name) + _LEGEND_MARK_INCHES for name in names]
    figure.legend(
        handles,
        names,
        loc="outside lower left",
        ncols=next(
            (
                count
                for count in range(len(names), 1, -1)
                if _legend_width(widths, count) <= figure.get_figwidth()
            ),
            1,
        ),
        frameon=False,
        fontsize=_SMALL_POINTS,
        labelcolor=palette.text,
        handlelength=2.2,
        handleheight=1.1,
        columnspacing=1.6,
    )
    return finish(figure)


def _legend_width(widths: Sequence[float], columns: int) -> float:
    """How wide a legend is, which fills one column after the other; the first ones have one more."""
    lengths = [len(widths) // columns + (number < len(widths) % columns) for number in range(columns)]
    return sum(
        max(widths[end - length : end]) for length, end in zip(lengths, accumulate(lengths), strict=True)
    )


def refit_legends(figure: "Figure", palette: FigurePalette) -> None:
    """Lay the legends of a figure out anew, which has another width now than when it was drawn."""
    for legend in tuple(figure.legends):
        names = [text.get_text() for text in legend.get_texts()]
        handles = [handle for handle in legend.legend_handles if handle is not None]
        legend.remove()
        finish_with_legend(figure, palette, handles, names)


def width_inches(text: str) -> float:
    """How wide a small text is."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    font = FontProperties(family=list(families()), size=_SMALL_POINTS)
    # A dollar sign would make it a formula.
    return float(TextPath((0, 0), text.replace("$", "S"), prop=font).get_extents().width) / 72


def finish(figure: "Figure") -> "Figure":
    """Set the house's font everywhere, and take every text literally (a name may hold a dollar sign)."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        if isinstance(text, Text):
            text.set_fontfamily(list(families()))
            text.set_parse_math(False)
    return figure


class Fill(TypedDict):
    """How an area looks, as matplotlib takes it."""

    facecolor: str
    edgecolor: str
    hatch: str
    hatchcolor: str


def fill(palette: FigurePalette, number: int) -> Fill:
    """How the area of a series looks: its colour, and a pattern for those who do not see it."""
    colour = palette.colour(number)
    return {
        "facecolor": colour,
        "edgecolor": palette.background,
        "hatch": HATCHES[number % len(HATCHES)],
        "hatchcolor": mix(colour, palette.background, 0.55),
    }


_WIDEST = 3
"""Lines each of which is wider than the next by a full step; more share these steps."""


def add_line(
    axes: "Axes", palette: FigurePalette, points: Sequence[tuple[float, float]], *, number: int, of: int
) -> "Line2D":
    """Draw the line of one of several series; earlier ones are wider, so that none hides another.

    A single point has a mark and no line, in the legend, too.
    """
    behind = max(0, of - 1 - number) * min(1.0, _WIDEST / of)
    (line,) = axes.plot(
        [x for x, _ in points],
        [y for _, y in points],
        color=palette.colour(number),
        linestyle=LINES[number % len(LINES)] if len(points) > 1 else "none",
        marker=MARKERS[number % len(MARKERS)],
        linewidth=1.6 + 0.45 * behind,
        markersize=6.0 + 0.8 * behind,
        markeredgecolor=palette.background,
        markeredgewidth=0.4,
        clip_on=False,
        zorder=3,
    )
    return line


def short(name: str) -> str:
    """A name as it stands in a picture: one line, cut where it is long, `?` for what no font can draw.

    matplotlib would warn of such a character and draw a box.
    """
    name = drawable(name) or say("unnamed")
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def drawable(text: str) -> str:
    """A text in one line, `?` for what no font can draw."""
    known = _characters()
    return "".join(char if ord(char) in known else "?" for char in " ".join(text.split()))


def ink_on(ground: str, palette: FigurePalette) -> str:
    """The text colour that is read best on a ground: the palette's text or its background."""
    shade = _lightness(ground)

    def contrast(ink: str) -> float:
        darker, lighter = sorted((shade, _lightness(ink)))
        return (lighter + 0.05) / (darker + 0.05)

    return max((palette.text, palette.background), key=contrast)


def _lightness(colour: str) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2, with a plain power for its curve)."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return float(0.2126 * red**2.2 + 0.7152 * green**2.2 + 0.0722 * blue**2.2)


def mix(low: str, high: str, share: float) -> str:
    """The colour between two others, at 0 the first and at 1 the second."""
    return "#" + "".join(
        f"{round(a + (b - a) * share):02x}"
        for a, b in [(int(low[i : i + 2], 16), int(high[i : i + 2], 16)) for i in (1, 3, 5)]
    )


def picture(figure: "Figure", form: PictureFormat, *, scale: float = 2.0) -> bytes:
    """Turn a figure into a file.

    Args:
        figure: A finished figure.
        form: Which file.
        scale: Pixels of a PNG for each of the 100 dots an inch has.

    Returns:
        The bytes; the same figure gives the same bytes.
    """
    stream = io.BytesIO()
    if form is PictureFormat.PNG:
        figure.savefig(stream, format="png", dpi=100 * scale, metadata={"Software": None})
        return stream.getvalue()
    import matplotlib as mpl

    if form is PictureFormat.PDF:
        from matplotlib.patheffects import Normal
        from matplotlib.text import Text

        with mpl.rc_context({"path.effects": [Normal()]}):
            # Outlines, no fonts: the house's are OpenType, which matplotlib would declare as TrueType.
            bare = [text for text in figure.findobj(Text) if not text.get_path_effects()]
            for text in bare:
                text.set_path_effects([Normal()])
            figure.savefig(
                stream, format="pdf", metadata={"CreationDate": None, "Creator": None, "Producer": None}
            )
            for text in bare:
                text.set_path_effects([])
        return stream.getvalue()
    with mpl.rc_context({"svg.hashsalt": "annotator", "svg.fonttype": "path"}):
        figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    return stream.getvalue()


@cache
def families() -> tuple[str, ...]:
    """Names of the fonts that are there, in the order they are tried; ours first."""
    from matplotlib import font_manager

    # It would say which weight it takes where a font has none that is half bold.
    logging.getLogger("matplotlib.font_manager").setLevel(logging.ERROR)
    # matplotlib keeps a list of the computer's fonts for good: one that came later is looked for here.
    later = filter(
        _CHINESE.search,
        set(font_manager.findSystemFonts()) - {font.fname for font in font_manager.fontManager.ttflist},
    )
    for path in (
        *(str(resource_path("fonts", name)) for name in ("Inter-Regular.otf", "Inter-SemiBold.otf")),
        *sorted(later),
    ):
        font_manager.fontManager.addfont(path)
    known = {font.name for font in font_manager.fontManager.ttflist}
    return tuple(name for name in _FAMILIES if name in known)


@cache
def _characters() -> frozenset[int]:
    """Every character one of the fonts can draw."""
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    return frozenset().union(
        *(FT2Font(path).get_charmap() for path in {font_manager.findfont(name) for name in families()})
    )
