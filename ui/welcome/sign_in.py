"""Who are you: the people of a project, and the password of those who have one."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from ui.operations import OpenProject
from ui.theme import Button, ButtonKind, Card, TextLabel, theme
from ui.theme.words import ROLE

if TYPE_CHECKING:
    from annotator.project.people import PersonRow

_PERSON = Qt.ItemDataRole.UserRole


class SignIn(QWidget):
    """Lists the people of the open project; choosing one asks for a password only where there is one."""

    chosen = Signal(str, str)
    """Name and password; the password is empty where there is none."""
    left = Signal()
    """Back to the projects."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sign-in")
        look = theme()
        self._title = TextLabel("", "title")
        self._people = QListWidget()
        self._people.setObjectName("sign-in-people")
        self._people.setAccessibleName("People")
        self._people.currentItemChanged.connect(self._show_password)
        self._people.itemActivated.connect(self._go)
        self._password = QLineEdit()
        self._password.setObjectName("sign-in-password")
        self._password.setAccessibleName("Password")
        self._password.setEchoMode(QLineEdit.EchoMode.Password)
        self._password.setPlaceholderText("Password")
        self._password.returnPressed.connect(self._go)
        self._problem = TextLabel("", "error")
        self._problem.setObjectName("sign-in-problem")
        self._problem.setWordWrap(True)
        back = Button("Other project")
        back.setObjectName("sign-in-back")
        back.clicked.connect(self.left)
        self._button = Button("Work as this person", ButtonKind.PRIMARY)
        self._button.setObjectName("sign-in-go")
        self._button.clicked.connect(self._go)
        buttons = QHBoxLayout()
        buttons.addWidget(back)
        buttons.addStretch(1)
        buttons.addWidget(self._button)
        card = Card()
        card.setFixedWidth(look.px(420))
        column = QVBoxLayout(card)
        column.setContentsMargins(*(look.px(24),) * 4)
        column.setSpacing(look.px(12))
        column.addWidget(self._title)
        column.addWidget(TextLabel("Who are you?", "muted"))
        for widget in (self._people, self._password, self._problem):
            column.addWidget(widget)
        column.addLayout(buttons)
        page = QVBoxLayout(self)
        page.addStretch(1)
        page.addWidget(card, 0, Qt.AlignmentFlag.AlignHCenter)
        page.addStretch(2)

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
                self._people.addItem(item)
                if person.name == wanted:
                    self._people.setCurrentItem(item)
        if self._people.currentRow() < 0:
            self._people.setCurrentRow(0)
        rows = min(max(self._people.count(), 1), 8)
        self._people.setFixedHeight(rows * theme().row_height + theme().px(4))
        self._password.clear()
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        (self._password if self._password.isVisibleTo(self) else self._people).setFocus()

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
