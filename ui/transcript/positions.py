"""Places in a text as Python counts them (characters) and as Qt counts them (UTF-16 units)."""


def to_units(text: str, character: int) -> int:
    """The Qt position of a character of a text; they differ behind emoji and other rare characters."""
    return character + sum(char > "\uffff" for char in text[:character])


def to_character(text: str, unit: int) -> int:
    """The character at a Qt position of a text; inside a pair of units, the character of the pair."""
    if len(text) == to_units(text, len(text)):
        return min(unit, len(text))
    before = text.encode("utf-16-le", "surrogatepass")[: 2 * unit]
    return len(before.decode("utf-16-le", "ignore"))
