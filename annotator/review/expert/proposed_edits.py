"""Edits that reviewers propose, cut into pieces an expert can accept or decline one by one."""

from collections.abc import Collection, Sequence

from pydantic import JsonValue

from annotator.cases.places import with_step, with_task
from annotator.cases.versions.field_merge import STEP_FIELDS
from annotator.drafts.snapshot import same_shape
from scoring.model.case import Answer, Ask, Call, Case, Task
from scoring.model.labels import without_labels
from scoring.model.record import Record


class ProposedEdit(Record):
    """One change a reviewer proposes.

    `id` is `<side>:<field>` for the case's own language, now and tools, `<side>:task.<t>.<field>` or
    `<side>:task.<t>.step.<s>.<field>`. Where the reviewer changed the number or kind of steps or tasks,
    one edit `<side>:case` holds it all.
    """

    id: str
    side: str
    field: str
    before: JsonValue
    after: JsonValue
    task: int | None = None
    step: int | None = None

    @property
    def place(self) -> str:
        """What it changes: the id without the side."""
        return self.id.removeprefix(f"{self.side}:")


def proposed_edits(side: str, base: Case, edit: Case | None) -> tuple[ProposedEdit, ...]:
    """Cut a reviewer's edit into pieces; labels and drawings are not among them, they are compared fields."""
    if edit is None:
        return ()
    plain, wanted = without_labels(base), without_labels(edit)
    if not same_shape(plain, wanted):
        after = [_outline(task) for task in wanted.tasks]
        before = [_outline(task) for task in plain.tasks]
        return (ProposedEdit(id=f"{side}:case", side=side, field="case", before=before, after=after),)
    found = _changed(side, "", plain, wanted, ("language", "now", "tools"))
    for t, (task, other) in enumerate(zip(plain.tasks, wanted.tasks, strict=True)):
        found += _changed(side, f"task.{t}.", task, other, ("user", "now", "plan"), task=t)
        for s, (step, changed) in enumerate(zip(task.steps, other.steps, strict=True)):
            names = STEP_FIELDS[type(step)]
            found += _changed(side, f"task.{t}.step.{s}.", step, changed, names, task=t, step=s)
    return tuple(found)


def _changed(
    side: str,
    place: str,
    before: Record,
    after: Record,
    names: Sequence[str],
    *,
    task: int | None = None,
    step: int | None = None,
) -> list[ProposedEdit]:
    old = before.model_dump(mode="json", include=set(names))
    new = after.model_dump(mode="json", include=set(names))
    return [
        ProposedEdit(
            id=f"{side}:{place}{name}",
            side=side,
            field=name,
            before=old.get(name),
            after=new.get(name),
            task=task,
            step=step,
        )
        for name in names
        if old.get(name) != new.get(name)
    ]


def with_edits(case: Case, edits: Sequence[ProposedEdit], *, sources: dict[str, Case]) -> Case:
    """Apply accepted edits in order; of two edits of one field the later wins.

    Args:
        case: What they are applied to.
        edits: The accepted ones.
        sources: Per side the whole case as that reviewer would have it.
    """
    for edit in edits:
        wanted = sources[edit.side]
        if edit.field == "case":
            case = wanted.model_copy(update={"source": case.source, "extras": case.extras})
        elif edit.task is None:
            case = case.model_copy(update={edit.field: getattr(wanted, edit.field)})
        elif edit.step is None:
            value = {edit.field: getattr(wanted.tasks[edit.task], edit.field)}
            case = with_task(case, edit.task, changed=case.tasks[edit.task].model_copy(update=value))
        else:
            value = {edit.field: getattr(wanted.tasks[edit.task].steps[edit.step], edit.field)}
            changed = case.tasks[edit.task].steps[edit.step].model_copy(update=value)
            case = with_step(case, edit.task, step=edit.step, changed=changed)
    return case


def with_hidden(case: Case, head: Case) -> Case:
    """Give a case that was edited from the blind view back what that view hides beside the labels.

    Every step takes its recorded round, every call the planner's review, from the step it was: the one
    at its place while the steps are the same ones, else one that is equal otherwise.
    """
    is_same = same_shape(case, head)
    tasks = []
    for t, task in enumerate(case.tasks):
        former = head.tasks[t].steps if t < len(head.tasks) else ()
        steps = []
        for s, step in enumerate(task.steps):
            bare = _bare(step)
            same = (other for other in former if _bare(other) == bare)
            steps.append(_restored(step, former[s] if is_same else next(same, None)))
        tasks.append(task.model_copy(update={"steps": tuple(steps)}))
    return case.model_copy(update={"tasks": tuple(tasks)})


def _bare(step: Call | Ask | Answer) -> Call | Ask | Answer:
    hidden: dict[str, None] = {"recorded_round": None}
    return step.model_copy(update=hidden | ({"review": None} if isinstance(step, Call) else {}))


def _restored(step: Call | Ask | Answer, former: Call | Ask | Answer | None) -> Call | Ask | Answer:
    if former is None:
        return step
    hidden: dict[str, object] = {}
    if step.recorded_round is None:
        hidden["recorded_round"] = former.recorded_round
    if isinstance(step, Call) and isinstance(former, Call) and step.review is None:
        hidden["review"] = former.review
    return step.model_copy(update=hidden)


def conflicting(edits: Collection[ProposedEdit]) -> tuple[str, str] | None:
    """Two accepted edits that cannot both hold, by their ids; None where there are none.

    They give one field different values, or one of them replaces all the steps.
    """
    whole = next((edit for edit in edits if edit.field == "case"), None)
    other = next((edit for edit in edits if edit is not whole), None)
    if whole is not None and other is not None:
        return whole.id, other.id
    seen: dict[str, ProposedEdit] = {}
    for edit in edits:
        known = seen.setdefault(edit.place, edit)
        if known.after != edit.after:
            return known.id, edit.id
    return None


def _outline(task: Task) -> JsonValue:
    return [step.model_dump(mode="json") for step in task.steps]
