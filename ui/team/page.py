"""The team page: people and policy, batches, workload, feedback, samples, attention; one tab each."""

from collections.abc import Callable
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QGuiApplication

from annotator.project.changes import Changes
from annotator.project.connection import is_local, write_invitation
from annotator.project.people import PersonRow, add_person, set_active, set_away, set_password, set_roles
from annotator.review.bulk_changes import BulkAction, BulkChange
from annotator.review.queue.assignments import held_by
from scoring.model.taxonomy import Role
from scoring.texts import tr, tr_count, with_commas
from ui.services.assignments import change_after_preview
from ui.services.calls import OpenProject
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.pages import FiguresPage
from ui.team.batch_dialogs import away_dialog
from ui.team.batches import BatchesPanel
from ui.team.lead_tasks import LeadTasks
from ui.team.person_dialogs import (
    NewPerson,
    disable_dialog,
    password_dialog,
    person_dialog,
    roles_dialog,
)
from ui.team.policy_panel import PolicyPanel
from ui.team.reports import AttentionPanel, FeedbackPanel, SamplesPanel
from ui.team.workload import WorkloadPanel
from ui.theme import ButtonKind, PanelHeader, TextLabel, Tone
from ui.theme.cells import Cell
from ui.theme.events import DueReading, follow_events
from ui.theme.layouts import FlowLayout, column, split, stacked, vbox
from ui.theme.look import scaled
from ui.theme.panels import PageHead, TabBar, focus_shown
from ui.theme.tables import Column, FigureTable
from ui.theme.words import ROLE

_COLUMNS: tuple[Column[PersonRow], ...] = (
    Column(tr("Name"), 150, lambda person: Cell(person.name, is_strong=True)),
    Column(tr("Roles"), cell=lambda person: with_commas(ROLE[role].lower() for role in person.roles)),
    Column(
        tr("Password"),
        84,
        lambda person: Cell(tr("set")) if person.has_password else Cell(tr("none"), colour="muted"),
    ),
    Column(
        tr("State"),
        190,
        lambda person: (
            Cell(tr("disabled"), chip=Tone.NEUTRAL)
            if not person.is_active
            else Cell(tr("away until {day}", day=person.away_until), chip=Tone.WARN)
            if person.away_until
            else Cell(tr("active"))
        ),
    ),
)
_READ_WHEN_SHOWN = (BatchesPanel, WorkloadPanel, FeedbackPanel, SamplesPanel, AttentionPanel)


