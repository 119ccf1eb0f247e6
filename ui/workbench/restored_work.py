"""What became of one's work on a case: restored, merged, changed by others, set aside, brought back."""

from collections.abc import Callable, Hashable, Sequence
from datetime import datetime
from itertools import count
from operator import itemgetter
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.drafts.carry_over import gone_words
from annotator.drafts.difference import restored_words
from annotator.drafts.journal import SetAside, written_at
from annotator.drafts.merged_work import MergedWork, who
from annotator.drafts.snapshot import Snapshot, opening_snapshot
from annotator.review.case_changes import MovedOn
from annotator.review.saved_work import RestoredWork
from scoring.errors import AnnotatorError, ConflictError, ForbiddenError
from scoring.model.taxonomy import SlotStatus
from scoring.texts import in_language, tr
from ui.desk.autosave import SaveState
from ui.desk.panels import CasePanels
from ui.services.commands import Command, Commands, shown_keys
from ui.services.errors import ErrorBanner
from ui.theme import Button, ButtonKind, ElidedLabel, Hint, HintAction, Tone
from ui.theme.cells import Cell
from ui.theme.dialogs import FramedDialog, open_dialog
from ui.theme.layouts import clear_layout, connect, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import STAGE, ago, exactly
from ui.workbench.open_work import OpenWork

_SECONDS = 20.0
"""Active time after which it is known that an ordinary draft was restored."""


class RestoredNote(QWidget):
    """Empty where nothing was restored.

    An ordinary draft's note goes with the first edit or after some seconds of work; a warning, and a note
    that offers what was set aside, waits for an answer.

    Args:
        start_over: Leads back to where the work began.
        list_set_aside: Shows what was set aside.
    """

    def __init__(self, *, start_over: Callable[[], None], list_set_aside: Callable[[], None]) -> None:
        super().__init__()
        self._answers = {"over": start_over, "aside": list_set_aside, "fine": self.clear}
        self._ends_at: float | None = None
        self._place = vbox(within=self, gap=None)

    def show_restored(self, restored: RestoredWork, *, seconds: float, has_aside: bool) -> None:
        """Say what was restored.

        Args:
            restored: What was; without words the note is empty.
            seconds: Active time on the case so far.
            has_aside: Whether anything of the case was set aside.
        """
        self.clear()
        if not restored.words:
            return
        if not has_aside and not restored.is_warning:
            self._ends_at = seconds + _SECONDS
        aside = (HintAction("aside", tr("What was set aside…")),) if has_aside else ()
        self._place.addWidget(
            Hint(
                restored.words,
                "",
                Tone.WARN if restored.is_warning else Tone.ACCENT,
                actions=(HintAction("over", tr("Start over")), *aside, HintAction("fine", tr("Go on"))),
                objectName="restored-note",
                acted=lambda name: self._answers[name](),
            )
        )

    def pass_time(self, seconds: float) -> None:
        """Take the note of an ordinary draft away after so many seconds of active time on the case."""
        if self._ends_at is not None and seconds >= self._ends_at:
            self.clear()

    def end_if_ordinary(self) -> None:
        """Take the note of an ordinary draft away, because the work goes on."""
        if self._ends_at is not None:
            self.clear()

    def clear(self) -> None:
        """Say nothing."""
        self._ends_at = None
        clear_layout(self._place)


_SAME, _DAMAGED = tr("nothing: the same as now"), tr("cannot be read")


AsideLine = tuple[int, SetAside, str]
"""A piece of work with its number, and what it would change."""


def _written(line: AsideLine) -> Cell:
    kept, now = line[1].kept, datetime.now().astimezone()
    if kept is None:
        return Cell("", tip=str(line[1].path))
    at = written_at(kept.body, kept.at)
    return Cell(ago(at, now), tip=exactly(at, now))


_COLUMNS: tuple[Column[AsideLine], ...] = (
    Column(tr("Written"), 130, _written),
    Column(
        tr("What it would change"),
        cell=lambda line: (
            Cell(line[2] or _SAME, tip=line[2], colour="text" if line[2] else "muted")
            if line[1].kept is not None
            else Cell(_DAMAGED, colour="muted", tip=str(line[1].path))
        ),
    ),
)


