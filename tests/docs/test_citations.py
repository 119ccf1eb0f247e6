"""Every place that code and documents cite exists: headings, numbered decisions, links between files."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.cases.findings.rules import ERROR_RULES, RULES
from annotator.generation.records import ReplyFault
from tests.shared import ROOT

CITED_PATHS = (
    ROOT / "docs" / "design.md",
    ROOT / "docs" / "style.md",
    ROOT / "docs" / "reference" / "contracts.md",
    *sorted((ROOT / "docs" / "spec").glob("*.md")),
)
CITED = {path.stem: path.read_text(encoding="utf-8") for path in CITED_PATHS}
"""The documents that are cited by name and number of a heading, as in `scoring 5.2`."""

_ROOMS = ("annotator", "db", "docs", "resources", "scoring", "tests", "ui", ".ci")
_NUMBER = r"\d{1,2}(?:\.\d{1,2})*(?![\d%]|\.\d)"
_NUMBERS = rf"{_NUMBER}(?:(?:, and | and |, | to |-){_NUMBER})*"
_CITATION = re.compile(rf"\b({'|'.join(CITED)})(?: |\s*\n\s*(?:# )?)({_NUMBERS})")
_OWN_SECTION = re.compile(rf"(?<!§)\bsections? ({_NUMBERS})")
_DECISION = re.compile(r"\b(?:D|G|IMP)-\d\d\b")
_FORMER = re.compile(rf"\bcli\.md|\b(?:{'|'.join(CITED)})(?:\.md`?)?,? (?:section|§) ?\d")
_NAMELESS = re.compile(r"(?<!, )\b[Ss]ections? \d")
"""A section of no named document; another author's stands behind a comma (`Fisher 1935, section 21`)."""

_LINK = re.compile(r"\]\((?!https?://)([^)#]+)[^)]*\)")

HEADINGS = {
    name: set(re.findall(r"^#{2,4} (\d+(?:\.\d+)*)\.? ", text, re.MULTILINE)) for name, text in CITED.items()
}
DECISIONS = {
    found for text in CITED.values() for found in re.findall(r"^\| ((?:D|G|IMP)-\d\d) \|", text, re.MULTILINE)
}


def dead_ends(text: str, *, document: str = "") -> list[str]:
    """What a text cites and nobody finds.

    Args:
        text: Source code or a document.
        document: The name of the document, where its own sections are meant, too.
    """
    found = [(said[0], said[1], said[2]) for said in _CITATION.finditer(text)]
    nameless = [] if document else _NAMELESS.findall(text)
    if document:
        found += [(said[0], document, said[1]) for said in _OWN_SECTION.finditer(text)]
    lost = [said for said, name, numbers in found if not set(re.findall(_NUMBER, numbers)) <= HEADINGS[name]]
    lost += [said for said in _DECISION.findall(text) if said not in DECISIONS]
    return lost + nameless + [said[0] for said in _FORMER.finditer(text)]


def sources() -> Iterator[Path]:
    """Every file of ours that may cite."""
    found = [*ROOT.glob("*"), *(path for room in _ROOMS for path in (ROOT / room).rglob("*"))]
    for path in sorted(found):
        is_ours = path.suffix in (".py", ".md", ".toml", ".j2", ".mako") and path != Path(__file__)
        if is_ours and path.name != "CHANGELOG.md":
            yield path


def test_every_citation_leads_to_a_heading() -> None:
    texts = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in sources()}
    own = {f"docs/spec/{name}.md": name for name in CITED} | {"docs/design.md": "design"}
    lost = {
        path: found for path, text in texts.items() if (found := dead_ends(text, document=own.get(path, "")))
    }
    assert lost == {}
    count = sum(len(_CITATION.findall(text)) for text in texts.values())
    assert count > 250, "the citations are not found any more"


@pytest.mark.parametrize(
    "text",
    [
        "(scoring 5.12)",
        "(scoring 5.1, 5.12)",
        "(formats 3-15)",
        "(teval 5.2 and 99)",
        "as D-77 says",
        "(design section 3)",
        "see `scoring.md` section 7",
        "Section 5.2, parsing of text.",
    ],
)
def test_a_citation_that_leads_nowhere_is_found(text: str) -> None:
    assert dead_ends(text)
    assert dead_ends("(scoring 5.2, 5.4 and 8, D-20; formats 2-5)") == []


def test_every_link_between_our_files_leads_to_one() -> None:
    lost = [
        (path.relative_to(ROOT).as_posix(), link)
        for path in sources()
        if path.suffix == ".md"
        for link in _LINK.findall(path.read_text(encoding="utf-8"))
        if not (path.parent / link).exists()
    ]
    assert lost == []


def test_every_rule_stands_in_its_document() -> None:
    rows = dict(re.findall(r"^\| `([a-z]+\.[a-z_]+)` \| (\w+)", CITED["design"], re.MULTILINE))
    assert set(rows) == set(RULES)
    assert {rule for rule, severity in rows.items() if severity == "error"} == ERROR_RULES
    named = set(re.findall(r"\b[A-Z]-\d\b", CITED["generation"].replace("T-5..T-8", "T-5 T-6 T-7 T-8")))
    assert named >= set(ReplyFault)


def test_every_file_the_contributors_are_led_to_is_there() -> None:
    named = re.compile(r"`((?:annotator|db|scoring|ui|tests|docs|resources|\.ci)/[\w./*-]+)`")
    pages = [ROOT / "CONTRIBUTING.md", ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *CITED_PATHS]
    lost = {
        (page.name, path)
        for page in pages
        for path in named.findall(page.read_text(encoding="utf-8"))
        if not list(ROOT.glob(path.rstrip("/")))
    }
    assert lost == set()
