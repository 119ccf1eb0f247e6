"""Values that travel inside one task: from what an earlier step brought back into a later call."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from annotator.cases.argument_schemas import allows_by_name, has_default, is_described, schemas_at
from annotator.cases.dialogue import Dialogue
from annotator.cases.origins import find_value
from annotator.cases.passages import (
    Found,
    Likeness,
    Passage,
    Speaker,
    are_named_alike,
    squeezed,
    telling_leaves,
)
from annotator.cases.pointers import keys_of
from annotator.cases.quantities import as_number
from scoring.model.case import Call
from scoring.model.flow import Said, Scalar

_SMALLEST_TELLING = 10
_SHORTEST_EMBEDDED = 4
_FEWEST_DIGITS = 3


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


def flows_into(
    dialogue: Dialogue, task: int, *, step: int, drawn: frozenset[int] = frozenset()
) -> tuple[Flow, ...]:
    """Find the values of a call that can only come from earlier steps of its task.

    A value that stands in the request, in the dialogue before the task, in the schema or in an
    earlier call's arguments could have come from there and is no flow.

    Args:
        dialogue: The prepared case.
        task: Task number.
        step: Step number of a call.
        drawn: Steps it is known to wait for.

    Returns:
        Flows in the order of the arguments; of several sources for one value the first ones, up to
        the first that is drawn.
    """
    call = dialogue.case.tasks[task].steps[step]
    within = dialogue.within_task(task, step)
    if not isinstance(call, Call) or not within:
        return ()
    known = (dialogue.request(task), *dialogue.before_task(task))
    sources = tuple(reversed(within))
    found: list[Flow] = []
    for path, value in telling_leaves(call.arguments):
        if _is_known(dialogue, task, call, path, value, known):
            continue
        whole: list[Flow] = []
        for flow in _sources_of(dialogue, (task, step), path, value, sources):
            whole.append(flow)
            if flow.source in drawn:
                break
        found += whole or _parts_of(dialogue, (task, step), path, value, known, sources)
    return tuple(found)


def _is_known(
    dialogue: Dialogue, task: int, call: Call, path: str, value: Scalar, known: Sequence[Passage]
) -> bool:
    tool = dialogue.case.tool(call.name)
    schemas = schemas_at(tool, path) if tool else ()
    if allows_by_name(schemas, value) or has_default(schemas, value):
        return True
    if tool and is_described(tool, schemas, value=value):
        return True
    return find_value(value, known) is not None or _used_before(dialogue, task, value, beyond=None)


def _used_before(dialogue: Dialogue, task: int, value: Scalar, *, beyond: int | None) -> bool:
    """Whether a call of an earlier task, or of this task up to a step, was made with the value."""
    first = next(iter(dialogue.uses(value)), None)
    return first is not None and first <= (task, -1 if beyond is None else beyond)


def _sources_of(
    dialogue: Dialogue, place: tuple[int, int], path: str, value: Scalar, sources: Sequence[Passage]
) -> Iterator[Flow]:
    task, step = place
    parameter = next((key for key in reversed(keys_of(path)) if not key.isdecimal()), "")
    number = as_number(value)
    needle = squeezed(str(value))
    first_use = dialogue.uses(value)[0]
    for passage in sources:
        if passage.step is None or passage.speaker not in (Speaker.OBSERVATION, Speaker.REPLY):
            continue
        if passage.speaker is Speaker.OBSERVATION and first_use <= (task, passage.step):
            continue
        found = passage.find(value, needle, parameter=parameter)
        if found is None and number is not None:
            found = passage.find_number(number, parameter=parameter) or passage.find_rounded(number)
        if found and _is_specific(value, found, parameter):
            yield Flow(passage.step, step, path, value, found)


def _is_specific(value: Scalar, found: Found, parameter: str) -> bool:
    number = as_number(value)
    if number is None:
        return found.likeness is Likeness.EXACT or len(str(value)) >= _SHORTEST_EMBEDDED
    if not float(number).is_integer() or abs(number) >= _SMALLEST_TELLING:
        return True
    return found.passage.speaker is Speaker.REPLY or are_named_alike(parameter, found.path)


def _parts_of(
    dialogue: Dialogue,
    place: tuple[int, int],
    path: str,
    value: Scalar,
    known: Sequence[Passage],
    sources: Sequence[Passage],
) -> list[Flow]:
    if not isinstance(value, str) or len(value.split()) < 2:
        return []
    task, step = place
    said = Said(value)
    flows = []
    for passage in sources:
        if passage.step is None or passage.speaker is not Speaker.OBSERVATION:
            continue
        for inner_path, part in passage.scalars:
            if not _is_telling_part(part) or said.find(part) is None:
                continue
            if find_value(part, known) or _used_before(dialogue, task, part, beyond=passage.step):
                continue
            found = passage.find(part, squeezed(str(part))) or passage.find_number(as_number(part) or 0)
            if found and found.path == inner_path:
                flows.append(Flow(passage.step, step, path, part, found, is_part=True))
                break
    return flows


def _is_telling_part(part: Scalar) -> bool:
    if isinstance(part, str):
        return len(part.strip()) >= _SHORTEST_EMBEDDED
    if part is None or isinstance(part, bool):
        return False
    return sum(character.isdigit() for character in str(part)) >= _FEWEST_DIGITS
