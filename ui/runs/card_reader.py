"""Scorecards of runs, read as they are needed."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

from annotator.release.reports.run_groups import Cards, named
from annotator.release.runs.recorded_runs import run_scorecard
from scoring.errors import AnnotatorError
from scoring.model.taxonomy import InfraErrors
from scoring.scorecard import Scorecard
from ui.runs.entries import RunEntry
from ui.services.operations import Operations


class CardReader:
    """Reads scorecards one by one and keeps the last ones, with failures outside counted in one way.

    Args:
        operations: Who reads.
        failed: Gets an error of reading.
        kept: How many scorecards are kept.
    """

    def __init__(
        self, operations: Operations, failed: Callable[[AnnotatorError], object], *, kept: int
    ) -> None:
        self._operations = operations
        self._failed = failed
        self._kept = kept
        self._cards: OrderedDict[int, Scorecard] = OrderedDict()
        self.infra_errors = InfraErrors.WRONG
        """How tasks that failed outside the model count."""

    def __contains__(self, entry: RunEntry) -> bool:
        return entry.row.id in self._cards

    def card(self, entry: RunEntry) -> Scorecard:
        """The scorecard of a run that was read."""
        return self._cards[entry.row.id]

    def named(self, entries: Sequence[RunEntry]) -> Cards:
        """Runs that were read, under names that tell them apart."""
        found = [(entry.row.name, self._cards[entry.row.id]) for entry in entries]
        return named([card.model_copy(update={"name": name}) for name, card in found])

    def count_infra_errors(self, infra_errors: InfraErrors) -> None:
        """Count tasks that failed outside the model in one way."""
        self.infra_errors = infra_errors
        self._cards.update({run_id: card.counting(infra_errors) for run_id, card in self._cards.items()})

    def need(self, entries: Sequence[RunEntry], then: Callable[[], None]) -> None:
        """Do something once the scorecards of some runs are there, instead of what was wanted before."""
        self._operations.drop_look(self)
        missing = [entry.row.id for entry in entries if entry.row.id not in self._cards]
        if not missing:
            for entry in entries:
                self._cards.move_to_end(entry.row.id)
            then()
            return
        self._operations.run(
            partial(run_scorecard, run_id=missing[0]),
            then=partial(self._take, missing[0], tuple(entries), then),
            failed=self._failed,
            newest_of=self,
        )

    def _take(
        self, run_id: int, entries: Sequence[RunEntry], then: Callable[[], None], card: Scorecard
    ) -> None:
        self._cards[run_id] = card.counting(self.infra_errors)
        while len(self._cards) > max(self._kept, len(entries)):
            self._cards.popitem(last=False)
        self.need(entries, then)
