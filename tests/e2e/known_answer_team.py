"""The scripted team with known-answer cases in its queue: four read closely, three mostly approve unread."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from annotator.cases.file_import import import_files
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.people import add_person
from annotator.project.policy import ReviewPolicy
from annotator.review.drafts import open_assignment
from annotator.review.queue.assignments import assign_batch
from annotator.review.queue.claims import AssignmentRow
from annotator.review.submissions import submission_key, submit
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case, Task
from scoring.model.labels import Citation, Judgment, Reason, TaskLabels
from scoring.model.taxonomy import CheckAnswer, FeedbackCategory, Stage, Verdict
from tests.annotator.team import approval
from tests.e2e.planting import Plant, planted
from tests.e2e.scripted_team import ANNOTATORS, MANAGER, ROLES, ScriptedTeam, cited, proposals_for
from tests.e2e.truths import completed, waivers_for
from tests.shared import SHARED

CAREFUL, HASTY = ANNOTATORS[:4], ANNOTATORS[4:]
PUBLISHED = SHARED / "data" / "published_cases.jsonl"
BFCL = SHARED / "data" / "bfcl_multi_turn_base.openai.jsonl"
BATCHES: Mapping[str, tuple[Path, int, int]] = {
    "published": (PUBLISHED, 0, 13),
    **{f"bfcl-{i + 1}": (BFCL, 40 * i, 40 * i + 40) for i in range(5)},
}
"""Which lines of which file make a batch."""
GOLD_BATCHES = ("published", "bfcl-1")
"""What is reviewed first and then marked gold; known-answer cases are mixed into the others."""

_MISSES_ONE_OF = 10
"""Also who reads closely overlooks one known-answer case in so many."""
_LOOKS_AT_ONE_OF = 5
"""Who is hasty looks at one case in so many, and submits as many real ones faster than anyone reads."""


@dataclass
class KnownAnswerTeam(ScriptedTeam):
    """The ten people; `copies` are the ids of known-answer cases, `looked` who had a close look at which."""

    copies: list[str] = field(default_factory=list)
    looked: set[tuple[str, str]] = field(default_factory=set)
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)

    def bring(self, batch: str) -> tuple[str, ...]:
        """Import a batch and assign it; returns the ids of its cases."""
        path, first, last = BATCHES[batch]
        file = self.folder / f"{batch}.jsonl"
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        file.write_text("".join(lines[first:last]), encoding="utf-8")
        cases = [completed(item.case) for item in read_cases(file) if isinstance(item, ReadCase)]
        self.truths |= {case.id: case for case in cases}
        if batch not in GOLD_BATCHES:
            self.plan |= planted(cases, {Plant.LATE: 1, Plant.COMPLETED_ABOVE: 1, Plant.RETURNED: 1})
        import_files(self[MANAGER], [file], context=JobContext(), batch=batch)
        assign_batch(self[MANAGER], batch, to=ANNOTATORS)
        return tuple(case.id for case in cases)

    def review(self, name: str, held: AssignmentRow) -> None:
        """Submit what they say; a known-answer case is approved unread or looked at, as the person is."""
        if held.case_id in self.truths:
            super().review(name, held)
            return
        self.copies.append(held.case_id)
        self.counts[name, "copies"] += 1
        turn = self.counts[name, "copies"]
        if turn % _LOOKS_AT_ONE_OF == 0 if name in HASTY else turn % _MISSES_ONE_OF != 0:
            self.looked.add((name, held.case_id))
        self._submit_copy(name, held)

    def self_check(
        self, name: str, case_id: str, *, stage: Stage, round_: int, base: Case, proposed: Iterable[Citation]
    ) -> Judgment:
        """What the owner submits, and how long they took for it."""
        judgment = super().self_check(name, case_id, stage=stage, round_=round_, base=base, proposed=proposed)
        return self._timed(name, judgment)

    def cross_check(self, name: str, case_id: str, *, round_: int) -> Judgment:
        """What a reviewer submits, and how long they took for it."""
        return self._timed(name, super().cross_check(name, case_id, round_=round_))

    def _timed(self, name: str, judgment: Judgment) -> Judgment:
        self.counts[name, "cases"] += 1
        is_unread = name in HASTY and self.counts[name, "cases"] % _LOOKS_AT_ONE_OF == 0
        return judgment.model_copy(update={"seconds": 1 if is_unread else 600})

    def _submit_copy(self, name: str, held: AssignmentRow) -> None:
        shown = open_assignment(self[name], held.id).base
        truth = self._known(shown)
        is_looking = (name, held.case_id) in self.looked
        if held.stage is Stage.CROSS_CHECK:
            judgment = _blind(shown, truth, is_looking=is_looking)
        else:
            version = truth if is_looking else shown
            judgment = approval(version).model_copy(
                update={
                    "evidence": cited(version, proposals_for(version)),
                    "waivers": waivers_for(version),
                    "edit": version if is_looking else None,
                }
            )
        submit(self[name], held.id, judgment=judgment, key=submission_key())

    def _known(self, shown: Case) -> Case:
        """What a case should be like: the real one that reads most like it."""

        def likeness(truth: Case) -> int:
            if len(truth.tasks) != len(shown.tasks):
                return -1
            return sum(map(_likeness, truth.tasks, shown.tasks))

        return max(self.truths.values(), key=likeness).model_copy(update={"id": shown.id})


def _likeness(right: Task, shown: Task) -> int:
    return 2 * shown.user.endswith(right.user) + (right.answer == shown.answer) + (right.calls == shown.calls)


def _blind(shown: Case, truth: Case, *, is_looking: bool) -> Judgment:
    """What a reviewer says of a copy; one who looks says what is wrong where it is."""
    judgment = approval(shown).model_copy(update={"evidence": ()})
    tasks = tuple(
        _labels(said, right, task if is_looking else None)
        for said, right, task in zip(judgment.tasks, truth.tasks, shown.tasks, strict=True)
    )
    if not is_looking:
        return judgment.model_copy(update={"tasks": tasks})
    reasons = (Reason(category=FeedbackCategory.OTHER, note="see there"),)
    return judgment.model_copy(update={"tasks": tasks, "verdict": Verdict.RETURN, "reasons": reasons})


def _labels(said: TaskLabels, right: Task, shown: Task | None) -> TaskLabels:
    update: dict[str, object] = {"policy": right.policy, "information": right.information, "edges": ()}
    if shown is not None and len(shown.calls) < len(right.calls):
        update["completed"] = False
    elif shown is not None:
        pairs = zip(shown.calls, right.calls, strict=True)
        update["calls_correct"] = tuple(seen.arguments == call.arguments for (_, seen), (_, call) in pairs)
        if shown.answer != right.answer:
            update["checklist"] = {**said.checklist, "facts": CheckAnswer.FAIL}
    return said.model_copy(update=update)


def found_team(url: str, folder: Path, *, policy: ReviewPolicy) -> KnownAnswerTeam:
    """Found a project on an empty store with the ten people in it."""
    create_workspace(url, name="attention", person=MANAGER, policy=policy).close()
    team = KnownAnswerTeam(url=url, folder=folder, truths={}, plan={})
    for name, roles in ROLES.items():
        if name != MANAGER:
            add_person(team[MANAGER], name, roles=roles)
    return team
