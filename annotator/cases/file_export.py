"""Export: cases of a project written in any format, and their findings."""

from collections.abc import Iterator
from pathlib import Path

from annotator.cases.access import blinded, visible_findings
from annotator.cases.bodies import read_body
from annotator.cases.findings.checks import CheckedCase
from annotator.cases.row_views import shown_row, viewer_of
from annotator.files import replaced_file
from annotator.project.workspace import Workspace, query
from db.read import queries, visibility
from db.tables import Transaction
from scoring.formats.case_writer import Skipped, WriteReport, write_cases
from scoring.model.case import Case
from scoring.model.taxonomy import CaseFormat, Stage

_WITHHELD = "it is a gold case and is not shown to you before you submit the cases you hold"


def export_cases(
    workspace: Workspace,
    target: Path,
    *,
    format: CaseFormat,  # noqa: A002 (the name of the option)
    stages: tuple[Stage, ...],
) -> WriteReport:
    """Write the newest revisions of the cases at some stages (none named: of all) into a file.

    Cases whose labels the person may not see yet are written blind, and the gold case of a known-answer
    case they hold is skipped, and said so. The file appears whole or not at all.

    Raises:
        StoreError: The file cannot be written.
    """
    person = workspace.person
    withheld: list[Skipped] = []

    def visible(tx: Transaction) -> Iterator[Case]:
        viewer = viewer_of(tx, person)
        blind = visibility.blind_cases(tx, viewer)
        kept = visibility.withheld_cases(tx, viewer.person_id)
        for pk, _, case_id, body in queries.head_bodies(tx, stages=stages):
            if pk in kept:
                withheld.append(Skipped(case_id=case_id, reason=_WITHHELD))
                continue
            case = read_body(body)
            yield blinded(case, viewer.hidden) if pk in blind else case

    with replaced_file(target) as stream:
        report = workspace.read(lambda tx: write_cases(visible(tx), stream, format=format))
    return report.model_copy(update={"skipped": (*report.skipped, *withheld)})


@query
def check_project(
    workspace: Workspace, tx: Transaction, *, case_id: str | None = None
) -> tuple[CheckedCase, ...]:
    """Check the newest revision of every case, or of one, as far as the person may see it.

    Raises:
        NotFoundError: The project has no such case.
    """
    person = workspace.somebody
    viewer = viewer_of(tx, person)
    blind = visibility.blind_cases(tx, viewer)
    only = shown_row(tx, case_id, person).pk if case_id is not None else None
    kept = visibility.withheld_cases(tx, viewer.person_id)
    found = []
    for pk, _, name, body in queries.head_bodies(tx, only=only, without=kept):
        case = blinded(read_body(body), viewer.hidden) if pk in blind else read_body(body)
        findings = visible_findings(case, is_blind=pk in blind)
        found.append(CheckedCase(case_id=name, line=None, findings=findings))
    return tuple(found)
