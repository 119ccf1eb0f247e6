"""Cutting a chat into tasks: what opens one, what was a question, whose result is whose (formats 10.1)."""

from collections.abc import Sequence
from dataclasses import dataclass

from scoring.errors import InputError
from scoring.formats.chat.messages import Message
from scoring.formats.chat.questions import is_question
from scoring.model.case import Answer, Ask, Call, Step, Task
from scoring.model.graph import with_drawn_edges
from scoring.model.taxonomy import Information


@dataclass(frozen=True)
class Chat:
    """A chat cut into tasks.

    `ids` has one item for each call in order, None where the file gives no id. `origins` has one item
    for each message by which we would write the tasks: the position of the message it was read from.
    """

    tasks: tuple[Task, ...]
    ids: tuple[str | None, ...]
    origins: tuple[int, ...]


class _Draft:
    """A task while its messages are being read."""

    def __init__(self, message: Message) -> None:
        self.has_calls = False
        self._user = message.text or ""
        self._steps: list[Step] = []
        self._rounds = 0
        self._text: Message | None = None
        self._current: dict[int, str | None] = {}
        self._by_id: dict[str, list[int]] = {}
        # Where each message we would write was read, sorted by round, and results by their call.
        self._origins: list[tuple[int, int, int]] = [(-1, -1, message.at)]

    def call(self, message: Message) -> None:
        """Add one round of calls; a text before it or in it is the thought of its first call.

        Without a text it is the reasoning of the message, where the file has it.
        """
        texts = (self._text.text if self._text else None, message.text)
        thought = "\n".join(text for text in texts if text) or message.reasoning
        self._text = None
        self._origins.append((self._rounds, -1, message.at))
        self._current = {}
        for call in message.calls:
            position = len(self._steps)
            self._current[position] = call.id
            if call.id is not None:
                self._by_id.setdefault(call.id, []).append(position)
            self._steps.append(
                Call(
                    name=call.name,
                    arguments=call.arguments,
                    recorded_round=self._rounds,
                    thought=thought,
                    accepted=call.accepted,
                )
            )
            thought = None
        self.has_calls = True
        self._rounds += 1

    def ask(self, question: Message, reply: Message) -> None:
        """Add a question with its reply."""
        self._steps.append(Ask(text=question.text or "", reply=reply.text or "", recorded_round=self._rounds))
        self._origins += [(self._rounds, 0, question.at), (self._rounds, 1, reply.at)]
        self._rounds += 1

    def say(self, message: Message) -> bool:
        """Take a text that may be the answer; false where it takes the place of an earlier one."""
        is_first = self._text is None
        self._text = message
        return is_first

    def result(self, message: Message) -> bool:
        """Join a result to its call; false where no call waits for it."""
        position = self._awaiting(message)
        step = None if position is None else self._steps[position]
        if position is None or not isinstance(step, Call):
            return False
        self._steps[position] = step.model_copy(update={"observation": message.observation})
        if message.observation is not None and step.recorded_round is not None:
            self._origins.append((step.recorded_round, position, message.at))
        return True

    def _awaiting(self, message: Message) -> int | None:
        """By id; by name for a legacy function; by order in the last round where either has no id."""
        if message.answers_id and (known := self._by_id.get(message.answers_id)):
            first = len(known) - 1
            while first > 0 and known[first - 1] in self._current:
                first -= 1
            position = known.pop(first)
            self._current.pop(position, None)
            return position
        for position, call_id in self._current.items():
            step = self._steps[position]
            is_named = message.role == "tool" or message.answers_name in (None, getattr(step, "name", None))
            if is_named and not (message.answers_id and call_id):
                del self._current[position]
                if call_id is not None:
                    self._by_id[call_id].remove(position)
                return position
        return None

    def close(self, information: Information | None) -> tuple[Task, list[int]]:
        """Finish the task; its last text, unless calls followed it, is the answer.

        Returns:
            The task, and the place each message that we would write was read from.
        """
        steps = list(self._steps)
        origins = list(self._origins)
        if self._text is not None:
            steps.append(
                Answer(
                    text=self._text.text or "",
                    answer_type="tool" if self.has_calls else "chat",
                    recorded_round=self._rounds,
                    thought=self._text.reasoning,
                )
            )
            origins.append((self._rounds, 0, self._text.at))
        task = Task(user=self._user, information=information, steps=tuple(steps))
        return with_drawn_edges(task, []), [at for _, _, at in sorted(origins)]


def read_chat(messages: Sequence[Message], notes: list[str]) -> Chat:
    """Cut messages into tasks.

    Args:
        messages: The messages after the leading system messages.
        notes: Gets a sentence for each message that stays beside the case.

    Raises:
        InputError: Tools are called before any user message.
    """
    drafts: list[_Draft] = []
    questions = _asked_at(messages)
    replies: set[int] = set()
    for i, message in enumerate(messages):
        if i in replies:
            continue
        if message.role == "user":
            drafts.append(_Draft(message))
        elif not drafts:
            _before_any_task(message, notes)
        elif message.text is not None and i in questions[drafts[-1].has_calls]:
            drafts[-1].ask(message, messages[i + 1])
            replies.add(i + 1)
        else:
            _continue(drafts[-1], message, notes)
    closed = [draft.close(Information.FIRST if t == 0 else None) for t, draft in enumerate(drafts)]
    return Chat(
        tasks=tuple(task for task, _ in closed),
        ids=tuple(call.id for message in messages for call in message.calls),
        origins=tuple(at for _, origins in closed for at in origins),
    )


def _continue(draft: _Draft, message: Message, notes: list[str]) -> None:
    at = f"messages[{message.at}]"
    if message.calls:
        draft.call(message)
    elif message.role == "assistant" and message.text is not None:
        if not draft.say(message):
            notes.append(f"{at} follows another text, which is kept beside the case.")
    elif message.role in ("tool", "function"):
        if not draft.result(message):
            notes.append(f"{at} answers no call of its task; kept beside the case.")
    else:
        notes.append(f"{at} ({message.role}) adds nothing; kept beside the case.")


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
