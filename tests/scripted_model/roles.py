"""The five roles, played from a script: good enough for valid dialogues, with one mistake where told."""

import json
from collections.abc import Iterator, Sequence
from random import Random

from pydantic import JsonValue

from scoring.model.record import JsonObject
from tests.scripted_model.mistakes import Mistake
from tests.scripted_model.requests import Wish, purposes_in, read_request
from tests.scripted_model.scene import ANSWER, ASK, Scene, found_values, used_values
from tests.scripted_model.user import write_reply, write_tasks
from tests.scripted_model.values import make_value, properties_of, required_of, type_of, words_of
from tests.scripted_model.wordings import Binding

_MOST_FIELDS = 10


def play(scene: Scene, random: Random, mistake: Mistake | None = None) -> str:
    """Say what the role of a scene says next.

    Args:
        scene: The dialogue so far.
        random: Chooses words and values.
        mistake: What to do wrong, where the moment allows it.
    """
    if scene.role == "planner":
        return scene.wording.labels["planner"] + _fenced(_plan(scene, random, mistake))
    if scene.role == "tool":
        return scene.wording.labels["tool"] + _fenced(_results(scene, random, mistake))
    if scene.role == "checker" and '"choice"' in scene.rules:
        return _fenced({"choice": random.randint(1, 3)})
    if scene.role == "checker":
        verdict = "no" if mistake is Mistake.OBJECTS else "yes"
        return _fenced({"tool_call_analysis": scene.wording.checked, "correct": verdict})
    if scene.role == "user":
        asked = bool(scene.turns) and scene.turns[-1].speaker == "agent" and _name(scene.decision) == ASK
        return write_reply(scene, random) if asked else write_tasks(scene, random, mistake)
    return scene.wording.labels["agent"] + _spoken(scene)


def _fenced(value: JsonObject) -> str:
    return f"\n```json\n{json.dumps(value, ensure_ascii=False, indent=2)}\n```"


def _name(actions: Sequence[JsonObject]) -> str:
    return str(actions[0].get("name", "")) if actions else ""


# planner


def _plan(scene: Scene, random: Random, mistake: Mistake | None) -> JsonObject:
    wording = scene.wording
    said = [turn.text for turn in scene.task if turn.speaker == "user"]
    wishes = read_request(said[0] if said else "", said[1:], tools=scene.tools, wording=wording)
    rounds = sum(turn.speaker == "tool" for turn in scene.task)
    phases = sorted({wish.phase for wish in wishes})
    due = [wish for wish in wishes if phases[rounds : rounds + 1] == [wish.phase]]
    if due:
        plan, actions = _step(scene, random, wishes=wishes, due=due)
    else:
        plan = wording.plan_answer
        actions = [_action(ANSWER, {"answer_type": "tool" if rounds else "chat"})]
    decision: JsonObject = {
        "Mission_Finish": "no" if due else "yes",
        "Thought": wording.thought.format(purposes=_purposes(scene, wishes, said)),
        "Plan": plan,
        "Action_List": list(actions),
    }
    return _spoiled(decision, scene, due, mistake)


def _purposes(scene: Scene, wishes: Sequence[Wish], said: Sequence[str]) -> str:
    """What the wishes are for; the words of the request where no wish was read in it."""
    named = {id(tool): purpose for purpose, tool in purposes_in(scene.tools).items()}
    return "; ".join(named[id(wish.tool)] for wish in wishes) or said[0] if said else ""


def _step(
    scene: Scene, random: Random, *, wishes: Sequence[Wish], due: Sequence[Wish]
) -> tuple[str, list[JsonObject]]:
    """The plan and its actions while wishes are due: to ask for what they lack, else to call their tools."""
    wording = scene.wording
    asked: list[JsonValue] = [
        {"tool_name": wish.tool.name, "missing_required_parameters": list(wish.missing)}
        for wish in due
        if wish.missing
    ]
    if asked:
        return wording.plan_ask, [_action(ASK, {"tool_list": asked})]
    plan = wording.plan_serial if len(due) == 1 else wording.plan_parallel
    plan = plan if len(wishes) > 1 else wording.plan_single
    return plan, [_action(wish.tool.name, _arguments(wish, scene, random)) for wish in due]


def _action(name: str, arguments: JsonValue) -> JsonObject:
    return {"name": name, "arguments": arguments}


def _arguments(wish: Wish, scene: Scene, random: Random) -> JsonObject:
    declared = properties_of(wish.tool)
    return {
        **wish.values,
        **{
            name: _looked_up(name, kind, declared[name], scene, random)
            for name, kind in wish.bindings.items()
        },
    }


def _looked_up(name: str, kind: Binding, schema: JsonObject, scene: Scene, random: Random) -> JsonValue:
    results = found_values(scene.task if kind is Binding.RESULT else scene.before).get(name, [])
    used = used_values(scene.before).get(name, [])
    places = {
        Binding.RESULT: results[-1:],
        Binding.FOUND: results[-1:] + used[-1:],
        Binding.SAME: used[-1:] + results[-1:],
        Binding.FIRST: used[:1] + results[:1],
    }
    fitting = [value for value in places.get(kind, []) if _fits(value, schema)]
    return fitting[0] if fitting else make_value(schema, name, random)


