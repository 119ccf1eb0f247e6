"""Views of the queue that the whole team has: who changes them, and what comes of two changes at once."""

import json
import threading

import pytest

from annotator.review.batches import merge_batches
from annotator.review.queue.case_rows import CaseFilter, require_named
from annotator.review.queue.team_views import change_team_views, team_views, view_filter, view_of
from db.read import reviews
from scoring.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Priority, Stage
from tests.annotator.team import Team, two_step_case
from ui.queue.views import QueueView, read_views

LATE: JsonObject = {"batch": "week-1", "priorities": ["high"]}
RETURNED: JsonObject = {"stages": ["returned"]}


def _change(team: Team, name: str, **views: JsonObject | None) -> None:
    change_team_views(team[name], views)


def _told(team: Team) -> list[tuple[str, str, object]]:
    """Who changed what, oldest first."""
    found = team["max"].read(lambda tx: reviews.events_of(tx, ["project:views"]))
    return [(one.actor, one.action, json.loads(one.payload)) for one in reversed(found)]


def test_a_view_of_the_team_is_everybodys_and_each_change_is_one_event(team: Team) -> None:
    _change(team, "max", Late=LATE)
    _change(team, "eve", Back=RETURNED)
    assert team_views(team["ann"]) == {"Back": RETURNED, "Late": LATE}
    _change(team, "eve", Late=RETURNED)
    _change(team, "max", Back=None, Returned=RETURNED)
    _change(team, "max", Late=None)
    assert team_views(team["ann"]) == {"Returned": RETURNED}
    changes = (
        {"Late": LATE},
        {"Back": RETURNED},
        {"Late": RETURNED},
        {"Back": None, "Returned": RETURNED},
        {"Late": None},
    )
    people = ("max", "eve", "eve", "max", "max")
    assert _told(team) == [(who, "project:view:set", what) for who, what in zip(people, changes, strict=True)]


def test_what_cannot_be_changed_leaves_everything_as_it_was(team: Team) -> None:
    _change(team, "max", Late=LATE, Back=RETURNED)
    with pytest.raises(NotFoundError, match="The team has no view 'Gone'"):
        _change(team, "max", Gone=None, Other=LATE)
    with pytest.raises(ConflictError, match="The team has a view 'Back' already"):
        _change(team, "max", Late=None, Back=LATE)
    with pytest.raises(ForbiddenError):
        _change(team, "ann", Mine=LATE)
    assert team_views(team["max"]) == {"Back": RETURNED, "Late": LATE}
    assert len(_told(team)) == 1


def test_views_that_two_windows_save_at_once_are_all_kept(team: Team) -> None:
    start = threading.Barrier(2)

    def save(name: str) -> None:
        start.wait()
        for number in range(5):
            views: dict[str, JsonObject | None] = {f"{name}-{number}": LATE, "Both": {"text": name}}
            change_team_views(team[name], views)

    threads = [threading.Thread(target=save, args=(name,)) for name in ("max", "eve")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found, told = team_views(team["ann"]), _told(team)
    assert len(told) == 10
    assert sorted(found) == ["Both", *(f"{name}-{number}" for name in ("eve", "max") for number in range(5))]
    assert found["Both"] == {"text": told[-1][0]}


def test_a_view_is_a_filter_whose_own_cases_are_those_of_who_asks(team: Team) -> None:
    where = CaseFilter(stages=(Stage.RETURNED,), batch="week-1", priorities=(Priority.HIGH,), order="case")
    _change(team, "max", Late=view_of(where), Mine={"is_mine": True, "text": "parcel"})
    assert view_filter(team["ann"], "Late") == where
    own = [view_filter(team[name], "Mine") for name in ("ann", "bob")]
    assert own == [CaseFilter(text="parcel", mine_id=team[name].person.id) for name in ("ann", "bob")]


def test_a_view_that_is_gone_or_cannot_be_read_is_refused_by_name(team: Team) -> None:
    _change(team, "max", Odd={"stages": ["nowhere"]})
    with pytest.raises(NotFoundError, match="The team has no view 'Late'"):
        view_filter(team["ann"], "Late")
    with pytest.raises(InputError, match="The view 'Odd' cannot be read"):
        view_filter(team["ann"], "Odd")


def test_what_the_window_saved_is_read_by_commands_and_the_other_way(team: Team) -> None:
    view = QueueView(stages=(Stage.RETURNED,), rules=("graph.missing_edge",), owner="ann", is_mine=True)
    body = view.model_dump(mode="json", exclude_defaults=True)
    _change(team, "max", Window=body, Command=view_of(view.case_filter(None)))
    assert view_filter(team["ann"], "Window") == view.case_filter(team["ann"].person.id)
    assert read_views(team_views(team["ann"])) == {
        "Command": view.model_copy(update={"is_mine": False}),
        "Window": view,
    }


def test_a_filter_that_names_what_is_gone_says_so(team: Team) -> None:
    team.bring(two_step_case("c-1"), batch="week-1")
    team.bring(two_step_case("c-2"), batch="week-2")
    require_named(team["ann"], CaseFilter(batch="week-1", owner="bob"))
    merge_batches(team["max"], "week-1", into="week-2")
    with pytest.raises(NotFoundError, match="week-1 has no cases"):
        require_named(team["ann"], CaseFilter(batch="week-1"))
    with pytest.raises(NotFoundError, match="Nobody is called 'zoe'"):
        require_named(team["ann"], CaseFilter(owner="zoe"))
