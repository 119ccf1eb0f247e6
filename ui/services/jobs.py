"""Long work as the window sees it: a job that tells how far it is, and its place in the status bar."""

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from annotator.jobs import ProgressReport
from scoring.texts import tr
from ui.theme import Button, ButtonKind, ElidedLabel, theme
from ui.theme.layouts import build, connect, hbox

_STEPS = 1000


class JobState(StrEnum):
    """What became of a job so far."""

    RUNNING = "running"
    CANCELLING = "cancelling"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class WindowJob(QObject):
    """A job that was started from the window; lives on the window's thread.

    Args:
        title: What it does, e.g. `Import batch 08`.
        stop: Asks the job to stop between two units.
    """

    progressed = Signal(object)
    """A `ProgressReport`."""
    ended = Signal(object)
    """The `JobState` it ended in."""

    def __init__(self, title: str, *, stop: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.state = JobState.RUNNING
        self.report: ProgressReport | None = None
        self._stop = stop

    @property
    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        return self.state in (JobState.RUNNING, JobState.CANCELLING)

    def cancel(self) -> None:
        """Ask it to stop; what is finished stays finished."""
        if self.state is JobState.RUNNING:
            self.state = JobState.CANCELLING
            self._stop()
            self.progressed.emit(self.report)

    def tell(self, report: ProgressReport) -> None:
        """Take a report of the job."""
        if self.is_running:
            self.report = report
            self.progressed.emit(report)

    def end(self, state: JobState) -> None:
        """Note how it ended."""
        self.state = state
        self.ended.emit(state)


def job_words(job: WindowJob) -> str:
    """Say in one line how far a job is, e.g. `Import batch 08 · 6,412 imported`."""
    if job.state is JobState.CANCELLING:
        return tr("{title} · stopping", title=job.title)
    return f"{job.title} · {tr(job.report.note)}" if job.report and job.report.note else job.title


class JobStrip(QWidget):
    """The status bar's end: what runs, how far it is, and Cancel; hidden while nothing runs."""

    def __init__(self, name: str = "job-strip") -> None:
        build(super().__init__, objectName=name, visible=False)
        self._jobs: list[WindowJob] = []
        self._words = ElidedLabel("", "small-muted", objectName="job-words")
        self._bar = build(
            QProgressBar, objectName="job-bar", textVisible=False, accessibleName=tr("Progress")
        )
        self._cancel = Button(
            tr("Cancel"), ButtonKind.LINK, objectName="job-cancel", clicked=self._cancel_shown
        )
        hbox(self._words, self._bar, self._cancel, within=self, gap=12)

    def add(self, job: WindowJob) -> None:
        """Show a job until it ends; the one started last is in front."""
        self._jobs.append(job)
        connect(
            (job.progressed, self._refresh),
            (job.ended, self._drop_ended),
        )
        self._refresh()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme().px(20))

    def _drop_ended(self) -> None:
        self._jobs = [job for job in self._jobs if job.is_running]
        self._refresh()

    def _refresh(self) -> None:
        self.setVisible(bool(self._jobs))
        if not self._jobs:
            return
        job = self._jobs[-1]
        more = tr(" (and {jobs_count} more)", jobs_count=len(self._jobs) - 1) if len(self._jobs) > 1 else ""
        self._words.setText(job_words(job) + more)
        share = job.report.share if job.report else None
        self._bar.setFixedWidth(theme().px(120))
        self._bar.setRange(0, _STEPS if share is not None else 0)
        self._bar.setValue(round((share or 0.0) * _STEPS))
        is_stopping = job.state is JobState.CANCELLING
        self._cancel.set_blocked(tr("It stops at the next safe point.") if is_stopping else "")

    def _cancel_shown(self) -> None:
        if self._jobs:
            self._jobs[-1].cancel()
