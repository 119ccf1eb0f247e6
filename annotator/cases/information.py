"""Whether a task hides what it needs in the way its information label says."""

from collections.abc import Sequence
from dataclasses import dataclass

from annotator.cases.dialogue import Dialogue
from annotator.cases.origins import OriginKind, find_value, origins_of, places_of
from annotator.cases.passages import Passage, telling_leaves
from annotator.cases.searching import Known
from scoring.model.case import Call
from scoring.model.flow import Scalar
from scoring.model.labels import Citation, DialogueSource
from scoring.model.taxonomy import Information

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
        What is wrong; null where the label holds, where there is none, and where nothing can be said:
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
            f"The information of {where} says {declared.value}.", "first" if task == 0 else None
        )
    distances = _distances(dialogue, task, citations)
    if distances is None:
        return None
    if not distances:
        return UnmetLabel(
            f"The information says {declared.value}, but every value stands in the task itself or its tools."
        )
    if declared is Information.LONG_RANGE and max(distances) <= LONG_RANGE_TURNS:
        return UnmetLabel(
            f"The information says long_range, but its farthest source is {_turns(max(distances))} back, "
            f"not more than {LONG_RANGE_TURNS}."
        )
    return None


def _turns(count: int) -> str:
    return "one turn" if count == 1 else f"{count} turns"


def _distances(dialogue: Dialogue, task: int, citations: Sequence[Citation]) -> list[int] | None:
    """How many turns back the hidden values lie, the farthest place of each; null where unknown."""
    calls = dialogue.case.tasks[task].calls
    if not any(True for _, call in calls for _ in telling_leaves(call.arguments)):
        return None
    here = dialogue.request(task).turn
    distances: list[int] = []
    for step, call in calls:
        cited = {c.path: c.source for c in citations if (c.task, c.step) == (task, step)}
        for path, value in telling_leaves(call.arguments):
            source = cited.get(path)
            if isinstance(source, DialogueSource):
                turn = _turn_of(dialogue, source)
                distances += [here - turn] if turn is not None and (source.task or 0) < task else []
            elif source is None:
                found = _farthest(dialogue, (task, step), call, path, value)
                if found is None:
                    return None
                distances += [here - passage.turn for passage in found]
    return distances


def _turn_of(dialogue: Dialogue, source: DialogueSource) -> int | None:
    if source.task is None or not 0 <= source.task < len(dialogue.tasks):
        return None
    for passage in dialogue.tasks[source.task]:
        if passage.step == source.step and (source.text == "reply") == (passage.speaker.value == "reply"):
            return passage.turn
    return dialogue.request(source.task).turn


def _farthest(
    dialogue: Dialogue, place: tuple[int, int], call: Call, path: str, value: Scalar
) -> list[Passage] | None:
    # The farthest earlier passage that holds the value; none where the task itself does; null where unknown.
    task, step = place
    if find_value(value, dialogue.before_call(task, step).within(dialogue.numbers_of(task))):
        return []
    earlier = Known(dialogue.index, (dialogue.before_task(task) & ~dialogue.index.system,))
    found = find_value(value, earlier)
    if found:
        return [_first_with(value, earlier) or found.passage]
    origin = next(o for o in origins_of(dialogue, task, step=step) if o.path == path)
    return [] if origin.kind is OriginKind.SCHEMA else None


def _first_with(value: Scalar, earlier: Known) -> Passage | None:
    possible = earlier.upwards(places_of(value, earlier.index))
    return next((p for p in possible if find_value(value, Known.of(p))), None)
