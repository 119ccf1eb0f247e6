"""Expert verification: escalated and sampled cases side by side, and the decision that settles them."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field, JsonValue

from annotator.cases.bodies import load_revision
from annotator.cases.checking import check_case
from annotator.cases.history import new_revision
from annotator.project.stages import Actor, check_move
from annotator.project.workspace import Done, Work, Workspace
from annotator.review import sampling
from annotator.review.claiming import EXPERT_STAGES, claim_case
from annotator.review.drafts import labels_for_owner
from annotator.review.labelling import apply_fields
from annotator.review.proposals import ProposedEdit, conflicting, proposed_edits, with_edits
from db import queries, reviews, store
from db import work as slots
from db.rows import AssignmentRow, CaseRow, SampleRow
from db.tables import Transaction
from scoring.errors import BlockedError, ConflictError, ForbiddenError, InputError, NotFoundError
from scoring.model.case import Case
from scoring.model.labels import ComparedField, Finding, Judgment, Reason, TaskLabels, compare, without_labels
from scoring.model.record import Record
from scoring.model.taxonomy import FeedbackCategory, Role, Severity, Stage, Verdict

_DECIDED_STAGE = {
    Verdict.APPROVE: Stage.FINAL,
    Verdict.RETURN: Stage.RETURNED,
    Verdict.REJECT: Stage.REJECTED,
}


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
    the owner escalated, or a sampled case is verified, there is nothing to hide. `fields` compares the
    sides only. `why` says why the case is here.
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

    @property
    def differing(self) -> tuple[ComparedField, ...]:
        """Fields the expert must decide."""
        return tuple(field for field in self.fields if field.differs)


class Decided(Record):
    """What became of a decision, with the owner's version revealed."""

    case_id: str
    stage: Stage
    is_correction: bool
    owner: str | None
    owner_labels: tuple[TaskLabels, ...]


def open_adjudication(workspace: Workspace, case_id: str) -> Done[Adjudication]:
    """Take an escalated or sampled case and lay everything about it side by side.

    Raises:
        ForbiddenError: The person is no expert, or owns or has judged the case.
    """
    claimed = claim_case(workspace, case_id)
    held = claimed.value
    if held.stage not in EXPERT_STAGES:
        raise ForbiddenError(
            f"{case_id} is at stage {held.stage}: there is nothing to adjudicate.",
            "Open it in the Workbench.",
        )

    def query(tx: Transaction) -> Adjudication:
        return _adjudication(tx, held, queries.get_case(tx, held.case_pk))

    return Done(workspace.read(query), claimed.changes)


def _adjudication(tx: Transaction, held: AssignmentRow, row: CaseRow) -> Adjudication:
    case = load_revision(tx, row.head_id)
    sides = _sides(tx, row)
    fields = compare(case, [side.labels for side in sides]) if sides else ()
    edits = tuple(
        edit
        for side in sides
        for edit in proposed_edits(
            side.letter, without_labels(case), without_labels(side.edit) if side.edit else None
        )
    )
    is_hidden = held.stage is Stage.ESCALATED and bool(sides)
    shown = without_labels(case) if is_hidden else case
    return Adjudication(
        assignment_id=held.id,
        case_id=row.case_id,
        stage=held.stage,
        round=row.round,
        case=shown,
        is_owner_hidden=is_hidden,
        sides=sides,
        fields=fields,
        edits=edits,
        findings=tuple(
            finding
            for finding in check_case(case)
            if not is_hidden or (finding.severity is Severity.ERROR and not finding.rule.startswith("policy"))
        ),
        why=row.note,
        template=Decision(feedback=()),
    )


