"""Following a project: what others change is noticed on both databases, one's own events are no news."""

import threading
from dataclasses import fields

import pytest
from sqlalchemy import text

from annotator.project.changes import Changes
from annotator.project.feed import Watch, changes_of, last_event, news
from annotator.project.people import add_person
from annotator.project.workspace import Done
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from db.engine import disposed, open_engine, writing
from scoring.errors import ForbiddenError, StoreError
from scoring.model.taxonomy import Role
from tests.annotator.team import Team, two_step_case


@pytest.mark.parametrize(
    ("subject", "changes"),
    [
        ("case:c:1", Changes(case_ids=frozenset({"c:1"}))),
        ("person:ann", Changes(has_people=True)),
        ("run:careful", Changes(has_runs=True)),
        ("project:policy", Changes(has_policy=True)),
        ("generation:3", Changes(has_new_cases=True)),
        ("batch:june", Changes.everything()),
        ("release:r-1", Changes.everything()),
    ],
)
def test_the_subject_of_an_event_says_what_changed(subject: str, changes: Changes) -> None:
    assert changes_of(subject) == changes


def test_what_others_did_is_news_and_what_one_did_oneself_is_none(team: Team) -> None:
    team.bring(two_step_case())
    seen = last_event(team["max"])
    claim_case(team["ann"], "c-1")
    add_person(team["max"], "new", roles=(Role.EXPERT,))
    mine = news(team["max"], after=seen)
    assert mine.changes == Changes(case_ids=frozenset({"c-1"}))
    theirs = news(team["bob"], after=seen)
    assert theirs.changes == Changes(case_ids=frozenset({"c-1"}), has_people=True)
    assert mine.value == theirs.value == last_event(team["max"])
    assert news(team["bob"], after=theirs.value).changes == Changes()


def test_what_was_refused_is_no_news(team: Team) -> None:
    seen = last_event(team["max"])
    with pytest.raises(ForbiddenError):
        add_person(team["ann"], "new", roles=(Role.EXPERT,))
    assert news(team["bob"], after=seen) == Done(seen, Changes())


def test_a_watch_wakes_up_when_somebody_writes(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("db.watch._SERVER_SECONDS", 3600)  # a server tells of changes: nobody asks it
    watch = Watch(team.url)
    try:
        writer = threading.Timer(0.05, change_review_policy, (team["max"], ("reviewers=1",)))
        writer.start()
        assert any(watch.wait() for _ in range(20))
        writer.join()
    finally:
        watch.close()


def test_where_listening_is_not_allowed_the_last_event_is_asked_for(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("db.watch.CHANNEL", "no name of a channel")
    monkeypatch.delattr("db.watch.Watch._hear")  # what listens
    watch = Watch(team.url)
    change_review_policy(team["max"], ("reviewers=1",))
    assert any(watch.wait() for _ in range(3))
    watch.close()


def test_a_watch_whose_server_hung_up_says_so_and_closes_without_a_word(postgres_url: str) -> None:
    watch = Watch(postgres_url)
    with disposed(open_engine(postgres_url)) as engine, writing(engine) as tx:
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
        tx.execute(text(f"{others} AND datname = current_database()"))
    with pytest.raises(StoreError, match="does not answer"):
        watch.wait()
    watch.close()


def test_a_watch_that_is_stopped_does_not_wait(team: Team) -> None:
    watch = Watch(team.url)
    watch.stop()
    assert not watch.wait()
    watch.close()


def test_a_project_that_is_not_there_cannot_be_watched(team: Team) -> None:
    with pytest.raises(StoreError):
        Watch(f"{team.url}-gone")


@pytest.mark.parametrize("flag", [field.name for field in fields(Changes) if field.name != "case_ids"])
def test_changes_together_are_what_either_changed(flag: str) -> None:
    one = Changes()
    object.__setattr__(one, flag, True)
    assert one | Changes() == Changes() | one == one | one == one
    assert Changes() | Changes() == Changes()
