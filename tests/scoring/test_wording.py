"""One is one, and everything else is several; an address shows no password."""

import pytest

from scoring.wording import counted, interval_words, without_passwords


def test_exactly_one_stands_before_the_singular() -> None:
    assert [counted(n, "case") for n in (0, 1, 2, 12_400)] == ["0 cases", "1 case", "2 cases", "12,400 cases"]


def test_a_plural_of_its_own_is_used() -> None:
    assert [counted(n, "person", "people") for n in (1, 3)] == ["1 person", "3 people"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("postgresql://anna:hunter2@host:5432/team", "postgresql://anna@host:5432/team"),
        ("postgresql://anna:hu/nt@er:2@host/team", "postgresql://anna@host/team"),
        ("postgresql://:hunter2@host/team", "postgresql://@host/team"),
        (
            "postgresql://anna@host/team?password=hunter2&port=1",
            "postgresql://anna@host/team?password=***&port=1",
        ),
        ("x?sslPassword=hunter2", "x?sslPassword=***"),
        (
            "OperationalError: no postgres://a:p@h/t, and no postgres://b:q@i/u.",
            "OperationalError: no postgres://a@h/t, and no postgres://b@i/u.",
        ),
        ("http://127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("C:\\Users\\anna\\team.db", "C:\\Users\\anna\\team.db"),
        ("a user@host: who", "a user@host: who"),
    ],
)
def test_an_address_is_shown_without_its_password(text: str, shown: str) -> None:
    assert without_passwords(text) == shown


def test_between_the_bounds_of_an_interval_stands_a_word_and_never_a_dash() -> None:
    assert interval_words(-47.64, -25.26, form=".1f") == "−47.6 to −25.3"
    assert interval_words(0.5, 1) == "0.50 to 1.00"
