"""Which item of a list is which of the list it was made from, by how much they look alike."""

import pytest

from annotator.cases.versions.alignment import aligned

ALIKE = {("a", "A"): 0.6, ("b", "B"): 0.6, ("a", "B"): 0.9, ("c", "C"): 0.7, ("b", "C"): 0.65}


def likeness(one: str, other: str) -> float:
    return ALIKE.get((one, other), 0.0)


@pytest.mark.parametrize(
    ("base", "side", "places"),
    [
        ("ab", "AB", (0, 1)),  # two that look alike a little, rather than one that looks alike a lot
        ("abc", "ABC", (0, 1, 2)),
        ("xaby", "AB", (1, 2)),  # what was left out at the ends is nobody
        ("ab", "XAYB", (None, 0, None, 1)),
        ("ab", "B", (0,)),
        ("", "AB", (None, None)),
        ("ab", "", ()),
    ],
)
def test_as_many_as_possible_are_known_again(base: str, side: str, places: tuple[int | None, ...]) -> None:
    assert aligned(base, side, likeness=likeness) == places
