"""Ids of known-answer cases: each looks like those of the cases around it, and is nobody's."""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

_NUMBER = re.compile(r"\d+(?!.*\d)", re.DOTALL)
_SEPARATOR = re.compile(r"([\W_]+)")
_WORD = re.compile(r"[^\W\d_]{4,12}")
_TRIES = 100
"""Of each kind: numbers, recombined pieces, words."""
_LONGEST = 190


def id_like(
    like: str,
    *,
    near: Sequence[str],
    texts: Sequence[str],
    is_taken: Callable[[str], bool],
    chance: random.Random,
) -> str:
    """An id for a copy that nobody can tell from the others by its looks.

    Where the ids around count (`trip-7`, `trip-9`), it is another number among theirs, or just behind them.
    Else it is put together from pieces of theirs (`oslo-flight` and `bergen-hotel`: `oslo-hotel`; halves of
    digests), or it has a word of the requests in place of its own.

    Args:
        like: The id of the case in whose place the copy is given.
        near: The ids around it.
        texts: Requests around it.
        is_taken: Whether a case or a copy has an id.
        chance: Draws.
    """
    known = {like, *near}
    others = [name for name in near if name != like]
    for name in chain(
        _numbered(like, others, chance), _recombined(like, others, chance), _worded(like, texts, chance)
    ):
        if name not in known and not is_taken(name):
            return name
        known.add(name)
    number = 2
    while is_taken(f"{like[:_LONGEST]}-{number}"):
        number += 1
    return f"{like[:_LONGEST]}-{number}"


def _numbered(like: str, others: Sequence[str], chance: random.Random) -> Iterator[str]:
    """The id with another last number, where others differ from it in that number alone."""
    number = _NUMBER.search(like)
    if number is None:
        return
    before, after = like[: number.start()], like[number.end() :]
    shape = re.compile(rf"{re.escape(before)}(\d+){re.escape(after)}")
    digits = [match[1] for match in map(shape.fullmatch, others) if match]
    if not digits:
        return
    digits.append(number[0])
    width = len(number[0]) if any(digit.startswith("0") and len(digit) > 1 for digit in digits) else 0
    first, last = min(map(int, digits)), max(map(int, digits))
    yield from (f"{before}{chance.randint(first, last + turn):0{width}}{after}" for turn in range(_TRIES))


def _recombined(like: str, others: Sequence[str], chance: random.Random) -> Iterator[str]:
    """The id with one piece of another of as many pieces; ids without a separator have two halves."""
    pieces = _pieces(like)
    fitting = [other for other in map(_pieces, others) if len(other) == len(pieces)]
    if len(pieces) == 1 or not fitting:
        return
    for _ in range(_TRIES):
        place = chance.randrange(0, len(pieces), 2)
        made = "".join((*pieces[:place], chance.choice(fitting)[place], *pieces[place + 1 :]))
        if len(made) <= _LONGEST:
            yield made


def _pieces(name: str) -> list[str]:
    """Pieces at even places, separators at odd ones; halves of what looks like a digest."""
    pieces = _SEPARATOR.split(name)
    if len(pieces) == 1 and len(name) >= 8 and re.search(r"\d", name):
        return [name[: len(name) // 2], "", name[len(name) // 2 :]]
    return pieces


def _worded(like: str, texts: Sequence[str], chance: random.Random) -> Iterator[str]:
    """The id with a word of the requests in place of its last one, written as that is."""
    own = list(re.finditer(r"[^\W\d_]+", like))
    words = sorted({word.lower() for text in texts for word in _WORD.findall(text)})
    if not own or not words:
        return
    start, end = own[-1].span()
    written = str.upper if own[-1][0].isupper() else str.title if own[-1][0].istitle() else str.lower
    for word in chance.sample(words, min(len(words), _TRIES)):
        yield f"{like[:start]}{written(word)}{like[end:]}"[:_LONGEST]
