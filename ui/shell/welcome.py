"""Before a project is open: the projects to choose from, and who are you."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QAbstractButton,
    QLabel,
    QLineEdit,
    QListWidgetItem,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from annotator.project.people import PersonRow
from scoring.texts import tr, with_commas
from scoring.wording import without_passwords
from ui.services.calls import OpenProject
from ui.services.jobs import JobStrip, WindowJob
from ui.theme import Button, ButtonKind, Card, ElidedLabel, SectionLabel, TextLabel, icon, theme
from ui.theme.dialogs import ask_file
from ui.theme.fields import ShortList
from ui.theme.layouts import STRETCH, build, column, fill, hbox, show_all, vbox
from ui.theme.look import paint_box, scaled
from ui.theme.words import ROLE, plain_tip

_FILTER = tr("Projects (*.db);;All files (*)")


@dataclass(frozen=True)
class RecentProject:
    """A project that was open lately; `is_missing` where its file is gone."""

    place: str
    is_missing: bool = False

    @property
    def title(self) -> str:
        """Its file's or database's name."""
        return unquote(self.shown.rstrip("/").rsplit("/", 1)[-1].removesuffix(".db"))

    @property
    def shown(self) -> str:
        """Where it is, without the options of an address."""
        return self.place.partition("?")[0] if "://" in self.place else self.place


def recent_of(places: tuple[str, ...]) -> tuple[RecentProject, ...]:
    """Recent projects with whether their files are still there; servers are not asked."""
    return tuple(
        RecentProject(place, is_missing="://" not in place and not Path(place).exists()) for place in places
    )


_ASKED = "project-dialog"


class WelcomePage(QScrollArea):
    """Offers projects; what is chosen goes out as signals."""

    open_asked = Signal(str)
    """Path or URL."""
    create_asked = Signal(str)
    """Path of a file that does not exist yet."""
    team_asked = Signal()
    """The form of a team project."""
    sample_asked = Signal()
    forget_asked = Signal(str)
    """Path or URL of a recent project."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(
            super().__init__,
            parent,
            objectName="welcome",
            widgetResizable=True,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            **properties,
        )
        self._ways = build(
            QWidget, sizePolicy=QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        )
        cards = [
            _Way(icon_name, title, text, name=f"welcome-{name}", act=act)
            for name, icon_name, title, text, act in (
                ("open", "folder-open", tr("Open project…"), tr("A file on this computer."), self.ask_open),
                (
                    "create",
                    "file-plus",
                    tr("New project…"),
                    tr("Empty, with you in every role."),
                    self.ask_create,
                ),
                (
                    "team",
                    "users-three",
                    tr("Team project…"),
                    tr("Join or create one on a server."),
                    self.team_asked.emit,
                ),
                (
                    "sample",
                    "flask",
                    tr("Sample project"),
                    tr("Sixteen dialogues, partly reviewed."),
                    self.sample_asked.emit,
                ),
            )
        ]
        hbox(*((card, 1) for card in cards), within=self._ways, gap=12)
        self._place = build(
            QLineEdit,
            objectName="welcome-place",
            placeholderText=tr("Path, or postgresql://anna@host/team"),
            accessibleName=tr("Path or URL of a project"),
            returnPressed=self._open_typed,
        )
        go = Button(tr("Open"), objectName="welcome-open-typed", clicked=self._open_typed)
        self._recent = vbox()
        self._busy = build(QProgressBar, minimum=0, maximum=0, textVisible=False)
        self._busy_words = TextLabel("", "muted", objectName="welcome-busy")
        self._jobs = JobStrip("welcome-job")
        holder = column(
            STRETCH,
            TextLabel("Annotator", "heading"),
            TextLabel(tr("Turn generated dialogues into verified benchmark cases."), "muted"),
            self._ways,
            hbox((self._place, 1), go, gap=8),
            self._recent,
            self._busy_words,
            self._busy,
            self._jobs,
            2,
            gap=16,
            margins=9,
        )
        scaled(holder, setMaximumWidth=640)
        self.setWidget(column(hbox(holder), margins=9))
        self.show_busy("")

    def show_recent(self, recent: tuple[RecentProject, ...]) -> None:
        """List the projects that were open lately, the newest first."""
        rows = (
            _RecentRow(
                project,
                objectName=f"recent-{place}",
                opened=self.open_asked.emit,
                forgotten=self.forget_asked.emit,
            )
            for place, project in enumerate(recent)
        )
        fill(self._recent, (SectionLabel(tr("Recent")) if recent else None, *rows))

    def show_busy(self, words: str) -> None:
        """Say that a project is being opened, and offer nothing meanwhile; empty words end it."""
        self._offer(is_free=not words)
        self._busy_words.setText(words)
        show_all(self._busy, self._busy_words, on=words)

    def show_job(self, job: WindowJob) -> None:
        """Show how far a project is that is being made, with a way to cancel it."""
        self._jobs.add(job)
        self._offer(is_free=False)

    def forget_typed(self) -> None:
        """Empty the field: an address that was typed may hold a password."""
        self._place.clear()

    def ask_open(self) -> None:
        """Ask for a project file."""
        ask_file(
            self,
            tr("Open project"),
            filters=_FILTER,
            objectName=_ASKED,
            fileSelected=self.open_asked.emit,
        )

    def ask_create(self) -> None:
        """Ask where a project is to be created."""
        ask_file(
            self,
            tr("New project"),
            filters=_FILTER,
            saves=True,
            objectName=_ASKED,
            defaultSuffix="db",
            fileSelected=self.create_asked.emit,
        )

    def _offer(self, *, is_free: bool) -> None:
        self._ways.setEnabled(is_free)
        self._place.setEnabled(is_free)

    def _open_typed(self) -> None:
        place = self._place.text().strip()
        if place:
            self._place.setText(without_passwords(place))  # nobody reads it over a shoulder
            self.open_asked.emit(place)


