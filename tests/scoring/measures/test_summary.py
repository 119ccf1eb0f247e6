"""Accuracies, slices, optimal paths, progress and error shares."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.measures.accuracy import accuracy_by_messages
from scoring.measures.failures import error_columns
from scoring.measures.rates import rate
from scoring.measures.sample import ScoredSample, TaskFacts
from scoring.measures.summary import summarise
from scoring.model.taxonomy import (
    ActionDetail,
    C3Mistake,
    Information,
    Policy,
    WildtoolMistake,
)
from tests.factories import task_score

SINGLE, MULTI, CHAT, CLARIFY = Policy.SINGLE, Policy.MULTI_PARALLEL, Policy.CHAT, Policy.CLARIFY


@pytest.mark.parametrize(
    ("count", "total", "percent"),
    [
        (9, 32, "28.13"),  # 28.125: ties are rounded up
        (145, 256, "56.64"),  # Gemini-2.0-Thinking, single (scoring 7)
        (625, 1024, "61.04"),
        (37, 256, "14.45"),
        (69, 157, "43.95"),  # scoring 8, D-35
        (241, 597, "40.37"),
        (425, 768, "55.34"),
        (1, 1, "100.00"),
        (0, 5, "0.00"),
        (0, 0, None),
    ],
)
def test_rates_print_as_the_papers_print_them(count: int, total: int, percent: str | None) -> None:
    assert rate(count, total).percent == percent


def test_an_empty_group_has_no_value() -> None:
    assert rate(0, 0).value is None
    empty = summarise([])
    assert empty.task_accuracy is None
    assert empty.session_accuracy is None
    assert empty.accuracy.by_policy["chat"].value is None


def test_a_session_is_right_only_if_all_its_tasks_are() -> None:
    # 3 of 4 tasks, 1 of 2 sessions
    tasks = [task_score("a", 0), task_score("a", 1), task_score("b", 0), task_score("b", 1, right=False)]
    summary = summarise(tasks)
    assert (summary.task_accuracy, summary.session_accuracy) == (0.75, 0.5)


def test_accuracy_by_policy_has_the_multi_types_each_and_together() -> None:
    tasks = [
        task_score(task=0, policy=Policy.MULTI_SERIAL),
        task_score(task=1, policy=Policy.MULTI_PARALLEL, right=False),
        task_score(task=2, policy=Policy.MULTI_MIXED),
        task_score(task=3, policy=CHAT),
    ]
    table = summarise(tasks).accuracy.by_policy
    assert (table["multi"].count, table["multi"].total) == (2, 3)
    assert [table[name].value for name in ("multi_serial", "multi_parallel", "multi_mixed")] == [1, 0, 1]
    assert (table["chat"].value, table["single"].value) == (1.0, None)


def test_accuracy_by_information_leaves_first_tasks_apart() -> None:
    tasks = [
        task_score(task=0, information=Information.FIRST, right=False),
        task_score(task=1, information=Information.OMISSION),
        task_score(task=2, information=Information.REFERENCE, right=False),
        task_score(task=3, information=None),
    ]
    table = summarise(tasks).accuracy.by_information
    assert (table["first"].count, table["first"].total) == (0, 1)
    assert (table["subsequent"].count, table["subsequent"].total) == (2, 3)
    assert (table["omission"].value, table["reference"].value, table["long_range"].value) == (1, 0, None)
    assert (table["related"].count, table["related"].total) == (1, 2)
    assert (table["unrelated"].count, table["unrelated"].total) == (0, 1)


def test_a_later_task_counts_as_unrelated_only_where_a_label_says_so() -> None:
    tasks = [
        task_score(task=0, information=None),
        task_score(task=1, information=Information.FIRST, right=False),
        task_score(task=2, information=None),
    ]
    table = summarise(tasks).accuracy.by_information
    assert (table["unrelated"].count, table["unrelated"].total) == (1, 2)
    assert (table["related"].total, table["subsequent"].total) == (0, 2)


def test_accuracy_by_place_counts_positions_from_zero_and_tasks_from_one() -> None:
    table = summarise([task_score(task=0), task_score(task=1, right=False)]).accuracy
    assert {key: found.value for key, found in table.by_position.items()} == {"0": 1.0, "1": 0.0}
    assert {key: found.value for key, found in table.by_task_count.items()} == {"1": 1.0, "2": 0.0}


@pytest.mark.parametrize(
    ("policies", "count"),
    [
        ([SINGLE, MULTI, SINGLE], 2),
        ([SINGLE, SINGLE, SINGLE], 0),
        ([SINGLE], 0),
        ([Policy.MULTI_SERIAL, Policy.MULTI_MIXED], 0),  # subtypes are ignored
        ([SINGLE, None], None),
    ],
)
def test_transitions_count_changes_of_main_type(policies: list[Policy | None], count: int | None) -> None:
    # scoring 5.5
    assert transitions(policies) == count


def transitions(policies: Sequence[Policy | None]) -> int | None:
    sample = ScoredSample([task_score(task=i, policy=policy) for i, policy in enumerate(policies)])
    return sample.transitions.get(("c-1", len(policies) - 1))


def test_the_full_design_has_4_36_108_108_dialogues_by_transitions() -> None:
    # scoring 5.5: 4 * C(3, t) * 3**t dialogues of four tasks with t transitions
    four = (SINGLE, MULTI, CHAT, CLARIFY)
    found = [transitions([a, b, c, d]) for a in four for b in four for c in four for d in four]
    assert [found.count(t) for t in range(4)] == [4, 36, 108, 108]


def test_accuracy_by_transitions_groups_tasks_by_the_dialogue_so_far() -> None:
    tasks = [
        task_score(task=0, policy=SINGLE),
        task_score(task=1, policy=MULTI, right=False),
        task_score(task=2, policy=MULTI),
        task_score(task=3, policy=CHAT),
    ]
    table = summarise(tasks).accuracy.by_transitions
    assert {key: (found.count, found.total) for key, found in table.items()} == {
        "0": (1, 1),
        "1": (1, 2),
        "2": (1, 1),
    }


def test_accuracy_by_messages_leaves_small_groups_out() -> None:
    tasks = [task_score("a", i, right=i > 0) for i in range(5)]
    facts = {("a", i): TaskFacts(3 if i < 4 else 9, calls=0, turns=1, is_passable=True) for i in range(5)}
    found = accuracy_by_messages(ScoredSample(tasks, facts), smallest=2)
    assert {key: (one.count, one.total) for key, one in found.items()} == {"3": (3, 4)}


def test_names_only_accuracy_ignores_the_arguments() -> None:
    tasks = [task_score(right=False, names=True), task_score(task=1, right=False)]
    summary = summarise(tasks)
    assert (summary.task_accuracy, summary.names_accuracy) == (0.0, 0.5)
    assert summary.names.by_policy["single"].count == 1


def test_the_optimal_path_rate_counts_wrong_tasks_as_zero() -> None:
    # scoring 5.3: parallel 1/2, mixed 0/1, together 1/3; serial does not take part
    tasks = [
        task_score(task=0, policy=Policy.MULTI_PARALLEL, optimal=True),
        task_score(task=1, policy=Policy.MULTI_PARALLEL, optimal=False),
        task_score(task=2, policy=Policy.MULTI_MIXED, right=False, optimal=True),
        task_score(task=3, policy=Policy.MULTI_SERIAL, optimal=True),
    ]
    summary = summarise(tasks)
    assert summary.optimal_path_rate == 1 / 3
    assert (summary.optimal["multi_parallel"].value, summary.optimal["multi_mixed"].value) == (0.5, 0.0)


def test_accomplished_progress_is_a_sum_over_a_sum() -> None:
    # scoring 5.4: serial 3/5, mixed 5/5, together 8/10; parallel does not take part
    tasks = [
        task_score(task=0, policy=Policy.MULTI_SERIAL, steps=(3, 5)),
        task_score(task=1, policy=Policy.MULTI_MIXED, steps=(5, 5)),
        task_score(task=2, policy=Policy.MULTI_PARALLEL, steps=(0, 9)),
    ]
    summary = summarise(tasks)
    assert summary.accomplished_progress == 0.8
    assert summary.progress["multi_serial"].value == 0.6


def test_failures_outside_the_model_are_wrong_but_in_no_error_share() -> None:
    tasks = [
        task_score("a", 0, right=False, error=WildtoolMistake.REFUSAL, error_c3=C3Mistake.REJECT),
        task_score("a", 1, right=False, error=WildtoolMistake.PARAM_VALUE, error_c3=C3Mistake.VALUE_ERROR),
        task_score("a", 2, right=False, detail=ActionDetail.INFRA_ERROR),
        task_score("a", 3, right=False, detail=ActionDetail.NO_PREDICTION),
    ]
    summary = summarise(tasks)
    assert (summary.infra_errors, summary.missing, summary.predictions) == (1, 1, 3)
    assert summary.accuracy.tasks.total == 4
    assert summary.errors["Refusal"].value == 0.5
    assert summary.errors_c3["param value error"].value == 0.5
    assert summary.errors["Call Error"].value == 0.0


def test_a_run_without_any_prediction_has_measured_nothing() -> None:
    summary = summarise([task_score(right=False, detail=ActionDetail.NO_PREDICTION)])
    assert (summary.tasks, summary.predictions, summary.task_accuracy) == (1, 0, None)


def test_the_four_published_columns_add_up_all_twelve_classes() -> None:
    tasks = [task_score("a", i, right=False, error_c3=mistake) for i, mistake in enumerate(C3Mistake)]
    columns = error_columns(ScoredSample(tasks))
    # 7 classes of names, 1 hallucinated parameter, 1 hallucinated value, 3 of values (scoring 5.8)
    assert [columns[c].count for c in columns] == [7, 1, 1, 3]
    assert {columns[c].total for c in columns} == {12}


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.sampled_from(Policy)), max_size=12))
def test_slices_add_up_to_the_whole(drawn: list[tuple[int, bool, Policy]]) -> None:
    tasks = [task_score(f"c{i}", t, right=right, policy=policy) for i, (t, right, policy) in enumerate(drawn)]
    table = summarise(tasks).accuracy
    for slices in (
        [found for key, found in table.by_policy.items() if key != "multi"],
        list(table.by_position.values()),
        [table.by_information["first"], table.by_information["subsequent"]],
    ):
        assert sum(found.count for found in slices) == table.tasks.count
        assert sum(found.total for found in slices) == table.tasks.total
