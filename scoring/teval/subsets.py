"""The eight files of items that are cut from a verified solution (teval 3)."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from enum import StrEnum

from pydantic import JsonValue

from scoring.formats.chat.messages import text_message
from scoring.groups import keyed
from scoring.model.record import JsonObject, to_text
from scoring.model.taxonomy import ReviewLabel
from scoring.teval.evaluators import FINISH, TEMPLATE_MARKS
from scoring.teval.names import escape_name
from scoring.teval.solutions import GoldStep, Solution, SolutionStep, gold_path, is_empty


class Subset(StrEnum):
    """A file of items (teval 3.2)."""

    INSTRUCT = "instruct"
    PLAN_JSON = "plan_json"
    PLAN_STR = "plan_str"
    REASON_STR = "reason_str"
    RETRIEVE_STR = "retrieve_str"
    UNDERSTAND_STR = "understand_str"
    RRU_JSON = "rru_json"
    REVIEW_STR = "review_str"


Items = dict[Subset, dict[str, JsonObject]]
"""The items of each file by their ids."""

LEAST_PLAN = 2
"""Steps a gold plan has at least (teval 12, no. 9)."""

_FIELDS = ("name", "description", "required_parameters", "optional_parameters", "return_data")
_KEYS = (("goal", "name", "args"), ("thought", "tool", "parameters"), ("reason", "api", "inputs"))
_MARKS = (
    ("goal:", "\n\n", "name:", "\n\n", "args:", ""),
    ("Thought:", "\n", "Call:", "\n", "Inputs:", ""),
    ("<why>", "</why>\n", "<api>", "</api>\n", "<args>", "</args>"),
)
_PLAN_JSON = """\
Given the user's request, write the complete ordered list of calls you would make. Reply with a JSON array \
only. Each element has three fields: "id", the position counted from 0 (number); "name", the API name \
(text); "args", the arguments as one text value that holds a Python dict literal with single quotes inside.
Form: [{"id": 0, "name": "Kit.first", "args": "{'key': 'value'}"}, \
{"id": 1, "name": "Kit.second", "args": "{'n': 3}"}]
Guess values you cannot know yet. Leave out arguments that have no value. Write every step; add no other \
text."""
_PLAN_STR = """\
Given the user's request, write the complete ordered list of calls you would make, one numbered line per \
call. Form of a line: Call <API name> with <parameter> = <value>, <parameter> = <value>
Name exactly one API per line. Guess values you cannot know yet. Add no other text."""
_JOINT = """\
Reply with one JSON object only, of the form {"thought": text, "name": tool name, "args": object}. Use an \
empty object as args for FinishAction."""
_REVIEW = """You get a task and the reply of the tool that was used for it, laid out as
Goal: what the step is meant to achieve
Name: the tool that was called
Args: the arguments it was given
Response: what it returned
Decide how the step ended and pick one option:
A: Success - the response achieves the goal.
B: Internal Error - the tool itself broke or could not be reached.
C: Input Error - the wrong tool was called, or its arguments are wrong or missing.
D: Irrelevant Response - the tool answered, but the answer does not fit what the tool is documented to \
return or is unclear.
E: Unable to Accomplish - the response says the task cannot be done, or it is empty.
Take places, dates and identifiers in Args and Response as right; do not judge them.
Reply with one line: Answer: <letter>"""
_BROKEN_TOOL: tuple[JsonObject, ...] = (
    {"error": "503 service unavailable"},
    {"error": "connection reset by peer"},
    {"error": "unhandled exception inside the tool"},
    {"error": "upstream timed out after 30 s"},
    {"error": "storage backend unreachable"},
)
_NOTHING: tuple[JsonValue, ...] = ({}, [], {"result": None}, {"message": "nothing matches the request"})
_TRUSTED = frozenset(
    ("place", "city", "location", "address", "country", "date", "time", "day", "start", "end", "id")
)
"""Parameters that the prompt tells the model to trust."""


def write_items(solution: Solution) -> Items:
    """Cut every item a solution allows (teval 3.5); what it lacks is said by `missing_subsets`.

    Args:
        solution: One that breaks no rule.
    """
    path = gold_path(solution)
    files: Items = {subset: {} for subset in Subset}
    files[Subset.INSTRUCT] = _instruct(solution, path)
    if len(path) >= LEAST_PLAN:
        files[Subset.PLAN_JSON] = {f"{solution.case_id}_plan_json": _plan_json(solution, path)}
        files[Subset.PLAN_STR] = {f"{solution.case_id}_plan_str": _plan_str(solution, path)}
    if not missing_history(solution, path):
        _add_steps(files, solution, path)
    files[Subset.REVIEW_STR] = _review(solution)
    return files


def missing_history(solution: Solution, path: Sequence[GoldStep]) -> str | None:
    """What keeps the steps of a solution from being told one after another; None where nothing does."""
    for step in path:
        if not step.thought.strip():
            return f"V4: step {step.number} has no thought"
        if is_empty(step.observation):
            return f"step {step.number} has no observation"
    return None


def missing_review(step: SolutionStep) -> str | None:
    """What keeps a step from being asked about in REVIEW; None where nothing does."""
    if step.label is None:
        return "no review label"
    return None if step.thought.strip() else "V4: no thought"


def _pick(text: str) -> int:
    """A number that takes the place of chance: the first 8 bytes of the SHA-256 of a text."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _document(tool: JsonObject) -> str:
    return _json({field: tool[field] for field in _FIELDS})


