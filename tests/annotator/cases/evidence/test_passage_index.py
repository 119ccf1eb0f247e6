"""The index of passages gives what reading every passage gives."""

from hypothesis import given, settings
from hypothesis import strategies as st

from annotator.cases.evidence.passage_index import PassageIndex, downwards
from annotator.cases.evidence.passages import Passage, Speaker, squeezed

TEXTS = st.text(alphabet="abcAB 12-北", max_size=12)
MANY = 200
"""More passages than are looked at one by one."""


def holders(passages: list[Passage], needle: str) -> set[int]:
    return {i for i, passage in enumerate(passages) if needle in passage.squeezed}


@given(st.lists(TEXTS, min_size=1, max_size=20), TEXTS, TEXTS, st.integers(0, MANY - 1))
@settings(max_examples=40, deadline=None)
def test_looking_up_letters_finds_the_passages_that_hold_them_also_after_an_edit(
    texts: list[str], wanted: str, edited: str, place: int
) -> None:
    passages = [Passage(Speaker.USER, texts[i % len(texts)], i) for i in range(MANY)]
    index = PassageIndex(passages)
    needle = squeezed(wanted)
    assert set(downwards(index.holding(needle))) == {
        i for i, p in enumerate(passages) if needle in p.squeezed
    }
    passages[place] = Passage(Speaker.USER, edited, place)
    after = index.replaced({place: passages[place]})
    assert set(downwards(after.holding(needle))) == {
        i for i, p in enumerate(passages) if needle in p.squeezed
    }
    for number in (1, 2, 12):
        stating = {i for i, p in enumerate(passages) if p.find_number(number)}
        assert set(downwards(after.stating(number))) == stating
