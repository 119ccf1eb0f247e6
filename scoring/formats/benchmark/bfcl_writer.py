"""Cases as questions of BFCL with their accepted values (formats 12), as its own checker reads them."""

from collections.abc import Iterator, Mapping

from pydantic import JsonValue

from scoring.errors import InputError
from scoring.formats.benchmark.bfcl import KEY, MORE_FUNCTIONS, single_call, written_call
from scoring.formats.chat import openai
from scoring.formats.chat.messages import text_message
from scoring.formats.fields import list_at, object_at
from scoring.groups import grouped, keyed
from scoring.model.case import AcceptedValue, Call, Case
from scoring.model.flow import escape, unescape
from scoring.model.record import JsonObject, items_in, members_in, to_text


def write(case: Case) -> JsonObject:
    """Write a case as a question with its answer under `ground_truth`; what people accepted is kept.

    Raises:
        InputError: BFCL cannot hold the case, with the reason.
    """
    kept = dict(members_in(case.extras.get(KEY)))
    before = items_in(kept.pop("ground_truth", None))
    tools = [object_at(tool.definition.get("function", tool.definition), "function") for tool in case.tools]
    line: JsonObject = {"id": case.id, "question": [], "function": list(tools), **kept}
    if "involved_classes" in kept:
        asked = [
            [] if task.user == MORE_FUNCTIONS else [text_message("user", task.user)] for task in case.tasks
        ]
        texts = [item for turn in before if isinstance(turn, list) for item in turn]
        as_text = {_mark(*written_call(str(text), _schemas(case))[:2]): text for text in texts}
        written: list[JsonValue] = [
            [as_text.get(_mark(one.name, one.arguments), _text_of(one)) for _, one in task.calls]
            for task in case.tasks
        ]
        return line | {"question": [list(turn) for turn in asked], "ground_truth": written}
    line["question"] = [_question(case)]
    answers = accepted_calls(case)
    return line | ({"ground_truth": [*answers]} if answers else {})


def accepted_calls(case: Case) -> list[JsonObject]:
    """The calls of a single turn, each by its name with the accepted values of its arguments.

    They are those of the file where nobody has changed the call or what it accepts.
    """
    schemas = _schemas(case)
    before = items_in(members_in(case.extras.get(KEY)).get("ground_truth"))
    items = [item for one in before if isinstance(one, dict) for item in one.items()]
    read = [(single_call(name, values, schemas.get(name)), values) for name, values in items]
    known = grouped((_mark(name, arguments), (others, values)) for (name, arguments, others), values in read)
    answers: list[JsonObject] = []
    for _, call in case.tasks[-1].calls:
        of_call = known.get(_mark(call.name, call.arguments), [])
        same = next((one for one in of_call if call.accepted in (None, one[0])), None)
        if same:
            of_call.remove(same)
        answers.append({call.name: same[1] if same else _members(call.arguments, call.accepts)})
    return answers


def _schemas(case: Case) -> dict[str, JsonValue]:
    return {tool.name: tool.original_parameters for tool in reversed(case.tools)}


def _question(case: Case) -> list[JsonValue]:
    """The messages of a single turn, up to its calls.

    Raises:
        InputError: There is more than one round of calls, or none in a question that needs one.
    """
    system = openai.full_system_text(case)
    messages = list_at(openai.write(case, {})["messages"], "messages")
    called = [i for i, message in enumerate(messages) if "tool_calls" in object_at(message, "messages")]
    last = [i for i, message in enumerate(messages) if object_at(message, "messages")["role"] == "user"][-1]
    if len(called) > 1 or (called and called[0] < last) or (not called and "relevance" not in case.id):
        raise InputError(
            f"Case {case.id} is no single request that is answered by one round of calls, and several turns "
            "are held over BFCL's own simulators alone.",
            "Export it as openai, huggingface or native.",
        )
    return [*([text_message("system", system)] if system else []), *messages[: last + 1]]


def _mark(name: str, arguments: JsonObject) -> str:
    return to_text([name, arguments])


def _text_of(call: Call) -> str:
    return f"{call.name}({', '.join(f'{name}={value!r}' for name, value in call.arguments.items())})"


@keyed
def _members(
    value: JsonObject, rules: Mapping[str, AcceptedValue], path: str = ""
) -> Iterator[tuple[str, JsonValue]]:
    """An object with the list of accepted values for each of its members, and for those left out."""
    absent = [at for at in rules if at.rpartition("/")[0] == path]
    for name in dict.fromkeys([*value, *(unescape(at.rpartition("/")[2]) for at in absent)]):
        at = f"{path}/{escape(name)}"
        rule = rules.get(at, AcceptedValue())
        first = [_accepted(value[name], rules, at)] if name in value else []
        yield name, [*first, *(_accepted(one, {}, "") for one in rule.values), *([""] * rule.optional)]


def _accepted(value: JsonValue, rules: Mapping[str, AcceptedValue], path: str) -> JsonValue:
    """A value with a list of the accepted values for each field of its objects."""
    if isinstance(value, list):
        return [_accepted(item, rules, f"{path}/{i}") for i, item in enumerate(value)]
    return _members(value, rules, path) if isinstance(value, dict) else value
