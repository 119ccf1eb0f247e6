"""How a run stands after one more reply or one more attempt that ended."""

from annotator.generation.records import DialogueRow, DialogueStatus, Exchange, GenerationState
from annotator.llm.budget import Budget


def with_exchange(state: GenerationState, exchange: Exchange, *, budget: Budget) -> GenerationState:
    """The state with one more stored reply."""
    rejected = dict(state.rejected)
    for fault in exchange.verdict.faults:
        rejected[fault.value] = rejected.get(fault.value, 0) + 1
    prompt = state.prompt_tokens + (exchange.prompt_tokens or 0)
    completion = state.completion_tokens + (exchange.completion_tokens or 0)
    return state.model_copy(
        update={
            "requests": state.requests + 1,
            "rejected": rejected,
            "newest": exchange.dialogue,
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "dollars": budget.cost(prompt, completion),
        }
    )


def with_row(state: GenerationState, row: DialogueRow, *, is_last: bool) -> GenerationState:
    """The state after an attempt ended or began to wait.

    Args:
        state: The state before.
        row: The attempt.
        is_last: Whether a failed one was the last that may be tried.
    """
    changes: dict[str, object] = {"newest": row.dialogue}
    if row.status is DialogueStatus.FINISHED:
        name = " ".join(row.labelled)
        changes["finished"] = state.finished + 1
        changes["as_wanted"] = state.as_wanted + row.is_as_wanted
        changes["sequences"] = {**state.sequences, name: state.sequences.get(name, 0) + 1}
    elif row.status is DialogueStatus.WAITING:
        changes["waiting"] = state.waiting + 1
    elif row.failure:
        reason = row.failure.value
        changes["failures"] = {**state.failures, reason: state.failures.get(reason, 0) + 1}
        changes["given_up"] = state.given_up + is_last
    return state.model_copy(update=changes)
