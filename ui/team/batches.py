"""The batches of the project: where their cases stand, giving them to people, sending them back."""

from collections.abc import Hashable, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtWidgets import QWidget

from annotator.project.changes import Changes
from annotator.review.queue.assignments import assign_batch
from annotator.review.queue.case_rows import BatchRow, batches
from annotator.review.returns import return_batch
from scoring.model.taxonomy import Role, Stage
from ui.services.assign_dialog import AssignDialog
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.team.batch_dialogs import HandOverDialog, ReturnDialog
from ui.team.reassignment import OWNED, HandedOver, hand_over, owners_of
from ui.theme import EmptyState, PanelHeader, TextLabel, Tone
from ui.theme.dialogs import open_dialog
from ui.theme.layouts import stacked, tight_column
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.times import ago, exactly
from ui.theme.words import counted

GROUPS: tuple[tuple[str, str, tuple[Stage, ...]], ...] = (
    ("Not started", "Imported, not started", (Stage.IMPORTED,)),
    ("Self-check", "With their owners", (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE)),
    ("Returned", "Returned to their owners", (Stage.RETURNED,)),
    ("Cross-check", "With reviewers", (Stage.CROSS_CHECK,)),
    ("Approved", "Waiting for the rest of the batch, or in a sample", (Stage.APPROVED,)),
    ("Expert", "Escalated, or sampled for verification", (Stage.ESCALATED, Stage.EXPERT)),
    ("Final", "Final or released", (Stage.FINAL, Stage.RELEASED)),
    ("Rejected", "Unusable", (Stage.REJECTED,)),
)
"""How stages are counted together: heading, what it means, stages."""

COLUMNS = (
    Column("Batch"),
    Column("Cases", 68, is_figure=True),
    *(Column(name, 92, is_figure=True, tip=tip) for name, tip, _ in GROUPS),
    Column("Flag", 96, tip="Too many of its cases were escalated"),
    Column("Imported", 100, is_figure=True),
)
_RETURNABLE = (Stage.CROSS_CHECK, Stage.APPROVED)


def batch_rows(found: Sequence[BatchRow], now: datetime) -> tuple[Row, ...]:
    """One line a batch, zeros faint."""
    return tuple(Row(one.name, _cells(one, now)) for one in found)


def _cells(one: BatchRow, now: datetime) -> tuple[Cell, ...]:
    at = one.created_at
    counts = (sum(one.stages.get(stage, 0) for stage in stages) for _, _, stages in GROUPS)
    return (
        Cell(one.name, is_strong=True),
        Cell(f"{one.case_count:,}", one.case_count),
        *(Cell(f"{count:,}", count, colour="text" if count else "faint") for count in counts),
        Cell("flagged", chip=Tone.WARN) if one.is_flagged else Cell(""),
        Cell(ago(at, now), at.timestamp(), exactly(at, now), colour="muted"),
    )


