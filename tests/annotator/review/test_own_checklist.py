"""Items of the team's own in the checklist: asked, compared, decided and counted like the shipped ones."""

import pytest

from annotator.cases.access import show_case
from annotator.cases.evidence.dialogue import Dialogue
from annotator.drafts.checklists import items_of
from annotator.fields import written
from annotator.project.policy import ReviewPolicy, changed_policy
from annotator.review.expert.decisions import Adjudication, Decision, Own, defect_words
from annotator.review.expert.field_words import field_title
from annotator.review.measures.disagreements import disagreements
from annotator.review.measures.rater_agreement import AgreementSlice, agreement, rated_rounds
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.agreement.rated_cases import RatedField
from scoring.errors import BlockedError, InputError
from scoring.model.labels import Judgment
from scoring.model.taxonomy import CheckAnswer, Stage, Verdict
from tests.annotator.team import Team, approval, two_step_case

POLITE, MONEY = "The tone is polite, and short", "Amounts have a currency, e.g. 3.50 EUR"
OWN = f"own_checklist={POLITE}; {MONEY}"
FIELD = f"task.0.checklist.{MONEY}"


def _answered(judgment: Judgment, **answers: CheckAnswer) -> Judgment:
    """A judgment with answers to the items of the team's own: `polite` and `money`."""
    items = {"polite": POLITE, "money": MONEY}
    own = {items[name]: answer for name, answer in answers.items()}
    tasks = [
        labels.model_copy(update={"checklist": {**labels.checklist, **own}}) for labels in judgment.tasks
    ]
    return judgment.model_copy(update={"tasks": tuple(tasks)})


def _judge(team: Team, name: str, **answers: CheckAnswer) -> Stage:
    held = claim_case(team[name], "c-1").value
    judgment = _answered(approval(show_case(team["max"], "c-1")), **answers)
    if held.stage is Stage.CROSS_CHECK:
        judgment = judgment.model_copy(update={"evidence": ()})
    return submit(team[name], held.id, judgment=judgment, key=submission_key()).value.stage


def test_the_item_of_a_team_travels_from_the_policy_to_the_agreement(team: Team) -> None:
    change_review_policy(team["max"], (OWN,))
    team.bring(two_step_case("c-1"))
    yes, no = CheckAnswer.PASS, CheckAnswer.FAIL
    with pytest.raises(BlockedError, match="Amounts have a currency"):
        _judge(team, "ann", polite=yes)
    _judge(team, "ann", polite=yes, money=yes)
    with pytest.raises(BlockedError, match="The tone is polite"):
        _judge(team, "bob", money=yes)
    _judge(team, "bob", polite=yes, money=yes)
    assert _judge(team, "cleo", polite=yes, money=no) is Stage.ESCALATED
    adjudication: Adjudication = team.open_expert("c-1")
    [field] = [field for field in adjudication.fields if field.kind == "checklist"]
    assert (field.id, field.item, field.is_of_case) == (FIELD, MONEY, False)
    assert field_title(field) == f"{MONEY} · task 1"
    assert defect_words(FIELD) == f"Task 1 fails “{MONEY}”"
    team.decide("c-1", Decision(fields={FIELD: Own(own=True)}, verdict=Verdict.APPROVE))
    [found] = [one for one in agreement(team["max"], resamples=0) if one.field is RatedField.CHECKLIST]
    assert found.differing == 1
    rounds = [one.case for one in rated_rounds(team["max"], AgreementSlice())]
    [said] = disagreements(rounds, RatedField.CHECKLIST)
    assert said.where == "task 1, amounts have a currency, e.g. 3.50 EUR"


def test_a_changed_sentence_is_asked_anew(team: Team) -> None:
    case = two_step_case("c-1")
    judgment = _answered(approval(case), polite=CheckAnswer.PASS)
    policy = ReviewPolicy(own_checklist=("The tone is polite",))
    items = items_of(Dialogue(case), judgment, stage=Stage.SELF_CHECK_TASK, policy=policy)
    assert [item.sentence for item in items if item.id == "The tone is polite"] == ["The tone is polite"]
    assert POLITE not in [item.id for item in items]


def test_items_are_written_as_they_are_read() -> None:
    policy = changed_policy(ReviewPolicy(), (OWN,))
    assert policy.own_checklist == (POLITE, MONEY)
    for one in (policy, ReviewPolicy(own_checklist=(POLITE,)), ReviewPolicy()):
        assert changed_policy(policy, (f"own_checklist={written(one.own_checklist)}",)) == one


@pytest.mark.parametrize("wrong", ["Polite", f"{POLITE}; " + "x" * 79 + " y"])
def test_an_item_is_a_sentence_that_has_room(wrong: str) -> None:
    with pytest.raises(InputError, match="own_checklist"):
        changed_policy(ReviewPolicy(), (f"own_checklist={wrong}",))
