"""Parts of what was rated, and the disagreements in them."""

from collections.abc import Mapping, Sequence

from scoring.model.labels import EdgeTriple, TaskLabels
from scoring.model.taxonomy import CheckAnswer, EdgeKind, Policy
from scoring.rated_cases import RatedField, rated_case
from tests.factories import answer, call, case, task
from ui.agreement.slicing import RatedRound, Slice, batches_of, disagreements, people_of, sliced

LOGICAL, PARAMETER = EdgeKind.LOGICAL, EdgeKind.PARAMETER


def _round(
    said: Mapping[str, Sequence[TaskLabels]],
    *,
    case_id: str = "c-1",
    batch: str = "b-1",
    policies: Sequence[Policy | None] = (None,),
) -> RatedRound:
    tasks = [task(call(), call(), answer()) for _ in policies]
    return RatedRound(rated_case(case(*tasks, id=case_id), said), batch, tuple(policies))


def _labels(
    policy: Policy | None = None,
    *,
    edges: Sequence[EdgeTriple] = (),
    calls: tuple[bool | None, ...] = (None, None),
    completed: bool | None = None,
    checklist: Mapping[str, CheckAnswer | None] | None = None,
) -> TaskLabels:
    return TaskLabels(
        policy=policy,
        edges=tuple(edges),
        calls_correct=calls,
        completed=completed,
        checklist=dict(checklist or {}),
    )


def test_a_batch_keeps_its_own_rounds() -> None:
    rounds = [_round({"a": [_labels()]}, batch="b-1"), _round({"a": [_labels()]}, batch="b-2", case_id="c-2")]
    assert [found.case_id for found in sliced(rounds, Slice(batch="b-2"))] == ["c-2"]
    assert batches_of(rounds) == ("b-1", "b-2")


def test_a_person_keeps_the_cases_they_judged_with_all_raters() -> None:
    rounds = [_round({"a": [_labels()], "b": [_labels()]}), _round({"b": [_labels()]}, case_id="c-2")]
    [found] = sliced(rounds, Slice(person="a"))
    assert found.raters == ("a", "b")
    assert people_of(rounds) == ("a", "b")


def test_a_pair_keeps_only_what_the_two_said() -> None:
    three = {name: [_labels()] for name in ("a", "b", "c")}
    [found] = sliced([_round(three), _round({"a": [_labels()]})], Slice(person="c", second="a"))
    assert found.raters == ("c", "a")


def test_a_policy_keeps_only_its_tasks() -> None:
    both = [_labels(completed=True), _labels(completed=False)]
    one = _round({"a": both, "b": both[::-1]}, policies=(Policy.CHAT, Policy.SINGLE))
    [found] = sliced([one], Slice(policy=Policy.SINGLE))
    assert {field.task for field in found.fields} == {1}
    assert [d.where for d in disagreements([found], RatedField.COMPLETED)] == ["task 2"]
    assert sliced([one], Slice(policy=Policy.CLARIFY)) == ()


def test_what_most_say_comes_first_with_who_said_it() -> None:
    said = {"a": [_labels(Policy.CHAT)], "b": [_labels(Policy.SINGLE)], "c": [_labels(Policy.SINGLE)]}
    [found] = disagreements([_round(said).case], RatedField.POLICY)
    assert found.said == (("Single", ("b", "c")), ("Chat", ("a",)))


def test_who_said_nothing_disagrees_with_nobody() -> None:
    said = {"a": [_labels(calls=(True, None))], "b": [_labels(calls=(None, False))]}
    assert disagreements([_round(said).case], RatedField.CALL) == ()


def test_an_edge_only_one_drew_is_a_disagreement_about_the_edge_but_not_about_its_kind() -> None:
    rated = _round({"a": [_labels(edges=[(0, 1, LOGICAL)])], "b": [_labels()]}).case
    [found] = disagreements([rated], RatedField.EDGE)
    assert (found.where, found.said) == ("task 1, 0 → 1", (("logical", ("a",)), ("none", ("b",))))
    assert disagreements([rated], RatedField.EDGE_KIND) == ()


def test_two_kinds_of_one_edge_are_a_disagreement_about_the_kind() -> None:
    said = {"a": [_labels(edges=[(0, 1, LOGICAL)])], "b": [_labels(edges=[(0, 1, PARAMETER)])]}
    [found] = disagreements([_round(said).case], RatedField.EDGE_KIND)
    assert found.said == (("logical", ("a",)), ("parameter", ("b",)))


def test_whole_drawings_are_compared_task_by_task() -> None:
    said = {"a": [_labels(edges=[(0, 1, LOGICAL)])], "b": [_labels()]}
    [found] = disagreements([_round(said).case], RatedField.GRAPH)
    assert (found.where, found.said[0][0], found.said[1][0]) == ("task 1", "0 → 1 logical", "no edge")


def test_a_checklist_item_is_named() -> None:
    said = {
        "a": [_labels(checklist={"relevant": CheckAnswer.PASS})],
        "b": [_labels(checklist={"relevant": CheckAnswer.FAIL})],
    }
    [found] = disagreements([_round(said).case], RatedField.CHECKLIST)
    assert found.where == "task 1, item 1"
