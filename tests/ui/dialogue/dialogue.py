"""Small dialogues to show, what a view shows of them, and the hands that press its keys."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPlainTextEdit
from pytestqt.qtbot import QtBot

from scoring.model.case import Case, Task
from scoring.model.labels import Finding
from scoring.model.taxonomy import Policy, Severity
from tests.factories import answer, call, case, task
from tests.ui.find import find
from ui.dialogue.block import TextBlock
from ui.dialogue.view import DialogueView


def dialogue() -> Case:
    return case(
        task(call("first", city="Oslo"), answer("Done."), user="Weather?", policy=Policy.SINGLE),
        task(
            call("second", observation={"rows": [1, 2]}, city="LasVegas"),
            call("third", observation=None, day=1),
            answer("# Fine\n\nAll *good*."),
            user="And there?",
        ),
        Task(user="Thanks"),
    )


def differs() -> Finding:
    return Finding(
        rule="args.differs",
        severity=Severity.WARNING,
        message="Value differs from its source.",
        settle="Said with a space.",
        task=1,
        step=0,
        path="/city",
        proposal="Las Vegas",
    )


def in_rounds(*rounds: int | None) -> Case:
    steps = tuple(call("look", n=at).model_copy(update={"recorded_round": at}) for at in rounds)
    return case(task(*steps, answer()))


def press(view: DialogueView, *keys: Qt.Key) -> None:
    for key in keys:
        target = QApplication.focusWidget() or view
        QTest.keyClick(target, key)


def focus(view: DialogueView, qtbot: QtBot) -> None:
    view.activateWindow()
    view.setFocus()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is not None)


def block(view: DialogueView, key: tuple[int, int], field: str) -> TextBlock:
    card = view.column.card(key)
    assert card is not None
    return find(card, TextBlock, f"part-{field}")


def editor(view: DialogueView) -> QPlainTextEdit:
    found = [field for field in view.findChildren(QPlainTextEdit) if field.isVisible()]
    assert len(found) == 1
    return found[0]
