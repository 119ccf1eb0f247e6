"""Nothing jumps when a card is selected, a tab gets narrow or an item is checked."""

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QAbstractButton, QLabel, QSplitter, QWidget

from annotator.drafts.checklists import next_open
from tests.ui.find import find
from tests.ui.settling import is_settled
from tests.ui.workbench.driving import Bench

Places = dict[tuple[str, str, str], QRect]


def places(bench: Bench, root: QWidget) -> Places:
    """Where everything in sight with a name or words stands in the window, once nothing changes any more."""
    found: list[Places] = [{}]

    def is_still() -> bool:
        found.append(_places(bench, root))
        return is_settled(bench.operations) and found[-1] == found[-2]

    bench.wait(is_still)
    return found[-1]


def _places(bench: Bench, root: QWidget) -> Places:
    found: Places = {}
    for widget in root.findChildren(QWidget):
        words = widget.text() if isinstance(widget, QLabel | QAbstractButton) else ""
        # The line above a column follows the keys from column to column.
        if widget.isVisible() and (words or widget.objectName() not in ("", "active-line")):
            key = type(widget).__name__, widget.objectName(), words
            found[key] = QRect(widget.mapTo(bench.window, widget.rect().topLeft()), widget.size())
    return found


def moved(before: Places, after: Places) -> list[tuple[str, str, str]]:
    """What stands elsewhere or has another size; what comes or goes in free room moves nothing."""
    return [key for key in before.keys() & after.keys() if before[key] != after[key]]


def drawn(bench: Bench) -> list[QRect]:
    """Where the cards of the drawing are on the screen."""
    view = bench.panels.graph.view
    cards = (item.mapRectToScene(item.rect()) for item in view.board.steps.values())
    return [view.mapFromScene(card).boundingRect() for card in cards]


def test_nothing_moves_when_card_after_card_is_selected(bench: Bench) -> None:
    bench.open("c-1")
    before, cards = places(bench, bench.page), drawn(bench)
    for card in (0, 1):
        bench.press("J")
        assert bench.document.selection.step == card
        assert (moved(before, places(bench, bench.page)), drawn(bench)) == ([], cards)


def test_nothing_moves_when_a_step_of_the_drawing_is_selected(bench: Bench) -> None:
    bench.open("c-1")
    view, cards = bench.panels.graph.view, drawn(bench)
    before = places(bench, bench.panels.graph)
    for step in view.board.steps:
        view.select_step(step)
        assert (moved(before, places(bench, bench.panels.graph)), drawn(bench)) == ([], cards)


def test_no_row_of_the_review_moves_when_an_item_is_checked(bench: Bench) -> None:
    bench.open("c-1")
    bench.read_dialogue()
    document, checked = bench.document, 0
    before = places(bench, bench.panels.review)
    while (item := next_open(document.assessment.items, document.judgment, task=0)) is not None:
        bench.check(item)
        checked += 1
        rows = {key for key in moved(before, places(bench, bench.panels.review)) if key[0] != "SectionLabel"}
        assert rows == set()
    assert checked > 1


def test_a_tab_that_gets_narrow_moves_neither_the_dialogue_nor_its_own_rows_up_or_down(bench: Bench) -> None:
    bench.window.resize(1700, 900)
    bench.open("c-1")
    splitter = find(bench.page, QSplitter, "workbench-columns")
    wide = [650, 560, splitter.width() - 1220]
    splitter.setSizes(wide)
    checklist = bench.panels.review.task_checklist
    dialogue, rows = places(bench, bench.panels.dialogue), places(bench, checklist)
    splitter.setSizes([wide[0], wide[1] + wide[2] - 320, 320])
    assert splitter.sizes()[2] < wide[2] - 50
    assert moved(dialogue, places(bench, bench.panels.dialogue)) == []
    now = places(bench, checklist)
    assert [key for key in rows.keys() & now.keys() if rows[key].top() != now[key].top()] == []
