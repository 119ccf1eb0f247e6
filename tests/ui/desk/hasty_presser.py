"""A person who only presses the key that is offered, in a real window, and eyes that watch the screen.

The eyes know nothing of `annotator.drafts.shown`: they look at the pixels of the texts, moment by moment.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMainWindow

from annotator.cases.evidence.answer_facts import answer_facts
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.passages import Speaker
from annotator.drafts.problems import Problem, problems_of
from annotator.project.policy import ReviewPolicy
from scoring.model.case import Case
from scoring.model.graph import derive_policy
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import CheckAnswer, Stage
from ui.desk.case_actions import fix_for
from ui.desk.document import CaseDocument
from ui.desk.keyboard import Keyboard
from ui.desk.panels import CasePanels
from ui.desk.tabs.review_tab import ReviewTab
from ui.services.commands import Commands
from ui.services.operations import Operations
from ui.workbench.commands import add_desk_commands

_WORDS_A_SECOND = 10
"""600 a minute."""
_CONFIRMING = (CheckAnswer.PASS, CheckAnswer.NOT_APPLICABLE)
_PATIENCE_SECONDS = {"every 200 ms": 6.0}
_OTHER_PATIENCE_SECONDS = 60.0
"""Who sees nothing happen for so long gives up."""


PRESSES = """
## A person who only presses the key that is offered

They open a case and press, through both self-checks, whatever key the window offers where they are: F8, G or
U, Shift+E, the label that is proposed, and C, which confirms an item only once its subject was on the screen
for as long as its new words take at 600 words a minute. *Not on the screen* counts what was confirmed all the
same, by eyes of the test's own that watch the pixels.

- *Every 200 ms*, or by a key that is held, only the first press of a row does anything, and it comes before
  anybody can have read. No case with a checklist is submitted at this pace.
- *Every 310 ms* the same press comes again and again until the words can have been read: it saves no time.
- *At reading pace* they wait for what is new on the screen, and no press is wasted.

What stops them at any pace has no key that only has to be pressed: a value whose source has to be found, an
error to repair, an answer to write."""


class Pace(StrEnum):
    """How fast the person presses."""

    FIVE_A_SECOND = "every 200 ms"
    IN_TIME = "every 310 ms"
    READING = "at reading pace"


@dataclass
class Pressed:
    """What became of a case in that person's hands; `stopped` is the first open point, empty for none."""

    case_id: str
    pace: Pace
    confirmations: int = 0
    unseen: list[str] = field(default_factory=list)
    stopped: str = ""


Text = tuple[int, int, str, str]
"""Task, step, field and words of a text of a card."""


class Eyes:
    """Sees which rows of pixels of which text are on the screen, and for how long there was something new."""

    def __init__(self, panels: CasePanels) -> None:
        self._panels = panels
        self._rows: dict[Text, set[int]] = {}
        self._heights: dict[Text, int] = {}
        self._tasks: set[int] = set()
        self.seconds: dict[int, float] = {}
        """By task, how long any text of it was on the screen."""

    def look(self) -> float:
        """Note what is on the screen; gives the words of it that were not there before."""
        count = 0.0
        self._tasks.clear()
        for text, top, bottom, height in self._in_sight():
            self._tasks.add(text[0])
            seen = self._rows.setdefault(text, set())
            self._heights[text] = height
            fresh = set(range(top, bottom)) - seen
            seen |= fresh
            count += len(re.findall(r"\w+", text[3])) * len(fresh) / max(height, 1)
        return count

    def wait(self, seconds: float) -> None:
        """Time passes with what was on the screen at the last look."""
        for number in self._tasks:
            self.seconds[number] = self.seconds.get(number, 0) + seconds

    def missed(self, case: Case, number: int, item: str) -> str:
        """What of the subject of an item was never on the screen, or not for the time its words take."""
        found = case.tasks[number]
        answer = found.answer.text if found.answer is not None else ""
        wanted = [(-1, "user", found.user)]
        if found.answer_index is not None:
            wanted.append((found.answer_index, "text", answer))
        for step, name, words in wanted:
            if words.strip() and not self._is_whole((number, step, name)):
                return f"{name} of task {number + 1}"
        if item == "facts" and answer.strip():
            for value in _stated(case, number):
                if not any(self._was_seen(value, text) for text in self._rows if text[0] == number):
                    return f"{value} of task {number + 1}"
        needed = len(re.findall(r"[^\W\u3040-\u9fff]+", f"{found.user} {answer}")) / _WORDS_A_SECOND
        if self.seconds.get(number, 0) < needed - 0.01:
            return f"time for task {number + 1}"
        return ""

    def _was_seen(self, value: str, text: Text) -> bool:
        """Whether a line of an observation that holds a value was on the screen."""
        lines, rows = text[3].split("\n"), self._rows[text]
        height = self._heights[text] / len(lines)
        middles = [round((at + 0.5) * height) for at, line in enumerate(lines) if value in line]
        near = (range(middle - 9, middle + 10) for middle in middles)
        return text[2] == "observation" and any(not rows.isdisjoint(rows_near) for rows_near in near)

    def _is_whole(self, place: tuple[int, int, str]) -> bool:
        shown = [text for text in self._rows if text[:3] == place]
        return any(len(self._rows[text]) >= self._heights[text] for text in shown)

    def _in_sight(self) -> Iterator[tuple[Text, int, int, int]]:
        for card in self._panels.dialogue.view.column.cards():
            for part in card.content.parts:
                view = card.part(part.field)
                seen = view.block.visibleRegion().boundingRect() if view is not None else None
                if view is not None and seen is not None and not seen.isEmpty():
                    text = (*card.content.key, part.field, view.shown_text)
                    yield text, seen.top(), seen.top() + seen.height(), view.block.height()


