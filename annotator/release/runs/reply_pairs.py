"""The replies of two runs to one task, as a judge model is shown them: in both orders."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from string import Template

from annotator.jobs import JobContext
from annotator.llm import ChatClient
from annotator.release.runs.task_replies import Runs, TakenTask, taken_by
from annotator.resources import resource_text
from scoring.errors import InputError
from scoring.golds import GoldSet
from scoring.history import offered_tools, opening_messages, reply_messages, with_call_ids
from scoring.matching.gold import Gold
from scoring.measures.sample import Key
from scoring.model.record import JsonObject, sha256_of, to_json
from scoring.model.taxonomy import Protocol
from scoring.prediction_files import recorded_setting


@dataclass(frozen=True)
class Question:
    """What is asked of a judge model: which of two runs answered a task better, in this order."""

    key: Key
    first: str
    second: str
    prompt: str = field(repr=False)

    def sha256(self, client: ChatClient) -> str:
        """By which the question is known again: judge model, sampling and prompt."""
        sampling = client.sampling.model_dump(mode="json", exclude_none=True)
        return sha256_of({"model": client.endpoint.model, "sampling": sampling, "prompt": self.prompt})


@dataclass(frozen=True)
class ReplyPair:
    """One task of the baseline and of another run; the questions in both orders, none for equal replies."""

    baseline: TakenTask
    run: TakenTask
    questions: tuple[Question, ...]


def check_protocols(files: Sequence[Path]) -> None:
    """Refuse runs that were shown different dialogues: what they answered is not the same (scoring 11).

    Args:
        files: Their predictions; a file that does not say is taken as the scorer takes it.

    Raises:
        InputError: They differ; names two of them.
    """
    told = {recorded_setting([file]).get("protocol") or Protocol.WILDTOOL.value: file.name for file in files}
    if len(told) > 1:
        (one, first), (other, second) = list(told.items())[:2]
        raise InputError(
            f"{first} was asked under protocol {one}, {second} under {other}.", "Name runs of one protocol."
        )


def pairs_of(gold: GoldSet, runs: Runs, *, context: JobContext) -> dict[str, dict[Key, ReplyPair]]:
    """The tasks that the first run and each other one answered, by the name of the other.

    Raises:
        InputError: There are fewer than two runs, or one answers other cases.
    """
    if len(runs) < 2:
        raise InputError("There is nothing to compare.", "Name a baseline and at least one other run.")
    for name, predictions in runs.items():
        hashes = {one.cases_sha256 for one in predictions.values()} - {None}
        if hashes - {gold.cases_sha256} or not any(case in gold.cases for case, _ in predictions):
            raise InputError(
                f"{name} does not answer the cases of the release.", "Name runs of this release."
            )
    baseline, *others = runs
    found: dict[str, dict[Key, ReplyPair]] = {name: {} for name in others}
    for key in context.each(gold.golds, "reading the replies"):
        taken = {one.run: one for one in taken_by(gold, key, runs) if one.match and one.match.replies}
        for name in others:
            if baseline in taken and name in taken:
                found[name][key] = _pair(gold, key, taken[baseline], taken[name])
    return found


def _pair(gold: GoldSet, key: Key, one: TakenTask, other: TakenTask) -> ReplyPair:
    texts = {one.run: _reply_text(gold.golds[key], one), other.run: _reply_text(gold.golds[key], other)}
    if texts[one.run] == texts[other.run]:
        return ReplyPair(one, other, ())
    template = Template(resource_text("prompts", "preference.txt"))
    case = gold.cases[key[0]]
    shown = {
        "tools": "\n".join(to_json(tool["function"]) for tool in offered_tools(case)),
        "dialogue": "\n".join(map(_line, opening_messages(case, key[1], protocol=Protocol.C3))),
    }
    return ReplyPair(
        one,
        other,
        tuple(
            Question(key, a, b, template.substitute(shown, first=texts[a], second=texts[b]))
            for a, b in ((one.run, other.run), (other.run, one.run))
        ),
    )


def _reply_text(gold: Gold, taken: TakenTask) -> str:
    """The whole reply: every text, call and result, up to where the run ended."""
    match = taken.match
    lines: list[str] = []
    for turn, reply in enumerate(match.replies if match else ()):
        lines += [_line({"role": "assistant", "content": reply.content})] if reply.content else []
        lines += [f"call: {call.name or '?'}({call.arguments or ''})" for call in reply.tool_calls]
        if match:
            named = with_call_ids(reply, gold, turn=turn)
            lines += map(_line, reply_messages(gold, named, match.outcomes[turn])[1:])
    return "\n".join(lines) or "(empty)"


def _line(message: JsonObject) -> str:
    calls = message.get("tool_calls")
    made = f" {to_json(calls)}" if calls else ""
    return f"{message['role']}: {message.get('content') or ''}{made}"
