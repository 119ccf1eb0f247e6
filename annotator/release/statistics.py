"""What the cases of a release hold, as its manifest and its card print it."""

from collections.abc import Iterable, Mapping

from scoring.measures.coverage import LONGEST, routes
from scoring.measures.dataset import UNLABELLED, DatasetStatistics
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Information, Policy


def release_statistics(found: DatasetStatistics) -> JsonObject:
    """The counts in their printed order; closed sets in full, so that a zero is visible."""
    space = sum(1 for _ in routes(LONGEST))
    return {
        "cases": found.cases,
        "tasks": found.tasks.total,
        "calls": found.calls.total,
        "questions": found.questions,
        "dependencies": found.dependencies,
        "distinct tools": found.offered,
        "tasks by policy": _counts(found.policies, Policy),
        "tasks by information": _counts(found.information, Information),
        "cases by tasks": {str(number): count for number, count in found.tasks.counts.items()},
        f"policy sequences of length 1 to {LONGEST}": f"{found.switching.count} of {space}",
    }


def _counts(counts: Mapping[str, int], labels: Iterable[str]) -> JsonObject:
    unlabelled = counts.get(UNLABELLED, 0)
    found: JsonObject = {str(label): counts.get(label, 0) for label in labels}
    return found | ({"unlabelled": unlabelled} if unlabelled else {})
