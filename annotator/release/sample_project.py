"""The sample project: bundled cases, a scripted team that disagrees now and then, a release and two runs."""

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import JsonValue

from annotator.cases.access import show_case
from annotator.cases.evidence.citations import leaf_paths, propose_evidence
from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.people import add_person
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace
from annotator.release.freeze import freeze
from annotator.release.manifest import Manifest
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.recorded_runs import record_run
from annotator.resources import resource_path
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision, FeedbackItem, Own
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.queue.case_rows import CaseFilter, count_cases, list_cases
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.errors import StoreError, reworded
from scoring.model.case import Case, load_case
from scoring.model.labels import (
    CASE_CHECKLIST,
    TASK_CHECKLIST,
    Citation,
    Judgment,
    Reason,
    TaskLabels,
    compare,
    labels_of,
)
from scoring.model.record import Record
from scoring.model.taxonomy import (
    EXPERT_STAGES,
    FINAL_STAGES,
    SELF_CHECKS,
    CheckAnswer,
    EdgeKind,
    Role,
    SourceMark,
    Stage,
    Verdict,
)
from scoring.scorecard import Scorecard

BATCH = "samples"
OWNER, REVIEWERS, EXPERT = "ann-1", ("ann-2", "ann-3"), "expert-1"
SELF_CHECKED, CROSS_CHECKED = 9, 6
"""How far the sample project is when a person opens it: cases self-checked, and of these cross-checked."""
FIRST_CASE = "sample-11-allotment"
"""The case that waits for whoever opens the sample project: their own self-check."""
CHINESE_CASE = "sample-10-badminton-zh"
"""A reviewer has begun it, so that nobody is handed a case they may not be able to read."""
RUNS = ("careful", "careless")


class OwnerLine(Record):
    """The owner hands in the corrected case at one of their self-checks."""

    case: str
    round: int
    submits: str


class ReviewerLine(Record):
    """What one scripted reviewer says otherwise than the owner."""

    case: str
    round: int
    reviewer: int
    fields: dict[str, JsonValue]
    checklist: dict[str, CheckAnswer]
    verdict: Verdict
    reasons: tuple[Reason, ...]


class ExpertLine(Record):
    """What the scripted expert decides otherwise than the owner."""

    case: str
    fields: dict[str, JsonValue]
    verdict: Verdict
    feedback: tuple[FeedbackItem, ...]


class Script(Record):
    """The whole script of the sample project."""

    owner: tuple[OwnerLine, ...]
    reviewers: tuple[ReviewerLine, ...]
    expert: tuple[ExpertLine, ...]


@dataclass(frozen=True)
class DemoResult:
    """What a walk through all stages ended with."""

    manifest: Manifest
    runs: tuple[tuple[str, Scorecard], ...]


def read_script() -> Script:
    """Read the bundled script."""
    return Script.model_validate_json(resource_path("samples", "reviewers.json").read_bytes())


def found_demo(project: str) -> Workspace:
    """Create the sample project: bundled cases, the person of this computer and a scripted team.

    Raises:
        StoreError: The place is taken or unusable.
    """
    workspace = create_workspace(project, name="Sample project", policy=ReviewPolicy(case_fields=0))
    for name in (OWNER, *REVIEWERS):
        add_person(workspace, name, roles=[Role.ANNOTATOR])
    add_person(workspace, EXPERT, roles=[Role.EXPERT])
    import_files(workspace, [resource_path("samples", "cases.jsonl")], context=JobContext(), batch=BATCH)
    return workspace


