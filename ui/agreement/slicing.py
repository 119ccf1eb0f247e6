"""Parts of what was rated: by batch, by person or pair, by policy; and the disagreements in a part."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from scoring.model.labels import TASK_CHECKLIST, ComparedField
from scoring.model.taxonomy import EdgeKind, Information, Policy
from scoring.rated_cases import NOT_DRAWN, RatedCase, RatedField, only_raters
from ui.theme.words import EDGE_KIND, INFORMATION, POLICY

ALL = ""


@dataclass(frozen=True)
class RatedRound:
    """One case with what its raters said, its batch, and the policies of its tasks (null where unknown)."""

    case: RatedCase
    batch: str
    policies: tuple[Policy | None, ...]


@dataclass(frozen=True)
class Slice:
    """Which part is asked about; an empty field leaves nothing out.

    `person` keeps the cases somebody judged; with `second`, only what these two said.
    """

    batch: str = ALL
    person: str = ALL
    second: str = ALL
    policy: str = ALL


def sliced(rounds: Iterable[RatedRound], part: Slice) -> tuple[RatedCase, ...]:
    """The rated cases of a part; where a policy is asked for, of each case only its tasks."""
    found = []
    for one in rounds:
        if part.batch not in (ALL, one.batch):
            continue
        wanted = {name for name in (part.person, part.second) if name}
        if not wanted <= set(one.case.raters):
            continue
        case = only_raters(one.case, (part.person, part.second)) if part.second else one.case
        if part.policy:
            kept = [i for i, policy in enumerate(one.policies) if policy == part.policy]
            if not kept:
                continue
            case = only_tasks(case, kept)
        found.append(case)
    return tuple(found)


def only_tasks(case: RatedCase, tasks: Sequence[int]) -> RatedCase:
    """Leave only what was said about some tasks; their numbers stay."""
    kept = set(tasks)
    return case.model_copy(
        update={
            "fields": tuple(field for field in case.fields if field.task in kept),
            "step_counts": tuple(n if i in kept else 0 for i, n in enumerate(case.step_counts)),
            "checks": tuple(rows if i in kept else () for i, rows in enumerate(case.checks)),
        }
    )


def people_of(rounds: Iterable[RatedRound]) -> tuple[str, ...]:
    """Everybody who rated something, by name."""
    return tuple(sorted({rater for one in rounds for rater in one.case.raters}))


def batches_of(rounds: Iterable[RatedRound]) -> tuple[str, ...]:
    """The batches something was rated in, in the order they are met."""
    return tuple(dict.fromkeys(one.batch for one in rounds))


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
            if field.kind == kind:
                said = {
                    rater: words(value)
                    for rater, value in zip(case.raters, field.values, strict=True)
                    if value is not None
                }
                yield from _differing(case, field.task, _where(field), said)

    return find


def _edges(case: RatedCase) -> Iterator[Disagreement]:
    for field in case.fields:
        if field.kind == "edge":
            kinds = (_kind_words(value) for value in field.values)
            said = dict(zip(case.raters, kinds, strict=True))
            yield from _differing(case, field.task, _where(field), said)


def _drawings(case: RatedCase) -> Iterator[Disagreement]:
    for task, step_count in enumerate(case.step_counts):
        if step_count < 2:
            continue
        drawn = [field for field in case.fields if field.kind == "edge" and field.task == task]
        said = {}
        for column, rater in enumerate(case.raters):
            edges = [_edge_words(field, field.values[column]) for field in drawn if field.values[column]]
            said[rater] = ", ".join(edges) or "no edge"
        yield from _differing(case, task, f"task {task + 1}", said)


def _checklist(case: RatedCase) -> Iterator[Disagreement]:
    for task, rows in enumerate(case.checks):
        items = list(TASK_CHECKLIST.values())
        for number, row in enumerate(rows):
            item = items[number] if len(rows) == len(items) else f"item {number + 1}"
            said = {rater: str(v.value) for rater, v in zip(case.raters, row, strict=True) if v is not None}
            yield from _differing(case, task, f"task {task + 1}, {item[0].lower()}{item[1:]}", said)


def _differing(case: RatedCase, task: int, where: str, said: Mapping[str, str]) -> Iterator[Disagreement]:
    groups: dict[str, list[str]] = {}
    for rater, label in said.items():
        groups.setdefault(label, []).append(rater)
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
        yes, no = ("right", "wrong") if field is RatedField.CALL else ("yes", "no")
        return yes if value else no
    text = str(value)
    if field is RatedField.POLICY:
        return POLICY[Policy(text)]
    if field is RatedField.INFORMATION:
        return INFORMATION[Information(text)]
    if field in (RatedField.EDGE, RatedField.EDGE_KIND):
        return text if text == NOT_DRAWN else EDGE_KIND[EdgeKind(text)]
    return text


def _of(field: RatedField) -> Callable[[JsonValue], str]:
    return lambda value: label_words(field, value)


_FINDERS: Mapping[RatedField, Callable[[RatedCase], Iterator[Disagreement]]] = {
    RatedField.POLICY: _labels("policy", _of(RatedField.POLICY)),
    RatedField.INFORMATION: _labels("information", _of(RatedField.INFORMATION)),
    RatedField.COMPLETED: _labels("completed", _of(RatedField.COMPLETED)),
    RatedField.CALL: _labels("call", _of(RatedField.CALL)),
    RatedField.EDGE: _edges,
    RatedField.EDGE_KIND: _labels("edge", _kind_words),
    RatedField.GRAPH: _drawings,
    RatedField.CHECKLIST: _checklist,
}
