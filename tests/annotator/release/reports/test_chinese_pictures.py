"""Pictures in Chinese: every text is translated and has a glyph; a paper's stay English."""

import re
import warnings
from collections.abc import Iterable, Iterator
from functools import partial

import pytest

from annotator.release.quality_table import QualityLine, Topic, table_figure
from annotator.release.reports import figure_style
from annotator.release.reports.album import Picture, album
from annotator.release.reports.figure_style import PictureFormat, say
from annotator.release.reports.run_groups import named
from scoring.model.taxonomy import Protocol, WildtoolMistake
from scoring.texts import in_english, speak
from tests.annotator.release.cards import league, spent
from tests.annotator.release.reports.test_score_figures import CARDS, texts

MARKS = {"token", "alpha", "DDD", "PTF", "VF", "WR", "RR", "RW", "T-Eval", "JSON", "Cl", "Ch"}
"""Words that are the same in every language, beside the error classes, which are WildToolBench's."""
NAME = re.compile(r"(alder|birch|cedar|drill)(-\d+b(-thinking)?)?|careful|careless|anna")


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    """What is said from now on is Chinese, and a character without a glyph is an error."""
    speak("zh_CN")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
    speak("en")


def english(text: str) -> list[str]:
    """The words of a text that are neither Chinese nor a name."""
    for known in sorted((*WildtoolMistake, *MARKS), key=len, reverse=True):
        text = text.replace(known, "")
    return re.findall("[A-Za-z]{2,}", NAME.sub("", text))


def kind(name: str) -> str:
    """The name of a picture without the number of its group or page."""
    return re.sub(r"^(group|pairs)-\d+-|-\d+$", "", name)


def one_each(found: Iterable[Picture]) -> Iterable[Picture]:
    """One picture of each kind."""
    return {kind(one.name): one for one in found}.values()


def pictures() -> Iterator[Picture]:
    """One of each kind there is: of few runs, of many with cards, in both histories, with their cost."""
    yield from one_each(album(CARDS))
    runs = [(name, spent(one, read=9, written=len(name))) for name, one in league(dialogues=6)]
    many = named([one for _, one in (*runs, *league(Protocol.C2, dialogues=6))])
    yield from one_each(album(many))
    lines = [QualityLine(topic=topic, what="anna", value=0.5) for topic in Topic]
    yield Picture("quality", "", partial(table_figure, lines))


def test_every_text_of_a_picture_is_chinese_and_has_glyphs() -> None:
    seen: set[str] = set()
    for one in pictures():
        seen.add(kind(one.name))
        figure = one.draw()
        left = {text: found for text in (*texts(figure), one.caption) if (found := english(text))}
        assert not left, one.name
        assert one.save(PictureFormat.SVG)
    assert {"overall", "descent", "volatility", "cost", "size", "thinking", "pyramids", "matrix"} <= seen


def test_a_computer_without_a_chinese_font_says_pictures_in_english(monkeypatch: pytest.MonkeyPatch) -> None:
    assert say("task {number}", number=3) == "任务 3"
    monkeypatch.setattr(figure_style, "_characters", lambda: frozenset(range(32, 127)))
    assert say("task {number}", number=3) == "task 3"


def test_a_paper_says_its_pictures_in_english() -> None:
    with in_english():
        [one, *_] = album(CARDS)
        assert one.caption == "Accuracy, the best run first."
        assert "Accuracy (%)" in texts(one.draw())
    assert "准确率（%）" in texts(one.draw())
