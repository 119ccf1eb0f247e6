"""The line above a case to decide: why it is here, where it stands, how much is decided."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from annotator.review.crosschecking import NOT_ALL_APPROVED
from annotator.review.sampling import BATCH_FLAGGED
from annotator.review.verifying import Adjudication
from scoring.model.taxonomy import Verdict
from ui.adjudication.deciding import RowState, field_title, is_sampled
from ui.adjudication.decision_document import DecisionDocument
from ui.theme import ElidedLabel, TextLabel, theme
from ui.theme.stepper import Stepper, stations
from ui.theme.words import VERDICT

_HEIGHT = 44
_ID_WIDTH = 260


def why_words(adjudication: Adjudication) -> str:
    """Why the expert sees a case, in one line: by which rule, then how much of it differs."""
    if is_sampled(adjudication):
        return "sampled · verify it as it is, or correct it"
    if not adjudication.sides:
        return (
            f"escalated by its owner · {adjudication.why}" if adjudication.why else "escalated by its owner"
        )
    count, total = len(adjudication.differing), len(adjudication.fields)
    differs = f"{count} of {total} fields differ ({count / total:.0%})" if count else "no field differs"
    rule = _rule_words(adjudication)
    return " · ".join(filter(None, (f"escalated: {rule}" if rule else "escalated", differs)))


def _rule_words(adjudication: Adjudication) -> str:
    """The rule that escalated a case, with fields as people call them and verdicts by letter."""
    why = adjudication.why
    if "fields differ" in why:
        return "more fields differ than the threshold allows"
    others = [side for side in adjudication.sides if side.verdict is not Verdict.APPROVE]
    if others and why == NOT_ALL_APPROVED:
        return f"{why} ({', '.join(f'{side.letter}: {VERDICT[side.verdict].lower()}' for side in others)})"
    if why == BATCH_FLAGGED:
        return "its batch is flagged, since too many of its cases are in dispute"
    for field in adjudication.fields:
        if why.endswith(f" {field.id}"):
            return f"{why.removesuffix(field.id)}{field_title(field)}"
    return why


class CaseHead(QFrame):
    """Id and reason at the left, stages in the middle, progress at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("case-head")
        self.setProperty("look", "header")
        self._id = ElidedLabel("", "mono-strong", mode=Qt.TextElideMode.ElideMiddle)
        self._id.setObjectName("adjudicated-id")
        self._why = ElidedLabel("", "small-muted")
        self._why.setObjectName("adjudicated-why")
        self._stepper = Stepper()
        self._progress = TextLabel("", "small-muted")
        self._progress.setObjectName("adjudicated-progress")
        left, right = QWidget(), QWidget()
        left_row, right_row = QHBoxLayout(left), QHBoxLayout(right)
        for row, members in ((left_row, (self._id, self._why)), (right_row, (self._progress,))):
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(theme().px(8))
            if row is right_row:
                row.addStretch(1)
            for member in members:
                row.addWidget(member)
            if row is left_row:
                row.addStretch(1)
        for side in (left, right):
            side.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._row = QHBoxLayout(self)
        self._row.addWidget(left, 6)
        self._row.addWidget(self._stepper, 5)
        self._row.addWidget(right, 2)
        self._fit()

    def show_case(self, adjudication: Adjudication) -> None:
        """Show another case."""
        self._id.setText(adjudication.case_id)
        self._id.setMinimumWidth(min(self._id.sizeHint().width(), theme().px(_ID_WIDTH)))
        self._why.setText(why_words(adjudication))
        names = ["Self-check", "Cross-check", "Expert", "Final"]
        if not adjudication.sides and not is_sampled(adjudication):
            names.remove("Cross-check")
        self._stepper.show_stations(stations(names, names.index("Expert")))

    def show_progress(self, document: DecisionDocument) -> None:
        """Show how much is decided."""
        rows = [row for row in document.rows if row.state is not RowState.AGREED]
        done = sum(row.state is RowState.DECIDED for row in rows)
        self._progress.setText(f"{done} of {len(rows)} decided" if rows else "")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(_HEIGHT))
        self._row.setContentsMargins(look.px(16), 0, look.px(16), 0)
        self._row.setSpacing(look.px(12))
