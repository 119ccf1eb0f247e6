"""A decision grows field by field, and says what it would make of the case."""

import pytest

from annotator.review.sampling import BATCH_FLAGGED
from annotator.review.verifying import Adjudication, Decision, Own
from scoring.model.case import Edge
from scoring.model.taxonomy import EdgeKind, FeedbackCategory, Policy, Verdict
from tests.annotator.team import Team, two_step_case
from tests.ui.adjudication.driving import bring_dispute, bring_owners_doubt, bring_sample
from ui.adjudication.case_head import why_words
from ui.adjudication.deciding import (
    RowState,
    answer_edit,
    feedback_to,
    has_open_edge,
    is_correction,
    left_to_decide,
    own_choices,
    result_of,
    rows_of,
    take_side,
    tell,
    with_edit,
)
from ui.adjudication.drawings import edge_f1, figures_of, with_answer

EDIT = "A:task.0.step.2.text"


@pytest.fixture
def dispute(team: Team) -> Adjudication:
    bring_dispute(team)
    return team.open_expert("c-1")


def settled() -> Decision:
    """Every field of the dispute decided."""
    decision = take_side(Decision(), "task.0.policy", choice="A")
    decision = take_side(decision, "task.0.edge.0-1", choice="A")
    return answer_edit(decision, EDIT, answer="accept")


def test_what_the_sides_differ_on_is_open_and_the_rest_agrees(dispute: Adjudication) -> None:
    rows = rows_of(dispute, Decision())
    assert [(row.title, row.values) for row in rows if row.state is RowState.OPEN] == [
        ("Policy · task 1", ("Multi, serial", "Multi, parallel")),
        ("Edge 0 → 1 · task 1", ("parameter", "not drawn")),
        ("Answer · task 1", ("proposes", "")),
    ]
    assert sum(row.state is RowState.AGREED for row in rows) == 4


