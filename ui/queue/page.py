"""The queue page: joins head, filters, table and preview, and takes cases."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QMenu

from annotator.cases.findings.rules import RULES
from annotator.project.changes import Changes
from annotator.review.queue.case_rows import (
    BatchRow,
    CaseFilter,
    CaseRow,
    batches,
    case_of,
    count_cases,
    languages,
    require_named,
)
from annotator.review.queue.queue_status import Waiting, waiting_for, why_nothing
from annotator.review.queue.team_views import change_team_views, team_views
from scoring.errors import AnnotatorError, ForbiddenError
from scoring.model.taxonomy import EXPERT_STAGES, Role
from scoring.texts import tr
from ui.desk.sentence_guard import SentenceGuard
from ui.queue.case_table import CaseTable
from ui.queue.dialogs import CaseDialogs
from ui.queue.filter_bar import FilterBar, QueueHead
from ui.queue.preview import Preview
from ui.queue.table_view import CaseTableView
from ui.queue.views import MINE, FilterDimension, QueueView, read_views
from ui.services.commands import Command, Commands, shown_keys
from ui.services.errors import ErrorBanner, unread
from ui.services.feed import OTHERS_MILLISECONDS, ProjectFeed
from ui.services.guideline_news import after_news
from ui.services.operations import Operations
from ui.services.pages import ProjectPage
from ui.services.preferences import Preferences
from ui.theme import ButtonKind, EmptyState, Tone, theme
from ui.theme.events import follow_events
from ui.theme.layouts import build, connect, show_all, split, stacked, vbox
from ui.theme.look import scaled
from ui.theme.menus import open_menu

if TYPE_CHECKING:
    from annotator.project.workspace import Done, Workspace
    from annotator.review.measures.workload import MyDay
    from annotator.review.queue.claims import AssignmentRow

_SPLITTER = "queue"
_FEWEST_LINES = 90
"""Height of the table where there is little room: its heading and a line or two, in pixels at 100 %."""
_FEWEST_FOR_ALL = 790
"""Pixels at 100 % that have room for the preview, and for what waits."""
_SHOWN_MILLISECONDS = 100
"""How long the first rows have the machine to themselves, so that they are painted and take keys."""
_NO_IMPORT = tr("Only managers import cases, unless the review policy lets annotators.")


@dataclass(frozen=True)
class QueueOverview:
    """What the head of the queue and its filters show."""

    total: int
    waiting: Waiting
    batches: tuple[BatchRow, ...]
    views: dict[str, QueueView]


def overview(workspace: "Workspace") -> QueueOverview:
    """Read what the head of the queue and its filters show."""
    return QueueOverview(
        total=count_cases(workspace, CaseFilter()),
        waiting=waiting_for(workspace),
        batches=batches(workspace),
        views=read_views(team_views(workspace)),
    )


def read_day(workspace: "Workspace") -> "MyDay | None":
    """Read what the person did today; None for who reviews nothing."""
    # Here, not above: rows and head are shown without it.
    from annotator.review.measures.workload import my_day

    person = workspace.person
    is_reviewer = person.has_role(Role.ANNOTATOR) or person.has_role(Role.EXPERT)
    return my_day(workspace) if is_reviewer else None


class QueuePage(ProjectPage):
    """Where cases are found, taken, imported and assigned."""

    open_requested = Signal(object)
    """The `AssignmentRow` the person holds now and wants to work on."""
    case_requested = Signal(str)
    """Id of a case the person wants to decide as an expert."""
    reading_requested = Signal(str, object)
    """Id of a case the person can only read, and the `ForbiddenError` that says why."""

    def __init__(
        self, operations: Operations, commands: Commands, preferences: Preferences, **properties: Any
    ) -> None:
        super().__init__("queue", operations, commands, acceptDrops=True, **properties)
        self._preferences = preferences
        self._overview: QueueOverview | None = None
        self._table = CaseTable(operations, self, counted=self._show_count, reset_done=self._look_around)
        self._view = CaseTableView(
            self._table,
            opened=self.open_marked,
            order_asked=self._change_order,
            menu_asked=self._show_menu,
        )
        self._table.unread.connect(unread(operations.failure.emit, self._view))
        self._add_commands()
        self._build()
        self._connect()
        # There is nothing to undo here: a sentence typed over it does nothing once it is known for one.
        SentenceGuard(self, stack=lambda: None, commands=commands)
        self._filters.set_views(read_views(preferences.settings.views))
        self.setFocusProxy(self._view)
        self._show_view(self._filters.view)

    def open_case_of_list(self, case_id: str) -> None:
        """Take a case and open it, or have it read where the person cannot work on it."""
        self._operations.run(
            partial(case_of, case_id=case_id), then=self._open_row, failed=self._notice.show_error
        )

    def wait_for_choice(self) -> None:
        """Mark no case, so that a key meant for the page before opens none."""
        self._view.setCurrentIndex(QModelIndex())

    def show_owner(self, name: str) -> None:
        """List the cases of a person."""
        self._filters.set_view(QueueView(owner=name))

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = [url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile()]
        if files and not self._commands.reason("queue.import"):
            self.ask_import(files)
            event.acceptProposedAction()

    # building ------------------------------------------------------------------------------------

    def _add_commands(self) -> None:
        open_ = Command(
            "queue.open", tr("Open the selected case"), tr("Queue"), self.open_marked, "Return", is_local=True
        )
        self._commands.add(open_, self._view)
        self._commands.add_all(
            self,
            Command("queue.next", tr("Next case"), tr("Queue"), self.claim_next, keys="N", waits=True),
            Command(
                "queue.language",
                tr("Language of the next case"),
                tr("Queue"),
                lambda: self._head.language.open_menu(),
                keys="Shift+N",
            ),
            Command("queue.find", tr("Find text in the dialogues"), tr("Queue"), self._focus_text, keys="/"),
            Command("queue.clear", tr("Show all cases"), tr("Queue"), self._clear_filters, keys="Shift+X"),
            Command(
                "queue.priority",
                tr("Sort by priority"),
                tr("Queue"),
                partial(self._change_order, "priority"),
                keys="Shift+P",
            ),
            Command("queue.import", tr("Import cases"), tr("Queue"), self.ask_import, keys="Ctrl+I"),
            Command("queue.mend", tr("Mend a public benchmark"), tr("Queue"), self.ask_mending),
            Command("queue.assign", tr("Assign a batch"), tr("Queue"), self.ask_assign, keys="A"),
            Command(
                "queue.change", tr("Change the listed cases"), tr("Queue"), self.ask_change, keys="Shift+A"
            ),
        )
        for command_id, roles, reason in (
            ("queue.next", (Role.ANNOTATOR, Role.EXPERT), tr("Managers do not review.")),
            ("queue.assign", (Role.MANAGER,), tr("Only managers assign cases.")),
            ("queue.mend", (Role.MANAGER,), tr("Only managers mend a public benchmark.")),
            ("queue.change", (Role.MANAGER,), tr("Only managers change many cases at once.")),
            ("queue.import", (Role.MANAGER,), _NO_IMPORT),
        ):
            self._commands.block(command_id, "" if self._operations.has_role(*roles) else reason)

    def _build(self) -> None:
        self._head = QueueHead(self._commands)
        self._head.assign.setVisible(self._operations.has_role(Role.MANAGER))
        self._head.language.chosen.connect(self._limit_next)
        self._operations.run(partial(_limit_next, language=self._language))
        self._filters = FilterBar(
            text_keys=shown_keys(self._commands.keys("queue.find")),
            leads=self._operations.has_role(Role.MANAGER, Role.EXPERT),
            view_changed=self._show_view,
            kept_views_changed=self._keep_views,
            left=self._leave_filters,
        )
        self._filters.set_choices(FilterDimension.RULE, RULES)
        self._show_owners()
        self._notice = ErrorBanner(objectName="queue-notice")
        self._dialogs = CaseDialogs(self._operations, self, self._notice)
        start = self._commands.button(
            "queue.import", tr("Import…"), name="empty-import", kind=ButtonKind.PRIMARY
        )
        self._nothing = EmptyState(
            "tray",
            tr("No cases yet"),
            tr("Import dialogues: a public benchmark, training data, or what agents recorded."),
            button=start,
        )
        self._clear = self._commands.button("queue.clear", tr("Show all cases"), name="empty-clear")
        self._no_match = EmptyState(
            "funnel",
            tr("No matching cases"),
            tr("Remove a filter, or search for other words."),
            button=self._clear,
        )
        self._lists = stacked(self._view, self._nothing, self._no_match)
        scaled(self._lists, setMinimumHeight=_FEWEST_LINES)  # else as high as what says that nothing is there
        self._preview = Preview(self._operations, keys=shown_keys(self._commands.keys("queue.open")))
        kept = self._preferences.settings.splitters.get(_SPLITTER)
        members = (self._lists, 1040), (self._preview, 336)
        self._splitter = split(Qt.Orientation.Horizontal, *members, grows=self._lists, name="queue-splitter")
        if kept:
            self._splitter.setSizes(list(kept))
        vbox(self._head, self._filters, self._notice, (self._splitter, 1), within=self)
        follow_events(self, self._fit, QEvent.Type.Resize, QEvent.Type.Show)

    def _connect(self) -> None:
        self._soon = build(
            QTimer,
            self,
            singleShot=True,
            interval=_SHOWN_MILLISECONDS,
            timeout=partial(self._read_overview, self._show_overview),
        )
        self._later = build(
            QTimer,
            self,
            singleShot=True,
            interval=OTHERS_MILLISECONDS,
            timeout=partial(self._read_overview, self._show_counts),
        )
        self._moved = build(QTimer, self, singleShot=True, interval=500, timeout=self._keep_splitter)
        connect(
            (self._splitter.splitterMoved, self._moved.start),
            (self._operations.people_changed, self._show_owners),
            (self._view.marked, self._preview.show_row),
        )
        self._clock = build(QTimer, self, interval=60_000, timeout=self._tick)
        self._clock.start()

    # showing -------------------------------------------------------------------------------------

    def _fit(self) -> None:
        """Leave the room to the table where there is little: the preview is one key away."""
        is_wide = self.width() >= theme().px(_FEWEST_FOR_ALL)
        self._filters.setMinimumHeight(self._filters.heightForWidth(self.width()))  # else its lines overlap
        show_all(self._preview, self._head.counts, self._head.waiting, on=is_wide)

    def _show_view(self, view: QueueView) -> None:
        person = self._operations.person
        self._notice.hide()
        self._table.show_order(view.order)
        self._table.show_cases(view.case_filter(person.id if person else None))

    def _change_order(self, order: str) -> None:
        self._filters.set_view(self._filters.view.model_copy(update={"order": order}))

    def _show_count(self, count: int) -> None:
        total = self._overview.total if self._overview else count
        self._head.show_counts(count, max(total, count))
        self._view.say("")
        if count:
            was_at_button = self._clear.hasFocus()
            self._lists.setCurrentWidget(self._view)
            if was_at_button:
                self._view.setFocus()
        elif self._filters.view.is_everything:
            self._lists.setCurrentWidget(self._nothing)
        else:
            self._operations.run(
                partial(require_named, where=self._filters.view.case_filter(None)),
                failed=self._notice.show_error,
            )
            was_in_list = self._view.hasFocus()
            self._lists.setCurrentWidget(self._no_match)
            if was_in_list:
                self._clear.setFocus()

    def _leave_filters(self) -> None:
        is_empty = self._lists.currentWidget() is self._no_match
        (self._clear if is_empty else self._view).setFocus()

    def _look_around(self) -> None:
        """Read what stands around the first rows once these are on the screen."""
        if self._overview is None:
            self._soon.start()

    def _read_overview(self, show: Callable[[QueueOverview], None]) -> None:
        if not self._operations.is_closed:
            self._operations.run(overview, then=show)

    def _show_overview(self, found: QueueOverview) -> None:
        if self._overview is None or self._overview.total != found.total:
            self._operations.run(languages, then=self._show_languages)
        self._show_counts(found)
        self._operations.run(read_day, then=self._show_day)

    def _show_counts(self, found: QueueOverview) -> None:
        self._overview = found
        self._commands.block("queue.import", "" if found.waiting.lets_import else _NO_IMPORT)
        self._head.show_waiting(found.waiting)
        self._head.show_counts(self._table.rowCount(), max(found.total, self._table.rowCount()))
        self._filters.set_choices(FilterDimension.BATCH, self._batch_names)
        self._filters.set_views(found.views, of_team=True)

    def _show_day(self, day: "MyDay | None") -> None:
        if day is not None:
            self._preview.today.show_day(day)

    def _show_languages(self, found: tuple[str, ...]) -> None:
        chosen = self._language
        offered = sorted({*found, chosen} - {""})
        self._head.show_languages(offered, chosen)
        reason = "" if len(offered) > 1 else tr("All cases are in one language.")
        self._commands.block("queue.language", reason)

    def _show_owners(self) -> None:
        project = self._operations.project
        owners = [person.name for person in project.people] if project else []
        self._filters.set_choices(FilterDimension.OWNER, [MINE, *owners])

    def _note_changes(self, changes: Changes, origin: object = None) -> None:
        if not (changes.case_ids or changes.has_new_cases or changes.has_policy):
            return
        self._table.refresh(self._view.first_row)
        if not isinstance(origin, ProjectFeed) or self._overview is None:
            self._read_overview(self._show_overview)
        elif not self._later.isActive():
            self._later.start()

    def _tick(self) -> None:
        project = self._operations.project
        self._view.viewport().update()  # "3 min ago"
        if project is not None and project.is_shared and self.isVisible():
            self._table.refresh(self._view.first_row)  # others' leases end without anybody's doing
            self._read_overview(self._show_counts)

    def _clear_filters(self) -> None:
        self._filters.set_view(QueueView(order=self._filters.view.order))
        self._view.setFocus()

    def _focus_text(self) -> None:
        self._filters.text.setFocus()
        self._filters.text.selectAll()

    # taking --------------------------------------------------------------------------------------

    def claim_next(self) -> None:
        """Take the next case and open it, or say why there is none; first what changed in the guidelines."""
        after_news(self._operations, self, self._claim_next)

    def _claim_next(self) -> None:
        self._commands.block("queue.next", tr("The next case is being opened."))
        self._operations.run(_claim_next, then=self._take_next, failed=self._refuse_next, origin=self)

    @property
    def _language(self) -> str:
        """The only language the person wants cases in; empty for any."""
        project = self._operations.project
        return self._preferences.settings.next_languages.get(project.desk, "") if project else ""

    def _limit_next(self, language: str) -> None:
        """Take cases in one language only from now on, or in any."""
        project = self._operations.project
        if project is not None:
            kept = self._preferences.settings.next_languages | {project.desk: language}
            self._preferences.change(next_languages=kept)
            self._operations.run(partial(_limit_next, language=language))

    def open_marked(self) -> None:
        """Take the marked case and open it, or have it read where the person cannot work on it."""
        row = self._preview.row
        if row is not None:
            self._open_row(row)

    def _take_next(self, assignment: "AssignmentRow | None") -> None:
        self._commands.block("queue.next", "")
        if assignment is None:
            self._operations.run(why_nothing, then=partial(self._notice.show_message, tone=Tone.ACCENT))
        else:
            self._request_open(assignment)

    def _request_open(self, assignment: "AssignmentRow") -> None:
        self._notice.hide()
        self.open_requested.emit(assignment)

    def _refuse_next(self, error: AnnotatorError) -> None:
        self._commands.block("queue.next", "")
        self._notice.show_error(error)

    def _open_row(self, row: CaseRow) -> None:
        if row.stage in EXPERT_STAGES and self._operations.has_role(Role.EXPERT):
            self.case_requested.emit(row.case_id)
        else:
            claim = partial(_claim, case_id=row.case_id)
            self._operations.run(
                claim, then=self._request_open, failed=partial(self._refuse_row, row), origin=self
            )

    def _refuse_row(self, row: CaseRow, error: AnnotatorError) -> None:
        if isinstance(error, ForbiddenError):
            self._notice.hide()
            self.reading_requested.emit(row.case_id, error)
        else:
            if self._table.row_of(row.case_id) is None:
                self._filters.set_view(QueueView(text=row.case_id))
            self._notice.show_error(error)

    # managing ------------------------------------------------------------------------------------

    def ask_import(self, files: Sequence[str] = ()) -> None:
        """Ask what to import."""
        self._dialogs.ask_import(files)

    def ask_mending(self) -> None:
        """Ask which public benchmark is to be mended, and with which replies of models."""
        self._dialogs.ask_import(mends=True)

    def ask_assign(self) -> None:
        """Ask which batch goes to whom."""
        found = self._overview.batches if self._overview else ()
        self._dialogs.ask_assign(found, wanted=self._filters.view.batch)

    def ask_change(self) -> None:
        """Ask what is done to all cases of the view."""
        person, count = self._operations.person, self._table.rowCount()
        where = self._filters.view.case_filter(person.id if person else None)
        self._dialogs.ask_change(where, count, self._batch_names)

    @property
    def _batch_names(self) -> list[str]:
        return [one.name for one in self._overview.batches] if self._overview else []

    def _show_menu(self, at: QPoint) -> None:
        row = self._preview.row
        if row is None:
            return
        menu = build(QMenu, self, objectName="case-menu")
        menu.addAction(tr("Open"), self.open_marked)
        menu.addAction(tr("Copy case id"), partial(QGuiApplication.clipboard().setText, row.case_id))
        self._dialogs.add_choices(menu, row, batches=self._batch_names)
        menu.aboutToHide.connect(menu.deleteLater)
        open_menu(menu, at)

    # keeping -------------------------------------------------------------------------------------

    def _keep_views(self, changes: dict[str, QueueView | None], of_team: bool) -> None:
        kept = {
            name: view.model_dump(mode="json", exclude_defaults=True) if view else None
            for name, view in changes.items()
        }
        if of_team:
            self._operations.run(partial(change_team_views, changes=kept), failed=self._notice.show_error)
        else:
            every = self._preferences.settings.views | kept
            own = {name: view for name, view in every.items() if view is not None}
            self._preferences.change(views=own)
            self._filters.set_views(read_views(own))

    def _keep_splitter(self) -> None:
        kept = self._preferences.settings.splitters | {_SPLITTER: tuple(self._splitter.sizes())}
        self._preferences.change(splitters=kept)


# What claiming rests on is loaded on the database thread, and not before somebody claims.


def _limit_next(workspace: "Workspace", *, language: str) -> None:
    workspace.next_language = language


def _claim_next(workspace: "Workspace") -> "Done[AssignmentRow | None]":
    from annotator.review.queue.claims import claim_next

    return claim_next(workspace, spares_newcomers=True)


def _claim(workspace: "Workspace", *, case_id: str) -> "Done[AssignmentRow]":
    from annotator.review.queue.claims import claim_case

    return claim_case(workspace, case_id)
