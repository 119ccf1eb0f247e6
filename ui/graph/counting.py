"""Numbers of orders as people read them."""

import math

LARGEST_IN_FULL = 10**15
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def count_words(count: int) -> str:
    """A number of orders as people read it: in full up to fifteen digits, else as a power of ten."""
    if count < LARGEST_IN_FULL:
        return f"{count:,}"
    power = math.floor(math.log10(count))
    leading = count // 10 ** (power - 2)
    return f"{leading / 100:.2f} × 10{str(power).translate(_RAISED)}"
