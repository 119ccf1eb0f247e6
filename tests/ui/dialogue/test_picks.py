"""What is selected on screen is the place it stands for in the case."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.model.labels import DialogueSource
from scoring.model.record import JsonObject
from ui.dialogue.documents import to_character, to_units
from ui.dialogue.json_text import write_json
from ui.dialogue.places import Citing, Picked, SpanPick, pick_in_json, pick_in_rendered, pick_in_text

VALUE: JsonObject = {"rows": [{"id": 'a"b\\c 😀x', "n": 12}, {"id": "z"}]}
WRITTEN = write_json(VALUE, line_length=200)


def pick(words: str) -> Picked | None:
    start = WRITTEN.text.index(words)
    return pick_in_json(WRITTEN, start, start + len(words))


def test_blanks_around_a_selection_do_not_count() -> None:
    assert pick_in_text("on those two days", 2, 13) == Picked(span=(3, 12), words="those two")


def test_a_selection_of_blanks_is_no_place() -> None:
    assert pick_in_text("a   b", 1, 4) is None


def test_part_of_a_string_is_counted_in_its_own_characters() -> None:
    assert pick('\\"b') == Picked(path="/rows/0/id", span=(1, 3), words='\\"b')


def test_a_whole_string_has_no_span() -> None:
    assert pick('"z"') == Picked(path="/rows/1/id", words='"z"')
    assert pick("z") == Picked(path="/rows/1/id", words="z")


def test_part_of_a_number_is_the_whole_number() -> None:
    assert pick("12") == Picked(path="/rows/0/n", words="12")


def test_several_values_are_what_holds_them_all() -> None:
    assert pick('12 }, { "id"') == Picked(path="/rows", words='12 }, { "id"')


def test_brackets_alone_are_no_place() -> None:
    assert pick("}, {") is None


@given(st.text(max_size=12), st.data())
def test_every_part_of_a_string_is_found_again(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    written = write_json({"a": text}, line_length=1000)
    before = len('{ "a": ') + len(json.dumps(text[:start], ensure_ascii=False)) - 1
    words = json.dumps(text[start:end], ensure_ascii=False)[1:-1]
    picked = pick_in_json(written, before, before + len(words))
    if picked is None:
        assert not words.strip()
    else:
        assert picked.path == "/a"
        assert picked.span in ((start, end), None if (start, end) == (0, len(text)) else (start, end))


def test_words_of_rendered_markdown_are_found_in_what_was_written() -> None:
    raw, shown = "# Fine\n\nAll *good*, good.", "Fine\nAll good, good."
    start = shown.rindex("good")
    assert pick_in_rendered(raw, shown, start, start + 4) == Picked(span=(20, 24), words="good")


def test_words_that_markdown_takes_apart_are_no_place() -> None:
    assert pick_in_rendered("go*od*", "good", 0, 4) is None


@pytest.mark.parametrize(
    ("picked", "source"),
    [
        (
            SpanPick(task=1, step=None, field="user", span=(0, 3), words="And"),
            DialogueSource(task=1, text="user", span=(0, 3)),
        ),
        (
            SpanPick(task=0, step=1, field="reply", span=(0, 4), words="Oslo"),
            DialogueSource(task=0, step=1, text="reply", span=(0, 4)),
        ),
        (
            SpanPick(task=0, step=2, field="text", span=(0, 4), words="Fine"),
            DialogueSource(task=0, step=2, span=(0, 4)),
        ),
        (
            SpanPick(task=0, step=0, field="observation", span=(0, 4), words="fine"),
            DialogueSource(task=0, step=0, path="", span=(0, 4)),
        ),
        (
            SpanPick(task=0, step=0, field="observation", path="/rows/1", words="2"),
            DialogueSource(task=0, step=0, path="/rows/1"),
        ),
        (SpanPick(task=0, step=0, field="arguments", path="/city", words="Oslo"), None),
        (SpanPick(task=0, step=0, field="thought", span=(0, 1), words="I"), None),
    ],
)
def test_a_place_is_named_as_citations_name_it(picked: SpanPick, source: DialogueSource | None) -> None:
    assert picked.source == source


def test_a_value_comes_only_from_what_was_there_before() -> None:
    citing = Citing(task=1, step=2, path="/city")
    assert citing.can_come_from(1, None)
    assert citing.can_come_from(0, 9)
    assert citing.can_come_from(1, 1)
    assert not citing.can_come_from(1, 2)
    assert not citing.can_come_from(2, None)


@given(st.text(), st.data())
def test_positions_of_qt_and_of_characters_belong_together(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    assert to_units(text, at) == len(text[:at].encode("utf-16-le")) // 2
    assert to_character(text, to_units(text, at)) == at
