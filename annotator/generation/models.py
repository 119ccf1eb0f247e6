"""The models of a run: how each is opened, asked in a role, and what that takes."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from annotator.generation.plan import GenerationPlan, RoleModel
from annotator.generation.records import GenerationState
from annotator.generation.roles import ROLE_HEADER, RequestKind
from annotator.jobs import JobContext, run_leavable
from annotator.llm import ChatClient
from annotator.llm.budget import Budget, Spending
from annotator.llm.endpoints import Endpoint, Patience, find_api_key
from annotator.llm.pace import Clock
from annotator.llm.responses import Completion
from scoring.model.record import JsonObject
from scoring.predictions import Usage

PATIENCE = Patience(timeout_seconds=300.0, outage_seconds=600.0)
"""How long an endpoint is waited for (generation 7): a reply, and one that went away while a run went on."""


@dataclass(frozen=True)
class LoopSetting:
    """How a run is worked on; none of it changes what is made.

    Attributes:
        concurrency: Dialogues made at once.
        patience: Time-outs, retries and pace of each endpoint.
        clock: What the waiting between attempts goes by.
        leaves: The job whose cancelling leaves a request under way behind; None where it is waited for.
        listen: Told the state at the start, after what was heard, and at the end, on the calling thread.
    """

    concurrency: int = 4
    patience: Patience = PATIENCE
    clock: Clock = field(default_factory=Clock)
    leaves: JobContext | None = None
    listen: Callable[[GenerationState], object] | None = None


class Models:
    """The clients of all models of a run, one for each endpoint and model; any thread may share them.

    Args:
        open_client: Opens the client of a model.
        budget: What the run may take, and the prices.
        leaves: As in `LoopSetting`.
    """

    def __init__(
        self,
        open_client: Callable[[RoleModel], ChatClient],
        *,
        budget: Budget,
        leaves: JobContext | None = None,
    ) -> None:
        self.spending = Spending(budget)
        self.budget = budget
        self._open = open_client
        self._leaves = leaves
        self._clients: dict[tuple[str, str, str | None], ChatClient] = {}
        self._lock = threading.Lock()
        self._outages: dict[str, float] = {}

    @property
    def outage(self) -> str:
        """Which endpoint is out of reach and when it is asked again, in words; empty where all answer."""
        with self._lock:
            found = sorted(self._outages.items())
        return "; ".join(f"{host} is not reachable, retrying in {max(1, round(s))} s" for host, s in found)

    def ask(
        self,
        model: RoleModel,
        ask: RequestKind,
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
        client = self._client(model)
        host = client.endpoint.host
        call = partial(
            client.ask,
            messages,
            tools=tools,
            fields=fields,
            headers={ROLE_HEADER: ask.role.value},
            stop=stop,
            on_outage=partial(self._note_outage, host),
        )
        try:
            completion = run_leavable(call, context=self._leaves, stop=stop) if self._leaves else call()
        finally:
            self._note_outage(host, None)
        self.spending.add(usage_of(completion))
        return completion

    def close(self) -> None:
        """Give the connections back."""
        for client in self._clients.values():
            client.close()

    def _note_outage(self, host: str, seconds: float | None) -> None:
        with self._lock:
            if seconds is None:
                self._outages.pop(host, None)
            else:
                self._outages[host] = seconds

    def _client(self, model: RoleModel) -> ChatClient:
        key = (model.base_url, model.model, model.key_variable)
        with self._lock:
            if key not in self._clients:
                self._clients[key] = self._open(model)
            return self._clients[key]


def usage_of(completion: Completion) -> Usage | None:
    """What the endpoint says a reply took; None where it says nothing usable."""
    usage = completion.usage or {}
    counts = [usage.get(key) for key in ("prompt_tokens", "completion_tokens")]
    if not all(isinstance(count, int) and not isinstance(count, bool) and count >= 0 for count in counts):
        return None
    return Usage.model_validate(dict(zip(("prompt_tokens", "completion_tokens"), counts, strict=True)))


def open_models(plan: GenerationPlan, setting: LoopSetting) -> Models:
    """The models of a run, each opened when it is first asked; close them when done."""
    return Models(lambda model: _opened(model, setting), budget=plan.budget, leaves=setting.leaves)


def _opened(model: RoleModel, setting: LoopSetting) -> ChatClient:
    key = find_api_key(model.base_url, variable=model.key_variable)
    endpoint = Endpoint(model.base_url, model.model, key)
    return ChatClient(endpoint, patience=setting.patience, clock=setting.clock)
