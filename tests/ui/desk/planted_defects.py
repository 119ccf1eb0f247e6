"""Eighty defects planted into the bundled cases, and a hasty reviewer who takes every first offer."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from annotator.cases.edits import edge_edits, text_edits
from annotator.cases.pointers import keys_of
from annotator.drafts.checklists import next_open
from annotator.drafts.shown import why_not
from annotator.project.policy import ReviewPolicy
from scoring.errors import AnnotatorError
from scoring.model.case import Call, Case, content_sha256
from scoring.model.flow import leaves
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import CheckAnswer, EdgeKind, Information, Policy, Stage
from ui.desk import case_actions, judgment_actions
from ui.desk.document import CaseDocument

PER_KIND = 4
_FIGURE = re.compile(r"\b\d{2,}(?:\.\d+)?\b")

Plant = Callable[[Case], Iterator[Case]]


class Outcome(StrEnum):
    """What became of a defect in the hands of the hasty reviewer."""

    STOPPED = "stopped"
    REPAIRED = "repaired"
    PASSED = "passed"


@dataclass(frozen=True)
class Kind:
    """One kind of defect.

    `why` says why only a person can see it; empty where the program can prove it.
    """

    name: str
    plant: Plant
    why: str = ""


@dataclass(frozen=True)
class Result:
    """One planted defect and its end; `words` are the first open point where it was stopped."""

    kind: Kind
    case_id: str
    outcome: Outcome
    words: str = ""


# the hasty reviewer


def review_hastily(case: Case) -> tuple[CaseDocument, tuple[str, ...]]:
    """Take the first offer everywhere, through both self-checks; gives what still stops the submission."""
    labels = tuple(
        one if one.drawn is None else one.model_copy(update={"drawn": False}) for one in labels_of(case)
    )
    judgment = Judgment(tasks=labels)
    for stage in (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE):
        document = CaseDocument(case, judgment, stage=stage, policy=ReviewPolicy())
        for _ in range(2):
            for task in range(len(document.case.tasks)):
                document.select(task)
                _take_offers(document)
        _confirm(document, None)
        stopped = tuple(blocker.message for blocker in document.assessment.blockers)
        if stopped:
            break
        case, judgment = document.case, document.judgment
    return document, stopped


def _take_offers(document: CaseDocument) -> None:
    task = document.selection.task
    if document.judgment.tasks[task].drawn is False and not case_actions.accept_proposals(document):
        case_actions.draw_recorded(document)
    case_actions.accept_proposals(document)
    judgment_actions.accept_proposals(document, document.assessment.lines_of(task))
    for finding in document.assessment.open_findings():
        if finding.task == task and case_actions.fix_for(finding) is not None:
            case_actions.settle(document, finding)
    for _ in range(5):
        if not case_actions.take_offer(document):
            break
    case_actions.adopt_policy(document)
    judgment_actions.accept_proposals(document, document.assessment.lines_of(task))
    _confirm(document, task)


def _confirm(document: CaseDocument, task: int | None) -> None:
    """What C confirms of a task, or of the dialogue, for somebody before whom everything was long enough."""
    while (item := next_open(document.assessment.items, document.judgment, task=task)) is not None:
        if item.against or why_not(item, document.case, CheckAnswer.PASS):
            break
        judgment_actions.answer_item(document, item, answer=CheckAnswer.PASS)


# the defects


def _calls(case: Case) -> Iterator[tuple[int, int, Call]]:
    for t, task in enumerate(case.tasks):
        for s, call in task.calls:
            yield t, s, call


def _with_arguments(case: Case, place: tuple[int, int], **changed: object) -> Case:
    task, step = place
    call = case.tasks[task].steps[step]
    assert isinstance(call, Call)
    kept = {name: value for name, value in {**call.arguments, **changed}.items() if value is not ...}
    return text_edits.set_arguments(case, task, step=step, arguments=kept)  # type: ignore[arg-type]


def _with_task(case: Case, number: int, **changed: object) -> Case:
    task = case.tasks[number].model_copy(update=changed)
    return case.model_copy(update={"tasks": (*case.tasks[:number], task, *case.tasks[number + 1 :])})


def _schema(case: Case, call: Call) -> tuple[dict[str, dict[str, object]], list[str]]:
    tool = case.tool(call.name)
    assert tool is not None
    return tool.parameters.get("properties", {}), tool.parameters.get("required", [])  # type: ignore[return-value]


def unknown_tool(case: Case) -> Iterator[Case]:
    for t, s, call in _calls(case):
        steps = list(case.tasks[t].steps)
        steps[s] = call.model_copy(update={"name": "zzUnheardOf"})
        yield _with_task(case, t, steps=tuple(steps))


def missing_argument(case: Case) -> Iterator[Case]:
    for t, s, call in _calls(case):
        for name in _schema(case, call)[1]:
            yield _with_arguments(case, (t, s), **{name: ...})


def undefined_argument(case: Case) -> Iterator[Case]:
    for t, s, _ in _calls(case):
        yield _with_arguments(case, (t, s), zzUndefined="yes")


def wrong_type(case: Case) -> Iterator[Case]:
    for t, s, call in _calls(case):
        for name, schema in _schema(case, call)[0].items():
            if name in call.arguments and schema.get("type") in ("integer", "number"):
                yield _with_arguments(case, (t, s), **{name: "many of them"})


def value_outside_its_list(case: Case) -> Iterator[Case]:
    for t, s, call in _calls(case):
        for name, schema in _schema(case, call)[0].items():
            if name in call.arguments and "enum" in schema:
                yield _with_arguments(case, (t, s), **{name: "zz-none-of-them"})


def invented_value(case: Case) -> Iterator[Case]:
    for t, s, call in _calls(case):
        for name, schema in _schema(case, call)[0].items():
            if isinstance(call.arguments.get(name), str) and "enum" not in schema:
                yield _with_arguments(case, (t, s), **{name: "Quxville-9914"})


def no_answer(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        if task.answer is not None:
            yield text_edits.set_answer_text(case, t, text=" ")


def no_request(case: Case) -> Iterator[Case]:
    for t in range(len(case.tasks)):
        yield _with_task(case, t, user=" ")


def wrong_policy(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        other = Policy.SINGLE if task.policy is not Policy.SINGLE else Policy.MULTI_SERIAL
        yield text_edits.set_policy(case, t, policy=other)


def missing_dependency(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        for edge in task.drawn_edges:
            if edge.kind is EdgeKind.PARAMETER and isinstance(task.steps[edge.source], Call):
                yield edge_edits.remove_edge(case, t, source=edge.source, target=edge.target)


def invented_figure(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        if task.answer is None or not task.calls:
            continue
        for match in _FIGURE.finditer(task.answer.text):
            text = f"{task.answer.text[: match.start()]}86423.7{task.answer.text[match.end() :]}"
            yield text_edits.set_answer_text(case, t, text=text)


def copied_request(case: Case) -> Iterator[Case]:
    for t in range(1, len(case.tasks)):
        yield _with_task(case, t, user=f"{case.tasks[t - 1].user} Please.")


def nothing_hidden(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        if t and task.information not in (None, Information.FIRST) and task.calls:
            said = ", ".join(str(leaf) for _, call in task.calls for _, leaf in leaves(call.arguments))
            yield _with_task(case, t, user=f"{task.user} ({said})")


def tool_in_the_request(case: Case) -> Iterator[Case]:
    for t, _, call in _calls(case):
        if re.search("[a-z][A-Z]", call.name):
            yield _with_task(case, t, user=f"{case.tasks[t].user} Use {call.name} for it.")


def exchanged_values(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        if task.answer is None or not task.calls:
            continue
        text = task.answer.text
        found = list(dict.fromkeys(_FIGURE.findall(text)))
        if len(found) > 1:
            one, other = found[:2]
            swapped = text.replace(one, "\0").replace(other, one).replace("\0", other)
            yield text_edits.set_answer_text(case, t, text=swapped)


def denial(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        if task.answer is not None and task.calls:
            yield text_edits.set_answer_text(case, t, text=f"Sadly not. {task.answer.text}")


def answer_beside_the_point(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        other = case.tasks[t - 1].answer if t else None
        if task.answer is not None and other is not None:
            yield text_edits.set_answer_text(case, t, text=other.text)


def another_value_of_the_dialogue(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        for s, call in task.calls:
            for path, leaf in leaves(call.arguments):
                for _, step, other in _calls(case):
                    for key, value in leaves(other.observation):
                        is_like = keys_of(path)[-1:] == keys_of(key)[-1:] and type(value) is type(leaf)
                        if is_like and value != leaf and step < s and len(keys_of(path)) == 1:
                            yield _with_arguments(case, (t, s), **{keys_of(path)[0]: value})


def invented_dependency(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        for i, _ in task.calls:
            for j, _ in task.calls:
                if i < j and (i, j) not in {edge.pair for edge in task.drawn_edges}:
                    yield _with_edge(case, t, i, j)


def _with_edge(case: Case, task: int, source: int, target: int) -> Case:
    try:
        return edge_edits.add_edge(case, task, source=source, target=target, kind=EdgeKind.LOGICAL)
    except AnnotatorError:
        return case


def stiff_language(case: Case) -> Iterator[Case]:
    for t, task in enumerate(case.tasks):
        yield _with_task(case, t, user=f"The undersigned hereby solicits the following. {task.user}")


KINDS = (
    Kind("a call of a tool that is not there", unknown_tool),
    Kind("a required argument is missing", missing_argument),
    Kind("an argument the tool does not know", undefined_argument),
    Kind("a value of the wrong type", wrong_type),
    Kind("a value outside its closed list", value_outside_its_list),
    Kind("a value nobody said", invented_value),
    Kind("no answer", no_answer),
    Kind("no request", no_request),
    Kind("a policy the drawing contradicts", wrong_policy),
    Kind("a dependency of two calls along which a value flows is not drawn", missing_dependency),
    Kind("a figure in the answer that stands nowhere", invented_figure),
    Kind("a request copied from another task", copied_request),
    Kind("a request that hides nothing", nothing_hidden),
    Kind("a request that names a tool", tool_in_the_request),
    Kind(
        "two values of the answer exchanged",
        exchanged_values,
        "Both values stand in the dialogue; which belongs to what is meaning.",
    ),
    Kind("an answer that denies what happened", denial, "A program does not read what a sentence claims."),
    Kind(
        "the answer of another task",
        answer_beside_the_point,
        "Whether an answer fits a request is meaning; its values stand in the dialogue.",
    ),
    Kind(
        "a call with another value of the dialogue",
        another_value_of_the_dialogue,
        "The value stands in the dialogue; whether it is the one the user meant is meaning.",
    ),
    Kind(
        "a dependency that is none",
        invented_dependency,
        "An order may matter although no value flows: only who knows the tools can deny it.",
    ),
    Kind("a request no person would write", stiff_language, "Natural language is a matter of ear."),
)


def outcome_of(kind: Kind, clean: Case, defect: Case, *, expected: str) -> Result:
    """Let the hasty reviewer review a defect; `expected` is the hash of what they make of the clean case."""
    document, stopped = review_hastily(defect)
    if stopped:
        return Result(kind, clean.id, Outcome.STOPPED, stopped[0])
    is_repaired = content_sha256(document.case) == expected
    return Result(kind, clean.id, Outcome.REPAIRED if is_repaired else Outcome.PASSED)


def run_experiment(cases: tuple[Case, ...]) -> tuple[Result, ...]:
    """Plant every kind of defect into `PER_KIND` cases that pass without one."""
    clean: dict[str, tuple[Case, str]] = {}
    for case in cases:
        document, stopped = review_hastily(case)
        if not stopped:
            clean[case.id] = case, content_sha256(document.case)
    results = []
    for number, kind in enumerate(KINDS):
        found = 0
        names = list(clean)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            case, expected = clean[name]
            defect = next((one for one in kind.plant(case) if one != case), None)
            if defect is not None and found < PER_KIND:
                found += 1
                results.append(outcome_of(kind, case, defect, expected=expected))
    return tuple(results)


def report(results: tuple[Result, ...]) -> str:
    """The outcome as a page people read."""
    proved = [one for one in results if not one.kind.why]
    left = [one for one in results if one.kind.why]
    lines = [
        "# A hasty reviewer against 80 planted defects",
        "",
        "Made by `tests/ui/desk/test_hasty_reviewer.py`, which fails where the program does otherwise. The",
        "reviewer takes the first offer everywhere: every proposed edge, source, label and fix, and C until",
        "nothing is left to confirm. *Stopped* means the case could not be submitted, *repaired* that an",
        "offer they took put it right, *passed* that the defect was handed on.",
        "",
        f"## What the program can prove: {len(proved)} defects, "
        f"{sum(one.outcome is Outcome.PASSED for one in proved)} passed",
        "",
        "| defect | stopped | repaired | passed | the first open point of one of them |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    lines += [
        f"| {kind.name} | {_counts(results, kind)} | {_words(results, kind)} |"
        for kind in KINDS
        if not kind.why
    ]
    lines += [
        "",
        f"## What only a person can see: {len(left)} defects, "
        f"{sum(one.outcome is Outcome.PASSED for one in left)} passed",
        "",
        "| defect | stopped | repaired | passed | why only a person can see it |",
        "| --- | ---: | ---: | ---: | --- |",
    ]
    lines += [f"| {kind.name} | {_counts(results, kind)} | {kind.why} |" for kind in KINDS if kind.why]
    return "\n".join(lines) + "\n"


def _counts(results: tuple[Result, ...], kind: Kind) -> str:
    found = [one.outcome for one in results if one.kind is kind]
    return " | ".join(str(found.count(outcome)) for outcome in Outcome)


def _words(results: tuple[Result, ...], kind: Kind) -> str:
    words = next((one.words for one in results if one.kind is kind and one.words), "")
    return words.replace("|", "/").replace("\n", " ")[:140]
