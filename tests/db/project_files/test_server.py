"""The parts of a server's address, and what TLS it is reached with."""

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from db.project_files.location import locate
from db.project_files.server import ServerPlace, place_of, read_place, setup_statements, tls_options
from scoring.errors import InputError

TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder without certificates."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def options(url: str) -> dict[str, str]:
    """What libpq is told about TLS for an address."""
    return tls_options(locate(url).url)


@pytest.mark.parametrize(
    ("url", "is_local"),
    [
        ("postgresql:///team", True),
        ("postgresql:///team?host=/run/postgresql", True),
        ("postgresql://localhost/team", True),
        ("postgresql://127.0.0.2/team", True),
        ("postgresql://[::1]/team", True),
        ("postgresql://db.example.org/team", False),
        ("postgresql://127.evil.example/team", False),
        ("postgresql://localhost.evil.example/team", False),
        ("postgresql:///team?host=localhost,db.example.org", False),
        ("postgresql://db.example.org/team?hostaddr=127.0.0.1", False),
        ("postgresql:///team?hostaddr=10.0.0.7", False),
        ("postgresql:///team?service=office", False),
    ],
)
def test_what_lies_on_this_computer_is_known(url: str, is_local: bool) -> None:
    assert place_of(locate(url).url).is_local is is_local
    assert bool(options(url)) is not is_local


def test_a_host_of_the_environment_is_another_computer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGHOST", "db.example.org")
    assert options("postgresql:///team")["sslmode"] == "verify-full"


def test_beyond_this_computer_the_server_is_verified_with_the_systems_authorities(
    monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(home))
    found = options("postgresql://anna@db.example.org/team")
    assert found["sslmode"] == "verify-full"
    assert found["sslrootcert"]
    assert options("postgresql://db.example.org/team?sslrootcert=/ca.pem")["sslrootcert"] == "/ca.pem"


@pytest.mark.parametrize("mode", ["disable", "prefer", "require"])
def test_the_address_may_say_otherwise(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert options(f"postgresql://db.example.org/team?sslmode={mode}") == {}
    monkeypatch.setenv("PGSSLMODE", mode)
    assert options("postgresql://db.example.org/team") == {}


def test_the_authorities_a_person_put_in_their_home_are_used(home: Path) -> None:
    (home / ".postgresql").mkdir()
    (home / ".postgresql" / "root.crt").touch()
    assert options("postgresql://db.example.org/team") == {"sslmode": "verify-full"}


@example(ServerPlace(database="team "), "")
@example(ServerPlace(database=" "), "")
@given(
    st.builds(
        ServerPlace,
        host=st.sampled_from(["", "db.example.org", "::1", "/run/pg", "a.example,b.example"]),
        database=TEXT,
        user=TEXT,
        port=st.none() | st.integers(1, 65535),
        tls=st.sampled_from(["", "verify-full", "disable"]),
        certificate=st.sampled_from(["", "/a b/ca.pem"]),
        options=st.dictionaries(st.sampled_from(["hostaddr", "sslkey"]), TEXT),
    ),
    st.just("") | TEXT,
)
def test_a_place_is_read_back_from_its_address(place: ServerPlace, password: str) -> None:
    assert read_place(place.url(password)) == (place, password)


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("db.example.org", "postgresql://db.example.org/team"),
        ("a.example,b.example", "postgresql:///team?host=a.example%2Cb.example"),
        ("/run/pg", "postgresql:///team?host=%2Frun%2Fpg"),
        ("", "postgresql:///team"),
    ],
)
def test_an_address_is_written_as_people_know_it(host: str, address: str) -> None:
    assert ServerPlace(host=host, database="team").url() == address


def test_a_place_without_a_database_or_of_a_file_is_refused() -> None:
    with pytest.raises(InputError, match="database"):
        ServerPlace(host="db.example.org", database="").url()
    with pytest.raises(InputError, match="is a file"):
        read_place("team.db")


def test_names_in_sql_are_quoted() -> None:
    assert setup_statements(ServerPlace(host="", database='te"am', user="Anna B")) == (
        "CREATE ROLE \"Anna B\" LOGIN PASSWORD 'choose a password';",
        'CREATE DATABASE "te""am" OWNER "Anna B";',
    )
