"""Questions to a scripted endpoint over real HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from annotator.llm import ChatClient, ModelError
from annotator.llm.endpoints import Endpoint, Patience, SamplingParameters
from annotator.llm.pace import Clock
from scoring.model.record import JsonObject
from tests.scripted_model.server import Asked, Script, ScriptedModel

KEY = "sk-secret-0123456789"
QUICK = Patience(timeout_seconds=5, retries=3, first_wait_seconds=0.01, longest_wait_seconds=0.02)
HELLO: list[JsonObject] = [{"role": "user", "content": "Hello"}]


@contextmanager
def client_of(
    script: Script,
    *,
    key: str | None = None,
    patience: Patience = QUICK,
    sampling: SamplingParameters | None = None,
    clock: Clock | None = None,
    stream: bool = False,
) -> Iterator[tuple[ChatClient, ScriptedModel]]:
    """A client of a scripted endpoint."""
    with ScriptedModel(script) as model:
        endpoint = Endpoint(model.base_url, "m-1", key)
        client = ChatClient(endpoint, sampling=sampling, patience=patience, clock=clock, stream=stream)
        try:
            yield client, model
        finally:
            client.close()


def asked_once(script: Script, **options: Any) -> Asked:
    """What the endpoint saw of one question."""
    with client_of(script, **options) as (client, model):
        client.ask(HELLO)
        return model.asked[0]


def failure(script: Script, **options: Any) -> tuple[ModelError, int]:
    """The error a question ends with, and how often the endpoint was asked."""
    with client_of(script, **options) as (client, model):
        with pytest.raises(ModelError) as caught:
            client.ask(HELLO)
        return caught.value, len(model.asked)
