"""A project of any size, built in seconds: a thousand cases with their past, multiplied by the database."""

from collections.abc import Iterator, Mapping
from datetime import timedelta

from sqlalchemy import ColumnElement, Engine, func, insert, literal, select, text, update
from sqlalchemy import Table as AnyTable

from annotator.cases.bodies import imported, write_record
from annotator.cases.findings.checks import check_case
from annotator.project.creation import write_first_rows
from annotator.project.policy import ReviewPolicy
from db.engine import writing
from db.tables import Assignment, CaseHead, ClosedRound, JudgmentRecord, Revision, Transaction
from db.write import store
from scoring.model.case import Case
from scoring.model.taxonomy import Information, Policy, Role, Stage, Verdict
from tests.annotator.team import START, approval, two_step_case
from tests.bench.judged_cases import judged_cases

PEOPLE = 20
"""p0 to p19, annotators; besides them `max`, who founded the project, and the expert `eve`."""
BATCHES = 10
TEMPLATES = 1000
"""How many cases differ; the others are copies of them under other ids."""

_ROUND = (
    *(Stage.IMPORTED,) * 6,
    Stage.SELF_CHECK_TASK,
    Stage.SELF_CHECK_DIALOGUE,
    *(Stage.CROSS_CHECK,) * 3,
    Stage.RETURNED,
    Stage.ESCALATED,
    *(Stage.APPROVED,) * 2,
    *(Stage.FINAL,) * 5,
)
_CHECKED = {
    Stage.RETURNED: Stage.RETURNED,
    Stage.ESCALATED: Stage.ESCALATED,
    Stage.APPROVED: Stage.APPROVED,
    Stage.FINAL: Stage.APPROVED,
}
"""Where the cross-check let a case go that stands at a stage now."""
_PLACES = ("Hamar", "Larvik", "Bergen", "Moss", "Røros", "Voss", "Tromsø")
_POLICIES = (Policy.MULTI_SERIAL, Policy.MULTI_MIXED, Policy.SINGLE, None)


def stage_of(number: int) -> Stage:
    """Where the case `t-<number>` and its copies `t-<number>-<copy>` stand."""
    return _ROUND[number % len(_ROUND)]


def fill_large_project(engine: Engine, *, copies: int) -> int:
    """Found a project on an empty store with `TEMPLATES` times `copies` cases; returns how many."""
    with writing(engine) as tx:
        write_first_rows(tx, name="large", owner="max", policy=ReviewPolicy(), at=START)
        for number in range(PEOPLE):
            store.add_person(tx, f"p{number}", roles=[Role.ANNOTATOR], password_hash=None, at=START)
        store.add_person(tx, "eve", roles=[Role.EXPERT], password_hash=None, at=START)
        for number in range(BATCHES):
            store.ensure_batch(tx, f"batch {number}", by=1, at=START)
        _write_templates(tx)
        for table in (CaseHead, Revision, Assignment, JudgmentRecord, ClosedRound):
            _multiply(tx, table.metadata.tables[table.__tablename__], copies)
    if engine.dialect.name == "postgresql":
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("ANALYZE"))
    return TEMPLATES * copies


def _case(number: int) -> Case:
    found = two_step_case(f"t-{number}")
    [only] = found.tasks
    changed = only.model_copy(
        update={
            "user": f"Send my parcel P-{number} on to {_PLACES[number % 7]}, wherever it is.",
            "policy": _POLICIES[number % 4],
            "information": Information.FIRST if number % 3 else None,
        }
    )
    return found.model_copy(update={"tasks": (changed,)})


