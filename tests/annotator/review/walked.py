"""Projects whose process went a known way, for measures that are counted by hand."""

from annotator.project.people import set_roles
from annotator.review.expert.decisions import Decision, Own
from scoring.model.taxonomy import Policy, Role, Verdict
from tests.annotator.team import Team, two_step_case

KIND: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}


def walked(team: Team) -> None:
    """Two batches: bob disagrees on the policy of c-1, all agree on c-2 and c-3; c-4 is half judged."""
    # Who could decide c-1 is blind to what was said of it; a manager alone looks after everything.
    set_roles(team["max"], "max", roles=[Role.MANAGER])
    team.bring(two_step_case("c-1"), two_step_case("c-2"))
    team.bring(two_step_case("c-3"), two_step_case("c-4"), batch="b2")
    for case_id in ("c-1", "c-2", "c-3", "c-4"):
        team.self_check("dan" if case_id == "c-3" else "ann", case_id)
    team.cross_check("bob", "c-1", policies={0: Policy.MULTI_MIXED})
    team.cross_check("cleo", "c-1")
    for case_id in ("c-2", "c-3"):
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    team.cross_check("bob", "c-4")


def decided(team: Team) -> None:
    """c-1: the expert corrects the edge's kind; c-2 (dan's) stays as it was."""
    team.bring(two_step_case("c-1"))
    team.bring(two_step_case("c-2"), batch="b2")
    team.self_check("ann", "c-1")
    team.self_check("dan", "c-2")
    for case_id in ("c-1", "c-2"):
        team.cross_check("bob", case_id)
        team.cross_check("cleo", case_id)
    team.decide("c-1", Decision(fields=KIND, verdict=Verdict.APPROVE))
    team.decide("c-2", Decision(verdict=Verdict.APPROVE))
