"""The batches of the project: where their cases stand, what holds them up, and leading them."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from operator import attrgetter

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from annotator.project.changes import Changes
from annotator.project.workspace import Done, Workspace
from annotator.review.batches import (
    RETURNABLE,
    HeldUpRow,
    MovedCases,
    finished_count,
    free_name,
    held_up,
    merge_batches,
    movable,
    move_cases,
    open_count,
    return_batch,
    set_due,
    split_batch,
)
from annotator.review.bulk_changes import BulkAction, BulkChange, change_cases, owners_of
from annotator.review.measures.progress import Outlook, outlooks
from annotator.review.queue.case_rows import BatchRow, CaseFilter, batches
from scoring.model.taxonomy import EXPERT_STAGES, FINAL_STAGES, OWNER_STAGES, SELF_CHECKS, Role, Stage
from scoring.texts import in_language, tr, tr_count
from ui.services.assignments import ask_to_assign, tell_outcome
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.team.batch_dialogs import (
    BatchMove,
    HandOver,
    due_dialog,
    hand_over_dialog,
    merge_dialog,
    move_dialog,
    return_dialog,
    split_dialog,
)
from ui.theme import ElidedLabel, EmptyState, PanelHeader, TextLabel, Tone
from ui.theme.cells import Cell, count_cell, moment_cell, tally_cell, wait_cell
from ui.theme.layouts import STRETCH, FlowLayout, column, split, stacked, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import STAGE, day_words

GROUPS: tuple[tuple[str, str, tuple[Stage, ...]], ...] = (
    (tr("Not started"), tr("Imported, not started"), (Stage.IMPORTED,)),
    (tr("Self-check"), tr("With their owners"), SELF_CHECKS),
    (tr("Returned"), tr("Returned to their owners"), (Stage.RETURNED,)),
    (tr("Cross-check"), tr("With reviewers"), (Stage.CROSS_CHECK,)),
    (tr("Approved"), tr("Waiting for the rest of the batch, or in a sample"), (Stage.APPROVED,)),
    (tr("Expert"), tr("Escalated, or sampled for verification"), EXPERT_STAGES),
    (tr("Final"), tr("Final or released"), FINAL_STAGES),
    (tr("Rejected"), tr("Unusable"), (Stage.REJECTED,)),
)
"""How stages are counted together: heading, what it means, stages."""

_ANYBODY = {Stage.CROSS_CHECK: tr("any reviewer who may judge them"), Stage.ESCALATED: tr("any expert")}
WAITING_COLUMNS: tuple[Column[HeldUpRow], ...] = (
    Column(tr("State"), 200, lambda one: STAGE[one.stage]),
    Column(
        tr("Whom they wait for"),
        cell=lambda one: one.person or Cell(_ANYBODY.get(one.stage, tr("nobody yet")), colour="muted"),
    ),
    Column(tr("Cases"), 80, lambda one: count_cell(one.count), is_figure=True),
    Column(
        tr("Oldest"),
        120,
        lambda one: wait_cell(one.since),
        is_figure=True,
        tip=tr("How long the oldest of them has not changed"),
    ),
)


@dataclass(frozen=True)
class BatchOverview:
    """The batches, and how each goes on, by name."""

    batches: tuple[BatchRow, ...]
    outlooks: Mapping[str, Outlook]


def read_overview(workspace: Workspace) -> BatchOverview:
    """Read the batches and how they go on."""
    return BatchOverview(batches(workspace), {one.batch: one for one in outlooks(workspace)})


def batch_columns(outlooks: Mapping[str, Outlook]) -> tuple[Column[BatchRow], ...]:
    """What is said of a batch, zeros faint; `outlooks` say how each goes on, by name."""
    return (
        Column(tr("Batch"), cell=lambda one: Cell(one.name, is_strong=True)),
        Column(tr("Cases"), 60, lambda one: count_cell(one.case_count), is_figure=True),
        *(
            Column(name, 24 + 6 * len(name), partial(_at, stages), is_figure=True, tip=tip)
            for name, tip, stages in GROUPS
        ),
        Column(
            tr("Flag"),
            76,
            lambda one: Cell(tr("flagged"), chip=Tone.WARN) if one.is_flagged else "",
            tip=tr("Too many of its cases were escalated"),
        ),
        Column(
            tr("Due"),
            66,
            lambda one: (
                Cell(day_words(one.due_on), one.due_on.toordinal(), one.due_on.isoformat())
                if one.due_on
                else ""
            ),
            is_figure=True,
            tip=tr("The day the manager named"),
        ),
        Column(
            tr("Forecast"),
            132,
            lambda one: _forecast(outlooks.get(one.name)),
            tip=tr("When the last open case is finished, at the rate of the last days"),
        ),
        Column(tr("Imported"), 102, lambda one: moment_cell(one.created_at), is_figure=True),
    )


def _at(stages: Sequence[Stage], one: BatchRow) -> Cell:
    return tally_cell(sum(one.stages.get(stage, 0) for stage in stages))


def _forecast(outlook: Outlook | None) -> Cell:
    if outlook is None or not outlook.open:
        return Cell(tr("finished") if outlook else "", colour="muted")
    is_late = outlook.is_late
    if outlook.earliest is None:
        words, colour = (tr("overdue"), "error") if is_late else ("–", "muted")
        return Cell(words, None, tr(outlook.words), colour=colour)
    words = _range(outlook.earliest, outlook.latest) + (tr(" (late)") if is_late else "")
    return Cell(words, outlook.earliest.toordinal(), tr(outlook.words), colour="warn" if is_late else "text")


def _range(first: date, last: date | None) -> str:
    if last is None:
        return f"{day_words(first)} – ?"
    if first == last:
        return day_words(first)
    first_day = day_words(first, tr("d"))
    is_same_month = (first.year, first.month) == (last.year, last.month)
    return f"{first_day if is_same_month else day_words(first)} – {day_words(last)}"


def blocked_words(one: BatchRow) -> str:
    """What holds up the sample of a batch, in a few words."""
    count = open_count(one)
    if not count:
        return tr("Nothing holds up {name}", name=one.name)
    return tr("{name} is blocked by {open_case}", name=one.name, open_case=tr_count(count, "open case"))


class BatchesPanel(ReportPanel):
    """Lists batches; managers give and return them.

    Args:
        operations: Reads and changes.
        commands: Gets `team.give` and `team.return`.
        notice: Where this says what happened.
    """

    def __init__(self, operations: Operations, commands: Commands, notice: ErrorBanner) -> None:
        super().__init__("batches-panel", operations, notice)
        self._commands = commands
        self._shown = BatchOverview((), {})
        self._table = FigureTable("batches", tr("Batches"), batch_columns({}), marked=self._block)
        marked = self._table.with_marked
        commands.add_all(
            self,
            Command(
                "team.split", tr("Split off the finished part"), tr("Team"), marked(self._ask_split), keys="F"
            ),
            Command("team.merge", tr("Merge the batch"), tr("Team"), marked(self._ask_merge), keys="M"),
            Command(
                "team.move",
                tr("Move cases to another batch"),
                tr("Team"),
                marked(self._read_movable),
                keys="V",
            ),
            Command(
                "team.due", tr("Set the due day of the batch"), tr("Team"), marked(self._ask_due), keys="U"
            ),
            Command("team.give", tr("Assign the batch"), tr("Team"), marked(self._ask_give), keys="G"),
            Command("team.return", tr("Return the batch"), tr("Team"), marked(self._ask_return), keys="B"),
            Command(
                "team.reassign", tr("Reassign cases"), tr("Team"), marked(self._read_owners), keys="Shift+G"
            ),
        )
        self._words = TextLabel("", "small-muted")
        header = PanelHeader(
            tr("Batches"),
            self._words,
            STRETCH,
            commands.button("team.give", tr("Assign to…"), name="batch-give"),
            commands.button("team.reassign", tr("Reassign…"), name="batch-reassign"),
            commands.button("team.return", tr("Return…"), name="batch-return"),
        )
        nothing = EmptyState(
            "tray", tr("No batch yet"), tr("Import a file in the queue: its cases become a batch.")
        )
        above = column(header, (self._table, 1))
        self._stack = stacked(
            split(Qt.Orientation.Vertical, (above, 420), (self._below(), 260), grows=above), nothing
        )
        vbox(self._stack, within=self, focus=self._table)
        self._block()

    def _below(self) -> QWidget:
        button = self._commands.button
        self._outlook = ElidedLabel("", "small-muted", objectName="batch-outlook")
        self._about = PanelHeader(tr("Held up by"), (self._outlook, 1))
        actions = FlowLayout(
            button("team.due", tr("Due…"), name="batch-due"),
            button("team.move", tr("Move cases…"), name="batch-move"),
            button("team.merge", tr("Merge…"), name="batch-merge"),
            button("team.split", tr("Split off finished…"), name="batch-split"),
            gap=4,
            line_gap=2,
            margins=(8, 4),
        )
        self._waiting = FigureTable("batch-waiting", tr("What holds up the batch"), WAITING_COLUMNS)
        return column(self._about, actions, (self._waiting, 1))

    def refresh(self) -> None:
        """Read the batches again."""
        self._read_again(
            read_overview,
            tr("Read the batches"),
            show=self._show,
            waiting=(self._table,),
        )

    def _ask_give(self, batch: BatchRow) -> None:
        """Ask to whom a batch goes."""
        ask_to_assign(self, self._operations, self._notice, batches=[batch])

    def _ask_return(self, batch: BatchRow) -> None:
        """Ask why a batch goes back."""
        count = sum(batch.stages.get(stage, 0) for stage in RETURNABLE)
        return_dialog(self, batch.name, count).ask(partial(self._return, batch.name))

    def _read_owners(self, batch: BatchRow) -> None:
        """Find out whose cases of a batch could go to others, and ask."""
        self._operations.run(
            partial(owners_of, batch=batch.name),
            then=partial(self._ask_reassign, batch.name),
            failed=self._notice.show_error,
        )

    def _ask_split(self, batch: BatchRow) -> None:
        """Ask what the finished part of a batch is called."""
        taken = [one.name for one in self._shown.batches]
        split_dialog(
            self,
            batch.name,
            finished=finished_count(batch),
            open_=open_count(batch),
            name=free_name(batch.name, taken),
            taken=taken,
        ).ask(lambda name: self._lead(partial(split_batch, batch=batch.name, name=name)))

    def _ask_merge(self, batch: BatchRow) -> None:
        """Ask into which batch another one goes."""
        dialog = merge_dialog(self, batch.name, batch.case_count, self._others(batch))
        dialog.ask(lambda into: self._lead(partial(merge_batches, batch=batch.name, into=into)))

    def _read_movable(self, batch: BatchRow) -> None:
        """Find out which cases of a batch can move, and ask where they go."""
        self._operations.run(
            partial(movable, batch=batch.name),
            then=partial(self._ask_move, batch),
            failed=self._notice.show_error,
        )

    def _ask_due(self, batch: BatchRow) -> None:
        """Ask on which day a batch is due."""
        due_dialog(self, batch.name, batch.due_on).ask(
            lambda due: self._operations.run(
                partial(set_due, batch=batch.name, due=due), failed=self._notice.show_error
            )
        )

    def _ask_move(self, batch: BatchRow, cases: Mapping[str | None, tuple[str, ...]]) -> None:
        taken = [one.name for one in self._shown.batches]
        dialog = move_dialog(self, batch.name, cases, others=self._others(batch), taken=taken)
        dialog.ask(partial(self._move, batch.name))

    def _others(self, batch: BatchRow) -> list[str]:
        return [one.name for one in self._shown.batches if one.name != batch.name]

    def _move(self, batch: str, wanted: BatchMove) -> None:
        split = partial(split_batch, batch=batch, name=wanted.to, cases=wanted.cases)
        self._lead(split if wanted.is_new else partial(move_cases, cases=wanted.cases, to=wanted.to))

    def _lead(self, work: Callable[[Workspace], Done[MovedCases]]) -> None:
        said = partial(self._notice.tell, lambda done: in_language(done.words))
        self._operations.run(work, then=said, failed=self._notice.show_error)

    def _ask_reassign(self, batch: str, owners: dict[str, int]) -> None:
        people = self._operations.active_people(Role.ANNOTATOR)
        hand_over_dialog(self, batch, owners, people).ask(partial(self._reassign, batch))

    def _reassign(self, batch: str, wanted: HandOver) -> None:
        where = CaseFilter(batch=batch, owner=wanted.of, stages=OWNER_STAGES)
        change = BulkChange(action=BulkAction.ASSIGN, value=wanted.to)
        self._operations.start_job(
            partial(change_cases, which=where, change=change),
            tr("Reassign cases of {batch}", batch=batch),
            then=partial(tell_outcome, self._notice),
            failed=self._notice.show_error,
            changes=Changes(has_new_cases=True),
        )

    def _return(self, batch: str, reason: str) -> None:
        self._operations.run(
            partial(return_batch, batch=batch, reason=reason),
            then=partial(
                self._notice.tell,
                lambda count: tr("{case} returned to their owners.", case=tr_count(count, "case")),
            ),
            failed=self._notice.show_error,
        )

    def _show(self, read: BatchOverview) -> None:
        self._shown, found = read, read.batches
        self._stack.setCurrentIndex(0 if found else 1)
        self._words.setText(
            tr(
                "{case} in {batches}",
                case=tr_count(sum(one.case_count for one in found), "case"),
                batches=tr_count(len(found), "batch", "batches"),
            )
        )
        self._table.show_items(found, key=attrgetter("name"), columns=batch_columns(read.outlooks))
        self._block()

    def _why_not_reassign(self, batch: BatchRow | None) -> str:
        owned = batch is not None and any(batch.stages.get(stage, 0) for stage in OWNER_STAGES)
        return "" if owned else tr("None of its cases is waiting for its owner.")

    def _show_waiting(self, batch: BatchRow | None) -> None:
        """Say of the marked batch what holds it up; what was read of another one meanwhile is dropped."""
        self._about.set_title(blocked_words(batch) if batch else tr("No batch is selected"))
        self._outlook.setText(self._outlook_words(batch) if batch else "")
        if batch is None or not open_count(batch):
            self._waiting.show_rows(())
            return
        self._operations.run(
            partial(held_up, batch=batch.name),
            then=partial(self._show_held_up, batch.name),
            failed=self._notice.show_error,
        )

    def _outlook_words(self, batch: BatchRow) -> str:
        sampled = batch.stages.get(Stage.EXPERT, 0)
        ahead = self._shown.outlooks.get(batch.name)
        if ahead is None or not ahead.open:
            return tr("{case} with the experts.", case=tr_count(sampled, "case")) if sampled else ""
        ready = finished_count(batch)
        return (
            tr("{ready:,} finished could be split off (F). {words}", ready=ready, words=tr(ahead.words))
            if ready
            else tr(ahead.words)
        )

    def _show_held_up(self, batch: str, found: tuple[HeldUpRow, ...]) -> None:
        if self._table.marked_key == batch:
            self._waiting.show_items(found, key=attrgetter("stage", "person"))

    def _why_not_split(self, batch: BatchRow | None) -> str:
        if batch is None or not finished_count(batch):
            return tr("None of its cases is approved and waits for the rest.")
        return "" if open_count(batch) else tr("Nothing holds it up: a sample is drawn by itself.")

    def _block(self, _: Hashable = None) -> None:
        batch: BatchRow | None = self._table.marked_item
        lacking = tr("There is no batch yet.") if batch is None else ""
        reason = lacking if self._operations.has_role(Role.MANAGER) else tr("Only managers lead batches.")
        self._show_waiting(batch)
        self._commands.block_all(reason, "team.give", "team.merge", "team.move", "team.due")
        self._commands.block("team.split", reason or self._why_not_split(batch))
        self._commands.block("team.reassign", reason or self._why_not_reassign(batch))
        if not reason and batch is not None and not any(batch.stages.get(s, 0) for s in RETURNABLE):
            reason = tr("None of its cases is in cross-check or approved.")
        self._commands.block("team.return", reason)
