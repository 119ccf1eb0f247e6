"""One person's own settings on one computer: kept in a small file, never in a project."""

import json
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError

from annotator.fields import VARIABLE
from annotator.files import replace_text
from scoring.errors import StoreError, install_hint, reworded
from scoring.model.record import JsonObject, Record

RECENT_COUNT = 10
"""How many projects are remembered."""

Migrator = Callable[[JsonObject], JsonObject]


def _name_shortcuts(body: JsonObject) -> JsonObject:
    """Version 2: shortcuts belong to a profile with a name."""
    chosen = body.pop("shortcuts", {})
    return {**body, "profile": "My keys", "profiles": {"My keys": chosen}} if chosen else body


MIGRATORS: tuple[Migrator, ...] = (_name_shortcuts,)
"""Item i brings a file of version i + 1 to version i + 2."""


class ColourScheme(StrEnum):
    """Colours of the window; `system` follows the desktop."""

    LIGHT = "light"
    DARK = "dark"
    SYSTEM = "system"


class Density(StrEnum):
    """How close things stand."""

    COMFORTABLE = "comfortable"
    COMPACT = "compact"


class AssistSettings(Record):
    """The endpoint a person asks for proposals; off until an address and a model are named.

    `key_variable` names the environment variable that holds the key; empty for the keyring or none.
    `agreed_host` is the host to which this person agreed to send dialogues.
    """

    base_url: str = Field(default="", title="Address", examples=["http://localhost:11434/v1"])
    model: str = Field(default="", title="Model", examples=["The name the endpoint knows it by"])
    key_variable: Annotated[str, VARIABLE] = Field(
        default="", title="Variable with the key", examples=["Empty: the keyring, or none"]
    )
    agreed_host: str = ""

    @property
    def is_on(self) -> bool:
        """Whether there is an endpoint to ask."""
        return bool(self.base_url and self.model)


class Settings(Record):
    """What a person chose, and where they left off.

    `scale` multiplies every size (1 to 2). Projects are paths, or URLs without passwords, the newest
    first. `splitters` holds the sizes in pixels by the splitter's name, `profiles` the key sequences by
    the command's name for each of the person's own shortcut profiles, `profile` which of them is on
    (empty for the default keys), `people` who worked last in a project. `window` is where the window
    stood, in the toolkit's own writing; `views` are the person's own filters of the queue, by name.
    `hourly_rate` is what an hour of work costs, in any currency; 0 for not known.
    `language` is that of the window, e.g. `zh_CN`, empty for the computer's; `guidelines_language` the one
    that terms are explained in, empty for the window's.
    `teval_results` holds the folders of T-Eval scores that are shown, by project, `last_cases` the case
    that was open last, by project and person, `next_languages` the language of the cases they take next,
    empty for any. `run_columns` are the columns of the leaderboard of runs,
    empty for the usual ones. `tour_stop` is where the tour of one case was left, from 0; `declined` are
    the people who are not new here.
    """

    theme: ColourScheme = Field(default=ColourScheme.SYSTEM, title="Colour scheme")
    scale: float = Field(default=1.0, ge=1.0, le=2.0, title="Text size")
    density: Density = Field(default=Density.COMFORTABLE, title="Rows")
    recent_projects: tuple[str, ...] = ()
    last_project: str | None = None
    splitters: dict[str, tuple[int, ...]] = Field(default_factory=dict)
    profile: str = ""
    profiles: dict[str, dict[str, str]] = Field(default_factory=dict)
    people: dict[str, str] = Field(default_factory=dict)
    window: str = ""
    views: dict[str, JsonObject] = Field(default_factory=dict)
    assist: AssistSettings = Field(default_factory=AssistSettings)
    hourly_rate: int = Field(
        default=0,
        ge=0,
        title="An hour of work costs",
        description="In any currency, for what a final case costs; 0 leaves it out.",
    )
    language: str = Field(default="", title="Language")
    guidelines_language: str = Field(default="", title="Language of the guidelines")
    teval_results: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    last_cases: dict[str, str] = Field(default_factory=dict)
    next_languages: dict[str, str] = Field(default_factory=dict)
    run_columns: tuple[str, ...] = ()
    tour_stop: int = Field(default=0, ge=0)
    declined: tuple[str, ...] = ()


