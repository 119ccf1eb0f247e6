"""The arithmetic of the measures, written out for three raters of whom few err: nothing of ours is called."""

import math

from scoring.agreement.fields import AgreementMeasure


def one_dissent(units: int, dissents: int) -> float:
    """Percent agreement where one of three raters differs in some units: there 1 of 3 pairs agrees."""
    return (units - dissents + dissents / 3) / units


def completion(tasks: int, *, by_one: int, by_two: int) -> dict[AgreementMeasure, float]:
    """Agreement on yes or no where one or two of three raters say no in some tasks and nobody elsewhere."""
    ratings = 3 * tasks
    refusals = by_one + 2 * by_two
    consents = ratings - refusals
    observed = one_dissent(tasks, by_one + by_two)
    # Krippendorff: D_o is 4 disagreeing ordered pairs of a mixed task over m - 1 = 2, over all ratings n;
    # D_e = 2 n_yes n_no / (n (n - 1)).
    observed_disagreement = 2 * (by_one + by_two) / ratings
    expected_disagreement = 2 * consents * refusals / (ratings * (ratings - 1))
    # Gwet: P_e is the sum of pi (1 - pi) over yes and no, over q - 1 = 1.
    chance = 2 * (consents / ratings) * (refusals / ratings)
    # F1 = 2 both / (first + second) over the three pairs of raters; each rater stands in two pairs.
    both = 3 * (tasks - by_one - by_two) + by_one
    return {
        AgreementMeasure.PERCENT: observed,
        AgreementMeasure.ALPHA: 1 - observed_disagreement / expected_disagreement,
        AgreementMeasure.AC1: (observed - chance) / (1 - chance),
        AgreementMeasure.F1: 2 * both / (2 * consents),
    }


def edge_f1(edges: int, *, missing: int) -> float:
    """F1 of drawings where one of three raters leaves out some of the edges, and nobody draws another."""
    # An edge all draw is met in 3 pairs of 3; one that two draw is met in 1 pair, of (2 + 2) / 2 = 2.
    full = edges - missing
    return (3 * full + missing) / (3 * full + 2 * missing)


def wilson(correct: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share, after Wilson (1927)."""
    # (p + z²/2n ± z sqrt(p (1 - p) / n + z²/4n²)) / (1 + z²/n), z = 1.959964.
    z, p = 1.959964, correct / total
    middle, wide = p + z * z / (2 * total), z * math.sqrt(p * (1 - p) / total + (z / (2 * total)) ** 2)
    return (middle - wide) / (1 + z * z / total), (middle + wide) / (1 + z * z / total)