def _documents(solution: Solution) -> str:
    return "\n".join(map(_document, solution.tools))


def merged(messages: Sequence[JsonObject]) -> list[JsonObject]:
    """Join neighbours of one role with a line feed between them (teval 3.3)."""
    found: list[JsonObject] = []
    for message in messages:
        if found and found[-1]["role"] == message["role"]:
            found[-1] = {**found[-1], "content": f"{found[-1]['content']}\n{message['content']}"}
        else:
            found.append(message)
    return found


def _item(
    messages: Sequence[JsonObject], gold: JsonValue, about: JsonObject, **more: JsonValue
) -> JsonObject:
    return {"origin_prompt": list(merged(messages)), **more, "ground_truth": gold, "meta_data": about}


@keyed
def _instruct(solution: Solution, path: Sequence[GoldStep]) -> Iterator[tuple[str, JsonObject]]:
    documents = {tool["name"]: _document(tool) for tool in solution.tools}
    for i, step in enumerate(path):
        for form, layout, show in (("json", _json_layout, _json), ("string", _text_layout, repr)):
            name = f"{solution.case_id}_instruct_{i}_{form}"
            template, words = layout(_pick(name))
            values = "; ".join(f"{key} = {show(value)}" for key, value in step.args.items())
            request = f"Make a call to {step.name}" + (
                f" using these argument values: {values}." if step.args else ". It takes no arguments."
            )
            system = f"This API is available:\n{documents[step.name]}\n{words}"
            yield (
                name,
                _item(
                    [text_message("system", system), text_message("user", request)],
                    {"action": step.name, "args": step.args},
                    {"response_format": form, "case_id": solution.case_id, "step": i},
                    template=template,
                ),
            )


def _json_layout(number: int) -> tuple[JsonObject, str]:
    why, name, args = _KEYS[number % 3]
    return {"thought": why, "action": name, "args": args}, (
        "Write the call as one JSON object with exactly these fields:\n"
        f'{{"{why}": why the call is made (text), "{name}": the API name (text), '
        f'"{args}": the arguments (object)}}\n'
        "Output the object only."
    )


def _text_layout(number: int) -> tuple[JsonObject, str]:
    marks = _MARKS[number % 3]
    return dict(zip(TEMPLATE_MARKS, marks, strict=True)), (
        "Write the call as plain text in exactly this layout, keeping labels and line breaks:\n"
        f"{marks[0]}why the call is made{marks[1]}{marks[2]}API name{marks[3]}"
        f"{marks[4]}arguments as a Python dict literal on one line{marks[5]}"
    )


