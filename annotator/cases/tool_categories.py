"""Categories of toolsets: people assign them where files give none; nothing is read out of names."""

import json
from collections import Counter
from collections.abc import Collection, Mapping

from annotator.cases.access import copy_as_seen
from annotator.cases.bodies import read_body
from annotator.cases.row_views import apart_in_figures, visible_row
from annotator.jobs import JobContext
from annotator.project.workspace import Work, Workspace, operation, query
from db.read import known_answers, queries, reviews
from db.tables import Transaction
from scoring.errors import InputError
from scoring.measures.dataset import category_of, toolset_of
from scoring.model.case import Case, Tool
from scoring.model.record import Record
from scoring.model.taxonomy import Role

_KIND = "toolset"
_LONGEST = 60


class ToolsetRow(Record):
    """The tools that some cases share: `case_id` is one of `cases`, `category` is empty where nobody said."""

    id: str
    case_id: str
    cases: int
    tools: tuple[str, ...]
    category: str = ""


def assigned_categories(tx: Transaction) -> dict[str, str]:
    """The categories people gave to toolsets, by `toolset_of`."""
    return {
        key: json.loads(payloads[-1])["category"] for key, payloads in reviews.payloads_of(tx, _KIND).items()
    }


def categories_of(tx: Transaction, case: Case) -> frozenset[str]:
    """The categories of a case's tools: as its file names them, else as people did; none for others."""
    told = reviews.events_of(tx, [f"{_KIND}:{toolset_of(case.tools)}"], limit=1)
    assigned = json.loads(told[0].payload)["category"] if told else ""
    return frozenset(category_of(tool) or assigned for tool in case.tools) - {""}


def shared_category(tools: Collection[Tool], assigned: Mapping[str, str]) -> str:
    """The category of all tools of a set: as their file names it, else as people did; empty for several.

    Args:
        tools: The set.
        assigned: Categories people gave to toolsets, by `toolset_of`.
    """
    given = assigned.get(toolset_of(tools), "") if assigned else ""
    found = {category_of(tool) or given for tool in tools} - {""}
    return found.pop() if len(found) == 1 else ""


@query
def toolsets(workspace: Workspace, tx: Transaction, *, context: JobContext) -> tuple[ToolsetRow, ...]:
    """The toolsets of a project, those of most cases first, without what `apart_in_figures` says."""
    assigned = assigned_categories(tx)
    found: dict[str, ToolsetRow] = {}
    counts: Counter[str] = Counter()
    bodies = queries.head_bodies(tx, without=apart_in_figures(tx, workspace.somebody))
    for _, _, case_id, body in context.each(bodies, "reading toolsets"):
        case = read_body(body)
        key = toolset_of(case.tools)
        counts[key] += 1
        if key not in found:
            found[key] = ToolsetRow(
                id=key,
                case_id=case_id,
                cases=1,
                tools=tuple(sorted({tool.name for tool in case.tools})),
                category=assigned.get(key, ""),
            )
    return tuple(found[key].model_copy(update={"cases": count}) for key, count in counts.most_common())


@operation("toolset:category:set", roles=(Role.MANAGER, Role.EXPERT))
def categorise(w: Work, case_id: str, *, category: str) -> None:
    """Say of what category the tools of a case are, for all cases with the same tools.

    Args:
        w: Of a manager or an expert.
        case_id: A case with the tools.
        category: In a few words; empty takes it back.

    Raises:
        NotFoundError: There is no such case.
        ForbiddenError: The case is kept from the person.
        InputError: The category is too long.
    """
    words = " ".join(category.split())
    if len(words) > _LONGEST:
        raise InputError(f"A category has {_LONGEST} characters at most.", "Say it in a few words.")
    copy = known_answers.copy_named(w.tx, case_id, person_id=w.person.id)
    if copy is not None:  # is told like any case
        case = copy_as_seen(w.tx, copy)
    else:
        row = visible_row(w.tx, case_id, w.person)
        assert row.head_id is not None
        case = read_body(queries.revision_body(w.tx, row.head_id))
    w.record(f"{_KIND}:{toolset_of(case.tools)}", {"category": words})
    w.touch(case_id)
