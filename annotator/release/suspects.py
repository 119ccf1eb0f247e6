"""Runs question the gold: the suspects of a release or of a public file, and sending one to an expert."""

import json
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from pydantic import Field

from annotator.cases.bodies import read_body, read_record
from annotator.cases.file_import import ImportOrder, ImportReport
from annotator.cases.findings.rules import ERROR_RULES
from annotator.cases.phrases import quoted
from annotator.cases.row_views import get_row
from annotator.jobs import JobContext
from annotator.project.changes import Changes
from annotator.project.lookups import release_named
from annotator.project.stages import Actor
from annotator.project.workspace import Work, Workspace, operation, query
from annotator.release.mended_file import public_gold
from annotator.release.runs.evaluation import read_run, run_name
from annotator.review import stage_moves
from annotator.review.bulk_changes import (
    BulkAction,
    BulkChange,
    BulkOutcome,
    cases_of,
    change_cases,
    require_manager,
)
from annotator.review.escalation import Escalation, EscalationReason, last_escalation
from annotator.review.queue.case_rows import CaseFilter
from db.read import releases, reviews
from db.read.rows import ReplyRow, RunRow
from db.tables import Transaction
from db.write import store
from scoring.errors import InputError, NotFoundError, filled
from scoring.evaluation import score
from scoring.formats.benchmark.bfcl import KEY
from scoring.golds import GoldSet, gold_set, judged_by
from scoring.groups import grouped, keyed
from scoring.measures.proposed_values import ProposedValue, Voice, propose_values
from scoring.measures.sample import Key
from scoring.measures.suspects import (
    Questions,
    ScoredRun,
    Suspect,
    deed_of,
    model_of,
    question_gold,
)
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import Priority, Role, Semantics, Stage
from scoring.prediction_files import recorded_setting
from scoring.predictions import Prediction
from scoring.scorecard import Scorecard, load_scorecard
from scoring.texts import tr, tr_count
from scoring.wording import counted

_LONGEST_DEED = 300


class ReleaseQuestions(Record):
    """What the runs over a release say about its tasks; `release` is its name.

    `asked` names the cases of suspects that were sent to an expert already, decided or not; `values` is what
    calls may accept besides their gold, where that was asked for.
    """

    release: str
    runs: tuple[str, ...]
    questions: Questions
    asked: tuple[str, ...] = ()
    values: tuple[ProposedValue, ...] = ()


class MendingOrder(ImportOrder):
    """A public benchmark that is to be mended, with the replies of models that question it."""

    runs: tuple[Path, ...] = Field(
        default=(),
        title="Replies of models",
        description="Predictions over the files, each file a run. Models of two makes can question the gold.",
    )

    def mend(self, workspace: Workspace, *, context: JobContext) -> "MendingStart":
        """Begin to mend; a job. Raises as `start_mending` does."""
        return start_mending(workspace, self, runs=self.runs, context=context)


class DoubtfulCase(Record):
    """A case of a public file that something speaks against: findings, and what models did together.

    `weight` orders the list; above zero. It sums the weights of its suspects, and -log(s) of each of its
    `rules`, which a share s of the cases in the batch breaks: what all break says nothing about one. The rule
    that the fewest break stands first.
    """

    case: str
    weight: float
    rules: tuple[str, ...]
    suspects: tuple[Suspect, ...]


class MendingStart(Record):
    """What became of public files that are to be mended, the doubtful cases first, the likeliest at the top.

    `batch` has all of their `cases`; `first` says which of them the queue gives out before the others.
    """

    report: ImportReport
    batch: str
    cases: int
    doubtful: tuple[DoubtfulCase, ...]
    first: BulkOutcome

    @property
    def lines(self) -> tuple[str, ...]:
        """What is doubtful and what to do next, in sentences."""
        given = self.first.changed + self.first.already
        return (
            f"{len(self.doubtful):,} of {counted(self.cases, 'case')} in {self.batch} are doubtful; "
            f"the queue gives {given:,} out first.",
            *self.first.stopped,
            "Next: review them, freeze a release, then write the file again with `annotator release mend`.",
        )


