"""Everything there is to decide about a case as rows and as the model of a table, and why it is here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from operator import attrgetter

from pydantic import JsonValue
from PySide6.QtCore import Qt

from annotator.review.escalation import EscalationReason
from annotator.review.expert.decided_edges import own_fields
from annotator.review.expert.decision_edits import Choice, known_defects, left_to_decide
from annotator.review.expert.decisions import (
    Adjudication,
    Decision,
    Own,
    defect_words,
    undrawn_fields,
)
from annotator.review.expert.field_words import field_title, own_choices
from annotator.review.expert.proposed_edits import ProposedEdit
from scoring.model.case import Answer, Ask, Case
from scoring.model.labels import UNDRAWN, ComparedField
from scoring.model.taxonomy import Policy, Verdict
from scoring.texts import tr, with_commas
from ui.desk.key_table import KeyModel
from ui.theme import theme
from ui.theme.cells import Index
from ui.theme.look import icon
from ui.theme.tables import Column
from ui.theme.tokens import SMALL, Tone
from ui.theme.words import POLICY, POLICY_SHORT, VERDICT


class RowState(StrEnum):
    """How a row of the table stands; `wrong` is a known defect that is neither corrected nor kept."""

    AGREED = "agreed"
    OPEN = tr("open")
    WRONG = "wrong"
    DECIDED = "decided"


@dataclass(frozen=True)
class DecisionLine:
    """One line of the table: a compared field, or an edit somebody proposes.

    `values` are what the sides say, as words. `choice` is the decided side's letter, an own value, or
    `accept` and `decline` for an edit; None while it is open. `is_own` marks a field no side spoke of,
    `is_against_owner` one on which only the owner differs. `defect` says what is wrong where the field comes
    out as wrong, kept or not.
    """

    id: str
    task: int | None
    title: str
    values: tuple[str, ...]
    state: RowState
    choice: Choice = None
    field: ComparedField | None = None
    edit: ProposedEdit | None = None
    is_own: bool = False
    is_against_owner: bool = False
    defect: str = ""


def rows_of(adjudication: Adjudication, decision: Decision) -> tuple[DecisionLine, ...]:
    """Lay out everything there is to decide: what differs, proposed edits, own edges, then what agrees.

    Where no side was asked (the owner escalated), each task's labels are listed as the case has them.
    A field the sides agree on may be open too: somebody else said otherwise.
    """
    labels = () if adjudication.sides else _labels_of(adjudication.case)
    undrawn = undrawn_fields(adjudication, decision)
    fields = (*labels, *(field for field in adjudication.fields if field.kind != "drawn"), *undrawn)
    left = {*left_to_decide(adjudication, decision), *decision.fields}
    asked = {
        field.id for field in (*adjudication.differing, *undrawn) if field.kind != "drawn" or field.id in left
    }
    listed = {field.id for field in fields}
    own = [field for field in own_fields(adjudication, decision) if field.id not in listed]
    field_row = partial(_field_row, adjudication, decision)
    found = (
        *(field_row(field, is_asked=True) for field in fields if field.id in asked),
        *(_edit_row(edit, adjudication, decision) for edit in adjudication.edits),
        *(field_row(field, is_own=True) for field in own),
        *(field_row(field) for field in fields if field.id not in asked),
    )
    wrong = known_defects(adjudication, decision)
    kept = {item.field for item in decision.kept}
    return tuple(
        replace(
            row,
            defect=defect_words(row.id),
            state=RowState.DECIDED if row.id in kept else RowState.WRONG,
        )
        if row.id in wrong
        else row
        for row in found
    )


def has_open_edge(rows: Sequence[DecisionLine], task: int) -> bool:
    """Whether the drawing of a task is not decided yet."""
    return any(
        row.state is RowState.OPEN and row.field is not None and row.field.kind in ("edge", "drawn")
        for row in rows
        if row.task == task
    )


def value_words(field: ComparedField, value: JsonValue, *, policies: Mapping[Policy, str] = POLICY) -> str:
    """A value of a field as people say it, policies as in `policies`."""
    if value == UNDRAWN:
        return tr("task not drawn")
    if field.kind == "drawn":
        return tr("as decided here") if value else tr("not drawn") if value is False else tr("unknown")
    if field.kind == "policy" and value is not None:
        return policies[Policy(str(value))]
    return {known: words for words, known in own_choices(field)}.get(value, tr("not said"))


def edit_title(edit: ProposedEdit, case: Case) -> str:
    """A proposed edit as people call it.

    Args:
        edit: The edit.
        case: The case it is about.
    """
    if edit.task is None:
        return (
            tr("Steps of the case")
            if edit.field == "case"
            else tr("{field} of the case", field=edit.field.capitalize())
        )
    task = tr("task {task}", task=edit.task + 1)
    if edit.step is None:
        return tr("Request · {task}", task=task)
    step = case.tasks[edit.task].steps[edit.step]
    if isinstance(step, Answer):
        return tr("Answer · {task}", task=task)
    name = tr("Question") if isinstance(step, Ask) and edit.field == "text" else edit.field.capitalize()
    return f"{name} {edit.step} · {task}"


def why_words(adjudication: Adjudication) -> str:
    """Why the expert sees a case, in one line: by which rule, then how much of it differs."""
    if adjudication.is_sampled:
        return tr("sampled · verify it as it is, or correct it")
    if not adjudication.sides and adjudication.escalation is None:
        return (
            tr("escalated by its owner · {why}", why=tr(adjudication.why))
            if adjudication.why
            else tr("escalated by its owner")
        )
    count, total = len(adjudication.differing), len(adjudication.fields)
    share = f" ({100 * count / total:.0f} %)" if count else ""
    differs = (
        tr("{count} of {total} fields differ{share}", count=count, total=total, share=share)
        if count
        else tr("no field differs")
    )
    rule = _rule_words(adjudication)
    return " · ".join(
        filter(None, (tr("escalated: {rule}", rule=rule) if rule else tr("escalated"), differs))
    )


def _rule_words(adjudication: Adjudication) -> str:
    """The rule that escalated a case, with fields as people call them and verdicts by letter."""
    escalation = adjudication.escalation
    if escalation is None:
        return tr(adjudication.why)
    match escalation.reason:
        case EscalationReason.SHARE_ABOVE_THRESHOLD:
            return tr("more fields differ than the threshold allows")
        case EscalationReason.BATCH_FLAGGED:
            return tr("its batch is flagged, since too many of its cases are in dispute")
        case EscalationReason.NOT_ALL_APPROVED:
            others = [side for side in adjudication.sides if side.verdict is not Verdict.APPROVE]
            said = with_commas(
                tr("{name}: {words}", name=side.letter, words=VERDICT[side.verdict].lower())
                for side in others
            )
            return f"{escalation.words} ({said})" if said else escalation.words
        case _:
            titles = {field.id: field_title(field) for field in adjudication.fields}
            return escalation.model_copy(
                update={"field": titles.get(escalation.field, escalation.field)}
            ).words


def progress_words(rows: Sequence[DecisionLine]) -> str:
    """How much of what is asked is decided; empty where nothing is asked."""
    asked = [row for row in rows if row.state is not RowState.AGREED]
    done = sum(row.state is RowState.DECIDED for row in asked)
    return tr("{done} of {asked_count} decided", done=done, asked_count=len(asked)) if asked else ""


def _field_row(
    adjudication: Adjudication,
    decision: Decision,
    field: ComparedField,
    *,
    is_asked: bool = False,
    is_own: bool = False,
) -> DecisionLine:
    choice = decision.fields.get(field.id)
    values = field.values if adjudication.sides else ()
    # Three columns and more have no room for the long names.
    policies = POLICY if len(values) < 3 else POLICY_SHORT
    still = RowState.OPEN if is_asked else RowState.AGREED
    return DecisionLine(
        id=field.id,
        task=field.task,
        title=field_title(field),
        values=tuple(value_words(field, value, policies=policies) for value in values),
        state=still if choice is None else RowState.DECIDED,
        choice=choice,
        field=field,
        is_own=is_own,
        is_against_owner=is_asked and field.id in adjudication.against_owner,
    )


def _edit_row(edit: ProposedEdit, adjudication: Adjudication, decision: Decision) -> DecisionLine:
    answer = decision.edits.get(edit.id)
    return DecisionLine(
        id=edit.id,
        task=edit.task,
        title=edit_title(edit, adjudication.case),
        values=tuple(tr("proposes") if side.letter == edit.side else "" for side in adjudication.sides),
        state=RowState.OPEN if answer is None else RowState.DECIDED,
        choice=answer,
        edit=edit,
    )


def _labels_of(case: Case) -> tuple[ComparedField, ...]:
    return tuple(
        ComparedField(id=f"task.{t}.{kind}", task=t, kind=kind, values=(said,))
        for t, task in enumerate(case.tasks)
        for kind, said in (("policy", task.policy), ("information", task.information))
        if (kind, t) != ("information", 0)
    )


_MOST_KEYS = 3
"""Sides with a key's badge each."""
KEYS_ROLE = Qt.ItemDataRole.UserRole
"""The keys that decide an open row, as a tuple; None elsewhere."""


