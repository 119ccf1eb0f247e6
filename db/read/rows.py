"""Small frozen rows that queries return; the only shapes of the store that other floors see."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import chain
from math import fsum
from statistics import median

from scoring.generics import K
from scoring.groups import grouped, keyed
from scoring.model.taxonomy import Priority, Role, SampleOutcome, Stage, Verdict


@dataclass(frozen=True)
class PersonRow:
    """Somebody who works in the project; `away_until` is the day they are back, None if they are here."""

    id: int
    name: str
    roles: tuple[Role, ...]
    is_active: bool
    has_password: bool
    created_at: datetime
    away_until: date | None = None

    @property
    def is_here(self) -> bool:
        """Whether the person is given work: neither disabled nor away."""
        return self.is_active and self.away_until is None

    def has_role(self, role: Role) -> bool:
        """Whether the person holds a role."""
        return role in self.roles


@dataclass(frozen=True)
class PresentRow:
    """A window in which somebody has the project open; `case_id` is None if there is none or a hidden one."""

    window: str
    person: str
    case_id: str | None
    since: datetime


@dataclass(frozen=True)
class BatchRow:
    """A batch with its count of cases per stage."""

    id: int
    name: str
    created_at: datetime
    is_flagged: bool
    case_count: int
    stages: dict[Stage, int] = field(hash=False)
    due_on: date | None = None


@dataclass(frozen=True)
class HeldUpRow:
    """Cases of one stage that somebody, or with None nobody in particular, has to work on next.

    `since` is when the one that has waited longest was last changed.
    """

    stage: Stage
    person: str | None
    count: int
    since: datetime


@dataclass(frozen=True)
class DecisionWaitRow:
    """A case that waits for an expert: since when, why, to whom it was handed, and who is deciding it.

    `note` is what was said when it came there; empty where nothing was.
    """

    case_pk: int
    case_id: str
    batch: str
    stage: Stage
    since: datetime
    note: str
    handed_to: str | None
    deciding: str | None


@dataclass(frozen=True)
class CaseRow:
    """One line of the queue; `policies` and `informations` follow the tasks, empty text where unlabelled.

    `is_blind` says that the viewer may not see what others said about the case yet: its labels read as
    unlabelled, and it shows no findings, note or content hash.
    """

    pk: int
    case_id: str
    batch: str
    batch_id: int
    stage: Stage
    version: int
    round: int
    owner: str | None
    owner_id: int | None
    head_id: int
    sha256: str
    task_count: int
    policies: tuple[str, ...]
    informations: tuple[str, ...]
    finding_count: int
    error_count: int
    rules: tuple[str, ...]
    request: str
    is_gold: bool
    changed_at: datetime
    note: str
    is_blind: bool = False
    language: str = ""
    imported_sha256: str = ""
    priority: Priority = Priority.NORMAL


@dataclass(frozen=True)
class RevisionRow:
    """One revision of a case, without its body."""

    id: int
    number: int
    author: str | None
    stage: Stage
    reason: str
    at: datetime
    sha256: str


@dataclass(frozen=True)
class SlotRow:
    """What somebody has of a case; `status` is claimed, submitted, released, skipped or expired."""

    id: int
    case_id: str
    stage: Stage
    person_id: int
    person: str
    status: str
    claimed_at: datetime
    lease_until: datetime


@dataclass(frozen=True)
class AssignmentRow(SlotRow):
    """A reviewer's slot."""

    case_pk: int
    round: int
    slot: int
    case_version: int


@dataclass(frozen=True)
class KnownAnswerRow(SlotRow):
    """A copy of a gold case with one planted defect, for one person; see `db.tables.KnownAnswer`.

    `is_valid` says that its gold case is still as it was: gold, final and not revised since.
    """

    batch: str
    source_pk: int
    closed_at: datetime | None
    defect: str
    body: str
    draft_sequence: int
    draft: str | None
    remarks: str
    idempotency_key: str | None
    is_caught: bool | None
    is_valid: bool


@dataclass(frozen=True)
class CatchRow:
    """One submitted known-answer case of a person: its category, and whether it was caught.

    `is_valid` is as for `KnownAnswerRow`; one that is not counts for nothing. `defect` is JSON.
    """

    person: str
    kind: str
    is_caught: bool
    is_valid: bool
    case_id: str
    defect: str
    at: datetime


@dataclass(frozen=True)
class DraftRow:
    """The saved work of an assignment; `sequence` grows with every save."""

    assignment_id: int
    sequence: int
    base_revision_id: int
    body: str


@dataclass(frozen=True)
class VerdictRow:
    """What one person said of a case, with its JSON body."""

    case_pk: int
    person: str
    verdict: Verdict
    body: str


@dataclass(frozen=True)
class JudgmentRow(VerdictRow):
    """A submitted judgment."""

    id: int
    assignment_id: int
    stage: Stage
    round: int
    person_id: int
    result_id: int
    at: datetime
    is_withdrawn: bool


@dataclass(frozen=True)
class DecisionRow(VerdictRow):
    """An expert's decision."""

    is_correction: bool


