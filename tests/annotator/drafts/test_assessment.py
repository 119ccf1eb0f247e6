"""Findings, blockers and evidence of a document, and the walk through its problems."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from annotator.cases.edits import text_edits
from annotator.cases.versions.conflicts import Clash, FieldPlace
from annotator.drafts.assessment import Assessment, EvidenceState, assess, origin_words
from annotator.drafts.difference import restored_words
from annotator.drafts.gates import Blocker, blockers, require_open
from annotator.drafts.problems import next_problem, problems_of
from annotator.drafts.snapshot import Snapshot, opening_snapshot, with_case, with_judgment
from annotator.drafts.statements import cite, set_completed, set_task_check, waive
from annotator.project.policy import ReviewPolicy
from scoring.errors import BlockedError
from scoring.model.case import Case
from scoring.model.labels import Citation, DialogueSource, Judgment, without_labels
from scoring.model.taxonomy import CheckAnswer, Policy, SourceMark, Stage, Verdict
from scoring.texts import in_language
from tests.annotator.drafts.cases import call_at, judgment_of, parcel_case
from tests.ui.untranslated import untranslated
from ui.desk.case_actions import fix_for

if TYPE_CHECKING:
    from collections.abc import Callable

POLICY = ReviewPolicy()


def looked_at(
    case: Case, judgment: Judgment | None = None, *, stage: Stage = Stage.SELF_CHECK_TASK
) -> Assessment:
    snapshot = opening_snapshot(case, judgment or judgment_of(case))
    return assess(snapshot, stage=stage, policy=POLICY)


def test_every_argument_value_is_a_line_and_proposals_wait_to_be_accepted() -> None:
    found = looked_at(parcel_case())
    assert [(line.place, line.state) for line in found.evidence] == [
        ((0, 0, "/number"), EvidenceState.PROPOSED),
        ((0, 1, "/depot"), EvidenceState.PROPOSED),
        ((1, 1, "/depot"), EvidenceState.PROPOSED),
    ]
    assert found.settled_count == 0


def test_accepting_the_proposals_settles_the_evidence() -> None:
    first = looked_at(parcel_case())
    citations = [line.citation for line in first.lines_of(0) if line.citation]
    snapshot = with_judgment(first.snapshot, lambda judgment: cite(judgment, citations))
    then = assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=POLICY, before=first)
    assert (then.settled_count, len(then.lines_of(0, 1))) == (2, 1)
    assert [b.task for b in then.blockers if b.kind == "evidence"] == [1]


NOT_EXACT = ReviewPolicy(exact_as_found=True)


def test_what_stands_word_for_word_at_one_place_is_taken_as_found() -> None:
    case = text_edits.set_observation(parcel_case(), 0, step=0, observation={"depot": "hamar-7"})
    snapshot = opening_snapshot(case, judgment_of(case))
    found = assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=NOT_EXACT)
    assert [(line.place, line.state) for line in found.evidence] == [
        ((0, 0, "/number"), EvidenceState.FOUND),
        ((0, 1, "/depot"), EvidenceState.PROPOSED),
        ((1, 1, "/depot"), EvidenceState.FOUND),
    ]
    assert found.settled_count == 2
    asked = [(p.task, p.step, p.path) for p in problems_of(found) if p.kind == "evidence"]
    assert asked == [(0, 1, "/depot")]
    approving = snapshot.judgment.model_copy(update={"verdict": Verdict.APPROVE})
    assert blockers(case, approving, stage=Stage.SELF_CHECK_TASK, policy=NOT_EXACT) == found.blockers


def test_a_citation_that_broke_is_replaced_by_what_is_found_word_for_word() -> None:
    case = parcel_case()
    gone = Citation(task=0, step=0, path="/number", source=DialogueSource(task=1), accepted=False)
    snapshot = opening_snapshot(case, judgment_of(case).model_copy(update={"evidence": (gone,)}))
    broken, found = (
        assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=policy).evidence[0]
        for policy in (POLICY, NOT_EXACT)
    )
    assert broken.state is EvidenceState.BROKEN
    assert (found.state, found.origin) == (EvidenceState.FOUND, "request")


def test_values_whose_source_is_gone_are_looked_at_one_by_one() -> None:
    first = looked_at(parcel_case())
    citations = [line.citation for line in first.lines_of(0) if line.citation]
    snapshot = with_judgment(first.snapshot, lambda judgment: cite(judgment, citations))
    snapshot = with_case(
        snapshot, lambda case: text_edits.set_observation(case, 0, step=0, observation={"depot": "Lom-3"})
    )
    then = assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=POLICY)
    assert first.inexact_places == frozenset()
    assert then.inexact_places == {(0, 1, "/depot")}


def test_an_edit_of_a_cited_source_shows_the_citation_as_broken() -> None:
    first = looked_at(parcel_case())
    citations = [line.citation for line in first.lines_of(0) if line.citation]
    snapshot = with_judgment(first.snapshot, lambda judgment: cite(judgment, citations))
    snapshot = with_case(
        snapshot, lambda case: text_edits.set_observation(case, 0, step=0, observation={"depot": "Lom-3"})
    )
    found = assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=POLICY, before=first)
    (line,) = found.lines_of(0, 1)
    assert line.state is EvidenceState.BROKEN
    assert "Hamar-7" in line.reason


def test_a_source_in_a_task_that_was_removed_is_named_by_its_number() -> None:
    source = DialogueSource(task=7, step=2, path="/depot")
    found = origin_words(parcel_case(), Citation(task=0, step=1, path="/depot", source=source))
    assert found.startswith("task 8 · ")


@pytest.mark.parametrize(
    ("source", "note", "words"),
    [
        (SourceMark.DEFAULT, "", "default"),
        (SourceMark.DERIVED, "2 nights", "derived: 2 nights"),
        (DialogueSource(text="now"), "", "now"),
        (DialogueSource(text="system"), "", "system text"),
        (DialogueSource(task=1), "", "request"),
        (DialogueSource(), "", "request"),
        (DialogueSource(task=0), "", "task 1 · request"),
        (DialogueSource(task=0, step=0, path="/depot"), "", "task 1 · call 0 /depot"),
        (DialogueSource(task=0, step=0), "", "task 1 · call 0"),
        (DialogueSource(task=0, step=2), "", "task 1 · answer"),
        (DialogueSource(task=1, step=0), "", "question 0"),
        (DialogueSource(task=1, step=0, text="reply"), "", "reply 0"),
    ],
)
def test_where_a_value_comes_from_is_told_in_a_few_words(
    source: DialogueSource | SourceMark, note: str, words: str
) -> None:
    citation = Citation(task=1, step=1, path="/depot", source=source, note=note)
    assert origin_words(parcel_case(), citation) == words


def test_a_task_behind_the_last_is_offered_no_label() -> None:
    assert looked_at(parcel_case()).offers_of(2) == ()


def test_looking_again_after_an_edit_says_what_a_fresh_look_says() -> None:
    first = looked_at(parcel_case())
    edited = with_case(first.snapshot, lambda case: text_edits.set_policy(case, 1, policy=Policy.SINGLE))
    again = assess(edited, stage=Stage.SELF_CHECK_TASK, policy=POLICY, before=first)
    assert again == assess(edited, stage=Stage.SELF_CHECK_TASK, policy=POLICY)
    assert again.findings != first.findings


def test_problems_begin_with_what_stops_the_submission_in_dialogue_order() -> None:
    case = text_edits.set_policy(parcel_case(), 1, policy=Policy.SINGLE)
    problems = problems_of(looked_at(case))
    assert [(p.kind, p.task, p.step, p.count) for p in problems if p.is_blocking] == [
        ("evidence", 0, 0, 1),
        ("evidence", 0, 1, 1),
        ("checklist", 0, None, 2),
        ("finding", 1, None, 1),
        ("evidence", 1, 1, 1),
        ("checklist", 1, None, 5),
    ]
    assert all(p.is_blocking for p in problems[:6])
    (warning,) = problems[6:]  # that of the task waits for the error there
    assert (warning.is_blocking, warning.task, warning.step) == (False, 1, 0)


def test_the_walk_goes_round_and_back_and_stays_in_place_when_a_problem_is_settled() -> None:
    case = parcel_case()
    problems = problems_of(looked_at(case))
    first = next_problem(problems, None)
    second = next_problem(problems, first)
    assert (first, second) == (problems[0], problems[1])
    assert next_problem(problems, problems[-1]) == problems[0]
    last = [problem for problem in problems if problem.is_blocking][-1]
    assert next_problem(problems, problems[0], back=True) == last
    assert next_problem(problems, last) == problems[0]  # before the warnings behind it
    settled = problems[:1] + problems[2:]
    assert next_problem(settled, problems[1]) == problems[2]
    assert next_problem((), None) is None


def test_a_waived_finding_is_no_problem() -> None:
    case = text_edits.set_policy(parcel_case(), 1, policy=Policy.SINGLE)
    first = looked_at(case)
    (finding,) = [f for f in first.findings if f.rule == "policy.differs"]
    snapshot = with_judgment(first.snapshot, lambda judgment: waive(judgment, finding, reason="it is"))
    then = assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=POLICY, before=first)
    assert finding not in then.open_findings()
    assert not [p for p in problems_of(then) if p.finding == finding]


def test_a_fix_settles_its_finding() -> None:
    case = text_edits.set_policy(parcel_case(), 1, policy=Policy.SINGLE)
    (finding,) = [f for f in looked_at(case).findings if f.rule == "policy.differs"]
    fix = fix_for(finding)
    assert fix is not None
    assert fix.title == "Label it Clarify"
    assert fix.change(case).tasks[1].policy is Policy.CLARIFY


def test_a_misspelt_argument_name_is_renamed_in_its_place() -> None:
    case = text_edits.set_arguments(parcel_case(), 0, step=1, arguments={"Depot": "Hamar-7", "days": 2})
    (finding,) = [f for f in looked_at(case).findings if f.rule == "args.undefined"]
    fix = fix_for(finding)
    assert fix is not None
    assert list(call_at(fix.change(case), 0, 1).arguments) == ["depot", "days"]


def test_an_argument_nobody_knows_is_removed() -> None:
    case = text_edits.set_arguments(parcel_case(), 0, step=1, arguments={"depot": "Hamar-7", "colour": "red"})
    (finding,) = [f for f in looked_at(case).findings if f.rule == "args.undefined"]
    fix = fix_for(finding)
    assert fix is not None
    assert fix.title == "Remove colour"
    assert call_at(fix.change(case), 0, 1).arguments == {"depot": "Hamar-7"}


def test_a_blind_reviewer_is_asked_for_labels_and_judgments_but_not_for_evidence() -> None:
    blank = without_labels(parcel_case())
    found = looked_at(blank, judgment_of(blank, is_drawn=False), stage=Stage.CROSS_CHECK)
    assert {blocker.kind for blocker in found.blockers} == {"label", "drawing", "judgment", "checklist"}
    # per task two labels, its drawing and its completion, and three calls; the checklist has five items for
    # the first task and six for the second, of which "distinct" is proved for both and "facts" for the first
    assert len(found.blockers) == 2 * 4 + 3 - 1 + 5 + 6 - 3  # the first task's information is not asked for


def test_what_a_draft_changes_is_said_in_one_sentence() -> None:
    start = opening_snapshot(parcel_case(), judgment_of(parcel_case()))
    draft = with_case(start, lambda case: text_edits.set_policy(case, 0, policy=Policy.SINGLE))
    draft = with_case(draft, lambda case: text_edits.set_information(case, 0, information=None))
    draft = with_case(draft, lambda case: text_edits.set_user_text(case, 1, text="And now to Lom."))
    draft = with_judgment(draft, lambda judgment: set_completed(judgment, 0, completed=True))
    draft = with_judgment(
        draft, lambda judgment: set_task_check(judgment, 0, item="facts", answer=CheckAnswer.PASS)
    )
    assert restored_words(start, draft) == "1 text or value, 2 labels and 2 judgments"
    assert restored_words(start, start) == ""


def test_one_change_alone_reads_without_an_and() -> None:
    start = opening_snapshot(parcel_case(), judgment_of(parcel_case()))
    draft = Snapshot(start.case, set_completed(start.judgment, 0, completed=True))
    assert restored_words(start, draft) == "1 judgment"


def test_looking_again_step_by_step_says_what_a_fresh_look_says_of_evidence_and_suggestions_too() -> None:
    found = looked_at(parcel_case())
    proposed = [line.citation for line in found.evidence if line.citation]
    changes: tuple[Callable[[Snapshot], Snapshot], ...] = (
        lambda s: with_judgment(s, lambda judgment: set_completed(judgment, 0, completed=True)),
        lambda s: with_judgment(s, lambda judgment: cite(judgment, proposed)),
        lambda s: with_case(s, lambda case: text_edits.set_policy(case, 0, policy=Policy.SINGLE)),
        lambda s: with_case(
            s, lambda case: text_edits.set_argument_value(case, 1, step=1, path="/depot", value="Lom-3")
        ),
        lambda s: with_case(
            s, lambda case: text_edits.set_observation(case, 0, step=0, observation={"depot": "Lom-3"})
        ),
        lambda s: with_case(s, lambda case: text_edits.set_user_text(case, 1, text="Now to Lom-3.")),
        lambda s: with_case(s, lambda case: text_edits.set_now(case, "2026-03-02 09:00:00")),
    )
    for change in changes:
        snapshot = change(found.snapshot)
        found = assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=POLICY, before=found)
        assert found == assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=POLICY)


def test_what_is_shown_to_be_open_is_what_the_store_refuses() -> None:
    case = parcel_case()
    judgment = judgment_of(case, is_drawn=False)
    shown = assess(Snapshot(case, judgment), stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy()).blockers
    approving = judgment.model_copy(update={"verdict": Verdict.APPROVE})
    assert shown
    assert blockers(case, approving, stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy()) == shown


def test_a_reviewer_is_refused_for_what_is_shown_to_be_open_too() -> None:
    blank = without_labels(parcel_case())
    judgment = judgment_of(blank, is_drawn=False)
    shown = looked_at(blank, judgment, stage=Stage.CROSS_CHECK).blockers
    approving = judgment.model_copy(update={"verdict": Verdict.APPROVE})
    assert blockers(blank, approving, stage=Stage.CROSS_CHECK, policy=POLICY) == shown


@pytest.mark.parametrize(
    ("count", "words"),
    [(3, "3 open: 1. p0. 2. p1. 3. p2."), (5, "5 open, the first three: 1. p0. 2. p1. 3. p2.")],
)
def test_a_refusal_names_three_open_points_and_counts_the_others(count: int, words: str) -> None:
    require_open(())
    with pytest.raises(BlockedError) as refused:
        require_open([Blocker(kind="judgment", message=f"p{number}.") for number in range(count)])
    assert refused.value.message == words


@pytest.mark.usefixtures("said_in_chinese")
@pytest.mark.parametrize("stage", [Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK])
def test_a_refusal_is_said_in_chinese_whatever_is_open(stage: Stage) -> None:
    blank = without_labels(parcel_case())
    found = looked_at(blank, judgment_of(blank, is_drawn=False), stage=stage).blockers
    assert len(found) > 3
    for at in range(len(found)):
        with pytest.raises(BlockedError) as refused:
            require_open(found[at:])
        said = in_language(str(refused.value))
        assert set(untranslated(said)) <= {"reroute"}  # the name of a tool
        assert "1. 任务" in said or "1. 对话" in said


@pytest.mark.parametrize(("field", "path"), [("arguments", "/depot"), ("observation", None)])
def test_a_value_that_both_changed_blocks_at_its_place(field: str, path: str | None) -> None:
    """The path is that of an argument: a value of an observation has no row of its own to go to."""
    clash = Clash(place=FieldPlace(field=field, task=0, step=1, path="/depot"))
    snapshot = replace(opening_snapshot(parcel_case(), judgment_of(parcel_case())), clashes=(clash,))
    [found] = [
        one
        for one in assess(snapshot, stage=Stage.SELF_CHECK_TASK, policy=POLICY).blockers
        if one.kind == "clash"
    ]
    assert (found.task, found.step, found.path, found.clash) == (0, 1, path, clash)
