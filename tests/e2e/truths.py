"""What scripted owners make of the real cases: labels, drawings, answers, and the repair of raw errors."""

from pydantic import JsonValue

from annotator.cases.edits.edge_edits import add_edge
from annotator.cases.edits.text_edits import set_answer_text, set_argument_value
from annotator.cases.evidence.suggestions import suggest_edges
from annotator.cases.findings.checks import check_case
from scoring.model.case import Case
from scoring.model.graph import derive_policy
from scoring.model.labels import Waiver
from scoring.model.taxonomy import Information, Severity

REPAIRS: dict[str, tuple[int, int, str, JsonValue]] = {
    "multi_turn_base_23": (2, 0, "/resolution", "Solved as described."),
    "multi_turn_base_173": (3, 0, "/ticket_id", 1),
    "multi_turn_base_196": (4, 1, "/resolution", "Closed as asked."),
}
"""Arguments of the raw calls that do not fit their tool: task, step, path, and what fits."""

OTHER = {
    Information.OMISSION: Information.REFERENCE,
    Information.REFERENCE: Information.OMISSION,
    Information.LONG_RANGE: Information.REFERENCE,
}
"""The information type somebody takes another one for."""


def completed(case: Case) -> Case:
    """A case as it should be in the end: what the file says already stays, what is missing is written."""
    if case.id in REPAIRS:
        number, step, path, value = REPAIRS[case.id]
        case = set_argument_value(case, number, step=step, path=path, value=value)
    for t, task in enumerate(case.tasks):
        if task.answer is None or not task.answer.text.strip():
            case = set_answer_text(case, t, text=f"That is done, in {len(task.calls)} calls.")
    for t in range(len(case.tasks)):
        for suggested in suggest_edges(case, t):
            pair = suggested.edge
            case = add_edge(case, t, source=pair.source, target=pair.target, kind=pair.kind)
    return case.model_copy(
        update={
            "tasks": tuple(
                task.model_copy(
                    update={
                        "policy": task.policy or derive_policy(task),
                        "information": task.information or _information(t),
                    }
                )
                for t, task in enumerate(case.tasks)
            )
        }
    )


def _information(task: int) -> Information:
    if task == 0:
        return Information.FIRST
    return Information.OMISSION if task % 2 else Information.REFERENCE


def mislabelled(truth: Case) -> Case:
    """The same case with the other information type for its last task, which must not be its first."""
    last = truth.tasks[-1]
    assert last.information is not None
    wrong = last.model_copy(update={"information": OTHER[last.information]})
    return truth.model_copy(update={"tasks": (*truth.tasks[:-1], wrong)})


def misanswered(truth: Case) -> Case:
    """The same case with a wrong answer to its last task."""
    return set_answer_text(truth, len(truth.tasks) - 1, text="It could not be done.")


def waivers_for(case: Case) -> tuple[Waiver, ...]:
    """Every error of a case that stays as it was published, with a reason."""
    return tuple(
        Waiver(rule=finding.rule, where=finding.where, reason="published like this")
        for finding in check_case(case, undrawn=())
        if finding.severity is Severity.ERROR
    )


def field_count(truth: Case) -> int:
    """How many fields raters who all agree are compared on: 3 a task, 1 a call, 1 a drawn dependency."""
    return sum(3 + len(task.calls) + len(task.drawn_edges) for task in truth.tasks)
