"""Find and replace in a case: the places in a list, all of them or some, each time one step of undo."""

from collections.abc import Callable, Collection, Mapping
from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from annotator.cases.edits.replacement import Field, Hit, find_all, find_and_replace, text_around
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from ui.theme import Button, ButtonKind, ElidedLabel, TextLabel, WrappedLabel, theme
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import DropDown
from ui.theme.layouts import build, hbox
from ui.theme.untrusted import plain_tip, visible
from ui.theme.words import counted

_FIELDS: Mapping[str, frozenset[Field]] = {
    "Everywhere": frozenset(("user", "text", "reply", "arguments", "observation")),
    "Requests": frozenset(("user",)),
    "Questions, replies and answers": frozenset(("text", "reply")),
    "Arguments of calls": frozenset(("arguments",)),
    "Observations": frozenset(("observation",)),
}
_NAMES: Mapping[Field, str] = {
    "user": "request",
    "text": "text",
    "reply": "reply",
    "arguments": "argument",
    "observation": "observation",
}
_BEFORE, _BEHIND = 28, 48
_MOST_SHOWN = 500
_FEWEST_LINES = 3


def replaced(
    case: Case, *, needle: str, replacement: str, match_case: bool, chosen: Collection[Hit] | None
) -> Case:
    """The case with words replaced wherever they stand, or in the chosen places."""
    return find_and_replace(case, needle, replacement=replacement, match_case=match_case, chosen=chosen).case


