"""Proposals of a model in the window: off without an endpoint, asked first, accepted by a person or not."""

import json
from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from annotator.cases.edits.step_edits import delete_step
from annotator.cases.edits.text_edits import set_review, set_user_text
from annotator.settings import AssistSettings
from db.read import reviews
from scoring.errors import StoreError
from scoring.model.taxonomy import Policy, ReviewLabel
from tests.factories import call, case, task
from tests.scripted_model.server import Asked, ScriptedModel, Sent, refused, said
from tests.ui.find import find, lines_of, title_of
from tests.ui.workbench.driving import Bench, click
from ui.services.preferences import Preferences
from ui.theme import Button, WrappedLabel
from ui.theme.dialogs import FormDialog
from ui.workbench.assist_panel import AssistPanel, ask_endpoint
from ui.workbench.question import host_of

REQUEST = "Send my parcel P-881 on from wherever it is."
SHORTER = "Please send P-881 on from where it is now."


class Model:
    """An endpoint whose next reply a test sets."""

    def __init__(self) -> None:
        self.reply: Sent = said(json.dumps({"text": SHORTER, "reason": "As people say it."}))
        self.server = ScriptedModel(self._say)

    def _say(self, _: Asked) -> Sent:
        return self.reply


@pytest.fixture
def model() -> Iterator[Model]:
    """A running endpoint."""
    found = Model()
    with found.server:
        yield found


@pytest.fixture
def asking(bench: Bench, model: Model, preferences: Preferences) -> Bench:
    """The parcel case open on its request, with an endpoint the person agreed to."""
    bench.open("c-1")
    address = model.server.base_url
    name_endpoint(preferences, address, agreed_host=host_of(address))
    bench.document.select(0)
    return bench


def name_endpoint(preferences: Preferences, address: str, *, agreed_host: str = "") -> None:
    """Name an endpoint in the settings."""
    chosen = AssistSettings(base_url=address, model="m-1", agreed_host=agreed_host)
    preferences.change(assist=chosen.model_dump())


def propose(bench: Bench, title: str, *, keys: str = "Ctrl+J") -> None:
    """Ask and wait until the panel says something."""
    bench.press(keys)
    bench.wait(lambda: title_of(bench.page.proposals.assist.panel) == title)


def decisions(bench: Bench) -> list[tuple[str, str, str]]:
    """Who accepted or declined what, newest first."""
    events = bench.team["ann"].read(lambda tx: reviews.events_of(tx, ["case:c-1"]))
    found = [event for event in events if event.action.startswith("assist:")]
    return [(event.actor, event.action, json.loads(event.payload)["kind"]) for event in found]


def test_without_an_endpoint_the_commands_say_why_and_nothing_is_shown(bench: Bench) -> None:
    bench.commands.refused.connect(lambda title, reason: bench.told.append(reason))
    bench.open("c-1")
    bench.press("Ctrl+J")
    assert bench.told == ["No endpoint is named for proposals; “Endpoint for proposals” does that."]
    assert bench.page.proposals.assist.panel.isHidden()


def test_before_the_first_time_at_a_host_nothing_is_sent(
    bench: Bench, model: Model, preferences: Preferences
) -> None:
    bench.open("c-1")
    host = host_of(model.server.base_url)
    name_endpoint(preferences, model.server.base_url)
    bench.press("Ctrl+J")
    panel = bench.page.proposals.assist.panel
    assert title_of(panel) == f"Send this dialogue to {host}?"
    bench.press("Esc")
    assert panel.isHidden()
    assert model.server.asked == []
    bench.press("Ctrl+J", "Return")
    bench.wait(lambda: title_of(panel) == "Proposed wording")
    assert preferences.settings.assist.agreed_host == host


def test_an_accepted_wording_is_one_step_of_undo_and_on_the_record(asking: Bench) -> None:
    propose(asking, "Proposed wording")
    assert lines_of(asking.page.proposals.assist.panel) == ("As people say it.",)
    assert asking.document.case.tasks[0].user == REQUEST
    asking.press("Return")
    asking.wait(lambda: asking.document.case.tasks[0].user == SHORTER)
    assert decisions(asking) == [("ann", "assist:proposal:accept", "wording")]
    assert asking.page.proposals.assist.panel.isHidden()
    asking.document.stack.undo()
    assert asking.document.case.tasks[0].user == REQUEST


def test_a_declined_proposal_changes_nothing_and_is_on_the_record(asking: Bench) -> None:
    propose(asking, "Proposed wording")
    asking.press("Esc")
    asking.wait(lambda: bool(decisions(asking)))
    assert decisions(asking) == [("ann", "assist:proposal:decline", "wording")]
    assert asking.document.case.tasks[0].user == REQUEST
    assert not asking.document.stack.canUndo()


