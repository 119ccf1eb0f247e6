"""Where a model answers and how it is asked: address, key, sampling, patience."""

import os
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import Field

from annotator.settings import keep_in_keyring, keyring_password
from scoring.errors import InputError, filled
from scoring.model.record import JsonObject, Record

ADDRESS_EXAMPLE = "https://…, http://localhost:8000/v1"
KEY_EXAMPLE = "Name of a variable; empty: the keyring, or no key"
KEYRING_SERVICE = "annotator-models"
"""Name under which the operating system's keyring keeps API keys, one for each host."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model answers. The key never shows: not in `repr`, in messages, or in anything written.

    Attributes:
        base_url: Address up to and without `/chat/completions`.
        model: The model's name there.
        api_key: None for an endpoint that needs none.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.base_url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise InputError(
                f"'{self.base_url}' is not the address of an endpoint.",
                "Give one that starts with http:// or https://, usually ending in /v1.",
            )
        if parts.password:
            raise InputError("The address holds a password.", "Give the key in a variable or the keyring.")
        if not self.model.strip():
            raise InputError("No model was named.", "Give the name the endpoint knows it by.")
        if self.api_key is not None and not (self.api_key.isascii() and self.api_key.isprintable()):
            raise InputError("The API key holds characters no key has.", "Copy it again, without breaks.")

    @property
    def host(self) -> str:
        """Name and port of the endpoint, as it may be shown."""
        return urlsplit(self.base_url).netloc.rpartition("@")[2].lower()


class SamplingParameters(Record):
    """How a model chooses its words; what is None is left to the endpoint.

    `extra` are further fields of the request, e.g. `{"reasoning_effort": "low"}`.
    """

    temperature: float | None = Field(default=None, ge=0)
    top_p: float | None = Field(default=None, gt=0, le=1)
    max_tokens: int | None = Field(default=None, gt=0)
    seed: int | None = None
    extra: JsonObject = Field(default_factory=dict)


class Patience(Record):
    """How long to wait for an endpoint, and how often to ask again.

    `retries` is the number of further attempts after the first; the waits between them double from
    `first_wait_seconds` to `longest_wait_seconds`. `requests_per_minute` spaces requests evenly.
    `outage_seconds` is how long an endpoint that has answered before and is out of reach now is asked again,
    however many attempts that takes.
    """

    timeout_seconds: float = Field(default=180.0, gt=0)
    retries: int = Field(default=6, ge=0)
    first_wait_seconds: float = Field(default=1.0, ge=0)
    longest_wait_seconds: float = Field(default=60.0, ge=0)
    requests_per_minute: float | None = Field(default=None, gt=0)
    outage_seconds: float = Field(default=0.0, ge=0)


def find_api_key(base_url: str, *, variable: str | None = None) -> str | None:
    """The key for an endpoint: from an environment variable where one is named, else from the keyring.

    Args:
        base_url: Address of the endpoint; the keyring keeps one key for each host.
        variable: Name of the environment variable.

    Returns:
        The key, or None where the keyring has none. No variable is looked at that was not named, so that
        no key goes to an endpoint it was not meant for.

    Raises:
        InputError: The named variable is not set.
    """
    if variable:
        return filled(
            os.environ.get(variable, "").strip(),
            InputError(f"${variable} is not set.", "Set it to the API key, or name another variable."),
        )
    return keyring_password(KEYRING_SERVICE, urlsplit(base_url).netloc.lower())


def keep_api_key(base_url: str, key: str) -> str:
    """Keep the key of an endpoint's host in the operating system's keyring.

    Returns:
        The host it is kept for.

    Raises:
        InputError: The address or the key cannot be one.
        StoreError: There is no keyring; the key is kept nowhere.
    """
    if not key:
        raise InputError("No key was typed.", "Paste the key of the endpoint.")
    endpoint = Endpoint(base_url, "any", api_key=key)
    keep_in_keyring(KEYRING_SERVICE, endpoint.host, key)
    return endpoint.host
