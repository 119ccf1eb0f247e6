"""Asking a model the items of T-Eval: several at once, resumable, each reply kept as it came."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path

from annotator.jobs import JobCancelled, JobContext
from annotator.llm import ChatClient, ModelError
from scoring.errors import InputError, StoreError
from scoring.model.record import JsonObject, Record, to_json
from scoring.teval.items import ItemKey, ItemSet, read_lines
from scoring.teval.replies import clean_reply
from scoring.teval.subsets import Subset, merged

_FAILURES_IN_A_ROW = 10
"""Items that fail outside the model one after another before a run stops by itself."""


class ItemRun(Record):
    """How a run stands: of `total` items `answered` have a reply, `resumed` of them from earlier sittings."""

    total: int
    resumed: int
    answered: int
    failed: int


def run_items(
    found: ItemSet, client: ChatClient, *, out: Path, context: JobContext, concurrency: int = 4
) -> ItemRun:
    """Ask a model every item that has no reply yet, and append the replies to a file.

    Args:
        found: The items.
        client: The model; it stays open.
        out: One JSON object a line: `subset`, `item`, the cleaned `prediction`, the `reply` as it came.
        context: Progress in items, and cancellation, which keeps what was answered.
        concurrency: How many items are asked at once.

    Raises:
        InputError: The file answers other items, or an item has no prompt.
        ModelError: The endpoint cannot be used or keeps failing; the same call goes on later.
        JobCancelled: The context was cancelled.
        StoreError: The file cannot be written.
    """
    hashed = found.sha256
    known = _known(out, hashed)
    todo = [
        (subset, name, _chat(body, f"{subset} {name}"))
        for subset, items in found.items.items()
        for name, body in items.items()
        if (subset, name) not in known
    ]
    state = ItemRun(total=len(found), resumed=len(known), answered=len(known), failed=0)
    stop = threading.Event()

    def ask(subset: Subset, name: str, messages: list[JsonObject]) -> tuple[JsonObject, ModelError | None]:
        line: JsonObject = {"subset": subset.value, "item": name, "items_sha256": hashed}
        try:
            completion = client.ask(messages, stop=stop)
        except ModelError as exc:
            return {**line, "error": {"kind": exc.kind, "message": exc.message}}, exc
        content = completion.message.get("content")
        text = content if isinstance(content, str) else ""
        reply: JsonObject = {"prediction": clean_reply(text), "reply": text}
        return {**line, **reply, "finish_reason": completion.finish_reason}, None

    waiting = iter(todo)
    failed_in_a_row = 0
    with _appending(out) as write, ThreadPoolExecutor(concurrency, "teval") as pool:
        asked: set[Future[tuple[JsonObject, ModelError | None]]] = set()
        try:
            while True:
                asked |= {pool.submit(ask, *one) for one in islice(waiting, concurrency - len(asked))}
                if not asked:
                    return state
                done, asked = wait(asked, return_when=FIRST_COMPLETED)
                for line, error in (future.result() for future in done):
                    write(line)
                    failed_in_a_row = failed_in_a_row + 1 if error else 0
                    if error and (error.is_hopeless or failed_in_a_row >= _FAILURES_IN_A_ROW):
                        raise error
                    state = state.model_copy(
                        update={
                            "answered": state.answered + (error is None),
                            "failed": state.failed + (error is not None),
                        }
                    )
                context.progress(state.answered + state.failed, state.total, "asking")
                context.check_cancelled()
        finally:
            stop.set()
            # What is under way still arrives and is kept.
            for future in asked:
                with suppress(JobCancelled):
                    write(future.result()[0])


def _known(out: Path, items_sha256: str) -> frozenset[ItemKey]:
    """The items that have a reply in a file already."""
    if not out.exists():
        return frozenset()
    replies, answered = read_lines(out)
    if answered not in (None, items_sha256):
        raise InputError(f"{out} answers other items.", "Name another file with -o.")
    return frozenset(replies)


def _chat(body: JsonObject, where: str) -> list[JsonObject]:
    """An item's prompt as an endpoint takes it: what a tool returned stands in the user's messages."""
    prompt = body.get("origin_prompt")
    messages: list[JsonObject] = []
    for message in prompt if isinstance(prompt, list) else []:
        said = message if isinstance(message, dict) else {}
        role, content = said.get("role"), said.get("content")
        if role not in ("system", "user", "assistant", "function") or not isinstance(content, str):
            raise InputError(f"{where}: origin_prompt is no list of messages.", "Correct the file.")
        messages.append({"role": "user" if role == "function" else role, "content": content})
    if not messages:
        raise InputError(f"{where} has no origin_prompt, so nobody can be asked.", "Correct the file.")
    return merged(messages)


@contextmanager
def _appending(out: Path) -> Iterator[Callable[[JsonObject], None]]:
    """Append lines, each on the disk before the next; a line torn by a kill is cut off first."""
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("a+b") as stream:
            stream.seek(0)
            whole = stream.read().rfind(b"\n") + 1
            stream.truncate(whole)
            stream.seek(0, os.SEEK_END)

            def write(line: JsonObject) -> None:
                stream.write(f"{to_json(line)}\n".encode())
                stream.flush()
                os.fsync(stream.fileno())

            yield write
    except OSError as exc:
        raise StoreError(
            f"{out} cannot be written: {exc.strerror or exc}.", "Free some space or choose another place."
        ) from exc
