"""How many cases may still be wrong: an upper bound from random samples, valid however often they were drawn.

Model. Experts look at simple random samples; draw j takes n of N cases and finds x wrong. Where w of the N
were wrong, P(X <= x) is hypergeometric, without replacement (`Draw.tail`). Before a draw let q(.) be any
distribution over x chosen from what is known by then. The factor

    e_j = sum over k of q(k) * [X <= k] / P(X <= k | w)   >=   q(x) / P(X <= x | w)

has mean 1 whatever happened before. The product over all draws of a project is a nonnegative martingale;
by Ville's inequality (1939) it ever exceeds 1/alpha with probability alpha at most. So the true numbers of
wrong cases satisfy, at all times together and with probability 1 - alpha,

    product of P(X_j <= x_j | w_j)  >  alpha * product of q(x_j).

The bound is the largest total that still satisfies it. It therefore holds after redrawing until a sample is
clean, and after drawing on until the bound is low enough, where an ordinary interval does not. No assumption
is made on how errors cluster or on what a recheck between two draws did. (Method: Waudby-Smith and Ramdas,
2024, "Estimating means of bounded random variables by betting"; Spertus and Stark, 2022, "Sweeter than
SUITE", for the maximum over allocations to strata.)

q is the beta-binomial prediction with a = 0.05, b = 1: most weight on "none wrong". It prices failed rounds:
what they found makes the right side smaller, also where their cases were rechecked and nothing else of the
round applies to them any more.

Strata. P(X <= x | w) is also P(the (x+1)-th sampled case of a random order comes after place w), the survival
function of a negative hypergeometric waiting time. Its probabilities are log-concave, so its logarithm is
concave in w. Hence giving each next wrong case to the stratum where it lowers the product least maximises the
total exactly, and a draw over several strata may be counted in each of them: log P(a + b) <= log P(a) +
log P(b). Given how many places each stratum of a draw had, strata are independent. One too small for a sure
place has one with probability c: P(X = 0 | w) = 1 - c w / N, and since the places are negatively associated
the product still has mean 1 at most. q is then mixed over one rate of wrong cases for all strata.
A stratum no draw covers loses nothing by wrong cases: it counts as wholly wrong. Bonferroni over
strata gives each only alpha/B; the tests and the bench compare both.
"""

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence

from pydantic import Field, model_validator

from scoring.groups import collected
from scoring.model.record import Record
from scoring.wording import counted

CONFIDENCE = 0.95
"""How sure the bound is: the probability that the true share does not exceed it, at least."""

_A, _B = 0.05, 1.0


class Draw(Record):
    """One simple random sample of `sampled` out of `population` cases; experts found `wrong` of them wrong.

    `chance` is the probability with which a stratum too small for a sure place had its one; None where the
    number of places is given.
    """

    population: int = Field(ge=0)
    sampled: int = Field(ge=0)
    wrong: int = Field(ge=0)
    chance: float | None = Field(default=None, gt=0, lt=1)

    @model_validator(mode="after")
    def _is_possible(self) -> "Draw":
        if not self.wrong <= self.sampled <= self.population:
            raise ValueError("a draw has wrong <= sampled <= population")
        if self.chance is not None and self.sampled > 1:
            raise ValueError("a stratum without a sure place has one at most")
        return self

    def tail(self) -> Iterator[float]:
        """P(X <= wrong) if `wrong` + r of the population are wrong, for r = 0, 1, ... while r is possible."""
        free = self.population - self.sampled
        if self.chance is not None:
            rate = 0.0 if self.wrong else self.chance / self.population
            yield from (1 - rate * r for r in range(free + 1))
            return
        total, found = self.population, self.wrong
        # P(T = found + 1), T the place of the (found+1)-th sampled case in a random order.
        step = math.prod((self.sampled - i) / (total - i) for i in range(found + 1)) if free else 0.0
        left = 1.0
        for r in range(free + 1):
            yield max(left, 0.0)
            place = found + 1 + r
            left -= step
            if place < total:
                step *= place / (place - found) * max(free - r, 0) / (total - place)


