"""Operations that meet on PostgreSQL: locks are taken in one order, and what still meets is run once more."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import OperationalError

from annotator.project.workspace import Work, open_workspace
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import assign_batch
from annotator.review.queue.claims import claim_case, claim_next
from annotator.review.submissions import submission_key, submit
from db.read import queries
from db.write import store
from tests.annotator.team import Team, approval, team_on, two_round_case, two_step_case

_gates: list[Barrier] = []


@pytest.fixture
def team(postgres_url: str, tmp_path: Path) -> Iterator[Team]:
    """A team on PostgreSQL: SQLite locks the whole file and has no order."""
    with team_on(postgres_url, tmp_path) as found:
        yield found


@contextmanager
def holding(team: Team, row: str) -> Iterator[Connection]:
    """A transaction of somebody else that holds one row."""
    engine = create_engine(team.url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        connection.execute(text(f"SELECT 1 FROM {row} FOR UPDATE"))
        yield connection
        connection.rollback()
    engine.dispose()


def is_free(connection: Connection, row: str) -> bool:
    """Whether nobody else holds a row."""
    try:
        with connection.begin_nested():
            connection.execute(text(f"SELECT 1 FROM {row} FOR UPDATE NOWAIT"))
    except OperationalError:
        return False
    return True


@contextmanager
def waiting(connection: Connection, act: Callable[[], object]) -> Iterator[Future[object]]:
    """Let another thread act until it waits for a lock."""
    query = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    before = connection.scalar(query)
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(act)
        deadline = time.monotonic() + 20
        while connection.scalar(query) == before:
            assert not acting.done(), acting.result()
            assert time.monotonic() < deadline
            time.sleep(0.01)
        yield acting
        connection.rollback()
        acting.result(20)


def test_a_reviewer_holds_the_batch_before_the_case_although_nobody_has_judged_yet(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value

    def act() -> object:
        return submit(team["bob"], held.id, judgment=approval(two_step_case()), key=submission_key())

    with holding(team, "cases") as somebody, waiting(somebody, act):
        assert not is_free(somebody, "batches")


def test_assigning_a_batch_waits_for_whoever_moves_its_cases(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    with (
        holding(team, "batches") as somebody,
        waiting(somebody, lambda: assign_batch(team["max"], "b1", to=["ann"])),
    ):
        assert is_free(somebody, "cases")


def test_a_claim_holds_no_other_case_than_the_one_it_takes(team: Team) -> None:
    team.bring(two_step_case("new"), two_round_case("begun"))
    team.check_once("bob", "begun")
    with (
        holding(team, "chain_head") as somebody,
        waiting(somebody, lambda: claim_next(team["bob"])),
    ):
        taken = somebody.scalars(text("SELECT case_id FROM cases FOR UPDATE SKIP LOCKED"))
        assert list(taken) == ["new"]


def test_a_claim_waits_for_the_last_case_that_somebody_holds(team: Team) -> None:
    team.bring(two_step_case())
    with (
        holding(team, "cases") as somebody,
        waiting(somebody, lambda: claim_next(team["bob"])) as claiming,
    ):
        pass
    assert claiming.done()
    assert team.stage("c-1").value == "self_check_task"


def test_two_managers_change_the_policy_at_once_and_both_are_heard(team: Team) -> None:
    other = team["max"].as_person("max")
    with (
        holding(team, "project") as somebody,
        waiting(somebody, lambda: change_review_policy(team["max"], ("reviewers=3",))),
        waiting(somebody, lambda: change_review_policy(other, ("lease_minutes=9",))),
    ):
        pass
    other.close()
    policy = team["max"].policy()
    assert (policy.reviewers, policy.lease_minutes) == (3, 9)


def _remember(gate: Barrier) -> None:
    # A gate can be handed to a process only while it is being started.
    _gates.append(gate)


def _cross(url: str, order: tuple[str, str]) -> int:
    workspace = open_workspace(url, "max")
    tries = 0

    def work(w: Work) -> None:
        nonlocal tries
        tries += 1
        for number, case_id in enumerate(order):
            row = queries.find_case(w.tx, case_id)
            assert row is not None
            store.lock_case(w.tx, row.pk)
            if number == 0 and tries == 1:
                _gates[0].wait(120)
        w.record("case:both", {"order": list(order)})

    workspace.run("case:lock:cross", work)
    workspace.close()
    return tries


def test_processes_that_deadlock_are_run_again_until_all_are_done(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    context = get_context("forkserver")
    with ProcessPoolExecutor(2, context, _remember, (context.Barrier(2),)) as pool:
        tries = list(pool.map(_cross, (team.url,) * 2, (("c-1", "c-2"), ("c-2", "c-1"))))
    assert max(tries) > 1, "one of them met the other"
