"""The guide in a window of its own: a day with the program, and what its words mean."""

from PySide6.QtWidgets import QDialog, QTabWidget, QTextBrowser, QWidget

from annotator.guidelines import load_guidelines
from annotator.resources import resource_text
from scoring.errors import InputError
from ui.services.preferences import Preferences
from ui.services.topics import wanted_language
from ui.theme import Button, ButtonKind
from ui.theme.dialogs import DialogFrame
from ui.theme.layouts import build


class GuideDialog(QDialog):
    """Shows the guide; the window beside it stays usable.

    Args:
        preferences: Knows the language of the guidelines.
    """

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("guide-dialog")
        self.setWindowTitle("Guide")
        title, _, text = resource_text("guide.md").partition("\n")
        name, words = _guidelines(preferences)
        self.pages = QTabWidget()
        self.pages.setDocumentMode(True)
        self.pages.addTab(_page("guide-text", "Guide", text), title.removeprefix("# "))
        self.pages.addTab(_page("guide-words", name, words), name)
        close = Button("Close", ButtonKind.PRIMARY, keys="Esc", default=True, clicked=self.accept)
        self.finished.connect(self.deleteLater)
        frame = DialogFrame(self, "Guide", width=760, height=640)
        frame.add(self.pages, stretch=1)
        frame.end_with(close, cancel="")
        page = self.pages.currentWidget()
        if page is not None:
            page.setFocus()


def _page(name: str, title: str, markdown: str) -> QTextBrowser:
    page = build(QTextBrowser, objectName=name, accessibleName=title)
    page.setMarkdown(markdown)
    return page


def _guidelines(preferences: Preferences) -> tuple[str, str]:
    """Title and text of the guidelines, or why they cannot be shown."""
    try:
        loaded = load_guidelines(wanted_language(preferences))
    except InputError as error:
        return "Annotation guide", f"{error.message} {error.hint}"
    note = f"*{loaded.message}*\n\n" if loaded.message else ""
    return loaded.guidelines.title, note + loaded.guidelines.markdown
