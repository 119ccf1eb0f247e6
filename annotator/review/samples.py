"""Batches on their last mile: the flag, samples of approved cases, and what their outcomes do to the rest."""

import math
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from annotator.project.policy import SamplingMethod, Strata
from annotator.project.stages import UNDER_REVIEW, UNSETTLED
from annotator.project.workspace import Work
from annotator.review import stage_moves
from annotator.review.escalation import HASTY_NOTE, Escalation, EscalationReason
from annotator.review.queue import pairs
from db.read import batches, queries, reviews, samples
from db.read.rows import CaseRow, SampleRow
from db.write import store
from scoring.groups import grouped
from scoring.model.taxonomy import FINAL_STAGES, SampleOutcome, SampleStatus, Stage, Verdict

FURTHER = "further"
"""Kind of a sample drawn on top: cases that passed already go to the expert, the rest stays where it is."""


def settle_batch(w: Work, batch_id: int) -> None:
    """Draw the next sample of the approved cases of a batch, or finish them where nothing is sampled.

    Waits while a sample is open or more is under review than the policy lets be late; does nothing where no
    case is approved.
    """
    store.lock_batch(w.tx, batch_id)
    goes_to_the_expert = w.policy.escalate_flagged_batch and batches.is_flagged(w.tx, batch_id)
    # Asked first: everybody who approves a case of the batch waits here for the one before.
    if not goes_to_the_expert and _waits_for_others(w, batch_id):
        return
    approved = queries.batch_cases(w.tx, batch_id, stages=(Stage.APPROVED,))
    if not approved:
        return
    if goes_to_the_expert:
        _escalate_all(w, approved)
        return
    drawn = samples.list_samples(w.tx, batch_id=batch_id)
    if any(sample.status == SampleStatus.OPEN for sample in drawn):
        return
    if not w.policy.has_expert_sample:
        finish(w, approved)
    elif w.policy.sampling is SamplingMethod.ROUNDS:
        _next_round(w, approved, before=[sample for sample in drawn if sample.kind != FURTHER])
    else:
        _sample_once(w, approved, sequence=len(drawn) + 1)


def _waits_for_others(w: Work, batch_id: int) -> bool:
    """Whether too much of a batch is under review still for its approved cases to be sampled.

    Cases that were sampled as an earlier part do not count. A part has more cases than the smallest sample,
    which else looked at all of them.
    """
    if not batches.has_case(w.tx, batch_id, stages=UNSETTLED):
        return False
    if not w.policy.late_share or w.policy.sampling is SamplingMethod.ROUNDS:
        return True
    late = batches.count_batch(w.tx, batch_id, stages=UNSETTLED)
    ready = batches.count_batch(w.tx, batch_id, stages=(Stage.APPROVED,))
    return ready <= w.policy.sample_minimum or late > Fraction(str(w.policy.late_share)) * (late + ready)


def _sample_once(w: Work, approved: Sequence[CaseRow], *, sequence: int) -> None:
    size = sample_size(len(approved), share=w.policy.sample_share, minimum=w.policy.sample_minimum)
    if size == 0:
        sent = _send_hasty(w, approved)
        rest = [row for row in approved if row.pk not in sent]
        if rest:
            finish(w, rest)
        return
    kind, share = SamplingMethod.ONCE.value, w.policy.sample_share
    drawn = _draw_for_experts(w, approved, sequence=sequence, size=size, kind=kind, share=share)
    _send_hasty(w, approved, besides=drawn)


def _draw_for_experts(
    w: Work, rows: Sequence[CaseRow], *, sequence: int, size: int, kind: str, share: float
) -> tuple[CaseRow, ...]:
    seed = _seed(w, rows[0], sequence)
    strata = draw_strata(rows, size=size, seed=seed, strata=w.policy.strata)
    _record(w, strata, kind=kind, seed=seed, share=share)
    drawn = _sampled(strata)
    for row in drawn:
        stage_moves.move(w, row, "sample", to=Stage.EXPERT)
    return drawn