def _plan_messages(solution: Solution, words: str) -> list[JsonObject]:
    system = f"You can use these APIs:\n{_documents(solution)}\n{words}"
    return [text_message("system", system), *solution.earlier, text_message("user", solution.query)]


def _plan_meta(solution: Solution, path: Sequence[GoldStep], form: str) -> JsonObject:
    return {"response_format": form, "case_id": solution.case_id, "deps": [list(step.deps) for step in path]}


def _plan_json(solution: Solution, path: Sequence[GoldStep]) -> JsonObject:
    return _item(
        _plan_messages(solution, _PLAN_JSON),
        [{"id": i, "name": step.name, "args": repr(step.args)} for i, step in enumerate(path)],
        _plan_meta(solution, path, "json"),
        meta={"prompt_type": "json"},
    )


def _plan_str(solution: Solution, path: Sequence[GoldStep]) -> JsonObject:
    names: list[JsonValue] = [str(tool["name"]) for tool in solution.tools]
    names.sort(key=lambda name: -len(str(name)))
    return _item(
        _plan_messages(solution, _PLAN_STR),
        [{"id": i, "name": step.name, "args": _call_line(step)} for i, step in enumerate(path)],
        _plan_meta(solution, path, "str"),
        meta={"prompt_type": "str", "API_list": names},
    )


def _call_line(step: GoldStep) -> str:
    values = ", ".join(f"{name} = {to_text(value)}" for name, value in step.args.items())
    return f"Call {step.name} with {values}" if values else f"Call {step.name}"


def _add_steps(files: Items, solution: Solution, path: Sequence[GoldStep]) -> None:
    steps = list(path)
    if solution.final_thought:
        steps.append(
            GoldStep(
                number=len(solution.steps),
                thought=solution.final_thought,
                name=FINISH,
                args={},
                deps=tuple(range(len(path))),
            )
        )
    system = (
        f"You answer requests with the help of tools. Tools:\n{_documents(solution)}\n"
        "When nothing is left to look up or do, choose FinishAction to give the final reply."
    )
    opening = [*solution.earlier, text_message("user", solution.query)]
    told: list[JsonObject] = [text_message("system", system), *opening]
    objects: list[JsonObject] = [text_message("system", f"{system}\n{_JOINT}"), *opening]
    for i, step in enumerate(steps):
        meta = {"case_id": solution.case_id, "step": i, **_ready(steps, i)}
        name = f"{solution.case_id}_{{}}_{i}"
        object_form: JsonObject = {"thought": step.thought, "name": step.name, "args": step.args}
        told.append(text_message("user", "State your thought for the current step."))
        reason = _item(told, {"thought": step.thought}, {"response_format": "str", **meta})
        told += [
            text_message("assistant", step.thought),
            text_message("user", "Which tool do you call at the current step? Give its name only."),
        ]
        retrieve = _item(told, {"name": step.name}, {"response_format": "str", **meta})
        if not step.shared_thought:
            files[Subset.REASON_STR][name.format("reason")] = reason
            files[Subset.RETRIEVE_STR][name.format("retrieve")] = retrieve
            files[Subset.RRU_JSON][name.format("rru")] = _item(
                objects, object_form, {"response_format": "json", **meta}
            )
        told.append(text_message("assistant", step.name))
        for parameter, value in step.args.items():
            told.append(
                text_message(
                    "user",
                    f"Give the value of '{parameter}' for the tool of the current step. Give the value only.",
                )
            )
            files[Subset.UNDERSTAND_STR][f"{name.format('understand')}_{escape_name(parameter)}"] = _item(
                told, {"args": to_text(value)}, {"response_format": "str", "param": parameter, **meta}
            )
            told.append(text_message("assistant", to_text(value)))
        told.append(text_message("function", to_text(step.observation)))
        objects += [
            text_message("assistant", _json(object_form)),
            text_message("function", to_text(step.observation)),
        ]


