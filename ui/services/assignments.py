"""Handing work out, asked by more than one page: a batch to annotators, a decision to an expert."""

from collections.abc import Sequence
from functools import partial
from itertools import zip_longest
from operator import attrgetter
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from annotator.project.changes import Changes
from annotator.review.bulk_changes import BulkAction, BulkChange, BulkOutcome, change_cases
from annotator.review.queue.assignments import assign_batch, hand_case
from annotator.review.queue.case_rows import BatchRow, CaseFilter
from annotator.review.queue.expert_list import DecisionWait, expert_list
from scoring.model.taxonomy import Role
from scoring.texts import in_language, tr, tr_count, with_commas
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.theme import PanelHeader, TextLabel, Tone, WrappedLabel
from ui.theme.cells import Cell, wait_cell
from ui.theme.dialogs import FormDialog, question_dialog
from ui.theme.fields import CheckList, DropDown
from ui.theme.layouts import STRETCH, build, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import PRIORITY, plain_tip


def wait_columns(me: str) -> tuple[Column[DecisionWait], ...]:
    """What is said of a case that waits; what the queue does not offer this person is faint."""

    def colour(one: DecisionWait) -> str:
        return "text" if one.is_offered or one.deciding == me else "muted"

    def who(name: str | None, one: DecisionWait) -> Cell:
        return Cell(tr("you") if name == me else name or "", is_strong=name == me, colour=colour(one))

    return (
        Column(tr("Case"), 200, lambda one: Cell(one.case_id, is_mono=True, colour=colour(one))),
        Column(tr("Batch"), 96, lambda one: Cell(one.batch, colour="muted")),
        Column(
            tr("Why it came to the experts"),
            cell=lambda one: Cell(tr(one.why), tip=tr(one.why), colour=colour(one)),
        ),
        Column(
            tr("Waiting since"),
            108,
            lambda one: wait_cell(one.since, colour=colour(one)),
            is_figure=True,
            tip=tr("When it came to the experts"),
        ),
        Column(
            tr("Handed to"),
            88,
            lambda one: who(one.handed_to, one),
            tip=tr("Who is offered it first; others can still open it"),
        ),
        Column(
            tr("Deciding"),
            88,
            lambda one: who(one.deciding, one),
            tip=tr("Who has it open under a lease now"),
        ),
    )


def hand_dialog(parent: QWidget, case_id: str, experts: Sequence[str], *, chosen: str | None) -> FormDialog:
    """Ask which expert is to decide a case; answers a name, None for nobody in particular.

    Args:
        parent: Above which it opens.
        case_id: The case.
        experts: Names of those who are active.
        chosen: To whom it is handed now, None for nobody.
    """
    dialog = FormDialog(
        "hand",
        tr("Hand a decision over"),
        tr("Hand {case_id} over", case_id=case_id),
        width=420,
        parent=parent,
    )
    nobody = (tr("Nobody in particular"), None)
    to = DropDown(
        "hand-to", [*((name, name) for name in experts), nobody], accessibleName=tr("To", context="owner")
    )
    to.setCurrentIndex(max(0, to.findData(chosen)) if chosen else 0)
    dialog.frame.add_form(
        (tr("To", context="owner"), to),
        about=tr(
            "The expert is offered the case before any other. Others can still open it from a list, "
            "and it is seen that they did."
        ),
    )
    return dialog.end_with(tr("Hand over"), to.currentData)


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
        self,
        operations: Operations,
        commands: Commands,
        notice: ErrorBanner,
        *,
        page: str,
        is_mine: bool,
        **properties: Any,
    ) -> None:
        build(super().__init__, objectName=f"{page}-expert-list", **properties)
        self._operations, self._commands, self._notice = operations, commands, notice
        self._command, self._is_mine = f"{page}.hand", is_mine
        self._table = FigureTable(
            f"{page}-waiting",
            tr("Cases that wait for an expert"),
            wait_columns(""),
            marked=self._block,
            opened=self.case_wanted.emit,
            nothing=tr("No case waits"),
        )
        commands.add(
            Command(
                self._command,
                tr("Hand the decision to an expert"),
                tr("Team") if page == "team" else tr("Adjudicate"),
                self._table.with_marked(self._ask),
                keys="H",
            ),
            self,
        )
        self._words = TextLabel("", "small-muted", objectName=f"{page}-expert-words")
        header = PanelHeader(
            tr("Waiting for you") if is_mine else tr("Waiting for experts"),
            self._words,
            STRETCH,
            commands.button(self._command, tr("Hand to…"), name=f"{page}-hand"),
        )
        vbox(header, (self._table, 1), within=self, focus=self._table)
        self._block()

    def refresh(self) -> None:
        """Read the list again; who is neither expert nor manager has none."""
        roles = (Role.EXPERT,) if self._is_mine else (Role.EXPERT, Role.MANAGER)
        can_see = self._operations.has_role(*roles)
        self.setVisible(can_see)
        if can_see:
            self._operations.run(
                partial(expert_list, person=self._operations.name if self._is_mine else ""),
                then=self._show,
                failed=unread(self._notice.show_error, self._table),
            )

    def _ask(self, one: DecisionWait) -> None:
        """Ask to whom a case is handed."""
        experts = self._operations.active_people(Role.EXPERT)
        hand_dialog(self, one.case_id, experts, chosen=one.handed_to).ask(
            lambda to: self._operations.run(
                partial(hand_case, case_id=one.case_id, to=to), failed=self._notice.show_error
            )
        )

    def _show(self, found: tuple[DecisionWait, ...]) -> None:
        offered = sum(one.is_offered for one in found)
        rest = (
            tr(", {offered:,} offered by N", offered=offered)
            if self._is_mine and offered != len(found)
            else ""
        )
        self._words.setText(
            tr("{case}{rest}, the longest wait first", case=tr_count(len(found), "case"), rest=rest)
        )
        self._table.show_items(found, key=attrgetter("case_id"), columns=wait_columns(self._operations.name))
        self._block()

    def _block(self) -> None:
        can = self._operations.has_role(Role.MANAGER, Role.EXPERT)
        reason = "" if can else tr("Only managers and experts hand decisions over.")
        self._commands.block(
            self._command, reason or ("" if self._table.rows else tr("No case waits for an expert."))
        )


