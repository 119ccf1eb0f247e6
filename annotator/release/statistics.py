"""What a set of cases holds: counts by policy, information, size and tools."""

from collections import Counter
from dataclasses import dataclass, field

from scoring.model.case import Case
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Information, Policy


@dataclass
class CaseStatistics:
    """Adds up cases one by one; memory grows with the number of distinct tools only."""

    counts: Counter[str] = field(default_factory=Counter)
    policies: Counter[str] = field(default_factory=Counter)
    informations: Counter[str] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    tools: set[str] = field(default_factory=set)
    sequences: set[tuple[str, ...]] = field(default_factory=set)

    def add(self, case: Case) -> None:
        """Count one case."""
        self.counts.update({"cases": 1, "tasks": len(case.tasks)})
        self.lengths[len(case.tasks)] += 1
        self.tools.update(tool.name for tool in case.tools)
        for task in case.tasks:
            self.counts.update(
                calls=len(task.calls), questions=len(task.asks), dependencies=len(task.drawn_edges)
            )
            self.policies[task.policy or "unlabelled"] += 1
            self.informations[task.information or "unlabelled"] += 1
        mains = [task.policy.main_type for task in case.tasks if task.policy is not None]
        if len(mains) == len(case.tasks):
            self.sequences.update(tuple(mains[:n]) for n in range(1, min(len(mains), 4) + 1))

    def summary(self) -> JsonObject:
        """The counts in their printed order; closed sets in full, so that a zero is visible."""
        return {
            **{name: self.counts[name] for name in ("cases", "tasks", "calls", "questions", "dependencies")},
            "distinct tools": len(self.tools),
            "tasks by policy": _counts(self.policies, [*Policy, "unlabelled"]),
            "tasks by information": _counts(self.informations, [*Information, "unlabelled"]),
            "cases by tasks": {str(n): count for n, count in sorted(self.lengths.items())},
            "policy sequences of length 1 to 4": f"{len(self.sequences)} of 340",
        }


def _counts(counter: Counter[str], names: list[str]) -> JsonObject:
    return {str(name): counter[name] for name in names if name != "unlabelled" or counter[name]}
