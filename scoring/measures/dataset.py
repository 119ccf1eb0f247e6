"""What a set of dialogues consists of: sizes, labels and tools, as the papers describe their data."""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from math import sqrt

from pydantic import Field, JsonValue

from scoring.measures.coverage import LONGEST, switching_space_coverage
from scoring.measures.rates import Rate, rate
from scoring.model.case import Case, Tool
from scoring.model.record import JsonObject, Record, members_in, sha256_of
from scoring.model.taxonomy import Information, Policy

UNLABELLED = "not labelled"


class Spread(Record):
    """How a whole number is spread over things: how many things have each value."""

    counts: dict[int, int]

    @property
    def of(self) -> int:
        """How many things there are."""
        return sum(self.counts.values())

    @property
    def total(self) -> int:
        """The sum of all values."""
        return sum(value * count for value, count in self.counts.items())

    @property
    def mean(self) -> float | None:
        """The mean; None where there is nothing."""
        return self.total / self.of if self.of else None

    @property
    def deviation(self) -> float | None:
        """The sample standard deviation; None for fewer than two things."""
        if self.of < 2:
            return None
        mean = self.total / self.of
        return sqrt(sum(count * (value - mean) ** 2 for value, count in self.counts.items()) / (self.of - 1))


class DatasetStatistics(Record):
    """The figures of one set of cases.

    `messages` are those of the user in a dialogue: tasks and answers to questions. `calls` counts only tasks
    that have one. `scripts` counts dialogues by the writing of their requests. Tools are told apart by their
    definition, `offered` and `called` by name. `parameters` counts the declared arguments of different tools
    by type; an enum counts as enum, an object or list of more than plain values as nested. `depths` is how
    many levels of objects and lists an argument has, 0 for a plain value. `categories` counts different
    tools by the category their file gives, else by the one assigned to their toolset; those that have none
    count as not labelled where another has one. `related` is the share of later tasks that need the earlier
    dialogue, of those whose label is known; `switching` the share of sequences of up to four main types that
    some case begins with, over nothing where no task is labelled. `stage_yield` is of a project: how many
    cases came in, left each stage in any way, and are final or rejected; empty for a file.
    """

    cases: int
    tasks: Spread
    messages: Spread
    calls: Spread
    tools: Spread
    policies: dict[str, int]
    information: dict[str, int]
    scripts: dict[str, int]
    parameters: dict[str, int]
    depths: Spread
    required: Rate
    categories: dict[str, int]
    offered: int
    called: int
    different_tools: int
    dependencies: int
    related: Rate
    switching: Rate
    stage_yield: dict[str, int] = Field(default_factory=dict)

    @property
    def never_called(self) -> int:
        """Names of tools that are offered and never called."""
        return self.offered - self.called

    @property
    def questions(self) -> int:
        """Questions to the user that were answered."""
        return self.messages.total - self.tasks.total

    @property
    def unlabelled(self) -> int:
        """Tasks without a policy."""
        return self.policies.get(UNLABELLED, 0)


