"""Letters that follow each other are told for a sentence, or for commands."""

from hypothesis import given
from hypothesis import strategies as st

from ui.desk.sentence_guard import LetterRun

COMMANDS = frozenset("pgtceraoswfjkP")


def run_of(text: str, gap: float = 0.1) -> LetterRun:
    """A run typed at a pace, in seconds from letter to letter."""
    run = LetterRun(COMMANDS)
    for number, letter in enumerate(text):
        run.add(letter, 100 + number * gap)
    return run


def test_a_blank_behind_two_letters_makes_a_sentence() -> None:
    assert run_of("ta ").is_sentence
    assert not run_of("ta").is_sentence


def test_a_blank_behind_one_letter_presses_the_box_under_focus() -> None:
    assert not run_of("c ").is_sentence


def test_items_confirmed_one_after_the_other_end_with_a_repeat_and_words_need_not() -> None:
    assert run_of("eccc").is_one_key
    assert run_of("c").is_one_key
    assert not run_of("ec").is_one_key
    assert not run_of("").is_one_key


def test_one_letter_and_a_word_are_a_sentence() -> None:
    assert run_of("a f").is_sentence


def test_a_letter_that_is_no_command_makes_a_sentence_with_two_others() -> None:
    assert run_of("the").is_sentence
    assert not run_of("th").is_sentence


def test_letters_with_a_moment_of_thought_between_them_are_commands() -> None:
    assert not run_of("the cat", gap=1.0).is_sentence


def test_a_field_that_was_opened_after_a_moment_of_thought_takes_a_text() -> None:
    assert run_of("am").is_fluent_at(100.2)
    assert not run_of("am", gap=0.3).is_fluent_at(100.4)
    assert not run_of("am").is_fluent_at(100.5)


def test_four_different_letters_at_once_are_a_word() -> None:
    assert run_of("Peas").is_sentence
    assert not run_of("Peas", gap=0.3).is_sentence
    assert not run_of("cccccc").is_sentence


def test_digits_are_no_words_but_belong_to_a_sentence() -> None:
    assert not run_of("g1g2g3").is_sentence
    assert run_of("2 fi").is_sentence
    assert not run_of("c12").is_sentence


@given(st.text(alphabet=sorted(COMMANDS), min_size=1, max_size=30))
def test_commands_at_the_pace_of_practised_people_are_never_a_sentence(text: str) -> None:
    assert not run_of(text, gap=0.28).is_sentence


@given(st.text(alphabet=sorted(COMMANDS), min_size=2, max_size=12))
def test_every_first_word_of_two_letters_is_told_by_the_blank_behind_it(word: str) -> None:
    assert run_of(f"{word} ").is_sentence
