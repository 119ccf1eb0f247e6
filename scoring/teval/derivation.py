"""T-Eval items out of our own cases: one solution per request with calls, and why others give none."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from networkx import DiGraph, NetworkXUnfeasible, lexicographical_topological_sort
from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.chat.messages import text_message
from scoring.groups import grouped
from scoring.history import shown_time
from scoring.model.case import Answer, Ask, Call, Case, Task, Tool
from scoring.model.record import JsonObject, Record, members_in, objects_in, to_text
from scoring.model.taxonomy import Protocol
from scoring.teval.names import escape_name, tool_name
from scoring.teval.reach import reached
from scoring.teval.solutions import Solution, SolutionStep, broken_rule, gold_path
from scoring.teval.subsets import LEAST_PLAN, Items, Subset, missing_history, missing_review, write_items

_TYPES = {"string": "STRING", "integer": "NUMBER", "number": "FLOAT", "boolean": "BOOLEAN"}
_RETURNS = ("response", "returns", "outputSchema", "output_schema")
_STEP_SUBSETS = (Subset.REASON_STR, Subset.RETRIEVE_STR, Subset.UNDERSTAND_STR, Subset.RRU_JSON)


class Remedy(StrEnum):
    """What would bring the items that are missing."""

    THOUGHTS = "Write a thought for each call."
    OBSERVATIONS = "Record what each call returned."
    LABELS = "Give each call a review label."
    MORE_STEPS = "Nothing: the plan of one call is the call."
    CALLS = "Nothing: the task is answered without tools."
    CORRECTION = "Correct the case."


class NotDerived(Record):
    """Items that a task, or one step of it, does not give; tasks and steps count from 0."""

    case: str
    task: int
    step: int | None = None
    subsets: tuple[Subset, ...]
    reason: str
    remedy: Remedy


class Doubtful(Record):
    """Something that makes an item easier or harder than it should be; the item is kept (teval 2.3)."""

    case: str
    task: int
    step: int | None = None
    reason: str


class Derivation(Record):
    """The items of a set of cases, what they do not give, and what is doubtful about them.

    `tools` leads from each name in the items to the case's own, where the two differ.
    """

    items: Items
    tools: dict[str, str]
    not_derived: tuple[NotDerived, ...]
    doubtful: tuple[Doubtful, ...] = ()


@dataclass(frozen=True)
class TaskSolution:
    """A solution and where it stands: `steps` are the numbers of its calls within the task.

    `answer` is the number of the step that closes it, None where none does.
    """

    solution: Solution
    task: int
    steps: tuple[int, ...]
    answer: int | None


def derive(cases: Iterable[Case]) -> Derivation:
    """Cut the items of all six abilities out of cases; the same cases always give the same items.

    Args:
        cases: Verified cases.

    Raises:
        InputError: Two cases have one id, so that their items would have too.
    """
    items: Items = {subset: {} for subset in Subset}
    doubtful: list[Doubtful] = []
    seen: set[str] = set()
    tools: dict[str, str] = {}
    missing: list[NotDerived] = []
    for case in cases:
        if case.id in seen:
            raise InputError(f"Two cases have the id {case.id}.", "Give each its own.")
        seen.add(case.id)
        tools |= {tool_name(tool.name): tool.name for tool in case.tools if tool_name(tool.name) != tool.name}
        solved: set[int] = set()
        for solution in solutions_of(case):
            solved.add(solution.task)
            rule = broken_rule(solution.solution)
            if rule:
                missing.append(_missing(case, solution.task, tuple(Subset), rule, Remedy.CORRECTION))
                continue
            missing.extend(_what_is_missing(case, solution))
            files = write_items(solution.solution)
            doubtful.extend(_doubts(case, solution, files))
            for subset, cut in files.items():
                items[subset] |= {name: _with_source(body, case, solution) for name, body in cut.items()}
        missing.extend(
            _missing(case, t, tuple(Subset), "the task has no tool call", Remedy.CALLS)
            for t in range(len(case.tasks))
            if t not in solved
        )
    return Derivation(
        items=items,
        tools=dict(sorted(tools.items())),
        not_derived=tuple(missing),
        doubtful=tuple(doubtful),
    )


def _missing(
    case: Case,
    task: int,
    subsets: tuple[Subset, ...],
    reason: str,
    remedy: Remedy,
    *,
    step: int | None = None,
) -> NotDerived:
    return NotDerived(case=case.id, task=task, step=step, subsets=subsets, reason=reason, remedy=remedy)


def _what_is_missing(case: Case, found: TaskSolution) -> Iterator[NotDerived]:
    solution = found.solution
    path = gold_path(solution)
    if len(path) < LEAST_PLAN:
        plans = (Subset.PLAN_JSON, Subset.PLAN_STR)
        yield _missing(case, found.task, plans, "the plan has one step", Remedy.MORE_STEPS)
    lacking = missing_history(solution, path)
    if lacking:
        remedy = Remedy.THOUGHTS if "thought" in lacking else Remedy.OBSERVATIONS
        yield _missing(case, found.task, _STEP_SUBSETS, lacking, remedy)
    for number, step in enumerate(solution.steps):
        lacking = missing_review(step)
        if lacking:
            remedy = Remedy.THOUGHTS if "thought" in lacking else Remedy.LABELS
            yield _missing(case, found.task, (Subset.REVIEW_STR,), lacking, remedy, step=found.steps[number])


def _doubts(case: Case, solution: TaskSolution, files: Items) -> Iterator[Doubtful]:
    """Thoughts that name a tool give RETRIEVE away; behind a line with `user` replies are cut off."""
    for number, step in enumerate(solution.solution.steps):
        named = next((name for tool in case.tools if (name := tool.name) and name in step.thought), None)
        if named is not None:
            reason = f"the thought names the tool {named}"
            yield Doubtful(case=case.id, task=solution.task, step=solution.steps[number], reason=reason)
    bodies = (body for items in files.values() for body in items.values())
    if any("\nuser" in str(told["content"]) for body in bodies for told in objects_in(body["origin_prompt"])):
        yield Doubtful(case=case.id, task=solution.task, reason="a prompt has a line that begins with user")


def _with_source(body: JsonObject, case: Case, found: TaskSolution) -> JsonObject:
    """Say where an item comes from: the case's own id, the task, and the step where it is about one."""
    meta = members_in(body["meta_data"])
    number = meta.get("step")
    source: JsonObject = {"case": case.id, "task": found.task}
    if isinstance(number, int):
        recorded = (
            number
            if "kind" in meta
            else next((s.number for s in gold_path(found.solution)[number : number + 1]), None)
        )
        source["step"] = found.answer if recorded is None else found.steps[recorded]
    return {**body, "meta_data": {**meta, "source": source}}


