"""Ten scripted people at work: what each says about a case, in process or through the command line."""

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from annotator.cases.evidence.citations import leaf_paths, propose_evidence
from annotator.project.workspace import Workspace, open_workspace
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Adjudication, Decision, FeedbackItem, Own
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.queue.claims import AssignmentRow, claim_next
from annotator.review.queue.queue_status import waiting_for
from annotator.review.submissions import submission_key, submit
from annotator.review.withdrawals import reopen
from scoring.model.case import Case, content_of, load_case
from scoring.model.labels import Citation, Judgment, Reason, TaskLabels
from scoring.model.taxonomy import FeedbackCategory, Information, Policy, Role, SourceMark, Stage, Verdict
from tests.annotator.team import approval
from tests.e2e.command import annotator, annotator_process
from tests.e2e.planting import OWNERS_MISTAKES, Plant
from tests.e2e.truths import misanswered, mislabelled, waivers_for

ANNOTATORS = tuple(f"ann-{number}" for number in range(1, 8))
EXPERTS = ("eve", "eric")
MANAGER = "max"
ROLES = {
    MANAGER: (Role.MANAGER,),
    **dict.fromkeys(ANNOTATORS, (Role.ANNOTATOR,)),
    **dict.fromkeys(EXPERTS, (Role.EXPERT,)),
}

ONE_REVIEWER_ERRS = frozenset(
    (
        Plant.COMPLETED_BELOW,
        Plant.COMPLETED_ABOVE,
        Plant.POLICY_BELOW,
        Plant.POLICY_ABOVE,
        Plant.CALL_BELOW,
        Plant.EDGE_BELOW,
        Plant.EDGE_ABOVE,
        Plant.REJECTED,
    )
)
MISSED = (Plant.MISSED_BELOW, Plant.MISSED_ABOVE)


