"""The eleven columns, and two models compared over the same items."""

import pytest

from scoring.errors import InputError
from scoring.teval.columns import AbilityColumn, ColumnDifference, compare_models, item_value
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.scores import ItemResult, score_items
from scoring.teval.similarity import CharacterTriples
from scoring.teval.subsets import Subset
from tests.scoring.teval.agents import WEAK, agent_replies
from tests.scoring.teval.gold_replies import gold_replies
from tests.scoring.teval.sample_items import sample_items


def _results(kind: str | None) -> tuple[ItemResult, ...]:
    items = sample_items()
    replies = gold_replies(items) if kind is None else agent_replies(items, WEAK[kind])
    return score_items(items, replies, profile=TEvalProfile.PAPER, similarity=CharacterTriples())


def _review(item: str, value: float, *, case: str | None = "c") -> ItemResult:
    metrics = {"review_quality": value, "parse_rate": 1.0}
    return ItemResult(subset=Subset.REVIEW_STR, item=item, case=case, parsed=True, metrics=metrics)


def _row(rows: tuple[ColumnDifference, ...], name: str) -> ColumnDifference:
    return next(row for row in rows if row.name == name)


def test_an_instruct_item_is_the_mean_of_its_format_and_its_values() -> None:
    one = ItemResult(
        subset=Subset.INSTRUCT,
        item="i",
        parsed=True,
        metrics={"json_format_metric": 1.0, "json_args_em_metric": 0.5},
    )
    assert item_value(one, AbilityColumn.INSTRUCT_J) == 0.75
    assert item_value(one, AbilityColumn.INSTRUCT_S) is None


def test_a_difference_is_the_mean_over_items_and_its_interval_is_over_cases() -> None:
    # Case c: two items lost; case d: one won. (-1 - 1 + 1) / 3.
    first = [_review("a", 1.0), _review("b", 1.0), _review("e", 0.0, case="d")]
    second = [_review("a", 0.0), _review("b", 0.0), _review("e", 1.0, case="d")]
    row = _row(compare_models(first, second), "review")
    assert (row.first, row.second, row.items) == (2 / 3, 1 / 3, 3)
    assert row.difference == pytest.approx(-1 / 3)
    # Two cases drawn twice: only c (-1), only d (+1), or both (-1/3).
    assert row.interval is not None
    assert (row.interval.low, row.interval.high) == (-1.0, 1.0)
    assert not row.is_significant


def test_a_weak_agent_differs_from_a_right_one_in_its_own_columns_alone() -> None:
    rows = compare_models(_results(None), _results("retrieve"))
    assert [row.name for row in rows] == [*AbilityColumn, "overall"]
    assert {row.name for row in rows if row.difference} == {"retr S", "retr J", "overall"}
    assert _row(rows, "retr S").is_significant
    # One of six abilities is lost as a whole.
    assert _row(rows, "overall").difference == pytest.approx(-1 / 6)
    assert _row(rows, "overall").is_significant


def test_the_same_seed_gives_the_same_interval_whatever_the_order() -> None:
    first, second = _results(None), _results("plan")
    assert compare_models(first, second) == compare_models(first, tuple(reversed(second)))


def test_one_case_alone_has_no_interval_and_says_why() -> None:
    row = _row(compare_models([_review("a", 1.0)], [_review("a", 0.0)]), "review")
    assert (row.difference, row.interval) == (-1.0, None)
    assert "fewer than two" in (row.why_none or "")


def test_models_over_other_items_are_not_compared() -> None:
    with pytest.raises(InputError, match="other items"):
        compare_models([_review("a", 1.0)], [_review("b", 1.0)])