@query
def question_release(workspace: Workspace, tx: Transaction, release: str | None = None) -> ReleaseQuestions:
    """Compare the recorded runs over a release with its gold and with each other.

    Args:
        workspace: Anybody's.
        release: Its name; None for the newest one that has a run.

    Raises:
        NotFoundError: There is no such release, or none has a run.
    """
    runs = reviews.list_runs(tx)
    name = release or next((run.release for run in runs if run.release), None)
    if name is None or name not in {row.name for row in reviews.list_releases(tx)}:
        what = f"There is no release '{name}'." if name else "No run was scored against a release."
        raise NotFoundError(what, "Freeze one and score models with `annotator score RELEASE -p PROJECT`.")
    golds = gold_set(read_body(body) for body in releases.released_bodies(tx, name))
    mine = [run for run in runs if run.release == name]
    scored = []
    for run in mine:
        model, card = _model_and_card(tx, run)
        if card is not None:
            wrong = {(one.case, one.task) for one in card.tasks if not one.is_correct}
            rows = (row for row in reviews.run_replies(tx, run.id) if _key(row) in wrong)
            deeds = _deeds(card, golds, (read_record(Prediction, row.body) for row in rows))
            scored.append(ScoredRun(run.name, model, card.tasks, deeds))
    questions = question_gold(scored)
    return ReleaseQuestions(
        release=name,
        runs=tuple(run.name for run in mine),
        questions=questions,
        asked=tuple(
            case_id
            for case_id in dict.fromkeys(suspect.case for suspect in questions.suspects)
            if (found := last_escalation(reviews.events_of(tx, [f"case:{case_id}"])))
            and found.reason is EscalationReason.GOLD_QUESTIONED
        ),
    )


@query
def proposed_values(
    workspace: Workspace, tx: Transaction, release: str | None = None, *, case_id: str = ""
) -> tuple[ProposedValue, ...]:
    """Propose what the calls of a release may accept besides: from its runs, and from defaults in schemas.

    Args:
        workspace: Anybody's.
        release: Its name; None for the newest one that has a run and holds the case.
        case_id: Only this case; empty for all.

    Raises:
        NotFoundError: There is no such release.
    """
    runs = grouped((run.release, run) for run in reviews.list_runs(tx) if run.release)
    for name in [release_named(tx, release).name] if release else runs:
        golds = gold_set(map(read_body, releases.released_bodies(tx, name, case_id=case_id)))
        if golds.golds:
            voices = _voices(tx, runs.get(name, ()), golds, case_id)
            return tuple(propose_values(golds.golds.values(), voices))
    return ()


def _voices(tx: Transaction, runs: Iterable[RunRow], golds: GoldSet, case_id: str) -> Iterator[Voice]:
    for run in runs:
        model, _ = _model_and_card(tx, run)
        for row in reviews.run_replies(tx, run.id, case_id=case_id):
            gold = golds.golds.get(_key(row))
            if gold is not None:
                yield model, gold, read_record(Prediction, row.body)


def _model_and_card(tx: Transaction, run: RunRow) -> tuple[str, Scorecard | None]:
    text = reviews.run_scorecard(tx, run.id)
    card = load_scorecard(json.loads(text)) if text is not None else None
    return (card.model if card else None) or model_of(run.name), card


def _key(row: ReplyRow) -> Key:
    return row.case_id, row.task if row.task is not None else -1


@keyed
def _deeds(card: Scorecard, golds: GoldSet, replies: Iterable[Prediction]) -> Iterator[tuple[Key, str]]:
    """What the model of a run did where it left the gold, as far as its replies are kept.

    BFCL's simulators do not judge what comes after the first wrong turn, so that says nothing.
    """
    known = judged_by(golds, card.semantics).golds
    profiles = {(one.case, one.task): one.arguments_profile for one in card.tasks if not one.is_correct}
    first = dict(sorted(profiles, reverse=True))  # of each case the first wrong task
    for told in replies:
        key = (told.case, told.task if told.task is not None else -1)
        is_judged = key in known and (known[key].simulated is None or first.get(key[0]) == key[1])
        if key in profiles and is_judged:
            deed = deed_of(known[key], told, profile=profiles[key], semantics=card.semantics)
            if deed is not None:
                yield key, deed


def start_mending(
    workspace: Workspace, order: ImportOrder, *, runs: Sequence[Path], context: JobContext
) -> MendingStart:
    """Import public files whole, rank what is doubtful in them, and let the queue give it out first; a job.

    A high priority gets a case with a task that two models of different makes question together, or with an
    error of a rule that at most half of the cases break. Done again, with other runs too, it imports nothing
    twice.

    Args:
        workspace: A manager's.
        order: The files, and their batch.
        runs: Files of predictions over the public files, each a run.
        context: Progress and cancelling; what landed stays.

    Raises:
        InputError: No case can be read, they are in another batch, or a run answers none of them.
        ForbiddenError: The person is no manager.
    """
    require_manager(workspace)
    report = order.carry_out(workspace, context=context)
    rows = filled(
        cases_of(workspace, CaseFilter(batch=order.shown_batch)),
        InputError(
            f"{order.shown_batch} has no cases: those of the files are in another batch or cannot be read.",
            "Name their batch with --batch, or try `annotator import --dry-run`.",
        ),
    )
    suspects = grouped(
        (one.case, one) for one in _file_suspects(order.files, {row.case_id for row in rows}, runs, context)
    )
    broken = Counter(rule for row in rows for rule in row.rules)
    rare = {rule for rule, count in broken.items() if 2 * count <= len(rows)}
    found = [
        DoubtfulCase(
            case=row.case_id,
            weight=sum(one.weight for one in suspects.get(row.case_id, ()))
            + sum(-math.log(broken[rule] / len(rows)) for rule in row.rules),
            rules=tuple(sorted(row.rules, key=lambda rule: broken[rule])),
            suspects=tuple(suspects.get(row.case_id, ())),
        )
        for row in rows
    ]
    found = sorted((one for one in found if one.weight), key=lambda one: -one.weight)
    first = tuple(one.case for one in found if one.suspects or rare & ERROR_RULES & {*one.rules})
    change = BulkChange(action=BulkAction.PRIORITY, value=Priority.HIGH)
    moved = change_cases(workspace, first, change=change, context=context)
    return MendingStart(
        report=report, batch=order.shown_batch, cases=len(rows), doubtful=tuple(found), first=moved
    )


