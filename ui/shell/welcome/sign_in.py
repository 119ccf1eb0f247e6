"""Who are you: the people of a project, and the password of those who have one."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from ui.services.operations import OpenProject
from ui.theme import Button, ButtonKind, Card, TextLabel, theme
from ui.theme.layouts import STRETCH, build, hbox, vbox
from ui.theme.words import ROLE, plain_tip

if TYPE_CHECKING:
    from annotator.project.people import PersonRow

_PERSON = Qt.ItemDataRole.UserRole

_WIDTH = 420
_FEWEST_ROWS, _MOST_ROWS = 2, 8


class _People(QListWidget):
    """As high as its people, up to some."""

    def __init__(self) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def sizeHint(self) -> QSize:
        return self._size_of(min(max(self.count(), 1), _MOST_ROWS))

    def minimumSizeHint(self) -> QSize:
        return self._size_of(min(max(self.count(), 1), _FEWEST_ROWS))

    def _size_of(self, rows: int) -> QSize:
        look = theme()
        row = max(self.sizeHintForRow(0), look.row_height)
        return QSize(look.px(200), rows * row + look.px(4))


class SignIn(QWidget):
    """Lists the people of the open project; choosing one asks for a password only where there is one."""

    chosen = Signal(str, str)
    """Name and password; the password is empty where there is none."""
    left = Signal()
    """Back to the projects."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sign-in")
        self._title = TextLabel("", "title")
        self._people = _People()
        self._people.setObjectName("sign-in-people")
        self._people.setAccessibleName("People")
        self._people.currentItemChanged.connect(self._show_password)
        self._people.itemActivated.connect(self._go)
        self._password = build(
            QLineEdit,
            objectName="sign-in-password",
            accessibleName="Password",
            echoMode=QLineEdit.EchoMode.Password,
            placeholderText="Password",
            returnPressed=self._go,
        )
        self._problem = TextLabel("", "error", objectName="sign-in-problem", wordWrap=True)
        back = Button("Other project", objectName="sign-in-back", clicked=self.left)
        self._button = Button(
            "Work as this person", ButtonKind.PRIMARY, objectName="sign-in-go", clicked=self._go
        )
        buttons = hbox(back, STRETCH, self._button, gap=None)
        self._card = Card()
        column = vbox(self._title, TextLabel("Who are you?", "muted"), within=self._card, gap=12, margins=24)
        for widget in (self._people, self._password, self._problem):
            column.addWidget(widget)
        column.addLayout(buttons)
        page = QVBoxLayout(self)
        page.addStretch(1)
        row = QHBoxLayout()  # and no alignment: the list gives way where there is no room for all of it
        row.addStretch(1)
        row.addWidget(self._card)
        row.addStretch(1)
        page.addLayout(row)
        page.addStretch(2)
        self._fit()

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
                roles = ", ".join(ROLE[role].lower() for role in person.roles)
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
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        (self._password if self._password.isVisibleTo(self) else self._people).setFocus()

    def heightForWidth(self, width: int) -> int:
        layout = self.layout()  # what the list needs at least: it gives way before the page is scrolled
        return layout.minimumHeightForWidth(width) if layout is not None else -1

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        self._card.setFixedWidth(theme().px(_WIDTH))

    def _person(self) -> "PersonRow | None":
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
