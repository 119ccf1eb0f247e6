"""Which items of the checklists a case is asked for, what a program proves of them, and what to look at."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import partial

from annotator.cases.evidence.answer_facts import Doubt, answer_facts
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.evidence.passages import words_of
from annotator.cases.findings.information import HiddenValues, hidden_values, says_every_value
from annotator.cases.phrases import listed, quoted
from annotator.project.policy import ReviewPolicy
from scoring.model.case import Task
from scoring.model.graph import derive_policy
from scoring.model.labels import CASE_CHECKLIST, TASK_CHECKLIST, Judgment, TaskLabels
from scoring.model.taxonomy import SELF_CHECKS, CheckAnswer, Information, Stage
from scoring.wording import counted

_MOST_ALIKE = 0.5
"""Share of words in the same order from which two requests are too alike to be told apart unseen."""
_COPIED = 0.85
"""Share from which one request is the other with a word changed."""
_MOST_NAMED = 4
_SHIPPED = ReviewPolicy()
_NO_WORD = re.compile(r"[a-z][A-Z]|_|\d")


class ProofKind(StrEnum):
    """What a program found out about an item."""

    FACTS = "facts"
    DRAWING = "drawing"
    HIDDEN = "hidden"
    DISTINCT = "distinct"


@dataclass(frozen=True)
class Proof:
    """Why an item holds: what was found, and the values that show it."""

    kind: ProofKind
    values: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The proof as a sentence."""
        match self.kind:
            case ProofKind.FACTS:
                return f"Every word and value of the answer stands before it: {_named(self.values)}."
            case ProofKind.DRAWING:
                return f"The label says what the drawing shows: {self.values[0]}."
            case ProofKind.HIDDEN:
                count, distance, label = self.values
                values, turns = counted(int(count), "value is", "values are"), counted(int(distance), "turn")
                return f"{values} not in the request but up to {turns} before: {label}."
            case _:
                return f"The most similar request shares {self.values[0]} of the wording."