class BatchesPanel(QWidget):
    """Lists batches; managers give and return them.

    Args:
        operations: Reads and changes.
        commands: Gets `team.give` and `team.return`.
        notice: Where this says what happened.
    """

    def __init__(self, operations: Operations, commands: Commands, notice: ErrorBanner) -> None:
        super().__init__()
        self.setObjectName("batches-panel")
        self._operations = operations
        self._commands = commands
        self._notice = notice
        self._found: tuple[BatchRow, ...] = ()
        add = commands.add
        add(Command("team.give", "Assign the batch", "Team", self.ask_give, keys="G"), self)
        add(Command("team.return", "Return the batch", "Team", self.ask_return, keys="B"), self)
        add(Command("team.reassign", "Reassign cases", "Team", self.ask_reassign, keys="Shift+G"), self)
        header = PanelHeader("Batches")
        self._words = TextLabel("", "small-muted")
        header.add_left(self._words)
        for command, words, name in (
            ("team.give", "Assign to…", "batch-give"),
            ("team.reassign", "Reassign…", "batch-reassign"),
            ("team.return", "Return…", "batch-return"),
        ):
            header.add_right(commands.button(command, words, name=name))
        self._table = FigureTable("batches", "Batches", COLUMNS)
        self._table.marked.connect(self._block)
        nothing = EmptyState("tray", "No batch yet", "Import a file in the queue: its cases become a batch.")
        self._stack = stacked(self._table, nothing)
        tight_column(self, header, (self._stack, 1))
        self.setFocusProxy(self._table)
        self._block()

    def refresh(self) -> None:
        """Read the batches again."""
        self._operations.run(batches, then=self._show, failed=self._notice.show_error)

    def ask_give(self) -> None:
        """Ask to whom the marked batch goes."""
        batch = self._marked()
        if batch is not None:
            dialog = AssignDialog([batch], self._annotators(), parent=self)
            dialog.ordered.connect(self._give)
            open_dialog(dialog)

    def ask_return(self) -> None:
        """Ask why the marked batch goes back."""
        batch = self._marked()
        if batch is not None:
            count = sum(batch.stages.get(stage, 0) for stage in _RETURNABLE)
            dialog = ReturnDialog(batch.name, count, self)
            dialog.ordered.connect(self._return)
            open_dialog(dialog)

    def ask_reassign(self) -> None:
        """Ask whose cases of the marked batch go to whom."""
        batch = self._marked()
        if batch is not None:
            read = partial(owners_of, batch=batch.name)
            ask = partial(self._ask_reassign, batch.name)
            self._operations.run(read, then=ask, failed=self._notice.show_error)

    def _ask_reassign(self, batch: str, owners: dict[str, int]) -> None:
        dialog = HandOverDialog(batch, owners, self._annotators(), self)
        dialog.ordered.connect(self._reassign)
        open_dialog(dialog)

    def _reassign(self, batch: str, of: str, to: str) -> None:
        self._operations.start_job(
            partial(hand_over, batch=batch, of=of, to=to),
            f"Reassign cases of {batch}",
            then=self._say_reassigned,
            failed=self._notice.show_error,
            changes=Changes(has_new_cases=True),
        )

    def _say_reassigned(self, done: HandedOver) -> None:
        self._notice.show_message(done.words, tone=Tone.WARN if done.refused else Tone.OK)

    def _give(self, batch: str, people: tuple[str, ...]) -> None:
        work = partial(assign_batch, batch=batch, to=people)
        said = partial(self._say_given, people)
        self._operations.run(work, then=said, failed=self._notice.show_error)

    def _say_given(self, people: tuple[str, ...], count: int) -> None:
        self._notice.show_message(f"{counted(count, 'case')} assigned to {', '.join(people)}.", tone=Tone.OK)

    def _return(self, batch: str, reason: str) -> None:
        work = partial(return_batch, batch=batch, reason=reason)
        self._operations.run(work, then=self._say_returned, failed=self._notice.show_error)

    def _say_returned(self, count: int) -> None:
        self._notice.show_message(f"{counted(count, 'case')} returned to their owners.", tone=Tone.OK)

    def _show(self, found: tuple[BatchRow, ...]) -> None:
        self._found = found
        self._stack.setCurrentIndex(0 if found else 1)
        total = sum(one.case_count for one in found)
        self._words.setText(f"{counted(total, 'case')} in {counted(len(found), 'batch', 'batches')}")
        self._table.show_rows(batch_rows(found, datetime.now().astimezone()))
        self._block()

    def _marked(self) -> BatchRow | None:
        return next((one for one in self._found if one.name == self._table.marked_key), None)

    def _why_not_reassign(self, batch: BatchRow | None) -> str:
        owned = batch is not None and any(batch.stages.get(stage, 0) for stage in OWNED)
        return "" if owned else "None of its cases is waiting for its owner."

    def _annotators(self) -> tuple[str, ...]:
        people = self._operations.project.people if self._operations.project else ()
        return tuple(p.name for p in people if p.is_active and p.has_role(Role.ANNOTATOR))

    def _block(self, _: Hashable = None) -> None:
        project, batch = self._operations.project, self._marked()
        me = project.person if project else None
        reason = "" if me and me.has_role(Role.MANAGER) else "Only managers assign and return batches."
        if not reason and batch is None:
            reason = "There is no batch yet."
        self._commands.block("team.give", reason)
        self._commands.block("team.reassign", reason or self._why_not_reassign(batch))
        if not reason and batch is not None and not any(batch.stages.get(s, 0) for s in _RETURNABLE):
            reason = "None of its cases is in cross-check or approved."
        self._commands.block("team.return", reason)
