"""BFCL's official files (formats 12): a question and the answer of its twin, rewritten as OpenAI messages."""

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import count
from pathlib import Path

from pydantic import JsonValue

from scoring.errors import InputError, existing, reworded
from scoring.formats.chat.messages import call_message, call_part, text_message
from scoring.formats.containers import open_unpacked, pieces
from scoring.formats.fields import list_at, object_at, same_count, text_at
from scoring.formats.foreign import Foreign, ForeignError
from scoring.model.flow import escape
from scoring.model.record import JsonObject, items_in, members_in
from scoring.model.strict_json import parse

KEY = "bfcl"
"""The key of a case's extras under which the rest of a record stands, its accepted values included."""

ANSWERS_FOLDER = "possible_answer"
"""The folder beside a file of questions with the file of their answers, which has the same name."""

LOST = (
    "BFCL records no results and no final answers; a function that is held back until a later turn "
    "is among the tools from the beginning."
)
FUNCTION_FILES = {
    "GorillaFileSystem": "gorilla_file_system",
    "MathAPI": "math_api",
    "MessageAPI": "message_api",
    "TwitterAPI": "posting_api",
    "TicketAPI": "ticket_api",
    "TradingBot": "trading_bot",
    "TravelAPI": "travel_booking",
    "VehicleControlAPI": "vehicle_control",
}
"""The simulators of the multi-turn questions, and the files that document their functions."""

MORE_FUNCTIONS = "More functions are available now. Please go on with what I asked for last."
"""What we write for a turn in which the user says nothing and gets the functions that were held back."""

WrittenCall = tuple[str, JsonObject, JsonObject]
"""The name of a call, its arguments, and what is accepted besides (formats 10.2)."""
_FUNCTIONS = "multi_turn_func_doc"
_AGENTIC = Foreign(
    "BFCL memory or web search",
    "It judges a final text, which has no calls to annotate, over tools that need a live service.",
)
_NO_ANSWERS = Foreign(
    "BFCL questions without their answers",
    f"Put the official file of the same name into the folder {ANSWERS_FOLDER} beside this one.",
)
_NO_FUNCTIONS = Foreign(
    "BFCL multi-turn questions without their functions",
    f"Put the official folder {_FUNCTIONS} beside this file.",
)


def is_question(record: JsonObject) -> bool:
    """Whether a record is a question of BFCL."""
    return "question" in record and ("function" in record or "involved_classes" in record)


def chats(records: Sequence[JsonObject], path: Path) -> Iterator[JsonObject]:
    """Rewrite questions as `rewritten` does."""
    yield from (rewritten(record, path) for record in records)


def rewritten(record: JsonObject, path: Path) -> JsonObject:
    """Rewrite a question as OpenAI messages, with the calls of its answer.

    Of several accepted values the first becomes the argument, and one that may be left out is left out;
    the others are accepted values of the call, and all stand under `bfcl`. The calls of a single turn share
    a round, those of several turns follow one another. A turn that needs no call ends with an empty text:
    the file does not have it.

    Args:
        record: As the file has it, or with the answer under `ground_truth`.
        path: The file; answers and documents of functions lie in folders beside it.

    Raises:
        InputError: There is no answer to the question, or one that cannot be read.
        ForeignError: The question is of another kind, or the files beside it are missing.
    """
    case_id = text_at(record.get("id"), "id")
    tools = _tools(record, path)
    answers = _answers(record, case_id, path)
    turns = _turns(record["question"])
    rounds = _rounds(answers, tools, turns=len(turns), is_single="involved_classes" not in record)
    ids = count(1)
    messages: list[JsonValue] = []
    for said, calls in zip(turns, rounds, strict=True):
        messages += said or [text_message("user", MORE_FUNCTIONS)]
        for together in calls:
            parts = [
                call_part(f"call_{next(ids)}", name, arguments) | ({"accepted": accepted} if accepted else {})
                for name, arguments, accepted in together
            ]
            messages.append(call_message(None, parts, legacy=False))
        if answers is not None and not calls:
            messages.append(text_message("assistant", ""))
    kept = {key: value for key, value in record.items() if key not in ("id", "question", "function")}
    return {
        "id": case_id,
        "tools": [{"type": "function", "function": tool} for tool in tools],
        "messages": messages,
        KEY: kept | {"ground_truth": answers} if answers else kept,
    }


def _turns(question: JsonValue) -> list[list[JsonValue]]:
    """The messages of each turn; the first edition had one text, or one turn without a list around it."""
    if isinstance(question, str):
        return [[text_message("user", question)]]
    turns = list_at(question, "question")
    if turns and isinstance(turns[0], dict):
        return [turns]
    return [list_at(turn, f"question[{t}]") for t, turn in enumerate(turns)]


def _tools(record: JsonObject, path: Path) -> list[JsonObject]:
    """The functions a question is asked with.

    Raises:
        ForeignError: They are those of a live service, or no document of them lies beside the file.
    """
    listed = record.get("function")
    if listed is None:
        names = [str(name) for name in list_at(record["involved_classes"], "involved_classes")]
        if not FUNCTION_FILES.keys() >= set(names):
            raise ForeignError(_AGENTIC)
        files = [path.parent / _FUNCTIONS / f"{FUNCTION_FILES[name]}.json" for name in names]
        if not all(file.is_file() for file in files):
            raise ForeignError(_NO_FUNCTIONS)
        listed = [function for file in files for function in _rows(file).values()]
    functions = [object_at(one, "function") for one in (listed if isinstance(listed, list) else [listed])]
    excluded = list_at(record.get("excluded_function", []), "excluded_function")
    return [function for function in functions if function.get("name") not in excluded]