class Stratum(Record):
    """Cases no expert looked at that the same draws cover; `tasks` is how many tasks each of them has."""

    name: str
    tasks: tuple[int, ...]
    draws: tuple[Draw, ...] = ()

    @property
    def cases(self) -> int:
        """How many cases it has."""
        return len(self.tasks)

    def losses(self) -> Iterator[float]:
        """What the 1st, 2nd, ... wrong case adds to -log P, never less than the one before."""
        tails = [draw.tail() for draw in self.draws]
        before = sum(math.log(next(tail)) for tail in tails)
        for _ in range(self.cases):
            now = 0.0
            for tail in tails:
                value = next(tail, 0.0)
                now += math.log(value) if value > 0 else -math.inf
            yield before - now if now > -math.inf else math.inf
            before = now


class Bound(Record):
    """At most `wrong_cases` of `cases`, and `wrong_tasks` of `tasks`, are wrong, at `confidence`.

    The cases are those no expert looked at, or one alone where a sample of such cases speaks for them.
    `sampled` counts cases experts looked at in random samples, failed rounds included, `drawn_from` the cases
    these were drawn from, each once, `found` how many were wrong. Without any sample that speaks for a case
    nothing is known: the bound is everything.
    """

    cases: int
    tasks: int
    wrong_cases: int
    wrong_tasks: int
    sampled: int
    drawn_from: int
    found: int
    confidence: float = CONFIDENCE

    @property
    def is_known(self) -> bool:
        """Whether it says anything: less than everything is wrong."""
        return self.wrong_cases < self.cases or not self.cases

    @property
    def share(self) -> float:
        """Share of cases that may be wrong, in [0, 1]; 0 where experts looked at every case."""
        return self.wrong_cases / self.cases if self.cases else 0.0

    @property
    def task_share(self) -> float:
        """Share of tasks that may be wrong, in [0, 1]."""
        return self.wrong_tasks / self.tasks if self.tasks else 0.0


class Quality(Record):
    """The bound of a release or of a project, and what stands beside it.

    `settled` counts cases an expert has decided in this very content, `settled_sampled` those of them that
    the bound counts as sampled. `sampled_tasks` are the tasks of the sampled cases, `found_tasks` those of
    the wrong ones among these. The three are None where an older release did not say. `unsampled` counts
    cases no random sample covers: each of them counts as wrong. `open_samples` are not decided yet.
    `decided` counts the cases of the bound that one expert decided, `left_out` those that are not in it, as
    no other expert has sampled them; 0 where an older release did not say.
    """

    bound: Bound
    settled: int = 0
    settled_sampled: int | None = None
    sampled_tasks: int | None = None
    found_tasks: int | None = None
    unsampled: int = 0
    open_samples: int = 0
    decided: int = 0
    left_out: int = 0

    @property
    def headline(self) -> str:
        """The bound in a sentence, or that nothing is known."""
        bound = self.bound
        if not bound.cases:
            return "Experts looked at every case." if self.settled else "There is no approved case."
        sampled = f"{bound.sampled:,} of {bound.drawn_from:,} sampled, {bound.found:,} wrong"
        if not bound.sampled:
            return "Nothing is known: no expert has looked at a random sample."
        if self.unsampled == bound.cases:
            return f"Nothing is known of {counted(bound.cases, 'case')}: no sample covers them."
        if not bound.is_known:
            return f"Nothing is known: the samples are too small ({sampled})."
        return f"At most {percent(bound.share)} of cases wrong ({100 * bound.confidence:.0f} %): {sampled}."

    @property
    @collected
    def details(self) -> Iterator[str]:
        """What the sentence rests on, in further sentences."""
        bound = self.bound
        if bound.cases and bound.is_known:
            yield (
                f"At most {bound.wrong_cases:,} of the {counted(bound.cases, 'case')} no expert looked at, "
                f"and {percent(bound.task_share)} of their tasks ({bound.wrong_tasks:,} of {bound.tasks:,})."
            )
        if self.settled and bound.cases:
            whole = self.settled + bound.cases
            share = f": {percent(bound.wrong_cases / whole)} of all {whole:,}" if bound.is_known else ""
            settled = counted(self.settled, "case")
            yield (
                f"Experts settled {settled}, {self.settled_sampled:,} of them sampled{share}."
                if self.settled_sampled
                else f"Experts settled {settled}{share}."
            )
        if self.decided:
            yield f"One expert decided {counted(self.decided, 'case')} of these alone; others sampled them."
        if self.left_out:
            left_out = counted(self.left_out, "case")
            yield f"Left out: {left_out} that one expert decided and no other has sampled."
        if self.unsampled and bound.is_known:
            yield f"No sample covers {counted(self.unsampled, 'case')}: counted as wrong."
        if self.open_samples:
            yield f"{counted(self.open_samples, 'sample')} not decided yet; no evidence so far."


