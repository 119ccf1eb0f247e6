"""Stage accuracy: what share of the right content was there already at each stage, overall and in slices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial

from annotator.cases.bodies import read_body
from annotator.cases.row_views import viewer_of
from annotator.project.lookups import require_known
from annotator.project.workspace import Workspace, query
from annotator.review.measures.rater_agreement import require_sight
from annotator.review.queue import checked
from db.read import queries, reviews, samples, visibility
from db.read.rows import CaseRow, PersonRow
from db.tables import Transaction
from scoring.errors import InputError
from scoring.measures.stage_accuracy import (
    ExitContent,
    StagePoint,
    counted_exits,
    judged_right,
    stage_accuracy,
)
from scoring.model.case import Case
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import Policy, Stage

_Parts = Mapping[tuple[str, str], Mapping[str, str]]
"""Hash of each part of a content by its name, for case id and content hash."""


class AccuracyReading(StrEnum):
    """What stage accuracy means: no change until now, or the verdict of an expert (design 3.6)."""

    UNCHANGED = "unchanged since"
    JUDGED = "judged right"


READINGS_NOTE = (
    "Unchanged since: of all final cases, how many are still as the stage left them. Judged right: of the "
    "cases drawn at random and decided by an expert, how many left the stage as the expert holds them right."
)
"""Which of the two is which."""
NOTHING_RIGHT = "returned or rejected"
"""What is said of a case an expert judged wrong as a whole."""


class AccuracySlice(Record):
    """Which cases count, and what of them; an empty field filters nothing.

    `reading` takes all final cases, or those experts judged. `policy` keeps cases with such a task, `person`
    those somebody owns, `batch` those of a batch; `field` compares only this part of the content (`FIELDS`)
    instead of all of it.
    """

    reading: AccuracyReading = AccuracyReading.UNCHANGED
    policy: Policy | None = None
    person: str = ""
    batch: str = ""
    field: str = ""


class StageCase(Record):
    """One case behind a point of the curve: whether the stage left it as it is in the end, or as experts say.

    `changed` names the parts of its content (`FIELDS`) that became others afterwards; it is empty where the
    stage was right, and where none of these parts is what changed.
    """

    case_id: str
    batch: str
    owner: str | None
    is_right: bool
    changed: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Left:
    """Hashes of some cases at every exit, and as they are right: in the end, or by an expert.

    A case that an expert returned or rejected has an empty hash.
    """

    reading: AccuracyReading
    kept: dict[str, CaseRow]
    exits: list[ExitContent]
    final: dict[str, str]

    def of(self, where: AccuracySlice) -> "_Left":
        """Those of a slice; its field is not looked at."""
        kept = {
            case_id: row
            for case_id, row in self.kept.items()
            if (where.policy is None or where.policy in row.policies)
            and where.person in ("", row.owner)
            and where.batch in ("", row.batch)
        }
        exits = [one for one in self.exits if one.case_id in kept]
        return replace(self, kept=kept, exits=exits, final={one: self.final[one] for one in kept})

    def by_part(self, name: str, parts: _Parts) -> "_Left":
        """The same with the hashes of one part of the contents."""
        exits = [
            left.model_copy(update={"sha256": parts[left.case_id, left.sha256][name]}) for left in self.exits
        ]
        final = {key[0]: parts[key][name] if key[1] else "" for key in self.final.items()}
        return replace(self, exits=exits, final=final)


def _of_tasks(case: Case, name: str) -> object:
    return [getattr(task, name) for task in case.tasks]


FIELDS: dict[str, Callable[[Case], object]] = {
    "policy": partial(_of_tasks, name="policy"),
    "information": partial(_of_tasks, name="information"),
    "request": partial(_of_tasks, name="user"),
    "edges": lambda case: [
        sorted((*edge.pair, edge.kind.value) for edge in task.drawn_edges) for task in case.tasks
    ],
    "calls": lambda case: [[[step.name, step.arguments] for _, step in task.calls] for task in case.tasks],
    "observations": lambda case: [[step.observation for _, step in task.calls] for task in case.tasks],
    "asks": lambda case: [[[step.text, step.reply] for _, step in task.asks] for task in case.tasks],
    "answer": lambda case: [task.answer.text if task.answer else None for task in case.tasks],
}
"""Parts of a case's content whose accuracy can be asked for by itself."""


