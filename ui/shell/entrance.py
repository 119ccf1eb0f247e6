"""Going in and out of projects: from none to one open in somebody's name, and leaving without loss."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import platformdirs
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from annotator.jobs import JobContext
from annotator.settings import with_project, without_project
from scoring.errors import (
    AnnotatorError,
    ForbiddenError,
    NotFoundError,
    OlderProjectError,
    ServerAccessError,
)
from scoring.texts import in_language, tr
from scoring.wording import without_passwords
from ui.services.calls import (
    OpenProject,
    create_project,
    foresee_upgrade,
    keep_password,
    prepare_sample,
    upgrade_project,
)
from ui.services.jobs import JobState
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.offers import UpgradeOffer
from ui.shell.welcome import SignIn, WelcomePage, recent_of
from ui.theme import Button, ButtonKind
from ui.theme.dialogs import FramedDialog
from ui.theme.layouts import build, connect

if TYPE_CHECKING:
    from annotator.project.upgrade import UpgradePlan
    from ui.shell.connect_dialog import Joining


@dataclass(frozen=True)
class _Wanted:
    """A project somebody wants to open, and in whose name."""

    project: str = field(repr=False)
    person: str | None
    password: str | None = field(repr=False)
    kept: Callable[[], object] | None = field(default=None, repr=False)


class Entrance(QObject):
    """Opens, creates, upgrades and signs in; owns the pages people see meanwhile.

    Args:
        operations: What opens projects.
        preferences: Where recent projects and their last people are kept.
        sample_folder: Where the sample project is made.
    """

    entered = Signal(object)
    """The `OpenProject`, its person known."""
    page_wanted = Signal(object)
    """The page to show meanwhile."""
    team_wanted = Signal(object)
    """A `Joining`: a team project to leave the open one for."""
    failed = Signal(object)
    """An `AnnotatorError`."""

    told = Signal(object)
    """A `ProgressReport` of an upgrade."""

    def __init__(
        self,
        operations: Operations,
        preferences: Preferences,
        *,
        sample_folder: Path | None = None,
        parent: QObject | None = None,
        **properties: Any,
    ) -> None:
        build(super().__init__, parent, **properties)
        self._operations = operations
        self._preferences = preferences
        self._sample_folder = sample_folder or platformdirs.user_data_path("annotator", appauthor=False)
        self.welcome = WelcomePage(
            open_asked=self.open,
            create_asked=self.create,
            sample_asked=self.open_sample,
            team_asked=self.ask_team,
            forget_asked=self._forget,
        )
        self.sign_in = SignIn(chosen=self._sign_in, left=self.show_welcome)
        self.upgrade_offer = UpgradeOffer(wanted=self.upgrade, left=self.show_welcome)
        self._older: _Wanted | None = None
        connect(
            (self.told, self.upgrade_offer.show_progress),
            (operations.crashed, self._note_crash),
        )
        self._show_recent()

    def pages(self) -> tuple[QWidget, ...]:
        """The pages this owns, for the window to hold."""
        return self.welcome, self.sign_in, self.upgrade_offer

    def show_welcome(self) -> None:
        """Offer projects."""
        self._show_recent()
        self.welcome.show_busy("")
        self.page_wanted.emit(self.welcome)

    def open(
        self,
        project: str,
        person: str | None = None,
        *,
        password: str | None = None,
        kept: Callable[[], object] | None = None,
    ) -> None:
        """Open a project in somebody's name: the given one, who worked there last, or the only one.

        Whoever cannot be let in like that is asked who they are. An older project is offered to be upgraded.

        Args:
            project: Path or URL.
            person: Who works; None for who worked there last.
            password: The person's, where they have one.
            kept: Called once the server let the project's user in.
        """
        name = person or self._preferences.settings.people.get(without_passwords(project))
        self._wait(tr("Opening {without_passwords} …", without_passwords=without_passwords(project)))
        refused = partial(self._refused, _Wanted(project, name, password, kept))
        self._operations.open(
            project, name, password=password, then=partial(self._opened, kept=kept), failed=refused
        )

    def upgrade(self) -> None:
        """Upgrade the older project that was to be opened, as `annotator migrate` does, and open it."""
        older = self._older
        if older is None:
            return
        self.upgrade_offer.show_progress(None)
        work = partial(upgrade_project, older.project, context=JobContext(self.told.emit))
        self._operations.run_outside(
            work,
            then=lambda _: self.open(older.project, older.person, password=older.password, kept=older.kept),
            failed=self._refuse_upgrade,
        )

    def create(self, project: str) -> None:
        """Create a project with the person of this computer in every role."""
        self._wait(tr("Creating {without_passwords} …", without_passwords=without_passwords(project)))
        self._operations.open_made(partial(create_project, project), then=self._opened, failed=self._fail)

    def ask_team(self) -> None:
        """Ask for a team project: its server, or an invitation."""
        self._show_form(None)

    def join(self, joining: "Joining") -> None:
        """Open the team project that the form found, or create it in the empty database."""
        kept = (
            partial(
                self._operations.run_outside, partial(keep_password, joining.url), failed=self.failed.emit
            )
            if joining.keeps_password
            else None
        )
        if joining.is_new:
            self._wait(tr("Creating {without_passwords} …", without_passwords=without_passwords(joining.url)))
            make = partial(create_project, joining.url, joining.person)
            self._operations.open_made(make, then=partial(self._opened, kept=kept), failed=self._fail)
        else:
            self.open(joining.url, joining.person, kept=kept)

    def _show_form(self, wanted: "_Wanted | None", problem: AnnotatorError | None = None) -> None:
        from ui.shell.connect_dialog import ConnectDialog  # late: it brings the store with it

        url, person = (wanted.project, wanted.person or "") if wanted else (None, "")
        ConnectDialog(
            self._operations,
            self.welcome.window(),
            url=url,
            person=person,
            problem=problem,
            joined=self.team_wanted.emit,
        ).ask()

    def open_sample(self) -> None:
        """Open the sample project; it is made first where there is none yet."""
        place = self._sample_folder / "samples.db"
        self.show_welcome()
        job = self._operations.start_outside(
            partial(prepare_sample, place),
            tr("Preparing the sample project"),
            then=partial(self._open_sample, str(place)),
            failed=self._fail,
        )
        job.ended.connect(self._end_sample)
        self.welcome.show_job(job)

    def _open_sample(self, place: str, person: str) -> None:
        self.open(place, self._preferences.settings.people.get(place) or person)

    def _end_sample(self, state: JobState) -> None:
        if state in (JobState.CANCELLED, JobState.FAILED):
            self.welcome.show_busy("")

    def _wait(self, words: str) -> None:
        self.welcome.show_busy(words)
        self.page_wanted.emit(self.welcome)

    def _opened(self, project: OpenProject, *, kept: Callable[[], object] | None = None) -> None:
        self.welcome.forget_typed()
        if kept is not None:
            kept()
        if project.person is None:
            self.ask_person(project)
            return
        settings = self._preferences.settings
        self._preferences.replace(with_project(settings, project.address, person=project.person.name))
        self.entered.emit(project)

    def _refused(self, wanted: _Wanted, error: AnnotatorError) -> None:
        match error:
            case OlderProjectError():
                offered = partial(self._offer_upgrade, wanted)
                self._operations.run_outside(
                    partial(foresee_upgrade, wanted.project), then=offered, failed=self._fail
                )
            case ForbiddenError() | NotFoundError() if wanted.person is not None:
                self._operations.open(
                    wanted.project,
                    then=partial(self._ask_again, wanted, in_language(str(error))),
                    failed=self._fail,
                )
            case ServerAccessError():
                self.show_welcome()
                self._show_form(wanted, error)
            case _:
                self._fail(error)

    def _offer_upgrade(self, wanted: _Wanted, plan: "UpgradePlan") -> None:
        self._older = wanted
        self.welcome.show_busy("")
        self.page_wanted.emit(self.upgrade_offer)
        self.upgrade_offer.show_plan(plan)

    def _note_crash(self, _: object) -> None:
        if self.upgrade_offer.is_busy:
            self.upgrade_offer.show_problem(
                tr(
                    "The upgrade failed; the project is unchanged. Send the report, and continue working "
                    "with the older version of the program."
                )
            )

    def _refuse_upgrade(self, error: AnnotatorError) -> None:
        self.upgrade_offer.show_problem(in_language(str(error)), message=error.message)

    def _ask_again(self, wanted: _Wanted, problem: str, project: OpenProject) -> None:
        if wanted.kept is not None:
            wanted.kept()
        self.ask_person(project, wanted=wanted.person or "", problem=problem)

    def ask_person(self, project: OpenProject, *, wanted: str = "", problem: str = "") -> None:
        """Ask who works in the open project from now on; `wanted` is marked, `problem` says why again."""
        from annotator.project.people import login_name

        self.welcome.show_busy("")
        self.page_wanted.emit(self.sign_in)
        self.sign_in.show_people(project, wanted=wanted or login_name(), problem=problem)

    def _sign_in(self, name: str, password: str) -> None:
        project = self._operations.project
        assert project is not None
        self._operations.open(
            project.project,
            name,
            password=password or None,
            then=self._opened,
            failed=lambda error: self.ask_person(project, wanted=name, problem=in_language(str(error))),
        )

    def _fail(self, error: AnnotatorError) -> None:
        self.show_welcome()
        self.failed.emit(error)

    def _forget(self, project: str) -> None:
        self._preferences.replace(without_project(self._preferences.settings, project))
        self._show_recent()

    def _show_recent(self) -> None:
        self.welcome.show_recent(recent_of(self._preferences.settings.recent_projects))


def leave_dialog(parent: QWidget, reasons: Sequence[str]) -> QDialog:
    """Say what leaving now would stop or lose, one sentence each; accepted where people leave anyway."""
    dialog = FramedDialog(
        "leave-dialog", tr("Leave?"), tr("Not everything is finished"), width=440, parent=parent
    )
    go = Button(tr("Leave anyway"), ButtonKind.DANGER, objectName="leave-go", clicked=dialog.accept)
    for reason in reasons:
        dialog.frame.explain(reason, "body")
    dialog.frame.close_with(tr("Stay"), "leave-stay", go, slot=dialog.reject).setFocus()
    return dialog


@runtime_checkable
class KeepsWork(Protocol):
    """A page that holds work in progress."""

    def flush(self) -> None:
        """Hand everything unsaved to the operations now."""

    def unsaved_words(self) -> str:
        """What leaving now would lose, in one sentence; empty where nothing is at risk."""


class ExitGuard(QObject):
    """Brings a project to a point where it can be left.

    Args:
        operations: Whose answers are waited for.
        window: Parent of the question.
        pages: The pages there are now.
    """

    waiting = Signal()
    """Saving; the answer is awaited."""

    def __init__(
        self,
        operations: Operations,
        window: QWidget,
        *,
        pages: Callable[[], Sequence[QWidget]],
        **properties: Any,
    ) -> None:
        build(super().__init__, window, **properties)
        self._operations = operations
        self._window = window
        self._pages = pages
        self._then: Callable[[], None] | None = None
        self._dialog: QDialog | None = None

    def ask(self, then: Callable[[], None]) -> None:
        """Save everything; call `then` once it is saved, or once people say to leave anyway.

        Asked again while the project has not answered, it stops waiting and asks.
        """
        is_waiting = self._then is not None
        self._then = then
        if self._dialog is not None:
            return
        if is_waiting:
            self._weigh([tr("The project has not answered yet; your last changes may not be saved.")])
            return
        for page in self._pages():
            if isinstance(page, KeepsWork):
                page.flush()
        if self._operations.project is None:
            self._go()
            return
        self.waiting.emit()
        self._operations.run(_nothing, then=self._answered, failed=self._answered)

    def _answered(self, _: AnnotatorError | None) -> None:
        if self._then is not None and self._dialog is None:
            self._weigh([])

    def _weigh(self, reasons: list[str]) -> None:
        kept = [page.unsaved_words() for page in self._pages() if isinstance(page, KeepsWork)]
        reasons += filter(None, kept)
        reasons += [
            tr("“{title}” is still running. Leaving stops it; finished work is kept.", title=job.title)
            for job in self._operations.jobs
        ]
        if not reasons:
            self._go()
            return
        self._dialog = leave_dialog(self._window, reasons)
        self._dialog.finished.connect(self._decided)
        self._dialog.open()

    def _decided(self, result: int) -> None:
        assert self._dialog is not None
        self._dialog.deleteLater()
        self._dialog = None
        if result == QDialog.DialogCode.Accepted:
            self._go()
        else:
            self._then = None

    def _go(self) -> None:
        then, self._then = self._then, None
        if then is not None:
            then()


def _nothing(_: object) -> None:
    """Comes back when everything before it has been answered."""
