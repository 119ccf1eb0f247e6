"""The one door to models: OpenAI-compatible chat endpoints, asked patiently and within their limits."""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from annotator.llm.connection import Connection, RedirectError
from annotator.llm.endpoints import Endpoint, Patience, SamplingParameters
from annotator.llm.pace import Clock, Pace
from annotator.llm.responses import Completion, pause_wanted, read_completion, whole_text
from scoring.errors import AnnotatorError, InputError
from scoring.model.record import JsonObject

if TYPE_CHECKING:
    from openai import APIStatusError

_TRIED_AGAIN = frozenset({408, 409, 425, 429})
"""Status codes below 500 that another attempt may cure."""
_HOPELESS = frozenset({401, 402})
"""Status codes that no other request to the endpoint will escape."""
_HOPELESS_AT_FIRST = frozenset({403, 404, 405})
"""The same, as long as the endpoint has never answered: a wrong address or model; later, one bad request."""
_OUT_OF_REACH = frozenset({"connection", "http_502", "http_503", "http_504"})
"""Failures of an endpoint that is not there at the moment, or not behind its gateway."""
_STREAM: JsonObject = {"stream": True, "stream_options": {"include_usage": True}}
_NO_STREAM = frozenset({"http_400", "http_405", "http_415", "http_422", "http_501"})
"""How endpoints that know no streams refuse one; the request is then sent once more without."""
_LONGEST_HOLD_SECONDS = 900.0
"""Beyond this a rate limit is told to the user instead of being waited for."""
_MESSAGE_LENGTH = 400
_HINTS = {
    "connection": "Check the address and that the endpoint is running.",
    "redirect": "Give the address the endpoint redirects to, if you trust it.",
    "http_401": "Check the API key.",
    "http_402": "The account has no credit left.",
    "http_403": "Check the API key and what it may use.",
    "http_404": "Check the address (it usually ends in /v1) and the model's name.",
    "http_405": "Check the address; it usually ends in /v1.",
    "http_429": "The endpoint's limit is used up; go on later.",
}


class ModelError(AnnotatorError):
    """A request failed outside the model, after all attempts.

    Args:
        message: What happened.
        hint: What to do next.
        kind: `timeout`, `connection`, `redirect`, `bad_response` or `http_` and the status.
        is_hopeless: Whether no other request to the endpoint will fare better.
    """

    def __init__(self, message: str, hint: str = "", *, kind: str, is_hopeless: bool = False) -> None:
        super().__init__(message, hint)
        self.kind = kind
        self.is_hopeless = is_hopeless

    @property
    def is_refused(self) -> bool:
        """Whether the endpoint understood this one request and refused it (4xx but for rate limits)."""
        return self.kind.startswith("http_4") and self.kind not in ("http_408", "http_425", "http_429")


class _AttemptError(Exception):
    """One attempt that failed; `pause_seconds` is how long the endpoint wants to be left alone."""

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        can_retry: bool = True,
        pause_seconds: float | None = None,
        is_hopeless: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.can_retry = can_retry and not is_hopeless
        self.pause_seconds = pause_seconds
        self.is_hopeless = is_hopeless

    @property
    def is_out_of_reach(self) -> bool:
        """Whether the endpoint is gone rather than unwilling."""
        return self.kind in _OUT_OF_REACH


