"""What somebody said about a case is in what became of it, or is named as gone; nothing goes unseen."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.cases.edits.step_edits import delete_step, insert_step
from annotator.cases.edits.task_edits import delete_task
from annotator.cases.edits.text_edits import set_argument_value, set_user_text
from annotator.drafts.merged_work import MergedWork, merge_work, merged_words
from annotator.drafts.snapshot import Snapshot, opening_snapshot
from annotator.drafts.statements import cite, set_call_correct, set_completed, set_task_check, waive
from scoring.model.case import Case
from scoring.model.labels import Citation, DialogueSource, Finding, Judgment
from scoring.model.taxonomy import CheckAnswer, Severity
from tests.annotator.cases.any_edits import Change, edits
from tests.annotator.drafts.cases import judgment_of, mark, parcel_case
from tests.factories import call


def finding(task: int, step: int | None, path: str | None = None) -> Finding:
    return Finding(
        rule="args.unsourced", severity=Severity.WARNING, message="", task=task, step=step, path=path
    )


FROM_FIRST = Citation(task=0, step=1, path="/depot", source=DialogueSource(task=0, step=0, path="/depot"))


def judged(shown: Case) -> Judgment:
    """The parcel case with everything said about it that can be said."""
    judgment = cite(judgment_of(shown), [mark(0, 0, "/number"), FROM_FIRST, mark(1, 1, "/depot")])
    for task, step in ((0, 0), (0, 1), (1, 1)):
        judgment = set_call_correct(judgment, shown, task=task, step=step, correct=True)
    for task in (0, 1):
        judgment = set_task_check(judgment, task, item="facts", answer=CheckAnswer.PASS)
        judgment = set_completed(judgment, task, completed=True)
    for where in (finding(0, 0, "/number"), finding(0, 1), finding(1, 0), finding(1, None)):
        judgment = waive(judgment, where, reason="it is so")
    return judgment


def together_with(change: Change) -> MergedWork:
    """Everything said about the case, and a text of it changed, brought together with a change of theirs."""
    base = parcel_case()
    work = opening_snapshot(set_user_text(base, 0, text="Mine."), judged(base))
    theirs = change(base)
    return merge_work(base, work, opening_snapshot(theirs, judgment_of(theirs)))


def told(merged: MergedWork) -> list[str]:
    return [f"{one.place}: {one.what}" for one in merged.gone]


def test_what_i_said_about_a_step_that_they_removed_is_named_and_so_is_a_source_in_it() -> None:
    assert told(together_with(partial(delete_step, task=0, step=0))) == [
        "task 1, step 0 (findParcel): source of number",
        "task 1, step 0 (findParcel): judgment",
        "task 1, step 0 (findParcel): waiver of args.unsourced",
        "task 1, step 1 (reroute): source of depot",
    ]


def test_what_i_said_about_a_task_that_they_removed_is_named() -> None:
    assert told(together_with(partial(delete_task, task=1))) == [
        "task 2: completion",
        "task 2: checklist",
        "task 2: waiver of args.unsourced",
        "task 2, step 0: waiver of args.unsourced",
        "task 2, step 1 (reroute): source of depot",
        "task 2, step 1 (reroute): judgment",
    ]


def test_a_waiver_of_a_value_that_they_changed_is_named() -> None:
    merged = together_with(partial(set_argument_value, task=0, step=0, path="/number", value="P-882"))
    assert told(merged) == ["task 1, step 0 (findParcel): waiver of args.unsourced"]


@pytest.mark.parametrize(
    "change",
    [
        partial(set_user_text, task=1, text="Theirs."),
        partial(insert_step, task=0, index=0, step=call("reroute", depot="Oslo-1")),
    ],
)
def test_what_only_moved_or_is_open_again_is_not_said_to_be_gone(change: Change) -> None:
    assert together_with(change).gone == ()


def test_a_proposal_nobody_accepted_is_not_said_to_be_gone() -> None:
    base = parcel_case()
    proposed = mark(0, 0, "/number").model_copy(update={"accepted": False})
    judgment = judgment_of(base).model_copy(update={"evidence": (proposed,)})
    theirs = delete_step(base, 0, step=0)
    merged = merge_work(base, opening_snapshot(base, judgment), opening_snapshot(theirs, judgment_of(theirs)))
    assert merged.gone == ()


def test_of_two_alike_waivers_the_one_that_has_no_place_is_named_and_the_other_keeps_its_reason() -> None:
    merged = together_with(partial(delete_step, task=0, step=1))
    assert "task 1, step 1 (reroute): waiver of args.unsourced" in told(merged)
    assert {(one.where, one.reason) for one in merged.work.judgment.waivers} == {
        ("task 0 step 0 /number", "it is so"),
        ("task 1 step 0", "it is so"),
        ("task 1", "it is so"),
    }


def test_the_sentence_names_what_is_gone() -> None:
    merged = together_with(partial(delete_step, task=0, step=1))
    assert (
        "Gone with what they changed or removed: task 1, step 1 (reroute): source of depot, judgment, "
        "waiver of args.unsourced." in merged_words(merged, by=("max",), person="ann")
    )


def counts(work: Snapshot) -> dict[str, int]:
    judgment = work.judgment
    return {
        "source": len(judgment.evidence),
        "waiver": len(judgment.waivers),
        "judgment": sum(said is not None for task in judgment.tasks for said in task.calls_correct),
        "checklist": sum(any(task.checklist.values()) for task in judgment.tasks),
        "completion": sum(task.completed is not None for task in judgment.tasks),
    }


@given(mine=edits(parcel_case()), theirs=edits(parcel_case()), data=st.data())
def test_whatever_they_did_everything_i_said_is_in_the_outcome_or_named(
    mine: Case, theirs: Case, data: st.DataObject
) -> None:
    work = opening_snapshot(mine, said_about(mine, data))
    merged = merge_work(parcel_case(), work, opening_snapshot(theirs, judgment_of(theirs)))
    kept = counts(merged.work)
    for one in merged.gone:
        kept[one.what.split()[0]] += 1
    for what in ("checklist", "completion"):
        kept[what] += len(merged.reopened)
    assert kept == counts(work)


def said_about(shown: Case, data: st.DataObject) -> Judgment:
    """A judgment in which every task and call has everything said about it."""
    judgment = judgment_of(shown)
    for number, task in enumerate(shown.tasks):
        judgment = set_task_check(judgment, number, item="facts", answer=CheckAnswer.PASS)
        judgment = set_completed(judgment, number, completed=True)
        for step, found in task.calls:
            judgment = set_call_correct(judgment, shown, task=number, step=step, correct=False)
            judgment = waive(judgment, finding(number, step), reason="it is so")
            sources = [(t, s) for t, s, _ in shown.steps() if (t, s) < (number, step)]
            for path in found.arguments:
                place = mark(number, step, f"/{path}")
                if sources:
                    source_task, source_step = data.draw(st.sampled_from(sources))
                    source = DialogueSource(task=source_task, step=source_step, path="")
                    place = place.model_copy(update={"source": source})
                judgment = cite(judgment, [place])
    return judgment
