"""The rail, the ways between pages and to a case, and what the palette finds beside commands."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QFrame,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from scoring.errors import AnnotatorError, ForbiddenError
from scoring.model.taxonomy import EXPERT_STAGES, Role
from scoring.texts import tr, with_commas
from ui.desk.sentence_guard import SentenceGuard
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.services.palette import CommandPalette, PaletteItem, match_rank
from ui.services.preferences import Preferences, Profiles, switched_words
from ui.shell.footer import PageStates
from ui.theme import theme
from ui.theme.layouts import STRETCH, build, vbox
from ui.theme.look import paint_box, paint_icon, paint_with, scaled
from ui.theme.words import ROLE, STAGE, UNREAD, visible

if TYPE_CHECKING:
    from annotator.project.workspace import Workspace
    from annotator.review.queue.case_rows import CaseRow
    from annotator.review.queue.claims import AssignmentRow
    from ui.adjudication.page import AdjudicationPage
    from ui.queue.page import QueuePage
    from ui.runs.task_page import TaskPage
    from ui.workbench.page import WorkbenchPage
    from ui.workbench.read_only_page import ReadOnlyPage


@dataclass(frozen=True)
class PageContext:
    """What every page is made with."""

    operations: Operations
    commands: Commands
    preferences: Preferences
    ways: "PageNavigation"


@dataclass(frozen=True)
class PageKind:
    """A page of the rail; it is made when it is first shown, and anew for another project.

    Attributes:
        keys: The keys that lead to it, where the digits of the rail are used up.
        is_of_annotators: Whether it is on the rail of people who only annotate; Ctrl+K finds the others.
    """

    id: str
    title: str
    icon_name: str
    make: Callable[[PageContext], QWidget]
    keys: str = ""
    is_of_annotators: bool = False


@runtime_checkable
class SendsBack(Protocol):
    """A page that ends by itself: the queue is shown again and the words stand in the footer."""

    finished: SignalInstance
    """(words): e.g. `Submitted; nothing else waits for you`."""


_WIDTH = 64
_HEIGHT, _WITH_WORD, _LEAST = 50, 40, 24
"""Height of a button, the least with its word, and of one that shows its icon only."""
_WORD, _ABOVE = 20, 0.75
"""Height of the word's line, and the share of the free height above the icon."""


class RailButton(QAbstractButton):
    """An icon with a word below; a bar at the left marks the page that is shown."""

    def __init__(self, kind: PageKind, *, keys: str, **signals: Any) -> None:
        build(
            super().__init__,
            objectName=f"rail-{kind.id}",
            text=kind.title,
            checkable=True,
            autoExclusive=True,
            toolTip=f"{kind.title} ({keys})" if keys else kind.title,
            accessibleName=kind.title,
            cursor=Qt.CursorShape.PointingHandCursor,
            focusPolicy=Qt.FocusPolicy.TabFocus,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Maximum),
            **signals,
        )
        self.kind = kind
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(_WIDTH), theme().px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(_WIDTH), theme().px(_LEAST))

    @property
    def shows_word(self) -> bool:
        """Whether there is height enough for the word below the icon."""
        return self.height() >= theme().px(_WITH_WORD)

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        if self.isChecked():
            painter.fillRect(self.rect(), look.colour("accent_bg"))
            painter.fillRect(QRect(0, 0, look.px(3), self.height()), look.colour("accent"))
        elif self.underMouse():
            painter.fillRect(self.rect(), look.colour("hover"))
        colour = QColor(look.colour("accent" if self.isChecked() else "muted"))
        side = look.px(18)
        spare = self.height() - side - look.px(_WORD)
        top = round(spare * _ABOVE) if self.shows_word else (self.height() - side) // 2
        paint_icon(painter, self.kind.icon_name, QRectF((self.width() - side) / 2, top, side, side), colour)
        if self.shows_word:
            paint_with(painter, font=look.sans(10.5), pen=colour)
            words = QRect(0, top + side, self.width(), look.px(_WORD))
            said = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, words.width())
            painter.drawText(words, Qt.AlignmentFlag.AlignCenter, said)
        if self.hasFocus():
            paint_box(painter, self.rect().adjusted(1, 1, -2, -2), pen=look.colour("accent"))


