"""What a confirmation is about, and when it counts: once its words were in sight for long enough."""

import pytest

from annotator.cases.evidence.dialogue import Dialogue
from annotator.drafts.checklists import Item, items_of
from annotator.drafts.reading_time import text_seconds
from annotator.drafts.shown import (
    GOLD,
    Shown,
    SubjectPart,
    confirmed_passages,
    stated_values,
    subject_of,
    why_not,
)
from annotator.drafts.statements import set_case_check, set_task_check
from scoring.model.case import Answer, Case
from scoring.model.labels import DialogueSource
from scoring.model.taxonomy import CheckAnswer, Stage
from tests.annotator.drafts.cases import judgment_of, parcel_case
from tests.factories import answer, call, case, task

PASS, NOT_APPLICABLE = CheckAnswer.PASS, CheckAnswer.NOT_APPLICABLE
TEN_WORDS = SubjectPart(0, None, "user", "one two three four five six seven eight nine ten")
FIVE_WORDS = SubjectPart(0, 1, "text", "one two three four five")
THERE = SubjectPart(0, None, "relevant")
"""Has only to be seen."""


def item_of(shown: Case, name: str, number: int | None = 0, *, stage: Stage = Stage.SELF_CHECK_TASK) -> Item:
    items = items_of(Dialogue(shown), judgment_of(shown), stage=stage)
    return next(item for item in items if (item.id, item.task) == (name, number))


def fields_of(shown: Case, item: Item) -> list[tuple[int, int | None, str]]:
    return [(one.task, one.step, one.field) for one in subject_of(item, Dialogue(shown))]


# what a confirmation is about


def test_an_item_is_about_the_request_what_was_asked_back_and_the_answer() -> None:
    shown = parcel_case()
    assert fields_of(shown, item_of(shown, "relevant", 1)) == [
        (1, None, "user"),
        (1, 0, "text"),
        (1, 0, "reply"),
        (1, 2, "text"),
        (1, None, "relevant"),
    ]


def test_the_facts_are_about_the_values_of_observations_that_the_answer_states() -> None:
    found = call("findParcel", {"depot": "Hamar-7", "weight": 81, "sender": "Lom"}, number="P-881")
    shown = case(task(found, answer("It is in Hamar-7 since 11:40."), user="Where is P-881?"))
    subject = subject_of(item_of(shown, "facts"), Dialogue(shown))
    values = [passage for passage in subject if passage.source is not None]
    assert [(one.step, one.field, one.text) for one in values] == [(0, "observation", "depot Hamar-7")]
    assert stated_values(Dialogue(shown), 0) == (DialogueSource(task=0, step=0, path="/depot"),)
    # what stands nowhere is said below the item, and is part of what has to be read
    assert "11:40" in subject[-1].text


def test_values_of_an_answer_in_chinese_are_looked_up_too() -> None:
    found = call("findParcel", {"depot": 7, "days": 3142}, number="P-881")
    shown = case(task(found, answer("运费是3142元。"), user="P-881 多少钱?"))
    assert [one.path for one in stated_values(Dialogue(shown), 0)] == ["/days"]


def test_an_item_of_the_dialogue_is_about_every_task_and_gold_about_the_example_too() -> None:
    shown, stage = parcel_case(), Stage.SELF_CHECK_DIALOGUE
    fields = fields_of(shown, item_of(shown, "coherence", None, stage=stage))
    assert {number for number, _, _ in fields} == {0, 1}
    asked = set_case_check(judgment_of(shown), "gold_reference", answer=None)
    gold = items_of(Dialogue(shown), asked, stage=stage)[-1]
    assert (0, None, GOLD) in fields_of(shown, gold)


def test_a_long_text_is_several_passages_that_hold_all_of_it() -> None:
    text = " ".join(f"word{number}" for number in range(100))
    shown = case(task(answer(text), user="Tell me."))
    pieces = [one for one in subject_of(item_of(shown, "relevant"), Dialogue(shown)) if one.step == 0]
    assert len(pieces) > 3
    assert "".join(one.text for one in pieces) == text
    assert [one.piece for one in pieces] == [(n, len(pieces)) for n in range(len(pieces))]


# what cannot be confirmed


@pytest.mark.parametrize("name", ["relevant", "facts"])
@pytest.mark.parametrize("said", [PASS, NOT_APPLICABLE])
@pytest.mark.parametrize("steps", [(), (answer(" "),)], ids=["no answer", "a blank one"])
def test_without_an_answer_nothing_fits_and_nothing_matches(
    name: str, said: CheckAnswer, steps: tuple[Answer, ...]
) -> None:
    shown = case(task(call("findParcel", {"ok": True}), *steps, user="Where is it?"))
    why = why_not(item_of(shown, name), shown, said)
    assert why.startswith("Task 1 has no answer: write it, or say with F that")
    assert why_not(item_of(shown, "language"), shown, said) == ""


