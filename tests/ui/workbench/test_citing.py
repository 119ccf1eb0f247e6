"""Citing by hand: a place of the dialogue is selected and becomes the source of the current value."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from scoring.model.case import Case
from scoring.model.labels import DialogueSource
from scoring.model.taxonomy import SourceMark
from tests.factories import answer, call, case, task, tool
from tests.ui.workbench.driving import Bench
from ui.desk.tabs.evidence_model import COLUMNS, SOURCE
from ui.dialogue.places import SpanPick


def sources(bench: Bench) -> dict[tuple[int, int, str], DialogueSource | SourceMark]:
    return {(c.task, c.step, c.path): c.source for c in bench.document.judgment.evidence}


def test_the_columns_share_the_whole_width_of_the_table(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("Alt+E")
    table = bench.panels.evidence.table
    widths = [table.columnWidth(column) for column in range(len(COLUMNS))]
    assert sum(widths) == table.viewport().width()
    assert widths[SOURCE] == 141
    assert table.rowHeight(0) == 28


def test_s_looks_for_the_source_of_the_current_value(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+E", "S")
    citing = bench.panels.dialogue.view.citing
    assert citing is not None
    assert (citing.task, citing.step, citing.path) == (0, 0, "/number")


def test_a_place_selected_by_keys_is_cited_and_the_next_value_follows(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+E", "S")
    # Up to the request, into its text, over three words to the number, over the number, and take it.
    bench.press("Up", "Right", *["Ctrl+Right"] * 3, *["Shift+Right"] * 5, "Return")
    source = sources(bench)[0, 0, "/number"]
    assert isinstance(source, DialogueSource)
    text = bench.document.case.tasks[0].user
    assert source.span is not None
    assert text[slice(*source.span)] == "P-881"
    assert bench.panels.dialogue.view.citing is None
    line = bench.panels.evidence.current_line
    assert line is not None
    assert line.place == (0, 1, "/depot")
    assert bench.target is bench.panels.evidence.table


def test_an_argument_of_an_earlier_call_stands_for_where_it_comes_from(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "E", "J", "Alt+E", "S")
    pick = SpanPick(task=0, step=0, field="arguments", path="/number", words="P-881")
    bench.panels.dialogue.view.span_picked.emit(pick)
    first, second = sources(bench)[0, 0, "/number"], sources(bench)[0, 1, "/depot"]
    assert isinstance(first, DialogueSource)
    assert isinstance(second, DialogueSource)
    assert (second.task, second.text) == (0, first.text)


def test_escape_gives_the_search_up_and_leads_back_to_the_table(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+E", "S", "Esc")
    assert bench.panels.dialogue.view.citing is None
    assert bench.target is bench.panels.evidence.table
    assert sources(bench) == {}


def test_the_place_a_value_comes_from_is_shown_and_the_table_keeps_the_keys(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+E", "Return")
    assert bench.panels.dialogue.view.current == (0, -1)
    assert bench.target is bench.panels.evidence.table
    bench.press("E")
    assert isinstance(sources(bench)[0, 0, "/number"], DialogueSource)


def test_a_key_that_is_held_accepts_one_source_alone(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+E", "E")
    before = sources(bench)
    none = Qt.KeyboardModifier.NoModifier
    for _ in range(3):
        held = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_E, none, "e", True)
        QApplication.sendEvent(bench.panels.evidence.table, held)
    assert len(before) == 1
    assert sources(bench) == before


def test_citing_is_one_step_of_undo(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("J", "Alt+E", "S")
    bench.panels.dialogue.view.span_picked.emit(
        SpanPick(task=0, step=None, field="user", span=(15, 20), words="P-881")
    )
    bench.press("Ctrl+Z")
    assert sources(bench) == {}


def test_a_source_that_is_edited_breaks_its_citation_visibly_and_f8_leads_there(bench: Bench) -> None:
    bench.open("c-1")
    bench.press("G", "Shift+E", "F2", "Ctrl+A")
    bench.type("Send it on.")
    bench.press("Ctrl+Return")
    bench.press("Alt+E")
    lines = {line.place: line for line in bench.document.assessment.evidence}
    assert lines[0, 0, "/number"].state.value == "broken"
    assert lines[0, 0, "/number"].reason
    bench.press("F8")
    problem = bench.page.keyboard.navigation.problem
    assert problem is not None
    assert (problem.kind, problem.path) == ("evidence", "/number")


def hotel_case() -> Case:
    """Two calls, of which the second restates the first's value that its source spells otherwise."""
    book = tool("book", city={"type": "string"}, near={"type": "string"}, required=["city"])
    return case(
        task(
            call("book", {"ok": True}, city="LasVegas", near="Reno"),
            call("book", {"ok": True}, city="LasVegas"),
            answer("Both are booked."),
            user="Book two hotels in Las Vegas, one of them towards Reno.",
        ),
        tools=[book],
    )


def test_accepting_in_bulk_leaves_what_differs_from_its_source(bench: Bench) -> None:
    bench.team.bring(hotel_case().model_copy(update={"id": "hotel"}), batch="b2")
    bench.page.keyboard.told.connect(bench.told.append)
    bench.open("hotel")
    before = [finding.where for finding in bench.document.assessment.findings if finding.proposal]
    bench.press("Shift+E")
    assert list(sources(bench)) == [(0, 0, "/near")]
    assert bench.told[-1].startswith("1 accepted, 2 different.")
    assert [f.where for f in bench.document.assessment.findings if f.proposal] == before


def test_a_single_call_accepted_with_e_leaves_its_differing_value_too(bench: Bench) -> None:
    bench.team.bring(hotel_case().model_copy(update={"id": "hotel"}), batch="b2")
    bench.open("hotel")
    bench.press("J", "J", "E")
    assert sources(bench) == {}


def test_a_differing_source_is_accepted_by_itself(bench: Bench) -> None:
    bench.team.bring(hotel_case().model_copy(update={"id": "hotel"}), batch="b2")
    bench.open("hotel")
    bench.press("J", "Alt+E", "E")
    assert list(sources(bench)) == [(0, 0, "/city")]
