"""Pairs of runs, win rates and the dialogues themselves, counted once more in a small world."""

from math import comb, sqrt

import pytest

from annotator.release.reports.dataset_tables import dataset_tables
from annotator.release.reports.report import report_tables
from annotator.release.reports.run_groups import named
from annotator.release.reports.score_tables import (
    ScoreTable,
)
from scoring.agreement.preferences import ComparedTask, Preference, win_rate
from scoring.measures.dataset import dataset_statistics
from scoring.scorecard import Scorecard
from tests.annotator.release.small_world import (
    LAYOUT,
    ROUNDS,
    Done,
    cell,
    gold,
    of,
    ratio,
    share,
    switches,
    tasks_of,
    world,
)

FAST, SLOW = tasks_of("fast"), tasks_of("slow")
HISTORY = tasks_of("fast, requests and answers only")


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Scorecard]:
    return world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def two(cards: dict[str, Scorecard]) -> tuple[ScoreTable, ...]:
    """The tables of two runs."""
    return report_tables(named([cards["fast"], cards["slow"]]))


@pytest.fixture(scope="module")
def histories(cards: dict[str, Scorecard]) -> tuple[ScoreTable, ...]:
    """The tables of one model under both histories."""
    return report_tables(named([cards["fast"], cards["fast, requests and answers only"]]))


def test_the_comparison_of_two_runs_is_counted_task_by_task(two: tuple[ScoreTable, ...]) -> None:
    # Nobody asked fast one of the tasks, which slow gets right.
    pairs = [(one, other) for one, other in zip(FAST, SLOW, strict=True) if one.letter != "."]
    sides = [(one.is_right, other.is_right) for one, other in pairs]
    lost, won = sides.count((True, False)), sides.count((False, True))
    name = "slow against fast"
    assert cell(two, name, "right in both", "tasks") == str(sides.count((True, True)))
    assert cell(two, name, "right only in fast", "tasks") == str(lost)
    assert cell(two, name, "right only in slow", "tasks") == str(won)
    said = cell(two, name, "difference in points (95 %)", "tasks")
    assert said.split(" ")[0] == f"{100 * (won - lost) / 15:+.2f}"
    assert cell(two, name, "without a prediction in one of them, excluded", "tasks") == "1"
    # McNemar: twice the binomial tail of 2 among 6 is 2 (1 + 6 + 15) / 64 = 0.688.
    tail = sum(comb(lost + won, number) for number in range(min(lost, won) + 1))
    assert cell(two, name, "p, McNemar's exact test over tasks", "tasks") == f"{2 * tail / 2**6:.3f}"
    # Three dialogues gain a task, one loses one: of 16 signs 10 give a sum of 2, -2, 4 or -4.
    gains = [sum(b.is_right - a.is_right for a, b in pairs if a.dialogue == one) for one in LAYOUT]
    assert sorted(gains) == [-1, 1, 1, 1]
    assert cell(two, name, "p, exact permutation test over sessions", "tasks") == "0.625"
    assert cell(two, "Differences", "Task accuracy", "difference") == "+18.75"  # 81.25 - 62.50
    assert cell(two, "Differences", "Accuracy by task order: task 4", "difference") == "-25.00"  # 2/4 - 3/4
    assert cell(two, "Differences", "Optimal paths", "difference") == "+75.00"
    [flips] = [table for table in two if table.title.startswith("Flipped tasks")]
    expected = [
        (one.dialogue, str(one.place), "fast" if one.is_right else "slow")
        for one, other in pairs
        if one.is_right is not other.is_right
    ]
    assert [row[:3] for row in flips.rows] == expected


def test_steadiness_is_counted_pair_by_pair(histories: tuple[ScoreTable, ...]) -> None:
    assert cell(histories, "Challenge 2: hidden information", "fast", "overall") == share(
        of(HISTORY, place=(1, 2, 3))
    )
    for column, hidden in (("omission", "omission"), ("long range", "long_range")):
        assert cell(histories, "Challenge 2: hidden information", "fast", column) == share(
            of(HISTORY, hidden=hidden)
        )
    [table] = [one for one in histories if one.title == "Challenge 2 against Challenge 3"]
    rows = {row[1]: row[2:9] for row in table.rows}
    answered = [
        (one, other) for one, other in zip(HISTORY, FAST, strict=True) if other.letter != "." and one.place
    ]
    for name, pairs in [
        ("all", answered),
        *((str(n), [pair for pair in answered if switches(pair[0]) == n]) for n in (0, 1, 2, 3)),
    ]:
        both = [(one.is_right, other.is_right) for one, other in pairs]
        kept, lost, won = (both.count(k) for k in ((True, True), (True, False), (False, True)))
        said = f"{lost / won * len(both) / kept:.2f}" if won and kept else "undefined"
        found = rows[name]
        assert found[:4] == tuple(map(str, (kept, lost, won, len(both) - kept - lost - won))), name
        assert found[4:6] == tuple(
            ratio(count, len(both)).split(" ")[0] for count in (lost + won, kept)
        )  # VF, Acc2
        assert found[6].startswith(said), name
    # Over all: 5 kept, 4 lost and 2 won of 11: DDD = 4 / 2 * 11 / 5.
    assert rows["all"][6] == "4.40"
    history = "History: requests and answers only − full process, first tasks left out"
    # 9 of 11 against 7 of 11: nobody asked the twelfth after the full process.
    assert cell(histories, "Effects of the history shown", history, "points") == "+18.18"
    assert cell(histories, "Effects of the history shown", history, "tasks") == "11"
    [groups] = [one for one in histories if one.title.startswith("Runs scored under")]
    assert [row[1] for row in groups.rows] == ["protocol c3", "protocol c2"]


