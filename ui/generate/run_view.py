"""A run: how it stands, the pyramid it fills, why attempts failed, its dialogues, and one of them live."""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from annotator.generation.choices import needs_choice
from annotator.generation.generation_run import dialogues_of, exchanges_of
from annotator.generation.quality import RunQuality, coverage_before, prefix_counts, run_qualities
from annotator.generation.records import DialogueRow, DialogueStatus, Exchange, GenerationState, RunStatus
from scoring.measures.coverage import Route
from scoring.model.record import to_text
from scoring.texts import tr, tr_count, with_commas
from ui.charts.pyramid import Pyramid
from ui.generate.generate_lines import (
    DIALOGUE_COLUMNS,
    FAILURE_COLUMNS,
    FAULT_COLUMNS,
    PICK_COLUMNS,
    QUALITY_COLUMNS,
    ROLE_TONE,
    ROLE_WORDS,
    TARGET_COLUMNS,
    exchange_words,
    most_frequent,
    newest_attempts,
    sequence_words,
    state_words,
    target_key,
    targets_of,
)
from ui.services.commands import Commands
from ui.services.errors import unread
from ui.services.operations import Operations
from ui.theme import ButtonKind, ElidedLabel, PanelHeader, TextLabel, Tone, theme
from ui.theme.labels import Chip, WrappedLabel
from ui.theme.layouts import (
    STRETCH,
    ScrollArea,
    build,
    clear_layout,
    column,
    hbox,
    lay,
    show_either,
    split,
    stacked,
    vbox,
)
from ui.theme.look import follow_theme, scaled
from ui.theme.panels import Card, EmptyState, TabBar
from ui.theme.tables import FigureTable
from ui.theme.words import LOADING


