"""Who is right: what people said in the cross-check of final cases, held against the final content."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from operator import attrgetter

from annotator.cases.bodies import read_body
from annotator.project.workspace import Workspace
from annotator.review.measures.disagreements import label_words
from annotator.review.measures.rater_agreement import AgreementSlice, RatedRound, limited_to, rated_rounds
from annotator.review.measures.trends import week_of
from db.read import known_answers, people, queries, reviews
from db.read.rows import CatchRow
from db.tables import Transaction
from scoring.agreement.error_rates import ErrorRate, GivenLabel, error_rates, given_labels
from scoring.agreement.rated_cases import NOT_DRAWN, RatedField
from scoring.generics import K
from scoring.groups import grouped
from scoring.measures.intervals import wilson_interval
from scoring.measures.rates import Rate, share_of
from scoring.model.case import Case
from scoring.model.record import Record
from scoring.model.taxonomy import FINAL_STAGES, Stage
from scoring.texts import tr


class Mistake(Record):
    """What a person said where something else is final: `count` times of `total` with this final label.

    `others` counts who else judged the same items, and those who were right: many of them speak for the
    person, few for the guideline. Whoever sees only themselves sees nobody there. `cases` are in order.
    """

    field: RatedField
    said: str
    final: str
    count: int
    total: int
    others: Rate
    cases: tuple[str, ...]

    @property
    def words(self) -> str:
        """Which label was taken for which."""
        final, said = (label_words(self.field, value) for value in (self.final, self.said))
        return tr("{name}: {words}", name=tr(self.field.value.replace("_", " ")), words=f"{final} → {said}")

    @property
    def verdict(self) -> str:
        """Whether it is the person or the guideline, in a sentence; empty where nobody else judged it.

        It is the person where the interval (Wilson, 95 %) of the others' share lies above one half.
        """
        interval = wilson_interval(self.others.count, self.others.total)
        if interval is None:
            return ""
        found = f"{self.others.count:,} of {self.others.total:,} others had it right"
        if interval.low > 1 / 2:
            return f"{found}: it is the person, not the guideline."
        return (
            f"{found}: too few to tell the person from the guideline."
            if 2 * self.others.count > self.others.total
            else f"{found}: look at the guideline first."
        )


class PersonErrors(Record):
    """How often a person is wrong against the final content.

    The parts are by stage (blind judgments of cross-checks, an owner's submissions), field, final policy and
    ISO week; the mistakes come most frequent first. `by_expert` counts the wrong labels in cases an expert
    decided; the others a majority put right. `caught` are planted defects. `is_above` says that the interval
    lies wholly above that of everybody else together. `said` counts what was said of each final label, by
    field.
    """

    person: str
    all: ErrorRate
    stages: dict[Stage, ErrorRate]
    fields: dict[RatedField, ErrorRate]
    policies: dict[str, ErrorRate]
    weeks: dict[str, ErrorRate]
    said: dict[RatedField, dict[str, dict[str, int]]]
    mistakes: tuple[Mistake, ...]
    by_expert: int
    caught: Rate
    median_seconds: float | None
    is_above: bool


class PairErrors(Record):
    """Items two people judged both: on how many they differ, and who was wrong on all of them."""

    first: str
    second: str
    items: int
    differ: int
    first_wrong: int
    second_wrong: int
    both_wrong: int


class SharedError(Record):
    """An item on which everybody who judged it, two or more, was wrong; `task` counts from 0."""

    case_id: str
    task: int
    field: RatedField
    said: tuple[str, ...]
    final: str


class LabelErrors(Record):
    """Everybody's errors, who has most first; `cases` are the final ones of the slice with a cross-check."""

    cases: int
    people: tuple[PersonErrors, ...]
    pairs: tuple[PairErrors, ...]
    shared: tuple[SharedError, ...]


@dataclass(frozen=True)
class _Said:
    """A label with where it was given; `by_expert`: an expert decided the case.

    `weight` says how many cases this one stands for.
    """

    label: GivenLabel
    case_id: str
    week: str
    policy: str
    stage: Stage
    by_expert: bool
    weight: float

    @property
    def item(self) -> tuple[object, ...]:
        return self.case_id, self.label.task, self.label.field, self.label.pair

    @property
    def labels(self) -> tuple[RatedField, str, str]:
        said, final = (str(value or NOT_DRAWN) for value in (self.label.said, self.label.final))
        return self.label.field, said, final


_rater: Callable[[_Said], str] = attrgetter("label.rater")
_is_right: Callable[[_Said], bool] = attrgetter("label.is_right")
_PARTS: Mapping[str, Callable[[_Said], str]] = {
    "stages": lambda one: one.stage.value,
    "fields": lambda one: one.label.field.value,
    "policies": lambda one: one.policy,
    "weeks": lambda one: one.week,
}
"""What the labels of a person are cut by; in each cut the people are a team."""


def label_errors(
    workspace: Workspace, where: AgreementSlice, *, field: RatedField | None = None, days: int = 0
) -> LabelErrors:
    """How often people were wrong in the last closed round of each final case of a slice.

    Annotators get themselves alone, and are not compared with a team. Cases that were reopened are left out
    until they are final again, and so are cases with other tasks or steps than were judged.

    Args:
        workspace: The project.
        where: The slice, without a pair.
        field: Only labels of this field; None for all.
        days: Only rounds closed in so many days until now; 0 for all.

    Raises:
        InputError, NotFoundError, ForbiddenError: As for `rated_rounds`.
    """
    if days:
        where = where.model_copy(update={"since": workspace.now() - timedelta(days=days)})
    whose = limited_to(workspace)
    last = {rated.case.case_id: rated for rated in rated_rounds(workspace, where)}

    def query(tx: Transaction) -> tuple[list[_Said], list[CatchRow], dict[str, float]]:
        times = reviews.work_times(tx).by_person()
        seconds = {
            one.name: times[one.id].median_seconds for one in people.list_people(tx) if one.id in times
        }
        return _last_said(tx, last), [one for one in known_answers.catches(tx) if one.is_valid], seconds

    said, catches, seconds = workspace.read(query)
    # Whoever is not to be seen has no part in any figure.
    seen = [one for one in said if field in (None, one.label.field) and whose in (None, one.label.rater)]
    items = grouped((one.item, one) for one in seen)
    whole = error_rates(_by_case(seen, _rater))
    parts = {part: _cut(seen, key) for part, key in _PARTS.items()}
    mine = grouped((one.label.rater, one) for one in seen)
    found = [
        PersonErrors(
            person=person,
            all=whole[person],
            **{
                part: {k: rates[person] for k, rates in cut.items() if person in rates}
                for part, cut in parts.items()
            },
            said=_confusions(mine[person]),
            mistakes=_mistakes(mine[person], items),
            by_expert=sum(one.by_expert and not one.label.is_right for one in mine[person]),
            caught=share_of((one for one in catches if one.person == person), lambda one: one.is_caught),
            median_seconds=seconds.get(person),
            is_above=_is_above(person, seen),
        )
        for person in whole
        if where.person in ("", person)
    ]
    return LabelErrors(
        cases=len({one.case_id for one in seen}),
        people=tuple(sorted(found, key=lambda one: (-one.all.estimate, one.person))),
        pairs=_pairs(items.values()),
        shared=tuple(
            _shared(item) for item in items.values() if len(item) > 1 and not any(map(_is_right, item))
        ),
    )


def _last_said(tx: Transaction, last: Mapping[str, RatedRound]) -> list[_Said]:
    decided = {(case_id, round_) for case_id, round_, _ in reviews.expert_results(tx)}
    return [
        said
        for _, _, case_id, body in queries.head_bodies(tx, stages=FINAL_STAGES)
        if (rated := last.get(case_id))
        for said in _of_case(rated, read_body(body), by_expert=(case_id, rated.round) in decided)
    ]


def _of_case(rated: RatedRound, final: Case, *, by_expert: bool) -> list[_Said]:
    owner, week = rated.case.raters[0], week_of(rated.at)
    return [
        _Said(
            label=label,
            case_id=rated.case.case_id,
            week=week,
            policy=final.tasks[label.task].policy or "",
            stage=Stage.SELF_CHECK_TASK if label.rater == owner else Stage.CROSS_CHECK,
            by_expert=by_expert,
            weight=1 / rated.case.chance,
        )
        for label in given_labels(rated.case, final)
        if label.said is not None or label.final is not None  # else an edge that only somebody else drew
    ]


def _by_case(said: Iterable[_Said], who: Callable[[_Said], K]) -> dict[K, list[tuple[int, int, float]]]:
    """What was wrong, case by case."""
    cases = grouped(((who(one), one.case_id, one.weight), one.label.is_right) for one in said)
    return grouped(
        (key, (right.count(False), len(right), weight)) for (key, _, weight), right in cases.items()
    )


def _cut(said: Iterable[_Said], key: Callable[[_Said], str]) -> dict[str, dict[str, ErrorRate]]:
    cuts = sorted(grouped((key(one), one) for one in said).items())
    return {value: error_rates(_by_case(cut, _rater)) for value, cut in cuts}


def _is_above(person: str, seen: Sequence[_Said]) -> bool:
    two = error_rates(_by_case(seen, lambda one: one.label.rater == person))
    return len(two) == 2 and two[True].interval.low > two[False].interval.high


def _confusions(mine: Sequence[_Said]) -> dict[RatedField, dict[str, dict[str, int]]]:
    counts: dict[RatedField, dict[str, dict[str, int]]] = {}
    for (field, said, final), count in sorted(Counter(one.labels for one in mine).items()):
        counts.setdefault(field, {}).setdefault(final, {})[said] = count
    return counts


def _mistakes(
    mine: Sequence[_Said], items: Mapping[tuple[object, ...], Sequence[_Said]]
) -> tuple[Mistake, ...]:
    finals = Counter((field, final) for field, _, final in (one.labels for one in mine))
    found = [
        Mistake(
            field=field,
            said=said,
            final=final,
            count=len(made),
            total=finals[field, final],
            others=share_of((two for one in made for two in items[one.item] if two is not one), _is_right),
            cases=tuple(dict.fromkeys(one.case_id for one in made)),
        )
        for (field, said, final), made in grouped(
            (one.labels, one) for one in mine if not _is_right(one)
        ).items()
    ]
    return tuple(sorted(found, key=lambda one: (-one.count, one.field, one.final, one.said)))


def _pairs(items: Iterable[Sequence[_Said]]) -> tuple[PairErrors, ...]:
    met: dict[tuple[str, str], Counter[str]] = {}
    for item in items:
        for one, other in combinations(sorted(item, key=_rater), 2):
            counts = met.setdefault((_rater(one), _rater(other)), Counter())
            wrong = (not one.label.is_right, not other.label.is_right)
            counts.update(
                items=1,
                differ=one.label.said != other.label.said,
                first_wrong=wrong[0],
                second_wrong=wrong[1],
                both_wrong=all(wrong),
            )
    return tuple(PairErrors(first=a, second=b, **counts) for (a, b), counts in sorted(met.items()))


def _shared(item: Sequence[_Said]) -> SharedError:
    first = item[0]
    return SharedError(
        case_id=first.case_id,
        task=first.label.task,
        field=first.label.field,
        said=tuple(sorted({one.labels[1] for one in item})),
        final=first.labels[2],
    )
