"""Lists and counts: read-only functions that return small frozen rows and never touch case bodies."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Row,
    Select,
    and_,
    case,
    func,
    literal,
    not_,
    or_,
    outerjoin,
    select,
    true,
    union_all,
)
from sqlalchemy.orm import InstrumentedAttribute

from db.columns import DAYS, given
from db.read.rows import CaseFilter, CaseRow, RevisionRow
from db.read.visibility import Viewer, blind_to
from db.tables import Assignment, Batch, CaseHead, Person, Revision, SampledCase, Transaction
from scoring.groups import keyed
from scoring.model.taxonomy import FINAL_STAGES, OWNER_STAGES, Priority, SampleOutcome, SlotStatus, Stage
from scoring.wording import folded

_CASE_COLUMNS = (
    CaseHead.id,
    CaseHead.case_id,
    Batch.name.label("batch"),
    CaseHead.batch_id,
    CaseHead.stage,
    CaseHead.version,
    CaseHead.round,
    Person.name.label("owner"),
    CaseHead.owner_id,
    CaseHead.head_id,
    CaseHead.sha256,
    CaseHead.task_count,
    CaseHead.policies,
    CaseHead.informations,
    CaseHead.finding_count,
    CaseHead.error_count,
    CaseHead.rules,
    CaseHead.request,
    CaseHead.is_gold,
    CaseHead.changed_at,
    CaseHead.note,
    CaseHead.language,
    CaseHead.imported_sha256,
    CaseHead.turn,
)
_SORTED_LENGTH = 80
_LAST = 2**31 - 1
"""More than any number of a case."""
ORDERS: dict[str, ColumnElement[Any] | InstrumentedAttribute[Any]] = {
    "case": CaseHead.case_id,
    "policies": CaseHead.policies,
    "information": CaseHead.informations,
    "request": func.substr(CaseHead.request, 1, _SORTED_LENGTH),
    "findings": CaseHead.finding_count,
    "owner": CaseHead.owner_id,
    "stage": case({stage.value: place for place, stage in enumerate(Stage)}, value=CaseHead.stage),
    "changed": CaseHead.changed_at,
    "tasks": CaseHead.task_count,
    "batch": CaseHead.batch_id,
    "priority": CaseHead.turn // DAYS,
}
_NAMED: dict[str, type[Person | Batch]] = {"owner": Person, "batch": Batch}
"""Orders by the name of somebody or something, which a language may sort in its own way."""
_INDEXED_ORDERS = ("case", "changed")
_TELLING_ORDERS = ("policies", "information", "findings")


def split_list(text: str) -> tuple[str, ...]:
    """Read a list column: items between bars, the outer bars dropped."""
    return tuple(text[1:-1].split("|")) if len(text) >= 2 else ()


def join_list(items: Sequence[str]) -> str:
    """Write a list column: a bar before, between and after the items; empty text for no items."""
    return f"|{'|'.join(items)}|" if items else ""


def _case_row(row: Row[*tuple[Any, ...]], viewer: Viewer | None = None) -> CaseRow:
    found = CaseRow(
        pk=row.id,
        case_id=row.case_id,
        batch=row.batch,
        batch_id=row.batch_id,
        stage=Stage(row.stage),
        version=row.version,
        round=row.round,
        owner=row.owner,
        owner_id=row.owner_id,
        head_id=row.head_id,
        sha256=row.sha256,
        task_count=row.task_count,
        policies=split_list(row.policies),
        informations=split_list(row.informations),
        finding_count=row.finding_count,
        error_count=row.error_count,
        rules=split_list(row.rules),
        request=row.request,
        is_gold=row.is_gold,
        changed_at=row.changed_at,
        note=row.note,
        language=row.language,
        imported_sha256=row.imported_sha256,
        priority=list(Priority)[row.turn // DAYS],
    )
    return found if viewer is None or not row.is_blind else _blinded(found, viewer)


def _blinded(row: CaseRow, viewer: Viewer) -> CaseRow:
    """A line of the queue without what would tell a reviewer what the others said."""
    unlabelled = ("",) * row.task_count
    has_owner = "owner" not in viewer.hidden
    return replace(
        row,
        is_blind=True,
        owner=row.owner if has_owner else None,
        owner_id=row.owner_id if has_owner else None,
        policies=unlabelled if "policy" in viewer.hidden else row.policies,
        informations=unlabelled if "information" in viewer.hidden else row.informations,
        sha256="",
        imported_sha256="",
        rules=(),
        finding_count=0,
        error_count=0,
        note="",
    )


def _cases(viewer: Viewer | None = None) -> Select[*tuple[Any, ...]]:
    blind = () if viewer is None else (blind_to(viewer).label("is_blind"),)
    return (
        select(*_CASE_COLUMNS, *blind)
        .join(Batch, Batch.id == CaseHead.batch_id)
        .outerjoin(Person, Person.id == CaseHead.owner_id)
    )


def count(tx: Transaction, *conditions: ColumnElement[bool]) -> int:
    """How many cases there are of which all of this holds."""
    return tx.scalar(select(func.count()).select_from(CaseHead).where(*conditions)) or 0


def at_stages(stages: Collection[Stage]) -> ColumnElement[bool]:
    """Cases at one of some stages."""
    return CaseHead.stage.in_([stage.value for stage in stages])


def holds_slot(person_id: int) -> ColumnElement[bool]:
    """Cases on which a person has a claimed slot."""
    # The few slots of one person are looked up once, not again for every case.
    held = select(Assignment.case_pk).where(
        Assignment.person_id == person_id, Assignment.status == SlotStatus.CLAIMED
    )
    return CaseHead.id.in_(held)


def _conditions(where: CaseFilter, viewer: Viewer | None = None) -> Iterator[ColumnElement[bool]]:
    asks_for_owner = where.owner and viewer is not None and "owner" in viewer.hidden
    asks_for_labels = where.policies or where.informations or where.rules or where.only_with_errors
    if viewer is not None and (asks_for_owner or asks_for_labels):
        yield not_(blind_to(viewer))  # a filter must not tell what the columns hide
    if viewer is not None and viewer.withheld:
        yield CaseHead.id.not_in(viewer.withheld)
    yield from (
        or_(*(column.contains(f"|{item}|", autoescape=True) for item in items))
        for column, items in (
            (CaseHead.policies, where.policies),
            (CaseHead.informations, where.informations),
            (CaseHead.rules, where.rules),
        )
        if items
    )
    owner = select(Person.id).where(Person.name == where.owner).scalar_subquery()
    batch = select(Batch.id).where(Batch.name == where.batch).scalar_subquery()
    asked: tuple[tuple[object, ColumnElement[bool]], ...] = (
        (where.stages, at_stages(where.stages)),
        (where.owner, CaseHead.owner_id == owner),
        (where.batch, CaseHead.batch_id == batch),
        (where.priorities, (CaseHead.turn // DAYS).in_(map(list(Priority).index, where.priorities))),
        (
            where.text,
            or_(
                CaseHead.searched.contains(folded(where.text).casefold(), autoescape=True),
                CaseHead.searched.contains(where.text.casefold(), autoescape=True),  # as it was kept before
            ),
        ),
        (where.only_with_errors, CaseHead.error_count > 0),
        (where.only_gold, CaseHead.is_gold.is_(True)),
    )
    yield from (condition for wanted, condition in asked if wanted)
    if where.mine_id is not None:
        yield or_(CaseHead.owner_id == where.mine_id, holds_slot(where.mine_id))


def list_cases(
    tx: Transaction,
    where: CaseFilter,
    *,
    offset: int = 0,
    limit: int = 200,
    viewer: Viewer | None = None,
    beside: Sequence[CaseRow] = (),
    name_key: Callable[[str], Any] = str.lower,
) -> tuple[CaseRow, ...]:
    """One page of the queue in the order the filter names, as a viewer may see it (None: everything).

    Cases without a value, and those whose value the viewer may not see, come last.

    Args:
        tx: The transaction.
        where: What is listed, and its order.
        offset: How many lines come before the page.
        limit: How long the page is.
        viewer: Who looks.
        beside: Lines that no case has, to be sorted in among them.
        name_key: What names of people and batches are sorted by.
    """
    name, descending = where.order.lstrip("-"), where.order.startswith("-")
    key, of_names, source = ORDERS[name], _places(tx, name, name_key), CaseHead.__table__
    if of_names:
        named = _NAMED[name]
        # Distinct, so that the database works a place out once for each name and not for each case.
        ranks = select(named.id, case(of_names, value=named.id).label("place")).distinct().subquery()
        key, source = ranks.c.place, outerjoin(source, ranks, ranks.c.id == key)
    if viewer is not None and (name in _TELLING_ORDERS or name in viewer.hidden):
        key = case((blind_to(viewer), None), else_=key)
    # First the numbers of the page's cases, so that sorting carries no texts about.
    numbers = select(CaseHead.id, key.label("key"), literal(0).label("place")).select_from(source)
    numbers = numbers.where(*_conditions(where, viewer))
    page = _in_order(numbers, key, CaseHead.id, name=name, descending=descending)
    if beside:
        kind = CaseHead.changed_at.type if name == "changed" else None
        lines = (
            select(
                literal(_LAST - place), literal(_sorted_by(row, name, viewer, of_names), kind), literal(place)
            )
            for place, row in enumerate(beside, 1)
        )
        both = union_all(numbers, *lines).subquery()
        page = _in_order(select(both), both.c.key, both.c.id, name=name, descending=descending)
    limited = page.offset(offset).limit(limit).subquery()
    in_order = partial(_in_order, key=limited.c.key, number=limited.c.id, name=name, descending=descending)
    rows = _cases(viewer).join(limited, and_(limited.c.id == CaseHead.id, limited.c.place == 0))
    listed = [_case_row(row, viewer) for row in tx.execute(in_order(rows))]
    for at, place in enumerate(tx.scalars(in_order(select(limited.c.place))) if beside else ()):
        if place:
            listed.insert(at, beside[place - 1])
    return tuple(listed)


def _places(tx: Transaction, name: str, name_key: Callable[[str], Any]) -> dict[int, int]:
    """The place of each person or batch among the names, by number; empty for other orders."""
    if name not in _NAMED:
        return {}
    known = tx.execute(select(_NAMED[name].id, _NAMED[name].name))
    return {one.id: place for place, one in enumerate(sorted(known, key=lambda one: name_key(one.name)))}


def _sorted_by(row: CaseRow, name: str, viewer: Viewer | None, places: Mapping[int, int]) -> object:
    """What `ORDERS` makes of a line, as a viewer may see it."""
    if row.is_blind and viewer is not None and (name in _TELLING_ORDERS or name in viewer.hidden):
        return None
    return {
        "case": row.case_id,
        "policies": join_list(row.policies),
        "information": join_list(row.informations),
        "request": row.request[:_SORTED_LENGTH],
        "findings": row.finding_count,
        "owner": places.get(row.owner_id or 0),
        "stage": list(Stage).index(row.stage),
        "changed": row.changed_at,
        "tasks": row.task_count,
        "batch": places.get(row.batch_id),
        "priority": list(Priority).index(row.priority),
    }[name]


def _in_order(
    statement: Select[*tuple[Any, ...]],
    key: ColumnElement[Any] | InstrumentedAttribute[Any],
    number: ColumnElement[int] | InstrumentedAttribute[int],
    *,
    name: str,
    descending: bool,
) -> Select[*tuple[Any, ...]]:
    first, second = (key.desc(), number.desc()) if descending else (key.asc(), number.asc())
    # No index has this order of missing values; columns that have an index miss none.
    return statement.order_by(first if name in _INDEXED_ORDERS else first.nulls_last(), second)


def count_cases(tx: Transaction, where: CaseFilter, *, viewer: Viewer | None = None) -> int:
    """How many cases a filter keeps, asked by a viewer."""
    return count(tx, *_conditions(where, viewer))


def totals(tx: Transaction, where: CaseFilter) -> tuple[int, int, int]:
    """Cases, tasks and error findings of what a filter keeps."""
    row = tx.execute(
        select(
            func.count(),
            func.coalesce(func.sum(CaseHead.task_count), 0),
            func.coalesce(func.sum(CaseHead.error_count), 0),
        )
        .select_from(CaseHead)
        .where(*_conditions(where))
    ).one()
    return int(row[0]), int(row[1]), int(row[2])


def find_case(tx: Transaction, case_id: str, *, viewer: Viewer | None = None) -> CaseRow | None:
    """The case with this id as a viewer may see it, None where the project has none."""
    row = tx.execute(_cases(viewer).where(CaseHead.case_id == case_id)).one_or_none()
    return _case_row(row, viewer) if row else None


@keyed
def find_cases(tx: Transaction, case_ids: Sequence[str]) -> Iterator[tuple[str, CaseRow]]:
    """The cases with these ids, by id; those that do not exist are left out."""
    for start in range(0, len(case_ids), 500):
        rows = tx.execute(_cases().where(CaseHead.case_id.in_(case_ids[start : start + 500])))
        yield from ((row.case_id, _case_row(row)) for row in rows)


def get_case(tx: Transaction, case_pk: int) -> CaseRow:
    """The case with this store number, which must exist."""
    return _case_row(tx.execute(_cases().where(CaseHead.id == case_pk)).one())


def batch_cases(tx: Transaction, batch_id: int, *, stages: Sequence[Stage] = ()) -> tuple[CaseRow, ...]:
    """All cases of a batch, or those at some stages, in the order they came in."""
    statement = _cases().where(CaseHead.batch_id == batch_id, at_stages(stages) if stages else true())
    return tuple(map(_case_row, tx.execute(statement.order_by(CaseHead.id))))


def final_cases(tx: Transaction) -> Iterator[CaseRow]:
    """Every case that is final or later, by number; memory stays flat."""
    statement = _cases().where(at_stages(FINAL_STAGES)).order_by(CaseHead.id)
    yield from map(_case_row, tx.execute(statement.execution_options(yield_per=1000)))


def drawn_cases(tx: Transaction) -> Iterator[CaseRow]:
    """Every case that was drawn into a sample, by number; memory stays flat."""
    drawn = select(SampledCase.case_pk).where(SampledCase.outcome != SampleOutcome.REST)
    statement = _cases().where(CaseHead.id.in_(drawn)).order_by(CaseHead.id)
    yield from map(_case_row, tx.execute(statement.execution_options(yield_per=1000)))


def known_hashes(tx: Transaction, case_ids: Sequence[str]) -> dict[str, tuple[str, str]]:
    """For ids the project has: the content hash as imported and as it is now."""
    return _hashes(tx, CaseHead.case_id.in_(case_ids))


def final_hashes(tx: Transaction) -> dict[str, tuple[str, str]]:
    """The same of every case that is final or later, by number."""
    return _hashes(tx, at_stages(FINAL_STAGES))


def _hashes(tx: Transaction, which: ColumnElement[bool]) -> dict[str, tuple[str, str]]:
    rows = tx.execute(
        select(CaseHead.case_id, CaseHead.imported_sha256, CaseHead.sha256).where(which).order_by(CaseHead.id)
    )
    return {row.case_id: (row.imported_sha256, row.sha256) for row in rows}


def revision_body(tx: Transaction, revision_id: int) -> str:
    """The JSON text of a revision, which must exist."""
    return tx.execute(select(Revision.body).where(Revision.id == revision_id)).scalar_one()


def head_bodies(
    tx: Transaction,
    *,
    stages: Sequence[Stage] = (),
    only: int | None = None,
    without: Collection[int] = (),
    chunk: int = 200,
) -> Iterator[tuple[int, int, str, str]]:
    """Walk the newest bodies of all cases, of those at some stages, or of one, by case id.

    Cases whose numbers are in `without` are skipped. Numbers in ids count as numbers: c-2 comes before c-10,
    as in the file they came from.

    Yields:
        Case number, revision number in the store, case id and JSON text; memory stays flat.
    """
    is_asked = (at_stages(stages) if stages else true(), given(CaseHead.id, only))
    heads = tx.execute(select(CaseHead.id, CaseHead.case_id).where(*is_asked))
    found = sorted((row for row in heads if row.id not in without), key=lambda row: with_numbers(row.case_id))
    for start in range(0, len(found), chunk):
        part = found[start : start + chunk]
        statement = (
            select(CaseHead.id, CaseHead.head_id, Revision.body)
            .join(Revision, Revision.id == CaseHead.head_id)
            .where(CaseHead.id.in_([row.id for row in part]))
        )
        bodies = {row.id: row for row in tx.execute(statement)}
        for row in part:
            body = bodies[row.id]
            yield row.id, body.head_id, row.case_id, body.body


def with_numbers(case_id: str) -> tuple[list[tuple[str, int]], str]:
    """What ids are sorted by: the id cut into texts, each with the number that follows it, then the id."""
    parts = re.split("([0-9]+)", case_id)
    cut = [(parts[i], int((parts[i + 1 : i + 2] or ["-1"])[0])) for i in range(0, len(parts), 2)]
    return cut, case_id


def list_revisions(tx: Transaction, case_pk: int) -> tuple[RevisionRow, ...]:
    """The revisions of a case, oldest first."""
    return tuple(
        RevisionRow(
            id=revision.id,
            number=revision.number,
            author=name,
            stage=Stage(revision.stage),
            reason=revision.reason,
            at=revision.at,
            sha256=revision.sha256,
        )
        for revision, name in tx.execute(
            select(Revision, Person.name)
            .outerjoin(Person, Person.id == Revision.author_id)
            .where(Revision.case_pk == case_pk)
            .order_by(Revision.number)
        )
    )


def stage_counts(tx: Transaction, *, without: Collection[int] = ()) -> dict[Stage, int]:
    """Cases per stage over the whole project, but for some; stages without cases are missing."""
    counted = select(CaseHead.stage, func.count()).where(CaseHead.id.not_in(without))
    return {Stage(stage): count for stage, count in tx.execute(counted.group_by(CaseHead.stage))}


def case_languages(tx: Transaction) -> tuple[str, ...]:
    """The languages of all cases, in the order of their codes."""
    return tuple(tx.scalars(select(CaseHead.language).distinct().order_by(CaseHead.language)))


def oldest_changes(tx: Transaction, *, without: Collection[int] = ()) -> dict[Stage, datetime]:
    """When the case that waits longest at each stage was last changed, some left out."""
    oldest = select(CaseHead.stage, func.min(CaseHead.changed_at)).where(CaseHead.id.not_in(without))
    return {Stage(stage): at for stage, at in tx.execute(oldest.group_by(CaseHead.stage))}


def owned_counts(tx: Transaction) -> dict[int, int]:
    """How many cases in self-check each person owns."""
    rows = tx.execute(
        select(CaseHead.owner_id, func.count())
        .where(CaseHead.owner_id.is_not(None), at_stages(OWNER_STAGES))
        .group_by(CaseHead.owner_id)
    )
    return {int(owner): count for owner, count in rows if owner is not None}


def revision_bodies(tx: Transaction) -> Iterator[tuple[int, str, str]]:
    """Walk all revisions of final cases as case number, content hash and JSON text; memory stays flat."""
    statement = (
        select(Revision.case_pk, Revision.sha256, Revision.body)
        .join(CaseHead, CaseHead.id == Revision.case_pk)
        .where(at_stages(FINAL_STAGES))
        .order_by(Revision.case_pk, Revision.number)
        .execution_options(yield_per=200)
    )
    yield from ((row.case_pk, row.sha256, row.body) for row in tx.execute(statement))
