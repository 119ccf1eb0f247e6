"""Typed tables of a project: bodies are ASCII JSON text, a few indexed columns beside them serve lists."""

from datetime import datetime

from sqlalchemy import Boolean, ForeignKey, Index, Integer, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, Session, mapped_column

from db.columns import FreeText, Name, NumberedTable, Table, turn_of
from scoring.model.taxonomy import Priority

Transaction = Session
"""What every function of this floor takes first: an open transaction."""


_OCCUPYING = "status IN ('claimed', 'submitted')"


def _unique_where(condition: str, name: str, *columns: str) -> Index:
    """An index under which the rows that fulfil a condition are unique.

    Only the migration that makes it tells the databases of the condition: as an option here it would load
    the code for every database, at each start.
    """
    return Index(name, *columns, unique=True, info={"where": condition})


class Project(NumberedTable, name="project"):
    """One row: the project's name and its review policy with a version."""

    name: Mapped[str] = mapped_column(Name(200))
    created_at: Mapped[datetime]
    policy: Mapped[str] = mapped_column(Text)
    policy_version: Mapped[int] = mapped_column(default=1)


class Person(NumberedTable, name="people"):
    """Somebody who works in the project; disabled people stay, since history names them.

    `away_until` is the day (UTC) on which somebody who is away is back, as ISO text.
    """

    name: Mapped[str] = mapped_column(Name(100), unique=True)
    roles: Mapped[str] = mapped_column(String(100))
    password_hash: Mapped[str | None] = mapped_column(String(300))
    is_active: Mapped[bool] = mapped_column(Boolean, default=True)
    away_until: Mapped[str | None] = mapped_column(String(10))
    created_at: Mapped[datetime]


class Batch(NumberedTable, name="batches"):
    """Cases that are sampled together and may return together; `due_on` is a day as ISO text."""

    name: Mapped[str] = mapped_column(Name(200), unique=True)
    created_at: Mapped[datetime]
    created_by: Mapped[int | None] = mapped_column(ForeignKey("people.id"))
    is_flagged: Mapped[bool] = mapped_column(Boolean, default=False)
    due_on: Mapped[str | None] = mapped_column(String(10))


class CaseHead(NumberedTable, name="cases"):
    """Where a case stands now: stage, owner, version and what the queue filters on.

    `round` grows whenever the case is judged anew; `entered_round` is the one in which its content came
    from the owner, so that later rounds on the same content go to other reviewers. `is_assigned` says that
    the owner did not just take it from the queue: a manager named them, or it was returned to them.
    `expert_id` is the expert to whom the decision was handed, until the case leaves its stage.
    `turn` is the priority of the case and the day its batch is due (`turn_of`), by which it is given out.
    """

    case_id: Mapped[str] = mapped_column(Name(200), unique=True)
    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id"))
    stage: Mapped[str] = mapped_column(String(30))
    version: Mapped[int] = mapped_column(default=1)
    round: Mapped[int] = mapped_column(default=1)
    entered_round: Mapped[int] = mapped_column(default=1)
    owner_id: Mapped[int | None] = mapped_column(ForeignKey("people.id"))
    is_assigned: Mapped[bool] = mapped_column(Boolean, default=False)
    expert_id: Mapped[int | None] = mapped_column(Integer)
    turn: Mapped[int] = mapped_column(default=turn_of(Priority.NORMAL, None))
    head_id: Mapped[int | None] = mapped_column(Integer)
    sha256: Mapped[str] = mapped_column(String(64))
    imported_sha256: Mapped[str] = mapped_column(String(64))
    task_count: Mapped[int]
    language: Mapped[str] = mapped_column(Name(40))
    policies: Mapped[str] = mapped_column(Text)
    informations: Mapped[str] = mapped_column(Text)
    rules: Mapped[str] = mapped_column(Text)
    finding_count: Mapped[int]
    error_count: Mapped[int]
    request: Mapped[str] = mapped_column(FreeText)
    searched: Mapped[str] = mapped_column(FreeText)
    is_gold: Mapped[bool] = mapped_column(Boolean, default=False)
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    note: Mapped[str] = mapped_column(FreeText, default="")

    __table_args__ = (
        Index("ix_cases_stage", "stage", "turn", "id"),
        Index("ix_cases_stage_changed", "stage", "changed_at", "id"),
        Index("ix_cases_owner_stage", "owner_id", "stage", "turn", "id"),
        Index("ix_cases_batch_stage", "batch_id", "stage", "id"),
        Index("ix_cases_changed", "changed_at", "id"),
    )


