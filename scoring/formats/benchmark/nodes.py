"""The answer list of a published line: nodes of one task to steps and dependencies, and back (formats 2)."""

from collections.abc import Sequence
from functools import lru_cache

from pydantic import JsonValue

from scoring.errors import GraphError, InputError, reworded
from scoring.formats.fields import arguments_at, list_at, object_at, refuse, text_at
from scoring.model.case import Answer, Ask, AskedTool, Call, Edge, Step, Task
from scoring.model.flow import Scalar, SearchableText, leaves
from scoring.model.graph import ANSWER_NAME, ASK_NAME, check_edges, step_name
from scoring.model.record import JsonObject, items_in, members_in
from scoring.model.strict_json import kind_of
from scoring.model.taxonomy import EdgeKind


def read_nodes(value: JsonValue, where: str, notes: list[str]) -> tuple[tuple[Step, ...], tuple[Edge, ...]]:
    """Read the nodes of one task.

    Args:
        value: The task's answer list as the file has it.
        where: Its path in the line, e.g. `english_answer_list[0]`.
        notes: Gets a sentence for each thing that was understood but is not as it should be.

    Returns:
        Steps in the order of the nodes, and edges sorted: drawn ones first, those at the answer after.

    Raises:
        InputError: A field has the wrong type, a question has no reply, the answer is missing or
            doubled, or the dependencies are out of range or run in a circle.
    """
    nodes = [object_at(node, f"{where}[{i}]") for i, node in enumerate(list_at(value, where))]
    steps = tuple(_step(node, f"{where}[{i}]", notes) for i, node in enumerate(nodes))
    steps = _with_answer_types(nodes, steps)
    answers = [i for i, step in enumerate(steps) if isinstance(step, Answer)]
    if len(answers) != 1:
        found = f"{len(answers)} ({', '.join(map(str, answers))})" if answers else "none"
        raise InputError(f"{where} needs exactly one {ANSWER_NAME}, found {found}.")
    pairs = _pairs(nodes, where, notes)
    with reworded(GraphError, into=lambda exc: InputError(f"{where}: {exc.message}", exc.hint)):
        check_edges(len(steps), pairs)
    return steps, edges_between(steps, pairs)


def _step(node: JsonObject, where: str, notes: list[str]) -> Step:
    action = object_at(node.get("action"), f"{where}.action")
    name = text_at(action.get("name"), f"{where}.action.name")
    arguments = arguments_at(action.get("arguments"), f"{where}.action.arguments", notes)
    observation = node.get("observation")
    if name not in (ANSWER_NAME, ASK_NAME):
        return Call.trusted(name=name, arguments=arguments, observation=observation)
    text = "" if observation is None else text_at(observation, f"{where}.observation")
    if name == ANSWER_NAME:
        return Answer.trusted(text=text)
    if node.get("user_input") is None:
        raise InputError(f"{where} asks the user, but its user_input (the reply) is missing.")
    return Ask(
        text=text, reply=text_at(node["user_input"], f"{where}.user_input"), asks_for=_asked(arguments)
    )


def _asked(arguments: JsonObject) -> tuple[AskedTool, ...]:
    """Both published shapes: a list of tools, or one tool; anything else asks for nothing by name."""
    listed = arguments.get("tool_list", [arguments] if "tool_name" in arguments else [])
    asked = []
    for item in items_in(listed):
        if not isinstance(item, dict) or not isinstance(item.get("tool_name"), str):
            return ()
        missing = item.get("missing_required_parameters", [])
        if not isinstance(missing, list):
            return ()
        names = tuple(name for name in missing if isinstance(name, str))
        asked.append(AskedTool(tool_name=str(item["tool_name"]), missing_required_parameters=names))
    return tuple(asked)