def _send_hasty(w: Work, approved: Sequence[CaseRow], *, besides: Sequence[CaseRow] = ()) -> frozenset[int]:
    """Send what was submitted faster than anyone reads to the expert too: beside the draw, never instead.

    They stay in the population the sample was drawn from, and count as looked at for themselves alone.

    Args:
        w: The operation; it holds the batch.
        approved: The population.
        besides: What was drawn from it, and is with the expert or other reviewers already.

    Returns:
        Numbers of the cases that were sent.
    """
    hasty = reviews.hasty_cases(w.tx, approved[0].batch_id) - {row.pk for row in besides}
    sent = [row for row in approved if row.pk in hasty]
    for row in sent:
        stage_moves.move(w, row, "sample", to=Stage.EXPERT, note=HASTY_NOTE)
    if sent:
        w.follow(
            "review:batch:hasty",
            f"batch:{approved[0].batch}",
            {"cases": [row.case_id for row in sent]},
        )
    return frozenset(row.pk for row in sent)


def draw_further(w: Work, rows: Sequence[CaseRow], *, size: int) -> tuple[CaseRow, ...]:
    """Send a random sample of final cases of one batch to the experts; the others stay final.

    Args:
        w: The operation; it holds the batch.
        rows: The final or released cases of the batch that no expert looked at, or those that were decided
            and that another expert could look at; never both, since their shares differ.
        size: How many to draw.

    Returns:
        What was drawn, by id; nothing while a sample is open that was drawn before this operation.
    """
    before = samples.list_samples(w.tx, batch_id=rows[0].batch_id)
    if any(sample.status == SampleStatus.OPEN and sample.drawn_at != w.at for sample in before):
        return ()
    return _draw_for_experts(
        w, rows, sequence=len(before) + 1, size=size, kind=FURTHER, share=size / len(rows)
    )


def _next_round(w: Work, approved: Sequence[CaseRow], *, before: Sequence[SampleRow]) -> None:
    """Draw the next of the sampling rounds, never-checked cases first, for other people than the last.

    It was the last one when it had no confirmed error and every case has been looked at.
    """
    last = before[-1] if before else None
    looked_at = samples.looked_at(w.tx, approved[0].batch_id)
    fresh = [row for row in approved if row.pk not in looked_at]
    if last is not None and last.status == SampleStatus.CLEAN and not fresh:
        finish(w, approved)
        return
    seed = _seed(w, approved[0], len(before) + 1)
    total = batches.count_batch(w.tx, approved[0].batch_id, stages=(*UNDER_REVIEW, *FINAL_STAGES))
    size = min(len(approved), sample_size(total, share=w.policy.round_share, minimum=1))
    first = min(size, len(fresh))
    strata = draw_strata(fresh, size=first, seed=seed, strata=w.policy.strata)
    seen = [row for row in approved if row.pk in looked_at]
    strata += draw_strata(seen, size=size - first, seed=seed, strata=w.policy.strata)
    _record(w, strata, kind=SamplingMethod.ROUNDS.value, seed=seed, share=w.policy.round_share)
    _send_hasty(w, approved, besides=_sampled(strata))
    resting = samples.served(w.tx, last.id) if last is not None else frozenset()
    load = pairs.load_of(w)
    for row in _sampled(strata):
        if w.policy.has_cross_check:
            _check_again(w, row, load=load, resting=resting)
        else:
            stage_moves.move(w, row, "sample", to=Stage.EXPERT)


def _seed(w: Work, row: CaseRow, sequence: int) -> str:
    return f"{w.policy.seed}:{row.batch}:{sequence}"


def _record(w: Work, strata: Sequence["DrawnStratum"], *, kind: str, seed: str, share: float) -> None:
    """Keep a draw; its event says which cases each stratum had, which is what its evidence rests on."""
    population = [row for stratum in strata for row in stratum.members]
    drawn = _sampled(strata)
    numbers = {row.pk for row in drawn}
    sequence = store.add_sample(
        w.tx,
        population[0].batch_id,
        kind=kind,
        seed=seed,
        share=share,
        cases=[row.pk for row in drawn],
        rest=[row.pk for row in population if row.pk not in numbers],
        at=w.at,
    )
    w.follow(
        samples.DRAWN,
        f"batch:{population[0].batch}",
        {
            "sequence": sequence,
            "kind": kind,
            "seed": seed,
            "of": len(population),
            "cases": [row.case_id for row in drawn],
            "strata": [[row.case_id for row in stratum.members] for stratum in strata],
        },
    )


