"""How long the note of a restored draft stays: until the work goes on, unless it waits for an answer."""

import pytest

from tests.ui.workbench.driving import Bench
from ui.theme import Hint


@pytest.fixture
def restored(bench: Bench) -> Bench:
    """The workbench with a draft that was restored a moment ago."""
    bench.open("c-1")
    bench.press("P", "1")
    bench.wait(bench.is_saved)
    bench.reopen()
    bench.wait(lambda: is_noted(bench))
    return bench


def is_noted(bench: Bench) -> bool:
    return any(note.isVisible() for note in bench.page.findChildren(Hint, "restored-note"))


def test_it_goes_with_the_first_edit(restored: Bench) -> None:
    restored.press("P", "2")
    restored.wait(lambda: not is_noted(restored))


def test_it_goes_after_some_seconds_of_work_and_not_before(restored: Bench) -> None:
    seconds = restored.document.seconds
    restored.page.clock.ticked.emit(seconds + 10)
    assert is_noted(restored)
    restored.page.clock.ticked.emit(seconds + 21)
    assert not is_noted(restored)
