"""The stage-accuracy curve against a table worked out by hand."""

from scoring.measures.intervals import wilson_interval
from scoring.measures.stage_accuracy import (
    NO_EXIT,
    NO_FINAL_CASE,
    NOT_JUDGED,
    ExitContent,
    StagePoint,
    judged_right,
    stage_accuracy,
)
from scoring.model.taxonomy import Stage

FINAL = {"a": "A", "b": "B", "c": "C", "d": "D"}


def left(stage: Stage, **contents: str) -> list[ExitContent]:
    """Exits of one stage: case id = content at that exit."""
    return [ExitContent(case_id=case_id, stage=stage, sha256=sha) for case_id, sha in contents.items()]


def by_stage(points: tuple[StagePoint, ...]) -> dict[Stage, StagePoint]:
    return {point.stage: point for point in points}


def test_the_curve_follows_the_hand_table() -> None:
    """Final A B C D. Right were: raw d, 1/4; task by task c d, 2/4; dialogue b c d, 3/4; cross-check all."""
    exits = [
        *left(Stage.IMPORTED, a="a0", b="b0", c="c0", d="D"),
        *left(Stage.SELF_CHECK_TASK, a="a0", b="b0", c="C", d="D"),
        *left(Stage.SELF_CHECK_DIALOGUE, a="a0", b="B", c="C", d="D"),
        *left(Stage.CROSS_CHECK, a="A", b="B", c="C", d="D"),
    ]
    points = stage_accuracy(exits, FINAL)
    assert [(point.stage, point.accuracy, point.correct, point.total) for point in points] == [
        (Stage.IMPORTED, 0.25, 1, 4),
        (Stage.SELF_CHECK_TASK, 0.5, 2, 4),
        (Stage.SELF_CHECK_DIALOGUE, 0.75, 3, 4),
        (Stage.CROSS_CHECK, 1.0, 4, 4),
        (Stage.EXPERT, 1.0, 4, 4),
    ]


def test_a_self_check_counts_its_first_exit_and_the_cross_check_its_last() -> None:
    """Case a left both twice: wrong first, right after it was returned."""
    exits = [
        *left(Stage.SELF_CHECK_DIALOGUE, a="a0"),
        *left(Stage.CROSS_CHECK, a="a0"),
        *left(Stage.SELF_CHECK_DIALOGUE, a="A"),
        *left(Stage.CROSS_CHECK, a="A"),
    ]
    points = by_stage(stage_accuracy(exits, {"a": "A"}))
    assert points[Stage.SELF_CHECK_DIALOGUE].accuracy == 0.0
    assert points[Stage.CROSS_CHECK].accuracy == 1.0


def test_cases_that_never_left_a_stage_are_not_part_of_its_share() -> None:
    point = by_stage(stage_accuracy(left(Stage.CROSS_CHECK, a="A", b="x"), FINAL))[Stage.CROSS_CHECK]
    assert (point.accuracy, point.correct, point.total, point.final_count) == (0.5, 1, 2, 4)


def test_cases_that_are_not_final_do_not_count() -> None:
    point = by_stage(stage_accuracy(left(Stage.IMPORTED, a="A", z="Z"), FINAL))[Stage.IMPORTED]
    assert (point.correct, point.total) == (1, 1)


def test_a_stage_nobody_left_is_undefined_with_a_reason() -> None:
    point = by_stage(stage_accuracy([], FINAL))[Stage.CROSS_CHECK]
    assert (point.accuracy, point.undefined, point.low, point.high) == (None, NO_EXIT, None, None)


def test_without_a_final_case_the_whole_curve_is_undefined() -> None:
    points = stage_accuracy(left(Stage.IMPORTED, a="A"), {})
    assert {(point.accuracy, point.undefined) for point in points} == {(None, NO_FINAL_CASE)}


def test_the_expert_is_right_by_construction_and_has_no_interval() -> None:
    point = by_stage(stage_accuracy([], FINAL))[Stage.EXPERT]
    assert (point.accuracy, point.total, point.low, point.high) == (1.0, 4, None, None)


def test_a_point_carries_the_wilson_interval_of_its_share() -> None:
    point = by_stage(stage_accuracy(left(Stage.IMPORTED, a="A", b="x", c="x"), FINAL))[Stage.IMPORTED]
    expected = wilson_interval(1, 3)
    assert expected is not None
    assert (point.low, point.high) == (expected.low, expected.high)


def test_exits_of_stages_outside_the_curve_are_ignored() -> None:
    points = stage_accuracy(left(Stage.ESCALATED, a="x"), FINAL)
    assert [point.stage for point in points if point.undefined is None] == [Stage.EXPERT]


def test_judged_right_counts_against_what_an_expert_holds_right() -> None:
    """The expert kept c, corrected b and returned a: raw is right in c alone, cross-check too, of three."""
    judged = {"a": "", "b": "B", "c": "C"}
    exits = [*left(Stage.IMPORTED, a="a0", b="b0", c="C"), *left(Stage.CROSS_CHECK, a="a1", b="b1", c="C")]
    points = judged_right(exits, judged)
    assert [(point.stage, point.correct, point.total) for point in points] == [
        (Stage.IMPORTED, 1, 3),
        (Stage.SELF_CHECK_TASK, 0, 0),
        (Stage.SELF_CHECK_DIALOGUE, 0, 0),
        (Stage.CROSS_CHECK, 1, 3),
    ]
    expected = wilson_interval(1, 3)
    assert expected is not None
    assert (points[0].low, points[0].high) == (expected.low, expected.high)
    assert {point.undefined for point in points if point.accuracy is None} == {NOT_JUDGED}


def test_where_no_expert_looked_nothing_is_judged() -> None:
    points = judged_right(left(Stage.IMPORTED, a="A"), {})
    assert {(point.accuracy, point.low, point.undefined) for point in points} == {(None, None, NOT_JUDGED)}