def sample_size(count: int, *, share: float, minimum: int) -> int:
    """How many of `count` cases are sampled: the share rounded up, at least the minimum, at most all."""
    return min(count, max(minimum, math.ceil(Fraction(str(share)) * count)))


_STRATUM: dict[Strata, Callable[[CaseRow], tuple[str, ...]]] = {
    Strata.POLICY: lambda row: tuple(sorted(set(row.policies))),
    Strata.OWNER: lambda row: (row.owner or "",),
    Strata.NONE: lambda row: (),
}


@dataclass(frozen=True)
class DrawnStratum:
    """The cases of one stratum, by id, and those of them a simple random sample took."""

    members: tuple[CaseRow, ...]
    drawn: tuple[CaseRow, ...]


def _sampled(strata: Sequence[DrawnStratum]) -> tuple[CaseRow, ...]:
    return tuple(sorted((row for one in strata for row in one.drawn), key=lambda row: row.case_id))


def draw_strata(
    rows: Sequence[CaseRow], *, size: int, seed: str, strata: Strata = Strata.POLICY
) -> tuple[DrawnStratum, ...]:
    """Draw a random sample in proportion to the strata; the same seed draws the same cases.

    Each stratum has its proportional share of places, rounded up or down by chance so that every case of the
    population is drawn with the same probability, however small its stratum.

    Args:
        rows: The population, in any order; may be empty.
        size: How many to draw, at most all.
        seed: Seed of the draw.
        strata: What makes a stratum: the policies of a case, its owner, or nothing.

    Returns:
        Every case of the population, in one stratum each; no strata for no cases.
    """
    chance = random.Random(seed)
    groups = grouped((_STRATUM[strata](row), row) for row in sorted(rows, key=lambda row: row.case_id))
    keys = sorted(groups)
    places = _rounded([Fraction(size * len(groups[key]), len(rows)) for key in keys], chance)
    return tuple(
        DrawnStratum(tuple(groups[key]), tuple(chance.sample(groups[key], count)))
        for key, count in zip(keys, places, strict=True)
    )


def _rounded(shares: Sequence[Fraction], chance: random.Random) -> list[int]:
    """Round shares up or down by chance, each up with the probability of its fraction; the sum stays.

    Pivotal sampling (Deville and Tille 1998): two open fractions meet at a time and one of them is settled.
    What comes out is negatively associated (Braenden and Jonasson 2012), on which the bound of
    `scoring.measures.residual_error` rests.
    """
    places = [int(share) for share in shares]
    held, open_ = None, Fraction(0)
    for i, share in enumerate(shares):
        fraction = share - places[i]
        if not fraction:
            continue
        if held is None:
            held, open_ = i, fraction
            continue
        total = open_ + fraction
        if total < 1:  # one of the two goes down, the other has what both had
            held, open_ = (i if chance.random() < fraction / total else held), total
            continue
        # One of the two goes up, the other has the rest.
        up, held = (i, held) if chance.random() < (1 - open_) / (2 - total) else (held, i)
        places[up] += 1
        open_ = total - 1
        if not open_:
            held = None
    return places


def _check_again(w: Work, row: CaseRow, *, load: Counter[int], resting: frozenset[int] = frozenset()) -> None:
    """Send an approved case to cross-check once more; the round grows, so that other people judge it."""
    stage_moves.move(w, row, "recheck", to=Stage.CROSS_CHECK, round=row.round + 1, note="")
    pairs.ask_reviewers(w, queries.get_case(w.tx, row.pk), load=load, resting=resting)


def finish(w: Work, approved: Sequence[CaseRow]) -> None:
    """Make the approved cases of a batch final."""
    for row in approved:
        stage_moves.move(w, row, "finish", to=Stage.FINAL)
    w.follow(
        "review:batch:finish", f"batch:{approved[0].batch}", {"cases": [row.case_id for row in approved]}
    )