@dataclass
class ScriptedTeam:
    """The ten people, what they know to be right, and where they go wrong.

    `said` notes, for every cross-check round, what each rater said of each task's completion, the owner
    first: the script's own record beside what the product remembers.
    """

    url: str
    folder: Path
    truths: dict[str, Case]
    plan: dict[str, Plant]
    said: dict[tuple[str, int], dict[str, tuple[bool, ...]]] = field(default_factory=dict)
    owners: dict[str, str] = field(default_factory=dict)
    erred: set[str] = field(default_factory=set)
    rejected: set[str] = field(default_factory=set)
    workspaces: dict[str, Workspace] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def __getitem__(self, name: str) -> Workspace:
        if name not in self.workspaces:
            self.workspaces[name] = open_workspace(self.url, name)
        return self.workspaces[name]

    def close(self) -> None:
        """Give everybody's connection back."""
        for workspace in self.workspaces.values():
            workspace.close()

    # What they think.

    def owner_version(self, case_id: str, stage: Stage, round_: int) -> Case:
        """The case as its owner hands it in."""
        truth, plant = self.truths[case_id], self.plan.get(case_id)
        if round_ > 1 or (plant is Plant.LATE and stage is Stage.SELF_CHECK_DIALOGUE):
            return truth
        if plant is Plant.RETURNED:
            return misanswered(truth)
        return mislabelled(truth) if plant in OWNERS_MISTAKES else truth

    def self_check(
        self, name: str, case_id: str, *, stage: Stage, round_: int, base: Case, proposed: Iterable[Citation]
    ) -> Judgment:
        """What the owner submits: the case as they would have it, every value cited, every error settled."""
        version = self.owner_version(case_id, stage, round_)
        with self.lock:
            self.owners[case_id] = name
        judgment = approval(version).model_copy(
            update={
                "evidence": cited(version, proposed),
                "waivers": waivers_for(version),
                "edit": None if content_of(version) == content_of(base) else version,
            }
        )
        if self.plan.get(case_id) is Plant.OWNER_ESCALATES and round_ == 1:
            return judgment.model_copy(
                update={"verdict": Verdict.ESCALATE, "reasons": because("what does the user want?")}
            )
        return judgment

    def cross_check(self, name: str, case_id: str, *, round_: int) -> Judgment:
        """What a reviewer submits; where one of two errs it is the one who comes first."""
        plant = self.plan.get(case_id) if round_ == 1 else None
        truth = self.truths[case_id]
        judgment = approval(mislabelled(truth) if plant in MISSED else truth)
        judgment = judgment.model_copy(update={"evidence": ()})
        with self.lock:
            if plant is Plant.RETURNED:
                judgment = _with_verdict(
                    _not_completed(judgment), Verdict.RETURN, "the answer is not what came back"
                )
            elif plant in ONE_REVIEWER_ERRS and case_id not in self.erred:
                self.erred.add(case_id)
                judgment = _erring(judgment, plant)
            owner = {self.owners[case_id]: (True,) * len(truth.tasks)}
            raters = self.said.setdefault((case_id, round_), owner)
            raters[name] = tuple(labels.completed is True for labels in judgment.tasks)
        return judgment

    def decision(self, seen: Adjudication, case: Case) -> Decision:
        """What an expert decides: always what is right, with a word to the owner who had it wrong."""
        case_id = seen.case_id
        if self.plan.get(case_id) is Plant.REJECTED and case_id not in self.rejected:
            return Decision(verdict=Verdict.REJECT, note="nobody can tell what is asked here")
        truth = self.truths[case_id]
        fields: dict[str, str | Own] = {
            differing.id: Own(own=_value(truth, differing.id)) for differing in seen.differing
        }
        if seen.stage is Stage.EXPERT:
            fields = {
                f"task.{t}.information": Own(own=right.information)
                for t, (right, shown) in enumerate(zip(truth.tasks, case.tasks, strict=True))
                if right.information is not shown.information
            }
        told = [name for name in fields if name.endswith(".information")]
        return Decision(
            fields=fields,
            verdict=Verdict.APPROVE,
            feedback=tuple(
                FeedbackItem(to="owner", category=FeedbackCategory.INFORMATION_MISMATCH, note=name)
                for name in told
            ),
        )

    # In process.

    def work(self) -> None:
        """Let everybody take the next case in turn until nothing waits for anybody."""
        while self._turn(self.review_next, ANNOTATORS) or self._turn(self.decide_next, EXPERTS):
            pass

    def _turn(self, act: Callable[[str], bool], people: Sequence[str]) -> bool:
        """Let everybody act once; whether anybody found work."""
        found = [act(name) for name in people]
        return any(found)

    def review_next(self, name: str) -> bool:
        """Take the next case and submit what the person says; false where nothing waits."""
        held = claim_next(self[name]).value
        if held is not None:
            self.review(name, held)
        return held is not None

    def review(self, name: str, held: AssignmentRow) -> None:
        """Submit what the person says of a case they hold."""
        workspace = self[name]
        shown = open_assignment(workspace, held.id)
        if held.stage is Stage.CROSS_CHECK:
            require_blind(shown.base)
            judgment = self.cross_check(name, held.case_id, round_=held.round)
        else:
            judgment = self.self_check(
                name,
                held.case_id,
                stage=held.stage,
                round_=held.round,
                base=shown.base,
                proposed=proposals_for(self.owner_version(held.case_id, held.stage, held.round)),
            )
        submit(workspace, held.id, judgment=judgment, key=submission_key())

    def decide_next(self, name: str) -> bool:
        """Take the next escalated or sampled case and decide it; false where nothing waits."""
        workspace = self[name]
        held = claim_next(workspace).value
        if held is None:
            return False
        seen = open_adjudication(workspace, held.case_id).value
        decision = self.decision(seen, seen.case)
        decide(workspace, seen.assignment_id, decision=decision, key=submission_key())
        if decision.verdict is Verdict.REJECT:
            self.rejected.add(held.case_id)
            reopen(workspace, held.case_id, reason="the request can be read after all")
        return True

    # Through the command line.

    def work_by_command(self) -> None:
        """The same with the real command, two people at a time."""
        with ThreadPoolExecutor(max_workers=2) as pool:
            while ready := [name for name in (*ANNOTATORS, *EXPERTS) if self._has_work(name)]:
                reviewers = [name for name in ready if name in ANNOTATORS]
                if reviewers:
                    list(pool.map(self.review_by_command, reviewers))
                else:
                    list(pool.map(self.decide_by_command, ready))

    def _has_work(self, name: str) -> bool:
        waiting = waiting_for(self[name])
        return bool(waiting.returned + waiting.self_check + waiting.cross_check + waiting.expert)

    def command(self, name: str, *arguments: object) -> Any:
        """Run a command in somebody's name and read the document it prints."""
        ran = annotator(*arguments, "-p", self.url, person=name)
        assert ran.code == 0, ran.err
        return ran.document

    def _command_beside_others(self, name: str, *arguments: object) -> Any:
        """The same in a process of its own, while other people work."""
        ran = annotator_process(*arguments, "-p", self.url, person=name)
        assert ran.code == 0, ran.err
        return ran.document

    def review_by_command(self, name: str) -> None:
        """`review next`, then `review submit` of the filled-in template, where anything waits."""
        shown = self._command_beside_others(name, "review", "next", "--json")
        if shown["assignment"] is None:  # somebody else was faster
            return
        base, round_ = load_case(shown["case"]), int(shown["round"])
        proposed = [Citation.model_validate(item) for item in shown["judgment"]["evidence"]]
        if shown["stage"] == Stage.CROSS_CHECK:
            assert shown["blind"]
            require_blind(base)
            judgment = self.cross_check(name, base.id, round_=round_)
        else:
            stage = Stage(shown["stage"])
            judgment = self.self_check(
                name, base.id, stage=stage, round_=round_, base=base, proposed=proposed
            )
        file = self._file(f"judgment-{shown['assignment']}", judgment.model_dump(mode="json", by_alias=True))
        self._command_beside_others(name, "review", "submit", shown["assignment"], "--file", file, "--json")

    def decide_by_command(self, name: str) -> None:
        """`review next` names a case, `adjudicate` shows it, `adjudicate --file` decides it."""
        shown = self._command_beside_others(name, "review", "next", "--json")
        if shown["assignment"] is None:
            return
        case_id = shown["case"]["id"]
        laid_out = self._command_beside_others(name, "adjudicate", case_id)
        seen = open_adjudication(self[name], case_id).value
        assert sorted(laid_out["template"]["fields"]) == sorted(one.id for one in seen.differing)
        decision = self.decision(seen, load_case(laid_out["case"]))
        body = {**laid_out["template"], **decision.model_dump(mode="json", exclude={"edit"})}
        self._command_beside_others(
            name, "adjudicate", case_id, "--file", self._file(f"decision-{case_id}", body), "--json"
        )

    def _file(self, name: str, document: object) -> Path:
        path = self.folder / f"{name}.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        return path


