"""The columns at every size of everything: nothing is destroyed while Qt tells the widgets of it."""

from collections.abc import Iterator
from functools import partial

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from annotator.drafts.journal import Journal
from tests.ui.sizes import destroyed_while_sized
from tests.ui.workbench.driving import Bench
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.appearance import SCALES
from ui.theme import apply_theme
from ui.workbench.page import WorkbenchPage


@pytest.fixture(autouse=True)
def usual_size(light: QApplication) -> Iterator[QApplication]:
    """100 % also afterwards."""
    yield light
    apply_theme(light, dark=False)


def test_no_widget_is_destroyed_while_a_size_is_put_on(bench: Bench, light: QApplication) -> None:
    bench.open("c-1")
    assert (
        destroyed_while_sized(
            light, scales=(*SCALES, *reversed(SCALES)), settle=partial(bench.qtbot.wait, 30)
        )
        == []
    )


def test_sizes_may_follow_each_other_faster_than_the_columns(bench: Bench, light: QApplication) -> None:
    bench.open("c-1")
    assert destroyed_while_sized(light, scales=(1.25, 1.5, 1.75, 2.0, 1.0) * 3) == []
    bench.wait(lambda: not bench.panels.columns.is_middle_a_tab)


def test_a_larger_size_makes_the_graph_a_tab_and_a_smaller_one_a_column(
    bench: Bench, light: QApplication
) -> None:
    bench.open("c-1")
    apply_theme(light, dark=False, scale=1.5)
    bench.wait(lambda: bench.panels.columns.is_middle_a_tab)
    apply_theme(light, dark=False)
    bench.wait(lambda: not bench.panels.columns.is_middle_a_tab)
    assert bench.panels.graph.view.isVisible()


class _Styles(QObject):
    """Counts how often a style was put on a widget."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        self.count += event.type() is QEvent.Type.StyleChange
        return super().eventFilter(watched, event)


def test_a_widget_seldom_gets_another_parent_while_the_page_is_built(
    light: QApplication, closed_operations: Operations, preferences: Preferences, journal: Journal
) -> None:
    window, styles = QMainWindow(), _Styles()
    light.installEventFilter(styles)
    page = WorkbenchPage(closed_operations, Commands(window), preferences, journal=journal)
    light.removeEventFilter(styles)
    # With each parent Qt puts the style on again, on all that is inside: 2,370 times on 527 widgets.
    assert styles.count < 6 * len(page.findChildren(QWidget))
    window.setCentralWidget(page)
    shiboken6.delete(window)
