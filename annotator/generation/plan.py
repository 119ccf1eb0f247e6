"""What a run of the generator makes, with which models and within which limits."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from operator import not_
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from annotator.fields import GROUPS, SHARES, VARIABLE, FieldHints
from annotator.generation.roles import AgentRole, relations_for
from annotator.llm.budget import Budget
from annotator.llm.endpoints import ADDRESS_EXAMPLE, KEY_EXAMPLE, SamplingParameters
from scoring.measures.accuracy import RELATIONS
from scoring.measures.coverage import MAIN_TYPES
from scoring.model.case import Tool
from scoring.model.record import Record, sha256_of
from scoring.model.taxonomy import Information, Policy

WANTED = (*MAIN_TYPES, *(policy.value for policy in Policy if policy.is_multi))
"""What a task of a sequence may be: one of the four main types, or one kind of multi."""
LANGUAGES = ("en", "zh")
"""What a dialogue may be in."""


def fits(wanted: str, policy: str) -> bool:
    """Whether a task of this policy is what was wanted; any kind of multi is `multi`."""
    return policy == wanted or (wanted == "multi" and policy.startswith("multi_"))


ATTEMPTS = 5
"""Dialogues that are tried for one sequence before it stays a missing sequence (generation 10, G-05)."""


class Toolset(Record):
    """The tools one dialogue may use; `name` says where they are from, e.g. `toolsets.jsonl:12`.

    `category` is noted when a run with targets for categories begins; empty where nobody looked, or none is.
    """

    name: str
    tools: tuple[Tool, ...] = Field(min_length=1)
    category: str = Field(default="", exclude_if=not_)


class Scenario(Record):
    """A situation that steers the first request of a dialogue; `name` is its file and line."""

    name: str
    text: str = Field(min_length=1)


class UserStyle(StrEnum):
    """How the user of a dialogue speaks."""

    TERSE = "terse"
    VAGUE = "vague"
    CHATTY = "chatty"
    CORRECTS = "corrects"


class Steering(Record):
    """What the user role of one dialogue is told about its user; None for nothing."""

    scenario: Scenario | None = None
    style: UserStyle | None = None


class Policies(StrEnum):
    """Where the sequences of policies come from."""

    ALL = "all"
    MISSING = "missing"
    GIVEN = "given"


class Chooser(StrEnum):
    """Who picks one of the candidate requests of a task."""

    RULE = "rule"
    MODEL = "model"
    PERSON = "person"


class RoleModel(Record):
    """A model that plays a role. Its key is found where it is asked, and never written.

    Attributes:
        model: Its name at the endpoint.
        base_url: Address up to and without `/chat/completions`.
        key_variable: Environment variable with the API key; None for the keyring, or none.
        sampling: How it chooses its words.
    """

    model: str = Field(min_length=1, examples=["e.g. careful-agent-32b"])
    base_url: str = Field(min_length=1, title="Address", examples=[ADDRESS_EXAMPLE])
    key_variable: Annotated[str | None, VARIABLE] = Field(
        default=None, title="API key in", examples=[KEY_EXAMPLE]
    )
    sampling: SamplingParameters = Field(default_factory=SamplingParameters)


class GenerationPlan(Record):
    """Everything that decides what a run makes; the same plan with the same toolsets is the same run.

    Attributes:
        name: Of the run, and of the batch its cases arrive in.
        tasks: Tasks of a dialogue, where the sequences are not given.
        policies: Where the sequences come from.
        sequences: The sequences themselves, of the words in `WANTED`; with `all` and `missing` they are
            filled in when the run starts.
        count: Dialogues to make: the sequences are cut or repeated; None for each sequence once.
        models: Who plays each role; of several one is drawn for each request.
        language: `en` or `zh`; of every dialogue where no language has a target.
        seed: All that is drawn follows from it.
        information: The type of each later task, by its number from 1; a missing one is drawn.
        shares: Targets, from 0 to 1: of `WANTED` among all tasks, of `RELATIONS` among later tasks, of
            `LANGUAGES` among dialogues; every other word is a category of toolsets, among dialogues, too.
            Words without one share what is left.
        scenarios: What first requests are about; each is drawn as often as the others, give or take one.
        styles: How users speak; each is drawn as often as the others, give or take one.
        now: The simulated instant; None draws one of 2024 for each dialogue.
        chooser: Who picks one of the candidate requests.
        candidates: How many are asked for.
        examples: Gold cases shown to the user role as examples.
        attempts: Dialogues tried for one sequence.
        turn_limit: Planner rounds of one task; beyond it the dialogue fails.
        native_tools: Whether user and planner are sent the tools in the request's own `tools`, too.
        is_layered: Whether only first tasks are made; each later one follows the review of those before.
        budget: What the run may take.
    """

    name: str = Field(
        min_length=1, max_length=200, examples=["of the run and of the batch its cases arrive in"]
    )
    tasks: Annotated[int, FieldHints(unit=" tasks in a dialogue")] = Field(default=4, ge=1, le=12)
    policies: Policies = Policies.ALL
    sequences: Annotated[
        tuple[tuple[str, ...], ...], GROUPS, FieldHints(only_with=("policies", Policies.GIVEN))
    ] = Field(default=(), examples=["single, multi, chat; clarify, single"])
    count: int | None = Field(default=None, ge=1, title="Dialogues", examples=["each sequence once"])
    models: Mapping[AgentRole, tuple[RoleModel, ...]] = Field(title="Other models")
    language: Literal["en", "zh"] = "en"
    seed: int = 0
    information: Mapping[int, Information] = Field(default_factory=dict)
    shares: Annotated[Mapping[str, Annotated[float, Field(ge=0, le=1)]], SHARES] = Field(
        default_factory=dict,
        title="Targets",
        examples=["single: 40%; omission: 60%; zh: 30%"],
        exclude_if=not_,
    )
    scenarios: tuple[Scenario, ...] = Field(default=(), exclude_if=not_)
    styles: tuple[UserStyle, ...] = Field(default=(), title="User styles", exclude_if=not_)
    now: str | None = Field(default=None, examples=["drawn for each dialogue; e.g. 2024-05-17 09:30:00"])
    chooser: Chooser = Field(default=Chooser.RULE, title="Requests picked by")
    candidates: int = Field(default=5, ge=1, le=10)
    examples: Annotated[int, FieldHints(unit=" gold requests as examples")] = Field(default=0, ge=0, le=5)
    attempts: int = Field(default=ATTEMPTS, ge=1, le=50)
    turn_limit: int = Field(default=100, ge=1, le=1000)
    native_tools: bool = True
    is_layered: bool = Field(default=False, title="First tasks only")
    budget: Budget = Field(default_factory=Budget)

    @field_validator("sequences")
    @classmethod
    def _known(cls, value: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
        for sequence in value:
            unknown = [word for word in sequence if word not in WANTED]
            if unknown or not sequence:
                raise ValueError(
                    f"a sequence is made of {', '.join(WANTED)}, not {', '.join(unknown) or 'nothing'}"
                )
        return value

    @model_validator(mode="after")
    def _played(self) -> "GenerationPlan":
        silent = [role.value for role in AgentRole if not self.models.get(role)]
        if silent:
            raise ValueError(f"no model plays {', '.join(silent)}")
        if self.policies is Policies.GIVEN and not self.sequences:
            raise ValueError("no sequence of policies is given")
        return self

    @model_validator(mode="after")
    def _possible(self) -> "GenerationPlan":
        policies, relations = self.shares_of(WANTED), self.shares_of(RELATIONS)
        for shares, words in (
            (policies, MAIN_TYPES),
            (relations, RELATIONS),
            (self.shares_of(LANGUAGES), LANGUAGES),
            (self.categories, (*self.categories, "")),  # which others there are, the toolsets say
        ):
            total = round(sum(shares.values()), 9)
            if total > 1 or (total < 1 and shares.keys() >= {*words}):
                raise ValueError(f"the targets of {', '.join(shares)} add up to {total:.0%}, not to 100%")
        if policies and (self.policies is not Policies.ALL or self.count is None):
            raise ValueError("targets for policies need a number of dialogues, and no certain sequences")
        if relations and (self.information or self.is_layered or self.chooser is Chooser.PERSON):
            raise ValueError(
                "targets for information need later tasks whose type is not fixed and that no person picks"
            )
        return self

    def shares_of(self, words: Collection[str]) -> dict[str, float]:
        """The targets for some words."""
        return {word: share for word, share in self.shares.items() if word in words}

    @property
    def languages(self) -> tuple[str, ...]:
        """What its dialogues may be in."""
        return LANGUAGES if self.shares_of(LANGUAGES) else (self.language,)

    @property
    def categories(self) -> dict[str, float]:
        """The targets for categories of toolsets."""
        return self.shares_of(self.shares.keys() - {*WANTED, *RELATIONS, *LANGUAGES})

    def counted_as(self, toolset: Toolset) -> str:
        """The category a toolset counts for; empty where its own has no target."""
        return toolset.category if toolset.category in self.categories else ""

    def offered(self, task: int) -> tuple[Information, ...]:
        """The information types a task is asked for in, each on its own: those a person chooses from.

        Only the type the plan names where it names one; none where a type is drawn, and for a first task.
        """
        if task in self.information:
            return (self.information[task],)
        kinds = RELATIONS if task and self.chooser is Chooser.PERSON else ()
        return tuple(kind for kind in kinds if relations_for(kind, task=task))


def identity_of(plan: GenerationPlan, toolsets: tuple[Toolset, ...]) -> str:
    """What makes two starts the same run: the plan as it was asked for, and the tools.

    The budget is left out: a run that stopped at its limit goes on with a higher one. So are addresses and
    names of keys, since an endpoint may move, and the sequences that a start fills in. What came to plans
    later is left out where it is empty, so that older runs are found, too.
    """
    leave_out = {"budget", "models"} | (set() if plan.policies is Policies.GIVEN else {"sequences"})
    body = plan.model_dump(mode="json", exclude=leave_out)
    body["models"] = {
        role.value: [[one.model, one.sampling.model_dump(mode="json")] for one in found]
        for role, found in sorted(plan.models.items())
    }
    return sha256_of([body, [toolset.model_dump(mode="json") for toolset in toolsets]])
