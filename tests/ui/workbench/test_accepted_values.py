"""Saying what else is right beside a value, by keys; the card shows it, and a changed value loses it."""

from PySide6.QtWidgets import QLineEdit

from annotator.cases.edits.text_edits import set_accepted, set_argument_value
from scoring.model.case import Call
from tests.ui.find import find
from tests.ui.workbench.driving import Bench
from ui.dialogue.parts import PartView


def first_call(bench: Bench) -> Call:
    return bench.document.case.tasks[0].calls[0][1]


def ask(bench: Bench, path: str) -> QLineEdit:
    """Open the dialog for a value of the first call."""
    bench.document.select(0, 0, path=path)
    bench.press("Alt+V")
    bench.wait(lambda: bench.target.objectName() == "accepted-values")
    return find(bench.window, QLineEdit, "accepted-values")


def test_other_right_values_are_typed_shown_and_taken_back(bench: Bench) -> None:
    bench.open("c-1")
    name, value = next(iter(first_call(bench).arguments.items()))
    ask(bench, f"/{name}").setText("Kristiania, Christiania")
    bench.press("Return")
    bench.wait(lambda: first_call(bench).accepted is not None and bench.page.isAncestorOf(bench.target))
    assert first_call(bench).accepted == {f"/{name}": {"values": ["Kristiania", "Christiania"]}}
    card = bench.panels.dialogue.view.select(0, 0)
    assert card is not None
    part = card.part("accepted")
    assert isinstance(part, PartView)
    assert part.shown_text == f'{name}: "Kristiania", "Christiania"'
    assert ask(bench, f"/{name}").text() == '"Kristiania", "Christiania"'
    bench.press("Escape")
    bench.wait(lambda: bench.page.isAncestorOf(bench.target))
    bench.press("Ctrl+Z")
    assert first_call(bench).accepted is None
    assert first_call(bench).arguments[name] == value


def test_json_keeps_its_types_and_a_changed_value_loses_what_was_accepted_beside_it(bench: Bench) -> None:
    bench.open("c-1")
    name = next(iter(first_call(bench).arguments))
    ask(bench, f"/{name}").setText('1, true, "a, b"')
    bench.press("Return")
    bench.wait(lambda: first_call(bench).accepted is not None and bench.page.isAncestorOf(bench.target))
    assert first_call(bench).accepts[f"/{name}"].values == (1, True, "a, b")
    bench.document.edit_case(
        "keep another",
        lambda case: set_accepted(
            case, 0, step=0, accepted={f"/{name}": {"values": [1]}, "/x": {"optional": True}}
        ),
    )
    bench.document.edit_case(
        "change it", lambda case: set_argument_value(case, 0, step=0, path=f"/{name}", value="elsewhere")
    )
    assert first_call(bench).accepted == {"/x": {"optional": True}}


def test_without_a_value_nothing_is_asked(bench: Bench) -> None:
    bench.page.keyboard.told.connect(bench.told.append)
    bench.open("c-1")
    bench.document.select(0, None)
    bench.press("Alt+V")
    assert bench.told[-1] == "Select a value of a call first."
