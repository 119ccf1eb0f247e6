"""Tasks whose gold the runs question together, and how well each task tells models apart.

A task is a suspect where models of at least two makes did the same thing instead of the gold; different
mistakes at one step are no agreement. A model that is right in a share s of the other tasks adds
-log(1 - s), of each make only the strongest; models that met the gold speak for it and subtract as much. What
is left must be above zero. So models that fail everything accuse nobody, one strong model that meets the gold
outweighs several weak ones that do not, and runs of one model count once, whatever they are called.
"""

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, pstdev

from scoring.generics import T
from scoring.groups import grouped
from scoring.matching.bfcl_scores import counted_calls
from scoring.matching.gold import Gold
from scoring.matching.replay import replay
from scoring.matching.task_scores import TaskScore
from scoring.measures.sample import Key
from scoring.model.record import Record
from scoring.model.taxonomy import ArgumentProfile, Semantics
from scoring.predictions import Prediction, ToolCall
from scoring.wording import counted

FEWEST_MAKES = 2
"""Models of how many makes a suspicion takes."""
_STRONGEST = 0.99
"""No model counts as surer than this: -log(1 - 0.99) = 4.6."""
_REPEAT = re.compile(
    r"[\s_#@(-]*(?:run|seed|rep|repeat|trial|take|attempt)[\s_#-]*\d+\)?$|\s*[#(]\d+\)?$", re.I
)
_PROTOCOL = re.compile(r"[\s._-]+(?:c2|c3|ua|upta|wildtool)$", re.I)
_VERSIONED = re.compile(r"([a-z]+)[\s_.-]*\d")


@dataclass(frozen=True)
class ScoredRun:
    """A run: its name, its model, its scores, and what it did where it left the gold, as far as is kept."""

    name: str
    model: str
    tasks: tuple[TaskScore, ...]
    deeds: Mapping[Key, str] = field(default_factory=dict, hash=False)


@dataclass(frozen=True)
class _Voice:
    """What one run says about one task."""

    run: str
    is_correct: bool
    deed: str | None


class Accuser(Record):
    """A model that left the gold in all its `runs`: how often it is right in the other tasks, and its deed.

    The deed is None where it is not known, or not the same in all runs.
    """

    model: str
    make: str
    runs: tuple[str, ...]
    strength: float
    deed: str | None


class Suspect(Record):
    """A task whose gold the runs contradict together.

    `weight` orders the list; above zero. The `accusers` all did the same. `loyal` are the models that met
    the gold.
    """

    case: str
    task: int
    weight: float
    accusers: tuple[Accuser, ...]
    loyal: tuple[str, ...]


class TaskItem(Record):
    """A task as an item of a test, over `n` models.

    `difficulty` is p, the share of models that are right: 1 is the easiest. `discrimination` is the
    point-biserial correlation of being right here with the accuracy in the other tasks, in [-1, 1]; None
    where all models do equally well here or elsewhere. A task tells models apart while some are right and
    others wrong.
    """

    case: str
    task: int
    n: int
    difficulty: float
    discrimination: float | None

    @property
    def tells_apart(self) -> bool:
        """Whether some models are right and others wrong."""
        return 0 < self.difficulty < 1


class Questions(Record):
    """What the runs say about the tasks: the suspects, the likeliest first, and every task as an item."""

    models: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    items: tuple[TaskItem, ...]


def model_of(run: str) -> str:
    """The model a run is of: its name without a repetition (`m run 2`, `m #2`) and a protocol (`m-c3`)."""
    name = _REPEAT.sub("", run.strip()).strip(" ·")
    return _REPEAT.sub("", _PROTOCOL.sub("", name)).strip(" ·") or run.strip()


def make_of(model: str) -> str:
    """Whose model it is: what stands before a slash, else the letters before a version, else its name."""
    name = model.strip().casefold()
    maker, slash, _ = name.partition("/")
    if slash and maker:
        return maker
    versioned = _VERSIONED.match(name)
    return versioned[1] if versioned else name


def question_gold(runs: Sequence[ScoredRun]) -> Questions:
    """Find the tasks the runs question together, and measure every task as an item.

    Args:
        runs: Runs over the same cases. Tasks that failed outside a model say nothing.
    """
    voices: dict[Key, dict[str, list[_Voice]]] = {}
    for run in runs:
        for score in run.tasks:
            if not score.is_outside_model:
                key = (score.case, score.task)
                said = voices.setdefault(key, {}).setdefault(run.model, [])
                said.append(_Voice(run.name, is_correct=score.is_correct, deed=run.deeds.get(key)))
    rights = {
        key: {model: fmean(one.is_correct for one in said) for model, said in by_model.items()}
        for key, by_model in voices.items()
    }
    totals = grouped(said for by_model in rights.values() for said in by_model.items())
    sums = {model: (sum(values), len(values)) for model, values in totals.items()}
    suspects, items = [], []
    for key, said_by in voices.items():
        elsewhere = {model: _mean_without(*sums[model], one=rights[key][model]) for model in said_by}
        items.append(_item(key, rights[key], elsewhere))
        suspect = _suspect(key, said_by, elsewhere)
        if suspect is not None:
            suspects.append(suspect)
    return Questions(
        models=tuple(sorted(sums)),
        suspects=tuple(sorted(suspects, key=lambda one: (-one.weight, one.case, one.task))),
        items=tuple(items),
    )


