"""The models of a run: how each is opened, asked in a role, and what that takes."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from annotator.generation.plan import GenerationPlan, RoleModel
from annotator.generation.records import GenerationState
from annotator.generation.roles import ROLE_HEADER, Ask
from annotator.llm import ChatClient, Completion, Endpoint, Patience
from annotator.llm.budget import Budget, Spending
from annotator.llm.endpoints import find_api_key
from scoring.model.record import JsonObject
from scoring.predictions import Usage

PATIENCE = Patience(timeout_seconds=300.0)
"""How long an endpoint is waited for (generation 7)."""


@dataclass(frozen=True)
class LoopSetting:
    """How a run is worked on; none of it changes what is made.

    Attributes:
        concurrency: Dialogues made at once.
        patience: Time-outs, retries and pace of each endpoint.
        open_client: Opens the client of a model; null finds its key in its variable or the keyring.
        listen: Told the state at the start, after what was heard, and at the end, on the calling thread.
    """

    concurrency: int = 4
    patience: Patience = PATIENCE
    open_client: Callable[[RoleModel], ChatClient] | None = None
    listen: Callable[[GenerationState], object] | None = None


class Models:
    """The clients of all models of a run, one for each endpoint and model; any thread may share them.

    Args:
        open_client: Opens the client of a model.
        budget: What the run may take, and the prices.
    """

    def __init__(self, open_client: Callable[[RoleModel], ChatClient], *, budget: Budget) -> None:
        self.spending = Spending(budget)
        self.budget = budget
        self._open = open_client
        self._clients: dict[tuple[str, str, str | None], ChatClient] = {}
        self._lock = threading.Lock()

    def ask(
        self,
        model: RoleModel,
        ask: Ask,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject],
        seed: int,
        stop: threading.Event,
    ) -> Completion:
        """Ask a model in a role.

        Raises:
            OverBudget, BlockedError: See `Spending.check`.
            ModelError, JobCancelled: See `ChatClient.ask`.
        """
        self.spending.check()
        sampling = model.sampling
        fields = sampling.model_dump(exclude_none=True, exclude={"extra"}) | sampling.extra
        if sampling.seed is not None:
            fields["seed"] = seed
        if tools:
            fields["tool_choice"] = "none"
        completion = self._client(model).ask(
            messages, tools=tools, fields=fields, headers={ROLE_HEADER: ask.role.value}, stop=stop
        )
        self.spending.add(usage_of(completion))
        return completion

    def close(self) -> None:
        """Give the connections back."""
        for client in self._clients.values():
            client.close()

    def _client(self, model: RoleModel) -> ChatClient:
        key = (model.base_url, model.model, model.key_variable)
        with self._lock:
            if key not in self._clients:
                self._clients[key] = self._open(model)
            return self._clients[key]


def usage_of(completion: Completion) -> Usage | None:
    """What the endpoint says a reply took; null where it says nothing usable."""
    usage = completion.usage or {}
    counts = [usage.get(key) for key in ("prompt_tokens", "completion_tokens")]
    if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts):
        return None
    return Usage.model_validate(dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True)))


def open_models(plan: GenerationPlan, setting: LoopSetting) -> Models:
    """The models of a run, each opened when it is first asked; close them when done."""
    opened = setting.open_client or (lambda model: _opened(model, setting.patience))
    return Models(opened, budget=plan.budget)


def _opened(model: RoleModel, patience: Patience) -> ChatClient:
    key = find_api_key(model.base_url, variable=model.key_variable)
    return ChatClient(Endpoint(model.base_url, model.model, key), patience=patience)
