"""The connection to one endpoint: a reply has limits in bytes and in time, and comes from nowhere else."""

import asyncio
import logging
import threading
import time
from concurrent.futures import CancelledError
from typing import TYPE_CHECKING, Any, cast

from annotator.jobs import JobCancelled
from annotator.llm.endpoints import Endpoint, Patience
from annotator.llm.responses import holds_token
from scoring.errors import InputError
from scoring.model.record import JsonObject

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx2
    from openai import AsyncOpenAI

_LOG = logging.getLogger(__name__)

REPLY_BYTES = 16 * 2**20
"""The longest reply that is read, unpacked; the longest answers of models are below one mebibyte."""
_PAUSES = (b"retry-after", b"retry-after-ms")
"""The only headers of a reply that are looked at."""


class RedirectError(InputError):
    """The endpoint sends a request to another origin, which would get the dialogue and the key."""


class Connection:
    """Sends requests to one endpoint; any number of threads may share it. Close it when done.

    The requests run on an event loop of their own, since only there a time limit ends a request in
    whichever phase it is: a socket's own time-out begins anew with every byte.
    """

    def __init__(self, endpoint: Endpoint, patience: Patience) -> None:
        self._endpoint = endpoint
        self._lock = threading.Lock()
        self._is_closed = False
        self._loop = asyncio.new_event_loop()
        # What is left open when the program is stopped is no news on the screen.
        self._loop.set_exception_handler(
            lambda _, told: _LOG.debug("model requests: %s", told.get("message"))
        )
        self._thread = threading.Thread(target=self._loop.run_forever, name="model requests", daemon=True)
        self._client = _open_client(endpoint, patience)
        self._thread.start()

    def post(
        self, body: JsonObject, extra_headers: "Mapping[str, str] | None" = None
    ) -> tuple[str, float | None]:
        """Ask for a completion and wait for the whole reply.

        Args:
            body: The request.
            extra_headers: Further headers; the one with the key is always the endpoint's own.

        Returns:
            The reply as text: the library's own method for chats walks through every message, which takes
            longer than all the rest, and would hide what an endpoint says in fields of its own. Beside it
            the moment its first token came, on the monotonic clock; None where it is no stream.

        Raises:
            openai.OpenAIError: The endpoint refused, was too slow, or could not be reached.
            InputError: The reply is too long, or a stream that broke off.
            RedirectError: The endpoint redirects to another origin.
            JobCancelled: The connection was closed meanwhile, or before.
        """
        import httpx2

        async def request() -> tuple[str, float | None]:
            headers = {**(extra_headers or {}), **_authorization(self._endpoint)}
            response = await self._client.post(
                "/chat/completions", cast_to=httpx2.Response, body=body, options={"headers": headers}
            )
            return response.text, response.extensions["first_token"]

        with self._lock:
            if self._is_closed:
                raise JobCancelled
            reply = asyncio.run_coroutine_threadsafe(request(), self._loop)
        try:
            return reply.result()
        except CancelledError:
            raise JobCancelled from None

    def close(self) -> None:
        """Give the connections back; requests under way end by `JobCancelled`."""
        with self._lock:
            if self._is_closed:
                return
            self._is_closed = True
        asyncio.run_coroutine_threadsafe(self._end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _end(self) -> None:
        under_way = asyncio.all_tasks() - {asyncio.current_task()}
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        await self._client.close()


def _open_client(endpoint: Endpoint, patience: Patience) -> "AsyncOpenAI":
    # Imported late: it takes half a second that no other command should pay.
    import openai

    client = openai.AsyncOpenAI(
        base_url=endpoint.base_url,
        # Empty, not null: null would take the OPENAI_... variables and send them to any endpoint.
        api_key=endpoint.api_key or "",
        admin_api_key="",
        # Named here too, so that no header of the environment takes its place.
        default_headers=_authorization(endpoint),
        timeout=openai.Timeout(patience.timeout_seconds, connect=min(10.0, patience.timeout_seconds)),
        max_retries=0,
        http_client=_limited_client(endpoint, patience.timeout_seconds),
    )
    client.organization = None
    client.project = None
    return client


def _limited_client(endpoint: Endpoint, seconds: float) -> "httpx2.AsyncClient":
    """A client whose replies are read whole within the limits, also those that report an error."""
    import aiohttp
    import httpx2
    import openai

    class LimitedClient(openai.DefaultAioHttpClient):
        async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
            try:
                async with asyncio.timeout(seconds):
                    return await _read(await super().send(request, **options | {"stream": True}))
            except TimeoutError as exc:
                raise httpx2.ReadTimeout("The reply took too long.", request=request) from exc
            except httpx2.ConnectTimeout as exc:
                # The library calls every failed connection a time-out.
                if isinstance(exc.__cause__, TimeoutError):
                    raise
                raise httpx2.ConnectError(str(exc), request=request) from exc.__cause__
            except aiohttp.ClientError as exc:
                # The library hands on what is no HTTP at all, without naming it as its other failures.
                said = " ".join(str(getattr(exc, "message", exc)).split())
                raise httpx2.RemoteProtocolError(f"The reply is no HTTP: {said}", request=request) from exc

    home = httpx2.URL(endpoint.base_url)

    async def refuse_elsewhere(request: httpx2.Request) -> None:
        # Also called for every redirect that is followed; ports that a scheme implies are left out.
        url = request.url
        if (url.scheme, url.host, url.port) != (home.scheme, home.host, home.port):
            raise RedirectError(f"The endpoint redirects to {request.url.host}, which was not followed.")

    return LimitedClient(event_hooks={"request": [refuse_elsewhere]})


async def _read(response: "httpx2.Response") -> "httpx2.Response":
    """Read a reply to its end.

    Raises:
        InputError: It is longer than the limit, or a stream that broke off.
    """
    import httpx2

    content, seen, first_token = bytearray(), 0, None
    try:
        async for part in response.aiter_bytes():
            content += part
            if first_token is None and b"\n" in part:
                whole = content.rfind(b"\n") + 1
                if holds_token(bytes(content[seen:whole])):
                    first_token = time.monotonic()
                seen = whole
            if len(content) > REPLY_BYTES:
                raise InputError(
                    f"The reply is longer than {REPLY_BYTES // 2**20} MB; it was not read further."
                )
    except (httpx2.ReadError, httpx2.RemoteProtocolError) as exc:
        # An endpoint that began to answer is there: this one reply failed.
        if response.headers.get("content-type", "").startswith("text/event-stream"):
            raise InputError("The stream broke off.") from exc
        raise
    finally:
        await response.aclose()
    # As bytes, which need not be ASCII; the type is left out, since JSON is UTF-8 whatever it says.
    return type(response)(
        response.status_code,
        headers=[(name, text) for name, text in response.headers.raw if name.lower() in _PAUSES],
        content=bytes(content),
        request=response.request,
        extensions={"first_token": first_token},
    )


def _authorization(endpoint: Endpoint) -> "Mapping[str, str]":
    import openai

    key = f"Bearer {endpoint.api_key}" if endpoint.api_key else openai.Omit()
    return cast("Mapping[str, str]", {"Authorization": key})
