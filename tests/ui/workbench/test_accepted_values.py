"""Saying what else is right beside a value, by keys; the card shows it, and a changed value loses it."""

import json
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from annotator.cases.edits.text_edits import set_accepted, set_argument_value
from annotator.jobs import JobContext
from annotator.release.freeze import freeze
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.recorded_runs import record_run
from annotator.review.policy_changes import change_review_policy
from annotator.review.withdrawals import reopen
from scoring.measures.proposed_values import ProposedValue
from scoring.model.case import AcceptedValue, Call
from tests.annotator.team import Team
from tests.ui.find import find
from tests.ui.workbench.driving import Bench
from ui.desk.accepted_dialog import AcceptedDialog
from ui.dialogue.parts import PartView
from ui.theme import Button


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


def release_with_runs(team: Team, folder: Path, *, number: str, owner: str = "ann") -> None:
    """Freeze the case, let two models ask for another number in its first call, and open it again."""
    change_review_policy(team["max"], ("cross_check=false", "expert_sample=false"))
    team.self_check(owner, "c-1")
    freeze(team["max"], "r1", directory=folder, context=JobContext())
    for model in ("gpt-4o", "qwen2.5"):
        calls = (("findParcel", {"number": number}), ("reroute", {"depot": "Hamar-7"}))
        replies: list[object] = [
            {"tool_calls": [{"function": {"name": name, "arguments": json.dumps(said)}}]}
            for name, said in calls
        ]
        path = folder.with_name(f"{model}.jsonl")
        path.write_text(
            json.dumps({"case": "c-1", "task": 0, "replies": [*replies, {"content": "It goes on."}]}),
            encoding="utf-8",
        )
        card = evaluate(load_cases(folder), [path], context=JobContext(), source=folder)
        record_run(team["max"], model, card=card, predictions=[path], source=folder)
    reopen(team["max"], "c-1", reason="again")


def test_what_models_agree_on_is_offered_and_only_a_person_takes_it(bench: Bench, tmp_path: Path) -> None:
    release_with_runs(bench.team, tmp_path / "r1", number="P 881")
    bench.open("c-1")
    line = ask(bench, "/number")
    bench.wait(lambda: bench.window.findChild(Button, "accepted-add-1") is not None)
    add = find(bench.window, Button, "accepted-add-1")
    bench.wait(add.isVisible)
    assert line.text() == ""
    assert add.accessibleName() == 'Add "P 881": 2 of 2 models'
    bench.press("Tab", "Tab", "Tab")
    assert bench.target is add
    bench.press("Space")
    assert line.text() == '"P 881"'
    bench.press("Return")
    bench.wait(lambda: first_call(bench).accepted is not None)
    assert first_call(bench).accepted == {"/number": {"values": ["P 881"]}}


def test_nothing_is_offered_for_a_value_that_changed_since(bench: Bench, tmp_path: Path) -> None:
    release_with_runs(bench.team, tmp_path / "r1", number="P 881")
    bench.open("c-1")
    bench.document.edit_case(
        "change it", lambda case: set_argument_value(case, 0, step=0, path="/number", value="P-882")
    )
    assert not offered(bench)


@pytest.mark.parametrize("value", [True, 1, 1.0])
def test_only_what_was_proposed_for_the_same_kind_of_value_is_offered(
    qtbot: QtBot, light: QApplication, value: bool | float
) -> None:
    page = QWidget()
    qtbot.addWidget(page)
    dialog = AcceptedDialog(Call(name="track", arguments={"live": value}), page, task=0, path="/live")
    dialog.offer(
        ProposedValue(
            case="c-1",
            task=0,
            step=0,
            tool="track",
            path="/live",
            gold=gold,
            added=AcceptedValue(values=(f"beside {gold}",)),
        )
        for gold in (True, 1, 1.0)
    )
    names = [button.accessibleName() for button in dialog.findChildren(Button)]
    assert [name for name in names if "beside" in name] == [
        f'Add "beside {value}": the default in the schema'
    ]


def test_a_blind_reviewer_is_offered_nothing(bench: Bench, tmp_path: Path) -> None:
    release_with_runs(bench.team, tmp_path / "r1", number="P 881", owner="bob")
    change_review_policy(bench.team["max"], ("cross_check=true",))
    bench.team.self_check("bob", "c-1")
    bench.open("c-1")
    assert bench.document.is_blind
    assert not offered(bench)


def offered(bench: Bench) -> bool:
    """Whether anything is offered for the number of the first call once everything was read."""
    ask(bench, "/number")
    with bench.qtbot.waitSignal(bench.operations.idle):
        bench.operations.run(lambda _: None)
    return bench.window.findChild(Button, "accepted-add-1") is not None


def test_without_a_value_nothing_is_asked(bench: Bench) -> None:
    bench.page.keyboard.told.connect(bench.told.append)
    bench.open("c-1")
    bench.document.select(0, None)
    bench.press("Alt+V")
    assert bench.told[-1] == "Select a value of a call first."
