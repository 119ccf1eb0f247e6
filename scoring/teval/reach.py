"""Which steps lead to which."""

from collections.abc import Callable, Iterable


def reached(first: Iterable[int], after: Callable[[int], Iterable[int]]) -> set[int]:
    """Some steps, those that come after each of them, those after these, and so on.

    Args:
        first: Where to begin.
        after: The steps that come directly after a step.
    """
    found: set[int] = set()
    todo = list(first)
    while todo:
        step = todo.pop()
        if step not in found:
            found.add(step)
            todo.extend(after(step))
    return found
