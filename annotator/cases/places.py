"""Reaching a task or step of a case by its number, and putting a changed one back."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from scoring.errors import GraphError, InputError
from scoring.model.case import Answer, Ask, Call, Case, Edge, Task
from scoring.model.graph import with_drawn_edges

Kind = TypeVar("Kind", Call, Ask, Answer)
AnyStep = Call | Ask | Answer

_NAMES: Mapping[type, str] = {Call: "a tool call", Ask: "a question", Answer: "an answer"}


def task_at(case: Case, task: int) -> Task:
    """The task of a number.

    Raises:
        InputError: The case has no such task.
    """
    if not 0 <= task < len(case.tasks):
        raise InputError(f"There is no task {task}; the case has {len(case.tasks)}.", "Choose another task.")
    return case.tasks[task]


def step_at(case: Case, task: int, *, step: int) -> AnyStep:
    """The step of a number.

    Raises:
        InputError: The task or the step does not exist.
    """
    steps = task_at(case, task).steps
    if not 0 <= step < len(steps):
        raise InputError(f"Task {task} has no step {step}; it has {len(steps)}.", "Choose another step.")
    return steps[step]


def step_of_kind(case: Case, task: int, *, step: int, kind: type[Kind]) -> Kind:
    """The step of a number, which must be of one kind.

    Raises:
        InputError: There is no such step, or it is of another kind.
    """
    found = step_at(case, task, step=step)
    if not isinstance(found, kind):
        raise InputError(
            f"Step {step} of task {task} is {_NAMES[type(found)]}, not {_NAMES[kind]}.",
            "Choose another step.",
        )
    return found


def with_task(case: Case, task: int, *, changed: Task) -> Case:
    """The case with one task put in the place of another."""
    return case.model_copy(update={"tasks": (*case.tasks[:task], changed, *case.tasks[task + 1 :])})


def with_step(case: Case, task: int, *, step: int, changed: AnyStep) -> Case:
    """The case with one step put in the place of another; edges and all else stay as they are."""
    found = task_at(case, task)
    steps = (*found.steps[:step], changed, *found.steps[step + 1 :])
    return with_task(case, task, changed=found.model_copy(update={"steps": steps}))


def with_steps(
    task: Task, steps: Sequence[AnyStep], *, places: Mapping[int, int], added: Sequence[Edge] = ()
) -> Task:
    """A task with other steps, whose dependencies follow.

    Args:
        task: The task before.
        steps: Its steps afterwards.
        places: For each step that is still there its number before and after.
        added: Further dependencies, in the numbers afterwards; those that exist already are passed over.

    Returns:
        The task; a dependency of a step that is gone is gone, and the answer follows the new sinks.

    Raises:
        GraphError: The answer would no longer be the one last step, or the dependencies run in a circle.
    """
    _require_answer_last(task, steps)
    drawn = {
        (places[edge.source], places[edge.target]): edge.kind
        for edge in task.drawn_edges
        if edge.source in places and edge.target in places
    }
    for edge in added:
        drawn.setdefault(edge.pair, edge.kind)
    return with_drawn_edges(
        task.model_copy(update={"steps": tuple(steps), "edges": ()}),
        [Edge(source=a, target=b, kind=kind) for (a, b), kind in drawn.items() if a != b],
    )


def _require_answer_last(task: Task, steps: Sequence[AnyStep]) -> None:
    answers = [place for place, step in enumerate(steps) if isinstance(step, Answer)]
    if len(answers) > 1:
        raise GraphError("A task has one answer, and this one has it already.", "Edit that answer.")
    was_last = task.answer_index in (None, len(task.steps) - 1)
    if answers and was_last and answers[0] != len(steps) - 1:
        raise GraphError(
            "The answer is the last step; nothing can follow it.", "Put the step before the answer."
        )
