"""How long the proposals from a thousand earlier cases of one toolset take: opening a case stays instant."""

from functools import partial
from pathlib import Path

from pytest_benchmark.fixture import BenchmarkFixture

from annotator.drafts.precedents import orders_of, pattern_of, toolset_of
from annotator.review.precedents import precedents_for
from db.care.upgrade import create_project
from db.engine import disposed, open_engine, writing
from db.write.precedents import remember
from scoring.model.case import Case, Edge
from scoring.model.labels import labels_of
from scoring.model.taxonomy import EdgeKind, Information, Policy
from tests.annotator.team import Team, team_on
from tests.bench.yardsticks import a_bare_query, compare
from tests.factories import answer, call, case, task, tool

CASE_COUNT = 1_000
NAMES = ("login", "cd", "ls", "mv", "touch", "logout")


def shell_case(number: int) -> Case:
    """Four tasks of six calls each, the folder always changed before anything is moved."""
    order = Edge(source=1, target=3, kind=EdgeKind.LOGICAL)
    steps = [call(name, {"ok": True}, word=f"{name} {number}") for name in NAMES]
    made = task(*steps, answer(f"Done {number}."), user=f"Do {number}.", policy=Policy.MULTI_MIXED)
    tools = [tool(name, word={"type": "string"}) for name in NAMES]
    drawn = made.model_copy(update={"edges": (order,), "information": Information.OMISSION})
    return case(*[drawn] * 4, id=f"shell-{number}", tools=tools)


def taught(team: Team, count: int) -> Case:
    """A project with that many earlier cases of the toolset; gives the case to propose for."""
    cases = [shell_case(number) for number in range(count + 1)]
    team.bring(*cases)
    team.self_check_waiving("ann", "shell-0")
    person_id = team["ann"].person.id
    with disposed(open_engine(team.url)) as engine, writing(engine) as tx:
        for number, found in enumerate(cases[1:], 2):
            labels = tuple(one.model_copy(update={"drawn": True}) for one in labels_of(found))
            remember(
                tx,
                number,
                judgment_id=1,
                person_id=person_id,
                toolset=toolset_of(found),
                labels=((pattern_of(one), labels[0].model_dump_json()) for one in found.tasks),
                orders=orders_of(found, labels),
            )
    return cases[0]


def test_a_thousand_earlier_cases_of_the_toolset(benchmark: BenchmarkFixture, tmp_path: Path) -> None:
    count = CASE_COUNT if benchmark.enabled else 20
    url = str(tmp_path / "team.db")
    create_project(url)
    with team_on(url, tmp_path) as team:
        asked = taught(team, count)
        workspace = team["ann"]
        look = partial(precedents_for, person_id=workspace.person.id, case=asked, case_pk=1)
        found = benchmark(workspace.read, look)
        usual = {(habit.first, habit.second): habit.total for habit in found.habits if habit.is_usual}
        assert usual == {("cd", "mv"): count}
        assert found.of_task(asked.tasks[0]) is not None
        if benchmark.stats:
            compare(benchmark, benchmark.stats.stats.min, against=partial(a_bare_query, url))
