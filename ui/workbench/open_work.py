"""The work that is open: one case, its document, and the saving of both."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal

from annotator.drafts.draft_body import DraftBody, OpenEditor
from annotator.drafts.journal import Journal, JournalEntry, SetAside
from annotator.drafts.merged_work import MergedWork, merge_work, merged_words
from annotator.drafts.snapshot import Snapshot, opening_snapshot, with_answers_last
from annotator.project.workspace import Workspace
from annotator.review.case_changes import MovedOn
from annotator.review.loaded_case import (
    ANNOTATION_STAGES,
    LoadedCase,
    take_again,
    take_case,
    take_next,
    take_up,
)
from annotator.review.saved_work import Brought, RestoredWork, recall, rival_of
from scoring.errors import AnnotatorError, StoreError
from scoring.model.case import Case
from scoring.model.taxonomy import Stage
from scoring.texts import tr
from ui.desk.autosave import Autosaver, SaveState, work_key
from ui.desk.document import CaseDocument, cursor_of, document_for, draft_body
from ui.services.errors import pass_over
from ui.services.operations import Operations
from ui.theme.layouts import build, connect

_LOOK_MILLISECONDS = 15_000
"""How often an open case is looked at; a change in this window and a saved draft tell at once."""


class OpenWork(QObject):
    """Opens slots and keeps their work safe.

    Args:
        operations: The way to the project.
        journal: Takes the work while the store is away.
    """

    waiting = Signal(bool)
    """Whether a case is being read and checked, to be opened."""
    opened = Signal(object, object)
    """A case is open: its `LoadedCase` and its `CaseDocument`; `restored` says with what work."""
    closed = Signal()
    """No case is open any more."""
    nothing_left = Signal()
    """A next case was asked for, and none waits."""
    brought = Signal(str)
    """Work on an earlier state of the case was brought together with what it is now: `merged`.

    It carries the file that holds what another window saved; empty where no other did.
    """
    moved_on = Signal(object)
    """The open case is another one by now: the `MovedOn`, sent once for each state."""
    lost = Signal(object)
    """The `AnnotatorError` that says why the case cannot be had any more; nothing is open."""
    save_changed = Signal(object)
    """The `SaveState`."""
    failed = Signal(object)
    """The `AnnotatorError` of a case that could not be opened as it was left."""

    def __init__(self, operations: Operations, journal: Journal, *, parent: QObject) -> None:
        super().__init__(parent)
        self._operations = operations
        self._journal = journal
        self.saver: Autosaver | None = None
        """What keeps the work; None where no case is open."""
        self.loaded: LoadedCase | None = None
        self.document: CaseDocument | None = None
        self.restored = RestoredWork(None)
        self.merged: MergedWork | None = None
        """What came from whom where work on an earlier state was brought together with the case."""
        self._brought: Brought | None = None
        self._open_editor: OpenEditor | None = None
        self.comment = ""
        """What the draft keeps of a comment that was not added yet."""
        self.unsent: dict[str, str] = {}
        """By case, what was typed as a comment when the case was submitted or read anew."""
        self._moved: MovedOn | None = None
        self._by: tuple[str, ...] = ()
        self._look = build(QTimer, self, interval=_LOOK_MILLISECONDS, timeout=self.look_again)

    @property
    def merged_words(self) -> str:
        """What came from whom, in sentences; empty where nothing was brought together."""
        if self.merged is None or self.loaded is None:
            return ""
        return merged_words(self.merged, by=self._by, person=self.loaded.opened.assignment.person)

    def open(self, assignment_id: int) -> None:
        """Open a slot; what was open before is saved and stays a draft."""
        held = self.loaded.opened.assignment.id if self.loaded is not None else None
        if held != assignment_id:
            self._read(partial(take_up, assignment_id=assignment_id), then=self._show)

    def open_next(self, stages: Sequence[Stage] = ANNOTATION_STAGES) -> None:
        """Claim the next case at one of some stages and open it."""
        self._read(partial(take_next, stages=tuple(stages)), then=self._show_next)

    def open_case(self, case_id: str) -> None:
        """Claim one particular case and open it, e.g. to go on with it at its next stage."""
        self._read(partial(take_case, case_id=case_id), then=self._show_next)

    @property
    def is_lost(self) -> bool:
        """Whether the person does not hold the open case any more, as far as is known."""
        return self._moved is not None and self._moved.ended is not None

    def open_again(self) -> None:
        """Claim the open case anew and show it as it is now; the work on it is brought along."""
        if self.loaded is None or self.document is None:
            return
        self._keep_comment()
        self._read(
            partial(take_again, held=self.loaded.opened.assignment),
            then=self._show_again,
            failed=self._miss_again,
            brought=Brought(
                self.document.snapshot,
                self.loaded.opened.draft,
                base=self.document.base,
                by=self._moved.by if self._moved is not None else (),
                seconds=self.document.seconds,
            ),
        )

    def _read(
        self,
        fn: Callable[[Workspace], object],
        *,
        then: Callable[..., object],
        failed: Callable[[AnnotatorError], object] | None = None,
        brought: Brought | None = None,
    ) -> None:
        """Let go of what is open and read another case, which is checked on the way."""
        self._brought = brought
        self.close()
        self.waiting.emit(True)
        self._operations.run(fn, then=then, failed=failed or self._fail, origin=self, newest_of=self)

    def _fail(self, error: AnnotatorError) -> None:
        self.waiting.emit(False)
        self.failed.emit(error)

    def flush(self) -> None:
        """Save now what is not saved yet."""
        if self.saver is not None:
            self.saver.flush()

    def note_typed(self, found: OpenEditor | None, comment: str) -> None:
        """Keep with the draft what is typed and is no value yet, and a comment that was not added yet."""
        if (found, comment) != (self._open_editor, self.comment):
            self._open_editor, self.comment = found, comment
            self._save()

    def laid_aside(self) -> tuple[SetAside, ...]:
        """What was set aside of the work on the open case, what was written last first."""
        return (
            self._journal.laid_aside(work_key(self._operations, self.loaded.opened.assignment))
            if self.loaded is not None
            else ()
        )

    def bring_back(self, kept: JournalEntry) -> MergedWork | None:
        """Lay work that was set aside over the open case, as one step of undo.

        What others changed in the case since that work began stays.

        Returns:
            What lies there then and what is gone from it; None where it could not be laid over the case.
        """
        if self.document is None:
            return None
        try:
            brought = self._merged_with(kept.body, kept.base)
        except AnnotatorError as error:
            self.failed.emit(error)
            return None
        is_brought = self.document.bring(brought.work, title=tr("bring back what was set aside"))
        return brought if is_brought or self.document.snapshot == brought.work else None

    def look_again(self) -> None:
        """Look whether the open case moved on; `moved_on` says so where it did."""
        if self.saver is not None and self._operations.lost is None:
            self._operations.run(self.saver.draft.look, then=self._note_moved, failed=pass_over)

    def close(self) -> None:
        """Let go of the case; what was saved or kept of it stays."""
        self._operations.drop_look(self)
        self.waiting.emit(False)
        if self.document is None:
            return
        self.flush()
        if self.saver is not None:
            self.saver.stop()
            self.saver.deleteLater()
        self.document.blockSignals(True)
        self.document.deleteLater()
        self.document, self.saver, self.loaded = None, None, None
        self._open_editor, self.comment = None, ""
        self._moved = None
        self._look.stop()
        self.save_changed.emit(SaveState())
        self.closed.emit()

    def seal(self) -> None:
        """Let go of a case that was submitted; its draft is gone."""
        if self.saver is not None:
            self.saver.seal()
        self._keep_comment()
        self.close()

    def _keep_comment(self) -> None:
        if self.document is not None and self.comment:
            self.unsent[self.document.case.id] = self.comment

    def unsaved_words(self) -> str:
        """What closing now would lose, in one sentence; empty where nothing is at risk."""
        if self.saver is None or self.loaded is None or not self.saver.is_at_risk:
            return ""
        return tr(
            "Your last changes of {case_id} are not saved. {problem}",
            case_id=self.loaded.opened.assignment.case_id,
            problem=self.saver.state.problem,
        ).strip()

    def _show_next(self, loaded: LoadedCase | None) -> None:
        if loaded is None:
            self.waiting.emit(False)
            self.nothing_left.emit()
        else:
            self._show(loaded)

    def _show_again(self, loaded: LoadedCase) -> None:
        place = self._lay_rival_aside(loaded)
        self._show(loaded)
        brought, self._brought = self._brought, None
        if brought is not None and self._bring(brought.work, brought.base):
            self.brought.emit(place)

    def _bring(self, work: Snapshot, base: Case) -> bool:
        """Bring work together with the open case, as one step of undo; where that fails it is set aside."""
        assert self.document is not None
        assert self.loaded is not None
        try:
            self.merged = merge_work(base, work, self.document.start)
        except AnnotatorError as error:
            self.failed.emit(error)
            body = DraftBody(case=work.case, judgment=work.judgment, clashes=work.clashes)
            self._lay_aside(self.loaded, body, base)
            return False
        return (
            self.document.bring(self.merged.work, title=tr("bring my work along"))
            or self.document.snapshot == self.merged.work
        )

    def _merged_with(self, body: DraftBody, base: Case | None) -> MergedWork:
        assert self.document is not None
        work = opening_snapshot(body.case, body.judgment, body.clashes)
        return merge_work(self._seen(base), work, self.document.start) if base else MergedWork(work)

    def _seen(self, base: Case) -> Case:
        """An earlier state of the case as the document would begin with it."""
        return with_answers_last(base) if self.document is not None and self.document.is_blind else base

    def _lay_rival_aside(self, loaded: LoadedCase) -> str:
        """Keep what another window saved where the work that is brought is about to replace it."""
        rival = rival_of(loaded.opened, self._journal, self._brought) if self._brought else None
        base = loaded.opened.draft_base or loaded.opened.base
        return self._lay_aside(loaded, rival, base) if rival is not None else ""

    def _lay_aside(self, loaded: LoadedCase, body: DraftBody, base: Case) -> str:
        try:
            kept = JournalEntry(
                key=work_key(self._operations, loaded.opened.assignment),
                at=datetime.now(UTC),
                body=body,
                base=base,
            )
            return str(self._journal.lay_aside(kept))
        except StoreError as error:
            self.failed.emit(error)
            return ""

    def _miss_again(self, error: AnnotatorError) -> None:
        self._brought = None
        self.waiting.emit(False)
        self.lost.emit(error)

    def _show(self, loaded: LoadedCase) -> None:
        self.waiting.emit(False)
        key = work_key(self._operations, loaded.opened.assignment)
        # What is brought along lies on top of the case, so that undo shows the case without it.
        if self._brought is not None:
            rival = rival_of(loaded.opened, self._journal, self._brought)
            self.restored = RestoredWork(rival, base=loaded.opened.draft_base if rival is not None else None)
        else:
            self.restored = recall(loaded.opened, self._journal, key)
        self.merged = None
        self._by = loaded.opened.changed_by or (self._brought.by if self._brought is not None else ())
        self.loaded, self.document = loaded, self._made(loaded)
        self.document.setParent(self)
        self._bring_restored()
        if self._brought is not None:
            self.document.seconds = self._brought.seconds
        unsent = self.comment = self.unsent.pop(self.document.case.id, "")
        if self.restored.body is not None:
            self._open_editor = self.restored.body.open_editor
            self.comment = str(self.restored.body.cursor.get("comment", self.comment))
            self.document.select(*cursor_of(self.restored.body))
        self.saver = Autosaver(
            self._operations,
            self._journal,
            key=key,
            assignment_id=loaded.opened.assignment.id,
            sequence=loaded.opened.draft_sequence,
            base=loaded.opened.base,
            base_id=loaded.opened.row.head_id,
            parent=self,
        )
        connect(
            (self.saver.state_changed, self.save_changed),
            (self.saver.moved_on, self._note_moved),
            (self.document.changed, self._save),
        )
        self._look.start()
        self.opened.emit(loaded, self.document)
        if unsent or self.restored.is_newer_here or self.merged is not None:
            self._save()

    def _bring_restored(self) -> None:
        """Bring restored work that began with an earlier state of the case together with what it is now."""
        body, base = self.restored.body, self.restored.base
        if body is None or base is None or self.document is None:
            return
        self.document.seconds = body.judgment.seconds
        self._bring(opening_snapshot(body.case, body.judgment, body.clashes), self._seen(base))
        self.restored = replace(
            self.restored, words=f"{self.restored.words} {self.merged_words}".strip(), is_warning=True
        )

    def _note_moved(self, found: MovedOn | None) -> None:
        if found is None or self.saver is None or self.loaded is None:
            return
        if found.case_id == self.loaded.opened.assignment.case_id and found != self._moved:
            self._moved = found
            self.saver.note_behind()
            self.moved_on.emit(found)

    def _made(self, loaded: LoadedCase) -> CaseDocument:
        try:
            return document_for(loaded, self.restored.body if self.restored.base is None else None)
        except AnnotatorError as error:
            self.restored = RestoredWork(None)
            self.failed.emit(error)
            return document_for(loaded, None)

    def _save(self) -> None:
        if self.saver is not None and self.document is not None:
            now, editor = datetime.now(UTC), self._open_editor
            self.saver.take(draft_body(self.document, now, open_editor=editor, comment=self.comment))
