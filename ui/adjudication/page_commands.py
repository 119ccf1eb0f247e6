"""The commands of the adjudication page with their keys."""

from functools import partial
from typing import Protocol

from PySide6.QtWidgets import QWidget

from ui.adjudication.columns import Columns
from ui.commands import Command, Commands

_DECIDE = "Deciding"
LETTERS = "ABCDE"
"""As many sides as a policy may ask for."""


class Page(Protocol):
    """What the commands ask of the page."""

    columns: Columns

    def finalise(self) -> None:
        """Settle the case as decided."""

    def give_back(self) -> None:
        """Return it to its owner."""

    def reject(self) -> None:
        """Throw it away."""

    def next_case(self) -> None:
        """Take the next case."""

    def next_open(self) -> None:
        """Go to the next field that is open."""

    def toggle_filter(self) -> None:
        """Show only what differs, or everything."""

    def undo(self) -> None:
        """Take the last change back."""

    def redo(self) -> None:
        """Make it again."""


def add_commands(commands: Commands, page: Page, *, widget: QWidget) -> None:
    """Make everything the page can do usable while its widget is shown."""
    columns = page.columns
    press, find = columns.press, columns.transcript.open_find
    for command in (
        Command("adjudication.finalise", "Finalise", _DECIDE, page.finalise, "Ctrl+Return"),
        Command("adjudication.return", "Return to the owner", _DECIDE, page.give_back, "Ctrl+R"),
        Command("adjudication.reject", "Reject the case", _DECIDE, page.reject),
        Command("adjudication.next", "Take the next case", _DECIDE, page.next_case, "N"),
        *(
            Command(
                f"adjudication.{letter.lower()}", f"Take {letter}", _DECIDE, partial(press, letter), letter
            )
            for letter in LETTERS
        ),
        Command("adjudication.own", "Own value", _DECIDE, partial(press, "O"), "O"),
        Command("adjudication.accept", "Accept the edit", _DECIDE, partial(press, "Y"), "Y"),
        Command("adjudication.decline", "Decline the edit", _DECIDE, partial(press, "X"), "X"),
        Command("adjudication.merge", "Merge", _DECIDE, columns.offer_merges, "U"),
        Command("adjudication.draw", "Draw an edge", _DECIDE, columns.start_drawing, "G"),
        Command("adjudication.pair", "Compare other drawings", _DECIDE, columns.compare_next, "P"),
        Command("adjudication.feedback", "Give feedback", _DECIDE, columns.judgments.focus_feedback, "T"),
        Command("adjudication.open", "Next open field", _DECIDE, page.next_open, "F8"),
        Command("adjudication.filter", "Only differences", _DECIDE, page.toggle_filter, "F"),
        Command("adjudication.note", "Write the note", _DECIDE, columns.judgments.focus_note, "M"),
        Command("adjudication.undo", "Undo", _DECIDE, page.undo, "Ctrl+Z"),
        Command("adjudication.redo", "Redo", _DECIDE, page.redo, "Ctrl+Shift+Z", ("Ctrl+Y",)),
        Command("adjudication.find", "Find in the dialogue", _DECIDE, find, "Ctrl+F"),
    ):
        commands.add(command, widget)