@dataclass(frozen=True)
class SampleRow:
    """A drawn sample; `outcomes` maps case ids to open, unchanged, corrected, returned or rejected.

    `kind` is the sampling policy it was drawn under, `population` how many cases it was drawn from.
    """

    id: int
    batch: str
    batch_id: int
    sequence: int
    seed: str
    share: float
    population: int
    status: str
    drawn_at: datetime
    outcomes: dict[str, str] = field(hash=False)
    kind: str = "once"
    closed_at: datetime | None = None

    @property
    def open_count(self) -> int:
        """Sampled cases without a decision."""
        return sum(outcome == SampleOutcome.OPEN for outcome in self.outcomes.values())

    @property
    def error_count(self) -> int:
        """Sampled cases with a confirmed error: anything but unchanged, once their outcome is known."""
        return sum(
            outcome not in (SampleOutcome.OPEN, SampleOutcome.UNCHANGED) for outcome in self.outcomes.values()
        )


@dataclass(frozen=True)
class FeedbackRow:
    """One correction told to a person."""

    id: int
    case_id: str
    to: str
    sender: str
    category: str
    note: str
    at: datetime
    is_seen: bool


@dataclass(frozen=True)
class CommentRow:
    """A comment on a place of a case; `where` is a finding-style place text."""

    id: int
    parent_id: int | None
    person: str
    where: str
    text: str
    at: datetime
    is_resolved: bool


@dataclass(frozen=True)
class AnswerRow:
    """An answer to a person's comment."""

    id: int
    case_pk: int
    case_id: str
    person: str
    text: str
    at: datetime


@dataclass(frozen=True)
class JudgingTime:
    """How many judgments there are, at least one, and their active time, in the middle and in all.

    `hasty` ones were submitted faster than anyone reads.
    """

    count: int
    median_seconds: float
    seconds: float
    hasty: int


@dataclass(frozen=True)
class WorkTimes:
    """Active seconds of judgments, and whether each was hasty, by the person's number and stage."""

    work: Mapping[tuple[int, Stage, bool], Sequence[float]]

    def by_person(self) -> dict[int, JudgingTime]:
        """The times of each person."""
        return _times((person, hasty, spent) for (person, _, hasty), spent in self.work.items())

    def by_stage(self) -> dict[Stage, JudgingTime]:
        """The times at each stage, in their order."""
        found = _times((stage, hasty, spent) for (_, stage, hasty), spent in self.work.items())
        return {stage: found[stage] for stage in Stage if stage in found}

    def seconds(self) -> dict[tuple[int, Stage], float]:
        """What each person spent at each stage."""
        spent = grouped(((person, stage), seconds) for (person, stage, _), seconds in self.work.items())
        return {place: fsum(chain.from_iterable(lists)) for place, lists in spent.items()}


@keyed
def _times(parts: Iterable[tuple[K, bool, Sequence[float]]]) -> Iterator[tuple[K, JudgingTime]]:
    for key, works in grouped((key, (hasty, spent)) for key, hasty, spent in parts).items():
        seconds = [one for _, spent in works for one in spent]
        hasty_count = sum(len(spent) for hasty, spent in works if hasty)
        yield key, JudgingTime(len(seconds), median(seconds), fsum(seconds), hasty_count)


@dataclass(frozen=True)
class TimeRow:
    """How long somebody worked on one judgment."""

    case_pk: int
    stage: Stage
    seconds: float


@dataclass(frozen=True)
class RoundRow:
    """A closed cross-check round: `body` is JSON of what every rater said, `outcome` where the case went."""

    case_pk: int
    batch: str
    round: int
    at: datetime
    outcome: Stage
    policies: tuple[str, ...]
    body: str


@dataclass(frozen=True)
class ReleaseRow:
    """A frozen release; `manifest` is JSON text."""

    id: int
    name: str
    at: datetime
    person: str
    content_sha256: str
    case_count: int
    directory: str
    manifest: str


@dataclass(frozen=True)
class RunRow:
    """A scored run; `summary` is JSON text of the metrics, `has_replies` whether the model's are kept."""

    id: int
    name: str
    release: str | None
    at: datetime
    cases_sha256: str
    summary: str
    protocol: str
    semantics: str
    arguments: str
    has_replies: bool


@dataclass(frozen=True)
class ReplyRow:
    """What a model replied to one task, as JSON text; the task is null where the whole case failed."""

    case_id: str
    task: int | None
    body: str


@dataclass(frozen=True)
class EventRow:
    """One event of the chain."""

    seq: int
    at: datetime
    actor: str
    action: str
    subject: str
    payload: str


@dataclass(frozen=True)
class CaseFilter:
    """What the queue shows; an empty field filters nothing.

    `text` matches request texts and case ids, case-insensitively. `mine` keeps cases the person owns
    or holds a slot of. `order` is a column of the queue, with a leading minus for descending.
    """

    stages: tuple[Stage, ...] = ()
    policies: tuple[str, ...] = ()
    informations: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    owner: str = ""
    batch: str = ""
    priorities: tuple[Priority, ...] = ()
    text: str = ""
    mine_id: int | None = None
    only_with_errors: bool = False
    only_gold: bool = False
    order: str = "-changed"


@dataclass(frozen=True)
class OrderCount:
    """Two tools called one after the other: in how many cases an order was drawn, of how many."""

    first: str
    second: str
    ordered: int
    total: int


@dataclass(frozen=True)
class PrecedentRow:
    """What a person said of a task of another case; `body` is JSON."""

    pattern: str
    case_id: str
    body: str
