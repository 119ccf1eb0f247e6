"""Export: cases of a project written in any format, and findings of files that are in no project."""

from collections.abc import Iterator
from pathlib import Path

from annotator.cases.access import blinded, visible_findings
from annotator.cases.bodies import read_body
from annotator.cases.checking import check_case
from annotator.cases.viewing import get_row, viewer_of
from annotator.files import replaced_file
from annotator.project.workspace import Workspace
from db import queries, sight
from db.tables import Transaction
from scoring.formats.reading import Rejected, read_cases
from scoring.formats.writing import WriteReport, write_cases
from scoring.model.case import Case
from scoring.model.labels import Finding
from scoring.model.record import Record
from scoring.model.taxonomy import CaseFormat, Stage


class CheckedCase(Record):
    """The findings of one case; a line that could not be read has a reason instead."""

    case_id: str
    line: int | None
    findings: tuple[Finding, ...]
    reason: str = ""


def export_cases(
    workspace: Workspace,
    target: Path,
    *,
    format: CaseFormat,  # noqa: A002 (the option's name in cli.md)
    stages: tuple[Stage, ...],
) -> WriteReport:
    """Write the newest revisions of the cases at some stages (none named: of all) into a file.

    Cases whose labels the person may not see yet are written blind. The file appears whole or not at all.

    Raises:
        StoreError: The file cannot be written.
    """
    person = workspace.person

    def visible(tx: Transaction) -> Iterator[Case]:
        viewer = viewer_of(tx, person)
        blind = sight.blind_cases(tx, viewer)
        for pk, _, _, body in queries.head_bodies(tx, stages=stages):
            case = read_body(body)
            yield blinded(case, viewer.hidden) if pk in blind else case

    with replaced_file(target) as stream:
        return workspace.read(lambda tx: write_cases(visible(tx), stream, format=format))


def check_file(path: Path) -> Iterator[CheckedCase]:
    """Check every case of a file that is in no project.

    Raises:
        InputError: The file cannot be read at all.
    """
    for item in read_cases(path):
        if isinstance(item, Rejected):
            yield CheckedCase(case_id="", line=item.line, findings=(), reason=item.reason)
        else:
            yield CheckedCase(case_id=item.case.id, line=item.line, findings=check_case(item.case))


def check_project(workspace: Workspace, *, case_id: str | None = None) -> tuple[CheckedCase, ...]:
    """Check the newest revision of every case, or of one, as far as the person may see it.

    Raises:
        NotFoundError: The project has no such case.
    """
    person = workspace.somebody

    def query(tx: Transaction) -> tuple[CheckedCase, ...]:
        viewer = viewer_of(tx, person)
        blind = sight.blind_cases(tx, viewer)
        only = get_row(tx, case_id).pk if case_id is not None else None
        found = []
        for pk, _, name, body in queries.head_bodies(tx, only=only):
            case = blinded(read_body(body), viewer.hidden) if pk in blind else read_body(body)
            findings = visible_findings(case, is_blind=pk in blind)
            found.append(CheckedCase(case_id=name, line=None, findings=findings))
        return tuple(found)

    return workspace.read(query)
