"""How different requests are: sentence forms, openings, lengths, and near duplicates (generation 3.3)."""

import re
import threading
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

from scoring.model.record import Record

NEAR = 0.8
"""Two requests that share this part of their word pairs (Jaccard) are near duplicates."""

_WORD = re.compile(r"[a-z0-9]+|[^\W_a-z0-9]", re.IGNORECASE)


class Variety(Record):
    """How varied some requests are.

    Attributes:
        count: How many there are.
        forms: How many of the sentence forms occur (question, exclamation, statement, request).
        openings: Different first two words.
        shortest: Fewest words, or characters in a language without blanks.
        longest: Most of them.
        near_duplicates: Requests that are near an earlier one.
    """

    count: int
    forms: dict[str, int]
    openings: int
    shortest: int
    longest: int
    near_duplicates: int


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in small letters; characters beyond the Latin script stand for themselves."""
    return tuple(word.casefold() for word in _WORD.findall(text))


def pairs_of(text: str) -> frozenset[tuple[str, ...]]:
    """Neighbouring words of a text, its ends included."""
    return frozenset(pairwise(("", *words_of(text), "")))


def likeness(one: frozenset[Hashable], other: frozenset[Hashable]) -> float:
    """Share of its parts, as word pairs of texts, that two things have in common, from 0 to 1 (Jaccard)."""
    return len(one & other) / len(one | other) if one or other else 1.0


def form_of(text: str) -> str:
    """The form of a sentence, by its last sign and its first word."""
    bare = text.strip()
    if bare.endswith(("?", "？", "吗", "呢")):
        return "question"
    if bare.endswith(("!", "！")):
        return "exclamation"
    first = next(iter(words_of(bare)), "")
    return "statement" if first in ("i", "we", "my", "our", "the", "it", "there", "我", "我们") else "request"


def variety_of(texts: Iterable[str]) -> Variety:
    """Measure requests, in their order."""
    requests = tuple(texts)
    words, pairs = list(map(words_of, requests)), list(map(pairs_of, requests))
    lengths = list(map(len, words))
    return Variety(
        count=len(requests),
        forms=dict(Counter(map(form_of, requests))),
        openings=len({one[:2] for one in words}),
        shortest=min(lengths, default=0),
        longest=max(lengths, default=0),
        near_duplicates=sum(
            any(likeness(own, other) >= NEAR for other in pairs[:place]) for place, own in enumerate(pairs)
        ),
    )


class UsedRequests:
    """The first requests of a run so far, by toolset; any thread may ask and add."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pairs: dict[str, list[frozenset[tuple[str, ...]]]] = {}

    def add(self, toolset: str, text: str) -> None:
        """Note a request that is used."""
        with self._lock:
            self._pairs.setdefault(toolset, []).append(pairs_of(text))

    def likeness(self, toolset: str, text: str) -> float:
        """How near the nearest earlier request is, from 0 to 1."""
        own = pairs_of(text)
        with self._lock:
            return max((likeness(own, other) for other in self._pairs.get(toolset, ())), default=0.0)

    def freshest(self, toolset: str, texts: Sequence[str]) -> tuple[int, float]:
        """The candidate least like the earlier requests, and how like it is; the first of equal ones."""
        found = [self.likeness(toolset, text) for text in texts]
        best = min(range(len(texts)), key=found.__getitem__)
        return best, found[best]
