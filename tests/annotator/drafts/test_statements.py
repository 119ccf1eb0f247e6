"""What was said about a case stays with its tasks and steps, whatever is edited."""

from annotator.cases.edits import step_edits, task_edits, text_edits
from annotator.drafts.moves import moves_between
from annotator.drafts.statements import (
    call_correct,
    cite,
    followed,
    labelled,
    set_call_correct,
    set_completed,
    set_task_check,
    uncite,
    unwaive,
    waive,
)
from scoring.model.labels import Citation, DialogueSource, Finding, Judgment
from scoring.model.taxonomy import CheckAnswer, Policy, Severity, SourceMark
from tests.annotator.drafts.cases import judgment_of, mark, parcel_case
from tests.factories import answer, ask, call, case, task


def said_everything() -> Judgment:
    """The parcel case judged: calls right, second task not completed, one item checked."""
    case = parcel_case()
    judgment = judgment_of(case)
    judgment = set_call_correct(judgment, case, task=0, step=1, correct=False)
    judgment = set_call_correct(judgment, case, task=1, step=1, correct=True)
    judgment = set_completed(judgment, 1, completed=False)
    return set_task_check(judgment, 1, item="facts", answer=CheckAnswer.FAIL)


def test_a_task_that_moves_takes_what_was_said_about_it_along() -> None:
    before = parcel_case()
    after = task_edits.move_task(before, 1, to=0)
    judgment = followed(said_everything(), before=before, after=after)
    assert judgment.tasks[0].completed is False
    assert judgment.tasks[0].checklist == {"facts": CheckAnswer.FAIL}
    assert judgment.tasks[1].calls_correct == (None, False)


def test_a_new_task_has_nothing_said_about_it() -> None:
    before = parcel_case()
    after = task_edits.insert_task(before, 1)
    judgment = followed(said_everything(), before=before, after=after)
    assert [labels.completed for labels in judgment.tasks] == [None, None, False]
    assert judgment.tasks[2].checklist == {"facts": CheckAnswer.FAIL}


def test_two_drawn_tasks_that_become_one_are_drawn_anew() -> None:
    before = parcel_case()
    judgment = judgment_of(before)
    assert [labels.drawn for labels in judgment.tasks] == [True, True]
    after = task_edits.merge_tasks(before, 0)
    (merged,) = followed(judgment, before=before, after=after).tasks
    assert merged.drawn is False  # nobody has said how the steps of one wait for those of the other


def test_the_first_half_of_a_split_task_keeps_what_was_said() -> None:
    before = parcel_case()
    after = task_edits.split_task(before, 1, step=0)
    judgment = followed(said_everything(), before=before, after=after)
    assert len(judgment.tasks) == 3
    assert judgment.tasks[0].calls_correct == (None, False)


def test_of_a_split_task_with_calls_on_both_sides_the_first_half_keeps_what_was_said() -> None:
    before = parcel_case()
    judgment = set_completed(judgment_of(before), 0, completed=True)
    after = task_edits.split_task(before, 0, step=1)
    assert [labels.completed for labels in followed(judgment, before=before, after=after).tasks] == [
        True,
        None,
        None,
    ]


def test_of_a_split_task_without_calls_the_first_half_keeps_what_was_said() -> None:
    before = case(task(ask("Which?", "A"), ask("When?", "Now"), answer()))
    judgment = set_completed(judgment_of(before), 0, completed=True)
    after = task_edits.split_task(before, 0, step=1)
    assert [said.completed for said in followed(judgment, before=before, after=after).tasks] == [True, None]


def test_a_call_inserted_before_another_leaves_the_others_judgment_alone() -> None:
    before = parcel_case()
    after = step_edits.insert_step(before, 0, index=0, step=call("findParcel", number="P-1"))
    judgment = followed(said_everything(), before=before, after=after)
    assert judgment.tasks[0].calls_correct == (None, None, False)
    assert call_correct(judgment, after, task=0, step=2) is False


def test_a_citation_follows_its_call_and_its_source() -> None:
    before = parcel_case()
    source = DialogueSource(task=0, step=0, path="/depot")
    judgment = cite(judgment_of(before), [Citation(task=0, step=1, path="/depot", source=source)])
    after = step_edits.insert_step(before, 0, index=0, step=call("findParcel", number="P-1"))
    (moved,) = followed(judgment, before=before, after=after).evidence
    assert (moved.step, moved.accepted) == (2, True)
    assert isinstance(moved.source, DialogueSource)
    assert moved.source.step == 1


def test_a_citation_waits_for_confirmation_when_its_source_loses_the_value() -> None:
    before = parcel_case()
    source = DialogueSource(task=0, step=0, path="/depot")
    judgment = cite(judgment_of(before), [Citation(task=0, step=1, path="/depot", source=source)])
    after = text_edits.set_observation(before, 0, step=0, observation={"depot": "Lom-3"})
    (broken,) = followed(judgment, before=before, after=after).evidence
    assert not broken.accepted


def test_a_mark_waits_for_confirmation_when_its_value_changes() -> None:
    before = parcel_case()
    judgment = cite(judgment_of(before), [mark(0, 1, "/depot"), mark(0, 0, "/number")])
    after = text_edits.set_argument_value(before, 0, step=1, path="/depot", value="Lom-3")
    evidence = followed(judgment, before=before, after=after).evidence
    assert [(c.step, c.accepted) for c in evidence] == [(0, True), (1, False)]