def _mean_without(total: float, count: int, *, one: float) -> float:
    return (total - one) / (count - 1) if count > 1 else 0.0


def _item(key: Key, rights: Mapping[str, float], elsewhere: Mapping[str, float]) -> TaskItem:
    here = [rights[model] for model in rights]
    there = [elsewhere[model] for model in rights]
    spread = pstdev(here) * pstdev(there)
    discrimination = None
    if spread > 1e-12:
        mean_here, mean_there = fmean(here), fmean(there)
        together = fmean((a - mean_here) * (b - mean_there) for a, b in zip(here, there, strict=True))
        discrimination = max(-1.0, min(1.0, together / spread))
    return TaskItem(
        case=key[0], task=key[1], n=len(here), difficulty=fmean(here), discrimination=discrimination
    )


def _suspect(
    key: Key, by_model: Mapping[str, Sequence[_Voice]], elsewhere: Mapping[str, float]
) -> Suspect | None:
    wrong = {model: said for model, said in by_model.items() if not any(one.is_correct for one in said)}
    accusers = [
        _accuser(model, elsewhere, runs=tuple(one.run for one in said), deed=_same(one.deed for one in said))
        for model, said in wrong.items()
    ]
    groups = grouped((accuser.deed, accuser) for accuser in accusers if accuser.deed is not None)
    against = max(groups.values(), key=_weight, default=[])
    loyal = sorted(model for model in by_model if model not in wrong)
    weight = _weight(against) - _weight([_accuser(model, elsewhere) for model in loyal])
    if len({one.make for one in against if one.strength > 0}) < FEWEST_MAKES or weight <= 1e-9:
        return None
    return Suspect(
        case=key[0],
        task=key[1],
        weight=weight,
        accusers=tuple(sorted(against, key=lambda one: (-one.strength, one.model))),
        loyal=tuple(loyal),
    )


def _accuser(
    model: str, elsewhere: Mapping[str, float], *, runs: tuple[str, ...] = (), deed: str | None = None
) -> Accuser:
    return Accuser(model=model, make=make_of(model), runs=runs, strength=elsewhere[model], deed=deed)


def _weight(accusers: Iterable[Accuser]) -> float:
    """What models say together: of each make the strongest."""
    best: dict[str, float] = {}
    for one in accusers:
        best[one.make] = max(best.get(one.make, 0.0), one.strength)
    return sum(-math.log(1 - min(strength, _STRONGEST)) for strength in best.values())


def _same(values: Iterable[T]) -> T | None:
    """The one value they all are; None where they differ or there is none."""
    found = set(values)
    return found.pop() if len(found) == 1 else None


def deed_of(
    gold: Gold, prediction: Prediction, *, profile: ArgumentProfile, semantics: Semantics = Semantics.PAPER
) -> str | None:
    """What a model did where it left the gold, so that equal deeds are equal texts; None where it did not.

    Calls with their arguments, sorted, keys sorted; of a reply with wrong arguments only the wrong calls. A
    text is `a text`, whatever it says, with the rounds before it where there are any. By the rules of BFCL
    all calls that count.
    """
    if prediction.error is not None:
        return None
    if semantics is Semantics.BFCL:
        return _calls_text(counted_calls(gold, prediction)) or "a text"
    match = replay(gold, prediction.replies, profile=profile)
    place = match.first_bad_arguments
    if place is None:
        if match.failure is None:
            return None
        place = len(match.outcomes) - 1
        reply = prediction.replies[place] if place < len(prediction.replies) else None
        if reply is None or reply.is_empty:
            return None
        if not reply.tool_calls:
            return f"a text after {counted(place, 'round')}" if place else "a text"
        return _calls_text(reply.tool_calls)
    outcome = match.outcomes[place]
    calls = prediction.replies[place].tool_calls
    wrong = [call for call, check in zip(calls, outcome.checks, strict=False) if not check.correct]
    return _calls_text(wrong or calls)


def _calls_text(calls: Iterable[ToolCall]) -> str:
    return "; ".join(sorted(map(_call_text, calls)))


def _call_text(call: ToolCall) -> str:
    try:
        arguments = json.dumps(json.loads(call.arguments or ""), sort_keys=True, ensure_ascii=False)
    except ValueError:
        arguments = call.arguments or ""
    return f"{call.name or '?'}({arguments})"
