"""The main window: joins the pages, and is the only one that knows all of them."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeyEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QMainWindow,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from scoring.errors import AnnotatorError, StoreError
from ui.commands import Command, Commands, Palette, Profiles, ShortcutSheet, shown_keys
from ui.errors import CrashDialog, ErrorBanner, crash_report
from ui.jobs import JobState, WindowJob
from ui.main_window.entrance import Entrance
from ui.main_window.footer import Footer
from ui.main_window.frame import restore_place
from ui.main_window.header import Header
from ui.main_window.leaving import Leaving
from ui.main_window.look import Look
from ui.main_window.notices import Notices
from ui.main_window.outage import Outage
from ui.main_window.pages import (
    FIRST_ROOMS,
    LATER_ROOMS,
    PAGES,
    PageContext,
    PageKind,
    load_rooms,
)
from ui.main_window.rail import Rail
from ui.main_window.room import Pages
from ui.main_window.searching import Search
from ui.main_window.states import PageStates
from ui.main_window.ways import Ways
from ui.operations import OpenProject, Operations
from ui.preferences import Preferences
from ui.theme import Tone, theme
from ui.theme.dialogs import open_dialog
from ui.theme.scrolling import Scroller

_LEAST = (320, 160)
"""Width and height at 100 % that are left for a page in the smallest window."""
_LATER_MILLISECONDS = 1000  # the queue is read, painted and takes keys before the other pages are prepared
_MENU = (
    "project.person",
    "project.leave",
    "",
    "look.dark",
    "look.density",
    "look.larger",
    "look.smaller",
    "window.full",
)


class MainWindow(QMainWindow):
    """Header, rail, pages, footer; the program puts it into a `Frame`, tests show it by itself.

    Args:
        operations: The way to the project; the window closes it when it is closed.
        preferences: The person's settings.
        sample_folder: Where the sample project is made; the person's data folder where null.
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
        super().__init__()
        self.setObjectName("main-window")
        self.setWindowTitle("Annotator")
        self.operations = operations
        self.preferences = preferences
        self.commands = Commands(self)
        settings = preferences.settings
        self.profiles = Profiles(self.commands, active=settings.profile, own=settings.profiles)
        self.entrance = Entrance(operations, preferences, sample_folder=sample_folder, parent=self)
        self._kinds = {kind.id: kind for kind in pages}
        self._may_close = False
        self._look = Look(preferences, _app(), parent=self)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(_LATER_MILLISECONDS)
        self._later.timeout.connect(self._load_later)
        self._build()
        self._states = PageStates(self.header, self.footer, self)
        self.ways = Ways(
            self._kinds,
            PageContext(operations, self.commands, preferences),
            stack=self.stack,
            rail=self.rail,
            states=self._states,
            parent=self,
        )
        self._leaving = Leaving(operations, self, pages=self.ways.open_pages)
        self._outage = Outage(operations, self.banner, footer=self.footer, states=self._states, parent=self)
        self._notices = Notices(operations, self.header.bell, self)
        self._add_commands()
        self._palette = Palette(self.commands, self)
        Search(
            self._palette,
            operations,
            self.profiles,
            open_case=self.ways.open_case,
            show_owner=self.ways.show_owner,
            told=self.footer.tell,
        )
        self._connect()
        restore_place(self, b"", scale=theme().scale)
        self._show_outside(self.entrance.welcome)
        if preferences.message:
            self.banner.show_message(preferences.message, tone=Tone.WARN)

    def open_palette(self) -> None:
        """Open the palette below the search field."""
        if self.operations.project is not None and self.ways.are_shown:
            box = self.header.search
            self._palette.open_at(box.mapToGlobal(QPoint(box.width() // 2, 0)))

    def open_shortcuts(self) -> None:
        """Show all shortcuts."""
        sheet = ShortcutSheet(self.commands, self.profiles, parent=self)
        open_dialog(sheet)

    def show_error(self, error: AnnotatorError) -> None:
        """Show an error the person can act on."""
        self.banner.show_error(error)

    def show_crash(self, error: BaseException) -> None:
        """Show that the program made a mistake, with a report to copy."""
        if any(dialog.isVisible() for dialog in self.findChildren(CrashDialog)):
            return  # one report at a time: what follows is mostly the same mistake
        saved = "What you did is kept as a draft." if self.ways.open_pages() else ""
        dialog = CrashDialog(crash_report(error), saved=saved, parent=self)
        dialog.finished.connect(dialog.deleteLater)
        dialog.show()

    def toggle_full_screen(self) -> None:
        """Fill the screen, or go back to a window."""
        window = self.window()
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shown = [banner for banner in self.findChildren(ErrorBanner) if banner.isVisible()]
        if event.key() == Qt.Key.Key_Escape and shown:
            shown[0].dismiss()  # no widget wanted the key
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self._may_close:
            event.ignore()
            self._leaving.ask(self._close_now)
            return
        self.hide()  # pages may still hand over what they hold when they are hidden
        self.operations.close()
        super().closeEvent(event)

    # building ------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.header = Header(search_keys="Ctrl K")
        self.rail = Rail()
        self.footer = Footer()
        self.banner = ErrorBanner()
        self.stack = Pages()
        self.room = Scroller(self.stack, width=_LEAST[0], height=_LEAST[1])
        self.room.setObjectName("room")
        for page in self.entrance.pages():
            self.stack.addWidget(page)
        centre = QVBoxLayout()
        centre.setSpacing(0)
        centre.addWidget(self.banner)
        centre.addWidget(self.room, 1)
        middle = QHBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.rail)
        middle.addLayout(centre, 1)
        holder = QWidget()
        holder.setObjectName("page")
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addLayout(middle, 1)
        column.addWidget(self.footer)
        self.setCentralWidget(holder)

    def _add_commands(self) -> None:
        add = self.commands.add
        add(Command("window.palette", "Search", "Window", self.open_palette, keys="Ctrl+K"))
        add(Command("window.shortcuts", "Keyboard shortcuts", "Window", self.open_shortcuts, "?", ("F1",)))
        for number, kind in enumerate(self._kinds.values(), 1):
            show = partial(self.ways.go_to, kind.id)
            add(Command(f"go.{kind.id}", f"Go to {kind.title}", "Go to", show, keys=f"Ctrl+{number}"))
            self.rail.add(kind, keys=shown_keys(self.commands.keys(f"go.{kind.id}")))
        add(Command("project.leave", "Open another project", "Project", self._leave, keys="Ctrl+O"))
        add(Command("project.person", "Work as another person", "Project", self._switch_person))
        self._look.add_commands(self.commands)
        add(Command("window.notices", "What is new for you", "Window", self._notices.open, "Ctrl+Shift+N"))
        add(Command("window.read", "Mark all notifications read", "Window", self._notices.mark_read))
        add(Command("window.full", "Full screen", "Window", self.toggle_full_screen, keys="F11"))
        add(Command("window.quit", "Quit", "Window", self._quit, keys="Ctrl+Q"))
        menu = QMenu(self)
        menu.setObjectName("person-menu")
        for command_id in _MENU:
            if command_id:
                menu.addAction(self.commands.action(command_id))
            else:
                menu.addSeparator()
        self.header.set_person_menu(menu)
        self.header.search.set_keys(shown_keys(self.commands.keys("window.palette")))

    def _connect(self) -> None:
        operations, entrance = self.operations, self.entrance
        self.header.search_asked.connect(self.open_palette)
        self.rail.chosen.connect(self.ways.go_to)
        self.ways.told.connect(self.footer.tell)
        self.commands.refused.connect(self._say_refused)
        self.profiles.changed.connect(self._keep_shortcuts)
        entrance.page_wanted.connect(self._show_outside)
        entrance.entered.connect(self._enter)
        operations.people_changed.connect(self._show_people)
        entrance.failed.connect(self._stay_outside)
        operations.failure.connect(self._show_failure)
        operations.crashed.connect(self.show_crash)
        operations.job_started.connect(self._watch_job)
        self._notices.case_wanted.connect(self.ways.open_case)
        self._leaving.waiting.connect(self._show_waiting)
        self.preferences.failed.connect(self.show_error)

    # going in and out ----------------------------------------------------------------------------

    def _enter(self, project: OpenProject) -> None:
        self._drop_pages()
        self.banner.dismiss()
        first = partial(load_rooms, rooms=FIRST_ROOMS)
        self.operations.run(first, then=partial(self._show_home, project))

    def _show_home(self, project: OpenProject, _: None) -> None:
        self.setWindowTitle(f"{project.name} – Annotator")
        self.header.show_project(project)
        self.rail.show()
        self.ways.show_page(next(iter(self._kinds)))
        self._notices.begin()
        self._later.start()

    def _load_later(self) -> None:
        if not self.operations.is_closed:
            self.operations.run(partial(load_rooms, rooms=LATER_ROOMS))

    def _show_people(self, project: OpenProject) -> None:
        if self.ways.are_shown:
            self.header.show_project(project)

    def _show_outside(self, page: QWidget) -> None:
        self.rail.hide()
        self.header.show_project(None)
        self.stack.setCurrentWidget(page)
        self._states.show_page(page)

    def _show_failure(self, error: AnnotatorError) -> None:
        if isinstance(error, StoreError) and self.operations.lost is not None:
            self._outage.remind()
        else:
            self.show_error(error)

    def _stay_outside(self, error: AnnotatorError) -> None:
        self.show_error(error)

    def _leave(self) -> None:
        self._leaving.ask(self._leave_now)

    def _leave_now(self) -> None:
        self._drop_pages()
        self.entrance.show_welcome()

    def _switch_person(self) -> None:
        self._leaving.ask(self._switch_now)

    def _switch_now(self) -> None:
        project = self.operations.project
        if project is not None:
            self._drop_pages()
            self.entrance.switch_person(project)

    def _drop_pages(self) -> None:
        self.ways.drop()
        self._notices.end()

    def _quit(self) -> None:
        self.window().close()

    def _close_now(self) -> None:
        self._keep_place()
        self._may_close = True
        self.window().close()

    # telling -------------------------------------------------------------------------------------

    def _say_refused(self, title: str, reason: str) -> None:
        self.footer.tell(f"{title}: {reason}")

    def _watch_job(self, job: WindowJob) -> None:
        self.footer.jobs.add(job)
        job.ended.connect(self._say_ended)

    def _say_ended(self, state: JobState) -> None:
        job = self.sender()
        if state is JobState.CANCELLED and isinstance(job, WindowJob):
            self.footer.tell(f"{job.title} was stopped; what it had done stays.")

    def _show_waiting(self) -> None:
        self.footer.tell("Saving …")

    # keeping -------------------------------------------------------------------------------------

    def _keep_shortcuts(self) -> None:
        self.preferences.change(profile=self.profiles.active, profiles=self.profiles.own)
        self.header.search.set_keys(shown_keys(self.commands.keys("window.palette")))

    def _keep_place(self) -> None:
        place = bytes(self.window().saveGeometry().toBase64().data()).decode()
        self.preferences.change(window=place)


def _app() -> QApplication:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app