def curve(tx: Transaction) -> tuple[StagePoint, ...]:
    """The stage-accuracy curve of all final cases (design 3.6)."""
    hashes = queries.final_hashes(tx)
    imported = {case_id: before for case_id, (before, _) in hashes.items()}
    return stage_accuracy(_exits(tx, imported), {case_id: now for case_id, (_, now) in hashes.items()})


def judged_curve(tx: Transaction) -> tuple[StagePoint, ...]:
    """The same by the verdicts of experts, without their own point."""
    return _points(_read(tx, AccuracyReading.JUDGED))


@query
def accuracy(workspace: Workspace, tx: Transaction, where: AccuracySlice) -> tuple[StagePoint, ...]:
    """The stage-accuracy curve of a slice in one reading, with Wilson intervals and n.

    Raises:
        InputError: There is no such field.
        NotFoundError: There is no such person or batch.
        ForbiddenError: An annotator asks about another person.
    """
    _require_slice(tx, workspace.somebody, where)
    return _points(_left(tx, where))


@query
def stage_cases(
    workspace: Workspace, tx: Transaction, where: AccuracySlice, *, stage: Stage
) -> tuple[StageCase, ...]:
    """The very cases behind one point of the curve of a slice, those changed afterwards first, then by id.

    Cases whose labels the person must not see yet are left out (decision 0005).

    Raises:
        InputError: There is no such field, or the stage has no point.
        NotFoundError: There is no such person or batch.
        ForbiddenError: An annotator asks about another person.
    """
    person = workspace.somebody
    _require_slice(tx, person, where)
    left = _left(tx, where)
    counted = counted_exits(left.exits, left.final)
    if stage not in counted:
        raise InputError(
            f"'{stage}' has no point on the curve.", f"Choose one of these stages: {', '.join(counted)}."
        )
    hidden = visibility.blind_cases(tx, viewer_of(tx, person))
    seen = {case_id: sha for case_id, sha in counted[stage].items() if left.kept[case_id].pk not in hidden}
    changed = _changed(tx, left, seen, field=where.field)
    rows = (
        StageCase(
            case_id=case_id,
            batch=left.kept[case_id].batch,
            owner=left.kept[case_id].owner,
            is_right=case_id not in changed,
            changed=changed.get(case_id, ()),
        )
        for case_id in seen
    )
    return tuple(sorted(rows, key=lambda row: (row.is_right, row.case_id)))


@query
def accuracy_by(
    workspace: Workspace,
    tx: Transaction,
    dimension: str,
    *,
    reading: AccuracyReading = AccuracyReading.UNCHANGED,
) -> dict[str, tuple[StagePoint, ...]]:
    """The curves of every value of a dimension in one reading: `policy`, `person`, `batch` or `field`.

    Annotators see only their own curve by person.

    Raises:
        InputError: There is no such dimension.
    """
    somebody = workspace.somebody
    left = _read(tx, reading)
    rows = left.kept.values()
    values = {
        "policy": [str(policy) for policy in Policy if any(policy in row.policies for row in rows)],
        "person": sorted({row.owner for row in rows if row.owner}),
        "batch": list(dict.fromkeys(row.batch for row in rows)),
        "field": list(FIELDS),
    }
    if dimension not in values:
        raise InputError(f"'{dimension}' is not a dimension.", f"Dimensions: {', '.join(values)}.")
    names = values[dimension]
    if dimension == "person" and not viewer_of(tx, somebody).is_trusted:
        names = [name for name in names if somebody is not None and name == somebody.name]
    if dimension == "field":
        parts = _parts(tx, left, _seen(left), names=names)
        return {name: _points(left.by_part(name, parts)) for name in names}
    return {name: _points(left.of(AccuracySlice.model_validate({dimension: name}))) for name in names}


def _points(left: _Left) -> tuple[StagePoint, ...]:
    measure = stage_accuracy if left.reading is AccuracyReading.UNCHANGED else judged_right
    return measure(left.exits, left.final)


