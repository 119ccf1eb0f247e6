"""Passwords: of people, hashed with argon2, and of database servers, in the keyring; never in the clear."""

import os
from collections.abc import Callable

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from annotator.settings import keep_in_keyring, keyring_password
from db.project_files.location import locate
from db.project_files.server import ServerPlace, read_place
from scoring.errors import ForbiddenError, InputError, StoreError, reworded

_SERVER = "annotator-server"


Given = str | Callable[[], str | None] | None
"""What a person gives as their password, or what finds it: nobody is asked who has none."""


def check_password(stored: str | None, given: Given, *, name: str) -> None:
    """Let a person in who has no password, or knows it.

    Raises:
        ForbiddenError: The password is missing or wrong.
    """
    if stored is None:
        return
    said = given() if callable(given) else given
    if not said:
        raise ForbiddenError(f"{name} has a password.", "Give it in $ANNOTATOR_PASSWORD or in the keyring.")
    with reworded(
        VerificationError,
        UnicodeEncodeError,
        into=lambda _: ForbiddenError(f"The password for {name} is wrong.", "Try again."),
    ):
        PasswordHasher().verify(stored, said)


def hashed(password: str | None) -> str | None:
    """Hash a password with argon2; None stays None."""
    if password is None:
        return None
    if not password:
        raise InputError("A password cannot be empty.", "Type one, or remove the password.")
    with reworded(
        UnicodeEncodeError,
        into=lambda _: InputError("The password has characters that cannot be typed.", "Choose others."),
    ):
        return PasswordHasher().hash(password)


def person_password(project: str, name: str) -> str | None:
    """A person's password from the operating system's keyring, None where there is none or no keyring."""
    return keyring_password(f"annotator:{locate(project).name}", name)


def with_kept_password(project: str) -> str:
    """A project with the password of its server from the keyring, where neither it nor PGPASSWORD has one.

    A path, and an address the keyring knows nothing of, stay as they are: libpq looks into ~/.pgpass by
    itself. What is returned is never shown or written.
    """
    location = locate(project)
    if location.path is not None or "PGPASSWORD" in os.environ:
        return project
    place, password = read_place(project)
    kept = None if password else keyring_password(_SERVER, location.name)
    return place.url(kept) if kept else project


def keep_server_password(project: str) -> None:
    """Keep the password in a project's address in the keyring, so that the address does without it.

    Raises:
        StoreError: There is no keyring; the hint says where else the password can be put.
    """
    place, password = read_place(project)
    with reworded(
        StoreError,
        into=lambda exc: StoreError(
            f"The database password was not kept. {exc.message}",
            f"Put the line {pgpass_line(place)} into ~/.pgpass, or it is asked for again.",
        ),
    ):
        keep_in_keyring(_SERVER, locate(project).name, password)


def visible_password_warning(project: str) -> str:
    """What to tell whoever typed a password in the address of a command; empty where there is none."""
    try:
        place, password = read_place(project)
    except (StoreError, InputError):
        return ""
    if not password:
        return ""
    return (
        "The password in the address can be read in the list of processes and in the history of the shell. "
        f"Leave it out: put the line {pgpass_line(place)} into ~/.pgpass (chmod 600), or join once with "
        "Team project… in the window, which keeps it in the keyring."
    )


def pgpass_line(place: ServerPlace) -> str:
    """The line of `~/.pgpass` for a server, with the word PASSWORD where the password goes."""
    parts = (place.host or "localhost", str(place.port or 5432), place.database, place.user or "*")
    return ":".join(part.replace("\\", "\\\\").replace(":", "\\:") for part in parts) + ":PASSWORD"
