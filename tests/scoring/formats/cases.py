"""Cases of every shape the published formats can express, for round trips between formats."""

from hypothesis import strategies as st

from scoring.formats.benchmark.nodes import edges_between
from scoring.model.case import Answer, Ask, AskedTool, Call, Case, Now, Step, Task, Tool
from scoring.model.taxonomy import Information, Policy
from tests.scoring.formats.json_values import json_objects, json_values

_TEXTS = st.sampled_from(["Weather in Oslo.", "Sell 10 more.", "null", "**bold**\nline", "a\0b", "12"])
_LATER = [None, Information.OMISSION, Information.REFERENCE, Information.LONG_RANGE]


@st.composite
def calls(draw: st.DrawFn) -> Call:
    """A call with any arguments and observation."""
    name = draw(st.sampled_from(["getForecast", "bookTable", "ghost"]))
    return Call(name=name, arguments=draw(json_objects()), observation=draw(json_values()))


@st.composite
def asks(draw: st.DrawFn) -> Ask:
    """A question with its reply."""
    tools = draw(st.lists(st.sampled_from(["bookTable", "ghost"]), max_size=2))
    asks_for = tuple(AskedTool(tool_name=name, missing_required_parameters=("city",)) for name in tools)
    return Ask(text="For which city?", reply=draw(_TEXTS), asks_for=asks_for)


@st.composite
def answered_tasks(draw: st.DrawFn, *, is_first: bool) -> Task:
    """A task whose last step is its answer, with any acyclic dependencies."""
    steps: list[Step] = [*draw(st.lists(calls() | asks(), max_size=4))]
    steps.append(Answer(text=draw(_TEXTS), answer_type=draw(st.sampled_from(["tool", "chat"]))))
    pairs = [(a, b) for b in range(len(steps)) for a in range(b) if draw(st.booleans())]
    return Task(
        user=draw(_TEXTS),
        policy=draw(st.sampled_from([None, *Policy])),
        information=Information.FIRST if is_first else draw(st.sampled_from(_LATER)),
        steps=tuple(steps),
        edges=edges_between(steps, pairs),
    )


@st.composite
def answered_cases(draw: st.DrawFn) -> Case:
    """A case without a file behind it, every task answered."""
    count = draw(st.integers(1, 4))
    now = draw(st.sampled_from([None, "2024-07-11 22:11:58", "noon"]))
    return Case(
        id=draw(st.sampled_from(["c-1", "wild_tool_bench_7", "ü"])),
        now=None if now is None else Now.read(now),
        tools=(Tool(definition={"name": "bookTable", "inputSchema": {}}),) if draw(st.booleans()) else (),
        tasks=tuple(draw(answered_tasks(is_first=t == 0)) for t in range(count)),
        extras=draw(st.sampled_from([{}, {"license": "CC BY 4.0"}])),
    )


@st.composite
def recorded_cases(draw: st.DrawFn) -> Case:
    """A case as a chat records it: rounds in order, no dependency, questions first, maybe no answer."""
    tasks = []
    for t in range(draw(st.integers(1, 3))):
        steps: list[Step] = []
        rounds = draw(st.lists(st.lists(calls(), min_size=1, max_size=3), max_size=3))
        if rounds:
            steps.extend(draw(st.lists(asks(), max_size=2)))
        steps = [
            step.model_copy(update={"recorded_round": i, "asks_for": ()}) for i, step in enumerate(steps)
        ]
        for number, group in enumerate(rounds, start=len(steps)):
            steps.extend(call.model_copy(update={"recorded_round": number}) for call in group)
        if draw(st.booleans()):
            kind = "tool" if rounds else "chat"
            last = max((step.recorded_round or 0 for step in steps), default=-1) + 1
            text = draw(_TEXTS)
            steps.append(Answer.model_validate({"text": text, "answer_type": kind, "recorded_round": last}))
        information = Information.FIRST if t == 0 else None
        tasks.append(Task(user=draw(_TEXTS), information=information, steps=tuple(steps)))
    return Case(id="c-1", tasks=tuple(tasks), now=draw(st.sampled_from([None, Now.read("2024-07-11")])))
