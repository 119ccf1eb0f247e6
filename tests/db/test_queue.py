"""The queue's order: by what a person reads in the column, on both databases alike."""

from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine

from db.engine import reading, writing
from db.read import queries
from db.read.rows import CaseFilter
from db.write import store
from scoring.model.taxonomy import Stage

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def _facts(**changed: object) -> store.CaseFacts:
    facts: dict[str, object] = {
        "sha256": "0" * 64,
        "task_count": 1,
        "language": "en",
        "policies": "",
        "informations": "",
        "rules": "",
        "finding_count": 0,
        "error_count": 0,
        "request": "",
        "searched": "",
    }
    return store.CaseFacts(**(facts | changed))  # type: ignore[arg-type]


@pytest.fixture
def filled(engine: Engine) -> Engine:
    """Six cases; people and batches were made in another order than that of their names."""
    with writing(engine) as tx:
        people = {
            name: store.add_person(tx, name, roles=["annotator"], password_hash=None, at=NOON)
            for name in ("zoe", "Bob", "ann")
        }
        batches = {
            name: store.ensure_batch(tx, name, by=None, at=NOON) for name in ("week 2", "April", "may")
        }
        places = (
            ("c-1", "zoe", "week 2", Stage.RETURNED),
            ("c-2", "ann", "may", Stage.FINAL),
            ("c-3", "", "April", Stage.IMPORTED),
            ("c-4", "Bob", "week 2", Stage.CROSS_CHECK),
            ("c-5", "ann", "April", Stage.APPROVED),
            ("c-6", "", "may", Stage.SELF_CHECK_TASK),
        )
        for number, (case_id, owner, batch, stage) in enumerate(places, 1):
            case = store.ImportedCase(case_id=case_id, body="{}", facts=_facts(task_count=7 - number))
            store.add_cases(tx, [case], batch_id=batches[batch], author_id=None, at=NOON)
            values = {"stage": stage.value, "owner_id": people.get(owner)}
            store.change_case(tx, number, expected_version=1, at=NOON, values=values)
    return engine


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("owner", "c-2 c-5 c-4 c-1 c-3 c-6"),  # ann, Bob, zoe, then nobody's
        ("-owner", "c-1 c-4 c-5 c-2 c-6 c-3"),
        ("batch", "c-3 c-5 c-2 c-6 c-1 c-4"),  # April, may, week 2
        ("-batch", "c-4 c-1 c-6 c-2 c-5 c-3"),
        ("stage", "c-3 c-6 c-4 c-5 c-2 c-1"),  # as cases go through them
        ("tasks", "c-6 c-5 c-4 c-3 c-2 c-1"),
        ("-case", "c-6 c-5 c-4 c-3 c-2 c-1"),
    ],
)
def test_cases_are_ordered_by_what_the_column_shows(filled: Engine, order: str, expected: str) -> None:
    with reading(filled) as tx:
        assert [row.case_id for row in queries.list_cases(tx, CaseFilter(order=order))] == expected.split()


@pytest.mark.parametrize("order", ["owner", "-batch", "stage", "changed", "request", "-findings"])
def test_pages_are_cut_from_one_order(filled: Engine, order: str) -> None:
    where = CaseFilter(order=order)
    with reading(filled) as tx:
        whole = queries.list_cases(tx, where)
        pages = [queries.list_cases(tx, where, offset=start, limit=2) for start in (0, 2, 4, 6)]
    assert [row for page in pages for row in page] == list(whole)
    assert len(whole) == 6
