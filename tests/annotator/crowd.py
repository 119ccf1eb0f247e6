"""Many processes that claim and submit at the same time, as twenty people at twenty computers do."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.synchronize import Barrier
from typing import TypeVar

from sqlalchemy import select, text

from annotator.cases.bodies import imported
from annotator.cases.findings.checks import check_case
from annotator.project.audit import audit
from annotator.project.creation import write_first_rows
from annotator.project.people import add_person
from annotator.project.policy import ReviewPolicy
from annotator.project.stages import ROLE_OF_STAGE
from annotator.project.workspace import Work, Workspace, open_workspace
from annotator.review.drafts import open_assignment
from annotator.review.queue.claims import claim_next
from annotator.review.submissions import submission_key, submit
from db.engine import disposed, open_engine, reading, writing
from db.read import queries
from db.tables import Assignment, Person, Transaction
from db.write import store
from scoring.errors import StoreError
from scoring.model.taxonomy import Role, Stage
from tests.annotator.team import START, approval, two_round_case

_SLOTS = (
    (Stage.SELF_CHECK_TASK, 1, 0),
    (Stage.SELF_CHECK_DIALOGUE, 1, 0),
    (Stage.CROSS_CHECK, 1, 0),
    (Stage.CROSS_CHECK, 1, 1),
)
_OPEN = tuple(stage for stage, role in ROLE_OF_STAGE.items() if role is Role.ANNOTATOR)
_PATIENCE_SECONDS = 0.02
_MOST_TRIES = 20
T = TypeVar("T")
_gates: list[Barrier] = []


@dataclass(frozen=True)
class Turn:
    """One slot that was claimed and submitted."""

    assignment_id: int
    case_id: str
    stage: Stage
    round: int
    slot: int
    person: str


@dataclass(frozen=True)
class Shift:
    """What one process did, and between which instants of the machine's clock."""

    turns: tuple[Turn, ...]
    started: float
    ended: float


def found_crowd(url: str, *, people: int, cases: int) -> None:
    """Found a project on an empty store: so many annotators and freshly imported cases, all clean."""
    with disposed(open_engine(url)) as engine, writing(engine) as tx:
        write_first_rows(tx, name="crowd", owner="max", policy=ReviewPolicy(case_fields=0), at=START)
    workspace = open_workspace(url, "max")
    try:
        for number in range(people):
            add_person(workspace, f"p{number}", roles=(Role.ANNOTATOR,))
        workspace.run("case:batch:import", lambda w: _bring(w, cases), roles=(Role.MANAGER,))
    finally:
        workspace.close()


def _bring(w: Work, count: int) -> None:
    ready = imported(two_round_case(), check_case(two_round_case()))
    many = [
        store.ImportedCase(
            case_id=f"c-{number}", body=ready.body.replace('"c-1"', f'"c-{number}"'), facts=ready.facts
        )
        for number in range(count)
    ]
    batch = store.ensure_batch(w.tx, "b1", by=w.person.id, at=w.at)
    store.add_cases(w.tx, many, batch_id=batch, author_id=w.person.id, at=w.at)
    w.record("batch:b1", {"imported": count})


def let_them_work(url: str, *, people: int, turns: int | None = None) -> tuple[Shift, ...]:
    """Let so many processes take cases and approve them, all at once, each in its own name.

    Args:
        url: The project.
        people: How many processes.
        turns: When each stops; null for until nothing is left for anybody.

    Raises:
        Exception: Whatever any of them met, besides a store that was busy.
    """
    # Fresh processes, forked from a clean one that has imported everything: twenty start in a second.
    context = get_context("forkserver")
    context.set_forkserver_preload([__name__])
    gate = context.Barrier(people)
    with ProcessPoolExecutor(people, context, _remember, (gate,)) as pool:
        running = [pool.submit(_work, url, f"p{number}", turns) for number in range(people)]
        # The first to fail, not the others, who stop because of it.
        for one in as_completed(running):
            one.result()
        return tuple(one.result() for one in running)


def _remember(gate: Barrier) -> None:
    # A gate can be handed to a process only while it is being started.
    _gates.append(gate)


