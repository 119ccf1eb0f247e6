"""Work on the open case that was set aside: listed with what it would change, and brought back."""

from collections.abc import Hashable, Sequence
from datetime import datetime

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDialog, QWidget

from annotator.drafts.carry_over import gone_words
from annotator.drafts.difference import restored_words
from annotator.drafts.journal import SetAside, written_at
from annotator.drafts.snapshot import Snapshot, opening_snapshot
from scoring.errors import AnnotatorError
from ui.theme import Button, ButtonKind, ElidedLabel
from ui.theme.dialogs import DialogFrame, open_dialog
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import ago, exactly
from ui.workbench.open_work import OpenWork

_COLUMNS = (Column("Written", 130), Column("What it would change"))
_NOTHING = "Nothing was set aside of your work on this case."
_SAME, _DAMAGED = "nothing: the same as now", "cannot be read"


def set_aside_rows(found: Sequence[SetAside], shown: Snapshot, now: datetime) -> tuple[Row, ...]:
    """One line for each piece of work, keyed by its number; beside it what it would change."""
    return tuple(Row(number, _cells(one, shown, now)) for number, one in enumerate(found))


def _cells(one: SetAside, shown: Snapshot, now: datetime) -> tuple[Cell, ...]:
    if one.kept is None:
        return Cell("", tip=str(one.path)), Cell(_DAMAGED, colour="muted", tip=str(one.path))
    at = written_at(one.kept.body, one.kept.at)
    changed = changed_words(one, shown)
    return Cell(ago(at, now), tip=exactly(at, now)), Cell(
        changed or _SAME, tip=changed, colour="text" if changed else "muted"
    )


def changed_words(one: SetAside, shown: Snapshot) -> str:
    """What bringing it back would change, e.g. `2 labels and 1 citation`; empty for nothing."""
    if one.kept is None:
        return ""
    body = one.kept.body
    try:
        work = opening_snapshot(body.case, body.judgment)
    except AnnotatorError as error:
        return error.message
    words = restored_words(shown, work)
    typed = "what was being typed" if body.open_editor is not None else ""
    return " and ".join(part for part in (words, typed) if part)


class SetAsideDialog(QDialog):
    """Lists what was set aside; Enter or the button brings the marked one back.

    Args:
        found: What there is, what was written last first.
        shown: The work as it is now.
        parent: The page.
    """

    wanted = Signal(object)
    """The `SetAside` to bring back."""

    def __init__(self, found: Sequence[SetAside], shown: Snapshot, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("aside-dialog")
        self.setWindowTitle("Work that was set aside")
        self._found = tuple(found)
        self._table = FigureTable("aside", "Work that was set aside", _COLUMNS, is_sortable=False)
        self._changes = tuple(changed_words(one, shown) for one in found)
        self._place = ElidedLabel(
            "", "small-muted", mode=Qt.TextElideMode.ElideMiddle, objectName="aside-place"
        )
        self._ok = Button(
            "Bring back",
            ButtonKind.PRIMARY,
            keys="↵",
            objectName="aside-ok",
            default=True,
            clicked=self._bring_marked,
        )
        frame = DialogFrame(self, "Work that was set aside", width=560, height=340)
        frame.explain("It takes the place of what is open; undo brings that again. The files stay.")
        frame.add(self._table, stretch=1)
        frame.end_with(self._ok, cancel="Close", left=self._place)
        self._table.marked.connect(self._show_marked)
        self._table.opened.connect(self._bring)
        self._table.show_rows(set_aside_rows(found, shown, datetime.now().astimezone()))
        self._table.setFocus()

    def _show_marked(self, key: Hashable) -> None:
        if not isinstance(key, int):
            return
        self._place.setText(str(self._found[key].path))
        self._ok.set_blocked(self._why_not(key))

    def _why_not(self, number: int) -> str:
        if self._found[number].kept is None:
            return "This file cannot be read."
        return "" if self._changes[number] else "It is what you have now."

    def _bring_marked(self) -> None:
        self._bring(self._table.marked_key)

    def _bring(self, key: Hashable) -> None:
        # Return reaches the table and the default button; the first of them closes the list.
        if isinstance(key, int) and self.isVisible() and not self._why_not(key):
            self.accept()
            self.wanted.emit(self._found[key])


class SetAsideWork(QObject):
    """Offers what was set aside of the case that is open.

    Args:
        open_work: Where the case lies.
        page: Above which the list opens.
    """

    told = Signal(str)
    """One line for the person."""
    typed = Signal(object)
    """The `OpenEditor` that was open in the work that came back."""

    def __init__(self, open_work: OpenWork, page: QWidget) -> None:
        super().__init__(page)
        self._open_work = open_work
        self._page = page

    def open(self) -> None:
        """List what there is, or say that there is nothing."""
        document, found = self._open_work.document, self._open_work.laid_aside()
        if document is None or not found:
            self.told.emit(_NOTHING)
            return
        dialog = SetAsideDialog(found, document.snapshot, self._page)
        dialog.wanted.connect(self._bring)
        open_dialog(dialog)

    def _bring(self, one: SetAside) -> None:
        if one.kept is None:
            return
        body = one.kept.body
        brought = self._open_work.bring_back(one.kept)
        if brought is not None:
            gone = f" Gone with what changed: {gone_words(brought.gone)}." if brought.gone else ""
            self.told.emit(f"Brought back; undo shows what you had.{gone}")
            if body.open_editor is not None:
                self.typed.emit(body.open_editor)
