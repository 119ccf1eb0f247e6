"""Altered REVIEW items as cases for a person, and how often people see them as they are meant (teval 3.6)."""

from collections.abc import Iterable, Iterator, Sequence

from scoring.errors import InputError, filled
from scoring.model.case import Answer, Call, Case, Task
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import ReviewLabel
from scoring.teval.derivation import TaskSolution, solutions_of
from scoring.teval.names import plain_tool_name
from scoring.teval.solutions import broken_rule
from scoring.teval.subsets import altered_call, missing_review, sample_order

MARK = "teval_negative"
"""The key of a case's extras that says which item it was made of, and its letter."""


def sampled_negatives(cases: Iterable[Case], count: int) -> tuple[Case, ...]:
    """Take a sample of the altered REVIEW items, each as a case of one call without a label.

    The case has the item's id, and says in its extras where it comes from. The same cases always give the
    same sample, and a larger one holds the smaller.

    Args:
        cases: Cases with thoughts and review labels.
        count: How many to take, at least 1.

    Raises:
        InputError: The cases give no such item.
    """
    negatives = filled(
        [
            negative
            for case in cases
            for solved in solutions_of(case)
            for negative in _negatives(case, solved)
        ],
        InputError(
            "The cases give no altered REVIEW item.", "Each call needs a thought and the label Success."
        ),
    )
    return tuple(sorted(negatives, key=lambda case: sample_order(case.id))[:count])


def _negatives(case: Case, solved: TaskSolution) -> Iterator[Case]:
    solution = solved.solution
    if broken_rule(solution):
        return
    told = case.tasks[solved.task]
    for number, step in enumerate(solution.steps):
        if missing_review(step) or step.label is not ReviewLabel.SUCCESS:
            continue
        name, label, args, response = altered_call(solution, number)
        plain = step.name if case.tool(step.name) else plain_tool_name(step.name)
        call = Call(name=plain, arguments=args, observation=response, thought=step.thought)
        closing = Answer(text=told.answer.text if told.answer is not None else "")
        mark: JsonObject = {
            "item": name,
            "letter": label.letter,
            "case": case.id,
            "task": solved.task,
            "step": solved.steps[number],
        }
        yield Case(
            id=name,
            language=case.language,
            now=case.now,
            tools=case.tools,
            tasks=(Task(user=told.user, now=told.now, steps=(call, closing)),),
            extras={MARK: mark},
        )


class NegativeCheck(Record):
    """What people said of sampled items: `differing` holds item, its letter and theirs."""

    labelled: int
    unlabelled: int
    differing: tuple[tuple[str, str, str], ...]

    @property
    def agreeing_share(self) -> float | None:
        """Share of the labelled items on which people say what the item says; None where none is labelled."""
        return 1 - len(self.differing) / self.labelled if self.labelled else None


def check_negatives(cases: Sequence[Case]) -> NegativeCheck:
    """Compare the labels people gave sampled items with the items' own letters.

    Raises:
        InputError: No case among them is a sampled item.
    """
    marks = filled(
        [(case, mark) for case in cases if isinstance(mark := case.extras.get(MARK), dict)],
        InputError("No case here is a sampled REVIEW item.", "Export the cases of `annotator teval sample`."),
    )
    labels = [(str(mark["item"]), str(mark["letter"]), _label(case)) for case, mark in marks]
    labelled = [(item, letter, label.letter) for item, letter, label in labels if label is not None]
    return NegativeCheck(
        labelled=len(labelled),
        unlabelled=len(labels) - len(labelled),
        differing=tuple(labelled_item for labelled_item in labelled if labelled_item[1] != labelled_item[2]),
    )


def _label(case: Case) -> ReviewLabel | None:
    return next((call.review_label for task in case.tasks for _, call in task.calls), None)