def _file_suspects(
    files: Sequence[Path], known: Collection[str], runs: Sequence[Path], context: JobContext
) -> Iterator[Suspect]:
    """The tasks of public files that runs over them question."""
    idle, reasons = set(runs), ["Its cases have other ids."]
    for file in files if runs else ():
        golds, scored = public_gold(file, known), []
        is_bfcl = all(KEY in case.extras for case in golds.cases.values())  # whose files have no answers
        semantics = Semantics.BFCL if is_bfcl else Semantics.PAPER
        golds = judged_by(golds, semantics)
        reasons += [one.reason for one in golds.not_scorable]
        for run in runs:
            told = tuple(read_run(golds, [run], context=context, source=file))
            card = score(golds, told, semantics=semantics)
            if card.summary.predictions:
                idle.discard(run)
                model = model_of(run_name(recorded_setting([run])) or run.stem)
                replies = (one for one in told if isinstance(one, Prediction))
                scored.append(ScoredRun(run.stem, model, card.tasks, _deeds(card, golds, replies)))
        yield from question_gold(scored).suspects
    if idle:
        raise InputError(
            f"{min(idle)} answers no case of the files that can be scored.",
            f"Name runs over these files. {reasons[-1]}",
        )


def value_words(proposed: ProposedValue) -> str:
    """What may be accepted besides, and who says so, in a clause."""
    said = ", ".join(map(quoted, proposed.added.values)) or tr("left out")
    if not proposed.models:
        return tr("{said}: the default in the schema", said=said)
    count, model = len(proposed.models), tr_count(proposed.asked, "model")
    return tr("{said}: {count} of {model}", said=said, count=count, model=model)


def suspect_words(suspect: Suspect) -> str:
    """What the models did together, in a sentence."""
    models = ", ".join(one.model for one in suspect.accusers)
    deed = suspect.accusers[0].deed or ""
    shown = deed if len(deed) <= _LONGEST_DEED else deed[: _LONGEST_DEED - 1] + "…"
    return (
        f"task {suspect.task + 1}: {models} said {shown} instead of the gold"
        if deed.startswith("a text")
        else f"task {suspect.task + 1}: {models} called {shown} instead of the gold"
    )


@operation("review:case:suspect", roles=(Role.EXPERT,))
def nominate(w: Work, suspect: Suspect, *, release: str) -> None:
    """Send a suspect to an expert; the case leaves `final` and its releases stay as they are.

    A new round begins, so that the expert decides on the case itself and not between earlier judgments.

    Args:
        w: An expert's.
        suspect: The evidence; it is recorded with the models that nominated the case.
        release: Over which release they ran.

    Raises:
        NotFoundError: The case is not in the project.
        InputError: The case has no such task any more.
        ForbiddenError: The case is not final, or the person is no expert.
    """
    store.lock_case(w.tx, get_row(w.tx, suspect.case).pk)
    row = get_row(w.tx, suspect.case)
    if suspect.task >= row.task_count:
        raise InputError(
            f"{suspect.case} has {counted(row.task_count, 'task')}, there is no task {suspect.task + 1}.",
            "The case changed since it was released; look at it in the Workbench.",
        )
    escalation = Escalation(
        reason=EscalationReason.GOLD_QUESTIONED,
        field=f"task.{suspect.task}",
        detail=suspect_words(suspect),
        models=tuple(one.model for one in suspect.accusers),
    )
    again = {"round": row.round + 1, "note": escalation.words}
    stage_moves.move(w, row, "suspect", to=Stage.ESCALATED, who=Actor.EXPERT, **again)
    evidence: JsonObject = suspect.model_dump(mode="json")
    w.record_case(
        row.case_id,
        {**escalation.payload, "from": row.stage.value, "release": release, "suspect": evidence},
    )
    w.change(Changes(has_releases=True))
