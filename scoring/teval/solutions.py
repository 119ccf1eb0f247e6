"""One verified solution of a request, in the shape T-Eval cuts its items from (teval 2)."""

import re
from collections.abc import Mapping

from pydantic import JsonValue

from scoring.model.record import JsonObject, Record, objects_in
from scoring.model.taxonomy import ReviewLabel
from scoring.teval.evaluators import FINISH
from scoring.teval.reach import reached


class SolutionStep(Record):
    """One tool call: why, what, after which earlier steps, what came back, and how it ended.

    `label` is None where nobody said how it ended: the step counts as part of the solution but cannot be
    asked about in REVIEW. A `shared_thought` was written for an earlier call of the same message.
    """

    thought: str
    name: str
    args: JsonObject
    deps: tuple[int, ...] = ()
    observation: JsonValue = None
    label: ReviewLabel | None = None
    shared_thought: bool = False

    @property
    def is_kept(self) -> bool:
        """Whether the step belongs to the gold path."""
        return self.label in (None, ReviewLabel.SUCCESS)


class Solution(Record):
    """A request with its tools and every recorded step in order.

    `tools` are documents with the five fields of teval 3.3, `earlier` the messages before the request.
    `final_thought` is empty where the closing message has none.
    """

    case_id: str
    query: str
    tools: tuple[JsonObject, ...]
    steps: tuple[SolutionStep, ...]
    final_thought: str = ""
    earlier: tuple[JsonObject, ...] = ()


class GoldStep(SolutionStep):
    """A step of the gold path; `number` is its place among the recorded steps."""

    number: int


def gold_path(solution: Solution) -> tuple[GoldStep, ...]:
    """The kept steps, renumbered (teval 2.4).

    A dependency on a dropped step becomes that step's own ones. A step that repeats the call of a dropped
    one just before it takes that one's thought: its own would refer to a failure nobody is shown.
    """
    places: dict[int, int] = {}
    path: list[GoldStep] = []
    dropped: list[SolutionStep] = []
    for number, step in enumerate(solution.steps):
        if not step.is_kept:
            dropped.append(step)
            continue
        first = next((one for one in dropped if one.name == step.name), step)
        dropped = []
        places[number] = len(path)
        path.append(
            GoldStep(
                number=number,
                thought=first.thought,
                name=step.name,
                args=step.args,
                deps=_kept_deps(solution, number, places),
                observation=step.observation,
                shared_thought=step.shared_thought,
            )
        )
    return tuple(path)


def _kept_deps(solution: Solution, number: int, places: Mapping[int, int]) -> tuple[int, ...]:
    steps = solution.steps
    found = reached(steps[number].deps, lambda step: () if step in places else steps[step].deps)
    return tuple(sorted(places[step] for step in found if step in places))


def broken_rule(solution: Solution) -> str | None:
    """The first rule of teval 2.3 that makes a solution useless, with its number; None where all hold.

    Empty thoughts (V4) are not looked at: they take subsets away, not the solution.
    """
    names = [str(tool["name"]) for tool in solution.tools]
    for name in names:
        if names.count(name) > 1:
            return f"V1: the tool {name} is listed {names.count(name)} times"
        if name == FINISH or not re.fullmatch(r"\w+\.\w+", name):
            return f"V1: the tool name {name!r} cannot be used"
    documents = dict(zip(names, solution.tools, strict=True))
    for number, step in enumerate(solution.steps):
        fault = _broken_call(step, documents)
        if fault:
            return f"V2: step {number} {fault}"
        late = [dep for dep in step.deps if not 0 <= dep < number]
        if late:
            return f"V3: step {number} waits for step {late[0]}, which is not before it"
        if step.label is ReviewLabel.SUCCESS and is_empty(step.observation):
            return f"V5: step {number} is a success without an observation"
    if not any(step.is_kept for step in solution.steps):
        return "V6: no step is a success"
    return None


def is_empty(observation: JsonValue) -> bool:
    """Whether a tool returned nothing: None, or an empty text, list or object."""
    return observation is None or observation in ("", [], {})


def _broken_call(step: SolutionStep, documents: Mapping[str, JsonObject]) -> str | None:
    document = documents.get(step.name)
    if document is None:
        return f"calls {step.name}, which is not in the list"
    required = _types(document["required_parameters"])
    declared = required | _types(document["optional_parameters"])
    for name, value in step.args.items():
        if name not in declared:
            return f"has the argument {name}, which {step.name} does not declare"
        if value is None:
            return f"has null as {name}"
        if not _fits(value, declared[name]):
            return f"has {name} of another type than {declared[name]}"
    missing = [name for name in required if name not in step.args]
    if step.is_kept and missing:
        return f"lacks the required argument {missing[0]}"
    return None


def _types(parameters: JsonValue) -> dict[str, str]:
    return {str(one["name"]): str(one["type"]) for one in objects_in(parameters)}


def _fits(value: JsonValue, declared: str) -> bool:
    match declared:
        case "STRING":
            return isinstance(value, str)
        case "NUMBER" | "FLOAT":
            return isinstance(value, int | float) and not isinstance(value, bool)
        case "BOOLEAN":
            return isinstance(value, bool)
        case _:
            return True
