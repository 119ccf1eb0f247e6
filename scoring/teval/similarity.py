"""How alike two texts are in meaning: one small interface, and what fills it (teval 11)."""

from collections import Counter
from collections.abc import Callable, Iterable
from math import sqrt
from typing import Protocol

from scoring.model.record import Record


class SimilarityModel(Record):
    """What measured the similarities; scores of different models are different metrics (teval 11.1).

    `digest` is the SHA-256 of the weights, empty where there are none.
    """

    name: str
    digest: str = ""


class Similarity(Protocol):
    """Measures the cosine of two texts, from -1 to 1; equal texts have 1."""

    @property
    def model(self) -> SimilarityModel:
        """What measures."""

    def cosine(self, one: str, other: str) -> float:
        """Compare two texts."""

    def prepare(self, texts: Iterable[str]) -> None:
        """Be told what will be compared, so that it can be looked at in one go."""


class CharacterTriples:
    """A stand-in without weights: the cosine of counts of three characters in a row (teval 11.5).

    Its values say nothing about meaning and are never mixed with those of a model.
    """

    model = SimilarityModel(name="char3")

    def __init__(self) -> None:
        self._counted: dict[str, tuple[Counter[str], float]] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """There is nothing to look up."""

    def cosine(self, one: str, other: str) -> float:
        """Compare two texts; 0 where one of two unequal texts has no three characters."""
        if one == other:
            return 1.0
        mine, my_length = self._count(one)
        theirs, their_length = self._count(other)
        if not mine or not theirs:
            return 0.0
        if len(theirs) < len(mine):
            mine, theirs = theirs, mine
        return sum(count * theirs[triple] for triple, count in mine.items()) / (my_length * their_length)

    def _count(self, text: str) -> tuple[Counter[str], float]:
        if text not in self._counted:
            plain = f" {' '.join(text.lower().split())} "
            counts = Counter(plain[i : i + 3] for i in range(len(plain) - 2))
            self._counted[text] = counts, sqrt(sum(count * count for count in counts.values()))
        return self._counted[text]


class WantedTexts:
    """Takes the place of a similarity to learn which texts will be compared; says 0 to each pair."""

    model = SimilarityModel(name="none")

    def __init__(self) -> None:
        self.texts: dict[str, None] = {}

    def prepare(self, texts: Iterable[str]) -> None:
        """Note texts."""
        self.texts.update(dict.fromkeys(texts))

    def cosine(self, one: str, other: str) -> float:
        """Note both, unless they are equal."""
        if one != other:
            self.texts[one] = self.texts[other] = None
        return float(one == other)


def prepared(similarity: Similarity, work: Callable[[Similarity], object]) -> None:
    """Do the work once without similarities, so that every text it compares is looked at in one go."""
    wanted = WantedTexts()
    work(wanted)
    similarity.prepare(wanted.texts)


def clipped(similarity: Similarity, one: str, other: str) -> float:
    """The cosine of two texts, nothing below 0 (teval 5)."""
    return max(0.0, similarity.cosine(one, other))
