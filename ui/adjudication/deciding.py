"""A decision as it grows: each field taken from a side or given an own value, each proposed edit answered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal

from pydantic import JsonValue

from annotator.review.proposals import ProposedEdit
from annotator.review.verifying import Adjudication, Decision, FeedbackItem, Own, preview, undecided
from scoring.errors import AnnotatorError, CycleError, InputError
from scoring.model.case import Answer, Ask, Case, content_sha256
from scoring.model.labels import ComparedField
from scoring.model.taxonomy import EdgeKind, FeedbackCategory, Information, Policy, Stage, Verdict
from ui.adjudication.own_edges import own_fields
from ui.theme.words import EDGE_KIND, INFORMATION, POLICY, POLICY_SHORT

Choice = str | Own | None


class RowState(StrEnum):
    """How a row of the table stands."""

    AGREED = "agreed"
    OPEN = "open"
    DECIDED = "decided"


@dataclass(frozen=True)
class Row:
    """One line of the table: a compared field, or an edit somebody proposes.

    `values` are what the sides say, as words. `choice` is the decided side's letter, an own value, or
    `accept` and `decline` for an edit; null while it is open. `is_own` marks a field no side spoke of,
    `is_against_owner` one on which only the owner differs.
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


def rows_of(adjudication: Adjudication, decision: Decision) -> tuple[Row, ...]:
    """Lay out everything there is to decide: what differs, proposed edits, own edges, then what agrees.

    Where no side was asked (the owner escalated), each task's labels are listed as the case has them.
    A field the sides agree on may be open too: somebody else said otherwise.
    """
    fields = adjudication.fields or _labels_of(adjudication.case)
    asked = {field.id for field in adjudication.differing}
    listed = {field.id for field in fields}
    own = [field for field in own_fields(adjudication, decision) if field.id not in listed]
    has_sides = bool(adjudication.sides)

    def rows(found: Iterable[ComparedField], *, is_asked: bool) -> Iterator[Row]:
        return (_field_row(field, decision, has_sides=has_sides, is_asked=is_asked) for field in found)

    return (
        *(
            replace(row, is_against_owner=row.id in adjudication.against_owner)
            for row in rows((field for field in fields if field.id in asked), is_asked=True)
        ),
        *(_edit_row(edit, adjudication, decision) for edit in adjudication.edits),
        *(replace(row, is_own=True) for row in rows(own, is_asked=False)),
        *rows((field for field in fields if field.id not in asked), is_asked=False),
    )


def has_open_edge(rows: Sequence[Row], task: int) -> bool:
    """Whether the drawing of a task is not decided yet."""
    return any(
        row.state is RowState.OPEN and row.field is not None and row.field.kind == "edge"
        for row in rows
        if row.task == task
    )


def take_side(decision: Decision, field_id: str, *, choice: Choice) -> Decision:
    """Decide a field for a side or an own value; null opens it again."""
    fields = {name: said for name, said in decision.fields.items() if name != field_id}
    if choice is not None:
        fields[field_id] = choice
    return decision.model_copy(update={"fields": fields})


def answer_edit(decision: Decision, edit_id: str, *, answer: Literal["accept", "decline"] | None) -> Decision:
    """Accept or decline a proposed edit; null opens it again."""
    edits = {name: said for name, said in decision.edits.items() if name != edit_id}
    if answer is not None:
        edits[edit_id] = answer
    return decision.model_copy(update={"edits": edits})


def tell(decision: Decision, to: str, *, category: FeedbackCategory | None, note: str) -> Decision:
    """Tell somebody about a mistake; without a category nothing is told to them."""
    kept = [item for item in decision.feedback if item.to != to]
    if category is not None:
        kept.append(FeedbackItem(to=to, category=category, note=note))
    return decision.model_copy(update={"feedback": tuple(sorted(kept, key=lambda item: item.to))})


def feedback_to(decision: Decision, to: str) -> FeedbackItem | None:
    """What is told to somebody; null for nothing."""
    return next((item for item in decision.feedback if item.to == to), None)


def with_note(decision: Decision, note: str) -> Decision:
    """Change the note that goes with the decision."""
    return decision.model_copy(update={"note": note})


def with_edit(decision: Decision, case: Case, *, shown: Case) -> Decision:
    """Keep the case as the expert would have it; where it is as shown, nothing is kept."""
    return decision.model_copy(update={"edit": None if case == shown else case})


def left_to_decide(adjudication: Adjudication, decision: Decision) -> tuple[str, ...]:
    """Ids of what an approval still needs decided."""
    return undecided(adjudication, decision.model_copy(update={"verdict": Verdict.APPROVE}))


@dataclass(frozen=True)
class Result:
    """The case a decision makes; null where it breaks a rule, with the error that says which."""

    case: Case | None
    error: AnnotatorError | None = None

    @property
    def problem(self) -> str:
        """What is wrong, in words; empty for nothing."""
        return str(told(self.error)) if self.error is not None else ""