def test_win_rates_stand_with_what_they_are_made_of(cards: dict[str, Scorecard]) -> None:
    sides = [
        (one, other)
        for one, other in zip(FAST, SLOW, strict=True)
        if one.letter != "." and other.letter != "i"
    ]

    def said(one: Done, other: Done) -> Preference:
        """The judge prefers what is right, and the first of two right ones in the first dialogue."""
        if one.is_right is not other.is_right:
            return Preference.FIRST if one.is_right else Preference.SECOND
        return Preference.FIRST if one.dialogue == "d-1" else Preference.TIE

    compared = [
        ComparedTask(
            case=one.dialogue,
            task=one.place,
            preference=said(one, other),
            is_swayed=False,
            is_baseline_right=one.is_right,
            is_run_right=other.is_right,
        )
        for one, other in sides
    ]
    rate = win_rate("slow", compared, missing=2).model_copy(update={"baseline": "fast", "judge": "j"})
    judged = cards["slow"].model_copy(update={"win_rate": rate})
    tables = report_tables(named([cards["fast"], judged]))
    title = "Win rates against fast, by j"
    # Of 14 tasks slow alone is right in 4, fast alone in 1, both in 3 of d-1: (4 + 6 / 2) / 14 = 50 %.
    assert cell(tables, title, "slow", "win rate %") == "50.00"
    assert [cell(tables, title, "slow", column) for column in ("won", "tied", "lost")] == ["4", "6", "4"]
    assert cell(tables, title, "slow", "no reply") == "2"
    assert cell(tables, title, "slow", "right %") == share([other for _, other in sides]).split(" ")[0]


DATA = [
    ("As the papers compare sets", "w", "related later tasks %", "100.00 (12/12)"),
    # Prefixes of 1 to 4 main types, four of each length; 4 + 16 + 64 + 256 are possible.
    ("As the papers compare sets", "w", "sequences covered %", ratio(16, 340)),
    ("As the papers compare sets", "w", "mixed (S+P)", "yes"),
    ("Sizes, means with standard deviation and range", "Tasks", "w", str(sum(map(len, LAYOUT.values())))),
    ("Sizes, means with standard deviation and range", "Calls", "w", "20"),  # 4 + 2 x 2 + 2 x 2 + 2 x 3 + 2
    # 20 / 12; sum of squares 6 x 1 + 4 x 4 + 2 x 9 = 40, (40 - 400 / 12) / 11 = 0.606, its root 0.78.
    (
        "Sizes, means with standard deviation and range",
        "Calls per task that has one",
        "w",
        "1.67 ± 0.78 (1 to 3)",
    ),
    # 4, 5, 4 and 5: mean 4.5, deviation sqrt(1 / 3).
    (
        "Sizes, means with standard deviation and range",
        "User messages per dialogue",
        "w",
        f"4.50 ± {sqrt(1 / 3):.2f} (4 to 5)",
    ),
    *(
        ("Policies of tasks", f"multi_{one}" if one in ("serial", "parallel", "mixed") else one, "w", text)
        for one in ROUNDS
        for text in [ratio(sum(row.count(one) for row in LAYOUT.values()), 16)]
    ),
    *(
        ("How tasks hide information", one, "w", share(FAST, lambda task, one=one: task.hidden == one))  # type: ignore[misc]
        for one in ("first", "omission", "reference", "long_range")
    ),
    ("Calls per task that has one", "1", "w", "50.00 (6/12)"),
    ("Calls per task that has one", "2", "w", "33.33 (4/12)"),
    ("Calls per task that has one", "3", "w", "16.67 (2/12)"),
    ("User messages per dialogue", "5", "w", "50.00 (2/4)"),
]


@pytest.mark.parametrize(("title", "row", "column", "text"), DATA)
def test_a_figure_of_the_dialogues_is_what_the_layout_says(
    title: str, row: str, column: str, text: str
) -> None:
    assert cell(dataset_tables([("w", dataset_statistics(gold()))]), title, row, column) == text


def test_the_yield_of_stages_is_a_share_of_what_came_in() -> None:
    counts = {"imported": 8, "self_check": 6, "final": 3}
    found = dataset_statistics(gold()).model_copy(update={"stage_yield": counts})
    tables = dataset_tables([("w", found)])
    title = "Yield from imported to final"
    assert [cell(tables, title, stage, "w") for stage in counts] == [
        "100.00 (8/8)",
        "75.00 (6/8)",
        "37.50 (3/8)",
    ]
