"""What a review policy costs and leaves wrong: a scripted team judges cases whose right labels are known.

    python -m tests.bench.checking_costs [CASES [SEED ...]]

Four people are wrong about 16, 6, 4 and 3 % of the labels, the expert never, who reads the whole of an
escalated case or what people differ on alone. Every judgment and decision counts as one look. What it prints
stands in `docs/checking.md`.
"""

import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

from annotator.cases.bodies import read_body
from annotator.project.policy import ReviewPolicy
from annotator.project.workspace import Workspace
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision, Own
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.queue.claims import claim_next
from annotator.review.submissions import submission_key, submit
from db.care.upgrade import create_project
from db.read import queries
from scoring.model.case import Case, Task
from scoring.model.graph import with_drawn_edges
from scoring.model.labels import labels_of, without_labels
from scoring.model.taxonomy import EXPERT_STAGES, FINAL_STAGES, EdgeKind, Information, Policy, Stage, Verdict
from tests.annotator.team import Team, approval, team_on, two_round_case
from tests.e2e.truths import waivers_for

RATES = {"ann": 0.16, "bob": 0.06, "cleo": 0.04, "dan": 0.03}
POLICIES = {
    "strict": ReviewPolicy(case_fields=0, expert_sample=False),
    "default": ReviewPolicy(expert_sample=False),
    "share 0.5": ReviewPolicy(checked_share=0.5, expert_sample=False),
    "share 0.3": ReviewPolicy(checked_share=0.3, expert_sample=False),
    "read by the expert": ReviewPolicy(case_fields=0, dialogue_check=False, reviewers=1, sample_share=1),
}
"""Settings by name; `strict` is what every project did before one field might differ.

No samples are drawn, or all cases: a wrong one sends the rest to other reviewers, and four people have none
left.
"""
BATCH = 20
_WRONG = {
    Policy.SINGLE: Policy.MULTI_SERIAL,
    Policy.MULTI_SERIAL: Policy.MULTI_MIXED,
    Policy.MULTI_PARALLEL: Policy.MULTI_MIXED,
    Policy.MULTI_MIXED: Policy.MULTI_SERIAL,
    Policy.CLARIFY: Policy.CHAT,
    Policy.CHAT: Policy.CLARIFY,
    Information.OMISSION: Information.REFERENCE,
    Information.REFERENCE: Information.OMISSION,
    Information.LONG_RANGE: Information.REFERENCE,
    EdgeKind.LOGICAL: EdgeKind.PARAMETER,
    EdgeKind.PARAMETER: EdgeKind.LOGICAL,
}
"""What somebody who is wrong takes a label for: everybody the same, so that errors may outvote the truth."""


@dataclass(frozen=True)
class Cost:
    """Looks by stage, and how many labels of the final cases are wrong."""

    looks: Counter[Stage]
    wrong: int
    labels: int

    @property
    def after_owner(self) -> int:
        """Looks of reviewers and experts: what a policy can save."""
        return sum(
            count
            for stage, count in self.looks.items()
            if stage not in (Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE)
        )


def right_case(number: int) -> Case:
    """A case of two serial tasks and a chat, in which nothing is to be found: seven labels."""
    case = two_round_case(f"c-{number}")
    first, chat = case.tasks
    again = first.model_copy(
        update={"user": "Do the same once more, please.", "information": Information.OMISSION}
    )
    return case.model_copy(update={"tasks": (first, again, chat)})


def seen_by(name: str, case: Case, *, seed: int) -> Case:
    """A case with the labels somebody would give it; the same person is wrong about the same things."""
    chance = random.Random(f"{seed}:{name}:{case.id}")

    def is_wrong() -> bool:
        return chance.random() < RATES[name]

    def seen(number: int, task: Task) -> Task:
        policy = _WRONG[task.policy] if is_wrong() and task.policy else task.policy
        other = is_wrong() and number > 0 and task.information
        information = _WRONG[task.information] if other and task.information else task.information
        edges = [
            edge.model_copy(update={"kind": _WRONG[edge.kind]}) if is_wrong() else edge
            for edge in task.drawn_edges
        ]
        drawn = with_drawn_edges(task, edges)
        return drawn.model_copy(update={"policy": policy, "information": information})

    return case.model_copy(update={"tasks": tuple(seen(t, task) for t, task in enumerate(case.tasks))})


def labels(case: Case) -> list[object]:
    """Everything that can be wrong about a case, in order."""
    found: list[object] = []
    for number, task in enumerate(case.tasks):
        found += [task.policy, *([task.information] if number else [])]
        found += sorted((e.source, e.target, e.kind) for e in task.drawn_edges)
    return found


