"""Three columns side by side; where they do not fit, the middle one becomes a tab of the right one.

Where not even two fit, as on a small screen at 200 %, they are scrolled to where the keys go.
"""

from collections.abc import Sequence
from functools import partial

import shiboken6
from PySide6.QtCore import QKeyCombination, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QFrame,
    QLineEdit,
    QPlainTextEdit,
    QTabWidget,
    QWidget,
)

from annotator.cases.access import show_case
from annotator.review.queue.case_rows import CaseFilter, CaseRow, list_cases
from scoring.texts import tr
from ui.desk.document import CaseDocument
from ui.dialogue.panel import DialoguePanel
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme import EmptyState, theme
from ui.theme.events import DueReading, claim_keys, follow_focus
from ui.theme.layouts import ScrollArea, Splitter, build, hbox, stacked, vbox
from ui.theme.look import follow_theme

_SIZES = (580, 416, 336)
_LEAST = (330, 424, 300)
"""Widths at 100 % below which a column cannot be read."""
_LINE = 3
"""Height of the line above the active column, in pixels at 100 %."""
_ROOM = (320, 120)
"""Width and height at 100 % that are left for the columns in the smallest window; then they scroll."""
_CONTROL, _ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
_TEXT_KEYS = (
    QKeyCombination(_CONTROL, Qt.Key.Key_Return),
    QKeyCombination(_CONTROL | Qt.KeyboardModifier.KeypadModifier, Qt.Key.Key_Enter),
    QKeyCombination(_CONTROL, Qt.Key.Key_D),
    QKeyCombination(_ALT, Qt.Key.Key_Up),
    QKeyCombination(_ALT, Qt.Key.Key_Down),
)


_NARROW, _WIDE = 1360, 1800
"""Widths of a window below and from which other widths of the columns are remembered, in pixels."""


def layout_name(person: str, window_width: int) -> str:
    """What the widths of the columns are remembered as: of each person and each size of window, in pixels."""
    size = "narrow" if window_width < _NARROW else "wide" if window_width >= _WIDE else "usual"
    return f"workbench {person} {size}"


def _is_for_text(event: QKeyEvent) -> bool:
    is_typing = isinstance(QApplication.focusWidget(), QPlainTextEdit | QLineEdit)
    return is_typing and event.keyCombination() in _TEXT_KEYS


