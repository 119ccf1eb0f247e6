"""The bar at the top: which project, the search field that opens the palette, and who works."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QFrame, QMenu, QPushButton, QSizePolicy, QWidget

from scoring.model.taxonomy import Role, Stage
from scoring.texts import tr, with_commas
from ui.services.calls import OpenProject
from ui.shell.notices import Bell
from ui.shell.presence import PresentButton
from ui.theme import Chip, ElidedLabel, Kbd, TextLabel, theme
from ui.theme.events import follow_events
from ui.theme.layouts import STRETCH, build, hbox
from ui.theme.look import paint_box, paint_with, paint_words, scaled
from ui.theme.tokens import HEADER_HEIGHT
from ui.theme.words import ROLE, STAGE

_SEARCH, _SEARCH_HEIGHT = (160, 360), 30
"""Least and usual width of the search field, and its height, at 100 %."""
_NAME = 160
"""Width at 100 % that a name may always take, of the project or, where there is little room, the person."""
_SIDES, _GAP = (12, 8), 12


class SearchBox(QAbstractButton):
    """Looks like a search field; a click opens the palette, which is where one types."""

    def __init__(self, keys: str, **properties: Any) -> None:
        words = tr("Search cases, commands, people")
        build(
            super().__init__,
            objectName="search-box",
            **properties,
            text=words,
            accessibleName=f"{words} ({keys})",
            cursor=Qt.CursorShape.IBeamCursor,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed),
        )
        self._kbd = Kbd(keys)
        hbox(STRETCH, self._kbd, within=self, gap=None, margins=(0, 0, 10, 0))

    def set_keys(self, keys: str) -> None:
        """Show another shortcut."""
        self._kbd.say(keys)

    @property
    def shown_text(self) -> str:
        """The words as far as there is room for them."""
        return self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self._words_width())

    def sizeHint(self) -> QSize:
        return QSize(theme().px(_SEARCH[1]), theme().px(_SEARCH_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(_SEARCH[0]), theme().px(_SEARCH_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        painter = paint_with(QPainter(self), is_smooth=True)
        is_active = self.underMouse() or self.hasFocus()
        box = self.rect().adjusted(0, 0, -1, -1)
        paint_box(
            painter,
            box,
            look.px(6),
            pen=QPen(look.colour("accent" if self.hasFocus() else "line_strong" if is_active else "line"), 1),
            brush=look.colour("bg"),
        )
        paint_words(
            painter,
            QRect(look.px(10), 0, self._words_width(), box.height()),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
            self.shown_text,
            pen=look.colour("faint" if not is_active else "muted"),
            font=look.sans(),
        )

    def _words_width(self) -> int:
        keys = 0 if self._kbd.isHidden() else self._kbd.width() + theme().px(10)
        return max(0, self.width() - keys - 2 * theme().px(10))


class Header(QFrame):
    """Project and place at the left, search in the middle, role, what is new and person at the right.

    Where it is narrow the search gives way first, then what can be read elsewhere is left out: the place,
    the program's name, the person's roles, the stage. The bell and the person's menu always stay.
    """

    search_asked = Signal()

    def __init__(self, *, search_keys: str, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="header", look="topbar")
        self._program = TextLabel("Annotator", "strong")
        self._project = ElidedLabel("", "muted", objectName="project-name")
        self._place = Chip(objectName="project-place")
        self.search = SearchBox(search_keys, clicked=self.search_asked)
        self._work = Chip(objectName="role")
        self.present = PresentButton()
        self.bell = Bell()
        self._person = build(
            QPushButton,
            objectName="person",
            autoDefault=False,
            cursor=Qt.CursorShape.PointingHandCursor,
            kind="ghost",
        )
        self._names = ("", "")
        self._wanted: set[QWidget] = {self._program}
        self._left, self._right = QWidget(), QWidget()
        hbox(self._program, self._project, self._place, STRETCH, within=self._left, gap=_GAP)
        hbox(STRETCH, self._work, self.present, self.bell, self._person, within=self._right, gap=_GAP)
        for side in (self._left, self._right):
            # Both sides take the same room, so that the search stands in the middle of the window.
            side.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        hbox(
            (self._left, 1),
            self.search,
            (self._right, 1),
            within=self,
            gap=_GAP,
            margins=(_SIDES[0], 0, _SIDES[1], 0),
        )
        scaled(self, setFixedHeight=HEADER_HEIGHT)
        # A layout is asked for e.g. when the bell counts more.
        follow_events(self, self._arrange, QEvent.Type.Resize, QEvent.Type.LayoutRequest)
        self.show_project(None)

    def set_person_menu(self, menu: QMenu) -> None:
        """What opens below the person's name."""
        self._person.setMenu(menu)
        self._arrange()

    def show_project(self, project: OpenProject | None) -> None:
        """Show which project is open and who works in it; None if there is none."""
        person = project.person if project else None
        self._project.setText(project.name if project else "")
        if project is not None:
            self._place.setText("PostgreSQL" if project.is_shared else tr("This computer"))
            self._place.setToolTip(project.place)
        self._want(self.search, self._place, self._person, on=project is not None)
        self._want(self.bell, on=person is not None)
        if person is None:
            self._names = (tr("Who are you?"), tr("Who are you?"))
        else:
            self._names = (f"{person.name} · {_role_words(person.roles)}", person.name)
            self._person.setAccessibleName(tr("{name}: person and settings", name=person.name))
        self.show_work(None)

    def show_work(self, stage: Stage | None, *, until: datetime | None = None) -> None:
        """Show at which stage the person works now, and how long the case is theirs; None shows no chip."""
        self._work.setToolTip(
            tr(
                "Leased to you until {astimezone:%H:%M}; working on it extends the lease.",
                astimezone=until.astimezone(),
            )
            if until
            else ""
        )
        if stage is not None:
            self._work.set_stage(STAGE[stage], stage)
        self._want(self._work, on=stage is not None)
        self._arrange()

    def show_present(self, on: bool) -> None:
        """Show that others are here, or leave it out."""
        self._want(self.present, on=on)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(_SEARCH[0]), theme().px(HEADER_HEIGHT))

    def _want(self, *members: QWidget, on: bool) -> None:
        self._wanted = self._wanted.union(members) if on else self._wanted.difference(members)

    def _arrange(self) -> None:
        """Leave out what there is no room for, the least important first."""
        left = (self._program, self._project, self._place)
        right = (self._work, self.present, self.bell, self._person)
        shown, name = {*self._wanted, self._project}, self._names[0]
        for left_out in (None, self._place, self._program, self._person, self.present, self._work):
            if left_out is self._person:
                name = self._person.fontMetrics().elidedText(
                    self._names[1], Qt.TextElideMode.ElideRight, theme().px(_NAME)
                )
            elif left_out is not None:
                shown.discard(left_out)
            sides = [self._width_of([one for one in side if one in shown], name) for side in (left, right)]
            if self._least_beside(search=self.search in shown) + sum(sides) <= self.width():
                break
        self._person.setText(_escaped(name))
        self._person.setToolTip("" if name == self._names[0] else self._names[0])
        for member in (*left, self.search, *right):
            member.setVisible(member in shown)
        self._left.setMinimumWidth(sides[0])
        self._right.setMinimumWidth(sides[1])

    def _width_of(self, members: Sequence[QWidget], name: str) -> int:
        """How wide members are beside each other, the person with a name that is not shown yet."""
        widths = {member: member.sizeHint().width() for member in members}
        if self._project in widths:  # it is shortened before anything else is left out
            widths[self._project] = min(widths[self._project], theme().px(_NAME))
        if self._person in widths:
            advance = self._person.fontMetrics().horizontalAdvance
            widths[self._person] += advance(_escaped(name)) - advance(self._person.text())
        return sum(widths.values()) + theme().px(_GAP) * max(0, len(widths) - 1)

    def _least_beside(self, *, search: bool) -> int:
        return theme().px(_SIDES[0] + _SIDES[1] + 2 * _GAP) + (theme().px(_SEARCH[0]) if search else 0)


def _escaped(name: str) -> str:
    return name.replace("&", "&&")


def _role_words(roles: Collection[Role]) -> str:
    return tr("every role") if set(roles) == set(Role) else with_commas(ROLE[role].lower() for role in roles)
