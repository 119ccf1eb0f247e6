"""Coefficients of agreement: published tables, hand calculations, two libraries, and what is undefined."""

import json
import warnings
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import krippendorff
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from scoring.agreement.coefficients import (
    Coefficient,
    Undefined,
    alpha_formula,
    cohen_kappa,
    fleiss_kappa,
    gwet_ac1,
    krippendorff_alpha,
    percent_agreement,
)
from scoring.agreement.distances import jaccard_distance, masi_distance
from tests.shared import ROOT

GOLDEN = [
    json.loads(line)
    for line in (ROOT / "tests" / "golden" / "agreement_golden.jsonl").read_text().splitlines()
]
TABLES = {table["id"]: table for table in GOLDEN}
Table = Sequence[Sequence[str | None]]
Measured = Callable[[Table], Coefficient]

FUNCTIONS: dict[str, Measured] = {
    "krippendorff_alpha_nominal": krippendorff_alpha,
    "cohen_kappa": cohen_kappa,
    "percent_agreement": percent_agreement,
    "gwet_ac1": gwet_ac1,
    "fleiss_kappa": fleiss_kappa,
}

# The library that made the table sets Fleiss' kappa to 1 where only one label occurs. Its
# chance-disagreement is zero there, so ours is undefined, as the specification asks for every kappa.
UNDEFINED_HERE = {("one-label-only", "fleiss_kappa")}


def golden_values() -> list[Any]:
    """Each expected value of each golden table as one test parameter."""
    return [
        pytest.param(
            table["ratings"],
            name,
            None if (table["id"], name) in UNDEFINED_HERE else table["expected"][name],
            id=f"{table['id']}-{name}",
        )
        for table in GOLDEN
        for name in FUNCTIONS
        if name in table["expected"]
    ]


def test_the_golden_file_has_all_its_tables() -> None:
    assert len(TABLES) == 45


@pytest.mark.parametrize(("ratings", "name", "expected"), golden_values())
def test_the_coefficient_equals_the_golden_table(ratings: Table, name: str, expected: float | None) -> None:
    found = FUNCTIONS[name](ratings)
    assert found.value == (None if expected is None else pytest.approx(expected, abs=6e-6))
    assert (found.undefined is None) == (expected is not None)


@pytest.mark.parametrize("table", [pytest.param(table, id=table["id"]) for table in GOLDEN])
def test_the_units_used_and_the_observed_agreement_equal_the_golden_table(table: dict[str, Any]) -> None:
    ratings, expected = table["ratings"], table["expected"]
    alpha, ac1 = krippendorff_alpha(ratings), gwet_ac1(ratings)
    assert (alpha.used, alpha.total) == (expected["pairable_units"], len(ratings))
    assert ac1.observed == pytest.approx(expected["gwet_observed"], abs=6e-6)


def test_alpha_of_the_published_example_follows_the_hand_calculation() -> None:
    """Krippendorff (2011), data of section C.

    Unit 12 has one rating and leaves; n = 40 pairable ratings: nine 1, thirteen 2, ten 3, five 4, three 5.
    Disagreeing ordered pairs over m - 1: unit 2 (2,2,3,2): 6/3 = 2; unit 6 (1,2,3,4): 12/3 = 4;
    unit 8 (1,1,2,1): 6/3 = 2; all other units agree. D_o = 8/40 = 0.2.
    D_e = (40² - 9² - 13² - 10² - 5² - 3²) / (40 x 39) = (1600 - 384) / 1560 = 1216/1560.
    alpha = 1 - 0.2 x 1560/1216 = 1 - 312/1216 = 0.743421.
    """
    found = krippendorff_alpha(TABLES["krippendorff-2011-nominal"]["ratings"])
    assert found.value == pytest.approx(1 - 312 / 1216)
    assert found.observed == pytest.approx(1 - 8 / 40)
    assert found.expected == pytest.approx(1 - 1216 / 1560)
    assert (found.used, found.total) == (11, 12)


def test_kappa_of_two_raters_follows_the_hand_calculation() -> None:
    """Twenty agree on yes, fifteen on no, five times A yes and B no, ten times A no and B yes.

    P_o = 35/50 = 0.7; A says yes 25 of 50 times, B 30: P_e = (25 x 30 + 25 x 20) / 2500 = 0.5;
    kappa = 0.2 / 0.5 = 0.4.
    """
    ratings = [("y", "y")] * 20 + [("n", "n")] * 15 + [("y", "n")] * 5 + [("n", "y")] * 10
    found = cohen_kappa(ratings)
    assert found.value == pytest.approx(0.4)
    assert found.observed == pytest.approx(0.7)
    assert found.expected == pytest.approx(0.5)