def _sides(tx: Transaction, row: CaseRow) -> tuple[Side, ...]:
    said = reviews.judgments_of(tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
    sides = []
    for position, judged in enumerate(said):
        judgment = Judgment.model_validate_json(judged.body)
        sides.append(
            Side(
                letter=chr(ord("A") + position),
                labels=judgment.tasks,
                verdict=judged.verdict,
                reasons=judgment.reasons,
                edit=judgment.edit,
            )
        )
    return tuple(sides)


def undecided(adjudication: Adjudication, decision: Decision) -> tuple[str, ...]:
    """Ids of fields and edits the decision still leaves open; empty when it can be finalised.

    A sampled case needs no field decided: nothing decided means unchanged.
    """
    if decision.verdict is not Verdict.APPROVE:
        return ()
    open_edits = [edit.id for edit in adjudication.edits if edit.id not in decision.edits]
    if adjudication.stage is Stage.EXPERT:
        return ()
    fields = [field.id for field in adjudication.differing if field.id not in decision.fields]
    return (*fields, *open_edits)


def preview(adjudication: Adjudication, head: Case, decision: Decision) -> Case:
    """The case a decision would make of the head revision.

    Raises:
        InputError: The decision names unknown fields, sides or edits, or accepts two edits of one field.
        GraphError: The decided drawing breaks a rule.
    """
    letters = {side.letter: position for position, side in enumerate(adjudication.sides)}
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
    edited = with_edits(
        base, accepted, sources={side.letter: side.edit for side in adjudication.sides if side.edit}
    )
    return apply_fields(edited, _values(adjudication, edited, decision, letters))


def _checked_edit(head: Case, edit: Case) -> Case:
    if edit.id != head.id:
        raise InputError(f"The edit is of case '{edit.id}', not '{head.id}'.", "Keep the id of the case.")
    return edit.model_copy(update={"source": head.source, "extras": head.extras})


def _values(
    adjudication: Adjudication, case: Case, decision: Decision, letters: Mapping[str, int]
) -> dict[ComparedField, JsonValue]:
    known = {field.id: field for field in adjudication.fields}
    known |= {field.id: field for field in _possible_fields(case) if field.id not in known}
    values: dict[ComparedField, JsonValue] = {}
    if adjudication.is_owner_hidden:
        values = {field: field.values[0] for field in adjudication.fields if not field.differs}
        drawn = {(field.task, field.pair) for field in adjudication.fields if field.kind == "edge"}
        for hidden in _possible_fields(case, only_drawn=True):
            if (hidden.task, hidden.pair) not in drawn:  # an edge only the owner drew
                values[hidden] = None
    for name, choice in decision.fields.items():
        field = known.get(name)
        if field is None:
            raise InputError(f"The case has no field '{name}'.", "Take the ids from the template.")
        if isinstance(choice, Own):
            values[field] = choice.own
        elif choice in letters:
            values[field] = field.values[letters[choice]]
        else:
            raise InputError(
                f"'{choice}' is no side of {name}.",
                f"Sides: {', '.join(letters) or 'none'}, or an own value.",
            )
    return values


def _possible_fields(case: Case, *, only_drawn: bool = False) -> tuple[ComparedField, ...]:
    """Every field an expert may set on their own, with any pair of steps as a possible edge."""
    fields: list[ComparedField] = []
    for t, task in enumerate(case.tasks):
        drawn = {edge.pair for edge in task.drawn_edges}
        steps = [i for i in range(len(task.steps)) if i != task.answer_index]
        fields += [
            ComparedField(id=f"task.{t}.edge.{a}-{b}", task=t, kind="edge", pair=(a, b), values=(None,))
            for a in steps
            for b in steps
            if a != b and (not only_drawn or (a, b) in drawn)
        ]
        if not only_drawn:
            fields += [
                ComparedField(id=f"task.{t}.policy", task=t, kind="policy", values=(task.policy,)),
                ComparedField(
                    id=f"task.{t}.information", task=t, kind="information", values=(task.information,)
                ),
            ]
    return tuple(fields)


def decide(workspace: Workspace, assignment_id: int, *, decision: Decision, key: str) -> Done[Decided]:
    """Settle an escalated or sampled case; the result is a revision in the expert's name.

    Raises:
        BlockedError: Fields or edits are not decided, or errors remain in the result.
        ConflictError: The case changed meanwhile.
        InputError, GraphError: See `preview`.
    """

    def work(w: Work) -> Decided:
        held = _expert_slot(w, assignment_id)
        store.lock_case(w.tx, held.case_pk)
        row = queries.get_case(w.tx, held.case_pk)
        if reviews.decision_exists(w.tx, key):
            return _decided(w, row, is_correction=False)
        if row.stage is not held.stage or row.version != held.case_version or held.status != "claimed":
            raise ConflictError(
                f"{row.case_id} changed since you opened it: it is at stage {row.stage} now.",
                "Open it again.",
            )
        correction = _settle(w, held, row, decision=decision, key=key)
        now = queries.get_case(w.tx, row.pk)
        w.record(
            f"case:{row.case_id}",
            {
                "at": held.stage.value,
                "verdict": str(decision.verdict),
                "to": now.stage.value,
                "correction": correction,
            },
        )
        w.touch(row.case_id)
        return _decided(w, now, is_correction=correction)

    return workspace.run("review:case:decide", work, roles=(Role.EXPERT,))


def _expert_slot(w: Work, assignment_id: int) -> AssignmentRow:
    held = slots.find_assignment(w.tx, assignment_id)
    if held is None or held.stage not in EXPERT_STAGES:
        raise NotFoundError(f"There is no expert assignment {assignment_id}.", "Open the case again.")
    if held.person_id != w.person.id:
        raise ForbiddenError(f"Assignment {assignment_id} is {held.person}'s.", "Decide your own cases.")
    return held


def _settle(w: Work, held: AssignmentRow, row: CaseRow, *, decision: Decision, key: str) -> bool:
    verdict = _checked_verdict(decision)
    adjudication = _adjudication(w.tx, held, row)
    head = load_revision(w.tx, row.head_id)
    columns: dict[str, object] = {}
    result_id = row.head_id
    to = _DECIDED_STAGE[verdict]
    check_move(row.stage, verdict.value, who=Actor.EXPERT, to=to)
    if verdict is Verdict.APPROVE:
        missing = undecided(adjudication, decision)
        if missing:
            raise BlockedError(
                f"{len(missing)} left to decide: {', '.join(missing[:5])}.",
                "Take a side or give an own value.",
            )
        result = preview(adjudication, head, decision)
        _refuse_errors(result, decision)
        result_id, columns = new_revision(
            w, row, result, reason=decision.note or "expert's decision", stage=held.stage
        )
    correction = verdict is not Verdict.APPROVE or columns.get("sha256", row.sha256) != row.sha256
    store.add_decision(
        w.tx,
        {
            "case_pk": row.pk,
            "stage": held.stage.value,
            "round": row.round,
            "person_id": w.person.id,
            "result_id": result_id,
            "verdict": verdict.value,
            "is_correction": correction,
            "at": w.at,
            "idempotency_key": key,
            "body": decision.model_dump_json(by_alias=True, ensure_ascii=True),
        },
    )
    sha256 = str(columns.get("sha256", row.sha256))
    if verdict is Verdict.APPROVE:
        store.add_exit(w.tx, row.pk, stage=held.stage, round_=row.round, sha256=sha256, at=w.at)
    _tell(w, row, adjudication, decision)
    values = {**columns, "stage": to.value, "note": decision.note}
    if to is Stage.RETURNED:
        values["round"] = row.round + 1
    store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=values)
    closed = {"status": "submitted", "closed_at": w.at}
    store.change_assignment(w.tx, held.id, expected="claimed", values=closed)
    if held.stage is Stage.EXPERT:
        _note_outcome(w, row, verdict=verdict, is_correction=correction)
    sampling.settle_batch(w, row.batch_id)
    return correction


