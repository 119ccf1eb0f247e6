"""What the cases of a project cover: policy sequences, information types, tools; and what is missing."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from annotator.cases.access import blinded
from annotator.cases.bodies import read_body
from annotator.cases.row_views import apart_in_figures, viewer_of
from annotator.cases.tool_categories import ToolsetRow, assigned_categories, shared_category, toolsets
from annotator.jobs import JobContext
from annotator.project.lookups import batch_named
from annotator.project.workspace import Workspace, query
from db.read import queries, reviews, visibility
from db.tables import Transaction
from scoring.measures.coverage import (
    LONGEST,
    Route,
    SequenceCoverage,
    related_tasks,
    route_of,
    switching_space_coverage,
)
from scoring.measures.dataset import DatasetStatistics, dataset_statistics
from scoring.measures.rates import Rate, rate
from scoring.model.case import Case
from scoring.model.record import Record, items_in, members_in
from scoring.model.taxonomy import Information, Policy, Stage

EXAMPLES = 5
"""Cases named for each sequence."""

GENERATION_KEY = "generation"
"""Key of a case's extras under which its making stands; blind reviewers see no extras."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


class ToolUse(Record):
    """How a tool is used: in how many cases it is offered and called, and how often it is called."""

    name: str
    offered: int
    called_in: int
    calls: int


class LabelCount(Record):
    """How many tasks carry a policy together with an information type; None where it is not labelled."""

    policy: Policy | None
    information: Information | None
    count: int


class ProjectCoverage(Record):
    """What some cases cover.

    `examples` names up to five cases that begin with each sequence that occurs. `labels` counts first
    tasks, too. `verbs` counts calls by the first word of the tool's name. `tools` come most called first;
    `toolset_count` counts different sets of tool names, `lengths` cases by their tasks. `tried` counts the
    generated cases that were to begin with each sequence, `other_sequence` those that have another one.
    `languages` and `categories` count cases, the latter by the category of their toolset, empty for none.
    """

    case_count: int
    task_count: int
    unlabelled: int
    coverage: SequenceCoverage
    examples: dict[Route, tuple[str, ...]]
    labels: tuple[LabelCount, ...]
    related: Rate
    lengths: dict[int, int]
    tools: tuple[ToolUse, ...]
    verbs: dict[str, int]
    toolset_count: int
    tried: dict[Route, int]
    other_sequence: int
    languages: dict[str, int]
    categories: dict[str, int]

    @property
    def uncalled(self) -> tuple[str, ...]:
        """Tools that are offered and never called."""
        return tuple(tool.name for tool in self.tools if not tool.calls)


def coverage_of(cases: Iterable[Case], *, assigned: Mapping[str, str] | None = None) -> ProjectCoverage:
    """Count what cases cover, one by one; memory grows with distinct sequences and tools only.

    Args:
        cases: The cases.
        assigned: Categories people gave to toolsets.
    """
    dialogues: Counter[tuple[Policy | None, ...]] = Counter()
    examples: dict[Route, list[str]] = {}
    labels: Counter[tuple[Policy | None, Information | None]] = Counter()
    related: Counter[bool] = Counter()
    offered: Counter[str] = Counter()
    called_in: Counter[str] = Counter()
    calls: Counter[str] = Counter()
    toolsets: set[frozenset[str]] = set()
    tried: Counter[Route] = Counter()
    other_sequence = 0
    languages: Counter[str] = Counter()
    categories: Counter[str] = Counter()
    for case in cases:
        policies = tuple(task.policy for task in case.tasks)
        dialogues[policies] += 1
        route = route_of(policies)
        for length in range(1, min(len(route), LONGEST) + 1):
            ids_of_route = examples.setdefault(route[:length], [])
            if len(ids_of_route) < EXAMPLES:
                ids_of_route.append(case.id)
        asked = _asked_for(case)
        tried.update(asked[:length] for length in range(1, len(asked) + 1))
        other_sequence += route[: len(asked)] != asked
        labels.update((task.policy, task.information) for task in case.tasks)
        share = related_tasks([case])
        related.update({True: share.count, False: share.total - share.count})
        names = frozenset(tool.name for tool in case.tools)
        offered.update(names)
        toolsets.add(names)
        called = Counter(call.name for task in case.tasks for _, call in task.calls)
        calls.update(called)
        called_in.update(called.keys())
        languages[case.language] += 1
        categories[shared_category(case.tools, assigned or {})] += 1
    return ProjectCoverage(
        case_count=dialogues.total(),
        task_count=labels.total(),
        unlabelled=sum(count for (policy, _), count in labels.items() if policy is None),
        coverage=switching_space_coverage(dialogues.elements(), longest=LONGEST),
        examples={route: tuple(ids) for route, ids in examples.items()},
        labels=tuple(
            LabelCount(policy=policy, information=information, count=count)
            for (policy, information), count in labels.items()
        ),
        related=rate(related[True], related.total()),
        lengths=dict(sorted(Counter(map(len, dialogues.elements())).items())),
        tools=tuple(
            ToolUse(name=name, offered=offered[name], called_in=called_in[name], calls=calls[name])
            for name in sorted({*offered, *calls}, key=lambda name: (-calls[name], name))
        ),
        verbs=dict(Counter(map(first_word, calls.elements())).most_common()),
        toolset_count=len(toolsets),
        tried=dict(tried),
        other_sequence=other_sequence,
        languages=dict(languages),
        categories=dict(categories),
    )


