"""The tasks of a release as the runs see them: the suspects first, then how well each tells models apart."""

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QEvent, Signal

from annotator.project.changes import Changes
from annotator.release.suspects import ReleaseQuestions, nominate, question_release, suspect_words
from scoring.measures.suspects import Suspect, TaskItem
from scoring.model.taxonomy import Role
from scoring.texts import tr, tr_count
from scoring.wording import sentence_case
from ui.services.calls import job_of
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.theme import ButtonKind, EmptyState, TextLabel, Tone, WrappedLabel
from ui.theme.cells import Cell, known_cell
from ui.theme.dialogs import question_dialog
from ui.theme.events import follow_events
from ui.theme.layouts import column, hbox, stacked, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import LOADING

TaskLine = tuple[TaskItem, Suspect | None, bool]
"""A task, what the runs hold against its gold, and whether that was sent to an expert."""


def _accused(line: TaskLine) -> str:
    """What the runs hold against a task; empty for nothing."""
    return suspect_words(line[1]) if line[1] is not None else ""


def _against(line: TaskLine) -> Cell:
    _, suspect, is_sent = line
    if suspect is None:
        return Cell("–", None, tr("No suspect."), colour="faint")
    count, tone = len(suspect.accusers), Tone.NEUTRAL if is_sent else Tone.WARN
    return Cell(
        tr("{count}, sent", count=count) if is_sent else f"{count}", count, suspect_words(suspect), chip=tone
    )


def _discrimination(item: TaskItem) -> Cell:
    found = item.discrimination
    return known_cell(
        found,
        "{:.2f}",
        colour="error" if found is not None and found < 0 else "text",
        why_none=_EQUAL if item.tells_apart else _FLAT,
    )


_FLAT = tr("It tells no models apart: all are right, or none is.")
_EQUAL = tr("All models do equally well elsewhere.")
COLUMNS: tuple[Column[TaskLine], ...] = (
    Column(tr("Case"), cell=lambda line: Cell(line[0].case, is_mono=True, tip=_accused(line))),
    Column(tr("Task"), 48, lambda line: Cell(f"{line[0].task + 1}", line[0].task), is_figure=True),
    Column(tr("Against"), 84, _against, is_figure=True, tip=tr("Models that contradict the gold together")),
    Column(
        tr("Weight"),
        64,
        lambda line: known_cell(
            line[1].weight if line[1] is not None else None, "{:.1f}", _accused(line), is_strong=True
        ),
        is_figure=True,
        tip=tr("How strong they are elsewhere; the highest is the likeliest"),
    ),
    Column(
        "p",
        48,
        lambda line: Cell(
            f"{line[0].difficulty:.2f}",
            line[0].difficulty,
            tr("over {model}", model=tr_count(line[0].n, "model")) if line[0].tells_apart else _FLAT,
            colour="text" if line[0].tells_apart else "faint",
        ),
        is_figure=True,
        tip=tr("Difficulty: share of models that are right"),
    ),
    Column(
        "r",
        56,
        lambda line: _discrimination(line[0]),
        is_figure=True,
        tip=tr("Discrimination: point-biserial correlation with the other tasks"),
    ),
)


def task_lines(
    items: Sequence[TaskItem], suspects: Sequence[Suspect], sent: frozenset[str]
) -> tuple[TaskLine, ...]:
    """The suspects by weight, then the other tasks, the hardest first."""
    suspected = {(one.case, one.task): one for one in suspects}
    tasks = {(item.case, item.task): item for item in items}
    rest = sorted(tasks.keys() - suspected.keys(), key=lambda key: (tasks[key].difficulty, *key))
    ordered = (*(key for key in suspected if key in tasks), *rest)
    return tuple((tasks[key], suspected.get(key), key[0] in sent) for key in ordered)


