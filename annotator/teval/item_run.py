"""Asking a model the items of T-Eval: several at once, resumable, each reply kept as it came."""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from annotator.files import appending
from annotator.jobs import JobContext
from annotator.llm import ChatClient, ModelError
from annotator.llm.work_queue import FailureCount, WorkQueue
from scoring.errors import InputError, filled
from scoring.model.record import JsonObject, Record, items_in, members_in, to_json
from scoring.teval.items import ItemKey, ItemSet, read_lines
from scoring.teval.replies import clean_reply
from scoring.teval.subsets import Subset, merged

_Asked = tuple[Subset, str, list[JsonObject]]
"""An item and its prompt."""
_Heard = tuple[JsonObject, ModelError | None]
"""What is kept of an item, and the failure where there was one."""


class ItemRun(Record):
    """How a run stands: of `total` items `answered` have a reply, `resumed` of them from earlier sittings."""

    total: int
    resumed: int
    answered: int
    failed: int


def run_items(
    item_set: ItemSet, client: ChatClient, *, out: Path, context: JobContext, concurrency: int = 4
) -> ItemRun:
    """Ask a model every item that has no reply yet, and append the replies to a file.

    Args:
        item_set: The items.
        client: The model; it stays open.
        out: One JSON object a line: `subset`, `item`, `model`, the cleaned `prediction`, the `reply` as it
            came.
        context: Progress in items, and cancellation, which keeps what was answered.
        concurrency: How many items are asked at once.

    Raises:
        InputError: The file answers other items or is of another model, or an item has no prompt.
        ModelError: The endpoint cannot be used or keeps failing; the same call goes on later.
        JobCancelled: The context was cancelled; replies under way are kept, too, unless it was left.
        StoreError: The file cannot be written.
    """
    hashed = item_set.sha256
    model = client.endpoint.model
    known = _known(out, hashed, model)
    todo = [
        (subset, name, _chat(body, f"{subset} {name}"))
        for subset, items in item_set.items.items()
        for name, body in items.items()
        if (subset, name) not in known
    ]
    counts = Counter(answered=len(known))
    left = iter(todo)
    failures = FailureCount("item")

    def ask(asked: _Asked, tell: Callable[[_Heard], None]) -> None:
        subset, name, messages = asked
        line: JsonObject = {"subset": subset.value, "item": name, "items_sha256": hashed, "model": model}
        try:
            completion = client.ask(messages, stop=work.stop)
        except ModelError as exc:
            tell(({**line, "error": {"kind": exc.kind, "message": exc.message}}, exc))
            return
        content = completion.message.get("content")
        text = content if isinstance(content, str) else ""
        reply: JsonObject = {"prediction": clean_reply(text), "reply": text}
        tell(({**line, **reply, "finish_reason": completion.finish_reason}, None))

    work: WorkQueue[_Asked, _Heard] = WorkQueue(
        lambda: next(left, None), ask, thread_count=min(concurrency, len(todo)), name="teval"
    )
    with appending(out) as write:

        def keep(heard: Sequence[_Heard]) -> None:
            for line, error in heard:
                write(to_json(line))
                counts["answered" if error is None else "failed"] += 1

        def look(heard: Sequence[_Heard]) -> None:
            for _, error in heard:
                failures.heard(error)
            context.progress(counts.total(), len(item_set), "asking")

        work.run(keep, look, context=context)
    return ItemRun(
        total=len(item_set), resumed=len(known), answered=counts["answered"], failed=counts["failed"]
    )


def _known(out: Path, items_sha256: str, model: str) -> frozenset[ItemKey]:
    if not out.exists():
        return frozenset()
    replies, answered = read_lines(out, model=model)
    if answered not in (None, items_sha256):
        raise InputError(f"{out} answers other items.", "Name another file with -o.")
    return frozenset(replies)


def _chat(body: JsonObject, where: str) -> list[JsonObject]:
    """An item's prompt as an endpoint takes it: what a tool returned stands in the user's messages."""
    messages: list[JsonObject] = []
    for message in items_in(body.get("origin_prompt")):
        said = members_in(message)
        role, content = said.get("role"), said.get("content")
        if role not in ("system", "user", "assistant", "function") or not isinstance(content, str):
            raise InputError(f"{where}: origin_prompt is not a list of messages.", "Correct the file.")
        messages.append({"role": "user" if role == "function" else role, "content": content})
    return merged(
        filled(
            messages,
            InputError(f"{where} has no origin_prompt, so nobody can be asked.", "Correct the file."),
        )
    )
