"""Cutting a chat into tasks: what opens one, what was a question, whose result is whose (formats 10.1)."""

from collections.abc import Sequence
from typing import Literal

from scoring.errors import InputError
from scoring.formats.chat_messages import Message
from scoring.formats.questions import is_question
from scoring.model.case import Answer, Ask, Call, Step, Task
from scoring.model.graph import with_drawn_edges
from scoring.model.taxonomy import Information


class _Draft:
    """A task while its messages are being read."""

    def __init__(self, user: str) -> None:
        self.user = user
        self.steps: list[Step] = []
        self.has_calls = False
        self.text: str | None = None
        self._rounds = 0
        self._current: dict[int, str | None] = {}
        self._by_id: dict[str, list[int]] = {}

    def call(self, message: Message) -> None:
        """Add one round of calls; a text before it or in it is the thought of its first call."""
        thought = "\n".join(text for text in (self.text, message.text) if text) or None
        self.text = None
        self._current = {}
        for call in message.calls:
            position = len(self.steps)
            self._current[position] = call.id
            if call.id is not None:
                self._by_id.setdefault(call.id, []).append(position)
            self.steps.append(
                Call(name=call.name, arguments=call.arguments, recorded_round=self._rounds, thought=thought)
            )
            thought = None
        self.has_calls = True
        self._rounds += 1

    def ask(self, question: str, reply: str) -> None:
        """Add a question with its reply."""
        self.steps.append(Ask(text=question, reply=reply, recorded_round=self._rounds))
        self._rounds += 1

    def result(self, message: Message) -> bool:
        """Join a result to its call; false where no call waits for it."""
        position = self._awaiting(message)
        step = None if position is None else self.steps[position]
        if position is None or not isinstance(step, Call):
            return False
        self.steps[position] = step.model_copy(update={"observation": message.observation})
        return True

    def _awaiting(self, message: Message) -> int | None:
        """By id; by name for a legacy function; by order in the last round where either has no id."""
        if message.answers_id and (known := self._by_id.get(message.answers_id)):
            position = next((p for p in known if p in self._current), known[-1])
            known.remove(position)
            self._current.pop(position, None)
            return position
        for position, call_id in self._current.items():
            step = self.steps[position]
            is_named = message.role == "tool" or message.answers_name in (None, getattr(step, "name", None))
            if is_named and not (message.answers_id and call_id):
                del self._current[position]
                return position
        return None

    def close(self, information: Information | None) -> Task:
        """Finish the task; its last text, unless calls followed it, is the answer."""
        steps = list(self.steps)
        if self.text is not None:
            kind: Literal["tool", "chat"] = "tool" if self.has_calls else "chat"
            steps.append(Answer(text=self.text, answer_type=kind, recorded_round=self._rounds))
        return with_drawn_edges(Task(user=self.user, information=information, steps=tuple(steps)), [])


def read_chat(messages: Sequence[Message], notes: list[str]) -> tuple[list[Task], list[str | None]]:
    """Cut messages into tasks.

    Args:
        messages: The messages after the leading system messages.
        notes: Gets a sentence for each message that stays beside the case.

    Returns:
        The tasks in order, and the id of each call in order (null where the file gives none).

    Raises:
        InputError: Tools are called before any user message.
    """
    drafts: list[_Draft] = []
    early, late = _asked_at(messages)
    ids: list[str | None] = []
    i = 0
    while i < len(messages):
        message = messages[i]
        if message.role == "user":
            drafts.append(_Draft(message.text or ""))
        elif not drafts:
            _before_any_task(message, notes)
        elif message.calls:
            drafts[-1].call(message)
            ids.extend(call.id for call in message.calls)
        elif message.role == "assistant" and message.text is not None:
            if i in (late if drafts[-1].has_calls else early):
                drafts[-1].ask(message.text, messages[i + 1].text or "")
                i += 1
            else:
                if drafts[-1].text is not None:
                    notes.append(
                        f"messages[{message.at}] follows another text, which is kept beside the case."
                    )
                drafts[-1].text = message.text
        elif message.role in ("tool", "function"):
            if not drafts[-1].result(message):
                notes.append(f"messages[{message.at}] answers no call of its task; kept beside the case.")
        else:
            notes.append(f"messages[{message.at}] ({message.role}) adds nothing; kept beside the case.")
        i += 1
    tasks = [draft.close(Information.FIRST if t == 0 else None) for t, draft in enumerate(drafts)]
    return tasks, ids


def _before_any_task(message: Message, notes: list[str]) -> None:
    if message.calls:
        raise InputError(
            f"messages[{message.at}] calls tools before any user message.",
            "A call belongs to a task, which a user message opens.",
        )
    notes.append(f"messages[{message.at}] stands before any task; kept beside the case.")


def _asked_at(messages: Sequence[Message]) -> tuple[frozenset[int], frozenset[int]]:
    """Where an assistant text is a question: the user replies and, maybe after more questions, calls follow.

    Returns:
        The positions before any call of the task, and those after some.
    """
    asked: tuple[set[int], set[int]] = (set(), set())
    for i in range(len(messages) - 3, -1, -1):
        text, reply, following = messages[i : i + 3]
        if text.role != "assistant" or text.calls or text.text is None or reply.role != "user":
            continue
        for positions, after_calls in zip(asked, (False, True), strict=True):
            goes_on = bool(following.calls) or i + 2 in positions
            if goes_on and is_question(text.text, after_calls=after_calls):
                positions.add(i)
    return frozenset(asked[0]), frozenset(asked[1])
