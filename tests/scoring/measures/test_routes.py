"""Accuracy by policy and position."""

from scoring.matching.task_scores import TaskScore
from scoring.measures.rates import Number
from scoring.measures.routes import layer_variance, policy_matrix, route_table
from scoring.measures.sample import ScoredSample
from scoring.model.taxonomy import Policy
from tests.factories import task_score

SINGLE, MULTI, CHAT = Policy.SINGLE, Policy.MULTI_SERIAL, Policy.CHAT


def dialogue(name: str, *tasks: tuple[Policy, bool]) -> list[TaskScore]:
    return [task_score(name, i, policy=policy, right=right) for i, (policy, right) in enumerate(tasks)]


RUN = [
    *dialogue("a", (SINGLE, True), (MULTI, False)),
    *dialogue("b", (SINGLE, False), (MULTI, True)),
    *dialogue("c", (CHAT, True), (MULTI, True)),
]


def test_the_matrix_has_positions_and_types_and_both_sums() -> None:
    matrix = policy_matrix(ScoredSample(RUN))
    assert list(matrix) == ["0", "1", "all"]
    assert list(matrix["0"]) == ["single", "multi", "chat", "clarify", "all"]
    assert (matrix["0"]["single"].count, matrix["0"]["single"].total) == (1, 2)
    assert (matrix["1"]["multi"].count, matrix["1"]["multi"].total) == (2, 3)
    assert (matrix["all"]["all"].count, matrix["all"]["all"].total) == (4, 6)
    assert matrix["0"]["clarify"].value is None


def test_the_route_table_judges_the_last_task_of_every_beginning() -> None:
    table = route_table(ScoredSample(RUN))
    assert {route: (found.count, found.total) for route, found in table.items()} == {
        ("single",): (1, 2),
        ("chat",): (1, 1),
        ("single", "multi"): (1, 2),
        ("chat", "multi"): (1, 1),
    }


def test_layer_variance_by_hand() -> None:
    # means after single 0.5, after chat 1.0; mean 0.75; (0.0625 + 0.0625) / (2 - 1 + 1e-5)
    assert layer_variance(route_table(ScoredSample(RUN))) == {1: Number(value=0.125 / (1 + 1e-5), of=2)}
    # a single leading route has no spread: 0 / 1e-5
    assert layer_variance(route_table(ScoredSample(RUN[:2]))) == {1: Number(value=0.0, of=1)}
    assert layer_variance(route_table(ScoredSample(RUN[:1]))) == {}
