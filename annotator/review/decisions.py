"""What an expert sees of a case, what they decide about it, and what that makes of it: values and rules."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from pydantic import Field, JsonValue

from annotator.review.labelling import apply_fields
from annotator.review.proposals import ProposedEdit, conflicting, same_shape, with_edits, with_hidden
from scoring.errors import InputError
from scoring.model.case import Case
from scoring.model.graph import check_task
from scoring.model.labels import ComparedField, Finding, Reason, TaskLabels
from scoring.model.record import Record
from scoring.model.taxonomy import FeedbackCategory, Stage, Verdict

_NUMBER = "(?:0|[1-9][0-9]{0,8})"
_FIELD_NAME = re.compile(
    rf"task\.(?P<task>{_NUMBER})\."
    rf"(?:(?P<label>policy|information|completed)|call\.(?P<call>{_NUMBER})\.correct"
    rf"|edge\.(?P<source>{_NUMBER})-(?P<target>{_NUMBER}))"
)
"""The id of a field of the comparison, as `ComparedField.id`."""


class Own(Record):
    """A value of the expert's own."""

    own: JsonValue


class FeedbackItem(Record):
    """A correction told to somebody: a side's letter, `owner`, or a person's name."""

    to: str
    category: FeedbackCategory
    note: str = ""


class Decision(Record):
    """What an expert decides (cli.md, "A decision"); a field takes a side's letter or an own value.

    `edit` is the whole case as the expert would have it before fields and accepted edits are put in.
    """

    fields: dict[str, str | Own] = Field(default_factory=dict)
    edits: dict[str, Literal["accept", "decline"]] = Field(default_factory=dict)
    feedback: tuple[FeedbackItem, ...] = ()
    verdict: Verdict | None = None
    note: str = ""
    edit: Case | None = None


class Side(Record):
    """One reviewer's judgment, by letter: people stay unnamed until the expert has decided."""

    letter: str
    labels: tuple[TaskLabels, ...]
    verdict: Verdict
    reasons: tuple[Reason, ...]
    edit: Case | None


class Adjudication(Record):
    """An escalated or sampled case as its expert sees it.

    `case` hides the owner's labels and drawing while reviewers' judgments are laid side by side; where
    the owner escalated, or a sampled case is verified, there is nothing to hide. `fields` hold what the
    sides say. `against_owner` names the fields on which the sides agree and the owner does not: they too
    are to be decided, without a word about what the owner said. `why` says why the case is here.
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

    @property
    def differing(self) -> tuple[ComparedField, ...]:
        """Fields on which raters differ, so that the expert must decide them."""
        return tuple(field for field in self.fields if field.differs or field.id in self.against_owner)


class OwnerVersion(Record):
    """What the owner of a disputed case had said, once the expert has decided; the owner's name is null
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

    A sampled case needs no field decided: nothing decided means unchanged. Where an edit changes the
    steps, the raters' fields are no longer about this case; what counts then is that every task has
    its labels.
    """
    if decision.verdict is not Verdict.APPROVE:
        return ()
    if adjudication.stage is Stage.EXPERT:
        return ()
    open_edits = [edit.id for edit in adjudication.edits if edit.id not in decision.edits]
    restructured = _restructured(adjudication, decision)
    if restructured is not None:
        return (*_unlabelled(restructured, decision), *open_edits)
    fields = [field.id for field in adjudication.differing if field.id not in decision.fields]
    if not adjudication.fields:
        fields += _unlabelled(adjudication.case if decision.edit is None else decision.edit, decision)
    return (*fields, *open_edits)


def preview(adjudication: Adjudication, head: Case, decision: Decision) -> Case:
    """The case a decision would make of the head revision.

    Raises:
        InputError: The decision names unknown fields, sides or edits, accepts two edits of one field, or
            takes a side where an accepted edit has changed the steps.
        GraphError: The decided drawing breaks a rule.
    """
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
    if adjudication.is_owner_hidden:
        edited = with_hidden(edited, head)
    if not same_shape(head, edited):
        return apply_fields(edited, _own_values(edited, decision))
    return apply_fields(edited, _values(adjudication, edited, decision))


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
        if value is None and f"task.{t}.{name}" not in decision.fields
    ]


def _values(adjudication: Adjudication, case: Case, decision: Decision) -> dict[ComparedField, JsonValue]:
    letters = {side.letter: position for position, side in enumerate(adjudication.sides)}
    compared = {field.id: field for field in adjudication.fields}
    known = {field.id: field for field in possible_fields(case, decision.fields)} | compared
    values: dict[ComparedField, JsonValue] = {}
    if adjudication.is_owner_hidden:
        values = {field: field.values[0] for field in adjudication.fields if not field.differs}
    for name, choice in decision.fields.items():
        field = _known(known, name)
        if isinstance(choice, Own):
            values[field] = choice.own
        elif choice in letters and name in compared:
            values[field] = field.values[letters[choice]]
        else:
            raise InputError(
                f"'{choice}' is no side of {name}.",
                f"Sides: {', '.join(letters) or 'none'}, or an own value.",
            )
    return values


def _own_values(case: Case, decision: Decision) -> dict[ComparedField, JsonValue]:
    known = {field.id: field for field in possible_fields(case, decision.fields)}
    values: dict[ComparedField, JsonValue] = {}
    for name, choice in decision.fields.items():
        if not isinstance(choice, Own):
            raise InputError(
                f"'{choice}' is no side of {name}: the edit changes the steps the sides judged.",
                "Leave the field out, or give an own value.",
            )
        values[_known(known, name)] = choice.own
    return values


def _known(fields: Mapping[str, ComparedField], name: str) -> ComparedField:
    field = fields.get(name)
    if field is None:
        raise InputError(f"The case has no field '{name}'.", "Take the ids from the template.")
    return field


def possible_fields(case: Case, names: Iterable[str]) -> tuple[ComparedField, ...]:
    """The fields an expert may set on their own, any pair of steps as a possible edge.

    Args:
        case: The case.
        names: Ids of fields; those the case does not have are left out.

    Returns:
        In the order of the case.
    """
    found = [field for name in names if (field := _possible_field(case, name)) is not None]
    return tuple(sorted(found, key=_place))


def _possible_field(case: Case, name: str) -> ComparedField | None:
    match = _FIELD_NAME.fullmatch(name)
    if match is None or int(match["task"]) >= len(case.tasks):
        return None
    t = int(match["task"])
    task = case.tasks[t]
    if match["label"] is not None:
        said = {"policy": task.policy, "information": task.information}.get(match["label"])
        return ComparedField(id=name, task=t, kind=match["label"], values=(said,))
    if match["call"] is not None:
        step = int(match["call"])
        is_call = any(step == s for s, _ in task.calls)
        return ComparedField(id=name, task=t, kind="call", step=step, values=(None,)) if is_call else None
    pair = int(match["source"]), int(match["target"])
    is_pair = pair[0] != pair[1] and max(pair) < len(task.steps) and task.answer_index not in pair
    return ComparedField(id=name, task=t, kind="edge", pair=pair, values=(None,)) if is_pair else None


def _place(field: ComparedField) -> tuple[int, int, tuple[int, ...]]:
    kinds = ("policy", "information", "completed", "call", "edge")
    return field.task, kinds.index(field.kind), field.pair or (field.step or 0,)