def test_kappa_falls_below_zero_and_ac1_stays_high_where_one_label_dominates() -> None:
    """The prevalence paradox: 118 x yes-yes, 5 x yes-no, 2 x no-yes.

    P_o = 118/125 = 0.944. Kappa: P_e = (123 x 120 + 2 x 5) / 125² = 14770/15625 = 0.94528,
    (0.944 - 0.94528) / 0.05472 = -0.023392.
    AC1: share of yes = (123 + 120)/250 = 0.972, P_e = 2 x 0.972 x 0.028 / (2 - 1) = 0.054432,
    (0.944 - 0.054432) / 0.945568 = 0.940777.
    """
    ratings = [("y", "y")] * 118 + [("y", "n")] * 5 + [("n", "y")] * 2
    assert percent_agreement(ratings).value == pytest.approx(0.944)
    assert cohen_kappa(ratings).value == pytest.approx((0.944 - 14770 / 15625) / (1 - 14770 / 15625))
    assert gwet_ac1(ratings).value == pytest.approx((0.944 - 0.054432) / 0.945568)


def test_kappa_of_three_raters_averages_the_pairs_as_conger_does() -> None:
    """Units aaa, bbb, aab, abb, so that A says a b a a, B says a b a b and C says a b b b.

    Observed per pair: AB 3/4, AC 2/4, BC 3/4, mean 2/3. Shares of a: A 3/4, B 1/2, C 1/4.
    Expected: AB 3/8 + 1/8 = 1/2; AC 3/16 + 3/16 = 3/8; BC 1/8 + 3/8 = 1/2; mean 11/24.
    kappa = (2/3 - 11/24) / (1 - 11/24) = (5/24) / (13/24) = 5/13.
    """
    found = cohen_kappa([("a", "a", "a"), ("b", "b", "b"), ("a", "a", "b"), ("a", "b", "b")])
    assert found.value == pytest.approx(5 / 13)


def test_kappa_weighs_pairs_of_raters_by_the_units_they_share() -> None:
    """A and B share units aa and bb, B and C units bb and ba; A and C never meet.

    P_o = (2 + 1) / 4. Shares of a: A 1/2, B 1/4, C 1/2, so P_e is 1/8 + 3/8 = 1/2 for either pair.
    kappa = (3/4 - 1/2) / (1/2) = 1/2.
    """
    found = cohen_kappa([("a", "a", None), ("b", "b", None), (None, "b", "b"), (None, "b", "a")])
    assert found.value == pytest.approx(1 / 2)


def test_fleiss_kappa_follows_the_hand_calculation() -> None:
    """Units aaa, aab, abb, bbb of three raters: per unit agreement 1, 1/3, 1/3, 1: mean 2/3.

    Both labels are half of the ratings, P_e = 1/2, kappa = (2/3 - 1/2) / (1/2) = 1/3.
    """
    found = fleiss_kappa([("a", "a", "a"), ("a", "a", "b"), ("a", "b", "b"), ("b", "b", "b")])
    assert found.value == pytest.approx(1 / 3)


def test_fleiss_kappa_leaves_incomplete_units_out_and_counts_them() -> None:
    found = fleiss_kappa([("a", "a", "a"), ("b", "b", "b"), ("a", None, "b")])
    assert (found.value, found.used, found.total) == (1.0, 2, 3)


def test_fleiss_kappa_is_undefined_without_a_complete_unit() -> None:
    found = fleiss_kappa([("a", None), (None, "b")])
    assert (found.value, found.undefined, found.used, found.total) == (None, Undefined.NOT_COMPLETE, 0, 2)


@pytest.mark.parametrize("coefficient", [cohen_kappa, krippendorff_alpha, fleiss_kappa])
def test_a_single_label_leaves_the_chance_corrected_coefficient_undefined(coefficient: Measured) -> None:
    found = coefficient([("a", "a"), ("a", "a")])
    assert (found.value, found.undefined) == (None, Undefined.ONE_LABEL)
    assert (found.observed, found.used, found.total) == (1.0, 2, 2)


def test_a_single_label_gives_ac1_as_computed() -> None:
    assert gwet_ac1([("a", "a"), ("a", "a")]).value == 1.0


@pytest.mark.parametrize("coefficient", [percent_agreement, cohen_kappa, krippendorff_alpha, gwet_ac1])
@pytest.mark.parametrize("ratings", [[], [("a", None), (None, "b")], [("a",), ("b",)]])
def test_nothing_is_defined_where_no_two_raters_met(coefficient: Measured, ratings: Table) -> None:
    found = coefficient(ratings)
    assert (found.value, found.undefined, found.used, found.total) == (
        None,
        Undefined.NO_PAIR,
        0,
        len(ratings),
    )


def test_alpha_is_undefined_where_the_second_label_stands_alone_in_its_unit() -> None:
    """The b is not pairable, so the pairable ratings hold one label only."""
    assert krippendorff_alpha([("a", "a"), ("b", None), ("a", "a")]).undefined == Undefined.ONE_LABEL


def test_kappa_is_zero_where_each_rater_has_an_own_single_label() -> None:
    """P_o = 0 and P_e = 0: no agreement seen, none expected, and that is defined."""
    assert cohen_kappa([("a", "b"), ("a", "b")]).value == 0.0


def test_the_distance_of_sets_forgives_a_subset_more_than_an_overlap() -> None:
    """{1,2} and {1,2,3}: J = 2/3, M = 2/3, distance 1 - 4/9; {1,2} and {2,3}: J = 1/3, M = 1/3."""
    assert masi_distance({1, 2}, {1, 2, 3}) == pytest.approx(5 / 9)
    assert masi_distance({1, 2}, {2, 3}) == pytest.approx(8 / 9)
    assert jaccard_distance({1, 2}, {1, 2, 3}) == pytest.approx(1 / 3)


