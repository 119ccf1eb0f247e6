"""How right the cases are: a line with the bound, a table of all figures, drawing more for the experts."""

from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QWidget

from annotator.release.quality import Plan
from annotator.release.quality_table import QualityLine, quality_table, save_quality
from scoring.errors import AnnotatorError
from scoring.measures.residual_error import Quality, percent
from scoring.texts import in_language, joined, tr, tr_count, with_commas
from scoring.wording import interval_words
from ui.services.commands import Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.theme import Button, ButtonKind, ElidedLabel, TextLabel
from ui.theme.cells import Cell, count_cell
from ui.theme.dialogs import FormDialog, ask_file
from ui.theme.events import follow_events
from ui.theme.fields import line_field
from ui.theme.layouts import build, hbox, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import LOADING, STAGE

_WHATS = {
    **{stage.value.replace("_", " "): said for stage, said in STAGE.items()},
    "tasks": tr("tasks"),
    "fields": tr("fields"),
}
"""What of a release some lines are about, in words."""
_COLUMNS: tuple[Column[QualityLine], ...] = (
    Column(tr("About"), 170, lambda line: tr(line.topic.value)),
    Column(tr("What"), 230, lambda line: _WHATS.get(line.what) or in_language(line.what)),
    Column(
        tr("Value"),
        80,
        lambda line: Cell(_figure(line), line.value),
        is_figure=True,
        tip=tr("A share in %, or a coefficient from -1 to 1"),
    ),
    Column(tr("95 % interval"), 128, lambda line: Cell(_interval(line), line.low), is_figure=True),
    Column(
        "n",
        64,
        lambda line: Cell("–") if line.n is None else count_cell(line.n),
        is_figure=True,
        tip=tr("What the figure rests on"),
    ),
    Column(tr("Note"), cell=lambda line: in_language(line.note)),
)


class QualityView(ReportPanel):
    """Gathers the figures each time it is shown, and writes them into a file."""

    def __init__(self, operations: Operations, notice: ErrorBanner, **properties: Any) -> None:
        super().__init__("quality-view", operations, notice, **properties)
        self._lines: tuple[QualityLine, ...] = ()
        self._words = TextLabel("", "small-muted", objectName="quality-words")
        self._export = Button(tr("Export…"), objectName="quality-export", clicked=self._ask_file)
        self._table = FigureTable("quality", tr("Quality"), _COLUMNS)
        vbox(
            hbox((self._words, 1), self._export, gap=None, margins=(16, 4)),
            (self._table, 1),
            within=self,
            focus=self._table,
        )
        follow_events(self, self.read, QEvent.Type.Show)

    def read(self) -> None:
        """Gather the figures anew; a job, since it compares every judgment."""
        self._words.setText(tr("Gathering figures …"))
        self._export.set_blocked(tr("The figures are being gathered."))
        self._operations.start_job(
            quality_table, tr("Gather the quality figures"), then=self._show, failed=self._say_failure
        )

    def _show(self, lines: tuple[QualityLine, ...]) -> None:
        self._lines = lines
        self._words.setText(
            tr(
                "{line} about {about}",
                line=tr_count(len(lines), "line"),
                about=lines[0].what.removeprefix("cases of ") if lines else "",
            )
        )
        self._export.set_blocked("")
        self._table.show_items(lines, key=attrgetter("topic", "what"))

    def _say_failure(self, error: AnnotatorError) -> None:
        self._words.setText(tr(error.message))
        unread(self._notice.show_error, self._table)(error)

    def _ask_file(self) -> None:
        ask_file(
            self,
            tr("Export the quality figures"),
            "quality.csv",
            tr("Table (*.csv);;Picture (*.png);;Picture (*.svg)"),
            saves=True,
            fileSelected=self.export,
        )

    def export(self, file: str) -> None:
        """Write the table (`.csv`), or the picture of its figures (`.png`, `.svg`)."""
        path = Path(file)
        if path.suffix not in (".csv", ".png", ".svg"):
            path = path.with_name(path.name + ".csv")
        self._operations.run_outside(
            partial(save_quality, self._lines, **{"table" if path.suffix == ".csv" else "figure": path}),
            then=partial(self._notice.tell, lambda _: tr("Wrote {path}.", path=path)),
            failed=self._notice.show_error,
        )


def _is_coefficient(line: QualityLine) -> bool:
    return line.topic == "Agreement (alpha)"


def _figure(line: QualityLine) -> str:
    if line.value is None:
        return "–"
    return f"{line.value:.3f}".replace("-", "−") if _is_coefficient(line) else f"{100 * line.value:.1f} %"