class Revision(NumberedTable, name="revisions"):
    """Immutable content of a case: parent, author, stage, reason, time, hash and body."""

    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"))
    number: Mapped[int]
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("revisions.id"))
    author_id: Mapped[int | None] = mapped_column(ForeignKey("people.id"))
    stage: Mapped[str] = mapped_column(String(30))
    reason: Mapped[str] = mapped_column(FreeText)
    at: Mapped[datetime]
    sha256: Mapped[str] = mapped_column(String(64))
    body: Mapped[str] = mapped_column(Text)

    __table_args__ = (UniqueConstraint("case_pk", "number"),)


class SlotTable(Table):
    """What somebody has of a case at one stage, held under a lease that expires."""

    __abstract__ = True
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    stage: Mapped[str] = mapped_column(String(30))
    status: Mapped[str] = mapped_column(String(20))
    claimed_at: Mapped[datetime]
    lease_until: Mapped[datetime]
    closed_at: Mapped[datetime | None]


class Assignment(SlotTable, NumberedTable, name="assignments"):
    """A reviewer's slot at one stage and round of a case, held under a lease that expires.

    Status: `claimed` and `submitted` occupy the slot; `released`, `skipped`, `expired` do not.
    """

    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    round: Mapped[int]
    slot: Mapped[int]
    case_version: Mapped[int]
    note: Mapped[str] = mapped_column(FreeText, default="")

    __table_args__ = (
        _unique_where(_OCCUPYING, "uq_assignments_slot", "case_pk", "stage", "round", "slot"),
        _unique_where(_OCCUPYING, "uq_assignments_person", "case_pk", "stage", "round", "person_id"),
        Index("ix_assignments_person_status", "person_id", "status"),
        Index("ix_assignments_lease", "status", "lease_until"),
    )


class Draft(Table, name="drafts"):
    """Work in progress of one assignment; replaced at every save, sealed by submitting."""

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"), primary_key=True)
    saved_at: Mapped[datetime]
    sequence: Mapped[int]
    base_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    body: Mapped[str] = mapped_column(Text)


class VerdictTable(NumberedTable):
    """What one person said of a case at a stage and round of it; `result_id` is what the case became."""

    __abstract__ = True
    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    stage: Mapped[str] = mapped_column(String(30))
    round: Mapped[int]
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    result_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    verdict: Mapped[str] = mapped_column(String(20))
    at: Mapped[datetime]
    idempotency_key: Mapped[str] = mapped_column(Name(100), unique=True)
    body: Mapped[str] = mapped_column(Text)