_TOPICS = {
    "policy": "policy",
    "information": "information",
    "completed": "judgment.completed",
    "call": "judgment.call",
    "edge": "dependency",
    "drawn": "judgment.drawn",
}
"""What of the guidelines explains a kind of field; an item of a checklist has its own."""


class FieldsModel(KeyModel[DecisionLine]):
    """Columns: the field, one for each side, the decision."""

    def show_rows(self, rows: Sequence[DecisionLine], *, letters: Sequence[str]) -> None:
        """Show other rows; those that are the same fields stay where they are."""
        columns = (
            Column(tr("Field"), cell=attrgetter("title")),
            *(Column(letter, cell=partial(_side, place)) for place, letter in enumerate(letters)),
            Column(tr("Decision"), cell=choice_words),
        )
        self.show(rows, columns, id_of=attrgetter("id"))

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the sides."""
        return tuple(column.title for column in self.columns[1:-1])

    def topic_at(self, row: int) -> str:
        field = self.rows[row].field
        return (_TOPICS.get(field.kind) or f"checklist.{field.item}") if field is not None else ""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = self.rows[index.row()], index.column()
        is_decision = column == len(self.letters) + 1
        if role == KEYS_ROLE:
            return self._keys(row) if is_decision else None
        match role:
            case Qt.ItemDataRole.DecorationRole:
                return self._mark(row, column)
            case Qt.ItemDataRole.FontRole:
                return theme().sans(SMALL if is_decision else 13, is_strong=self._is_taken(row, column))
            case Qt.ItemDataRole.ForegroundRole:
                return self._colour(row, column)
            case Qt.ItemDataRole.AccessibleTextRole:
                return tr("{name}: {words}", name=self.columns[column].title, words=super().data(index))
            case _:
                return super().data(index, role)

    def _mark(self, row: DecisionLine, column: int) -> object:
        """The sign beside a decision and, where few sides leave room for it, beside the side it takes."""
        if column == len(self.letters) + 1:
            if row.defect:
                return icon("warning", tone=Tone.WARN)
            return icon("check", tone=Tone.OK) if row.state is RowState.DECIDED else None
        has_room = len(self.letters) < 3
        return icon("check", tone=Tone.ACCENT) if has_room and self._is_taken(row, column) else None

    def _keys(self, row: DecisionLine) -> tuple[str, ...] | None:
        if row.state is not RowState.OPEN:
            return None
        if row.edit is not None:
            return ("Y", "X")
        letters = self.letters
        # The letters stand above the columns already: many of them leave no room for the rest.
        return (*letters, "O") if len(letters) <= _MOST_KEYS else (f"{letters[0]}–{letters[-1]}", "O")

    def _is_taken(self, row: DecisionLine, column: int) -> bool:
        return 0 < column <= len(self.letters) and row.choice == self.letters[column - 1]

    def _colour(self, row: DecisionLine, column: int) -> object:
        look = theme()
        if column == len(self.letters) + 1:
            names = {
                RowState.AGREED: "faint",
                RowState.OPEN: "warn",
                RowState.WRONG: "warn",
                RowState.DECIDED: "ok",
            }
            return look.colour(names[row.state])
        if row.state is RowState.AGREED:
            return look.colour("muted")
        is_beaten = row.choice is not None and column > 0 and not self._is_taken(row, column)
        return look.colour("muted") if is_beaten else look.colour("text")


def _side(place: int, row: DecisionLine) -> str:
    return row.values[place] if row.values else ""


def choice_words(row: DecisionLine) -> str:
    """What was decided about a row, in a word or two."""
    if row.defect:
        return tr("stays wrong") if row.state is RowState.WRONG else tr("kept on purpose")
    if row.state is RowState.AGREED:
        if not row.values and row.field is not None:
            return value_words(row.field, row.field.values[0])
        return tr("agree")
    if row.choice is None:
        return tr("owner differs") if row.is_against_owner else tr("open")
    if isinstance(row.choice, Own):
        return (
            tr("own: {value_words}", value_words=value_words(row.field, row.choice.own))
            if row.field is not None
            else tr("own")
        )
    return {"accept": tr("accepted"), "decline": tr("declined")}.get(
        row.choice, tr("{choice} taken", choice=row.choice)
    )
