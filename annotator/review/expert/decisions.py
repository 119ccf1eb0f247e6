"""What an expert sees of a case, what they decide about it, and what that makes of it: values and rules."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

from pydantic import Field, JsonValue

from annotator.drafts.labels import apply_fields, with_first
from annotator.drafts.snapshot import same_shape
from annotator.review.escalation import Escalation
from annotator.review.expert.proposed_edits import (
    ProposedEdit,
    conflicting,
    with_edits,
    with_hidden,
)
from scoring.errors import InputError, existing
from scoring.groups import keyed
from scoring.model.case import Answer, Ask, Call, Case, Task, WrittenCase
from scoring.model.graph import check_task, with_drawn_edges
from scoring.model.labels import (
    CASE_CHECKLIST,
    TASK_CHECKLIST,
    UNDRAWN,
    ComparedField,
    Finding,
    MistakeKind,
    Reason,
    TaskLabels,
    without_labels,
)
from scoring.model.record import Record
from scoring.model.taxonomy import Stage, Verdict

_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_FIELD_NAME = re.compile(
    rf"task\.(?P<task>{_NUMBER})\."
    rf"(?:(?P<label>policy|information|completed|drawn)|call\.(?P<call>{_NUMBER})\.correct"
    rf"|call\.(?P<reviewed>{_NUMBER})\.review"
    rf"|edge\.(?P<source>{_NUMBER})-(?P<target>{_NUMBER})"
    rf"|checklist\.(?P<check>{'|'.join(TASK_CHECKLIST)}|[^;]+ [^;]+))"
    rf"|checklist\.(?P<of_case>{'|'.join(CASE_CHECKLIST)})"
)
"""The id of a field of the comparison, as `ComparedField.id`."""
_LABEL_OF_ITEM = {"policy_fits": "policy", "hidden": "information"}
"""Items of the checklist that are about a label, not about the dialogue."""


class Own(Record):
    """A value of the expert's own."""

    own: JsonValue


class FeedbackItem(Record):
    """A correction told to somebody: a side's letter, `owner`, or a person's name."""

    to: str
    category: MistakeKind
    note: str = ""


class KeptField(Record):
    """A field that is wrong in the case and stays so on purpose, with the reason."""

    field: str
    reason: str = Field(min_length=1, pattern=r"\S")


class Decision(Record):
    """What an expert decides (contracts 5); a field takes a side's letter or an own value.

    `kept` names the known defects that are kept on purpose. `task.<t>.drawn` takes the own value true alone:
    the drawing is the expert's word as it is decided, which no edge of it says by itself. `edit` is the whole
    case as the expert would have it before fields and accepted edits are put in.
    """

    fields: dict[str, str | Own] = Field(default_factory=dict)
    edits: dict[str, Literal["accept", "decline"]] = Field(default_factory=dict)
    feedback: tuple[FeedbackItem, ...] = ()
    verdict: Verdict | None = None
    note: str = ""
    kept: tuple[KeptField, ...] = ()
    edit: WrittenCase | None = None


class Side(Record):
    """One reviewer's judgment, by letter: people stay unnamed until the expert has decided.

    `unanswered_count` is how many items of the checklist they left open; since reviewers are asked for them,
    only old approvals do.
    """

    letter: str
    labels: tuple[TaskLabels, ...]
    verdict: Verdict
    reasons: tuple[Reason, ...]
    edit: Case | None
    unanswered_count: int = 0


class Adjudication(Record):
    """An escalated or sampled case as its expert sees it.

    `case` hides the owner's labels and drawing while reviewers' judgments are laid side by side; where
    the owner escalated, or a sampled case is verified, there is nothing to hide. `fields` hold what the
    sides say, or without sides what the owner says is wrong. `against_owner` names the fields on which
    the sides agree and the owner does not: they too are to be decided, without a word about what the
    owner said. `why` says in words why the case is here, `escalation` as a value; None where
    its owner escalated it, and for cases escalated before such values were kept. `handed_to` is the expert
    it was handed to, None for nobody in particular.
    """

    assignment_id: int
    case_id: str
    stage: Stage
    round: int
    case: Case
    is_owner_hidden: bool
    sides: tuple[Side, ...]
    fields: tuple[ComparedField, ...]
    edits: tuple[ProposedEdit, ...]
    findings: tuple[Finding, ...]
    why: str
    template: Decision
    against_owner: tuple[str, ...] = ()
    escalation: Escalation | None = None
    handed_to: str | None = None

    @property
    def is_sampled(self) -> bool:
        """Whether the case is verified as part of a sample, not settled after a dispute."""
        return self.stage is Stage.EXPERT

    @property
    def differing(self) -> tuple[ComparedField, ...]:
        """Fields on which raters differ, so that the expert must decide them."""
        return tuple(
            field
            for field in self.fields
            if field.differs or field.kind == "drawn" or field.id in self.against_owner
        )


