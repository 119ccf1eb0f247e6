"""Tokens, dollars, and the limits of a run."""

import pytest
from pydantic import ValidationError

from annotator.llm.budget import Budget, OverBudget, Spending
from scoring.errors import BlockedError
from scoring.predictions import Usage


def spent(budget: Budget, *usages: tuple[int, int] | None) -> Spending:
    spending = Spending(budget)
    for usage in usages:
        spending.add(Usage(prompt_tokens=usage[0], completion_tokens=usage[1]) if usage else None)
    return spending


def test_dollars_follow_from_prices_a_million_tokens() -> None:
    # 2,000 x $2.50 / 10^6 + 500 x $10 / 10^6 = $0.005 + $0.005
    assert spent(
        Budget(prompt_price=2.5, completion_price=10), (1500, 400), (500, 100)
    ).dollars == pytest.approx(0.01)


def test_without_both_prices_there_are_no_dollars() -> None:
    assert spent(Budget(prompt_price=2.5), (1500, 400)).dollars is None


def test_a_limit_in_dollars_needs_prices() -> None:
    with pytest.raises(ValidationError, match="price"):
        Budget(dollars=1, prompt_price=2)


@pytest.mark.parametrize(
    "budget",
    [Budget(tokens=110), Budget(dollars=0.00011, prompt_price=1, completion_price=1)],
)
def test_a_limit_that_is_reached_stops(budget: Budget) -> None:
    spent(budget, (100, 9)).check()
    with pytest.raises(OverBudget):
        spent(budget, (100, 10)).check()


@pytest.mark.parametrize("usage", [None, Usage(prompt_tokens=5), Usage(completion_tokens=5)])
def test_a_limit_cannot_be_kept_where_tokens_are_unknown(usage: Usage | None) -> None:
    spending = Spending(Budget(tokens=1000))
    spending.add(usage)
    with pytest.raises(BlockedError):
        spending.check()


def test_without_a_limit_nothing_stops() -> None:
    spent(Budget(prompt_price=1, completion_price=1), None, (10**9, 10**9)).check()
