"""Error taxonomies: the nine classes of WildToolBench, the twelve of C3-Bench and Multi-Mission Tool Bench.

Every failed task has exactly one class of each, except where the failure lies outside the model.
"""

from collections import Counter
from collections.abc import Sequence

from scoring.matching.argument_problems import WILDTOOL_OF_C3, worst_mistakes
from scoring.matching.gold import Gold
from scoring.matching.outcomes import Match, ReplyOutcome
from scoring.model.graph import ANSWER_NAME, ASK_NAME
from scoring.model.taxonomy import C3Mistake, WildtoolMistake
from scoring.orders.lattice import bits, mask_of
from scoring.predictions import Reply

_FILTERED_NAME = "filter_by_prompt"
"""Name of the call some endpoints return when a content filter stops the model (scoring 5.8)."""

PUBLISHED_COLUMNS = {
    "Tool Error": (
        C3Mistake.REJECT,
        C3Mistake.NAME_HALLUCINATION,
        C3Mistake.MISSING_INFORMATION,
        C3Mistake.CALL_WITHOUT_REJECT,
        C3Mistake.REDUNDANT,
        C3Mistake.WRONG_FUNCTION,
        C3Mistake.EARLY_STOP,
    ),
    "Name Hallucination": (C3Mistake.PARAM_HALLUCINATION,),
    "Value Hallucination": (C3Mistake.VALUE_HALLUCINATION,),
    "Value Error": (C3Mistake.VALUE_ERROR, C3Mistake.TYPE_ERROR, C3Mistake.MISS_REQUIRED),
}
"""The four columns the C3-Bench and MMTB papers print (scoring 5.8, roll-up)."""


def wildtool_mistake(gold: Gold, match: Match) -> WildtoolMistake | None:
    """The WildToolBench class of a run under semantics `paper` (scoring 5.9, the rule on the first error).

    A bad argument before the failing reply comes first and decides (scoring 8, D-27).

    Returns:
        The class, or None for a run without any mistake.
    """
    bad = match.first_bad_arguments
    if bad is not None:
        found = worst_mistakes(match.outcomes[bad].checks)
        return found[0] if found else None
    if match.failure is None:
        return None
    position = len(match.outcomes) - 1
    reply = match.replies[position] if position < len(match.replies) else Reply()
    if not reply.tool_calls:
        return _text_mistake(gold, match, reply)
    return _call_mistake(gold, match.failure, reply)


def _text_mistake(gold: Gold, match: Match, reply: Reply) -> WildtoolMistake:
    called_before = any(earlier.tool_calls for earlier in match.replies[: len(match.outcomes) - 1])
    left = gold.lattice.full & ~mask_of(match.outcomes[-1].done, len(gold.graph))
    if not called_before and (gold.calls_in(left) or reply.is_empty):
        return WildtoolMistake.REFUSAL
    return WildtoolMistake.EARLY_TERMINATION


def _call_mistake(gold: Gold, failure: ReplyOutcome, reply: Reply) -> WildtoolMistake:
    if not gold.call_names:
        return WildtoolMistake.WRONG_REFUSAL
    names = Counter(call.name or "" for call in reply.tool_calls)
    if any(name not in gold.tools for name in names) or gold.graph.asks & set(failure.ready):
        return WildtoolMistake.WRONG_NAME
    left = gold.lattice.full & ~mask_of(failure.done, len(gold.graph))
    unfinished = Counter(gold.graph.names[step] for step in bits(left))
    surplus = any(count > unfinished[name] for name, count in names.items() if name in gold.call_names)
    if surplus or not gold.calls_in(left):
        return WildtoolMistake.REDUNDANT_CALL
    return WildtoolMistake.CALL_ERROR


def c3_mistake(gold: Gold, match: Match) -> C3Mistake | None:
    """The C3-Bench class of a run (scoring 5.8); names come first, arguments only where all names are right.

    Returns:
        The class, or None for a run without any mistake.
    """
    if not match.names_correct:
        replies = match.replies
        return c3_names_mistake(gold, (*replies, Reply()) if len(match.outcomes) > len(replies) else replies)
    bad = match.first_bad_arguments
    found = worst_mistakes(match.outcomes[bad].checks) if bad is not None else None
    return found[1] if found else None


def c3_names_mistake(gold: Gold, replies: Sequence[Reply]) -> C3Mistake:
    """The class of a run whose names went wrong, by the exact rules of the released analysis (scoring 5.8).

    Args:
        gold: The task.
        replies: All replies of the run, the failing one included; an empty one where none came.
    """
    if len(replies) == 1 and not _has_calls(replies[0]):
        return C3Mistake.REJECT
    if gold.graph.names == (ANSWER_NAME,):
        return C3Mistake.CALL_WITHOUT_REJECT
    collected, decided = _collect_names(gold, replies)
    if decided:
        return decided
    wanted = Counter(gold.graph.names)
    if wanted[ASK_NAME] and ASK_NAME not in collected:
        return C3Mistake.MISSING_INFORMATION
    if len(collected) > len(gold.graph) - 1:
        return C3Mistake.REDUNDANT
    called = Counter(collected)
    if (wanted - called)[ASK_NAME]:
        return C3Mistake.MISSING_INFORMATION
    if called - wanted:
        return C3Mistake.WRONG_FUNCTION if any(name not in wanted for name in called) else C3Mistake.REDUNDANT
    return C3Mistake.EARLY_STOP


def _has_calls(reply: Reply) -> bool:
    return bool(reply.tool_calls) and reply.tool_calls[0].name is not None


def _collect_names(gold: Gold, replies: Sequence[Reply]) -> tuple[list[str], C3Mistake | None]:
    """Names reply by reply, a reply without calls as one question; an unknown name decides the class."""
    collected: list[str] = []
    decided: C3Mistake | None = None
    for reply in replies:
        if not _has_calls(reply):
            collected.append(ASK_NAME)
            continue
        for call in reply.tool_calls:
            if call.name == _FILTERED_NAME:
                decided = C3Mistake.REJECT
                break
            if call.name not in gold.tools:
                decided = C3Mistake.NAME_HALLUCINATION
                break
            collected.append(call.name)
    return collected, decided


def published_mistake(mistake: C3Mistake | None) -> WildtoolMistake | None:
    """The WildToolBench column a C3-Bench class is printed in: the classes of `reference` (scoring 5.9)."""
    return WILDTOOL_OF_C3[mistake] if mistake else None