class SuspectPanel(ReportPanel):
    """Lists the tasks of the shown run's release; reads them when it is first looked at."""

    task_asked = Signal(str, int, object)
    """A case, the number of a task and the runs that contradict its gold, none for other tasks."""
    told = Signal(str)
    """How many suspects there are, for the title of the tab."""

    def __init__(
        self, operations: Operations, commands: Commands, notice: ErrorBanner, **properties: Any
    ) -> None:
        super().__init__("suspects-panel", operations, notice, **properties)
        self._commands = commands
        self._release = ""
        self._found: ReleaseQuestions | None = None
        self._asked = ""
        self._sent: frozenset[str] = frozenset()
        commands.add(
            Command(
                "runs.nominate",
                tr("Send the suspect to an expert"),
                tr("Runs"),
                self.ask_send,
                keys="X",
                waits=True,
            ),
            self,
        )
        self._build()
        operations.changed.connect(self._note_changes)
        follow_events(self, self._read, QEvent.Type.Show)
        self._show()

    def _build(self) -> None:
        self._table = FigureTable("suspects", tr("Tasks as the runs see them"), COLUMNS, marked=self._mark)
        self._words = WrappedLabel("", "body", objectName="suspect-words")
        self._count = TextLabel("", "small-muted", objectName="suspect-count")
        send = self._commands.button(
            "runs.nominate", tr("Send to an expert"), name="suspect-send", kind=ButtonKind.GHOST
        )
        about = vbox(self._words, hbox((self._count, 1), send, gap=None), gap=None, margins=(12, 6))
        self._stack = stacked(
            column((self._table, 1), about),
            EmptyState(
                "chart-bar",
                tr("No release"),
                tr("Runs over a release of this project can be compared with its gold."),
            ),
        )
        vbox(self._stack, within=self)

    @property
    def marked(self) -> Suspect | None:
        """The suspect that is marked in the list."""
        line: TaskLine | None = self._table.marked_item
        return line[1] if line is not None else None

    def show_release(self, release: str | None) -> None:
        """Show the tasks of a release; None where the shown run has none."""
        if (release or "") != self._release:
            self._release, self._found, self._asked = release or "", None, ""
            self._show()
        self._read()

    def _note_changes(self, changes: Changes) -> None:
        if changes.has_runs:
            self._asked = ""
            self._read()

    def _read(self) -> None:
        if not self._release or not self.isVisible() or self._asked == self._release:
            return
        self._asked = self._release
        self._operations.start_job(
            job_of(partial(question_release, release=self._release)),
            tr("Compare the runs over {release}", release=self._release),
            then=self._take,
            failed=unread(self._notice.show_error, self._table),
        )

    def _take(self, found: ReleaseQuestions) -> None:
        if found.release == self._release:
            self._found = found
            self._sent |= frozenset(found.asked)
            self._show()

    def _show(self) -> None:
        self._stack.setCurrentIndex(0 if self._release else 1)
        questions = self._found.questions if self._found is not None else None
        if questions is None:
            self._table.show_rows(())
            self._table.say(LOADING)
            self._count.setText("")
            self.told.emit("")
        else:
            suspects = len(questions.suspects)
            self._table.show_items(
                task_lines(questions.items, questions.suspects, self._sent),
                key=lambda line: (line[0].case, line[0].task),
            )
            self._count.setText(
                tr(
                    "{suspect} from {model}; {task} of {items_count:,} tell no models apart.",
                    suspect=tr_count(suspects, "suspect"),
                    model=tr_count(len(questions.models), "model"),
                    task=tr_count(sum(not item.tells_apart for item in questions.items), "task"),
                    items_count=len(questions.items),
                )
            )
            self.told.emit(f"{suspects:,}")
        self._note_marked()

    def _mark(self, key: Hashable) -> None:
        self._note_marked()
        if isinstance(key, tuple) and self.isVisible():
            suspect = self.marked
            case, task = key
            self.task_asked.emit(
                case,
                task,
                tuple(run for one in suspect.accusers for run in one.runs) if suspect is not None else (),
            )

    def _note_marked(self) -> None:
        suspect = self.marked
        reason = "" if self._operations.has_role(Role.EXPERT) else tr("Only experts take up suspects.")
        if suspect is None:
            reason = tr("The selected task is not a suspect.")
        elif suspect.case in self._sent:
            reason = tr("It was sent to an expert.")
        self._words.say(sentence_case(suspect_words(suspect) if suspect is not None else ""))
        self._commands.block("runs.nominate", reason)

    def ask_send(self) -> None:
        """Ask whether the marked suspect goes to an expert with its evidence; nothing takes that back."""
        suspect = self.marked
        if suspect is not None:
            question_dialog(
                "nominate",
                tr("Send to an expert"),
                tr("Send {case} to an expert?", case=suspect.case),
                WrappedLabel(self._words.text()),
                WrappedLabel(
                    tr("An expert decides it anew. {release} stays as it is.", release=self._release),
                    "muted",
                ),
                verb=tr("Send"),
                width=460,
                parent=self,
            ).ask(partial(self._send, suspect))

    def _send(self, suspect: Suspect, _: object) -> None:
        self._operations.run(
            partial(nominate, suspect=suspect, release=self._release),
            then=partial(self._say_sent, suspect.case),
            failed=self._notice.show_error,
            origin=self,
        )

    def _say_sent(self, case: str, _: None) -> None:
        self._sent |= {case}
        self._show()
        self._notice.show_message(
            tr("{case} goes to an expert.", case=case),
            tr("{release} stays as it is.", release=self._release),
            tone=Tone.OK,
        )
