"""Why a task failed, step by step: what was due, what the model did instead, and what that ended."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from scoring.groups import collected
from scoring.matching.argument_problems import CallCheck
from scoring.matching.bfcl_scores import counted_calls
from scoring.matching.gold import Gold
from scoring.matching.outcomes import Match, OutcomeKind, ReplyOutcome
from scoring.matching.replay import replay
from scoring.matching.task_scores import TaskScore
from scoring.model.case import Answer, Ask, Call
from scoring.model.flow import escape
from scoring.model.taxonomy import Semantics
from scoring.orders.legal_orders import remaining_orders
from scoring.predictions import Prediction, Reply, ToolCall
from scoring.texts import in_language, tr, tr_count, with_commas
from ui.graph.canvas_content import Mark, MarkKind


@dataclass(frozen=True)
class StepLine:
    """A call, a question or an answer.

    `title` is the tool's name, or what the text is. `arguments` are None where they cannot be read and
    for texts; `text` is then what was written. `troubled` are the paths of wrong values.
    """

    title: str
    arguments: JsonValue = None
    text: str = ""
    troubled: tuple[str, ...] = ()
    is_call: bool = True
    is_wrong: bool = False


@dataclass(frozen=True)
class FailureExplanation:
    """What a person needs to see of a failed task.

    `round` counts from 1 and is None where no reply is to blame. `expected` and `said` are what was due
    and what came instead; `why` says what is wrong in sentences, `after` what it ended. `marks` belong
    on the task's graph.
    """

    head: str
    round: int | None
    expected: tuple[StepLine, ...]
    said: tuple[StepLine, ...]
    why: tuple[str, ...]
    after: str
    marks: dict[int, Mark] = field(hash=False)


def explain_failure(
    gold: Gold, prediction: Prediction, score: TaskScore, semantics: Semantics
) -> FailureExplanation:
    """Walk a prediction through the legal orders and say where it left them.

    Args:
        gold: The task.
        prediction: What the model answered.
        score: What the run's scorecard says about it; gives the rules for arguments.
        semantics: By which rules the run was judged; BFCL's know no orders, so its own reason is given.
    """
    if prediction.error is not None:
        return _outside(gold, f"{prediction.error.kind}: {prediction.error.message}".rstrip(": "))
    if semantics is Semantics.BFCL:
        return _wrong_for_bfcl(gold, prediction, score)
    match = replay(gold, prediction.replies, profile=score.arguments_profile)
    bad = match.first_bad_arguments
    if bad is not None:
        return _wrong_arguments(gold, match, bad, score)
    if match.failure is not None:
        return _left_the_orders(gold, match, match.failure, score)
    return _passed(gold, match, score)


def without_prediction(gold: Gold, score: TaskScore) -> FailureExplanation:
    """What can be said of a task where the model's replies are not available."""
    due = tuple(_step_line(gold, step) for step in _first_ready(gold))
    marks = {step: Mark(MarkKind.READY, tr("first")) for step in _first_ready(gold)}
    why = (in_language(score.detail),) if score.detail else ()
    return FailureExplanation(
        tr("the replies are not available"), None, due, (), why, _progress(score), marks
    )


def _outside(gold: Gold, message: str) -> FailureExplanation:
    due = tuple(_step_line(gold, step) for step in _first_ready(gold))
    after = tr("It counts as wrong in the accuracies and is excluded from the error shares.")
    return FailureExplanation(tr("failed outside the model"), None, due, (), (message,), after, {})


def _passed(gold: Gold, match: Match, score: TaskScore) -> FailureExplanation:
    rounds = len(match.outcomes)
    slow = tr(
        "It took {round} where {rounds} would have done.", round=tr_count(rounds, "round"), rounds=gold.rounds
    )
    why = (slow,) if rounds > gold.rounds else ()
    return FailureExplanation(
        tr("stayed within the legal orders"), None, (), (), why, _progress(score), _done_marks(match.outcomes)
    )


def _wrong_for_bfcl(gold: Gold, prediction: Prediction, score: TaskScore) -> FailureExplanation:
    """The calls that BFCL judges beside those of the gold."""
    first = next(iter(prediction.replies), None)
    reply = first and first.model_copy(update={"tool_calls": counted_calls(gold, prediction)})
    steps = [step for step, _ in gold.task.calls]
    return FailureExplanation(
        head=tr("wrong by the rules of BFCL"),
        round=None,
        expected=tuple(_step_line(gold, step) for step in steps),
        said=_said(reply, [gold.graph.names[step] for step in steps]),
        why=(in_language(score.detail or ""),),
        after=tr("BFCL judges a task as a whole: all of its steps are done, or none."),
        marks={step: Mark(MarkKind.READY) for step in steps},
    )


def _left_the_orders(gold: Gold, match: Match, outcome: ReplyOutcome, score: TaskScore) -> FailureExplanation:
    position = len(match.outcomes) - 1
    reply = match.replies[position] if position < len(match.replies) else None
    before = remaining_orders(gold.graph, outcome.done)
    return FailureExplanation(
        head=tr("left the legal orders in round {position}", position=position + 1),
        round=position + 1,
        expected=tuple(_step_line(gold, step) for step in outcome.ready),
        said=_said(reply, [gold.graph.names[step] for step in outcome.ready]),
        why=tuple(_why_not(gold, outcome, reply)),
        after=tr(
            "Possible before this reply: {orders}; after it: none. {progress}",
            orders=tr("Too many legal orders to count")
            if before is None
            else tr_count(before, "legal order"),
            progress=_progress(score),
        ),
        marks=_done_marks(match.outcomes)
        | dict.fromkeys(outcome.ready, Mark(MarkKind.READY))
        | _early_marks(gold, outcome, reply),
    )


