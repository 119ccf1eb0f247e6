"""Stage accuracy: what share of the final content was there already at each stage, overall and in slices."""

from collections.abc import Callable, Iterator
from functools import partial

from annotator.cases.access import viewer_of
from annotator.cases.bodies import read_body
from annotator.project.workspace import Workspace
from annotator.review.agreeing import require_sight
from db import queries, reviews
from db.rows import FinalRow
from db.tables import Transaction
from scoring.errors import InputError
from scoring.model.case import Case
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import Policy, Stage
from scoring.stage_accuracy import StageExit, StagePoint, stage_accuracy


class AccuracySlice(Record):
    """Which final cases count, and what of them; an empty field filters nothing.

    `policy` keeps cases with such a task, `person` those somebody owns, `batch` those of a batch; `field`
    compares only this part of the content (`FIELDS`) instead of all of it.
    """

    policy: Policy | None = None
    person: str = ""
    batch: str = ""
    field: str = ""


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


def accuracy(workspace: Workspace, where: AccuracySlice) -> tuple[StagePoint, ...]:
    """The stage-accuracy curve of a slice, with Wilson intervals and n.

    Raises:
        InputError: There is no such field.
        ForbiddenError: An annotator asks about another person.
    """
    if where.field and where.field not in FIELDS:
        raise InputError(f"'{where.field}' is no part of a case.", f"Parts: {', '.join(FIELDS)}.")
    person = workspace.somebody

    def query(tx: Transaction) -> tuple[StagePoint, ...]:
        require_sight(tx, person, (where.person,))
        return _curve(tx, where)

    return workspace.read(query)


def accuracy_by(workspace: Workspace, dimension: str) -> dict[str, tuple[StagePoint, ...]]:
    """The curves of every value of a dimension: `policy`, `person`, `batch` or `field`.

    Annotators see only their own curve by person.

    Raises:
        InputError: There is no such dimension.
    """
    somebody = workspace.somebody

    def query(tx: Transaction) -> dict[str, tuple[StagePoint, ...]]:
        rows = tuple(reviews.final_cases(tx))
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

    return workspace.read(query)


def _curve(tx: Transaction, where: AccuracySlice) -> tuple[StagePoint, ...]:
    kept = {row.case_pk: row for row in reviews.final_cases(tx) if _is_in(row, where)}
    exits = [
        StageExit(case_id=row.case_id, stage=Stage.IMPORTED, sha256=row.imported_sha256)
        for row in kept.values()
    ]
    for case_id, left in reviews.all_exits(tx):
        if left.case_pk in kept:
            exits.append(StageExit(case_id=case_id, stage=left.stage, sha256=left.sha256))
    final = {row.case_id: row.sha256 for row in kept.values()}
    if where.field:
        return _field_curve(tx, kept, exits, field=where.field)
    return stage_accuracy(exits, final)


def _is_in(row: FinalRow, where: AccuracySlice) -> bool:
    return (
        (where.policy is None or where.policy in row.policies)
        and where.person in ("", row.owner)
        and where.batch in ("", row.batch)
    )


def _field_curve(
    tx: Transaction, kept: dict[int, FinalRow], exits: list[StageExit], *, field: str
) -> tuple[StagePoint, ...]:
    """Compare one part of the contents; every distinct content is read once."""
    wanted = {(left.case_id, left.sha256) for left in exits}
    wanted |= {(row.case_id, row.sha256) for row in kept.values()}
    parts = dict(_parts(tx, kept, wanted, of=FIELDS[field]))
    return stage_accuracy(
        [left.model_copy(update={"sha256": parts[left.case_id, left.sha256]}) for left in exits],
        {row.case_id: parts[row.case_id, row.sha256] for row in kept.values()},
    )


def _parts(
    tx: Transaction,
    kept: dict[int, FinalRow],
    wanted: set[tuple[str, str]],
    *,
    of: Callable[[Case], object],
) -> Iterator[tuple[tuple[str, str], str]]:
    for case_pk, sha256, body in queries.revision_bodies(tx):
        if case_pk in kept and (key := (kept[case_pk].case_id, sha256)) in wanted:
            wanted.discard(key)
            yield key, sha256_of(of(read_body(body)))
