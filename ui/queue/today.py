"""The person's own day, below the preview: what they finished, how long it took, how far others agreed."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QWidget

from ui.theme import SectionLabel, TextLabel, theme
from ui.theme.words import duration

if TYPE_CHECKING:
    from annotator.review.measures.workload import MyDay


def attention_words(share: float) -> str:
    """What everybody is told of known-answer cases; empty where none are mixed in."""
    if not share:
        return ""
    return (
        f"{100 * share:.3g} % of your new cases are known-answer cases: copies of gold cases with one "
        "planted defect. What was planted is shown after submitting."
    )


def day_lines(day: "MyDay") -> tuple[tuple[str, str, str], ...]:
    """Each figure of a day as its name, its value and what it means; a dash where there is none."""
    agreement = day.agreement
    agreed = "–" if agreement.percent is None else f"{agreement.count / agreement.total:.2f}"
    of = f"· n = {agreement.total:,}" if agreement.total else ""
    caught = day.caught
    lines = (
        ("Finished", f"{day.finished:,}", "Valid judgments and decisions since midnight."),
        (
            "Median time",
            "–" if day.median_seconds is None else duration(day.median_seconds),
            "Active time per judgment; idle time is excluded.",
        ),
        (
            f"Agreement with your pair {of}".strip(),
            agreed,
            f"{agreement.count:,} of {agreement.total:,} values were the same, in rounds closed today.",
        ),
    )
    if not (day.attention_share or caught.total):
        return lines
    known = f"· n = {caught.total:,}" if caught.total else ""
    return (
        *lines,
        (
            f"Planted defects caught {known}".strip(),
            "–" if caught.value is None else f"{caught.value:.2f}",
            f"{caught.count:,} of {caught.total:,} known-answer cases so far.",
        ),
    )


class Today(QFrame):
    """Three figures, and a fourth where attention is measured; hidden until there is a day to show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("today")
        self.setProperty("look", "bar")
        look = theme()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(12))
        self._grid.setVerticalSpacing(look.px(6))
        self._grid.setColumnStretch(0, 1)
        self._grid.addWidget(SectionLabel("Today"), 0, 0, 1, 2)
        self._values: list[tuple[TextLabel, TextLabel]] = []
        for row in range(1, 5):
            name, value = TextLabel(), TextLabel("", "strong")
            value.setObjectName(f"today-{row}")
            self._grid.addWidget(name, row, 0)
            self._grid.addWidget(value, row, 1, Qt.AlignmentFlag.AlignRight)
            self._values.append((name, value))
        self._attention = TextLabel("", "small-muted")
        self._attention.setObjectName("today-attention")
        self._attention.setWordWrap(True)
        self._grid.addWidget(self._attention, 5, 0, 1, 2)
        self.hide()

    def show_day(self, day: "MyDay") -> None:
        """Show these figures."""
        lines = day_lines(day)
        for place, labels in enumerate(self._values):
            for label in labels:
                label.setVisible(place < len(lines))
        words = attention_words(day.attention_share)
        self._attention.setText(words)
        self._attention.setVisible(bool(words))
        for (name, value), (words, figure, tip) in zip(self._values, lines, strict=False):
            name.setText(words)
            value.setText(figure)
            name.setToolTip(tip)
            value.setToolTip(tip)
        self.show()
