"""One is one, and everything else is several."""

from scoring.wording import counted


def test_exactly_one_stands_before_the_singular() -> None:
    assert [counted(n, "case") for n in (0, 1, 2, 12_400)] == ["0 cases", "1 case", "2 cases", "12,400 cases"]


def test_a_plural_of_its_own_is_used() -> None:
    assert [counted(n, "person", "people") for n in (1, 3)] == ["1 person", "3 people"]
