"""An open project and the person who works in it: every change is one transaction, one event, one report."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import wraps
from typing import Concatenate, Generic, ParamSpec

from annotator.project.changes import Changes
from annotator.project.passwords import Given, check_password
from annotator.project.policy import ReviewPolicy, stored_policy
from db import events
from db.engine import open_engine, reading, transact
from db.project_files.location import locate
from db.read import people
from db.read.rows import PersonRow
from db.tables import Transaction
from scoring.errors import ForbiddenError, NotFoundError
from scoring.generics import T
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Role

P = ParamSpec("P")

SYSTEM = "system"
"""Actor of events that follow from somebody's action by rule."""

_WORDS = {
    frozenset((Role.ANNOTATOR,)): "an annotator",
    frozenset((Role.EXPERT,)): "an expert",
    frozenset((Role.MANAGER,)): "a manager",
    frozenset((Role.ANNOTATOR, Role.EXPERT)): "an annotator or an expert",
    frozenset((Role.ANNOTATOR, Role.MANAGER)): "an annotator or a manager",
    frozenset((Role.EXPERT, Role.MANAGER)): "an expert or a manager",
}
"""What a person has to be who holds one of some roles."""


def utc_now() -> datetime:
    """The present instant in UTC."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Done(Generic[T]):
    """What an operation returned, and what it changed."""

    value: T
    changes: Changes


@dataclass
class Work:
    """What an operation works with inside its transaction."""

    tx: Transaction
    person: PersonRow
    policy: ReviewPolicy
    at: datetime
    changes: Changes = field(default_factory=Changes)
    event_subject: str | None = None
    event_payload: JsonObject = field(default_factory=dict)
    consequences: list[tuple[str, str, JsonObject]] = field(default_factory=list)

    def record(self, subject: str, payload: JsonObject, changes: Changes | None = None) -> None:
        """Say what the operation's one event is about and what changed; without it no event is written."""
        self.event_subject = subject
        self.event_payload = payload
        self.changes |= changes or Changes()

    def record_case(self, case_id: str, payload: JsonObject) -> None:
        """Say that the operation's one event is about a case, which changed by it."""
        self.record(f"case:{case_id}", payload)
        self.touch(case_id)

    def follow(self, action: str, subject: str, payload: JsonObject) -> None:
        """Add an event that follows from the operation by rule; its actor is the system."""
        self.consequences.append((action, subject, payload))

    def touch(self, *case_ids: str) -> None:
        """Report cases as changed."""
        self.changes = replace(self.changes, case_ids=self.changes.case_ids | set(case_ids))

    def change(self, changes: Changes) -> None:
        """Report other kinds of change beside the touched cases."""
        self.changes |= changes


class Workspace:
    """An open project, used by one thread at a time; close it when done.

    Args:
        project: Path or URL of the project.
        person: Who works; None where nobody in particular does (`import` of a script, lists).
        clock: Gives the present instant, for tests; None takes the store's clock, which on a server is
            one for everybody, so that a lease does not depend on whose computer's clock is wrong.
    """

    def __init__(
        self, project: str, *, person: PersonRow | None, clock: Callable[[], datetime] | None = None
    ) -> None:
        self._engine = open_engine(project)
        self._clock = clock
        self.somebody = person
        """Who works here; None where nobody was named."""
        self.project = project
        self.next_language = ""
        """The only language in which new cases are taken with `claim_next`, e.g. `zh`; empty for any."""
        self.own_events: set[int] = set()
        """Numbers of the events this workspace wrote since `annotator.project.feed` was asked for news."""

    @property
    def shown_place(self) -> str:
        """The project's place as it may be shown: without a password."""
        return locate(self.project).name

    @property
    def address(self) -> str:
        """What finds the project again and may be kept in a file: without a password."""
        return locate(self.project).address

    @property
    def is_shared(self) -> bool:
        """Whether the project lies on a server that a team shares."""
        return locate(self.project).path is None

    @property
    def person(self) -> PersonRow:
        """Who works here.

        Raises:
            ForbiddenError: Nobody was named.
        """
        if self.somebody is None:
            raise ForbiddenError(
                "This needs to know who you are.", "Name the person with --as NAME or $ANNOTATOR_USER."
            )
        return self.somebody

    def as_person(self, name: str, *, password: Given = None) -> "Workspace":
        """The same project in somebody else's name, on its own connection.

        Raises:
            NotFoundError, ForbiddenError: See `identify`.
        """
        return open_workspace(self.project, name, password=password, clock=self._clock)

    def close(self) -> None:
        """Give the connection back."""
        self._engine.dispose()

    def now(self) -> datetime:
        """The present instant by this workspace's clock."""
        return self.read(self.instant)

    def instant(self, tx: Transaction) -> datetime:
        """The present instant, inside a look."""
        return self._clock() if self._clock else people.present(tx)

    def read(self, query: Callable[[Transaction], T]) -> T:
        """Look: every query inside sees the same moment."""
        with reading(self._engine) as tx:
            return query(tx)

    def policy(self) -> ReviewPolicy:
        """The project's review policy."""
        return self.read(policy_of)

    def name(self) -> str:
        """The project's name."""
        return self.read(lambda tx: people.project_row(tx)[0])

    def run(
        self,
        action: str,
        work: Callable[[Work], T],
        *,
        roles: tuple[Role, ...] = (),
        is_alone: bool = False,
    ) -> Done[T]:
        """Do one thing: one transaction that checks the role, writes, appends one event and commits.

        Args:
            action: Tag of the event, `subject:object:action` style.
            work: What is done; calls `Work.record` to say what the event is about. It is called once more,
                with nothing left of the first time, where the database could not do it just then.
            roles: The person must hold one of these; empty for anybody who is active.
            is_alone: Whether no other operation may run meanwhile, as when the policy changes.

        Raises:
            ForbiddenError: The person is disabled or holds none of the roles.
        """

        written: list[int] = []

        def operate(tx: Transaction) -> Done[T]:
            written.clear()  # it may be done once more
            person = people.find_person(tx, self.person.name)
            if person is None or not person.is_active:
                raise ForbiddenError(
                    f"{self.person.name} is not active in this project.",
                    "Ask a manager to enable the person; drafts are kept.",
                )
            if roles and not any(person.has_role(role) for role in roles):
                needed = _WORDS[frozenset(roles)]
                raise ForbiddenError(
                    f"{person.name} is not {needed} in this project.",
                    f"This takes {needed}.",
                )
            # Held until the end, so that nobody decides by a policy that is being changed.
            _, text, _ = people.project_row(tx, lock="alone" if is_alone else "shared")
            context = Work(tx=tx, person=person, policy=stored_policy(text), at=self.instant(tx))
            value = work(context)
            if context.event_subject is not None:
                event = events.append(
                    tx,
                    actor=person.name,
                    action=action,
                    subject=context.event_subject,
                    payload=context.event_payload,
                    at=context.at,
                )
                written.append(event.seq)
            for followed, subject, payload in context.consequences:
                event = events.append(
                    tx, actor=SYSTEM, action=followed, subject=subject, payload=payload, at=context.at
                )
                written.append(event.seq)
            return Done(value, context.changes)

        done = transact(self._engine, operate)
        self.own_events.update(written)
        return done


