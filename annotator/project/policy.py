"""The review policy of a project as data: which stages run, who checks whom and how much, and thresholds."""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import Field, ValidationError, field_validator

from annotator.fields import GROUPS, LISTS, NAMES, SENTENCES, SHARE, FieldHints, taken_by
from annotator.files import read_bytes
from scoring.errors import InputError, reworded
from scoring.model.record import Record
from scoring.model.taxonomy import FeedbackCategory, Role

_SHOWN = 60
"""Characters of a refused value that are shown."""


class SettingError(InputError):
    """The value of one setting of the policy does not fit.

    Args:
        key: The setting.
        message: What is wrong with its value.
    """

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message, "Correct it and repeat.")
        self.key = key


class Pairing(StrEnum):
    """Who is asked to cross-check a case: anybody, the owner's pair, people in turn, or who has the skill."""

    FREE = "free"
    SWAP = "swap"
    ROUND_ROBIN = "round_robin"
    SKILL = "skill"


class SamplingMethod(StrEnum):
    """How approved cases are verified: one sample for the expert, or rounds of samples for other people."""

    ONCE = "once"
    ROUNDS = "rounds"


class Strata(StrEnum):
    """What a sample is drawn in proportion to."""

    POLICY = "policy"
    OWNER = "owner"
    NONE = "none"


class BlindField(StrEnum):
    """What of a case its reviewers are not shown while they judge it."""

    POLICY = "policy"
    INFORMATION = "information"
    EDGES = "edges"
    OWNER = "owner"


class OpenLabels(StrEnum):
    """When annotators see what others said about a case that is not theirs: always, or once it is final.

    Whoever judges a case is blind to it in any case; experts and managers look after all of them.
    """

    ALWAYS = "always"
    WHEN_FINAL = "when_final"


_OwnItem = Annotated[str, Field(max_length=80, pattern=r"^[^;\x00-\x1f\x7f]+ [^;\x00-\x1f\x7f]+$")]
"""A sentence, which is the id of its item, too: it has a blank, unlike those of the shipped items."""


_OwnKind = Annotated[str, Field(max_length=40, pattern=r"^[^;\x00-\x1f\x7f]+$")]


_OwnWords = Annotated[
    str, Field(max_length=500, pattern=r"^[a-z0-9_]+(\.[a-z0-9_.]+)?( (right|wrong))?: [^;\x00-\x1f\x7f]+$")
]
"""What it is about, whether it is an example, and the words; see `annotator.guidelines.OwnWords`."""


