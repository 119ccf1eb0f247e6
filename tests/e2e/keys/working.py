"""A person at work on one case by keys: looks, decides on the next intent, presses; begins anywhere.

Each function yields after every key, and while it waits; whoever drives it decides how fast.
"""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from scoring.model.taxonomy import Information, Policy
from scoring.wording import POLICY
from tests.e2e.keys.plan import CasePlan, TaskPlan
from tests.e2e.keys.window import Hands, Seen

Step = Iterator[None]
_SECONDS_BETWEEN_KEYS = 0.2
_SECONDS_OF_THOUGHT = 1.0


@dataclass
class Person:
    """Somebody with a plan for a case and a keyboard.

    `noted` is told the task and the text whenever a letter of an answer was typed. `decisions` counts the
    intents; each is a moment of thought.
    """

    plan: CasePlan
    seen: Seen
    hands: Hands
    noted: Callable[[int, str], None]
    decisions: int = 0
    intents: list[str] = field(default_factory=list)
    _pressed_at: float = 0.0

    def work(self) -> Step:
        """From wherever the window stands to the case's submission for cross-check."""
        yield from self._reach_the_case()
        while not self._is_over():
            if self.seen.is_shown("check-coherence"):
                yield from self._settle()
            else:
                for number in range(len(self.plan.tasks)):
                    yield from self._finish_answer(number)
                    yield from self._draw(number)
                yield from self._settle()
            yield from self._submit()

    # intents

    def _reach_the_case(self) -> Step:
        yield from self._until(lambda: self.seen.page() in ("queue-page", "workbench-page"))
        self._decide("take the case")
        while not self.seen.is_shown("case-panels") and not self._is_over():
            yield from self._press("N")
            yield from self._pause(lambda: self.seen.is_shown("case-panels") or self._is_over())
        yield

    def _finish_answer(self, number: int) -> Step:
        """Go on with an answer that was begun when the program was killed."""
        wanted = self.plan.tasks[number].answer
        if wanted is None:
            return
        yield from self._go_to_task(number)
        card = self.seen.answer_card(number)
        part = card.part("text") if card is not None else None
        if card is None or card.content.step < 0 or part is None or part.part.value == wanted:
            return
        self._decide(f"finish the answer of task {number + 1}")
        yield from self._press(f"Alt+{number + 1}")
        for _ in range(card.content.step + 1):
            yield from self._press("J")
        yield from self._press("F2")
        yield from self._write_answer(number)

    def _write_answer(self, number: int) -> Step:
        """Write into the editor that is open what is not there yet."""
        wanted, written = self.plan.tasks[number].answer, self.seen.typed()
        assert wanted is not None, f"task {number + 1} has an answer already"
        assert written is not None, f"no editor opened for the answer of task {number + 1}"
        if wanted.startswith(written):
            yield from self._press("Ctrl+End")
        else:
            yield from self._press("Ctrl+A")
            written = ""
        for letter in wanted[len(written) :]:
            self.hands.type(letter)
            self.noted(number, self.seen.typed() or "")
            yield
        yield from self._press("Ctrl+Return")

    def _draw(self, number: int) -> Step:
        yield from self._go_to_task(number)
        if self.seen.is_shown("graph-accept-all") or self.seen.is_offered("graph-suggested"):
            self._decide("draw what is suggested")
            yield from self._press("G")
        for source, target in self.plan.tasks[number].edges:
            if (source, target) in self.seen.edges():
                continue
            self._decide(f"draw {source} to {target}")
            for key in ("V", str(source), "D", str(target)):
                yield from self._press(key)
            yield from self._press("Esc")

    def _settle(self) -> Step:
        """Go from problem to problem until the case can be submitted."""
        while not self._can_submit():
            if "leads to: " in self._next_keys():
                self._decide("next problem")
                yield from self._press("F8")
            yield from self._settle_one(self._next_keys())

    def _settle_one(self, note: str) -> Step:
        number = self._task_shown()
        task = self.plan.tasks[number]
        if "Answer missing" in note:
            self._decide("write the answer")
            yield from self._press("Return")
            yield from self._write_answer(number)
        elif "not drawn" in note:
            self._decide("confirm the drawing")
            yield from self._press("G" if self.seen.is_offered("graph-suggested") else "U")
        elif "choose the policy" in note:
            yield from self._choose_policy(task)
        elif "choose the information" in note:
            self._decide("choose the information type")
            yield from self._press("I")
            yield from self._press(str(list(Information).index(task.information) + 1))
        elif "say where" in note:
            yield from self._say_where(note, task)
        elif "confirm" in note or "checklist" in note:
            self._decide("confirm an item")
            named = re.search(r"\. (Space|C) (?:confirms|shows|leads)", note)
            yield from self._press(named[1] if named else "-")
        else:
            raise AssertionError(f"nobody told this person what to do about: {note!r}")

    def _choose_policy(self, task: TaskPlan) -> Step:
        self._decide("choose the policy")
        if POLICY[task.policy].lower() in self.seen.text("label-drawn").lower():
            yield from self._press("Shift+P")
        else:
            yield from self._press("P")
            yield from self._press(str(list(Policy).index(task.policy) + 1))

    def _say_where(self, note: str, task: TaskPlan) -> Step:
        step = re.search(r"step (\d+)", note)
        self._decide("say where values come from")
        if self.seen.source_of_current_value().endswith("?"):
            yield from self._press("Shift+E")
        else:
            mark = task.marks[int(step[1]) if step else 0]
            yield from self._press(mark)
            if mark == "R":  # it asks from what, which takes a thought; what comes at once is a sentence
                yield from self._until(lambda: self.seen.has_keys("derived-from"))
                yield from self._until(lambda: time.monotonic() - self._pressed_at >= _SECONDS_OF_THOUGHT)
                for letter in "rounded up":
                    self.hands.type(letter)
                    yield
                yield from self._press("Return")

    def _submit(self) -> Step:
        was_dialogue = self.seen.is_shown("check-coherence")
        self._decide("submit")
        yield from self._press("Ctrl+Return")
        yield from self._until(
            lambda: self._is_over() or self.seen.is_shown("check-coherence") is not was_dialogue
        )

    # small things

    def _next_keys(self) -> str:
        """What the bar says the next key does."""
        return self.seen.text("workbench-next-keys")

    def _task_shown(self) -> int:
        return next(n for n in range(len(self.plan.tasks)) if self.seen.is_marked(f"task-{n}"))

    def _go_to_task(self, number: int) -> Step:
        if self._task_shown() != number:
            yield from self._press(f"Alt+{number + 1}")

    def _press(self, keys: str) -> Step:
        # Commands at the pace of a word are taken for a sentence; nobody presses them like that.
        yield from self._until(lambda: time.monotonic() - self._pressed_at >= _SECONDS_BETWEEN_KEYS)
        self.hands.press(keys)
        self._pressed_at = time.monotonic()
        yield

    def _decide(self, intent: str) -> None:
        self.decisions += 1
        self.intents.append(intent)

    def _can_submit(self) -> bool:
        button = self.seen.button("workbench-submit")
        return button is not None and button.isEnabled()

    def _is_over(self) -> bool:
        """Whether the case was handed on; the queue says then that nothing is left."""
        is_submitted = self.seen.text("between-title") == "Submitted"
        return is_submitted or (self.seen.page() == "queue-page" and self.seen.is_shown("queue-notice"))

    def _until(self, condition: Callable[[], bool]) -> Step:
        while not condition():
            yield

    def _pause(self, condition: Callable[[], bool]) -> Step:
        for _ in range(100):
            if condition():
                return
            yield