@dataclass
class DatasetTally:
    """Counts that grow case by case; memory grows with different tools and sequences only.

    `assigned` are the categories people gave to toolsets, by `toolset_of`.
    """

    assigned: Mapping[str, str] = field(default_factory=dict)
    messages: Counter[int] = field(default_factory=Counter)
    calls: Counter[int] = field(default_factory=Counter)
    tools: Counter[int] = field(default_factory=Counter)
    information: Counter[str] = field(default_factory=Counter)
    scripts: Counter[str] = field(default_factory=Counter)
    dialogues: Counter[tuple[Policy | None, ...]] = field(default_factory=Counter)
    related: Counter[bool] = field(default_factory=Counter)
    called: set[str] = field(default_factory=set)
    definitions: dict[bytes, Tool] = field(default_factory=dict)
    categories: dict[bytes, str] = field(default_factory=dict)
    dependencies: int = 0

    def add(self, case: Case) -> None:
        """Count one case."""
        self.messages[len(case.tasks) + sum(len(task.asks) for task in case.tasks)] += 1
        self.tools[len(case.tools)] += 1
        self.scripts[_script("".join(task.user for task in case.tasks))] += 1
        self.dialogues[tuple(task.policy for task in case.tasks)] += 1
        for task in case.tasks:
            if task.calls:
                self.calls[len(task.calls)] += 1
            self.information[task.information or UNLABELLED] += 1
            self.called.update(call.name for _, call in task.calls)
            self.dependencies += len(task.drawn_edges)
        later = (task.information for task in case.tasks[1:])
        self.related.update(label is not Information.FIRST for label in later if label is not None)
        assigned = self.assigned.get(toolset_of(case.tools), "") if self.assigned else ""
        for tool in case.tools:
            self.definitions.setdefault(tool.canonical, tool)
            if category := category_of(tool) or assigned:
                self.categories.setdefault(tool.canonical, category)

    def statistics(self) -> DatasetStatistics:
        """The figures of all cases so far."""
        tools = list(self.definitions.values())
        names = {tool.name for tool in tools}
        schemas = [schema for tool in tools for schema in map(members_in, tool.properties.values())]
        categories = Counter(self.categories.get(key, UNLABELLED) for key in self.definitions)
        dialogues = list(self.dialogues.elements())
        space = switching_space_coverage(dialogues, longest=LONGEST).total
        return DatasetStatistics(
            cases=len(dialogues),
            tasks=_spread(Counter(map(len, dialogues))),
            messages=_spread(self.messages),
            calls=_spread(self.calls),
            tools=_spread(self.tools),
            policies=_ordered(Counter(policy or UNLABELLED for policy in chain(*dialogues)), Policy),
            information=_ordered(self.information, Information),
            scripts=dict(self.scripts.most_common()),
            parameters=dict(Counter(map(_kind, schemas)).most_common()),
            depths=_spread(Counter(map(_depth, schemas))),
            required=rate(sum(len({*tool.required} & {*tool.properties}) for tool in tools), len(schemas)),
            categories=dict(categories.most_common()) if self.categories else {},
            offered=len(names),
            called=len(names & self.called),
            different_tools=len(tools),
            dependencies=self.dependencies,
            related=rate(self.related[True], self.related.total()),
            switching=space if space.count else rate(0, 0),
        )


def toolset_of(tools: Iterable[Tool]) -> str:
    """A short hash of a set of tools, by their names."""
    return sha256_of(sorted({tool.name for tool in tools}))[:12]


def dataset_statistics(
    cases: Iterable[Case], *, assigned: Mapping[str, str] | None = None
) -> DatasetStatistics:
    """Describe a set of cases, one by one.

    Args:
        cases: The cases.
        assigned: Categories people gave to toolsets, by `toolset_of`.

    Source: the statistics of WildToolBench (figure 5), C3-Bench (table 4), Multi-Mission (table 1).
    """
    tally = DatasetTally(assigned=assigned or {})
    for case in cases:
        tally.add(case)
    return tally.statistics()


def _spread(counts: Counter[int]) -> Spread:
    return Spread(counts=dict(sorted(counts.items())))


def _ordered(counts: Counter[str], labels: Iterable[str]) -> dict[str, int]:
    return {name: counts[name] for name in (*labels, UNLABELLED) if counts[name]}


def _script(text: str) -> str:
    """The writing most letters of a text are of, by the names of Unicode: `LATIN`, `CJK`, `CYRILLIC`."""
    found = Counter(_script_of(letter) for letter in text if letter.isalpha())
    return found.most_common(1)[0][0] if found else "none"


@cache
def _script_of(letter: str) -> str:
    return unicodedata.name(letter, "unknown").partition(" ")[0]


def _kind(schema: JsonObject) -> str:
    if "enum" in schema:
        return "enum"
    declared = schema.get("type")
    if isinstance(declared, list):
        declared = next((name for name in declared if name != "null"), None)
    if declared in ("object", "array") and _depth(schema) > 1:
        return "nested"
    return declared if isinstance(declared, str) else "none declared"


def _depth(schema: JsonObject) -> int:
    """Levels of objects and lists; 0 for a plain value."""
    inner = [value for value in _inside(schema) if isinstance(value, dict)]
    is_container = schema.get("type") in ("object", "array")
    return int(is_container or bool(inner)) + max(map(_depth, inner), default=0)


def _inside(schema: JsonObject) -> Iterator[JsonValue]:
    properties = schema.get("properties")
    if isinstance(properties, dict):
        yield from properties.values()
    yield schema.get("items")


def category_of(tool: Tool) -> str:
    """The category a file gives a tool, beside or within its function; empty for none."""
    levels = (tool.definition, members_in(tool.definition.get("function")))
    return next((name for level in levels if isinstance(name := level.get("category"), str)), "")
