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
    has_sessions: bool = False
    is_everything: bool = False
    """Anything may have changed: by other windows, or the command line."""

    @classmethod
    def everything(cls) -> "Changes":
        """What makes every view read again."""
        return cls(
            has_new_cases=True,
            has_people=True,
            has_policy=True,
            has_releases=True,
            has_runs=True,
            has_sessions=True,
            is_everything=True,
        )

    def has_case(self, case_id: str) -> bool:
        """Whether a case may have changed."""
        return self.is_everything or case_id in self.case_ids

    def __or__(self, other: "Changes") -> "Changes":
        return Changes(
            case_ids=self.case_ids | other.case_ids,
            has_new_cases=self.has_new_cases or other.has_new_cases,
            has_people=self.has_people or other.has_people,
            has_policy=self.has_policy or other.has_policy,
            has_releases=self.has_releases or other.has_releases,
            has_runs=self.has_runs or other.has_runs,
            has_sessions=self.has_sessions or other.has_sessions,
            is_everything=self.is_everything or other.is_everything,
        )
