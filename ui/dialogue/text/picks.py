"""A place of the dialogue that somebody selected, so that a value can be cited from it."""

import re

from scoring.model.labels import DialogueSource
from scoring.model.record import Record
from ui.dialogue.text.json_text import JsonText, Token, TokenKind

_ESCAPED = re.compile(r"\\u[0-9a-fA-F]{4}|\\.|.", re.DOTALL)


class Picked(Record):
    """What was selected in one field.

    `path` is null in a field that is a text. `span` is [start, end) in characters of the text there: of the
    field, or of the string the path leads to; null where the whole value is meant. `words` is what is
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
        if task != self.task:
            return task < self.task
        return step is None or step < self.step


class SpanPick(Record):
    """A place of the dialogue that was selected with the mouse or the keys.

    `step` is null for the request of the task. `field` is the field of the card: `user`, `text`, `reply`,
    `thought`, `observation` or `arguments`. The rest is as in `Picked`.
    """

    task: int
    step: int | None
    field: str
    path: str | None = None
    span: tuple[int, int] | None = None
    words: str

    @property
    def source(self) -> DialogueSource | None:
        """The place as citations name it.

        Returns:
            Null for a thought, which nobody said, and for an argument of an earlier call: what is selected
            there comes from where that argument (`task`, `step`, `path`) comes from.
        """
        if self.field == "user":
            return DialogueSource(task=self.task, text="user", span=self.span)
        if self.field == "reply":
            return DialogueSource(task=self.task, step=self.step, text="reply", span=self.span)
        if self.field == "text":
            return DialogueSource(task=self.task, step=self.step, span=self.span)
        if self.field == "observation":
            return DialogueSource(task=self.task, step=self.step, path=self.path or "", span=self.span)
        return None


def pick_in_text(text: str, start: int, end: int) -> Picked | None:
    """What [start, end) of a text means, without the blanks around it; null where nothing is left."""
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
        Null where the words do not stand in the Markdown as often as on screen, so that the place is unsure.
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
    touched: list[tuple[int, Token]] = []
    at = 0
    for token in written.tokens:
        following = at + len(token.text)
        if at < end and start < following and token.kind is not TokenKind.PUNCTUATION:
            touched.append((at, token))
        at = following
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
    keys = [path.split("/") for path in paths]
    shared = []
    for level in zip(*keys, strict=False):
        if len(set(level)) > 1:
            break
        shared.append(level[0])
    return "/".join(shared)