def changed_words(one: SetAside, shown: Snapshot) -> str:
    """What bringing it back would change, e.g. `2 labels and 1 citation`; empty for nothing."""
    if one.kept is None:
        return ""
    body = one.kept.body
    try:
        work = opening_snapshot(body.case, body.judgment)
    except AnnotatorError as error:
        return tr(error.message)
    typed = tr("what was being typed") if body.open_editor is not None else ""
    return tr(" and ").join(part for part in (restored_words(shown, work), typed) if part)


class SetAsideDialog(FramedDialog):
    """Lists what was set aside; Enter or the button brings the marked one back.

    Args:
        found: What there is, what was written last first.
        shown: The work as it is now.
        parent: The page.
    """

    wanted = Signal(object)
    """The `SetAside` to bring back."""

    def __init__(self, found: Sequence[SetAside], shown: Snapshot, parent: QWidget, **signals: Any) -> None:
        title = tr("Work that was set aside")
        about = tr("It takes the place of what is open; undo brings that again. The files stay.")
        super().__init__(
            "aside-dialog", title, title, width=560, height=340, about=about, parent=parent, **signals
        )
        self._found = tuple(found)
        self._table = FigureTable(
            "aside", title, _COLUMNS, is_sortable=False, marked=self._show_marked, opened=self._bring
        )
        self._changes = tuple(changed_words(one, shown) for one in found)
        self._place = ElidedLabel(
            "", "small-muted", mode=Qt.TextElideMode.ElideMiddle, objectName="aside-place"
        )
        self._ok = Button(
            tr("Bring back"),
            ButtonKind.PRIMARY,
            keys="↵",
            objectName="aside-ok",
            default=True,
            clicked=lambda: self._bring(self._table.marked_key),
        )
        self.frame.add((self._table, 1))
        self.frame.end_with(self._ok, cancel=tr("Close"), left=self._place)
        self._table.show_items(zip(count(), found, self._changes), key=itemgetter(0))
        self._table.setFocus()

    def _show_marked(self, key: Hashable) -> None:
        if isinstance(key, int):
            self._place.setText(str(self._found[key].path))
            self._ok.set_blocked(self._why_not(key))

    def _why_not(self, number: int) -> str:
        if self._found[number].kept is None:
            return tr("This file cannot be read.")
        return "" if self._changes[number] else tr("It is what you have now.")

    def _bring(self, key: Hashable) -> None:
        # Return reaches the table and the default button; the first of them closes the list.
        if isinstance(key, int) and self.isVisible() and not self._why_not(key):
            self.accept()
            self.wanted.emit(self._found[key])


_SHARED = "roles/manager.md#two-people-on-one-case"
"""Of the manual, about work of two people on one case."""
_RENEW = "workbench.renew"