class LoadedSettings(Record):
    """Settings as read, and what to tell the person about it; empty where all is well."""

    settings: Settings
    message: str = ""


def load_settings(path: Path, *, migrators: Sequence[Migrator] = MIGRATORS) -> LoadedSettings:
    """Read the settings; a file that cannot be read is set aside and the defaults are used.

    Args:
        path: The settings file; where there is none the defaults are used.
        migrators: Brings files of earlier versions up to date.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return LoadedSettings(settings=Settings())
    except (OSError, UnicodeDecodeError):
        return _set_aside(path, "could not be read")
    try:
        body = json.loads(text)
        version = body.pop("version")
        if version > len(migrators) + 1:
            return _set_aside(path, "were written by a newer version of Annotator")
        if version < 1:
            return _set_aside(path, "are damaged")
        for migrate in migrators[version - 1 :]:
            body = migrate(body)
        return LoadedSettings(settings=Settings.model_validate(body))
    except (ValueError, ValidationError, KeyError, TypeError, AttributeError, RecursionError):
        return _set_aside(path, "are damaged")


def save_settings(settings: Settings, path: Path, *, version: int = len(MIGRATORS) + 1) -> None:
    """Write the settings; the file is whole at every moment.

    Raises:
        StoreError: The folder cannot be written.
    """
    body = {"version": version, **settings.model_dump(mode="json")}
    with reworded(
        StoreError, into=lambda exc: StoreError(f"Your settings cannot be saved: {exc.message}", exc.hint)
    ):
        replace_text(path, json.dumps(body, indent=2))


def keyring_password(service: str, name: str) -> str | None:
    """What the operating system's keyring keeps, None where it has nothing, or there is no keyring."""
    try:
        import keyring  # late: few people need it, and everything else starts sooner without
        from keyring.errors import KeyringError
    except ImportError:  # the extra is not installed
        return None
    try:
        return keyring.get_password(service, name)
    except KeyringError:
        return None


def keep_in_keyring(service: str, name: str, secret: str) -> None:
    """Have the operating system's keyring keep a secret.

    Raises:
        StoreError: There is no keyring, or it is locked; the secret is kept nowhere.
    """
    with reworded(
        ImportError,
        into=lambda _: StoreError("There is no keyring: an extra is not installed.", install_hint("keyring")),
    ):
        import keyring
        from keyring.errors import KeyringError
    try:
        keyring.set_password(service, name, secret)
        is_kept = keyring.get_password(service, name) == secret
    except KeyringError:
        is_kept = False
    if not is_kept:
        raise StoreError("This computer has no keyring that is open.", "Unlock it, or install one.")


def with_project(settings: Settings, project: str, *, person: str | None = None) -> Settings:
    """Note that a project was opened: it becomes the last one and the newest of the recent ones.

    Args:
        settings: The settings so far.
        project: Path or URL as typed; a password in it is not kept.
        person: In whose name it was opened; None leaves what was noted before.
    """
    from db.project_files.location import (
        locate,  # SQLAlchemy takes longer to import than a window to be painted
    )

    address = locate(project).address
    others = tuple(recent for recent in settings.recent_projects if recent != address)
    return settings.model_copy(
        update={
            "recent_projects": (address, *others)[:RECENT_COUNT],
            "last_project": address,
            "people": settings.people | ({address: person} if person else {}),
        }
    )


def without_project(settings: Settings, project: str) -> Settings:
    """Forget a project, as when its file is gone."""
    return settings.model_copy(
        update={
            "recent_projects": tuple(recent for recent in settings.recent_projects if recent != project),
            "last_project": None if settings.last_project == project else settings.last_project,
            "people": {place: name for place, name in settings.people.items() if place != project},
        }
    )


def _set_aside(path: Path, what: str) -> LoadedSettings:
    kept = path.with_name(f"{path.stem}.set-aside-{secrets.token_hex(4)}{path.suffix}")
    message = f"Your settings {what}; the defaults are used."
    with suppress(OSError):
        path.rename(kept)
        message = f"Your settings {what} and were set aside as {kept.name}; the defaults are used."
    return LoadedSettings(settings=Settings(), message=message)
