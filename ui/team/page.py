"""The team page: people and policy, batches, workload, feedback, samples; one tab each."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from annotator.project.changes import Changes
from annotator.project.people import PersonRow, add_person, set_active, set_password, set_roles
from scoring.model.taxonomy import Role
from ui.commands import Command, Commands
from ui.errors import ErrorBanner
from ui.operations import OpenProject, Operations
from ui.team.batches import BatchesPanel
from ui.team.feedback import FeedbackPanel
from ui.team.people import NewPerson, PasswordDialog, PersonDialog, RolesDialog
from ui.team.policy_panel import PolicyPanel
from ui.team.samples import SamplesPanel
from ui.team.workload import WorkloadPanel
from ui.theme import Button, ButtonKind, PanelHeader, TextLabel, Tone, theme
from ui.theme.dialogs import open_dialog
from ui.theme.heads import PageHead
from ui.theme.tables import Cell, Column, FigureTable, Row
from ui.theme.tabs import TabBar
from ui.theme.words import ROLE, counted

_COLUMNS = (Column("Name", 150), Column("Roles"), Column("Password", 84), Column("State", 92))
_MANAGERS_ONLY = "A manager looks after people and policy."


class TeamPage(QWidget):
    """Who works here, how cases are reviewed, and how far the work is."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, commands: Commands) -> None:
        super().__init__()
        self.setObjectName("team-page")
        self._operations = operations
        self._commands = commands
        self._people: tuple[PersonRow, ...] = ()
        self._add_commands()
        self._build()
        operations.people_changed.connect(self._show_people)
        operations.changed.connect(self._note_changes)
        if operations.project is not None:
            self._show_people(operations.project)

    def unsaved_words(self) -> str:
        """What leaving now would lose."""
        return "The changed review policy is not saved." if self._policy.changed() else ""

    def flush(self) -> None:
        """A policy is saved on purpose only."""

    def _add_commands(self) -> None:
        add = self._commands.add
        add(Command("team.add", "Add a person", "Team", self.ask_person, keys="A"), self)
        add(Command("team.roles", "Change roles", "Team", self.ask_roles, keys="R"), self)
        add(Command("team.password", "Set a password", "Team", self.ask_password, keys="P"), self)
        add(Command("team.activity", "Disable or enable the person", "Team", self.toggle, keys="D"), self)
        add(
            Command("team.tab_next", "Next tab", "Team", partial(self._next_tab, 1), keys="Ctrl+PgDown"), self
        )
        add(
            Command("team.tab_before", "Tab before", "Team", partial(self._next_tab, -1), keys="Ctrl+PgUp"),
            self,
        )

    def _build(self) -> None:
        look = theme()
        self._count = TextLabel("", "small-muted")
        self._count.setObjectName("people-count")
        self._toggle = Button("Disable")
        self._toggle.setObjectName("team-activity")
        password = Button("Password…")
        password.setObjectName("team-password")
        roles = Button("Roles…")
        roles.setObjectName("team-roles")
        new = Button("Add…", ButtonKind.PRIMARY)
        new.setObjectName("team-add")
        for button, command in (
            (self._toggle, "team.activity"),
            (roles, "team.roles"),
            (password, "team.password"),
            (new, "team.add"),
        ):
            self._commands.bind(button, command)
        self._tabs = TabBar("team-tabs")
        self._tabs.setProperty("look", "plain")
        head = PageHead("Team")
        head.add_left(self._tabs)
        self._people_buttons = (self._toggle, roles, password, new)
        head.add_right(*self._people_buttons)
        self._notice = ErrorBanner()
        self._notice.setObjectName("team-notice")
        self._table = FigureTable("people", "People", _COLUMNS)
        self._table.marked.connect(self._show_marked)
        self._policy = PolicyPanel(self._operations, self._commands, self._notice)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._people_panel())
        splitter.addWidget(self._policy)
        splitter.setStretchFactor(0, 1)
        splitter.setSizes([look.px(720), look.px(656)])
        self._stack = QStackedWidget()
        self._add_tab("People", splitter)
        self._batches = BatchesPanel(self._operations, self._commands, self._notice)
        self._workload = WorkloadPanel(self._operations, self._notice)
        self._feedback = FeedbackPanel(self._operations, self._notice)
        self._samples = SamplesPanel(self._operations, self._notice)
        self._samples.case_wanted.connect(self.case_wanted)
        self._add_tab("Batches", self._batches)
        self._add_tab("Workload", self._workload)
        self._add_tab("Feedback", self._feedback)
        self._add_tab("Samples", self._samples)
        self._tabs.currentChanged.connect(self._show_tab)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addWidget(self._notice)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self._table)

    def _people_panel(self) -> QWidget:
        header = PanelHeader("People")
        header.add_left(self._count)
        panel = QWidget()
        column = QVBoxLayout(panel)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        column.addWidget(self._table, 1)
        panel.setFocusProxy(self._table)
        return panel

    def _add_tab(self, title: str, panel: QWidget) -> None:
        self._tabs.addTab(title)
        self._stack.addWidget(panel)

    # tabs ----------------------------------------------------------------------------------------

    def _show_tab(self, tab: int) -> None:
        """Show a tab; what it shows is read then."""
        self._notice.hide()
        self._stack.setCurrentIndex(tab)
        for button in self._people_buttons:
            button.setVisible(tab == 0)
        self._refresh()
        shown = self._stack.currentWidget()
        if shown is not None:
            shown.setFocus()

    def _refresh(self) -> None:
        panel = self._stack.currentWidget()
        if isinstance(panel, BatchesPanel | WorkloadPanel | FeedbackPanel | SamplesPanel):
            panel.refresh()

    def _next_tab(self, by: int) -> None:
        self._tabs.setCurrentIndex((self._tabs.currentIndex() + by) % self._tabs.count())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._refresh()

    # people --------------------------------------------------------------------------------------

    def ask_person(self) -> None:
        """Ask whom to add."""
        dialog = PersonDialog([person.name for person in self._people], self)
        dialog.ordered.connect(self._add)
        open_dialog(dialog)

    def ask_roles(self) -> None:
        """Ask for the roles of the marked person."""
        person = self._marked()
        if person is not None:
            dialog = RolesDialog(person.name, person.roles, parent=self)
            dialog.ordered.connect(self._set_roles)
            open_dialog(dialog)

    def ask_password(self) -> None:
        """Ask for a new password of the marked person."""
        person = self._marked()
        if person is not None:
            dialog = PasswordDialog(person.name, self)
            dialog.ordered.connect(self._set_password)
            open_dialog(dialog)

    def toggle(self) -> None:
        """Disable the marked person, or enable them again."""
        person = self._marked()
        if person is not None:
            self._operations.run(
                partial(set_active, name=person.name, active=not person.is_active),
                failed=self._notice.show_error,
                origin=self,
            )

    def _add(self, person: NewPerson) -> None:
        work = partial(add_person, name=person.name, roles=person.roles, password=person.password)
        self._operations.run(work, failed=self._notice.show_error, origin=self)

    def _set_roles(self, name: str, roles: tuple[Role, ...]) -> None:
        work = partial(set_roles, name=name, roles=roles)
        self._operations.run(work, failed=self._notice.show_error, origin=self)

    def _set_password(self, name: str, password: str) -> None:
        words = f"{name} has a new password." if password else f"{name} needs no password any more."
        self._operations.run(
            partial(set_password, name=name, password=password or None),
            then=partial(self._say, words),
            failed=self._notice.show_error,
            origin=self,
        )

    def _show_people(self, project: OpenProject) -> None:
        self._people = project.people
        self._count.setText(counted(len(project.people), "person", "people"))
        self._table.show_rows([_row(person) for person in project.people])
        self._show_marked()

    def _marked(self) -> PersonRow | None:
        return next((person for person in self._people if person.name == self._table.marked_key), None)

    def _show_marked(self) -> None:
        person, me = self._marked(), self._me()
        is_manager = me is not None and me.has_role(Role.MANAGER)
        reason = "" if is_manager else _MANAGERS_ONLY
        self._commands.block("team.add", reason)
        self._commands.block("team.roles", reason)
        is_mine = me is not None and person is not None and me.id == person.id
        self._commands.block("team.password", "" if is_mine else reason)
        self._commands.block("team.activity", reason)
        self._toggle.setText("Enable" if person is not None and not person.is_active else "Disable")

    def _me(self) -> PersonRow | None:
        return self._operations.project.person if self._operations.project else None

    def _note_changes(self, changes: Changes) -> None:
        if (changes.case_ids or changes.has_new_cases or changes.has_people) and self.isVisible():
            self._refresh()

    def _say(self, words: str, _: object) -> None:
        self._notice.show_message(words, tone=Tone.OK)


def _row(person: PersonRow) -> Row:
    roles = ", ".join(ROLE[role].lower() for role in person.roles)
    state = Cell("active") if person.is_active else Cell("disabled", chip=Tone.NEUTRAL)
    password = Cell("set") if person.has_password else Cell("none", colour="muted")
    return Row(person.name, (Cell(person.name, is_strong=True), Cell(roles), password, state))