def test_escape_on_the_canvas_declines_once_nothing_is_under_way_there(asking: Bench) -> None:
    view, panel = asking.page.panels.graph.view, asking.page.proposals.assist.panel
    propose(asking, "Proposed wording")
    view.setFocus()
    asking.press("D", "Esc")
    assert not panel.isHidden()
    asking.press("Esc")
    assert panel.isHidden()


def test_on_a_call_dependencies_are_proposed(asking: Bench, model: Model) -> None:
    asking.document.select(1, 1)
    model.reply = said('{"edges": [{"from": 0, "to": 1, "kind": "logical"}]}')
    propose(asking, "The model would draw nothing else")
    asking.press("Return")
    assert asking.page.proposals.assist.panel.isHidden()
    asking.page.panels.graph.view.choose_all()
    asking.page.panels.graph.view.remove_chosen()
    asking.document.select(1, 1)
    propose(asking, "1 proposed dependency")
    asking.press("Return")
    asking.wait(lambda: [edge.pair for edge in asking.document.case.tasks[1].drawn_edges] == [(0, 1)])


def test_labels_are_proposed_against_those_of_today(asking: Bench, model: Model) -> None:
    model.reply = said('{"policy": "multi_mixed", "information": "first", "reason": "Both."}')
    propose(asking, "Proposed labels", keys="Ctrl+Shift+J")
    assert lines_of(asking.page.proposals.assist.panel) == ("Policy: Multi, serial → Multi, mixed", "Both.")
    click(find(asking.page, Button, "assist-accept"))
    asking.wait(lambda: asking.document.case.tasks[0].policy is Policy.MULTI_MIXED)


def test_how_calls_ended_is_proposed_and_a_person_says_that_the_task_is_finished(
    asking: Bench, model: Model
) -> None:
    asking.document.edit_case("label call 0", partial(set_review, task=0, step=0, review=ReviewLabel.UNABLE))
    reviews = [
        {"step": 0, "label": "Success", "reason": "The depot came back."},
        {"step": 1, "label": "Input Error", "reason": "It asks for a date."},
    ]
    model.reply = said(json.dumps({"reviews": reviews, "finished": True, "reason": "All is said."}))
    propose(asking, "How the calls ended", keys="Ctrl+Alt+J")
    names = [call.name for _, call in asking.document.case.tasks[0].calls]
    assert lines_of(asking.page.proposals.assist.panel) == (
        f"0 {names[0]}: Unable to accomplish → Success. The depot came back.",
        f"1 {names[1]}: not labelled → Input error. It asks for a date.",
        "It finds the task finished: you say so with T.",
        "All is said.",
    )
    asking.press("Return")
    asking.wait(
        lambda: (
            [call.review_label for _, call in asking.document.case.tasks[0].calls]
            == [ReviewLabel.SUCCESS, ReviewLabel.INPUT]
        )
    )
    assert asking.document.judgment.tasks[0].completed is None
    assert decisions(asking)[0] == ("ann", "assist:proposal:accept", "reviews")
    asking.document.stack.undo()
    assert asking.document.case.tasks[0].calls[0][1].review_label is ReviewLabel.UNABLE


def test_labels_of_calls_that_stand_already_are_told_with_whether_the_task_is_finished(
    asking: Bench, model: Model
) -> None:
    model.reply = said('{"reviews": [], "finished": false, "reason": "The date is missing."}')
    propose(asking, "The model would say the same of each call", keys="Ctrl+Alt+J")
    assert lines_of(asking.page.proposals.assist.panel) == (
        "It finds the task not finished.",
        "The date is missing.",
    )


def test_a_step_that_goes_while_the_model_is_asked_is_told_and_not_applied(
    asking: Bench, model: Model
) -> None:
    reviews = [{"step": 1, "label": "Success", "reason": ""}]
    reply = json.dumps({"reviews": reviews, "finished": True})
    model.reply = Sent(message={"role": "assistant", "content": reply}, delay_seconds=1)
    asking.press("Ctrl+Alt+J")
    asking.wait(lambda: bool(model.server.asked))
    for _ in range(2):
        asking.document.edit_case("remove step 1", partial(delete_step, task=0, step=1))
    asking.wait(lambda: title_of(asking.page.proposals.assist.panel) == "How the calls ended")
    asking.press("Return")
    asking.wait(lambda: title_of(asking.page.proposals.assist.panel) == "No proposal")
    assert decisions(asking) == []


def test_an_endpoint_that_fails_is_told_with_a_next_step_and_can_be_asked_again(
    asking: Bench, model: Model
) -> None:
    good, model.reply = model.reply, refused(401, "bad key")
    propose(asking, "No proposal")
    words = " ".join(lines_of(asking.page.proposals.assist.panel))
    assert "bad key" in words
    assert words.endswith("Check the API key.")
    model.reply = good
    asking.press("Return")
    asking.wait(lambda: title_of(asking.page.proposals.assist.panel) == "Proposed wording")


