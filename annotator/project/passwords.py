"""Passwords of people who have one: hashed with argon2, never kept or shown in the clear."""

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

from annotator.settings import keyring_password
from db.project_files.location import locate
from scoring.errors import ForbiddenError, InputError


def check_password(stored: str | None, given: str | None, *, name: str) -> None:
    """Let a person in who has no password, or knows it.

    Raises:
        ForbiddenError: The password is missing or wrong.
    """
    if stored is None:
        return
    if not given:
        raise ForbiddenError(f"{name} has a password.", "Give it in $ANNOTATOR_PASSWORD or in the keyring.")
    try:
        PasswordHasher().verify(stored, given)
    except (VerificationError, UnicodeEncodeError) as exc:
        raise ForbiddenError(f"The password for {name} is wrong.", "Try again.") from exc


def hashed(password: str | None) -> str | None:
    """Hash a password with argon2; null stays null."""
    if password is None:
        return None
    if not password:
        raise InputError("A password cannot be empty.", "Type one, or remove the password.")
    try:
        return PasswordHasher().hash(password)
    except UnicodeEncodeError as exc:
        raise InputError("The password has characters that cannot be typed.", "Choose others.") from exc


def person_password(project: str, name: str) -> str | None:
    """A person's password from the operating system's keyring, null where there is none or no keyring."""
    return keyring_password(f"annotator:{locate(project).name}", name)
