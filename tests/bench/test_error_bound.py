"""How often the bound of a release holds: 2,000 simulated projects, drawn by the real code (issue 16)."""

from pathlib import Path

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from db.care.upgrade import create_project
from scoring.measures.residual_error import Quality
from tests.annotator.release.simulated_projects import simulate
from tests.annotator.team import team_on


@pytest.mark.parametrize(
    ("late_shares", "alone_share"),
    [((0,), 0.0), ((0.1, 0.3, 0.5), 0.0), ((0,), 0.3)],
    ids=["batches", "parts", "decided"],
)
def test_the_true_share_lies_below_the_bound(
    benchmark: BenchmarkFixture,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    late_shares: tuple[float, ...],
    alone_share: float,
) -> None:
    count = 2000 if request.config.getoption("benchmark_enable") else 10
    place = str(tmp_path / "project.db")
    create_project(place, fill=lambda tx: None)

    def run() -> list[tuple[Quality, int]]:
        with team_on(place, tmp_path) as team:
            return [
                simulate(team, seed, late_shares=late_shares, alone_share=alone_share)
                for seed in range(count)
            ]

    results = benchmark.pedantic(run, rounds=1)  # type: ignore[no-untyped-call]
    held = sum(true <= found.bound.wrong_cases for found, true in results)
    left = [(found.bound, true) for found, true in results if found.bound.cases]
    redrawn = sum(bound.found > 0 for bound, _ in left)
    print(f"\n{count} projects, {redrawn} with wrong cases in their samples: held in {held / count:.1%}.")
    true_share = sum(true / bound.cases for bound, true in left) / len(left)
    mean_bound = sum(bound.share for bound, _ in left) / len(left)
    print(f"Mean true share {true_share:.1%}, mean bound {mean_bound:.1%}.")
    assert held >= 0.95 * count