class OwnerVersion(Record):
    """What the owner of a disputed case had said, once the expert has decided; the owner's name is None
    where nobody owns the case any more."""

    owner: str | None
    labels: tuple[TaskLabels, ...]


class Decided(Record):
    """What became of a decision, with the owner's version revealed."""

    case_id: str
    stage: Stage
    is_correction: bool
    owner: str | None
    owner_labels: tuple[TaskLabels, ...]


def undecided(adjudication: Adjudication, decision: Decision) -> tuple[str, ...]:
    """Ids of fields and edits the decision still leaves open; empty when it can be finalised.

    A sampled case needs no field decided: nothing decided means unchanged, and only a drawing nobody is
    known to have made is asked for. Where an edit changes the steps, the raters' fields are no longer
    about this case; what counts then is that every task has its labels and is drawn.
    """
    if decision.verdict is not Verdict.APPROVE:
        return ()
    asked = undrawn_fields(adjudication, decision)
    undrawn = tuple(field.id for field in asked if decision.fields.get(field.id) != Own(own=True))
    if adjudication.is_sampled:
        return undrawn
    restructured = _restructured(adjudication, decision)
    open_edits = [edit.id for edit in adjudication.edits if edit.id not in decision.edits]
    if restructured is not None:
        return (*_unlabelled(restructured, decision), *undrawn, *open_edits)
    fields = [
        field.id
        for field in adjudication.differing
        if field.kind != "drawn" and field.id not in decision.fields
    ]
    if not adjudication.sides:
        fields += _unlabelled(adjudication.case if decision.edit is None else decision.edit, decision)
    return (*fields, *undrawn, *open_edits)


def undrawn_fields(adjudication: Adjudication, decision: Decision) -> tuple[ComparedField, ...]:
    """The drawings an expert has to settle: those nobody made, or all where an edit changed the steps."""
    restructured = _restructured(adjudication, decision)
    if restructured is None:
        return tuple(field for field in adjudication.fields if field.kind == "drawn")
    unknown = (None,) * len(adjudication.sides)
    fields = possible_fields(restructured, [f"task.{t}.drawn" for t in range(len(restructured.tasks))])
    return tuple(field.model_copy(update={"values": unknown}) for field in fields)


def defects(adjudication: Adjudication, decision: Decision) -> tuple[str, ...]:
    """Ids of what an approval would leave wrong, whether it is kept on purpose or not.

    A call that is wrong, a task that is not completed, or a failed item of a checklist, as decided, or as
    everybody says where there was nothing to decide; what the decision changes counts as corrected.

    Raises:
        InputError, GraphError: See `preview`.
    """
    compared = {field.id for field in adjudication.fields}
    own = possible_fields(decision.edit or adjudication.case, decision.fields.keys() - compared)
    wrong = [field for field in (*adjudication.fields, *own) if _is_wrong(adjudication, decision, field)]
    if not wrong:
        return ()
    result = preview(adjudication, adjudication.case, decision)
    return tuple(field.id for field in wrong if not _is_corrected(adjudication, field, result))


def drawn_tasks(names: Iterable[str]) -> set[int]:
    """The tasks whose drawing fields of these ids decide."""
    matches = [match for name in names if (match := _FIELD_NAME.fullmatch(name))]
    return {int(match["task"]) for match in matches if match["label"] == "drawn" or match["source"]}


def defect_words(name: str) -> str:
    """What is wrong where a field of this id is."""
    match = _FIELD_NAME.fullmatch(name)
    if match is None:
        return name
    if match["of_case"] is not None:
        return f"The dialogue fails “{CASE_CHECKLIST[match['of_case']]}”"
    place = f"Task {int(match['task']) + 1}"
    if match["call"] is not None:
        return f"{place}: call {match['call']} is wrong"
    if (item := match["check"]) is not None:
        return f"{place} fails “{TASK_CHECKLIST.get(item, item)}”"
    return f"{place} is not completed" if match["label"] == "completed" else f"{place}: {name}"


