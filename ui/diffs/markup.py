"""Pieces of text as marked text for labels; what comes from a dialogue is never read as markup."""

from collections.abc import Collection, Sequence
from html import escape

from annotator.cases.versions.differences import Piece, PieceKind
from ui.theme import theme
from ui.theme.words import visible

BOTH_SIDES = frozenset(PieceKind)


def marked(pieces: Sequence[Piece], *, shown: Collection[PieceKind] = BOTH_SIDES) -> str:
    """Write pieces as rich text: removed struck through, added underlined, each on its own ground.

    Args:
        pieces: In reading order.
        shown: Kinds to write; the others are left out.
    """
    tokens = theme().tokens
    styles = {
        PieceKind.SAME: "",
        PieceKind.REMOVED: f"background:{tokens.error_bg};color:{tokens.error};text-decoration:line-through",
        PieceKind.ADDED: f"background:{tokens.ok_bg};color:{tokens.ok};text-decoration:underline",
    }
    written: list[str] = []
    former = PieceKind.SAME
    for piece in pieces:
        if piece.kind in shown:
            if PieceKind.SAME not in (former, piece.kind):
                written.append(" ")
            former = piece.kind
            style = styles[piece.kind]
            text = escaped(piece.text)
            written.append(f'<span style="{style}">{text}</span>' if style else text)
    return "".join(written)


def escaped(text: str) -> str:
    """Text as rich text that shows exactly it, line breaks and spaces included."""
    safe = escape(visible(text)).replace("\t", "    ")
    return safe.replace("  ", "&nbsp; ").replace("\n", "<br>")


def spoken(pieces: Sequence[Piece]) -> str:
    """Pieces for a screen reader, e.g. `It [removed: was] [added: will be] sunny`."""
    words = {PieceKind.REMOVED: "removed", PieceKind.ADDED: "added"}
    return "".join(
        piece.text if piece.kind is PieceKind.SAME else f"[{words[piece.kind]}: {piece.text.strip()}]"
        for piece in pieces
    )
