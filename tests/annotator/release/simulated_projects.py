"""Projects whose errors are known: their samples are drawn, decided and redrawn by the real code.

What is simulated is people: experts who find every error, and rechecks that correct some and make others.
"""

import contextlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from sqlalchemy import update

from annotator.project.workspace import Work
from annotator.release.quality import POPULATION, measured
from annotator.review import samples
from db import events
from db.read import queries
from db.read import samples as read_samples
from db.read.rows import CaseRow
from db.tables import CaseHead
from db.write import outcomes, store
from scoring.measures.residual_error import Quality
from scoring.model.taxonomy import Policy, Stage, Verdict
from tests.annotator.team import Team

_NONE = store.CaseFacts("", 0, "en", "", "", "", 0, 0, "", "")


class _OverError(Exception):
    """Ends the transaction of a simulated project, which is forgotten."""


@dataclass
class Simulation:
    """One project; `wrong` holds the numbers of cases whose content another expert would correct.

    `alone_share` is the share of cases an expert decides alone, without mending anything; `spoken_for` holds
    those of them from which a sample for another expert was drawn.
    """

    w: Work
    chance: random.Random
    fixes: float = 0.5
    breaks: float = 0.02
    alone_share: float = 0.0
    wrong: set[int] = field(default_factory=set)
    batches: list[int] = field(default_factory=list)
    spoken_for: set[int] = field(default_factory=set)

    def add_batch(self, name: str, rates: Sequence[float]) -> int:
        """Bring a batch of approved cases, one a rate; errors follow the rates and draw nothing yet.

        Where the policy lets cases be late, some are with reviewers still, wrong ones more often.
        """
        batch_id = store.ensure_batch(self.w.tx, name, by=None, at=self._tick())
        kinds = [self.chance.choice(list(Policy)) for _ in rates]
        cases = [
            store.ImportedCase(
                f"{name}-{i:03d}", "{}", _facts(f"{name}-{i}", kind, tasks=self.chance.randint(1, 5))
            )
            for i, kind in enumerate(kinds)
        ]
        store.add_cases(self.w.tx, cases, batch_id=batch_id, author_id=None, at=self.w.at)
        self.w.tx.execute(
            update(CaseHead).where(CaseHead.batch_id == batch_id).values(stage=Stage.APPROVED.value)
        )
        rows = queries.batch_cases(self.w.tx, batch_id)
        self.wrong |= {row.pk for row, rate in zip(rows, rates, strict=True) if self.chance.random() < rate}
        self.batches.append(batch_id)
        for row in rows if self.w.policy.late_share else ():
            if self.chance.random() < (0.6 if row.pk in self.wrong else 0.3):
                self._move(row, Stage.CROSS_CHECK)
        for row in rows if self.alone_share else ():
            if self.chance.random() < (2 if row.pk in self.wrong else 1) * self.alone_share:
                self._decide_alone(row)
        return batch_id

    def settle(self, batch_id: int) -> None:
        """Draw, decide, recheck and redraw until the whole batch is final.

        Where cases may be late, it ends at any moment, since the bound holds at any.
        """
        self._tick()
        samples.settle_batch(self.w, batch_id)
        while not self.w.policy.late_share or self.chance.random() < 0.9:
            sampled = queries.batch_cases(self.w.tx, batch_id, stages=(Stage.EXPERT,))
            again = queries.batch_cases(self.w.tx, batch_id, stages=(Stage.CROSS_CHECK,))
            if sampled:
                self.decide(sampled)
            elif again:
                self._recheck(again, batch_id)
            else:
                return

    def decide(self, rows: Sequence[CaseRow]) -> None:
        """Let an expert settle cases."""
        for row in rows:
            self._tick()
            is_correction = row.pk in self.wrong
            if is_correction:
                self.revise(row)
            self.wrong.discard(row.pk)
            self._add_decision(row, row.stage, is_correction=is_correction)
            samples.after_decision(self.w, row, verdict=Verdict.APPROVE, is_correction=is_correction)

    def _decide_alone(self, row: CaseRow) -> None:
        if self.chance.random() < 0.5:
            self.revise(row)  # something, but nothing that was wrong
        self._tick()
        self._add_decision(row, Stage.ESCALATED, is_correction=False)

    def _add_decision(self, row: CaseRow, stage: Stage, *, is_correction: bool) -> None:
        now = queries.get_case(self.w.tx, row.pk)
        outcomes.add_decision(
            self.w.tx,
            {
                "case_pk": row.pk,
                "stage": stage.value,
                "round": row.round,
                "person_id": self.w.person.id,
                "result_id": now.head_id,
                "verdict": Verdict.APPROVE.value,
                "is_correction": is_correction,
                "at": self.w.at,
                "idempotency_key": f"{row.pk}-{self.w.at.isoformat()}",
                "body": "{}",
            },
        )
        self._move(now, Stage.FINAL)

    def revise(self, row: CaseRow) -> None:
        """Give a case another content."""
        sha256 = f"{row.pk}-{self._tick():%s%f}"
        head = store.add_revision(
            self.w.tx,
            row.pk,
            body="{}",
            sha256=sha256,
            author_id=None,
            stage=row.stage,
            reason="",
            at=self.w.at,
        )
        self.w.tx.execute(update(CaseHead).where(CaseHead.id == row.pk).values(head_id=head, sha256=sha256))

    def _recheck(self, rows: Sequence[CaseRow], batch_id: int) -> None:
        some = self.chance.sample(rows, self.chance.randint(1, len(rows)))
        for row in some if self.w.policy.late_share else rows:
            changes = self.chance.random() < (self.fixes if row.pk in self.wrong else self.breaks)
            if changes:
                self.wrong ^= {row.pk}
                self.revise(row)
            self._move(queries.get_case(self.w.tx, row.pk), Stage.APPROVED)
            self._tick()
            samples.settle_batch(self.w, batch_id)

    def _move(self, row: CaseRow, to: Stage) -> None:
        store.change_case(
            self.w.tx, row.pk, expected_version=row.version, at=self._tick(), values={"stage": to.value}
        )

    def _tick(self) -> datetime:
        self.w.at += timedelta(seconds=1)
        return self.w.at

    def further(self, batch_id: int, size: int) -> None:
        """Draw on from the final cases of a batch, as the plan does, and decide."""
        self._draw_and_decide(batch_id, size, lambda case: not case.is_settled)
        if self.alone_share and self.chance.random() < 0.8:
            size = self.chance.randint(1, 8)
            self.spoken_for |= self._draw_and_decide(batch_id, size, lambda case: case.is_decided_alone)

    def _draw_and_decide(
        self, batch_id: int, size: int, is_wanted: Callable[[read_samples.HeldCase], bool]
    ) -> set[int]:
        self._tick()
        held = read_samples.held_cases(self.w.tx, stages=POPULATION)
        open_ = {case.case_pk for case in held if is_wanted(case)}
        final = queries.batch_cases(self.w.tx, batch_id, stages=(Stage.FINAL,))
        rows = [row for row in final if row.pk in open_]
        if rows:
            self.decide(
                [
                    queries.get_case(self.w.tx, row.pk)
                    for row in samples.draw_further(self.w, rows, size=min(size, len(rows)))
                ]
            )
        return {row.pk for row in rows}

    def measure(self) -> tuple[Quality, int]:
        """What the store says, and how many of the cases it speaks of are wrong in truth."""
        while self.w.consequences:  # as `Workspace.run` does at the end
            action, subject, payload = self.w.consequences.pop(0)
            events.append(
                self.w.tx, actor="system", action=action, subject=subject, payload=payload, at=self.w.at
            )
        held = read_samples.held_cases(self.w.tx, stages=POPULATION)
        mine = [case for case in held if case.batch_id in self.batches]
        return measured(self.w.tx, mine), sum(
            case.case_pk in self.wrong
            for case in mine
            if not case.is_settled or (case.is_decided_alone and case.case_pk in self.spoken_for)
        )