class _Way(QAbstractButton):
    """A card that is a button."""

    def __init__(
        self, icon_name: str, title: str, text: str, *, name: str, act: Callable[[], object]
    ) -> None:
        build(
            super().__init__,
            objectName=name,
            clicked=act,
            accessibleName=title,
            accessibleDescription=text,
            cursor=Qt.CursorShape.PointingHandCursor,
            focusPolicy=Qt.FocusPolicy.StrongFocus,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding),
        )
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        picture = QLabel(pixmap=icon(icon_name).pixmap(theme().px(24), theme().px(24)))
        labels = picture, TextLabel(title, "strong"), TextLabel(text, "small-muted", wordWrap=True)
        for label in labels:
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        vbox(*labels, STRETCH, within=self, gap=4, margins=16)
        scaled(self, setMinimumHeight=104)

    def sizeHint(self) -> QSize:
        layout = self.layout()
        return layout.sizeHint() if layout else super().sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        paint_box(
            QPainter(self),
            self.rect().adjusted(0, 0, -1, -1),
            look.px(8),
            is_smooth=True,
            pen=QPen(look.colour("accent" if self.hasFocus() or self.underMouse() else "line"), 1),
            brush=look.colour("hover" if self.isDown() else "surface"),
        )


class _RecentRow(Card):
    """One project that was open lately."""

    opened = Signal(str)
    forgotten = Signal(str)

    def __init__(self, project: RecentProject, **properties: Any) -> None:
        build(super().__init__, **properties, look="plain")
        name = Button(
            project.title,
            ButtonKind.GHOST,
            objectName="recent-open",
            clicked=partial(self.opened.emit, project.place),
        )
        if project.is_missing:
            name.set_blocked(tr("The file no longer exists."))
        forget = Button(
            tr("Forget"),
            ButtonKind.LINK,
            objectName="recent-forget",
            clicked=partial(self.forgotten.emit, project.place),
        )
        forget.setVisible(project.is_missing)
        place = tr("file not found · ") + project.shown if project.is_missing else project.shown
        hbox(
            name,
            (ElidedLabel(place, "small-muted", mode=Qt.TextElideMode.ElideMiddle), 1),
            forget,
            within=self,
            gap=8,
        )


_PERSON = Qt.ItemDataRole.UserRole


class SignIn(QWidget):
    """Lists the people of the open project; choosing one asks for a password only where there is one."""

    chosen = Signal(str, str)
    """Name and password; the password is empty where there is none."""
    left = Signal()
    """Back to the projects."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, objectName="sign-in", **properties)
        self._title = TextLabel("", "title")
        self._people = ShortList(
            "sign-in-people",
            tr("People"),
            rows=(1, 8),
            least=2,
            currentItemChanged=self._show_password,
            itemActivated=self._go,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred),
        )
        self._password = build(
            QLineEdit,
            objectName="sign-in-password",
            accessibleName=tr("Password"),
            echoMode=QLineEdit.EchoMode.Password,
            placeholderText=tr("Password"),
            returnPressed=self._go,
        )
        self._problem = TextLabel("", "error", objectName="sign-in-problem", wordWrap=True)
        back = Button(tr("Other project"), objectName="sign-in-back", clicked=self.left)
        self._button = Button(
            tr("Work as this person"), ButtonKind.PRIMARY, objectName="sign-in-go", clicked=self._go
        )
        card = Card()
        scaled(card, setFixedWidth=420)
        vbox(
            self._title,
            TextLabel(tr("Who are you?"), "muted"),
            self._people,
            self._password,
            self._problem,
            hbox(back, STRETCH, self._button, gap=None),
            within=card,
            gap=12,
            margins=24,
        )
        # No alignment: the list gives way where there is no room for all of it.
        vbox(STRETCH, hbox(STRETCH, card, STRETCH), 2, within=self, margins=9)

    def show_people(self, project: OpenProject, *, wanted: str = "", problem: str = "") -> None:
        """List the active people of a project.

        Args:
            project: The open project.
            wanted: Who is marked first; the first of the list where empty or unknown.
            problem: Why the last attempt failed.
        """
        self._title.setText(project.name)
        self._people.clear()
        for person in project.people:
            if person.is_active:
                roles = with_commas(ROLE[role].lower() for role in person.roles)
                item = QListWidgetItem(f"{person.name}   {roles}")
                item.setData(_PERSON, person)
                item.setToolTip(plain_tip(item.text()))
                self._people.addItem(item)
                if person.name == wanted:
                    self._people.setCurrentItem(item)
        if self._people.currentRow() < 0:
            self._people.setCurrentRow(0)
        self._people.updateGeometry()
        self._password.clear()
        self._problem.say(problem)
        (self._password if self._password.isVisibleTo(self) else self._people).setFocus()

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()  # what the list needs at least: it gives way before the page is scrolled
        return layout.minimumHeightForWidth(width) if layout is not None else -1

    def _person(self) -> PersonRow | None:
        item = self._people.currentItem()
        found: PersonRow | None = item.data(_PERSON) if item is not None else None
        return found

    def _show_password(self) -> None:
        person = self._person()
        self._password.setVisible(person is not None and person.has_password)

    def _go(self) -> None:
        person = self._person()
        if person is not None:
            self.chosen.emit(person.name, self._password.text() if person.has_password else "")
