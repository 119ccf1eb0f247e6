"""The disagreements in what was rated, with who said what."""

from collections.abc import Mapping, Sequence

import pytest

from annotator.review.measures.disagreements import agreement_words, disagreements
from scoring.agreement.fields import agreement_table
from scoring.agreement.rated_cases import RatedCase, RatedField, rated_case
from scoring.model.labels import TASK_CHECKLIST, EdgeTriple, TaskLabels
from scoring.model.taxonomy import CheckAnswer, EdgeKind, Information, Policy
from tests.factories import answer, call, case, task

LOGICAL, PARAMETER = EdgeKind.LOGICAL, EdgeKind.PARAMETER


def _rated(said: Mapping[str, Sequence[TaskLabels]]) -> RatedCase:
    return rated_case(case(task(call(), call(), answer())), said)


def _labels(
    policy: Policy | None = None,
    *,
    edges: Sequence[EdgeTriple] = (),
    calls: tuple[bool | None, ...] = (None, None),
    completed: bool | None = None,
    checklist: Mapping[str, CheckAnswer | None] | None = None,
    is_drawn: bool = True,
) -> TaskLabels:
    return TaskLabels(
        policy=policy,
        drawn=is_drawn,
        edges=tuple(edges),
        calls_correct=calls,
        completed=completed,
        checklist=dict(checklist or {}),
    )


def test_what_most_say_comes_first_with_who_said_it() -> None:
    said = {"a": [_labels(Policy.CHAT)], "b": [_labels(Policy.SINGLE)], "c": [_labels(Policy.SINGLE)]}
    [found] = disagreements([_rated(said)], RatedField.POLICY)
    assert found.said == (("Single", ("b", "c")), ("Chat", ("a",)))
    assert found.where == "task 1"


def test_a_call_is_named_by_its_step() -> None:
    said = {"a": [_labels(calls=(True, True))], "b": [_labels(calls=(True, False))]}
    [found] = disagreements([_rated(said)], RatedField.CALL)
    assert found.where == "task 1, call 1"


def test_the_information_of_a_first_task_is_no_disagreement() -> None:
    kinds = (Information.FIRST, Information.OMISSION)
    said = {kind.value: [_labels().model_copy(update={"information": kind})] * 2 for kind in kinds}
    rated = rated_case(case(*[task(call(), call(), answer())] * 2), said)
    assert [found.task for found in disagreements([rated], RatedField.INFORMATION)] == [1]


def test_who_said_nothing_disagrees_with_nobody() -> None:
    said = {"a": [_labels(calls=(True, None))], "b": [_labels(calls=(None, False))]}
    assert disagreements([_rated(said)], RatedField.CALL) == ()


def test_an_edge_only_one_drew_is_a_disagreement_about_the_edge_but_not_about_its_kind() -> None:
    rated = _rated({"a": [_labels(edges=[(0, 1, LOGICAL)])], "b": [_labels()]})
    [found] = disagreements([rated], RatedField.EDGE)
    assert (found.where, found.said) == ("task 1, 0 → 1", (("logical", ("a",)), ("none", ("b",))))
    assert disagreements([rated], RatedField.EDGE_KIND) == ()


def test_two_kinds_of_one_edge_are_a_disagreement_about_the_kind() -> None:
    said = {"a": [_labels(edges=[(0, 1, LOGICAL)])], "b": [_labels(edges=[(0, 1, PARAMETER)])]}
    [found] = disagreements([_rated(said)], RatedField.EDGE_KIND)
    assert found.said == (("logical", ("a",)), ("parameter", ("b",)))


def test_whole_drawings_are_compared_task_by_task() -> None:
    said = {"a": [_labels(edges=[(0, 1, LOGICAL)])], "b": [_labels()]}
    [found] = disagreements([_rated(said)], RatedField.GRAPH)
    assert (found.where, found.said[0][0], found.said[1][0]) == ("task 1", "0 → 1 logical", "no edge")


