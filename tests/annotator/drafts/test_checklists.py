"""Which items of the checklists a case is asked for, what is proved of them, and what to look at."""

import pytest
from pydantic import JsonValue

from annotator.cases.edits import text_edits
from annotator.cases.evidence.answer_facts import Doubt
from annotator.cases.evidence.dialogue import Dialogue
from annotator.drafts.assessment import assess
from annotator.drafts.checklists import Item, Proof, ProofKind, is_open, items_of, next_open
from annotator.drafts.gates import blockers
from annotator.drafts.snapshot import opening_snapshot
from annotator.drafts.statements import set_case_check, set_task_check
from annotator.project.policy import ReviewPolicy
from scoring.model.case import Case
from scoring.model.labels import Judgment
from scoring.model.taxonomy import CheckAnswer, Information, Policy, Stage, Verdict
from tests.annotator.drafts.cases import judgment_of, parcel_case
from tests.factories import answer, call, case, task

ONCE, TWICE = Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE


def asked(shown: Case, judgment: Judgment | None = None, *, stage: Stage = ONCE) -> tuple[Item, ...]:
    return items_of(Dialogue(shown), judgment or judgment_of(shown), stage=stage)


def names(items: tuple[Item, ...], task: int | None) -> list[str]:
    return [item.id for item in items if item.task == task]


def one_task(text: str = "Parcel P-881 is in Hamar-7.", observation: JsonValue = None) -> Case:
    made = call("findParcel", observation or {"depot": "Hamar-7"}, number="P-881")
    return case(task(made, answer(text), user="Where is my parcel P-881?", policy=Policy.SINGLE))


def facts_of(text: str, observation: JsonValue = None) -> Item:
    return next(item for item in asked(one_task(text, observation)) if item.id == "facts")


def test_a_case_of_one_task_is_asked_for_nothing_that_compares_tasks() -> None:
    items = asked(one_task())
    assert names(items, 0) == ["relevant", "facts", "language", "policy_fits"]
    assert names(items, None) == ["completed"]


def test_a_case_of_two_tasks_has_two_rounds_and_hides_something_only_in_the_second_task() -> None:
    items = asked(parcel_case())
    assert names(items, 0) == ["relevant", "facts", "language", "distinct", "policy_fits"]
    assert names(items, 1) == ["relevant", "facts", "language", "distinct", "policy_fits", "hidden"]
    assert names(items, None) == []
    assert names(asked(parcel_case(), stage=TWICE), None) == ["coherence", "retention", "completed"]


def test_gold_examples_are_compared_with_only_where_there_is_one() -> None:
    shown = parcel_case()
    judgment = set_case_check(judgment_of(shown), "gold_reference", answer=None)
    assert "gold_reference" in names(asked(shown, judgment, stage=TWICE), None)
    assert "gold_reference" not in names(asked(shown, stage=TWICE), None)


def test_what_fails_is_shown_even_where_it_could_not_apply() -> None:
    shown = one_task()
    judgment = set_task_check(judgment_of(shown), 0, item="distinct", answer=CheckAnswer.FAIL)
    assert "distinct" in names(asked(shown, judgment), 0)
    approving = judgment.model_copy(update={"verdict": Verdict.APPROVE})
    found = blockers(shown, approving, stage=ONCE, policy=ReviewPolicy())
    assert any("“The request differs from the others” fails" in blocker.message for blocker in found)


def test_an_answer_whose_every_value_and_word_stands_before_it_is_proved() -> None:
    item = facts_of("Your parcel P-881 is in Hamar-7.")
    assert item.proof is not None
    assert item.proof.words == 'Every word and value of the answer stands before it: "P-881" and "Hamar-7".'


def test_a_rank_stands_before_the_answer_where_its_number_does() -> None:
    text = "Your parcel P-881 is the 3rd in Hamar-7."
    assert facts_of(text, {"depot": "Hamar-7", "place": 3}).unseen == ()
    assert facts_of(text, {"depot": "Hamar-7", "place": 4}).unseen == ("3rd",)


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        (Proof(ProofKind.FACTS, ("a", "b", "c", "d")), '"a", "b", "c" and "d".'),
        (Proof(ProofKind.FACTS, ("a", "b", "c", "d", "e")), '"a", "b", "c", "d" and 1 more.'),
        (Proof(ProofKind.DRAWING, ("single",)), "The label says what the drawing shows: single."),
        (
            Proof(ProofKind.HIDDEN, ("1", "2", "it")),
            "1 value is not in the request but up to 2 turns before: it.",
        ),
        (
            Proof(ProofKind.HIDDEN, ("2", "1", "it")),
            "2 values are not in the request but up to 1 turn before: it.",
        ),
        (Proof(ProofKind.DISTINCT, ("40%",)), "The most similar request shares 40% of the wording."),
    ],
)
def test_a_proof_is_told_in_a_sentence(proof: Proof, words: str) -> None:
    assert proof.words.endswith(words)


