"""The agreement table of a handful of cases, against numbers worked out by hand."""

import re

import pytest

from scoring.agreement.coefficients import Coefficient, Undefined
from scoring.agreement.fields import (
    TOO_FEW_TASKS,
    UNDEFINED_ITSELF,
    AgreementMeasure,
    FieldAgreement,
    agreement_table,
)
from scoring.agreement.rated_cases import RatedCase, RatedField, only_raters, rated_case
from scoring.measures.intervals import NOT_DRAWN
from scoring.model.labels import EdgeTriple, TaskLabels
from scoring.model.taxonomy import CheckAnswer, EdgeKind, Information, Policy
from tests.factories import answer, ask, call, case, task

LOGICAL, PARAMETER = EdgeKind.LOGICAL, EdgeKind.PARAMETER


def labels(*edges: EdgeTriple, policy: Policy | None = None, **said: object) -> TaskLabels:
    """What a rater says of a task they have drawn; edges first."""
    return TaskLabels.model_validate({"edges": edges, "policy": policy, "drawn": True, **said})


def rated(id: str = "c-1", *, step_count: int = 1, **said: TaskLabels) -> RatedCase:  # noqa: A002
    """A case of one task with so many calls and an answer, and what each named rater said."""
    judged = case(task(*[call()] * step_count, answer()), id=id)
    return rated_case(judged, {name: [label] for name, label in said.items()})


def row(field: RatedField, *cases: RatedCase, resamples: int = 0) -> FieldAgreement:
    return next(row for row in agreement_table(cases, seed=1, resamples=resamples) if row.field is field)


def coefficient(field: RatedField, measure: AgreementMeasure, *cases: RatedCase) -> Coefficient:
    return row(field, *cases).coefficients[measure]


POLICIES = [
    rated(f"c-{n}", ada=labels(policy=first), ben=labels(policy=second))
    for n, (first, second) in enumerate(
        [(Policy.SINGLE, Policy.SINGLE)] * 4
        + [(Policy.CHAT, Policy.CHAT)] * 3
        + [(Policy.SINGLE, Policy.CHAT)]
        + [(Policy.CHAT, Policy.SINGLE)] * 2
    )
]
"""Ten cases: 4 single-single, 3 chat-chat, 1 single-chat, 2 chat-single."""


def test_policy_agreement_follows_the_hand_calculation() -> None:
    """P_o = 7/10; Ada says single 5 times, Ben 6: P_e = (5 x 6 + 5 x 4)/100 = 1/2, kappa = 0.4.

    Alpha: 11 single, 9 chat of 20; D_o = 6/20; D_e = 2 x 11 x 9 / (20 x 19) = 198/380; alpha = 1 - 114/198.
    AC1: P_e = 2 x 11/20 x 9/20 = 0.495; (0.7 - 0.495) / 0.505.
    """
    found = row(RatedField.POLICY, *POLICIES).coefficients
    assert found[AgreementMeasure.PERCENT].value == pytest.approx(0.7)
    assert found[AgreementMeasure.KAPPA].value == pytest.approx(0.4)
    assert found[AgreementMeasure.ALPHA].value == pytest.approx(1 - 114 / 198)
    assert found[AgreementMeasure.AC1].value == pytest.approx(0.205 / 0.505)


def test_the_confusions_say_which_labels_met() -> None:
    found = row(RatedField.POLICY, *POLICIES)
    assert [(c.said, c.against, c.count) for c in found.confusions] == [("chat", "single", 3)]
    (pair,) = found.pairs
    assert [(c.said, c.against, c.count) for c in pair.confusions] == [
        ("chat", "single", 2),
        ("single", "chat", 1),
    ]


def test_every_field_has_a_row_even_without_cases_but_the_one_most_projects_do_not_ask() -> None:
    table = agreement_table([], seed=1)
    assert [row.field for row in table] == [field for field in RatedField if field is not RatedField.REVIEW]
    assert {c.undefined for row in table for c in row.coefficients.values()} == {Undefined.NO_PAIR}
    assert all(row.pairs == () for row in table)


def test_a_label_left_open_is_a_missing_rating() -> None:
    open_case = rated("c-x", ada=labels(policy=Policy.CHAT), ben=labels())
    found = coefficient(RatedField.POLICY, AgreementMeasure.KAPPA, *POLICIES, open_case)
    assert (found.used, found.total) == (10, 11)


def test_raters_are_told_apart_by_name_not_by_place() -> None:
    """The same two people in the other order: Ada single, Ben chat both times, so P_e = 0 and kappa = 0."""
    cases = [
        rated("c-1", ada=labels(policy=Policy.SINGLE), ben=labels(policy=Policy.CHAT)),
        rated("c-2", ben=labels(policy=Policy.CHAT), ada=labels(policy=Policy.SINGLE)),
    ]
    found = coefficient(RatedField.POLICY, AgreementMeasure.KAPPA, *cases)
    assert (found.value, found.expected) == (0.0, 0.0)


