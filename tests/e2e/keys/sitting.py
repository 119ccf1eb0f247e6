"""A program: the real window with somebody at its keys, until the case is submitted or the program is killed.

    python -m tests.e2e.keys.sitting PROJECT PERSON PLAN DIARY PACE

`PLAN` is a `CasePlan` as JSON, `DIARY` the file that is written, `PACE` milliseconds from key to key.
`QT_QPA_PLATFORM` says which screen.
"""

import os
import sys
import time
from pathlib import Path

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from tests.e2e.keys.diary import STUCK, Diary, Line, answers_of, state_of
from tests.e2e.keys.plan import CasePlan
from tests.e2e.keys.window import Hands, Seen
from tests.e2e.keys.working import Person, Step
from ui.app import open_window
from ui.shell.main_window import MainWindow
from ui.workbench.page import WorkbenchPage

_STUCK_SECONDS = 120.0
_READS_FASTER = 20
"""How much faster this person reads than anybody, so that nobody waits for it."""


class Sitting(QObject):
    """Presses a key whenever it is time, and writes down what became of the document.

    The document is only read, and only for the diary.
    """

    def __init__(self, plan: CasePlan, diary: Diary, *, pace_milliseconds: int) -> None:
        super().__init__()
        self._diary = diary
        self._plan = plan
        self._hands = Hands()
        self._window: MainWindow | None = None
        self._page: WorkbenchPage | None = None
        self._person: Person | None = None
        self._work: Step = iter(())
        self._is_pressing = False
        self._last_news = time.monotonic()
        self._timer = QTimer(self)
        self._timer.setInterval(pace_milliseconds)
        self._timer.timeout.connect(self._tick)
        self._timer.start()

    def _tick(self) -> None:
        if self._is_pressing:
            return
        self._is_pressing = True
        try:
            self._go_on()
        except (AssertionError, LookupError, RuntimeError) as error:
            self._give_up(repr(error))
        finally:
            self._is_pressing = False

    def _go_on(self) -> None:
        if self._window is None:
            self._look_for_window()
            return
        if self._page is None:
            self._look_for_page(self._window)
        before = self._hands.count
        try:
            next(self._work)
        except StopIteration:
            self._end("done")
            return
        if self._hands.count != before:
            self._last_news = time.monotonic()
        elif time.monotonic() - self._last_news > _STUCK_SECONDS:
            self._give_up("waits")

    def _look_for_window(self) -> None:
        for frame in QApplication.topLevelWidgets():
            window = frame if isinstance(frame, MainWindow) else frame.findChild(MainWindow)
            if isinstance(window, MainWindow) and window.isVisible():
                self._window = window
                self._person = Person(self._plan, Seen(window), self._hands, self._note_typing)
                self._work = self._person.work()
                self._write("shown")

    def _look_for_page(self, window: MainWindow) -> None:
        for page in window.ways.open_pages():
            if isinstance(page, WorkbenchPage):
                self._page = page
                page.keyboard.sight.clock = lambda: _READS_FASTER * time.monotonic()
                page.open_work.opened.connect(self._note_opening)
                page.submission.submitting.connect(self._note_submitting)
                page.submission.submitted.connect(self._note_submitted)
                if page.open_work.document is not None:
                    self._note_opening()

    def _note_opening(self) -> None:
        assert self._page is not None
        assert self._page.open_work.document is not None
        self._page.open_work.document.changed.connect(self._note_state)
        QTimer.singleShot(0, self._note_opened)  # once the page shows it

    def _note_opened(self) -> None:
        assert self._window is not None
        self._write_state("opened", words=Seen(self._window).hint("restored-note"))

    def _note_state(self) -> None:
        self._write_state("state")

    def _note_submitting(self) -> None:
        self._write_state("submitting")

    def _note_submitted(self, done: object) -> None:
        self._write("submitted", words=str(getattr(done, "stage", "")))

    def _note_typing(self, task: int, text: str) -> None:
        self._diary.write(Line(at=time.monotonic(), kind="typed", task=task, words=text))

    def _write_state(self, kind: str, *, words: str = "") -> None:
        document = self._page.open_work.document if self._page is not None else None
        if document is not None:
            self._diary.write(
                Line(
                    at=time.monotonic(),
                    kind=kind,
                    stage=document.stage,
                    state=state_of(document.stage, document.case, document.judgment),
                    answers=answers_of(document.case),
                    words=words,
                    keys=self._hands.count,
                )
            )

    def _write(self, kind: str, *, words: str = "") -> None:
        self._diary.write(Line(at=time.monotonic(), kind=kind, words=words, keys=self._hands.count))

    def _give_up(self, why: str) -> None:
        seen = Seen(self._window).words() if self._window is not None else "no window"
        intents = self._person.intents[-5:] if self._person is not None else []
        self._write("stuck", words=f"{why}; {seen}; last intents {intents}")
        os._exit(STUCK)

    def _end(self, kind: str) -> None:
        assert self._person is not None
        self._timer.stop()
        self._write(kind, words=str(self._person.decisions))
        assert self._window is not None
        self._window.window().close()


def sit(project: str, person: str, plan: CasePlan, *, diary: Diary, pace_milliseconds: int) -> int:
    """Open the window as `annotator` does, with somebody at the keys; returns its exit code."""
    application = QApplication(sys.argv[:1])
    sitting = Sitting(plan, diary, pace_milliseconds=pace_milliseconds)
    sitting.setParent(application)
    return open_window(project, person)


if __name__ == "__main__":
    sys.exit(
        sit(
            sys.argv[1],
            sys.argv[2],
            CasePlan.model_validate_json(Path(sys.argv[3]).read_bytes()),
            diary=Diary(Path(sys.argv[4])),
            pace_milliseconds=int(sys.argv[5]),
        )
    )