class ReviewPolicy(Record):
    """How cases are reviewed in this project (design 3); changing it never rewrites history.

    A field is a setting: `policy set` and the form of the window take it from here, with its words.
    `lease_minutes` is how long a claim is held without a sign of life.
    """

    solo: Annotated[bool, FieldHints(group="Stages")] = Field(
        default=False, description="One person does everything: self-checks, then final."
    )
    dialogue_check: bool = Field(default=True, description="The owner checks the whole dialogue, too.")
    one_self_check: Annotated[bool, FieldHints(only_with=("dialogue_check", True))] = Field(
        default=False,
        title="One self-check",
        description="Owners who are neither new nor weak check tasks and dialogue in one, not in two; a case "
        "that was returned has two.",
    )
    cross_check: bool = Field(
        default=True, title="Cross-check", description="Independent reviewers judge every case blind."
    )
    expert_sample: bool = Field(default=True, description="A sample of approved cases is verified.")
    reviewers: Annotated[int, FieldHints(group="Cross-check")] = Field(
        default=2, ge=1, le=5, title="Reviewers per case", description="Cross-checkers per case (k)."
    )
    checked_share: Annotated[float, SHARE] = Field(
        default=1,
        ge=0,
        le=1,
        title="Share that is checked",
        description="Share of the cases that reviewers judge, by lot. A case that was returned, has "
        "findings or other labels than it came with, or whose owner is new or weak, is judged in any case.",
    )
    pairing: Pairing = Field(default=Pairing.FREE, description="Who is asked to cross-check.")
    pairs: Annotated[tuple[tuple[str, ...], ...], GROUPS, FieldHints(only_with=("pairing", Pairing.SWAP))] = (
        Field(
            default=(),
            description="With pairing=swap: people who check each other's cases.",
            examples=["ann-1, ann-2; ann-3, ann-4"],
        )
    )
    skills: Annotated[dict[str, tuple[str, ...]], LISTS, FieldHints(only_with=("pairing", Pairing.SKILL))] = (
        Field(
            default_factory=dict,
            description="With pairing=skill: the languages a person reads; who is not named reads all.",
            examples=["ann-1: en, zh; ann-2: en"],
        )
    )
    toolset_skills: Annotated[
        dict[str, tuple[str, ...]], LISTS, FieldHints(only_with=("pairing", Pairing.SKILL))
    ] = Field(
        default_factory=dict,
        description="With pairing=skill: the categories of toolsets a person knows, as Coverage or the file "
        "names them; who is not named knows all. A case without a category suits everybody.",
        examples=["ann-1: travel, finance; ann-2: travel"],
    )
    blind_fields: Annotated[tuple[BlindField, ...], NAMES] = Field(
        default=(BlindField.POLICY, BlindField.INFORMATION, BlindField.EDGES),
        title="Hidden from reviewers",
        description="What reviewers do not see of the case they judge.",
    )
    open_labels: OpenLabels = Field(
        default=OpenLabels.WHEN_FINAL,
        title="Labels open to annotators",
        description="When annotators see labels of other people's cases.",
    )
    case_threshold: Annotated[float, SHARE, FieldHints(group="Thresholds")] = Field(
        default=0.05,
        ge=0,
        le=1,
        description="Share of differing fields above which a case is escalated.",
    )
    case_fields: int = Field(
        default=1,
        ge=0,
        title="Fields that may differ",
        description="So many fields may always differ, those that follow from others not counted. "
        "0: the share is read strictly, of all fields.",
    )
    batch_threshold: Annotated[float, SHARE] = Field(
        default=0.05, ge=0, le=1, description="Share of escalated cases above which a batch is flagged."
    )
    escalate_flagged_batch: bool = Field(
        default=False, description="A flagged batch goes to the expert as a whole."
    )
    sampling: Annotated[SamplingMethod, FieldHints(group="Sampling")] = Field(
        default=SamplingMethod.ONCE,
        description="Once: one sample for the expert. Rounds: with changing reviewers, until one is clean.",
    )
    sample_share: Annotated[float, SHARE] = Field(
        default=0.10, ge=0, le=1, description="Share of the approved cases of a batch that is sampled."
    )
    sample_minimum: int = Field(default=1, ge=0, description="Minimum number of cases in a sample.")
    late_share: Annotated[float, SHARE, FieldHints(only_with=("sampling", SamplingMethod.ONCE))] = Field(
        default=0,
        ge=0,
        le=0.5,
        title="Share that may be late",
        description="With one sample: share of a batch that may be under review still when the others are "
        "sampled; it is sampled later, by itself. 0: all wait for the last one.",
    )
    round_share: Annotated[float, SHARE, FieldHints(only_with=("sampling", SamplingMethod.ROUNDS))] = Field(
        default=0.20,
        gt=0,
        le=1,
        description="With sampling by rounds: share of the batch in each round.",
    )
    strata: Strata = Field(default=Strata.POLICY, description="What a sample is drawn in proportion to.")
    seed: str = Field(
        default="annotator",
        max_length=60,
        pattern=r"^[^\x00-\x1f\x7f]*$",
        description="Text that samples are drawn from; the same text draws the same cases.",
    )
    lease_minutes: Annotated[int, FieldHints(group="Work")] = Field(
        default=60,
        ge=1,
        le=60 * 24 * 7,
        title="Lease, minutes",
        description="Minutes until an inactive claim expires.",
    )
    daily_cases: int = Field(
        default=0,
        ge=0,
        title="Cases a day",
        description="New cases a person takes in a day (UTC), self-checks and cross-checks together; what is "
        "begun can be finished, and experts decide without limit. 0: any number.",
    )
    own_checklist: Annotated[tuple[_OwnItem, ...], SENTENCES, FieldHints(has_lines=True)] = Field(
        default=(),
        title="Own checklist items",
        description="What is confirmed of every task besides the shipped checklist: sentences, with "
        "semicolons between them. A changed sentence is a new item; what was said of the old one stays.",
        examples=["The tone is polite; Amounts have a currency"],
    )
    feedback_categories: Annotated[tuple[_OwnKind, ...], SENTENCES, FieldHints(has_lines=True)] = Field(
        default=(),
        title="Own kinds of mistake",
        description="What people can be told they did wrong besides the shipped kinds, with semicolons "
        "between them. A changed one is a new kind; what was told before stays.",
        examples=["wrong currency; impolite answer"],
    )
    guidelines: Annotated[tuple[_OwnWords, ...], SENTENCES, FieldHints(has_lines=True)] = Field(
        default=(),
        title="The team's guidelines",
        description="What the team says of a topic of the guidelines besides the shipped words, or a right "
        "or a wrong example. F1 shows it, and a change is shown once to everybody before their next case.",
        examples=["policy.single: One call, even if asked twice; policy.single right: Where is it?"],
    )
    evidence_gate: bool = Field(default=True, description="Every argument value must be cited or marked.")
    exact_as_found: Annotated[bool, FieldHints(only_with=("evidence_gate", True))] = Field(
        default=False,
        title="Exact values as found",
        description="A value that stands word for word at exactly one place before its call needs no "
        "confirmation: that place is its source.",
    )
    training_threshold: Annotated[float, SHARE] = Field(
        default=0,
        ge=0,
        le=1,
        title="Training before work",
        description="Share of training answers right at first that real work asks for; 0 asks for none.",
    )
    attention_share: Annotated[float, SHARE, FieldHints(group="Attention")] = Field(
        default=0,
        ge=0,
        le=0.5,
        title="Known-answer cases",
        description="Share of the new cases a person gets that are copies of gold cases with one planted "
        "defect, to measure attention. Everybody is told; what was planted is shown after submitting.",
    )
    annotators_import: Annotated[bool, FieldHints(group="Import")] = Field(
        default=False, description="Annotators import cases, too; else only managers do."
    )
    teval_fields: Annotated[bool, FieldHints(group="T-Eval")] = Field(
        default=False,
        title="Plan, thoughts and review labels",
        description="Cases have a plan and thoughts, and each observation a review label (T-Eval).",
    )

    def require_kinds(self, named: Iterable[str]) -> None:
        """Refuse a kind of mistake that is neither a shipped one nor the team's own.

        Raises:
            InputError: Says which there are.
        """
        known = [*FeedbackCategory, *self.feedback_categories]
        if kind := next((one for one in named if one not in known), None):
            raise InputError(f"There is no kind of mistake '{kind}'.", f"Choose: {', '.join(known)}.")

    def lease_end(self, at: datetime) -> datetime:
        """Until when a claim made at an instant is held."""
        return at + timedelta(minutes=self.lease_minutes)

    def lets_import(self, roles: Collection[Role]) -> bool:
        """Whether somebody with these roles may bring files of cases into the project."""
        return Role.MANAGER in roles or (self.annotators_import and Role.ANNOTATOR in roles)

    @property
    def has_cross_check(self) -> bool:
        """Whether cases pass a cross-check after the self-checks."""
        return self.cross_check and not self.solo

    @property
    def needed_judgments(self) -> int:
        """How many cross-checks close a round; 0 where there is none."""
        return self.reviewers if self.has_cross_check else 0

    @property
    def has_expert_sample(self) -> bool:
        """Whether a sample of approved cases is verified."""
        return self.expert_sample and not self.solo

    def suits(self, name: str, *, language: str, categories: Collection[str]) -> bool:
        """Whether somebody has the skills for a case: its language, and a category of its tools."""
        known = self.toolset_skills.get(name, categories)
        is_known = not categories or not set(categories).isdisjoint(known)
        return is_known and language in self.skills.get(name, (language,))

    @field_validator("pairs")
    @classmethod
    def _pairs_of_different_people(cls, pairs: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        names = [name for pair in pairs for name in pair]
        if any(len(pair) < 2 for pair in pairs) or len(set(names)) != len(names):
            raise ValueError("a pair has two or more people, and nobody is in two pairs")
        return pairs


PRESETS: Mapping[str, tuple[str, ...]] = {
    "default": ("case_threshold=0.05", "case_fields=1", "sampling=once"),
    "c3bench": ("case_threshold=0.05", "case_fields=0", "sampling=once"),
    "wildtoolbench": ("case_threshold=0.05", "case_fields=1", "sampling=rounds", "round_share=0.2"),
}
"""Settings of a procedure by its name, as `KEY=VALUE`: ours, and how the papers read their own."""


def preset(name: str) -> tuple[str, ...]:
    """The settings of a procedure.

    Raises:
        InputError: There is no such preset; names those there are.
    """
    if name not in PRESETS:
        raise InputError(f"'{name}' is not a preset.", f"Presets: {', '.join(PRESETS)}.")
    return PRESETS[name]


def stored_policy(text: str) -> ReviewPolicy:
    """The policy as a project keeps it; one that is older than a setting keeps what it did without it."""
    return ReviewPolicy.model_validate({"case_fields": 0, **json.loads(text)})


def strangers(policy: ReviewPolicy, known: Collection[str]) -> tuple[tuple[str, str], ...]:
    """The people a policy names who are not among those known, as (setting, name)."""
    named = [("pairs", name) for pair in policy.pairs for name in pair]
    named += [("skills", name) for name in policy.skills]
    named += [("toolset_skills", name) for name in policy.toolset_skills]
    return tuple((key, name) for key, name in named if name not in known)


def changed_policy(policy: ReviewPolicy, assignments: tuple[str, ...]) -> ReviewPolicy:
    """Apply `KEY=VALUE` texts to a policy; a line for people or JSON says more than one value.

    A share is written as `0.05` or as `5%`.

    Raises:
        InputError: A key does not exist or a value does not fit; names the keys there are.
    """
    values = policy.model_dump()
    for text in assignments:
        key, separator, value = text.partition("=")
        if key not in values:
            raise _no_setting(text)
        if not separator:
            takes = taken_by(ReviewPolicy.model_fields[key])
            raise InputError(f"{key} has no value.", f"Write {key}=VALUE with {takes}.")
        values[key] = value
    return checked_policy(values)


def checked_policy(values: Mapping[str, object]) -> ReviewPolicy:
    """A policy from plain values, as a file holds them; settings that are not named have their defaults.

    Raises:
        InputError: A key does not exist or a value does not fit; says which and why.
    """
    try:
        return ReviewPolicy.model_validate(values)
    except ValidationError as exc:
        first = exc.errors()[0]
        key = str(first["loc"][0])
        if key not in ReviewPolicy.model_fields:
            raise _no_setting(key) from exc
        takes = taken_by(ReviewPolicy.model_fields[key])
        why = f": {first['ctx']['error']}" if first["type"] == "value_error" else ""
        message = f"The value for {key} does not fit: it takes {takes}, not {_shown(values[key])}{why}."
        raise SettingError(key, message) from exc


def read_policy(path: Path) -> ReviewPolicy:
    """Read a whole policy from a JSON file, as `policy show --json` writes it; see `checked_policy`.

    Raises:
        InputError: The file cannot be read, is no JSON object, or holds what does not fit.
    """
    hint = "Start from `annotator policy show --json`."
    with reworded(ValueError, into=lambda exc: InputError(f"{path} is not JSON: {exc}.", hint)):
        values = json.loads(read_bytes(path).decode())
    if not isinstance(values, dict):
        raise InputError(f"{path} holds no policy.", hint)
    values.pop("version", None)  # of the document, not of the policy
    return checked_policy(values)


def _no_setting(text: str) -> InputError:
    known = list(ReviewPolicy.model_fields)
    typed = text.partition("=")[0].strip().lower().replace("-", "_")
    meant = get_close_matches(typed, known, n=1)
    advice = f" Did you mean {meant[0]}?" if meant else ""
    return InputError(
        f"'{text}' is not a setting of the review policy.{advice}",
        f"Write KEY=VALUE with one of: {', '.join(known)}.",
    )


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "…"
