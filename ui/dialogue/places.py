"""Places of a dialogue: where words were found, and what somebody selected to cite a value from it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile

from pydantic import JsonValue

from scoring.model.case import Call, Case, Task, spoken_texts
from scoring.model.labels import DialogueSource
from scoring.model.record import Record, to_text
from scoring.wording import folded
from ui.dialogue.content import USER_STEP
from ui.dialogue.json_text import JsonText, TokenKind


@dataclass(frozen=True)
class SearchHit:
    """One place where the words stand: the `nth` time (from 0) in a field of a card."""

    task: int
    step: int
    field: str
    nth: int


def find_words(case: Case, words: str) -> tuple[SearchHit, ...]:
    """Find every place where words are said, from the first task to the last.

    Args:
        case: The case.
        words: What to look for; capital letters and width do not matter, and nothing is found for nothing.
    """
    needle = folded(words)
    if not needle:
        return ()
    return tuple(
        SearchHit(number, step, field, nth)
        for number, task in enumerate(case.tasks)
        for step, field, value in _fields(task)
        if value is not None
        for nth in range(folded(to_text(value)).count(needle))
    )


def place_of(text: str, words: str, nth: int) -> tuple[int, int] | None:
    """Where words stand the nth time in a text that is shown, as [start, end).

    Args:
        text: The text as shown.
        words: What was looked for.
        nth: Which time, from 0.

    Returns:
        The place; None where the text shows them less often, e.g. because Markdown was read.
    """
    shown, needle = folded(text), folded(words)
    if not needle:
        return None
    end = 0
    for _ in range(nth + 1):
        at = shown.find(needle, end)
        if at < 0:
            return None
        end = at + len(needle)
    return end - len(needle), end


def _fields(task: Task) -> Iterator[tuple[int, str, JsonValue]]:
    yield USER_STEP, "user", task.user
    for number, step in enumerate(task.steps):
        if isinstance(step, Call):
            yield number, "name", step.name
            yield number, "thought", step.thought
            yield number, "arguments", step.arguments
            yield number, "observation", step.observation
        yield from ((number, field, text) for field, text in spoken_texts(step))


_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)


class Picked(Record):
    """What was selected in one field.

    `path` is None in a field that is a text. `span` is [start, end) in characters of the text there: of the
    field, or of the string the path leads to; None where the whole value is meant. `words` is what is
    selected, as it is shown.
    """

    path: str | None = None
    span: tuple[int, int] | None = None
    words: str


class Citing(Record):
    """The argument value whose source is looked for; `path` is a JSON Pointer into the call's arguments."""

    task: int
    step: int
    path: str

    def can_come_from(self, task: int, step: int | None) -> bool:
        """Whether a place was there before the value: steps count as earlier in the order they are listed."""
        return (step is None or step < self.step) if task == self.task else task < self.task


class SpanPick(Picked):
    """A place of the dialogue that was selected with the mouse or the keys.

    `step` is None for the request of the task. `field` is the field of the card: `user`, `text`, `reply`,
    `thought`, `observation` or `arguments`.
    """

    task: int
    step: int | None
    field: str

    def lies_in(self, other: "SpanPick") -> bool:
        """Whether it is the other place, or a part of it."""
        is_field = (self.task, self.step, self.field) == (other.task, other.step, other.field)
        is_value = f"{self.path or ''}/".startswith(f"{other.path or ''}/")
        first, second = self.span, other.span
        return is_field and is_value and (not first or not second or second[0] <= first[0] < second[1])

    @property
    def card_step(self) -> int:
        """Step number of the card it stands in."""
        return USER_STEP if self.step is None else self.step

    @property
    def source(self) -> DialogueSource | None:
        """The place as citations name it.

        Returns:
            None for a thought, which nobody said, and for an argument of an earlier call: what is selected
            there comes from where that argument (`task`, `step`, `path`) comes from.
        """
        match self.field:
            case "user":
                return DialogueSource(task=self.task, text="user", span=self.span)
            case "reply":
                return DialogueSource(task=self.task, step=self.step, text="reply", span=self.span)
            case "text":
                return DialogueSource(task=self.task, step=self.step, span=self.span)
            case "observation":
                return DialogueSource(task=self.task, step=self.step, path=self.path or "", span=self.span)
            case _:
                return None


def pick_in_text(text: str, start: int, end: int) -> Picked | None:
    """What [start, end) of a text means, without the blanks around it; None where nothing is left."""
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    words = words.strip()
    return Picked(span=(start, start + len(words)), words=words) if words else None


def pick_in_rendered(raw: str, shown: str, start: int, end: int) -> Picked | None:
    """What a part of rendered Markdown means in the text it was made of.

    Args:
        raw: The Markdown.
        shown: What it is shown as.
        start: First character that was selected in what is shown.
        end: The character behind the last.

    Returns:
        None where the words do not stand in the Markdown as often as on screen, so that the place is unsure.
    """
    picked = pick_in_text(shown, start, end)
    if picked is None or picked.span is None or raw.count(picked.words) != shown.count(picked.words):
        return None
    at = -1
    for _ in range(shown.count(picked.words, 0, picked.span[1])):
        at = raw.find(picked.words, at + 1)
    return Picked(span=(at, at + len(picked.words)), words=picked.words)


def pick_in_json(written: JsonText, start: int, end: int) -> Picked | None:
    """What [start, end) of written JSON means: part of a string, a whole value, or what holds all of them.

    Args:
        written: The value as it is shown.
        start: First character that was selected.
        end: The character behind the last.
    """
    touched = [
        (at, token)
        for at, following, token in written.spans
        if at < end and start < following and token.kind is not TokenKind.PUNCTUATION
    ]
    words = written.text[start:end].strip()
    paths = {token.path for _, token in touched}
    if not touched or not words:
        return None
    if len(paths) > 1:
        return Picked(path=_common(paths), words=words)
    at, token = touched[-1]
    span = _span_in(token.text, start - at, end - at) if token.kind is TokenKind.STRING else None
    return Picked(path=token.path, span=span, words=words)


def _span_in(written: str, start: int, end: int) -> tuple[int, int] | None:
    """Characters of a string that stand between two places of its JSON text; null for all of them."""
    ends = [1, *(found.end() for found in _ESCAPED.finditer(written, 1, len(written) - 1))]
    first = sum(place <= start for place in ends[1:])
    last = sum(place < end for place in ends[:-1])
    return None if (first, last) == (0, len(ends) - 1) or first >= last else (first, last)


def _common(paths: set[str]) -> str:
    levels = zip(*(path.split("/") for path in paths), strict=False)
    return "/".join(keys[0] for keys in takewhile(lambda keys: len(set(keys)) == 1, levels))
