"""How a number stands before its noun, the same in every message."""


def counted(count: int, noun: str, plural: str = "") -> str:
    """A number with its noun, e.g. `1 finding`, `2 findings`, `12,400 cases`.

    Args:
        count: How many.
        noun: For exactly one.
        plural: For all other counts, where an s behind the noun does not make it.
    """
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"
