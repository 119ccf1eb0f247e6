"""Accepting a proposal settles its finding and brings no other."""

import pytest

from annotator.cases.edits.edge_edits import add_edge
from annotator.cases.edits.step_edits import insert_step
from annotator.cases.findings.checks import check_case
from annotator.cases.findings.repairs import apply_proposal, has_proposal
from scoring.errors import InputError
from scoring.model.case import Ask, Case, Edge, Task
from scoring.model.graph import with_drawn_edges
from scoring.model.labels import Finding
from scoring.model.taxonomy import EdgeKind, Information, Policy, Severity
from tests.annotator.cases.clean import clean_case, with_arguments, with_call, with_task
from tests.factories import call


def edited(task: int, **changes: object) -> Case:
    return with_task(clean_case(), task, lambda found: found.model_copy(update=changes))


def undrawn(found: Task) -> Task:
    return with_drawn_edges(found, [])


def early(found: Task) -> Task:
    edges = (*found.drawn_edges, Edge(source=0, target=2, kind=EdgeKind.DERIVED))
    return found.model_copy(update={"edges": edges})


def vague(found: Task) -> Task:
    first = found.steps[0]
    assert isinstance(first, Ask)
    bare = first.model_copy(update={"asks_for": (), "reply": "On 2026-03-05."})
    return found.model_copy(update={"steps": (bare, *found.steps[1:])})


SPOILED = {
    "args.type": with_arguments(clean_case(), (0, 0), passengers="1"),
    "args.enum": with_arguments(clean_case(), (0, 1), seat="Window"),
    "args.differs": with_arguments(clean_case(), (0, 1), trainId="RX881"),
    "args.default": with_arguments(clean_case(), (0, 0), passengers=1),
    "args.undefined": with_arguments(clean_case(), (0, 1), extras={"bike": 1}),
    "call.unknown_tool": with_call(clean_case(), (3, 0), name="cancelBookings"),
    "graph.missing_edge": with_task(clean_case(), 0, undrawn),
    "graph.answer_early": with_task(clean_case(), 0, early),
    "policy.differs": edited(3, policy=Policy.CHAT),
    "information.differs": edited(0, information=Information.OMISSION),
    "ask.no_parameter": with_task(clean_case(), 1, vague),
}


@pytest.mark.parametrize("rule", SPOILED)
def test_an_accepted_proposal_settles_its_finding(rule: str) -> None:
    found = next(finding for finding in check_case(SPOILED[rule]) if finding.rule == rule)
    settled = apply_proposal(SPOILED[rule], found)
    assert [finding.rule for finding in check_case(settled) if finding.severity is not Severity.INFO] == []


def test_a_redundant_edge_is_removed() -> None:
    longer = insert_step(clean_case(), 0, index=2, step=call("cancelBooking", "done", bookingId="b-4471"))
    implied = add_edge(add_edge(longer, 0, source=1, target=2), 0, source=0, target=2)
    found = next(finding for finding in check_case(implied) if finding.rule == "graph.redundant_edge")
    assert [edge.pair for edge in apply_proposal(implied, found).tasks[0].drawn_edges] == [(0, 1), (1, 2)]


def test_a_finding_without_a_proposal_cannot_be_applied() -> None:
    found = Finding(rule="task.empty", severity=Severity.ERROR, message="Task 0 has no steps.", task=0)
    assert not has_proposal(found)
    with pytest.raises(InputError, match="Nothing is proposed"):
        apply_proposal(clean_case(), found)


def test_a_proposal_for_another_case_is_refused() -> None:
    found = next(f for f in check_case(SPOILED["args.undefined"]) if f.rule == "args.undefined")
    with pytest.raises(InputError):
        apply_proposal(clean_case(), found)