def _fits(value: JsonValue, schema: JsonObject) -> bool:
    options = schema.get("enum")
    if isinstance(options, list):
        return value in options
    kind = type_of(schema)
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int):
        return kind in ("integer", "number")
    return kind == {str: "string", float: "number", list: "array", dict: "object"}.get(type(value), "")


def _spoiled(decision: JsonObject, scene: Scene, due: Sequence[Wish], mistake: Mistake | None) -> JsonObject:
    """The decision with one mistake; as it was where there is no room for it."""
    listed = decision["Action_List"]
    assert isinstance(listed, list)
    actions = [action for action in listed if isinstance(action, dict)]
    texts = {
        Mistake.SAYS_SIMULATED: "This is a simulated execution.",
        Mistake.SAYS_CHECKER: "The Checker will see this.",
        Mistake.SAYS_PSEUDO_ACTION: f"I use {ANSWER} next.",
    }
    if mistake in texts:
        return decision | {"Thought": f"{decision['Thought']} {texts[mistake]}"}
    calls = bool(due) and _name(actions) not in (ASK, ANSWER)
    tool = (due[0].tool if due else None) or scene.tools[0]
    optional = [name for name in properties_of(tool) if name not in required_of(tool)]
    beside = {
        Mistake.ASK_BESIDE_CALL: _asking(tool.name, required_of(tool)[:1]),
        Mistake.ANSWER_BESIDE_CALL: _action(ANSWER, {"answer_type": "tool"}),
    }
    instead = {
        Mistake.NO_ACTION: [],
        Mistake.UNKNOWN_TOOL: [_action("find_anything", {})],
        Mistake.ASK_FOR_UNKNOWN_TOOL: [_asking("find_anything", ("query",))],
        Mistake.ASK_FOR_OPTIONAL: [_asking(tool.name, optional[:1] or ["option"])],
        Mistake.BAD_ANSWER_TYPE: [_action(ANSWER, {"answer_type": "perhaps"})],
    }
    if mistake in beside and calls:
        actions = [*actions, beside[mistake]]
    elif mistake in instead:
        actions = instead[mistake]
    elif mistake is Mistake.CHAT_AFTER_RESULT and scene.turns and scene.turns[-1].speaker == "tool":
        actions = [_action(ANSWER, {"answer_type": "chat"})]
    elif calls:
        actions = [_misfilled(actions[0], required_of(tool), mistake), *actions[1:]]
    return decision | {"Action_List": list(actions)}


def _asking(tool: str, names: Sequence[str]) -> JsonObject:
    return _action(ASK, {"tool_list": [{"tool_name": tool, "missing_required_parameters": list(names)}]})


def _misfilled(action: JsonObject, required: Sequence[str], mistake: Mistake | None) -> JsonObject:
    arguments = action["arguments"]
    assert isinstance(arguments, dict)
    if mistake is Mistake.UNKNOWN_ARGUMENT:
        return action | {"arguments": arguments | {"made_up_option": "yes"}}
    if mistake is Mistake.EMPTY_ARGUMENT and required:
        return action | {"arguments": arguments | {required[0]: ""}}
    if mistake is Mistake.MISSING_ARGUMENT and required:
        return action | {
            "arguments": {name: value for name, value in arguments.items() if name != required[0]}
        }
    return action


# tool


def _results(scene: Scene, random: Random, mistake: Mistake | None) -> JsonObject:
    results: list[JsonValue] = [_result(scene, action, random) for action in scene.decision]
    if mistake is Mistake.TOO_FEW_RESULTS:
        results = results[:-1]
    return {"Results" if mistake is Mistake.NO_RESULTS else "Observation_List": results}


def _result(scene: Scene, action: JsonObject, random: Random) -> JsonValue:
    """What a call brings back: what it was given, and what other tools of the list can go on with."""
    given = action.get("arguments")
    arguments = given if isinstance(given, dict) else {}
    response: JsonObject = {"reference": f"R-{random.randint(100_000, 999_999)}"}
    for tool in scene.tools:
        for name in required_of(tool):
            schema = properties_of(tool)[name]
            if len(response) < _MOST_FIELDS and name not in response and tool.name != action.get("name"):
                response[name] = arguments.get(name) or make_value(schema, name, random)
    return {"status_code": 200, "response": response}


# agent


def _spoken(scene: Scene) -> str:
    wording = scene.wording
    name = _name(scene.decision)
    if name == ASK:
        return wording.question.format(missing=", ".join(words_of(name) for _, name in scene.asked))
    results = [value for turn in scene.task if turn.speaker == "tool" for value in turn.observations]
    if not results:
        return wording.direct
    lines = [line for value in results for line in _lines(value)]
    return wording.summary.format(lines="\n".join(lines) or wording.nothing_found)


def _lines(observation: JsonValue) -> Iterator[str]:
    response = observation.get("response") if isinstance(observation, dict) else observation
    if not isinstance(response, dict):
        yield f"- {response}"
        return
    for name, value in response.items():
        shown = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        yield f"- {words_of(name)}: {shown}"
