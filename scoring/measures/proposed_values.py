"""What a call may accept besides its gold arguments: where models give another value, and only that is wrong.

Models of at least two makes must give the same value, as for a suspect. Whether it is right, people say.
"""

from collections.abc import Iterable, Iterator
from functools import reduce
from typing import Any, cast

from pydantic import JsonValue

from scoring.groups import grouped
from scoring.matching.accepted_values import compare_accepted
from scoring.matching.argument_problems import Place, pointer_of
from scoring.matching.arguments import check_arguments, read_arguments
from scoring.matching.gold import Gold
from scoring.matching.replay import replay
from scoring.measures.suspects import FEWEST_MAKES, make_of
from scoring.model.case import AcceptedValue, Tool
from scoring.model.record import JsonObject, Record, members_in, to_json
from scoring.model.taxonomy import ArgumentProfile
from scoring.predictions import Prediction

Voice = tuple[str, Gold, Prediction]
"""A model, a task, and what the model replied to it."""


class ProposedValue(Record):
    """Something else that may be right at a place of a call: so many `models` of all `asked` gave it.

    `path` is the JSON Pointer of the place in the arguments, `gold` what stands there; `step` is the number
    of the call in its task, from 0. No model is named where the schema of the tool proposes it.
    """

    case: str
    task: int
    step: int
    tool: str
    path: str
    gold: JsonValue
    added: AcceptedValue
    models: tuple[str, ...] = ()
    asked: int = 0


def propose_values(golds: Iterable[Gold], voices: Iterable[Voice]) -> Iterator[ProposedValue]:
    """Propose what models of several makes agree on, then to leave out values that are defaults.

    Args:
        golds: The tasks.
        voices: What models say to them; a model may be heard several times about a task, and counts once.
    """
    for heard in grouped(((voice[1].case_id, voice[1].task_number), voice) for voice in voices).values():
        asked = {model for model, _, _ in heard}
        said = ((one.model_dump_json(), model) for model, gold, told in heard for one in _instead(gold, told))
        for proposal, names in grouped(said).items():
            models = tuple(sorted(set(names)))
            if len(set(map(make_of, models))) >= FEWEST_MAKES:
                found = ProposedValue.model_validate_json(proposal)
                yield found.model_copy(update={"models": models, "asked": len(asked)})
    for gold in golds:
        for step, call in gold.task.calls:
            for name in _defaults(gold.tools.get(call.name), call.arguments):
                rest = {key: value for key, value in call.arguments.items() if key != name}
                yield from _proposal(gold, step, rest)


def _defaults(tool: Tool | None, arguments: JsonObject) -> Iterator[str]:
    """The arguments whose value is the default that the schema gives."""
    declared = members_in(tool.parameters.get("properties")) if tool else {}
    for name, value in arguments.items():
        schema = members_in(declared.get(name))
        if "default" in schema and to_json(schema["default"]) == to_json(value):
            yield name


def _instead(gold: Gold, prediction: Prediction) -> Iterator[ProposedValue]:
    """What the calls of a run would need."""
    match = replay(gold, prediction.replies, profile=ArgumentProfile.ACCEPTED)
    for reply, outcome in zip(match.replies, match.outcomes, strict=False):
        for call, step in zip(reply.tool_calls, outcome.steps, strict=False):
            said = read_arguments(call.arguments or "")
            if isinstance(said, dict):
                yield from _proposal(gold, step, said)


def _proposal(gold: Gold, step: int, said: JsonObject) -> Iterator[ProposedValue]:
    """What would have to be accepted for the arguments to be right, where one place is enough."""
    own, rules, name = gold.arguments(step), gold.accepts(step), gold.graph.names[step]
    problem, _ = compare_accepted(said, own, rules)
    if problem is None:
        return
    place = _whole_list((*problem.place, *problem.missing))
    path, is_missing = pointer_of(place), bool(problem.missing)
    added = AcceptedValue(optional=is_missing, values=() if is_missing else (_value_at(said, place),))
    accepts = {**rules, path: widened(rules.get(path, AcceptedValue()), added)}
    if check_arguments(
        said, own, tool=gold.tools.get(name), profile=ArgumentProfile.ACCEPTED, accepts=accepts
    ).correct:
        at = {"case": gold.case_id, "task": gold.task_number, "step": step, "tool": name, "path": path}
        yield ProposedValue(**at, gold=_value_at(own, place), added=added)


def widened(before: AcceptedValue, added: AcceptedValue) -> AcceptedValue:
    """What is accepted at a place already, and what is proposed besides."""
    values = {to_json(value): value for value in (*before.values, *added.values)}
    return before.model_copy(
        update={"values": tuple(values.values()), "optional": before.optional or added.optional}
    )


def _whole_list(place: Place) -> Place:
    """The place of the list a value is in, as people accept lists as a whole; else its own."""
    return _whole_list(place[:-1]) if place and isinstance(place[-1], int) else place


def _value_at(arguments: JsonObject, place: Place) -> JsonValue:
    return reduce(lambda found, key: cast("Any", found)[key], place, cast("JsonValue", arguments))
