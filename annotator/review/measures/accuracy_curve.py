"""Stage accuracy: what share of the final content was there already at each stage, overall and in slices."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

from annotator.cases.bodies import read_body
from annotator.cases.row_views import viewer_of
from annotator.project.lookups import require_known
from annotator.project.workspace import Workspace, query
from annotator.review.measures.rater_agreement import require_sight
from db.read import queries, reviews, visibility
from db.read.rows import CaseRow, PersonRow
from db.tables import Transaction
from scoring.errors import InputError
from scoring.measures.stage_accuracy import StageExit, StagePoint, counted_exits, stage_accuracy
from scoring.model.case import Case
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import Policy, Stage


class AccuracySlice(Record):
    """Which final cases count, and what of them; an empty field filters nothing.

    `policy` keeps cases with such a task, `person` those somebody owns, `batch` those of a batch; `field`
    compares only this part of the content (`FIELDS`) instead of all of it.
    """

    policy: Policy | None = None
    person: str = ""
    batch: str = ""
    field: str = ""


class StageCase(Record):
    """One final case behind a point of the curve: whether the stage left it as it is in the end.

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
    """What a slice of the final cases looked like at every exit, and in the end, as hashes."""

    kept: dict[str, CaseRow]
    exits: list[StageExit]
    final: dict[str, str]


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
    """The stage-accuracy curve of all final cases (design section 3)."""
    return _curve(tx, AccuracySlice())


@query
def accuracy(workspace: Workspace, tx: Transaction, where: AccuracySlice) -> tuple[StagePoint, ...]:
    """The stage-accuracy curve of a slice, with Wilson intervals and n.

    Raises:
        InputError: There is no such field.
        NotFoundError: There is no such person or batch.
        ForbiddenError: An annotator asks about another person.
    """
    _require_slice(tx, workspace.somebody, where)
    return _curve(tx, where)


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
        raise InputError(f"'{stage}' has no point on the curve.", f"Stages: {', '.join(counted)}.")
    hidden = frozenset(visibility.blind_cases(tx, viewer_of(tx, person)))
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
def accuracy_by(workspace: Workspace, tx: Transaction, dimension: str) -> dict[str, tuple[StagePoint, ...]]:
    """The curves of every value of a dimension: `policy`, `person`, `batch` or `field`.

    Annotators see only their own curve by person.

    Raises:
        InputError: There is no such dimension.
    """
    somebody = workspace.somebody
    rows = tuple(queries.final_cases(tx))
    values = {
        "policy": [str(policy) for policy in Policy if any(policy in row.policies for row in rows)],
        "person": sorted({row.owner for row in rows if row.owner}),
        "batch": list(dict.fromkeys(row.batch for row in rows)),
        "field": list(FIELDS),
    }
    if dimension not in values:
        raise InputError(f"'{dimension}' is no dimension.", f"Dimensions: {', '.join(values)}.")
    names = values[dimension]
    if dimension == "person" and not viewer_of(tx, somebody).is_trusted:
        names = [name for name in names if somebody is not None and name == somebody.name]
    return {name: _curve(tx, AccuracySlice.model_validate({dimension: name})) for name in names}


def _curve(tx: Transaction, where: AccuracySlice) -> tuple[StagePoint, ...]:
    left = _left(tx, where)
    return stage_accuracy(left.exits, left.final)


def _left(tx: Transaction, where: AccuracySlice) -> _Left:
    kept = {row.case_id: row for row in queries.final_cases(tx) if _is_in(row, where)}
    exits = [
        StageExit(case_id=row.case_id, stage=Stage.IMPORTED, sha256=row.imported_sha256)
        for row in kept.values()
    ]
    exits += [
        StageExit(case_id=case_id, stage=stage, sha256=sha256)
        for case_id, stage, sha256 in reviews.all_exits(tx)
        if case_id in kept
    ]
    found = _Left(kept, exits, {row.case_id: row.sha256 for row in kept.values()})
    return _only_field(tx, found, field=where.field) if where.field else found


def _changed(
    tx: Transaction, left: _Left, seen: Mapping[str, str], *, field: str
) -> dict[str, tuple[str, ...]]:
    """Which parts became others afterwards, of the cases where anything did."""
    wrong = {case_id: sha256 for case_id, sha256 in seen.items() if sha256 != left.final[case_id]}
    if field or not wrong:
        return dict.fromkeys(wrong, (field,))
    wanted = set(wrong.items()) | {(case_id, left.final[case_id]) for case_id in wrong}
    parts = {
        key: {name: sha256_of(part(case)) for name, part in FIELDS.items()}
        for key, case in _contents(tx, left.kept, wanted)
    }
    return {
        case_id: tuple(
            name
            for name in FIELDS
            if parts[case_id, sha256][name] != parts[case_id, left.final[case_id]][name]
        )
        for case_id, sha256 in wrong.items()
    }


def _require_slice(tx: Transaction, person: PersonRow | None, where: AccuracySlice) -> None:
    if where.field and where.field not in FIELDS:
        raise InputError(f"'{where.field}' is no part of a case.", f"Parts: {', '.join(FIELDS)}.")
    require_known(tx, names=(where.person,), batch=where.batch)
    require_sight(tx, person, (where.person,))


def _is_in(row: CaseRow, where: AccuracySlice) -> bool:
    return (
        (where.policy is None or where.policy in row.policies)
        and where.person in ("", row.owner)
        and where.batch in ("", row.batch)
    )


def _only_field(tx: Transaction, left: _Left, *, field: str) -> _Left:
    """Compare one part of the contents; every distinct content is read once."""
    wanted = {(one.case_id, one.sha256) for one in left.exits} | set(left.final.items())
    parts = {key: sha256_of(FIELDS[field](case)) for key, case in _contents(tx, left.kept, wanted)}
    return _Left(
        left.kept,
        [one.model_copy(update={"sha256": parts[one.case_id, one.sha256]}) for one in left.exits],
        {case_id: parts[case_id, sha256] for case_id, sha256 in left.final.items()},
    )


def _contents(
    tx: Transaction, kept: Mapping[str, CaseRow], wanted: set[tuple[str, str]]
) -> Iterator[tuple[tuple[str, str], Case]]:
    """The contents asked for by case id and content hash, each once."""
    names = {row.pk: case_id for case_id, row in kept.items()}
    waiting = set(wanted)
    for case_pk, sha256, body in queries.revision_bodies(tx):
        if case_pk in names and (key := (names[case_pk], sha256)) in waiting:
            waiting.discard(key)
            yield key, read_body(body)