def _write_templates(tx: Transaction) -> None:
    cases = [_case(number) for number in range(TEMPLATES)]
    ready = [imported(case, check_case(case)) for case in cases]
    store.add_cases(tx, ready, batch_id=1, author_id=1, at=START)
    places: list[dict[str, object]] = []
    slots: list[dict[str, object]] = []
    said: list[dict[str, object]] = []
    for number in range(TEMPLATES):
        stage = stage_of(number)
        owner = 2 + number % PEOPLE  # people's numbers begin with max
        places.append(
            {
                "id": number + 1,
                "stage": stage.value,
                "round": 2 if stage is Stage.RETURNED else 1,
                "batch_id": 1 + number % BATCHES,
                "is_gold": number % 100 == 0,
                "owner_id": None if stage is Stage.IMPORTED else owner,
                "changed_at": START + timedelta(seconds=number),
            }
        )
        body = write_record(approval(cases[number]))
        for part in _past(stage, owner):
            slots.append({**_SLOT, "id": len(slots) + 1, "case_pk": number + 1, **part})
            said.append(_judgment(slots[-1], body))
    tx.execute(update(CaseHead), places)
    tx.execute(insert(Assignment), slots)
    tx.execute(insert(JudgmentRecord), said)
    tx.execute(insert(ClosedRound), list(_rounds()))


def _rounds() -> Iterator[Mapping[str, object]]:
    """What the owner and two others said in the cross-checks: some weeks, four tasks a case."""
    for number, rated in enumerate(judged_cases(TEMPLATES)):
        if outcome := _CHECKED.get(stage_of(number)):
            raters = tuple(f"p{(number + place) % PEOPLE}" for place in range(3))
            named = rated.model_copy(update={"case_id": f"t-{number}", "raters": raters})
            yield {
                "case_pk": number + 1,
                "round": 1,
                "at": START + timedelta(hours=number),
                "outcome": outcome.value,
                "body": write_record(named),
            }


_SLOT: Mapping[str, object] = {
    "round": 1,
    "status": "submitted",
    "case_version": 1,
    "claimed_at": START,
    "lease_until": START,
    "note": "",
}


def _past(stage: Stage, owner: int) -> Iterator[Mapping[str, object]]:
    """Who judged a case before it came to its stage."""
    steps = (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE)
    yield from (
        {"stage": step.value, "slot": 0, "person_id": owner}
        for step in steps
        if stage not in (Stage.IMPORTED, Stage.SELF_CHECK_TASK, step)
    )
    if stage in _CHECKED:
        for slot in (0, 1):
            person = 2 + (owner - 1 + slot) % PEOPLE
            yield {"stage": Stage.CROSS_CHECK.value, "slot": slot, "person_id": person}


def _judgment(slot: Mapping[str, object], body: str) -> dict[str, object]:
    return {
        **{name: slot[name] for name in ("id", "case_pk", "stage", "round", "person_id")},
        "assignment_id": slot["id"],
        "revision_id": slot["case_pk"],
        "result_id": slot["case_pk"],
        "verdict": Verdict.APPROVE.value,
        "seconds": 60.0,
        "at": START,
        "idempotency_key": f"k-{slot['id']}",
        "is_withdrawn": False,
        "body": body,
    }


def _multiply(tx: Transaction, table: AnyTable, copies: int) -> None:
    """Copy the template rows of a table, with the numbers and texts that must differ moved on."""
    size = tx.scalar(select(func.max(table.c.id))) or 0
    assignments = tx.scalar(select(func.max(JudgmentRecord.assignment_id))) or 0
    step = {"id": size, "case_pk": TEMPLATES, "head_id": TEMPLATES, "assignment_id": assignments}
    step |= {"revision_id": TEMPLATES, "result_id": TEMPLATES}
    for copy in range(1, copies):
        columns: list[ColumnElement[object]] = []
        for column in table.columns:
            if column.name in step:
                columns.append(column + literal(step[column.name] * copy))
            elif column.name in ("case_id", "idempotency_key"):
                columns.append(column + literal(f"-{copy}"))
            elif column.name == "body" and table.name == Revision.__tablename__:
                columns.append(func.replace(column, '","language"', f'-{copy}","language"'))
            elif column.name == "body" and table.name == ClosedRound.__tablename__:
                columns.append(func.replace(column, '","raters"', f'-{copy}","raters"'))
            else:
                columns.append(column)
        rows = select(*columns).where(table.c.id <= size)
        tx.execute(insert(table).from_select([column.name for column in table.columns], rows))
    if tx.get_bind().dialect.name == "postgresql":
        counter = select(func.setval(func.pg_get_serial_sequence(table.name, "id"), size * copies))
        tx.execute(counter)
