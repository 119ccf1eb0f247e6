"""Inserting, deleting, moving, splitting and merging the tasks of a case."""

from annotator.cases.edits.text_edits import require_json
from annotator.cases.places import AnyStep, step_at, task_at, with_steps
from scoring.errors import InputError
from scoring.model.case import Answer, Ask, Case, Edge, Task
from scoring.model.graph import check_task, with_drawn_edges
from scoring.model.taxonomy import EdgeKind


def insert_task(case: Case, index: int, *, task: Task | None = None) -> Case:
    """Put a task before the task of a number, or at the end.

    Args:
        case: The case.
        index: Its future number, 0 to the number of tasks.
        task: The task; an empty one where none is given.

    Raises:
        InputError: There is no such place, or the task holds what no file could hold.
        GraphError: The task's graph breaks a rule.
    """
    if not 0 <= index <= len(case.tasks):
        raise InputError(
            f"Task {index} cannot be inserted; the case has {len(case.tasks)}.", "Insert it next to a task."
        )
    fresh = task if task is not None else Task(user="")
    require_json(fresh.model_dump(mode="json", by_alias=True))
    check_task(fresh)
    return case.model_copy(update={"tasks": (*case.tasks[:index], fresh, *case.tasks[index:])})


def delete_task(case: Case, task: int) -> Case:
    """Delete a task with all its steps.

    Raises:
        InputError: There is no such task, or it is the only one.
    """
    task_at(case, task)
    if len(case.tasks) == 1:
        raise InputError("A case has at least one task.", "Empty the task instead, or reject the case.")
    return case.model_copy(update={"tasks": (*case.tasks[:task], *case.tasks[task + 1 :])})


def move_task(case: Case, task: int, *, to: int) -> Case:
    """Give a task another place in the dialogue.

    Raises:
        InputError: One of the two places does not exist.
    """
    moved = task_at(case, task)
    task_at(case, to)
    tasks = [*case.tasks[:task], *case.tasks[task + 1 :]]
    tasks.insert(to, moved)
    return case.model_copy(update={"tasks": tuple(tasks)})


def split_task(case: Case, task: int, *, step: int) -> Case:
    """Split a task in two at a step.

    At a clarifying question the question becomes the first task's answer and the reply the second
    task's request. At any other step the second task begins with this step and an empty request.
    Dependencies across the cut are dropped; the first task keeps the labels, the second has none.

    Raises:
        InputError: There is no such step, or nothing would be left of the first task.
    """
    found = task_at(case, task)
    cut = step_at(case, task, step=step)
    if step == 0 and not isinstance(cut, Ask):
        raise InputError("The first task would be left without steps.", "Split at a later step.")
    before: tuple[AnyStep, ...] = found.steps[:step]
    after, user = found.steps[step:], ""
    if isinstance(cut, Ask):
        has_call = any(step.kind == "call" for step in before)
        before = (*before, Answer(text=cut.text, answer_type="tool" if has_call else "chat"))
        after, user = found.steps[step + 1 :], cut.reply
    first = with_steps(_unanswered(found), before, places={old: old for old in range(step)})
    offset = len(found.steps) - len(after)
    bare = found.model_copy(update={"user": user, "policy": None, "information": None, "plan": None})
    second = with_steps(bare, after, places={old: old - offset for old in range(offset, len(found.steps))})
    return case.model_copy(update={"tasks": (*case.tasks[:task], first, second, *case.tasks[task + 1 :])})


def _unanswered(task: Task) -> Task:
    """The task without its answer, so that another step may come last."""
    index = task.answer_index
    if index is None:
        return task
    steps = (*task.steps[:index], *task.steps[index + 1 :])
    return task.model_copy(update={"steps": steps, "edges": task.drawn_edges})


def merge_tasks(case: Case, task: int) -> Case:
    """Merge a task with the task behind it.

    Where the first has an answer, the answer becomes a clarifying question and the second request its
    reply, between the steps of both; else the two requests are joined by a line break. The first
    task's labels and time stay.

    Raises:
        InputError: There is no such task, or none behind it.
        GraphError: The steps of the two cannot be put in one graph.
    """
    first = task_at(case, task)
    second = task_at(case, task + 1)
    index, answer, kept = first.answer_index, first.answer, _unanswered(first).steps
    bridge = (Ask(text=answer.text, reply=second.user),) if answer else ()
    user = first.user if answer else "\n".join(text for text in (first.user, second.user) if text)
    offset = len(kept) + len(bridge)
    places = {old: new for new, old in enumerate(old for old in range(len(first.steps)) if old != index)}
    drawn = [
        Edge(source=places[edge.source], target=places[edge.target], kind=edge.kind)
        for edge in first.drawn_edges
    ]
    later = [
        Edge(source=edge.source + offset, target=edge.target + offset, kind=edge.kind)
        for edge in second.drawn_edges
    ]
    steps = (*kept, *bridge, *second.steps)
    across = _around(len(kept), steps, drawn + later) if bridge else []
    bare = first.model_copy(update={"user": user, "steps": steps, "edges": ()})
    merged = with_drawn_edges(bare, [*drawn, *across, *later])
    return case.model_copy(update={"tasks": (*case.tasks[:task], merged, *case.tasks[task + 2 :])})


def _around(question: int, steps: tuple[AnyStep, ...], drawn: list[Edge]) -> list[Edge]:
    """Dependencies that keep a question alone: after every sink before it, before every source behind it."""
    awaited = {edge.source for edge in drawn}
    waiting = {edge.target for edge in drawn}
    before = [Edge(source=i, target=question) for i in range(question) if i not in awaited]
    after = [
        Edge(source=question, target=i, kind=EdgeKind.LOGICAL)
        for i in range(question + 1, len(steps))
        if i not in waiting and not isinstance(steps[i], Answer)
    ]
    return before + after
