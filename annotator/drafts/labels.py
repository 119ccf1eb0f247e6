"""Putting labels into a case: what a judgment, a majority or a decision says becomes content."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from annotator.cases.places import with_task
from scoring.errors import GraphError, InputError, reworded
from scoring.model.case import Call, Case, Edge, Task
from scoring.model.graph import with_drawn_edges
from scoring.model.labels import ComparedField, TaskLabels, edges_of
from scoring.model.taxonomy import EdgeKind, Information, Policy, ReviewLabel
from scoring.wording import counted

_Label = Policy | Information | EdgeKind | ReviewLabel


def with_labels(case: Case, labels: Sequence[TaskLabels]) -> Case:
    """Put policies, information types and drawings of a judgment into a case.

    A task whose drawing is the same keeps its edges at the answer as they are.

    Raises:
        InputError: There are not as many labels as tasks, or more answers about calls than calls.
        GraphError: A drawing breaks a rule; names the task.
    """
    if len(labels) != len(case.tasks):
        raise InputError(
            f"The judgment speaks of {counted(len(labels), 'task')}, the case has {len(case.tasks)}.",
            "Give one entry for every task, in their order.",
        )
    tasks = []
    for t, (task, said) in enumerate(zip(case.tasks, labels, strict=True)):
        if len(said.calls_correct) > len(task.calls):
            raise InputError(
                f"The judgment speaks of {counted(len(said.calls_correct), 'call')} in task {t + 1}, "
                f"which has {len(task.calls)}.",
                "Give one answer for every call, in their order.",
            )
        labelled = with_reviews(task, dict(zip((step for step, _ in task.calls), said.reviews, strict=False)))
        labelled = labelled.model_copy(update={"policy": said.policy, "information": said.information})
        tasks.append(_drawn(labelled, edges_of(said), task_number=t))
    return with_first(case.model_copy(update={"tasks": tuple(tasks)}))


def with_reviews(task: Task, reviews: Mapping[int, ReviewLabel | None]) -> Task:
    """Say of calls, by step, how they ended; None takes a label off and leaves what a file said otherwise."""
    steps = list(task.steps)
    for number, label in reviews.items():
        call = steps[number]
        if isinstance(call, Call) and call.review_label is not label:
            steps[number] = call.model_copy(update={"review": label.value if label else None})
    return task.model_copy(update={"steps": tuple(steps)}) if steps != list(task.steps) else task


def with_first(case: Case) -> Case:
    """Label the information of the first task, which nobody is asked for: it is always the first."""
    if not case.tasks or case.tasks[0].information is not None:
        return case
    first = case.tasks[0].model_copy(update={"information": Information.FIRST})
    return case.model_copy(update={"tasks": (first, *case.tasks[1:])})


def _drawn(task: Task, edges: Sequence[Edge], *, task_number: int) -> Task:
    drawn = {edge.pair for edge in task.drawn_edges}
    answer = task.answer_index
    at_answer = [
        edge
        for edge in edges
        if edge.kind is EdgeKind.DERIVED or (edge.target == answer and edge.pair not in drawn)
    ]
    if at_answer:
        raise GraphError(
            f"Task {task_number + 1}: {at_answer[0].source} -> {at_answer[0].target} is at the answer, which "
            "follows every step by itself.",
            "Draw dependencies between calls and questions only.",
        )
    if {(edge.pair, edge.kind) for edge in edges} == {(edge.pair, edge.kind) for edge in task.drawn_edges}:
        return task
    try:
        return with_drawn_edges(task, edges)
    except GraphError as exc:
        exc.message = f"Task {task_number + 1}: {exc.message}"
        raise


def apply_fields(case: Case, values: Mapping[ComparedField, JsonValue]) -> Case:
    """Set compared fields to chosen values; `completed`, `call` and `checklist` change nothing.

    Raises:
        InputError: A value does not fit its field.
        GraphError: The resulting drawing has a circle.
    """
    for field, value in values.items():
        is_judgment = field.kind in ("completed", "call", "checklist")
        if is_judgment and value is not None and not isinstance(value, bool):
            raise InputError(f"'{value}' is not a value for {field.id}.", "Possible: true, false.")
    changed = case
    for t, task in enumerate(case.tasks):
        own = {field: value for field, value in values.items() if field.task == t}
        if not own:
            continue
        edges = {edge.pair: edge for edge in task.drawn_edges}
        labels: dict[str, object] = {}
        reviews: dict[int, ReviewLabel | None] = {}
        for field, value in own.items():
            match field.kind:
                case "policy":
                    labels["policy"] = _label(Policy, value, field)
                case "information":
                    labels["information"] = _label(Information, value, field)
                case "review" if field.step is not None and value is not None:
                    reviews[field.step] = ReviewLabel(_label(ReviewLabel, value, field))
                case "edge" if field.pair is not None:
                    edges.pop(field.pair, None)
                    if value is not None:
                        edges[field.pair] = Edge(
                            source=field.pair[0], target=field.pair[1], kind=_label(EdgeKind, value, field)
                        )
        drawn = _drawn(
            with_reviews(task, reviews).model_copy(update=labels), tuple(edges.values()), task_number=t
        )
        changed = with_task(changed, t, changed=drawn)
    return changed


def _label(kind: type[_Label], value: JsonValue, field: ComparedField) -> str:
    with reworded(
        ValueError,
        into=lambda _: InputError(
            f"'{value}' is not a value for {field.id}.", f"Possible: {', '.join(kind)}."
        ),
    ):
        return kind(str(value))
