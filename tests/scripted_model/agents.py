"""Six agents for the scripted endpoint: one that does everything right, and five with one weakness each."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from scoring.matching.gold import Gold, prepare
from scoring.model.case import Call, Case
from scoring.orders.legal_orders import first_optimal_order
from tests.scripted_model.server import Asked, Script, Sent

Said = str | tuple[Call, ...]
"""What an agent says in one reply: a text, or calls."""
Agent = Callable[[Gold, int], Said]
"""Given a task and the number of its replies so far, says the next one."""

UNDECLARED = "made_up_option"
"""The argument the hallucinating agent adds."""


def perfect(gold: Gold, turn: int) -> Said:
    """Follows the first shortest order, with the gold arguments."""
    return _in_rounds(gold, first_optimal_order(gold.lattice), turn)


def serial_only(gold: Gold, turn: int) -> Said:
    """Never makes two calls at once."""
    one_by_one = [(step,) for steps in first_optimal_order(gold.lattice) for step in steps]
    return _in_rounds(gold, one_by_one, turn)


def parallel_happy(gold: Gold, turn: int) -> Said:
    """Makes all calls at once, whatever they wait for, then answers."""
    calls = tuple(call for _, call in gold.task.calls)
    return calls if calls and turn == 0 else _text(gold, gold.answer)


def asks_too_much(gold: Gold, turn: int) -> Said:
    """Asks a question first in every task; where one is due, that is right."""
    if gold.task.asks:
        return perfect(gold, turn)
    return "Could you tell me more?" if turn == 0 else perfect(gold, turn - 1)


def hallucinates_arguments(gold: Gold, turn: int) -> Said:
    """Does everything right, but adds an argument nobody declared to every call."""
    said = perfect(gold, turn)
    if isinstance(said, str):
        return said
    return tuple(
        call.model_copy(update={"arguments": {**call.arguments, UNDECLARED: "yes"}}) for call in said
    )


def stops_early(gold: Gold, turn: int) -> Said:
    """Answers after its first reply, whatever is left to do."""
    return perfect(gold, 0) if turn == 0 else _text(gold, gold.answer)


AGENTS: dict[str, Agent] = {
    "perfect": perfect,
    "serial-only": serial_only,
    "parallel-happy": parallel_happy,
    "asks-too-much": asks_too_much,
    "hallucinates": hallucinates_arguments,
    "stops-early": stops_early,
}


def _in_rounds(gold: Gold, rounds: Sequence[Sequence[int]], turn: int) -> Said:
    steps = rounds[min(turn, len(rounds) - 1)]
    calls = tuple(step for s in steps if isinstance(step := gold.task.steps[s], Call))
    return calls or _text(gold, steps[0])


def _text(gold: Gold, step: int) -> str:
    said = gold.task.steps[step]
    # A gold answer may be empty, and an empty reply is none.
    return "" if isinstance(said, Call) else said.text or "Done."


def script_of(agent: Agent, cases: Iterable[Case], *, tokens: tuple[int, int] | None = (100, 10)) -> Script:
    """Let an agent speak for the endpoint.

    It knows the task from the users' texts in the conversation, whatever else is in it, and answers with
    tool calls where tools were offered, by the prompt protocol where they were not.

    Args:
        agent: Who speaks.
        cases: What may be asked.
        tokens: Tokens each reply reports; null for none.
    """
    every = tuple(cases)

    def script(asked: Asked) -> Sent:
        case, number, turn = locate(every, asked.messages)
        said = agent(prepare(case, number), turn)
        in_prompt = any("<tool_calls>" in text for text in _contents(asked.messages, "system"))
        message = _as_text(said) if in_prompt else _as_message(said, turn)
        return Sent(message=message, tokens=tokens)

    return script


def locate(cases: Sequence[Case], messages: Sequence[dict[str, Any]]) -> tuple[Case, int, int]:
    """Find which task a conversation is about, and how often the assistant has spoken in it."""
    texts = [str(message["content"]) if message["role"] == "user" else None for message in messages]
    best: tuple[int, Case, int] | None = None
    for case in cases:
        position, reached = -1, -1
        for number, task in enumerate(case.tasks):
            found = next((i for i in range(position + 1, len(texts)) if _starts(texts[i], task.user)), None)
            if found is None or (number == 0 and any(texts[:found])):
                break
            position, reached = found, number
        if reached >= 0 and (best is None or position > best[0]):
            best = (position, case, reached)
    assert best is not None, f"no case begins with {next(filter(None, texts), None)!r}"
    position, case, reached = best
    turn = sum(message["role"] == "assistant" for message in messages[position:])
    return case, reached, turn


def _starts(text: str | None, request: str) -> bool:
    return text is not None and (text == request or text.startswith(f"{request}\n\nCurrent Date"))


def _contents(messages: Sequence[dict[str, Any]], role: str) -> list[str]:
    return [str(message["content"]) for message in messages if message["role"] == role]


def _as_message(said: Said, turn: int) -> dict[str, Any]:
    if isinstance(said, str):
        return {"role": "assistant", "content": said}
    calls = [
        {
            "id": f"call-{turn}-{i}",
            "type": "function",
            "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
        }
        for i, call in enumerate(said)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _as_text(said: Said) -> dict[str, Any]:
    if isinstance(said, str):
        return {"role": "assistant", "content": f"<think>Answer.</think>\nAssistant: {said}"}
    listed = json.dumps([{"name": call.name, "arguments": call.arguments} for call in said])
    return {"role": "assistant", "content": f"<think>Call.</think>\n<tool_calls>{listed}</tool_calls>"}
