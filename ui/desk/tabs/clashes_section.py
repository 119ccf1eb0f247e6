"""The places that somebody else changed too, with both sides and the choice between them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.cases.versions.conflicts import Clash
from annotator.drafts.clash_words import clash_place, compared_texts, side_words
from scoring.model.case import Case
from ui.desk.tabs.section import Section
from ui.diffs import WordDiffLabel
from ui.theme import Hint, HintAction, Kbd, TextLabel, Tone
from ui.theme.layouts import clear_layout, vbox
from ui.theme.words import counted


class ClashRow(QWidget):
    """One clash; `chosen` carries it with the side, `mine` or `theirs`."""

    chosen = Signal(object, str)

    def __init__(self, clash: Clash, case: Case, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.clash = clash
        self.setObjectName("clash")
        texts = compared_texts(clash)
        words = "Somebody else changed it too." if texts else _sides(clash)
        actions = (HintAction("theirs", "Take theirs (F)"), HintAction("mine", "Keep mine (W)"))
        self.hint = Hint(clash_place(clash, case), words, Tone.WARN, actions=actions, acted=self._act)
        column = vbox(self.hint, within=self, gap=4)
        if texts:
            column.addWidget(TextLabel("From theirs to yours:", "small-muted"))
            compared = WordDiffLabel()
            compared.show_texts(*texts)
            column.addWidget(compared)

    def _act(self, name: str) -> None:
        self.chosen.emit(self.clash, name)


class ClashesSection(Section):
    """Lists the clashes of a document; hidden where it has none."""

    chosen = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Changed by both", parent)
        self.setObjectName("clashes-section")
        self._shown: tuple[Clash, ...] = ()
        self.add_beside(Kbd("F8"))
        self._list = vbox(gap=6)
        self.rows.addLayout(self._list)
        self.hide()

    def show_clashes(self, clashes: Sequence[Clash], case: Case) -> None:
        """Show the clashes of a case."""
        self.setVisible(bool(clashes))
        if tuple(clashes) == self._shown:
            return
        self._shown = tuple(clashes)
        self.set_heading(f"Changed by both · {counted(len(clashes), 'place')}")
        clear_layout(self._list)
        for clash in clashes:
            row = ClashRow(clash, case)
            row.chosen.connect(self.chosen)
            self._list.addWidget(row)

    def row(self, clash: Clash) -> ClashRow | None:
        """The row of a clash."""
        return next((row for row in self.findChildren(ClashRow) if row.clash == clash), None)


def _sides(clash: Clash) -> str:
    return f"Theirs: {side_words(clash, clash.theirs)}. Yours: {side_words(clash, clash.mine)}."
