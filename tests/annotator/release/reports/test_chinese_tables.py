"""Tables of reports in Chinese: no word stays English but names, keys, ids and published abbreviations."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.jobs import JobContext
from annotator.release.reports.dataset_tables import dataset_tables, read_statistics
from annotator.release.reports.report import report_tables
from annotator.release.reports.run_groups import named
from annotator.release.reports.score_tables import ScoreTable, basis_table
from annotator.release.reports.teval_section import read_teval
from annotator.resources import resource_path
from scoring.agreement.preferences import win_rate
from scoring.measures.rates import Number
from scoring.measures.summary import UndrawnTasks
from scoring.model.taxonomy import (
    C3Mistake,
    Grouping,
    InfraErrors,
    Protocol,
    Semantics,
    Undrawn,
    WildtoolMistake,
)
from scoring.texts import speak
from tests.annotator.release.cards import league, mixed_card, spent
from tests.annotator.release.reports.test_report import CARDS, GROUPED, run_of, under
from tests.annotator.release.reports.test_teval_section import FIRST, folder_of, scores
from tests.annotator.release.small_world import world

KEPT = {
    "names of benchmarks, tests and measures": r"C3-Bench|WildToolBench|T-Eval|Wilson|McNemar|Holm|Kendall"
    r"|SHA-256|JSON|tokens?|tau|char3|p",
    "published abbreviations": r"DDD|PTF|VF|OP|AP|WR|RR|RW|Acc2"
    r"|(instr|plan|reas|retr|und)( [SJ])?|review|[SJP]",
    "keys of protocols and rules": r"c[23]|wildtool|paper|reference|auto|timeout|[ab]{8,12}|[0-9a-f]{12}",
    "classes of errors, as the papers call them": "|".join(
        [
            *map(re.escape, (*WildtoolMistake, *C3Mistake)),
            *("Tool Error", "(Name|Value) Hallucination", "Value Error"),
        ]
    ),
    "types of JSON, writings of Unicode and units": "string|integer|enum|boolean|nested|number|object|array"
    "|LATIN|CJK|B",
    "names of runs and ids": r"[cd]-\d+|(alder|birch|cedar|drill)(-\d+b(-thinking)?)?|fast|slow|big"
    r"|a|b|model_a|second|third|careful|m_1 & 50% \| <b>\\x~|large|middle|small|older|o|f|warm|bare",
    "names of tools and values": "[AZxy]",
}
"""What a Chinese table says as it is, by what it is."""
_KEPT = re.compile("|".join(rf"(?<![A-Za-z])(?:{one})(?![A-Za-z])" for one in KEPT.values()))
DIALOGUES = 6
OTHER_RULES: tuple[dict[str, object], ...] = (
    {"semantics": Semantics.REFERENCE},
    {"infra_errors": InfraErrors.LEFT_OUT},
    {"cases_sha256": "ab" * 32},
    {"undrawn": Undrawn.PARALLEL},
)


def english(text: str) -> list[str]:
    """The words of a text that are neither Chinese nor kept."""
    return re.findall("[A-Za-z]+", _KEPT.sub("", text))


def tables(folder: Path) -> Iterator[ScoreTable]:
    """Every table: of few runs and many, in both histories, under other rules, of sets, of T-Eval."""
    cards = world(folder)
    yield from report_tables(named(list(cards.values())), by=[Grouping.KIND])
    for pair in (("fast", "slow"), ("fast", "fast, requests and answers only")):
        yield from report_tables(named([cards[name] for name in pair]))
    wins = win_rate("slow", (), missing=2).model_copy(
        update={"won": 3, "lost": 1, "win_rate": Number(value=0.75, of=4), "baseline": "fast", "judge": "big"}
    )
    yield from report_tables(named([cards["fast"], cards["slow"].model_copy(update={"win_rate": wins})]))
    runs = [spent(one, read=9, written=len(name)) for name, one in league(dialogues=DIALOGUES)]
    others = [one for _, one in league(Protocol.C2, dialogues=DIALOGUES)]
    yield from report_tables(named([*runs, *others]), by=list(Grouping))
    second = {name: means for name, means in FIRST.items() if name != "review_str"}
    places = (
        folder_of(folder / "model_a", scores(FIRST)),
        folder_of(folder / "second", scores(second)),
        folder_of(folder / "third", scores(FIRST, items="b")),
    )
    yield from report_tables(GROUPED, by=[Grouping.KIND], teval=read_teval(places))
    yield from report_tables(CARDS)
    warm = run_of("warm", "++++", family="f", size=8, active_size=2, thinking="off", temperature=0.6, seed=1)
    bare = run_of("bare", "++--", family="f", size=8, thinking="on", max_tokens=512, interface="native")
    yield from report_tables([warm, bare])
    for rules in OTHER_RULES:
        before = mixed_card(0, name="a", protocol=Protocol.C2)
        yield from report_tables(named([before, under(rules, mixed_card(1, name="a", protocol=Protocol.C3))]))
    for how in Undrawn:
        summary = GROUPED[0][1].summary.model_copy(update={"undrawn": UndrawnTasks(count=2, matched=how)})
        yield basis_table([("a", GROUPED[0][1].model_copy(update={"summary": summary}))])
    found, _ = read_statistics(resource_path("samples", "cases.jsonl"), context=JobContext())
    yield from dataset_tables([("a", found), ("b", found)])


@pytest.fixture
def chinese() -> Iterator[None]:
    """What is said from now on is Chinese."""
    speak("zh_CN")
    yield
    speak("en")


@pytest.mark.usefixtures("chinese")
def test_no_cell_heading_title_or_note_is_english(tmp_path: Path) -> None:
    left: set[str] = set()
    for table in tables(tmp_path):
        said = table.in_language()
        texts = [said.title, *said.columns, *said.notes, *(cell for row in said.rows for cell in row)]
        left |= {text for text in texts if english(text)}
    assert not sorted(left)


@pytest.mark.parametrize(
    ("text", "found"),
    [("65.0 (mean of 3)", ["mean", "of"]), ("careful · 协议 c3", []), ("OP 并行", []), ("yes", ["yes"])],
)
def test_an_english_word_in_a_cell_is_found(text: str, found: list[str]) -> None:
    assert english(text) == found