class WorkNotices(QObject):
    """Says what becomes of the open work, and offers what is the next step then.

    Args:
        open_work: Where the case is open.
        banner: Shows the news.
        commands: Knows the keys that are named.
        panels: Show the case.
        page: Above which the list of what was set aside opens.
    """

    saved_changed = Signal(str, object)
    """(words, tone) for the footer."""
    told = Signal(str)
    """One line for the person."""

    def __init__(
        self,
        open_work: OpenWork,
        banner: ErrorBanner,
        commands: Commands,
        *,
        panels: CasePanels,
        page: QWidget,
    ) -> None:
        super().__init__(page)
        self._open_work, self._banner, self._commands = open_work, banner, commands
        self._panels, self._page = panels, page
        self._problem = ""
        connect(
            (open_work.save_changed, self._tell_saved),
            (open_work.brought, self._tell_brought),
            (open_work.moved_on, self._tell_moved),
            (banner.acted, open_work.open_again),
        )
        commands.add(
            Command(
                _RENEW, tr("Open the case as it is now"), tr("Case"), open_work.open_again, "Ctrl+Shift+M"
            ),
            page,
        )

    def list_set_aside(self) -> None:
        """List what was set aside of the case that is open, or say that there is nothing."""
        document, found = self._open_work.document, self._open_work.laid_aside()
        if document is None or not found:
            self.told.emit(tr("Nothing was set aside of your work on this case."))
        else:
            open_dialog(SetAsideDialog(found, document.snapshot, self._page, wanted=self._bring))

    def _bring(self, one: SetAside) -> None:
        brought = self._open_work.bring_back(one.kept) if one.kept is not None else None
        if one.kept is None or brought is None:
            return
        self.told.emit(
            tr(
                "Brought back; undo shows what you had.{gone}",
                gone=tr(" Gone with what changed: {gone_words}.", gone_words=gone_words(brought.gone))
                if brought.gone
                else "",
            )
        )
        if one.kept.body.open_editor is not None:
            self._panels.dialogue.view.type_again(one.kept.body.open_editor)

    def show_error(self, error: AnnotatorError) -> None:
        """Show an error; where the open case is not what it was, offer to open it anew."""
        self._banner.show_error(error)
        if self._open_work.document is not None and isinstance(error, ConflictError | ForbiddenError):
            self._offer()

    def show_lost(self, error: AnnotatorError) -> None:
        """Say why the case cannot be had any more."""
        kept = tr(
            "{hint} Your work on it is kept and comes back with the case.", hint=in_language(error.hint)
        )
        self._banner.show_error(error, hint=kept)

    def _tell_saved(self, state: SaveState) -> None:
        self.saved_changed.emit(state.line, state.tone)
        # While the whole project is away the window says so itself.
        is_news = bool(state.problem) and state.problem != self._problem
        self._problem = state.problem
        saver = self._open_work.saver
        if is_news and saver is not None and saver.is_refused:
            self._banner.show_message(
                f"{state.words}.", state.problem, tone=state.tone, page="roles/annotator.md#nothing-is-lost"
            )
            self._offer()

    def _offer(self) -> None:
        self._banner.offer(tr("Open it as it is now"), keys=shown_keys(self._commands.keys(_RENEW)))

    def _tell_brought(self, place: str) -> None:
        words, hint = brought_words(
            self._open_work.merged,
            self._open_work.merged_words,
            place=place,
            keys=shown_keys(self._commands.keys("workbench.aside")) or tr("the palette"),
        )
        self._banner.show_message(words, hint, tone=Tone.WARN, page=_SHARED)

    def _tell_moved(self, moved: MovedOn) -> None:
        loaded = self._open_work.loaded
        if loaded is not None:
            words, hint = moved_words(moved, me=loaded.opened.assignment.person)
            self._banner.show_message(words, hint, tone=Tone.WARN, page=_SHARED)
            if moved.ended is None:
                self._offer()
            self._panels.history.reload()


def brought_words(merged: MergedWork | None, changed: str, *, place: str, keys: str) -> tuple[str, str]:
    """The sentence and the hint once one's work was brought together with the case as it is now.

    Args:
        merged: What came of it; None where nothing had to be brought together.
        changed: Who changed what, in a sentence.
        place: The file that keeps what another window saved; empty where there was none.
        keys: How that is brought back.
    """
    is_changed = merged is not None and bool(merged.tasks or merged.theirs or merged.work.clashes)
    if place:
        hint = tr(
            "Undo shows what that window saved. {place} keeps it, and {keys} brings it back later.",
            place=place,
            keys=keys,
        )
        lead = f"{changed} " if is_changed and changed else ""
        return tr("Your work lies on top of what another window saved."), lead + hint
    if is_changed:
        hint = tr("{changed} Undo shows the case without your work.", changed=changed)
        return tr("Your work was merged with the current version of the case."), hint
    hint = tr("Nobody changed its content. Undo shows the case without your work.")
    return tr("Your work lies on top of the case as it is now."), hint


def moved_words(moved: MovedOn, *, me: str) -> tuple[str, str]:
    """The sentence and the hint when a case that is open moved on, or is not the person's any more."""
    if moved.ended is not None:
        kept = tr(
            "Your work on it is kept and comes back with the case. To continue, take the next case (N)."
        )
        if moved.ended in (SlotStatus.SUBMITTED, SlotStatus.SKIPPED):
            return (
                tr("You submitted {case_id} in another window.", case_id=moved.case_id)
                if moved.ended is SlotStatus.SUBMITTED
                else tr("You skipped {case_id} in another window.", case_id=moved.case_id)
            ), kept
        return tr(
            "You do not hold {case_id} any more: it was handed back, or assigned to {to}.",
            case_id=moved.case_id,
            to=moved.owner or tr("somebody else"),
        ), kept
    if moved.has_other_content:
        hint = tr("Your work is saved. Bring both together now, or later: until then it cannot be submitted.")
        return tr(
            "{who} changed {case_id} while you work on it.", who=who(moved.by, me), case_id=moved.case_id
        ), hint
    hint = tr("Your work is saved. Open the case again before you submit.")
    return tr(
        "{case_id} moved on while you work on it: it is at {stage} now.",
        case_id=moved.case_id,
        stage=STAGE[moved.stage].lower(),
    ), hint