@dataclass
class ScriptedTeam:
    """The scripted people at work on the sample project."""

    workspace: Workspace
    script: Script
    people: dict[str, Workspace] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in (OWNER, *REVIEWERS, EXPERT):
            self.people[name] = self.workspace.as_person(name)
        lines = resource_path("samples", "corrections.jsonl").read_text(encoding="utf-8").splitlines()
        self.corrections = {case.id: case for case in (load_case(json.loads(line)) for line in lines)}

    def close(self) -> None:
        """Give the scripted people's connections back."""
        for workspace in self.people.values():
            workspace.close()

    def self_check(self, case_id: str) -> None:
        """Let the owner pass the self-checks of a case."""
        owner = self.people[OWNER]
        stage = Stage.SELF_CHECK_TASK
        while stage in SELF_CHECKS:
            held = claim_case(owner, case_id).value
            shown = open_assignment(owner, held.id).base
            is_corrected = any(
                (line.case, line.round) == (case_id, held.round) and line.submits == "correction"
                for line in self.script.owner
            )
            case = self.corrections[case_id] if is_corrected else shown
            judgment = _agreeing(case, evidence=_evidence(case)).model_copy(
                update={"edit": case if is_corrected else None}
            )
            stage = submit(owner, held.id, judgment=judgment, key=submission_key()).value.stage

    def cross_check(self, case_id: str) -> None:
        """Let both reviewers judge a case; they say what the owner says, besides their lines."""
        truth = show_case(self.workspace, case_id)
        for number, name in enumerate(REVIEWERS, 1):
            reviewer = self.people[name]
            held = claim_case(reviewer, case_id).value
            judgment = _agreeing(truth, evidence=())
            for line in self.script.reviewers:
                if (line.case, line.round, line.reviewer) == (case_id, held.round, number):
                    judgment = _differing(judgment, truth, line)
            submit(reviewer, held.id, judgment=judgment, key=submission_key())

    def decide(self, case_id: str) -> None:
        """Let the expert decide an escalated or sampled case: as the owner has it, besides their lines."""
        truth = show_case(self.workspace, case_id)
        owner = {field.id: field.values[0] for field in compare(truth, [_agreeing(truth, evidence=()).tasks])}
        line = next((line for line in self.script.expert if line.case == case_id), None)
        expert = self.people[EXPERT]
        seen = open_adjudication(expert, case_id).value
        fields: dict[str, str | Own] = {}
        feedback: tuple[FeedbackItem, ...] = ()
        if seen.stage is Stage.ESCALATED:
            decided = line.fields if line else {}
            fields = {
                one.id: Own(own=decided.get(one.id, owner.get(one.id)))
                for one in seen.differing
                if one.kind in ("policy", "information", "edge")
            }
            judged = (
                one for one in seen.differing if one.kind in ("completed", "call", "checklist", "drawn")
            )
            fields |= {one.id: Own(own=True) for one in judged}
            feedback = tuple(
                item.model_copy(update={"to": {"reviewer 1": "A", "reviewer 2": "B"}.get(item.to, item.to)})
                for item in (line.feedback if line else ())
            )
        decision = Decision(
            fields=fields,
            edits=dict.fromkeys((edit.id for edit in seen.edits), "decline"),
            feedback=feedback,
            verdict=line.verdict if line and seen.stage is Stage.ESCALATED else Verdict.APPROVE,
        )
        decide(expert, seen.assignment_id, decision=decision, key=submission_key())


def make_sample(place: Path, *, context: JobContext) -> None:
    """Make the sample project that a person opens: in the middle of its work, with a first case of their own.

    It is made in a folder beside its place and moved there when it is complete.

    Args:
        place: The file to make.
        context: Progress in reviews, and cancellation between them.

    Raises:
        StoreError: The folder cannot be written to.
        JobCancelled: It was cancelled; nothing is left.
    """
    context.progress(0, SELF_CHECKED + CROSS_CHECKED, "importing the dialogues")
    with reworded(
        OSError,
        into=lambda exc: StoreError(
            f"The sample project cannot be made in {place.parent}: {exc.strerror}.",
            "Make the folder writable, or create a project elsewhere and import a file.",
        ),
    ):
        place.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=".sample-") as folder:
            made = Path(folder, place.name)
            workspace = found_demo(str(made))
            try:
                prepare_demo(workspace, context=context)
                with closing(workspace.as_person(REVIEWERS[0])) as reader:
                    claim_case(reader, CHINESE_CASE)
                claim_case(workspace, FIRST_CASE)  # last: it heads the queue
            finally:
                workspace.close()
            made.replace(place)


def prepare_demo(workspace: Workspace, *, context: JobContext | None = None) -> None:
    """Bring the sample project to the middle of its work, so that every kind of work waits for a person."""
    team = ScriptedTeam(workspace, read_script())
    try:
        rows = list_cases(workspace, CaseFilter(stages=(Stage.IMPORTED,), order="case"))
        reviews = [(team.self_check, row) for row in rows[:SELF_CHECKED]]
        reviews += [(team.cross_check, row) for row in rows[:CROSS_CHECKED]]
        for review, row in (context or JobContext()).each(reviews, "reviewing the dialogues"):
            review(row.case_id)
    finally:
        team.close()


