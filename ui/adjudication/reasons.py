"""Why the sides said what they said, below the dialogue."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from annotator.review.expert.decisions import Adjudication, Side
from scoring.model.labels import TASK_CHECKLIST
from scoring.model.taxonomy import CheckAnswer, Verdict
from ui.theme import SectionLabel, WrappedLabel, theme
from ui.theme.layouts import clear_layout
from ui.theme.words import FEEDBACK, VERDICT

_NOTHING_SAID = "No reason was given, and no check failed."


def reason_words(side: Side) -> str:
    """What a side wrote with its verdict; empty for nothing."""
    parts = []
    for reason in side.reasons:
        kind = FEEDBACK[reason.category]
        parts.append(f"{kind}: {reason.note}" if reason.note else kind)
    return "; ".join(parts)


def failed_checks(side: Side) -> tuple[str, ...]:
    """What a side found wrong while checking, task by task, in the words of the checklist."""
    return tuple(
        f"Task {number}: fails “{TASK_CHECKLIST.get(item, item)}”"
        for number, labels in enumerate(side.labels, 1)
        for item, answer in labels.checklist.items()
        if answer is CheckAnswer.FAIL
    )


def _told_alike(sides: Sequence[Side]) -> list[tuple[Verdict, str, list[str]]]:
    """Verdicts with what was said to them, and the letters of the sides of whom both are true."""
    found: dict[tuple[Verdict, str], list[str]] = {}
    for side in sides:
        said = [*filter(None, [reason_words(side)]), *failed_checks(side)] or [_NOTHING_SAID]
        found.setdefault((side.verdict, "\n".join(said)), []).append(side.letter)
    return [(verdict, said, letters) for (verdict, said), letters in found.items()]


class Reasons(QScrollArea):
    """Verdict, reasons and failed checks of each side, and the owner's version once it is revealed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("reasons")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._words: list[str] = []
        look = theme()
        self.setFixedHeight(look.px(190))
        holder = QWidget()
        self._rows = QVBoxLayout(holder)
        self._rows.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(12))
        self._rows.setSpacing(look.px(4))
        self.setWidget(holder)

    def show_case(self, adjudication: Adjudication) -> None:
        """Show what was said about another case; its owner's version stays hidden."""
        self._begin()
        self._show_sides(adjudication)
        if adjudication.is_owner_hidden:
            self._add("Owner", "What the owner said is shown once everything is decided.")
        elif adjudication.why:
            self._add("Why it is here", adjudication.why)
        self._rows.addStretch(1)

    def show_owner(
        self, adjudication: Adjudication, name: str | None, *, lines: Sequence[tuple[str, str, str]]
    ) -> None:
        """Show what the owner had said, before what the sides did.

        Args:
            adjudication: The case.
            name: Who owns it; null where nobody does any more.
            lines: What was in dispute as (field, decision, owner), in words.
        """
        self._begin()
        said = [
            f"{field}: {owner} ({'as you' if owner == chosen else f'you: {chosen}'})"
            for field, chosen, owner in lines
        ]
        self._add(f"Owner · {name}" if name else "Owner", "\n".join(said) or "No field was in dispute.")
        self._show_sides(adjudication)
        self._rows.addStretch(1)

    def _begin(self) -> None:
        clear_layout(self._rows)
        self._words.clear()
        self.verticalScrollBar().setValue(0)

    def _show_sides(self, adjudication: Adjudication) -> None:
        for verdict, said, letters in _told_alike(adjudication.sides):
            self._add(f"{', '.join(letters)} · {VERDICT[verdict]}", said)

    @property
    def words(self) -> str:
        """What it says, line by line."""
        return "\n".join(self._words)

    def _add(self, heading: str, words: str) -> None:
        self._words.append(words)
        label = WrappedLabel(words, "muted")
        if self._rows.count():
            self._rows.addSpacing(theme().px(6))
        self._rows.addWidget(SectionLabel(heading))
        self._rows.addWidget(label)
