"""Every text people write can be stored, whatever characters and however long: on both databases alike."""

import pytest

from annotator.cases.access import show_case
from annotator.cases.history import add_comment, case_history, comments_of, replace_content
from annotator.drafts.draft_body import DraftBody
from annotator.project.audit import audit
from annotator.project.people import add_person
from annotator.review.batches import return_batch
from annotator.review.drafts import open_assignment, save_draft
from annotator.review.expert.decisions import Decision, FeedbackItem
from annotator.review.queue.case_rows import CaseFilter, list_cases
from annotator.review.queue.claims import claim_case, leave
from annotator.review.submissions import submission_key, submit
from annotator.review.withdrawals import reopen
from scoring.errors import InputError
from scoring.model.labels import Reason
from scoring.model.taxonomy import FeedbackCategory, Role, Stage, Verdict
from tests.annotator.team import Team, approval, feedback_for_me, two_round_case, two_step_case

NUL = "a\x00b"
LONE = "a\ud800b"
EMOJI = "👩‍🔬 Δ ‮ \U0001f9ea"
HUGE = "Größe \x00" * 200_000
TEXTS = pytest.mark.parametrize("text", [NUL, LONE, EMOJI, HUGE], ids=["nul", "lone", "emoji", "huge"])


def _stored(text: str) -> str:
    return text.replace("\x00", "�").replace("\ud800", "�")


@TEXTS
def test_notes_reasons_and_comments_are_kept(team: Team, text: str) -> None:
    team.bring(two_step_case(), two_step_case("c-2"))
    add_comment(team["ann"], "c-1", where="case", text=text)
    assert comments_of(team["ann"], "c-1")[0].text == _stored(text)
    replace_content(
        team["max"], "c-1", case=two_step_case().model_copy(update={"language": "nb"}), reason=text
    )
    assert case_history(team["max"], "c-1")[1].reason == _stored(text)
    leave(team["ann"], claim_case(team["ann"], "c-1").value.id, skip=True, reason=text)

    team.self_check("bob", "c-1")
    for name in ("ann", "cleo", "dan"):
        if name != "ann":
            team.cross_check(name, "c-1", verdict=Verdict.RETURN, note=text)
    row = next(row for row in list_cases(team["max"], CaseFilter()) if row.case_id == "c-1")
    assert (row.stage, row.note) == (Stage.RETURNED, _stored(text))

    team.self_check("ann", "c-2")
    assert return_batch(team["max"], "b1", reason=text).value == 1
    assert audit(team["max"]).holds


@TEXTS
def test_what_an_expert_writes_is_kept(team: Team, text: str) -> None:
    team.bring(two_step_case())
    team.self_check("ann", "c-1")
    for name in ("bob", "cleo"):
        team.cross_check(name, "c-1", verdict=Verdict.ESCALATE, note=text)
    told = (FeedbackItem(to="owner", category=FeedbackCategory.OTHER, note=text),)
    team.decide("c-1", Decision(verdict=Verdict.APPROVE, note=text, feedback=told))
    assert [row.note for row in feedback_for_me(team["ann"])] == [_stored(text)]
    reopen(team["eve"], "c-1", reason=text)
    assert audit(team["max"]).holds


@TEXTS
def test_case_texts_stay_exact_in_bodies_drafts_and_judgments(team: Team, text: str) -> None:
    whole = two_round_case()
    first = whole.tasks[0].model_copy(update={"user": text})
    said = whole.model_copy(update={"tasks": (first, whole.tasks[1])})
    team.bring(whole)
    held = claim_case(team["ann"], "c-1").value
    judgment = approval(said, edit=said)
    save_draft(team["ann"], held.id, body=DraftBody(case=said, judgment=judgment), sequence=0)
    draft = open_assignment(team["ann"], held.id).draft
    assert draft is not None
    assert draft.case.tasks[0].user == text
    submit(team["ann"], held.id, judgment=judgment, key=submission_key())
    assert show_case(team["ann"], "c-1").tasks[0].user == text
    (row,) = list_cases(team["max"], CaseFilter(text=text[:20]))
    assert row.request == " ".join(_stored(text).split())[:300]
    noted = approval(said).model_copy(
        update={
            "verdict": Verdict.ESCALATE,
            "reasons": (Reason(category=FeedbackCategory.OTHER, note=text),),
        }
    )
    held = claim_case(team["ann"], "c-1").value
    submit(team["ann"], held.id, judgment=noted, key=submission_key())
    assert team.open_expert("c-1").case.tasks[0].user == text


@pytest.mark.parametrize("words", ["train １２", "ＴＲＡＩＮ 12", "12，去", "12,去", "ｘ"])
def test_words_are_found_in_any_width(team: Team, words: str) -> None:
    whole = two_round_case()
    first = whole.tasks[0].model_copy(update={"user": "Ｔrain １2，去奥斯陆 Straße"})
    team.bring(whole.model_copy(update={"tasks": (first, whole.tasks[1])}))
    expected = [] if words == "ｘ" else ["c-1"]
    assert [row.case_id for row in list_cases(team["max"], CaseFilter(text=words))] == expected


@pytest.mark.parametrize("name", [NUL, LONE, "a\nb", "", "  ", "system", "x" * 101])
def test_a_name_is_something_a_person_can_read(team: Team, name: str) -> None:
    with pytest.raises(InputError, match="cannot be a person's name"):
        add_person(team["max"], name, roles=[Role.ANNOTATOR])


@pytest.mark.parametrize("text", [NUL, LONE])
def test_nobody_is_found_by_a_name_no_database_holds(team: Team, text: str) -> None:
    from scoring.errors import NotFoundError

    with pytest.raises(NotFoundError):
        show_case(team["max"], text)
    assert list_cases(team["max"], CaseFilter(text=text, batch=text, owner=text)) == ()


def test_an_id_no_database_holds_is_rejected_at_import(team: Team) -> None:
    report = team.bring(two_step_case("c-1"), two_step_case("a\x00b"), two_step_case("line\nbreak"))
    assert (report.imported, report.rejected) == (1, 2)
    assert "characters that cannot be stored or shown" in report.rejects[0].reason


@pytest.mark.parametrize("name", ["x" * 201, "a\x00b"])
def test_a_batch_name_that_cannot_be_kept_is_refused(team: Team, name: str) -> None:
    with pytest.raises(InputError, match="cannot be a batch's name"):
        team.bring(two_step_case(), batch=name)
