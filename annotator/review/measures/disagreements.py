"""The units on which raters differ, in words."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from pydantic import JsonValue

from scoring.agreement.fields import FieldAgreement
from scoring.agreement.rated_cases import NOT_DRAWN, RatedCase, RatedField
from scoring.groups import grouped
from scoring.model.labels import TASK_CHECKLIST, UNDRAWN, ComparedField
from scoring.model.taxonomy import EdgeKind
from scoring.texts import tr
from scoring.wording import EDGE_KIND, INFORMATION, POLICY, REVIEW


@dataclass(frozen=True)
class Disagreement:
    """One unit on which raters said different things.

    `where` names the place within the case. `said` holds what was said, most raters first, with who said
    it.
    """

    case_id: str
    task: int
    where: str
    said: tuple[tuple[str, tuple[str, ...]], ...]


def disagreements(cases: Iterable[RatedCase], field: RatedField) -> tuple[Disagreement, ...]:
    """Every unit of a field on which raters differ, in the order of the cases."""
    find = _FINDERS[field]
    return tuple(found for case in cases for found in find(case))


def _labels(kind: str, words: Callable[[JsonValue], str]) -> "Callable[[RatedCase], Iterator[Disagreement]]":
    """Disagreements on fields of a kind among those who said something."""

    def find(case: RatedCase) -> Iterator[Disagreement]:
        for field in case.fields:
            # Nobody is asked for the information of a first task.
            if field.kind == kind and (kind, field.task) != ("information", 0):
                labels = {
                    rater: words(value)
                    for rater, value in zip(case.raters, field.values, strict=True)
                    if value is not None and value != UNDRAWN
                }
                yield from _differing(case, field.task, _where(field), labels)

    return find


def _edges(case: RatedCase) -> Iterator[Disagreement]:
    drew = case.drew()
    for field in case.fields:
        if field.kind == "edge":
            kinds = {
                rater: _kind_words(value)
                for rater, value, is_known in zip(case.raters, field.values, drew[field.task], strict=True)
                if is_known
            }
            yield from _differing(case, field.task, _where(field), kinds)


def _drawings(case: RatedCase) -> Iterator[Disagreement]:
    drew = case.drew()
    for task, step_count in enumerate(case.step_counts):
        if step_count < 2:
            continue
        drawn = [field for field in case.fields if field.kind == "edge" and field.task == task]
        said = {
            rater: ", ".join(_edge_words(one, one.values[column]) for one in drawn if one.values[column])
            or "no edge"
            for column, rater in enumerate(case.raters)
            if drew[task][column]
        }
        yield from _differing(case, task, f"task {task + 1}", said)


def _checklist(case: RatedCase) -> Iterator[Disagreement]:
    for task, rows in enumerate(case.checks):
        shipped = tuple(TASK_CHECKLIST) if len(rows) == len(TASK_CHECKLIST) else ()
        ids = case.items[task] if case.items else shipped
        for number, row in enumerate(rows):
            item = TASK_CHECKLIST.get(ids[number], ids[number]) if ids else f"item {number + 1}"
            said = {rater: str(v.value) for rater, v in zip(case.raters, row, strict=True) if v is not None}
            yield from _differing(case, task, f"task {task + 1}, {item[0].lower()}{item[1:]}", said)


def _differing(case: RatedCase, task: int, where: str, said: Mapping[str, str]) -> Iterator[Disagreement]:
    groups = grouped((label, rater) for rater, label in said.items())
    if len(groups) > 1:
        ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
        yield Disagreement(case.case_id, task, where, tuple((label, tuple(who)) for label, who in ordered))


def _where(field: ComparedField) -> str:
    place = f"task {field.task + 1}"
    if field.pair is not None:
        return f"{place}, {field.pair[0]} → {field.pair[1]}"
    return f"{place}, call {field.step}" if field.step is not None else place


def _kind_words(value: JsonValue) -> str:
    return EDGE_KIND[EdgeKind(str(value))] if value else NOT_DRAWN


def _edge_words(field: ComparedField, kind: JsonValue) -> str:
    assert field.pair is not None
    return f"{field.pair[0]} → {field.pair[1]} {_kind_words(kind)}"


def label_words(field: RatedField, value: object) -> str:
    """A label of a field on screen."""
    if isinstance(value, bool):
        yes, no = (tr("right"), tr("wrong")) if field is RatedField.CALL else (tr("yes"), tr("no"))
        return yes if value else no
    text, named = str(value), _WORDS.get(field)
    return tr(named.get(text, text)) if named else text


def agreement_words(row: FieldAgreement) -> str:
    """What the figures of a field say, in a sentence; levels of alpha as Krippendorff (2004) draws them.

    Where nearly everybody says the same, chance would too, so that alpha is low beside a high agreement.
    """
    alpha, seen = row.beyond_chance, row.seen.value
    differ = tr("{differing:,} of {used:,} differ", differing=row.differing, used=alpha.used)
    if not alpha.used:
        return tr("Nobody judged what somebody else did.")
    if not row.differing:
        return tr("Everybody says the same, {used:,} times.", used=alpha.used)
    if alpha.used < _LEAST_UNITS or alpha.value is None or seen is None:
        return tr("Too few to tell: {differ}.", differ=differ)
    if alpha.value >= _RELIABLE:
        return tr("They agree: {differ}.", differ=differ)
    if seen >= _NEARLY_ALL and row.usual is not None:
        usual = label_words(row.field, row.usual)
        return tr("Nearly always “{usual}”: {differ}.", usual=usual, differ=differ)
    if row.confusions:
        labels = row.confusions[0].said, row.confusions[0].against
        said, against = (label_words(row.field, label) for label in labels)
        differ += tr(", most “{said}” against “{against}”", said=said, against=against)
    if alpha.value >= _TENTATIVE:
        return tr("They agree somewhat: {differ}.", differ=differ)
    return tr("They differ often: {differ}.", differ=differ)


_LEAST_UNITS = 10
_RELIABLE, _TENTATIVE = 0.8, 0.667
_NEARLY_ALL = 0.9
_WORDS: Mapping[RatedField, Mapping[Any, str]] = {
    RatedField.POLICY: POLICY,
    RatedField.INFORMATION: INFORMATION,
    RatedField.EDGE: EDGE_KIND,
    RatedField.EDGE_KIND: EDGE_KIND,
    RatedField.REVIEW: REVIEW,
    RatedField.CHECKLIST: {"pass": tr("pass"), "fail": tr("fail")},
}
"""What the labels of a field are called; what is not drawn has no other word."""
_FINDERS: Mapping[RatedField, Callable[[RatedCase], Iterator[Disagreement]]] = {
    RatedField.POLICY: _labels("policy", partial(label_words, RatedField.POLICY)),
    RatedField.INFORMATION: _labels("information", partial(label_words, RatedField.INFORMATION)),
    RatedField.COMPLETED: _labels("completed", partial(label_words, RatedField.COMPLETED)),
    RatedField.CALL: _labels("call", partial(label_words, RatedField.CALL)),
    RatedField.EDGE: _edges,
    RatedField.EDGE_KIND: _labels("edge", _kind_words),
    RatedField.GRAPH: _drawings,
    RatedField.CHECKLIST: _checklist,
    RatedField.REVIEW: _labels("review", partial(label_words, RatedField.REVIEW)),
}