def _checked_verdict(decision: Decision) -> Verdict:
    if decision.verdict is None or decision.verdict is Verdict.ESCALATE:
        raise BlockedError("The decision has no verdict.", "Choose approve, return or reject.")
    if decision.verdict is not Verdict.APPROVE and not decision.note.strip():
        raise BlockedError(f"'{decision.verdict}' needs a note.", "Say to the owner what is wrong.")
    return decision.verdict


def _refuse_errors(result: Case, decision: Decision) -> None:
    errors = [finding for finding in check_case(result) if finding.severity is Severity.ERROR]
    if errors and not decision.note.strip():
        raise BlockedError(
            f"The result has {len(errors)} errors: {errors[0].message}",
            "Correct them, or say in the note why they stay.",
        )


def _tell(w: Work, row: CaseRow, adjudication: Adjudication, decision: Decision) -> None:
    said = reviews.judgments_of(w.tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
    people = {side.letter: said[i].person_id for i, side in enumerate(adjudication.sides)}
    if row.owner_id is not None:
        people["owner"] = row.owner_id
    for item in decision.feedback:
        to = people.get(item.to)
        if to is None:
            person = queries.find_person(w.tx, item.to)
            if person is None:
                raise InputError(
                    f"Feedback to '{item.to}' reaches nobody.", f"Address: {', '.join(people)}, or a name."
                )
            to = person.id
        store.add_feedback(
            w.tx,
            row.pk,
            to_id=to,
            from_id=w.person.id,
            category=item.category.value,
            note=item.note,
            at=w.at,
        )


def _note_outcome(w: Work, row: CaseRow, *, verdict: Verdict, is_correction: bool) -> None:
    outcomes = {Verdict.RETURN: "returned", Verdict.REJECT: "rejected"}
    outcome = outcomes.get(verdict, "corrected" if is_correction else "unchanged")
    for sample in _open_samples(reviews.list_samples(w.tx, batch_id=row.batch_id), row.case_id):
        store.set_outcome(w.tx, sample, case_pk=row.pk, outcome=outcome)
    for sample_row in reviews.list_samples(w.tx, batch_id=row.batch_id):
        if sample_row.status == "open":
            sampling.settle_sample(w, sample_row)


def _open_samples(samples: Sequence[SampleRow], case_id: str) -> list[int]:
    return [s.id for s in samples if s.status == "open" and s.outcomes.get(case_id) == "open"]


def _decided(w: Work, row: CaseRow, *, is_correction: bool) -> Decided:
    first = [j for j in reviews.judgments_of(w.tx, row.pk) if j.stage is not Stage.CROSS_CHECK]
    owner_case = load_revision(w.tx, first[-1].result_id) if first else load_revision(w.tx, row.head_id)
    return Decided(
        case_id=row.case_id,
        stage=row.stage,
        is_correction=is_correction,
        owner=row.owner,
        owner_labels=labels_for_owner(w.tx, owner_case, row.pk),
    )
