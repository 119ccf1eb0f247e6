"""Places in a text as Python counts them (characters) and as Qt counts them (UTF-16 units)."""


def to_units(text: str, character: int) -> int:
    """The Qt position of a character of a text; they differ behind emoji and other rare characters."""
    return character if text.isascii() else len(_units(text[:character])) // 2


def to_character(text: str, unit: int) -> int:
    """The character at a Qt position of a text; inside a pair of units, the character of the pair."""
    if text.isascii():
        return min(unit, len(text))
    return len(_units(text)[: 2 * unit].decode("utf-16-le", "ignore"))


def _units(text: str) -> bytes:
    return text.encode("utf-16-le", "surrogatepass")