@pytest.mark.parametrize(
    ("text", "observation", "doubt"),
    [
        ("It is in Hamar-8.", None, Doubt.UNSEEN),
        ("It is lost in Hamar-7.", None, Doubt.UNSEEN),
        ("It is not in Hamar-7.", None, Doubt.UNSEEN),
        ("It is there.", None, Doubt.NOTHING),
        ("From Hamar-7 to Lom-3.", {"from": "Hamar-7", "to": "Lom-3"}, Doubt.EXCHANGEABLE),
        ("It is in Hamar-7.", {"error": "no depot Hamar-7"}, Doubt.FAILED),
        ("It is in Hamar-7.", {"depot": "Hamar-7", "status_code": 404}, Doubt.FAILED),
        ("包裹在Hamar-7。", None, Doubt.UNREADABLE),
    ],
)
def test_where_a_program_could_be_wrong_about_the_facts_a_person_looks(
    text: str, observation: JsonValue, doubt: Doubt
) -> None:
    item = facts_of(text, observation)
    assert (item.proof, item.doubt) == (None, doubt)
    assert item.look


def test_what_to_look_at_names_what_stands_nowhere() -> None:
    assert facts_of("It is lost in Hamar-8.").look.startswith("Stands nowhere before the answer and is")


def test_a_policy_that_says_what_is_drawn_is_proved_once_it_is_drawn() -> None:
    def proved(judgment: Judgment, shown: Case) -> bool:
        (item,) = (item for item in asked(shown, judgment) if (item.id, item.task) == ("policy_fits", 0))
        return item.proof is not None

    shown = parcel_case()
    assert proved(judgment_of(shown), shown)
    assert not proved(judgment_of(shown, is_drawn=False), shown)
    other = text_edits.set_policy(shown, 0, policy=Policy.SINGLE)
    assert not proved(judgment_of(other), other)


def test_hidden_values_prove_the_information_they_imply() -> None:
    shown = case(
        task(call("find", {"id": "B-17"}, place="Lom"), answer("B-17."), user="Find a bed in Lom."),
        task(call("book", {"ok": True}, id="B-17"), answer("Done."), user="Book it for me then, please."),
    )
    labelled = text_edits.set_information(shown, 1, information=Information.REFERENCE)
    (item,) = (item for item in asked(labelled) if item.id == "hidden")
    assert item.proof is not None
    assert item.proof.kind is ProofKind.HIDDEN
    wrong = text_edits.set_information(shown, 1, information=Information.LONG_RANGE)
    (item,) = (item for item in asked(wrong) if item.id == "hidden")
    assert item.proof is None


def test_a_request_that_says_every_value_hides_nothing_although_the_task_asks() -> None:
    def against(request: str, **changed: object) -> tuple[str, ...]:
        shown = parcel_case()
        second = shown.tasks[1].model_copy(update={"user": request, **changed})
        items = asked(shown.model_copy(update={"tasks": (shown.tasks[0], second)}))
        (item,) = (item for item in items if item.id == "hidden")
        return item.against

    assert against("And now somewhere else.") == ()
    assert against("And now to Gjovik-2.") == ("And now to Gjovik-2.",)
    assert against("And now to Gjovik-2.", information=None) == ()  # there is no label to speak against


def test_a_copied_request_is_left_to_a_person() -> None:
    def request(text: str) -> Case:
        made = [task(call("find", {"n": 1}, place="Lom"), answer("1."), user=text) for text in (text, FIRST)]
        return case(*made)

    copies, others = request("Please find me a bed in Rena."), request("Who won the cup?")
    assert [item.proof is None for item in asked(copies) if item.id == "distinct"] == [True, True]
    assert [item.proof is None for item in asked(others) if item.id == "distinct"] == [False, False]
    # 17 of 20 words in the same order are 85 %: the least that counts as a copy, and is told as such.
    twenty = "a b c d e f g h i j k l m n o p q r s t"
    made = [task(answer(), user=text) for text in (twenty, twenty.replace("r s t", "x y z"))]
    assert [item.against != () for item in asked(case(*made)) if item.id == "distinct"] == [True, True]


FIRST = "Please find me a bed in Lom."


def test_what_is_proved_waits_for_nobody_and_a_person_may_speak_against_it() -> None:
    shown = parcel_case()
    judgment = judgment_of(shown)
    items = asked(shown)
    assert next_open(items, judgment, task=0) is items[0]
    while (item := next_open(items, judgment, task=0)) is not None:
        judgment = set_task_check(judgment, 0, item=item.id, answer=CheckAnswer.PASS)
    assert "policy_fits" not in judgment.tasks[0].checklist
    judgment = set_task_check(judgment, 0, item="policy_fits", answer=CheckAnswer.FAIL)
    approving = judgment.model_copy(update={"verdict": Verdict.APPROVE})
    found = blockers(shown, approving, stage=ONCE, policy=ReviewPolicy())
    assert any("“The policy fits the request” fails" in blocker.message for blocker in found)


def test_a_proof_that_an_edit_undoes_leaves_the_item_open() -> None:
    before = one_task()
    snapshot = opening_snapshot(before, judgment_of(before))
    first = assess(snapshot, stage=ONCE, policy=ReviewPolicy())
    after = text_edits.set_answer_text(before, 0, text="Parcel P-881 was stolen.")
    then = assess(
        opening_snapshot(after, judgment_of(after)), stage=ONCE, policy=ReviewPolicy(), before=first
    )
    facts = [next(item for item in found.items if item.id == "facts") for found in (first, then)]
    assert [is_open(item, then.snapshot.judgment) for item in facts] == [False, True]
