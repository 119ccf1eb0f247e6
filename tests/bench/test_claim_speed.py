"""How fast people claim and submit, alone and all at once, on both databases; prints figures."""

from pytest_benchmark.fixture import BenchmarkFixture

from tests.annotator.crowd import found_crowd, let_them_work, rate, require_every_slot_once

CASES = 1250
"""Four slots each: 5,000 assignments."""
TURNS = 400


def test_twenty_processes_claim_five_thousand_assignments(
    store_url: str, benchmark: BenchmarkFixture
) -> None:
    cases, people = (CASES, 20) if benchmark.enabled else (4, 3)
    found_crowd(store_url, people=people, cases=cases)
    shifts = benchmark.pedantic(lambda: let_them_work(store_url, people=people))  # type: ignore[no-untyped-call]
    require_every_slot_once(store_url, shifts, cases=cases)
    if benchmark.enabled:
        print(
            f"\n{_name(store_url)}: {4 * cases:,} assignments by {people} processes, none twice, none lost; "
            f"{rate(shifts):,.0f} claims with their submissions a second"
        )


def test_claiming_and_submitting_alone_and_together(store_url: str, benchmark: BenchmarkFixture) -> None:
    turns, crowds = (TURNS, (1, 5, 20)) if benchmark.enabled else (2, (1, 2))
    found_crowd(store_url, people=max(crowds), cases=turns * len(crowds))

    def one_after_the_other() -> dict[int, float]:
        return {
            people: rate(let_them_work(store_url, people=people, turns=turns // people)) for people in crowds
        }

    rates = benchmark.pedantic(one_after_the_other)  # type: ignore[no-untyped-call]
    assert set(rates) == set(crowds)
    if benchmark.enabled:
        told = (f"{people}: {found:,.0f} ({found / rates[1]:.2f} x)" for people, found in rates.items())
        print(
            f"\n{_name(store_url)}: claims with their submissions a second, by processes: {', '.join(told)}"
        )


def _name(store_url: str) -> str:
    return "PostgreSQL" if "://" in store_url else "SQLite"
