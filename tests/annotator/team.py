"""A project with a team of five on either database, and the moves a test makes in their names."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar, cast

from annotator.cases.access import show_case
from annotator.cases.file_import import ImportReport, import_files
from annotator.cases.findings.checks import check_case
from annotator.jobs import JobContext
from annotator.project.creation import write_first_rows
from annotator.project.people import add_person
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace, open_workspace
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Adjudication, Decided, Decision
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import Submitted, submission_key, submit
from db.engine import disposed, open_engine, writing
from db.project_files.location import locate
from db.read import comments
from db.read.rows import FeedbackRow
from scoring.model.case import Case, dump_case
from scoring.model.labels import (
    CASE_CHECKLIST,
    TASK_CHECKLIST,
    Citation,
    EdgeTriple,
    Judgment,
    Reason,
    Waiver,
)
from scoring.model.taxonomy import (
    SELF_CHECKS,
    CheckAnswer,
    FeedbackCategory,
    Information,
    Policy,
    Role,
    Severity,
    SourceMark,
    Stage,
    Verdict,
)
from tests.factories import answer, call, case, task, tool

P = ParamSpec("P")
T = TypeVar("T")
START = datetime(2026, 11, 20, 9, 0, tzinfo=UTC)
PEOPLE = {
    "ann": (Role.ANNOTATOR,),
    "bob": (Role.ANNOTATOR,),
    "cleo": (Role.ANNOTATOR,),
    "dan": (Role.ANNOTATOR,),
    "eve": (Role.EXPERT,),
}


class Clock:
    """A clock a test moves by hand; every look moves it one second, so that order is visible."""

    def __init__(self) -> None:
        self.at = START

    def __call__(self) -> datetime:
        self.at += timedelta(seconds=1)
        return self.at

    def forward(self, **span: float) -> None:
        """Let time pass."""
        self.at += timedelta(**span)


_BEHIND: dict[tuple[object, ...], tuple[bytes, datetime, object]] = {}
"""By the steps of a team: its project file behind them, the time, and what the last step returned."""


def _is_open(path: Path) -> bool:
    return path.with_name(f"{path.name}-wal").exists()  # it goes with the last connection


@dataclass
class Team:
    """Everybody's workspace on one project; `max` is the manager who founded it."""

    url: str
    folder: Path
    clock: Clock
    workspaces: dict[str, Workspace] = field(default_factory=dict)
    steps: tuple[object, ...] = ()
    walked_until: datetime = START

    def __getitem__(self, name: str) -> Workspace:
        if name not in self.workspaces:
            self.workspaces[name] = open_workspace(self.url, name, clock=self.clock)
        return self.workspaces[name]

    def close(self) -> None:
        """Close everybody's workspace; who is asked for afterwards opens another one."""
        for workspace in self.workspaces.values():
            workspace.close()
        self.workspaces.clear()

    def walk(self, step: Callable[Concatenate["Team", P], T], *args: P.args, **options: P.kwargs) -> T:
        """Go the first steps of a test; later tests get a copy of the project file behind them.

        Copied are files that nobody has open, where the team did nothing but walk.

        Args:
            step: Called with the team; it and its arguments name the copy.
            args: Values that can be compared, as what the step returns should be.
            options: More of them.
        """
        path = locate(self.url).path
        self.close()
        if path is None or self.clock.at != self.walked_until or _is_open(path):
            return step(self, *args, **options)
        self.steps = (*self.steps, (step, args, tuple(options.items())))
        if self.steps in _BEHIND:
            content, self.clock.at, value = _BEHIND[self.steps]
            path.write_bytes(content)
        else:
            value = step(self, *args, **options)
            self.close()
            if not _is_open(path):
                _BEHIND[self.steps] = path.read_bytes(), self.clock.at, value
        self.walked_until = self.clock.at
        return cast("T", value)

    def bring(self, *cases: Case, batch: str = "b1") -> ImportReport:
        """Import cases through a file."""
        path = self.folder / f"cases-{len(list(self.folder.iterdir()))}.jsonl"
        path.write_text("".join(json.dumps(dump_case(case)) + "\n" for case in cases), encoding="utf-8")
        return import_files(self["max"], [path], context=JobContext(), batch=batch)

    def stage(self, case_id: str) -> Stage:
        """Where a case stands."""
        from db.read import queries

        row = self["max"].read(lambda tx: queries.find_case(tx, case_id))
        assert row is not None
        return row.stage

    def self_check(self, name: str, case_id: str, *, edit: Case | None = None) -> Submitted:
        """Approve the self-checks of a case in somebody's name: two, or one where it has one task."""
        done = self.check_once(name, case_id, edit=edit)
        return self.check_once(name, case_id, edit=edit) if done.stage in SELF_CHECKS else done

    def check_once(self, name: str, case_id: str, *, edit: Case | None = None) -> Submitted:
        """Approve the self-check a case waits for."""
        held = claim_case(self[name], case_id).value
        shown = edit or open_assignment(self[name], held.id).base
        return submit(self[name], held.id, judgment=approval(shown, edit=edit), key=submission_key()).value

    def self_check_waiving(self, name: str, case_id: str) -> Submitted:
        """Approve the self-checks of a case, every error waived with a reason."""
        done: Submitted | None = None
        while done is None or done.stage in SELF_CHECKS:
            held = claim_case(self[name], case_id).value
            shown = open_assignment(self[name], held.id).base
            waivers = tuple(
                Waiver(rule=finding.rule, where=finding.where, reason="it is meant so")
                for finding in check_case(shown, undrawn=())
                if finding.severity is Severity.ERROR
            )
            judgment = approval(shown).model_copy(update={"waivers": waivers})
            done = submit(self[name], held.id, judgment=judgment, key=submission_key()).value
        return done

    def cross_check(
        self,
        name: str,
        case_id: str,
        *,
        policies: Mapping[int, Policy] | None = None,
        edges: Mapping[int, Sequence[EdgeTriple]] | None = None,
        wrong_calls: Mapping[int, Sequence[int]] | None = None,
        verdict: Verdict = Verdict.APPROVE,
        edit: Case | None = None,
        note: str = "see there",
    ) -> Submitted:
        """Cross-check in somebody's name: the head's labels, besides the named differences."""
        truth = show_case(self["max"], case_id)
        held = claim_case(self[name], case_id).value
        judgment = approval(truth, edit=edit)
        tasks = [
            labels.model_copy(
                update={
                    "policy": (policies or {}).get(t, labels.policy),
                    "edges": tuple((edges or {}).get(t, labels.edges)),
                    "calls_correct": tuple(
                        i not in (wrong_calls or {}).get(t, ()) for i in range(len(labels.calls_correct))
                    ),
                }
            )
            for t, labels in enumerate(judgment.tasks)
        ]
        update: dict[str, object] = {"tasks": tuple(tasks), "verdict": verdict, "evidence": ()}
        if verdict is not Verdict.APPROVE:
            update["reasons"] = self.reasons(note)
        return submit(
            self[name], held.id, judgment=judgment.model_copy(update=update), key=submission_key()
        ).value

    def reasons(self, note: str) -> tuple[Reason, ...]:
        """Why a verdict is not an approval."""
        return (Reason(category=FeedbackCategory.OTHER, note=note),)

    def open_expert(self, case_id: str, name: str = "eve") -> Adjudication:
        """What the expert sees of a case."""
        return open_adjudication(self[name], case_id).value

    def decide(self, case_id: str, decision: Decision, name: str = "eve") -> Decided:
        """Settle a case in the expert's name."""
        return decide(
            self[name],
            self.open_expert(case_id, name).assignment_id,
            decision=decision,
            key=submission_key(),
        ).value