@pytest.mark.parametrize("distance", [masi_distance, jaccard_distance])
def test_equal_sets_are_not_apart_and_disjoint_sets_are_fully_apart(distance: Any) -> None:
    assert distance(set(), set()) == 0
    assert distance({1}, {1}) == 0
    assert distance({1}, {2}) == 1
    assert distance(set(), {1}) == 1


def test_set_valued_alpha_follows_the_hand_calculation() -> None:
    """Units ({x}, {x}), ({y}, {y}), ({x}, {x,y}); MASI distance of {x} and {x,y}: 1 - 1/2 x 2/3 = 2/3.

    D_o = 2 x 2/3 / 6 = 2/9. Ratings: three {x}, two {y}, one {x,y}.
    D_e = 2 (3x2x1 + 3x1x2/3 + 2x1x2/3) / (6 x 5) = 2 (6 + 2 + 4/3) / 30 = 28/45.
    alpha = 1 - (2/9) / (28/45) = 1 - 10/28 = 9/14.
    """
    x, y, both = frozenset("x"), frozenset("y"), frozenset("xy")
    found = krippendorff_alpha([(x, x), (y, y), (x, both)], distance=masi_distance)
    assert found.value == pytest.approx(9 / 14)


def test_labels_a_sample_does_not_hold_count_nothing_in_it() -> None:
    x, y, first, last = (frozenset(labels) for labels in ("x", "y", "xz", "xy"))
    formula = alpha_formula([(first, first), (x, x), (x, y), (last, last)], distance=masi_distance)
    # D_o = 2 / 4; ratings: three {x}, one {y}; D_e = 2 x 3 x 1 / (4 x 3)
    assert formula.of({(x, x): 1, (x, y): 1}).value == pytest.approx(0)


def random_table(seed: int, *, raters: int, missing_share: float) -> Table:
    """Raters who copy a hidden truth two times of three, some ratings missing."""
    random = Random(seed)
    labels = [f"c{i}" for i in range(random.randint(2, 6))]
    table: list[list[str | None]] = []
    for _ in range(random.randint(5, 60)):
        truth = random.choice(labels)
        row = [truth if random.random() < 2 / 3 else random.choice(labels) for _ in range(raters)]
        table.append([None if random.random() < missing_share else label for label in row])
    return table


@pytest.mark.parametrize("seed", range(40))
def test_kappa_equals_scikit_learn_on_random_tables(seed: int) -> None:
    table = random_table(seed, raters=2, missing_share=0.2)
    complete = [row for row in table if None not in row]
    found = cohen_kappa(table)
    assert found.value == pytest.approx(cohen_kappa_score(*zip(*complete, strict=True)))
    assert found.used == len(complete)


@pytest.mark.parametrize("seed", range(40))
def test_alpha_equals_the_krippendorff_library_on_random_tables(seed: int) -> None:
    table = random_table(seed, raters=2 + seed % 4, missing_share=0.25)
    assert krippendorff_alpha(table).value == pytest.approx(library_alpha(table))


def library_alpha(table: Sequence[Sequence[str | None]]) -> float:
    """Nominal alpha of the krippendorff library, which wants raters x units and numbers."""
    codes = {label: float(code) for code, label in enumerate(sorted({c for row in table for c in row if c}))}
    columns = [
        [codes[cell] if cell else float("nan") for cell in column] for column in zip(*table, strict=True)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(krippendorff.alpha(reliability_data=columns, level_of_measurement="nominal"))


tables = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.tuples(*[st.sampled_from(["a", "b", "c", None])] * raters), min_size=1, max_size=25
    )
)


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_units_does_not_matter(table: Table, random: Random) -> None:
    shuffled = random.sample(table, len(table))
    for coefficient in FUNCTIONS.values():
        first, second = coefficient(table), coefficient(shuffled)
        assert first.value == (None if second.value is None else pytest.approx(second.value))


@given(tables)
def test_the_names_of_labels_do_not_matter(table: Table) -> None:
    renamed = [[None if cell is None else f"label {cell}" for cell in row] for row in table]
    for coefficient in FUNCTIONS.values():
        first, second = coefficient(table), coefficient(renamed)
        assert first.value == (None if second.value is None else pytest.approx(second.value))


@given(tables)
def test_a_value_never_exceeds_one_and_always_comes_or_has_a_reason(table: Table) -> None:
    for coefficient in FUNCTIONS.values():
        found = coefficient(table)
        assert (found.value is None) == (found.undefined is not None)
        assert found.value is None or found.value <= 1 + 1e-12
        assert 0 <= found.used <= found.total == len(table)


@given(tables)
def test_two_copies_of_every_rater_agree_perfectly_or_are_undefined(table: Table) -> None:
    doubled = [(row[0], row[0]) for row in table]
    for coefficient in FUNCTIONS.values():
        assert coefficient(doubled).value in (None, pytest.approx(1.0))
