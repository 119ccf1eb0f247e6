"""The comparison of two runs: one sentence, the four counts, and the tasks that flipped."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from ui.runs.comparison_lines import (
    FLIP_COLUMNS,
    ROBUSTNESS_COLUMNS,
    Comparison,
    flip_rows,
    robustness_rows,
    square_columns,
    square_rows,
    verdict_of,
)
from ui.services.commands import Commands
from ui.theme import ButtonKind, EmptyState, Hint, PanelHeader, TextLabel, theme
from ui.theme.layouts import clear_layout, split, vbox
from ui.theme.tables import FigureTable
from ui.theme.words import counted


class CompareView(QFrame):
    """Shows one comparison."""

    task_asked = Signal(str, int)
    """Case and task of a flip that was opened."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("comparison")
        look = theme()
        self._header = PanelHeader("Comparison")
        close = commands.button(
            "runs.end_comparison", "Back to failures", name="comparison-close", kind=ButtonKind.GHOST
        )
        self._header.add_right(close)
        self._verdict = QVBoxLayout()
        self._verdict.setContentsMargins(look.px(12), look.px(12), look.px(12), look.px(8))
        self._square = FigureTable("square", "Tasks both, one or none got right", (), is_still=True)
        self._robustness = FigureTable("robustness", "Robustness", ROBUSTNESS_COLUMNS, is_still=True)
        self._robustness_head = PanelHeader("Robustness")
        self._robustness_head.add_left(TextLabel("without and with the process before", "small-muted"))
        self._flip_head = PanelHeader("Flipped tasks")
        self._flip_count = TextLabel("", "small-muted")
        self._flip_count.setObjectName("flip-count")
        self._flip_head.add_left(self._flip_count)
        self._flips = FigureTable("flips", "Flipped tasks", FLIP_COLUMNS)
        self._flips.opened.connect(self._open)
        self._no_flip = EmptyState(
            "equals", "No task flipped", "Both runs are correct and wrong on the same tasks."
        )
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._verdict)
        column.addWidget(self._square)
        column.addWidget(self._robustness_head)
        column.addWidget(self._robustness)
        column.addStretch(1)
        lower = QWidget()
        vbox(self._flip_head, (self._flips, 1), (self._no_flip, 1), within=lower)
        self._splitter = split(Qt.Orientation.Vertical, (upper, 170), (lower, 400), grows=lower)
        vbox(self._header, (self._splitter, 1), within=self)
        self.setFocusProxy(self._flips)

    def show_comparison(self, comparison: Comparison) -> None:
        """Show how two runs differ."""
        runs = comparison.runs
        self._header.set_title(f"{runs.first} and {runs.second}")
        title, text, tone = verdict_of(comparison)
        clear_layout(self._verdict)
        hint = Hint(title, text, tone)
        hint.setObjectName("verdict")
        self._verdict.addWidget(hint)
        self._square.show_rows(square_rows(comparison), columns=square_columns(runs))
        self._square.setFixedHeight(3 * theme().row_height + theme().px(4))
        flips = flip_rows(comparison)
        self._flips.show_rows(flips)
        self._flips.setVisible(bool(flips))
        self._no_flip.setVisible(not flips)
        self._flip_count.setText(counted(len(flips), "task"))
        table = comparison.robustness
        self._robustness.setVisible(table is not None)
        self._robustness_head.setVisible(table is not None)
        rows = robustness_rows(table) if table else ()
        self._robustness.show_rows(rows)
        self._robustness.setFixedHeight((len(rows) + 1) * theme().row_height + theme().px(4))

    def _open(self, key: tuple[str, int]) -> None:
        self.task_asked.emit(*key)
