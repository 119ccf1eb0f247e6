"""From replies to the scores of a model: means of files, six abilities, and what failed (teval 6, 7)."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from scoring.errors import InputError
from scoring.groups import grouped, summed
from scoring.model.record import JsonObject, Record
from scoring.teval.evaluators import (
    LETTERS,
    InstructScore,
    PlanScore,
    ReviewScore,
    StepScore,
    TEvalProfile,
    score_instruct,
    score_joint,
    score_name,
    score_plan,
    score_review,
    score_thought,
    score_value,
)
from scoring.teval.items import ItemReply, Replies, gold_dependencies, part, response_format
from scoring.teval.replies import display
from scoring.teval.similarity import Similarity, SimilarityModel, prepared
from scoring.teval.subsets import Items, Subset

_AT_ONCE = 2_000
"""Items whose texts are compared in one go."""

_INSTRUCT = "instruct_json"
"""What the published results call the one file that mixes both formats."""

_PARTS: dict[str, tuple[tuple[tuple[str, str], ...], ...]] = {
    "instruct": (
        ((_INSTRUCT, "json_format_metric"), (_INSTRUCT, "json_args_em_metric")),
        ((_INSTRUCT, "string_format_metric"), (_INSTRUCT, "string_args_em_metric")),
    ),
    "plan": ((("plan_str", "f1_score"),), (("plan_json", "f1_score"),)),
    "reason": ((("reason_str", "thought"),), (("rru_json", "thought"),)),
    "retrieve": ((("retrieve_str", "name"),), (("rru_json", "name"),)),
    "understand": ((("understand_str", "args"),), (("rru_json", "args"),)),
    "review": ((("review_str", "review_quality"),),),
}
"""For each ability its formats, for each format the metrics whose mean it is (teval 6)."""

_BESIDE = {
    "plan_exact": ("plan", {"f1_score": "f1_exact"}),
    "plan_order_free": ("plan", {"f1_score": "f1_dag"}),
    "understand_similar": ("understand", {"args": "args_similar"}),
    "understand_exact": ("understand", {"args": "args_exact"}),
    "instruct_params_only": (
        "instruct",
        {f"{form}_args_em_metric": f"{form}_params_metric" for form in ("json", "string")},
    ),
}
"""Values that stand beside an ability: the same mean with other metrics."""

ABILITIES = tuple(_PARTS)


class ItemResult(Record):
    """One item: what each of its metrics came to, and how its reply was read.

    `case` is what its items belong to, None where nobody says.
    """

    subset: Subset
    item: str
    case: str | None = None
    parsed: bool
    metrics: dict[str, float]
    is_missing: bool = False
    is_empty: bool = False
    hit_limit: bool = False
    ambiguous: bool | None = None
    kind: str | None = None
    gold_letter: str | None = None
    choice: str | None = None


class SubsetScore(Record):
    """One file. A failed or missing reply counts 0; `parsed_only` leaves failed ones out, for diagnosis."""

    items: int
    failed: int
    missing: int
    empty: int
    hit_limit: int
    metrics: dict[str, float]
    parsed_only: dict[str, float]


class Split(Record):
    """The mean of a metric over the items of a file that share something: a letter, a kind, ambiguity."""

    by: str
    value: str
    subset: Subset
    metric: str
    items: int
    mean: float


class TevalScores(Record):
    """What a model is worth; `subsets` has the keys of the published results.

    An ability is None where a part of it is missing, and so is the mean of all six.
    """

    profile: TEvalProfile
    similarity: SimilarityModel
    items_sha256: str
    subsets: dict[str, SubsetScore]
    abilities: dict[str, float | None]
    overall: float | None
    beside: dict[str, float | None]
    splits: tuple[Split, ...]
    choices: dict[str, dict[str, int]]


SCORES = "teval.json"
"""What holds the scores of a model under each profile, in a folder of its result."""
_SCORES = TypeAdapter(tuple[TevalScores, ...])


def read_scores(folder: Path) -> tuple[TevalScores, ...]:
    """Read what a model is worth under each profile from the folder of its result.

    Raises:
        InputError: There are no scores, or broken ones.
    """
    hint = "Name a folder that `annotator teval score -o` wrote, or score the replies again."
    try:
        return _SCORES.validate_json((folder / SCORES).read_bytes())
    except OSError as exc:
        raise InputError(f"{folder} holds no T-Eval scores: {exc.strerror or exc}.", hint) from exc
    except ValidationError as exc:
        first = str(exc).splitlines()[0]
        raise InputError(f"The scores in {folder} cannot be read: {first}.", hint) from exc


def score_item(
    subset: Subset, body: JsonObject, prediction: Any, *, profile: TEvalProfile, similarity: Similarity
) -> InstructScore | PlanScore | StepScore | ReviewScore:
    """Score one reply by the evaluator of its file.

    Args:
        subset: The file.
        body: An item that `check_item` lets pass.
        prediction: The cleaned reply.
        profile: The rules.
        similarity: Compares texts.
    """
    gold: Any = body["ground_truth"]
    form = response_format(subset, body)
    match subset:
        case Subset.INSTRUCT:
            template: Any = body["template"]
            return score_instruct(prediction, gold=gold, template=template, response_format=form)
        case Subset.PLAN_JSON | Subset.PLAN_STR:
            names: Any = part(body, "meta").get("API_list") if form == "str" else None
            return score_plan(
                prediction,
                gold=gold,
                profile=profile,
                similarity=similarity,
                names=names,
                dependencies=gold_dependencies(body),
            )
        case Subset.REVIEW_STR:
            return score_review(prediction, gold=gold["answer"])
    if form == "json":
        return score_joint(prediction, gold=gold, profile=profile, similarity=similarity)
    text = "" if prediction is None else display(prediction)
    match subset:
        case Subset.REASON_STR:
            return score_thought(text, gold=gold, similarity=similarity)
        case Subset.RETRIEVE_STR:
            return score_name(text, gold=gold)
        case _:
            return score_value(text, gold=gold, profile=profile, similarity=similarity)


def score_items(
    items: Items,
    replies: Replies,
    *,
    profile: TEvalProfile,
    similarity: Similarity,
    listen: Callable[[int], object] = lambda done: None,
) -> tuple[ItemResult, ...]:
    """Score every item of a set, those without a reply as failed.

    Args:
        items: The items.
        replies: The cleaned replies.
        profile: The rules.
        similarity: Compares texts.
        listen: Told how many items are scored.
    """
    todo = ((subset, name, body) for subset, listed in items.items() for name, body in listed.items())
    results: list[ItemResult] = []
    while some := list(islice(todo, _AT_ONCE)):

        def work(
            measure: Similarity, some: Sequence[tuple[Subset, str, JsonObject]] = some
        ) -> list[ItemResult]:
            return [
                _result(*item, replies.get((item[0], item[1])), profile=profile, similarity=measure)
                for item in some
            ]

        prepared(similarity, work)
        results += work(similarity)
        listen(len(results))
    return tuple(results)


def _result(
    subset: Subset,
    name: str,
    body: JsonObject,
    reply: ItemReply | None,
    *,
    profile: TEvalProfile,
    similarity: Similarity,
) -> ItemResult:
    # An item nobody answered is scored as a reply that cannot be read, in text formats as an empty one.
    prediction = "" if reply is None else reply.prediction
    score = score_item(subset, body, prediction, profile=profile, similarity=similarity)
    parsed, metrics = _metrics(score, response_format(subset, body))
    if reply is None:
        metrics = dict.fromkeys(metrics, 0.0)
    meta = part(body, "meta_data")
    ambiguous, kind = meta.get("ambiguous"), meta.get("kind")
    return ItemResult(
        subset=subset,
        item=name,
        case=_case_of(meta),
        parsed=parsed and reply is not None,
        metrics=metrics,
        is_missing=reply is None,
        is_empty=reply is not None and (prediction is None or prediction == ""),
        hit_limit=reply is not None and reply.hit_limit,
        ambiguous=ambiguous if isinstance(ambiguous, bool) else None,
        kind=kind if isinstance(kind, str) else None,
        gold_letter=str(part(body, "ground_truth")["answer"]) if isinstance(score, ReviewScore) else None,
        choice=score.choice if isinstance(score, ReviewScore) else None,
    )


def _case_of(meta: JsonObject) -> str | None:
    source = part(meta, "source").get("case") or meta.get("case_id")
    return source if isinstance(source, str) else None


_METRICS: dict[type[Record], tuple[str, ...]] = {
    PlanScore: ("precision", "recall", "f1_score", "parse_rate", "f1_exact", "f1_dag"),
    StepScore: ("thought", "name", "args", "args_similar", "args_exact", "parse_rate"),
    ReviewScore: ("review_quality", "parse_rate"),
}


def _metrics(
    score: InstructScore | PlanScore | StepScore | ReviewScore, form: str
) -> tuple[bool, dict[str, float]]:
    """Whether the reply could be read, and the metrics under the names of the published results."""
    if isinstance(score, InstructScore):
        form = "json" if form == "json" else "string"
        return bool(score.parsed), {
            f"{form}_format_metric": float(score.format),
            f"{form}_args_em_metric": score.args_em,
            # What the paper's wording makes of the second half of the score.
            f"{form}_params_metric": 2 * score.score_params_only - score.format,
        }
    values = ((name, getattr(score, name)) for name in _METRICS[type(score)])
    return bool(score.parse_rate), {name: float(value) for name, value in values if value is not None}


def summarise(
    results: Sequence[ItemResult], *, profile: TEvalProfile, similarity: SimilarityModel, items_sha256: str
) -> TevalScores:
    """Take the means (teval 6) and the tables by letter, kind and ambiguity."""
    by_subset = grouped((result.subset, result) for result in results)
    # A file without a single reply was not asked: what rests on it is missing, not 0.
    asked = {
        subset: listed
        for subset, listed in by_subset.items()
        if any(not result.is_missing for result in listed)
    }
    subsets = {
        _INSTRUCT if subset is Subset.INSTRUCT else subset.value: _subset_score(listed)
        for subset, listed in asked.items()
    }
    means = {name: score.metrics for name, score in subsets.items()}
    scores = abilities(means)
    return TevalScores(
        profile=profile,
        similarity=similarity,
        items_sha256=items_sha256,
        subsets=subsets,
        abilities=scores,
        overall=overall(scores),
        beside={name: _ability(means, _PARTS[base], swap) for name, (base, swap) in _BESIDE.items()},
        splits=tuple(split for listed in asked.values() for split in _splits(listed)),
        choices=_choices(asked.get(Subset.REVIEW_STR, [])),
    )


def abilities(means: Mapping[str, Mapping[str, float]]) -> dict[str, float | None]:
    """The six abilities from the means of the files; None where a part is missing (teval 6).

    Args:
        means: For each file the means of its metrics, under the names of the published results.
    """
    return {name: _ability(means, parts, {}) for name, parts in _PARTS.items()}


def _ability(
    means: Mapping[str, Mapping[str, float]],
    parts: Sequence[Sequence[tuple[str, str]]],
    swap: Mapping[str, str],
) -> float | None:
    return _mean_or_none(
        [
            _mean_or_none([means.get(name, {}).get(swap.get(metric, metric)) for name, metric in form])
            for form in parts
        ]
    )


def _mean_or_none(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known and len(known) == len(values) else None


def overall(scores: Mapping[str, float | None]) -> float | None:
    """The mean of the six abilities; None where one is missing."""
    return _mean_or_none([scores.get(name) for name in ABILITIES])


def _means(results: Iterable[ItemResult]) -> dict[str, float]:
    metrics = [metric for result in results for metric in result.metrics.items()]
    counts = Counter(name for name, _ in metrics)
    return {name: total / counts[name] for name, total in summed(metrics).items()}


def _subset_score(results: Sequence[ItemResult]) -> SubsetScore:
    missing = sum(one.is_missing for one in results)
    return SubsetScore(
        items=len(results),
        failed=sum(not one.parsed for one in results) - missing,
        missing=missing,
        empty=sum(one.is_empty for one in results),
        hit_limit=sum(one.hit_limit for one in results),
        metrics=_means(results),
        parsed_only=_means(one for one in results if one.parsed),
    )


def _splits(results: Sequence[ItemResult]) -> Iterable[Split]:
    ways: dict[str, Callable[[ItemResult], str | None]] = {
        "letter": lambda one: one.gold_letter,
        "kind": lambda one: one.kind,
        "ambiguous": lambda one: None if one.ambiguous is None else str(one.ambiguous).lower(),
    }
    for by, value_of in ways.items():
        groups = grouped((value, one) for one in results if (value := value_of(one)) is not None)
        for value, group in sorted(groups.items()):
            yield from (
                Split(by=by, value=value, subset=group[0].subset, metric=metric, items=len(group), mean=mean)
                for metric, mean in _means(group).items()
                if metric in ("thought", "name", "args", "review_quality")
            )


def _choices(results: Sequence[ItemResult]) -> dict[str, dict[str, int]]:
    """For each gold letter how often each letter was chosen, `none` where a reply chose none."""
    counts = Counter((one.gold_letter, one.choice or "none") for one in results)
    return {
        letter: {choice: counts[letter, choice] for choice in (*LETTERS, "none") if counts[letter, choice]}
        for letter in LETTERS
        if any(one.gold_letter == letter for one in results)
    }