@dataclass
class _Part:
    """The calls between two questions to the user, as they come."""

    query: str
    earlier: list[JsonObject]
    calls: list[int] = field(default_factory=list)


def solutions_of(case: Case) -> Iterator[TaskSolution]:
    """Cut a case into solutions: one for each thing the user says that tool calls follow (teval 2.3).

    A task without questions to the user gives one solution; each reply to a question begins another, to which
    everything before it is earlier talk. Steps come in the recorded order where that is a legal one, else in
    the first legal order.
    """
    documents = tuple(_document(tool) for tool in case.tools)
    earlier: list[JsonObject] = []
    for t, task in enumerate(case.tasks):
        now = shown_time(case, t, protocol=Protocol.WILDTOOL)
        query = f"Current time: {now}\n{task.user}" if now else task.user
        parts = [_Part(query, list(earlier))]
        told = [*earlier, text_message("user", query)]
        answer: int | None = None
        for s in _order(task):
            step = task.steps[s]
            match step:
                case Call():
                    parts[-1].calls.append(s)
                    told.extend(_told_call(step))
                case Ask():
                    parts.append(_Part(step.reply, [*told, text_message("assistant", step.text)]))
                    told = [*parts[-1].earlier, text_message("user", step.reply)]
                case _:
                    answer = s
                    told.append(text_message("assistant", step.text))
        earlier = told
        for number, part in enumerate(parts):
            if part.calls:
                name = f"{escape_name(case.id, also='-')}_t{t}" + (f"p{number}" if number else "")
                closing = answer if part is parts[-1] else None
                solution = _solution(name, task, part, documents, closing=closing)
                yield TaskSolution(solution, t, tuple(part.calls), closing)


