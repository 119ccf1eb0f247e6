"""What a run takes in tokens and dollars, and the limit it must keep."""

import threading

from pydantic import Field, model_validator

from scoring.errors import BlockedError
from scoring.model.record import Record
from scoring.predictions import Usage


class OverBudget(Exception):  # noqa: N818 (not an error: the run was told to stop here)
    """The budget is used up."""


class Budget(Record):
    """What a run may take at most; prices are dollars per million tokens.

    A limit in dollars needs both prices. Replies under way when a limit is reached still arrive, so a
    run of n conversations at once may exceed it by n replies.
    """

    tokens: int | None = Field(default=None, gt=0, title="Token limit", examples=["no limit"])
    dollars: float | None = Field(default=None, gt=0, title="Spending limit, dollars", examples=["no limit"])
    prompt_price: float | None = Field(
        default=None, ge=0, title="Dollars per million tokens read", examples=["read"]
    )
    completion_price: float | None = Field(
        default=None, ge=0, title="Dollars per million tokens written", examples=["written"]
    )

    @model_validator(mode="after")
    def _priced(self) -> "Budget":
        if self.dollars is not None and None in (self.prompt_price, self.completion_price):
            raise ValueError("a budget in dollars needs the price of prompt and completion tokens")
        return self

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """Dollars for tokens; None without prices."""
        if self.prompt_price is None or self.completion_price is None:
            return None
        return (prompt_tokens * self.prompt_price + completion_tokens * self.completion_price) / 1_000_000


class Spending:
    """Counts tokens as replies come in, from any thread.

    Args:
        budget: The limit; one without limits is never used up.
        shared: Those that keep the limit together with this one, which joins them; None for it alone.
    """

    def __init__(self, budget: Budget, *, shared: "list[Spending] | None" = None) -> None:
        self._budget = budget
        self._all = [] if shared is None else shared
        self._all.append(self)
        self._lock = threading.Lock()
        self.prompt_tokens = 0
        """Tokens the model read."""
        self.completion_tokens = 0
        """Tokens the model wrote, reasoning included."""
        self._is_unknown = False

    def add(self, usage: Usage | None) -> None:
        """Count one reply."""
        with self._lock:
            if usage is None or usage.prompt_tokens is None or usage.completion_tokens is None:
                self._is_unknown = True
            self.prompt_tokens += (usage and usage.prompt_tokens) or 0
            self.completion_tokens += (usage and usage.completion_tokens) or 0

    @property
    def dollars(self) -> float | None:
        """What they cost; None without prices."""
        return self._budget.cost(self.prompt_tokens, self.completion_tokens)

    def check(self) -> None:
        """Stop here if the next reply would go beyond the limit; call it before each one.

        Raises:
            OverBudget: A limit is reached.
            BlockedError: There is a limit, and the endpoint does not say what its replies take.
        """
        if self._budget.tokens is None and self._budget.dollars is None:
            return
        if self._is_unknown:
            raise BlockedError(
                "The endpoint does not report tokens, so the budget cannot be kept.",
                "Run without a budget, or use an endpoint that reports `usage`.",
            )
        tokens = sum(one.prompt_tokens + one.completion_tokens for one in self._all)
        dollars = sum(one.dollars or 0 for one in self._all)
        limits = ((tokens, self._budget.tokens), (dollars, self._budget.dollars))
        if any(most is not None and taken >= most for taken, most in limits):
            raise OverBudget
