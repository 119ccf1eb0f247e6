"""Dialogues of a thousand steps in which values flow: each call is fed by what came back before it."""

from pydantic import JsonValue

from scoring.model.case import Case, Task
from tests.factories import answer, call, case, task, tool

TEXT: dict[str, JsonValue] = {"type": "string"}
TOOLS = (
    tool("find", required=("place",), place=TEXT, day=TEXT, count={"type": "integer"}),
    tool("act", required=("id",), id=TEXT, note=TEXT, price={"type": "number"}),
)


def _steps(first: int, count: int, *, place: str) -> Task:
    steps = []
    for i in range(first, first + count):
        came_back: JsonValue = {
            "next": f"K-{i + 1:05}",
            "items": [{"name": f"thing {i} {k}", "price": 100.25 + i + k} for k in range(4)],
        }
        if i == first:
            steps.append(call("find", came_back, place=place, day="2026-03-03", count=2))
        else:
            steps.append(
                call("act", came_back, id=f"K-{i:05}", note=f"thing {i - 1} {i % 4}", price=99.25 + i + i % 4)
            )
    user = f"Start in {place} tomorrow with two things, and go on until none is left."
    edges = [(i, i + 1) for i in range(count - 1)]
    return task(*steps, answer(f"All {count} are done."), user=user, edges=edges)


def many_tasks_case(tasks: int = 100, calls: int = 9) -> Case:
    """A hundred tasks of ten steps each; the later tasks hold what the earlier ones do not."""
    made = [_steps(t * calls, calls, place=f"Place {t}") for t in range(tasks)]
    return case(*made, tools=TOOLS, now="2026-03-02 09:00:00")


def one_task_case(calls: int = 1000) -> Case:
    """One task of a thousand calls."""
    return case(_steps(0, calls, place="Lom"), tools=TOOLS, now="2026-03-02 09:00:00")
