"""When the figures name the weak person of a scripted team, on PostgreSQL and with the real cases.

    python -m tests.bench.weak_person [SEED ...]

The team is that of `checking_costs`. What this prints stands in `docs/checking.md`.
"""

import random
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from annotator.review.measures.label_errors import LabelErrors, label_errors
from annotator.review.measures.rater_agreement import AgreementSlice
from db.care.upgrade import create_project
from scoring.agreement.error_rates import error_rates
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.model.case import Case
from tests.annotator.team import Team
from tests.bench.checking_costs import POLICIES, RATES, labels, walk
from tests.e2e.truths import completed
from tests.postgres import prepare_scratch, running_server
from tests.shared import ROOT, SHARED

FILES = (
    ROOT / "resources" / "samples" / "cases.jsonl",
    SHARED / "data" / "published_cases.jsonl",
    SHARED / "data" / "bfcl_multi_turn_base.openai.jsonl",
)
WEAK = "ann"


def real_cases(count: int, *, seed: int) -> list[Case]:
    """The samples, the published cases and answered dialogues, under new ids and in an order by chance."""
    read = [item.case for file in FILES for item in read_cases(file) if isinstance(item, ReadCase)]
    cases = [
        completed(case).model_copy(update={"id": f"walk-{number:03}"})
        for number, case in enumerate(read[:count])
    ]
    random.Random(seed).shuffle(cases)
    return cases


def is_apart(found: LabelErrors) -> bool:
    """Whether the interval of the weak person lies above that of each of the others."""
    intervals = {one.person: one.all.interval for one in found.people}
    weak = intervals.pop(WEAK)
    return bool(intervals) and all(weak.low > other.high for other in intervals.values())


def walk_and_measure(
    url: str, folder: Path, *, cases: int, seed: int, policy: str = "strict"
) -> list[LabelErrors]:
    """Let the team work on an empty project under one of `POLICIES`, and measure people after every batch."""
    measured: list[LabelErrors] = []

    def measure(team: Team) -> None:
        measured.append(label_errors(team["max"], AgreementSlice()))

    right = real_cases(cases, seed=seed)
    walk(url, folder, POLICIES[policy], right, seed=seed, batch=10, after_batch=measure)
    return measured


def named_after(measured: Sequence[LabelErrors], *, is_each: bool) -> int | None:
    """Cases the weak person had judged when their interval was first above the others', for good or not.

    Args:
        measured: What was measured, batch after batch.
        is_each: Above the interval of each of the others; else above that of all of them together.
    """
    for found in measured:
        [weak] = [one for one in found.people if one.person == WEAK]
        if is_apart(found) if is_each else weak.is_above:
            return weak.all.case_count
    return None


def simulated_names(cases: int, *, projects: int) -> list[tuple[bool, bool]]:
    """Whether the weak person is named by that many of their cases, in projects below the operations.

    The program counts just the labels that are planted. These are drawn here for real cases, three people to
    a case until the weak one has judged enough.

    Returns:
        Of each project, whether the interval is above the others' together, and above that of each.
    """
    counts = [len(labels(case)) for case in real_cases(200, seed=0)]
    found = []
    for seed in range(projects):
        chance = random.Random(seed)
        team: dict[str, list[tuple[int, int, float]]] = {name: [] for name in RATES}
        for count in chance.sample(counts, len(counts)):
            for name in chance.sample(list(RATES), 3):
                team[name].append((sum(chance.random() < RATES[name] for _ in range(count)), count, 1))
            if len(team[WEAK]) == cases:
                break
        each = {name: rate.interval for name, rate in error_rates(team).items()}
        others = [case for name in RATES if name != WEAK for case in team[name]]
        two = error_rates({True: team[WEAK], False: others})
        weak = each.pop(WEAK)
        found.append(
            (
                two[True].interval.low > two[False].interval.high,
                all(weak.low > one.high for one in each.values()),
            )
        )
    return found


def main(*seeds: int) -> None:
    """Print after how many cases the weak person is named: in simulated projects, and walked seed by seed."""
    for cases in (20, 30, 40, 60):
        together, each = (sum(one) for one in zip(*simulated_names(cases, projects=1000), strict=True))
        print(f"after {cases} cases, of 1,000 simulated: above the others together {together}, each {each}")
    prepare_scratch()
    with running_server() as server:
        for seed in seeds or range(1, 11):
            with server.database() as name, TemporaryDirectory() as folder:
                url = server.url_of(name)
                create_project(url)
                measured = walk_and_measure(url, Path(folder), cases=200, seed=seed)
            together, each = (named_after(measured, is_each=is_each) for is_each in (False, True))
            others = {one.person for found in measured for one in found.people if one.is_above} - {WEAK}
            print(
                f"seed {seed}: above the others together after {together} cases, above each after {each};"
                f" others ever named: {', '.join(sorted(others)) or 'nobody'}"
            )
            for found in measured:
                shown = [
                    f"{one.person} {one.all.case_count}: {one.all.share:.1%} ({one.all.words})"
                    + (" above" if one.is_above else "")
                    for one in found.people
                ]
                print("  " + ", ".join(shown), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
