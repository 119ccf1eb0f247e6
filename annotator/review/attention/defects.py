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
from scoring.measures.accuracy import RELATIONS
from scoring.model.case import Case
from scoring.model.flow import Scalar, leaves, squeeze
from scoring.model.graph import check_task, step_name
from scoring.model.labels import Judgment, labels_of
from scoring.model.record import Record
from scoring.model.taxonomy import EdgeKind, Stage

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
Planter = tuple[Callable[[], Case], Defect]
"""The edit that plants a defect, and what it plants."""


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
        for planter in places[:_TRIES]:
            found = _made(*planter)
            if found is not None and not _noticed(found[0], stage, policy) - before:
                return found
    return None


def _made(edit: Callable[[], Case], defect: Defect) -> Planted | None:
    try:
        copy = edit()
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
            places = _places(task.answer.text, spoken) if spoken is not None else []
            if spoken is None or len(places) != 1:
                continue
            before, after = task.answer.text[: places[0]], task.answer.text[places[0] + len(spoken) :]
            for other_path, other in observed:
                text = _spoken(other)
                names = {squeeze(keys_of(place)[-1] if place else "") for place in (path, other_path)}
                is_alike = type(other) is type(leaf) and len(names) == 1
                if text is not None and is_alike and text not in task.answer.text:
                    yield _answered(case, t, text=before + text + after, gold=spoken, planted=text)
        if task.calls and answer_facts(dialogue, t).doubt is not Doubt.FAILED:
            denials = _DENIALS.get(case.language[:2].lower(), ())
            yield from (
                _answered(case, t, text=denial + task.answer.text, gold="", planted=denial.strip())
                for denial in denials
            )


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


def _answered(case: Case, task: int, *, text: str, gold: str, planted: str) -> Planter:
    return (
        partial(text_edits.set_answer_text, case, task, text=text),
        Defect(kind=DefectKind.ANSWER, task=task, gold=gold, planted=planted),
    )


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
                yield from (
                    (
                        partial(text_edits.set_argument_value, case, t, step=s, path=path, value=value),
                        Defect(kind=DefectKind.VALUE, task=t, step=s, path=path, gold=leaf, planted=value),
                    )
                    for value in fitting.values()
                )
            seen += _named(leaves(call.observation))


def _named(found: Iterator[tuple[str, Scalar]]) -> Iterator[tuple[str, Scalar]]:
    """Values under the last name on their way, past the numbers of lists."""
    for path, value in found:
        names = [key for key in keys_of(path) if not key.isdecimal()]
        if names and value is not None:
            yield (squeeze(names[-1]), value)


def _incomplete(case: Case) -> Iterator[Planter]:
    """Tasks in which the last call of several is missing that nothing but the answer waits for."""
    for t, task in enumerate(case.tasks):
        waited_for = {edge.source for edge in task.drawn_edges}
        if len(task.calls) > 1:
            yield from (
                (
                    partial(step_edits.delete_step, case, t, step=s),
                    Defect(kind=DefectKind.INCOMPLETE, task=t, gold=step_name(call)),
                )
                for s, call in task.calls
                if s not in waited_for
            )


# labels, requests and edges


def _informations(case: Case) -> Iterator[Planter]:
    return (
        (
            partial(text_edits.set_information, case, t, information=other),
            Defect(kind=DefectKind.INFORMATION, task=t, gold=task.information, planted=other.value),
        )
        for t, task in enumerate(case.tasks)
        if t and task.information in RELATIONS
        for other in RELATIONS
        if other is not task.information
    )


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
    return (
        (
            partial(text_edits.set_user_text, case, t, text=words + task.user),
            Defect(kind=DefectKind.REQUEST, task=t, gold="", planted=words.strip()),
        )
        for t, task in enumerate(case.tasks)
        for words in stiff
    )


def _orders(case: Case) -> Iterator[Planter]:
    return (
        (
            partial(edge_edits.remove_edge, case, t, source=edge.source, target=edge.target),
            Defect(kind=DefectKind.ORDER, task=t, step=edge.source, target=edge.target),
        )
        for t, task in enumerate(case.tasks)
        for edge in task.drawn_edges
        if edge.kind is EdgeKind.LOGICAL
    )


_PLANTERS: Mapping[DefectKind, Callable[[Case], Iterator[Planter]]] = {
    DefectKind.ANSWER: _answers,
    DefectKind.VALUE: _values,
    DefectKind.INFORMATION: _informations,
    DefectKind.REQUEST: _requests,
    DefectKind.ORDER: _orders,
    DefectKind.INCOMPLETE: _incomplete,
}
