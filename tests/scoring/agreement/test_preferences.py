"""Win rates and rank correlations, by hand."""

import pytest

from scoring.agreement.preferences import (
    ComparedTask,
    Preference,
    WinRate,
    consistency,
    kendall_tau,
    people_agreement,
    preferred,
    win_rate,
)
from scoring.measures.rates import Number, rate

FIRST, SECOND, TIE = Preference.FIRST, Preference.SECOND, Preference.TIE


@pytest.mark.parametrize(
    ("there", "back", "both"),
    [
        (FIRST, SECOND, FIRST),
        (SECOND, FIRST, SECOND),
        (TIE, TIE, TIE),
        (FIRST, FIRST, TIE),
        (FIRST, TIE, TIE),
        (FIRST, None, None),
        (None, SECOND, None),
    ],
)
def test_what_changes_with_the_order_is_a_tie(
    there: Preference | None, back: Preference | None, both: Preference | None
) -> None:
    assert preferred(there, back) is both


def compared(
    case: str, task: int, preference: Preference | None, *, baseline: bool, run: bool
) -> ComparedTask:
    return ComparedTask(
        case=case,
        task=task,
        preference=preference,
        is_swayed=False,
        is_baseline_right=baseline,
        is_run_right=run,
    )


def test_a_tie_counts_half_and_what_has_no_preference_counts_nowhere() -> None:
    found = win_rate(
        "b",
        [
            compared("c-1", 0, SECOND, baseline=False, run=True),
            compared("c-1", 1, TIE, baseline=True, run=True),
            compared("c-2", 0, FIRST, baseline=True, run=False),
            compared("c-2", 1, SECOND, baseline=True, run=True),
            compared("c-3", 0, None, baseline=True, run=True),
        ],
        missing=2,
    )
    assert found.win_rate == Number(value=(2 + 1 / 2) / 4, of=4)
    assert (found.won, found.tied, found.lost, found.unread, found.missing) == (2, 1, 1, 1, 2)
    assert (found.accuracy, found.baseline_accuracy) == (rate(3, 4), rate(3, 4))
    # (1, 1), (0, 0), (-1, -1), (1, 0): of six pairs four agree, one is tied in the first, one in the second.
    assert found.tau == pytest.approx(4 / (5 * 5) ** 0.5)


def test_nothing_compared_has_no_win_rate() -> None:
    found = win_rate("b", [], missing=3)
    assert (found.win_rate.value, found.interval, found.tau, found.accuracy.value) == (None,) * 4


def test_rank_correlation_by_hand() -> None:
    assert kendall_tau([(1, 1), (2, 2), (3, 3)]) == 1
    assert kendall_tau([(1, 3), (2, 2), (3, 1)]) == -1
    # Three pairs, two agree, one does not.
    assert kendall_tau([(1, 1), (2, 3), (3, 2)]) == pytest.approx(1 / 3)
    # Counted things: 2 x (0, 0) and 1 x (1, 1); the pair of equals is tied in both.
    assert kendall_tau([(0, 0), (0, 0), (1, 1)]) == 1
    assert kendall_tau([(0, 1), (0, 2)]) is None
    assert kendall_tau([]) is None


def test_two_runs_make_no_order_of_runs() -> None:
    rates = [_rate(0.2, 1), _rate(0.4, 2), _rate(0.6, 3)]
    assert consistency(rates) == 1
    assert consistency(rates[:2]) is None


def _rate(share: float, right: int) -> WinRate:
    empty = win_rate("b", [], missing=0)
    return empty.model_copy(update={"win_rate": Number(value=share, of=4), "accuracy": rate(right, 4)})


def test_agreement_with_people_by_hand() -> None:
    found = people_agreement(
        [(FIRST, FIRST), (FIRST, SECOND), (SECOND, SECOND), (SECOND, SECOND), (None, TIE)]
    )
    assert (found.share.value, found.share.used, found.share.total) == (3 / 4, 4, 5)
    # By chance: first 1/2 x 1/4, second 1/2 x 3/4 = 1/2; (3/4 - 1/2) / (1 - 1/2) = 1/2.
    assert found.kappa.value == pytest.approx(1 / 2)
