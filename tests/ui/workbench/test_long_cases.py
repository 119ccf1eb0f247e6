"""A long case is shown and edited while its checks run; what acts on them waits for them."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from threading import Event

import pytest
import shiboken6
from PySide6.QtWidgets import QWidget
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from annotator.cases import edge_editing, editing, step_editing
from annotator.project.policy import ReviewPolicy
from annotator.review.claiming import claim_case
from scoring.model.case import Case
from scoring.model.taxonomy import Stage
from tests.bench.flowing import many_tasks_case
from tests.ui.workbench.cases import document_of, judgment_of, parcel_case
from tests.ui.workbench.driving import Bench
from ui.workbench import assessor
from ui.workbench.assessing import Assessment, EvidenceState, assess
from ui.workbench.awaiting import awaited, is_long
from ui.workbench.document import WorkbenchDocument
from ui.workbench.evidence_tab import EvidenceTab
from ui.workbench.showing import evidence_words
from ui.workbench.snapshot import Snapshot, opening_snapshot, with_case

LONG = many_tasks_case(20).model_copy(update={"id": "long"})
"""Twenty tasks of nine calls and an answer."""


class Gate:
    """Holds every look at a case until it is opened."""

    def __init__(self) -> None:
        self._event = Event()
        self.count = 0

    def assess(self, snapshot: Snapshot, **others: object) -> Assessment:
        """Look once the gate is open."""
        self.count += 1
        assert self._event.wait(20)
        return assess(snapshot, **others)  # type: ignore[arg-type]

    def open(self) -> None:
        """Let all looks through."""
        self._event.set()


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    found = Gate()
    monkeypatch.setattr(assessor, "assess", found.assess)
    yield found
    found.open()


@pytest.fixture
def document(qapp: object) -> Iterator[WorkbenchDocument]:
    found = document_of(LONG)
    yield found
    shiboken6.delete(found)


def looked_at(case: Case) -> Assessment:
    return assess(
        opening_snapshot(case, judgment_of(case)), stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy()
    )


def change_value(value: str) -> Callable[[Case], Case]:
    return partial(editing.set_argument_value, task=3, step=4, path="/note", value=value)


def test_a_short_case_is_looked_at_at_once(qapp: object) -> None:
    assert not is_long(parcel_case())
    found = document_of(parcel_case())
    assert not found.shown.is_awaited
    assert found.shown is found.assessment
    shiboken6.delete(found)


def test_a_long_case_can_be_shown_before_its_checks_are_through(
    document: WorkbenchDocument, gate: Gate, qtbot: QtBot
) -> None:
    shown = document.shown
    assert (shown.is_awaited, shown.evidence, shown.findings, shown.blockers) == (True, (), (), ())
    assert len(shown.suggestions) == len(LONG.tasks)
    qtbot.waitUntil(lambda: gate.count == 1)
    assert document.shown is shown
    with qtbot.waitSignal(document.assessed):
        gate.open()
    assert document.shown == looked_at(LONG)
    assert gate.count == 1


def test_what_acts_on_the_checks_waits_for_them(document: WorkbenchDocument, qtbot: QtBot) -> None:
    assert document.shown.is_awaited
    with qtbot.waitSignal(document.assessed):
        assert document.assessment == looked_at(LONG)
    assert not document.shown.is_awaited


def test_of_several_edits_only_the_newest_is_looked_at_once_the_checks_before_are_through(
    document: WorkbenchDocument, gate: Gate, qtbot: QtBot
) -> None:
    assert document.shown.is_awaited
    qtbot.waitUntil(lambda: gate.count == 1)
    for number in range(5):
        document.edit_case("change a value", change_value(f"thing {number} 0"))
        assert document.shown.is_awaited
    gate.open()
    qtbot.waitUntil(lambda: not document.shown.is_awaited)
    assert gate.count == 2
    assert document.shown == looked_at(document.case)


def test_undo_shows_at_once_what_was_known_before_the_edit(
    document: WorkbenchDocument, gate: Gate, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    with monkeypatch.context() as open_gate:
        open_gate.setattr(assessor, "assess", assess)
        known = document.assessment
    document.edit_case("change a value", change_value("thing 1 0"))
    assert document.shown.is_awaited
    qtbot.waitUntil(lambda: gate.count == 1)
    document.stack.undo()
    assert document.shown is known
    gate.open()
    qtbot.wait(100)
    assert document.shown is known
    assert gate.count == 1


def test_an_edit_during_checks_that_fail_is_checked_all_the_same(
    document: WorkbenchDocument, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    held, begun = Event(), Event()

    def fail(*_: object, **__: object) -> Assessment:
        begun.set()
        assert held.wait(20)
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(assessor, "assess", fail)
    with capture_exceptions() as told:
        assert document.shown.is_awaited
        qtbot.waitUntil(begun.is_set)
        document.edit_case("change a value", change_value("thing 1 0"))
        assert document.shown.is_awaited
        monkeypatch.setattr(assessor, "assess", assess)
        held.set()
        qtbot.waitUntil(lambda: not document.shown.is_awaited)
    assert [kind for kind, _, _ in told] == [ZeroDivisionError]
    assert document.shown == looked_at(document.case)


def test_after_an_edit_of_a_value_all_but_that_value_stays_in_sight(
    document: WorkbenchDocument, gate: Gate
) -> None:
    gate.open()
    before = document.assessment
    document.edit_case("change a value", change_value("nothing like it"))
    shown = document.shown
    assert shown.is_awaited
    assert [line for line in before.evidence if line not in shown.evidence] == [
        line for line in before.evidence if line.place == (3, 4, "/note")
    ]
    assert shown.findings == before.findings


def test_after_a_step_is_gone_nothing_is_said_of_its_task_until_the_checks_are_through(
    document: WorkbenchDocument, gate: Gate
) -> None:
    gate.open()
    before = document.assessment
    document.edit_case("delete a step", partial(step_editing.delete_step, task=3, step=2))
    assert document.shown.evidence == tuple(line for line in before.evidence if line.task != 3)
    assert {f.task for f in document.shown.findings} <= {f.task for f in before.findings} - {3}


def test_a_dependency_that_was_drawn_is_suggested_no_more() -> None:
    case = edge_editing.remove_edge(LONG, 0, source=0, target=1)
    before = looked_at(case)
    assert (0, 1) in [one.edge.pair for one in before.suggestions[0]]
    drawn = with_case(before.snapshot, partial(editing_edge, pair=(0, 1)))
    assert (0, 1) not in [one.edge.pair for one in awaited(drawn, before).suggestions[0]]


def editing_edge(case: Case, *, pair: tuple[int, int]) -> Case:
    return edge_editing.add_edge(case, 0, source=pair[0], target=pair[1])


def test_checks_that_fail_are_told_and_the_case_can_be_edited_on(
    document: WorkbenchDocument, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def fail(*_: object, **__: object) -> Assessment:
        raise ZeroDivisionError("broken on purpose")

    monkeypatch.setattr(assessor, "assess", fail)
    with capture_exceptions() as told:
        assert document.shown.is_awaited
        qtbot.waitUntil(lambda: bool(told))
    assert [kind for kind, _, _ in told] == [ZeroDivisionError]
    monkeypatch.setattr(assessor, "assess", assess)
    document.edit_case("change a value", change_value("thing 1 0"))
    qtbot.waitUntil(lambda: not document.shown.is_awaited)
    assert document.shown == looked_at(document.case)


def test_a_document_that_is_gone_is_told_nothing(gate: Gate, qtbot: QtBot) -> None:
    found = document_of(LONG)
    assert found.shown.is_awaited
    qtbot.waitUntil(lambda: gate.count == 1)
    shiboken6.delete(found)
    with capture_exceptions() as told:
        gate.open()
        qtbot.wait(50)
    assert not told


@pytest.mark.parametrize(
    ("settled", "open_", "words"),
    [(0, 0, "Evidence"), (3, 4, "Evidence 3/7"), (400, 599, "Evidence 400/999"), (999, 1, "Evidence 99 %")],
)
def test_the_tab_counts_values_and_says_a_share_where_they_are_many(
    settled: int, open_: int, words: str
) -> None:
    before = looked_at(parcel_case())
    line = before.evidence[0]
    lines = (replace(line, state=EvidenceState.CITED),) * settled + (line,) * open_
    assert evidence_words(replace(before, evidence=lines)) == words


def words(bench: Bench, name: str) -> QWidget:
    found = bench.page.findChild(QWidget, name)
    assert found is not None
    return found


def test_the_page_says_that_checks_run_and_submitting_waits_for_what_they_say(
    bench: Bench, gate: Gate
) -> None:
    bench.team.bring(LONG)
    bench.open(LONG.id)
    sign = words(bench, "checking")
    bench.wait(lambda: gate.count == 1)
    assert sign.isVisible()
    assert bench.editor.tabs.tabText(1) == "Evidence"
    assert not bench.editor.evidence.table.isVisibleTo(bench.editor.evidence)
    assert bench.editor.transcript.view.current == (0, -1)
    gate.open()
    bench.press("Ctrl+Return")
    assert "to settle first" in bench.page.submit_bar.note
    bench.wait(lambda: not sign.isVisible())
    total = len(looked_at(LONG).evidence)
    assert bench.editor.tabs.tabText(1) == f"Evidence 0/{total}"
    tab = bench.editor.findChild(EvidenceTab)
    assert tab is not None
    assert tab.model.rowCount() > total


def test_a_long_case_that_may_come_next_is_looked_at_only_once_it_is_open(bench: Bench, gate: Gate) -> None:
    bench.team.bring(LONG)
    claim_case(bench.team["bob"], "c-1")
    bench.wait(lambda: bench.page.ahead.ready is not None and bench.page.ahead.ready.case_id == "long")
    bench.press("N")
    bench.wait(lambda: bench.is_open("long"))
    loaded = bench.page.desk.loaded
    assert loaded is not None
    assert loaded.was_ahead
    assert bench.document.shown.is_awaited
    gate.open()
    bench.wait(lambda: not bench.document.shown.is_awaited)
    assert bench.document.shown.evidence == looked_at(LONG).evidence
    assert gate.count == 1