def test_pairs_are_those_who_judged_a_case_together() -> None:
    cases = [
        rated("c-1", ada=labels(policy=Policy.SINGLE), ben=labels(policy=Policy.SINGLE)),
        rated("c-2", eve=labels(policy=Policy.SINGLE), ben=labels(policy=Policy.CHAT)),
    ]
    found = {(p.first, p.second): p for p in row(RatedField.POLICY, *cases).pairs}
    assert set(found) == {("ada", "ben"), ("ben", "eve")}
    shares = {pair: p.coefficients[AgreementMeasure.PERCENT].value for pair, p in found.items()}
    assert shares == {("ada", "ben"): 1.0, ("ben", "eve"): 0.0}
    assert found["ada", "ben"].coefficients[AgreementMeasure.PERCENT].total == 1


def test_each_call_of_a_task_is_a_unit() -> None:
    """Three calls in one task, one judged differently, one left open by Ben: 1 of 2 used units agrees."""
    one = rated(
        step_count=3,
        ada=labels(calls_correct=(True, False, True)),
        ben=labels(calls_correct=(True, True, None)),
    )
    found = coefficient(RatedField.CALL, AgreementMeasure.PERCENT, one)
    assert (found.value, found.used, found.total) == (0.5, 2, 3)


def test_information_is_compared_like_policy_but_for_the_first_task() -> None:
    judged = case(task(answer()), task(answer()))
    said = {
        "ada": [labels(), labels(information=Information.OMISSION)],
        "ben": [labels(information=Information.FIRST), labels(information=Information.REFERENCE)],
    }
    found = coefficient(RatedField.INFORMATION, AgreementMeasure.PERCENT, rated_case(judged, said))
    assert (found.value, found.total) == (0.0, 1)


def test_completed_has_f1_beside_the_coefficients() -> None:
    """Both completed, one completed, none: F1 = 2 x 1 / (2 + 1)."""
    cases = [
        rated(f"c-{n}", ada=labels(completed=a), ben=labels(completed=b))
        for n, (a, b) in enumerate([(True, True), (True, False), (False, False)])
    ]
    assert coefficient(RatedField.COMPLETED, AgreementMeasure.F1, *cases).value == pytest.approx(2 / 3)
    assert coefficient(RatedField.COMPLETED, AgreementMeasure.PERCENT, *cases).value == pytest.approx(2 / 3)


def test_edge_agreement_counts_every_ordered_pair_of_steps() -> None:
    """Three calls have 6 ordered pairs. Ada: 0-1 logical, 1-2 parameter; Ben: 0-1 logical, 0-2 logical.

    0-1 agrees, 1-2 and 0-2 differ, the other three pairs are none for both: 4/6.
    Ratings: 8 none, 3 logical, 1 parameter; D_o = 4/12; D_e = (144 - 64 - 9 - 1) / 132 = 70/132;
    alpha = 1 - 44/70.
    """
    one = rated(
        step_count=3,
        ada=labels((0, 1, LOGICAL), (1, 2, PARAMETER)),
        ben=labels((0, 1, LOGICAL), (0, 2, LOGICAL)),
    )
    percent = coefficient(RatedField.EDGE, AgreementMeasure.PERCENT, one)
    assert percent.value == pytest.approx(4 / 6)
    assert (percent.used, percent.total) == (6, 6)
    assert coefficient(RatedField.EDGE, AgreementMeasure.ALPHA, one).value == pytest.approx(1 - 44 / 70)


def test_questions_are_steps_to_connect_and_answers_are_not() -> None:
    judged = case(task(ask(), call(), answer()))
    one = rated_case(judged, {"ada": [labels((0, 1, LOGICAL))], "ben": [labels((0, 1, LOGICAL))]})
    assert coefficient(RatedField.EDGE, AgreementMeasure.PERCENT, one).total == 2


def test_a_rater_who_did_not_judge_a_case_drew_nothing_there_and_is_no_unit() -> None:
    """Eve judged only the second case, so the first one's pairs have two ratings, not three."""
    cases = [
        rated("c-1", step_count=2, ada=labels((0, 1, LOGICAL)), ben=labels((0, 1, LOGICAL))),
        rated("c-2", step_count=2, ada=labels((0, 1, LOGICAL)), eve=labels((0, 1, LOGICAL))),
    ]
    assert coefficient(RatedField.EDGE, AgreementMeasure.PERCENT, *cases).value == 1.0
    assert coefficient(RatedField.GRAPH, AgreementMeasure.F1, *cases).value == 1.0


