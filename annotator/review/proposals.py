"""Edits that reviewers propose, cut into pieces an expert can accept or decline one by one."""

from collections.abc import Collection, Sequence

from pydantic import JsonValue

from scoring.model.case import Answer, Ask, Call, Case, Task
from scoring.model.record import Record

_STEP_FIELDS: dict[type, tuple[str, ...]] = {
    Call: ("name", "arguments", "observation", "thought"),
    Ask: ("text", "reply", "asks_for"),
    Answer: ("text", "answer_type"),
}


class ProposedEdit(Record):
    """One change a reviewer proposes: `<side>:task.<t>.<field>` or `<side>:task.<t>.step.<s>.<field>`.

    Where the reviewer changed the number or kind of steps or tasks, one edit `<side>:case` holds it all.
    """

    id: str
    side: str
    field: str
    before: JsonValue
    after: JsonValue
    task: int | None = None
    step: int | None = None


def proposed_edits(side: str, base: Case, edit: Case | None) -> tuple[ProposedEdit, ...]:
    """Cut a reviewer's edit into pieces; labels and drawings are not among them, they are compared fields."""
    if edit is None:
        return ()
    if _shape(base) != _shape(edit):
        after = [_outline(task) for task in edit.tasks]
        before = [_outline(task) for task in base.tasks]
        return (ProposedEdit(id=f"{side}:case", side=side, field="case", before=before, after=after),)
    found = []
    for t, (task, other) in enumerate(zip(base.tasks, edit.tasks, strict=True)):
        if task.user != other.user:
            found.append(
                ProposedEdit(
                    id=f"{side}:task.{t}.user",
                    side=side,
                    field="user",
                    before=task.user,
                    after=other.user,
                    task=t,
                )
            )
        for s, (step, changed) in enumerate(zip(task.steps, other.steps, strict=True)):
            plain, wanted = step.model_dump(mode="json"), changed.model_dump(mode="json")
            found += [
                ProposedEdit(
                    id=f"{side}:task.{t}.step.{s}.{name}",
                    side=side,
                    field=name,
                    before=plain[name],
                    after=wanted[name],
                    task=t,
                    step=s,
                )
                for name in _STEP_FIELDS[type(step)]
                if plain[name] != wanted[name]
            ]
    return tuple(found)


def with_edits(case: Case, edits: Sequence[ProposedEdit], *, sources: dict[str, Case]) -> Case:
    """Apply accepted edits in order; of two edits of one field the later wins.

    Args:
        case: What they are applied to.
        edits: The accepted ones.
        sources: Per side the whole case as that reviewer would have it.
    """
    for edit in edits:
        if edit.field == "case":
            case = sources[edit.side].model_copy(update={"source": case.source, "extras": case.extras})
            continue
        assert edit.task is not None
        wanted = sources[edit.side].tasks[edit.task]
        task = case.tasks[edit.task]
        if edit.step is None:
            task = task.model_copy(update={"user": wanted.user})
        else:
            value = getattr(wanted.steps[edit.step], edit.field)
            step = task.steps[edit.step].model_copy(update={edit.field: value})
            steps = (*task.steps[: edit.step], step, *task.steps[edit.step + 1 :])
            task = task.model_copy(update={"steps": steps})
        tasks = (*case.tasks[: edit.task], task, *case.tasks[edit.task + 1 :])
        case = case.model_copy(update={"tasks": tasks})
    return case


def conflicting(edits: Collection[ProposedEdit]) -> tuple[str, str] | None:
    """Two accepted edits of one field with different results, by their ids; null where there are none."""
    seen: dict[str, ProposedEdit] = {}
    for edit in edits:
        place = edit.id.partition(":")[2]
        if place in seen and seen[place].after != edit.after:
            return seen[place].id, edit.id
        seen[place] = edit
    return None


def _shape(case: Case) -> list[list[str]]:
    return [[step.kind for step in task.steps] for task in case.tasks]


def _outline(task: Task) -> JsonValue:
    return [step.model_dump(mode="json") for step in task.steps]
