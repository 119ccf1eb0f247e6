"""The one stylesheet, made from the template in resources/styles and the tokens of a theme."""

import re
from string import Template

from annotator.resources import resource_path, resource_text
from ui.theme.fonts import MONO, SANS
from ui.theme.tokens import SIDES, Pair, Tokens, mix, side_colour

_PIXELS = re.compile(r"(?<![\w.#-])(\d+)px\b")

_CELL, _TEXT_MARGIN = 8, 3
"""Where the text of a cell begins, as its heading does, and what Qt adds of its own at every scale."""


def stylesheet(tokens: Tokens, *, scale: float = 1.0, row_padding: int = 4) -> str:
    """Fill the template.

    Args:
        tokens: Colours of the theme.
        scale: Factor on every pixel of the template but hairlines, 1 to 2.
        row_padding: Space above and below a row of a list, in pixels at 100 %.

    Returns:
        A Qt stylesheet.
    """
    shade = "dark" if tokens.is_dark else "light"
    template = resource_text("styles", "annotator.qss")
    scaled = _PIXELS.sub(lambda found: scaled_pixels(int(found[1]), scale), template)
    return Template(scaled).substitute(
        tokens.colours(),
        sans=SANS,
        mono=MONO,
        icons=resource_path("icons").as_posix(),
        shade=shade,
        row=scaled_pixels(row_padding, scale),
        cell=f"{round(_CELL * scale) - _TEXT_MARGIN}px",
        accent_hover=mix(tokens.text, tokens.accent, 0.12),
        accent_pressed=mix(tokens.text, tokens.accent, 0.24),
        stage_chips="\n".join(_chip(f"stage-{stage}", tokens.stage_pair(stage)) for stage in tokens.stage),
        side_chips="\n".join(_chip(side_colour(letter), tokens.side_pair(letter)) for letter in SIDES),
    )


def _chip(name: str, pair: Pair) -> str:
    return f'QLabel[chip="{name}"] {{ background: {pair.ground}; color: {pair.text}; }}'


def scaled_pixels(pixels: int, scale: float) -> str:
    """A length of the template at a scale; hairlines stay hairlines until 150 %."""
    return f"{pixels if pixels <= 1 and scale < 1.5 else round(pixels * scale)}px"
