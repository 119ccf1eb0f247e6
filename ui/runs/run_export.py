"""Writing the tables and pictures of the shown runs into files."""

from pathlib import Path
from typing import TYPE_CHECKING

from annotator.files import replace_text
from annotator.release.reports.album import save_album
from annotator.release.reports.report import report
from annotator.release.runs.evaluation import run_scorecard
from scoring.model.record import Record
from scoring.model.taxonomy import InfraErrors, ReportFormat

if TYPE_CHECKING:
    from annotator.jobs import JobContext
    from annotator.project.workspace import Workspace

FORM_WORDS = {
    ReportFormat.HTML: ("HTML report…", "HTML (*.html)"),
    ReportFormat.MARKDOWN: ("Markdown tables…", "Markdown (*.md)"),
    ReportFormat.LATEX: ("LaTeX tables…", "LaTeX (*.tex)"),
    ReportFormat.CSV: ("CSV…", "CSV (*.csv)"),
}
SUFFIXES = {
    ReportFormat.HTML: ".html",
    ReportFormat.MARKDOWN: ".md",
    ReportFormat.LATEX: ".tex",
    ReportFormat.CSV: ".csv",
}


class ReportOrder(Record):
    """A report of some runs, in the order of the table: numbers and names; a null form asks for pictures."""

    runs: tuple[tuple[int, str], ...]
    form: ReportFormat | None
    path: Path
    infra_errors: InfraErrors = InfraErrors.WRONG

    def carry_out(self, context: "JobContext", workspace: "Workspace") -> Path:
        """Read the scorecards and write the report into a file, or the pictures into a folder; a job.

        Raises:
            StoreError: The file cannot be written.
        """
        cards = []
        for done, (run_id, name) in enumerate(self.runs):
            context.check_cancelled()
            context.progress(done, len(self.runs), f"reading {name}")
            cards.append((name, run_scorecard(workspace, run_id).counting(self.infra_errors)))
        context.progress(len(self.runs), None, "writing")
        if self.form is None:
            save_album(tuple(cards), self.path)
        else:
            replace_text(self.path, report(tuple(cards), self.form, title="Runs"))
        return self.path


def with_suffix(file: str, form: ReportFormat) -> Path:
    """The path of a report, with the ending of its form where the person gave none."""
    path = Path(file)
    return path if path.suffix else path.with_suffix(SUFFIXES[form])
