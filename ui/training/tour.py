"""The tour of one case: the real panels with a sample case, and a frame that goes from part to part."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from annotator.project.policy import ReviewPolicy
from annotator.resources import resource_path
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import Stage
from scoring.texts import tr
from ui.desk.case_bar import CaseBar, case_facts
from ui.desk.document import CaseDocument
from ui.desk.panels import CasePanels
from ui.desk.tabs.review_tab import ReviewTab
from ui.services.commands import shown_keys
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme import Button, ButtonKind, Card, Kbd, SectionLabel, WrappedLabel, theme
from ui.theme.events import follow_events, on_keys
from ui.theme.layouts import STRETCH, build, hbox, vbox
from ui.theme.look import paint_box, paint_with, scaled
from ui.workbench.submit_bar import SubmitBar, why_blocked

SAMPLE, _STEP = "sample-07-parcel-to-bologna", 1
"""The case, and the step of its first task that has something of everything."""
_WIDTH, _GAP, _MARGIN, _VEIL = 320, 12, 4, 170
"""Of the words, of what stands around the part, and how much covers the rest, 0 to 255."""
_KEYS = {
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Return: 1,
    Qt.Key.Key_Enter: 1,
    Qt.Key.Key_Space: 1,
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Escape: 0,
}
"""How many stops each key goes on; 0 leaves."""


STOPS = {
    tr("Read the dialogue: the request, each call with what it brought, and the answer."): ("J", "K"),
    tr("Say where each value of a call comes from; the program proposes a source."): ("Alt+E", "E"),
    tr("Draw which step has to wait for which; a dotted line is only a proposal."): ("D", "G"),
    tr("Label the policy that fits the drawing, and what a later request leaves out."): ("P", "I"),
    tr("Repair what a check noticed, or waive it with a reason."): ("F8", "F", "W"),
    tr("Submit when nothing is open any more; this bar says what still is."): ("Ctrl+Return",),
}
"""What the tour says and with which keys one does it, in the order of `TourPage.parts`."""


class TourPage(QWidget):
    """Shows a sample case that is in no project, and one part of the desk after the other.

    Args:
        operations: For the panels; nothing of the tour is stored in a project.
        preferences: Remember where the tour was left.
    """

    finished = Signal(str)
    """It is over or left; the words say how to go on."""

    def __init__(self, operations: Operations, preferences: Preferences) -> None:
        # The keys stay with the page: in a button or a panel they would mean something else.
        build(super().__init__, objectName="tour-page", focusPolicy=Qt.FocusPolicy.StrongFocus)
        self._preferences = preferences
        self.panels = CasePanels(operations, ReviewTab(), is_stored=False)
        self.panels.review.show_mistakes(())
        self.bar, self.submit_bar = CaseBar(), SubmitBar()
        self.guide = TourGuide(self, stepped=self.go)
        vbox(self.bar, (self.panels, 1), self.submit_bar, within=self)
        self.guide.raise_()
        on_keys(self, {key: partial(self.go, by) for key, by in _KEYS.items()})
        follow_events(self, self._show, QEvent.Type.Show, QEvent.Type.Resize)
        self._open()

    @property
    def place(self) -> int:
        """The number of the stop that is shown, from 0."""
        return min(self._preferences.settings.tour_stop, len(STOPS) - 1)

    def parts(self) -> tuple[QWidget, ...]:
        """What each stop points at."""
        review, view = self.panels.review, self.panels.dialogue.view
        card = view.select(0, _STEP, takes_focus=False) or view
        return card, self.panels.evidence, self.panels.graph, review.labels, review.findings, self.submit_bar

    def go(self, by: int, _: bool = False) -> None:
        """Go some stops on or back; by 0 the tour is left, and behind the last stop it is over."""
        place = self.place + by
        is_over = place == len(STOPS)
        self._preferences.change(tour_stop=0 if is_over else max(place, 0))
        if by and not is_over:
            self._show()
        else:
            left = tr(
                "Tour left at {place} of {stops_count}. Ctrl+K, “tour” goes on there.",
                place=place + 1,
                stops_count=len(STOPS),
            )
            self.finished.emit(tr("That was one case. N takes your first one.") if is_over else left)

    def focusNextPrevChild(self, next: bool, /) -> bool:  # noqa: A002
        return True  # Tab leads nowhere: what lies below is to be looked at

    def _open(self) -> None:
        found = read_cases(resource_path("samples", "cases.jsonl"))
        case = next(one.case for one in found if isinstance(one, ReadCase) and one.case.id == SAMPLE)
        stage, policy, facts = Stage.SELF_CHECK_TASK, ReviewPolicy(), case_facts(case, batch="samples")
        document = CaseDocument(
            case, Judgment(tasks=labels_of(case)), stage=stage, policy=policy, parent=self
        )
        self.bar.show_case(case, facts, stage=stage, round_=1, is_blind=False, policy=policy)
        self.panels.set_document(document)
        self.submit_bar.show_assessment(document.assessment)
        self.submit_bar.next_keys.setText(why_blocked(document.assessment))

    def _show(self) -> None:
        part = self.parts()[self.place]
        self.panels.go_to(0, _STEP)
        self.panels.tabs.setCurrentWidget(
            self.panels.evidence if part is self.panels.evidence else self.panels.review
        )
        self.panels.review.ensureWidgetVisible(part)
        if part is self.panels.graph:
            self.panels.show_middle()  # where the window is narrow it is a tab, too
        self.guide.show_stop(self.place)
        self.guide.point_at(part)
        self.setFocus()


class TourGuide(QWidget):
    """Lies over a page, covers all but one part, says what that is for, and keeps the mouse from the page.

    Args:
        page: What it lies over.
        stepped: Is called with how many stops to go on; 0 leaves.
    """

    def __init__(self, page: QWidget, *, stepped: Callable[..., None]) -> None:
        build(super().__init__, page, objectName="tour-guide")
        self._page, self._shown = page, QRectF()
        self._card = Card(self, objectName="tour-card")
        scaled(self._card, setFixedWidth=_WIDTH)
        self._title = SectionLabel("", objectName="tour-title")
        self._words = WrappedLabel("", objectName="tour-words")
        self._keys = Kbd("", objectName="tour-keys")
        leave, self._back, self._next = (
            Button(
                words,
                kind,
                keys=keys,
                objectName=name,
                focusPolicy=Qt.FocusPolicy.NoFocus,
                clicked=partial(stepped, by),
            )
            for words, kind, keys, name, by in (
                (tr("Leave"), ButtonKind.GHOST, "Esc", "tour-leave", 0),
                (tr("Back"), ButtonKind.SECONDARY, "←", "tour-back", -1),
                (tr("Next"), ButtonKind.PRIMARY, "→", "tour-next", 1),
            )
        )
        buttons = hbox(leave, STRETCH, self._back, self._next, gap=6)
        vbox(
            hbox(self._title, STRETCH, self._keys), self._words, buttons, within=self._card, gap=8, margins=12
        )

    def show_stop(self, number: int) -> None:
        """Say what one does at a stop."""
        words, keys = list(STOPS.items())[number]
        self._title.set_heading(tr("{number} of {stops_count}", number=number + 1, stops_count=len(STOPS)))
        self._words.setText(words)
        self._keys.setText(" · ".join(map(shown_keys, keys)))
        self._back.set_blocked("" if number else tr("This is the first stop."))
        self._next.setText(tr("Next") if number + 1 < len(STOPS) else tr("Done"))
        self._page.setAccessibleName(f"{words} {self._keys.text()}")

    def point_at(self, part: QWidget) -> None:
        """Leave a part uncovered, and stand beside it where there is room."""
        self.setGeometry(self._page.rect())
        seen = part.visibleRegion().boundingRect().translated(part.mapTo(self._page, QPoint()))
        seen.adjust(-_MARGIN, -_MARGIN, _MARGIN, _MARGIN)
        self._shown = QRectF(seen)
        self._card.adjustSize()
        gap, width, height = theme().px(_GAP), self._card.width(), self._card.height()
        inside = self.rect().adjusted(gap, gap, -gap, -gap)
        farthest = inside.right() - width
        along = min(max(seen.left(), inside.left()), farthest)
        corners = (
            (seen.right() + gap, seen.top()),
            (seen.left() - gap - width, seen.top()),
            (along, seen.bottom() + gap),
            (along, seen.top() - gap - height),
            (farthest, inside.bottom() - height),
        )
        places = [QRect(*corner, width, height) for corner in corners]
        place = next((place for place in places if inside.contains(place)), places[-1])
        self._card.setGeometry(place)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter, veil = QPainter(self), look.colour("bg")
        veil.setAlpha(_VEIL)
        rest = QPainterPath()
        rest.addRect(QRectF(self.rect()))
        rest.addRoundedRect(self._shown, look.px(6), look.px(6))
        paint_with(painter, is_smooth=True).fillPath(rest, veil)
        paint_box(painter, self._shown, look.px(6), pen=QPen(look.colour("accent"), look.px(2)))