def _stated(case: Case, number: int) -> list[str]:
    """What an answer states that an observation of its task holds, as it stands there."""
    facts = answer_facts(Dialogue(case), number).facts
    return [
        one.found.text
        for one in facts
        if (one.found.passage.task, one.found.passage.speaker) == (number, Speaker.OBSERVATION)
    ]


class Desk:
    """A case on the desk, in a window, with nothing stored."""

    def __init__(self, operations: Operations) -> None:
        self.window = QMainWindow()
        self.window.resize(1380, 840)
        self.panels = CasePanels(operations, ReviewTab(), is_stored=False)
        self.window.setCentralWidget(self.panels)
        commands = Commands(self.window)
        self.keyboard = Keyboard(self.panels, commands, page=self.panels)
        add_desk_commands(commands, self.keyboard, widget=self.panels, room="desk")
        self.moment = 0.0
        self.keyboard.sight.clock = lambda: self.moment
        self.note = ""
        for told in (self.keyboard.told, self.keyboard.navigation.told):
            told.connect(self._hear)
        self.window.show()
        self.window.activateWindow()

    def _hear(self, words: str) -> None:
        self.note = words

    def press(self, key: str) -> None:
        """Press a key where the focus is, as no part of a word begun before."""
        for one in ("F35", key):
            stroke = QKeySequence(one)[0]  # type: ignore[index]  # the stubs leave it out
            QTest.keyClick(
                QApplication.focusWidget() or self.window, stroke.key(), stroke.keyboardModifiers()
            )


def press_through(desk: Desk, case: Case, pace: Pace) -> Pressed:
    """Go through both self-checks of a case with the keys that are offered."""
    labels = tuple(
        one if one.drawn is None else one.model_copy(update={"drawn": False}) for one in labels_of(case)
    )
    judgment, done = Judgment(tasks=labels), Pressed(case.id, pace)
    for stage in (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE):
        document = CaseDocument(case, judgment, stage=stage, policy=ReviewPolicy())
        desk.panels.set_document(document)
        desk.keyboard.navigation.forget()
        desk.panels.setFocus()
        _press_on(desk, document, pace, done)
        if document.assessment.blockers:
            done.stopped = problems_of(document.assessment)[0].message
            break
        case, judgment = document.case, document.judgment
    return done