class JudgmentRecord(VerdictTable, name="judgments"):
    """What one reviewer submitted; `revision_id` is what was judged.

    `is_hasty` says that it was submitted faster than the case can be read.
    """

    assignment_id: Mapped[int] = mapped_column(ForeignKey("assignments.id"), index=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    seconds: Mapped[float]
    is_withdrawn: Mapped[bool] = mapped_column(Boolean, default=False)
    is_hasty: Mapped[bool] = mapped_column(Boolean, default=False)

    __table_args__ = (
        _unique_where("NOT is_withdrawn", "uq_judgments_standing", "assignment_id"),
        Index("ix_judgments_person", "person_id", "stage", "case_pk"),
    )


class KnownAnswer(SlotTable, name="known_answers"):
    """A copy of a gold case with one planted defect, for one person: it measures attention, and nothing else.

    It has slot, draft, remarks and judgment in itself, and no row in any other table. Its number is one of
    those of assignments, so that a slot on it looks like any other (`db.write.slots`). Status: `claimed`,
    `released` and `skipped` as for an assignment; `submitted`, when the person was told what was planted;
    `dropped` where its gold case was reopened meanwhile. `batch` is the one it is shown in; `defect`,
    `remarks` and `judgment` are JSON, `judgment` and `is_caught` null before the submission.
    """

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    case_id: Mapped[str] = mapped_column(Name(200), unique=True)
    batch: Mapped[str] = mapped_column(Name(200))
    source_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    source_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    kind: Mapped[str] = mapped_column(String(40))
    defect: Mapped[str] = mapped_column(Text)
    body: Mapped[str] = mapped_column(Text)
    draft_sequence: Mapped[int] = mapped_column(default=0)
    draft: Mapped[str | None] = mapped_column(Text)
    remarks: Mapped[str] = mapped_column(Text)
    idempotency_key: Mapped[str | None] = mapped_column(Name(100), unique=True)
    judgment: Mapped[str | None] = mapped_column(Text)
    is_caught: Mapped[bool | None] = mapped_column(Boolean)

    __table_args__ = (Index("ix_known_answers_person", "person_id", "status"),)


class PrecedentTable(NumberedTable):
    """What a judgment of a person teaches about a toolset."""

    __abstract__ = True
    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    judgment_id: Mapped[int] = mapped_column(ForeignKey("judgments.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    toolset: Mapped[str] = mapped_column(String(64))


class StoredPrecedent(PrecedentTable, name="precedents"):
    """What a person said of one task, for proposals about tasks with the same calls.

    `body` is JSON: the labels as they were submitted.
    """

    pattern: Mapped[str] = mapped_column(String(64))
    body: Mapped[str] = mapped_column(Text)

    __table_args__ = (Index("ix_precedents_pattern", "toolset", "pattern", "person_id"),)


class ToolOrder(PrecedentTable, name="tool_orders"):
    """Two tools called one after the other in a drawn task, and whether an order was drawn between them."""

    first: Mapped[str] = mapped_column(Name(200))
    second: Mapped[str] = mapped_column(Name(200))
    is_ordered: Mapped[bool] = mapped_column(Boolean)

    __table_args__ = (Index("ix_tool_orders_pair", "toolset", "first", "second"),)


class Invitation(Table, name="invitations"):
    """Somebody asked to cross-check a case in a round; where anybody is asked, only they may claim it."""

    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), primary_key=True)
    round: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"), primary_key=True)


class ClosedRound(NumberedTable, name="rounds"):
    """A cross-check round all of whose reviewers have spoken: what each rater said, as it was compared.

    `outcome` is the stage the case went to; the owner is one of the raters in the body.
    """

    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"))
    round: Mapped[int]
    at: Mapped[datetime]
    outcome: Mapped[str] = mapped_column(String(30))
    body: Mapped[str] = mapped_column(Text)

    __table_args__ = (UniqueConstraint("case_pk", "round"),)


class DecisionRecord(VerdictTable, name="decisions"):
    """What an expert decided about an escalated or sampled case."""

    is_correction: Mapped[bool] = mapped_column(Boolean)


class StageExit(NumberedTable, name="exits"):
    """The content hash with which a case left a stage; the stage-accuracy curve is made of these.

    `judgment_id` is the self-check that let it out; where that was withdrawn the case never left.
    """

    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    stage: Mapped[str] = mapped_column(String(30))
    round: Mapped[int]
    sha256: Mapped[str] = mapped_column(String(64))
    differing: Mapped[str | None] = mapped_column(Text)
    at: Mapped[datetime]
    judgment_id: Mapped[int | None] = mapped_column(ForeignKey("judgments.id"))


class Sample(NumberedTable, name="samples"):
    """One random sample of the approved cases of a batch; `status` is open, clean or corrected.

    `kind` is the sampling policy it was drawn under: `once` goes to the expert, `rounds` to other reviewers.
    """

    batch_id: Mapped[int] = mapped_column(ForeignKey("batches.id"))
    sequence: Mapped[int]
    kind: Mapped[str] = mapped_column(String(10))
    seed: Mapped[str] = mapped_column(Name(300))
    share: Mapped[float]
    population: Mapped[int]
    status: Mapped[str] = mapped_column(String(20))
    drawn_at: Mapped[datetime]
    closed_at: Mapped[datetime | None]

    __table_args__ = (UniqueConstraint("batch_id", "sequence"),)


class SampledCase(Table, name="sampled_cases"):
    """A case of a sample's population: `rest` where it was not drawn, else open or how it came out of it."""

    sample_id: Mapped[int] = mapped_column(ForeignKey("samples.id"), primary_key=True)
    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), primary_key=True)
    outcome: Mapped[str] = mapped_column(String(20))


