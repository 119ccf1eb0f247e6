"""Planted defects: none that a check reveals; caught where the place is flagged or corrected, else not."""

import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from annotator.cases.edits import edge_edits, step_edits, text_edits
from annotator.cases.findings.checks import check_case
from annotator.project.policy import ReviewPolicy
from annotator.resources import resource_path
from annotator.review.attention.catches import is_caught
from annotator.review.attention.defects import KINDS_AT, Defect, DefectKind, plant
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case, content_sha256
from scoring.model.labels import Judgment, Reason
from scoring.model.taxonomy import (
    CheckAnswer,
    EdgeKind,
    FeedbackCategory,
    Information,
    Policy,
    Stage,
    Verdict,
)
from tests.annotator.team import approval, two_step_case
from tests.factories import answer, ask, call, task, tool
from tests.factories import case as case_of

AT = [(stage, kind) for stage, kinds in KINDS_AT.items() for kind in kinds]


@cache
def samples() -> tuple[Case, ...]:
    """The bundled cases as they should be in the end."""
    found: dict[str, Case] = {}
    for name in ("cases.jsonl", "corrections.jsonl"):
        for read in read_cases(Path(resource_path("samples", name))):
            assert isinstance(read, ReadCase)
            found[read.case.id] = read.case
    return tuple(found.values())


@cache
def made(stage: Stage, kind: DefectKind) -> tuple[tuple[Case, Case, Defect], ...]:
    """Gold case, copy and defect, for every bundled case this kind can be planted into."""
    found = []
    for case in samples():
        one = plant(case, stage=stage, kinds=(kind,), policy=ReviewPolicy(), chance=random.Random(7))
        if one is not None:
            found.append((case, *one))
    return tuple(found)


def rules(case: Case) -> Counter[str]:
    """How often each rule notices something."""
    return Counter(finding.rule for finding in check_case(case, undrawn=()))


@pytest.mark.parametrize(("stage", "kind"), AT)
def test_each_kind_is_planted_and_no_check_reveals_it(stage: Stage, kind: DefectKind) -> None:
    found = made(stage, kind)
    assert found
    for gold, copy, defect in found:
        assert defect.kind is kind
        assert content_sha256(copy) != content_sha256(gold)
        if stage is Stage.SELF_CHECK_TASK:
            assert not rules(copy) - rules(gold)


@pytest.mark.parametrize(("stage", "kind"), AT)
def test_who_approves_it_as_it_is_has_not_caught_it(stage: Stage, kind: DefectKind) -> None:
    for _, copy, defect in made(stage, kind):
        assert not is_caught(defect, copy, approval(copy))


@pytest.mark.parametrize("kind", KINDS_AT[Stage.SELF_CHECK_TASK])
def test_who_puts_the_gold_case_in_its_place_has_caught_it(kind: DefectKind) -> None:
    for gold, copy, defect in made(Stage.SELF_CHECK_TASK, kind):
        assert is_caught(defect, copy, approval(gold, edit=gold))


@pytest.mark.parametrize(("stage", "kind"), AT)
def test_a_correction_elsewhere_catches_nothing(stage: Stage, kind: DefectKind) -> None:
    for _, copy, defect in made(stage, kind):
        other = (defect.task + 1) % len(copy.tasks)
        edited = text_edits.set_user_text(copy, other, text=f"{copy.tasks[other].user} Thanks!")
        edited = text_edits.set_answer_text(edited, other, text="Done.") if other != defect.task else edited
        assert not is_caught(defect, copy, approval(edited, edit=edited))


def first(stage: Stage, kind: DefectKind) -> tuple[Case, Defect]:
    """A copy with a defect of a kind."""
    return made(stage, kind)[0][1:]


def with_task(judgment: Judgment, task: int, **changed: object) -> Judgment:
    """A judgment that says something else of one task."""
    tasks = list(judgment.tasks)
    tasks[task] = tasks[task].model_copy(update=changed)
    return judgment.model_copy(update={"tasks": tuple(tasks)})


def test_a_failed_item_of_the_task_catches_what_it_is_about() -> None:
    copy, defect = first(Stage.SELF_CHECK_TASK, DefectKind.ANSWER)
    fails = {"facts": CheckAnswer.FAIL}
    assert is_caught(defect, copy, with_task(approval(copy), defect.task, checklist=fails))
    other = {"language": CheckAnswer.FAIL}
    assert not is_caught(defect, copy, with_task(approval(copy), defect.task, checklist=other))
    elsewhere = (defect.task + 1) % len(copy.tasks)
    assert not is_caught(defect, copy, with_task(approval(copy), elsewhere, checklist=fails))


def test_the_very_call_has_to_be_said_to_be_wrong() -> None:
    copy, defect = first(Stage.CROSS_CHECK, DefectKind.VALUE)
    calls = [step for step, _ in copy.tasks[defect.task].calls]
    said = tuple(step != defect.step for step in calls)
    assert is_caught(defect, copy, with_task(approval(copy), defect.task, calls_correct=said))
    others = tuple(step == defect.step for step in calls)
    assert not is_caught(defect, copy, with_task(approval(copy), defect.task, calls_correct=others))


