"""The fields an expert may set on their own: exactly those a case has, by their ids."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.review.expert.decisions import possible_fields
from scoring.model.case import Case
from scoring.model.labels import ComparedField
from scoring.model.taxonomy import Information, Policy
from tests.factories import answer, ask, call, case, task

CASE = case(
    task(
        call("a"),
        ask("Which?", "b"),
        call("b"),
        answer(),
        policy=Policy.CLARIFY,
        information=Information.FIRST,
    ),
    task(answer("Hello.")),
    task(call("a"), call("b")),
)


def every_field(of: Case) -> tuple[ComparedField, ...]:
    """All of them, listed one by one."""
    fields: list[ComparedField] = []
    for t, found in enumerate(of.tasks):
        steps = [i for i in range(len(found.steps)) if i != found.answer_index]
        labels = (("policy", found.policy), ("information", found.information), ("completed", None))
        fields += [
            ComparedField(id=f"task.{t}.{kind}", task=t, kind=kind, values=(value,)) for kind, value in labels
        ]
        fields += [
            ComparedField(id=f"task.{t}.call.{s}.correct", task=t, kind="call", step=s, values=(None,))
            for s, _ in found.calls
        ]
        fields += [
            ComparedField(id=f"task.{t}.edge.{a}-{b}", task=t, kind="edge", pair=(a, b), values=(None,))
            for a in steps
            for b in steps
            if a != b
        ]
    return tuple(fields)


ALL = every_field(CASE)


@given(st.permutations([field.id for field in ALL]))
def test_each_field_is_found_by_its_id_and_they_come_in_the_order_of_the_case(names: list[str]) -> None:
    assert possible_fields(CASE, names) == ALL


@pytest.mark.parametrize(
    "name",
    [
        "task.3.policy",
        "task.0.answer",
        "task.0.call.1.correct",
        "task.0.call.9.correct",
        "task.0.edge.0-3",
        "task.0.edge.1-1",
        "task.2.edge.0-2",
        "task.00.policy",
        "task.0.edge.0-02",
        "task.-1.policy",
        f"task.{'9' * 5000}.policy",
        "task.0.policy ",
        "",
    ],
)
def test_what_the_case_does_not_have_is_left_out(name: str) -> None:
    assert possible_fields(CASE, [name]) == ()


def test_a_thousand_steps_have_a_million_pairs_and_one_is_found_without_the_others() -> None:
    long = case(task(*(call("a") for _ in range(1000))))
    (found,) = possible_fields(long, ["task.0.edge.998-999"])
    assert found.pair == (998, 999)
