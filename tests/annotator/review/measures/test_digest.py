"""The digest of a project: every line it can have, what is older than the time, and who sees what."""

from datetime import date, timedelta

import pytest

from annotator.cases.history import add_comment
from annotator.review.batches import return_batch, set_due
from annotator.review.expert.decisions import Decision, FeedbackItem, Own
from annotator.review.measures.digest import Digest, digest, lead_tasks, parse_period
from annotator.review.policy_changes import change_review_policy
from scoring.errors import InputError
from scoring.model.taxonomy import Policy, Verdict
from scoring.texts import in_language
from tests.annotator.team import Team, two_step_case

CASES = tuple(f"c-{number:02}" for number in range(1, 31))


def _work(team: Team) -> None:
    """Thirty cases: bob is wrong on the policy of every second; one waits for the expert since two hours."""
    change_review_policy(team["max"], ("case_threshold=0.5", "expert_sample=false"))
    team.bring(*map(two_step_case, CASES))
    team.bring(two_step_case("c-31"), two_step_case("c-32"), batch="b2")
    set_due(team["max"], "b2", due=date(2026, 11, 1))
    for number, case_id in enumerate(CASES):
        team.self_check("ann", case_id)
        team.cross_check("bob", case_id, policies={0: Policy.MULTI_MIXED} if number % 2 else {})
        verdict = Verdict.APPROVE if number else Verdict.ESCALATE
        team.cross_check("cleo", case_id, verdict=verdict)
    kind: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}
    team.decide(CASES[0], Decision(fields=kind, verdict=Verdict.APPROVE))
    team.self_check("ann", "c-31")
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-31", verdict=Verdict.ESCALATE)
    team.clock.forward(hours=2)


@pytest.fixture
def worked(team: Team) -> Team:
    team.walk(_work)
    return team


def _said(team: Team, name: str, since: str = "1d") -> Digest:
    return digest(team[name], since=parse_period(since))


def test_who_leads_is_told_what_to_do_the_gravest_first(worked: Team) -> None:
    now = _said(worked, "max").parts["To do now"]
    person, late, waiting, shared = now[-4:]
    assert person.startswith("bob is wrong more often than the others: 16 of 60 labels, ")
    assert late.startswith("Batch b2 may miss 2026-11-01: 2 cases open. ")
    assert waiting == "Waiting: 1 case for an expert, the longest c-31 for 2 hours."
    assert shared == "All who judged were wrong on 1 item: look at the guideline. c-01."
    assert _said(worked, "eve").parts["To do now"] == now


@pytest.mark.parametrize(
    ("further", "span"),
    [(-2, "less than an hour"), (-1, "1 hour"), (45, "47 hours"), (46, "2 days"), (70, "3 days")],
)
def test_a_wait_is_said_as_people_say_it(worked: Team, further: int, span: str) -> None:
    worked.clock.forward(hours=further)
    assert (
        f"Waiting: 1 case for an expert, the longest c-31 for {span}."
        in _said(worked, "max").parts["To do now"]
    )


def test_finished_cases_that_wait_for_few_others_are_worth_a_split(team: Team) -> None:
    change_review_policy(team["max"], ("case_threshold=0.5",))
    team.bring(*map(two_step_case, CASES[:11]), batch="b3")

    def told() -> list[str]:
        return [line for line in _said(team, "max").parts.get("To do now", []) if "b3" in line]

    for case_id in CASES[:10]:
        assert told() == []
        team.self_check("ann", case_id)
        for name in ("bob", "cleo"):
            team.cross_check(name, case_id)
    assert told() == ["10 finished cases of b3 wait for 1 open: split them off."]


def _correct(team: Team, case_id: str, *, owner: str, category: str) -> None:
    team.bring(two_step_case(case_id), batch=case_id)
    team.self_check(owner, case_id)
    for name in ("cleo", "dan"):
        team.cross_check(name, case_id, verdict=Verdict.ESCALATE)
    told = (FeedbackItem(to="owner", category=category, note="look"),)
    team.decide(case_id, Decision(verdict=Verdict.APPROVE, feedback=told))


