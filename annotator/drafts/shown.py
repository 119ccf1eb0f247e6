"""What a confirmation is about, and whether that was shown: in sight for the time its new words take to read.

A confirmation counts only once every passage of its subject was in sight, those with new words for at least
as long as anybody needs to read them, and only where it comes some time after the press before.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from annotator.cases.evidence.answer_facts import answer_facts
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.passages import Speaker
from annotator.cases.pointers import keys_of
from annotator.drafts.checklists import Item, answer_of
from annotator.drafts.reading_time import text_seconds
from scoring.model.case import Case, Task, spoken_texts
from scoring.model.labels import DialogueSource, Judgment
from scoring.model.taxonomy import CheckAnswer

SHORTEST_GAP_SECONDS = 0.3
"""Presses that follow each other faster come from a hand that does not wait for what it sees."""
CONFIRMING = (CheckAnswer.PASS, CheckAnswer.NOT_APPLICABLE)
"""Answers that close an item; who says that it fails may say so at once."""
GOLD = "gold"
"""The field of the gold example."""
_CHARACTERS = 150
"""A longer text is several passages, so that it can be read while it does not fit on a screen."""
_ROUNDING = 1e-6


@dataclass(frozen=True)
class SubjectPart:
    """Words a confirmation is about, and where they stand.

    `step` is None for a request. `field` is that of a card: `user`, `text`, `reply` or `observation`; or the
    id of an item for the item itself, with what is said below it; or `GOLD` for the gold example beside the
    case. `text` is what is read there: empty where it is enough to see that it is there. `piece` says which
    part of a text it is, as its number and how many there are. `source` is a value of an observation.
    """

    task: int
    step: int | None
    field: str
    text: str = ""
    piece: tuple[int, int] = (0, 1)
    source: DialogueSource | None = None

    @cached_property
    def seconds(self) -> float:
        """How long it takes to read at the least."""
        return text_seconds(self.text)


def subject_of(item: Item, dialogue: Dialogue) -> tuple[SubjectPart, ...]:
    """What an item is about: request, questions, answer, the item itself, and what speaks against it.

    For the facts those values of observations of the task that the answer states; what an earlier task
    returned was looked at there.

    Args:
        item: The item.
        dialogue: The prepared case.

    Returns:
        The passages in the order they are read; those of the dialogue as a whole are of every task.
    """
    tasks = dialogue.case.tasks
    numbers = range(len(tasks)) if item.task is None else (item.task,)
    found = [passage for t in numbers for passage in _said_in(tasks[t], t)]
    if item.id == "facts" and item.task is not None:
        found += _values_of(dialogue, item.task)
    if item.id == "gold_reference":
        found.append(SubjectPart(0, None, GOLD))
    note = item.look if item.against or item.unseen else ""
    return (*found, SubjectPart(item.task or 0, None, item.id, note))


def stated_values(dialogue: Dialogue, task: int) -> tuple[DialogueSource, ...]:
    """Where the observations of a task hold what its answer states."""
    return tuple(passage.source for passage in _values_of(dialogue, task) if passage.source is not None)


def why_not(item: Item, case: Case, answer: CheckAnswer) -> str:
    """Why an item cannot be confirmed whatever was shown, and what to do instead; empty where it can.

    Args:
        item: The item.
        case: The case.
        answer: What would be said.
    """
    if item.task is None or item.id not in ("relevant", "facts"):
        return ""
    task, place = case.tasks[item.task], f"Task {item.task + 1}"
    if task.answer is None or not task.answer.text.strip():
        return f"{place} has no answer: write it, or say with F that “{item.sentence}” fails."
    is_missing = any(call.observation is None for _, call in task.calls)
    if item.id == "facts" and is_missing and answer is CheckAnswer.PASS:
        return f"{place} misses an observation: “{item.sentence}” fails (F), or does not apply (-)."
    return ""


def confirmed_passages(
    items: Sequence[Item], judgment: Judgment, dialogue: Dialogue
) -> frozenset[SubjectPart]:
    """What the person has confirmed something about: its words are not new when the case is opened again."""
    answered = (item for item in items if answer_of(item, judgment) in CONFIRMING)
    return frozenset(passage for item in answered for passage in subject_of(item, dialogue))


class Shown:
    """What of one case was in sight so far, and for how long; moments are seconds of any clock.

    Args:
        known: What has only to be seen, since its words are not new.
    """

    def __init__(self, known: Collection[SubjectPart] = ()) -> None:
        self._known = known
        self._read: dict[SubjectPart, float] = {}
        self._in_sight: tuple[SubjectPart, ...] = ()
        self._at = 0.0
        self._pressed_at = float("-inf")

    def look(self, in_sight: Sequence[SubjectPart], *, at: float) -> None:
        """Note what is in sight now. What was before and still is was read meanwhile, one after the other.

        Args:
            in_sight: The passages in the order they are read.
            at: The moment.
        """
        left = at - self._at
        for passage in self._in_sight:
            if passage in in_sight:
                needed = min(max(passage.seconds - self._read[passage], 0), left)
                self._read[passage] += needed
                left -= needed
        self._read |= {passage: 0.0 for passage in in_sight if passage not in self._read}
        self._in_sight, self._at = tuple(in_sight), at

    def press(self, at: float) -> bool:
        """Note that something was confirmed; whether it comes late enough behind the press before."""
        gap, self._pressed_at = at - self._pressed_at, at
        return gap >= SHORTEST_GAP_SECONDS - _ROUNDING

    def unread(self, subject: Sequence[SubjectPart]) -> tuple[SubjectPart, ...]:
        """What of a subject was not in sight, or not for long enough."""
        return tuple(one for one in subject if one not in self._read or self.seconds_left(one) > _ROUNDING)

    def seconds_left(self, passage: SubjectPart) -> float:
        """How long a passage still has to be in sight."""
        return 0.0 if passage in self._known else max(passage.seconds - self._read.get(passage, 0.0), 0.0)


def _said_in(task: Task, number: int) -> Iterator[SubjectPart]:
    yield from _pieces(number, None, "user", task.user)
    for step, found in enumerate(task.steps):
        for field, text in spoken_texts(found):
            yield from _pieces(number, step, field, text)


def _pieces(task: int, step: int | None, field: str, text: str) -> Iterator[SubjectPart]:
    count = -(-len(text.strip()) // _CHARACTERS)
    for piece in range(count):
        part = text.strip()[piece * _CHARACTERS : (piece + 1) * _CHARACTERS]
        yield SubjectPart(task, step, field, part, (piece, count))


def _values_of(dialogue: Dialogue, task: int) -> tuple[SubjectPart, ...]:
    here = (
        place
        for place in (fact.found for fact in answer_facts(dialogue, task).facts)
        if (place.passage.task, place.passage.speaker) == (task, Speaker.OBSERVATION)
    )
    passages = (
        SubjectPart(
            task,
            place.passage.step,
            "observation",
            " ".join((*keys_of(place.path)[-1:], place.text[:_CHARACTERS])),
            source=place.source,
        )
        for place in here
    )
    return tuple(dict.fromkeys(passages))
