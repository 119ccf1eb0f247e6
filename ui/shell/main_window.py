"""The main window: joins the pages, and is the only one that knows all of them."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QBoxLayout,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QWidget,
)

from annotator.resources import MESSAGES
from scoring.errors import AnnotatorError
from scoring.texts import tr
from ui.services.calls import OpenProject
from ui.services.commands import Command, Commands, shown_keys
from ui.services.errors import CrashDialog, ErrorBanner, ManualLink, crash_report
from ui.services.jobs import JobState, WindowJob
from ui.services.operations import Operations
from ui.services.palette import CommandPalette
from ui.services.preferences import Preferences, Profiles
from ui.services.shortcut_sheet import ShortcutSheet
from ui.shell.appearance import Appearance
from ui.shell.entrance import Entrance, ExitGuard
from ui.shell.extensions import EXTENSIONS
from ui.shell.footer import Footer, Outage, PageStates
from ui.shell.frame import restore_place
from ui.shell.header import Header
from ui.shell.help_panel import HelpPanel
from ui.shell.manual import CONTENTS, PAGE_OF
from ui.shell.navigation import PageKind, PageNavigation, PaletteSearch, Rail
from ui.shell.notices import BellFeed
from ui.shell.offers import PageOffer
from ui.shell.pages import (
    FIRST_ROOMS,
    LATER_ROOMS,
    PAGES,
    READING_PAGE,
    TASK_PAGE,
    Pages,
    load_rooms,
)
from ui.shell.presence import PresenceReporter
from ui.shell.session_panel import SessionPanel
from ui.theme import Tone, theme
from ui.theme.dialogs import open_dialog
from ui.theme.events import follow_events
from ui.theme.layouts import ScrollArea, build, connect, hbox, vbox
from ui.theme.look import application

if TYPE_CHECKING:
    from ui.shell.connect_dialog import Joining

_LEAST = (320, 120)
"""Width and height at 100 % that are left for a page in the smallest window."""
_NEEDS_PROJECT = ("project.person", "project.leave", "window.notices", "window.read", "window.reload")
_MENU = (
    "project.person",
    "project.leave",
    "",
    "look.dark",
    "look.density",
    "look.larger",
    "look.smaller",
    "window.full",
    "window.settings",
)


class MainWindow(QMainWindow):
    """Header, rail, pages, footer; the program puts it into a `Frame`, tests show it by itself.

    Args:
        operations: The way to the project; the window closes it when it is closed.
        preferences: The person's settings.
        sample_folder: Where the sample project is made; the person's data folder where None.
        pages: The pages of the rail.
    """

    def __init__(
        self,
        operations: Operations,
        preferences: Preferences,
        *,
        sample_folder: Path | None = None,
        pages: tuple[PageKind, ...] = PAGES,
    ) -> None:
        build(super().__init__, objectName="main-window", windowTitle="Annotator")
        self.operations = operations
        self.preferences = preferences
        self.commands = Commands(self)
        settings = preferences.settings
        self.profiles = Profiles(self.commands, active=settings.profile, own=settings.profiles)
        self.entrance = Entrance(
            operations,
            preferences,
            sample_folder=sample_folder,
            parent=self,
            entered=self._enter,
            page_wanted=self._show_outside,
            team_wanted=self._leave_for,
            failed=self.show_error,
        )
        self._kinds = {kind.id: kind for kind in pages}
        self._tours = [part.tour() for part in EXTENSIONS if part.tour]
        self._build()
        self._states = PageStates(self.header, self.footer, self)
        self.ways = PageNavigation(
            self._kinds | {kind.id: kind for kind in (READING_PAGE, TASK_PAGE, *self._tours)},
            operations,
            self.commands,
            preferences,
            stack=self.stack,
            rail=self.rail,
            states=self._states,
            parent=self,
        )
        self._leaving = ExitGuard(
            operations, self, pages=self.ways.open_pages, waiting=partial(self.footer.tell, tr("Saving …"))
        )
        Outage(operations, self.banner, footer=self.footer, states=self._states, parent=self)
        self._notices = BellFeed(operations, self.header.bell, self, case_wanted=self.ways.open_case)
        self._presence = PresenceReporter(
            operations,
            self.header.present,
            want_button=self.header.show_present,
            stack=self.stack,
            open_case=self.ways.open_case,
            parent=self,
        )
        self._add_commands(Appearance(preferences, application(), parent=self))
        self._palette = CommandPalette(self.commands, self)
        PaletteSearch(self._palette, operations, self.profiles, ways=self.ways)
        self._connect()
        restore_place(self, b"", scale=theme().scale)
        self._show_outside(self.entrance.welcome)
        if preferences.message:
            self.banner.show_message(
                preferences.message, tone=Tone.WARN, page="reference/files.md#your-own-folders"
            )

    def open_palette(self) -> None:
        """Open the palette at the top, where the search field is."""
        self._palette.open_at(self.header.mapToGlobal(QPoint(self.header.width() // 2, theme().px(6))))

    def open_shortcuts(self) -> None:
        """Show all shortcuts."""
        open_dialog(ShortcutSheet(self.commands, self.profiles, parent=self))

    def explain(self) -> None:
        """Explain what the person points at, or close the explanation."""
        self.help.explain_pointed(self.stack.currentWidget())

    def open_manual(self) -> None:
        """Show the manual where it speaks of a message that is shown, else of the page that is shown."""
        said = [link.page for link in self.findChildren(ManualLink) if link.isVisible()]
        shown = (banner.message for banner in self.findChildren(ErrorBanner) if banner.isVisible())
        said += [f"{MESSAGES}#{message}" for message in shown]
        page = PAGE_OF.get(self.ways.shown_id(), CONTENTS) if self.ways.are_shown else CONTENTS
        self.help.open_guide(said[0] if said else page)

    def explain_page(self, page: str) -> None:
        """Show a page of the manual, at a heading or a message behind `#`."""
        self.help.open_guide(page)

    def explain_topic(self, topic: str) -> None:
        """Explain a word of the guidelines beside the work."""
        self.help.explain(topic)

    def end_explanation(self) -> bool:
        """Close the explanation beside the work; whether one was shown."""
        was_shown = self.help.isVisible()
        self.help.hide()
        return was_shown

    def ask_endpoint(self) -> None:
        """Ask which endpoint proposals of a model come from."""
        from ui.workbench.assist_panel import ask_endpoint

        ask_endpoint(self.preferences, self)

    def open_settings(self) -> None:
        """Show every setting of this person on one page."""
        from ui.shell.settings_dialog import SettingsDialog

        dialog = SettingsDialog(
            self.preferences,
            self.operations,
            self,
            endpoint_wanted=self.ask_endpoint,
            shortcuts_wanted=self.open_shortcuts,
            restart_wanted=partial(self._leaving.ask, self._close_to_start_again),
        )
        open_dialog(dialog)

    def show_error(self, error: AnnotatorError) -> None:
        """Show an error the person can act on."""
        self.banner.show_error(error)

    def show_crash(self, error: BaseException) -> None:
        """Show that the program made a mistake, with a report to copy."""
        if any(dialog.isVisible() for dialog in self.findChildren(CrashDialog)):
            return  # one report at a time: what follows is mostly the same mistake
        saved = tr("Your work is saved as a draft.") if self.ways.open_pages() else ""
        dialog = CrashDialog(crash_report(error), saved=saved, parent=self)
        dialog.finished.connect(dialog.deleteLater)
        dialog.show()

    def toggle_full_screen(self) -> None:
        """Fill the screen, or go back to a window."""
        window = self.window()
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Escape leaves a field, closes a message, then an explanation; a widget with its own use keeps it.
        shown = [banner for banner in self.findChildren(ErrorBanner) if banner.isVisible()]
        is_typing = isinstance(self.focusWidget(), QLineEdit | QPlainTextEdit | QAbstractSpinBox)
        page = self.stack.currentWidget()
        if event.key() == Qt.Key.Key_Escape and is_typing and page is not None:
            page.setFocus(Qt.FocusReason.OtherFocusReason)
        elif event.key() == Qt.Key.Key_Escape and shown:
            shown[0].dismiss()
        elif event.key() != Qt.Key.Key_Escape or not self.end_explanation():
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.operations.is_closed:
            super().closeEvent(event)
        else:
            event.ignore()
            self._leaving.ask(self._close_now)

    # building ------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.header = Header(search_keys=tr("Ctrl K"))
        self.rail = Rail()
        self.footer = Footer()
        self.banner = ErrorBanner()
        self.session = SessionPanel(self.operations)
        self.help = HelpPanel(self.preferences, self.operations, manual_wanted=self.open_manual)
        self.offers = [
            PageOffer(self.operations, self.preferences, part.offer) for part in EXTENSIONS if part.offer
        ]
        self.stack = Pages()
        room = ScrollArea(self.stack, width=_LEAST[0], height=_LEAST[1], objectName="room")
        self._scroll_bar = room.verticalScrollBar()
        for page in self.entrance.pages():
            self.stack.addWidget(page)
        holder = build(QWidget, objectName="page")
        self._beside = hbox((vbox(self.banner, *self.offers, (room, 1)), 1), self.session, self.help)
        vbox(self.header, (hbox(self.rail, (self._beside, 1)), 1), self.footer, within=holder)
        for widget in (holder, self.stack):
            follow_events(widget, self._place_help, QEvent.Type.LayoutRequest, QEvent.Type.Resize)
        follow_events(self.help, self._place_help, QEvent.Type.Show, QEvent.Type.Hide)
        self.setCentralWidget(holder)

    def _place_help(self) -> None:
        """Put the explanation below a page that has no room beside it."""
        # Of what has its size already: the layout may be a pass behind. A high page has a scroll bar.
        page = self.stack.minimumSizeHint().width() + self._scroll_bar.sizeHint().width()
        needed = self.rail.minimumWidth() + page + self.help.minimumWidth()
        is_below = self.help.isVisibleTo(self) and needed > self.width()
        ways = QBoxLayout.Direction
        self._beside.setDirection(ways.TopToBottom if is_below else ways.LeftToRight)

    def _add_commands(self, look: Appearance) -> None:
        leave = partial(self._leaving.ask, self._leave_now)
        switch_person = partial(self._leaving.ask, self._switch_now)
        own = (
            Command("window.palette", tr("Search"), tr("Window"), self.open_palette, keys="Ctrl+K"),
            Command("window.shortcuts", tr("Keyboard shortcuts"), tr("Help"), self.open_shortcuts, "?"),
            Command("window.explain", tr("Explain what is selected"), tr("Help"), self.explain, keys="F1"),
            Command("window.guide", tr("Manual"), tr("Help"), self.open_manual, keys="Shift+F1"),
            *(
                Command(f"go.{tour.id}", tour.title, tr("Help"), partial(self.ways.go_to, tour.id))
                for tour in self._tours
            ),
            *map(self._go_to, self._kinds.values(), range(1, len(self._kinds) + 1)),
            Command("project.leave", tr("Open another project"), tr("Project"), leave, keys="Ctrl+O"),
            Command(
                "project.team", tr("Team project: join or create one"), tr("Project"), self.entrance.ask_team
            ),
            Command("project.person", tr("Work as another person"), tr("Project"), switch_person),
            *look.commands(),
            Command("window.settings", tr("Settings…"), tr("Settings"), self.open_settings, keys="Ctrl+,"),
            Command("window.endpoint", tr("Endpoint for proposals…"), tr("Settings"), self.ask_endpoint),
            Command("window.notices", tr("Notifications"), tr("Window"), self._notices.open, "Ctrl+Shift+N"),
            Command("window.read", tr("Mark all notifications read"), tr("Window"), self._notices.mark_read),
            Command("window.session", tr("Review session"), tr("Window"), self.session.open, "Ctrl+Shift+S"),
            Command("window.reload", tr("Reload"), tr("Window"), self.operations.reload, keys="F5"),
            Command("window.full", tr("Full screen"), tr("Window"), self.toggle_full_screen, keys="F11"),
            Command("window.quit", tr("Quit"), tr("Window"), lambda: self.window().close(), keys="Ctrl+Q"),
        )
        self.commands.add_all(self, *own)
        for kind in self._kinds.values():
            self.rail.add(kind, keys=shown_keys(self.commands.keys(f"go.{kind.id}")))
        for tour in self._tours:
            self.commands.bind(self.help.tour, f"go.{tour.id}")
            self.help.tour.show()
        self.header.set_person_menu(self.commands.menu(self, "person-menu", _MENU))
        self.header.search.set_keys(shown_keys(self.commands.keys("window.palette")))

    def _go_to(self, kind: PageKind, number: int) -> Command:
        keys = f"Ctrl+{number}" if number <= 9 else kind.keys
        show = partial(self.ways.go_to, kind.id)
        return Command(f"go.{kind.id}", tr("Go to {title}", title=kind.title), tr("Go to"), show, keys=keys)

    def _connect(self) -> None:
        operations = self.operations
        connect(
            (self.header.search_asked, self.open_palette),
            (self.rail.chosen, self.ways.go_to),
            (self.ways.told, self.footer.tell),
            (self.session.case_wanted, self.ways.show_case_of_session),
            (
                self.commands.refused,
                lambda name, words: self.footer.tell(tr("{name}: {words}", name=name, words=words)),
            ),
            (self.profiles.changed, self._keep_shortcuts),
            (operations.people_changed, self._show_people),
            (operations.crashed, self.show_crash),
            (operations.job_started, self._watch_job),
            (self.preferences.failed, self.show_error),
            (self.stack.currentChanged, self._follow_page),
        )
        for offer in self.offers:
            offer.accepted.connect(self.ways.go_to)

    # going in and out ----------------------------------------------------------------------------

    def _enter(self, project: OpenProject) -> None:
        self._drop_pages()
        self.banner.dismiss()
        self.operations.run(partial(load_rooms, rooms=FIRST_ROOMS), then=partial(self._show_home, project))

    def _show_home(self, project: OpenProject, _: None) -> None:
        self.setWindowTitle(tr("{name} – Annotator", name=project.name))
        self._show_project(project)
        self._block_inside("")
        self.rail.show()
        self.ways.show_page(next(iter(self._kinds)))
        self._notices.begin()
        if case_id := self.preferences.settings.last_cases.get(project.desk):
            self.ways.open_case(case_id)
        QTimer.singleShot(1000, self, self._load_later)  # the queue is read, painted and takes keys by then

    def _load_later(self) -> None:
        if not self.operations.is_closed:
            self.operations.run(partial(load_rooms, rooms=LATER_ROOMS))

    def _show_people(self, project: OpenProject) -> None:
        if self.ways.are_shown:
            self._show_project(project)

    def _show_project(self, project: OpenProject) -> None:
        self.header.show_project(project)
        self.rail.show_for(project.person.roles if project.person else ())

    def _show_outside(self, page: QWidget) -> None:
        self.rail.hide()
        self._block_inside(tr("No project is open."))
        self.header.show_project(None)
        self.stack.setCurrentWidget(page)
        self._states.show_page(page)

    def _follow_page(self) -> None:
        for offer in self.offers:
            offer.follow(self.stack.currentWidget())

    def _block_inside(self, reason: str) -> None:
        """Say why what needs a project cannot be done; an empty reason frees it."""
        tours = (tour.id for tour in self._tours)
        self.commands.block_all(reason, *_NEEDS_PROJECT, *(f"go.{kind}" for kind in (*self._kinds, *tours)))

    def _leave_for(self, joining: "Joining") -> None:
        self._leaving.ask(partial(self._join, joining))

    def _join(self, joining: "Joining") -> None:
        self._drop_pages()
        self.entrance.join(joining)

    def _leave_now(self) -> None:
        self._presence.leave()
        self._drop_pages()
        self.entrance.show_welcome()

    def _switch_now(self) -> None:
        project = self.operations.project
        if project is not None:
            self._presence.leave()
            self._drop_pages()
            self.entrance.ask_person(project)

    def _drop_pages(self) -> None:
        self.ways.drop()
        self._notices.end()

    def _close_to_start_again(self) -> None:
        application().setProperty("start-again", True)
        self._close_now()

    def _close_now(self) -> None:
        self.preferences.change(window=bytes(self.window().saveGeometry().toBase64().data()).decode())
        self.hide()  # pages may still hand over what they hold when they are hidden
        self._presence.leave()
        self.operations.close()
        self.window().close()

    # telling -------------------------------------------------------------------------------------

    def _watch_job(self, job: WindowJob) -> None:
        self.footer.jobs.add(job)
        job.ended.connect(self._say_ended)

    def _say_ended(self, state: JobState) -> None:
        job = self.sender()
        if state is JobState.CANCELLED and isinstance(job, WindowJob):
            self.footer.tell(tr("{title} was stopped; finished work is kept.", title=job.title))

    # keeping -------------------------------------------------------------------------------------

    def _keep_shortcuts(self) -> None:
        self.preferences.change(profile=self.profiles.active, profiles=self.profiles.own)
        self.header.search.set_keys(shown_keys(self.commands.keys("window.palette")))