@pytest.mark.parametrize(
    ("category", "topic"),
    [("wrong_dependency", "feedback.wrong_dependency"), ("wrong currency", "feedback")],
)
def test_what_several_people_are_told_again_and_again_asks_for_a_guideline(
    team: Team, category: str, topic: str
) -> None:
    change_review_policy(team["max"], ("feedback_categories=wrong currency",))
    for case_id, owner in (("c-1", "ann"), ("c-2", "ann"), ("c-3", "bob")):
        _correct(team, case_id, owner=owner, category=category)

    def asked() -> list[str]:
        return [one.text for one in lead_tasks(team["max"]) if "guideline" in one.text]

    assert asked() == []  # one person: that is a talk
    _correct(team, "c-4", owner="bob", category=category)
    words = category.replace("_", " ")
    said = f"ann, bob are told of “{words}” again and again: write a guideline for it ({topic})."
    assert asked() == [said]
    change_review_policy(team["max"], (f"guidelines={topic}: The sense of {category}.",))
    assert asked() == []


def test_nobody_is_asked_for_a_guideline_about_other_mistakes(team: Team) -> None:
    for number, owner in enumerate(("ann", "ann", "bob", "bob")):
        _correct(team, f"c-{number}", owner=owner, category="other")
    assert [one.text for one in lead_tasks(team["max"]) if "guideline" in one.text] == []


@pytest.mark.usefixtures("said_in_chinese")
def test_that_a_guideline_is_missing_is_said_in_chinese() -> None:
    said = (
        "ann, bob are told of “wrong value” again and again: write a guideline for it (feedback.wrong_value)."
    )
    assert in_language(said) == "对 ann、bob 反复指出“值错误”：请为此写一条准则（feedback.wrong_value）。"


def test_annotators_are_told_nothing_of_others(worked: Team) -> None:
    assert "To do now" not in _said(worked, "ann").parts
    assert "bob" not in str(_said(worked, "ann").parts)


def test_only_what_happened_in_the_time_is_counted(worked: Team) -> None:
    assert _said(worked, "ann").parts["Since then"] == [
        "Judged or decided at self check task: 31.",
        "Judged or decided at cross check: 62.",
        "Judged or decided at escalated: 1.",
        "Finished: 30 cases.",
    ]
    worked.clock.forward(days=2)
    assert _said(worked, "ann").parts == {}


def test_what_came_for_a_person_is_named_by_kind(worked: Team) -> None:
    team = worked
    team.decide("c-31", Decision(verdict=Verdict.RETURN, note="The year is missing."))
    assert _said(team, "ann").parts["For you"] == ["Returned to you: c-31."]
    assert "For you" not in _said(team, "bob").parts


def test_the_newest_five_cases_are_named_and_the_others_counted(team: Team) -> None:
    def returned(batch: str, *cases: str) -> list[str]:
        for case_id in cases:
            team.self_check("ann", case_id)
        return_batch(team["max"], batch, reason="The dates are missing.")
        return _said(team, "ann").parts["For you"]

    first, second = CASES[:5], CASES[5:7]
    team.bring(*map(two_step_case, first), batch="b3")
    team.bring(*map(two_step_case, second), batch="b4")
    assert returned("b3", *first) == ["Returned to you: c-05, c-04, c-03, c-02, c-01."]
    assert returned("b4", *second) == ["Returned to you: c-07, c-06, c-05, c-04, c-03 and 2 more."]


def test_a_case_with_two_answers_is_named_once(worked: Team) -> None:
    asked = add_comment(worked["ann"], "c-02", where="case", text="Why two calls?").value
    for text in ("One feeds the other.", "Look at step 2."):
        add_comment(worked["max"], "c-02", where="case", text=text, parent=asked)
    assert _said(worked, "ann").parts["For you"] == ["Answered: c-02."]


def test_the_policy_that_people_cannot_fulfil_comes_first(worked: Team) -> None:
    change_review_policy(worked["max"], ("reviewers=5",))
    assert "The project has" in _said(worked, "max").parts["To do now"][0].replace(
        "the project", "The project"
    )


@pytest.mark.parametrize(("text", "hours"), [("8h", 8), (" 1d ", 24), ("2w", 336), ("3652d", 24 * 3652)])
def test_a_time_is_read(text: str, hours: int) -> None:
    assert parse_period(text) == timedelta(hours=hours)


@pytest.mark.parametrize("text", ["", "0d", "d", "-1d", "1.5d", "99999w", "3653d", "1 day", "999999999999d"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no time to look back"):
        parse_period(text)
