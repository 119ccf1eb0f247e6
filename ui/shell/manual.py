"""The manual inside the window: the pages of `docs`, as they stand there."""

from typing import Any

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QFont,
    QPixmap,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)
from PySide6.QtWidgets import QTextBrowser

from annotator.guidelines import Language
from annotator.resources import anchor_of, is_message, manual_path
from scoring.texts import tr
from ui.dialogue.documents import blocks_of, fragments_of, span_cursor
from ui.theme import theme
from ui.theme.layouts import build

CONTENTS = "index.md"
PAGE_OF = {
    "adjudication": "how_to/settle_a_disagreement.md",
    "agreement": "concepts/agreement.md",
    "coverage": "roles/manager.md#watch-the-work",
    "generate": "how_to/generate_dialogues.md",
    "queue": "roles/annotator.md#take-a-case",
    "releases": "how_to/publish_a_release.md",
    "runs": "roles/research_lead.md",
    "team": "roles/manager.md",
    "tour": "quick_start.md",
    "training": "roles/annotator.md#learn-it-first",
    "workbench": "roles/annotator.md#read-it",
}
"""Where the manual speaks of a page of the window."""
PAGES_IN: dict[Language, dict[str, str]] = {
    Language.ENGLISH: {},
    Language.CHINESE: {
        CONTENTS: "zh/index.md",
        "how_to/settle_a_disagreement.md": "zh/expert.md#裁定分歧",
        "quick_start.md": "zh/quick_start.md",
        "roles/annotator.md#learn-it-first": "zh/annotator.md#先学习",
        "roles/annotator.md#read-it": "zh/annotator.md#阅读",
        "roles/annotator.md#take-a-case": "zh/annotator.md#领取用例",
    },
}
"""What is shown in place of an English page to whoever reads another language; all others stay English."""
_PICTURE = 660
"""Width of a picture that fits into the dialog, in pixels at 100 %."""
_UNKNOWN = QTextDocument.ResourceType.UnknownResource


class ManualBrowser(QTextBrowser):
    """Shows pages of the manual; links lead from one to the next, and Alt+Left goes back.

    Args:
        language: The language of the pages, where they are there in it.
    """

    def __init__(self, language: Language, **properties: Any) -> None:
        build(
            super().__init__,
            objectName="guide-text",
            accessibleName=tr("Manual"),
            openExternalLinks=True,
            sourceChanged=lambda: set_apart(self.document()),
            **properties,
        )
        self._pages = PAGES_IN[language]
        self._wanted = ""
        self.verticalScrollBar().actionTriggered.connect(self._stay)

    def open_page(self, page: str) -> None:
        """Show a page of `docs`, at a heading where its anchor, or a message, stands behind `#`."""
        name, _, heading = self._pages.get(page, page).partition("#")
        url = QUrl.fromLocalFile(str(manual_path(*name.split("/"))))
        url.setFragment(heading, QUrl.ParsingMode.DecodedMode)
        self.setSource(url, QTextDocument.ResourceType.MarkdownResource)

    def loadResource(self, kind: int, url: QUrl | str) -> Any:
        if kind != QTextDocument.ResourceType.ImageResource.value:
            return super().loadResource(kind, url)
        path = self.source().resolved(QUrl(url)).toLocalFile()
        picture = QPixmap(path.replace("_light.png", "_dark.png") if theme().tokens.is_dark else path)
        width = min(picture.width(), theme().px(_PICTURE))
        return picture.scaledToWidth(width, Qt.TransformationMode.SmoothTransformation)

    def doSetSource(self, url: QUrl | str, /, type: QTextDocument.ResourceType = _UNKNOWN) -> None:  # noqa: A002
        super().doSetSource(url, type)
        self._wanted = self.source().fragment(QUrl.ComponentFormattingOption.FullyDecoded)
        self._go_to_heading()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._go_to_heading()  # a dialog that opens gets its size only later

    def _stay(self) -> None:
        """Stay where the person scrolled to, whatever size the window gets."""
        self._wanted = ""

    def _go_to_heading(self) -> None:
        """Bring the first heading that is wanted to the top, where one is."""
        headings = (block for block in blocks_of(self.document()) if block.blockFormat().headingLevel())
        heading = next((block for block in headings if _is_named(block.text(), self._wanted)), None)
        if heading is not None:
            self.setTextCursor(QTextCursor(heading))
            bar = self.verticalScrollBar()
            bar.setValue(bar.value() + self.cursorRect().top())


def _is_named(title: str, wanted: str) -> bool:
    """Whether an anchor is a heading's, or a message is, which has values where the heading has gaps."""
    return anchor_of(title) == wanted or is_message(title, wanted)


def set_apart(document: QTextDocument) -> None:
    """Put room between headings, paragraphs and items, and draw what is bold with the bold face there is."""
    for block in blocks_of(document):
        form, is_heading = block.blockFormat(), block.blockFormat().headingLevel() > 0
        is_in_table = QTextCursor(block).currentTable() is not None
        if not is_in_table and not form.nonBreakableLines():  # as lines of code are
            form.setTopMargin(theme().px(14 if is_heading else 0))
            form.setBottomMargin(theme().px(6))
            QTextCursor(block).setBlockFormat(form)
        _lighten(document, block)


def _lighten(document: QTextDocument, block: QTextBlock) -> None:
    demi = QTextCharFormat()
    demi.setFontWeight(QFont.Weight.DemiBold)
    found = (one for one in fragments_of(block) if one.charFormat().fontWeight() > QFont.Weight.DemiBold)
    for start, length in [(one.position(), one.length()) for one in found]:
        span_cursor(document, start, start + length).mergeCharFormat(demi)
