"""Results that are kept for as long as the very objects they were made from stay the same."""

from collections.abc import Callable, Hashable
from operator import is_
from typing import TypeVar

Made = TypeVar("Made")


class Memory:
    """What was worked out about the parts of a case; an edit leaves most parts the objects they were."""

    def __init__(self) -> None:
        self._kept: dict[Hashable, tuple[tuple[object, ...], object]] = {}

    def recall(self, key: Hashable, made_from: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """What was made before from the same objects, else made now.

        Args:
            key: What it is, and of which part of the case.
            made_from: The frozen objects it depends on; compared by identity.
            make: Makes it; always of one type for one key.
        """
        found = self._kept.get(key)
        if found is not None and len(found[0]) == len(made_from) and all(map(is_, found[0], made_from)):
            return found[1]  # type: ignore[return-value]
        made = make()
        self._kept[key] = (made_from, made)
        return made
