"""The bar at the top: which project, the search field that opens the palette, and who works."""

from datetime import datetime

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QMenu, QPushButton, QSizePolicy, QWidget

from scoring.model.taxonomy import Role, Stage
from ui.main_window.notices import Bell
from ui.operations import OpenProject
from ui.theme import Chip, ElidedLabel, Kbd, TextLabel, theme
from ui.theme.tokens import HEADER_HEIGHT
from ui.theme.words import ROLE, STAGE


class SearchBox(QAbstractButton):
    """Looks like a search field; a click opens the palette, which is where one types."""

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("search-box")
        self.setText("Search cases, commands, people")
        self.setAccessibleName(f"{self.text()} ({keys})")
        self.setCursor(Qt.CursorShape.IBeamCursor)
        self._kbd = Kbd(keys)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addStretch(1)
        row.addWidget(self._kbd)
        self._fit()

    def set_keys(self, keys: str) -> None:
        """Show another shortcut."""
        self._kbd.setText(keys)
        self._kbd.setVisible(bool(keys))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_active = self.underMouse() or self.hasFocus()
        painter.setPen(
            QPen(look.colour("accent" if self.hasFocus() else "line_strong" if is_active else "line"), 1)
        )
        painter.setBrush(look.colour("bg"))
        box = self.rect().adjusted(0, 0, -1, -1)
        painter.drawRoundedRect(box, look.px(6), look.px(6))
        painter.setPen(look.colour("faint" if not is_active else "muted"))
        painter.setFont(look.sans())
        inner = box.adjusted(look.px(10), 0, -look.px(10), 0)
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())

    def _fit(self) -> None:
        look = theme()
        self.setFixedSize(look.px(360), look.px(30))
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(0, 0, look.px(10), 0)


class Header(QFrame):
    """Project and place at the left, search in the middle, role, what is new and person at the right."""

    search_asked = Signal()
    person_menu_asked = Signal()

    def __init__(self, *, search_keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("header")
        self.setProperty("look", "topbar")
        self._project = ElidedLabel("", "muted")
        self._project.setObjectName("project-name")
        self._place = Chip()
        self._place.setObjectName("project-place")
        self.search = SearchBox(search_keys)
        self.search.clicked.connect(self.search_asked)
        self._work = Chip()
        self._work.setObjectName("role")
        self.bell = Bell()
        self._person = QPushButton()
        self._person.setObjectName("person")
        self._person.setProperty("kind", "ghost")
        self._person.setAutoDefault(False)
        self._person.setCursor(Qt.CursorShape.PointingHandCursor)
        self._left, self._right = QWidget(), QWidget()
        for side, members in (
            (self._left, (TextLabel("Annotator", "strong"), self._project, self._place)),
            (self._right, (self._work, self.bell, self._person)),
        ):
            row = QHBoxLayout(side)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(theme().px(12))
            if side is self._right:
                row.addStretch(1)
            for member in members:
                row.addWidget(member)
            if side is self._left:
                row.addStretch(1)
            # Both sides take the same room, so that the search stands in the middle of the window.
            side.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(self)
        row.addWidget(self._left, 1)
        row.addWidget(self.search)
        row.addWidget(self._right, 1)
        self._fit()
        self.show_project(None)

    def set_person_menu(self, menu: QMenu) -> None:
        """What opens below the person's name."""
        self._person.setMenu(menu)

    def show_project(self, project: OpenProject | None) -> None:
        """Show which project is open and who works in it; null for none."""
        self.search.setVisible(project is not None)
        self._place.setVisible(project is not None)
        self._project.setText(project.name if project else "")
        person = project.person if project else None
        self._person.setVisible(project is not None)
        self._work.setVisible(person is not None)
        self.bell.setVisible(person is not None)
        if project is not None:
            self._place.setText("PostgreSQL" if project.is_shared else "This computer")
            self._place.setToolTip(project.place)
        if person is None:
            self._person.setText("Who are you?")
            return
        roles = "every role" if set(person.roles) == set(Role) else ", ".join(map(_role_word, person.roles))
        self._person.setText(f"{person.name} · {roles}".replace("&", "&&"))
        self._person.setAccessibleName(f"{person.name}: person and settings")
        self.show_work(None)

    def show_work(self, stage: Stage | None, *, until: datetime | None = None) -> None:
        """Show at which stage the person works now, and how long the case is theirs; null shows no chip."""
        held = f"Yours until {until.astimezone():%H:%M}; work on it makes it longer." if until else ""
        self._work.setToolTip(held)
        self._work.setVisible(stage is not None)
        if stage is not None:
            self._work.set_stage(STAGE[stage], stage)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(HEADER_HEIGHT))
        layout = self.layout()
        if layout is not None:
            layout.setContentsMargins(look.px(12), 0, look.px(8), 0)
            layout.setSpacing(look.px(12))


def _role_word(role: Role) -> str:
    return ROLE[role].lower()
