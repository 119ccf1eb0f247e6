"""Small builders for tests: name only the fields that matter."""

from collections.abc import Sequence

from pydantic import JsonValue

from scoring.matching.task_scores import TaskScore
from scoring.model.case import Answer, Ask, AskedTool, Call, Case, Edge, Now, Task, Tool
from scoring.model.graph import with_drawn_edges
from scoring.model.record import JsonObject
from scoring.model.taxonomy import (
    ActionDetail,
    ArgumentProfile,
    C3Mistake,
    EdgeKind,
    Information,
    Policy,
    WildtoolMistake,
)


def tool(name: str = "getForecast", *, required: Sequence[str] = (), **properties: JsonObject) -> Tool:
    """A tool whose keyword arguments are property schemas."""
    parameters: JsonObject = {
        "type": "object",
        "properties": dict(properties),
        "required": list(required),
    }
    return Tool(definition={"type": "function", "function": {"name": name, "parameters": parameters}})


def call(name: str = "getForecast", observation: JsonValue = "fine", **arguments: JsonValue) -> Call:
    """A call whose keyword arguments are the call's arguments."""
    return Call(name=name, arguments=arguments, observation=observation)


def ask(text: str = "For which city?", reply: str = "Oslo", *, about: str = "getForecast") -> Ask:
    """A clarifying question about one tool."""
    return Ask(text=text, reply=reply, asks_for=(AskedTool(tool_name=about),))


def answer(text: str = "It is sunny there.") -> Answer:
    """A summary of tool results."""
    return Answer(text=text)


def task(
    *steps: Call | Ask | Answer,
    user: str = "Weather in Oslo?",
    edges: Sequence[tuple[int, int]] = (),
    policy: Policy | None = None,
    information: Information | None = None,
) -> Task:
    """A task whose drawn edges are given as pairs; edges at the answer follow by themselves."""
    bare = Task(user=user, policy=policy, information=information, steps=steps)
    drawn = [Edge(source=a, target=b, kind=EdgeKind.LOGICAL) for a, b in edges]
    return with_drawn_edges(bare, drawn)


def case(*tasks: Task, id: str = "c-1", tools: Sequence[Tool] = (), now: str | None = None) -> Case:  # noqa: A002
    """A case of the given tasks; one chat task where none is given."""
    return Case(
        id=id,
        tools=tuple(tools),
        tasks=tasks or (task(answer()),),
        now=Now.read(now) if now else None,
    )


def task_score(
    case: str = "c-1",
    task: int = 0,
    *,
    right: bool = True,
    names: bool | None = None,
    policy: Policy | None = Policy.SINGLE,
    information: Information | None = None,
    optimal: bool = False,
    steps: tuple[int, int] = (0, 1),
    error: WildtoolMistake | None = None,
    error_c3: C3Mistake | None = None,
    detail: ActionDetail | None = None,
) -> TaskScore:
    """A line of a scorecard; wrong ones have no class unless it is given."""
    return TaskScore(
        case=case,
        task=task,
        policy=policy,
        information=information,
        label="correct" if right else "error",
        action_label="correct" if (right if names is None else names) else "error",
        action_detail=detail,
        arguments_label=None,
        arguments_profile=ArgumentProfile.WTB,
        optimal=optimal,
        steps_done=steps[0],
        steps_total=steps[1],
        error=error,
        error_c3=error_c3,
        detail=None,
    )