@dataclass(frozen=True)
class Item:
    """One item a case is asked for; `task` is None for those of the whole dialogue.

    `id` is that of a shipped item, or the sentence of one of the team's own.

    `proof` is what a program found out; None where only a person can judge. `against` is what speaks against
    the item, in the words of the dialogue: such an item is looked at by itself, never confirmed in passing.
    `doubt` and `unseen` say of the facts why a program could not prove them.
    """

    id: str
    task: int | None
    proof: Proof | None = None
    against: tuple[str, ...] = ()
    doubt: Doubt | None = None
    unseen: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What is confirmed."""
        return CASE_CHECKLIST[self.id] if self.task is None else TASK_CHECKLIST.get(self.id, self.id)

    @property
    def look(self) -> str:
        """What to look at, as a sentence."""
        if self.against and self.id in _AGAINST:
            return _AGAINST[self.id].format(named=_named(self.against))
        if self.doubt is Doubt.UNSEEN:
            return f"Stands nowhere before the answer: {_named(self.unseen)}. Is it true all the same?"
        return _DOUBTS[self.doubt] if self.doubt is not None else _LOOKS.get(self.id, _OWN_LOOK)


_LOOKS = {
    "relevant": "Read the request, then the answer: is everything asked for there, and nothing else?",
    "facts": "Compare each figure, name and time of the answer with the observations, one by one.",
    "language": "Read request and answer aloud: would a person say it, without names of tools or parameters?",
    "distinct": "Read the other requests: is this one more than a copy with a word changed?",
    "policy_fits": "Read only the request: does it call for what the label says?",
    "hidden": "Read only the request: is what the calls need missing there, and said before?",
    "coherence": "Read the requests in a row: could one person have had this conversation?",
    "retention": "Follow names, dates and choices from where they are said: do they still hold at the end?",
    "completed": "Read the last answer of each task: is the request met, or is it said honestly why not?",
    "gold_reference": "Open a gold example beside it (Ctrl+G): is this case as careful and as natural?",
}
_OWN_LOOK = "Your team asks this of every task."
_AGAINST = {
    "facts": "Stands nowhere before the answer and is no result of what does: {named}. "
    "Is it true all the same?",
    "language": "Names a tool as no person does: {named}. Should it?",
    "distinct": "Says almost the same as another request: {named}. Is it a task of its own?",
    "hidden": "Nothing is hidden from {named}: every value stands in the task itself or its tools. "
    "Is that meant?",
}
_DOUBTS = {
    Doubt.NOTHING: "The answer states no value of an observation: is what it says true?",
    Doubt.EXCHANGEABLE: "All values stand in the dialogue: is each of them said of the right thing?",
    Doubt.FAILED: "A call failed or its outcome is missing: does the answer say so, and invent nothing?",
    Doubt.UNREADABLE: _LOOKS["facts"],
}


def items_of(
    dialogue: Dialogue,
    judgment: Judgment,
    *,
    stage: Stage,
    policy: ReviewPolicy = _SHIPPED,
) -> tuple[Item, ...]:
    """The items a case can be asked for at a stage; those that cannot apply are absent.

    Args:
        dialogue: The prepared case.
        judgment: What is said about it so far; its `gold_reference` is there where a gold example is.
        stage: Stage of the assignment.
        policy: Says which items the team has of its own, and whether there is one self-check in place of
            two, with the items of both, as a case of one task has it in any case.

    Returns:
        The items of each task in order, then those of the whole dialogue.
    """
    tasks = [
        item
        for task in range(len(dialogue.case.tasks))
        for item in (
            *_task_items(dialogue, task, judgment),
            *(Item(sentence, task) for sentence in policy.own_checklist),
        )
    ]
    is_whole = policy.one_self_check or len(dialogue.case.tasks) == 1
    has_case_items = (
        stage is Stage.SELF_CHECK_DIALOGUE
        or (stage is Stage.SELF_CHECK_TASK and is_whole)
        or CheckAnswer.FAIL in judgment.checklist.values()
    )
    return (*tasks, *(_case_items(dialogue, judgment) if has_case_items else ()))


def is_asked(item: Item, stage: Stage) -> bool:
    """Whether an item has to be answered at a stage: each self-check asks for its own, a cross-check by task.

    The one self-check of a case of one task has items of the dialogue only because it asks for them.
    """
    if item.task is None:
        return stage in SELF_CHECKS
    return stage in (Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK)


def answer_of(item: Item, judgment: Judgment) -> CheckAnswer | None:
    """What a person answered; None for what is open or only proved."""
    said = judgment.checklist if item.task is None else judgment.tasks[item.task].checklist
    return said.get(item.id)


def is_open(item: Item, judgment: Judgment) -> bool:
    """Whether an item waits for a person: neither answered nor proved."""
    return item.proof is None and answer_of(item, judgment) is None


def next_open(items: Sequence[Item], judgment: Judgment, *, task: int | None) -> Item | None:
    """The first open item of a task, or of the dialogue where the task is None; None if there is none."""
    return next((item for item in items if item.task == task and is_open(item, judgment)), None)


def _task_items(dialogue: Dialogue, task: int, judgment: Judgment) -> Iterator[Item]:
    asked, labels = dialogue.case.tasks[task], judgment.tasks[task]
    yield Item("relevant", task)
    facts = answer_facts(dialogue, task)
    values = tuple(dict.fromkeys(fact.text for fact in facts.facts))
    proof = Proof(ProofKind.FACTS, values) if facts.doubt is None else None
    figures = tuple(word for word in facts.unseen if any(char.isdigit() for char in word))
    yield Item("facts", task, proof, figures if asked.calls else (), facts.doubt, facts.unseen)
    yield Item("language", task, against=_named_tools(dialogue, task))
    if len(dialogue.case.tasks) > 1 or _fails(labels.checklist, "distinct"):
        yield _distinct(dialogue, task)
    yield Item("policy_fits", task, _drawn_policy(asked, labels))
    if task > 0 or _fails(labels.checklist, "hidden"):
        yield _hidden(dialogue, task, judgment)


def _case_items(dialogue: Dialogue, judgment: Judgment) -> Iterator[Item]:
    is_long = len(dialogue.case.tasks) > 1
    asked = (item for item in ("coherence", "retention") if is_long or _fails(judgment.checklist, item))
    yield from (Item(item, None) for item in asked)
    yield Item("completed", None)
    if "gold_reference" in judgment.checklist:
        yield Item("gold_reference", None)


def _fails(said: Mapping[str, CheckAnswer | None], item: str) -> bool:
    """Whether somebody says that an item fails: it is shown then even where it could not apply."""
    return said.get(item) is CheckAnswer.FAIL


def _drawn_policy(task: Task, said: TaskLabels) -> Proof | None:
    is_drawn = said.drawn or not task.needs_drawing
    derived = derive_policy(task) if is_drawn and task.policy is not None else None
    return (
        Proof(ProofKind.DRAWING, (derived.value,)) if derived is not None and derived is task.policy else None
    )


def _hidden(dialogue: Dialogue, task: int, judgment: Judgment) -> Item:
    declared = dialogue.case.tasks[task].information
    found = hidden_in(dialogue, task, judgment)
    if found is None or declared in (None, Information.FIRST):
        return Item("hidden", task)
    if not found.count:
        # What a reply had to add was hidden too.
        has_asked = any(True for _ in dialogue.case.tasks[task].asks)
        is_asked_for = has_asked and not says_every_value(dialogue, task)
        return Item("hidden", task, against=() if is_asked_for else (dialogue.case.tasks[task].user,))
    if found.information is not declared:
        return Item("hidden", task)
    return Item(
        "hidden", task, Proof(ProofKind.HIDDEN, (str(found.count), str(found.farthest), str(declared)))
    )


def _named_tools(dialogue: Dialogue, task: int) -> tuple[str, ...]:
    """Names of tools in the request or the answer that are no words people say."""
    case = dialogue.case
    asked = case.tasks[task]
    text = f"{asked.user}\n{asked.answer.text if asked.answer else ''}"
    names = dict.fromkeys(tool.name for tool in case.tools if _NO_WORD.search(tool.name))
    return tuple(name for name in names if name in text)


def hidden_in(dialogue: Dialogue, task: int, judgment: Judgment) -> HiddenValues | None:
    """What a task hides, by the sources people accepted, else by what a program finds; None for unknown."""
    cited = [citation for citation in judgment.evidence if citation.accepted]
    return hidden_values(dialogue, task, citations=cited)


def _distinct(dialogue: Dialogue, task: int) -> Item:
    requests = tuple(one.user for one in dialogue.case.tasks)
    if len(requests) < 2:
        return Item("distinct", task)
    share, other = dialogue.once(("alike", task), partial(_likeness, requests, task))
    if share >= _COPIED:
        return Item("distinct", task, against=(requests[other],))
    return Item(
        "distinct", task, Proof(ProofKind.DISTINCT, (f"{share:.0%}",)) if share < _MOST_ALIKE else None
    )


def _likeness(requests: Sequence[str], task: int) -> tuple[float, int]:
    """How much of its words, in their order, the most similar other request shares, and which that is."""
    own = words_of(requests[task])
    others = ((words_of(request), number) for number, request in enumerate(requests) if number != task)
    return max(
        (SequenceMatcher(None, own, other, autojunk=False).ratio(), number) for other, number in others
    )


def _named(values: Sequence[str]) -> str:
    shown = [quoted(value) for value in values[:_MOST_NAMED]]
    return listed([*shown, f"{len(values) - _MOST_NAMED} more"] if len(values) > _MOST_NAMED else shown)
