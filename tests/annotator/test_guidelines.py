"""The guidelines explain every word of the program, in every language, and say so when they cannot."""

from pathlib import Path

import pytest

from annotator.cases.findings.rules import RULES
from annotator.guidelines import Guidelines, Language, load_guidelines, mistake_topic, read_guidelines
from annotator.resources import resource_path, resource_text
from scoring.agreement.fields import AgreementMeasure
from scoring.errors import InputError
from scoring.measures.catalogue import MEASURES
from scoring.model.labels import CASE_CHECKLIST, TASK_CHECKLIST
from scoring.model.taxonomy import (
    ArgumentProfile,
    C3Mistake,
    EdgeKind,
    FeedbackCategory,
    Information,
    Policy,
    ReviewLabel,
    Semantics,
    SourceMark,
    Undrawn,
    Verdict,
    WildtoolMistake,
)
from scoring.teval.evaluators import TEvalProfile

WORDS = {
    "policy": tuple(Policy),
    "information": tuple(Information),
    "judgment": ("drawn", "completed", "call", "evidence"),
    "dependency": tuple(EdgeKind),
    "mark": tuple(SourceMark),
    "checklist": (*TASK_CHECKLIST, *CASE_CHECKLIST),
    "finding": RULES,
    "review": tuple(label.name.lower() for label in ReviewLabel),
    "verdict": tuple(Verdict),
    "feedback": tuple(FeedbackCategory),
    "semantics": tuple(Semantics),
    "measure": tuple(measure.key for measure in MEASURES),
    "agreement": tuple(AgreementMeasure),
    "wildtool": tuple(mistake.name.lower() for mistake in WildtoolMistake),
    "c3": tuple(mistake.name.lower() for mistake in C3Mistake),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The program's files, to be damaged."""
    for language in Language:
        text = resource_path("guidelines", f"{language}.toml").read_text(encoding="utf-8")
        (tmp_path / f"{language}.toml").write_text(text, encoding="utf-8")
    return tmp_path


def topics_of(guidelines: Guidelines) -> tuple[str, ...]:
    """What names every term."""
    return tuple(section.topic(term) for section in guidelines.sections for term in section.terms)


@pytest.mark.parametrize("language", Language)
def test_every_word_of_the_program_is_explained_and_no_other(language: Language) -> None:
    found = read_guidelines(language)
    assert {section.id: tuple(term.id for term in section.terms) for section in found.sections} == {
        section: tuple(map(str, words)) for section, words in WORDS.items()
    }


@pytest.mark.parametrize("language", Language)
def test_right_and_wrong_examples_of_a_term_differ(language: Language) -> None:
    terms = [term for section in read_guidelines(language).sections for term in section.terms]
    assert all(len({term.definition, term.right, term.wrong}) == 3 for term in terms)


def test_the_two_languages_do_not_share_a_sentence() -> None:
    english, chinese = (read_guidelines(language) for language in Language)
    for topic in topics_of(english):
        one, other = english.term_of(topic), chinese.term_of(topic)
        assert one is not None
        assert other is not None
        assert one.definition != other.definition


def test_a_topic_names_a_term_or_its_section() -> None:
    found = read_guidelines(Language.ENGLISH)
    term, section = found.term_of("finding.args.missing"), found.section_of("finding.args.missing")
    assert (term and term.title, section and section.id) == ("Argument missing", "finding")
    assert found.term_of("finding") is None
    assert found.section_of("weather") is None


def test_the_page_of_rules_names_every_set_of_them_and_its_sections_say_where_they_differ() -> None:
    page = resource_text("rules.md")
    every = (*Semantics, *ArgumentProfile, *Undrawn, *TEvalProfile)
    assert [rules for rules in every if f"`{rules}`" not in page] == []
    for language in Language:
        section = read_guidelines(language).section_of("semantics")
        assert section is not None
        assert "The rules of scoring" in section.text


def test_every_class_of_errors_has_a_topic() -> None:
    topics = topics_of(read_guidelines(Language.ENGLISH))
    assert {mistake_topic(kind) for kind in (*WildtoolMistake, *C3Mistake)} <= set(topics)
    assert mistake_topic("outside") == ""


def test_the_text_to_read_holds_every_definition() -> None:
    found = read_guidelines(Language.ENGLISH)
    text = found.markdown
    assert all(term.definition in text for section in found.sections for term in section.terms)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda path: path.write_text("[[section]"), "damaged"),
        (lambda path: path.write_bytes(b"\xff\xfe"), "damaged"),
        (lambda path: path.unlink(), "missing"),
        (lambda path: path.write_text(path.read_text().replace('wrong = "', 'wrnog = "', 1)), "wrong"),
        (lambda path: path.write_text(path.read_text().replace('id = "chat"', 'id = "single"')), "twice"),
        (lambda path: path.write_text(path.read_text().replace('"en"', '"zh"', 1)), "another language"),
    ],
)
def test_damaged_guidelines_are_named_and_the_other_language_is_shown(
    folder: Path, damage: object, words: str
) -> None:
    assert callable(damage)
    damage(folder / "en.toml")
    loaded = load_guidelines(Language.ENGLISH, folder=folder)
    assert loaded.guidelines.language is Language.CHINESE
    assert "en.toml" in loaded.message
    assert words in loaded.message
    assert loaded.message.endswith("Shown in 中文 instead.")


def test_where_no_language_can_be_read_the_wanted_one_is_named(folder: Path) -> None:
    for path in folder.iterdir():
        path.write_text("")
    with pytest.raises(InputError, match=r"zh\.toml are damaged"):
        load_guidelines(Language.CHINESE, folder=folder)
