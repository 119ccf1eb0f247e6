"""When a batch will be done: a range from the last days, or nothing where they say too little."""

import random
from datetime import date, timedelta

import pytest

from annotator.review.batches import set_due, split_batch
from annotator.review.measures.progress import Outlook, forecast, outlooks
from annotator.review.policy_changes import change_review_policy
from scoring.texts import tr
from tests.annotator.team import START, Team, two_step_case


def test_even_days_leave_no_doubt() -> None:
    # 5 a day: 20 left take 4 days in every run.
    found = forecast([5] * 14, left=20)
    assert found is not None
    assert (found.earliest, found.latest) == (4, 4)


@pytest.mark.parametrize(("days", "rate"), [(0, None), (2, 1.5)])
def test_a_rate_is_known_after_the_first_whole_day(days: int, rate: float | None) -> None:
    assert _outlook(finished=3, days=days).per_day == rate


def test_uneven_days_have_a_range_around_the_mean() -> None:
    # 70 in 14 days as in the even ones, but on four of them.
    found = forecast([18, 17, 18, 17, *[0] * 10], left=20)
    assert found is not None
    assert found.latest is not None
    assert found.earliest <= 3
    assert found.latest >= 10


@pytest.mark.parametrize("counts", [[], [5] * 4, [1] * 9, [0] * 14, [9, *[0] * 13]])
def test_too_few_days_or_cases_say_nothing(counts: list[int]) -> None:
    assert forecast(counts, left=20) is None


def test_what_may_take_longer_than_a_year_has_no_latest_day() -> None:
    found = forecast([10, *[0] * 13], left=250)  # 350 days on average
    assert found is not None
    assert found.latest is None


def test_the_same_counts_give_the_same_range() -> None:
    assert forecast([3, 1, 4, 1, 5, 9], left=100) == forecast([9, 5, 1, 4, 1, 3], left=100)


def test_the_range_holds_about_as_often_as_it_says() -> None:
    """80 % are asked for: days of a binomial workplace, 200 projects; sampling error is 3 points."""
    chance = random.Random(7)

    def day() -> int:
        return sum(chance.random() < 0.3 for _ in range(20))  # 6 on average

    held = 0
    for _ in range(200):
        found = forecast([day() for _ in range(14)], left=90)
        assert found is not None
        assert found.latest is not None
        done, days = 0, 0
        while done < 90:
            done, days = done + day(), days + 1
        held += found.earliest <= days <= found.latest
    assert 0.7 <= held / 200 <= 0.97


@pytest.mark.usefixtures("said_in_chinese")
def test_a_forecast_is_said_in_the_language_of_the_window() -> None:
    first, last = date(2026, 12, 28), date(2027, 1, 3)
    rate = "按最近 4 天每天 2.0 个的速度。"
    known = _outlook(earliest=first, latest=last, finished=8, days=4)
    assert tr(known.words) == f"2026-12-28 至 2027-01-03 之间完成，{rate}"
    assert tr(_outlook(earliest=first, latest=first, finished=8, days=4).words) == f"2026-12-28 完成，{rate}"
    assert tr(_outlook(earliest=first, finished=8, days=4).words) == (
        f"不早于 2026-12-28 完成，可能一年内无法完成，{rate}"
    )
    none = "无法预测：3 个整天内完成 4 个用例；至少需要 5 天内完成 10 个用例。"
    assert tr(_outlook(finished=4, days=3).words) == none


def _outlook(**values: object) -> Outlook:
    usual = {"batch": "b1", "today": date(2026, 11, 20), "due_on": None, "open": 5, "finished": 0, "days": 0}
    return Outlook.model_validate({**usual, **values})


def test_a_batch_is_late_when_its_day_may_pass_before_it_is_done() -> None:
    near, far = date(2026, 11, 25), date(2026, 12, 25)
    known = {"earliest": date(2026, 11, 22), "latest": date(2026, 11, 28)}
    assert _outlook(due_on=near, **known).is_late
    assert not _outlook(due_on=far, **known).is_late
    assert not _outlook(**known).is_late
    assert not _outlook(due_on=near).is_late  # nothing is known
    assert _outlook(due_on=date(2026, 11, 19)).is_late  # but that it has passed
    assert not _outlook(due_on=date(2026, 11, 19), open=0).is_late
    assert _outlook(due_on=far, earliest=near).is_late  # may take more than a year


def test_windows_hear_of_a_due_day(team: Team) -> None:
    team.bring(two_step_case())
    assert set_due(team["max"], "b1", due=date(2026, 12, 9)).changes.has_new_cases


def test_an_outlook_counts_what_reviewers_finished_on_whole_days(team: Team) -> None:
    change_review_policy(team["max"], ("cross_check=false",))
    ids = [f"c-{i:02d}" for i in range(20)]
    team.bring(*map(two_step_case, ids))
    assert outlooks(team["max"])[0].words.startswith("No forecast: 0 cases finished in 0 whole days")
    for day in range(6):
        for case_id in ids[2 * day : 2 * day + 2]:
            team.self_check("ann", case_id)
        team.clock.forward(days=1)
    set_due(team["max"], "b1", due=(START + timedelta(days=8)).date())
    [found] = outlooks(team["max"])
    assert (found.open, found.finished, found.days, found.per_day) == (8, 12, 6, 2.0)
    # 2 a day: 8 left take 4 days from the 26th.
    assert (found.earliest, found.latest) == (date(2026, 11, 30), date(2026, 11, 30))
    assert found.words == "Done on 2026-11-30, at the rate of the last 6 days, 2.0 a day."
    assert found.is_late
    for case_id in ids[12:16]:
        team.self_check("ann", case_id)
    assert outlooks(team["max"])[0].finished == 12  # today is not over


def test_what_was_split_off_still_counts_for_the_rate_of_the_rest(team: Team) -> None:
    change_review_policy(team["max"], ("cross_check=false",))
    ids = [f"c-{i:02d}" for i in range(14)]
    team.bring(*map(two_step_case, ids))
    for day in range(6):
        for case_id in ids[2 * day : 2 * day + 2]:
            team.self_check("ann", case_id)
        team.clock.forward(days=1)
    split_batch(team["max"], "b1", name="first")
    found = {one.batch: one for one in outlooks(team["max"])}
    assert (found["b1"].open, found["b1"].finished, found["b1"].per_day) == (2, 12, 2.0)
    assert found["first"].words == "Every case is finished."
    split_batch(team["max"], "b1", name="later", cases=ids[13:])
    team.self_check("ann", ids[13])  # finished after it left: not in b1
    team.clock.forward(days=1)
    found = {one.batch: one for one in outlooks(team["max"])}
    assert (found["b1"].finished, found["later"].finished) == (12, 1)
