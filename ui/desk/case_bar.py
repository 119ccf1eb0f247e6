"""The line above a case: which one it is, at which stage, how far one has come, and in what time."""

import time

from PySide6.QtCore import QObject, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QSizePolicy, QWidget

from annotator.project.policy import ReviewPolicy
from annotator.project.stages import passed_self_checks
from scoring.model.case import Case
from scoring.model.taxonomy import SELF_CHECKS, Stage
from scoring.texts import tr, tr_count
from ui.theme import Bar, Chip, ElidedLabel, TextLabel, Tone, theme
from ui.theme.layouts import STRETCH, build, hbox
from ui.theme.words import STAGE


def stage_path(stage: Stage, policy: ReviewPolicy, *, task_count: int) -> tuple[tuple[str, ...], int]:
    """Names of the stages a case passes under a policy, and the place of the one it is at.

    A case of one task has one self-check, and so has any where the policy holds for an owner who has one.
    """
    passed = passed_self_checks(Stage.SELF_CHECK_TASK, policy, task_count=task_count)
    has_second = stage is Stage.SELF_CHECK_DIALOGUE or (policy.dialogue_check and len(passed) == 1)
    path = [Stage.IMPORTED, *(SELF_CHECKS if has_second else SELF_CHECKS[:1])]
    if policy.has_cross_check:
        path.append(Stage.CROSS_CHECK)
    if policy.has_expert_sample or policy.has_cross_check:
        path.append(Stage.EXPERT)
    path.append(Stage.FINAL)
    match stage:
        case Stage.APPROVED:
            path.insert(path.index(Stage.CROSS_CHECK) + 1 if policy.has_cross_check else -1, stage)
        case Stage.ESCALATED:
            path = [*(one for one in path[:-1] if one is not Stage.EXPERT), stage, Stage.FINAL]
        case Stage.RELEASED:
            path.append(stage)
        case Stage.REJECTED:
            path[-1] = stage
    now = path.index(stage) if stage in path else 1
    words = (STAGE[one] if has_second or one not in SELF_CHECKS else tr("Self-check") for one in path)
    return tuple(words), now


def case_facts(case: Case, *, batch: str, task: int = 0) -> str:
    """What there is to know about a case in one line; the time is that of a task."""
    found = case.tasks[task].now or case.now
    now = tr("now {raw}", raw=found.raw) if found else ""
    parts = (tr("batch {batch}", batch=batch) if batch else "", tr_count(len(case.tools), "tool"), now)
    return " · ".join(part for part in parts if part)


class CaseBar(Bar):
    """Id, facts and chips at the left, the stage and time or progress at the right."""

    case_changed = Signal()
    """Another case is shown, or none: see `shown_id`."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.shown_id = ""
        self.case_id = ElidedLabel("", "mono-strong", mode=Qt.TextElideMode.ElideMiddle, objectName="case-id")
        self._facts = ElidedLabel("", "small-muted", objectName="case-facts")
        self.blind = Chip(
            tr("blind"),
            Tone.ACCENT,
            objectName="case-blind",
            toolTip=tr("You see the case without the labels and the drawing of its owner."),
        )
        self.read_only = Chip(tr("read only"), Tone.NEUTRAL, objectName="case-read-only", visible=False)
        self.others = Chip("", Tone.WARN, objectName="case-others", visible=False)
        self._round = Chip("", Tone.WARN, objectName="case-round")
        self._stage = TextLabel("", "small-muted", objectName="case-stage")
        self._progress = TextLabel("", "small-muted", objectName="case-progress")
        left = build(
            QWidget, sizePolicy=QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        )
        facts = (self.case_id, self._facts, self.blind, self.read_only, self._round, self.others)
        hbox(*facts, STRETCH, within=left, gap=8)
        members = (left, 1), self._stage, self._progress
        super().__init__("header", *members, height=44, gap=12, parent=parent, objectName="case-bar")

    def show_case(
        self, case: Case, facts: str, *, stage: Stage, round_: int, is_blind: bool, policy: ReviewPolicy
    ) -> None:
        """Show another case, with what there is to know about it in one line."""
        self.case_id.setText(case.id)
        self.case_id.setMinimumWidth(min(self.case_id.sizeHint().width(), theme().px(260)))
        self.show_facts(facts)
        self.blind.setVisible(is_blind)
        self._round.set_chip(tr("round {round}", round=round_), Tone.WARN)
        self._round.setVisible(round_ > 1)
        path, now = stage_path(stage, policy, task_count=len(case.tasks))
        self._stage.setText(
            tr("{path} · {now} of {path_count}", path=path[now], now=now + 1, path_count=len(path))
        )
        self._stage.setToolTip(tr("Stages: ") + " → ".join(path))
        self.note_shown(case.id)

    def show_facts(self, facts: str) -> None:
        """Show what there is to know about the case in one line."""
        self._facts.setText(facts)

    def note_shown(self, case_id: str) -> None:
        """Tell which case people have before them; empty for none."""
        self.shown_id = case_id
        self.show_others("")
        self.case_changed.emit()

    def show_others(self, words: str, tip: str = "") -> None:
        """Say who else has the case open; empty for nobody."""
        self.others.set_chip(words, Tone.WARN)
        self.others.setToolTip(tip)
        self.others.setVisible(bool(words))

    def show_read_only(self, reason: str) -> None:
        """Say that nobody can work on the case here, and why."""
        self.read_only.setToolTip(reason)
        self.read_only.show()

    def show_progress(self, words: str, tip: str = "") -> None:
        """Show how far one has come."""
        self._progress.setText(words)
        self._progress.setToolTip(tip)


_IDLE_SECONDS = 60.0
_TICK_MILLISECONDS = 1000


class ActivityClock(QObject):
    """Counts seconds in which a page is shown and used.

    A moving pointer counts as use, and so does whatever is noted.

    Args:
        page: The page; only while it is visible in the active window time counts.
    """

    ticked = Signal(float)
    """Active seconds so far."""

    def __init__(self, page: QWidget) -> None:
        super().__init__(page)
        self._page = page
        self.seconds = 0.0
        """Active seconds so far."""
        self._last_use = float("-inf")
        self._last_tick = 0.0
        self._pointer = QPoint()
        self._timer = build(QTimer, self, interval=_TICK_MILLISECONDS, timeout=self._tick)

    def start(self, seconds: float) -> None:
        """Count on from a number of seconds."""
        self.seconds = seconds
        self._last_use = self._last_tick = time.monotonic()
        self._timer.start()
        self.ticked.emit(self.seconds)

    def stop(self) -> None:
        """Stop counting."""
        self._timer.stop()

    def note(self) -> None:
        """The page was used just now."""
        self._last_use = time.monotonic()

    def _tick(self) -> None:
        now = time.monotonic()
        passed, self._last_tick = now - self._last_tick, now
        pointer = QCursor.pos()
        if pointer != self._pointer:
            self._pointer = pointer
            self._last_use = now
        if now - self._last_use < _IDLE_SECONDS and self._page.isVisible() and self._page.isActiveWindow():
            # A computer that slept wakes with one long tick; it was not work.
            self.seconds += min(passed, 2 * _TICK_MILLISECONDS / 1000)
            self.ticked.emit(self.seconds)


def clock_words(seconds: float) -> str:
    """Active time as minutes and seconds, e.g. `02:14`, with hours where there are any."""
    hours, rest = divmod(int(seconds), 3600)
    minutes, left = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes:02}:{left:02}"
