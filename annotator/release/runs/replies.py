"""The cases and replies behind a scorecard: read as jobs, and matched with its scores."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from annotator.cases.bodies import read_body, read_record
from annotator.cases.row_views import apart_in_figures, viewer_of
from annotator.jobs import JobContext
from annotator.project.workspace import Workspace, query
from annotator.release.runs.evaluation import counted_predictions, exported_file, load_cases
from annotator.release.runs.recorded_runs import RunRow, recorded_predictions
from annotator.release.runs.task_replies import Runs, TakenTask, TaskPicks, look_through, taken_by
from db.read import releases, reviews, visibility
from db.tables import Transaction
from scoring.errors import NotFoundError
from scoring.evaluation import judge_batch
from scoring.golds import GoldSet, gold_set, in_recorded_order, judged_by
from scoring.matching.gold import Gold
from scoring.matching.task_scores import TaskScore
from scoring.measures.sample import Key
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
        if case is None:
            return None
        if card.summary.undrawn.matched is Undrawn.RECORDED:
            case = in_recorded_order(case)
        return judged_by(gold_set([case]), card.semantics).golds.get((score.case, score.task))


@dataclass(frozen=True)
class Replies:
    """The predictions of a run by case and task; the task is None where a whole case failed."""

    predictions: Mapping[tuple[str, int | None], Prediction] = field(hash=False)

    def behind(self, score: TaskScore, gold: Gold, card: Scorecard) -> Prediction | None:
        """The replies behind a score; None where there are none, or where they give another result.

        Another result means that they belong to another run. Turns that simulators judge are not judged
        again.
        """
        found = self.predictions.get((score.case, score.task)) or self.predictions.get((score.case, None))
        if found is None or gold.simulated is not None:
            return found
        [judged] = judge_batch([(gold, found, score.arguments_profile)], card.semantics)
        again = judged.score
        return found if (again.label, again.error) == (score.label, score.error) else None


@dataclass(frozen=True)
class ReleaseRuns:
    """The cases of a release, or one of them, and what each recorded run over it replied.

    `unkept` counts the runs whose replies were not kept.
    """

    release: str
    gold: GoldSet = field(hash=False)
    runs: Runs = field(hash=False)
    unkept: int = 0


@query
def release_runs(
    workspace: Workspace, tx: Transaction, *, release: str = "", case: str = "", context: JobContext
) -> ReleaseRuns:
    """Read a release and the replies of its recorded runs; a job.

    Cases that are kept from the person, or that they must judge without seeing labels, are left out.

    Args:
        workspace: Of whoever looks.
        release: Its name; empty for the one of the newest run that has the case.
        case: Only this case; empty for all.
        context: Progress and cancelling.

    Raises:
        NotFoundError: No recorded run over such a release, or over the case, has kept its replies.
    """
    context.progress(0, None, "reading the cases")
    somebody = workspace.somebody
    apart = apart_in_figures(tx, somebody) | visibility.blind_cases(tx, viewer_of(tx, somebody))
    rows = reviews.list_runs(tx)
    for name in dict.fromkeys(row.release for row in rows if row.release):
        mine = [row for row in reversed(rows) if row.release == name]
        kept = [row for row in mine if row.has_replies]
        if not kept or name != (release or name):
            continue
        cases = tuple(map(read_body, releases.released_bodies(tx, name, case_id=case, without=apart)))
        if cases:
            return ReleaseRuns(name, gold_set(cases), _runs(tx, kept, case, context), len(mine) - len(kept))
    what = f"No recorded run replied to {case}." if case else "No recorded run has kept its replies."
    hint = "Score predictions against the release on the Runs page, or run a model."
    if case:
        hint += " A case that you have to judge without its labels is not shown."
    raise NotFoundError(what, hint)


def look_through_runs(
    workspace: Workspace, *, release: str = "", context: JobContext
) -> tuple[ReleaseRuns, TaskPicks]:
    """Read all of a release and what its rules pick; a job, with the arguments of `release_runs`."""
    found = release_runs(workspace, release=release, context=context)
    return found, look_through(found.gold, found.runs, context=context)


def compared(found: ReleaseRuns, key: Key, *, context: JobContext) -> tuple[TakenTask, ...]:
    """What each run did with one task; a job. Raises as `taken_by` does."""
    context.check_cancelled()
    return taken_by(found.gold, key, found.runs)


def _runs(tx: Transaction, rows: Sequence[RunRow], case: str, context: JobContext) -> Runs:
    """The replies of each run; one that is recorded under other rules, too, stands there once."""
    runs: dict[str, Mapping[tuple[str, int | None], Prediction]] = {}
    for row in context.each(rows, "reading the replies"):
        told = (read_record(Prediction, one.body) for one in reviews.run_replies(tx, row.id, case_id=case))
        replies = {(one.case, one.task): one for one in told}
        protocols = {other.protocol for other in rows if other.name == row.name}
        name = row.name if len(protocols) == 1 else f"{row.name} · {row.protocol}"
        same = [known for known in runs if known.partition(" #")[0] == name]
        if not any(runs[known] == replies for known in same):
            runs[f"{name} #{len(same) + 1}" if same else name] = replies
    return runs


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
            context.advance(done, None, counted(done, "prediction"))
            yield item

    return Replies(counted_predictions(told()))


def kept_replies(workspace: Workspace, *, run_id: int, context: JobContext) -> Replies:
    """Read what the project keeps of a run's replies; a job."""
    context.progress(0, None, "reading the replies")
    return Replies({(found.case, found.task): found for found in recorded_predictions(workspace, run_id)})
