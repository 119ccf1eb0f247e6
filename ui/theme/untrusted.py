"""Making characters visible that could deceive a reader; one character in, one out, so positions hold."""

import re
from html import escape

from PySide6.QtGui import Qt

_DIRECTION = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_TIP_LENGTH = 1_000
_SPOT = "\u2426"
_SURROGATE = re.compile("[\ud800-\udfff]")
_SUSPECT = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f{_DIRECTION}\u2028\u2029\ufdd0-\ufdef\ufffe\uffff]")


def visible(text: str) -> str:
    """Replace control and direction characters by pictures of themselves.

    Args:
        text: Any text from a dialogue; lone surrogates are replaced too.

    Returns:
        A text of the same length that shows as it reads; line feeds and tabs stay.
    """
    if text.isascii() and text.isprintable():
        return text  # most cells of most tables
    return _SURROGATE.sub("\ufffd", _SUSPECT.sub(_picture, text))


def _picture(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x20:
        return chr(0x2400 + code)
    return "\u2421" if code == 0x7F else _SPOT


def plain_tip(text: str) -> str:
    """A text from a dialogue as a tooltip that shows it, whatever markup it holds.

    Qt takes a tooltip that looks like HTML for HTML, and would load the pictures it names.

    Args:
        text: What to show; of long ones the first thousand characters are kept.
    """
    shown = visible(text if len(text) <= _TIP_LENGTH else text[:_TIP_LENGTH] + "…")
    if not Qt.mightBeRichText(shown):
        return shown
    return "<span>" + escape(shown).replace("\n", "<br>") + "</span>"