def approval(shown: Case, *, edit: Case | None = None) -> Judgment:
    """A judgment that approves a case as it is, with everything a gate could ask for."""
    from annotator.cases.evidence.citations import leaf_paths
    from scoring.model.labels import labels_of

    tasks = tuple(
        labels.model_copy(
            update={
                "drawn": None if labels.drawn is None else True,
                "calls_correct": (True,) * len(labels.calls_correct),
                "completed": True,
                "checklist": dict.fromkeys(TASK_CHECKLIST, CheckAnswer.PASS),
            }
        )
        for labels in labels_of(shown)
    )
    evidence = tuple(
        Citation(task=t, step=s, path=path, source=SourceMark.WORLD)
        for t, one in enumerate(shown.tasks)
        for s, made in one.calls
        for path in leaf_paths(made.arguments)
    )
    return Judgment(
        tasks=tasks,
        checklist=dict.fromkeys(CASE_CHECKLIST, CheckAnswer.PASS),
        evidence=evidence,
        verdict=Verdict.APPROVE,
        edit=edit,
        seconds=60,
    )


def feedback_for_me(workspace: Workspace) -> tuple[FeedbackRow, ...]:
    """Corrections told to the person, newest first."""
    return workspace.read(lambda tx: comments.feedback_to(tx, workspace.person.id))


def two_step_case(case_id: str = "c-1") -> Case:
    """One serial task of two calls: where is the parcel, then reroute it from there."""
    find = tool("findParcel", number={"type": "string"}, required=["number"])
    route = tool("reroute", depot={"type": "string"}, required=["depot"])
    return case(
        task(
            call("findParcel", {"depot": "Hamar-7"}, number="P-881"),
            call("reroute", {"ok": True}, depot="Hamar-7"),
            answer("It goes on from Hamar-7."),
            user="Send my parcel P-881 on from wherever it is.",
            edges=[(0, 1)],
            policy=Policy.MULTI_SERIAL,
            information=Information.FIRST,
        ),
        id=case_id,
        tools=[find, route],
    )


def two_round_case(case_id: str = "c-1") -> Case:
    """The case of two steps with a second task, so that the dialogue has a self-check of its own."""
    thanks = task(
        answer("You are welcome."), user="Thanks!", policy=Policy.CHAT, information=Information.OMISSION
    )
    one = two_step_case(case_id)
    return one.model_copy(update={"tasks": (*one.tasks, thanks)})


@contextmanager
def team_on(url: str, folder: Path, *, policy: ReviewPolicy | None = None) -> Iterator[Team]:
    """Found a project on an empty store with the whole team in it."""
    inbox = folder / "inbox"
    inbox.mkdir()
    strict = ReviewPolicy(case_fields=0)  # one field that differs is enough to escalate
    team = Team(url=url, folder=inbox, clock=Clock())
    try:
        team.walk(_found, (policy or strict).model_dump_json())
        yield team
    finally:
        team.close()


def _found(team: Team, policy: str) -> None:
    chosen = ReviewPolicy.model_validate_json(policy)
    with disposed(open_engine(team.url)) as engine, writing(engine) as tx:
        write_first_rows(tx, name="team", owner="max", policy=chosen, at=team.clock())
    for name, roles in PEOPLE.items():
        add_person(team["max"], name, roles=roles)
