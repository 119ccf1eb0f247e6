"""Writing the tables of the shown runs into a file."""

from pathlib import Path
from typing import TYPE_CHECKING

from annotator.files import replace_text
from annotator.release.evaluating import run_scorecard
from annotator.release.reporting import ReportFormat, render, score_tables
from scoring.model.record import Record

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
    """A report of some runs, in the order of the table: numbers and names."""

    runs: tuple[tuple[int, str], ...]
    form: ReportFormat
    path: Path

    def carry_out(self, context: "JobContext", workspace: "Workspace") -> Path:
        """Read the scorecards and write the report; a job.

        Raises:
            StoreError: The file cannot be written.
        """
        cards = []
        for done, (run_id, name) in enumerate(self.runs):
            context.check_cancelled()
            context.progress(done, len(self.runs), f"reading {name}")
            cards.append((name, run_scorecard(workspace, run_id)))
        replace_text(self.path, render(score_tables(cards), self.form, title="Runs"))
        return self.path


def with_suffix(file: str, form: ReportFormat) -> Path:
    """The path of a report, with the ending of its form where the person gave none."""
    path = Path(file)
    return path if path.suffix else path.with_suffix(SUFFIXES[form])