def test_what_only_the_owner_sees_otherwise_is_to_be_decided_too(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo"):
        verdict = Verdict.ESCALATE if name == "bob" else Verdict.APPROVE
        team.cross_check(name, "c-1", policies={0: Policy.SINGLE}, verdict=verdict)
    found = team.open_expert("c-1")
    assert found.against_owner == ("task.0.policy",)
    (row,) = [row for row in rows_of(found, Decision()) if row.state is RowState.OPEN]
    assert (row.id, row.values) == ("task.0.policy", ("Single", "Single"))
    assert left_to_decide(found, take_side(Decision(), row.id, choice="A")) == ()


def test_the_result_takes_what_was_decided_and_accepted(dispute: Adjudication) -> None:
    decision = settled()
    assert left_to_decide(dispute, decision) == ()
    result = result_of(dispute, decision).case
    assert result is not None
    task = result.tasks[0]
    assert (task.policy, [edge.kind for edge in task.drawn_edges]) == (
        Policy.MULTI_SERIAL,
        [EdgeKind.PARAMETER],
    )
    assert task.answer is not None
    assert task.answer.text == "It went on from Hamar-7."


def test_an_own_value_is_neither_sides(dispute: Adjudication) -> None:
    decision = take_side(settled(), "task.0.edge.0-1", choice=Own(own="logical"))
    result = result_of(dispute, decision).case
    assert result is not None
    assert [edge.kind for edge in result.tasks[0].drawn_edges] == [EdgeKind.LOGICAL]


def test_a_field_can_be_opened_again(dispute: Adjudication) -> None:
    decision = take_side(settled(), "task.0.policy", choice=None)
    assert left_to_decide(dispute, decision) == ("task.0.policy",)


def test_a_declined_edit_is_decided_but_changes_nothing(dispute: Adjudication) -> None:
    decision = answer_edit(settled(), EDIT, answer="decline")
    assert left_to_decide(dispute, decision) == ()
    result = result_of(dispute, decision).case
    assert result is not None
    assert result.tasks[0].answer == two_step_case().tasks[0].answer


def test_a_drawing_that_breaks_a_rule_is_said_and_gives_no_result(dispute: Adjudication) -> None:
    decision = take_side(settled(), "task.0.edge.1-0", choice=Own(own="logical"))
    found = result_of(dispute, decision)
    assert found.case is None
    assert "circle" in found.problem


def test_the_drawing_is_open_until_its_edges_are_decided(dispute: Adjudication) -> None:
    assert has_open_edge(rows_of(dispute, Decision()), 0)
    assert not has_open_edge(rows_of(dispute, settled()), 0)


def test_every_kind_of_field_offers_own_values(dispute: Adjudication) -> None:
    offered = {field.kind: own_choices(field) for field in dispute.fields}
    assert [value for _, value in offered["edge"]] == ["parameter", "logical", None]
    assert len(offered["policy"]) == len(Policy)
    assert offered["completed"] == offered["call"] == (("yes", True), ("no", False))


def test_one_person_is_told_one_thing_and_it_can_be_taken_back() -> None:
    decision = tell(Decision(), "B", category=FeedbackCategory.WRONG_DEPENDENCY, note="it flows")
    decision = tell(decision, "B", category=FeedbackCategory.POLICY_MISMATCH, note="it flows")
    item = feedback_to(decision, "B")
    assert item is not None
    assert (len(decision.feedback), item.category) == (1, FeedbackCategory.POLICY_MISMATCH)
    assert tell(decision, "B", category=None, note="").feedback == ()


def test_a_sample_needs_nothing_decided_and_is_a_correction_once_something_changes(team: Team) -> None:
    bring_sample(team)
    sample = team.open_expert("c-1")
    assert left_to_decide(sample, Decision()) == ()
    assert not is_correction(sample, result_of(sample, Decision()))
    corrected = take_side(Decision(), "task.0.policy", choice=Own(own="single"))
    assert is_correction(sample, result_of(sample, corrected))
    assert why_words(sample) == "sampled · verify it as it is, or correct it"


def test_an_owners_doubt_lists_the_labels_there_are(team: Team) -> None:
    bring_owners_doubt(team)
    doubt = team.open_expert("c-1")
    rows = rows_of(doubt, Decision())
    assert [row.title for row in rows] == ["Policy · task 1", "Information · task 1"]
    assert why_words(doubt) == "escalated by its owner · which depot?"


def test_the_head_says_by_which_rule_a_case_was_escalated(dispute: Adjudication) -> None:
    # policy and edge differ; information, completed and two calls agree: 2 of 6
    assert why_words(dispute) == (
        "escalated: more fields differ than the threshold allows · 2 of 6 fields differ (33%)"
    )


@pytest.mark.parametrize(
    ("why", "words"),
    [
        ("a reviewer proposes an edit", "a reviewer proposes an edit"),
        ("a field has no majority", "a field has no majority"),
        ("most raters say no to task.0.completed", "most raters say no to Completed · task 1"),
        (BATCH_FLAGGED, "its batch is flagged, since too many of its cases are in dispute"),
        ("", ""),
    ],
)
def test_every_rule_that_escalates_is_said_in_words(dispute: Adjudication, why: str, words: str) -> None:
    said = why_words(dispute.model_copy(update={"why": why}))
    assert said == f"escalated{f': {words}' if words else ''} · 2 of 6 fields differ (33%)"


def test_the_head_names_who_did_not_approve(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    said = why_words(team.open_expert("c-1"))
    assert said == "escalated: not all reviewers approved (B: escalate) · no field differs"


def test_an_edit_back_to_what_was_shown_is_no_edit() -> None:
    case = two_step_case()
    assert with_edit(Decision(edit=case), case, shown=case).edit is None


def test_the_figures_of_a_drawing_are_those_of_its_orders() -> None:
    task = two_step_case().tasks[0]
    serial = figures_of(task, "A", edges=task.drawn_edges)
    loose = figures_of(task, "B", edges=())
    assert serial is not None
    assert loose is not None
    # a chain of three runs in one way; two free steps in three (0 1, 1 0, together), then the answer
    assert (serial.orders, serial.rounds, serial.drawn_as) == (1, 3, "serial")
    assert (loose.orders, loose.rounds, loose.drawn_as) == (3, 2, "parallel")


def test_a_drawing_in_a_circle_has_no_figures() -> None:
    task = two_step_case().tasks[0]
    edges = (Edge(source=0, target=1), Edge(source=1, target=0))
    assert figures_of(task, "A", edges=edges) is None
    assert with_answer(task, edges) == edges


def test_the_f1_of_two_drawings_counts_shared_pairs_twice() -> None:
    one = [Edge(source=0, target=1), Edge(source=1, target=2), Edge(source=1, target=3)]
    other = [Edge(source=0, target=1), Edge(source=1, target=2), Edge(source=2, target=3)]
    assert edge_f1(one, other) == pytest.approx(2 * 2 / (3 + 3))
    assert edge_f1(one, []) == 0
    assert edge_f1([], []) is None
