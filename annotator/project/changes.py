"""What an operation changed, so that every view can decide whether to read again."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Changes:
    """Flags of one operation; views compare them with what they show."""

    case_ids: frozenset[str] = frozenset()
    has_new_cases: bool = False
    has_people: bool = False
    has_policy: bool = False
    has_releases: bool = False
    has_runs: bool = False

    def __or__(self, other: "Changes") -> "Changes":
        return Changes(
            case_ids=self.case_ids | other.case_ids,
            has_new_cases=self.has_new_cases or other.has_new_cases,
            has_people=self.has_people or other.has_people,
            has_policy=self.has_policy or other.has_policy,
            has_releases=self.has_releases or other.has_releases,
            has_runs=self.has_runs or other.has_runs,
        )