def test_who_has_not_drawn_disagrees_about_no_edge() -> None:
    rated = _rated({"a": [_labels(edges=[(0, 1, LOGICAL)])], "b": [_labels(is_drawn=False)]})
    for field in (RatedField.EDGE, RatedField.EDGE_KIND, RatedField.GRAPH):
        assert disagreements([rated], field) == ()


def test_a_checklist_item_is_named() -> None:
    said = {
        "a": [_labels(checklist={"relevant": CheckAnswer.PASS})],
        "b": [_labels(checklist={"relevant": CheckAnswer.FAIL})],
    }
    [found] = disagreements([_rated(said)], RatedField.CHECKLIST)
    assert found.where == "task 1, the answer fits the request"
    # A round that is older than the names of its items.
    [found] = disagreements([_rated(said).model_copy(update={"items": ()})], RatedField.CHECKLIST)
    assert found.where == "task 1, item 1"


def test_an_older_round_with_every_shipped_item_has_them_in_their_order() -> None:
    items = [dict.fromkeys(TASK_CHECKLIST, one) for one in (CheckAnswer.PASS, CheckAnswer.FAIL)]
    rated = _rated({"a": [_labels(checklist=items[0])], "b": [_labels(checklist=items[1])]})
    older = rated.model_copy(update={"items": ()})
    assert disagreements([older], RatedField.CHECKLIST) == disagreements([rated], RatedField.CHECKLIST)


CHAT, SINGLE, MIXED = Policy.CHAT, Policy.SINGLE, Policy.MULTI_MIXED


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ([], "Nobody judged what somebody else did."),
        ([(CHAT, None)] * 12, "Nobody judged what somebody else did."),
        ([(CHAT, CHAT)] * 12, "Everybody says the same, 12 times."),
        ([(CHAT, CHAT)] * 8 + [(CHAT, SINGLE)], "Too few to tell: 1 of 9 differ."),
        # Seen 0.96, and alpha is 1 - 0.04 / (2 * 98 * 2 / (100 * 99)) = -0.01.
        (
            [(CHAT, CHAT)] * 48 + [(CHAT, SINGLE), (SINGLE, CHAT)],
            "Nearly always “Chat”: 2 of 50 differ.",
        ),
        # As many differ, but both labels are frequent: alpha is 0.92.
        (
            [(CHAT, CHAT)] * 24 + [(SINGLE, SINGLE)] * 24 + [(CHAT, SINGLE), (SINGLE, CHAT)],
            "They agree: 2 of 50 differ.",
        ),
        # Of 40 ratings 20 are each: alpha is 1 - (3 / 20) / (2 * 20 * 20 / (40 * 39)) = 0.71.
        (
            [(CHAT, CHAT)] * 9 + [(SINGLE, SINGLE)] * 8 + [(CHAT, SINGLE)] * 2 + [(SINGLE, MIXED)],
            "They agree somewhat: 3 of 20 differ, most “Chat” against “Single”.",
        ),
        (
            [(CHAT, CHAT)] * 6 + [(SINGLE, SINGLE)] * 5 + [(SINGLE, MIXED)] * 5 + [(CHAT, SINGLE)],
            "They differ often: 6 of 17 differ, most “Multi, mixed” against “Single”.",
        ),
    ],
)
def test_a_sentence_says_what_the_figures_mean(
    pairs: Sequence[tuple[Policy, Policy | None]], words: str
) -> None:
    rated = [_rated({"a": [_labels(one)], "b": [_labels(other)]}) for one, other in pairs]
    table = agreement_table(rated, seed=1, resamples=0)
    assert agreement_words(next(row for row in table if row.field is RatedField.POLICY)) == words


def test_of_three_raters_a_unit_counts_once_whoever_differs() -> None:
    said = [_labels(completed=True), _labels(completed=True), _labels(completed=False)]
    same = [_labels(completed=True)] * 3
    rated = [
        _rated({name: [one] for name, one in zip("abc", row, strict=True)}) for row in [said, *[same] * 11]
    ]
    [row] = [one for one in agreement_table(rated, seed=1, resamples=0) if one.field is RatedField.COMPLETED]
    assert (row.usual, row.differing) == (True, 1)
    assert agreement_words(row) == "Nearly always “yes”: 1 of 12 differ."