def test_without_an_observation_facts_fail_or_do_not_apply() -> None:
    made = call("findParcel").model_copy(update={"observation": None})
    shown = case(task(made, answer("It is in Hamar."), user="Where is it?"))
    facts = item_of(shown, "facts")
    assert why_not(facts, shown, PASS) == (
        "Task 1 misses an observation: “Facts match the observations” fails (F), or does not apply (-)."
    )
    assert why_not(facts, shown, NOT_APPLICABLE) == ""
    assert why_not(item_of(shown, "relevant"), shown, PASS) == ""


# whether it was shown


def test_ten_new_words_take_a_second_at_600_a_minute() -> None:
    assert TEN_WORDS.seconds == pytest.approx(1.0) == text_seconds(TEN_WORDS.text)
    assert THERE.seconds == 0


def test_what_was_never_in_sight_is_unread_however_short_it_is() -> None:
    shown = Shown()
    shown.look([], at=0)
    shown.look([], at=100)
    assert shown.unread([TEN_WORDS, THERE]) == (TEN_WORDS, THERE)


def test_words_are_read_once_they_were_in_sight_for_their_time() -> None:
    shown = Shown()
    shown.look([TEN_WORDS, THERE], at=0)
    shown.look([TEN_WORDS, THERE], at=0.9)
    assert shown.unread([TEN_WORDS, THERE]) == (TEN_WORDS,)
    assert shown.seconds_left(TEN_WORDS) == pytest.approx(0.1)
    shown.look([TEN_WORDS], at=1.0)
    assert shown.unread([TEN_WORDS, THERE]) == ()


def test_nobody_reads_two_passages_at_once() -> None:
    shown, both = Shown(), [TEN_WORDS, FIVE_WORDS]
    shown.look(both, at=0)
    shown.look(both, at=1.2)
    assert shown.unread(both) == (FIVE_WORDS,)
    shown.look(both, at=1.5)
    assert shown.unread(both) == ()


def test_what_came_into_sight_or_left_it_in_between_was_not_there_all_the_time() -> None:
    shown = Shown()
    shown.look([TEN_WORDS], at=0)
    shown.look([FIVE_WORDS], at=50)
    shown.look([TEN_WORDS], at=100)
    assert shown.unread([TEN_WORDS, FIVE_WORDS]) == (TEN_WORDS, FIVE_WORDS)


def test_time_in_sight_adds_up() -> None:
    shown = Shown()
    for begin in (0, 10):
        shown.look([TEN_WORDS], at=begin)
        shown.look([TEN_WORDS], at=begin + 0.5)
        shown.look([], at=begin + 0.5)
    assert shown.unread([TEN_WORDS]) == ()


def test_words_that_something_was_confirmed_about_have_only_to_be_seen() -> None:
    dialogue, before = Dialogue(parcel_case()), judgment_of(parcel_case())
    items = items_of(dialogue, before, stage=Stage.SELF_CHECK_TASK)
    judgment = set_task_check(before, 0, item="relevant", answer=PASS)
    language = subject_of(item_of(parcel_case(), "language"), dialogue)
    again, first = Shown(confirmed_passages(items, judgment, dialogue)), Shown()
    assert again.unread(language) == language
    again.look(language, at=0)
    first.look(language, at=0)
    assert again.unread(language) == ()
    assert first.unread(language) == language[:-1]
    failed = set_task_check(judgment, 0, item="relevant", answer=CheckAnswer.FAIL)
    assert confirmed_passages(items, failed, dialogue) == frozenset()


def test_a_changed_word_is_new() -> None:
    before = case(task(answer("It is in Hamar."), user="Where is it?"))
    after = case(task(answer("It is in Gjovik."), user="Where is it?"))
    shown, subject = Shown(), subject_of(item_of(before, "relevant"), Dialogue(before))
    shown.look(subject, at=0)
    shown.look(subject, at=10)
    changed = subject_of(item_of(after, "relevant"), Dialogue(after))
    assert [one.text for one in shown.unread(changed)] == ["It is in Gjovik."]


# presses


def test_presses_count_that_are_300_ms_apart_whatever_became_of_the_one_before() -> None:
    shown = Shown()
    # 0.2 s apart: only the first; the fourth comes 0.31 s behind the third
    assert [shown.press(at) for at in (5.0, 5.2, 5.4, 5.71, 6.01)] == [True, False, False, True, True]


@pytest.mark.parametrize(("length", "lengths"), [(150, [150]), (151, [150, 1]), (301, [150, 150, 1])])
def test_a_text_is_read_in_passages_of_so_many_characters(length: int, lengths: list[int]) -> None:
    shown = case(task(answer("x" * length), user="Where is P-881?"))
    subject = subject_of(item_of(shown, "relevant"), Dialogue(shown))
    found = [one for one in subject if one.field == "text"]
    assert [len(one.text) for one in found] == lengths
    assert [one.piece for one in found] == [(number, len(lengths)) for number in range(len(lengths))]
