"""Whether a task hides what it needs in the way its information label says."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import OriginKind, find_value, origins_of, places_of
from annotator.cases.evidence.passage_index import Known
from annotator.cases.evidence.passages import Passage, telling_leaves
from scoring.model.flow import Scalar
from scoring.model.labels import Citation, DialogueSource
from scoring.model.taxonomy import Information
from scoring.wording import INFORMATION

LONG_RANGE_TURNS = 2
"""A source more than this many turns back is long range (scoring 1.1); a turn is one message of the user."""


@dataclass(frozen=True, slots=True)
class UnmetLabel:
    """Why a declared label does not hold, and the label that would, where that is known."""

    message: str
    proposal: str | None = None


def unmet_information(
    dialogue: Dialogue, task: int, *, citations: Sequence[Citation] = ()
) -> UnmetLabel | None:
    """Check the declared information type of a task.

    Args:
        dialogue: The prepared case.
        task: Task number.
        citations: What people cited; it comes before what a program can find.

    Returns:
        What is wrong; None where the label holds, where there is none, and where nothing can be said:
        no call, a value of unknown origin, or an observation that was never recorded.
    """
    declared = dialogue.case.tasks[task].information
    if declared is None:
        return None
    if task == 0 or declared is Information.FIRST:
        if (task == 0) == (declared is Information.FIRST):
            return None
        where = "the first task" if task == 0 else "a task that is not the first"
        return UnmetLabel(
            f"The information of {where} says {INFORMATION[declared]}.", "first" if task == 0 else None
        )
    distances = _distances(dialogue, task, citations, is_nearest=False)
    if distances is None:
        return None
    if not distances:
        return UnmetLabel(
            f"The information says {INFORMATION[declared]}, "
            "but every value stands in the task itself or its tools."
        )
    if declared is Information.LONG_RANGE and max(distances) <= LONG_RANGE_TURNS:
        implied = hidden_values(dialogue, task, citations=citations)
        return UnmetLabel(
            f"The information says {INFORMATION[declared]}, "
            f"but its farthest source is {_turns(max(distances))} back, not more than {LONG_RANGE_TURNS}.",
            implied.information if implied else None,
        )
    return None


@dataclass(frozen=True, slots=True)
class HiddenValues:
    """What the calls of a task need that the task itself does not say.

    `count` is how many such values there are, 0 where every value stands in the task itself or its tools;
    `farthest` is how many turns back the farthest of them stands. `is_named` says whether the request points
    back with a word that stands for one of them.
    """

    count: int
    farthest: int
    is_named: bool

    @property
    def information(self) -> Information | None:
        """The information type this implies (design 2); None where nothing is hidden."""
        if not self.count:
            return None
        if self.farthest > LONG_RANGE_TURNS:
            return Information.LONG_RANGE
        return Information.REFERENCE if self.is_named else Information.OMISSION

    @property
    def reason(self) -> str:
        """Why this type is implied, as a sentence."""
        before = _turns(self.farthest)
        where = (
            f"a value it needs stands up to {before} before"
            if self.count == 1
            else f"{self.count} values it needs stand up to {before} before"
        )
        if self.farthest > LONG_RANGE_TURNS:
            return where
        return (
            f"{where}; the request points back at something"
            if self.is_named
            else f"{where}; the request leaves out something"
        )


_POINTING = re.compile(
    r"\b(it|its|those|them|they|their|he|him|his|she|one|ones|same|both|former|latter|previous|above|there"
    r"(?!['’]|\s+(?:is|are|was|were|will)\b)|(?:this|that|these)(?!\s+\w*(?:day|week|weekend|month|year|"
    r"morning|afternoon|evening)\b)|the (?:first|second|third|fourth|last|other)s?)\b"
    r"|[它他她这那该]|上述|前者|后者|其中|刚才",
    re.IGNORECASE,
)
"""Words of a request that stand for something said before; Chinese has no boundaries between words."""


def hidden_values(
    dialogue: Dialogue, task: int, *, citations: Sequence[Citation] = ()
) -> HiddenValues | None:
    """What a task hides, by what people cited and else by what a program finds.

    Returns:
        None for the first task and where the origin of a value is not known.
    """
    if task == 0:
        return None
    distances = _distances(dialogue, task, citations, is_nearest=True)
    if distances is None:
        return None
    is_named = bool(_POINTING.search(dialogue.case.tasks[task].user))
    return HiddenValues(len(distances), max(distances, default=0), is_named)


def says_every_value(dialogue: Dialogue, task: int) -> bool:
    """Whether every value of the calls of a task stands in its request, so that no reply had to add one."""
    request = Known.of(dialogue.request(task))
    values = (
        value for _, call in dialogue.case.tasks[task].calls for _, value in telling_leaves(call.arguments)
    )
    return all(find_value(value, request) for value in values)


def _turns(count: int) -> str:
    return "one turn" if count == 1 else f"{count} turns"


def _distances(
    dialogue: Dialogue, task: int, citations: Sequence[Citation], *, is_nearest: bool
) -> list[int] | None:
    """How many turns back the hidden values lie, at one place of each; None where unknown.

    What people cited is that place, else the nearest or the farthest that a program finds.
    """
    calls = dialogue.case.tasks[task].calls
    if not any(True for _, call in calls for _ in telling_leaves(call.arguments)):
        return None
    here = dialogue.request(task).turn
    distances: list[int] = []
    for step, call in calls:
        cited = {c.path: c.source for c in citations if (c.task, c.step) == (task, step)}
        for path, value in telling_leaves(call.arguments):
            source = cited.get(path)
            match source:
                case DialogueSource():
                    turn = _turn_of(dialogue, source)
                    distances += [here - turn] if turn is not None and (source.task or 0) < task else []
                case None:
                    found = _earlier(dialogue, (task, step), path, value, is_nearest=is_nearest)
                    if found is None:
                        return None
                    distances += [here - passage.turn for passage in found]
    return distances


def _turn_of(dialogue: Dialogue, source: DialogueSource) -> int | None:
    if source.task is None or not 0 <= source.task < len(dialogue.tasks):
        return None
    own = (passage for passage in dialogue.tasks[source.task] if passage.step == source.step)
    is_reply = source.text == "reply"
    same = (passage.turn for passage in own if (passage.speaker.value == "reply") == is_reply)
    return next(same, dialogue.request(source.task).turn)


def _earlier(
    dialogue: Dialogue, place: tuple[int, int], path: str, value: Scalar, *, is_nearest: bool
) -> list[Passage] | None:
    # An earlier passage that holds the value; none where the task itself does; null where unknown.
    task, step = place
    if find_value(value, dialogue.before_call(task, step).within(dialogue.numbers_of(task))):
        return []
    earlier = Known(dialogue.index, (dialogue.before_task(task) & ~dialogue.index.system,))
    found = find_value(value, earlier)
    if found:
        return [found.passage if is_nearest else _first_with(value, earlier) or found.passage]
    origin = next(o for o in origins_of(dialogue, task, step=step) if o.path == path)
    return [] if origin.kind is OriginKind.SCHEMA else None


def _first_with(value: Scalar, earlier: Known) -> Passage | None:
    possible = earlier.upwards(places_of(value, earlier.index))
    return next((p for p in possible if find_value(value, Known.of(p))), None)
