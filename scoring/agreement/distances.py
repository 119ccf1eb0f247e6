"""How far apart two labels are, 0 to 1: names, and sets of anything."""

from collections.abc import Collection


def nominal_distance(first: object, second: object) -> float:
    """Distance of two names: 0 if they are the same, else 1."""
    return 0.0 if first == second else 1.0


def jaccard_distance(first: Collection[object], second: Collection[object]) -> float:
    """Distance of two sets: 1 minus the share of their union they have in common; two empty sets are equal.

    References:
        Jaccard (1912), The distribution of the flora in the alpine zone.
    """
    one, other = set(first), set(second)
    union = len(one | other)
    return 1 - len(one & other) / union if union else 0.0


def masi_distance(first: Collection[object], second: Collection[object]) -> float:
    """Distance of two sets that forgives a subset more than a clash.

    1 - J x M, where J is the Jaccard similarity and M is 1 for equal sets, 2/3 where one contains the
    other, 1/3 where they overlap otherwise and 0 where they share nothing.

    References:
        Passonneau (2006), Measuring agreement on set-valued items (MASI) for semantic and pragmatic
        annotation, LREC.
    """
    one, other = set(first), set(second)
    if one == other:
        return 0.0
    contained = one <= other or other <= one
    return 1 - (1 - jaccard_distance(one, other)) * (2 if contained else 1) / 3
