"""What of a case is on the screen, so that only what was shown is confirmed; see `annotator.drafts.shown`."""

import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from math import ceil

from PySide6.QtCore import QObject, QRect, QTimer, Signal

from annotator.cases.phrases import listed
from annotator.drafts.checklists import Item
from annotator.drafts.shown import GOLD, Shown, SubjectPart, confirmed_passages, subject_of
from scoring.model.case import Case
from scoring.texts import tr
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.desk.tabs.judgment_sections import CheckItem
from ui.dialogue.content import USER_STEP
from ui.dialogue.parts import PartView
from ui.services.held_key import is_key_held
from ui.theme.layouts import build


class Sight(QObject):
    """Watches what the panels show of the open document, and says whether a confirmation counts.

    The dialogue shows the steps of the selected task, or of all; so what is in sight is unfolded.

    Args:
        panels: The columns.
        parent: Owner.
    """

    changed = Signal()
    """What can be confirmed is another."""

    def __init__(self, panels: CasePanels, *, parent: QObject) -> None:
        super().__init__(parent)
        self.clock: Callable[[], float] = time.monotonic
        """Gives the moment in seconds."""
        self._panels = panels
        self._document: CaseDocument | None = None
        self._shown = Shown()
        self._passages: tuple[SubjectPart, ...] = ()
        self._flash = build(QTimer, self, singleShot=True, interval=700, timeout=self._end_flash)
        build(QTimer, self, interval=200, timeout=self.look).start()
        panels.case_view.refreshed.connect(self._follow)

    def look(self) -> None:
        """Note what is in sight now."""
        document = self._panels.document
        before = self._shown.unread(self._passages)
        is_open = document is not None and document is self._document and self._panels.isActiveWindow()
        passages = filter(self._is_in_sight, self._passages if is_open else ())
        self._shown.look(tuple(passages), at=self.clock())
        if self._shown.unread(self._passages) != before:
            self.changed.emit()

    def note_press(self) -> bool:
        """Note that somebody confirms something; whether it is a press of its own, and not too early."""
        self.look()
        return self._shown.press(self.clock()) and not is_key_held(self._panels)

    def why_unseen(self, document: CaseDocument, item: Item) -> str:
        """Why a confirmation of an item does not count yet, showing its subject; empty where it does."""
        self.look()
        unread = self.unread(document, item)
        if not unread:
            return ""
        was_in_sight = all(map(self._is_in_sight, unread))
        self._bring(unread)
        self._mark(unread)
        what = listed(
            list(dict.fromkeys(_words_for(passage, document.case) for passage in unread)), last=tr("and")
        )
        if was_in_sight:
            return tr(
                "Read {what} first: “{sentence}” can be confirmed in {seconds} s.",
                what=what,
                sentence=tr(item.sentence),
                seconds=ceil(sum(map(self._shown.seconds_left, unread))),
            )
        return tr(
            "Not seen yet: {what}. Look, then confirm “{sentence}”.", what=what, sentence=tr(item.sentence)
        )

    def show(self, document: CaseDocument, item: Item) -> None:
        """Bring into sight what is new about an item."""
        self.look()
        unread = self.unread(document, item)
        if not all(map(self._is_in_sight, unread)):
            self._bring(unread)
            self.look()

    def _follow(self) -> None:
        """Look for what the items of the document are about now."""
        document = self._panels.document
        dialogue = document.assessment.dialogue if document is not None else None
        if document is None or dialogue is None:
            return
        items = document.assessment.items
        if document is not self._document:
            known = confirmed_passages(items, document.judgment, dialogue)
            self._document, self._shown = document, Shown(known)
        subjects = (subject_of(item, dialogue) for item in items)
        self._passages = tuple(dict.fromkeys(chain.from_iterable(subjects)))

    def unread(self, document: CaseDocument, item: Item) -> tuple[SubjectPart, ...]:
        """What of an item's subject was not read yet."""
        dialogue = document.assessment.dialogue
        return self._shown.unread(subject_of(item, dialogue)) if dialogue is not None else ()

    # the panels

    def _row(self, passage: SubjectPart) -> CheckItem | None:
        review = self._panels.review
        rows = review.task_checklist.items | review.case_checklist.items
        return rows.get(passage.field)

    def _part(self, passage: SubjectPart) -> PartView | None:
        step = USER_STEP if passage.step is None else passage.step
        card = self._panels.dialogue.view.column.card((passage.task, step))
        return card.part(passage.field) if card is not None else None

    def _is_in_sight(self, passage: SubjectPart) -> bool:
        row = self._row(passage)
        if row is not None and passage.text and not row.is_explained:
            return False
        beside = self._panels.gold if passage.field == GOLD else row
        if beside is not None:
            return beside.visibleRegion().boundingRect().height() >= min(beside.height(), self._room)
        part = self._part(passage)
        seen = part.block.visibleRegion().boundingRect() if part is not None else QRect()
        if part is None or seen.isEmpty():
            return False
        box = _box_in(part, passage)
        return box.isValid() and box.intersected(seen).height() >= min(box.height(), self._room)

    @property
    def _room(self) -> int:
        """What has to be in sight of something that does not fit on the screen, in pixels."""
        return self._panels.dialogue.view.column.viewport().height() // 2

    def _bring(self, passages: Iterable[SubjectPart]) -> None:
        """Bring into sight as much as fits, from the first passage on, unfolded."""
        self._panels.columns.share()
        boxes: list[tuple[PartView, SubjectPart]] = []
        more = False
        column = self._panels.dialogue.view.column
        for passage in passages:
            row = self._row(passage)
            if passage.field == GOLD:
                self._panels.show_middle(self._panels.gold)
            elif row is not None:
                self._panels.tabs.setCurrentWidget(self._panels.review)
                row.explain()
                for widget in (row.words, row):
                    self._panels.review.ensureWidgetVisible(widget, 0, 0)
            else:
                if not boxes:
                    column.bring((passage.task, USER_STEP if passage.step is None else passage.step))
                part = self._part(passage)
                more = more or part is None
                if part is not None:
                    if part.is_folded:
                        part.toggle_fold()
                        column.remeasure()
                    boxes.append((part, passage))
        column.show_boxes([(part.block, _box_in(part, passage)) for part, passage in boxes], more=more)

    def _mark(self, passages: Sequence[SubjectPart]) -> None:
        """Mark what is to be read, for a moment."""
        for passage in passages:
            part = self._part(passage)
            if part is not None and part.part.field == passage.field:
                part.show_found(*_place_in(part, passage))
        self._flash.start()

    def _end_flash(self) -> None:
        for card in self._panels.dialogue.view.column.cards():
            card.clear_found()


def _place_in(part: PartView, passage: SubjectPart) -> tuple[int, int]:
    """Where a passage stands in what is shown, as [start, end): a value where it is, else all of it."""
    whole, source = (0, len(part.shown_text)), passage.source
    if source is None:
        return whole
    is_text = isinstance(part.part.value, str)
    return (source.span if is_text else part.place_of(source.path or "")) or whole


def _box_in(part: PartView, passage: SubjectPart) -> QRect:
    """The lines of a passage, in the pixels of the text that is shown."""
    block = part.block
    if passage.source is not None:
        return block.box_of(*_place_in(part, passage))
    number, count = passage.piece
    top, bottom = (block.height() * edge // count for edge in (number, number + 1))
    return QRect(0, top, block.width(), bottom - top)


def _words_for(passage: SubjectPart, case: Case) -> str:
    if passage.field in (GOLD, "user", "reply", "observation"):
        return {GOLD: tr("the gold example"), "user": tr("the request")}.get(
            passage.field, tr("the {field}", field=passage.field)
        )
    if passage.step is None:
        return tr("what stands below the item") if passage.text else tr("the item")
    return tr("the {kind}", kind=case.tasks[passage.task].steps[passage.step].kind)
