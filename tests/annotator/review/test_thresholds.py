"""Thresholds: what may differ before an expert is asked, presets, and what a threshold would have done."""

import json
from collections.abc import Sequence

import pytest

from annotator.project.policy import ReviewPolicy, changed_policy, preset, stored_policy
from annotator.review.measures.threshold_effects import threshold_effects
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import CaseFilter, CaseRow, list_cases
from scoring.errors import InputError
from scoring.model.case import Case, Edge
from scoring.model.graph import with_drawn_edges
from scoring.model.labels import EdgeTriple
from scoring.model.taxonomy import EdgeKind, Information, Policy, Stage, Verdict
from tests.annotator.team import Team
from tests.factories import answer, call, case, task, tool


def _edge(a: int, b: int) -> EdgeTriple:
    return (a, b, EdgeKind.LOGICAL)


def _row(team: Team) -> CaseRow:
    return next(row for row in list_cases(team["max"], CaseFilter()) if row.case_id == "c-1")


SERIAL_OF_FOUR = ((0, 1), (1, 2), (2, 3))


def _chain(pairs: Sequence[tuple[int, int]]) -> list[EdgeTriple]:
    return [_edge(*pair) for pair in pairs]


def _serial(case_id: str) -> Case:
    """Four calls in a chain."""
    looking = task(
        *(call("look", "fine", place=f"Place-{i}") for i in range(4)),
        answer("All fine."),
        user="Look at Place-0, Place-1, Place-2, Place-3",
        information=Information.FIRST,
    )
    shown = case(looking, tools=[tool("look", place={"type": "string"})])
    edges = [Edge.model_validate({"from": a, "to": b}) for a, b in SERIAL_OF_FOUR]
    only = with_drawn_edges(shown.tasks[0], edges).model_copy(update={"policy": Policy.MULTI_SERIAL})
    return shown.model_copy(update={"id": case_id, "tasks": (only,)})


def _judged(team: Team, *, policy: Policy, edges: Sequence[tuple[int, int]], cleo: bool = False) -> str:
    """Four calls in a chain, of which bob (and cleo) say something else; the note of the case."""
    team.bring(_serial("c-1"))
    team.self_check("ann", "c-1")
    said = {"policies": {0: policy}, "edges": {0: _chain(edges)}}
    team.cross_check("bob", "c-1", **said)  # type: ignore[arg-type]
    team.cross_check("cleo", "c-1", **(said if cleo else {}))  # type: ignore[arg-type]
    return _row(team).note


def test_one_edge_and_the_policy_it_makes_are_one_difference(team: Team) -> None:
    change_review_policy(team["max"], ("case_fields=1", "expert_sample=false"))
    # 0 -> 1 -> 2 with 3 apart: four calls and a chain of three are mixed.
    note = _judged(team, policy=Policy.MULTI_MIXED, edges=((0, 1), (1, 2)))
    assert team.stage("c-1") is Stage.FINAL
    assert note == "2 of 10 fields differed"
    assert _row(team).policies == ("multi_serial",)


def test_read_strictly_they_are_two_of_all_fields(team: Team) -> None:
    change_review_policy(team["max"], ("case_fields=0",))
    assert (
        _judged(team, policy=Policy.MULTI_MIXED, edges=((0, 1), (1, 2))) == "2 of 10 fields differ (20.0 %)"
    )
    assert team.stage("c-1") is Stage.ESCALATED


def test_a_policy_that_is_not_what_was_drawn_is_a_difference_of_its_own(team: Team) -> None:
    change_review_policy(team["max"], ("case_fields=1",))
    note = _judged(team, policy=Policy.MULTI_PARALLEL, edges=((0, 1), (1, 2)))
    assert note == "2 of 10 independent fields differ (20.0 %)"