def told(error: AnnotatorError) -> AnnotatorError:
    """An error as the expert is told: a circle by its edges, with what can be done about it."""
    if not isinstance(error, CycleError):
        return error
    path = " → ".join(map(str, error.cycle))
    return InputError(f"This would close a circle: {path}.", "Leave one of its other edges out first.")


def result_of(adjudication: Adjudication, decision: Decision) -> Result:
    """Try a decision out on the case that is shown."""
    try:
        return Result(preview(adjudication, adjudication.case, decision))
    except AnnotatorError as error:
        return Result(None, error)


def is_correction(adjudication: Adjudication, result: Result) -> bool:
    """Whether a sampled case would come out another one than it was approved as."""
    return result.case is not None and content_sha256(result.case) != content_sha256(adjudication.case)


def is_sampled(adjudication: Adjudication) -> bool:
    """Whether the case is verified as part of a sample, not settled after a dispute."""
    return adjudication.stage is Stage.EXPERT


def own_choices(field: ComparedField) -> tuple[tuple[str, JsonValue], ...]:
    """The values an expert may give a field themselves, each with its words."""
    if field.kind == "policy":
        return tuple((words, policy.value) for policy, words in POLICY.items())
    if field.kind == "information":
        return tuple((words, information.value) for information, words in INFORMATION.items())
    if field.kind == "edge":
        drawn = tuple((EDGE_KIND[kind], kind.value) for kind in (EdgeKind.PARAMETER, EdgeKind.LOGICAL))
        return (*drawn, ("not drawn", None))
    return (("yes", True), ("no", False))


def value_words(field: ComparedField, value: JsonValue, *, policies: Mapping[Policy, str] = POLICY) -> str:
    """A value of a field as people say it, policies as in `policies`."""
    if field.kind == "edge":
        return EDGE_KIND[EdgeKind(str(value))] if value is not None else "not drawn"
    if value is None:
        return "not said"
    if field.kind == "policy":
        return policies[Policy(str(value))]
    if field.kind == "information":
        return INFORMATION[Information(str(value))]
    return "yes" if value else "no"


def field_title(field: ComparedField) -> str:
    """A field as people call it; tasks count from 1."""
    task = f"task {field.task + 1}"
    if field.kind == "edge" and field.pair is not None:
        return f"Edge {field.pair[0]} → {field.pair[1]} · {task}"
    if field.kind == "call":
        return f"Call {field.step} right · {task}"
    return {
        "policy": f"Policy · {task}",
        "information": f"Information · {task}",
        "completed": f"Completed · {task}",
    }[field.kind]


def edit_title(edit: ProposedEdit, case: Case) -> str:
    """A proposed edit as people call it.

    Args:
        edit: The edit.
        case: The case it is about.
    """
    if edit.task is None:
        return "Steps of the case" if edit.field == "case" else f"{edit.field.capitalize()} of the case"
    task = f"task {edit.task + 1}"
    if edit.step is None:
        return f"Request · {task}"
    step = case.tasks[edit.task].steps[edit.step]
    if isinstance(step, Answer):
        return f"Answer · {task}"
    name = "Question" if isinstance(step, Ask) and edit.field == "text" else edit.field.capitalize()
    return f"{name} {edit.step} · {task}"


def _field_row(field: ComparedField, decision: Decision, *, has_sides: bool, is_asked: bool) -> Row:
    choice = decision.fields.get(field.id)
    state = RowState.OPEN if is_asked else RowState.AGREED
    values = field.values if has_sides else ()
    # Three columns and more have no room for the long names.
    policies = POLICY if len(values) < 3 else POLICY_SHORT
    if choice is not None:
        state = RowState.DECIDED
    return Row(
        id=field.id,
        task=field.task,
        title=field_title(field),
        values=tuple(value_words(field, value, policies=policies) for value in values),
        state=state,
        choice=choice,
        field=field,
    )


def _edit_row(edit: ProposedEdit, adjudication: Adjudication, decision: Decision) -> Row:
    answer = decision.edits.get(edit.id)
    return Row(
        id=edit.id,
        task=edit.task,
        title=edit_title(edit, adjudication.case),
        values=tuple("proposes" if side.letter == edit.side else "" for side in adjudication.sides),
        state=RowState.OPEN if answer is None else RowState.DECIDED,
        choice=answer,
        edit=edit,
    )


def _labels_of(case: Case) -> tuple[ComparedField, ...]:
    fields = []
    for t, task in enumerate(case.tasks):
        said = (task.policy,), (task.information,)
        fields += [
            ComparedField(id=f"task.{t}.policy", task=t, kind="policy", values=said[0]),
            ComparedField(id=f"task.{t}.information", task=t, kind="information", values=said[1]),
        ]
    return tuple(fields)
