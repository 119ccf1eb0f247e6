"""Words are found wherever they are said."""

from tests.factories import answer, ask, call, case, task
from ui.dialogue.content import USER_STEP
from ui.dialogue.places import SearchHit, find_words, place_of


def test_words_are_found_in_every_field_in_order() -> None:
    shown = case(
        task(
            ask("Which city?", "Oslo"),
            call("getOslo", observation={"city": "OSLO"}, city="oslo"),
            answer("Oslo is fine."),
            user="Oslo, oslo?",
            edges=[(0, 1)],
        )
    )
    assert list(find_words(shown, "oslo")) == [
        SearchHit(0, USER_STEP, "user", 0),
        SearchHit(0, USER_STEP, "user", 1),
        SearchHit(0, 0, "reply", 0),
        SearchHit(0, 1, "name", 0),
        SearchHit(0, 1, "arguments", 0),
        SearchHit(0, 1, "observation", 0),
        SearchHit(0, 2, "text", 0),
    ]


def test_nothing_is_found_for_nothing() -> None:
    assert len(find_words(case(task(answer())), "")) == 0


def test_the_nth_place_is_found_in_the_shown_text() -> None:
    assert place_of("Oslo and oslo", "OSLO", 1) == (9, 13)
    assert place_of("Oslo", "oslo", 1) is None


def test_width_and_form_of_a_character_do_not_matter() -> None:
    assert place_of("去：Ｏｓｌｏ……", "oslo", 0) == (2, 6)
    assert place_of("to Oslo, ｺ", "ＯＳＬＯ，", 0) == (3, 8)
    assert place_of("神戸", "神", 0) == (0, 1)  # the compatibility form of the character
    assert len(find_words(case(task(answer("ｏｓｌｏ １２"), user="Ｏslo")), "oslo")) == 2


def test_what_gets_longer_by_folding_moves_no_place() -> None:
    assert place_of("Straße… Oslo", "oslo", 0) == (8, 12)


def test_places_are_counted_one_behind_the_other() -> None:
    assert len(find_words(case(task(answer("aaaa"), user="no")), "aa")) == 2
    assert place_of("aaaa", "aa", 1) == (2, 4)


def test_every_place_is_found_once() -> None:
    assert find_words(case(task(answer("Oslo"), user="no")), "oslo") == (SearchHit(0, 0, "text", 0),)
