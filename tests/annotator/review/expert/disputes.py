"""Cases people disagree about, as an expert gets them."""

from typing import TYPE_CHECKING

from annotator.cases.edits.text_edits import set_answer_text
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.model.case import Case
from scoring.model.labels import Reason, without_labels
from scoring.model.taxonomy import EdgeKind, FeedbackCategory, Information, Policy, Verdict
from tests.annotator.team import Team, approval, two_step_case
from tests.factories import answer, call, case, task, tool

if TYPE_CHECKING:
    from scoring.model.record import JsonObject


def bring_dispute(team: Team) -> None:
    """A case on which bob says serial with an edge and proposes a text, and cleo parallel without one."""
    case = two_step_case()
    team.bring(case)
    team.self_check("ann", "c-1")
    edit = set_answer_text(without_labels(case), 0, text="It went on from Hamar-7.")
    team.cross_check("bob", "c-1", edges={0: [(0, 1, EdgeKind.PARAMETER)]}, edit=edit)
    team.cross_check("cleo", "c-1", edges={0: []}, policies={0: Policy.MULTI_PARALLEL})


def bring_wrong_call(team: Team) -> None:
    """A case of whose second call bob says that it is wrong."""
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1", wrong_calls={0: [1]})
    team.cross_check("cleo", "c-1")


def three_step_case() -> Case:
    """Three calls, of which the third takes what the first brought, and an answer."""
    where: JsonObject = {"type": "string"}
    return case(
        task(
            call("find", {"spot": "Nesttun-4"}, place="Bergen"),
            call("look", {"sky": "clear"}, place="Voss"),
            call("tell", {"ok": True}, place="Nesttun-4"),
            answer("Nesttun-4 is told, and Voss is clear."),
            user="Find a place in Bergen, look at Voss, and tell the place.",
            edges=[(0, 2)],
            policy=Policy.MULTI_MIXED,
            information=Information.FIRST,
        ),
        tools=[tool(name, required=["place"], place=where) for name in ("find", "look", "tell")],
    )


def bring_three_ways(team: Team) -> None:
    """A case three people drew: bob 0 to 2 for its value, cleo 0 to 1, dan 0 to 2 for its order.

    Bob and dan propose the same answer; cleo calls the policy parallel.
    """
    change_review_policy(team["max"], ("reviewers=3",))
    found = three_step_case()
    team.bring(found)
    team.self_check("ann", "c-1")
    edit = set_answer_text(without_labels(found), 0, text="Nesttun-4 is told.")
    team.cross_check("bob", "c-1", edges={0: [(0, 2, EdgeKind.PARAMETER)]}, edit=edit)
    edges = {0: [(0, 1, EdgeKind.LOGICAL)]}
    team.cross_check("cleo", "c-1", edges=edges, policies={0: Policy.MULTI_PARALLEL})
    team.cross_check("dan", "c-1", edges={0: [(0, 2, EdgeKind.LOGICAL)]}, edit=edit)


def bring_sample(team: Team) -> None:
    """A case everybody agreed on, drawn for verification."""
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    team.cross_check("bob", "c-1")
    team.cross_check("cleo", "c-1")


def bring_owners_doubt(team: Team, *, calls: tuple[bool, ...] = (True, True)) -> None:
    """A case its owner escalated, with what they say of its calls."""
    team.bring(two_step_case())
    held = claim_case(team["ann"], "c-1").value
    reasons = (Reason(category=FeedbackCategory.OTHER, note="which depot?"),)
    judgment = approval(two_step_case())
    labels = judgment.tasks[0].model_copy(update={"calls_correct": calls})
    unsure = {"tasks": (labels,), "verdict": Verdict.ESCALATE, "reasons": reasons}
    judgment = judgment.model_copy(update=unsure)
    submit(team["ann"], held.id, judgment=judgment, key=submission_key())