def operation(
    action: str, *, roles: tuple[Role, ...] = (), is_alone: bool = False
) -> Callable[[Callable[Concatenate[Work, P], T]], Callable[Concatenate[Workspace, P], Done[T]]]:
    """Make a function of `Work` an operation: it is called with a workspace instead, and returns `Done`.

    The arguments are those of `Workspace.run`.
    """

    def decorate(work: Callable[Concatenate[Work, P], T]) -> Callable[Concatenate[Workspace, P], Done[T]]:
        @wraps(work)
        def operate(workspace: Workspace, /, *args: P.args, **options: P.kwargs) -> Done[T]:
            return workspace.run(action, lambda w: work(w, *args, **options), roles=roles, is_alone=is_alone)

        return operate

    return decorate


def query(
    look: Callable[Concatenate[Workspace, Transaction, P], T],
) -> Callable[Concatenate[Workspace, P], T]:
    """Make a function of a workspace and a transaction one of the workspace alone, which reads in its own."""

    @wraps(look)
    def asked(workspace: Workspace, /, *args: P.args, **options: P.kwargs) -> T:
        return workspace.read(lambda tx: look(workspace, tx, *args, **options))

    return asked


def policy_of(tx: Transaction) -> ReviewPolicy:
    """Read the review policy inside a transaction."""
    return stored_policy(people.project_row(tx)[1])


def open_workspace(
    project: str,
    person: str | None = None,
    *,
    password: Given = None,
    clock: Callable[[], datetime] | None = None,
) -> Workspace:
    """Open a project in somebody's name.

    Args:
        project: Path or URL.
        person: Name; None takes the only active person of a one-person project, else nobody.
        password: Asked only of people who have one; it may be what finds it.
        clock: Gives the present instant; None for the store's.

    Raises:
        StoreError: The project cannot be opened; the hint says what to do.
        NotFoundError: Nobody has this name.
        ForbiddenError: The person is disabled, or the password is missing or wrong.
    """
    nobody = Workspace(project, person=None, clock=clock)
    try:
        found = nobody.read(lambda tx: _identify(tx, person, password=password))
    except BaseException:
        nobody.close()
        raise
    nobody.somebody = found
    return nobody


def _identify(tx: Transaction, name: str | None, *, password: Given) -> PersonRow | None:
    everybody = people.list_people(tx)
    if name is None:
        active = [person for person in everybody if person.is_active]
        return active[0] if len(active) == 1 and not active[0].has_password else None
    named = next((person for person in everybody if person.name == name), None)
    if named is None:
        known = ", ".join(person.name for person in everybody if person.is_active)
        raise NotFoundError(f"Nobody is called '{name}' in this project.", f"People: {known}.")
    if not named.is_active:
        raise ForbiddenError(f"{name} is disabled in this project.", "Ask a manager to enable the person.")
    check_password(people.password_hash(tx, named.id), password, name=name)
    return named