def _is_wrong(adjudication: Adjudication, decision: Decision, field: ComparedField) -> bool:
    """Whether a field comes out as wrong; of what somebody calls wrong nothing but a yes says otherwise."""
    if field.kind not in ("completed", "call", "checklist"):
        return False
    choice = decision.fields.get(field.id)
    if choice is None and field.differs:
        return False  # open still, or outvoted in a sample
    value = choice.own if isinstance(choice, Own) else field.values[0]
    if isinstance(choice, str):
        letters = [side.letter for side in adjudication.sides]
        value = field.values[letters.index(choice)] if choice in letters else None
    return value is False or (value is None and False in field.values)


def _is_corrected(adjudication: Adjudication, field: ComparedField, result: Case) -> bool:
    """Whether a result has changed what a field is about; steps and tasks may have moved."""
    before, after = without_labels(adjudication.case).tasks, without_labels(result).tasks
    if field.is_of_case:
        return before != after
    if field.task >= len(before) or (field.step or 0) >= len(before[field.task].steps):
        return False  # said of a step that the decision itself adds
    if field.step is not None:
        wrong = _content(before[field.task].steps[field.step])
        return _steps(after).count(wrong) < _steps(before).count(wrong)
    label = _LABEL_OF_ITEM.get(field.item)
    if label is not None and not adjudication.is_owner_hidden and field.task < len(result.tasks):
        task, other = adjudication.case.tasks[field.task], result.tasks[field.task]
        return bool(getattr(task, label) != getattr(other, label))
    return before[field.task] not in after


def _steps(tasks: Sequence[Task]) -> list[JsonValue]:
    return [_content(step) for task in tasks for step in task.steps]


def _content(step: Call | Ask | Answer) -> JsonValue:
    return step.model_dump(mode="json", include={"name", "arguments", "observation"})


def preview(adjudication: Adjudication, head: Case, decision: Decision) -> Case:
    """The case a decision would make of the head revision.

    Raises:
        InputError: The decision names unknown fields, sides or edits, accepts two edits of one field, or
            takes a side where an accepted edit has changed the steps.
        GraphError: The decided drawing breaks a rule.
    """
    edited = with_first(_edited(adjudication, head, decision))
    if not same_shape(head, edited):
        return apply_fields(edited, _own_values(edited, decision))
    return apply_fields(edited, _values(adjudication, edited, decision))


def _edited(adjudication: Adjudication, head: Case, decision: Decision) -> Case:
    """The case with the expert's edit and the accepted ones, before fields are put in."""
    edits = {edit.id: edit for edit in adjudication.edits}
    unknown = [name for name in decision.edits if name not in edits]
    if unknown:
        raise InputError(
            f"There is no proposed edit '{unknown[0]}'.", f"Edits: {', '.join(edits) or 'none'}."
        )
    accepted = [edits[name] for name, answer in decision.edits.items() if answer == "accept"]
    clash = conflicting(accepted)
    if clash:
        raise InputError(f"'{clash[0]}' and '{clash[1]}' change the same text.", "Accept one of them.")
    base = head if decision.edit is None else _checked_edit(head, decision.edit)
    sources = {side.letter: side.edit for side in adjudication.sides if side.edit}
    edited = with_edits(base, accepted, sources=sources)
    return _drawn_anew(with_hidden(edited, head), adjudication) if adjudication.is_owner_hidden else edited


def _drawn_anew(case: Case, adjudication: Adjudication) -> Case:
    """A case whose hidden drawings give way to the expert's where no side has drawn the task."""
    anew = {field.task for field in adjudication.fields if field.kind == "drawn"}
    tasks = tuple(with_drawn_edges(task, ()) if t in anew else task for t, task in enumerate(case.tasks))
    return case.model_copy(update={"tasks": tasks}) if anew else case


def _checked_edit(head: Case, edit: Case) -> Case:
    if edit.id != head.id:
        raise InputError(f"The edit is of case '{edit.id}', not '{head.id}'.", "Keep the id of the case.")
    for task in edit.tasks:
        check_task(task)
    return edit.model_copy(update={"source": head.source, "extras": head.extras})