def walk(
    url: str,
    folder: Path,
    policy: ReviewPolicy,
    cases: Sequence[Case],
    *,
    seed: int,
    reads_all: bool = False,
    batch: int = BATCH,
    after_batch: Callable[[Team], None] | None = None,
) -> Cost:
    """Let the team judge cases, batch after batch, until none waits for anybody.

    Args:
        url: An empty project.
        folder: Where files of cases are written.
        policy: How cases are reviewed.
        cases: The cases as they are right.
        seed: Of the errors.
        reads_all: Whether the expert reads the whole of an escalated case, not only what people differ on.
        batch: How many cases a batch has.
        after_batch: Called whenever all cases so far are final.
    """
    right = {case.id: case for case in cases}
    looks: Counter[Stage] = Counter()
    with team_on(url, folder, policy=policy) as team:
        for start in range(0, len(cases), batch):
            # They come without labels, which would be proposals that are all right.
            team.bring(*map(without_labels, cases[start : start + batch]), batch=f"b{start}")
            people = (*RATES, "eve")
            while sum(_act(team, name, right, looks, seed=seed, reads_all=reads_all) for name in people):
                pass
            if after_batch:
                after_batch(team)
        final = team["max"].read(lambda tx: list(queries.head_bodies(tx, stages=FINAL_STAGES)))
        assert len(final) == len(cases)
        pairs = [
            (said, truth)
            for _, _, case_id, body in final
            for said, truth in zip(labels(read_body(body)), labels(right[case_id]), strict=True)
        ]
    return Cost(looks, sum(said != truth for said, truth in pairs), len(pairs))


def _act(
    team: Team, name: str, right: dict[str, Case], looks: Counter[Stage], *, seed: int, reads_all: bool
) -> bool:
    """Take the next case and say what the person thinks; false where nothing waits."""
    workspace = team[name]
    held = claim_next(workspace).value
    if held is None:
        return False
    looks[held.stage] += 1
    truth = right[held.case_id]
    if held.stage in EXPERT_STAGES:
        _decide(workspace, held.case_id, truth, is_whole=reads_all or held.stage is Stage.EXPERT)
        return True
    version = seen_by(name, truth, seed=seed)
    if held.stage is Stage.CROSS_CHECK:
        judgment = approval(truth).model_copy(update={"evidence": ()})
        said = [
            labels.model_copy(
                update={"policy": own.policy, "information": own.information, "edges": own.edges}
            )
            for labels, own in zip(judgment.tasks, labels_of(version), strict=True)
        ]
        judgment = judgment.model_copy(update={"tasks": tuple(said)})
    else:
        base = open_assignment(workspace, held.id).base
        edit = version if labels(base) != labels(version) else None
        judgment = approval(version, edit=edit).model_copy(update={"waivers": waivers_for(version)})
    submit(workspace, held.id, judgment=judgment, key=submission_key())
    return True


def _decide(workspace: Workspace, case_id: str, truth: Case, *, is_whole: bool) -> None:
    seen = open_adjudication(workspace, case_id).value
    values: dict[str, str | None] = {}
    for t, (task, shown) in enumerate(zip(truth.tasks, seen.case.tasks, strict=True)):
        values |= {f"task.{t}.policy": task.policy, f"task.{t}.information": task.information}
        kinds = {(e.source, e.target): e.kind for e in task.drawn_edges}
        pairs = {*kinds, *((e.source, e.target) for e in shown.drawn_edges)}
        values |= {f"task.{t}.edge.{a}-{b}": kinds.get((a, b), "none") for a, b in pairs}
    asked = {one.id for one in seen.differing}
    own = {name: Own(own=value) for name, value in values.items() if name in asked or is_whole}
    own |= {one.id: Own(own=True) for one in seen.differing if one.id not in own}
    decision = Decision(fields=own, verdict=Verdict.APPROVE)
    decide(workspace, seen.assignment_id, decision=decision, key=submission_key())


def main(cases: int = 200, *seeds: int) -> None:
    """Print what every policy costs."""
    for seed, (name, policy), reads_all in product(seeds or (7, 8), POLICIES.items(), (False, True)):
        with TemporaryDirectory() as folder:
            url = str(Path(folder) / "team.db")
            create_project(url)
            right = [*map(right_case, range(cases))]
            cost = walk(url, Path(folder), policy, right, seed=seed, reads_all=reads_all)
        each = ", ".join(f"{stage} {count}" for stage, count in sorted(cost.looks.items()))
        wrong = f"{cost.wrong} of {cost.labels} labels wrong"
        reads = "all is read" if reads_all else "what differs is read"
        print(
            f"seed {seed}, {name}, {reads}: {cost.after_owner} after the owner ({each}); {wrong}", flush=True
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
