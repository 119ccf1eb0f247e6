"""Typing the number of a step, digit by digit."""

from dataclasses import dataclass


@dataclass(frozen=True)
class NumberEntry:
    """Digits typed so far, for a number below a limit."""

    limit: int
    digits: str = ""

    def typed(self, digit: str) -> "NumberEntry":
        """Add a digit; one that leads nowhere starts over."""
        longer = NumberEntry(self.limit, self.digits + digit)
        return longer if longer.value is not None else NumberEntry(self.limit, digit)

    @property
    def value(self) -> int | None:
        """The number as it stands; null where there is no such step."""
        number = int(self.digits) if self.digits else None
        return number if number is not None and number < self.limit else None

    @property
    def is_settled(self) -> bool:
        """Whether no further digit could name another step."""
        value = self.value
        return value is not None and (value == 0 or value * 10 >= self.limit)