def test_two_edges_are_more_than_one_field(team: Team) -> None:
    change_review_policy(team["max"], ("case_fields=1",))
    note = _judged(team, policy=Policy.MULTI_MIXED, edges=((0, 1),))
    assert note == "2 of 9 independent fields differ (22.2 %)"
    change_review_policy(team["max"], ("case_fields=2",))  # it rewrites nothing
    assert team.stage("c-1") is Stage.ESCALATED


def test_the_larger_of_share_and_fields_holds(team: Team) -> None:
    change_review_policy(team["max"], ("case_fields=1", "case_threshold=0.3", "expert_sample=false"))
    _judged(team, policy=Policy.MULTI_MIXED, edges=((0, 1),))
    assert team.stage("c-1") is Stage.FINAL


def test_a_project_keeps_the_rule_it_was_founded_with() -> None:
    former = ReviewPolicy().model_dump()
    del former["case_fields"]
    assert stored_policy(json.dumps(former)).case_fields == 0
    assert stored_policy(ReviewPolicy().model_dump_json()).case_fields == ReviewPolicy().case_fields == 1


@pytest.mark.parametrize(
    ("name", "fields", "sampling"), [("c3bench", 0, "once"), ("wildtoolbench", 1, "rounds")]
)
def test_a_preset_reads_the_threshold_as_its_paper(name: str, fields: int, sampling: str) -> None:
    policy = changed_policy(ReviewPolicy(case_fields=5, sample_share=0.3), preset(name))
    assert (policy.case_fields, policy.sampling, policy.case_threshold) == (fields, sampling, 0.05)
    assert policy.sample_share == 0.3  # what it does not name stays
    assert changed_policy(policy, preset("default")) == ReviewPolicy(sample_share=0.3)
    with pytest.raises(InputError, match="'c3' is not a preset") as refused:
        preset("c3")
    assert refused.value.hint == "Presets: default, c3bench, wildtoolbench."


def test_what_a_threshold_would_have_done_is_read_off_the_rounds(team: Team) -> None:
    assert threshold_effects(team["max"]).words == ""
    team.bring(*(_serial(f"c-{number}") for number in range(1, 6)))
    for number in range(1, 6):
        team.self_check("ann", f"c-{number}")
    mixed = {"policies": {0: Policy.MULTI_MIXED}, "edges": {0: _chain(((0, 1), (1, 2)))}}
    team.cross_check("bob", "c-1", **mixed)  # type: ignore[arg-type]
    team.cross_check("bob", "c-2", policies={0: Policy.MULTI_MIXED}, edges={0: _chain(((0, 1),))})
    team.cross_check("bob", "c-3", verdict=Verdict.ESCALATE)
    team.cross_check("bob", "c-4", verdict=Verdict.RETURN)
    team.cross_check("bob", "c-5")
    for number in range(1, 6):
        team.cross_check("cleo", f"c-{number}", verdict=Verdict.RETURN if number == 4 else Verdict.APPROVE)
    # One field: c-1 (edge with its policy); two: c-2 as well; c-3 goes in any case, c-4 was returned.
    found = threshold_effects(team["max"])
    assert (found.rounds, found.escalated) == (4, {0: 3, 1: 2, 2: 1})
    assert found.words == (
        "Of 4 closed rounds experts would have got: 3 read strictly, 2 with 1 field, 1 with 2 fields."
    )


def test_with_one_reviewer_no_number_of_fields_makes_a_difference(team: Team) -> None:
    change_review_policy(team["max"], ("reviewers=1",))
    team.bring(_serial("c-1"), _serial("c-2"))
    for case_id, policies in (("c-1", {0: Policy.MULTI_MIXED}), ("c-2", None)):
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id, policies=policies)
    # Of c-1 one field differs, one to one; nothing differs of c-2.
    found = threshold_effects(team["max"])
    assert (found.rounds, found.raters, found.escalated) == (2, 2, {0: 1, 1: 1, 2: 1})
    assert found.words == (
        "Of 2 closed rounds experts would have got 1, however many fields may differ. "
        "With one reviewer no field that differs has a majority."
    )
