"""Giving somebody's unfinished cases of a batch to somebody else, one by one: a job."""

from collections import Counter
from dataclasses import dataclass

from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from annotator.review.queue.assignments import reassign
from annotator.review.queue.case_rows import CaseFilter, list_cases
from scoring.errors import ConflictError, ForbiddenError
from scoring.model.taxonomy import OWNER_STAGES
from scoring.wording import counted

_PAGE = 1000


@dataclass(frozen=True)
class HandedOver:
    """How many cases have another owner now, and how many could not be given, with the first reason."""

    count: int
    refused: int = 0
    reason: str = ""

    @property
    def words(self) -> str:
        """What came of it in a sentence."""
        rest = f"{counted(self.refused, 'case')} stayed: {self.reason}" if self.refused else ""
        return " ".join((f"{counted(self.count, 'case')} reassigned.", rest)).rstrip()


def owners_of(workspace: Workspace, *, batch: str) -> dict[str, int]:
    """How many cases in self-check each owner has in a batch, by name."""
    counts = Counter(owner for _, owner in _cases(workspace, CaseFilter(batch=batch, stages=OWNER_STAGES)))
    return dict(sorted((owner, count) for owner, count in counts.items() if owner))


def hand_over(workspace: Workspace, *, batch: str, of: str, to: str, context: JobContext) -> HandedOver:
    """Give every case in self-check that somebody owns in a batch to somebody else; a job.

    Cases that changed meanwhile, or that the other person must not own, stay where they are.
    """
    cases = _cases(workspace, CaseFilter(batch=batch, owner=of, stages=OWNER_STAGES))
    reasons = []
    for case_id, _ in context.each(cases, "handing cases over"):
        try:
            reassign(workspace, case_id, to=to)
        except (ConflictError, ForbiddenError) as error:
            reasons.append(error.message)
    return HandedOver(len(cases) - len(reasons), len(reasons), reasons[0] if reasons else "")


def _cases(workspace: Workspace, where: CaseFilter) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    while page := list_cases(workspace, where, offset=len(found), limit=_PAGE):
        found += [(row.case_id, row.owner) for row in page]
    return found
