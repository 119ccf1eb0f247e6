"""One dialogue as it is made: every request and reply, role by role, those that were rejected too."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from annotator.generation.records import Exchange
from scoring.model.record import to_text
from ui.generate.generate_lines import ROLE_TONE, ROLE_WORDS, exchange_words
from ui.theme import ElidedLabel, PanelHeader, Tone, theme
from ui.theme.labels import Chip, WrappedLabel
from ui.theme.layouts import ScrollArea, clear_layout, vbox
from ui.theme.panels import Card, EmptyState

_MOST_LETTERS = 1200
_MOST_CARDS = 120


class ExchangeCard(Card):
    """One reply: whose, what it took, what it says, and why it was rejected."""

    def __init__(self, exchange: Exchange, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("exchange")
        look = theme()
        role = exchange.ask.role
        head = QHBoxLayout()
        head.setSpacing(look.px(8))
        head.addWidget(Chip(ROLE_WORDS[role], ROLE_TONE[role]))
        head.addWidget(ElidedLabel(exchange_words(exchange), "small-muted"), 1)
        if exchange.verdict.faults:
            head.addWidget(Chip(f"rejected: {', '.join(exchange.verdict.faults)}", Tone.ERROR))
        column = QVBoxLayout(self)
        column.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(8))
        column.setSpacing(look.px(4))
        column.addLayout(head)
        is_code = "{" in reply_text(exchange)
        text = WrappedLabel(_shortened(reply_text(exchange)), "mono" if is_code else "body")
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        column.addWidget(text)
        if exchange.verdict.reason:
            column.addWidget(WrappedLabel(exchange.verdict.reason, "error"))
        if exchange.verdict.text is not None:
            column.addWidget(WrappedLabel(f"Picked: {exchange.verdict.text}", "strong"))


def reply_text(exchange: Exchange) -> str:
    """What a reply says."""
    said = exchange.reply.get("content")
    if said is None and exchange.reply.get("tool_calls"):
        said = exchange.reply["tool_calls"]
    return to_text(said) if said is not None else ""


def _shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


class LiveDialogue(QWidget):
    """Shows the exchanges of a dialogue, the newest at the bottom and in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("live-dialogue")
        self._shown: tuple[tuple[int, int, int, bool], ...] = ()
        self._header = PanelHeader("Dialogue, role by role")
        self._about = ElidedLabel("", "small-muted")
        self._about.setObjectName("live-about")
        self._header.add_left(self._about, stretch=1)
        self._cards = QVBoxLayout()
        self._cards.setSpacing(theme().px(8))
        inside = QWidget()
        column = QVBoxLayout(inside)
        look = theme()
        column.setContentsMargins(look.px(12), look.px(12), look.px(12), look.px(12))
        column.addLayout(self._cards)
        column.addStretch(1)
        self._area = ScrollArea(inside, width=280, height=120)
        self._area.verticalScrollBar().rangeChanged.connect(self._follow)
        self._nothing = EmptyState(
            "chats", "No request yet", "What each role is asked and replies is shown here as it comes."
        )
        vbox(self._header, (self._area, 1), (self._nothing, 1), within=self)
        self._area.hide()

    @property
    def card_count(self) -> int:
        """How many replies are shown."""
        return self._cards.count()

    def show_exchanges(self, exchanges: Sequence[Exchange], *, about: str) -> None:
        """Show a dialogue; what is shown already stays as it is."""
        wanted = exchanges[-_MOST_CARDS:]
        keys = tuple((e.dialogue, e.attempt, e.number, e.verdict.text is None) for e in wanted)
        same = keys[: len(self._shown)] == self._shown
        if not same:
            clear_layout(self._cards)
        for exchange in wanted[len(self._shown) if same else 0 :]:
            self._cards.addWidget(ExchangeCard(exchange))
        self._shown = keys
        self._about.setText(about)
        self._area.setVisible(bool(wanted))
        self._nothing.setVisible(not wanted)

    def _follow(self, _: int, most: int) -> None:
        self._area.verticalScrollBar().setValue(most)
