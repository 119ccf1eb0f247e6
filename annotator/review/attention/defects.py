"""Defects that no program reveals and a reader can see: planted into a copy of a gold case, one at a time."""

import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial

from pydantic import JsonValue

from annotator.cases.access import blinded
from annotator.cases.edits import edge_edits, step_edits, text_edits
from annotator.cases.evidence.answer_facts import Doubt, answer_facts
from annotator.cases.evidence.dialogue import Dialogue
from annotator.cases.findings.checks import check_case, visible_findings
from annotator.cases.pointers import keys_of
from annotator.drafts.checklists import items_of
from annotator.project.policy import ReviewPolicy
from scoring.errors import AnnotatorError
from scoring.model.case import Call, Case
from scoring.model.flow import Scalar, leaves, squeeze
from scoring.model.graph import check_task, step_name
from scoring.model.labels import Judgment, labels_of
from scoring.model.record import Record
from scoring.model.taxonomy import EdgeKind, Information, Stage

_TRIES = 6
"""How many places of one kind are tried in a case: each costs a check of the whole case."""
_LONGEST_WORDS = 120


class DefectKind(StrEnum):
    """The categories of planted defects."""

    ANSWER = "contradicting_answer"
    VALUE = "wrong_value"
    INFORMATION = "wrong_information"
    REQUEST = "unnatural_request"
    ORDER = "missing_order"
    INCOMPLETE = "incomplete_task"


KINDS_AT: Mapping[Stage, tuple[DefectKind, ...]] = {
    Stage.SELF_CHECK_TASK: (
        DefectKind.ANSWER,
        DefectKind.VALUE,
        DefectKind.INFORMATION,
        DefectKind.REQUEST,
        DefectKind.ORDER,
    ),
    Stage.CROSS_CHECK: (DefectKind.ANSWER, DefectKind.VALUE, DefectKind.INCOMPLETE),
}
"""What can be seen at a stage: a blind reviewer is never shown labels and edges of others."""


class Defect(Record):
    """One planted defect: what it is, where, and how the place reads in the gold case and in the copy.

    `step` is the call, or the step an order begins at; `path` points into its arguments; `target` is the
    step at which a missing order ends. For texts `gold` and `planted` are the part that differs.
    """

    kind: DefectKind
    task: int
    step: int | None = None
    path: str | None = None
    target: int | None = None
    gold: JsonValue = None
    planted: JsonValue = None

    @property
    def words(self) -> str:
        """What was planted, as a sentence."""
        place = f"Task {self.task + 1}"
        gold, planted = _quoted(self.gold), _quoted(self.planted)
        labels = f"{self.planted} in place of {self.gold}".replace("_", " ")
        return {
            DefectKind.ANSWER: f"{place}: the answer said {planted}, which the observations contradict.",
            DefectKind.VALUE: f"{place}, step {self.step}: {self.path} was {planted} in place of {gold}.",
            DefectKind.INFORMATION: f"{place}: the information type was {labels}.",
            DefectKind.REQUEST: f"{place}: nobody writes {planted} in a request.",
            DefectKind.ORDER: f"{place}: the order from step {self.step} to step {self.target} was left out.",
            DefectKind.INCOMPLETE: (
                f"{place}: the call of {self.gold} was left out, so that the task was not completed."
            ),
        }[self.kind]


def _quoted(value: JsonValue) -> str:
    text = " ".join((value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)).split())
    return f"“{text}”" if len(text) <= _LONGEST_WORDS else f"“{text[:_LONGEST_WORDS]}…”"


Planted = tuple[Case, Defect]
Planter = Callable[[], Planted]


def plant(
    case: Case, *, stage: Stage, kinds: Sequence[DefectKind], policy: ReviewPolicy, chance: random.Random
) -> Planted | None:
    """Plant one defect that the checks do not reveal.

    Args:
        case: A gold case.
        stage: Where the copy will be reviewed; what is hidden there is checked as it is seen there.
        kinds: The kinds to try, the first that can be planted is taken.
        policy: Says what blind reviewers are not shown.
        chance: Draws the place.

    Returns:
        The copy, still under the id of the gold case, with its defect; None where none could be planted.
    """
    before = _noticed(case, stage, policy)
    for kind in kinds:
        places = list(_PLANTERS[kind](case))
        chance.shuffle(places)
        for make in places[:_TRIES]:
            found = _made(make)
            if found is not None and not _noticed(found[0], stage, policy) - before:
                return found
    return None