class TeamPage(FiguresPage):
    """Who works here, how cases are reviewed, and how far the work is.

    Args:
        operations: The way to the project.
        commands: Takes the commands of the page.
        hourly_rate: Says what an hour of work costs; 0 where that is not known.
        properties: Of the widget, and what its signals call.
    """

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(
        self,
        operations: Operations,
        commands: Commands,
        *,
        hourly_rate: Callable[[], float] = lambda: 0,
        **properties: Any,
    ) -> None:
        super().__init__("team", operations, commands, **properties)
        self._hourly_rate = hourly_rate
        self._people: tuple[PersonRow, ...] = ()
        self._added = ""
        self._table = FigureTable("people", tr("People"), _COLUMNS, marked=self._show_marked)
        self._add_commands()
        self._build()
        follow_events(self, self._refresh, QEvent.Type.Show)
        self._tasks_due = DueReading(self, self._to_do.refresh)
        self._tasks_due.ask()
        operations.people_changed.connect(self._show_people)
        if operations.project is not None:
            self._show_people(operations.project)

    def unsaved_words(self) -> str:
        """What leaving now would lose."""
        return tr("The changed review policy is not saved.") if self._policy.changed() else ""

    def flush(self) -> None:
        """A policy is saved on purpose only."""

    def _add_commands(self) -> None:
        marked = self._table.with_marked
        self._commands.add_all(
            self,
            Command("team.add", tr("Add a person"), tr("Team"), self.ask_person, keys="A"),
            Command("team.roles", tr("Change roles"), tr("Team"), marked(self._ask_roles), keys="R"),
            Command("team.password", tr("Set a password"), tr("Team"), marked(self._ask_password), keys="P"),
            Command("team.invite", tr("Copy an invitation"), tr("Team"), marked(self._invite), keys="I"),
            Command(
                "team.away", tr("Say when the person is away"), tr("Team"), marked(self._ask_away), keys="W"
            ),
            Command(
                "team.share_out",
                tr("Share out the person's work"),
                tr("Team"),
                marked(self._read_held),
                keys="S",
            ),
            Command(
                "team.activity",
                tr("Disable or enable the person"),
                tr("Team"),
                marked(self._toggle_person),
                keys="D",
                waits=True,
            ),
            Command(
                "team.tab_next", tr("Next tab"), tr("Team"), lambda: self._tabs.step(1), keys="Ctrl+PgDown"
            ),
            Command(
                "team.tab_before",
                tr("Previous tab"),
                tr("Team"),
                lambda: self._tabs.step(-1),
                keys="Ctrl+PgUp",
            ),
        )

    def _build(self) -> None:
        self._count = TextLabel("", "small-muted", objectName="people-count")
        make = self._commands.button
        self._toggle = make("team.activity", tr("Disable"), name="team-activity", kind=ButtonKind.GHOST)
        self._add_button = make("team.add", tr("Add…"), name="team-add", kind=ButtonKind.PRIMARY)
        self._notice = ErrorBanner(objectName="team-notice")
        self._policy = PolicyPanel(self._operations, self._commands, self._notice)
        actions = FlowLayout(
            make("team.roles", tr("Roles…"), name="team-roles", kind=ButtonKind.GHOST),
            make("team.password", tr("Password…"), name="team-password", kind=ButtonKind.GHOST),
            make("team.invite", tr("Copy invitation"), name="team-invite", kind=ButtonKind.GHOST),
            make("team.away", tr("Away…"), name="team-away", kind=ButtonKind.GHOST),
            make("team.share_out", tr("Share out…"), name="team-share-out", kind=ButtonKind.GHOST),
            self._toggle,
            gap=4,
            line_gap=2,
            margins=(8, 4),
        )
        people = column(PanelHeader(tr("People"), self._count), actions, (self._table, 1), focus=self._table)
        scaled(people, setMinimumWidth=400)
        open_case = self.case_wanted.emit
        workload = WorkloadPanel(
            self._operations,
            self._commands,
            self._notice,
            hourly_rate=self._hourly_rate,
            case_wanted=open_case,
        )
        tabs = {
            tr("People"): split(Qt.Orientation.Horizontal, (people, 720), (self._policy, 656), grows=people),
            tr("Batches"): BatchesPanel(self._operations, self._commands, self._notice),
            tr("Workload"): workload,
            tr("Feedback"): FeedbackPanel(self._operations, self._notice),
            tr("Samples"): SamplesPanel(self._operations, self._notice, case_wanted=open_case),
            tr("Attention"): AttentionPanel(self._operations, self._notice),
        }
        self._stack = stacked(*tabs.values())
        self._tabs = TabBar("team-tabs", list(tabs), look="plain", currentChanged=self._show_tab)
        head = PageHead(tr("Team"), [self._tabs], [self._add_button])
        self._to_do = LeadTasks(
            self._operations, self._commands, self._notice, wanted=self._tabs.setCurrentIndex
        )
        vbox(head, self._notice, self._to_do, (self._stack, 1), within=self, focus=self._table)

    # tabs ----------------------------------------------------------------------------------------

    def _show_tab(self, tab: int) -> None:
        """Show a tab; what it shows is read then."""
        self._notice.hide()
        self._stack.setCurrentIndex(tab)
        self._add_button.setVisible(tab == 0)
        self._refresh()
        focus_shown(self._stack)

    def _refresh(self) -> None:
        panel = self._stack.currentWidget()
        if isinstance(panel, _READ_WHEN_SHOWN):
            panel.refresh()

    # people --------------------------------------------------------------------------------------

    def ask_person(self) -> None:
        """Ask whom to add."""
        person_dialog(self, [person.name for person in self._people]).ask(self._add)

    def _ask_roles(self, person: PersonRow) -> None:
        """Ask for the roles of a person."""
        roles_dialog(self, person.name, person.roles).ask(
            lambda roles: self._operations.run(
                partial(set_roles, name=person.name, roles=roles),
                failed=self._notice.show_error,
                origin=self,
            )
        )

    def _ask_password(self, person: PersonRow) -> None:
        """Ask for a new password of a person."""
        password_dialog(self, person.name).ask(partial(self._set_password, person.name))

    def _invite(self, person: PersonRow) -> None:
        """Copy what a person needs to join this project from their computer."""
        self._operations.run(
            partial(write_invitation, name=person.name),
            then=partial(self._copy_invitation, person.name),
            failed=self._notice.show_error,
        )

    def _copy_invitation(self, name: str, text: str) -> None:
        QGuiApplication.clipboard().setText(text)
        words = tr("The invitation for {name} is copied. Send it; there is no password in it.", name=name)
        project = self._operations.project
        is_here = project is not None and is_local(project.address)
        hint = tr("The server's address in it works on this computer only.") if is_here else ""
        self._notice.show_message(
            words, hint, tone=Tone.WARN if is_here else Tone.OK, page="how_to/join_a_team.md"
        )

    def _ask_away(self, person: PersonRow) -> None:
        """Ask until when a person is away."""
        leads = self._operations.has_role(Role.MANAGER)
        away_dialog(self, person).ask(
            lambda until: self._operations.run(
                partial(set_away, name=person.name, until=until),
                then=lambda _: self._read_held(person) if leads and until else None,
                failed=self._notice.show_error,
                origin=self,
            )
        )

    def _read_held(self, person: PersonRow) -> None:
        """Offer to share out what a person holds."""
        self._operations.run(
            partial(held_by, name=person.name),
            then=partial(self._share_out, person.name),
            failed=self._notice.show_error,
        )

    def _share_out(self, name: str, cases: tuple[str, ...]) -> None:
        if cases:
            change = BulkChange(action=BulkAction.SHARE_OUT, value=name)
            change_after_preview(self, self._operations, self._notice, which=cases, change=change)
        else:
            self._notice.show_message(tr("{name} holds no cases.", name=name), tone=Tone.ACCENT)

    def _toggle_person(self, person: PersonRow) -> None:
        """Enable a person, or ask whether to disable them."""
        if person.is_active:
            self._operations.run(
                partial(held_by, name=person.name),
                then=partial(self._ask_disable, person.name),
                failed=self._notice.show_error,
            )
        else:
            self._set_active(person.name, is_active=True)

    def _ask_disable(self, name: str, held: tuple[str, ...]) -> None:
        disable_dialog(self, name, held).ask(partial(self._set_active, name, is_active=False))

    def _set_active(self, name: str, _: object = None, *, is_active: bool) -> None:
        self._operations.run(
            partial(set_active, name=name, active=is_active), failed=self._notice.show_error, origin=self
        )

    def _add(self, person: NewPerson) -> None:
        self._added = person.name
        self._operations.run(
            partial(add_person, name=person.name, roles=person.roles, password=person.password),
            failed=self._notice.show_error,
            origin=self,
        )

    def _set_password(self, name: str, password: str) -> None:
        words = (
            tr("{name} has a new password.", name=name)
            if password
            else tr("{name} no longer needs a password.", name=name)
        )
        self._operations.run(
            partial(set_password, name=name, password=password or None),
            then=partial(self._notice.tell, lambda _: words),
            failed=self._notice.show_error,
            origin=self,
        )

    def _show_people(self, project: OpenProject) -> None:
        self._people = project.people
        self._count.setText(tr_count(len(project.people), "person", "people"))
        self._table.show_items(project.people, key=attrgetter("name"))
        if any(person.name == self._added for person in project.people):
            self._table.mark(self._added)  # next comes their invitation
            self._added = ""
        self._show_marked()

    def _show_marked(self) -> None:
        person: PersonRow | None = self._table.marked_item
        me = self._operations.person
        is_manager = self._operations.has_role(Role.MANAGER)
        reason = "" if is_manager else tr("Only managers change people and policy.")
        self._commands.block_all(reason, "team.add", "team.roles", "team.share_out", "team.activity")
        is_mine = me is not None and person is not None and me.id == person.id
        for name in ("team.password", "team.away"):
            self._commands.block(name, "" if is_mine else reason)
        self._commands.block("team.invite", self._why_not_invite(person))
        self._toggle.setText(tr("Enable") if person is not None and not person.is_active else tr("Disable"))

    def _why_not_invite(self, person: PersonRow | None) -> str:
        project = self._operations.project
        if project is None or not project.is_shared:
            return tr("This project is a file on this computer; only a team project has invitations.")
        return "" if person is not None and person.is_active else tr("Select an active person.")

    def _is_counting(self) -> bool:
        panel = self._stack.currentWidget()
        return self._to_do.is_reading or (isinstance(panel, _READ_WHEN_SHOWN) and panel.is_reading)

    def _count_changes(self, changes: Changes) -> None:
        has_work = changes.case_ids or changes.has_new_cases or changes.has_people
        if has_work or changes.has_policy:
            self._tasks_due.ask()
        if has_work and self.isVisible():
            self._refresh()
