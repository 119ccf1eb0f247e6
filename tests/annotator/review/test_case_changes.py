"""A case that moves on while somebody works on it: that is noticed, and the work knows what it began with."""

import pytest

from annotator.cases.edits.text_edits import set_user_text
from annotator.cases.history import replace_content
from annotator.drafts.draft_body import DraftBody
from annotator.review.case_changes import MovedOn, look_for_changes
from annotator.review.drafts import OpenCase, open_assignment, save_draft
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import reassign
from annotator.review.queue.claims import claim_case, leave
from scoring.errors import NotFoundError
from scoring.model.taxonomy import Stage
from tests.annotator.team import Team, two_step_case


@pytest.fixture
def opened(team: Team) -> OpenCase:
    """The case of the project, opened by ann."""
    team.bring(two_step_case())
    return open_assignment(team["ann"], claim_case(team["ann"], "c-1").value.id)


def _looked(team: Team, opened: OpenCase) -> MovedOn | None:
    return look_for_changes(team["ann"], opened.assignment.id, base_id=opened.row.head_id)


def _change(team: Team, text: str = "Otherwise.") -> None:
    changed = set_user_text(two_step_case(), 0, text=text)
    replace_content(team["max"], "c-1", case=changed, reason="said otherwise")


def _save(team: Team, opened: OpenCase, text: str = "Mine.", *, base_id: int | None = None) -> None:
    body = DraftBody(case=set_user_text(opened.base, 0, text=text), judgment=opened.template)
    base = opened.row.head_id if base_id is None else base_id
    save_draft(team["ann"], opened.assignment.id, body=body, sequence=opened.draft_sequence, base_id=base)


def test_a_case_nobody_touched_has_not_moved_on(team: Team, opened: OpenCase) -> None:
    assert _looked(team, opened) is None


def test_another_content_is_noticed_with_who_wrote_it(team: Team, opened: OpenCase) -> None:
    _change(team)
    found = _looked(team, opened)
    assert found is not None
    assert (found.by, found.has_other_content, found.stage) == (("max",), True, Stage.SELF_CHECK_TASK)
    assert found.head_id != opened.row.head_id


def test_a_slot_that_ended_says_how_and_whose_the_case_is_now(team: Team, opened: OpenCase) -> None:
    leave(team["ann"], opened.assignment.id, skip=False)
    found = _looked(team, opened)
    assert found is not None
    assert (found.ended, found.owner) == ("released", None)
    reassign(team["max"], "c-1", to="bob")
    found = _looked(team, opened)
    assert found is not None
    assert (found.ended, found.owner) == ("released", None)  # ann may not know whose it is
    change_review_policy(team["max"], ("open_labels=always",))
    found = _looked(team, opened)
    assert found is not None
    assert (found.ended, found.owner) == ("released", "bob")


def test_a_lease_that_ended_is_no_change_until_somebody_else_has_the_case(
    team: Team, opened: OpenCase
) -> None:
    team.bring(two_step_case("c-2"), batch="b2")
    team.clock.forward(hours=3)
    claim_case(team["bob"], "c-2")
    assert _looked(team, opened) is None
    claim_case(team["cleo"], "c-1")
    assert _looked(team, opened) is not None


def test_nobody_can_look_for_changes_of_no_slot(team: Team) -> None:
    with pytest.raises(NotFoundError):
        look_for_changes(team["ann"], 4711, base_id=1)


def test_a_draft_saved_after_the_change_still_says_what_it_began_with(team: Team, opened: OpenCase) -> None:
    _change(team)
    _save(team, opened)
    again = open_assignment(team["ann"], opened.assignment.id)
    assert again.draft is not None
    assert again.draft.case.tasks[0].user == "Mine."
    assert again.draft_base == opened.base
    assert again.changed_by == ("max",)
    assert again.base.tasks[0].user == "Otherwise."


def test_a_draft_of_the_present_state_names_no_other(team: Team, opened: OpenCase) -> None:
    _save(team, opened)
    again = open_assignment(team["ann"], opened.assignment.id)
    assert (again.draft_base, again.changed_by) == (None, ())


def test_a_draft_left_behind_comes_back_though_the_case_moved_on(team: Team, opened: OpenCase) -> None:
    _save(team, opened)
    leave(team["ann"], opened.assignment.id, skip=False)
    _change(team)
    again = open_assignment(team["ann"], claim_case(team["ann"], "c-1").value.id)
    assert again.draft is not None
    assert (again.draft_base, again.draft_sequence) == (opened.base, 0)  # nothing of this assignment is kept


def test_a_draft_cannot_begin_with_a_revision_of_no_case(team: Team, opened: OpenCase) -> None:
    with pytest.raises(NotFoundError, match="no such revision"):
        _save(team, opened, base_id=4711)
