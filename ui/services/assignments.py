"""Handing work out, asked by more than one page: a batch to annotators, a decision to an expert."""

from collections.abc import Hashable, Sequence
from datetime import datetime
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from annotator.project.people import PersonRow
from annotator.review.queue.assignments import hand_case
from annotator.review.queue.case_rows import BatchRow
from annotator.review.queue.expert_list import DecisionWait, expert_list
from scoring.model.taxonomy import Role
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import PanelHeader, TextLabel
from ui.theme.dialogs import DialogFrame, open_dialog
from ui.theme.fields import CheckList, DropDown
from ui.theme.layouts import vbox
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.words import counted, exactly, waited

COLUMNS = (
    Column("Case", 200),
    Column("Batch", 96),
    Column("Why it came to the experts"),
    Column("Waiting since", 108, is_figure=True, tip="When it came to the experts"),
    Column("Handed to", 88, tip="Who is offered it first; others can still open it"),
    Column("Deciding", 88, tip="Who has it open under a lease now"),
)


def wait_rows(found: Sequence[DecisionWait], now: datetime, *, me: str) -> tuple[Row, ...]:
    """One line a case, in the order given; what the queue does not offer the person is faint."""
    return tuple(Row(one.case_id, _cells(one, now, me)) for one in found)


def _cells(one: DecisionWait, now: datetime, me: str) -> tuple[Cell, ...]:
    colour = "text" if one.is_offered or one.deciding == me else "faint"

    def who(name: str | None) -> Cell:
        return Cell("you" if name == me else name or "", is_strong=name == me, colour=colour)

    return (
        Cell(one.case_id, is_mono=True, colour=colour),
        Cell(one.batch, colour="muted"),
        Cell(one.why, tip=one.why, colour=colour),
        Cell(waited(one.since, now), one.since.timestamp(), exactly(one.since, now), colour=colour),
        who(one.handed_to),
        who(one.deciding),
    )


