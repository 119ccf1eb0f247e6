"""Progress belongs to a person, survives being left, meets nobody else's, and real work can ask for it."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from annotator.guidelines import Language
from annotator.review.measures.progress import stage_report
from annotator.review.measures.rater_agreement import agreement
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import CaseFilter, count_cases
from annotator.review.queue.claims import claim_case, claim_next
from annotator.review.queue.queue_status import waiting_for, why_nothing
from annotator.training.feedback import answered, feedback_on, opening, right_answer, to_check
from annotator.training.lessons import Feedback, Lesson, read_lessons
from annotator.training.progress import (
    begin_again,
    keep_answers,
    offers_training,
    training_progress,
)
from db.read.reviews import events_of
from scoring.errors import ForbiddenError
from scoring.model.taxonomy import Stage
from tests.annotator.team import Team, team_on, two_step_case

if TYPE_CHECKING:
    from pydantic import JsonValue

LESSONS = read_lessons()
FIRST = LESSONS[0]


@pytest.fixture
def team(sqlite_path: Path, tmp_path: Path) -> Iterator[Team]:
    """A founded project with its team and one case."""
    with team_on(str(sqlite_path), tmp_path) as found:
        found.bring(two_step_case("c1"))
        yield found


def told(lesson: Lesson, **said: str) -> tuple[Feedback, ...]:
    """What a person is told about answers; without any, about the right ones."""
    named: dict[str, JsonValue] = {name.replace("_", "."): value for name, value in said.items()}
    right = {one.id: right_answer(lesson, one) for one in lesson.questions}
    after = answered(lesson, opening(lesson), named or right)
    return feedback_on(lesson, after, checked=to_check(lesson, after))


def finish(team: Team, name: str) -> None:
    """Answer everything right."""
    for lesson in LESSONS:
        keep_answers(team[name], lesson, told(lesson))


def test_a_wrong_first_answer_stays_the_first(team: Team) -> None:
    keep_answers(team["ann"], FIRST, told(FIRST, task_0_policy="clarify"))
    progress = keep_answers(team["ann"], FIRST, told(FIRST)).value.of(FIRST)
    assert progress.first == {"task.0.policy": False, "task.1.policy": True}
    assert progress.right == {"task.0.policy": True, "task.1.policy": True}
    assert progress.said["task.0.policy"] == "single"


def test_left_half_way_it_goes_on_where_it_was(team: Team) -> None:
    keep_answers(team["ann"], FIRST, told(FIRST, task_0_policy="single"))
    progress = training_progress(team["ann"])
    assert not progress.is_done(FIRST)
    after = answered(FIRST, opening(FIRST), progress.of(FIRST).said)
    assert after.case.tasks[0].policy == "single"
    assert after.case.tasks[1].policy is None


def test_the_same_answer_again_is_no_second_event(team: Team) -> None:
    before = keep_answers(team["ann"], FIRST, told(FIRST)).value
    assert keep_answers(team["ann"], FIRST, told(FIRST)).value == before
    assert len(_events(team)) == 1


def test_two_people_in_training_on_one_file_do_not_meet(team: Team) -> None:
    keep_answers(team["ann"], FIRST, told(FIRST))
    keep_answers(team["bob"], FIRST, told(FIRST, task_0_policy="chat"))
    assert training_progress(team["ann"]).is_done(FIRST)
    assert not training_progress(team["bob"]).is_done(FIRST)


def test_begun_again_the_earlier_answers_count_no_more(team: Team) -> None:
    keep_answers(team["ann"], FIRST, told(FIRST, task_0_policy="chat"))
    begin_again(team["ann"], FIRST)
    assert training_progress(team["ann"]).of(FIRST).said == {}
    assert keep_answers(team["ann"], FIRST, told(FIRST)).value.of(FIRST).first["task.0.policy"]


def test_training_is_no_case_of_the_project_and_in_no_figure(team: Team) -> None:
    report, figures = stage_report(team["max"]), agreement(team["max"])
    waiting = waiting_for(team["bob"])
    finish(team, "ann")
    assert count_cases(team["max"], CaseFilter()) == 1
    assert waiting_for(team["bob"]) == waiting
    assert stage_report(team["max"]) == report
    assert agreement(team["max"]) == figures


def test_it_is_offered_until_somebody_has_judged_or_learned_something(team: Team) -> None:
    assert offers_training(team["ann"])
    keep_answers(team["ann"], FIRST, told(FIRST))
    assert not offers_training(team["ann"])
    assert offers_training(team["bob"])


def test_real_work_waits_for_the_training_the_policy_asks_for(team: Team) -> None:
    change_review_policy(team["max"], ("training_threshold=80%",))
    with pytest.raises(ForbiddenError, match=r"ann has 0 of 8 training cases done"):
        claim_next(team["ann"])
    with pytest.raises(ForbiddenError, match="asks for the training before real work"):
        claim_case(team["ann"], "c1")
    assert claim_next(team["eve"]).value is None
    finish(team, "ann")
    assert claim_next(team["ann"]).value is not None


def test_whoever_has_done_the_training_in_one_language_is_trained(team: Team) -> None:
    change_review_policy(team["max"], ("training_threshold=80%",))
    for lesson in read_lessons(Language.CHINESE):
        keep_answers(team["ann"], lesson, told(lesson))
    assert not offers_training(team["ann"])
    assert claim_next(team["ann"]).value is not None


def test_who_guessed_too_much_begins_again(team: Team) -> None:
    change_review_policy(team["max"], ("training_threshold=1.0",))
    keep_answers(team["ann"], FIRST, told(FIRST, task_0_policy="chat"))
    finish(team, "ann")
    with pytest.raises(ForbiddenError, match="97 % right at the first answer"):
        claim_next(team["ann"])
    begin_again(team["ann"], FIRST)
    keep_answers(team["ann"], FIRST, told(FIRST))
    assert claim_next(team["ann"]).value is not None


def test_nobodys_first_case_is_a_blind_cross_check(team: Team) -> None:
    team.self_check("ann", "c1")
    assert claim_next(team["bob"], spares_newcomers=True).value is None
    assert "nobody's first case should be one" in why_nothing(team["bob"])
    keep_answers(team["bob"], FIRST, told(FIRST))
    assert "first case" not in why_nothing(team["bob"])
    held = claim_next(team["bob"], spares_newcomers=True).value
    assert held is not None
    assert held.stage is Stage.CROSS_CHECK


def _events(team: Team) -> list[object]:
    return list(team["max"].read(lambda tx: events_of(tx, ["training:ann"])))
