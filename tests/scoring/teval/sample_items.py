"""The items of the bundled samples, with a thought for each step and a label for each call put in."""

from functools import cache

from annotator.release.runs.evaluation import load_cases
from scoring.model.case import Answer, Ask, Call, Case
from scoring.model.taxonomy import ReviewLabel
from scoring.teval.derivation import derive
from scoring.teval.solutions import is_empty
from scoring.teval.subsets import Items
from tests.shared import ROOT


def with_thoughts(case: Case) -> Case:
    """A case with a thought for each step and plan for each task; what returned nothing could not be done."""
    tasks = []
    for task in case.tasks:
        steps = tuple(_thought(step, number) for number, step in enumerate(task.steps))
        tasks.append(task.model_copy(update={"steps": steps, "plan": f"Do {len(steps)} steps."}))
    return case.model_copy(update={"tasks": tuple(tasks)})


def _thought(step: Call | Ask | Answer, number: int) -> Call | Ask | Answer:
    if isinstance(step, Ask):
        return step
    if isinstance(step, Answer):
        return step.model_copy(update={"thought": "All of it is known, so the user can be told."})
    known = " and ".join(f"the {name}" for name in step.arguments) or "nothing else"
    label = ReviewLabel.UNABLE if is_empty(step.observation) else ReviewLabel.SUCCESS
    thought = f"At step {number} {known} must be made use of."
    return step.model_copy(update={"thought": thought, "review": label.value})


@cache
def sample_items() -> Items:
    """Every item of the samples, in all eight files."""
    cases = load_cases(ROOT / "resources" / "samples" / "cases.jsonl")
    return derive(map(with_thoughts, cases)).items
