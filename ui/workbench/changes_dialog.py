"""The dialog that lists what one changed in the open case, before it is submitted."""

from PySide6.QtWidgets import QDialog, QWidget

from annotator.cases.versions.case_diff import case_diff
from annotator.drafts.difference import restored_words
from ui.desk.document import CaseDocument
from ui.diffs import ChangeList
from ui.theme import Button, ButtonKind
from ui.theme.dialogs import DialogFrame
from ui.theme.words import visible

_MOST_STEPS = 41


class ChangesDialog(QDialog):
    """Counts what was said and changed, and shows each change of the case itself.

    Args:
        document: The open case.
        parent: The page.
    """

    def __init__(self, document: CaseDocument, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("changes-dialog")
        self.setWindowTitle("My changes so far")
        words = restored_words(document.start, document.snapshot)
        found = case_diff(document.base, document.case)
        close = Button(
            "Close",
            ButtonKind.PRIMARY,
            keys="Esc",
            objectName="changes-close",
            default=True,
            clicked=self.accept,
        )
        frame = DialogFrame(self, "My changes so far", width=620, height=460)
        self.words = frame.explain(f"You have: {words}." if words else "You have changed nothing yet.")
        self.words.setObjectName("changes-words")
        steps = [document.stack.text(number) for number in range(document.stack.index())]
        if steps:
            shown = "\n".join(f"· {visible(step)}" for step in steps[:-_MOST_STEPS:-1])
            frame.explain(f"Since it was opened, the last first:\n{shown}")
        if found:
            changes = ChangeList()
            changes.show_changes(found)
            frame.add(changes, stretch=1)
        frame.end_with(close, cancel="")
        close.setFocus()
