"""Export: cases of a project written in any format, and their findings."""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from annotator.cases.access import blinded, copy_as_seen, is_copy_blind
from annotator.cases.bodies import read_body
from annotator.cases.copies import rows_beside
from annotator.cases.findings.checks import CheckedCase, visible_findings
from annotator.cases.row_views import held_apart, shown_row, viewer_of
from annotator.files import is_stream, replaced_file
from annotator.project.workspace import Workspace, query
from annotator.resources import resource_text
from db.read import queries, visibility
from db.read.known_answers import OPEN, copies_of
from db.read.rows import CaseFilter
from db.tables import Transaction
from scoring.formats.benchmark.bfcl import ANSWERS_FOLDER
from scoring.formats.case_writer import Skipped, WriteReport, write_cases
from scoring.model.case import Case
from scoring.model.taxonomy import CaseFormat, Stage, WrittenFormat


def export_cases(
    workspace: Workspace,
    target: Path,
    *,
    format: str | None,  # noqa: A002 (the name of the option)
    stages: tuple[Stage, ...],
) -> WriteReport:
    """Write the newest revisions of the cases at some stages (none named: of all) into a file.

    Cases whose labels the person may not see yet are written blind. Where known-answer cases are given,
    whatever the person works on is left out, and gold cases are while they work on something (`withheld`).
    Formats and what is raised are those of `write_file`.
    """
    person = workspace.person
    left_out: list[str] = []
    withheld = 0

    def visible(tx: Transaction) -> Iterator[Case]:
        nonlocal withheld
        viewer, apart = viewer_of(tx, person), held_apart(tx, person)
        blind = visibility.blind_cases(tx, viewer)
        left_out.extend(row.case_id for row in rows_beside(tx, viewer, CaseFilter(stages=stages)))
        for pk, _, case_id, body in queries.head_bodies(tx, stages=stages):
            withheld += pk in viewer.withheld
            if pk in apart:
                left_out.append(case_id)
            elif pk not in viewer.withheld:
                case = read_body(body)
                yield blinded(case, viewer.hidden) if pk in blind else case

    report = workspace.read(lambda tx: write_file(visible(tx), target, format=format))
    skipped = (
        Skipped(case_id=case_id, reason="you are working on it, or have left it")
        for case_id in sorted(left_out)
    )
    return report.model_copy(update={"skipped": (*report.skipped, *skipped), "withheld": withheld})


def write_file(
    cases: Iterable[Case],
    target: Path,
    *,
    format: str | None,  # noqa: A002 (the name of the option)
) -> WriteReport:
    """Write cases into a file, which appears whole or not at all.

    Without a format they are written as a task of Inspect, a Python file that asks them of a model and scores
    the replies. BFCL's answers go into a file of the same name in the folder `possible_answer` beside the
    file, unless that is a stream.

    Raises:
        StoreError: The file cannot be written.
    """
    with ExitStack() as files:
        stream, answers = files.enter_context(replaced_file(target)), None
        if format is WrittenFormat.BFCL and not is_stream(target):
            answers = files.enter_context(replaced_file(target.parent / ANSWERS_FOLDER / target.name))
        if format is None:  # no three quotes in a row stand in JSON
            stream.write(resource_text("templates", "inspect_task.txt").encode())
        report = write_cases(cases, stream, format=format or CaseFormat.NATIVE, answers=answers)
        stream.write(b"" if format else b'"""\n')
    return report


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
    copies = copies_of(tx, person.id, OPEN) if person is not None else ()
    findings = {
        copy.case_id: visible_findings(copy_as_seen(tx, copy), is_blind=is_copy_blind(copy))
        for copy in copies
        if case_id in (None, copy.case_id)
    }
    if case_id is None or not findings:
        only = shown_row(tx, case_id, person).pk if case_id is not None else None
        for pk, _, shown_id, body in queries.head_bodies(tx, only=only, without=viewer.withheld):
            case = blinded(read_body(body), viewer.hidden) if pk in blind else read_body(body)
            findings[shown_id] = visible_findings(case, is_blind=pk in blind)
    names = sorted(findings, key=queries.with_numbers) if copies else findings
    return tuple(CheckedCase(case_id=shown_id, line=None, findings=findings[shown_id]) for shown_id in names)