def test_a_reply_that_is_nonsense_is_told_so(asking: Bench, model: Model) -> None:
    model.reply = said("As a large model I would rather not.")
    propose(asking, "No proposal")
    assert lines_of(asking.page.proposals.assist.panel)[0].startswith("The model's reply is not a proposal: ")


def test_work_goes_on_while_a_model_is_asked_and_escape_stops_asking(asking: Bench, model: Model) -> None:
    model.reply = Sent(message={"content": "late"}, delay_seconds=20)
    asking.press("Ctrl+J")
    asking.wait(lambda: bool(model.server.asked))
    assert title_of(asking.page.proposals.assist.panel).startswith("Asking m-1 at ")
    asking.press("Esc")
    assert asking.page.proposals.assist.panel.isHidden()
    asking.wait(lambda: not asking.operations.jobs)
    assert asking.page.panels.dialogue.view.hasFocus() or asking.page.panels.isAncestorOf(
        QApplication.focusWidget() or asking.window
    )


def test_a_proposal_for_a_text_that_was_changed_meanwhile_is_not_applied(asking: Bench) -> None:
    propose(asking, "Proposed wording")
    asking.document.edit_case("change the request", partial(set_user_text, task=0, text="Other words."))
    asking.press("Return")
    asking.wait(lambda: title_of(asking.page.proposals.assist.panel) == "No proposal")
    assert asking.document.case.tasks[0].user == "Other words."
    assert decisions(asking) == []


def test_closing_the_case_takes_the_proposal_away(asking: Bench) -> None:
    propose(asking, "Proposed wording")
    asking.page.open_work.close()
    assert asking.page.proposals.assist.panel.isHidden()


def test_an_endpoint_is_named_in_a_dialog_and_switched_off_there(
    bench: Bench, qtbot: QtBot, preferences: Preferences
) -> None:
    ask_endpoint(preferences, bench.page)
    dialog = find(bench.page, FormDialog, "assist-dialog")
    find(dialog, QLineEdit, "assist-base_url").setText("localhost:11434")
    find(dialog, QLineEdit, "assist-model").setText("small")
    click(find(dialog, Button, "assist-go"))
    assert dialog.isVisible()
    find(dialog, QLineEdit, "assist-base_url").setText("http://localhost:11434/v1")
    find(dialog, QLineEdit, "assist-key_variable").setText("$MY_KEY")
    click(find(dialog, Button, "assist-go"))
    expected = AssistSettings(base_url="http://localhost:11434/v1", model="small", key_variable="MY_KEY")
    assert preferences.settings.assist == expected
    qtbot.waitUntil(lambda: bench.page.findChild(FormDialog) is None)
    ask_endpoint(preferences, bench.page)
    click(find(bench.page, Button, "assist-off"))
    assert preferences.settings.assist == AssistSettings()


# the strip itself


def test_the_strip_keeps_to_the_lower_part_of_the_window_however_much_there_is_to_say(
    qtbot: QtBot, light: QApplication
) -> None:
    panel = AssistPanel()
    qtbot.addWidget(panel)
    panel.resize(1000, 300)
    panel.show()
    long = "The endpoint at models.example.org/" + "models/" * 60
    panel.show_proposal(long, long, *(long,) * 9, texts=("Send it. " * 200, "Send it on. " * 200))
    assert panel.minimumSizeHint().height() < 300
    assert panel.minimumSizeHint().width() < 500
    panel.show_error(StoreError("It did not answer.", "Ask again."))
    assert lines_of(panel) == ("It did not answer.", "Ask again.")
    last = panel.findChildren(WrappedLabel)[-1]
    qtbot.waitUntil(lambda: not last.visibleRegion().isEmpty())


def test_enter_on_decline_declines(qtbot: QtBot) -> None:
    panel = AssistPanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_proposal("Another request", "from m-1", "Why")
    decline = find(panel, QPushButton, "assist-decline")
    decline.setFocus()
    with qtbot.waitSignal(panel.declined), qtbot.assertNotEmitted(panel.accepted):
        QTest.keyClick(decline, Qt.Key.Key_Return)


def test_a_missing_answer_has_an_outline_without_an_endpoint(bench: Bench) -> None:
    bench.team.bring(case(task(call("getRain", {"mm": 12}, city="Lom"), user="Does it rain?"), id="c-dry"))
    bench.open("c-dry")
    bench.document.select(0)
    bench.press("Ctrl+J")
    panel = bench.page.proposals.assist.panel
    assert title_of(panel) == "Write the answer from this"
    assert lines_of(panel) == ("0 getRain: mm 12",)
    bench.panels.dialogue.view.setFocus()
    bench.press("Esc")
    assert not title_of(panel)
