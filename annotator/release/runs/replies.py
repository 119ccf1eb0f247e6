"""The cases and replies behind a scorecard: read as jobs, and matched with its scores."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from annotator.release.runs.evaluation import counted_predictions, exported_file, load_cases
from annotator.release.runs.recorded_runs import recorded_predictions
from scoring.evaluation import in_recorded_order, judge_batch
from scoring.matching.gold import Gold, NotScorableError, prepare
from scoring.matching.task_scores import TaskScore
from scoring.model.case import Case
from scoring.model.taxonomy import Undrawn
from scoring.prediction_files import read_predictions
from scoring.predictions import Ignored, Prediction
from scoring.scorecard import Scorecard, cases_sha256
from scoring.wording import counted


@dataclass(frozen=True)
class GoldCases:
    """The cases of a release or a file, by id, and their hash."""

    cases: Mapping[str, Case] = field(hash=False)
    sha256: str

    def gold(self, score: TaskScore, card: Scorecard) -> Gold | None:
        """The gold task of a score as its run was matched; None where the cases lack it, or not complete."""
        case = self.cases.get(score.case)
        if case is None or score.task >= len(case.tasks):
            return None
        if card.summary.undrawn.matched is Undrawn.RECORDED:
            case = in_recorded_order(case)
        try:
            return prepare(case, score.task)
        except NotScorableError:
            return None


@dataclass(frozen=True)
class Replies:
    """The predictions of a run by case and task; the task is None where a whole case failed."""

    predictions: Mapping[tuple[str, int | None], Prediction] = field(hash=False)

    def behind(self, score: TaskScore, gold: Gold, card: Scorecard) -> Prediction | None:
        """The replies behind a score; None where there are none, or where they give another result.

        Another result means that they belong to another run.
        """
        found = self.predictions.get((score.case, score.task)) or self.predictions.get((score.case, None))
        if found is None:
            return None
        [judged] = judge_batch([(gold, found, score.arguments_profile)], card.semantics)
        again = judged.score
        return found if (again.label, again.error) == (score.label, score.error) else None


def read_gold(workspace: Workspace, *, place: Path, context: JobContext) -> GoldCases:
    """Read the cases of a release folder or of a file; a job.

    Raises:
        InputError: They cannot be read.
    """
    context.progress(0, None, "reading the cases")
    cases = load_cases(place)
    return GoldCases({case.id: case for case in cases}, cases_sha256(cases))


def read_replies(
    workspace: Workspace, *, files: tuple[Path, ...], source: Path | None = None, context: JobContext
) -> Replies:
    """Read the predictions that count in some files, scored against the cases of `source`; a job.

    Raises:
        InputError: A file cannot be opened.
    """

    def told() -> Iterator[Prediction | Ignored]:
        for done, item in enumerate(read_predictions(*files, exported=exported_file(source))):
            context.check_cancelled()
            context.progress(done, None, counted(done, "prediction"))
            yield item

    return Replies(counted_predictions(told()))


def kept_replies(workspace: Workspace, *, run_id: int, context: JobContext) -> Replies:
    """Read what the project keeps of a run's replies; a job."""
    context.progress(0, None, "reading the replies")
    return Replies({(found.case, found.task): found for found in recorded_predictions(workspace, run_id)})