def _made(make: Planter) -> Planted | None:
    try:
        copy, defect = make()
        for task in copy.tasks:
            check_task(task)
    except AnnotatorError:
        return None
    return copy, defect


def _noticed(case: Case, stage: Stage, policy: ReviewPolicy) -> Counter[tuple[object, ...]]:
    """What a program says about a case at a stage: findings, and what speaks against an item of a checklist.

    Places within a task are left out: they move where a step is missing.
    """
    is_blind = stage is Stage.CROSS_CHECK
    shown = blinded(case, policy.blind_fields) if is_blind else case
    findings = visible_findings(shown, is_blind=True) if is_blind else check_case(case, undrawn=())
    noticed: Counter[tuple[object, ...]] = Counter((finding.rule, finding.task) for finding in findings)
    if not is_blind:
        drawn = tuple(labels.model_copy(update={"drawn": True}) for labels in labels_of(case))
        for item in items_of(Dialogue(case), Judgment(tasks=drawn), stage=stage):
            if item.against:
                noticed["against", item.task, item.id, item.against] += 1
            if item.doubt is not None:
                noticed["doubt", item.task, item.id] += 1
            elif item.proof is None:
                noticed["open", item.task, item.id] += 1
    return noticed


# answers


def _answers(case: Case) -> Iterator[Planter]:
    """Answers in which a value of an observation is another one of the same observations."""
    dialogue = Dialogue(case)
    for t, task in enumerate(case.tasks):
        if task.answer is None:
            continue
        observed = [(path, leaf) for _, call in task.calls for path, leaf in leaves(call.observation)]
        for path, leaf in observed:
            spoken = _spoken(leaf)
            if spoken is None or len(_places(task.answer.text, spoken)) != 1:
                continue
            for other_path, other in observed:
                text = _spoken(other)
                names = {squeeze(keys_of(place)[-1] if place else "") for place in (path, other_path)}
                is_alike = type(other) is type(leaf) and len(names) == 1
                if text is not None and is_alike and text not in task.answer.text:
                    yield partial(_with_answer, case, t, spoken, text)
        if task.calls and answer_facts(dialogue, t).doubt is not Doubt.FAILED:
            denials = _DENIALS.get(case.language[:2].lower(), ())
            yield from (partial(_denied, case, t, denial) for denial in denials)


_DENIALS = {
    "en": ("That could not be done. ", "Unfortunately nothing was found for this. "),
    "zh": ("这件事没有办成。", "很遗憾，没有查到任何结果。"),
}
"""Sentences before an answer that deny what the calls brought, by language."""


def _spoken(value: Scalar) -> str | None:
    """A value as an answer says it; None for what is too short or no value of its own."""
    if value is None or isinstance(value, bool):
        return None
    text = str(value)
    return text if 2 <= len(text) <= _LONGEST_WORDS and text.strip() else None


def _places(text: str, part: str) -> list[int]:
    return [found.start() for found in re.finditer(rf"(?<![\w.]){re.escape(part)}(?![\w]|\.\d)", text)]


def _with_answer(case: Case, task: int, said: str, text: str) -> Planted:
    answer = case.tasks[task].answer
    assert answer is not None
    (at,) = _places(answer.text, said)
    changed = answer.text[:at] + text + answer.text[at + len(said) :]
    defect = Defect(kind=DefectKind.ANSWER, task=task, gold=said, planted=text)
    return text_edits.set_answer_text(case, task, text=changed), defect


def _denied(case: Case, task: int, denial: str) -> Planted:
    answer = case.tasks[task].answer
    assert answer is not None
    defect = Defect(kind=DefectKind.ANSWER, task=task, gold="", planted=denial.strip())
    return text_edits.set_answer_text(case, task, text=denial + answer.text), defect


# calls


