"""The rules of the Checker: what a planner, a tool and a user may not reply (generation 5)."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from pydantic import JsonValue

from annotator.cases.findings.argument_checks import violations_of
from annotator.generation.checks.replies import Action, PlannerDecision
from annotator.generation.records import ReplyFault, ReplyVerdict
from scoring.groups import collected
from scoring.model.case import Ask, AskedTool, Call, Step, Tool
from scoring.model.flow import unescape
from scoring.model.graph import ANSWER_NAME, ASK_NAME, PSEUDO_ACTIONS
from scoring.model.record import canonical_bytes, members_in

_SIMULATED = re.compile(
    r"simulat\w*\s+(the\s+)?(execution|call|tool|result|response|observation|run)|模拟(执行|调用|工具|结果|返回)",
    re.IGNORECASE,
)
_CHECKER = re.compile(r"\bcheckers?\b|检查者|检查器|校验者", re.IGNORECASE)
_SERIAL = re.compile(r"\bserial|sequential|串行", re.IGNORECASE)
_PARALLEL = re.compile(r"\bparallel|并行", re.IGNORECASE)
_ASK_ARGUMENTS = ("tool_name", "missing_required_parameters", "tool_list")


@dataclass(frozen=True)
class Objection:
    """One rule that a reply breaks, and what the role is told about it."""

    fault: ReplyFault
    words: str


def verdict_of(objections: Sequence[Objection]) -> ReplyVerdict:
    """All objections together."""
    return ReplyVerdict(
        faults=tuple(dict.fromkeys(one.fault for one in objections)),
        reason="; ".join(dict.fromkeys(one.words for one in objections)),
    )


def check_decision(
    decision: PlannerDecision,
    tools: Mapping[str, Tool],
    *,
    is_after_tool: bool,
    made: Set[bytes] = frozenset(),
) -> tuple[Objection, ...]:
    """Check what a planner decided against all rules at once (generation 5.1).

    Args:
        decision: The decision.
        tools: The tools by name, without the pseudo-actions.
        is_after_tool: Whether the message before is the result of a tool.
        made: The calls the task has already, as `written` gives them.
    """
    return (
        *_words(decision),
        *_actions(decision, tools, made),
        *_asks(decision, tools),
        *_answers(decision, is_after_tool=is_after_tool),
    )


def check_policy(decision: PlannerDecision, wanted: str, steps: Sequence[Step]) -> tuple[Objection, ...]:
    """Whether a decision makes a task of another policy than wanted (P-9), as far as it can still be mended.

    Args:
        decision: The decision.
        wanted: The policy of the task, or `multi` for any kind of it.
        steps: The steps of the task so far.
    """
    calls = sum(isinstance(step, Call) for step in steps)
    asked = any(isinstance(step, Ask) for step in steps)
    now = sum(name not in PSEUDO_ACTIONS for name in decision.names)
    if ASK_NAME in decision.names:
        words = "" if wanted == "clarify" else "everything needed has been said, so do not ask the user"
    elif wanted == "clarify" and not asked:
        words = "information the user has not given is needed, so ask for it first"
    elif ANSWER_NAME in decision.names:
        needed = {"chat": 0, "clarify": 0, "single": 1}.get(wanted, 2)
        words = f"it takes {needed} or more calls of tools, not {calls}" if calls < needed else ""
    else:
        words = {
            "chat": "no tool is needed",
            "single": "one call of one tool is all it takes" if calls + now > 1 else "",
            "multi_serial": "each call waits for the one before, so make one now" if now > 1 else "",
            "multi_parallel": "no call waits for another, so all are made at once" if calls else "",
        }.get(wanted, "")
    return (Objection(ReplyFault.OTHER_POLICY, f"this is a {wanted} task: {words}"),) if words else ()


def written(name: str, arguments: JsonValue) -> bytes:
    """A call as it is compared with others."""
    return canonical_bytes([name, arguments])


def needs_model(decision: PlannerDecision) -> bool:
    """Whether the model part of the Checker has to judge the plan (generation 5.2)."""
    words = f"{decision.thought} {decision.plan}"
    return len(decision.actions) > 1 or bool(_SERIAL.search(words) or _PARALLEL.search(words))


def _words(decision: PlannerDecision) -> Iterator[Objection]:
    for text, name, faults in (
        (decision.thought, "Thought", _THOUGHT_FAULTS),
        (decision.plan, "Plan", _PLAN_FAULTS),
    ):
        simulates, checker, ask, answer = faults
        if _SIMULATED.search(text):
            yield Objection(simulates, f"the {name} mentions simulated execution")
        if _CHECKER.search(text):
            yield Objection(checker, f"the {name} mentions the Checker")
        yield from (
            Objection(fault, f"the {name} mentions {action}; say it in other words")
            for fault, action in ((ask, ASK_NAME), (answer, ANSWER_NAME))
            if action in text
        )


_THOUGHT_FAULTS = (
    ReplyFault.THOUGHT_SIMULATES,
    ReplyFault.THOUGHT_NAMES_CHECKER,
    ReplyFault.THOUGHT_NAMES_ASK,
    ReplyFault.THOUGHT_NAMES_ANSWER,
)
_PLAN_FAULTS = (
    ReplyFault.PLAN_SIMULATES,
    ReplyFault.PLAN_NAMES_CHECKER,
    ReplyFault.PLAN_NAMES_ASK,
    ReplyFault.PLAN_NAMES_ANSWER,
)


def _actions(decision: PlannerDecision, tools: Mapping[str, Tool], made: Set[bytes]) -> Iterator[Objection]:
    if not decision.actions:
        yield Objection(ReplyFault.NO_ACTION, "the Action_List is empty")
    known = set(made)
    for action in decision.actions:
        if action.name in PSEUDO_ACTIONS:
            yield from _pseudo_arguments(action)
            continue
        tool = tools.get(action.name)
        if tool is None:
            yield Objection(ReplyFault.UNKNOWN_TOOL, f"there is no tool {action.name[:80]!r}")
            continue
        yield from _arguments(action, tool)
        call = written(action.name, action.arguments)
        if call in known:
            yield Objection(
                ReplyFault.REPEATED_CALL, f"{action.name} was called with the same arguments before"
            )
        known.add(call)
    if len(decision.actions) > 1 and _SERIAL.search(decision.plan) and not _PARALLEL.search(decision.plan):
        yield Objection(ReplyFault.SERIAL_AT_ONCE, "the Plan is serial, so only one action may be taken now")


def _arguments(action: Action, tool: Tool) -> Iterator[Objection]:
    declared, required = tool.properties, tool.required
    is_open = not declared or tool.parameters.get("additionalProperties") not in (None, False)
    told: set[str] = set()
    for name, value in action.arguments.items():
        if name not in declared and not is_open:
            told.add(name)
            yield Objection(ReplyFault.UNKNOWN_PARAMETER, f"{action.name} has no parameter {name[:80]!r}")
        elif name in required and value == "":
            told.add(name)
            yield Objection(
                ReplyFault.EMPTY_PARAMETER, f"the required parameter {name} of {action.name} is empty"
            )
    for name in required:
        if name not in action.arguments:
            told.add(name)
            yield Objection(
                ReplyFault.MISSING_PARAMETER,
                f"the required parameter {name} of {action.name} is missing: if the user did not give it, "
                "ask; if you forgot it, fill it in; never invent it",
            )
    for violation in violations_of(tool, Call(name=action.name, arguments=action.arguments)):
        if unescape(violation.path.lstrip("/").partition("/")[0]) not in told:
            yield Objection(ReplyFault.SCHEMA, violation.message.rstrip("."))


def _pseudo_arguments(action: Action) -> Iterator[Objection]:
    known = _ASK_ARGUMENTS if action.name == ASK_NAME else ("answer_type",)
    yield from (
        Objection(ReplyFault.UNKNOWN_PARAMETER, f"{action.name} has no parameter {name[:80]!r}")
        for name in action.arguments
        if name not in known
    )
    if action.name == ASK_NAME and "tool_list" in action.arguments:
        return
    needed = known[:2] if action.name == ASK_NAME else known
    yield from (
        Objection(ReplyFault.MISSING_PARAMETER, f"the required parameter {name} of {action.name} is missing")
        for name in needed
        if name not in action.arguments
    )


@collected
def asked_tools(action: Action) -> Iterator[AskedTool]:
    """What a question is about, in either shape (formats 2.1)."""
    listed = action.arguments.get("tool_list")
    items = listed if isinstance(listed, list) else [action.arguments]
    for item in items:
        said = members_in(item)
        name, missing = said.get("tool_name"), said.get("missing_required_parameters")
        names = [missing] if isinstance(missing, str) else missing if isinstance(missing, list) else []
        if isinstance(name, str):
            texts = tuple(one for one in names if isinstance(one, str))
            yield AskedTool(tool_name=name, missing_required_parameters=texts)


def _asks(decision: PlannerDecision, tools: Mapping[str, Tool]) -> Iterator[Objection]:
    asks = [action for action in decision.actions if action.name == ASK_NAME]
    if asks and len(decision.actions) > 1:
        yield Objection(
            ReplyFault.ASK_NOT_ALONE, "asking the user stands alone; take no other action with it"
        )
        return
    for asked in (asked for action in asks for asked in asked_tools(action)):
        tool = tools.get(asked.tool_name)
        if tool is None:
            yield Objection(
                ReplyFault.ASKED_TOOL_UNKNOWN,
                f"the question is about {asked.tool_name[:80]!r}, which is no tool",
            )
            continue
        yield from (
            Objection(ReplyFault.ASKED_NOT_REQUIRED, f"{name[:80]!r} is no required parameter of {tool.name}")
            for name in asked.missing_required_parameters
            if name not in tool.required
        )


def _answers(decision: PlannerDecision, *, is_after_tool: bool) -> Iterator[Objection]:
    answers = [action for action in decision.actions if action.name == ANSWER_NAME]
    if answers and len(decision.actions) > 1:
        yield Objection(ReplyFault.ANSWER_NOT_ALONE, "concluding stands alone; take no other action with it")
        return
    for action in answers:
        kind = action.arguments.get("answer_type")
        if kind not in (None, "tool", "chat"):
            yield Objection(ReplyFault.ANSWER_TYPE, "answer_type is neither tool nor chat")
        elif kind == "chat" and is_after_tool:
            yield Objection(ReplyFault.CHAT_AFTER_TOOL, "answer_type is chat, but tools brought results")


def check_observations(observations: Sequence[JsonValue], *, count: int) -> tuple[Objection, ...]:
    """Check what a tool brought back against the number of actions (generation 5.3)."""
    if len(observations) == count:
        return ()
    words = f"there are {len(observations)} observations for {count} actions"
    return (Objection(ReplyFault.OBSERVATION_COUNT, words),)
