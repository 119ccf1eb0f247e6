"""Passwords of database servers: in the keyring, nowhere else."""

from collections.abc import Iterator

import keyring
import pytest
from keyring.backend import KeyringBackend

from annotator.project.passwords import keep_server_password, visible_password_warning, with_kept_password
from scoring.errors import StoreError

SECRET = "planted:hunter2"
ADDRESS = "postgresql://anna@db.example.org:5433/team?sslmode=verify-full"
WITH_SECRET = ADDRESS.replace("anna@", "anna:planted%3Ahunter2@")


class MemoryKeyring(KeyringBackend):
    """A keyring that forgets at the end of the test."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    """An open keyring."""
    before = keyring.get_keyring()
    found = MemoryKeyring()
    keyring.set_keyring(found)
    yield found
    keyring.set_keyring(before)


def test_a_password_that_was_kept_opens_the_address_without_it(ring: MemoryKeyring) -> None:
    keep_server_password(WITH_SECRET)
    assert [*ring.kept.values()] == [SECRET]
    assert with_kept_password(ADDRESS) == WITH_SECRET
    assert with_kept_password(ADDRESS.replace("team", "other")) == ADDRESS.replace("team", "other")
    assert with_kept_password("team.db") == "team.db"


def test_a_password_that_was_given_wins_over_the_keyrings(
    ring: MemoryKeyring, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_server_password(WITH_SECRET)
    typed = ADDRESS.replace("anna@", "anna:other@")
    assert with_kept_password(typed) == typed
    monkeypatch.setenv("PGPASSWORD", "other")
    assert with_kept_password(ADDRESS) == ADDRESS


def test_without_a_keyring_the_line_of_the_password_file_is_named() -> None:
    with pytest.raises(StoreError, match="was not kept") as caught:  # the tests' own keyring keeps nothing
        keep_server_password(WITH_SECRET)
    assert "db.example.org:5433:team:anna:PASSWORD" in caught.value.hint
    assert SECRET not in str(caught.value)


def test_a_password_in_a_command_is_warned_of_without_repeating_it() -> None:
    warning = visible_password_warning(WITH_SECRET)
    assert "list of processes" in warning
    assert "db.example.org:5433:team:anna:PASSWORD" in warning
    assert SECRET not in warning
    for harmless in (ADDRESS, "team.db", "postgresql://", "https://a:b@c/d"):
        assert visible_password_warning(harmless) == ""
