"""Everything there is to decide stands in rows, in words."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from annotator.review.escalation import Escalation, EscalationReason
from annotator.review.expert.decided_edges import draw_edge
from annotator.review.expert.decision_edits import (
    answer_edit,
    is_correction,
    left_to_decide,
    result_of,
    take_side,
)
from annotator.review.expert.decisions import Adjudication, Decision, Own
from annotator.review.expert.field_words import own_choices
from annotator.review.expert.merge_strategies import taken_from
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.model.case import Edge
from scoring.model.taxonomy import EdgeKind, Policy, Verdict
from scoring.orders.legal_orders import count_orders
from tests.annotator.review.expert.disputes import (
    bring_dispute,
    bring_owners_doubt,
    bring_sample,
    bring_three_ways,
)
from tests.annotator.team import Team, approval, two_step_case
from ui.adjudication.decision_rows import (
    FieldsModel,
    RowState,
    has_open_edge,
    rows_of,
    why_words,
)
from ui.adjudication.drawings import edge_f1, figures_of, with_answer
from ui.theme import theme

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


def test_only_a_side_that_was_not_taken_is_muted(light: QApplication, dispute: Adjudication) -> None:
    model = FieldsModel()
    decided = take_side(Decision(), "task.0.policy", choice="A")
    muted = {}
    for name, decision in (("open", Decision()), ("decided", decided)):
        model.show_rows(rows_of(dispute, decision), letters=("A", "B"))
        number = next(place for place, row in enumerate(model.rows) if row.id == "task.0.policy")
        colours = [model.index(number, side).data(Qt.ItemDataRole.ForegroundRole) for side in (1, 2)]
        muted[name] = [colour == theme().colour("muted") for colour in colours]
    assert muted == {"open": [False, False], "decided": [False, True]}


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


def test_the_drawing_is_open_until_its_edges_are_decided(dispute: Adjudication) -> None:
    assert has_open_edge(rows_of(dispute, Decision()), 0)
    assert not has_open_edge(rows_of(dispute, settled()), 0)


def test_every_kind_of_field_offers_own_values(dispute: Adjudication) -> None:
    offered = {field.kind: own_choices(field) for field in dispute.fields}
    assert [value for _, value in offered["edge"]] == ["parameter", "logical", None]
    assert len(offered["policy"]) == len(Policy)
    assert offered["completed"] == offered["call"] == (("yes", True), ("no", False))


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
    assert [row.title for row in rows] == ["Policy · task 1"]
    assert why_words(doubt) == "escalated by its owner · which depot?"


def test_the_head_says_by_which_rule_a_case_was_escalated(dispute: Adjudication) -> None:
    # policy and edge differ; information, completed and two calls agree: 2 of 6
    assert why_words(dispute) == (
        "escalated: more fields differ than the threshold allows · 2 of 6 fields differ (33 %)"
    )


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (EscalationReason.EDIT_PROPOSED, "a reviewer proposes an edit"),
        (EscalationReason.NO_MAJORITY, "a field has no majority"),
        (EscalationReason.MOST_SAY_NO, "most raters say no to Completed · task 1"),
        (EscalationReason.REVIEWER_SAYS_NO, "a reviewer says no to Completed · task 1"),
        (EscalationReason.NOT_ALL_APPROVED, "not all reviewers approved"),
        (EscalationReason.DRAWING_BREAKS_RULE, "the majority's drawing breaks a rule: a circle"),
        (EscalationReason.BATCH_FLAGGED, "its batch is flagged, since too many of its cases are in dispute"),
        (EscalationReason.GOLD_QUESTIONED, "runs question the gold: a circle"),
    ],
)
def test_every_rule_that_escalates_is_said_in_words(
    dispute: Adjudication, reason: EscalationReason, words: str
) -> None:
    escalation = Escalation(reason=reason, field="task.0.completed", detail="a circle")
    said = why_words(dispute.model_copy(update={"escalation": escalation, "why": "not read"}))
    assert said == f"escalated: {words} · 2 of 6 fields differ (33 %)"


@pytest.mark.parametrize("why", ["a field has no majority", ""])
def test_a_case_escalated_before_reasons_were_values_shows_its_sentence(
    dispute: Adjudication, why: str
) -> None:
    said = why_words(dispute.model_copy(update={"escalation": None, "why": why}))
    assert said == f"escalated{f': {why}' if why else ''} · 2 of 6 fields differ (33 %)"


def test_the_head_names_who_did_not_approve(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1", verdict=Verdict.ESCALATE)
    said = why_words(team.open_expert("c-1"))
    assert said == "escalated: not all reviewers approved (B: escalate) · no field differs"


def test_the_figures_of_a_drawing_are_those_of_its_orders() -> None:
    task = two_step_case().tasks[0]
    serial = figures_of(task, "A", edges=task.drawn_edges)
    loose = figures_of(task, "B", edges=())
    assert serial is not None
    assert loose is not None
    # a chain of three runs in one way; two free steps in three (0 1, 1 0, together), then the answer
    assert (count_orders(serial.graph), serial.rounds, serial.drawn_as) == (1, 3, "serial")
    assert (count_orders(loose.graph), loose.rounds, loose.drawn_as) == (3, 2, "parallel")


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


def _nobody_drew(team: Team) -> Adjudication:
    """One reviewer escalates and one returns the case, neither of them with a drawing."""
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name, verdict in (("bob", Verdict.ESCALATE), ("cleo", Verdict.RETURN)):
        held = claim_case(team[name], "c-1").value
        judgment = approval(two_step_case())
        undrawn = judgment.tasks[0].model_copy(update={"drawn": False})
        said = judgment.model_copy(
            update={"tasks": (undrawn,), "verdict": verdict, "reasons": team.reasons("unsure")}
        )
        submit(team[name], held.id, judgment=said, key=submission_key())
    return team.open_expert("c-1")


def test_a_drawing_no_side_made_is_open_until_the_expert_says_it_is_drawn(team: Team) -> None:
    found = _nobody_drew(team)
    (row,) = [row for row in rows_of(found, Decision()) if row.state is RowState.OPEN]
    assert (row.title, row.values) == ("Drawing · task 1", ("not drawn", "not drawn"))
    assert row.field is not None
    assert own_choices(row.field) == (("drawn as decided here", True),)
    assert result_of(found, take_side(Decision(), row.id, choice="A")).problem.startswith("A has not drawn")
    assert has_open_edge(rows_of(found, Decision()), 0)
    settled = take_side(Decision(), row.id, choice=Own(own=True))
    assert left_to_decide(found, settled) == ()
    assert not has_open_edge(rows_of(found, settled), 0)
    drawn = draw_edge(found, Decision(), 0, pair=(0, 1))
    assert left_to_decide(found, drawn) == ("task.0.drawn",)  # one edge says nothing of the others
    assert has_open_edge(rows_of(found, drawn), 0)
    assert left_to_decide(found, take_side(drawn, row.id, choice=Own(own=True))) == ()


def test_no_merge_takes_the_edges_of_a_side_that_has_not_drawn(team: Team) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    held = claim_case(team["bob"], "c-1").value
    judgment = approval(two_step_case())
    said = judgment.model_copy(
        update={
            "tasks": (judgment.tasks[0].model_copy(update={"drawn": False}),),
            "verdict": Verdict.ESCALATE,
            "reasons": team.reasons("unsure"),
        }
    )
    submit(team["bob"], held.id, judgment=said, key=submission_key())
    team.cross_check("cleo", "c-1", edges={0: ((0, 1, EdgeKind.PARAMETER),)})
    found = team.open_expert("c-1")
    (row,) = [row for row in rows_of(found, Decision()) if row.id == "task.0.edge.0-1"]
    assert row.values == ("task not drawn", "parameter")
    assert taken_from(found, Decision(), "A").fields == {}
    assert taken_from(found, Decision(), "B").fields == {row.id: "B"}


def test_an_own_edge_has_a_line_after_what_differs(team: Team) -> None:
    bring_three_ways(team)
    three = team.open_expert("c-1")
    rows = rows_of(three, draw_edge(three, Decision(), 0, pair=(1, 2)))
    (own,) = [row for row in rows if row.is_own]
    assert (own.title, own.values) == ("Edge 1 → 2 · task 1", ("not drawn",) * 3)
    states = [row.state for row in rows]
    assert states.index(RowState.AGREED) == rows.index(own) + 1
