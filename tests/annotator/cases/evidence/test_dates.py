"""Days are found in the words people use for them, and values in the forms tools want."""

from datetime import date

import pytest

from annotator.cases.evidence.dates import DateReading, clocks_in, read_clock
from annotator.cases.evidence.written_dates import read_day, read_month, written_dates

THURSDAY = date(2024, 7, 11)


def words_for(text: str, day: str) -> str | None:
    found = DateReading.of(text, THURSDAY).speaks_of(date.fromisoformat(day))
    return text[found.start : found.end] if found else None


@pytest.mark.parametrize(("text", "year"), [("next year", 2025), ("last year", 2023)])
@pytest.mark.parametrize("month", [1, 12])
def test_another_year_is_one_year_away_in_every_month(text: str, year: int, month: int) -> None:
    reading = DateReading.of(text, date(2024, month, 11))
    assert reading.speaks_of(date(year, month, 11)) is not None
    assert reading.speaks_of(date(2 * year - 2024, 6, 1)) is None


@pytest.mark.parametrize(
    ("text", "day", "words"),
    [
        ("today", "2024-07-11", "today"),
        ("the day after tomorrow", "2024-07-13", "day after tomorrow"),
        ("what about yesterday", "2024-07-10", "yesterday"),
        ("this weekend", "2024-07-13", "this weekend"),
        ("this weekend", "2024-07-14", "this weekend"),
        ("next weekend", "2024-07-20", "next weekend"),
        ("on Saturday", "2024-07-13", "Saturday"),
        ("next Friday", "2024-07-12", "next Friday"),
        ("next Friday", "2024-07-19", "next Friday"),
        ("next Thursday", "2024-07-18", "next Thursday"),
        ("last Monday", "2024-07-08", "last Monday"),
        ("in three days", "2024-07-14", "in three days"),
        ("two weeks ago", "2024-06-27", "two weeks ago"),
        ("the past two months", "2024-05-11", "past two months"),
        ("in a year", "2025-07-11", "in a year"),
        ("next week", "2024-07-15", "next week"),
        ("next week", "2024-07-14", "next week"),  # where the week begins with a Sunday
        ("this month", "2024-07-01", "this month"),
        ("last month", "2024-06-30", "last month"),
        ("next year", "2025-12-31", "next year"),
        ("last quarter", "2024-04-01", "last quarter"),
        ("July 13th", "2024-07-13", "July 13th"),
        ("13 July, 2024", "2024-07-13", "13 July, 2024"),
        ("7/13", "2024-07-13", "7/13"),
        ("13.7.2024", "2024-07-13", "13.7.2024"),
        ("in May", "2024-05-31", "May"),
        ("in 2023", "2023-01-01", "2023"),
        ("at Christmas", "2024-12-25", "Christmas"),
        ("the 15th of next month", "2024-08-15", "the 15th"),
        ("from July 13 for 3 nights", "2024-07-16", "July 13"),
        ("明天", "2024-07-12", "明天"),
        ("下周五", "2024-07-19", "下周五"),
        ("7月13日", "2024-07-13", "7月13日"),
        ("三天后", "2024-07-14", "三天"),
        ("上个月", "2024-06-01", "上个月"),
        ("半个月后", "2024-07-25", "半个月"),
    ],
)
def test_words_mean_a_day(text: str, day: str, words: str) -> None:
    assert words_for(text, day) == words


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("tomorrow", "2024-07-13"),
        ("I may go", "2024-05-31"),
        ("buy 15 apples", "2024-07-15"),
        ("July 13th", "2021-07-13"),
        ("at 2023-07-13", "2024-07-13"),
        ("nothing", "2024-07-11"),
        ("next Thursday", "2024-07-11"),
        ("下周四", "2024-07-11"),
        ("next week", "2024-07-22"),
        ("this week", "2024-07-15"),
    ],
)
def test_words_do_not_mean_another_day(text: str, day: str) -> None:
    assert words_for(text, day) is None


def test_without_now_only_written_dates_count() -> None:
    reading = DateReading.of("tomorrow, or on 3 May", None)
    assert reading.speaks_of(date(2024, 7, 12)) is None
    assert reading.speaks_of(date(1999, 5, 3)) is not None


def test_a_month_is_meant_by_its_name_and_by_counting() -> None:
    reading = DateReading.of("from May until last month", THURSDAY)
    assert reading.speaks_of_month(date(2024, 5, 1)) is not None
    assert reading.speaks_of_month(date(2024, 6, 1)) is not None
    assert reading.speaks_of_month(date(2024, 1, 1)) is None


def test_a_year_means_each_of_its_months_and_a_full_date_only_its_own() -> None:
    assert DateReading.of("in 2023", THURSDAY).speaks_of_month(date(2023, 5, 1)) is not None
    assert DateReading.of("in 2023", THURSDAY).speaks_of_month(date(2022, 5, 1)) is None
    assert DateReading.of("on 2023-05-03", THURSDAY).speaks_of_month(date(2023, 6, 1)) is None


@pytest.mark.parametrize(
    "value",
    [
        "2024-07-13",
        "2024/7/13",
        "20240713",
        "13/07/2024",
        "07/13/2024",
        "July 13, 2024",
        "Saturday, 13 July 2024",
        "2024-07-13T09:00:00Z",
        "2024-07-13 09:00",
    ],
)
def test_a_value_is_read_as_a_day_in_any_form(value: str) -> None:
    assert read_day(value) == date(2024, 7, 13)


@pytest.mark.parametrize(
    "value",
    [
        "card_20240713",
        "PRG-2023-09-15-XYZ",
        "2024-02-30",
        "2024-07",
        "May 2026",
        "12345678",
        "tomorrow",
        20240713,
    ],
)
def test_what_only_looks_like_a_date_is_none(value: object) -> None:
    assert read_day(value) is None


@pytest.mark.parametrize(("value", "month"), [("2026-05", 5), ("12/2026", 12), ("202602", 2)])
def test_a_value_is_read_as_a_month(value: str, month: int) -> None:
    assert read_month(value) == date(2026, month, 1)


def test_a_part_of_a_full_date_is_no_date_of_its_own() -> None:
    assert [mention.parts for mention in written_dates("2026-03-02")] == [(2026, 3, 2)]


def test_clock_times_are_read_in_both_halves_of_the_day() -> None:
    assert clocks_in("at 9am") == {(9, 0), (21, 0)}
    assert clocks_in("14:30, noon and 下午3点半") == {(14, 30), (2, 30), (12, 0), (15, 30), (3, 30)}
    assert clocks_in("上午9点 and 下午3点15分") == {(9, 0), (21, 0), (15, 15), (3, 15)}
    assert clocks_in("18点30分，8:15") == {(18, 30), (6, 30), (8, 15), (20, 15)}
    assert clocks_in("5 people, 24:00") == frozenset()


@pytest.mark.parametrize(
    ("value", "clock"), [("2024-07-13T09:05:00", (9, 5)), ("14:30", (14, 30)), ("2024-07-13", None)]
)
def test_the_clock_of_a_value(value: str, clock: tuple[int, int] | None) -> None:
    assert read_clock(value) == clock


def test_a_long_text_without_dates_is_read_in_no_time() -> None:
    # Untrusted texts must not make the patterns backtrack.
    for text in ("a" * 200_000, " " * 200_000, "one " * 40_000, "1," * 80_000, "20" * 80_000):
        assert DateReading.of(text[:200_000], THURSDAY).lengths == ()