def _work(url: str, name: str, turns: int | None) -> Shift:
    workspace = open_workspace(url, name)
    done: list[Turn] = []
    try:
        _gates[0].wait(120)
        started = time.monotonic()
        while turns is None or len(done) < turns:
            turn = _take_a_turn(workspace)
            if turn is not None:
                done.append(turn)
            elif workspace.read(_is_all_done):
                break
            elif _gates[0].broken:
                raise RuntimeError("somebody else has failed")
            else:  # what is left is in other hands and may come back as another kind of work
                time.sleep(_PATIENCE_SECONDS)
        return Shift(tuple(done), started, time.monotonic())
    except BaseException:
        _gates[0].abort()  # what this one holds nobody else can finish
        raise
    finally:
        workspace.close()


def _take_a_turn(workspace: Workspace) -> Turn | None:
    held = _insisting(lambda: claim_next(workspace)).value
    if held is None:
        return None
    _insisting(lambda: open_assignment(workspace, held.id))
    # A reviewer sees no labels; everybody here comes to the same ones.
    judgment, key = approval(two_round_case(held.case_id)), submission_key()
    _insisting(lambda: submit(workspace, held.id, judgment=judgment, key=key))
    return Turn(held.id, held.case_id, held.stage, held.round, held.slot, held.person)


def _insisting(act: Callable[[], T]) -> T:
    """Do as the advice says where the store is busy, which on a loaded machine it may be: try again."""
    for _ in range(_MOST_TRIES):
        with suppress(StoreError):
            return act()
    return act()


def _is_all_done(tx: Transaction) -> bool:
    counts = queries.stage_counts(tx)
    return not any(counts.get(stage) for stage in _OPEN)


def all_turns(shifts: Sequence[Shift]) -> tuple[Turn, ...]:
    """What everybody did."""
    return tuple(turn for shift in shifts for turn in shift.turns)


def rate(shifts: Sequence[Shift]) -> float:
    """Claims with their submissions per second, over everybody, from the first start to the last end."""
    seconds = max(shift.ended for shift in shifts) - min(shift.started for shift in shifts)
    return len(all_turns(shifts)) / seconds


def require_every_slot_once(url: str, shifts: Sequence[Shift], *, cases: int) -> None:
    """Assert that every slot of every case was taken by exactly one person, and that the store agrees.

    A case has one owner for both self-checks and two cross-checkers, three people in all.
    """
    turns = all_turns(shifts)
    assert len({turn.assignment_id for turn in turns}) == len(turns) == len(_SLOTS) * cases
    taken = Counter((turn.case_id, turn.stage, turn.round, turn.slot) for turn in turns)
    assert set(taken.values()) == {1}
    assert set(taken) == {(f"c-{n}", *slot) for n in range(cases) for slot in _SLOTS}
    parts: dict[str, dict[Stage, list[str]]] = {}
    for turn in turns:
        parts.setdefault(turn.case_id, {}).setdefault(turn.stage, []).append(turn.person)
    for part in parts.values():
        [owner], [same] = part[Stage.SELF_CHECK_TASK], part[Stage.SELF_CHECK_DIALOGUE]
        assert owner == same
        assert len({owner, *part[Stage.CROSS_CHECK]}) == 3
    workspace = open_workspace(url, "max")
    try:
        kept = workspace.read(_kept)
        assert kept == {(turn.assignment_id, turn.person, "submitted") for turn in turns}
        assert audit(workspace).holds
    finally:
        workspace.close()


def deadlocks(url: str) -> int:
    """How often two transactions on a server waited for each other, since the database was made."""
    with disposed(open_engine(url)) as engine, reading(engine) as tx:
        if engine.dialect.name != "postgresql":
            return 0
        query = text("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return int(tx.scalar(query) or 0)


def _kept(tx: Transaction) -> set[tuple[int, str, str]]:
    rows = tx.execute(
        select(Assignment.id, Person.name, Assignment.status).join(Person, Person.id == Assignment.person_id)
    )
    return {(row.id, row.name, row.status) for row in rows}
