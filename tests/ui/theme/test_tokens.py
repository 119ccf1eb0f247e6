"""The colours can be read, in both themes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.resources import resource_text
from scoring.model.taxonomy import Stage
from ui.theme.tokens import DARK, LIGHT, SIDES, Tokens, Tone, contrast, mix, side_colour

colours = st.integers(0, 0xFFFFFF).map(lambda value: f"#{value:06x}")
both = pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])


def test_black_on_white_has_the_highest_contrast() -> None:
    # (1 + 0.05) / (0 + 0.05) = 21
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_a_quarter_of_black_over_white_is_a_light_grey() -> None:
    # 255 * 0.75 = 191.25 -> 191 = 0xbf
    assert mix("#000000", "#ffffff", 0.25) == "#bfbfbf"


@given(colours, colours)
def test_contrast_does_not_depend_on_which_colour_is_in_front(first: str, second: str) -> None:
    assert contrast(first, second) == contrast(second, first) >= 1


@given(colours, colours)
def test_a_colour_laid_fully_over_another_hides_it(over: str, under: str) -> None:
    assert mix(over, under, 1) == over
    assert mix(over, under, 0) == under


@both
@pytest.mark.parametrize("ground", ["bg", "surface", "raised", "code"])
@pytest.mark.parametrize("text", ["text", "muted", "accent", "user", "call", "observation", "answer"])
def test_words_stand_out_from_every_ground(tokens: Tokens, text: str, ground: str) -> None:
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5


@both
@pytest.mark.parametrize("ground", ["hover", "selection", "accent_bg"])
@pytest.mark.parametrize(
    "text", ["text", "muted", "accent", "ok", "warn", "error", "user", "call", "observation", "answer"]
)
def test_words_stand_out_from_a_row_that_is_pointed_at_or_selected(
    tokens: Tokens, text: str, ground: str
) -> None:
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5


MARKS = ("faint", "muted", "accent", "ok", "warn", "error", "user", "call", "observation", "answer")


@both
@pytest.mark.parametrize("ground", ["bg", "surface", "raised", "code", "hover", "selection"])
@pytest.mark.parametrize("mark", [*MARKS, *map(side_colour, SIDES)])
def test_marks_lines_and_outlines_of_fields_stand_out_from_every_ground(
    tokens: Tokens, mark: str, ground: str
) -> None:
    # WCAG 2.2, 1.4.11
    assert contrast(getattr(tokens, mark), getattr(tokens, ground)) >= 3


def test_only_words_that_are_disabled_are_written_in_the_faint_colour() -> None:
    sheet = resource_text("styles", "annotator.qss")
    rules = re.findall(r"^([^{}/]+) \{([^}]*)\}", sheet, re.MULTILINE)
    faint = [names for names, body in rules if re.search(r"(?<![-\w])color: \$faint", body)]
    assert faint
    assert [names for names in faint if not all(":disabled" in name for name in names.split(","))] == []


@both
@pytest.mark.parametrize("tone", list(Tone))
def test_every_tone_can_be_read_on_its_own_ground(tokens: Tokens, tone: Tone) -> None:
    pair = tokens.tone(tone)
    assert contrast(pair.text, pair.ground) >= 4.5


@both
@pytest.mark.parametrize("stage", list(Stage))
def test_every_stage_has_a_hue_that_can_be_read(tokens: Tokens, stage: Stage) -> None:
    pair = tokens.stage_pair(stage)
    assert contrast(pair.text, pair.ground) >= 4.5


@both
def test_the_primary_button_can_be_read(tokens: Tokens) -> None:
    assert contrast(tokens.on_accent, tokens.accent) >= 4.5


@both
def test_no_two_stages_share_a_hue(tokens: Tokens) -> None:
    assert len(set(tokens.stage.values())) == len(Stage)


@both
@pytest.mark.parametrize("letter", SIDES)
def test_every_side_has_a_hue_that_can_be_read(tokens: Tokens, letter: str) -> None:
    pair = tokens.side_pair(letter)
    assert contrast(pair.text, pair.ground) >= 4.5


@both
def test_no_two_sides_share_a_hue(tokens: Tokens) -> None:
    assert len({tokens.side_pair(letter).text for letter in SIDES}) == len(SIDES)