class HandDialog(QDialog):
    """Asks which expert is to decide a case.

    Args:
        case_id: The case.
        experts: Names of those who are active.
        chosen: To whom it is handed now, null for nobody.
    """

    ordered = Signal(str, object)
    """(case id, name or null)."""

    def __init__(
        self, case_id: str, experts: Sequence[str], *, chosen: str | None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("hand-dialog")
        self.setWindowTitle("Hand a decision over")
        self._case_id = case_id
        nobody = ("Nobody in particular", None)
        self._to = DropDown("hand-to", [*((name, name) for name in experts), nobody], accessibleName="To")
        self._to.setCurrentIndex(max(0, self._to.findData(chosen)) if chosen else 0)
        frame = DialogFrame(self, f"Hand {case_id} over", width=420)
        frame.explain(
            "The expert is offered the case before any other. Others can still open it from a list, "
            "and it is seen that they did.",
            "small-muted",
        )
        frame.add_form().addRow("To", self._to)
        frame.confirm("Hand over", "hand-go", self._order)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(self._case_id, self._to.currentData())


class ExpertList(QWidget):
    """Lists what waits for experts, or for the person who looks.

    Args:
        operations: Reads and changes.
        commands: Gets `<page>.hand`.
        notice: Where this says what happened.
        page: Whose command it is, such as `team`.
        is_mine: Whether only cases the person could decide are listed.
    """

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(
        self, operations: Operations, commands: Commands, notice: ErrorBanner, *, page: str, is_mine: bool
    ) -> None:
        super().__init__()
        self.setObjectName(f"{page}-expert-list")
        self._operations, self._commands, self._notice = operations, commands, notice
        self._command, self._is_mine = f"{page}.hand", is_mine
        self._found: tuple[DecisionWait, ...] = ()
        commands.add(
            Command(self._command, "Hand the decision to an expert", page.title(), self.ask, keys="H"), self
        )
        self._words = TextLabel("", "small-muted", objectName=f"{page}-expert-words")
        header = PanelHeader("Waiting for you" if is_mine else "Waiting for experts")
        header.add_left(self._words)
        header.add_right(commands.button(self._command, "Hand to…", name=f"{page}-hand"))
        self._table = FigureTable(f"{page}-waiting", "Cases that wait for an expert", COLUMNS)
        self._table.marked.connect(self._block)
        self._table.opened.connect(self._open)
        vbox(header, (self._table, 1), within=self)
        self.setFocusProxy(self._table)
        self._block()

    def refresh(self) -> None:
        """Read the list again; who is neither expert nor manager has none."""
        me = self._me()
        roles = (Role.EXPERT,) if self._is_mine else (Role.EXPERT, Role.MANAGER)
        can_see = me is not None and any(me.has_role(role) for role in roles)
        self.setVisible(can_see)
        if me is not None and can_see:
            read = partial(expert_list, person=me.name if self._is_mine else "")
            self._operations.run(read, then=self._show, failed=self._notice.show_error)

    def ask(self) -> None:
        """Ask to whom the marked case is handed."""
        one = self._marked()
        project = self._operations.project
        if one is not None and project is not None:
            experts = [p.name for p in project.people if p.is_active and p.has_role(Role.EXPERT)]
            dialog = HandDialog(one.case_id, experts, chosen=one.handed_to, parent=self)
            dialog.ordered.connect(self._hand)
            open_dialog(dialog)

    def _hand(self, case_id: str, to: str | None) -> None:
        self._operations.run(partial(hand_case, case_id=case_id, to=to), failed=self._notice.show_error)

    def _show(self, found: tuple[DecisionWait, ...]) -> None:
        self._found = found
        me = self._me()
        offered = sum(one.is_offered for one in found)
        rest = f", {offered:,} offered by N" if self._is_mine and offered != len(found) else ""
        self._words.setText(f"{counted(len(found), 'case')}{rest}, the longest wait first")
        name = me.name if me is not None else ""
        self._table.show_rows(wait_rows(found, datetime.now().astimezone(), me=name))
        self._block()

    def _marked(self) -> DecisionWait | None:
        return next((one for one in self._found if one.case_id == self._table.marked_key), None)

    def _me(self) -> PersonRow | None:
        return self._operations.project.person if self._operations.project else None

    def _open(self, key: Hashable) -> None:
        self.case_wanted.emit(str(key))

    def _block(self, _: Hashable = None) -> None:
        me = self._me()
        can = me is not None and (me.has_role(Role.MANAGER) or me.has_role(Role.EXPERT))
        reason = "" if can else "Only managers and experts hand decisions over."
        self._commands.block(self._command, reason or ("" if self._found else "No case waits for an expert."))


_NOBODY = "This project has no active annotator: add a person first."


class AssignDialog(QDialog):
    """Asks which batch goes to whom.

    Args:
        batches: To choose from, the newest first.
        people: Names of those who can own cases.
        wanted: The batch marked first; the newest where there is none of this name.
    """

    ordered = Signal(str, object)
    """(batch name, names of people)."""

    def __init__(
        self,
        batches: Sequence[BatchRow],
        people: Sequence[str],
        *,
        wanted: str = "",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("assign-dialog")
        self.setWindowTitle("Assign cases")
        self._batch = DropDown(
            "assign-batch",
            [(f"{batch.name} · {counted(batch.case_count, 'case')}", batch.name) for batch in batches],
        )
        self._batch.setCurrentIndex(max(0, self._batch.findData(wanted)))
        self._people = CheckList("assign-people", "People", names=people, nothing=_NOBODY)
        self._people.itemChanged.connect(self._check)
        frame = DialogFrame(self, "Assign cases", width=420)
        frame.explain(
            "Cases without an owner are assigned to these people in turn; cases with an owner are skipped.",
            "small-muted",
        )
        frame.add_form().addRow("Batch", self._batch)
        frame.add(self._people, stretch=1)
        self._go = frame.confirm("Assign", "assign-go", self._order)
        self._check()

    def _check(self) -> None:
        reason = "Choose at least one person."
        if self._people.is_empty:
            reason = _NOBODY
        self._go.set_blocked("" if self._people.chosen else reason)

    def _order(self) -> None:
        self.accept()
        self.ordered.emit(str(self._batch.currentData()), self._people.chosen)
