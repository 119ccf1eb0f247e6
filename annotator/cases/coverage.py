"""What the cases of a project cover: policy sequences, information types, tools; and what is missing."""

import re
from collections import Counter
from dataclasses import dataclass, field

from annotator.cases.access import blinded
from annotator.cases.bodies import read_body
from annotator.cases.row_views import viewer_of
from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from db.read import queries, visibility
from db.tables import Transaction
from scoring.errors import NotFoundError
from scoring.measures.coverage import Coverage, Route, related_tasks, route_of, switching_space_coverage
from scoring.measures.rates import Rate
from scoring.model.case import Case
from scoring.model.record import Record
from scoring.model.taxonomy import Information, Policy, Stage

EXAMPLES = 5
"""Cases named for each sequence."""

LONGEST = 4
"""Tasks of the longest sequences that are counted."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


class ToolUse(Record):
    """How a tool is used: in how many cases it is offered and called, and how often it is called."""

    name: str
    offered: int
    called_in: int
    calls: int


class LabelCount(Record):
    """How many tasks carry a policy together with an information type; null where it is not labelled."""

    policy: Policy | None
    information: Information | None
    count: int


class ProjectCoverage(Record):
    """What some cases cover.

    `examples` names up to five cases that begin with each sequence that occurs. `labels` counts first
    tasks, too. `verbs` counts calls by the first word of the tool's name. `tools` come most called first;
    `toolset_count` counts different sets of tool names. `lengths` counts cases by their tasks.
    """

    case_count: int
    task_count: int
    unlabelled: int
    coverage: Coverage
    examples: dict[Route, tuple[str, ...]]
    labels: tuple[LabelCount, ...]
    related: Rate
    lengths: dict[int, int]
    tools: tuple[ToolUse, ...]
    verbs: dict[str, int]
    toolset_count: int

    @property
    def uncalled(self) -> tuple[str, ...]:
        """Tools that are offered and never called."""
        return tuple(tool.name for tool in self.tools if not tool.calls)


@dataclass
class CoverageCount:
    """Adds up cases one by one; memory grows with distinct sequences and tools only."""

    cases: int = 0
    tasks: int = 0
    dialogues: Counter[tuple[Policy | None, ...]] = field(default_factory=Counter)
    examples: dict[Route, list[str]] = field(default_factory=dict)
    labels: Counter[tuple[Policy | None, Information | None]] = field(default_factory=Counter)
    related: int = 0
    later: int = 0
    lengths: Counter[int] = field(default_factory=Counter)
    offered: Counter[str] = field(default_factory=Counter)
    called_in: Counter[str] = field(default_factory=Counter)
    calls: Counter[str] = field(default_factory=Counter)
    toolsets: set[frozenset[str]] = field(default_factory=set)

    def add(self, case: Case) -> None:
        """Count one case."""
        self.cases += 1
        self.tasks += len(case.tasks)
        self.lengths[len(case.tasks)] += 1
        policies = tuple(task.policy for task in case.tasks)
        self.dialogues[policies] += 1
        route = route_of(policies)
        for length in range(1, min(len(route), LONGEST) + 1):
            found = self.examples.setdefault(route[:length], [])
            if len(found) < EXAMPLES:
                found.append(case.id)
        self.labels.update((task.policy, task.information) for task in case.tasks)
        related = related_tasks([case])
        self.related += related.count
        self.later += related.total
        offered = {tool.name for tool in case.tools}
        self.offered.update(offered)
        self.toolsets.add(frozenset(offered))
        called = Counter(call.name for task in case.tasks for _, call in task.calls)
        self.calls.update(called)
        self.called_in.update(called.keys())

    def result(self) -> ProjectCoverage:
        """What was counted."""
        names = sorted({*self.offered, *self.calls}, key=lambda name: (-self.calls[name], name))
        verbs: Counter[str] = Counter()
        for name, count in self.calls.items():
            verbs[first_word(name)] += count
        return ProjectCoverage(
            case_count=self.cases,
            task_count=self.tasks,
            unlabelled=sum(count for (policy, _), count in self.labels.items() if policy is None),
            coverage=switching_space_coverage(self.dialogues.elements(), longest=LONGEST),
            examples={route: tuple(ids) for route, ids in self.examples.items()},
            labels=tuple(
                LabelCount(policy=policy, information=information, count=count)
                for (policy, information), count in self.labels.items()
            ),
            related=Rate(
                value=self.related / self.later if self.later else None, count=self.related, total=self.later
            ),
            lengths=dict(sorted(self.lengths.items())),
            tools=tuple(
                ToolUse(
                    name=name,
                    offered=self.offered[name],
                    called_in=self.called_in[name],
                    calls=self.calls[name],
                )
                for name in names
            ),
            verbs=dict(verbs.most_common()),
            toolset_count=len(self.toolsets),
        )


def first_word(name: str) -> str:
    """The first word of a name in small letters: `getForecast` -> `get`; the whole name where it has none."""
    found = _WORD.search(name)
    return found[0].casefold() if found else name


def project_coverage(
    workspace: Workspace,
    *,
    stages: tuple[Stage, ...] = (),
    batch: str = "",
    context: JobContext | None = None,
) -> ProjectCoverage:
    """Count what the cases of a project cover, as far as the person may see their labels.

    Args:
        workspace: The project.
        stages: Only cases at these stages; empty for all.
        batch: Only cases of this batch; empty for all.
        context: Progress in cases, and cancellation between them.

    Raises:
        NotFoundError: There is no such batch.
    """
    person = workspace.somebody

    def query(tx: Transaction) -> ProjectCoverage:
        viewer = viewer_of(tx, person)
        blind = visibility.blind_cases(tx, viewer)
        wanted = _cases_of(tx, batch) if batch else None
        total = sum(queries.stage_counts(tx).get(stage, 0) for stage in stages or tuple(Stage))
        count = CoverageCount()
        for done, (pk, _, _, body) in enumerate(queries.head_bodies(tx, stages=stages), 1):
            if context is not None:
                context.check_cancelled()
                context.progress(min(done, total), total, "counting")
            if wanted is None or pk in wanted:
                case = read_body(body)
                count.add(blinded(case, viewer.hidden) if pk in blind else case)
        return count.result()

    return workspace.read(query)


def _cases_of(tx: Transaction, batch: str) -> frozenset[int]:
    """Numbers of the cases of a batch."""
    number = queries.find_batch(tx, batch)
    if number is None:
        raise NotFoundError(f"There is no batch '{batch}'.", "See `annotator batch list`.")
    return frozenset(row.pk for row in queries.batch_cases(tx, number))