def test_the_kind_is_compared_where_two_raters_drew_the_edge() -> None:
    """0-1 drawn by both alike, 1-2 by both with two kinds, 0-2 by one: 1 of 2 agrees, 2 of 3 used."""
    one = rated(
        step_count=3,
        ada=labels((0, 1, LOGICAL), (1, 2, LOGICAL), (0, 2, LOGICAL)),
        ben=labels((0, 1, LOGICAL), (1, 2, PARAMETER)),
    )
    found = coefficient(RatedField.EDGE_KIND, AgreementMeasure.PERCENT, one)
    assert (found.value, found.used, found.total) == (0.5, 2, 3)


def test_a_graph_row_has_f1_exact_match_and_set_valued_alpha() -> None:
    """Task 1: both draw 0-1. Task 2: Ada 0-1, Ben nothing. F1 = 2 x 1 / (2 + 1), exact match 1/2.

    Set alpha: drawings {e} three times, {} once; D_o = 2/4; D_e = 2 x 3 x 1 / (4 x 3) = 1/2; alpha = 0.
    """
    drawn = labels((0, 1, LOGICAL))
    cases = [
        rated("c-1", step_count=2, ada=drawn, ben=drawn),
        rated("c-2", step_count=2, ada=drawn, ben=labels()),
    ]
    found = row(RatedField.GRAPH, *cases)
    assert {measure: c.value for measure, c in found.coefficients.items()} == {
        AgreementMeasure.F1: pytest.approx(2 / 3),
        AgreementMeasure.EXACT_MATCH: 0.5,
        AgreementMeasure.SET_ALPHA: pytest.approx(0),
    }
    pair = found.pairs[0].coefficients
    assert (pair[AgreementMeasure.PRECISION].value, pair[AgreementMeasure.RECALL].value) == (1.0, 0.5)


def test_a_task_with_nothing_to_connect_is_no_unit_of_the_graph() -> None:
    found = coefficient(RatedField.GRAPH, AgreementMeasure.EXACT_MATCH, rated(ada=labels(), ben=labels()))
    assert (found.value, found.total) == (None, 0)


def test_checklist_items_are_units() -> None:
    one = rated(
        ada=labels(checklist={"facts": CheckAnswer.PASS, "language": CheckAnswer.FAIL}),
        ben=labels(checklist={"facts": CheckAnswer.PASS, "language": CheckAnswer.PASS}),
    )
    found = coefficient(RatedField.CHECKLIST, AgreementMeasure.PERCENT, one)
    assert (found.value, found.total) == (0.5, 2)


def test_one_label_throughout_is_undefined_for_kappa_and_alpha_but_not_for_ac1() -> None:
    cases = [rated(f"c-{n}", ada=labels(completed=True), ben=labels(completed=True)) for n in range(5)]
    found = row(RatedField.COMPLETED, *cases, resamples=100).coefficients
    assert [found[m].undefined for m in (AgreementMeasure.KAPPA, AgreementMeasure.ALPHA)] == [
        Undefined.ONE_LABEL
    ] * 2
    assert [found[m].low for m in (AgreementMeasure.KAPPA, AgreementMeasure.ALPHA)] == [None, None]
    assert (found[AgreementMeasure.AC1].value, found[AgreementMeasure.AC1].low) == (1.0, 1.0)


def test_intervals_hold_the_value_and_do_not_depend_on_the_order_of_cases() -> None:
    there = row(RatedField.POLICY, *POLICIES, resamples=300)
    back = row(RatedField.POLICY, *reversed(POLICIES), resamples=300)
    assert there == back
    alpha = there.coefficients[AgreementMeasure.ALPHA]
    assert alpha.low is not None
    assert alpha.high is not None
    assert alpha.value is not None
    assert alpha.low < alpha.value < alpha.high


def test_a_coefficient_without_interval_says_why() -> None:
    one = rated("c-1", ada=labels(completed=True), ben=labels(completed=False))
    same = [rated(f"s-{n}", ada=labels(completed=True), ben=labels(completed=True)) for n in range(5)]
    found = {
        "one task": row(RatedField.COMPLETED, one, resamples=100),
        "one label": row(RatedField.COMPLETED, *same, resamples=100),
        "not asked for": row(RatedField.COMPLETED, one, *same),
        "mostly one label": row(RatedField.COMPLETED, one, *same, resamples=100),
    }
    why = {
        name: table.coefficients[AgreementMeasure.ALPHA].no_interval or "" for name, table in found.items()
    }
    # A sample of six without the one that differs has the chance (5/6)^6 = 0.33.
    assert re.fullmatch(r"[234]\d of 100 samples undefined, more than 5 %", why.pop("mostly one label"))
    assert why == {"one task": TOO_FEW_TASKS, "one label": UNDEFINED_ITSELF, "not asked for": NOT_DRAWN}
    percent = found["mostly one label"].coefficients[AgreementMeasure.PERCENT]
    assert (percent.low is None, percent.no_interval) == (False, None)


