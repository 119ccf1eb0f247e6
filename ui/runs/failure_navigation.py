"""The failed tasks of a run one after another: which one is shown, and reading what it takes to show it."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog

from annotator.release.freeze import ReleaseRow
from annotator.release.runs.replies import GoldCases, Replies, kept_replies, read_gold, read_replies
from scoring.errors import AnnotatorError
from scoring.matching.task_scores import TaskScore
from scoring.scorecard import Scorecard
from scoring.texts import tr
from ui.runs.entries import RunEntry
from ui.runs.failure_explanation import explain_failure, without_prediction
from ui.runs.failure_view import CHOOSE_CASES, CHOOSE_PREDICTIONS, FailureView, Note
from ui.runs.run_dialog import FILE_FILTER
from ui.services.errors import ErrorBanner
from ui.services.forms import PREDICTIONS_FILTER
from ui.services.operations import Operations
from ui.theme import Tone
from ui.theme.dialogs import ask_file
from ui.theme.layouts import build

_UNKNOWN_CASES = Note(
    tr("The cases of this run are not available."),
    tr(
        "It was scored against cases that are not a release of this project, or their folder no "
        "longer exists."
    ),
    (CHOOSE_CASES,),
)
_OTHER_CASES = Note(
    tr("These are not the cases the run was scored against."),
    tr("Their hash differs, so the display may not match."),
    (CHOOSE_CASES,),
    Tone.WARN,
)
_UNKNOWN_REPLIES = Note(
    tr("The model's replies are not available."),
    tr("Choose the predictions file this run was scored from to compare its calls with the gold calls."),
    (CHOOSE_PREDICTIONS,),
)
_OTHER_REPLIES = Note(
    tr("The available replies give a different result for this task."),
    tr("They belong to another run, or do not answer this task."),
    (CHOOSE_PREDICTIONS,),
    Tone.WARN,
)


class FailureNavigation(QObject):
    """Drives a `FailureView`.

    Cases and replies are read once, by jobs, when a failure is first looked at; both are kept while the
    page lives.

    Args:
        operations: Starts the jobs.
        view: What shows the failure.
        notice: Where it says what cannot be read.
    """

    moved = Signal(object)
    """(case, task) of the failure that is shown now; None if there is none."""

    def __init__(
        self, operations: Operations, view: FailureView, notice: ErrorBanner, **properties: Any
    ) -> None:
        build(super().__init__, view, **properties)
        self._operations = operations
        self._notice = notice
        self._view = view
        self._entry: RunEntry | None = None
        self._card: Scorecard | None = None
        self._tasks: tuple[TaskScore, ...] = ()
        self._at = -1
        self._releases: dict[str, Path] = {}
        self._gold: dict[Path, GoldCases | None] = {}
        self._replies: dict[int, Replies | None] = {}
        self._place: dict[int, Path] = {}
        self._files: dict[int, tuple[Path, ...]] = {}
        self._unread: set[int] = set()
        view.asked.connect(self._settle)

    @property
    def current(self) -> TaskScore | None:
        """The failure that is shown."""
        return self._tasks[self._at] if 0 <= self._at < len(self._tasks) else None

    def note_releases(self, rows: Sequence[ReleaseRow]) -> None:
        """Say where the cases of the releases are."""
        self._releases = {row.name: Path(row.directory) for row in rows}

    def note_files(self, run_id: int, files: tuple[Path, ...], *, cases: Path | None = None) -> None:
        """Say where the replies of a run are, and its cases where they are no release."""
        self._files[run_id] = files
        self._replies.pop(run_id, None)
        if cases is not None:
            self._place[run_id] = cases

    def show_run(self, entry: RunEntry, card: Scorecard, tasks: Sequence[TaskScore]) -> None:
        """Go through these failed tasks of a run from now on; the shown one stays where it can."""
        before = self.current if self._entry == entry else None
        self._entry, self._card, self._tasks = entry, card, tuple(tasks)
        self._at = self._tasks.index(before) if before in self._tasks else 0
        self._show()

    def leave(self, title: str, text: str) -> None:
        """Show no failure, and say why."""
        self._entry, self._card, self._tasks, self._at = None, None, (), -1
        self._view.show_nothing(title, text)
        self.moved.emit(None)

    def step(self, by: int) -> None:
        """Go to the next failure, or to one before; stops at the ends."""
        if self._tasks:
            self._go(min(max(self._at + by, 0), len(self._tasks) - 1))

    def go_to(self, case: str, task: int) -> None:
        """Show the failure of one task; does nothing where the task is not among them."""
        keys = [(one.case, one.task) for one in self._tasks]
        if (case, task) in keys:
            self._go(keys.index((case, task)))

    def _go(self, at: int) -> None:
        if at != self._at:
            self._at = at
            self._show()

    def _show(self) -> None:
        score, card, entry = self.current, self._card, self._entry
        if score is None or card is None or entry is None:
            self._view.show_nothing(
                tr("Nothing failed"),
                tr("Every task of this run is correct, or none matches the selected kind of error."),
            )
            self.moved.emit(None)
            return
        where = tr("{at:,} of {tasks_count:,}", at=self._at + 1, tasks_count=len(self._tasks))
        place = self.place_of(entry)
        self._fetch(entry, place)
        gold_cases = self._gold.get(place) if place else None
        if place is not None and place in self._gold and gold_cases is None:
            self._view.show_waiting(score, place=where)
        elif gold_cases is None:
            self._view.show_only_words(score, _UNKNOWN_CASES, place=where)
        else:
            self._show_with(gold_cases, score, card, entry, where)
        self.moved.emit((score.case, score.task))

    def _show_with(
        self, cases: GoldCases, score: TaskScore, card: Scorecard, entry: RunEntry, where: str
    ) -> None:
        gold = cases.gold(score, card)
        if gold is None:
            self._view.show_only_words(score, _OTHER_CASES, place=where)
            return
        notes = () if cases.sha256 == card.cases_sha256 else (_OTHER_CASES,)
        run_id = entry.row.id
        if run_id in self._replies and self._replies[run_id] is None:
            self._view.show_waiting(score, place=where)
            return
        replies = self._replies.get(run_id)
        found = replies.behind(score, gold, card) if replies else None
        if found is not None:
            failure = explain_failure(gold, found, score, card.semantics)
        else:
            failure = without_prediction(gold, score)
            notes = (*notes, _OTHER_REPLIES if replies else _UNKNOWN_REPLIES)
        self._view.show_failure(score, failure, cases.cases[score.case], place=where, notes=notes)

    def place_of(self, entry: RunEntry) -> Path | None:
        """Where the cases of a run are; None where nobody said, or nothing is there."""
        place = self._place.get(entry.row.id)
        if place is None and entry.row.release is not None:
            place = self._releases.get(entry.row.release)
        return place if place is not None and place.exists() else None

    def _fetch(self, entry: RunEntry, place: Path | None) -> None:
        """Start reading what is known but not read yet; None marks what is under way."""
        run_id = entry.row.id
        if place is not None and place not in self._gold:
            self._gold[place] = None
            self._operations.start_job(
                partial(read_gold, place=place),
                tr("Read the cases of {release}", release=entry.release),
                then=partial(self._take_gold, place),
                failed=partial(self._miss_gold, place),
            )
        is_kept = entry.row.has_replies and run_id not in self._unread
        if run_id not in self._replies and (run_id in self._files or is_kept):
            self._replies[run_id] = None
            named = self._files.get(run_id)
            self._operations.start_job(
                partial(read_replies, files=named, source=place)
                if named
                else partial(kept_replies, run_id=run_id),
                tr("Read the replies of {name}", name=entry.row.name),
                then=partial(self._take_replies, run_id),
                failed=partial(self._miss_replies, run_id),
            )

    def _take_gold(self, place: Path, cases: GoldCases) -> None:
        self._gold[place] = cases
        self._show()

    def _miss_gold(self, place: Path, error: AnnotatorError) -> None:
        self._gold.pop(place, None)
        self._place = {run: path for run, path in self._place.items() if path != place}
        self._releases = {name: path for name, path in self._releases.items() if path != place}
        self._notice.show_error(error)
        self._show()

    def _take_replies(self, run_id: int, replies: Replies) -> None:
        self._replies[run_id] = replies
        self._show()

    def _miss_replies(self, run_id: int, error: AnnotatorError) -> None:
        self._replies.pop(run_id, None)
        if self._files.pop(run_id, None) is None:
            self._unread.add(run_id)  # or it would be asked again and again while the project is away
        self._notice.show_error(error)
        self._show()

    # what is missing ------------------------------------------------------------------------------

    def _settle(self, action: str) -> None:
        if action == CHOOSE_CASES.name:
            ask_file(self._view, tr("Cases of this run"), filters=FILE_FILTER, fileSelected=self.choose_cases)
        else:
            ask_file(
                self._view,
                tr("Predictions of this run"),
                filters=PREDICTIONS_FILTER,
                fileMode=QFileDialog.FileMode.ExistingFiles,
                filesSelected=self.choose_replies,
            )

    def choose_cases(self, place: str) -> None:
        """Take the cases of the shown run from a file; the manifest of a release folder stands for it."""
        if self._entry is not None:
            path = Path(place)
            self._place[self._entry.row.id] = path.parent if path.name == "manifest.json" else path
            self._show()

    def choose_replies(self, files: Sequence[str]) -> None:
        """Take the replies of the shown run from files."""
        if self._entry is not None and files:
            self.note_files(self._entry.row.id, tuple(map(Path, files)))
            self._show()
