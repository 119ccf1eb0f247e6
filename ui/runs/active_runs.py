"""Runs under way: one line each with how far they are, and Pause, Resume or Dismiss."""

import time
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from annotator.jobs import ProgressReport
from annotator.release.runs.model_run import RunState
from annotator.release.runs.orders import RunOrder
from scoring.errors import AnnotatorError
from scoring.texts import tr, tr_count
from ui.services.errors import ErrorBanner
from ui.services.jobs import JobState, WindowJob
from ui.services.operations import Operations
from ui.theme import Button, ButtonKind, ElidedLabel, theme
from ui.theme.layouts import build, connect, hbox, show_either, take_out, vbox
from ui.theme.look import follow_theme, scaled

_STEPS = 1000
_SECONDS_FOR_A_GUESS = 5


def left_words(seconds: float) -> str:
    """How long something will still take, roughly."""
    if seconds < 60:
        return tr("less than a minute left")
    minutes = round(seconds / 60)
    return (
        tr("{minutes} min left", minutes=minutes)
        if minutes < 90
        else tr("{minutes} h left", minutes=round(minutes / 60))
    )


def progress_words(report: ProgressReport, *, seconds_left: float | None) -> str:
    """How far a run is, in one line."""
    parts = (
        tr("{done:,} of {task}", done=report.done, task=tr_count(report.total or 0, "task")),
        report.note,
        left_words(seconds_left) if seconds_left is not None else "",
    )
    return " · ".join(part for part in parts if part)


class ActiveRun(QFrame):
    """One run that was started from here.

    Args:
        order: What was ordered; resuming orders it again.
    """

    resumed = Signal()
    dismissed = Signal()

    def __init__(self, order: RunOrder, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="live-run", look="surface")
        self.order = order
        self._job: WindowJob | None = None
        self._first: tuple[float, int] | None = None
        self._last: ProgressReport | None = None
        self._name = ElidedLabel(order.model, "mono")
        self._bar = build(
            QProgressBar,
            objectName="live-bar",
            textVisible=False,
            accessibleName=tr("Progress of {model}", model=order.model),
            maximum=_STEPS,
        )
        self._words = ElidedLabel("", "small-muted", objectName="live-words")
        self._pause = Button(tr("Pause"), ButtonKind.GHOST, objectName="live-pause", clicked=self.pause)
        self._resume = Button(tr("Resume"), ButtonKind.GHOST, objectName="live-resume", clicked=self.resumed)
        self._dismiss = Button(
            tr("Dismiss"), ButtonKind.GHOST, objectName="live-dismiss", clicked=self.dismissed
        )
        buttons = self._pause, self._resume, self._dismiss
        hbox(self._name, self._bar, (self._words, 1), *buttons, within=self, gap=12, margins=(8, 0))
        scaled(self._name, setFixedWidth=180)
        scaled(self._bar, setFixedWidth=300)
        follow_theme(self._fit)

    @property
    def is_running(self) -> bool:
        """Whether the model is being asked."""
        return self._job is not None

    def follow(self, job: WindowJob) -> None:
        """Show a job from now on."""
        self._job = job
        self._first = None
        connect(
            (job.progressed, self._show_progress),
            (job.ended, self._show_end),
        )
        self.say(tr("Starting …"))
        self._show_buttons()

    def pause(self) -> None:
        """Stop after the tasks under way; what is answered stays."""
        if self._job is not None:
            self._pause.set_blocked(tr("It stops once the pending replies have arrived."))
            self._job.cancel()

    def _show_progress(self, report: ProgressReport | None) -> None:
        if report is None or report.total is None:
            return
        now = time.monotonic()
        if self._first is None:
            self._first = (now, report.done)
        self._last = report
        self._bar.setValue(round((report.share or 0.0) * _STEPS))
        self.say(progress_words(report, seconds_left=self._guess(now, report)))

    def _guess(self, now: float, report: ProgressReport) -> float | None:
        began, done = self._first or (now, report.done)
        if now - began < _SECONDS_FOR_A_GUESS or report.done <= done or report.total is None:
            return None
        return (report.total - report.done) * (now - began) / (report.done - done)

    def _show_end(self, state: JobState) -> None:
        self._job = None
        self._pause.set_blocked("")
        if state is JobState.CANCELLED:
            done = (
                tr(
                    " at {done:,} of {task}",
                    done=self._last.done,
                    task=tr_count(self._last.total or 0, "task"),
                )
                if self._last
                else ""
            )
            self.say(
                tr("Paused{done}; answers so far are saved in {name}", done=done, name=self.order.out.name)
            )
        self._show_buttons()

    def _show_buttons(self) -> None:
        show_either(self._pause, self._resume, on=self.is_running)
        self._dismiss.setVisible(not self.is_running)

    def say(self, words: str, look: str = "small-muted") -> None:
        """Say how it is going, or why it stopped before its end."""
        self._words.say(words, look)

    def _fit(self) -> None:
        self.setFixedHeight(theme().row_height)


class ActiveRuns(QFrame):
    """The runs under way, below the leaderboard; hidden while there is none."""

    recorded = Signal(object, object)
    """(`RunOrder`, `RunState`) of a run that is in the leaderboard now."""
    changed = Signal()
    """A line came or went."""

    def __init__(self, operations: Operations, notice: ErrorBanner, **properties: Any) -> None:
        build(super().__init__, objectName="live-runs", visible=False, **properties)
        self._operations = operations
        self._notice = notice
        self.rows: tuple[ActiveRun, ...] = ()
        self._column = vbox(within=self)

    def is_writing(self, order: RunOrder) -> bool:
        """Whether a run writes the file of this order already."""
        return any(row.is_running and row.order.out == order.out for row in self.rows)

    def start(self, order: RunOrder) -> None:
        """Start a run, or go on with it."""
        row = ActiveRun(order)
        connect(
            (row.resumed, partial(self._resume, row)),
            (row.dismissed, partial(self._drop, row)),
        )
        self.rows = (*self.rows, row)
        self._column.addWidget(row)
        self.show()
        self.changed.emit()
        self._resume(row)

    def _resume(self, row: ActiveRun) -> None:
        job = self._operations.start_job(
            row.order.carry_out,
            tr("Run {model}", model=row.order.model),
            then=partial(self._end, row),
            failed=partial(self._fail, row),
            origin=self,
        )
        row.follow(job)

    def _end(self, row: ActiveRun, state: RunState) -> None:
        if state.run is None:
            row.say(
                tr(
                    "Stopped at its limit after {answered:,} of {task}",
                    answered=state.answered,
                    task=tr_count(state.total, "task"),
                ),
                "warn",
            )
            return
        self._drop(row)
        self.recorded.emit(row.order, state)

    def _fail(self, row: ActiveRun, error: AnnotatorError) -> None:
        row.say(tr("Stopped: {message}", message=tr(error.message)), "error")
        self._notice.show_error(error)

    def _drop(self, row: ActiveRun) -> None:
        if row in self.rows:
            self.rows = tuple(one for one in self.rows if one is not row)
            take_out(self._column, row)
        self.setVisible(bool(self.rows))
        self.changed.emit()
