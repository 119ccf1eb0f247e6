"""What words mean: the guidelines beside the work, a word at a time, and the manual in its own window."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QCursor,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFrame,
    QLabel,
    QTabWidget,
    QTextBrowser,
    QWidget,
)

from annotator.guidelines import Guidelines, GuidelineSection, Language, load_guidelines, own_words
from annotator.resources import resource_text
from scoring.errors import InputError
from scoring.texts import tr
from ui.services.errors import pass_over
from ui.services.guideline_news import own_hint
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.services.topics import LANGUAGES, HasTopic, topic_at, topic_of, wanted_language
from ui.shell.manual import CONTENTS, ManualBrowser, set_apart
from ui.theme import (
    Button,
    ButtonKind,
    ChipButton,
    Hairline,
    Hint,
    PanelHeader,
    SectionLabel,
    Tone,
    ToolButton,
    WrappedLabel,
    theme,
)
from ui.theme.dialogs import FramedDialog
from ui.theme.events import follow_focus
from ui.theme.layouts import STRETCH, FlowLayout, build, column, fill, hbox, scrolled, vbox
from ui.theme.look import scaled

_LEAST_WIDTH, _WIDTH, _LEAST_HEIGHT = 240, 320, 120
_ASKS = "explain-here"
_WORDS = {
    Language.ENGLISH: (tr("Right example"), tr("Wrong example"), tr("See also")),
    Language.CHINESE: ("正例", "反例", "相关词条"),
}
"""What stands above the examples and the other words."""


class HelpPanel(QFrame):
    """Explains a topic beside the page, or below it; it never takes the keys by itself.

    Args:
        preferences: Remembers the language.
        operations: Has what the team says of a topic.
    """

    manual_wanted = Signal()
    """The manual, at the page that is shown."""

    def __init__(self, preferences: Preferences, operations: Operations, **properties: Any) -> None:
        build(super().__init__, objectName="help-panel", visible=False, **properties, look="side")
        self._preferences = preferences
        self._operations = operations
        self._own: tuple[str, ...] = ()
        self.topic = ""
        """What is explained; empty for the guidelines as a whole."""
        self._guidelines: Guidelines | None = None
        self._message = ""
        self._languages = {
            language: ChipButton(
                name,
                objectName=f"help-{language}",
                autoExclusive=True,
                clicked=partial(self._choose_language, language),
            )
            for language, name in LANGUAGES.items()
        }
        close = ToolButton("x", tr("Close (F1, Esc)"), objectName="help-close", clicked=self.hide)
        header = PanelHeader(tr("What it means"), STRETCH, *self._languages.values(), close)
        self._column = vbox(gap=8, margins=(16, 12, 16, 16))
        self._room = scrolled(
            column(self._column),
            focusPolicy=Qt.FocusPolicy.NoFocus,
            frameShape=QFrame.Shape.NoFrame,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        whole = Button(
            tr("The manual"),
            ButtonKind.LINK,
            keys="⇧ F1",
            objectName="help-whole",
            clicked=self.manual_wanted,
        )
        self.tour = Button(tr("Tour"), ButtonKind.LINK, objectName="help-tour", visible=False)
        """Leads to the tour, where there is one."""
        foot = hbox(whole, STRETCH, self.tour, gap=None, margins=(12, 6))
        vbox(header, (self._room, 1), Hairline(), foot, within=self)
        scaled(self, setMinimumWidth=_LEAST_WIDTH, setMinimumHeight=_LEAST_HEIGHT)
        preferences.changed.connect(self._follow_language)
        self._finder = TopicFinder(self, asked=self._explain_in_dialog)

    def sizeHint(self) -> QSize:
        window = self.window()
        return QSize(min(theme().px(_WIDTH), window.width() // 4), window.height() // 3)

    def explain(self, topic: str) -> None:
        """Show a topic, or everything there is where it is empty."""
        if self._guidelines is None:
            self._read(wanted_language(self._preferences))
        self.topic = topic
        self._refresh()
        if self._operations.project is not None:
            self._operations.run(
                lambda workspace: workspace.policy().guidelines,
                then=self._show_own,
                failed=pass_over,
                newest_of=self,
            )
        self.show()
        around = self.parentWidget()
        if around is not None and (layout := around.layout()) is not None:
            layout.activate()  # so that an open list of choices finds its field where it is now

    def toggle(self, topic: str) -> None:
        """Show a topic; close where it is shown already."""
        if self.isVisible() and topic == self.topic:
            self.hide()
        else:
            self.explain(topic)

    def explain_pointed(self, page: QWidget | None) -> None:
        """Explain what the person points at on a page, or close the explanation."""
        self.toggle(self._finder.found(page))

    def _explain_in_dialog(self) -> None:
        """Explain what has the keys in a dialog, beside it; what explains nothing leaves all as it is."""
        topic = self._finder.found(None)
        if topic:
            self.toggle(topic)

    def open_guide(self, page: str = CONTENTS) -> None:
        """Show a page of the manual beside the window, or bring the open one to the front."""
        over = QApplication.activeModalWidget() or self.window()  # which takes no keys beside itself
        guides = [guide for guide in over.findChildren(GuideDialog) if guide.isVisible()]
        guide = guides[0] if guides else GuideDialog(self._preferences, over)
        guide.show()
        if self.isVisible() and self.topic.startswith("semantics"):
            guide.show_rules()
        else:
            guide.show_page(page)  # shown before: it scrolls only then
        guide.raise_()
        guide.activateWindow()

    # reading

    def _read(self, language: Language) -> None:
        try:
            loaded = load_guidelines(language)
        except InputError as error:
            self._guidelines, self._message = None, f"{tr(error.message)} {tr(error.hint)}"
        else:
            self._guidelines, self._message = loaded.guidelines, tr(loaded.message)
        for own, button in self._languages.items():
            button.setChecked(self._guidelines is not None and self._guidelines.language is own)

    def _choose_language(self, language: Language, _: bool = False) -> None:
        self._preferences.change(guidelines_language=language.value)
        self._read(language)
        self._refresh()

    def _follow_language(self) -> None:
        """Use the language that was chosen elsewhere."""
        wanted = wanted_language(self._preferences)
        if self._guidelines is not None and self._guidelines.language is not wanted:
            self._read(wanted)
            self._refresh()

    # showing

    def _show_own(self, lines: tuple[str, ...]) -> None:
        if lines != self._own:
            self._own = lines
            self._refresh()

    def _refresh(self) -> None:
        fill(self._column, (*self._parts(), STRETCH))
        self._room.verticalScrollBar().setValue(0)

    def _parts(self) -> Iterator[QWidget]:
        if self._message:
            yield Hint(tr("Not as chosen."), self._message, Tone.WARN, objectName="help-message")
        if self._guidelines is None:
            return
        section = self._guidelines.section_of(self.topic)
        if section is not None:
            yield from self._of_section(self._guidelines, section)
            return
        yield WrappedLabel(self._guidelines.title, "title")
        yield from _paragraphs(self._guidelines.text)
        yield self._offer([(one.id, one.title) for one in self._guidelines.sections])

    def _of_section(self, guidelines: Guidelines, section: GuidelineSection) -> Iterator[QWidget]:
        term = guidelines.term_of(self.topic)
        right, wrong, beside = _WORDS[guidelines.language]
        if term is None:
            yield WrappedLabel(section.title, "title")
        else:
            yield SectionLabel(section.title.partition(":")[0].partition("：")[0])
            yield WrappedLabel(term.title, "title", objectName="help-title")
            yield WrappedLabel(term.definition, objectName="help-definition")
            yield _example("right", f"✓ {right}", term.right, Tone.OK)
            yield _example("wrong", f"✗ {wrong}", term.wrong, Tone.ERROR)
            yield Hairline()
        yield from (own_hint(line) for line in self._own if own_words(line).topic == self.topic)
        yield from _paragraphs(section.text)
        others = [(section.topic(other), other.title) for other in section.terms if other is not term]
        if others:
            yield SectionLabel(beside)
            yield self._offer(others)

    def _offer(self, topics: list[tuple[str, str]]) -> QWidget:
        holder = QWidget()
        flow = FlowLayout(within=holder)
        for topic, title in topics:
            words = title.partition(":")[0].partition("：")[0].partition("（")[0]
            flow.addWidget(
                ChipButton(words, objectName=f"help-to-{topic}", clicked=partial(self.explain, topic))
            )
        return holder


def _example(name: str, heading: str, text: str, tone: Tone) -> Hint:
    return Hint(heading, text.replace("`", ""), tone, objectName=f"help-example-{name}")


def _paragraphs(markdown: str) -> Iterator[QLabel]:
    for paragraph in filter(None, markdown.strip().split("\n\n")):
        yield build(QLabel, textFormat=Qt.TextFormat.MarkdownText, text=paragraph, wordWrap=True)


class TopicFinder(QObject):
    """Says what the person points at: with the mouse where it was moved last, else with the keys.

    Without watching every event: whoever works with keys moves the focus, and the mouse lies still. A dialog
    keeps the keys from the window, so each of its dialogs that gets the focus is given F1, which sends
    `asked`.
    """

    asked = Signal()

    def __init__(self, window: QWidget, **properties: Any) -> None:
        build(super().__init__, window, **properties)
        self._window = window
        self._rest = QPoint(-1, -1)
        follow_focus(self._follow)

    def _follow(self, _: object, focus: QWidget | None) -> None:
        self._note()
        dialog = focus.window() if focus is not None else None
        is_new = isinstance(dialog, QDialog) and dialog.findChild(QShortcut, _ASKS) is None
        if dialog is not None and is_new and self._is_of_window(dialog):
            build(QShortcut, QKeySequence("F1"), dialog, objectName=_ASKS, activated=self.asked.emit)

    def _is_of_window(self, dialog: QWidget) -> bool:
        # The window itself may lie in a frame.
        parent, window = dialog.parentWidget(), self._window.window()
        while parent is not None and parent.window() is not window:
            parent = parent.window().parentWidget()
        return parent is not None

    def _note(self) -> None:
        self._rest = QCursor.pos()

    def found(self, page: QWidget | None) -> str:
        """The topic; that of the page where nothing nearer has one, empty for none at all."""
        pointed = topic_at(QCursor.pos()) if QCursor.pos() != self._rest else ""
        self._note()
        nearest = pointed or topic_of(QApplication.focusWidget())
        return page.topic if isinstance(page, HasTopic) and not nearest else nearest


class GuideDialog(FramedDialog):
    """Shows the manual, the guidelines and the rules; the window beside it stays usable.

    Args:
        preferences: Knows the language of the guidelines.
    """

    def __init__(self, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__("guide-dialog", tr("Manual"), tr("Manual"), width=760, height=640, parent=parent)
        name, words = _guidelines(preferences)
        self.pages = QTabWidget(documentMode=True)
        self._manual = ManualBrowser(wanted_language(preferences))
        self.pages.addTab(self._manual, tr("Manual"))
        self.pages.addTab(_page("guide-words", name, words), name)
        text = resource_text("rules.md").partition("\n")[2]
        self.pages.addTab(_page("guide-rules", tr("Rules"), text), tr("The rules of scoring"))
        self.finished.connect(self.deleteLater)
        self.frame.add((self.pages, 1))
        contents = Button(
            tr("Contents"), objectName="guide-contents", clicked=partial(self.show_page, CONTENTS)
        )
        back = Button(tr("Back"), objectName="guide-back", clicked=self._manual.backward)
        self._manual.backwardAvailable.connect(back.setEnabled)
        self.frame.add(hbox(contents, back, STRETCH, gap=8))
        self.frame.close_with(tr("Close"), "guide-close")
        self._manual.setFocus()

    def show_page(self, page: str, _: bool = False) -> None:
        """Show a page of the manual; see `ManualBrowser.open_page`."""
        self.pages.setCurrentIndex(0)
        self._manual.open_page(page)

    def show_rules(self) -> None:
        """Show the page with the rules of scoring."""
        self.pages.setCurrentIndex(self.pages.count() - 1)


def _page(name: str, title: str, markdown: str) -> QTextBrowser:
    page = build(QTextBrowser, objectName=name, accessibleName=title, markdown=markdown)
    set_apart(page.document())
    return page


def _guidelines(preferences: Preferences) -> tuple[str, str]:
    """Title and text of the guidelines, or why they cannot be shown."""
    try:
        loaded = load_guidelines(wanted_language(preferences))
    except InputError as error:
        return tr("Annotation guide"), f"{tr(error.message)} {tr(error.hint)}"
    note = f"*{tr(loaded.message)}*\n\n" if tr(loaded.message) else ""
    return loaded.guidelines.title, note + loaded.guidelines.markdown