def _facts(text: str, kind: Policy, *, tasks: int) -> store.CaseFacts:
    return store.CaseFacts(
        **{**_NONE.__dict__, "sha256": text, "task_count": tasks, "policies": f"|{kind.value}|"}
    )


def clustered_rates(chance: random.Random, count: int) -> list[float]:
    """Chances of an error, case by case: most batches are good, some bad, and some have a bad stretch."""
    level = chance.choice([0.0, 0.01, 0.03, 0.08, 0.2, 0.5])
    start, length = chance.randrange(count), chance.randrange(1, count + 1)
    is_patchy = chance.random() < 0.5
    stretch = range(start, start + length)
    return [min(1.0, level * (4 if i in stretch else 0.2)) if is_patchy else level for i in range(count)]


def simulate(
    team: Team, seed: int, *, late_shares: Sequence[float] = (0,), alone_share: float = 0.0
) -> tuple[Quality, int]:
    """One project from its batches to what its bound says, and the true number of wrong cases.

    The project has one of `late_shares` in its policy; see `Simulation` for `alone_share`.
    """
    chance = random.Random(seed)
    result: list[tuple[Quality, int]] = []

    def work(w: Work) -> None:
        shares = {"sample_share": chance.choice([0.1, 0.3, 0.5])}
        if any(late_shares):
            shares["late_share"] = chance.choice(late_shares)
        w.policy = w.policy.model_copy(update=shares)
        project = Simulation(w, chance, fixes=chance.choice([0.0, 0.3, 0.9]), alone_share=alone_share)
        for number in range(chance.randint(1, 4)):
            batch = project.add_batch(f"b{number}", clustered_rates(chance, chance.randint(10, 60)))
            project.settle(batch)
        # Whoever draws on until the figure pleases must not be rewarded.
        for _ in range(chance.randint(0, 2)):
            if project.measure()[0].bound.share > 0.1:
                project.further(chance.choice(project.batches), size=chance.randint(1, 8))
        result.append(project.measure())
        raise _OverError

    with contextlib.suppress(_OverError):
        team["eve"].run("test:project:simulate", work)
    return result[0]
