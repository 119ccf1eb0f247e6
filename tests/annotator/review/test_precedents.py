"""What earlier cases of a toolset propose: orders people drew, and what the person decided themselves."""

from collections.abc import Sequence

import pytest
from sqlalchemy import delete, func, select

from annotator.drafts.assessment import assess
from annotator.drafts.precedents import OrderHabit, Precedent, Precedents, decided_before, usual_orders
from annotator.jobs import JobContext
from annotator.project.policy import ReviewPolicy
from annotator.review.drafts import open_assignment
from annotator.review.loaded_case import load
from annotator.review.precedents import fill_precedents, learn_from_approvals
from annotator.review.queue.claims import claim_case
from annotator.review.withdrawals import withdraw
from db.engine import disposed, open_engine, writing
from db.tables import StoredPrecedent, ToolOrder
from scoring.errors import ForbiddenError
from scoring.model.case import Case, Edge
from scoring.model.labels import TaskLabels
from scoring.model.taxonomy import EdgeKind, Information, Policy, Stage
from tests.annotator.team import Team
from tests.factories import answer, call, case, task, tool
from ui.cli.project import doctor

CD, MV = tool("cd", folder={"type": "string"}), tool("mv", file={"type": "string"})


def moved_file(case_id: str, *, is_ordered: bool | None, names: Sequence[str] = ("cd", "mv")) -> Case:
    """A task in which a folder is changed and a file moved; null for an order the file does not say."""
    edges = [Edge(source=0, target=1, kind=EdgeKind.LOGICAL)] if is_ordered else []
    arguments = {"cd": {"folder": f"docs {case_id}"}, "mv": {"file": f"{case_id}.txt"}, "rm": {}}
    steps = [call(name, {"ok": name}, **arguments[name]) for name in names]
    made = task(
        *steps,
        answer(f"The file {case_id}.txt is moved."),
        user=f"Move {case_id}.txt in docs {case_id}.",
        policy=Policy.MULTI_SERIAL if is_ordered else Policy.MULTI_PARALLEL,
        information=Information.FIRST,
    )
    return case(made.model_copy(update={"edges": tuple(edges)}), id=case_id, tools=[CD, MV])


def seen_by(team: Team, name: str, case_id: str) -> Precedents:
    held = claim_case(team[name], case_id).value
    return open_assignment(team[name], held.id).precedents


def told(team: Team, name: str, *, count: int, ordered: int) -> None:
    """Let a person self-check cases of the toolset, the first of them drawn in order."""
    cases = [moved_file(f"e-{i}", is_ordered=i < ordered) for i in range(count)]
    team.bring(*cases, moved_file("new", is_ordered=None))
    for found in cases:
        team.self_check(name, found.id)


def test_an_order_drawn_in_most_earlier_cases_is_proposed_with_how_often(team: Team) -> None:
    told(team, "ann", count=5, ordered=4)
    held = claim_case(team["ann"], "new").value
    (suggestion,) = load(team["ann"], held.id).assessment.suggestions[0]
    assert suggestion.edge == Edge(source=0, target=1, kind=EdgeKind.LOGICAL)
    assert suggestion.reason == 'In 4 of 5 cases "cd" came before "mv", though no value flows.'


@pytest.mark.parametrize(("count", "ordered"), [(2, 2), (5, 3)])
def test_an_order_is_not_proposed_from_too_few_or_too_divided_cases(
    team: Team, count: int, ordered: int
) -> None:
    told(team, "ann", count=count, ordered=ordered)
    held = claim_case(team["ann"], "new").value
    assert load(team["ann"], held.id).assessment.suggestions == ((),)


def test_nobody_learns_from_cases_that_are_not_theirs_before_they_are_final(team: Team) -> None:
    told(team, "ann", count=5, ordered=5)
    assert seen_by(team, "bob", "new") == Precedents()


def test_a_blind_reviewer_learns_nothing_from_the_case_they_judge(team: Team) -> None:
    told(team, "ann", count=4, ordered=4)
    assert seen_by(team, "bob", "e-0") == Precedents()


def test_final_cases_teach_everybody_the_order_but_nobody_elses_labels(team: Team) -> None:
    from annotator.review.policy_changes import change_review_policy

    change_review_policy(team["max"], ("cross_check=false", "expert_sample=false"))
    told(team, "ann", count=3, ordered=3)
    assert team.stage("e-0") is Stage.FINAL
    found = seen_by(team, "bob", "new")
    assert [(one.first, one.ordered, one.total) for one in found.habits] == [("cd", 3, 3)]
    assert found.tasks == ()


def test_what_was_taken_back_teaches_nothing(team: Team) -> None:
    told(team, "ann", count=1, ordered=1)
    assert seen_by(team, "ann", "new").tasks
    withdraw(team["ann"], "e-0")
    held = claim_case(team["ann"], "new").value
    assert open_assignment(team["ann"], held.id).precedents == Precedents()


