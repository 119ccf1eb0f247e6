"""Scoring one task as BFCL does (semantics `bfcl`, scoring 4.6): the calls of the first reply decide."""

from scoring.matching.arguments import read_arguments
from scoring.matching.bfcl_calls import BfclMistake, SaidCall, calls_mistake
from scoring.matching.gold import Gold
from scoring.matching.mistakes import published_mistake
from scoring.matching.task_scores import Judged, TaskScore, failed_outside, label, shortened, unanswered
from scoring.model.taxonomy import ActionDetail, ArgumentProfile, C3Mistake
from scoring.predictions import Prediction, Reply, ToolCall

_UNREADABLE = BfclMistake(C3Mistake.TYPE_ERROR, "A call has no name, or its arguments are no JSON object.")


def judge_as_bfcl(gold: Gold, prediction: Prediction, *, profile: ArgumentProfile) -> Judged:
    """Judge one prediction under semantics `bfcl`: all or nothing.

    Args:
        gold: The task, with the calls that BFCL accepts.
        prediction: What the model answered to it; its first reply counts.
        profile: What the score names as the rules of its arguments.
    """
    if prediction.error:
        return Judged(failed_outside(gold, prediction.error, profile=profile))
    mistake = _mistake(gold, prediction.replies[0] if prediction.replies else Reply())
    return Judged(scored(gold, mistake, profile=profile))


def scored(gold: Gold, mistake: BfclMistake | None, *, profile: ArgumentProfile) -> TaskScore:
    """The score of a task with this mistake, all or nothing."""
    wrong_names = mistake is not None and mistake.detail is not None
    steps = len(gold.graph)
    return unanswered(gold, ActionDetail.NO_REPLY, "", profile=profile).model_copy(
        update={
            "label": label(mistake is None),
            "action_label": label(not wrong_names),
            "action_detail": mistake.detail if mistake else None,
            "arguments_label": None if wrong_names else label(mistake is None),
            "optimal": mistake is None,
            "steps_done": 0 if mistake else steps,
            "error": published_mistake(mistake.kind if mistake else None),
            "error_c3": mistake.kind if mistake else None,
            "detail": shortened(mistake.message) if mistake else None,
        }
    )


def counted_calls(gold: Gold, prediction: Prediction) -> tuple[ToolCall, ...]:
    """The calls that BFCL judges: those of the first reply, and of all replies where turns are simulated."""
    counted = prediction.replies if gold.simulated else prediction.replies[:1]
    return tuple(call for reply in counted for call in reply.tool_calls)


def passes_as_bfcl(gold: Gold) -> bool:
    """Whether a reply with the calls of the gold passes.

    Any call does where BFCL asks for no certain one, and its simulators are in the state they are to be in.
    """
    own = [(call.name, call.arguments) for _, call in gold.task.calls]
    is_any_right = gold.simulated is not None or gold.accepted_calls is None
    return is_any_right or calls_mistake(own, gold.accepted_calls or (), gold.tools) is None


def _mistake(gold: Gold, reply: Reply) -> BfclMistake | None:
    """What is wrong with a reply; calls of which one cannot be read are no calls to BFCL."""
    read = [(call.name, read_arguments(call.arguments or "")) for call in reply.tool_calls]
    said: list[SaidCall] = [
        (name, arguments) for name, arguments in read if name is not None and isinstance(arguments, dict)
    ]
    if len(said) < len(read):
        return _UNREADABLE if gold.accepted_calls != () else None
    if gold.accepted_calls is None:
        return None if said else BfclMistake(C3Mistake.REJECT, "No tool is called, although one is needed.")
    return calls_mistake(said, gold.accepted_calls, gold.tools)