class ReplaceDialog(QDialog):
    """Asks for the words, what they become, and where.

    Args:
        case: Gives the case as it is now.
        parent: The page.
        words: What is looked for at first.
    """

    wanted = Signal(str, object)
    """(title, change of the case)."""
    place_wanted = Signal(int, object)
    """(task, step or null for the request): the place that is current in the list."""

    def __init__(self, case: Callable[[], Case], parent: QWidget, *, words: str = "") -> None:
        super().__init__(parent)
        self.setObjectName("replace-dialog")
        self.setWindowTitle("Replace in this case")
        self._case = case
        self._hits: tuple[Hit, ...] = ()
        self._is_listing = False
        self.needle, self.replacement = QLineEdit(words), QLineEdit()
        self.match_case = build(QCheckBox, "Match capital letters", toggled=self._look)
        self.scope = DropDown("replace-scope", [(name, name) for name in _FIELDS])
        self.places = _Places()
        self._count = ElidedLabel("", "small-muted")
        self._problem = WrappedLabel("", "error")
        self._this = Button("Replace this", keys="Ctrl ↵", clicked=self._replace_current)
        self._all = Button("Replace all", ButtonKind.PRIMARY, keys="↵", clicked=self._replace_chosen)
        self._name_parts()
        self._lay_out()
        self.needle.textChanged.connect(self._look)
        self.scope.currentIndexChanged.connect(self._look)
        self.places.itemChanged.connect(self._count_chosen)
        self.places.currentItemChanged.connect(self._show_place)
        QShortcut(Qt.Modifier.CTRL | Qt.Key.Key_Return, self, self._replace_current)
        self._look()
        self.needle.selectAll()

    def _name_parts(self) -> None:
        self.needle.setObjectName("replace-needle")
        self.replacement.setObjectName("replace-with")
        self.match_case.setObjectName("replace-match-case")
        self.scope.setAccessibleName("Where to look")
        self.places.setObjectName("replace-places")
        self.places.setAccessibleName("Places; Space leaves one out or takes it in")
        self._count.setObjectName("replace-count")
        self._problem.setObjectName("replace-problem")
        self._problem.hide()
        self._this.setObjectName("replace-this")
        self._all.setObjectName("replace-ok")
        self._all.setDefault(True)

    def _lay_out(self) -> None:
        self.places.setColumnCount(2)
        self.places.setHeaderLabels(["Place", "What stands there"])
        self.places.setRootIsDecorated(False)
        self.places.setUniformRowHeights(True)
        self.places.header().setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        frame = DialogFrame(self, "Replace in this case", width=640, height=480)
        frame.explain("Names of tools and arguments stay as they are.")
        form = frame.add_form()
        for name, field in (("Find", self.needle), ("Replace with", self.replacement)):
            field.setAccessibleName(name)
            form.addRow(TextLabel(name), field)
        where = hbox((self.scope, 1), self.match_case, gap=None)
        form.addRow(TextLabel("In"), where)
        frame.add(self.places, stretch=1)
        frame.add(self._problem)
        frame.end_with(self._this, self._all, cancel="Close", left=self._count)

    # places

    def _look(self) -> None:
        """List the places again."""
        needle, case = self.needle.text(), self._case()
        fields = _FIELDS[self.scope.currentText()]
        found = find_all(case, needle, match_case=self.match_case.isChecked()) if needle else ()
        self._hits = tuple(hit for hit in found if hit.field in fields)
        self._is_listing = True
        self.places.clear()
        self.places.addTopLevelItems([_item(case, hit) for hit in self._hits[:_MOST_SHOWN]])
        self._is_listing = False
        self._count_chosen()

    def _chosen(self) -> tuple[Hit, ...]:
        """The places that are ticked; those beyond the end of the list cannot be left out."""
        rows = range(self.places.topLevelItemCount())
        ticked = [self._hits[row] for row in rows if _is_ticked(self.places.topLevelItem(row))]
        return (*ticked, *self._hits[_MOST_SHOWN:])

    def _count_chosen(self) -> None:
        if self._is_listing:
            return
        count, total = len(self._chosen()), len(self._hits)
        words = counted(total, "place") if count == total else f"{count:,} of {counted(total, 'place')}"
        self._count.setText(words if self.needle.text() else "")
        blocked = "" if total else "Type words that stand in the case."
        self._all.setText("Replace all" if count == total else f"Replace {count:,}")
        self._all.set_blocked(blocked or ("" if count else "Tick a place in the list (Space)."))
        self._this.set_blocked(blocked or ("" if self.places.currentItem() else "Go to a place in the list."))

    def _show_place(self) -> None:
        row = self.places.currentIndex().row()
        if not self._is_listing and 0 <= row < len(self._hits):
            self.place_wanted.emit(self._hits[row].task, self._hits[row].step)
        self._count_chosen()

    # replacing

    def _replace_chosen(self) -> None:
        chosen = self._chosen()
        self._replace(None if len(chosen) == len(self._hits) and self.scope.currentIndex() == 0 else chosen)

    def _replace_current(self) -> None:
        row = self.places.currentIndex().row()
        if not 0 <= row < len(self._hits):
            return
        self._replace((self._hits[row],))
        self.places.setCurrentIndex(self.places.model().index(min(row, len(self._hits) - 1), 0))

    def _replace(self, chosen: Collection[Hit] | None) -> None:
        needle = self.needle.text()
        change = partial(
            replaced,
            needle=needle,
            replacement=self.replacement.text(),
            match_case=self.match_case.isChecked(),
            chosen=chosen,
        )
        try:
            change(self._case())
        except AnnotatorError as error:
            self._problem.setText(str(error))
            self._problem.show()
            return
        self._problem.hide()
        self.wanted.emit(f"replace “{needle}”", change)
        self._look()


class _Places(QTreeWidget):
    """The list of places; on a low screen the fields above give way, not its lines."""

    def minimumSizeHint(self) -> QSize:
        row = max(self.sizeHintForRow(0), theme().px(20))
        height = self.header().sizeHint().height() + _FEWEST_LINES * row
        return QSize(super().minimumSizeHint().width(), height)


def _item(case: Case, hit: Hit) -> QTreeWidgetItem:
    where = f"Task {hit.task + 1}" if hit.step is None else f"Task {hit.task + 1} · step {hit.step}"
    text = text_around(case, hit)
    start, end = hit.span
    before, behind = text[max(start - _BEFORE, 0) : start], text[end : end + _BEHIND]
    shown = f"{'…' if start > _BEFORE else ''}{before}»{text[start:end]}«{behind}"
    name = " ".join(part for part in (_NAMES[hit.field], hit.path) if part)
    item = QTreeWidgetItem([f"{where} · {visible(name)}", visible(" ".join(shown.split()))])
    item.setToolTip(1, plain_tip(text[:2000]))
    item.setCheckState(0, Qt.CheckState.Checked)
    return item


def _is_ticked(item: QTreeWidgetItem | None) -> bool:
    return item is not None and item.checkState(0) is Qt.CheckState.Checked
