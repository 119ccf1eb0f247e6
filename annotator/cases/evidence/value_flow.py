"""Values that travel inside one task: from what an earlier step brought back into a later call."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

from annotator.cases.argument_schemas import allows_by_name, has_default, is_described, schemas_at
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.origins import find_value
from annotator.cases.evidence.passage_index import Known
from annotator.cases.evidence.passages import (
    SHORTEST_EMBEDDED,
    Found,
    Likeness,
    Speaker,
    are_named_alike,
    squeezed,
    telling_leaves,
)
from annotator.cases.evidence.quantities import as_number
from annotator.cases.pointers import keys_of
from scoring.groups import collected, grouped
from scoring.model.case import Call
from scoring.model.flow import Scalar, SearchableText
from scoring.orders.lattice import bits

_SMALLEST_TELLING = 10


@dataclass(frozen=True, slots=True)
class Flow:
    """A value of a call that an earlier step of the same task brought in.

    `path` points into the call's arguments; `found` is the place in the source's observation or in
    the reply to its question. `is_part` says that the argument only contains the value.
    """

    source: int
    target: int
    path: str
    value: Scalar
    found: Found
    is_part: bool = False

    @property
    def from_reply(self) -> bool:
        """Whether the value was said by the user in answer to a question."""
        return self.found.passage.speaker is Speaker.REPLY


def flows_into(dialogue: Dialogue, task: int, *, step: int, drawn: int = 0) -> tuple[Flow, ...]:
    """Find the values of a call that can only come from earlier steps of its task.

    A value that stands in the request, in the dialogue before the task, in the schema or in an
    earlier call's arguments could have come from there and is no flow.

    Args:
        dialogue: The prepared case.
        task: Task number.
        step: Step number of a call.
        drawn: Steps it is known to wait for, as the bits of an integer.

    Returns:
        Flows in the order of the arguments; of several sources for one value the first ones, up to
        the first that is drawn.
    """
    call = dialogue.case.tasks[task].steps[step]
    if not isinstance(call, Call) or not dialogue.within_task(task, step):
        return ()
    return dialogue.once(("flows", task, step, drawn), partial(_trace, dialogue, (task, step), call, drawn))


@collected
def _trace(dialogue: Dialogue, place: tuple[int, int], call: Call, drawn: int) -> Iterator[Flow]:
    task = place[0]
    known = dialogue.before_steps(task)
    for path, value in telling_leaves(call.arguments):
        if _is_known(dialogue, task, call, path, value, known):
            continue
        whole: list[Flow] = []
        for flow in _sources_of(dialogue, place, path, value):
            whole.append(flow)
            if drawn >> flow.source & 1:
                break
        yield from whole or _parts_of(dialogue, place, path, value, known)


def _is_known(dialogue: Dialogue, task: int, call: Call, path: str, value: Scalar, known: Known) -> bool:
    if _used_before(dialogue, task, value, beyond=None):
        return True
    tool = dialogue.case.tool(call.name)
    schemas = schemas_at(tool, path) if tool else ()
    return (
        allows_by_name(schemas, value)
        or has_default(schemas, value)
        or (tool is not None and is_described(tool, schemas, value=value))
        or find_value(value, known) is not None
    )


def _used_before(dialogue: Dialogue, task: int, value: Scalar, *, beyond: int | None) -> bool:
    """Whether a call of an earlier task, or of this task up to a step, was made with the value."""
    first = next(iter(dialogue.uses(value)), None)
    return first is not None and first <= (task, -1 if beyond is None else beyond)


def _sources_of(dialogue: Dialogue, place: tuple[int, int], path: str, value: Scalar) -> Iterator[Flow]:
    task, step = place
    parameter = next((key for key in reversed(keys_of(path)) if not key.isdecimal()), "")
    number = as_number(value)
    needle = squeezed(str(value))
    index = dialogue.index
    # What a call was made with already is no news in an observation after it.
    first_task, first_step = dialogue.uses(value)[0]
    until = first_step if first_task == task else 0 if first_task < task else None
    candidates = dialogue.within_task(task, step, until=until) & index.observed
    candidates |= dialogue.within_task(task, step) & index.spoken
    candidates &= index.holding(needle) | (index.stating_about(number) if number is not None else 0)
    for i in bits(candidates):
        passage = index.at(i)
        found = passage.find(value, needle, parameter=parameter)
        if found is None and number is not None:
            found = passage.find_number(number, parameter=parameter) or passage.find_rounded(number)
        if found and passage.step is not None and _is_specific(value, found, parameter):
            yield Flow(passage.step, step, path, value, found)


def _is_specific(value: Scalar, found: Found, parameter: str) -> bool:
    number = as_number(value)
    if number is None:
        return found.likeness is Likeness.EXACT or len(str(value)) >= SHORTEST_EMBEDDED
    if not float(number).is_integer() or abs(number) >= _SMALLEST_TELLING:
        return True
    return found.passage.speaker is Speaker.REPLY or are_named_alike(parameter, found.path)


def _parts_of(
    dialogue: Dialogue, place: tuple[int, int], path: str, value: Scalar, known: Known
) -> Iterator[Flow]:
    if not isinstance(value, str) or len(value.split()) < 2:
        return
    task, step = place
    index = dialogue.index
    words = SearchableText(value)
    for i, parts in _parts_within(dialogue, value, dialogue.within_task(task, step) & index.observed):
        passage = index.at(i)
        for inner_path, part in parts:
            if (
                passage.step is None
                or words.find(part) is None
                or find_value(part, known)
                or _used_before(dialogue, task, part, beyond=passage.step)
            ):
                continue
            place_found = passage.find(part, squeezed(str(part))) or passage.find_number(as_number(part) or 0)
            if place_found and place_found.path == inner_path:
                yield Flow(passage.step, step, path, part, place_found, is_part=True)
                break


def _parts_within(
    dialogue: Dialogue, value: str, within: int
) -> Iterator[tuple[int, list[tuple[str, Scalar]]]]:
    """What a text may contain of what passages hold, in the order of the dialogue."""
    found = dialogue.parts.within(value)
    places = grouped((i, (position, path, part)) for i, position, path, part in found if within >> i & 1)
    for i in sorted(places):
        yield i, [(path, part) for _, path, part in sorted(places[i], key=itemgetter(0))]