def walk_demo(workspace: Workspace, directory: Path, *, context: JobContext) -> DemoResult:
    """Walk every case through all stages with the scripted team, freeze a release and score two runs.

    Args:
        workspace: A fresh sample project, opened by its founder.
        directory: Where the release folder goes.
        context: Progress in cases that are final, and cancellation between cases.
    """
    team = ScriptedTeam(workspace, read_script())
    acts: Sequence[tuple[tuple[Stage, ...], Callable[[str], None]]] = (
        ((Stage.IMPORTED, Stage.RETURNED), team.self_check),
        ((Stage.CROSS_CHECK,), team.cross_check),
        (EXPERT_STAGES, team.decide),
    )
    try:
        total = count_cases(workspace, CaseFilter())
        while count_cases(workspace, CaseFilter(stages=FINAL_STAGES)) < total:
            for stages, act in acts:
                for row in list_cases(workspace, CaseFilter(stages=stages, order="case")):
                    context.check_cancelled()
                    act(row.case_id)
            done = count_cases(workspace, CaseFilter(stages=FINAL_STAGES))
            context.progress(done, total, "reviewing the samples")
    finally:
        team.close()
    manifest = freeze(workspace, "samples-1", directory=directory, context=context).value
    return DemoResult(manifest=manifest, runs=tuple(_score_runs(workspace, directory, context=context)))


def _score_runs(
    workspace: Workspace, directory: Path, *, context: JobContext
) -> Iterator[tuple[str, Scorecard]]:
    cases = load_cases(directory)
    for name in RUNS:
        predictions = resource_path("samples", f"predictions_{name}.jsonl")
        card = evaluate(cases, [predictions], context=context)
        record_run(workspace, name, card=card, predictions=[predictions])
        yield (name, card)


def _agreeing(case: Case, *, evidence: tuple[Citation, ...]) -> Judgment:
    return Judgment(
        tasks=tuple(
            labels.model_copy(
                update={
                    "drawn": None if labels.drawn is None else True,
                    "calls_correct": (True,) * len(labels.calls_correct),
                    "completed": True,
                    "checklist": dict.fromkeys(TASK_CHECKLIST, CheckAnswer.PASS),
                }
            )
            for labels in labels_of(case)
        ),
        checklist=dict.fromkeys(CASE_CHECKLIST, CheckAnswer.PASS),
        evidence=evidence,
        verdict=Verdict.APPROVE,
        seconds=90,
    )


def _evidence(case: Case) -> tuple[Citation, ...]:
    """The proposed citations, and a mark for every value nothing is proposed for."""
    proposed = {
        (citation.task, citation.step, citation.path): citation
        for t in range(len(case.tasks))
        for citation in propose_evidence(case, t)
    }
    return tuple(
        proposed.get((t, s, path), Citation(task=t, step=s, path=path, source=SourceMark.WORLD)).model_copy(
            update={"accepted": True}
        )
        for t, task in enumerate(case.tasks)
        for s, call in task.calls
        for path in leaf_paths(call.arguments)
    )


def _differing(judgment: Judgment, case: Case, line: ReviewerLine) -> Judgment:
    tasks = list(judgment.tasks)
    for name, value in line.fields.items():
        t = int(name.split(".")[1])
        tasks[t] = _said(tasks[t], case, name, value)
    for name, answer in line.checklist.items():
        place, _, item = name.rpartition(".")
        if place != "case":
            t = int(place.split(".")[1])
            tasks[t] = tasks[t].model_copy(update={"checklist": {**tasks[t].checklist, item: answer}})
    return judgment.model_copy(
        update={"tasks": tuple(tasks), "verdict": line.verdict, "reasons": line.reasons}
    )


def _said(labels: TaskLabels, case: Case, name: str, value: JsonValue) -> TaskLabels:
    """Put one compared field into a rater's labels."""
    _, number, kind, *rest = name.split(".")
    match kind:
        case "policy" | "information" | "completed":
            return TaskLabels.model_validate({**labels.model_dump(), kind: value})
        case "call":
            steps = [step for step, _ in case.tasks[int(number)].calls]
            calls = list(labels.calls_correct)
            calls[steps.index(int(rest[0]))] = bool(value)
            return labels.model_copy(update={"calls_correct": tuple(calls)})
    a, b = (int(part) for part in rest[0].split("-"))
    edges = tuple(edge for edge in labels.edges if edge[:2] != (a, b))
    if value is not None:
        edges = tuple(sorted((*edges, (a, b, EdgeKind(str(value))))))
    return labels.model_copy(update={"edges": edges})