def _answers(record: JsonObject, case_id: str, path: Path) -> list[JsonValue] | None:
    """The calls that answer a question, of each turn where it has several; None where nobody knows them.

    Raises:
        InputError: The answers lack this one.
        ForeignError: No file of answers lies beside the file.
    """
    own = record.get("ground_truth")
    if own is not None:
        return list_at(own, "ground_truth")
    if "relevance" in case_id:
        return [] if "irrelevance" in case_id else None
    twin = path.parent / ANSWERS_FOLDER / path.name.removesuffix(".gz")
    if not twin.is_file():
        raise ForeignError(_NO_ANSWERS)
    row = existing(
        _rows(twin).get(case_id),
        InputError(
            f"{ANSWERS_FOLDER}/{twin.name} has no answer to {case_id[:60]!r} that can be read.",
            "Take both files from the same version.",
        ),
    )
    return list_at(row.get("ground_truth"), "ground_truth")


def _rows(path: Path) -> Mapping[str, JsonObject]:
    """The objects of a file beside another one, by id or name; what is none is left out. It is read once."""
    return _read_rows(path, path.stat().st_mtime_ns)


@lru_cache(16)
def _read_rows(path: Path, changed: int) -> Mapping[str, JsonObject]:
    rows: dict[str, JsonObject] = {}
    with open_unpacked(path, most_bytes=2**28) as stream:
        for piece in pieces(stream):
            with suppress(InputError, UnicodeDecodeError):
                row = object_at(parse((piece.text or b"").decode()), path.name)
                rows.setdefault(str(row.get("id", row.get("name"))), row)
    return rows


def _rounds(
    answers: list[JsonValue] | None, tools: Sequence[JsonObject], *, turns: int, is_single: bool
) -> list[list[list[WrittenCall]]]:
    """The rounds of calls that answer each turn: in a single turn they are one, else each call is one.

    Raises:
        InputError: A call cannot be read, or there are not as many answers as turns.
    """
    schemas = {str(tool.get("name")): tool.get("parameters") for tool in reversed(tools)}
    if answers is None or answers == []:
        return [[] for _ in range(turns)]
    if is_single:
        given = [item for one in answers for item in object_at(one, "ground_truth").items()]
        return [[[single_call(name, accepted, schemas.get(name)) for name, accepted in given]]]
    same_count(len(answers), "ground_truth", expected=turns)
    texts = [list_at(turn, f"ground_truth[{t}]") for t, turn in enumerate(answers)]
    return [[[written_call(text_at(one, "ground_truth"), schemas)] for one in turn] for turn in texts]


def single_call(name: str, accepted: JsonValue, schema: JsonValue) -> WrittenCall:
    """A call out of accepted values: the first of each, without those that may be left out, and the others.

    Args:
        name: Its tool.
        accepted: For each argument the list of its accepted values, in which "" says it may be left out.
        schema: The JSON schema of the parameters; what it requires is never left out.

    Raises:
        InputError: The arguments are no object.

    Example:
        >>> single_call("area", {"base": [10, 11], "unit": ["units", ""]}, {"required": ["base"]})[1:]
        ({'base': 10}, {'/base': {'values': [11]}, '/unit': {'values': ['units'], 'optional': True}})
    """
    others: JsonObject = {}
    required = items_in(members_in(schema).get("required"))
    return name, _chosen(object_at(accepted, "ground_truth"), required, "", others), others


def _chosen(accepted: JsonObject, required: Sequence[JsonValue], path: str, others: JsonObject) -> JsonObject:
    """The first accepted value of each member of an object; the others go to `others`, by their place."""
    taken: JsonObject = {}
    for name, values in accepted.items():
        at = f"{path}/{escape(name)}"
        listed = values if isinstance(values, list) else [values]
        is_optional = "" in listed and name not in required
        said = [one for one in listed if one != ""] or listed[:1]
        if said and not is_optional:
            taken[name] = _plain(said[0], at, others)
        rest = [_plain(one, at, {}) for one in (said if is_optional else said[1:]) if one != ""]
        rule: JsonObject = ({"values": rest} if rest else {}) | ({"optional": True} if is_optional else {})
        if rule:
            others[at] = rule
    return taken


def _plain(value: JsonValue, path: str, others: JsonObject) -> JsonValue:
    """A value whose inner objects have lists of accepted values, too, with the first of each."""
    if isinstance(value, list):
        return [_plain(item, f"{path}/{i}", others) for i, item in enumerate(value)]
    return _chosen(value, (), path, others) if isinstance(value, dict) else value


def written_call(text: str, schemas: Mapping[str, JsonValue]) -> WrittenCall:
    """A call that is written as Python; arguments without a name get those of the schema, in its order.

    Raises:
        InputError: It is something else, or has a value that is no literal.
    """
    with reworded(
        SyntaxError,
        ValueError,
        TypeError,
        RecursionError,
        MemoryError,
        into=lambda _: InputError(
            f"ground_truth has {text[:80]!r}, which is no call with literal values.",
            "Write it as name(argument=value).",
        ),
    ):
        call = ast.parse(text, mode="eval").body
        if not isinstance(call, ast.Call) or any(word.arg is None for word in call.keywords):
            raise ValueError("no call with arguments one by one")
        name = ast.unparse(call.func)
        names = list(members_in(members_in(schemas.get(name)).get("properties")))
        placed = zip(names[: len(call.args)], call.args, strict=True)
        named = [*placed, *((str(word.arg), word.value) for word in call.keywords)]
        arguments = {key: ast.literal_eval(value) for key, value in named}
        return name, json.loads(json.dumps(arguments, allow_nan=False)), {}
