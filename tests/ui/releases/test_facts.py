"""What a manifest says in plain words."""

import pytest

from ui.releases.facts import size_words


@pytest.mark.parametrize(
    ("count", "words"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1_234_567, "1.2 MB"), (5_000_000_000, "5.0 GB")],
)
def test_sizes_are_said_in_the_largest_fitting_unit(count: int, words: str) -> None:
    assert size_words(count) == words