class RunView(QWidget):
    """Shows one run; what is under way is followed until a person looks at another dialogue."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, objectName="generate-run-view", **properties)
        self._operations = operations
        self._run: int | None = None
        self._rows: dict[Hashable, DialogueRow] = {}
        self._before: Mapping[Route, int] | None = None
        """What the project covered without this run; None while nobody knows."""
        self._state: GenerationState | None = None
        self._follows = True
        self._build()

    def _build(self) -> None:
        self._pyramid = Pyramid()
        self._covered = TextLabel("", "small-muted", objectName="generate-covered")
        left = split(
            Qt.Orientation.Vertical,
            (column(PanelHeader(tr("Policy switches"), self._covered), (self._pyramid, 1)), 380),
            (self._failures(), 300),
        )
        self._table = FigureTable(
            "dialogues",
            tr("Dialogues of the run"),
            DIALOGUE_COLUMNS,
            marked=self._show_marked,
            opened=self._open,
        )
        self._count = TextLabel("", "small-muted")
        self._live = LiveDialogue()
        right = split(
            Qt.Orientation.Vertical,
            (column(PanelHeader(tr("Dialogues"), self._count), (self._table, 1)), 240),
            (self._live, 440),
        )
        vbox(split(Qt.Orientation.Horizontal, (left, 700), (right, 640)), within=self)

    def _failures(self) -> QWidget:
        self._faults = FigureTable("faults", tr("Rejected replies by rule"), FAULT_COLUMNS, is_still=True)
        self._failed = FigureTable("failed", tr("Failed attempts"), FAILURE_COLUMNS, is_still=True)
        self._quality = FigureTable("qualities", tr("What came of each run"), QUALITY_COLUMNS, is_still=True)
        self._picks = FigureTable("picks", tr("Requests people picked"), PICK_COLUMNS, is_still=True)
        self._targets = FigureTable(
            "targets", tr("Shares that were wanted"), TARGET_COLUMNS[1:], is_still=True
        )
        stack = stacked(self._faults, self._failed, self._quality, self._picks, self._targets)
        self._tabs = TabBar(
            "generate-failures",
            (tr("Rejected replies"), tr("Failed attempts"), tr("After review"), tr("Picked"), tr("Targets")),
            currentChanged=stack.setCurrentIndex,
        )
        return column(PanelHeader("", self._tabs), (stack, 1))

    def show_run(self, run: int) -> None:
        """Show a run."""
        if run != self._run:
            self._run = run
            self._before = None
            self._follows = True
            self._rows = {}
            for table in (self._table, self._faults, self._failed):
                table.show_rows(())
                table.say(LOADING)
            self._live.show_exchanges((), about="")
            self._operations.start_job(
                partial(coverage_before, run=run),
                tr("Count the coverage"),
                then=partial(self._take_coverage, run),
            )
        self._operations.run(run_qualities, then=self._show_qualities)
        self._read_dialogues()

    def _show_qualities(self, found: tuple[RunQuality, ...]) -> None:
        self._quality.show_items(found, key=attrgetter("run"))
        self._picks.show_items(
            [pick for one in found if one.run == self._run for pick in one.picks],
            key=attrgetter("dialogue", "task"),
        )
        self._targets.show_items(targets_of(one for one in found if one.run == self._run), key=target_key)

    def show_state(self, state: GenerationState) -> None:
        """Show how the run stands now; `newest` is the dialogue that made the last step."""
        self._state = state
        self._faults.show_items(most_frequent(state.rejected), key=itemgetter(0))
        self._failed.show_items(most_frequent(state.failures), key=itemgetter(0))
        self._tabs.setTabText(0, tr("Rejected replies · {values:,}", values=sum(state.rejected.values())))
        self._tabs.setTabText(1, tr("Failed attempts · {values:,}", values=sum(state.failures.values())))
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
        self._covered.setText(
            tr("{covered:,} of 340 sequences", covered=sum(1 for count in cases.values() if count))
        )

    def _read_dialogues(self) -> None:
        if self._run is not None:
            self._operations.run(
                partial(dialogues_of, run=self._run),
                then=self._take_dialogues,
                failed=unread(self._operations.failure.emit, self._table),
            )

    def _take_dialogues(self, rows: tuple[DialogueRow, ...]) -> None:
        self._rows = {(row.dialogue, row.attempt): row for row in rows}
        with QSignalBlocker(self._table):
            self._table.show_items(newest_attempts(rows), key=attrgetter("dialogue", "attempt"))
        self._count.setText(tr_count(len({row.dialogue for row in rows}), "dialogue"))
        if not self._live.shown and self._table.marked_key is not None:
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
        self._operations.run(
            partial(exchanges_of, run=self._run, dialogue=dialogue, attempt=attempt),
            then=self._show_exchanges,
            newest_of=self,
        )

    def _show_exchanges(self, exchanges: tuple[Exchange, ...]) -> None:
        newest = max((exchange.attempt for exchange in exchanges), default=0)
        shown = [exchange for exchange in exchanges if exchange.attempt == newest]
        if not shown:
            self._live.show_exchanges((), about="")
            return
        row = self._rows.get((shown[0].dialogue, newest))
        self._live.show_exchanges(
            shown,
            about=tr(
                "dialogue {dialogue}, attempt {newest}{words} · {count}",
                dialogue=shown[0].dialogue + 1,
                newest=newest,
                words=tr(" · asked for {sequence_words}", sequence_words=sequence_words(row.sequence))
                if row
                else "",
                count=tr_count(len(shown), "reply", "replies"),
            ),
        )

    def _open(self, key: Hashable) -> None:
        row = self._rows.get(key)
        if row is not None and row.status is DialogueStatus.FINISHED and row.case_id:
            self.case_wanted.emit(row.case_id)


_STEPS = 1000
_TOGGLE = "generate.resume"


class RunStrip(QFrame):
    """The line above a run, with the command that pauses and resumes it."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="generate-strip", look="surface")
        self._bar = build(
            QProgressBar,
            objectName="generate-bar",
            textVisible=False,
            accessibleName=tr("Progress of the run"),
            maximum=_STEPS,
        )
        self._words = ElidedLabel("", "small-muted", objectName="generate-state")
        self._toggle = commands.button(_TOGGLE, tr("Resume"), name="generate-toggle", kind=ButtonKind.GHOST)
        self._block = partial(commands.block, _TOGGLE)
        self._block(tr("There is no run yet."))
        hbox(self._bar, (self._words, 1), self._toggle, within=self, gap=12, margins=(16, 0, 8, 0))
        scaled(self._bar, setFixedWidth=300)
        follow_theme(self._fit)

    def show_state(self, state: GenerationState, *, is_running: bool) -> None:
        """Show how a run stands, and whether it is being worked on."""
        ended = state.finished + state.given_up
        self._bar.setValue(round(_STEPS * ended / state.total) if state.total else _STEPS)
        self._words.setText(state_words(state))
        self._toggle.setText(tr("Pause") if is_running else tr("Resume"))
        self._toggle.setVisible(is_running or state.status is RunStatus.OPEN)
        if is_running:
            self._block("")
        elif state.status is not RunStatus.OPEN:
            self._block(tr("The run has ended."))
        else:
            self._block(
                tr("Pick the requests that wait first.")
                if state.waiting and state.waiting + ended >= state.total
                else ""
            )

    def _fit(self) -> None:
        self.setFixedHeight(theme().row_height)