def after_round(w: Work, row: CaseRow, *, to: Stage, is_changed: bool) -> None:
    """Go on with the batch of a case whose cross-check round was closed, or that its owner escalated.

    Args:
        w: The operation.
        row: The case before its move.
        to: Where it went.
        is_changed: Whether its content is another one than before.
    """
    store.lock_batch(w.tx, row.batch_id)
    outcomes = {
        Stage.APPROVED: SampleOutcome.CORRECTED if is_changed else SampleOutcome.UNCHANGED,
        Stage.RETURNED: SampleOutcome.RETURNED,
    }
    if to in outcomes:
        note_outcome(w, row, outcomes[to])
    if to is Stage.ESCALATED:
        flag_if_needed(w, row.batch_id)
    if to in (Stage.APPROVED, Stage.ESCALATED):
        settle_batch(w, row.batch_id)


def after_decision(w: Work, row: CaseRow, *, verdict: Verdict, is_correction: bool) -> None:
    """Go on with the batch of a case that an expert has decided."""
    store.lock_batch(w.tx, row.batch_id)
    decided = {Verdict.RETURN: SampleOutcome.RETURNED, Verdict.REJECT: SampleOutcome.REJECTED}
    note_outcome(
        w, row, decided.get(verdict, SampleOutcome.CORRECTED if is_correction else SampleOutcome.UNCHANGED)
    )
    settle_batch(w, row.batch_id)


def note_outcome(w: Work, row: CaseRow, outcome: str) -> None:
    """Record what came out for a case that is in an open sample, and close the sample with its last one."""
    sample_id = samples.open_sample_of(w.tx, row.pk)
    if sample_id is None:
        return
    store.set_outcome(w.tx, sample_id, case_pk=row.pk, outcome=outcome)
    for sample in samples.list_samples(w.tx, batch_id=row.batch_id):
        if sample.id == sample_id:
            _settle_sample(w, sample)


def _settle_sample(w: Work, sample: SampleRow) -> None:
    """Close a sample whose cases are all decided: clean lets the rest through, an error sends it back.

    After any correction the unsampled approved cases go to cross-check again, to other reviewers; in
    sampling rounds the next round is drawn instead.
    """
    if sample.open_count:
        return
    is_clean = sample.error_count == 0
    store.close_sample(
        w.tx, sample.id, status=SampleStatus.CLEAN if is_clean else SampleStatus.CORRECTED, at=w.at
    )
    waiting = queries.batch_cases(w.tx, sample.batch_id, stages=(Stage.APPROVED,))
    population = samples.not_drawn(w.tx, sample.id)  # what came later has not been sampled at all
    rest = [row for row in waiting if row.pk in population]
    payload = {
        "sequence": sample.sequence,
        "clean": is_clean,
        "rest": len(rest),
        "errors": sample.error_count,
    }
    w.follow("review:sample:close", f"batch:{sample.batch}", {**payload})
    if sample.kind == SamplingMethod.ONCE and rest:
        if is_clean:
            finish(w, rest)
        elif w.policy.has_cross_check:
            load = pairs.load_of(w)
            for row in rest:
                _check_again(w, row, load=load)
    settle_batch(w, sample.batch_id)


def flag_if_needed(w: Work, batch_id: int) -> None:
    """Flag a batch whose share of escalated cases is above the threshold (design 3.3)."""
    share = Fraction(reviews.escalated_count(w.tx, batch_id), batches.count_batch(w.tx, batch_id))
    if share > Fraction(str(w.policy.batch_threshold)):
        store.flag_batch(w.tx, batch_id)


def _escalate_all(w: Work, approved: Sequence[CaseRow]) -> None:
    flagged = Escalation(reason=EscalationReason.BATCH_FLAGGED)
    for row in approved:
        stage_moves.move(w, row, "escalate_batch", to=Stage.ESCALATED, note=flagged.words)
        w.follow("review:case:escalate", f"case:{row.case_id}", flagged.payload)