def _wrong_arguments(gold: Gold, match: Match, position: int, score: TaskScore) -> FailureExplanation:
    outcome = match.outcomes[position]
    wrong = [
        (step, check) for step, check in zip(outcome.steps, outcome.checks, strict=True) if not check.correct
    ]
    later = (
        tr("The names of all calls are right.")
        if match.names_correct
        else tr("Later the names went wrong, too.")
    )
    marks = _done_marks(match.outcomes[: position + 1])
    return FailureExplanation(
        head=tr("wrong arguments in round {position}", position=position + 1),
        round=position + 1,
        expected=tuple(_step_line(gold, step, troubled=_paths(check)) for step, check in wrong),
        said=tuple(
            _call_said(call, is_wrong=not check.correct, troubled=_paths(check))
            for call, check in zip(match.replies[position].tool_calls, outcome.checks, strict=True)
        ),
        why=tuple(
            tr(
                "Step {step}, {names}: {message}.",
                step=step,
                names=gold.graph.names[step],
                message=in_language(problem.message),
            )
            for step, check in wrong
            for problem in check.problems
        ),
        after=f"{later} {_progress(score)}",
        marks=marks | {step: Mark(MarkKind.WRONG, tr("wrong arguments")) for step, _ in wrong},
    )


def _paths(check: CallCheck) -> tuple[str, ...]:
    """Where the arguments of a call are wrong; extra keys are wrong in what was said."""
    extra = [f"{problem.path}/{escape(key)}" for problem in check.problems for key in problem.extra]
    return (*(problem.path for problem in check.problems if problem.path), *extra)


def _why_not(gold: Gold, outcome: ReplyOutcome, reply: Reply | None) -> Iterator[str]:
    yield in_language(outcome.message)
    if reply is None or not reply.tool_calls:
        return
    for step in _early_steps(gold, outcome, reply):
        waits = sorted(gold.graph.before[step] - set(outcome.done))
        if waits:
            yield tr(
                "Step {step} is not ready: it waits for {names}.",
                step=step,
                names=with_commas(f"{one} ({_step_name(gold, one)})" for one in waits),
            )


def _step_name(gold: Gold, step: int) -> str:
    match gold.task.steps[step]:
        case Call(name=name):
            return name
        case Ask():
            return tr("the question")
        case Answer():
            return tr("the answer")


def _progress(score: TaskScore) -> str:
    return tr(
        "Progress {steps_done} of {steps_total}.", steps_done=score.steps_done, steps_total=score.steps_total
    )


def _first_ready(gold: Gold) -> tuple[int, ...]:
    return tuple(step for step in range(len(gold.graph)) if not gold.graph.before[step])


def _step_line(gold: Gold, step: int, *, troubled: tuple[str, ...] = ()) -> StepLine:
    match gold.task.steps[step]:
        case Call(name=name, arguments=arguments):
            return StepLine(name, arguments, troubled=troubled)
        case Ask(text=text):
            return StepLine(tr("a question"), text=text, is_call=False)
        case Answer(text=text):
            return StepLine(tr("the answer"), text=text, is_call=False)


@collected
def _said(reply: Reply | None, ready: Sequence[str]) -> Iterator[StepLine]:
    """What the model did instead, the calls that were due not marked as wrong."""
    if reply is None:
        yield StepLine(tr("nothing more"), is_call=False, is_wrong=True)
    elif not reply.tool_calls:
        title = tr("nothing") if reply.is_empty else tr("a text")
        yield StepLine(title, text=reply.content or "", is_call=False, is_wrong=True)
    else:
        due = Counter(ready)
        for call in reply.tool_calls:
            is_due = call.is_readable and due[call.name or ""] > 0
            due[call.name or ""] -= is_due
            yield _call_said(call, is_wrong=not is_due)


def _call_said(call: ToolCall, *, is_wrong: bool, troubled: tuple[str, ...] = ()) -> StepLine:
    name, written = call.name or tr("a call without a name"), call.arguments or ""
    try:
        arguments = json.loads(written)
    except (ValueError, RecursionError):
        arguments = None
    if not isinstance(arguments, dict):
        return StepLine(name, text=written, is_wrong=is_wrong)
    return StepLine(name, arguments, troubled=troubled, is_wrong=is_wrong)


def _done_marks(outcomes: Sequence[ReplyOutcome]) -> dict[int, Mark]:
    return {
        step: Mark(MarkKind.DONE, tr("round {number}", number=number))
        for number, outcome in enumerate(outcomes, 1)
        for step in outcome.steps
        if outcome.kind is not OutcomeKind.FAILURE
    }


def _early_marks(gold: Gold, outcome: ReplyOutcome, reply: Reply | None) -> dict[int, Mark]:
    if reply is None:
        return {}
    word = tr("called too early") if reply.tool_calls else tr("answered too early")
    return {step: Mark(MarkKind.EARLY, word) for step in _early_steps(gold, outcome, reply)}


def _early_steps(gold: Gold, outcome: ReplyOutcome, reply: Reply) -> Iterator[int]:
    """Steps the reply went for before they were ready."""
    ready, done = set(outcome.ready), set(outcome.done)
    if not reply.tool_calls:
        if not reply.is_empty and gold.answer not in ready:
            yield gold.answer
        return
    for name, count in Counter(call.name for call in reply.tool_calls).items():
        left = [step for step, one in enumerate(gold.graph.names) if one == name and step not in done]
        waiting = [step for step in left if step not in ready]
        yield from waiting[: max(0, count - (len(left) - len(waiting)))]
