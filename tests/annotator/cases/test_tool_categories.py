"""Categories of toolsets as people assign them."""

from annotator.cases.tool_categories import categorise, toolsets
from annotator.jobs import JobContext
from tests.annotator.team import Team, two_round_case, two_step_case


def test_a_category_is_that_of_all_cases_with_the_same_tools_and_can_be_taken_back(team: Team) -> None:
    team.bring(two_step_case("c-1"), two_step_case("c-2"), two_round_case("c-3"))
    categorise(team["max"], "c-2", category="  Parcels   and post ")
    (row,) = toolsets(team["max"], context=JobContext())
    assert (row.category, row.cases, row.tools) == ("Parcels and post", 3, ("findParcel", "reroute"))
    categorise(team["max"], "c-1", category="")
    assert [one.category for one in toolsets(team["max"], context=JobContext())] == [""]
