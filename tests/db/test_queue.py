"""The queue's order: by what a person reads in the column, on both databases alike."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, select

from db.engine import reading, writing
from db.read import queries
from db.read.rows import CaseFilter
from db.tables import Batch, Person
from db.write import slots, store
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


@pytest.mark.parametrize("items", [(), ("single",), ("single", "multi")])
def test_a_list_is_read_as_it_was_written(items: tuple[str, ...]) -> None:
    assert queries.split_list(queries.join_list(items)) == items


LABELS: dict[str, dict[str, object]] = {
    "c-1": {"policies": "|single|multi|", "rules": "|call.id|", "error_count": 2, "request": "b"},
    "c-2": {"policies": "|multi_serial|", "informations": "|first|", "request": "c", "finding_count": 3},
    "c-4": {"searched": "c-4 100% wool", "informations": "|first|omission|", "request": "a"},
}


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
            facts = _facts(task_count=7 - number, **LABELS.get(case_id, {}))
            case = store.ImportedCase(case_id=case_id, body="{}", facts=facts)
            store.add_cases(tx, [case], batch_id=batches[batch], author_id=None, at=NOON)
            values = {"stage": stage.value, "owner_id": people.get(owner), "is_gold": case_id == "c-5"}
            later = NOON + timedelta(minutes=-number)
            store.change_case(tx, number, expected_version=1, at=later, values=values)
        slot = {"stage": Stage.CROSS_CHECK, "round_": 1, "slot": 1, "case_version": 2}
        for number, status in ((4, "claimed"), (1, "released")):
            held = slots.add_assignment(
                tx,
                number,
                person_id=people["ann"],
                at=NOON,
                lease_until=NOON,
                **slot,  # type: ignore[arg-type]
            )
            assert held is not None
            slots.change_assignment(tx, held, expected="claimed", values={"status": status})
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
        ("priority", "c-1 c-2 c-3 c-4 c-5 c-6"),
        ("-case", "c-6 c-5 c-4 c-3 c-2 c-1"),
    ],
)
def test_cases_are_ordered_by_what_the_column_shows(filled: Engine, order: str, expected: str) -> None:
    with reading(filled) as tx:
        assert [row.case_id for row in queries.list_cases(tx, CaseFilter(order=order))] == expected.split()


def test_people_are_ordered_as_the_caller_sorts_names(filled: Engine) -> None:
    where, places = CaseFilter(order="owner"), {"zoe": 0, "ann": 1, "Bob": 2}
    with reading(filled) as tx:
        anns = queries.list_cases(tx, where)[0]
        beside = [replace(anns, case_id="c-2b")]
        listed = queries.list_cases(tx, where, beside=beside, name_key=places.__getitem__)
    assert [row.case_id for row in listed] == ["c-1", "c-2", "c-5", "c-2b", "c-4", "c-3", "c-6"]


def test_lines_that_no_case_has_are_sorted_in_among_the_cases(filled: Engine) -> None:
    where = CaseFilter(order="case")
    with reading(filled) as tx:
        first, *_ = queries.list_cases(tx, where)
        beside = [replace(first, case_id=case_id) for case_id in ("c-5b", "c-2b")]
        listed = queries.list_cases(tx, where, beside=beside)
    assert [row.case_id for row in listed] == ["c-1", "c-2", "c-2b", "c-3", "c-4", "c-5", "c-5b", "c-6"]


@pytest.mark.parametrize("order", ["owner", "-batch", "stage", "changed", "request", "-findings"])
def test_pages_are_cut_from_one_order(filled: Engine, order: str) -> None:
    where = CaseFilter(order=order)
    with reading(filled) as tx:
        whole = queries.list_cases(tx, where)
        pages = [queries.list_cases(tx, where, offset=start, limit=2) for start in (0, 2, 4, 6)]
    assert [row for page in pages for row in page] == list(whole)
    assert len(whole) == 6


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ({}, "c-1 c-2 c-3 c-4 c-5 c-6"),
        ({"stages": (Stage.RETURNED, Stage.FINAL)}, "c-1 c-2"),
        ({"owner": "ann"}, "c-2 c-5"),
        ({"owner": "ANN"}, ""),
        ({"batch": "April"}, "c-3 c-5"),
        ({"batch": "April", "owner": "ann"}, "c-5"),
        ({"policies": ("single",)}, "c-1"),
        ({"policies": ("multi",)}, "c-1"),
        ({"policies": ("single", "multi_serial")}, "c-1 c-2"),
        ({"informations": ("first",)}, "c-2 c-4"),
        ({"informations": ("omission",)}, "c-4"),
        ({"rules": ("call.id",)}, "c-1"),
        ({"rules": ("call_id",)}, ""),
        ({"text": "100%"}, "c-4"),
        ({"text": "WOOL"}, "c-4"),
        ({"text": "1%w"}, ""),
        ({"only_with_errors": True}, "c-1"),
        ({"only_gold": True}, "c-5"),
        ({"mine": "ann"}, "c-2 c-4 c-5"),
        ({"mine": "zoe"}, "c-1"),
    ],
)
def test_a_filter_keeps_and_counts_what_it_names(
    filled: Engine, where: dict[str, object], expected: str
) -> None:
    with reading(filled) as tx:
        person = tx.scalar(select(Person.id).where(Person.name == where.get("mine", "")))
        chosen = {key: value for key, value in where.items() if key != "mine"}
        asked = CaseFilter(order="case", mine_id=person, **chosen)  # type: ignore[arg-type]
        rows = queries.list_cases(tx, asked)
        assert [row.case_id for row in rows] == expected.split()
        assert queries.count_cases(tx, asked) == len(rows)
        sums = (len(rows), sum(row.task_count for row in rows), sum(row.error_count for row in rows))
        assert queries.totals(tx, asked) == sums


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("changed", "c-6 c-5 c-4 c-3 c-2 c-1"),
        ("-changed", "c-1 c-2 c-3 c-4 c-5 c-6"),
        ("-request", "c-2 c-1 c-4 c-6 c-5 c-3"),
        ("-tasks", "c-1 c-2 c-3 c-4 c-5 c-6"),
        ("-findings", "c-2 c-6 c-5 c-4 c-3 c-1"),
    ],
)
def test_numbers_and_times_are_ordered_both_ways(filled: Engine, order: str, expected: str) -> None:
    with reading(filled) as tx:
        assert [row.case_id for row in queries.list_cases(tx, CaseFilter(order=order))] == expected.split()


def test_counts_of_the_project_are_those_of_its_cases(filled: Engine) -> None:
    with reading(filled) as tx:
        assert queries.stage_counts(tx) == dict.fromkeys(
            (
                Stage.RETURNED,
                Stage.FINAL,
                Stage.IMPORTED,
                Stage.CROSS_CHECK,
                Stage.APPROVED,
                Stage.SELF_CHECK_TASK,
            ),
            1,
        )
        assert queries.oldest_changes(tx)[Stage.APPROVED] == NOON - timedelta(minutes=5)
        people = {row.name: row.id for row in tx.execute(select(Person.name, Person.id))}
        assert queries.owned_counts(tx) == {people["zoe"]: 1}  # returned; what others own went on
        batch = tx.scalar(select(Batch.id).where(Batch.name == "may"))
        assert batch is not None
        assert [row.case_id for row in queries.batch_cases(tx, batch)] == ["c-2", "c-6"]
        assert [row.case_id for row in queries.batch_cases(tx, batch, stages=(Stage.FINAL,))] == ["c-2"]
        assert [row.case_id for row in queries.final_cases(tx)] == ["c-2"]
        assert [body[0] for body in queries.revision_bodies(tx)] == [2]
        found = queries.find_case(tx, "c-5")
        assert found is not None
        assert (found.owner, found.batch, found.is_gold, found.version) == ("ann", "April", True, 2)
        assert queries.find_case(tx, "c-7") is None
        assert queries.known_hashes(tx, ["c-1", "c-7"]) == {"c-1": ("0" * 64, "0" * 64)}


def test_bodies_come_by_the_numbers_in_their_ids(filled: Engine) -> None:
    with writing(filled) as tx:
        batch = store.ensure_batch(tx, "more", by=None, at=NOON)
        more = [store.ImportedCase(case_id=name, body="{}", facts=_facts()) for name in ("c-10", "c", "b-9")]
        store.add_cases(tx, more, batch_id=batch, author_id=None, at=NOON)
    with reading(filled) as tx:
        expected = ["b-9", "c", "c-1", "c-2", "c-3", "c-4", "c-5", "c-6", "c-10"]
        for chunk in (1, 4, 200):
            assert [body[2] for body in queries.head_bodies(tx, chunk=chunk)] == expected
        assert [body[2] for body in queries.head_bodies(tx, stages=(Stage.FINAL,))] == ["c-2"]
        assert [body[2] for body in queries.head_bodies(tx, only=3)] == ["c-3"]
        assert [body[2] for body in queries.head_bodies(tx, without=(1, 2, 9))][:3] == ["c", "c-3", "c-4"]