def test_the_calls_of_one_task_are_resampled_together() -> None:
    """Two tasks of fifty calls, one wholly agreed and one not at all: resampled shares are 0, 1/2 or 1."""
    agreed, clashed = (True,) * 50, (False,) * 50
    cases = [
        rated("c-1", step_count=50, ada=labels(calls_correct=agreed), ben=labels(calls_correct=agreed)),
        rated("c-2", step_count=50, ada=labels(calls_correct=agreed), ben=labels(calls_correct=clashed)),
    ]
    found = row(RatedField.CALL, *cases, resamples=200).coefficients[AgreementMeasure.PERCENT]
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)


def test_a_case_can_be_narrowed_to_two_of_its_raters() -> None:
    three = rated(
        step_count=2,
        ada=labels((0, 1, LOGICAL), policy=Policy.CHAT),
        ben=labels(policy=Policy.SINGLE),
        eve=labels((0, 1, LOGICAL), policy=Policy.CHAT),
    )
    narrowed = only_raters(three, ["eve", "ada", "zoe"])
    assert narrowed.raters == ("eve", "ada")
    assert coefficient(RatedField.POLICY, AgreementMeasure.PERCENT, narrowed).value == 1.0
    assert coefficient(RatedField.EDGE, AgreementMeasure.PERCENT, narrowed).value == 1.0


def test_edges_of_raters_who_were_left_out_are_no_units_of_edge_kind() -> None:
    three = rated(step_count=2, ada=labels((0, 1, LOGICAL)), ben=labels(), eve=labels())
    found = coefficient(RatedField.EDGE_KIND, AgreementMeasure.PERCENT, only_raters(three, ["ben", "eve"]))
    assert (found.value, found.total) == (None, 0)


def test_edges_a_third_rater_drew_are_no_units_of_edge_kind_between_the_other_two() -> None:
    three = rated(step_count=2, ada=labels((0, 1, LOGICAL)), ben=labels(), eve=labels())
    totals = {
        (p.first, p.second): p.coefficients[AgreementMeasure.PERCENT].total
        for p in row(RatedField.EDGE_KIND, three).pairs
    }
    assert totals == {("ada", "ben"): 1, ("ada", "eve"): 1, ("ben", "eve"): 0}


def test_a_rater_cannot_stand_twice_in_a_case() -> None:
    one = rated(ada=labels(), ben=labels())
    with pytest.raises(ValueError, match="twice among ada, ada"):
        RatedCase.model_validate({**one.model_dump(), "raters": ("ada", "ada")})


def test_a_field_needs_one_value_for_each_rater() -> None:
    one = rated(ada=labels(), ben=labels())
    with pytest.raises(ValueError, match="one value for each rater"):
        RatedCase.model_validate({**one.model_dump(), "raters": ("ada", "ben", "eve")})


def test_who_has_not_drawn_a_task_is_no_rater_of_its_edges() -> None:
    """Ada and Ben drew 0 -> 1, Eve nothing: the two agree on both ordered pairs, and with nobody else."""
    one = rated(
        step_count=2,
        ada=labels((0, 1, LOGICAL)),
        ben=labels((0, 1, LOGICAL)),
        eve=labels((1, 0, LOGICAL), drawn=False),
    )
    assert [field.pair for field in one.fields if field.pair] == [(0, 1)]
    found = row(RatedField.EDGE, one)
    assert found.coefficients[AgreementMeasure.PERCENT].value == 1.0
    pairs = {(pair.first, pair.second): pair.coefficients[AgreementMeasure.PERCENT] for pair in found.pairs}
    assert (pairs["ada", "ben"].used, pairs["ada", "eve"].used, pairs["ada", "eve"].total) == (2, 0, 2)
    assert coefficient(RatedField.GRAPH, AgreementMeasure.EXACT_MATCH, one).value == 1.0


def test_two_who_said_that_nothing_waits_agree() -> None:
    one = rated(step_count=2, ada=labels(), ben=labels())
    assert coefficient(RatedField.GRAPH, AgreementMeasure.EXACT_MATCH, one).used == 1


def test_in_rounds_from_before_the_question_only_those_with_an_edge_have_drawn() -> None:
    one = rated(step_count=2, ada=labels((0, 1, LOGICAL)), ben=labels())
    old = one.model_copy(update={"drawn": ()})
    found = coefficient(RatedField.GRAPH, AgreementMeasure.EXACT_MATCH, old)
    assert (found.value, found.used, found.total) == (None, 0, 1)
