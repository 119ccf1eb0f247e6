"""How long the agreement of a large project takes: issue 4 asks for 10,000 cases x 3 reviewers under 2 s."""

from pytest_benchmark.fixture import BenchmarkFixture

from scoring.agreement.fields import agreement_table
from tests.bench.judged_cases import judged_cases
from tests.bench.yardsticks import compare, json_of_the_samples

CASE_COUNT = 10_000


def test_agreement_over_ten_thousand_cases(
    benchmark: BenchmarkFixture,
) -> None:
    cases = list(judged_cases(CASE_COUNT if benchmark.enabled else 100))
    table = benchmark(agreement_table, cases, seed=1)
    assert all(c.low is not None for row in table for c in row.coefficients.values())
    if benchmark.stats:
        compare(benchmark, benchmark.stats.stats.min, against=json_of_the_samples)