class FeedbackNote(NumberedTable, name="feedback"):
    """One correction told to the person who made the mistake."""

    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"))
    to_id: Mapped[int] = mapped_column(ForeignKey("people.id"), index=True)
    from_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    category: Mapped[str] = mapped_column(String(40))
    note: Mapped[str] = mapped_column(FreeText)
    at: Mapped[datetime]
    seen_at: Mapped[datetime | None]


class Comment(NumberedTable, name="comments"):
    """A comment on a case, a step or a value; an answer names its parent, read by its author at `seen_at`."""

    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), index=True)
    parent_id: Mapped[int | None] = mapped_column(ForeignKey("comments.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    where: Mapped[str] = mapped_column(Name(300))
    text: Mapped[str] = mapped_column(FreeText)
    at: Mapped[datetime]
    resolved_at: Mapped[datetime | None]
    seen_at: Mapped[datetime | None]


class Presence(Table, name="presence"):
    """A window in which somebody has the project open; rows of windows that went without a word get old."""

    window: Mapped[str] = mapped_column(String(36), primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    case_pk: Mapped[int | None] = mapped_column(ForeignKey("cases.id"))
    since: Mapped[datetime]
    seen_at: Mapped[datetime]


class Release(NumberedTable, name="releases"):
    """A frozen set of final cases, with its manifest."""

    name: Mapped[str] = mapped_column(Name(200), unique=True)
    at: Mapped[datetime]
    person_id: Mapped[int] = mapped_column(ForeignKey("people.id"))
    content_sha256: Mapped[str] = mapped_column(String(64))
    case_count: Mapped[int]
    directory: Mapped[str] = mapped_column(FreeText)
    manifest: Mapped[str] = mapped_column(Text)


class ReleasedCase(Table, name="released_cases"):
    """The very revision of a case that went into a release."""

    release_id: Mapped[int] = mapped_column(ForeignKey("releases.id"), primary_key=True)
    case_pk: Mapped[int] = mapped_column(ForeignKey("cases.id"), primary_key=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))


class Run(NumberedTable, name="runs"):
    """One model's predictions scored against one set of cases."""

    name: Mapped[str] = mapped_column(Name(200))
    release_id: Mapped[int | None] = mapped_column(ForeignKey("releases.id"))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("people.id"))
    cases_sha256: Mapped[str] = mapped_column(String(64))
    predictions_sha256: Mapped[str] = mapped_column(String(64))
    protocol: Mapped[str] = mapped_column(String(20))
    semantics: Mapped[str] = mapped_column(String(20))
    arguments: Mapped[str] = mapped_column(String(20))
    at: Mapped[datetime]
    summary: Mapped[str] = mapped_column(Text)
    scorecard: Mapped[str] = mapped_column(Text)


class RunReply(NumberedTable, name="run_replies"):
    """What a model replied to one task of a run; `task` is None where the whole case failed."""

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"))
    case_id: Mapped[str] = mapped_column(Name(200))
    task: Mapped[int | None]
    body: Mapped[str] = mapped_column(Text)

    __table_args__ = (Index("ix_run_replies_run_case", "run_id", "case_id", "task"),)


class Generation(NumberedTable, name="generations"):
    """One run of the generator: its plan, the toolsets it draws from, and whether it goes on.

    `identity` is the hash of what was asked for, by which the same command finds its run again.
    """

    name: Mapped[str] = mapped_column(Name(200))
    person_id: Mapped[int | None] = mapped_column(ForeignKey("people.id"))
    at: Mapped[datetime]
    identity: Mapped[str] = mapped_column(String(64), index=True)
    status: Mapped[str] = mapped_column(String(20))
    prompt_version: Mapped[str] = mapped_column(String(40))
    plan: Mapped[str] = mapped_column(Text)
    toolsets: Mapped[str] = mapped_column(Text)


class TeamPrompts(NumberedTable, name="prompts"):
    """Prompts that were taken into the project; the newest of a language are those of new runs.

    Older ones stay for the runs that began with them. An empty `body` stands for the shipped ones.
    """

    language: Mapped[str] = mapped_column(String(10), index=True)
    version: Mapped[str] = mapped_column(String(40), index=True)
    body: Mapped[str] = mapped_column(FreeText)


class GeneratedDialogue(NumberedTable, name="generated_dialogues"):
    """One attempt at a dialogue of a run; `sequence` is what was wanted, with blanks between."""

    generation_id: Mapped[int] = mapped_column(ForeignKey("generations.id"))
    dialogue: Mapped[int]
    attempt: Mapped[int]
    sequence: Mapped[str] = mapped_column(String(300))
    status: Mapped[str] = mapped_column(String(20))
    case_id: Mapped[str | None] = mapped_column(Name(200), index=True)
    failure: Mapped[str | None] = mapped_column(String(30))
    note: Mapped[str] = mapped_column(FreeText, default="")

    __table_args__ = (UniqueConstraint("generation_id", "dialogue", "attempt"),)


class GenerationRequest(NumberedTable, name="generation_requests"):
    """One request to a model with its reply, what it took, and what was thought of it.

    `request` holds the messages as they were sent, compressed; the seed is a text, since it may be longer
    than a database's integers.
    """

    generation_id: Mapped[int] = mapped_column(ForeignKey("generations.id"))
    dialogue: Mapped[int]
    attempt: Mapped[int]
    number: Mapped[int]
    task: Mapped[int]
    ask: Mapped[str] = mapped_column(String(40))
    model: Mapped[str] = mapped_column(Name(200))
    seed: Mapped[str] = mapped_column(String(40))
    request_sha256: Mapped[str] = mapped_column(String(64))
    prompt_tokens: Mapped[int | None]
    completion_tokens: Mapped[int | None]
    dollars: Mapped[float | None]
    seconds: Mapped[float]
    at: Mapped[datetime]
    faults: Mapped[str] = mapped_column(String(200))
    request: Mapped[str] = mapped_column(Text)
    reply: Mapped[str] = mapped_column(Text)
    verdict: Mapped[str] = mapped_column(Text)

    __table_args__ = (UniqueConstraint("generation_id", "dialogue", "attempt", "number"),)


class Event(Table, name="events"):
    """One link of the append-only chain: who did what to what, and the hash of everything before."""

    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    at: Mapped[datetime]
    actor: Mapped[str] = mapped_column(Name(100))
    action: Mapped[str] = mapped_column(String(60))
    subject: Mapped[str] = mapped_column(Name(300), index=True)
    payload: Mapped[str] = mapped_column(Text)
    previous_hash: Mapped[str] = mapped_column(String(64))
    hash: Mapped[str] = mapped_column(String(64))


class ChainHead(NumberedTable, name="chain_head"):
    """One row: the last link of the event chain, locked while the next one is appended."""

    seq: Mapped[int]
    hash: Mapped[str] = mapped_column(String(64))