_MOST_LETTERS = 1200
_MOST_CARDS = 120


class ExchangeCard(Card):
    """One reply: whose, what it took, what it says, and why it was rejected."""

    def __init__(self, exchange: Exchange, parent: QWidget | None = None) -> None:
        super().__init__(parent, objectName="exchange")
        role = exchange.ask.role
        verdict = exchange.verdict
        rejected = tr("rejected: {faults}", faults=with_commas(verdict.faults))
        refusal, picked = verdict.reason or verdict.declined, tr("Picked: {value}", value=verdict.text)
        vbox(
            hbox(
                Chip(ROLE_WORDS[role], ROLE_TONE[role]),
                (ElidedLabel(exchange_words(exchange), "small-muted"), 1),
                Chip(rejected, Tone.ERROR) if verdict.faults else None,
                gap=8,
            ),
            WrappedLabel(
                _shortened(reply_text(exchange)),
                "mono" if "{" in reply_text(exchange) else "body",
                textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            ),
            WrappedLabel(refusal, "error") if refusal else None,
            WrappedLabel(picked, "strong") if verdict.text is not None else None,
            within=self,
            gap=4,
            margins=(12, 8),
        )


def reply_text(exchange: Exchange) -> str:
    """What a reply says."""
    return to_text(exchange.reply.get("content") or exchange.reply.get("tool_calls") or "")


def _shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


class LiveDialogue(QWidget):
    """Shows the exchanges of a dialogue, the newest at the bottom and in sight."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="live-dialogue")
        self.shown: tuple[tuple[int, int, int, bool], ...] = ()
        """Dialogue, attempt and number of each reply that is shown, and whether it waits for a choice."""
        self._about = ElidedLabel("", "small-muted", objectName="live-about")
        header = PanelHeader(tr("Dialogue, role by role"), (self._about, 1))
        self._cards = vbox(gap=8)
        self._area = ScrollArea(column(self._cards, STRETCH, gap=None, margins=12), width=280, height=120)
        self._area.verticalScrollBar().rangeChanged.connect(
            lambda _, most: self._area.verticalScrollBar().setValue(most)
        )
        self._nothing = EmptyState(
            "chats",
            tr("No request yet"),
            tr("What each role is asked and replies is shown here as it comes."),
        )
        vbox(header, (self._area, 1), (self._nothing, 1), within=self)
        self._area.hide()

    def show_exchanges(self, exchanges: Sequence[Exchange], *, about: str) -> None:
        """Show a dialogue; what is shown already stays as it is."""
        wanted = exchanges[-_MOST_CARDS:]
        keys = tuple((e.dialogue, e.attempt, e.number, needs_choice(e)) for e in wanted)
        same = keys[: len(self.shown)] == self.shown
        if not same:
            clear_layout(self._cards)
        lay(self._cards, *map(ExchangeCard, wanted[len(self.shown) if same else 0 :]))
        self.shown = keys
        self._about.setText(about)
        show_either(self._area, self._nothing, on=wanted)