@pytest.mark.parametrize("kind", [DefectKind.ANSWER, DefectKind.INCOMPLETE])
def test_a_task_said_not_to_be_completed_is_caught(kind: DefectKind) -> None:
    copy, defect = first(Stage.CROSS_CHECK, kind)
    assert is_caught(defect, copy, with_task(approval(copy), defect.task, completed=False))


def test_a_verdict_catches_only_with_the_category_as_its_reason() -> None:
    copy, defect = first(Stage.CROSS_CHECK, DefectKind.VALUE)
    returned = approval(copy).model_copy(update={"verdict": Verdict.RETURN})
    for category, is_named in ((FeedbackCategory.WRONG_VALUE, True), (FeedbackCategory.OTHER, False)):
        judgment = returned.model_copy(update={"reasons": (Reason(category=category),)})
        assert is_caught(defect, copy, judgment) is is_named


def test_places_are_found_again_behind_an_inserted_step() -> None:
    copy, defect = first(Stage.SELF_CHECK_TASK, DefectKind.VALUE)
    longer = step_edits.insert_step(copy, defect.task, index=0, step=ask())
    assert not is_caught(defect, copy, approval(longer, edit=longer))
    assert defect.step is not None
    assert defect.path is not None
    mended = text_edits.set_argument_value(
        longer, defect.task, step=defect.step + 1, path=defect.path, value=defect.gold
    )
    assert is_caught(defect, copy, approval(mended, edit=mended))


def test_a_left_out_order_is_caught_by_drawing_it_and_by_no_other_edge() -> None:
    copy, defect = first(Stage.SELF_CHECK_TASK, DefectKind.ORDER)
    assert defect.step is not None
    assert defect.target is not None
    drawn = edge_edits.add_edge(
        copy, defect.task, source=defect.step, target=defect.target, kind=EdgeKind.LOGICAL
    )
    assert is_caught(defect, copy, approval(drawn))


def test_an_edit_that_takes_the_whole_task_out_catches_it() -> None:
    copy, defect = first(Stage.SELF_CHECK_TASK, DefectKind.REQUEST)
    rest = tuple(task for number, task in enumerate(copy.tasks) if number != defect.task)
    shorter = copy.model_copy(update={"tasks": rest})
    assert is_caught(defect, copy, approval(shorter, edit=shorter))


def test_a_place_is_found_again_behind_a_task_that_was_taken_out() -> None:
    _, copy, defect = next(one for one in made(Stage.SELF_CHECK_TASK, DefectKind.REQUEST) if one[2].task > 0)
    shorter = copy.model_copy(update={"tasks": copy.tasks[1:]})
    assert not is_caught(defect, copy, approval(shorter, edit=shorter))
    mended = text_edits.set_user_text(shorter, defect.task - 1, text=str(defect.gold))
    assert is_caught(defect, copy, approval(mended, edit=mended))


def test_a_denial_is_not_planted_where_the_calls_did_fail() -> None:
    case = two_step_case()
    steps = [
        step.model_copy(update={"observation": {"error": "not found"}}) if step.kind == "call" else step
        for step in case.tasks[0].steps
    ]
    failed = case.model_copy(update={"tasks": (case.tasks[0].model_copy(update={"steps": tuple(steps)}),)})
    found = plant(
        failed,
        stage=Stage.CROSS_CHECK,
        kinds=(DefectKind.ANSWER,),
        policy=ReviewPolicy(),
        chance=random.Random(1),
    )
    assert found is None


def test_the_reveal_says_place_and_difference() -> None:
    defect = Defect(kind=DefectKind.VALUE, task=1, step=0, path="/city", gold="Oslo", planted="Bergen")
    assert defect.words == "Task 2, step 0: /city was “Bergen” in place of “Oslo”."
    labels = Defect(kind=DefectKind.INFORMATION, task=1, gold="omission", planted="long_range")
    assert labels.words == "Task 2: the information type was long range in place of omission."


def test_an_answer_says_another_value_of_the_observations_or_denies_them() -> None:
    """Only values with the same key are taken for each other; what is too short to be read is not."""
    found = [call("price", {"total": total, "days": 5}, of=name) for name, total in [("A", 120), ("B", 340)]]
    told = task(*found, answer("A costs 120."), user="What do A and B cost?", policy=Policy.MULTI_PARALLEL)
    told = told.model_copy(update={"information": Information.FIRST})
    gold = case_of(told, tools=[tool("price", of={"type": "string"}, required=["of"])])
    answers = set()
    for seed in range(30):
        planted = plant(
            gold,
            stage=Stage.CROSS_CHECK,
            kinds=(DefectKind.ANSWER,),
            policy=ReviewPolicy(),
            chance=random.Random(seed),
        )
        assert planted is not None
        assert planted[0].tasks[0].answer is not None
        answers.add(planted[0].tasks[0].answer.text)
    assert "A costs 340." in answers
    assert all(one == "A costs 340." or one.endswith("A costs 120.") for one in answers)