def _interval(line: QualityLine) -> str:
    if line.low is None or line.high is None:
        return "–"
    if _is_coefficient(line):
        return interval_words(line.low, line.high, form=".3f")
    return interval_words(100 * line.low, 100 * line.high, form=".1f")


_MOST_BATCHES = 8
_COUNTING = tr("The cases are still being counted.")


class QualityBar(QWidget):
    """The bound of the project as it stands, with the button that draws more.

    Args:
        commands: Has `releases.sample`.
    """

    def __init__(self, commands: Commands) -> None:
        build(super().__init__, objectName="release-quality")
        self.headline = ElidedLabel(LOADING, "strong", objectName="quality-headline")
        self._details = ElidedLabel("", "muted", objectName="quality-details")
        hbox(
            TextLabel(tr("Project as it is"), "small-muted"),
            (self.headline, 1),
            (self._details, 1),
            commands.button(
                "releases.sample", tr("Sample more…"), name="release-sample", kind=ButtonKind.GHOST
            ),
            within=self,
            gap=12,
            margins=(16, 4),
        )

    def show_quality(self, quality: Quality) -> None:
        """Show the bound and what it rests on."""
        self.headline.setText(tr(quality.headline))
        self._details.setText(joined(*map(tr, quality.details)))


class SampleDialog(FormDialog):
    """Asks for a bound, says how many more cases experts must look at to reach it; answers it as a share."""

    asked = Signal(float)
    """The bound a plan is wanted for, as a share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        title = tr("Sample more cases")
        about = tr(
            "Experts look at a further random sample of final cases. Its cases leave final until "
            "they are decided; releases stay as they are."
        )
        super().__init__("sample", title, title, width=480, about=about, parent=parent)
        self._bound = line_field(
            "sample-bound",
            "2",
            about=tr("Wrong cases, at most, in percent"),
            text="2",
            textChanged=self.ask_plan,
        )
        self.frame.add_form((tr("Wrong cases, at most (%)"), self._bound))
        self._words = self.frame.explain(tr("Counting…"), "strong", objectName="sample-plan")
        self._batches = self.frame.explain("", "small-muted", objectName="sample-batches")
        self._why_not = _COUNTING
        self.end_with(tr("Draw", context="sample"), lambda: self.share, missing=lambda: self._why_not)

    @property
    def share(self) -> float | None:
        """The bound that is asked for; None where what is typed is no percentage between 0 and 100."""
        try:
            percentage = float(self._bound.text().strip().removesuffix("%").replace(",", "."))
        except ValueError:
            return None
        return percentage / 100 if 0 < percentage < 100 else None

    def ask_plan(self) -> None:
        """Ask for the plan of the bound as it is typed."""
        share = self.share
        if share is None:
            wrong = tr("Type a percentage above 0 and below 100.")
            self._say(wrong, "", why_not=wrong)
        else:
            self._say(self._words.text(), self._batches.text(), why_not=_COUNTING)
            self.asked.emit(share)

    def show_plan(self, share: float, planned: Plan) -> None:
        """Show what a bound takes; an answer about another bound than is asked for now is dropped."""
        if share != self.share:
            return
        named = [f"{name} {count:,}" for name, count in planned.batches.items()]
        rest = tr(
            " and {more_batches}",
            more_batches=tr_count(len(named) - _MOST_BATCHES, "more batch", "more batches"),
        )
        shown = with_commas(named[:_MOST_BATCHES]) + (rest if len(named) > _MOST_BATCHES else "")
        batches, reached = tr("By batch: {shown}", shown=shown) if named else "", percent(planned.reached)
        if planned.cases:
            self._say(
                tr(
                    "{more}: the bound is {reached} if every one is right.",
                    more=tr_count(planned.cases, "more case"),
                    reached=reached,
                ),
                "\n".join(filter(None, (batches, tr(planned.time_words)))),
                why_not="",
            )
        else:
            self._say(
                tr("The bound is {reached} already; there is nothing to draw.", reached=reached),
                batches,
                why_not=tr("There is nothing to draw."),
            )

    def show_error(self, error: AnnotatorError) -> None:
        """Say why there is no plan."""
        self._say(tr(error.message), tr(error.hint), why_not=tr(error.message))

    def _say(self, words: str, batches: str, *, why_not: str) -> None:
        self._words.setText(words)
        self._batches.setText(batches)
        self._why_not = why_not
        self.check()
