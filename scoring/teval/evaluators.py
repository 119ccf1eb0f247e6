"""What one reply to one item is worth, for each of the six abilities (teval 5)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from scoring.errors import InputError, existing
from scoring.model.record import Record
from scoring.teval.plans import chain_length, free_chain_length, match_as_released, match_plans
from scoring.teval.replies import display, literal, loaded_reply
from scoring.teval.similarity import Similarity, clipped

FINISH = "FinishAction"
"""The name that stands for the final reply."""
LETTERS = ("A", "B", "C", "D", "E")
_MILLION = 1_000_000
_NAME_WEIGHT, _ARGS_WEIGHT = 0.75, 0.25
_ALMOST_NOTHING = 0.00001
TEMPLATE_MARKS = ("thought_start", "thought_end", "action_start", "action_end", "args_start", "args_end")
"""The fields of a template for a call in text: the marks around its three values, in order."""


class TEvalProfile(StrEnum):
    """Rules of the paper, of the code of December 2023, and of the code since February 2024 (teval 1)."""

    PAPER = "paper"
    REF_V1 = "ref_v1"
    REF_V2 = "ref_v2"

    @property
    def link_threshold(self) -> float:
        """Score above which a predicted step may stand for a gold step."""
        return 0.8 if self is TEvalProfile.REF_V2 else 0.7

    @property
    def chain_floor(self) -> int:
        """The chain length a plan that can be read has at least."""
        return 0 if self is TEvalProfile.PAPER else 1

    @property
    def compares_exactly(self) -> bool:
        """Whether UNDERSTAND compares values instead of their meaning."""
        return self is TEvalProfile.REF_V2


class InstructScore(Record):
    """A call written in the layout that was asked for.

    `args_em` counts the API name as one more parameter; `score_params_only` is the paper's wording, in
    which only parameters count.
    """

    parsed: int = 0
    format: int = 0
    args_em: float = 0.0
    score: float = 0.0
    score_params_only: float = 0.0


class PlanScore(Record):
    """A plan. Rows of the matrices are predicted, columns gold steps, both in order.

    `lis` is the chain length, `l` the same under the profile's floor, and `weight` the total of the links
    taken. `f1_exact` takes names as equal or not; `f1_dag` is None where the gold plan has no graph.
    """

    parse_rate: int = 0
    precision: float = 0.0
    recall: float = 0.0
    f1_score: float = 0.0
    f1_exact: float = 0.0
    f1_dag: float | None = None
    empty_after_finish: bool = False
    name_sim: tuple[tuple[float, ...], ...] = ()
    args_sim: tuple[tuple[float, ...], ...] = ()
    S: tuple[tuple[float, ...], ...] = ()
    matching: tuple[int, ...] = ()
    matched: int = 0
    weight: float = 0.0
    lis: int = 0
    l: int = 0  # noqa: E741
    l_dag: int | None = None
    n_pred: int = 0
    n_gt: int = 0


class StepScore(Record):
    """The next step: its thought, its tool and its arguments, each None where the item does not ask for it.

    `args` follows the profile; `args_similar` is also None where the profile compares exactly.
    """

    parse_rate: int = 0
    thought: float | None = None
    name: int | None = None
    args: float | None = None
    args_similar: float | None = None
    args_exact: float | None = None


class ReviewScore(Record):
    """The letter a reply chose, None where it chose none, and whether it is the right one."""

    choice: str | None = None
    parse_rate: float = 0.0
    review_quality: float = 0.0


def score_instruct(
    prediction: Any, *, gold: Mapping[str, Any], template: Mapping[str, str], response_format: str
) -> InstructScore:
    """Compare one call (teval 5.1).

    Args:
        prediction: The reply.
        gold: `action` and `args`.
        template: The names of the fields (`json`), or the texts around the three values.
        response_format: `json`, or anything else for text.
    """
    read = _instruct_json if response_format == "json" else _instruct_text
    called = read(prediction, template)
    if called is None:
        return InstructScore()
    action, args = called
    wanted = gold["args"]
    # An absent parameter is as good as an empty text.
    right = sum(bool(args.get(name, "") == value) for name, value in wanted.items())
    args_em = ((action == gold["action"]) + right) / (len(wanted) + 1)
    share = right / len(wanted) if wanted else 1.0
    return InstructScore(
        parsed=1, format=1, args_em=args_em, score=0.5 + 0.5 * args_em, score_params_only=0.5 + 0.5 * share
    )


def _instruct_json(prediction: Any, template: Mapping[str, str]) -> tuple[Any, Mapping[Any, Any]] | None:
    value = loaded_reply(prediction)
    names = [template[field] for field in ("thought", "action", "args")]
    if not isinstance(value, dict) or any(name not in value for name in names):
        return None
    args = value[names[2]]
    return value[names[1]], args if isinstance(args, dict) else {}


def _instruct_text(prediction: Any, template: Mapping[str, str]) -> tuple[str, Mapping[Any, Any]] | None:
    """Find the last block: with greedy groups each mark is the last one that leaves room for the next.

    This is the first match of `start(.*)end start(.*)end start(.*)end`, found from the end of the text.
    """
    if not isinstance(prediction, str):
        return None
    start, thought_end, action_start, action_end, args_start, end = (
        template[name] for name in TEMPLATE_MARKS
    )
    first = prediction.find(start)
    last = prediction.rfind(end)
    if first < 0 or last < 0:
        return None
    begin = first + len(start)
    before_args, before_action = action_end + args_start, thought_end + action_start
    second = prediction.rfind(before_args, begin, last)
    third = prediction.rfind(before_action, begin, second) if second >= 0 else -1
    if third < 0:
        return None
    try:
        args = literal(prediction[second + len(before_args) : last].strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        args = {}
    action = prediction[third + len(before_action) : second].strip()
    return action, args if isinstance(args, dict) else {}


@dataclass(frozen=True)
class PlannedStep:
    """One step of a plan, its arguments as text."""

    id: int
    name: str
    args: str


def read_plan(value: Any) -> tuple[PlannedStep, ...]:
    """Read a plan written as a list; empty where it, or any step of it, cannot be read (teval 5.2)."""
    listed = loaded_reply(value, "[", "]")
    if not isinstance(listed, list):
        return ()
    try:
        return tuple(
            PlannedStep(id=int(step["id"]), name=display(step["name"]), args=display(step["args"]))
            for step in listed
        )
    except (TypeError, KeyError, ValueError, OverflowError, IndexError):
        return ()


def read_plan_lines(prediction: Any, names: Sequence[str]) -> tuple[PlannedStep, ...]:
    """Read a plan written as lines: each names at most one API, the one that begins first (teval 5.2).

    Args:
        prediction: The reply.
        names: The APIs; of two that begin at one place the one listed first is taken.
    """
    steps: list[PlannedStep] = []
    for line in prediction.replace(". ", "\n").split("\n") if isinstance(prediction, str) else ():
        places = [(place, i) for i, name in enumerate(names) if (place := line.find(name)) >= 0]
        if places:
            steps.append(PlannedStep(id=len(steps), name=names[min(places)[1]], args=line))
    return tuple(steps)


def score_plan(
    prediction: Any,
    *,
    gold: Any,
    profile: TEvalProfile,
    similarity: Similarity,
    names: Sequence[str] | None = None,
    dependencies: Sequence[Sequence[int]] | None = None,
) -> PlanScore:
    """Compare a plan with the gold plan (teval 5.2).

    Args:
        prediction: The reply.
        gold: The gold plan, a list or its text.
        profile: The threshold of a link, and the least chain length.
        similarity: Compares names and arguments.
        names: The APIs where the reply is text; None where it is a list.
        dependencies: For each gold step those it waits for; None where nobody drew them.
    """
    predicted = read_plan(prediction) if names is None else read_plan_lines(prediction, names)
    wanted = read_plan(gold)
    unordered = None if dependencies is None else 0.0
    if not predicted or not wanted:
        return PlanScore(f1_dag=unordered)
    mine, theirs = _ordered(predicted), _ordered(wanted)
    if not mine or not theirs:
        return PlanScore(parse_rate=1, f1_dag=unordered, empty_after_finish=True)
    name_sim = [[clipped(similarity, one.name, other.name) for other in theirs] for one in mine]
    args_sim = [[clipped(similarity, one.args, other.args) for other in theirs] for one in mine]
    same_name = [[float(one.name == other.name) for other in theirs] for one in mine]
    both = _mixed(name_sim, args_sim)
    matching = _matching(both, profile)
    exact = _matching(_mixed(same_name, args_sim), profile)
    lis = chain_length(matching)
    length = max(lis, profile.chain_floor)
    total = len(mine) + len(theirs)
    fits = dependencies is not None and len(dependencies) == len(theirs)
    free = free_chain_length(matching, dependencies or ()) if fits else None
    return PlanScore(
        parse_rate=1,
        precision=length / len(mine),
        recall=length / len(theirs),
        f1_score=2 * length / total,
        f1_exact=2 * max(chain_length(exact), profile.chain_floor) / total,
        f1_dag=None if free is None else 2 * free / total,
        name_sim=_frozen(name_sim),
        args_sim=_frozen(args_sim),
        S=_frozen(both),
        matching=matching,
        matched=sum(gold_step >= 0 for gold_step in matching),
        weight=sum(both[i][j] for i, j in enumerate(matching) if j >= 0),
        lis=lis,
        l=length,
        l_dag=free,
        n_pred=len(mine),
        n_gt=len(theirs),
    )


def _ordered(plan: Sequence[PlannedStep]) -> list[PlannedStep]:
    """By id; a closing final reply is no step."""
    ordered = sorted(plan, key=lambda step: step.id)
    return ordered[:-1] if ordered[-1].name == FINISH else ordered


Matrix = list[list[float]]


def _mixed(names: Matrix, args: Matrix) -> Matrix:
    return [
        [_NAME_WEIGHT * name + _ARGS_WEIGHT * arg for name, arg in zip(*rows, strict=True)]
        for rows in zip(names, args, strict=True)
    ]


def _matching(scores: Matrix, profile: TEvalProfile) -> tuple[int, ...]:
    """The gold step of each predicted step, -1 for none (teval 5.2 steps 4 to 7, and its amendments)."""
    if profile is not TEvalProfile.PAPER:
        return match_as_released(scores, threshold=profile.link_threshold)
    # Whole millionths, so that the threshold and ties are exact; 0 where two steps are not linked.
    rounded = [[round(score * _MILLION) for score in row] for row in scores]
    least = profile.link_threshold * _MILLION
    return match_plans([[score if score > least else 0 for score in row] for row in rounded])


def _frozen(matrix: Matrix) -> tuple[tuple[float, ...], ...]:
    return tuple(map(tuple, matrix))


@dataclass(frozen=True)
class NextStep:
    """A next step as gold or reply has it, missing fields empty; `args` is an object, or a text in text."""

    thought: str
    name: str
    args: Any


def read_gold_step(value: Any, *, is_json: bool) -> NextStep:
    """Read a gold step (teval 5.3).

    Raises:
        InputError: It is no mapping: the record is broken.
    """
    return existing(
        _step(loaded_reply(value, "{", "}"), is_json=is_json),
        InputError("The gold step cannot be read.", "Correct the file; no reply could be scored."),
    )


def _step(value: Any, *, is_json: bool) -> NextStep | None:
    if not isinstance(value, dict):
        return None
    args = value.get("args", {} if is_json else "")
    if not is_json:
        args = display(args)
    elif not isinstance(args, dict):
        args = {}
    return NextStep(thought=display(value.get("thought", "")), name=display(value.get("name", "")), args=args)


def score_joint(prediction: Any, *, gold: Any, profile: TEvalProfile, similarity: Similarity) -> StepScore:
    """Compare a next step written as one object: thought, name and arguments (teval 5.3)."""
    wanted = read_gold_step(gold, is_json=True)
    found = _step(loaded_reply(prediction, "{", "}"), is_json=True)
    if found is None:
        similar = None if profile.compares_exactly else 0.0
        return StepScore(thought=0.0, name=0, args=0.0, args_similar=similar, args_exact=0.0)
    exact = _same_arguments(found.args, wanted.args)
    shown = display(found.args), display(wanted.args)
    similar = None if profile.compares_exactly else clipped(similarity, *shown)
    return StepScore(
        parse_rate=1,
        thought=clipped(similarity, found.thought, wanted.thought),
        name=int(found.name == wanted.name),
        args=exact if similar is None else similar,
        args_similar=similar,
        args_exact=exact,
    )


def _same_arguments(given: Mapping[Any, Any], wanted: Mapping[Any, Any]) -> float:
    if not wanted:
        return float(not given)
    right = sum(name in given and display(given[name]) == display(value) for name, value in wanted.items())
    return right / (len(wanted) + _ALMOST_NOTHING)


def score_thought(prediction: str, *, gold: Any, similarity: Similarity) -> StepScore:
    """Compare a thought written as text (teval 5.3)."""
    wanted = read_gold_step(gold, is_json=False)
    return StepScore(parse_rate=1, thought=clipped(similarity, prediction, wanted.thought))


def score_name(prediction: str, *, gold: Any) -> StepScore:
    """Look for the gold tool in a text, and for any other dotted name or final reply (teval 5.3)."""
    wanted = read_gold_step(gold, is_json=False).name
    named = [*re.findall(r"\w+\.\w+", prediction), *re.findall(FINISH, prediction)]
    return StepScore(parse_rate=1, name=int(wanted in prediction and all(name == wanted for name in named)))


def score_value(prediction: str, *, gold: Any, profile: TEvalProfile, similarity: Similarity) -> StepScore:
    """Compare the value of one argument written as text (teval 5.3)."""
    wanted = read_gold_step(gold, is_json=False).args
    exact = float(prediction.strip("'").strip('"') == wanted)
    similar = None if profile.compares_exactly else clipped(similarity, prediction, wanted)
    return StepScore(
        parse_rate=1,
        args=exact if similar is None else similar,
        args_similar=similar,
        args_exact=exact,
    )


def score_review(prediction: Any, *, gold: str) -> ReviewScore:
    """Read the letter behind the first colon, or at the beginning where there is none (teval 5.4)."""
    if not isinstance(prediction, str):
        return ReviewScore()
    choice = prediction[prediction.find(":") + 1 :].strip()[:1]
    if choice not in LETTERS:
        return ReviewScore()
    return ReviewScore(choice=choice, parse_rate=1.0, review_quality=float(choice == gold))
