"""The manual is in plain English: short sentences, one word for one thing, abbreviations explained."""

import re
from statistics import mean

import pytest

from tests.e2e.test_documents import manual_pages
from tests.shared import ROOT

LONGEST, AVERAGE = 25, 14.5
PAGES = [page for page in manual_pages() if page != "README.md"]
WORDS = (ROOT / "docs" / "concepts" / "words.md").read_text(encoding="utf-8")
NAMES = {"README", "NAME", "URL", "OWNER", "LICENSE", "C3"}
"""Capitals that are no abbreviation: what a reader puts something in the place of, and files."""
TWICE = {"at most", "holds", "is on", "marked", "pauses", "release", "verdict", "with a reason"}
"""Words the list avoids in one meaning, and that are the right word in another."""


def sentences(markdown: str) -> list[str]:
    """The sentences of a page without code, tables, headings and pictures; a link counts by its words."""
    text = re.sub(r"```.*?```", "", markdown, flags=re.DOTALL)
    lines = [line for line in text.splitlines() if not re.match(r"    |\||#|!\[", line)]
    # An item of a list ends a sentence, as an empty line does.
    plain = "\n".join(re.sub(r"^(?:-|\d+\.) (.*)$", r"\n\1\n", line) for line in lines)
    plain = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", plain)
    plain = re.sub(r"`[^`]*`", "code", plain)
    parts = [part for block in plain.split("\n\n") for part in re.split(r"(?<=[.:?!;])\s+", block.strip())]
    return [part for part in parts if part]


def length(sentence: str) -> int:
    return len(re.findall(r"[\w'-]+", sentence))


def avoided_words() -> list[str]:
    """What the list of terms says not to write, where it is a plain word or two."""
    rows = re.findall(
        r"^\| [^|]+ \| [^|]+ \| ([^|]+) \|$", (ROOT / "docs/wording.md").read_text(), re.MULTILINE
    )
    words = [word.strip() for row in rows[2:] for word in row.split(",")]
    return [word for word in words if re.fullmatch(r"[a-z ]{5,}", word) and word not in TWICE]


@pytest.mark.parametrize("page", PAGES)
def test_no_sentence_is_long(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [said for said in sentences(text) if length(said) > LONGEST] == []


def test_sentences_are_short_on_average() -> None:
    found = [said for page in PAGES for said in sentences((ROOT / page).read_text(encoding="utf-8"))]
    assert len(found) > 500
    assert mean(map(length, found)) <= AVERAGE


@pytest.mark.parametrize("page", PAGES)
def test_words_are_those_of_the_list(page: str) -> None:
    text = " ".join(sentences((ROOT / page).read_text(encoding="utf-8")))
    lowered = text.lower()
    assert [word for word in avoided_words() if re.search(rf"\b{re.escape(word)}\b", lowered)] == []
    short = set(re.findall(r"\b[A-Z][A-Z0-9]+(?:-\d+)?\b", text)) - NAMES
    assert {word for word in short if f"| {word} |" not in WORDS} == set()


def test_a_long_sentence_and_an_item_of_a_list_are_told_apart() -> None:
    assert list(map(length, sentences("One two three. Four\nfive.\n\n- six\n- seven eight\n"))) == [
        3,
        2,
        1,
        2,
    ]
    assert sentences("    code here\n\n| a | b |\n\n# Title\n") == []
    assert length(sentences("See [the long page](x.md) and `a b c`.")[0]) == 6


@pytest.mark.parametrize("page", PAGES)
def test_pictures_are_there_in_light_and_dark(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    named = [(ROOT / page).parent / found for found in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)]
    both = [other for path in named for other in (path, path.with_name(path.name.replace("_light", "_dark")))]
    assert [path.name for path in both if not path.is_file()] == []
