"""How long the queue and a case take among 100,000: issues 4 and 5 ask for less than 100 ms each."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from annotator.cases.access import show_case
from annotator.cases.history import case_history
from annotator.project.workspace import Workspace, open_workspace
from annotator.review.drafts import open_assignment
from annotator.review.queue.case_rows import CaseFilter, case_of, count_cases, list_cases
from annotator.review.queue.claims import claim_case, claim_next, leave
from db.read.queries import ORDERS
from scoring.model.taxonomy import Stage
from tests.bench.large_project import TEMPLATES, stage_of
from tests.bench.yardsticks import a_bare_query, compare

OPENED = 60

FILTERS = {
    "nothing": CaseFilter(),
    "stage": CaseFilter(stages=(Stage.CROSS_CHECK,)),
    "owner": CaseFilter(owner="p3"),
    "batch": CaseFilter(batch="batch 3"),
    "policy": CaseFilter(policies=("multi_mixed",)),
    "information": CaseFilter(informations=("first",)),
    "flags": CaseFilter(rules=("policy.differs",)),
    "errors": CaseFilter(only_with_errors=True),
    "gold": CaseFilter(only_gold=True),
    "mine": CaseFilter(mine_id=5),
    "text that many have": CaseFilter(text="bergen"),
    "text that few have": CaseFilter(text="t-77-"),
    "text nobody has": CaseFilter(text="nowhere at all"),
}


@pytest.fixture(params=["max", "p3", "eve"])
def viewer(large_url: str, request: pytest.FixtureRequest) -> Iterator[Workspace]:
    """Who looks: who founded the project, an annotator, who is blind to much of it, and an expert."""
    workspace = open_workspace(large_url, request.param)
    yield workspace
    workspace.close()


@pytest.fixture
def annotator(large_url: str) -> Iterator[Workspace]:
    """Somebody who takes cases."""
    workspace = open_workspace(large_url, "p3")
    yield workspace
    workspace.close()


def _told(name: str, workspace: Workspace, benchmark: BenchmarkFixture, *, share: float) -> None:
    """Print the figure, and how it compares with a bare query; only where something was measured."""
    if benchmark.stats is None:
        return
    times = benchmark.stats.stats.sorted_data
    worst = times[min(len(times) - 1, int(share * len(times)))]
    where = "PostgreSQL" if workspace.is_shared else "SQLite"
    print(f"\n{where}, {workspace.person.name}: {name} in {1000 * worst:.1f} ms ({share:.0%} of the times)")
    compare(benchmark, worst, against=partial(a_bare_query, workspace.project))


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_shows_its_first_page(name: str, viewer: Workspace, benchmark: BenchmarkFixture) -> None:
    rows = benchmark.pedantic(list_cases, (viewer, FILTERS[name]), rounds=9, warmup_rounds=1)  # type: ignore[no-untyped-call]
    assert len(rows) <= 200
    _told(f"first page of {name}", viewer, benchmark, share=0.5)


@pytest.mark.parametrize("name", FILTERS)
def test_a_filter_is_counted(name: str, viewer: Workspace, benchmark: BenchmarkFixture) -> None:
    found = benchmark.pedantic(count_cases, (viewer, FILTERS[name]), rounds=9, warmup_rounds=1)  # type: ignore[no-untyped-call]
    assert found >= len(list_cases(viewer, FILTERS[name]))
    _told(f"count of {name}", viewer, benchmark, share=0.5)


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("order", ORDERS)
def test_an_order_shows_its_first_page(
    order: str, sign: str, viewer: Workspace, benchmark: BenchmarkFixture
) -> None:
    where = CaseFilter(order=sign + order)
    rows = benchmark.pedantic(list_cases, (viewer, where), rounds=9, warmup_rounds=1)  # type: ignore[no-untyped-call]
    assert len(rows) == 200
    _told(f"first page by {sign}{order}", viewer, benchmark, share=0.5)


def _numbers(*stages: Stage) -> Iterator[int]:
    return (number for number in count() if stage_of(number) in stages)


def test_taking_and_opening_a_case(annotator: Workspace, benchmark: BenchmarkFixture) -> None:
    numbers = _numbers(Stage.IMPORTED)
    held: list[int] = []

    def take() -> str:
        taken = claim_case(annotator, f"t-{next(numbers)}").value
        held.append(taken.id)
        return open_assignment(annotator, taken.id).base.id

    rounds = OPENED if benchmark.enabled else 2
    assert benchmark.pedantic(take, rounds=rounds, warmup_rounds=1).startswith("t-")  # type: ignore[no-untyped-call]
    for one in held:
        leave(annotator, one, skip=False)
    _told("claim and open a named case", annotator, benchmark, share=0.95)


def test_taking_and_opening_the_next_case(annotator: Workspace, benchmark: BenchmarkFixture) -> None:
    held: list[int] = []

    def give_back() -> None:
        for one in held:
            leave(annotator, one, skip=True, reason="the next one")
        held.clear()

    def take() -> str:
        taken = claim_next(annotator).value
        assert taken is not None
        held.append(taken.id)
        return open_assignment(annotator, taken.id).base.id

    rounds = OPENED if benchmark.enabled else 2
    assert benchmark.pedantic(take, setup=give_back, rounds=rounds).startswith("t-")  # type: ignore[no-untyped-call]
    give_back()
    _told("claim and open the next case", annotator, benchmark, share=0.95)


@pytest.mark.parametrize(
    "look", [show_case, case_of, case_history], ids=["its content", "its line", "its history"]
)
def test_looking_at_a_case(
    look: Callable[[Workspace, str], object], viewer: Workspace, benchmark: BenchmarkFixture
) -> None:
    numbers = count()
    rounds = OPENED if benchmark.enabled else 2
    assert benchmark.pedantic(  # type: ignore[no-untyped-call]
        lambda: look(viewer, f"t-{next(numbers) % TEMPLATES}"), rounds=rounds, warmup_rounds=1
    )
    _told(f"look at a case: {look.__name__}", viewer, benchmark, share=0.95)