def proposals_for(case: Case) -> list[Citation]:
    """What the product proposes as sources of a case's values."""
    return [citation for t in range(len(case.tasks)) for citation in propose_evidence(case, t)]


def cited(case: Case, proposed: Iterable[Citation]) -> tuple[Citation, ...]:
    """Accept what is proposed for a value, and mark every other value as known by everybody."""
    known = {(one.task, one.step, one.path): one for one in proposed}
    return tuple(
        known.get((t, s, path), Citation(task=t, step=s, path=path, source=SourceMark.WORLD)).model_copy(
            update={"accepted": True}
        )
        for t, task in enumerate(case.tasks)
        for s, call in task.calls
        for path in leaf_paths(call.arguments)
    )


def because(note: str) -> tuple[Reason, ...]:
    """Why a verdict is no approval."""
    return (Reason(category=FeedbackCategory.OTHER, note=note),)


def require_blind(shown: Case) -> None:
    """What a reviewer is shown holds neither labels nor a drawing."""
    assert all((task.policy, task.information, task.drawn_edges) == (None, None, ()) for task in shown.tasks)


def _with_verdict(judgment: Judgment, verdict: Verdict, note: str) -> Judgment:
    return judgment.model_copy(update={"verdict": verdict, "reasons": because(note)})


def _with_task(judgment: Judgment, number: int, **update: object) -> Judgment:
    tasks: list[TaskLabels] = list(judgment.tasks)
    tasks[number] = tasks[number].model_copy(update=update)
    return judgment.model_copy(update={"tasks": tuple(tasks)})


def _not_completed(judgment: Judgment) -> Judgment:
    return _with_task(judgment, -1, completed=False)


def _erring(judgment: Judgment, plant: Plant) -> Judgment:
    first = judgment.tasks[0]
    match plant:
        case Plant.COMPLETED_BELOW | Plant.COMPLETED_ABOVE:
            return _not_completed(judgment)
        case Plant.POLICY_BELOW | Plant.POLICY_ABOVE:
            wrong = Policy.CHAT if first.policy is not Policy.CHAT else Policy.SINGLE
            return _with_task(judgment, 0, policy=wrong)
        case Plant.CALL_BELOW:
            return _with_task(judgment, 0, calls_correct=(False, *first.calls_correct[1:]))
        case Plant.EDGE_BELOW | Plant.EDGE_ABOVE:
            return _with_task(judgment, 0, edges=first.edges[1:])
        case _:
            return _with_verdict(judgment, Verdict.REJECT, "this cannot be judged")


def _value(truth: Case, field_id: str) -> str | bool | None:
    """What is right for a compared field."""
    _, number, kind, *rest = field_id.split(".")
    task = truth.tasks[int(number)]
    if kind == "policy":
        return task.policy
    if kind == "information":
        return Information(task.information) if task.information else None
    if kind == "edge":
        return next(
            (edge.kind for edge in task.drawn_edges if f"{edge.source}-{edge.target}" == rest[0]), None
        )
    return True