def _ready(steps: Sequence[GoldStep], done: int) -> JsonObject:
    """The tools one could call next: those of steps that wait for nothing any more."""
    names: list[JsonValue] = sorted(
        {step.name for step in steps[done:] if all(dep < done for dep in step.deps)}
    )  # type: ignore[assignment]
    return {"ready": names, "ambiguous": len(names) > 1}


@keyed
def _review(solution: Solution) -> Iterator[tuple[str, JsonObject]]:
    for number, step in enumerate(solution.steps):
        if missing_review(step) or step.label is None:
            continue
        meta: JsonObject = {"response_format": "str", "case_id": solution.case_id, "step": number}
        yield (
            f"{solution.case_id}_review_{number}",
            _review_item(step, step.args, step.observation, step.label, {**meta, "kind": "recorded"}),
        )
        if step.label is ReviewLabel.SUCCESS:
            negative, label, args, response = altered_call(solution, number)
            yield negative, _review_item(step, args, response, label, {**meta, "kind": "derived"})


def _review_item(
    step: SolutionStep, args: JsonObject, response: JsonValue, label: ReviewLabel, meta: JsonObject
) -> JsonObject:
    lines = f"Goal: {step.thought}\nName: {step.name}\nArgs: {_json(args)}\nResponse: {_json(response)}"
    return _item(
        [text_message("system", _REVIEW), text_message("user", lines)],
        {"answer": label.letter},
        meta,
        template={},
    )


def altered_call(solution: Solution, number: int) -> tuple[str, ReviewLabel, JsonObject, JsonValue]:
    """The altered item of a successful step: its id, how the call ends in it, its arguments and response."""
    name = f"{solution.case_id}_review_{number}_neg"
    return name, *_altered(solution, solution.steps[number], _pick(name))


def sample_order(name: str) -> int:
    """Where an item stands in the order that samples are taken in; the same for the same id."""
    return _pick(f"sample {name}")


def _altered(
    solution: Solution, step: SolutionStep, number: int
) -> tuple[ReviewLabel, JsonObject, JsonValue]:
    """Make a call fail in a way that the number chooses (teval 3.6)."""
    droppable = _droppable(solution, step)
    elsewhere = _irrelevant(solution, step)
    options = [ReviewLabel.INTERNAL]
    options += [ReviewLabel.INPUT] if droppable else []
    options += [ReviewLabel.IRRELEVANT] if elsewhere else []
    options.append(ReviewLabel.UNABLE)
    label, rest = options[number % len(options)], number // len(options)
    match label:
        case ReviewLabel.INTERNAL:
            return label, step.args, _BROKEN_TOOL[rest % len(_BROKEN_TOOL)]
        case ReviewLabel.INPUT:
            gone = droppable[rest % len(droppable)]
            args = {name: value for name, value in step.args.items() if name != gone}
            return label, args, {"error": f"missing required parameter '{gone}'"}
        case ReviewLabel.IRRELEVANT:
            return label, step.args, elsewhere[rest % len(elsewhere)]
        case _:
            return label, step.args, _NOTHING[rest % len(_NOTHING)]


def _droppable(solution: Solution, step: SolutionStep) -> list[str]:
    listed = next(tool for tool in solution.tools if tool["name"] == step.name)["required_parameters"]
    names = (
        [str(parameter["name"]) for parameter in listed if isinstance(parameter, dict)]
        if isinstance(listed, list)
        else []
    )
    return [
        name
        for name in names
        if name in step.args and name.lower() not in _TRUSTED and not name.lower().endswith("_id")
    ]


def _irrelevant(solution: Solution, step: SolutionStep) -> list[JsonValue]:
    """What other tools returned that says nothing about this call's arguments."""
    said = [text for value in step.args.values() if (text := to_text(value).lower())]
    return [
        other.observation
        for other in solution.steps
        if other.label is ReviewLabel.SUCCESS
        and other.name != step.name
        and not any(text in _json(other.observation).lower() for text in said)
    ]
