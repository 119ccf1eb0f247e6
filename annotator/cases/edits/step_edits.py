"""Inserting, copying, deleting, moving, splitting and merging the steps of a task; edges follow."""

from annotator.cases.edits.text_edits import require_json
from annotator.cases.places import AnyStep, step_at, step_of_kind, task_at, with_steps, with_task
from scoring.errors import InputError
from scoring.model.case import Answer, Ask, AskedTool, Case, Edge
from scoring.model.taxonomy import EdgeKind
from scoring.wording import counted


def insert_step(case: Case, task: int, *, index: int, step: AnyStep) -> Case:
    """Put a step before the step of a number, or at the end; it has no dependencies yet.

    Args:
        case: The case.
        task: Task number.
        index: Its future number, 0 to the number of steps.
        step: The step; where it was recorded does not count here.

    Raises:
        InputError: There is no such task or place, or the step holds what no file could hold.
        GraphError: The answer would not be the one last step.
    """
    found = task_at(case, task)
    if not 0 <= index <= len(found.steps):
        raise InputError(
            f"Step {index} cannot be inserted; task {task} has {counted(len(found.steps), 'step')}.",
            "Insert it next to a step.",
        )
    require_json(step.model_dump(mode="json"))
    steps = (*found.steps[:index], step.model_copy(update={"recorded_round": None}), *found.steps[index:])
    places = {old: old + (old >= index) for old in range(len(found.steps))}
    return with_task(case, task, changed=with_steps(found, steps, places=places))


def duplicate_step(case: Case, task: int, *, step: int) -> Case:
    """Copy a step and put the copy behind it; the copy waits for what the original waits for.

    Raises:
        InputError: There is no such step, or it is the answer.
    """
    original = step_at(case, task, step=step)
    if isinstance(original, Answer):
        raise InputError("A task has one answer.", "Duplicate calls and questions only.")
    found = task_at(case, task)
    copy = original.model_copy(update={"recorded_round": None})
    steps = (*found.steps[: step + 1], copy, *found.steps[step + 1 :])
    places = {old: old + (old > step) for old in range(len(found.steps))}
    waits = [
        Edge(source=places[edge.source], target=step + 1, kind=edge.kind)
        for edge in found.drawn_edges
        if edge.target == step
    ]
    return with_task(case, task, changed=with_steps(found, steps, places=places, added=waits))


def delete_step(case: Case, task: int, *, step: int) -> Case:
    """Delete a step together with its dependencies.

    What waited for it does not begin to wait for what it waited for: whether that order still holds
    is for a person to say, and suggestions name the values that flow.

    Raises:
        InputError: There is no such step.
    """
    step_at(case, task, step=step)
    found = task_at(case, task)
    steps = (*found.steps[:step], *found.steps[step + 1 :])
    places = {old: old - (old > step) for old in range(len(found.steps)) if old != step}
    return with_task(case, task, changed=with_steps(found, steps, places=places))


def move_step(case: Case, task: int, *, step: int, to: int) -> Case:
    """Give a step another number in the list; its dependencies stay with it.

    Raises:
        InputError: One of the two places does not exist.
        GraphError: The answer would no longer be the last step.
    """
    moved = step_at(case, task, step=step)
    step_at(case, task, step=to)
    found = task_at(case, task)
    order = [old for old in range(len(found.steps)) if old != step]
    order.insert(to, step)
    if step == to:
        return case
    # It was not recorded in its present company.
    fresh = moved.model_copy(update={"recorded_round": None})
    steps = [fresh if old == step else found.steps[old] for old in order]
    places = {old: place for place, old in enumerate(order)}
    return with_task(case, task, changed=with_steps(found, steps, places=places))


def split_step(case: Case, task: int, *, step: int, text_at: int, reply_at: int) -> Case:
    """Split a clarifying question into two that follow each other.

    Args:
        case: The case.
        task: Task number.
        step: Step number of a question.
        text_at: Where its text is cut, in characters.
        reply_at: Where the reply is cut, in characters.

    Raises:
        InputError: The step is no question, or a cut leaves one of the two questions without text.
    """
    found = task_at(case, task)
    ask = step_of_kind(case, task, step=step, kind=Ask)
    texts = ask.text[:text_at].strip(), ask.text[text_at:].strip()
    if not all(texts) or text_at < 0:
        raise InputError("Both halves of a question need text.", "Put the cursor inside the question.")
    first = ask.model_copy(update={"text": texts[0], "reply": ask.reply[: max(0, reply_at)].strip()})
    second = ask.model_copy(
        update={"text": texts[1], "reply": ask.reply[max(0, reply_at) :].strip(), "recorded_round": None}
    )
    steps = (*found.steps[:step], first, second, *found.steps[step + 1 :])
    places = {old: old + (old > step) for old in range(len(found.steps))}
    bare = found.model_copy(
        update={"edges": tuple(edge for edge in found.drawn_edges if edge.source != step)}
    )
    follows = [Edge(source=step, target=step + 1, kind=EdgeKind.LOGICAL)] + [
        Edge(source=step + 1, target=places[edge.target], kind=edge.kind)
        for edge in found.drawn_edges
        if edge.source == step
    ]
    return with_task(case, task, changed=with_steps(bare, steps, places=places, added=follows))


def merge_steps(case: Case, task: int, *, step: int) -> Case:
    """Merge a clarifying question with the question behind it; dependencies of both stay.

    Raises:
        InputError: One of the two steps is no question.
        GraphError: A third step stands between the two in the graph.
    """
    found = task_at(case, task)
    first = step_of_kind(case, task, step=step, kind=Ask)
    second = step_of_kind(case, task, step=step + 1, kind=Ask)
    merged = first.model_copy(
        update={
            "text": _joined(first.text, second.text),
            "reply": _joined(first.reply, second.reply),
            "asks_for": _asked(first, second),
        }
    )
    steps = (*found.steps[:step], merged, *found.steps[step + 2 :])
    places = {old: old - (old > step) for old in range(len(found.steps))}
    return with_task(case, task, changed=with_steps(found, steps, places=places))


def _joined(first: str, second: str) -> str:
    return " ".join(part for part in (first.strip(), second.strip()) if part)


def _asked(*asks: Ask) -> tuple[AskedTool, ...]:
    missing: dict[str, dict[str, None]] = {}
    for ask in asks:
        for asked in ask.asks_for:
            missing.setdefault(asked.tool_name, {}).update(dict.fromkeys(asked.missing_required_parameters))
    return tuple(
        AskedTool(tool_name=name, missing_required_parameters=tuple(parameters))
        for name, parameters in missing.items()
    )
