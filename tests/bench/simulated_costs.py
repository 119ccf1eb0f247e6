"""What review policies cost in minutes and leave wrong, in many simulated projects with intervals.

    python -m tests.bench.simulated_costs [PROJECTS]

The team of `checking_costs` below the operations of the program: a case is seven labels, and of everybody it
is known which they get wrong, always in the same way. What it prints stands in `docs/checking.md`;
`checking_costs` walks the same policies through the real operations.
"""

import random
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, sqrt
from statistics import mean, stdev

from tests.bench.checking_costs import BATCH, RATES

LABELS = 7
MINUTES = 1.5
"""The median of each stage in the sample project; decisions are not timed, and count as much."""


@dataclass(frozen=True)
class Setting:
    """A review policy, as far as it matters here.

    `stops` is no power of the program: a second reviewer is spared where the first differs from the owner.
    """

    self_checks: int = 2
    reviewers: int = 2
    case_fields: int = 0
    sample_share: float = 0
    stops: bool = False


STRICT = Setting()
TRAINED = replace(STRICT, self_checks=1)
SETTINGS: Mapping[str, Setting] = {
    "strict": STRICT,
    "default": Setting(case_fields=1),
    "strict, one self-check": TRAINED,
    "one self-check, one reviewer": replace(TRAINED, reviewers=1),
    "one self-check, one reviewer, sample 0.5": replace(TRAINED, reviewers=1, sample_share=0.5),
    "one self-check, one reviewer, sample 1": replace(TRAINED, reviewers=1, sample_share=1),
    "two self-checks, one reviewer, sample 1": replace(STRICT, reviewers=1, sample_share=1),
    "one self-check, no reviewer, sample 1": replace(TRAINED, reviewers=0, sample_share=1),
    "(not built) one self-check, second reviewer where the first agrees": replace(TRAINED, stops=True),
}


@dataclass(frozen=True)
class Expert:
    """How an expert reads.

    `overlooked` is the share of errors they do not see where nobody pointed to them. `reads_all` says whether
    they read the whole of an escalated case, as they do in a sample, or decide what people differ on alone.
    """

    overlooked: float = 0
    reads_all: bool = True

    def leaves(self, wrong: set[int], chance: random.Random) -> set[int]:
        """What stays wrong of errors that nobody pointed to."""
        return {label for label in sorted(wrong) if chance.random() < self.overlooked}


EXPERTS = {
    **{f"overlooks {m:.0%}": Expert(m) for m in (0, 0.02, 0.05, 0.1)},
    "what differs alone, overlooks 0%": Expert(reads_all=False),
    "what differs alone, overlooks 5%": Expert(0.05, reads_all=False),
}


@dataclass
class Project:
    """One simulated project: the looks of owners, reviewers and experts, and how many final labels are wrong.

    Projects of one seed have the same cases under every setting.
    """

    setting: Setting
    seed: int
    expert: Expert
    looks: Counter[str] = field(default_factory=Counter)
    wrong: int = 0

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)

    @property
    def minutes(self) -> float:
        """Minutes of everybody, at the medians of the sample project."""
        return MINUTES * self.looks.total()

    def bring(self, batch: int) -> None:
        """Let the team judge a batch to its end."""
        cases = [_Case(random.Random(f"{self.seed}:{batch}:{number}")) for number in range(BATCH)]
        approved = [case for case in cases if self._is_approved(case)]
        size = ceil(self.setting.sample_share * len(approved))
        found = 0
        for case in approved[:size]:
            self.looks["expert"] += 1
            left = self.expert.leaves(case.wrong, self.chance)
            found += left != case.wrong
            case.wrong = left
        for case in approved[size:] if found else []:
            self._cross_checked(case)  # a sample with an error sends the rest to other reviewers
        self.wrong += sum(len(case.wrong) for case in approved)

    def _is_approved(self, case: "_Case") -> bool:
        """Whether a case waits for the sample; an expert has decided the others."""
        self.looks["owner"] += self.setting.self_checks
        case.wrong = set(case.said[case.owner])
        is_approved = self._cross_checked(case)
        if not is_approved:
            self.wrong += len(case.wrong)
        return is_approved

    def _cross_checked(self, case: "_Case") -> bool:
        """Whether a round approves the case; what people differ on is put right by an expert where not."""
        said = [case.wrong]
        for _ in range(self.setting.reviewers):
            if not case.others or (self.setting.stops and any(one != said[0] for one in said)):
                break
            self.looks["reviewer"] += 1
            said.append(case.said[case.others.pop()])
        votes = Counter(label for one in said for label in one)
        differing = {label for label, times in votes.items() if times < len(said)}
        has_majority = all(2 * votes[label] != len(said) for label in differing)
        if has_majority and len(differing) <= self.setting.case_fields:
            case.wrong = {label for label, times in votes.items() if 2 * times > len(said)}
            return True
        self.looks["expert"] += 1
        alike = set(votes) - differing
        case.wrong = self.expert.leaves(alike, self.chance) if self.expert.reads_all else alike
        return False


class _Case:
    """A case: who owns it, who may review it in which order, and the labels everybody gets wrong."""

    def __init__(self, chance: random.Random) -> None:
        self.owner, *self.others = chance.sample(list(RATES), len(RATES))
        self.said = {
            name: {label for label in range(LABELS) if chance.random() < share}
            for name, share in RATES.items()
        }
        self.wrong: set[int] = set()


def simulated(setting: Setting, projects: int, *, expert: Expert) -> list[Project]:
    """Projects of 200 cases under a setting, seeds 0 and on."""
    found = [Project(setting, seed, expert) for seed in range(projects)]
    for project in found:
        for batch in range(200 // BATCH):
            project.bring(batch)
    return found


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """The mean and its interval at 95 %, by the normal distribution."""
    half = 1.96 * stdev(values) / sqrt(len(values))
    return mean(values), mean(values) - half, mean(values) + half


def main(projects: int = 200) -> None:
    """Print looks, minutes and wrong labels of each setting, beside the strict one."""
    strict = {name: simulated(STRICT, projects, expert=expert) for name, expert in EXPERTS.items()}
    for name, setting in SETTINGS.items():
        print(name)
        for reading, expert in EXPERTS.items():
            found = simulated(setting, projects, expert=expert)
            pairs = list(zip(found, strict[reading], strict=True))
            looks = [mean(one.looks[who] for one in found) for who in ("owner", "reviewer", "expert")]
            minutes = interval([one.minutes / two.minutes - 1 for one, two in pairs])
            wrong = interval([one.wrong for one in found])
            more = interval([one.wrong - two.wrong for one, two in pairs])
            print(
                f"  {reading}: looks {' + '.join(f'{one:.0f}' for one in looks)},"
                f" {mean(one.minutes for one in found):.0f} min,"
                f" {minutes[0]:+.1%} ({minutes[1]:+.1%} to {minutes[2]:+.1%});"
                f" wrong {wrong[0]:.2f} ({wrong[1]:.2f} to {wrong[2]:.2f}),"
                f" {more[0]:+.2f} ({more[1]:+.2f} to {more[2]:+.2f})",
                flush=True,
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
