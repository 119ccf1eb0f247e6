"""Two runs in words: a difference is called one only where chance is unlikely."""

from collections.abc import Sequence

from scoring.measures.summary import summarise
from scoring.model.taxonomy import ArgumentProfile, Protocol, Semantics
from scoring.scorecard import Scorecard
from tests.factories import task_score
from ui.runs.comparison import (
    FLIP_COLUMNS,
    ROBUSTNESS_COLUMNS,
    TwoRuns,
    compare_two,
    flip_lines,
    robustness_lines,
    square_columns,
    square_lines,
    verdict_of,
)


def _card(
    right: Sequence[bool], protocol: Protocol = Protocol.WILDTOOL, *, task: int = 0, name: str = "m"
) -> Scorecard:
    tasks = tuple(task_score(f"c-{i}", task, right=one) for i, one in enumerate(right))
    return Scorecard(
        name=name,
        semantics=Semantics.PAPER,
        arguments=ArgumentProfile.WTB,
        protocol=protocol,
        cases_sha256="a" * 64,
        predictions_sha256="b" * 64,
        scorer_version="1.0",
        summary=summarise(tasks),
        ignored=(),
        tasks=tasks,
    )


def _two(first: Sequence[bool], second: Sequence[bool]) -> TwoRuns:
    return TwoRuns("one", _card(first), "two", _card(second))


def test_few_flips_may_be_chance() -> None:
    # 1 against 2 flips: p = 2 * (1 + 3) / 8 = 1.
    title, text, _ = verdict_of(compare_two(_two([True, False, False, True], [False, True, True, True])))
    assert title == "25.00 points apart; the difference is not significant."
    assert text.endswith("permutation test over sessions p = 1.0000, McNemar's over tasks p = 1.0000.")


def test_many_flips_one_way_are_a_difference() -> None:
    # 0 against 8 flips: p = 2 / 256.
    title, text, _ = verdict_of(compare_two(_two([True] * 10, [False] * 8 + [True] * 2)))
    assert title == "one is better by 80.00 points."
    assert "over sessions p = 0.0078" in text


def test_sessions_that_flip_together_count_once() -> None:
    # Two sessions of four tasks: McNemar takes eight flips (p = 2 / 256), the sessions give 2 / 2^2.
    def card(right: bool) -> Scorecard:
        tasks = tuple(task_score(f"c-{n // 4}", n % 4, right=right) for n in range(8))
        return _card([]).model_copy(update={"tasks": tasks, "summary": summarise(tasks)})

    title, text, _ = verdict_of(compare_two(TwoRuns("one", card(True), "two", card(False))))
    assert title == "100.00 points apart; the difference is not significant."
    assert "over sessions p = 0.5000, McNemar's over tasks p = 0.0078" in text


def test_the_interval_has_the_sign_of_the_sentence_whichever_run_is_better() -> None:
    # Eight of ten tasks flip one way: the lead is 0.8, and so are its bounds, above 0.
    right, wrong = [True] * 10, [False] * 8 + [True] * 2
    words = []
    for first, second in ((right, wrong), (wrong, right)):
        title, text, _ = verdict_of(compare_two(_two(first, second)))
        assert "better by 80.00 points" in title
        words.append(text.split("interval ")[1].split(";")[0])
    # Resampled tasks: 10 draws with probability 0.8, the 2.5 % and 97.5 % quantiles of their share.
    assert words == ["50.0 to 100.0", "50.0 to 100.0"]


def test_runs_that_never_differ_are_called_so() -> None:
    assert verdict_of(compare_two(_two([True, False], [True, False])))[0] == "Both get the same tasks right."


def test_the_square_counts_every_shared_task_once() -> None:
    compared = compare_two(_two([True, True, False, False], [True, False, True, False]))
    columns = square_columns(compared.runs)
    assert [[one.cell_of(line).text for one in columns] for line in square_lines(compared)] == [
        ["one right", "1", "1"],
        ["one wrong", "1", "1"],
    ]


def test_a_flip_says_who_was_right() -> None:
    lines = flip_lines(compare_two(_two([True, False], [False, True])))
    said = [[column.cell_of(line).text for column in FLIP_COLUMNS] for line in lines]
    assert [(words[0], words[1], words[3]) for words in said] == [("c-0", "1", "one"), ("c-1", "1", "two")]


def test_robustness_is_told_only_of_runs_that_were_shown_different_histories() -> None:
    short = _card([True, False], Protocol.C2, task=1)
    full = _card([True, True], Protocol.C3, task=1)
    comparison = compare_two(TwoRuns("full", full, "short", short))
    found = comparison.robustness
    title, text, _ = verdict_of(comparison)
    assert title == "One model under two histories."
    assert " p " not in text
    assert found is not None
    # Of two pairs one flips: VF = 1/2; both right: 1/2; no task got lost: DDD = 0/1 * 2/1 = 0.
    assert [column.cell_of(robustness_lines(found)[0]).text for column in ROBUSTNESS_COLUMNS] == [
        "After the first task",
        "2",
        "0.500",
        "0.500",
        "0.000",
    ]
    assert compare_two(_two([True], [True])).robustness is None


def test_runs_under_other_rules_or_of_other_models_are_told_why_they_are_not_compared() -> None:
    full = _card([True, True], Protocol.C3, task=1)
    for other, why in (
        (_card([True, False], Protocol.C2, task=1, name="n"), "models n and m"),
        (
            full.model_copy(update={"semantics": Semantics.REFERENCE}),
            "semantics reference against semantics paper",
        ),
    ):
        comparison = compare_two(TwoRuns("full", full, "other", other))
        assert comparison.robustness is None
        title, text, _ = verdict_of(comparison)
        assert title == "These runs are not tested against each other, nor paired for VF and DDD."
        assert why in text
        assert " p " not in text