def _left(tx: Transaction, where: AccuracySlice) -> _Left:
    found = _read(tx, where.reading).of(where)
    if not where.field:
        return found
    return found.by_part(where.field, _parts(tx, found, _seen(found), names=(where.field,)))


def _read(tx: Transaction, reading: AccuracyReading) -> _Left:
    if reading is AccuracyReading.UNCHANGED:
        kept = {row.case_id: row for row in queries.final_cases(tx)}
        final = {case_id: row.sha256 for case_id, row in kept.items()}
        return _Left(reading, kept, _exits(tx, _imported(kept)), final)
    looks = samples.expert_looks(tx)
    kept = {row.case_id: row for row in queries.drawn_cases(tx) if row.pk in looks}
    final = {case_id: looks[row.pk].sha256 for case_id, row in kept.items()}
    until = {case_id: looks[row.pk].drawn_at for case_id, row in kept.items()}
    return _Left(reading, kept, _exits(tx, _imported(kept), until=until), final)


def _imported(kept: Mapping[str, CaseRow]) -> dict[str, str]:
    return {case_id: row.imported_sha256 for case_id, row in kept.items()}


def _exits(
    tx: Transaction, imported: Mapping[str, str], *, until: Mapping[str, datetime] | None = None
) -> list[ExitContent]:
    """Every exit of some cases up to an instant each, the import first.

    Where a share of the cases is cross-checked, only those that were drawn leave it here (checking 6).
    """
    undrawn = checked.not_drawn(tx)
    exits = (
        *((case_id, Stage.IMPORTED, sha256) for case_id, sha256 in imported.items()),
        *(
            (case_id, stage, sha256)
            for case_id, stage, sha256, at in reviews.all_exits(tx)
            if case_id in imported
            and (until is None or at <= until[case_id])
            and not (stage is Stage.CROSS_CHECK and case_id in undrawn)
        ),
    )
    return [ExitContent(case_id=case_id, stage=stage, sha256=sha256) for case_id, stage, sha256 in exits]


def _changed(
    tx: Transaction, left: _Left, seen: Mapping[str, str], *, field: str
) -> dict[str, tuple[str, ...]]:
    """Which parts became others afterwards, of the cases where anything did."""
    wrong = {case_id: sha256 for case_id, sha256 in seen.items() if sha256 != left.final[case_id]}
    if field or not wrong:
        return dict.fromkeys(wrong, (field,))
    wanted = set(wrong.items()) | {(case_id, left.final[case_id]) for case_id in wrong}
    parts = _parts(tx, left, wanted, names=tuple(FIELDS))
    return {
        case_id: tuple(
            name
            for name in FIELDS
            if parts[case_id, sha256][name] != parts[case_id, left.final[case_id]][name]
        )
        if left.final[case_id]
        else (NOTHING_RIGHT,)
        for case_id, sha256 in wrong.items()
    }


def _require_slice(tx: Transaction, person: PersonRow | None, where: AccuracySlice) -> None:
    if where.field and where.field not in FIELDS:
        raise InputError(f"'{where.field}' is not a part of a case.", f"Parts: {', '.join(FIELDS)}.")
    require_known(tx, names=(where.person,), batch=where.batch)
    require_sight(tx, person, (where.person,))


def _seen(left: _Left) -> set[tuple[str, str]]:
    return {(one.case_id, one.sha256) for one in left.exits} | set(left.final.items())


def _parts(tx: Transaction, left: _Left, wanted: set[tuple[str, str]], *, names: Sequence[str]) -> _Parts:
    """The hashes of some parts of the contents asked for; every distinct content is read once."""
    case_ids = {row.pk: case_id for case_id, row in left.kept.items()}
    hashes: dict[tuple[str, str], dict[str, str]] = {}
    for case_pk, sha256, body in queries.revision_bodies(tx):
        key = (case_ids.get(case_pk, ""), sha256)
        if key in wanted and key not in hashes:
            case = read_body(body)
            hashes[key] = {name: sha256_of(FIELDS[name](case)) for name in names}
    return hashes