def _press_on(desk: Desk, document: CaseDocument, pace: Pace, done: Pressed) -> None:
    eyes, idle, before = Eyes(desk.panels), 0.0, document.snapshot
    patience = _PATIENCE_SECONDS.get(pace.value, _OTHER_PATIENCE_SECONDS)
    while document.assessment.blockers and idle < patience:
        new_words = eyes.look()
        gap = 0.2 if pace is Pace.FIVE_A_SECOND else 0.31
        if pace is Pace.READING:
            gap += new_words / _WORDS_A_SECOND
        desk.keyboard.sight.look()
        eyes.wait(gap)
        desk.moment += gap
        key, note, desk.note = offered_key(desk, document), desk.note, ""
        desk.press(key)
        if document.snapshot is before:
            desk.note = desk.note or note
        idle = 0.0 if document.snapshot is not before else idle + gap
        _count(eyes, before.judgment, document, done)
        before = document.snapshot


def _count(eyes: Eyes, before: Judgment, document: CaseDocument, done: Pressed) -> None:
    """Count what was confirmed by the last press, and what of it was not on the screen."""
    after = document.judgment
    confirmed: list[tuple[tuple[int, ...], str]] = [
        ((number,), item)
        for number, (one, other) in enumerate(zip(before.tasks, after.tasks, strict=True))
        for item in _confirmed(one.checklist, other.checklist)
    ]
    every = tuple(range(len(after.tasks)))
    confirmed += [(every, item) for item in _confirmed(before.checklist, after.checklist)]
    for numbers, item in confirmed:
        done.confirmations += 1
        is_again = document.stage is Stage.SELF_CHECK_DIALOGUE  # its words were confirmed in the first round
        for number in numbers:
            missed = eyes.missed(document.case, number, item)
            if missed and not (is_again and missed.startswith("time")):
                done.unseen.append(f"{document.case.id}: {item} without {missed}")
                break


def _confirmed(before: dict[str, CheckAnswer | None], after: dict[str, CheckAnswer | None]) -> list[str]:
    return [item for item, said in after.items() if said in _CONFIRMING and before.get(item) is not said]


def offered_key(desk: Desk, document: CaseDocument) -> str:
    """The key the window offers where the person is; F8 where it offers none."""
    problem = desk.keyboard.navigation.problem
    if document.stage is Stage.SELF_CHECK_DIALOGUE:
        return _confirming_key(desk)
    if problem is None or problem.key not in {one.key for one in problems_of(document.assessment)}:
        return "C" if "C goes on" in desk.note else "F8"
    return _key_for(desk, document, problem)


def _key_for(desk: Desk, document: CaseDocument, problem: Problem) -> str:
    number = problem.task or 0
    found = document.case.tasks[number]
    offers = document.assessment.suggestions[number]
    if problem.kind == "drawing":
        return "G" if found.drawn_edges or offers else "U"
    if problem.kind == "evidence":
        return "Shift+E"
    if problem.kind == "label" and document.assessment.offers_of(number):
        return "="
    if problem.kind == "label" and problem.label == "policy" and derive_policy(found) is not None:
        return "Shift+P"
    if problem.kind == "checklist":
        return _confirming_key(desk)
    if problem.finding is not None and fix_for(problem.finding) is not None:
        return "F"
    return "1" if problem.kind == "label" else "F8"


def _confirming_key(desk: Desk) -> str:
    if "does not apply (-)" in desk.note:
        return "-"
    return "Space" if "Space confirms it" in desk.note else "C"


def presses_report(name: str, results: Sequence[Pressed]) -> list[str]:
    """The lines of the page about some cases."""
    cases = list(dict.fromkeys(one.case_id for one in results))
    lines = [
        "",
        f"### {len(cases)} {name}",
        "",
        "| pace | submitted | confirmations | not on the screen |",
        "| --- | ---: | ---: | ---: |",
    ]
    for pace in Pace:
        found = [one for one in results if one.pace is pace]
        figures = (
            sum(not one.stopped for one in found),
            sum(one.confirmations for one in found),
            sum(len(one.unseen) for one in found),
        )
        lines.append(f"| {pace.value} | {' | '.join(map(str, figures))} |")
    lines += ["", "| case | " + " | ".join(pace.value for pace in Pace) + " |", "| --- | --- | --- | --- |"]
    for case_id in cases:
        ends = [one.stopped for pace in Pace for one in results if (one.case_id, one.pace) == (case_id, pace)]
        lines.append(f"| {case_id} | {' | '.join(_end_words(end) for end in ends)} |")
    return lines


def _end_words(stopped: str) -> str:
    return stopped.replace("|", "/").replace("\n", " ")[:70] if stopped else "submitted"
