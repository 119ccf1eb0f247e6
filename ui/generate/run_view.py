"""A run: the pyramid it fills, why replies and attempts failed, its dialogues, and one of them live."""

from collections.abc import Hashable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.cases.coverage import project_coverage
from annotator.generation.generation_run import dialogues_of, exchanges_of
from annotator.generation.quality import RunQuality, run_qualities
from annotator.generation.records import DialogueRow, DialogueStatus, Exchange, GenerationState
from scoring.measures.coverage import Route
from ui.charts.pyramid import Pyramid
from ui.generate.generate_lines import (
    DIALOGUE_COLUMNS,
    FAILURE_COLUMNS,
    FAULT_COLUMNS,
    QUALITY_COLUMNS,
    dialogue_rows,
    failure_rows,
    fault_rows,
    prefix_counts,
    quality_rows,
    sequence_words,
)
from ui.generate.live_dialogue import LiveDialogue
from ui.services.operations import Operations, Pending
from ui.theme import PanelHeader, TextLabel
from ui.theme.layouts import split, stacked, vbox
from ui.theme.panels import TabBar
from ui.theme.tables import FigureTable
from ui.theme.words import counted

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace


class RunView(QWidget):
    """Shows one run; what is under way is followed until a person looks at another dialogue."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("generate-run-view")
        self._operations = operations
        self._run: int | None = None
        self._rows: dict[Hashable, DialogueRow] = {}
        self._before: Mapping[Route, int] | None = None
        """What the project covered without this run; null while nobody knows."""
        self._state: GenerationState | None = None
        self._follows = True
        self._pending: Pending | None = None
        self._build()

    def _build(self) -> None:
        self._pyramid = Pyramid()
        self._covered = TextLabel("", "small-muted")
        self._covered.setObjectName("generate-covered")
        header = PanelHeader("Policy switches")
        header.add_left(self._covered)
        left = _below(header, self._pyramid)
        whole_left = split(Qt.Orientation.Vertical, (left, 380), (self._failures(), 300))
        self._table = FigureTable("dialogues", "Dialogues of the run", DIALOGUE_COLUMNS)
        self._table.marked.connect(self._show_marked)
        self._table.opened.connect(self._open)
        self._count = TextLabel("", "small-muted")
        header = PanelHeader("Dialogues")
        header.add_left(self._count)
        self._live = LiveDialogue()
        right = split(Qt.Orientation.Vertical, (_below(header, self._table), 240), (self._live, 440))
        vbox(split(Qt.Orientation.Horizontal, (whole_left, 700), (right, 640)), within=self)

    def _failures(self) -> QWidget:
        self._faults = FigureTable("faults", "Rejected replies by rule", FAULT_COLUMNS, is_still=True)
        self._failed = FigureTable("failed", "Failed attempts", FAILURE_COLUMNS, is_still=True)
        self._quality = FigureTable("qualities", "What came of each run", QUALITY_COLUMNS, is_still=True)
        self._tabs = TabBar("generate-failures", ("Rejected replies", "Failed attempts", "After review"))
        stack = stacked(self._faults, self._failed, self._quality)
        self._tabs.currentChanged.connect(stack.setCurrentIndex)
        header = PanelHeader("")
        header.add_left(self._tabs)
        return _below(header, stack)

    def show_run(self, run: int) -> None:
        """Show a run."""
        if run != self._run:
            self._run = run
            self._before = None
            self._follows = True
            self._rows = {}
            self._table.show_rows([])
            self._live.show_exchanges((), about="")
            self._operations.start_job(
                partial(_coverage, run=run), "Count the coverage", then=partial(self._take_coverage, run)
            )
        self._operations.run(run_qualities, then=self._show_qualities)
        self._read_dialogues()

    def _show_qualities(self, found: tuple[RunQuality, ...]) -> None:
        self._quality.show_rows(quality_rows(found))

    def show_state(self, state: GenerationState) -> None:
        """Show how the run stands now; `newest` is the dialogue that made the last step."""
        self._state = state
        self._faults.show_rows(fault_rows(state))
        self._failed.show_rows(failure_rows(state))
        self._tabs.setTabText(0, f"Rejected replies · {sum(state.rejected.values()):,}")
        self._tabs.setTabText(1, f"Failed attempts · {sum(state.failures.values()):,}")
        self._show_pyramid()
        self._read_dialogues()
        if self._follows and state.newest is not None:
            self._look_at(state.newest, None)

    def _take_coverage(self, run: int, before: Mapping[Route, int]) -> None:
        if run == self._run:
            self._before = before
            self._show_pyramid()

    def _show_pyramid(self) -> None:
        if self._before is None or self._state is None:
            return
        cases = prefix_counts(self._state.sequences, self._before)
        self._pyramid.show_cases(cases)
        covered = sum(1 for count in cases.values() if count)
        self._covered.setText(f"{covered:,} of 340 sequences")

    def _read_dialogues(self) -> None:
        if self._run is not None:
            self._operations.run(partial(dialogues_of, run=self._run), then=self._take_dialogues)

    def _take_dialogues(self, rows: tuple[DialogueRow, ...]) -> None:
        self._rows = {(row.dialogue, row.attempt): row for row in rows}
        self._table.blockSignals(True)
        self._table.show_rows(dialogue_rows(rows))
        self._table.blockSignals(False)
        self._count.setText(counted(len({row.dialogue for row in rows}), "dialogue"))
        if self._live.card_count == 0 and self._table.marked_key is not None:
            self._look_at_key(self._table.marked_key)

    def _show_marked(self, key: Hashable) -> None:
        self._follows = False
        self._look_at_key(key)

    def _look_at_key(self, key: Hashable) -> None:
        row = self._rows.get(key)
        if row is not None:
            self._look_at(row.dialogue, row.attempt)

    def _look_at(self, dialogue: int, attempt: int | None) -> None:
        if self._run is None:
            return
        if self._pending is not None:
            self._pending.cancel()
        self._pending = self._operations.run(
            partial(exchanges_of, run=self._run, dialogue=dialogue, attempt=attempt),
            then=self._show_exchanges,
        )

    def _show_exchanges(self, exchanges: tuple[Exchange, ...]) -> None:
        newest = max((exchange.attempt for exchange in exchanges), default=0)
        shown = [exchange for exchange in exchanges if exchange.attempt == newest]
        if not shown:
            self._live.show_exchanges((), about="")
            return
        row = self._rows.get((shown[0].dialogue, newest))
        words = f" · {sequence_words(row.sequence)}" if row else ""
        count = counted(len(shown), "reply", "replies")
        about = f"dialogue {shown[0].dialogue + 1}, attempt {newest}{words} · {count}"
        self._live.show_exchanges(shown, about=about)

    def _open(self, key: Hashable) -> None:
        row = self._rows.get(key)
        if row is not None and row.status is DialogueStatus.FINISHED and row.case_id:
            self.case_wanted.emit(row.case_id)


def _below(header: PanelHeader, member: QWidget) -> QWidget:
    whole = QWidget()
    vbox(header, (member, 1), within=whole)
    return whole


def _coverage(context: "JobContext", workspace: "Workspace", *, run: int) -> dict[Route, int]:
    """What the project's cases cover without those of a run."""
    from annotator.generation.generation_run import state_of

    counts = dict(project_coverage(workspace, context=context).coverage.cases)
    for route, count in prefix_counts(state_of(workspace, run).sequences, {}).items():
        counts[route] = max(0, counts.get(route, 0) - count)
    return counts
