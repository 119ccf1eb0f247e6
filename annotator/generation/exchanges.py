"""The requests of one attempt at a dialogue: each asked once, and taken from the store ever after."""

import base64
import json
import threading
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic

from annotator.generation.checks.replies import ReplyError
from annotator.generation.models import Models, usage_of
from annotator.generation.plan import RoleModel
from annotator.generation.records import AttemptFailure, Exchange, ReplyFault, ReplyVerdict
from annotator.generation.roles import RequestKind
from annotator.llm import ModelError
from annotator.llm.responses import Completion
from db.tables import GenerationRequest
from scoring.generics import T
from scoring.model.record import JsonObject, sha256_of, to_json


class AttemptFailed(Exception):  # noqa: N818 (not an error: the dialogue is tried afresh)
    """An attempt at a dialogue cannot become a case."""

    def __init__(self, failure: AttemptFailure, note: str = "") -> None:
        super().__init__(note)
        self.failure = failure
        self.note = note


class WaitingForPerson(Exception):  # noqa: N818 (not an error: a person has to pick)
    """The dialogue goes on once a person has picked a request."""


@dataclass(frozen=True)
class Got(Generic[T]):
    """What came of one request; `value` is None where the reply was rejected."""

    value: T | None
    exchange: Exchange

    @property
    def verdict(self) -> ReplyVerdict:
        """What was thought of the reply."""
        return self.exchange.verdict


@dataclass(frozen=True)
class Attempt:
    """Which attempt at which dialogue, and what its draws follow from."""

    dialogue: int
    number: int
    seed: int
    prompt_version: str


class Exchanges:
    """Asks for an attempt and stores every reply before the dialogue goes on.

    Args:
        attempt: Which one.
        stored: What was stored of it before, by place.
        models: Who is asked for what is not; None for nobody, so that the dialogue waits there.
        store: Keeps a reply; returns once it is safe.
        stop: Ends the waiting of the models.
    """

    def __init__(
        self,
        attempt: Attempt,
        *,
        stored: Mapping[int, Exchange],
        models: Models | None,
        store: Callable[[Exchange], None],
        stop: threading.Event,
    ) -> None:
        self.attempt = attempt
        self._stored = stored
        self._models = models
        self._store = store
        self._stop = stop
        self._next = 0

    def exchange(
        self,
        ask: RequestKind,
        model: RoleModel,
        messages: Sequence[JsonObject],
        *,
        task: int,
        tools: Sequence[JsonObject] = (),
        read: Callable[[JsonObject], T],
        check: Callable[[T], ReplyVerdict],
        unreadable: ReplyFault,
    ) -> Got[T]:
        """Ask once, unless the reply is stored.

        Args:
            ask: What is asked for.
            model: Who is asked.
            messages: What is sent.
            task: The task it is for.
            tools: Sent in the request's own `tools`, too.
            read: Reads the reply.
            check: Judges what was read; not called again for a stored reply, whose verdict stays.
            unreadable: The rule broken by what `read` refuses.

        Raises:
            AttemptFailed: The stored request is another one, or the endpoint refuses this one.
            WaitingForPerson: Nobody is to be asked.
            OverBudget, BlockedError, ModelError, JobCancelled: See `Models.ask`.
        """
        number, self._next = self._next, self._next + 1
        sha256 = sha256_of([ask, model.model, list(messages), list(tools)])
        found = self._stored.get(number)
        if found is not None:
            if found.request_sha256 != sha256:
                raise AttemptFailed(
                    AttemptFailure.PROMPT_CHANGED, "the stored request was made by other prompts"
                )
            try:
                return Got(read(found.reply) if found.verdict.is_accepted else None, found)
            except ReplyError as exc:  # accepted by a version that was less strict
                raise AttemptFailed(
                    AttemptFailure.PROMPT_CHANGED, f"the stored reply is none now: {exc}"
                ) from exc
        if self._models is None:
            raise WaitingForPerson
        started = time.monotonic()
        try:
            completion = self._models.ask(
                model, ask, messages, tools=tools, seed=self.attempt.seed + number, stop=self._stop
            )
        except ModelError as exc:
            if exc.is_refused and not exc.is_hopeless:
                raise AttemptFailed(AttemptFailure.REFUSED, exc.message) from None
            raise
        judged = _judged(completion, read, check, unreadable)
        value, verdict = judged
        usage = usage_of(completion)
        exchange = Exchange(
            dialogue=self.attempt.dialogue,
            attempt=self.attempt.number,
            number=number,
            task=task,
            ask=ask,
            model=model.model,
            seed=self.attempt.seed,
            request_sha256=sha256,
            messages=tuple(messages),
            reply=completion.message,
            verdict=verdict,
            prompt_tokens=usage.prompt_tokens if usage else None,
            completion_tokens=usage.completion_tokens if usage else None,
            dollars=self._models.budget.cost(usage.prompt_tokens or 0, usage.completion_tokens or 0)
            if usage
            else None,
            seconds=round(time.monotonic() - started, 3),
        )
        self._store(exchange)
        return Got(value, exchange)


def _judged(
    completion: Completion,
    read: Callable[[JsonObject], T],
    check: Callable[[T], ReplyVerdict],
    unreadable: ReplyFault,
) -> tuple[T | None, ReplyVerdict]:
    if completion.finish_reason == "length":
        return None, ReplyVerdict(faults=(unreadable,), reason="the reply is cut off; keep it shorter")
    try:
        value = read(completion.message)
    except ReplyError as exc:
        return None, ReplyVerdict(faults=(unreadable,), reason=str(exc))
    verdict = check(value)
    return (value if verdict.is_accepted else None), verdict


def row_of(exchange: Exchange) -> dict[str, object]:
    """An exchange as it is stored, but for the instant."""
    messages = zlib.compress(to_json(list(exchange.messages)).encode("ascii"), 1)
    return {
        "dialogue": exchange.dialogue,
        "attempt": exchange.attempt,
        "number": exchange.number,
        "task": exchange.task,
        "ask": exchange.ask.value,
        "model": exchange.model,
        "seed": str(exchange.seed),
        "request_sha256": exchange.request_sha256,
        "prompt_tokens": exchange.prompt_tokens,
        "completion_tokens": exchange.completion_tokens,
        "dollars": exchange.dollars,
        "seconds": exchange.seconds,
        "faults": " ".join(exchange.verdict.faults),
        "request": base64.b64encode(messages).decode("ascii"),
        "reply": to_json(exchange.reply),
        "verdict": to_json(exchange.verdict.model_dump(mode="json")),
    }


def exchange_from(row: GenerationRequest) -> Exchange:
    """The opposite of `row_of`."""
    messages: list[JsonObject] = json.loads(zlib.decompress(base64.b64decode(row.request)))
    return Exchange(
        **{name: getattr(row, name) for name in _PLAIN},
        seed=int(row.seed),
        messages=tuple(messages),
        reply=json.loads(row.reply),
        verdict=ReplyVerdict.model_validate(json.loads(row.verdict)),
    )


_PLAIN = (
    "dialogue",
    "attempt",
    "number",
    "task",
    "ask",
    "model",
    "request_sha256",
    "prompt_tokens",
    "completion_tokens",
    "dollars",
    "seconds",
    "at",
)