def _values(case: Case) -> Iterator[Planter]:
    """Calls in which a value is one of the wrong observation, of the same type."""
    seen: list[tuple[str, Scalar]] = []
    for t, task in enumerate(case.tasks):
        for s, call in task.calls:
            for path, leaf in leaves(call.arguments):
                fitting = {
                    repr(value): value
                    for name, value in seen
                    if name == squeeze(keys_of(path)[-1]) and type(value) is type(leaf) and value != leaf
                }
                yield from (partial(_with_value, case, (t, s), path, value) for value in fitting.values())
            seen += _named(leaves(call.observation))


def _named(found: Iterator[tuple[str, Scalar]]) -> Iterator[tuple[str, Scalar]]:
    """Values under the last name on their way, past the numbers of lists."""
    for path, value in found:
        names = [key for key in keys_of(path) if not key.isdecimal()]
        if names and value is not None:
            yield (squeeze(names[-1]), value)


def _with_value(case: Case, place: tuple[int, int], path: str, value: Scalar) -> Planted:
    task, step = place
    call = case.tasks[task].steps[step]
    assert isinstance(call, Call)
    gold = dict(leaves(call.arguments))[path]
    copy = text_edits.set_argument_value(case, task, step=step, path=path, value=value)
    return copy, Defect(kind=DefectKind.VALUE, task=task, step=step, path=path, gold=gold, planted=value)


def _incomplete(case: Case) -> Iterator[Planter]:
    """Tasks in which the last call of several is missing that nothing but the answer waits for."""
    for t, task in enumerate(case.tasks):
        waited_for = {edge.source for edge in task.drawn_edges}
        if len(task.calls) > 1:
            yield from (partial(_without_call, case, t, s) for s, _ in task.calls if s not in waited_for)


def _without_call(case: Case, task: int, step: int) -> Planted:
    copy = step_edits.delete_step(case, task, step=step)
    return copy, Defect(kind=DefectKind.INCOMPLETE, task=task, gold=step_name(case.tasks[task].steps[step]))


# labels, requests and edges


def _informations(case: Case) -> Iterator[Planter]:
    types = (Information.OMISSION, Information.REFERENCE, Information.LONG_RANGE)
    return (
        partial(_with_information, case, t, other)
        for t, task in enumerate(case.tasks)
        if t and task.information in types
        for other in types
        if other is not task.information
    )


def _with_information(case: Case, task: int, other: Information) -> Planted:
    gold = case.tasks[task].information
    defect = Defect(kind=DefectKind.INFORMATION, task=task, gold=gold, planted=other.value)
    return text_edits.set_information(case, task, information=other), defect


_STIFF = {
    "en": (
        "The undersigned hereby solicits the following. ",
        "Kindly effectuate the subsequent matter forthwith. ",
        "It is requested by this user that the below be performed. ",
        "Please to be executing for me now this demand. ",
    ),
    "zh": ("兹特此向贵方申请办理下列事宜：", "本用户现正式提出如下请求，请予执行："),
}
"""What no person would write before a request, by language."""


def _requests(case: Case) -> Iterator[Planter]:
    stiff = _STIFF.get(case.language[:2].lower(), ())
    return (partial(_with_request, case, t, words) for t in range(len(case.tasks)) for words in stiff)


def _with_request(case: Case, task: int, words: str) -> Planted:
    defect = Defect(kind=DefectKind.REQUEST, task=task, gold="", planted=words.strip())
    return text_edits.set_user_text(case, task, text=words + case.tasks[task].user), defect


def _orders(case: Case) -> Iterator[Planter]:
    return (
        partial(_without_edge, case, t, edge.pair)
        for t, task in enumerate(case.tasks)
        for edge in task.drawn_edges
        if edge.kind is EdgeKind.LOGICAL
    )


def _without_edge(case: Case, task: int, pair: tuple[int, int]) -> Planted:
    copy = edge_edits.remove_edge(case, task, source=pair[0], target=pair[1])
    return copy, Defect(kind=DefectKind.ORDER, task=task, step=pair[0], target=pair[1])


_PLANTERS: Mapping[DefectKind, Callable[[Case], Iterator[Planter]]] = {
    DefectKind.ANSWER: _answers,
    DefectKind.VALUE: _values,
    DefectKind.INFORMATION: _informations,
    DefectKind.REQUEST: _requests,
    DefectKind.ORDER: _orders,
    DefectKind.INCOMPLETE: _incomplete,
}