class ChatClient:
    """Asks one endpoint; any number of threads may share it. Close it when done.

    Args:
        endpoint: Where to ask.
        sampling: How the model chooses its words.
        patience: Time-outs, retries, pace.
        clock: What the waiting between attempts goes by.
        stream: Whether replies are asked for as streams, which tell when their first token came. An endpoint
            that refuses the first one is not asked for another.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        sampling: SamplingParameters | None = None,
        patience: Patience | None = None,
        clock: Clock | None = None,
        stream: bool = False,
    ) -> None:
        self.endpoint = endpoint
        self.sampling = sampling or SamplingParameters()
        self._patience = patience or Patience()
        self._pace = Pace(self._patience.requests_per_minute)
        self._clock = clock or Clock()
        self._has_answered = False
        self._stream = _STREAM if stream else {}
        self._has_streamed = False
        self._connection = Connection(endpoint, self._patience)

    def close(self) -> None:
        """Give the connections back; requests under way end by `JobCancelled`."""
        self._connection.close()

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        fields: JsonObject | None = None,
        headers: Mapping[str, str] | None = None,
        stop: threading.Event | None = None,
        on_outage: Callable[[float], object] | None = None,
    ) -> Completion:
        """Ask for the next message of a conversation.

        Args:
            messages: The conversation so far, in OpenAI shape.
            tools: Tools the model may call, in OpenAI shape.
            fields: Further fields of this request; they come before those of the sampling.
            headers: Further headers of this request, as gateways route and account by.
            stop: Ends the waiting between attempts once set; a request under way is finished.
            on_outage: Told the seconds of each pause while the endpoint is out of reach, before it begins.

        Raises:
            ModelError: All attempts failed, or one failed in a way no other can cure.
            JobCancelled: `stop` was set, or the client closed, before there was an answer.
        """
        stop = stop or threading.Event()
        attempt = 0
        gone_since: float | None = None
        stream = self._stream
        while True:
            self._pace.take_turn(stop)
            try:
                completion = self._ask_once(messages, tools, (fields or {}) | stream, headers or {})
            except _AttemptError as failed:
                if stream and failed.kind in _NO_STREAM and not self._has_streamed:
                    stream = {}
                    continue
                if not failed.is_out_of_reach:
                    attempt, gone_since = 0 if gone_since is not None else attempt, None
                elif gone_since is None:
                    gone_since = self._clock.now()
                if not self._is_tried_again(failed, attempt, gone_since):
                    raise self._given_up(failed, attempt + 1) from None
                self._wait(failed, attempt, stop, on_outage)
                attempt += 1
            else:
                self._has_answered = True
                self._has_streamed = self._has_streamed or completion.first_token_seconds is not None
                self._stream = stream
                return completion

    def _is_tried_again(self, failed: _AttemptError, attempt: int, gone_since: float | None) -> bool:
        patience = self._patience
        if not failed.can_retry:
            return False
        # An address nobody ever answered at is more likely mistyped than busy.
        if failed.kind == "connection" and not self._has_answered:
            return attempt < min(1, patience.retries)
        if gone_since is not None and self._clock.now() - gone_since < patience.outage_seconds:
            return True
        return attempt < patience.retries

    def _wait(
        self,
        failed: _AttemptError,
        attempt: int,
        stop: threading.Event,
        on_outage: Callable[[float], object] | None,
    ) -> None:
        """Wait as long as the endpoint asks, else twice as long as before; a limit holds every thread."""
        doubled = self._patience.first_wait_seconds * 2.0 ** min(attempt, 30)
        seconds = min(self._patience.longest_wait_seconds, doubled) * random.uniform(0.75, 1.0)
        seconds = seconds if failed.pause_seconds is None else failed.pause_seconds
        if failed.is_out_of_reach and on_outage:
            on_outage(seconds)
        if failed.kind == "http_429" or failed.pause_seconds is not None:
            self._pace.hold(seconds)
        else:
            self._clock.wait(stop, seconds)

    def _ask_once(
        self,
        messages: Sequence[JsonObject],
        tools: Sequence[JsonObject],
        fields: JsonObject,
        headers: Mapping[str, str],
    ) -> Completion:
        import openai

        body: JsonObject = {"model": self.endpoint.model, "messages": list(messages)}
        if tools:
            body["tools"] = list(tools)
        body |= self.sampling.model_dump(exclude_none=True, exclude={"extra"}) | self.sampling.extra | fields
        started = time.monotonic()
        try:
            text, first_token = self._connection.post(body, headers)
            seconds = time.monotonic() - started
            return read_completion(
                text, seconds=seconds, first_token_seconds=first_token and first_token - started
            )
        except openai.APITimeoutError:
            waited = f"No answer within {self._patience.timeout_seconds:g} seconds."
            raise _AttemptError("timeout", waited) from None
        except openai.APIStatusError as exc:
            raise self._refused(exc) from None
        except openai.OpenAIError as exc:
            # aiohttp says "ssl:default" of a plain connection, too.
            said = str(exc.__cause__ or exc).replace(" ssl:default", "")
            raise _AttemptError("connection", self._public(said)) from None
        except RedirectError as exc:
            raise _AttemptError(
                "redirect", self._public(exc.message), can_retry=False, is_hopeless=not self._has_answered
            ) from None
        except InputError as exc:
            raise _AttemptError("bad_response", self._public(exc.message)) from None

    def _refused(self, exc: "APIStatusError") -> _AttemptError:
        status = exc.status_code
        pause = pause_wanted(exc.response.headers)
        return _AttemptError(
            f"http_{status}",
            self._public(exc.message),
            can_retry=status in _TRIED_AGAIN or status >= 500,
            pause_seconds=pause,
            is_hopeless=status in _HOPELESS
            or exc.code in ("insufficient_quota", "billing_hard_limit_reached")
            or (status in _HOPELESS_AT_FIRST and not self._has_answered)
            or (pause is not None and pause > _LONGEST_HOLD_SECONDS),
        )

    def _given_up(self, failed: _AttemptError, attempts: int) -> ModelError:
        is_gone = failed.is_out_of_reach and self._patience.outage_seconds > 0
        is_mistyped = failed.kind == "connection" and not self._has_answered
        is_hopeless = failed.is_hopeless or is_gone or is_mistyped
        tried = f", {attempts} attempts" if attempts > 1 else ""
        return ModelError(
            f"{self.endpoint.host} failed ({failed.kind}{tried}): {failed.message}",
            _HINTS.get("connection" if is_gone else failed.kind, "") if is_hopeless else "",
            kind=failed.kind,
            is_hopeless=is_hopeless,
        )

    def _public(self, text: str) -> str:
        """A message of the endpoint as it may be shown and written: one line, without the key."""
        if self.endpoint.api_key:
            text = text.replace(self.endpoint.api_key, "***")
        text = whole_text(" ".join(text.split()))
        return text if len(text) <= _MESSAGE_LENGTH else text[: _MESSAGE_LENGTH - 1] + "…"