def _with_answer_types(nodes: Sequence[JsonObject], steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Where the file names no answer type, a task without calls is a chat."""
    inferred = "tool" if any(isinstance(step, Call) for step in steps) else "chat"
    return tuple(
        step.model_copy(update={"answer_type": _answer_type(node) or inferred})
        if isinstance(step, Answer)
        else step
        for node, step in zip(nodes, steps, strict=True)
    )


def _answer_type(node: JsonObject) -> JsonValue:
    said = arguments_at(members_in(node["action"]).get("arguments"), "", []).get("answer_type")
    return said if said in ("tool", "chat") else None


def _pairs(nodes: Sequence[JsonObject], where: str, notes: list[str]) -> list[tuple[int, int]]:
    numbers = _numbering(nodes, where)
    pairs: dict[tuple[int, int], None] = {}
    for target, node in enumerate(nodes):
        at = f"{where}[{target}].dependency_list"
        if node.get("dependency_list") is None:
            notes.append(f"{at} is missing; read as no dependency.")
            continue
        for item in list_at(node["dependency_list"], at):
            number = _whole(item, at)
            source = numbers.get(number) if numbers is not None else number
            if source is None or not 0 <= source < len(nodes):
                raise InputError(f"{at} names step {number}, which the task does not have.")
            if source == target:
                notes.append(f"{at} names its own step; left out.")
            elif (source, target) in pairs:
                notes.append(f"{at} names step {number} twice; kept once.")
            else:
                pairs[source, target] = None
    return list(pairs)


def _numbering(nodes: Sequence[JsonObject], where: str) -> dict[int, int] | None:
    """`idx` value -> position where the file numbers its nodes otherwise than by position (IMP-10)."""
    found = [node.get("idx") for node in nodes]
    for i, value in enumerate(found):
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            refuse(f"{where}[{i}].idx", value, "a whole number")
    values = [value for value in found if isinstance(value, int)]
    if len(values) < len(nodes) or len(set(values)) < len(values) or values == list(range(len(values))):
        return None
    return {value: position for position, value in enumerate(values)}


def _whole(value: JsonValue, where: str) -> int:
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{where} holds {kind_of(value)}; numbers of steps are expected.")
    return value


def edges_between(steps: Sequence[Step], pairs: Sequence[tuple[int, int]]) -> tuple[Edge, ...]:
    """Give dependencies their kind: `parameter` where a value flows, `derived` at the answer, else `logical`.

    Args:
        steps: Steps of the task.
        pairs: (source, target) step numbers, each pair once.

    Returns:
        Drawn edges in the order of their pairs, then those at the answer in theirs.
    """
    said: dict[int, SearchableText] = {}
    needed: dict[int, list[Scalar]] = {}
    drawn, derived = [], []
    for source, target in sorted(pairs):
        if isinstance(steps[source], Answer) or isinstance(steps[target], Answer):
            derived.append(_edge(source, target, EdgeKind.DERIVED))
            continue
        if source not in said:
            said[source] = SearchableText(_brought_back(steps[source]))
        if target not in needed:
            reached = steps[target]
            found = leaves(reached.arguments) if isinstance(reached, Call) else ()
            needed[target] = [leaf for _, leaf in found]
        value_flows = any(said[source].find(leaf) is not None for leaf in needed[target])
        drawn.append(_edge(source, target, EdgeKind.PARAMETER if value_flows else EdgeKind.LOGICAL))
    return (*drawn, *derived)


@lru_cache(10_000)
def _edge(source: int, target: int, kind: EdgeKind) -> Edge:
    """One value for the many tasks that have the same dependency."""
    return Edge(source=source, target=target, kind=kind)


def _brought_back(step: Step) -> JsonValue:
    if isinstance(step, Call):
        return step.observation
    return step.reply if isinstance(step, Ask) else None


def write_nodes(task: Task, where: str, *, with_idx: bool) -> list[JsonValue]:
    """Write the steps of a task as an answer list.

    Args:
        task: A task with an answer.
        where: Which task it is, for the message.
        with_idx: Whether nodes carry their position.

    Raises:
        InputError: The task has no answer yet; the published formats cannot say that.
    """
    if task.answer is None:
        raise InputError(
            f"{where} has no answer, which this format requires.",
            "Write the answer, or export as openai or native.",
        )
    before: list[set[int]] = [set() for _ in task.steps]
    for edge in task.edges:
        before[edge.target].add(edge.source)
    return [
        ({"idx": i} if with_idx else {}) | _node(step, sorted(before[i])) for i, step in enumerate(task.steps)
    ]


def _node(step: Step, before: Sequence[int]) -> JsonObject:
    observation: JsonValue
    match step:
        case Call():
            arguments, observation = step.arguments, step.observation
        case Ask():
            arguments, observation = {"tool_list": [_asked_tool(tool) for tool in step.asks_for]}, step.text
        case _:
            arguments, observation = {"answer_type": step.answer_type}, step.text
    node: JsonObject = {
        "action": {"name": step_name(step), "arguments": arguments},
        "observation": observation,
    }
    if isinstance(step, Ask):
        node["user_input"] = step.reply
    return node | {"dependency_list": list(before)}


def _asked_tool(tool: AskedTool) -> JsonObject:
    missing: list[JsonValue] = list(tool.missing_required_parameters)
    return {"tool_name": tool.tool_name, "missing_required_parameters": missing}