def test_a_citation_of_a_removed_argument_is_gone() -> None:
    before = parcel_case()
    judgment = cite(judgment_of(before), [mark(0, 1, "/depot")])
    after = text_edits.remove_argument(before, 0, step=1, path="/depot")
    assert followed(judgment, before=before, after=after).evidence == ()


def test_a_waiver_is_dropped_when_the_value_it_excused_changes_and_moves_with_its_step_otherwise() -> None:
    before = parcel_case()
    finding = Finding(rule="args.enum", severity=Severity.ERROR, message="no", task=0, step=1, path="/depot")
    judgment = waive(judgment_of(before), finding, reason="the tool takes it")
    inserted = step_edits.insert_step(before, 0, index=0, step=call("findParcel", number="P-1"))
    (moved,) = followed(judgment, before=before, after=inserted).waivers
    assert (moved.where, moved.reason) == ("task 0 step 2 /depot", "the tool takes it")
    changed = text_edits.set_argument_value(before, 0, step=1, path="/depot", value="Lom-3")
    assert followed(judgment, before=before, after=changed).waivers == ()


def test_a_waiver_goes_with_the_step_it_was_about_and_excuses_nothing_at_the_step_behind_it() -> None:
    before = parcel_case()
    finding = Finding(rule="call.duplicate", severity=Severity.WARNING, message="", task=0, step=0)
    judgment = waive(judgment_of(before), finding, reason="asked twice")
    after = step_edits.delete_step(before, 0, step=0)
    assert followed(judgment, before=before, after=after).waivers == ()


def test_a_waiver_of_a_question_moves_with_it() -> None:
    before = parcel_case()
    finding = Finding(rule="ask.no_parameter", severity=Severity.WARNING, message="", task=1, step=0)
    judgment = waive(judgment_of(before), finding, reason="it is clear")
    after = step_edits.insert_step(before, 1, index=0, step=call("reroute", depot="Hamar-7"))
    assert [waiver.where for waiver in followed(judgment, before=before, after=after).waivers] == [
        "task 1 step 1"
    ]


def test_nothing_said_of_a_call_is_said_of_the_question_that_took_its_place() -> None:
    before = parcel_case()
    finding = Finding(rule="args.enum", severity=Severity.ERROR, message="", task=0, step=1, path="/depot")
    judgment = waive(cite(said_everything(), [mark(0, 1, "/depot")]), finding, reason="the tool takes it")
    emptied = step_edits.delete_step(before, 0, step=1)
    after = step_edits.insert_step(emptied, 0, index=1, step=ask("Which depot?", "Hamar-7"))
    found = followed(judgment, before=before, after=after)
    assert (found.evidence, found.tasks[0].calls_correct) == ((), (None,))


def test_a_waiver_of_a_dependency_moves_with_its_steps() -> None:
    before = parcel_case()
    finding = Finding(rule="graph.redundant_edge", severity=Severity.INFO, message="", task=0, edge=(0, 1))
    judgment = waive(judgment_of(before), finding, reason="as recorded")
    after = step_edits.insert_step(before, 0, index=0, step=call("findParcel", number="P-1"))
    (moved,) = followed(judgment, before=before, after=after).waivers
    assert moved.where == "task 0 edge 1-2"


def test_a_waiver_of_a_dependency_goes_with_either_of_its_steps() -> None:
    before = parcel_case()
    finding = Finding(rule="graph.redundant_edge", severity=Severity.INFO, message="", task=0, edge=(0, 1))
    judgment = waive(judgment_of(before), finding, reason="as recorded")
    after = step_edits.delete_step(before, 0, step=0)
    assert followed(judgment, before=before, after=after).waivers == ()


def test_a_waiver_moves_with_its_step_to_another_task() -> None:
    before = parcel_case()
    finding = Finding(rule="call.duplicate", severity=Severity.WARNING, message="", task=0, step=1)
    judgment = waive(judgment_of(before), finding, reason="asked twice")
    after = task_edits.split_task(before, 0, step=1)
    assert [waiver.where for waiver in followed(judgment, before=before, after=after).waivers] == [
        "task 1 step 0"
    ]


def test_a_waiver_can_be_taken_back() -> None:
    finding = Finding(rule="policy.differs", severity=Severity.ERROR, message="no", task=0)
    judgment = waive(judgment_of(parcel_case()), finding, reason="seen")
    assert [waiver.reason for waiver in judgment.waivers] == ["seen"]
    assert unwaive(judgment, finding).waivers == ()


def test_citing_again_replaces_what_was_said() -> None:
    judgment = cite(judgment_of(parcel_case()), [mark(0, 1, "/depot")])
    judgment = cite(judgment, [mark(0, 1, "/depot", SourceMark.DERIVED), mark(0, 0, "/number")])
    assert [(c.step, c.source) for c in judgment.evidence] == [
        (0, SourceMark.WORLD),
        (1, SourceMark.DERIVED),
    ]
    assert [c.step for c in uncite(judgment, [(0, 0, "/number")]).evidence] == [1]


def test_a_judgment_takes_the_labels_of_its_case() -> None:
    before = parcel_case()
    after = text_edits.set_policy(before, 0, policy=Policy.SINGLE)
    assert labelled(said_everything(), after).tasks[0].policy is Policy.SINGLE
    assert labelled(said_everything(), after).tasks[0].calls_correct == (None, False)


def test_steps_that_swap_places_are_found_again() -> None:
    before = parcel_case()
    after = step_edits.move_step(step_edits.duplicate_step(before, 0, step=1), 0, step=0, to=2)
    moves = moves_between(step_edits.duplicate_step(before, 0, step=1), after)
    assert set(moves.tasks.items()) == {(0, 0), (1, 1)}
