"""Scoring one task as the released evaluators do (semantics `reference`, scoring 3.4, 4, 5.4, 5.8, 8).

Profiles wtb and wtb-strict follow the released WildToolBench scorer, profile c3 the released analysis of
C3-Bench and Multi-Mission Tool Bench.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from scoring.groups import grouped
from scoring.matching.argument_problems import CallCheck, c3_mistake_of, worst_mistakes
from scoring.matching.arguments import check_as_released, is_readable
from scoring.matching.gold import Gold
from scoring.matching.mistakes import c3_names_mistake, published_mistake
from scoring.matching.outcomes import Match
from scoring.matching.replay import replay
from scoring.matching.task_scores import (
    Judged,
    TaskScore,
    declared_types,
    failed_outside,
    label,
    shortened,
    unanswered,
    wrong_types,
)
from scoring.model.record import members_in
from scoring.model.taxonomy import ActionDetail, ArgumentProfile, C3Mistake, Policy, Semantics
from scoring.orders.lattice import lattice_of
from scoring.orders.legal_orders import optimal_rounds
from scoring.predictions import Prediction, Reply, ToolCall

_MULTI = {
    (True, False): Policy.MULTI_SERIAL,
    (False, True): Policy.MULTI_PARALLEL,
    (True, True): Policy.MULTI_MIXED,
}
"""The kinds of multi, by whether calls wait for each other and whether some stand side by side."""


def as_analysed(gold: Gold, *, profile: ArgumentProfile) -> Gold:
    """A gold task with the kind of multi the released analysis counts it under (scoring 8, D-20).

    The WildToolBench scorer takes the declared type, the analysis of C3-Bench and MMTB the structure of
    every task, whatever its type: it goes through the calls in order and begins a new group where one
    depends on a member of the group so far (scoring 1.3). A clarify task with two calls side by side counts
    as clarify and among the parallel ones.
    """
    if profile is not ArgumentProfile.C3:
        return gold
    groups: list[set[int]] = []
    for step, before in enumerate(gold.graph.before):
        if step not in gold.graph.pseudo:
            if not groups or before & groups[-1]:
                groups.append(set())
            groups[-1].add(step)
    shape = len(groups) > 1, any(len(group) > 1 for group in groups)
    return replace(gold, analysed_as=_MULTI.get(shape, Policy.SINGLE))


def judge_as_published(gold: Gold, prediction: Prediction, *, profile: ArgumentProfile) -> Judged:
    """Judge one prediction under semantics `reference`.

    Where the released code would have crashed, the task is wrong (scoring 8, D-08).

    Args:
        gold: The task.
        prediction: What the model answered to it.
        profile: Rules for arguments, and with them which released scorer is followed.
    """
    if prediction.error:
        return Judged(failed_outside(gold, prediction.error, profile=profile))
    match = replay(gold, prediction.replies, profile=profile, semantics=Semantics.REFERENCE)
    if match.failure and match.failure.detail is ActionDetail.GRAPH_TIMEOUT:
        return Judged(unanswered(gold, ActionDetail.GRAPH_TIMEOUT, match.failure.message, profile=profile))
    if profile is ArgumentProfile.C3:
        return _score_c3(gold, match)
    return Judged(_score_wildtool(gold, match, profile=profile), wrong_types(gold, match))


def _is_optimal(gold: Gold, match: Match) -> bool:
    shortest = optimal_rounds(lattice_of(gold.graph, isolated=False))
    return match.names_correct and len(match.outcomes) == shortest


def _all_replies(match: Match) -> tuple[Reply, ...]:
    """The replies of the run; one that never came counts as an empty one."""
    return (*match.replies, *(Reply() for _ in range(len(match.outcomes) - len(match.replies))))


def _score_wildtool(gold: Gold, match: Match, *, profile: ArgumentProfile) -> TaskScore:
    """The released WildToolBench scorer (scoring 5.4 `reference` wtb, and 8, D-27).

    After the first step with a bad argument the next step is deleted from the log, a names error after it
    is relabelled as correct, and no later argument is judged. Progress is the number of steps left in
    the log, one per reply, the failing one included.
    """
    bad = match.first_bad_arguments
    logged, names_correct = len(match.outcomes), match.names_correct
    if bad is not None and bad + 1 < logged:
        logged, names_correct = logged - 1, True
    right = names_correct and bad is None
    error, error_c3, detail = None, None, None
    if bad is not None:
        checks = match.outcomes[bad].checks
        error, error_c3 = worst_mistakes(checks) or (None, None)
        wrong = [check.message for check in checks if not check.correct]
        detail = f"Reply {bad}: {'; '.join(wrong)}"
    elif not right:
        error_c3 = c3_names_mistake(gold, _all_replies(match))
        error = published_mistake(error_c3)
        detail = f"Reply {len(match.outcomes) - 1}: {match.failure.message if match.failure else ''}"
    return unanswered(gold, ActionDetail.NO_REPLY, "", profile=profile).model_copy(
        update={
            "label": label(right),
            "action_label": label(names_correct),
            "action_detail": match.failure.detail if match.failure and not names_correct else None,
            "arguments_label": label(bad is None),
            "optimal": right and _is_optimal(gold, match),
            "steps_done": logged,
            "error": error,
            "error_c3": error_c3,
            "detail": shortened(detail) if detail else None,
        }
    )


@dataclass(frozen=True)
class _BadCall:
    reply: int
    name: str
    check: CallCheck
    last_tried: CallCheck


class _AnalysisError(Exception):
    """The released analysis breaks down over a run and labels it a names error."""


def _score_c3(gold: Gold, match: Match) -> Judged:
    """The released C3-Bench analysis (scoring 4.2, 5.4 `reference` c3, 5.8)."""
    names_correct, bad = match.names_correct, list[_BadCall]()
    broken = False
    if names_correct:
        try:
            bad = [*_bad_calls(gold, match)]
        except _AnalysisError:
            names_correct, broken = False, True
    right = names_correct and not bad
    error_c3: C3Mistake | None = None
    detail = None
    if not names_correct:
        error_c3 = c3_names_mistake(gold, _all_replies(match))
        failed = match.failure.message if match.failure else "The arguments could not be compared."
        detail = f"Reply {len(match.outcomes) - 1}: {failed}"
    elif bad:
        first = min(bad, key=lambda call: call.reply)
        error_c3 = min(map(c3_mistake_of, first.last_tried.problems), key=list(C3Mistake).index, default=None)
        detail = f"Reply {first.reply}: {first.name} {first.check.message}"
    reason = ActionDetail.ARGUMENTS_UNREADABLE if broken else match.failure.detail if match.failure else None
    score = unanswered(gold, ActionDetail.NO_REPLY, "", profile=ArgumentProfile.C3).model_copy(
        update={
            "label": label(right),
            "action_label": label(names_correct),
            "action_detail": reason,
            "arguments_label": label(not bad) if names_correct else "error" if broken else None,
            "optimal": right and _is_optimal(gold, match),
            "steps_done": _progress_c3(gold, match, right=right, has_bad_calls=bool(bad)),
            "error": published_mistake(error_c3),
            "error_c3": error_c3,
            "detail": shortened(detail) if detail else None,
        }
    )
    return Judged(score, tuple(chain.from_iterable(_weak_types(gold, call) for call in bad)))


def _weak_types(gold: Gold, call: _BadCall) -> Iterator[str]:
    """The types its file declares for the weak arguments of a bad call, against the last gold call tried."""
    parameters = gold.tools[call.name].original_parameters
    return declared_types(call.last_tried.weak, members_in(parameters.get("properties")))


def _progress_c3(gold: Gold, match: Match, *, right: bool, has_bad_calls: bool) -> int:
    """Progress of the released analysis (scoring 5.4): bad calls are never really subtracted.

    All steps where right; else max(1, calls) over all replies but the last, and the last one's too where
    some call has bad arguments.
    """
    if right:
        return len(gold.graph)
    weights = [max(1, len(reply.tool_calls)) for reply in _all_replies(match)]
    return sum(weights if has_bad_calls else weights[:-1])


def _bad_calls(gold: Gold, match: Match) -> Iterator[_BadCall]:
    """Pair calls with gold calls over the whole task, per tool name, and keep those that fail (scoring 4.2).

    Each call takes the not yet taken gold call with the highest score, the first on ties; its error class
    is that of the last gold call tried (scoring 8, D-17).

    Raises:
        _AnalysisError: Numbers of calls differ, or a comparison breaks down.
    """
    made = grouped(
        (call.name or "", (position, call))
        for position, reply in enumerate(match.replies)
        for call in reply.tool_calls
    )
    wanted = grouped((call.name, step) for step, call in gold.task.calls)
    if {name: len(calls) for name, calls in made.items()} != {n: len(s) for n, s in wanted.items()}:
        raise _AnalysisError
    for name, calls in made.items():
        left = list(wanted[name])
        for position, call in calls:
            checks = [_readable_check(gold, call, step) for step in left]
            best = max(range(len(left)), key=lambda i: (checks[i].score, -i))
            if not checks[best].correct:
                yield _BadCall(position, name, checks[best], checks[-1])
            left.pop(best)


def _readable_check(gold: Gold, call: ToolCall, step: int) -> CallCheck:
    tool = gold.tools.get(call.name or "")
    check = check_as_released(call.arguments or "", gold.arguments(step), tool=tool)
    if not is_readable(check):
        raise _AnalysisError
    return check
