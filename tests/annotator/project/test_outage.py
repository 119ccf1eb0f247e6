"""A server that is gone for a while: everybody is told, nothing is half written, and work goes on."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from annotator.drafts.draft_body import DraftBody
from annotator.project.audit import audit
from annotator.project.people import add_person
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Work, Workspace
from annotator.review.drafts import open_assignment, save_draft
from annotator.review.queue.case_rows import CaseFilter, count_cases, list_cases
from annotator.review.queue.claims import claim_case, claim_next
from annotator.review.submissions import submission_key, submit
from db.care.upgrade import create_project
from db.read import people, queries
from db.write import store
from scoring.errors import StoreError
from scoring.model.taxonomy import Role, Stage
from tests.annotator.team import Team, approval, team_on, two_step_case
from tests.postgres import MortalServer, mortal_server


@pytest.fixture(scope="module")
def mortal() -> Iterator[MortalServer]:
    """A server these tests may kill; each of them starts it again."""
    with mortal_server() as found:
        yield found


@pytest.fixture
def team(mortal: MortalServer, tmp_path: Path) -> Iterator[Team]:
    """A team on that server, all connected, with two cases."""
    with mortal.server.database() as name:
        url = mortal.server.url_of(name)
        create_project(url)
        with team_on(url, tmp_path, policy=ReviewPolicy()) as found:
            found.bring(two_step_case("c-1"), two_step_case("c-2"))
            yield found


ACTIONS: tuple[Callable[[Workspace], object], ...] = (
    lambda workspace: list_cases(workspace, CaseFilter()),
    lambda workspace: count_cases(workspace, CaseFilter()),
    lambda workspace: claim_next(workspace),
    lambda workspace: workspace.policy(),
    lambda workspace: workspace.now(),
)


def test_while_the_server_is_gone_every_action_says_so_and_afterwards_works_again(
    team: Team, mortal: MortalServer
) -> None:
    ann = team["ann"]
    assert count_cases(ann, CaseFilter()) == 2
    mortal.kill()
    try:
        for _ in range(2):
            for act in ACTIONS:
                with pytest.raises(StoreError, match=r"cannot be reached|was lost") as told:
                    act(ann)
                assert "try again" in told.value.hint
    finally:
        mortal.start()
    for act in ACTIONS:
        act(ann)
    assert audit(ann).holds


def test_a_server_that_dies_in_the_middle_of_an_action_leaves_nothing_of_it(
    team: Team, mortal: MortalServer
) -> None:
    team.self_check("ann", "c-1")
    before = team["max"].read(people.list_people), audit(team["max"])

    def half(w: Work) -> None:
        store.add_person(w.tx, "half", roles=[Role.EXPERT], password_hash=None, at=w.at)
        row = queries.find_case(w.tx, "c-1")
        assert row is not None
        gone = {"stage": Stage.REJECTED.value}
        store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=gone)
        w.record("case:c-1", {})
        mortal.kill()

    try:
        with pytest.raises(StoreError, match="was lost"):
            team["max"].run("case:test:break", half)
    finally:
        mortal.start()
    assert (team["max"].read(people.list_people), audit(team["max"])) == before
    assert team.stage("c-1") is Stage.CROSS_CHECK
    add_person(team["max"], "whole", roles=[Role.EXPERT])


def test_work_begun_before_is_finished_after_by_the_same_windows(team: Team, mortal: MortalServer) -> None:
    ann = team["ann"]
    held = claim_case(ann, "c-1").value
    shown = open_assignment(ann, held.id).base
    body = DraftBody(case=shown, judgment=approval(shown))
    sequence = save_draft(ann, held.id, body=body, sequence=0).value
    key = submission_key()
    mortal.kill()
    try:
        with pytest.raises(StoreError):
            save_draft(ann, held.id, body=body, sequence=sequence)
        with pytest.raises(StoreError):
            submit(ann, held.id, judgment=approval(shown), key=key)
    finally:
        mortal.start()
    assert open_assignment(ann, held.id).draft == body
    assert save_draft(ann, held.id, body=body, sequence=sequence).value == sequence + 1
    first = submit(ann, held.id, judgment=approval(shown), key=key).value
    # Whoever never heard the answer sends the same once more: it counts once.
    assert submit(ann, held.id, judgment=approval(shown), key=key).value == first
    assert audit(ann).holds
