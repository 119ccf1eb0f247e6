"""A query answers about what it is asked, and says nothing of the run, sample or batch beside it."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, insert, select

from db.columns import Table
from db.engine import reading, writing
from db.read import batches, generations, queries, releases, reviews, samples
from db.tables import (
    Assignment,
    Batch,
    CaseHead,
    DecisionRecord,
    GeneratedDialogue,
    Generation,
    GenerationRequest,
    JudgmentRecord,
    Project,
    Release,
    ReleasedCase,
    Revision,
    Sample,
    SampledCase,
    Transaction,
)
from db.write import generations as writes
from db.write import store
from scoring.model.taxonomy import Stage
from tests.db.filling import row_of

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def add(tx: Transaction, kind: type[Table], *rows: Mapping[str, object]) -> None:
    """Write rows of which only what matters is named."""
    for row in rows:
        whole = {**row_of(kind.metadata.tables[kind.__tablename__]), **row}
        tx.execute(
            insert(kind).values({name: whole[name] for name in whole if name in kind.__table__.columns})
        )


@pytest.fixture
def doubled(engine: Engine) -> Engine:
    """Two of everything: runs, batches, samples and releases, of which the second ones say something else."""
    with writing(engine) as tx:
        add(tx, Project, {})
        for name in ("ann", "bob", "eve"):
            store.add_person(tx, name, roles=["expert"], password_hash=None, at=NOON)
        add(
            tx,
            Batch,
            {"id": 1, "name": "one", "is_flagged": True, "due_on": "2026-04-01"},
            {"id": 2, "name": "two", "is_flagged": False, "due_on": None},
        )
        stages = (Stage.FINAL, Stage.APPROVED, Stage.EXPERT, Stage.FINAL, Stage.REJECTED, Stage.RETURNED)
        for number, stage in enumerate(stages, 1):
            place = {"id": number, "case_id": f"c-{number}", "batch_id": 1 + number % 2, "stage": stage.value}
            owner = {"owner_id": 1 if number < 4 else 2, "expert_id": 3 if number == 3 else None}
            seen = {"changed_at": NOON - number * MINUTE, "sha256": f"now {number}", "is_gold": number == 2}
            add(tx, CaseHead, place | owner | seen | {"head_id": None})
            revision = {"id": number, "case_pk": number, "number": 1, "sha256": f"now {number}"}
            add(tx, Revision, revision | {"parent_id": None, "at": NOON, "body": f"body {number}"})
            store.change_case(
                tx, number, expected_version=1, at=NOON - number * MINUTE, values={"head_id": number}
            )
        add(tx, Release, {"id": 1, "name": "r1"}, {"id": 2, "name": "r2"})
        add(
            tx, Revision, {"id": 7, "case_pk": 4, "number": 2, "sha256": "other", "body": "older", "at": NOON}
        )
        for number, case, frozen in ((1, 1, 1), (1, 4, 7), (1, 5, 5), (2, 6, 6), (2, 3, 3)):
            add(tx, ReleasedCase, {"release_id": number, "case_pk": case, "revision_id": frozen})
        _add_samples(tx)
        _add_runs(tx)
    return engine


def _add_samples(tx: Transaction) -> None:
    add(
        tx,
        Sample,
        {"id": 1, "batch_id": 1, "sequence": 1, "status": "open", "drawn_at": NOON},
        {"id": 2, "batch_id": 2, "sequence": 1, "status": "closed", "drawn_at": NOON + MINUTE},
    )
    outcomes = ((1, 1, "rest"), (1, 2, "open"), (1, 3, "unchanged"), (2, 1, "rest"), (2, 4, "corrected"))
    for sample, case, outcome in (*outcomes, (2, 5, "open")):
        add(tx, SampledCase, {"sample_id": sample, "case_pk": case, "outcome": outcome})
    judged = {"stage": Stage.CROSS_CHECK.value, "is_withdrawn": False, "at": NOON + MINUTE}
    others: list[dict[str, object]] = [
        {"case_pk": 3, "person_id": 1},
        {"case_pk": 3, "person_id": 2, "at": NOON},
        {"case_pk": 2, "person_id": 2, "is_withdrawn": True},
        {"case_pk": 2, "person_id": 2, "stage": Stage.SELF_CHECK_TASK.value},
        {"case_pk": 1, "person_id": 3},
        {"case_pk": 4, "person_id": 3, "at": NOON + 2 * MINUTE},
    ]
    add(tx, Assignment, *({"id": n, "case_pk": n, "status": "submitted"} for n in range(1, 7)))
    for number, other in enumerate(others, 1):
        add(
            tx,
            JudgmentRecord,
            judged | {"id": number, "assignment_id": number, "idempotency_key": f"key {number}"} | other,
        )
    decided: list[dict[str, object]] = [
        {"case_pk": 2, "stage": Stage.EXPERT.value, "at": NOON},
        {"case_pk": 3, "stage": Stage.EXPERT.value, "at": NOON - MINUTE},
        {"case_pk": 4, "stage": Stage.ESCALATED.value, "at": NOON + 2 * MINUTE},
    ]
    for number, one in enumerate(decided, 1):
        body = {
            "id": number,
            "idempotency_key": f"decision {number}",
            "result_id": 7,
            "verdict": "approve",
        }
        add(tx, DecisionRecord, body | one)


def _add_runs(tx: Transaction) -> None:
    add(
        tx,
        Generation,
        *({"id": n, "name": f"run {n}", "identity": f"i{n}", "toolsets": f"t{n}"} for n in (1, 2)),
    )
    attempts = [(1, 1, 1, "failed", None), (1, 1, 2, "open", None), (1, 2, 1, "finished", "c-1")]
    for run, dialogue, attempt, status, made in (
        *attempts,
        (2, 1, 1, "finished", "c-1"),
        (2, 1, 2, "failed", "c-2"),
    ):
        key = {"generation_id": run, "dialogue": dialogue, "attempt": attempt}
        add(
            tx,
            GeneratedDialogue,
            {**key, "id": run * 10 + dialogue * 3 + attempt, "status": status, "case_id": made},
        )
    asked = [(1, 1, 1, 1), (1, 1, 2, 2), (1, 1, 2, 1), (1, 2, 1, 1), (1, 3, 1, 1), (2, 1, 1, 1), (2, 3, 1, 1)]
    for place, (run, dialogue, attempt, number) in enumerate(asked):
        key = {"generation_id": run, "dialogue": dialogue, "attempt": attempt, "number": number}
        took = {"prompt_tokens": 10**place, "completion_tokens": None if place % 2 else 2 * 10**place}
        took["dollars"] = None if place % 2 else place
        add(
            tx,
            GenerationRequest,
            {**key, **took, "id": place + 1, "faults": "a b" if place < 2 else "", "verdict": ""},
        )


def test_a_run_of_the_generator_is_told_from_the_other(doubled: Engine) -> None:
    with reading(doubled) as tx:
        assert [row.id for row in generations.list_generations(tx)] == [2, 1]
        assert [generations.toolsets_of(tx, run) for run in (1, 2, 3)] == ["t1", "t2", None]
        assert [generations.run_of_case(tx, case) for case in ("c-1", "c-2", "c-3")] == [2, 2, None]
        tried = [(one.dialogue, one.attempt) for one in generations.attempts_of(tx, 1)]
        assert tried == [(1, 1), (1, 2), (2, 1)]
        assert [row.id for row in generations.requests_of(tx, 1, dialogue=1)] == [1, 3, 2]
        assert [row.id for row in generations.requests_of(tx, 1, dialogue=1, attempt=2)] == [3, 2]
        assert [row.id for row in generations.requests_of(tx, 2, dialogue=1)] == [6]
        assert [row.id for row in generations.open_requests(tx, 1)] == [3, 2, 5]
        assert [row.id for row in generations.open_requests(tx, 2)] == [7]
        assert [generations.fault_counts(tx, run) for run in (1, 2)] == [{"a b": 2}, {}]
        assert generations.spent(tx, 1) == generations.SpentRow(5, 11_111, 20_202)
        assert generations.spent(tx, 3) == generations.SpentRow(0, 0, 0)
        assert generations.dollars_spent(tx) == 0 + 2 + 4 + 6  # of both; the others have no price
        assert set(queries.find_cases(tx, ["c-2", "c-9"])) == {"c-2"}
        assert list(generations.gold_bodies(tx)) == ["body 2"]


def test_the_work_of_a_person_at_a_stage_is_told_from_other_work(doubled: Engine) -> None:
    with writing(doubled) as tx:
        for row in tx.scalars(select(JudgmentRecord)):
            row.seconds = 10.0**row.id
        seconds = reviews.work_times(tx).seconds()
    check, own = Stage.CROSS_CHECK, Stage.SELF_CHECK_TASK
    # The third was withdrawn; of the fifth and sixth both count.
    assert seconds == {(1, check): 10, (2, check): 100, (2, own): 1e4, (3, check): 1e5 + 1e6}


def test_writing_to_a_run_leaves_the_other_alone(doubled: Engine) -> None:
    with writing(doubled) as tx:
        writes.set_generation(tx, 1, {"status": "stopped"})
        writes.set_dialogue(tx, 1, dialogue=1, attempt=2, values={"status": "finished"})
        writes.set_verdict(tx, 1, dialogue=1, attempt=2, number=1, verdict="second")
    with reading(doubled) as tx:
        assert [row.status == "stopped" for row in generations.list_generations(tx)] == [False, True]
        assert [row.status for row in generations.attempts_of(tx, 1)] == ["failed", "finished", "finished"]
        assert [row.status for row in generations.attempts_of(tx, 2)] == ["finished", "failed"]
        found = [row for run in (1, 2) for row in generations.requests_of(tx, run, dialogue=1)]
        assert [row.id for row in found if row.verdict] == [3]


def test_a_sample_is_told_from_the_other(doubled: Engine) -> None:
    with reading(doubled) as tx:
        first, second = samples.list_samples(tx)
        assert samples.list_samples(tx, batch_id=2) == (second,)
        assert first.outcomes == {"c-2": "open", "c-3": "unchanged"}
        assert second.outcomes == {"c-4": "corrected", "c-5": "open"}
        # bob judged when the sample was drawn, withdrew, and checked his own; eve judged what was not drawn.
        assert [samples.served(tx, sample) for sample in (1, 2)] == [{1}, {3}]
        assert [samples.open_sample_of(tx, case) for case in (1, 2, 3, 5)] == [None, 1, None, None]
        assert [samples.not_drawn(tx, sample) for sample in (1, 2)] == [{1}, {1}]
        assert [samples.looked_at(tx, batch) for batch in (1, 2)] == [{3}, {4}]
        decided = {(one.sample_id, one.case_pk) for one in samples.sample_members(tx) if one.is_decided}
        assert decided == {(1, 2)}
        settled = {one.case_id: one.is_settled for one in samples.held_cases(tx, stages=list(Stage))}
        assert settled == {f"c-{n}": n == 4 for n in range(1, 7)}
        assert [one.case_id for one in samples.held_cases(tx, release="r2")] == ["c-3", "c-6"]
        assert [one.case_id for one in samples.held_cases(tx, stages=[Stage.REJECTED])] == ["c-5"]


def test_a_batch_is_told_from_the_other(doubled: Engine) -> None:
    with reading(doubled) as tx:
        second, first = batches.list_batches(tx)
        assert (first.case_count, second.case_count) == (3, 3)
        assert first.stages == {Stage.APPROVED: 1, Stage.FINAL: 1, Stage.RETURNED: 1}
        assert (first.is_flagged, second.is_flagged, second.due_on) == (True, False, None)
        assert str(first.due_on) == "2026-04-01"
        assert [batches.find_batch(tx, name) for name in ("one", "two", "three")] == [1, 2, None]
        assert [batches.is_flagged(tx, batch) for batch in (1, 2)] == [True, False]
        assert [batches.has_case(tx, batch, stages=[Stage.EXPERT]) for batch in (1, 2)] == [False, True]
        assert batches.count_batch(tx, 2) == 3
        assert batches.count_batch(tx, 2, stages=[Stage.EXPERT, Stage.RETURNED]) == 1
        assert batches.batches_with_approved(tx) == (1,)
        owned, others = [Stage.RETURNED, Stage.FINAL], [Stage.EXPERT, Stage.REJECTED]
        rows = batches.held_up(tx, 2, owned=owned, others=others)
        assert [(row.stage, row.person, row.count) for row in rows] == [
            (Stage.REJECTED, None, 1),
            (Stage.EXPERT, "eve", 1),
            (Stage.FINAL, "ann", 1),
        ]


def test_a_release_is_told_from_the_other(doubled: Engine) -> None:
    with reading(doubled) as tx:
        changed = [(row.case_id, row.released_sha256) for row in releases.changed_rows(tx, "r1")]
        assert changed == [("c-4", "other"), ("c-5", "now 5")]
        assert releases.changed_rows(tx, "r2") == ()
        assert list(releases.released_bodies(tx, "r1")) == ["body 1", "body 5", "older"]
