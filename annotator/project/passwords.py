"""Passwords of people who have one: hashed with argon2, never kept or shown in the clear."""

from argon2 import PasswordHasher
from argon2.exceptions import VerificationError

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
    except VerificationError as exc:
        raise ForbiddenError(f"The password of {name} is not right.", "Try again.") from exc


def hashed(password: str | None) -> str | None:
    """Hash a password with argon2; null stays null."""
    if password is None:
        return None
    if not password:
        raise InputError("A password cannot be empty.", "Type one, or leave the person without.")
    return PasswordHasher().hash(password)
