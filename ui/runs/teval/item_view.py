"""One item of T-Eval: what was asked, what is right, and the very reply."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from annotator.release.teval_results import TevalResult, gold_text
from scoring.teval.items import part
from scoring.teval.scores import ItemResult
from ui.runs.teval.lines import item_words
from ui.theme import Button, ButtonKind, ElidedLabel, PanelHeader, SectionLabel, TextLabel, theme


class ItemView(QFrame):
    """Shows one item; `case_wanted` carries the id of the case it was cut from."""

    case_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("teval-item")
        look = theme()
        self._case = ""
        self._header = PanelHeader("")
        self._name = ElidedLabel("Item", "strong")
        self._name.setObjectName("teval-item-name")
        self._header.add_left(self._name, stretch=1)
        self._open = Button("Open the case", ButtonKind.GHOST)
        self._open.setObjectName("teval-open-case")
        self._open.clicked.connect(self._ask_case)
        self._header.add_right(self._open)
        self._about = TextLabel("", "small-muted")
        self._about.setObjectName("teval-item-about")
        self._about.setWordWrap(True)
        self._about.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(4))
        self.reply, self.gold, self.prompt = (
            _text(name, title) for name, title in (("reply", "Reply"), ("gold", "Gold"), ("prompt", "Prompt"))
        )
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        for title, text in (("Reply", self.reply), ("Gold", self.gold), ("Prompt", self.prompt)):
            holder = QWidget()
            column = QVBoxLayout(holder)
            column.setContentsMargins(look.px(12), look.px(4), look.px(12), look.px(4))
            column.setSpacing(look.px(4))
            column.addWidget(SectionLabel(title))
            column.addWidget(text, 1)
            splitter.addWidget(holder)
        splitter.setSizes([look.px(110), look.px(110), look.px(260)])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._header)
        column.addWidget(self._about)
        column.addWidget(splitter, 1)

    def show_item(self, result: TevalResult, one: ItemResult) -> None:
        """Show an item of a result."""
        body = result.found.items[one.subset][one.item]
        source = part(part(body, "meta_data"), "source").get("case")
        self._case = source if isinstance(source, str) else ""
        self._open.set_blocked("" if self._case else "The item does not say which case it was cut from.")
        self._name.setText(one.item)
        self._about.setText(item_words(one))
        reply = result.reply(one.subset, one.item)
        said = None if reply is None else reply.prediction
        self.reply.setPlainText(said if isinstance(said, str) else "" if said is None else str(said))
        self.reply.setPlaceholderText("No reply" if reply is None else "An empty reply")
        self.gold.setPlainText(gold_text(result, one.subset, one.item))
        prompt = body.get("origin_prompt")
        messages = [m for m in prompt if isinstance(m, dict)] if isinstance(prompt, list) else []
        self.prompt.setPlainText("\n\n".join(f"[{m.get('role')}]\n{m.get('content')}" for m in messages))

    def show_nothing(self) -> None:
        """Show no item."""
        self._case = ""
        self._open.set_blocked("No item is selected.")
        self._name.setText("Item")
        self._about.setText("Select an item of the list.")
        for text in (self.reply, self.gold, self.prompt):
            text.setPlaceholderText("")
            text.setPlainText("")

    def _ask_case(self) -> None:
        if self._case:
            self.case_wanted.emit(self._case)


def _text(name: str, title: str) -> QPlainTextEdit:
    text = QPlainTextEdit()
    text.setObjectName(f"teval-{name}")
    text.setAccessibleName(title)
    text.setReadOnly(True)
    text.setFont(theme().mono())
    text.setMinimumHeight(theme().px(56))
    return text