def test_labels_decided_for_the_same_calls_are_offered_by_case_field_by_field(team: Team) -> None:
    told(team, "ann", count=1, ordered=1)
    held = claim_case(team["ann"], "new").value
    offers = load(team["ann"], held.id).assessment.offers_of(0)
    assert [(one.reason, one.policy, one.edges) for one in offers] == [
        ("as you decided in e-0", Policy.MULTI_SERIAL, None),
        ("as you decided in e-0", None, (Edge(source=0, target=1, kind=EdgeKind.LOGICAL),)),
    ]


@pytest.mark.parametrize(("number", "offered"), [(0, []), (1, [Information.OMISSION])])
def test_the_information_decided_before_is_offered_but_not_for_a_first_task(
    number: int, offered: list[Information]
) -> None:
    shown = moved_file("c-1", is_ordered=None).tasks[0]
    precedent = Precedent("e-0", TaskLabels(information=Information.OMISSION))
    offers = decided_before(shown, TaskLabels(), number=number, precedent=precedent)
    assert [offer.information for offer in offers] == offered


def test_other_calls_or_another_toolset_are_no_precedent(team: Team) -> None:
    told(team, "ann", count=1, ordered=1)
    team.bring(moved_file("turned", is_ordered=None, names=("mv", "cd")), batch="b2")
    assert seen_by(team, "ann", "turned").tasks == ()
    other = moved_file("other", is_ordered=None).model_copy(update={"tools": (CD, MV, tool("ls"))})
    team.bring(other, batch="b3")
    assert seen_by(team, "ann", "other") == Precedents()


def test_a_proposal_is_gone_once_the_source_it_was_made_from_is_edited(team: Team) -> None:
    told(team, "ann", count=3, ordered=3)
    held = claim_case(team["ann"], "new").value
    loaded = load(team["ann"], held.id)
    first = loaded.assessment
    assert first.suggestions[0]
    shown = first.snapshot
    made = shown.case.tasks[0]
    steps = (made.steps[0], made.steps[1].model_copy(update={"name": "cd"}), made.steps[2])
    edited = shown.case.model_copy(update={"tasks": (made.model_copy(update={"steps": steps}),)})
    then = assess(
        type(shown)(edited, shown.judgment),
        stage=Stage.SELF_CHECK_TASK,
        policy=ReviewPolicy(),
        before=first,
        precedents=loaded.opened.precedents,
    )
    assert then.suggestions == ((),)
    assert then.offers_of(0) == ()


def test_a_project_of_before_learns_from_what_was_approved_in_it(team: Team) -> None:
    told(team, "ann", count=4, ordered=4)
    withdraw(team["ann"], "e-3")
    before = seen_by(team, "ann", "new")
    with disposed(open_engine(team.url)) as engine, writing(engine) as tx:
        for table in (StoredPrecedent, ToolOrder):
            tx.execute(delete(table))
        fill_precedents(tx)
    held = claim_case(team["ann"], "new").value
    assert open_assignment(team["ann"], held.id).precedents == before
    assert [(one.first, one.ordered, one.total) for one in before.habits] == [("cd", 3, 3)]


def test_a_project_of_this_version_without_them_learns_when_it_is_repaired(team: Team) -> None:
    told(team, "ann", count=3, ordered=3)
    before = seen_by(team, "ann", "new")
    with disposed(open_engine(team.url)) as engine, writing(engine) as tx:
        for table in (StoredPrecedent, ToolOrder):
            tx.execute(delete(table))
    with pytest.raises(ForbiddenError, match="ann is not a manager"):
        learn_from_approvals(team["ann"])
    repaired = doctor(JobContext(), team.url, "max", repair=True)
    assert repaired.notes == ["Proposals now follow 3 earlier approvals."]
    held = claim_case(team["ann"], "new").value
    assert open_assignment(team["ann"], held.id).precedents == before
    assert learn_from_approvals(team["max"]) == 0


def test_what_is_kept_already_is_not_filled_in_again(team: Team) -> None:
    told(team, "ann", count=2, ordered=2)
    before = seen_by(team, "ann", "new")
    with disposed(open_engine(team.url)) as engine, writing(engine) as tx:
        fill_precedents(tx)
        assert tx.scalar(select(func.count(StoredPrecedent.id))) == 2
    held = claim_case(team["ann"], "new").value
    assert open_assignment(team["ann"], held.id).precedents == before


def test_a_habit_is_proposed_in_its_own_direction_alone() -> None:
    habits = (OrderHabit("cd", "mv", 9, 9),)
    forward = moved_file("c-1", is_ordered=None).tasks[0]
    (offered,) = usual_orders(forward, habits, suggested=())
    assert (offered.edge.source, offered.edge.target) == (0, 1)
    backward = moved_file("c-2", is_ordered=None, names=("mv", "cd")).tasks[0]
    assert usual_orders(backward, habits, suggested=()) == ()


def test_an_order_that_others_imply_is_not_proposed_again() -> None:
    habits = [OrderHabit(*pair, 9, 9) for pair in (("cd", "mv"), ("mv", "rm"), ("cd", "rm"))]
    shown = moved_file("c-1", is_ordered=None, names=("cd", "mv", "rm")).tasks[0]
    offered = usual_orders(shown, habits, suggested=())
    assert [offer.edge.pair for offer in offered] == [(0, 1), (1, 2)]
