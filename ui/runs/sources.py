"""Where the gold cases and the model's replies of a run are read from, so that a failure can be shown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from annotator.release.evaluating import load_cases
from scoring.evaluation import score_batch
from scoring.gold import Gold, NotScorableError, prepare
from scoring.model.case import Case
from scoring.prediction_files import read_predictions
from scoring.predictions import Prediction
from scoring.scorecard import Scorecard, cases_sha256
from scoring.task_scores import TaskScore

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace


@dataclass(frozen=True)
class GoldCases:
    """The cases of a release or a file, by id, and their hash."""

    cases: Mapping[str, Case] = field(hash=False)
    sha256: str

    def gold(self, score: TaskScore) -> Gold | None:
        """The gold task of a score; null where the cases do not have it, or not complete."""
        case = self.cases.get(score.case)
        if case is None or score.task >= len(case.tasks):
            return None
        try:
            return prepare(case, score.task)
        except NotScorableError:
            return None


@dataclass(frozen=True)
class Replies:
    """The predictions of a run by case and task; the task is null where a whole case failed."""

    predictions: Mapping[tuple[str, int | None], Prediction] = field(hash=False)

    def behind(self, score: TaskScore, gold: Gold, card: Scorecard) -> Prediction | None:
        """The replies behind a score; null where there are none, or where they give another result.

        Another result means that they belong to another run.
        """
        found = self.predictions.get((score.case, score.task)) or self.predictions.get((score.case, None))
        if found is None:
            return None
        [again] = score_batch([(gold, found, score.arguments_profile)], card.semantics)
        return found if (again.label, again.error) == (score.label, score.error) else None


def read_gold(context: "JobContext", workspace: "Workspace", *, place: Path) -> GoldCases:
    """Read the cases of a release folder or of a file; a job.

    Raises:
        InputError: They cannot be read.
    """
    context.progress(0, None, "reading the cases")
    cases = load_cases(place)
    return GoldCases({case.id: case for case in cases}, cases_sha256(cases))


def read_replies(context: "JobContext", workspace: "Workspace", *, files: tuple[Path, ...]) -> Replies:
    """Read files of predictions; a job.

    Of two predictions for a task the first counts, or the first that did not fail outside the model.

    Raises:
        InputError: A file cannot be opened.
    """
    found: dict[tuple[str, int | None], Prediction] = {}
    for done, item in enumerate(read_predictions(*files)):
        context.check_cancelled()
        context.progress(done, None, f"{done:,} predictions")
        if isinstance(item, Prediction):
            before = found.get((item.case, item.task))
            if before is None or (before.error is not None and item.error is None):
                found[item.case, item.task] = item
    return Replies(found)
