"""Addresses and keys of endpoints."""

import sys

import keyring
import pytest
from keyring.backend import KeyringBackend
from pydantic import ValidationError

from annotator.llm.endpoints import KEYRING_SERVICE, Endpoint, SamplingParameters, find_api_key
from scoring.errors import InputError

URL = "https://models.example:8443/v1"


class MemoryKeyring(KeyringBackend):
    """A keyring that lives as long as a test."""

    priority = 1

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password


@pytest.mark.parametrize(
    "url", ["", "models.example/v1", "ftp://models.example", "http://", "http://u:p@h/v1"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InputError):
        Endpoint(url, "m")


def test_a_model_needs_a_name() -> None:
    with pytest.raises(InputError):
        Endpoint(URL, " ")


@pytest.mark.parametrize("key", ["sk-ü", "sk-1\nsk-2"])
def test_a_damaged_key_is_refused_before_it_is_sent(key: str) -> None:
    with pytest.raises(InputError):
        Endpoint(URL, "m", key)


def test_a_named_variable_gives_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", " sk-1\n")
    assert find_api_key(URL, variable="MY_KEY") == "sk-1"


def test_a_named_variable_that_is_not_set_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with pytest.raises(InputError, match="MY_KEY"):
        find_api_key(URL, variable="MY_KEY")


def test_without_a_variable_the_keyring_is_asked_for_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    before = keyring.get_keyring()
    keyring.set_keyring(MemoryKeyring())
    try:
        keyring.set_password(KEYRING_SERVICE, "models.example:8443", "sk-2")
        assert find_api_key("https://MODELS.example:8443/other") == "sk-2"
        assert find_api_key("https://elsewhere.example/v1") is None
    finally:
        keyring.set_keyring(before)


def test_without_a_keyring_there_is_no_key() -> None:
    assert find_api_key(URL) is None


def test_without_the_package_there_is_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "keyring", None)
    assert find_api_key("http://localhost:8000/v1") is None


@pytest.mark.parametrize("wrong", [{"top_p": 1.01}, {"top_p": 0}, {"temperature": -0.1}, {"max_tokens": 0}])
def test_values_no_endpoint_takes_are_refused_at_once(wrong: dict[str, float]) -> None:
    with pytest.raises(ValidationError, match=next(iter(wrong))):
        SamplingParameters.model_validate(wrong)
    assert SamplingParameters(top_p=1, temperature=0, max_tokens=1).top_p == 1
