"""The user of the scripted endpoint: requests of every type, and replies to questions."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from scoring.model.case import Tool
from scoring.model.taxonomy import Policy
from tests.scripted_model.mistakes import Mistake
from tests.scripted_model.requests import Wish, details_of, invented, write_request
from tests.scripted_model.scene import Scene, found_values, used_values
from tests.scripted_model.values import make_value, properties_of, purpose_of, required_of, type_of
from tests.scripted_model.wordings import Binding

CANDIDATES = 5
_WANTED = re.compile(
    r"(?<![\w-])(multi_serial|multi_parallel|multi_mixed|multi|clarify|chat|single)(?![\w-])"
)
_MULTI = (Policy.MULTI_SERIAL, Policy.MULTI_PARALLEL, Policy.MULTI_MIXED)
_ABOUT_REPLY = re.compile(r"ordinal|which_of_them|abbreviation|description", re.IGNORECASE)
_RETURN = re.compile(r"return_to|long.range|earlier_task", re.IGNORECASE)
_VAGUE = re.compile(r"vague", re.IGNORECASE)
_LIST_SHAPE = re.compile(r"Task ?1\b|任务 ?1")


def write_tasks(scene: Scene, random: Random, mistake: Mistake | None = None) -> str:
    """Requests as the instruction wants them: five to choose from as JSON, or one text."""
    policy = wanted_policy(scene, random)
    named = _named_tool(scene) if policy in (Policy.SINGLE, Policy.CLARIFY) else None
    if named is not None and policy is Policy.CLARIFY and not required_of(named):
        named = None  # nothing of it can be missing
    offered = (named,) if named else scene.tools
    frames = scene.wording.follow_ups if scene.turns else scene.wording.openings
    chats = scene.wording.later_chats if scene.turns else scene.wording.chats
    texts = []
    for frame, chat in zip(frames, chats, strict=True):
        if policy is Policy.CHAT:
            texts.append(chat.format(theme=_theme(scene, random)))
        else:
            wishes = tuple(_related(scene, _wishes(offered, policy, random)))
            texts.append(write_request(wishes, frame, tools=scene.tools, wording=scene.wording))
    if not _LIST_SHAPE.search(f"{scene.rules}\n{scene.instruction}"):
        return scene.wording.labels["user"] + random.choice(texts)
    if mistake is Mistake.SAME_REQUESTS:
        texts = [texts[0]] * CANDIDATES
    listed = {f"Task {i + 1}": text for i, text in enumerate(texts)}
    if mistake is Mistake.ONE_REQUEST:
        listed = {"Task 1": texts[0]}
    return f"```json\n{json.dumps(listed, ensure_ascii=False, indent=2)}\n```"


def write_reply(scene: Scene, random: Random) -> str:
    """Answer a question: with every value it asks for, or vaguely where the instruction says so."""
    wording = scene.wording
    if _VAGUE.search(scene.words):
        return wording.labels["user"] + random.choice(wording.vague_answers)
    values = {name: make_value(properties_of(tool)[name], name, random) for tool, name in scene.asked}
    said = details_of(Wish(scene.tools[0], values=values), wording)
    return wording.labels["user"] + random.choice(wording.full_answers).format(values=said)


def wanted_policy(scene: Scene, random: Random) -> Policy:
    """The kind of request an instruction names first; one call where it names none."""
    named = list(dict.fromkeys(_WANTED.findall(scene.words)))
    if not named:
        return Policy.SINGLE
    if named[0] != "multi":
        return Policy(named[0])
    kinds = [kind for kind in _MULTI if kind.value in named]
    return random.choice(kinds or _MULTI)


def _named_tool(scene: Scene) -> Tool | None:
    """The tool an instruction asks to be used, where it names one in the line of the wanted kind."""
    lines = [line for line in scene.words.splitlines() if _WANTED.match(line)]
    words = {word for line in lines for word in re.findall(r"[\w.-]+", line)}
    return next((tool for tool in scene.tools if tool.name in words), None)


def _theme(scene: Scene, random: Random) -> str:
    """What the tools are about, in one or two words that are no tool's purpose."""
    words = re.findall(r"\w{4,}", purpose_of(random.choice(scene.tools)))
    topic = " ".join(words[-2:]) or "it"
    return f"make good use of {topic}"


def _wishes(tools: Sequence[Tool], policy: Policy, random: Random) -> tuple[Wish, ...]:
    """Calls of the wanted shape."""
    if policy in (Policy.SINGLE, Policy.CLARIFY):
        tool = random.choice([tool for tool in tools if required_of(tool)] or list(tools))
        whole = Wish(tool, values=invented(tool, random))
        return (_without_one(whole, random) if policy is Policy.CLARIFY else whole,)
    shuffled = random.sample(list(tools), len(tools))
    shuffled.sort(key=lambda tool: not _takes_results(tool))
    if policy is Policy.MULTI_PARALLEL:
        return _apart([shuffled[0], shuffled[1 % len(shuffled)]], random)
    last = shuffled[0]
    first = shuffled[1 % len(shuffled)]
    if policy is Policy.MULTI_SERIAL:
        begun: tuple[Wish, ...] = (Wish(first, values=invented(first, random)),)
    else:
        begun = _apart([first, shuffled[2 % len(shuffled)]], random)
    carried = _takes_results(last)[:1]
    values = invented(last, random, besides=carried)
    return (*begun, Wish(last, 1, values, dict.fromkeys(carried, Binding.RESULT)))


def _apart(tools: Sequence[Tool], random: Random) -> tuple[Wish, ...]:
    """One call of each tool; of one tool twice with different arguments."""
    made: list[Wish] = []
    for tool in tools:
        values = invented(tool, random)
        for _ in range(20):
            if all(wish.tool is not tool or wish.values != values for wish in made):
                break
            values = invented(tool, random)
        made.append(Wish(tool, values=values))
    return tuple(made)


def _takes_results(tool: Tool) -> list[str]:
    """Required parameters whose value tells where it came from."""
    declared = properties_of(tool)
    return [
        name
        for name in required_of(tool)
        if "enum" not in declared[name] and type_of(declared[name]) in ("string", "integer")
    ]


def _without_one(wish: Wish, random: Random) -> Wish:
    names = list(wish.values)
    left_out = random.choice(names) if names else ""
    return replace(wish, values={name: value for name, value in wish.values.items() if name != left_out})


def _related(scene: Scene, wishes: Sequence[Wish]) -> Iterator[Wish]:
    """The same wishes, where a later request leaves out one value that the dialogue knows already."""
    used, found = used_values(scene.turns), found_values(scene.turns)
    hidden = False
    for wish in wishes:
        name = next((name for name in wish.values if name in used or name in found), None)
        if hidden or name is None or not scene.turns:
            yield wish
            continue
        hidden = True
        kind = Binding.FIRST if _RETURN.search(scene.words) else Binding.SAME
        if name in found and (name not in used or _ABOUT_REPLY.search(scene.words)):
            kind = Binding.FOUND
        values = {key: value for key, value in wish.values.items() if key != name}
        yield replace(wish, values=values, bindings={**wish.bindings, name: kind})
