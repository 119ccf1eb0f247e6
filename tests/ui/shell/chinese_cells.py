"""Run by `test_pseudo_language.py` in Chinese: what the window shows of runs, reports and releases, by cells.

The sample project fills few columns of the leaderboard and of a release; here every column is filled.
"""

import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import product
from typing import Any

import pytest

from db.read.rows import RunRow
from scoring.agreement.preferences import win_rate
from scoring.measures.rates import Number
from scoring.model.taxonomy import Grouping, InfraErrors, Protocol
from scoring.scorecard import Scorecard
from scoring.texts import tr
from tests.annotator.release.cards import league, mixed_card, spent
from tests.annotator.release.reports.test_chinese_tables import OTHER_RULES, english
from tests.annotator.release.reports.test_report import under
from ui.runs.comparison import (
    FLIP_COLUMNS,
    ROBUSTNESS_COLUMNS,
    TwoRuns,
    compare_two,
    flip_lines,
    robustness_lines,
    square_columns,
    square_lines,
    verdict_of,
)
from ui.runs.entries import RunEntry
from ui.runs.leaderboard import board_columns, headings, leaderboard
from ui.theme.cells import Cell
from ui.theme.tables import Column

DIALOGUES = 6
_KEPT = re.compile(r"\br1\b|按 M |annotator win-rate|HTTP 500|\bVF\b|\bDDD\b")
"""A release, keys, commands and published abbreviations."""


def entry(number: int, name: str, card: Scorecard) -> RunEntry:
    """A run of the leaderboard."""
    row = RunRow(
        id=number,
        name=name,
        release="r1",
        at=datetime(2026, 3, 2, tzinfo=UTC),
        cases_sha256=card.cases_sha256,
        summary="{}",
        protocol=card.protocol,
        semantics=card.semantics,
        arguments="auto",
        has_replies=False,
    )
    return RunEntry(row, card.summary, card.model_card, card.win_rate)


def runs() -> Iterator[RunEntry]:
    """Runs of every kind of model, in two protocols and under other rules, with costs and a win rate."""
    cards = [(name, spent(one, read=9, written=len(name))) for name, one in league(dialogues=DIALOGUES)]
    cards += league(Protocol.C2, dialogues=DIALOGUES)
    name, first = cards[0]
    wins = win_rate(name, (), missing=2).model_copy(
        update={"won": 3, "lost": 1, "win_rate": Number(value=0.75, of=4), "baseline": "fast", "judge": "big"}
    )
    cards.append((name, first.model_copy(update={"win_rate": wins})))
    cards += [(name, under(rules, first)) for rules in OTHER_RULES]
    yield from (entry(number, name, card) for number, (name, card) in enumerate(cards))


def words(cells: Iterable[Cell]) -> Iterator[str]:
    """What cells show, and say under the pointer."""
    for cell in cells:
        yield from (cell.text, cell.tip)


def head(columns: Iterable[Column[Any]]) -> Iterator[str]:
    """What the headings of columns show, and say under the pointer."""
    for column in columns:
        yield from (tr(column.title), column.tip)


def left(texts: Iterable[str]) -> list[str]:
    """The texts with an English word."""
    return sorted({text for text in texts if english(_KEPT.sub("", text))})


@pytest.mark.parametrize("infra_errors", InfraErrors)
def test_no_cell_of_the_leaderboard_is_english(infra_errors: InfraErrors) -> None:
    columns = board_columns()
    rows = leaderboard([*runs()], columns=columns, by=[*Grouping], infra_errors=infra_errors)
    shown = {*head(headings(columns)), *words(cell for row in rows for cell in row.cells)}
    assert len(shown) > 100
    assert not left(shown)


def pairs() -> Iterator[TwoRuns]:
    """Two runs under the same rules, under others, of one model with two histories, and of other cases."""
    first, second = mixed_card(0, name="a"), mixed_card(1, name="b")
    yield TwoRuns("a", first, "b", second)
    yield TwoRuns("a", first, "b", first)
    yield from (TwoRuns("a", first, "b", under(rules, second)) for rules in OTHER_RULES)
    for one, other in product(Protocol, repeat=2):
        yield TwoRuns(
            "a", mixed_card(0, name="a", protocol=one), "b", mixed_card(1, name="a", protocol=other)
        )


def test_nothing_said_of_two_runs_is_english() -> None:
    shown: set[str] = set()
    for runs in pairs():
        found = compare_two(runs)
        shown |= set(verdict_of(found)[:2])
        tables: list[tuple[Iterable[Column[Any]], Iterable[Any]]] = [
            (square_columns(runs), square_lines(found)),
            (FLIP_COLUMNS, flip_lines(found)),
            (ROBUSTNESS_COLUMNS, robustness_lines(found.robustness) if found.robustness else ()),
        ]
        for columns, lines in tables:
            shown |= {*head(columns), *words(column.cell_of(line) for line in lines for column in columns)}
    assert len(shown) > 20
    assert not left(shown)
