"""How wrong the final cases may be, in a line, and the dialog that draws more of them for the experts."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialog, QWidget

from annotator.release.quality import Plan
from scoring.errors import AnnotatorError
from scoring.measures.residual_error import Quality, percent
from ui.services.commands import Commands
from ui.theme import ButtonKind, ElidedLabel, TextLabel
from ui.theme.dialogs import DialogFrame
from ui.theme.fields import line_field
from ui.theme.layouts import hbox
from ui.theme.words import counted

_USUAL_BOUND = "2"
_MOST_BATCHES = 8
_COUNTING = "The cases are still being counted."


class QualityBar(QWidget):
    """The bound of the project as it stands, with the button that draws more.

    Args:
        commands: Has `releases.sample`.
    """

    def __init__(self, commands: Commands) -> None:
        super().__init__()
        self.setObjectName("release-quality")
        self._headline = ElidedLabel("Reading the samples …", "strong", objectName="quality-headline")
        self._details = ElidedLabel("", "muted", objectName="quality-details")
        more = commands.button(
            "releases.sample", "Sample more…", name="release-sample", kind=ButtonKind.GHOST
        )
        hbox(
            TextLabel("Project as it is", "small-muted"),
            (self._headline, 1),
            (self._details, 1),
            more,
            within=self,
            gap=12,
            margins=(16, 4),
        )

    def show_quality(self, quality: Quality) -> None:
        """Show the bound and what it rests on."""
        self._headline.setText(quality.headline)
        self._details.setText(" ".join(quality.details))


class SampleDialog(QDialog):
    """Asks for a bound and says how many more cases experts must look at to reach it."""

    asked = Signal(float)
    """The bound a plan is wanted for, as a share."""
    ordered = Signal(float)
    """The bound to draw for, as a share."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sample-dialog")
        self.setWindowTitle("Sample more cases")
        frame = DialogFrame(self, "Sample more cases", width=480)
        frame.explain(
            "Experts look at a further random sample of final cases. Its cases leave final until they are "
            "decided; releases stay as they are."
        )
        self._bound = line_field("sample-bound", "2", about="Wrong cases, at most, in percent")
        self._bound.setText(_USUAL_BOUND)
        self._bound.textChanged.connect(self.ask)
        form = frame.add_form()
        form.addRow("Wrong cases, at most (%)", self._bound)
        self._words = frame.explain("Counting…", "strong")
        self._words.setObjectName("sample-plan")
        self._batches = frame.explain("", "small-muted")
        self._batches.setObjectName("sample-batches")
        self._go = frame.confirm("Draw", "sample-go", self._order)
        self._go.set_blocked(_COUNTING)

    @property
    def share(self) -> float | None:
        """The bound that is asked for; null where what is typed is no percentage between 0 and 100."""
        try:
            percentage = float(self._bound.text().strip().removesuffix("%").replace(",", "."))
        except ValueError:
            return None
        return percentage / 100 if 0 < percentage < 100 else None

    def ask(self) -> None:
        """Ask for the plan of the bound as it is typed."""
        share = self.share
        if share is None:
            self._words.setText("Type a percentage above 0 and below 100.")
            self._batches.setText("")
            self._go.set_blocked(self._words.text())
            return
        self._go.set_blocked(_COUNTING)
        self.asked.emit(share)

    def show_plan(self, share: float, planned: Plan) -> None:
        """Show what a bound takes; an answer about another bound than is asked for now is dropped."""
        if share != self.share:
            return
        named = [f"{name} {count:,}" for name, count in planned.batches.items()]
        rest = f" and {counted(len(named) - _MOST_BATCHES, 'more batch', 'more batches')}"
        shown = ", ".join(named[:_MOST_BATCHES]) + (rest if len(named) > _MOST_BATCHES else "")
        self._batches.setText(f"By batch: {shown}" if named else "")
        if not planned.cases:
            self._words.setText(f"The bound is {percent(planned.reached)} already; there is nothing to draw.")
            self._go.set_blocked("There is nothing to draw.")
            return
        self._words.setText(
            f"{counted(planned.cases, 'more case')}: the bound is {percent(planned.reached)} "
            "if every one is right."
        )
        self._go.set_blocked("")

    def show_error(self, error: AnnotatorError) -> None:
        """Say why there is no plan."""
        self._words.setText(error.message)
        self._batches.setText(error.hint)
        self._go.set_blocked(error.message)

    def _order(self) -> None:
        share = self.share
        if share is not None:
            self.accept()
            self.ordered.emit(share)
