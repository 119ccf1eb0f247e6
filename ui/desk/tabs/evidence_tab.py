"""The Evidence tab: every argument value of the case, where it comes from, and the keys that settle it."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QVBoxLayout, QWidget

from annotator.drafts.assessment import EvidenceLine
from annotator.drafts.statements import CitedPlace
from scoring.model.labels import DialogueSource
from scoring.model.taxonomy import SourceMark
from scoring.texts import tr
from ui.desk import judgment_actions
from ui.desk.dialogs import derived_dialog
from ui.desk.document import CaseDocument, Selection
from ui.desk.key_table import KeyTable
from ui.desk.tabs.evidence_model import COLUMNS, SOURCE, EvidenceModel
from ui.theme import Button, ButtonKind, EmptyState, Hint, HintAction, Tone, WrappedLabel, theme
from ui.theme.events import DELETE_KEYS, ENTER_KEYS
from ui.theme.layouts import STRETCH, build, clear_layout, connect, hbox, show_either, vbox

_MARK_KEYS = {
    Qt.Key.Key_D: SourceMark.DEFAULT,
    Qt.Key.Key_R: SourceMark.DERIVED,
    Qt.Key.Key_W: SourceMark.WORLD,
}


_BUTTONS = (
    (("accept", tr("Accept"), "E"), ("select", tr("Select the source"), "S")),
    (("default", tr("Default"), "D"), ("derived", tr("Derived"), "R"), ("world", tr("World"), "W")),
)
"""Name, words and key of each button, a row each."""


class EvidenceTab(QWidget):
    """Shows the evidence of a document and settles it.

    Signals: `value_wanted` carries (task, step, path) of an argument to show; `source_wanted` its task and
    the `DialogueSource` to show; `search_wanted` says that the person wants to select the source of the
    current value in the dialogue, `settled` that something was said about values.
    """

    value_wanted = Signal(int, int, str)
    source_wanted = Signal(int, object)
    search_wanted = Signal()
    settled = Signal()

    def __init__(self, *, is_read_only: bool = False) -> None:
        build(super().__init__, objectName="evidence-tab", topic="judgment.evidence")
        self._document: CaseDocument | None = None
        self._picked: DialogueSource | None = None
        self._is_following = False
        self.model = EvidenceModel(self)
        keys: dict[Qt.Key, Callable[[], object]] = dict.fromkeys(ENTER_KEYS, self._show_source)
        if not is_read_only:
            keys |= {key: partial(self._mark, mark) for key, mark in _MARK_KEYS.items()}
            keys |= dict.fromkeys((Qt.Key.Key_A, Qt.Key.Key_E), self._accept)
            keys |= dict.fromkeys(DELETE_KEYS, self._clear)
            keys[Qt.Key.Key_S] = self.search_wanted.emit
        self.table = KeyTable(
            "evidence-table",
            tr("Argument values and where they come from"),
            textElideMode=Qt.TextElideMode.ElideRight,
        )
        self.table.keys = keys
        self.model.show_lines(())  # columns can be sized once they are there
        self.table.setModel(self.model)
        self._size_columns()
        self._offer = QVBoxLayout()
        self.empty = EmptyState("quotes", tr("Nothing to cite"), tr("No call of this case has an argument."))
        """What stands in place of the table where there is no value, and says why."""
        self._words = WrappedLabel("", "small-muted", objectName="evidence-words")
        buttons = QWidget()
        if is_read_only:
            buttons.hide()
        rows = map(self._buttons, _BUTTONS)
        vbox(self._offer, self._words, *rows, within=buttons, gap=8, margins=(12, 8, 12, 12))
        vbox((self.table, 1), (self.empty, 1), buttons, within=self)
        connect(
            (self.table.doubleClicked, self._show_source),
            (self.table.selectionModel().currentRowChanged, self._tell_current),
        )

    def set_document(self, document: CaseDocument) -> None:
        """Show another document."""
        self._document = document
        connect(
            (document.assessed, self.refresh),
            (document.selection_changed, self._follow),
        )
        self._drop_offer()
        self.refresh()
        self._follow(document.selection)

    def refresh(self) -> None:
        """Show the document as it is now."""
        if self._document is None:
            return
        assessment = self._document.assessment
        self._is_following = True
        self.model.show_lines(assessment.evidence)
        self.table.clearSpans()
        for row in self.model.heads:
            self.table.setSpan(row, 0, 1, len(COLUMNS))
        self._is_following = False
        show_either(self.table, self.empty, on=assessment.evidence)
        self._say()

    @property
    def current_line(self) -> EvidenceLine | None:
        """The value one is at."""
        return self.model.line(self.table.currentIndex().row())

    def go_on(self) -> None:
        """Take the keys, and go to the next value that is not settled."""
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._go_on()
        self.settled.emit()

    def offer_pick(self, source: DialogueSource, text: str) -> None:
        """Offer a text that was selected in the dialogue as the source of the current value."""
        line = self.current_line
        if line is None:
            return
        self._drop_offer()
        self._picked = source
        hint = Hint(
            tr("Cite {lstrip} of call {step}", lstrip=line.path.lstrip("/"), step=line.step),
            tr("from “{shown}”.", shown=" ".join(text.split())[:60]),
            Tone.ACCENT,
            actions=(HintAction("cite", tr("Cite it")), HintAction("leave", tr("No"))),
            objectName="evidence-offer",
            acted=self._answer_offer,
        )
        self._offer.addWidget(hint)

    def cite_picked(self) -> bool:
        """Take the offered text as the source; whether there was one."""
        line, source, document = self.current_line, self._picked, self._document
        if line is None or source is None or document is None:
            return False
        self._drop_offer()
        is_cited = judgment_actions.cite_place(document, line.place, source=source)
        self.settled.emit()
        return is_cited

    def show_value(self, task: int, step: int, path: str) -> None:
        """Make the row of a value the current one."""
        for row in range(self.model.rowCount()):
            line = self.model.line(row)
            if line is not None and line.place == (task, step, path):
                self._make_current(row)

    # what the keys and buttons do

    def _buttons(self, names: Sequence[tuple[str, str, str]]) -> QHBoxLayout:
        slots: dict[str, object] = {
            "accept": self._accept,
            "select": self.search_wanted,
            **{mark.value: partial(self._mark, mark) for mark in _MARK_KEYS.values()},
        }
        buttons = [
            Button(words, ButtonKind.GHOST, keys=keys, objectName=f"evidence-{name}", clicked=slots[name])
            for name, words, keys in names
        ]
        return hbox(*buttons, STRETCH, gap=4)

    def _accept(self) -> None:
        document = self._document
        if document is not None:
            chosen = self._chosen()
            done = judgment_actions.accept_proposals(document, chosen, is_bulk=len(chosen) > 1)
            self._go_on()
            if done.differing:
                self._words.setText(tr("{words}. Accept it by itself, if that is meant.", words=done.words))
            self.settled.emit()

    def _mark(self, mark: SourceMark) -> None:
        """Mark the chosen values, a derived one with the words that say from what."""
        chosen, document = [line.place for line in self._chosen()], self._document
        if document is None or not chosen:
            return
        if mark is SourceMark.DERIVED:
            derived_dialog(self, count=len(chosen)).ask(partial(self._mark_as, document, chosen, mark))
        else:
            self._mark_as(document, chosen, mark, "")

    def _mark_as(
        self, document: CaseDocument, places: Sequence[CitedPlace], mark: SourceMark, note: str
    ) -> None:
        if document is self._document:
            judgment_actions.mark_value(document, places, mark=mark, note=note)
            self._go_on()
            self.settled.emit()

    def _clear(self) -> None:
        document = self._document
        if document is not None:
            judgment_actions.clear_values(document, [line.place for line in self._chosen()])

    def _show_source(self, _: QModelIndex | None = None) -> None:
        line = self.current_line
        if line is not None and line.citation is not None:
            source = line.citation.source
            if isinstance(source, DialogueSource):
                self.source_wanted.emit(line.task, source)

    def _answer_offer(self, name: str) -> None:
        if name == "cite":
            self.cite_picked()
        else:
            self._drop_offer()

    def _drop_offer(self) -> None:
        self._picked = None
        clear_layout(self._offer)

    # where one is

    def _size_columns(self) -> None:
        """Share the width between the columns of the evidence."""
        self.table.verticalHeader().setDefaultSectionSize(theme().px(28))
        head = self.table.horizontalHeader()
        head.setMinimumSectionSize(theme().px(28))
        head.setSectionResizeMode(SOURCE, QHeaderView.ResizeMode.Interactive)
        self.table.setColumnWidth(SOURCE, theme().px(141))
        for column in range(SOURCE):
            head.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)

    def _chosen(self) -> list[EvidenceLine]:
        rows = sorted({index.row() for index in self.table.selectionModel().selectedRows()})
        return [line for line in map(self.model.line, rows) if line is not None]

    def _make_current(self, row: int) -> None:
        index = self.model.index(row, 0)
        flags = QItemSelectionModel.SelectionFlag
        self._is_following = True
        self.table.selectionModel().setCurrentIndex(index, flags.ClearAndSelect | flags.Rows | flags.Current)
        self._is_following = False
        self.table.scrollTo(index)
        self._say()

    def _go_on(self) -> None:
        """Go to the next value that is not settled."""
        row, count = self.table.currentIndex().row(), self.model.rowCount()
        lines = {i: self.model.line(i) for i in (*range(row + 1, count), *range(row + 1))}
        following = next((i for i, line in lines.items() if line is not None and not line.is_settled), None)
        if following is not None and self.window().focusWidget() is self.table:  # behind a dialog, too
            self._make_current(following)
            self._tell_value()

    def _follow(self, selection: Selection) -> None:
        line = self.current_line
        step = selection.step
        if step is None or (line is not None and (line.task, line.step) == (selection.task, step)):
            if selection.path is not None and step is not None:
                self.show_value(selection.task, step, selection.path)
            return
        for row in range(self.model.rowCount()):
            found = self.model.line(row)
            is_place = found is not None and (found.task, found.step) == (selection.task, step)
            if found is not None and is_place and selection.path in (None, found.path):
                self._make_current(row)
                return

    def _tell_current(self, current: QModelIndex, _: QModelIndex) -> None:
        self._say()
        if current.isValid() and not self._is_following:
            self._tell_value()

    def _tell_value(self) -> None:
        line = self.current_line
        if line is not None:
            self.value_wanted.emit(*line.place)

    def _say(self) -> None:
        line = self.current_line
        none = tr("Select a value. Enter shows where it comes from.")
        self._words.setText(none if line is None else line.reason or tr("Enter shows where it comes from."))
