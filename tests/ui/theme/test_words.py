"""Moments as people say them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from ui.theme.words import ago, exactly, name_key

NOW = datetime(2026, 11, 20, 15, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("before", "words"),
    [
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=1), "1 min ago"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=1), "1 h ago"),
        (timedelta(hours=15), "15 h ago"),
        (timedelta(hours=16), "yesterday"),
        (timedelta(days=1), "yesterday"),
        (timedelta(days=2), "2 days ago"),
        (timedelta(days=6), "6 days ago"),
        (timedelta(days=7), "2026-11-13"),
        (timedelta(seconds=-30), "just now"),
    ],
)
def test_the_distance_is_said_in_the_largest_fitting_word(before: timedelta, words: str) -> None:
    assert ago(NOW - before, NOW) == words


def test_shortly_after_midnight_an_hour_ago_is_not_yet_yesterday() -> None:
    now = datetime(2026, 11, 20, 0, 30, tzinfo=UTC)
    assert ago(now - timedelta(hours=2), now) == "2 h ago"


def test_the_exact_time_is_said_in_the_zone_of_the_reader() -> None:
    here = timezone(timedelta(hours=2))
    assert exactly(NOW, NOW.astimezone(here)) == "2026-11-20 17:30:00"


NAMES = ("张三", "Zoe", "重庆", "李四", "ann", "安娜", "陈一")
"""In Unicode's order 安 李 张 重 陈, by pinyin an chen chong li zhang."""


@pytest.mark.usefixtures("in_chinese")
def test_names_are_sorted_by_pinyin_in_chinese() -> None:
    assert sorted(NAMES, key=name_key) == ["安娜", "陈一", "重庆", "李四", "张三", "ann", "Zoe"]


def test_in_other_languages_names_are_sorted_by_their_letters_in_any_case() -> None:
    assert sorted(["b", "C", "A"], key=name_key) == ["A", "b", "C"]
