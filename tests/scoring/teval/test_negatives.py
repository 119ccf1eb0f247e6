"""Altered REVIEW items as cases for a person, and what people's labels say about them."""

import pytest

from annotator.release.runs.evaluation import load_cases
from scoring.errors import InputError
from scoring.model.case import Call, Case, dump_case, load_case
from scoring.model.taxonomy import ReviewLabel
from scoring.teval.negatives import MARK, check_negatives, sampled_negatives
from scoring.teval.subsets import Subset
from tests.scoring.teval.gold_replies import full_case
from tests.scoring.teval.sample_items import sample_items, with_thoughts
from tests.shared import ROOT


def _cases() -> list[Case]:
    return [with_thoughts(one) for one in load_cases(ROOT / "resources" / "samples" / "cases.jsonl")]


def _labelled(case: Case, label: ReviewLabel) -> Case:
    task = case.tasks[0]
    call = task.steps[0]
    assert isinstance(call, Call)
    steps = (call.model_copy(update={"review": label.value}), *task.steps[1:])
    return case.model_copy(update={"tasks": (task.model_copy(update={"steps": steps}),)})


def test_each_sampled_case_is_an_altered_item_of_the_same_cases() -> None:
    items = sample_items()[Subset.REVIEW_STR]
    for case in sampled_negatives(_cases(), 20):
        body = items[case.id]
        assert body["meta_data"]["kind"] == "derived"  # type: ignore[call-overload, index]
        assert case.extras[MARK]["letter"] == body["ground_truth"]["answer"]  # type: ignore[call-overload, index]
        assert case.tasks[0].calls[0][1].review is None
        assert load_case(dump_case(case)) == case


def test_a_larger_sample_holds_the_smaller_one() -> None:
    few, many = sampled_negatives(_cases(), 5), sampled_negatives(list(reversed(_cases())), 15)
    assert len(few) == 5
    assert all(one in many for one in few)


def test_people_who_see_an_item_otherwise_are_counted() -> None:
    first, second, third = sampled_negatives(_cases(), 3)
    meant = next(
        label
        for label in ReviewLabel
        if label.letter == first.extras[MARK]["letter"]  # type: ignore[call-overload, index]
    )
    found = check_negatives([_labelled(first, meant), _labelled(second, ReviewLabel.SUCCESS), third])
    assert (found.labelled, found.unlabelled, found.agreeing_share) == (2, 1, 0.5)
    assert [(item, seen) for item, _, seen in found.differing] == [(second.id, "A")]


def test_cases_without_labels_give_no_sample_and_say_what_is_needed() -> None:
    with pytest.raises(InputError) as failed:
        sampled_negatives(load_cases(ROOT / "resources" / "samples" / "cases.jsonl"), 3)
    assert "Success" in failed.value.hint


def test_other_cases_are_no_sample() -> None:
    with pytest.raises(InputError, match="No case here"):
        check_negatives([full_case()])
