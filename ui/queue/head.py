"""The line above everything: how many cases, what waits for the person, and the next case."""

from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from annotator.review.queue.queue_status import Waiting
from ui.services.commands import Commands
from ui.theme import ButtonKind, TextLabel, theme
from ui.theme.layouts import STRETCH, build
from ui.theme.panels import PageHead
from ui.theme.words import counted


def waiting_parts(waiting: Waiting) -> tuple[tuple[str, bool], ...]:
    """What waits for a person, most urgent first, each with whether it is urgent; empty for nothing."""
    counts = (
        (waiting.returned, "returned", True),
        (waiting.held, "in hand", False),
        (waiting.self_check, "in self-check", False),
        (waiting.cross_check, "to cross-check", False),
        (waiting.expert, "to decide", False),
    )
    return tuple((f"{count:,} {words}", is_urgent) for count, words, is_urgent in counts if count)


def next_words(waiting: Waiting) -> str:
    """Why the next case is the next one: cases come back first, then the oldest, then escalations."""
    counts = (
        (waiting.returned, "a case that was returned to you"),
        (waiting.self_check, "the oldest in self-check"),
        (waiting.cross_check, "the oldest to cross-check"),
        (waiting.expert, "the oldest to decide"),
    )
    found = next((words for count, words in counts if count), "")
    return f"Takes {found}: returned cases come first, then the oldest, then escalations." if found else ""


class QueueHead(PageHead):
    """Title, counts and the main actions."""

    def __init__(self, commands: Commands) -> None:
        self._counts = TextLabel("", "muted", objectName="case-count")
        self._waiting = build(QLabel, objectName="waiting", textFormat=Qt.TextFormat.RichText)
        self._waiting.setProperty("look", "muted")
        self.assign = commands.button("queue.assign", "Assign…", name="assign")
        imports = commands.button("queue.import", "Import…", name="import")
        self.next = commands.button("queue.next", "Next case", name="next-case", kind=ButtonKind.PRIMARY)
        super().__init__("Queue", self._counts, STRETCH, self._waiting, self.assign, imports, self.next)

    def show_counts(self, shown: int, total: int) -> None:
        """Say how many cases the view has, of how many."""
        words = counted(total, "case") if shown == total else f"{shown:,} of {counted(total, 'case')}"
        self._counts.setText(words)

    def show_waiting(self, waiting: Waiting) -> None:
        """Say what waits for the person."""
        colour = theme().tokens.error
        parts = [
            f'<b style="color:{colour}">{escape(words)}</b>' if is_urgent else escape(words)
            for words, is_urgent in waiting_parts(waiting)
        ]
        self._waiting.setText(f"Yours: {' · '.join(parts)}" if parts else "Nothing waits for you")
        plain = ", ".join(words for words, _ in waiting_parts(waiting))
        if self.next.isEnabled():
            self.next.setToolTip(next_words(waiting))
        self._waiting.setAccessibleName(f"Yours: {plain}" if plain else "Nothing waits for you")

    @property
    def waiting_words(self) -> str:
        """What waits, as plain text."""
        return self._waiting.accessibleName()
