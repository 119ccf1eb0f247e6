"""What a person may type to name a project, and what is shown of it."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.project_files.files import check_signature
from db.project_files.location import locate
from scoring.errors import StoreError


def test_a_bare_name_is_a_file_in_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert locate("team.db").path == tmp_path / "team.db"


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert locate("~/team.db").path == tmp_path / "team.db"


def test_a_sqlite_url_is_a_file(tmp_path: Path) -> None:
    assert locate(f"sqlite:///{tmp_path}/team.db").path == tmp_path / "team.db"


def test_a_link_leads_to_the_file_itself(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "team.db")
    assert locate(str(tmp_path / "link.db")).path == tmp_path / "team.db"


def test_a_link_that_leads_to_itself_is_refused(tmp_path: Path) -> None:
    (tmp_path / "loop.db").symlink_to(tmp_path / "loop.db")
    with pytest.raises(StoreError):
        check_signature(locate(str(tmp_path / "loop.db")).path or tmp_path)


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg2", "POSTGRESQL"])
def test_every_postgresql_url_gets_our_driver(scheme: str) -> None:
    assert locate(f"{scheme}://anna@db.example/team").url.drivername == "postgresql+psycopg"


def test_the_shown_name_of_a_server_has_neither_password_nor_options() -> None:
    shown = locate("postgresql://anna:hush@db.example:5433/team?password=hush&sslmode=require").name
    assert shown == "postgresql://anna@db.example:5433/team"


def test_the_address_finds_a_server_again_without_its_password() -> None:
    url = "postgresql://anna:hush@/team?host=/run/postgres&password=hush&sslpassword=hush"
    assert locate(url).address == "postgresql://anna@/team?host=%2Frun%2Fpostgres"


def test_an_address_is_a_place_of_its_own(tmp_path: Path) -> None:
    for text in (str(tmp_path / "team.db"), "postgresql://anna@db.example:5433/team?sslmode=require"):
        assert locate(locate(text).address) == locate(text)


def test_the_representation_does_not_hold_the_password() -> None:
    assert "hush" not in repr(locate("postgresql://anna:hush@db.example/team"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "No project"),
        ("  ", "No project"),
        ("sqlite://", "in memory"),
        ("sqlite:///:memory:", "in memory"),
        ("mysql://anna:hush@db.example/team", "'mysql'"),
        ("postgresql://anna:hush@db.example:port/team", "cannot be read"),
        ("postgresql://anna:hush@db.example", "names no database"),
        ("te\0am.db", "characters that are not text"),
        ("te\udcffam.db", "characters that are not text"),
    ],
)
def test_what_is_no_place_is_refused_with_the_forms_that_work(text: str, message: str) -> None:
    with pytest.raises(StoreError, match=message) as caught:
        locate(text)
    assert "team.db" in caught.value.hint
    assert "hush" not in str(caught.value)


@given(st.text())
def test_any_text_is_a_place_or_is_refused(text: str) -> None:
    with suppress(StoreError):
        assert locate(text).name