class Rail(QFrame):
    """The buttons of the pages there are."""

    chosen = Signal(str)
    """Id of the page to show."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="rail", look="side")
        self._group = QButtonGroup(self)
        self._buttons: dict[str, RailButton] = {}
        self._column = vbox(STRETCH, within=self, gap=2, margins=(0, 8))
        scaled(self, setFixedWidth=_WIDTH)

    def add(self, kind: PageKind, *, keys: str) -> None:
        """Add a page below the others."""
        button = RailButton(kind, keys=keys, clicked=partial(self.chosen.emit, kind.id))
        self._group.addButton(button)
        self._buttons[kind.id] = button
        self._column.insertWidget(len(self._buttons) - 1, button)

    def show_for(self, roles: Collection[Role]) -> None:
        """Show the pages that somebody with these roles works on."""
        is_short = set(roles) == {Role.ANNOTATOR}
        for button in self._buttons.values():
            button.setVisible(button.kind.is_of_annotators or not is_short)

    def mark(self, page_id: str) -> None:
        """Mark the page that is shown; one without a button leaves the mark where it is."""
        if page_id in self._buttons:
            self._buttons[page_id].setChecked(True)


_HOME = "queue"
READING = "reading"
"""The page that is shown in the place of the one a case was wanted on; it has no button of its own."""
TASK = "task"
"""The page of one task and all its runs, shown in the place of the one it was wanted on."""


class PageNavigation(QObject):
    """Makes pages when they are first shown, and brings people to them.

    Args:
        kinds: The pages of the rail, and those without a place there, by their ids.
        operations: For the pages.
        commands: For the pages; those of a page go with it.
        preferences: For the pages.
        stack: Holds the pages.
        rail: Marks which one is shown.
        states: Shows what the shown page says of itself.
    """

    told = Signal(str)
    """A sentence for the footer."""

    def __init__(
        self,
        kinds: Mapping[str, PageKind],
        operations: Operations,
        commands: Commands,
        preferences: Preferences,
        *,
        stack: QStackedWidget,
        rail: Rail,
        states: PageStates,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._kinds = kinds
        self._context = PageContext(operations, commands, preferences, ways=self)
        self._stack = stack
        self._rail = rail
        self._states = states
        self._pages: dict[str, QWidget] = {}
        self._wanted_from = ("", _HOME)
        self._read_from = _HOME
        self._task_from = _HOME

    @property
    def are_shown(self) -> bool:
        """Whether a page of the project is on the screen."""
        return self._stack.currentWidget() in self.open_pages()

    def open_pages(self) -> tuple[QWidget, ...]:
        """The pages that were made so far."""
        return tuple(self._pages.values())

    def drop(self) -> None:
        """Let go of all pages, since another project or person comes."""
        for page in self._pages.values():
            self._context.commands.drop(page)
            self._stack.removeWidget(page)
            page.deleteLater()
        self._pages = {}
        self._states.forget()

    def show_page(self, page_id: str) -> QWidget:
        """Show a page of the rail, and make it if it was never shown.

        Raises:
            KeyError: There is no such page.
        """
        page = self._pages.get(page_id) or self._make(page_id)
        self._stack.setCurrentWidget(page)
        self._rail.mark(page_id)
        page.setFocus()
        self._states.show_page(page)
        return page

    def go_to(self, page_id: str) -> None:
        """Show a page of the rail; nothing outside a project."""
        if self.are_shown:
            self.show_page(page_id)

    def open_assignment(self, assignment: "AssignmentRow") -> None:
        """Show a slot the person holds on the page for its stage."""
        if assignment.stage in EXPERT_STAGES:
            self.decide_case(assignment.case_id)
            return
        cast("WorkbenchPage", self.show_page("workbench")).open_assignment(assignment.id)

    def decide_case(self, case_id: str) -> None:
        """Show a case to be decided on the Adjudication page."""
        cast("AdjudicationPage", self.show_page("adjudication")).open_case(case_id)

    def open_case(self, case_id: str) -> None:
        """Open a case, or have it read where the person cannot work on it."""
        self._wanted_from = (case_id, self.shown_id())
        self._queue().open_case_of_list(case_id)

    def read_case(self, case_id: str, refused: AnnotatorError) -> None:
        """Show a case the person cannot work on, in the place of the page it was wanted on."""
        wanted, place = self._wanted_from
        self._read_from = place if wanted == case_id else _HOME
        self._wanted_from = ("", _HOME)
        page = cast("ReadOnlyPage", self.show_page(READING))
        self._rail.mark(self._read_from)
        page.read(case_id, refused)

    def show_case_of_session(self, case_id: str, leads: bool) -> None:
        """Show a case that is up in a review session: to be decided by its leader, to be read by others."""
        if leads:
            self.decide_case(case_id)
        else:
            self.read_case(
                case_id, ForbiddenError("The review session settles this case.", "Vote beside it.")
            )

    def show_task(self, case_id: str, task: int, release: str = "") -> None:
        """Show what every run did with a task; see `TaskPage.show_task`."""
        shown = self._stack.currentWidget()
        self._task_from = next((name for name, page in self._pages.items() if page is shown), _HOME)
        cast("TaskPage", self.show_page(TASK)).show_task(case_id, task, release=release)

    def leave_task(self) -> None:
        """Show the page again on which the task was wanted."""
        self.show_page(self._task_from)

    def show_owner(self, name: str) -> None:
        """Show the cases of a person in the queue."""
        self._queue().show_owner(name)

    def stop_reading(self) -> None:
        """Show the page again on which the case was wanted."""
        self.show_page(self._read_from)

    def claim_next(self) -> None:
        """Take the next case in the queue."""
        self._queue().claim_next()

    def _make(self, page_id: str) -> QWidget:
        page = self._kinds[page_id].make(self._context)
        if page.findChild(SentenceGuard) is None:  # pages with an undo stack have their own
            SentenceGuard(page, stack=lambda: None, commands=self._context.commands).told.connect(self.told)
        self._pages[page_id] = page
        self._stack.addWidget(page)
        if isinstance(page, SendsBack):
            page.finished.connect(self._go_home)
        self._states.watch(page)
        return page

    def _queue(self) -> "QueuePage":
        return cast("QueuePage", self.show_page(_HOME))

    def _go_home(self, words: str) -> None:
        self._queue().wait_for_choice()
        self.told.emit(words)

    def shown_id(self) -> str:
        """The id of the page of the rail that is shown, or in whose place a case is read."""
        shown = self._stack.currentWidget()
        found = next((page_id for page_id, page in self._pages.items() if page is shown), _HOME)
        found = self._task_from if found == TASK else found
        return self._read_from if found == READING else found


class PaletteSearch(QObject):
    """Answers the palette.

    Args:
        palette: Who asks.
        operations: Where cases are looked up; people come with the open project.
        profiles: The shortcut profiles, to be switched.
        ways: Opens a case, lists the cases of a person, and says what came of switching.
    """

    def __init__(
        self,
        palette: CommandPalette,
        operations: Operations,
        profiles: Profiles,
        *,
        ways: PageNavigation,
    ) -> None:
        super().__init__(palette)
        self._palette = palette
        self._operations = operations
        self._profiles = profiles
        self._ways = ways
        palette.asked.connect(self._find)

    def _find(self, asked: str) -> None:
        self._find_profiles(asked)
        project = self._operations.project
        if project is None or project.person is None or not self._ways.are_shown:
            return
        people = [
            PaletteItem(
                person.name,
                partial(self._ways.show_owner, person.name),
                detail=tr(
                    "cases of this {roles}", roles=with_commas(ROLE[role].lower() for role in person.roles)
                ),
            )
            for person in project.people
            if match_rank(asked, person.name) is not None
        ]
        self._palette.add_found(asked, tr("People"), items=people)
        look, show = partial(_cases, text=asked), partial(self._show_cases, asked)
        self._operations.run(look, then=show, failed=partial(self._show_failure, asked), newest_of=self)

    def _find_profiles(self, asked: str) -> None:
        names = self._profiles.names
        items = [
            PaletteItem(
                name,
                partial(self._switch, name),
                detail=tr("in use") if name == self._profiles.active else tr("shortcut profile"),
            )
            for name in names
            if len(names) > 1 and match_rank(asked, f"{name} shortcut profile") is not None
        ]
        self._palette.add_found(asked, tr("Shortcut profiles"), items=items)

    def _switch(self, name: str) -> None:
        self._ways.told.emit(switched_words(name, self._profiles.switch(name)))

    def _show_cases(self, asked: str, rows: "tuple[CaseRow, ...]") -> None:
        items = [
            PaletteItem(
                row.case_id,
                partial(self._ways.open_case, row.case_id),
                detail=visible(f"{STAGE[row.stage]} · {row.request}"),
                is_code=True,
            )
            for row in rows
        ]
        self._palette.add_found(asked, tr("Cases"), items=items)

    def _show_failure(self, asked: str, error: AnnotatorError) -> None:
        words = tr(error.message)
        failed = PaletteItem(UNREAD, self._palette.accept, detail=words, blocked=words)
        self._palette.add_found(asked, tr("Cases"), items=[failed])


def _cases(workspace: "Workspace", *, text: str) -> "tuple[CaseRow, ...]":
    from annotator.review.queue.case_rows import CaseFilter, list_cases

    return list_cases(workspace, CaseFilter(text=text), limit=8)