def _restructured(adjudication: Adjudication, decision: Decision) -> Case | None:
    """The case with other tasks or steps that a decision puts in the place of the judged one."""
    if decision.edit is not None and not same_shape(adjudication.case, decision.edit):
        return decision.edit
    for edit in adjudication.edits:
        if edit.field == "case" and decision.edits.get(edit.id) == "accept":
            return next((side.edit for side in adjudication.sides if side.letter == edit.side), None)
    return None


def _unlabelled(case: Case, decision: Decision) -> list[str]:
    return [
        f"task.{t}.{name}"
        for t, task in enumerate(case.tasks)
        for name, value in (("policy", task.policy), ("information", task.information))
        if value is None and (name, t) != ("information", 0) and f"task.{t}.{name}" not in decision.fields
    ]


def _values(adjudication: Adjudication, case: Case, decision: Decision) -> dict[ComparedField, JsonValue]:
    letters = {side.letter: position for position, side in enumerate(adjudication.sides)}
    compared = {field.id: field for field in adjudication.fields}
    known = {field.id: field for field in possible_fields(case, decision.fields)} | compared
    values: dict[ComparedField, JsonValue] = {}
    if adjudication.is_owner_hidden:
        values = {
            field: field.said[0]
            for field in adjudication.fields
            if not field.differs
            and (field.said[0] is not None or field.kind not in ("policy", "information"))
        }
    for name, choice in decision.fields.items():
        field = _known(known, name)
        if isinstance(choice, Own):
            values[field] = choice.own
        elif choice in letters and name in compared:
            values[field] = field.values[letters[choice]]
            if values[field] == UNDRAWN or field.kind == "drawn":
                raise InputError(
                    f"{choice} has not drawn task {field.task + 1}.",
                    "Give an own value, or take another side.",
                )
        else:
            raise InputError(
                f"'{choice}' is not a side of {name}.",
                f"Sides: {', '.join(letters) or 'none'}, or an own value.",
            )
    return values


@keyed
def _own_values(case: Case, decision: Decision) -> Iterator[tuple[ComparedField, JsonValue]]:
    known = {field.id: field for field in possible_fields(case, decision.fields)}
    for name, choice in decision.fields.items():
        if not isinstance(choice, Own):
            raise InputError(
                f"'{choice}' is not a side of {name}: the edit changes the steps the sides judged.",
                "Leave the field out, or give an own value.",
            )
        yield _known(known, name), choice.own


def _known(fields: Mapping[str, ComparedField], name: str) -> ComparedField:
    return existing(
        fields.get(name), InputError(f"The case has no field '{name}'.", "Take the ids from the template.")
    )


def possible_fields(case: Case, names: Iterable[str]) -> tuple[ComparedField, ...]:
    """The fields an expert may set on their own, any pair of steps as a possible edge.

    Args:
        case: The case.
        names: Ids of fields; those the case does not have are left out.

    Returns:
        In the order of the case.
    """
    fields = [field for name in names if (field := _possible_field(case, name)) is not None]
    return tuple(sorted(fields, key=_place))


def _possible_field(case: Case, name: str) -> ComparedField | None:
    match = _FIELD_NAME.fullmatch(name)
    if match is not None and match["of_case"] is not None:
        return ComparedField(id=name, task=0, kind="checklist", values=(None,))
    if match is None or int(match["task"]) >= len(case.tasks):
        return None
    t = int(match["task"])
    if match["check"] is not None:
        return ComparedField(id=name, task=t, kind="checklist", values=(None,))
    task = case.tasks[t]
    if match["label"] is not None:
        if match["label"] == "drawn" and not task.needs_drawing:
            return None
        label = {"policy": task.policy, "information": task.information}.get(match["label"])
        return ComparedField(id=name, task=t, kind=match["label"], values=(label,))
    called = match["call"] or match["reviewed"]
    if called is not None:
        step = int(called)
        if all(step != s for s, _ in task.calls):
            return None
        kind: Literal["call", "review"] = "call" if match["call"] else "review"
        return ComparedField(id=name, task=t, kind=kind, step=step, values=(None,))
    pair = int(match["source"]), int(match["target"])
    is_pair = pair[0] != pair[1] and max(pair) < len(task.steps) and task.answer_index not in pair
    return ComparedField(id=name, task=t, kind="edge", pair=pair, values=(None,)) if is_pair else None


def _place(field: ComparedField) -> tuple[int, int, tuple[int, ...]]:
    kinds = ("policy", "information", "completed", "call", "review", "edge", "checklist", "drawn")
    return field.task, kinds.index(field.kind), field.pair or (field.step or 0,)