def percent(share: float) -> str:
    """A share as a percentage, rounded up to a decimal, since it is an upper bound."""
    return f"{-(-round(share * 100_000) // 100) / 10:.1f} %"


def bound_error(
    strata: Sequence[Stratum],
    draws: Iterable[Draw],
    *,
    shown: Iterable[Draw] | None = None,
    drawn_from: int | None = None,
    confidence: float = CONFIDENCE,
) -> Bound:
    """Bound the number of wrong cases among those no expert looked at.

    A wrong case may have all its tasks wrong: the bound of the tasks is the number of tasks of the wrong
    cases where these are the longest. It follows from the clusters, since tasks of a case err together.

    Args:
        strata: All cases no expert looked at, each in one stratum.
        draws: Every draw that is decided, whether it speaks for a stratum still or not (failed rounds,
            batches that are not in the release): leaving some out for what they found breaks the bound.
        shown: The draws `sampled` and `found` count; None for all.
        drawn_from: How many cases these were drawn from, each counted once; None adds populations up.
        confidence: In (0, 1).
    """
    every = list(draws)
    told = every if shown is None else list(shown)
    wrong = _most_wrong(strata, -math.log(1 - confidence) + price(every))
    tasks = sorted((count for stratum in strata for count in stratum.tasks), reverse=True)
    return Bound(
        cases=len(tasks),
        tasks=sum(tasks),
        wrong_cases=wrong,
        wrong_tasks=sum(tasks[:wrong]),
        sampled=sum(draw.sampled for draw in told),
        drawn_from=sum(draw.population for draw in told) if drawn_from is None else drawn_from,
        found=sum(draw.wrong for draw in told),
        confidence=confidence,
    )


def price(draws: Iterable[Draw]) -> float:
    """-log of the beta-binomial prediction of what all draws found; at least 0, and 0 without draws."""
    sampled = found = 0
    ways = 0.0
    for draw in draws:
        places = 1 if draw.chance is not None else draw.sampled
        sampled += places
        found += draw.wrong
        ways += math.log(math.comb(places, draw.wrong))
    return -(ways + _log_beta(_A + found, _B + sampled - found) - _log_beta(_A, _B))


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _most_wrong(strata: Sequence[Stratum], budget: float) -> int:
    """The most wrong cases whose losses stay below the budget, taken where they cost least."""
    costs = [stratum.losses() for stratum in strata]
    heap = [(next(cost), place) for place, cost in enumerate(costs) if strata[place].cases]
    heapq.heapify(heap)
    spent, wrong = 0.0, 0
    while heap:
        cost, place = heap[0]
        spent += cost
        if spent >= budget:
            return wrong
        wrong += 1
        following = next(costs[place], None)
        if following is None:
            heapq.heappop(heap)
        else:
            heapq.heapreplace(heap, (following, place))
    return wrong
