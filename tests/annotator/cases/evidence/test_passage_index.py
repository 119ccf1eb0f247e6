"""The index of passages gives what reading every passage gives."""

from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.cases.evidence.passage_index import PassageIndex, downwards
from annotator.cases.evidence.passages import Likeness, Passage, Speaker, squeezed

TEXTS = st.text(alphabet="abcAB 12-北", max_size=12)


@given(st.lists(TEXTS, min_size=1, max_size=20), TEXTS)
@settings(max_examples=40, deadline=None)
def test_looking_up_letters_and_numbers_finds_the_passages_that_hold_them(
    texts: list[str], wanted: str
) -> None:
    passages = [Passage(Speaker.USER, text, i) for i, text in enumerate(texts)]
    index = PassageIndex(passages)
    needle = squeezed(wanted)
    assert set(downwards(index.holding(needle))) == {
        i for i, p in enumerate(passages) if needle in p.squeezed
    }
    for number in (1, 2, 12):
        stating = {i for i, p in enumerate(passages) if p.find_number(number)}
        assert set(downwards(index.stating(number))) == stating


def test_a_text_with_which_another_begins_is_found_as_it_is() -> None:
    for text, value in (("12 apples", "12"), ("$5 off", "$5"), ("北京天气", "北京")):
        found = Passage(Speaker.USER, text, 0).find(value, squeezed(value))
        assert found is not None
        assert (found.likeness, found.span) == (Likeness.EXACT, (0, len(value)))
