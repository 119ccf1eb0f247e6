"""How wrong a release may still be: evidence of the random samples, the bound, and how to know more."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil, prod

from annotator.project.changes import Changes
from annotator.project.lookups import release_named
from annotator.project.workspace import Work, Workspace, operation, policy_of, query
from annotator.review import samples as drawing
from db.read import claims, queries, reviews, samples
from db.read.rows import SampleRow
from db.read.samples import HeldCase, SampleMember
from db.tables import Transaction
from db.write import store
from scoring.errors import BlockedError, InputError
from scoring.groups import grouped, keyed, summed
from scoring.measures.residual_error import Draw, Quality, Stratum, bound_error
from scoring.model.record import Record
from scoring.model.taxonomy import FINAL_STAGES, Role, SampleOutcome, SampleStatus, Stage

POPULATION = (Stage.APPROVED, Stage.EXPERT, Stage.FINAL, Stage.RELEASED)
"""Stages of approved cases."""

_STEPS = 1000


class Plan(Record):
    """How many more cases experts must look at, by batch, for the bound to reach `target` if all are right.

    `reached` is the share the bound would have then. `hours` is what that takes all experts together at the
    median time of a judgment of the slowest stage, as decisions are not timed; None before the first one.
    """

    target: float
    cases: int
    batches: dict[str, int]
    reached: float
    hours: float | None = None

    @property
    def time_words(self) -> str:
        """How long that takes, in a sentence; empty where there is nothing to do or nothing is known."""
        words = f"About {self.hours or 0:,.1f} h of work, at the median time of the slowest stage."
        return words if self.cases and self.hours else ""


@query
def quality(workspace: Workspace, tx: Transaction, *, release: str | None = None) -> Quality:
    """The bound for a release as it is known now, or for the approved cases of the project.

    Raises:
        NotFoundError: There is no release of this name.
    """
    if release is not None:
        release_named(tx, release)
    return measured(tx, samples.held_cases(tx, stages=POPULATION, release=release))


def quality_of(tx: Transaction, cases: Collection[int]) -> Quality:
    """The bound for some cases as they are, by number."""
    return measured(tx, [case for case in samples.held_cases(tx, stages=POPULATION) if case.case_pk in cases])


def measured(tx: Transaction, cases: Sequence[HeldCase]) -> Quality:
    """The bound for cases in the content they are held in.

    A sample speaks for a case that was in its population, was not drawn, and has the content it had then.
    Samples that were judged by reviewers and not by experts (`sampling=rounds`) are no evidence; cases that
    experts looked at for another reason than a draw count as settled and never as sampled. A case that an
    expert decided alone is in the bound once a later sample speaks for it, and is left out before.
    """
    evidence = _Evidence(tx)
    alone = [case for case in cases if case.is_decided_alone]
    decided = [case for case in alone if evidence.covering(case)]
    waiting = [*(case for case in cases if not case.is_settled), *decided]
    held = {case.case_pk for case in cases}
    settled = held.difference(case.case_pk for case in waiting)
    found = _quality(evidence, waiting, settled=settled, batches={case.batch_id for case in cases}, held=held)
    return found.model_copy(update={"decided": len(decided), "left_out": len(alone) - len(decided)})


def _quality(
    evidence: "_Evidence",
    waiting: Sequence[HeldCase],
    *,
    settled: Collection[int],
    batches: Collection[int],
    held: Collection[int],
) -> Quality:
    """The bound; shown are the draws of these batches, and those whose cases are in another batch by now."""
    strata = evidence.strata(waiting)
    shown = [
        known for known in evidence.known if known.batch_id in batches or not known.members.isdisjoint(held)
    ]
    drawn = {pk for known in shown for pk in known.members - known.rest}
    return Quality(
        bound=bound_error(
            strata,
            [known.draw for known in evidence.known],
            shown=[known.draw for known in shown],
            drawn_from=len({pk for known in shown for pk in known.members}),
        ),
        settled=len(settled),
        settled_sampled=len(drawn.intersection(settled)),
        sampled_tasks=sum(known.tasks for known in shown),
        found_tasks=sum(known.wrong_tasks for known in shown),
        unsampled=sum(
            stratum.cases
            for stratum in strata
            if not any(draw.sampled or draw.chance is not None for draw in stratum.draws)
        ),
        open_samples=sum(batch in batches for batch in evidence.open_batches),
    )


@dataclass(frozen=True)
class _Known:
    """One decided draw within one stratum: when, from which cases, and which of them it left undrawn.

    `tasks` and `wrong_tasks` are those of the drawn cases, and of the wrong ones among these.
    """

    batch_id: int
    at: datetime
    draw: Draw
    members: frozenset[int]
    rest: frozenset[int]
    tasks: int = 0
    wrong_tasks: int = 0

    @property
    def rate(self) -> float:
        """The probability with which each case was drawn."""
        return (self.draw.chance or self.draw.sampled) / self.draw.population


class _Evidence:
    """What the random samples of a project found, and which of them speak for which cases."""

    def __init__(self, tx: Transaction) -> None:
        self.known: list[_Known] = []
        self.open_batches: list[int] = []
        self._covering: dict[int, tuple[int, ...]] = {}
        recorded = samples.drawn_strata(tx)
        members = grouped((member.sample_id, member) for member in samples.sample_members(tx))
        for sample in samples.list_samples(tx):
            strata = recorded.get((sample.batch, sample.sequence), ())
            self._add(sample, _by_stratum(members.get(sample.id, []), strata), is_recorded=bool(strata))

    def _add(self, sample: SampleRow, strata: Sequence[Sequence[SampleMember]], *, is_recorded: bool) -> None:
        taken = [member for one in strata for member in one if member.outcome != SampleOutcome.REST]
        if sample.status == SampleStatus.OPEN:
            self.open_batches.append(sample.batch_id)
            return
        if not all(member.is_decided for member in taken):
            return
        population = sum(map(len, strata))
        for one in strata:
            outcomes = Counter(member.outcome for member in one)
            tasks = Counter[str]()
            for member in one:
                tasks[member.outcome] += len(queries.split_list(member.policies))
            drawn = len(one) - outcomes[SampleOutcome.REST]
            drawn_tasks = tasks.total() - tasks[SampleOutcome.REST]
            self._keep(
                _Known(
                    batch_id=sample.batch_id,
                    at=sample.drawn_at,
                    draw=Draw(
                        population=len(one),
                        sampled=drawn,
                        wrong=drawn - outcomes[SampleOutcome.UNCHANGED],
                        chance=_chance(len(one), len(taken), population) if is_recorded else None,
                    ),
                    members=frozenset(member.case_pk for member in one),
                    rest=frozenset(member.case_pk for member in one if member.outcome == SampleOutcome.REST),
                    tasks=drawn_tasks,
                    wrong_tasks=drawn_tasks - tasks[SampleOutcome.UNCHANGED],
                )
            )

    def _keep(self, known: _Known) -> None:
        number = len(self.known)
        self.known.append(known)
        for pk in known.rest:
            self._covering[pk] = (*self._covering.get(pk, ()), number)

    def covering(self, case: HeldCase) -> tuple[int, ...]:
        """The draws that say something about a case as it is, by their number."""
        return tuple([n for n in self._covering.get(case.case_pk, ()) if case.at <= self.known[n].at])

    def strata(self, waiting: Sequence[HeldCase]) -> tuple[Stratum, ...]:
        """The cases by the draws that cover them; those of different batches apart."""
        cells = grouped(((case.batch, self.covering(case)), case.task_count) for case in waiting)
        return tuple(
            Stratum(name=batch, tasks=tuple(tasks), draws=tuple(self.known[n].draw for n in numbers))
            for (batch, numbers), tasks in cells.items()
        )

    def sampled_share(self, cases: Sequence[HeldCase]) -> float:
        """Mean probability with which the draws would have found each of the cases, had it been wrong."""
        missed = [prod(1 - self.known[n].rate for n in self.covering(case)) for case in cases]
        return 1 - sum(missed) / len(missed)

    def also(self, known: Iterable[_Known]) -> "_Evidence":
        """The evidence with further draws."""
        more = copy(self)
        more.known, more._covering = list(self.known), dict(self._covering)
        for one in known:
            more._keep(one)
        return more


def _chance(members: int, size: int, population: int) -> float | None:
    """The probability that a stratum had a place in a draw of that size; None where it had one for sure."""
    return members * size / population if members * size < population else None


def _by_stratum(
    members: Sequence[SampleMember], recorded: Sequence[Sequence[str]]
) -> Sequence[Sequence[SampleMember]]:
    """The population of a draw by stratum; where that was not recorded yet, by the policies of the cases."""
    stratum_of = {case_id: str(number) for number, ids in enumerate(recorded) for case_id in ids}
    groups = grouped(
        (stratum_of.get(member.case_id, "?") if recorded else member.policies, member) for member in members
    )
    return tuple(groups.values())


def plan(workspace: Workspace, *, bound: float) -> Plan:
    """How many more final cases experts must look at for the bound of all final cases to reach a share.

    Args:
        workspace: Anybody's.
        bound: The share, above 0 and below 1.

    Raises:
        InputError: The share is out of range.
        BlockedError: The policy is solo, or a sample of final cases is not decided yet.
    """
    return workspace.read(lambda tx: _Planning(tx, bound).plan)


@operation("release:sample:draw", roles=(Role.EXPERT, Role.MANAGER))
def draw_planned(w: Work, *, bound: float) -> Plan:
    """Draw what `plan` says as further random samples for the experts, batch by batch.

    Released cases are drawn, too; their release stays as it is.

    Raises:
        InputError, BlockedError: See `plan`.
    """
    planning = _Planning(w.tx, bound)
    drawn: list[str] = []
    for rows, size in planning.draws:
        store.lock_batch(w.tx, rows[0].batch_id)
        drawn += [row.case_id for row in drawing.draw_further(w, rows, size=size)]
    w.record("project:quality", {"bound": bound, "cases": len(drawn)}, Changes(has_releases=True))
    return planning.plan


class _Planning:
    """The least further draws, all found right, after which the bound of the final cases is low enough.

    Batches are brought to one sampled share: those that are known least get most. Of each, cases no expert
    looked at and those an expert decided alone are drawn apart.
    """

    def __init__(self, tx: Transaction, target: float) -> None:
        if not 0 < target < 1:
            raise InputError(
                f"{target:.1%} is not a bound to plan for.", "Give a share above 0 % and below 100 %."
            )
        policy = policy_of(tx)
        if policy.solo:
            raise BlockedError(
                "The policy is solo: no second person looks at a case.",
                "Switch it with `annotator policy set solo=false`, and give somebody the role expert.",
            )
        self._strata = policy.strata
        times = [time.median_seconds for time in reviews.work_times(tx).by_stage().values()]
        self._hours_each = max(times) / 3600 if times else None
        self._evidence = _Evidence(tx)
        open_to_another = claims.numbers(tx, claims.is_open_to_another())
        final = [
            case
            for case in samples.held_cases(tx, stages=FINAL_STAGES)
            if not case.is_settled or (case.is_decided_alone and case.case_pk in open_to_another)
        ]
        undecided = [
            sample.batch for sample in samples.list_samples(tx) if sample.status == SampleStatus.OPEN
        ]
        if undecided:
            raise BlockedError(
                f"Samples are not decided yet: {', '.join(dict.fromkeys(undecided))}.",
                "Experts decide them first; then plan again.",
            )
        self._cases = grouped(((case.batch_id, case.is_decided_alone), case) for case in final)
        self._shares = {part: self._evidence.sampled_share(cases) for part, cases in self._cases.items()}
        wanted = {case.case_pk: case.is_decided_alone for case in final}
        self._rows = {
            (batch, is_alone): [
                row
                for row in queries.batch_cases(tx, batch, stages=FINAL_STAGES)
                if wanted.get(row.pk) is is_alone
            ]
            for batch, is_alone in self._cases
        }
        self._settle(target)

    def _settle(self, target: float) -> None:
        # In thousandths of a sampled share; the more is sampled, the lower the bound.
        least = bisect_left(range(_STEPS), True, key=lambda step: self._reached(step / _STEPS) <= target)
        sizes = self._sizes(least / _STEPS)
        drawn = [(part, size) for part, size in sorted(sizes.items()) if size]
        self.draws = [(self._rows[part], size) for part, size in drawn]
        self.plan = Plan(
            target=target,
            cases=sum(sizes.values()),
            batches=summed((self._cases[part][0].batch, size) for part, size in drawn),
            reached=self._reached(least / _STEPS),
            hours=self._hours_each and sum(sizes.values()) * self._hours_each,
        )

    @keyed
    def _sizes(self, share: float) -> Iterator[tuple[tuple[int, bool], int]]:
        for part, cases in self._cases.items():
            missing = 1 - (1 - share) / max(1 - self._shares[part], 1e-12)
            yield part, min(len(cases), max(0, ceil(len(cases) * missing - 1e-9)))

    def _reached(self, share: float) -> float:
        """The bound if the draws of that share were made and found nothing wrong."""
        known: list[_Known] = []
        drawn: set[int] = set()
        now = datetime.max.replace(tzinfo=UTC)
        for part, size in self._sizes(share).items():
            if not size:
                continue
            rows = self._rows[part]
            for one in drawing.draw_strata(rows, size=size, seed="plan", strata=self._strata):
                members = frozenset(row.pk for row in one.members)
                taken = frozenset(row.pk for row in one.drawn)
                draw = Draw(
                    population=len(members),
                    sampled=len(taken),
                    wrong=0,
                    chance=_chance(len(members), size, len(rows)),
                )
                known.append(
                    _Known(batch_id=part[0], at=now, draw=draw, members=members, rest=members - taken)
                )
                drawn |= taken
        left = [case for cases in self._cases.values() for case in cases if case.case_pk not in drawn]
        return _quality(self._evidence.also(known), left, settled=drawn, batches=(), held=()).bound.share