def _order(task: Task) -> list[int]:
    graph: DiGraph[int] = DiGraph()
    graph.add_nodes_from(range(len(task.steps)))
    graph.add_edges_from(edge.pair for edge in task.edges)
    try:
        return list(lexicographical_topological_sort(graph))
    except NetworkXUnfeasible:
        return list(range(len(task.steps)))  # rule V3 will name the step


def _told_call(call: Call) -> Iterator[JsonObject]:
    yield text_message("assistant", to_text({"name": tool_name(call.name), "args": call.arguments}))
    if call.observation is not None:
        yield text_message("function", to_text(call.observation))


def _solution(
    name: str, task: Task, part: _Part, documents: tuple[JsonObject, ...], *, closing: int | None
) -> Solution:
    places = {s: i for i, s in enumerate(part.calls)}
    waits_for = grouped((edge.target, edge.source) for edge in task.edges)
    thoughts: dict[int | None, str] = {}
    steps = []
    for s in part.calls:
        call = task.steps[s]
        if not isinstance(call, Call):
            continue
        shared = None if call.thought or call.recorded_round is None else thoughts.get(call.recorded_round)
        if call.thought:
            thoughts.setdefault(call.recorded_round, call.thought)
        steps.append(
            SolutionStep(
                thought=call.thought or shared or "",
                name=tool_name(call.name),
                args=call.arguments,
                deps=_deps(s, waits_for, places),
                observation=call.observation,
                label=call.review_label,
                shared_thought=shared is not None,
            )
        )
    answer = task.steps[closing] if closing is not None else None
    return Solution(
        case_id=name,
        query=part.query,
        tools=documents,
        steps=tuple(steps),
        final_thought=(answer.thought or "") if isinstance(answer, Answer) else "",
        earlier=tuple(part.earlier),
    )


def _deps(step: int, waits_for: Mapping[int, list[int]], places: Mapping[int, int]) -> tuple[int, ...]:
    """Calls of the same part that a step waits for, also through questions to the user."""
    found = reached(
        waits_for.get(step, ()), lambda source: () if source in places else waits_for.get(source, ())
    )
    return tuple(sorted(places[source] for source in found if source in places))


def _document(tool: Tool) -> JsonObject:
    """A function schema in the five fields of T-Eval's tool list (teval 3.3)."""
    parameters = {name: _parameter(name, shape) for name, shape in tool.properties.items()}
    return {
        "name": tool_name(tool.name),
        "description": tool.description,
        "required_parameters": [parameter for name, parameter in parameters.items() if name in tool.required],
        "optional_parameters": [
            parameter for name, parameter in parameters.items() if name not in tool.required
        ],
        "return_data": _returned(tool),
    }


def _parameter(name: str, shape: JsonValue) -> JsonValue:
    known = members_in(shape)
    kind = known.get("type")
    written = _TYPES.get(kind, kind.upper()) if isinstance(kind, str) else "ANY"
    return {"name": name, "type": written, "description": _text(known.get("description"))}


def _returned(tool: Tool) -> list[JsonValue]:
    function = tool.definition.get("function")
    definition = function if isinstance(function, dict) else tool.definition
    schema = next((shape for key in _RETURNS if isinstance(shape := definition.get(key), dict)), {})
    return [
        {"name": name, "description": _text(members_in(shape).get("description"))}
        for name, shape in members_in(schema.get("properties")).items()
    ]


def _text(value: JsonValue) -> str:
    return value if isinstance(value, str) else ""