def _asked_for(case: Case) -> Route:
    """The main types a generated case was to have, as far as it has tasks; none where nobody asked."""
    words = items_in(members_in(case.extras.get(GENERATION_KEY)).get("wanted"))
    return tuple(str(word).partition("_")[0] for word in words)[: min(len(case.tasks), LONGEST)]


def first_word(name: str) -> str:
    """The first word of a name in small letters: `getForecast` -> `get`; the whole name where it has none."""
    word = _WORD.search(name)
    return word[0].casefold() if word else name


@query
def project_coverage(
    workspace: Workspace,
    tx: Transaction,
    *,
    stages: tuple[Stage, ...] = (),
    batch: str = "",
    context: JobContext | None = None,
) -> ProjectCoverage:
    """Count what the cases of a project cover, as far as the person may see their labels.

    What `apart_in_figures` says is left out.

    Args:
        workspace: The project.
        stages: Only cases at these stages; empty for all.
        batch: Only cases of this batch; empty for all.
        context: Progress in cases, and cancellation between them.

    Raises:
        NotFoundError: There is no such batch.
    """
    seen = _seen(workspace, tx, stages=stages, batch=batch, context=context)
    return coverage_of(seen, assigned=assigned_categories(tx))


@query
def project_statistics(
    workspace: Workspace,
    tx: Transaction,
    *,
    stages: tuple[Stage, ...] = (),
    batch: str = "",
    context: JobContext | None = None,
) -> DatasetStatistics:
    """Describe the cases of a project as a data set; arguments, errors and what is left out as above.

    The yield is of all stages.
    """
    seen = _seen(workspace, tx, stages=stages, batch=batch, context=context)
    found = dataset_statistics(seen, assigned=assigned_categories(tx))
    counts = reviews.stage_yield(
        tx,
        batch_id=batch_named(tx, batch) if batch else None,
        without=apart_in_figures(tx, workspace.somebody),
    )
    return found.model_copy(update={"stage_yield": {stage.value: count for stage, count in counts.items()}})


def described_project(
    workspace: Workspace, *, stages: tuple[Stage, ...], batch: str, context: JobContext
) -> tuple[DatasetStatistics, tuple[ToolsetRow, ...]]:
    """The statistics of some cases, and all toolsets of the project; a job."""
    found = project_statistics(workspace, stages=stages, batch=batch, context=context)
    return found, toolsets(workspace, context=context)


def _seen(
    workspace: Workspace,
    tx: Transaction,
    *,
    stages: tuple[Stage, ...],
    batch: str,
    context: JobContext | None,
) -> Iterator[Case]:
    """The cases of a project one by one, as the person may see them."""
    viewer = viewer_of(tx, workspace.somebody)
    blind = visibility.blind_cases(tx, viewer)
    rows = queries.batch_cases(tx, batch_named(tx, batch)) if batch else ()
    wanted = frozenset(row.pk for row in rows)
    counts = queries.stage_counts(tx)
    total = sum(counts.get(stage, 0) for stage in stages or tuple(Stage))
    bodies = queries.head_bodies(tx, stages=stages, without=apart_in_figures(tx, workspace.somebody))
    for pk, _, _, body in (context or JobContext()).each(bodies, "counting", total=total):
        if not batch or pk in wanted:
            case = read_body(body)
            yield blinded(case, viewer.hidden) if pk in blind else case