class ColumnArea(QWidget):
    """Holds the columns; a line stands above the one the keys go to.

    Args:
        left: The first column.
        middle: The second one.
        tabs: The third one.
        middle_name: What the second one is called as a tab.
    """

    def __init__(
        self,
        left: QWidget,
        middle: QWidget,
        *,
        tabs: QTabWidget,
        middle_name: str,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._left, self._middle, self._tabs = left, middle, tabs
        self._middle_name = middle_name
        self._kept: tuple[Preferences, str] | None = None
        self.splitter = build(
            Splitter,
            _SIZES,
            least=690,  # two columns with every tab and word in sight
            objectName="workbench-columns",
            splitterMoved=self._keep_sizes,
        )
        # While it is empty: whenever a widget gets a parent, Qt puts the style on all that is in it again.
        vbox(ScrollArea(self.splitter, width=_ROOM[0], height=_ROOM[1]), within=self, gap=None)
        claim_keys(self, _is_for_text)
        for column, share in ((left, 5), (middle, 4), (tabs, 0)):
            self.splitter.addWidget(column)
            self.splitter.setStretchFactor(self.splitter.indexOf(column), share)
        self.alone: QWidget | None = None
        """The column that has all the room; None while they share it."""
        # Moving a column destroys a handle of the splitter. Qt still walks over the widgets it has noted
        # while it puts on a style or a size, so the column may only move once all of them were told.
        self._soon = build(QTimer, self, singleShot=True, interval=0, timeout=self._arrange)
        self._sizes = [theme().px(size) for size in _SIZES]
        self.splitter.setSizes(self._sizes)
        follow_theme(self._set_least)
        self.active: QWidget = left
        """The column the keys go to, or went to last."""
        self._line = build(QFrame, self, objectName="active-line", visible=False)
        self._line.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        follow_focus(self._follow_focus)

    @property
    def is_middle_a_tab(self) -> bool:
        """Whether there is no room for three columns."""
        return self._tabs.indexOf(self._middle) >= 0

    def toggle_alone(self) -> QWidget | None:
        """Give the column under focus all the room, or give the others theirs back.

        Returns:
            The column that is alone now; None where they share the room.
        """
        if self.alone is not None:
            self.share()
        else:
            self.show_alone(self._column_under_focus())
        return self.alone

    def show_alone(self, column: QWidget) -> None:
        """Give one column all the room."""
        self.alone = column
        for other in self._shown():
            other.setVisible(other is column)
        self._soon.start()

    def share(self) -> None:
        """Show all the columns again."""
        if self.alone is None:
            return
        self.alone = None
        for column in self._shown():
            column.show()
        self.splitter.setSizes(self._sizes)
        self._arrange()

    def bring(self, inside: QWidget) -> None:
        """Bring the column of a widget into sight, and the others back where it was hidden behind one."""
        if self.alone is not None and inside is not self.alone and not self.alone.isAncestorOf(inside):
            self.share()

    def remember(self, preferences: Preferences, person: str) -> None:
        """Give the columns the widths a person chose in this size of window; what they choose is kept."""
        self._kept = (preferences, person)
        sizes = preferences.settings.splitters.get(layout_name(person, self.window().width()), ())
        if len(sizes) == len(_SIZES):
            self._sizes = list(sizes)
            if not self.is_middle_a_tab and self.alone is None:
                self.splitter.setSizes(self._sizes)

    def show_middle(self) -> None:
        """Bring the middle column into sight."""
        if self.is_middle_a_tab:
            self._tabs.setCurrentWidget(self._middle)
            self.bring(self._tabs)
        else:
            self.bring(self._middle)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_line()
        self._soon.start()

    def _set_least(self) -> None:
        for column, least in zip((self._left, self._middle, self._tabs), _LEAST, strict=True):
            column.setMinimumWidth(theme().px(least))
        self._soon.start()

    def _shown(self) -> list[QWidget]:
        widgets = (self.splitter.widget(place) for place in range(self.splitter.count()))
        return [widget for widget in widgets if widget is not None]

    def _column_under_focus(self) -> QWidget:
        focus = QApplication.focusWidget()
        under = (c for c in self._shown() if focus is not None and (c is focus or c.isAncestorOf(focus)))
        return next(under, self._left)

    def _follow_focus(self, _: object, focus: QWidget | None) -> None:
        # The focus moves on while the columns go away, too.
        if shiboken6.isValid(self) and focus is not None and self.isAncestorOf(focus):
            self.active = self._column_under_focus()
            self._place_line()

    def _place_line(self) -> None:
        column = self.active
        self._line.setVisible(column.isVisible())
        corner = column.mapTo(self, QPoint(0, 0))
        self._line.setGeometry(corner.x(), corner.y(), column.width(), theme().px(_LINE))
        self._line.raise_()

    def _arrange(self) -> None:
        self._share_room()
        self._place_line()

    def _share_room(self) -> None:
        if self.alone is not None:
            return
        must_be_tab = self.width() < theme().px(sum(_LEAST))
        if must_be_tab and not self.is_middle_a_tab:
            # First, as it stood left of them: the last tabs may be out of sight.
            self._tabs.insertTab(0, self._middle, self._middle_name)
            self._tabs.setUsesScrollButtons(True)
        elif self.is_middle_a_tab and not must_be_tab:
            self._tabs.removeTab(self._tabs.indexOf(self._middle))
            self._tabs.setUsesScrollButtons(False)
            self.splitter.insertWidget(1, self._middle)
            self._middle.show()
            self.splitter.setSizes(self._sizes)
        if self.is_middle_a_tab:
            self.splitter.setSizes([self.width() * 5 // 9, self.width() * 4 // 9])  # room for the drawing

    def _keep_sizes(self) -> None:
        self._place_line()
        if not self.is_middle_a_tab and self.alone is None:
            self._sizes = self.splitter.sizes()
            if self._kept is not None:
                preferences, person = self._kept
                name = layout_name(person, self.window().width())
                preferences.change(splitters=preferences.settings.splitters | {name: tuple(self._sizes)})


class GoldPanel(QWidget):
    """Lists the gold examples of the project and shows one."""

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="gold-panel")
        self._operations = operations
        self._case_id = ""
        self._due = DueReading(
            self,
            partial(
                operations.run,
                partial(list_cases, where=CaseFilter(only_gold=True), limit=50),
                then=self._show_list,
            ),
        )
        self.choice = build(
            QComboBox, objectName="gold-choice", accessibleName=tr("Gold example"), activated=self._load
        )
        self.panel = DialoguePanel(tr("Gold"))
        self.panel.view.set_read_only(on=True)
        self._empty = EmptyState(
            "star",
            tr("No gold examples yet"),
            tr("An expert marks cases that are done right; they appear here."),
        )
        self._stack = stacked(self._empty, self.panel)
        vbox(hbox((self.choice, 1), gap=None, margins=(12, 6)), (self._stack, 1), within=self)

    def look_up(self, case_id: str) -> None:
        """Find the gold examples besides a case, as soon as somebody looks."""
        self._case_id = case_id
        self._due.ask()

    def _show_list(self, rows: Sequence[CaseRow]) -> None:
        others = [row for row in rows if row.case_id != self._case_id]
        self.choice.clear()
        for row in others:
            self.choice.addItem(f"{row.case_id} · {' '.join(row.request.split())[:60]}", row.case_id)
        self.choice.setVisible(bool(others))
        self._stack.setCurrentWidget(self.panel if others else self._empty)
        if others:
            self._load(0)

    def _load(self, _: int) -> None:
        look = partial(show_case, case_id=str(self.choice.currentData()))
        self._operations.run(look, then=partial(self.panel.show_case, task=0), newest_of=self)


class BesidePanel(QWidget):
    """Shows the case of a document with a task of its own unfolded; it follows every edit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="beside-panel")
        self.panel = DialoguePanel(tr("Beside"))
        self.panel.view.set_read_only(on=True)
        self.panel.view.setAccessibleName(tr("Another task of the dialogue, to read only"))
        vbox(self.panel, within=self, gap=None)

    def begin(self, document: CaseDocument) -> None:
        """Show the task before the selected one, or the one behind it where there is none before."""
        task = document.selection.task
        self._show(document, task - 1 if task else 1)

    def refresh(self, document: CaseDocument) -> None:
        """Show the case of a document as it is now."""
        self._show(document, self.panel.view.open_task)

    def _show(self, document: CaseDocument, task: int) -> None:
        self.panel.show_case(document.case, task=min(task, len(document.case.tasks) - 1))
