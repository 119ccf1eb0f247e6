"""Which of many passages hold a value: looked up in one index instead of read through, one by one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

from annotator.cases.evidence.passages import Passage, Speaker, are_named_alike, decimals_of
from scoring.generics import T
from scoring.groups import united
from scoring.model.flow import Scalar, number_text, squeeze
from scoring.orders.lattice import bits

_BEGINNING = 8
"""Letters by which parts of texts are looked up."""
Places = dict[T, int]
"""For each key the numbers of the passages that have it, as the bits of an integer."""


class PassageIndex:
    """Passages by number, and which of them hold, state or mean a thing.

    Answers are sets of passages, as the bits of integers. Everything is read when it is first asked for.

    Args:
        passages: All passages in dialogue order; None for a number that stands for none.
    """

    def __init__(self, passages: Sequence[Passage | None]) -> None:
        self.passages = tuple(passages)
        self.all = sum(1 << i for i, passage in enumerate(passages) if passage is not None)
        self.now = self._those(lambda passage: passage.speaker is Speaker.NOW)
        self.told = self.all & ~self.now
        self.system = self._those(lambda passage: passage.speaker is Speaker.SYSTEM)
        self.observed = self._those(lambda passage: passage.speaker is Speaker.OBSERVATION)
        self.spoken = self._those(lambda passage: passage.speaker is Speaker.REPLY)
        self.asked = self._those(lambda passage: passage.is_asked)
        self._rounded: dict[int, Places[float]] = {}
        self._holders: dict[str, int] = {}

    def holding(self, needle: str) -> int:
        """Passages whose letters and digits contain a text (`squeezed`)."""
        found = self._holders.get(needle)
        if found is None:
            found = self._holders[needle] = self._those(lambda passage: needle in passage.squeezed)
        return found

    def stating(self, number: float | int) -> int:
        """Passages that state a number, however it is written and whatever its sign."""
        return self._numbers.get(number, 0) | self._numbers.get(-number, 0)

    @cached_property
    def _numbers(self) -> Places[float | int]:
        return self._placed(lambda passage: passage.numbers)

    def stating_alike(self, number: float | int, parameter: str) -> int:
        """Of those that state a number: what the user said, and places that carry the parameter's name."""
        alike = 0
        for i in downwards(self.stating(number)):
            found = self.at(i).find_number(number, parameter=parameter)
            if (self.asked >> i) & 1 or (found and are_named_alike(parameter, found.path)):
                alike |= 1 << i
        return alike

    def rounding_to(self, number: float | int, decimals: int) -> int:
        """Passages with a longer number that rounds to this one."""
        rounded = self._rounded.get(decimals)
        if rounded is None:
            rounded = self._rounded[decimals] = self._placed(
                lambda passage: [
                    short
                    for number in passage.numbers
                    if isinstance(number, float) and (short := round(number, decimals)) != number
                ]
            )
        return rounded.get(number, 0)

    def stating_about(self, number: float | int) -> int:
        """Passages that state a number or a longer one that rounds to it."""
        decimals = decimals_of(number)
        return self.stating(number) | (self.rounding_to(number, decimals) if decimals is not None else 0)

    @cached_property
    def words(self) -> Places[str]:
        """Where each word occurs."""
        return self._placed(lambda passage: passage.vocabulary)

    @cached_property
    def stems(self) -> Places[str]:
        """Where a word of each stem occurs."""
        return united((stem_of(word), places) for word, places in self.words.items())

    @cached_property
    def clocks(self) -> Places[tuple[int, int]]:
        """Where each clock time is named."""
        return self._placed(lambda passage: passage.clocks)

    @cached_property
    def dated(self) -> int:
        """Passages that speak of any day."""
        return self._those(lambda passage: passage.has_dates)

    def at(self, number: int) -> Passage:
        """The passage of a number that stands for one."""
        passage = self.passages[number]
        assert passage is not None
        return passage

    def _those(self, is_one: Callable[[Passage], bool]) -> int:
        return sum(1 << i for i, one in enumerate(self.passages) if one is not None and is_one(one))

    def _placed(self, keys: Callable[[Passage], Iterable[T]]) -> Places[T]:
        return united(
            (key, 1 << i)
            for i, passage in enumerate(self.passages)
            if passage is not None
            for key in keys(passage)
        )


Part = tuple[int, int, str, Scalar]
"""A value inside an observation: number of the passage, position and pointer in it, and the value."""


class PartIndex:
    """Values that longer texts may contain, found by how they begin.

    Args:
        parts: The values; texts and figures of at least three characters.
    """

    def __init__(self, parts: Iterable[Part]) -> None:
        self._by_beginning: dict[str, list[tuple[str, Part]]] = {}
        self._by_letters: dict[str, list[Part]] = {}
        for part in parts:
            text = number_text(part[3]).strip()
            folded = text.casefold()
            self._by_beginning.setdefault(folded[:_BEGINNING], []).append((folded, part))
            self._by_letters.setdefault(squeeze(text), []).append(part)
        self._lengths = sorted(set(map(len, self._by_beginning)))

    def within(self, text: str) -> list[Part]:
        """All values that may stand in a text or differ from it by spacing and punctuation, each once."""
        folded = text.casefold()
        beginnings = {folded[i : i + n] for n in self._lengths for i in range(len(folded) - n + 1)}
        found = list(self._by_letters.get(squeeze(text), ()))
        for beginning in beginnings & self._by_beginning.keys():
            found += [part for whole, part in self._by_beginning[beginning] if whole in folded]
        return list({part[:2]: part for part in found}.values())


def downwards(numbers: int) -> Iterator[int]:
    """The members of a set of passages, the latest first."""
    while numbers:
        top = numbers.bit_length() - 1
        yield top
        numbers ^= 1 << top


def stem_of(word: str) -> str:
    """A word without the endings that only change its form."""
    for ending in ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "ly", "s", "e", "y"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@dataclass(frozen=True)
class Known:
    """What a call could know of: sets of passages, the preferred first, in each the latest first."""

    index: PassageIndex
    parts: tuple[int, ...]

    @classmethod
    def of(cls, passage: Passage) -> "Known":
        """One passage alone."""
        return cls(PassageIndex((passage,)), (1,))

    @cached_property
    def all(self) -> int:
        """All passages as one set."""
        return reduce(int.__or__, self.parts, 0)

    @cached_property
    def told(self) -> "Known":
        """Without the simulated time."""
        return Known(self.index, tuple(part & self.index.told for part in self.parts))

    def __iter__(self) -> Iterator[Passage]:
        return self.among(self.index.all)

    def among(self, places: int) -> Iterator[Passage]:
        """Those that are also in another set, in their order."""
        return (self.index.at(i) for part in self.parts for i in downwards(part & places))

    def within(self, places: int) -> "Known":
        """Only those that are also in another set."""
        return Known(self.index, tuple(part & places for part in self.parts))

    def upwards(self, places: int) -> Iterator[Passage]:
        """Those that are also in another set, in the order of the dialogue."""
        return map(self.index.at, bits(self.all & places))

    def know(self, word: str) -> bool:
        """Whether a word occurs in any of them."""
        return bool(self.index.words.get(word, 0) & self.all)

    def know_stem(self, stem: str) -> bool:
        """Whether a word of a stem occurs in any of them."""
        return bool(self.index.stems.get(stem, 0) & self.all)

    def first(self, places: int) -> Passage | None:
        """The first passage that is also in another set."""
        found = next((part & places for part in self.parts if part & places), 0)
        return self.index.at(found.bit_length() - 1) if found else None
