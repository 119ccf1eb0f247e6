"""The Chinese pages of the manual say what the English ones do: the same headings, steps and commands."""

import re
from pathlib import Path

import pytest

from annotator.guidelines import Language
from annotator.resources import anchor_of
from tests.docs.test_language import PAGES
from tests.shared import ROOT
from ui.shell.manual import PAGES_IN

DOCS = ROOT / "docs"
PAIRS = {
    "index.md": "zh/index.md",
    "quick_start.md": "zh/quick_start.md",
    "roles/annotator.md": "zh/annotator.md",
    "roles/expert.md": "zh/expert.md",
}
ENGLISH = {DOCS / own: DOCS / english for english, own in PAIRS.items()}


def frame(text: str, page: Path) -> list[str]:
    """What a page says without its sentences: headings, items, rows, code, keys, pictures, links, in order.

    The first line of a Chinese page and the paragraph of the contents lead to the other language; a page says
    in the order of its own grammar which keys and links stand in one paragraph.
    """
    found = []
    for block in re.split(r"\n(?=- )|\n\n+", text):
        if "英文版" in block or block.startswith("In Chinese:"):
            continue
        start = re.match(r"#+|- |    |\||!\[", block)
        found.append(start[0] if start else "paragraph")
        found += [line for line in block.splitlines() if line.startswith("    ")]
        found += sorted(re.findall(r"`[^`]+`", block))
        found += sorted(to_english(page, link) for link in re.findall(r"\]\(([^)#]+)", block))
        found.append(f"{block.count(chr(10) + '|')} more rows")
    return found


def to_english(page: Path, link: str) -> str:
    """Where a link leads, in the English manual."""
    target = (page.parent / link).resolve()
    return str(ENGLISH.get(target, target)).replace("/pictures/zh/", "/pictures/")


def headings(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize(("english", "own"), PAIRS.items())
def test_a_chinese_page_has_the_frame_of_the_english_one(english: str, own: str) -> None:
    pages = (DOCS / english, DOCS / own)
    first, second = (frame(page.read_text(encoding="utf-8"), page) for page in pages)
    assert second == first


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("`F8`", "`F9`"), ("\n- ", "\n"), ("\n## ", "\n# "), ("    annotator init", "    annotator open")],
)
def test_what_one_page_lacks_is_noticed(wrong: str, right: str) -> None:
    page = DOCS / "zh/quick_start.md"
    text = page.read_text(encoding="utf-8")
    assert wrong in text
    assert frame(text.replace(wrong, right, 1), page) != frame(text, page)


def test_every_page_that_is_shown_in_chinese_leads_to_the_same_heading() -> None:
    for english, own in PAGES_IN[Language.CHINESE].items():
        (page, _, anchor), (other, _, its) = english.partition("#"), own.partition("#")
        titles, others = headings(DOCS / page), headings(DOCS / other)
        assert bool(anchor) <= bool(its)
        if its:
            assert its in map(anchor_of, others)
        if anchor:
            assert list(map(anchor_of, titles)).index(anchor) == list(map(anchor_of, others)).index(its)


def test_every_chinese_page_is_compared() -> None:
    assert {str(page.relative_to(DOCS)) for page in (DOCS / "zh").glob("*.md")} == set(PAIRS.values())
    assert {f"docs/{page}" for page in PAIRS} <= set(PAGES)


@pytest.mark.parametrize("own", PAIRS.values())
def test_pictures_are_there_in_light_and_dark(own: str) -> None:
    text = (DOCS / own).read_text(encoding="utf-8")
    named = [(DOCS / own).parent / found for found in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)]
    both = [
        path.with_name(path.name.replace("_light", look)) for path in named for look in ("_light", "_dark")
    ]
    assert [path.name for path in both if not path.is_file()] == []