def change_words(change: BulkChange) -> str:
    """What is done to cases, as a heading."""
    return {
        BulkAction.ASSIGN: tr("Assign to {name}", name=change.value),
        BulkAction.MOVE: tr("Move to batch {name}", name=change.value),
        BulkAction.RETURN: tr("Return to their owners"),
        BulkAction.PRIORITY: tr("{name}: {words}", name=tr("Priority"), words=PRIORITY.get(change.value, "")),
        BulkAction.SHARE_OUT: tr("Share out the work of {name}", name=change.value),
    }[change.action]


def confirm_dialog(parent: QWidget, change: BulkChange, ahead: BulkOutcome) -> FormDialog:
    """Ask whether cases change, with what would come of it; the tip of a reason names its cases."""
    lines = zip_longest(ahead.words, ((), *ahead.refused_cases.values()), fillvalue=())
    return question_dialog(
        "change-confirm",
        tr("Change the listed cases"),
        change_words(change),
        *(
            WrappedLabel(in_language(str(line)), "muted", toolTip=plain_tip(with_commas(cases)))
            for line, cases in lines
        ),
        verb=tr("Change {case}", case=tr_count(ahead.changed, "case")),
        width=520,
        parent=parent,
    )


def change_after_preview(
    parent: QWidget,
    operations: Operations,
    notice: ErrorBanner,
    *,
    which: CaseFilter | tuple[str, ...],
    change: BulkChange,
) -> None:
    """Look ahead what a change of cases would do, ask, make it, and say what came of it."""
    tell = partial(tell_outcome, notice)

    def make(cases: tuple[str, ...], _: None) -> None:
        operations.start_job(
            partial(change_cases, which=cases, change=change),
            tr("Change {case}", case=tr_count(len(cases), "case")),
            then=tell,
            failed=notice.show_error,
            changes=Changes(has_new_cases=True),
        )

    def ask(ahead: BulkOutcome) -> None:
        if ahead.left or not ahead.changed:
            tell(ahead)
        else:
            confirm_dialog(parent, change, ahead).ask(partial(make, ahead.cases))

    operations.start_job(
        partial(change_cases, which=which, change=change, is_done=False),
        tr("Look what would change"),
        then=ask,
        failed=notice.show_error,
    )


def tell_outcome(notice: ErrorBanner, done: BulkOutcome) -> None:
    """Say what came of a change of many cases."""
    tone = Tone.WARN if done.refused or done.left else Tone.OK
    notice.show_message(
        in_language(" ".join(done.words)), tone=tone, page="roles/manager.md#change-many-cases"
    )


_NOBODY = tr("This project has no active annotator: add a person first.")


def assign_dialog(
    parent: QWidget, batches: Sequence[BatchRow], people: Sequence[str], *, wanted: str = ""
) -> FormDialog:
    """Ask which batch goes to whom; answers the name of the batch and those of the people.

    Args:
        parent: Above which it opens.
        batches: To choose from, the newest first.
        people: Names of those who can own cases.
        wanted: The batch marked first; the newest where there is none of this name.
    """
    dialog = FormDialog("assign", tr("Assign cases"), tr("Assign cases"), width=420, parent=parent)
    choices = [(f"{batch.name} · {tr_count(batch.case_count, 'case')}", batch.name) for batch in batches]
    batch = DropDown("assign-batch", choices)
    batch.setCurrentIndex(max(0, batch.findData(wanted)))
    chosen = CheckList("assign-people", tr("People"), names=people, nothing=_NOBODY, itemChanged=dialog.check)
    dialog.frame.add_form(
        (tr("Batch"), batch),
        about=tr(
            "Cases without an owner are assigned to these people in turn; cases with an owner are skipped."
        ),
    )
    dialog.frame.add((chosen, 1))
    reason = tr("Choose at least one person.") if people else _NOBODY
    return dialog.end_with(
        tr("Assign"),
        lambda: (batch.currentData(), chosen.chosen),
        missing=lambda: "" if chosen.chosen else reason,
    )


def ask_to_assign(
    parent: QWidget,
    operations: Operations,
    notice: ErrorBanner,
    *,
    batches: Sequence[BatchRow],
    wanted: str = "",
) -> None:
    """Ask which batch goes to whom, assign its cases, and say so; arguments as for `assign_dialog`."""

    def assign(answer: tuple[str, tuple[str, ...]]) -> None:
        batch, names = answer
        words = tr("assigned to {names}.", names=with_commas(names))
        said = partial(notice.tell, lambda count: f"{tr_count(count, 'case')} {words}")
        operations.run(partial(assign_batch, batch=batch, to=names), then=said, failed=notice.show_error)

    assign_dialog(parent, batches, operations.active_people(Role.ANNOTATOR), wanted=wanted).ask(assign)
