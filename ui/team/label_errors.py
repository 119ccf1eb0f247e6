"""Who is right: everybody against the final content, and what the marked person takes for what."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.review.measures.disagreements import label_words
from annotator.review.measures.label_errors import LabelErrors, PersonErrors, label_errors
from annotator.review.measures.rater_agreement import AgreementSlice
from scoring.agreement.error_rates import ErrorRate
from scoring.agreement.rated_cases import RatedField
from scoring.model.taxonomy import Policy, Stage
from scoring.wording import POLICY, counted
from ui.services.calls import job_of
from ui.services.errors import ErrorBanner, unread
from ui.services.operations import Operations
from ui.theme import ElidedLabel, PanelHeader, TextLabel, Tone
from ui.theme.cells import Cell
from ui.theme.fields import DropDown
from ui.theme.layouts import build, column, split, vbox
from ui.theme.tables import Column, FigureTable, Row

if TYPE_CHECKING:
    from ui.services.jobs import WindowJob

_SHARE = "Share of labels that are others in the final content"
COLUMNS: tuple[Column[Any], ...] = (
    Column("Person", 100),
    Column("Wrong", 84, tip="Drawn towards the team where there are few labels"),
    Column("95 %", 190, is_figure=True, tip="Interval of the share of the person's own labels"),
    Column("Most often"),
    Column("Blind", 64, is_figure=True, tip=f"{_SHARE}: judgments of cross-checks"),
    Column("Own", 64, is_figure=True, tip=f"{_SHARE}: what they submitted as an owner"),
    Column(
        "Planted",
        76,
        is_figure=True,
        tip="Planted defects caught, of those given (known-answer cases)",
    ),
)
_NOTHING = "No final case has been cross-checked yet"


def error_rows(found: LabelErrors) -> tuple[Row, ...]:
    """One line a person, who is wrong most often first."""
    most = max((one.all.interval.high for one in found.people), default=0) or 1
    return tuple(Row(one.person, _cells(one, most), item=one) for one in found.people)


def _cells(one: PersonErrors, most: float) -> tuple[Cell, ...]:
    rate, caught = one.all, one.caught
    share = 100 * (rate.wrong.value or 0)
    tip = f"{rate.wrong.count:,} of {rate.wrong.total:,} labels ({share:.1f} %)"
    above = f"{tip}. The whole interval lies above that of everybody else together."
    tone = Tone.ERROR if one.is_above else Tone.NEUTRAL
    top = one.mistakes[:1]
    often = [f"{mistake.words}, {mistake.count:,} of {mistake.total:,}" for mistake in top]
    return (
        Cell(one.person, is_strong=True),
        Cell(f"{100 * rate.estimate:.1f} %", rate.estimate, above if one.is_above else tip, chip=tone),
        Cell(
            rate.words,
            rate.interval.low,
            tip,
            colour="muted",
            span=(rate.interval.low / most, rate.estimate / most, rate.interval.high / most),
        ),
        Cell("".join(often) or "–", tip="".join(mistake.verdict for mistake in top), colour="muted"),
        *(_share(one.stages.get(stage)) for stage in (Stage.CROSS_CHECK, Stage.SELF_CHECK_TASK)),
        Cell("–" if caught.value is None else f"{caught.count} of {caught.total}", caught.value),
    )


def _share(found: ErrorRate | None) -> Cell:
    if found is None:
        return Cell("–", None, colour="faint")
    tip = f"{found.wrong.count:,} of {found.wrong.total:,}, 95 %: {found.words}"
    return Cell(f"{100 * (found.wrong.value or 0):.1f} %", found.wrong.value, tip)


def confusion_table(one: PersonErrors) -> tuple[tuple[Column[Any], ...], tuple[Row, ...]]:
    """What a person said (a line each) of what is final (a column each), in the field most often mistaken."""
    field = one.mistakes[0].field if one.mistakes else RatedField.POLICY
    finals = one.said.get(field, {})
    labels = sorted({said for counts in finals.values() for said in counts})
    columns = (
        Column[Any](field.value),
        *(Column[Any](label_words(field, final), 84, is_figure=True) for final in finals),
    )
    most = max((m.count for m in one.mistakes), default=1)
    rows = tuple(
        Row(
            said,
            (
                Cell(label_words(field, said), is_strong=True),
                *(
                    _count(counts.get(said, 0), most, is_right=said == final)
                    for final, counts in finals.items()
                ),
            ),
        )
        for said in labels
    )
    return columns, rows


def _count(count: int, most: int, *, is_right: bool) -> Cell:
    if is_right or not count:
        return Cell(f"{count:,}", count, colour="text" if count else "faint")
    return Cell(f"{count:,}", count, colour="error", is_strong=True, heat=count / most)


def case_rows(one: PersonErrors) -> tuple[Row, ...]:
    """The cases behind the mistakes, most frequent ones first; a line for each."""
    return tuple(
        Row(
            (number, case_id),
            (Cell(case_id, is_mono=True), Cell(mistake.words, colour="muted")),
            item=case_id,
        )
        for number, mistake in enumerate(one.mistakes)
        for case_id in mistake.cases
    )


def head_words(found: LabelErrors) -> str:
    """What the figures rest on."""
    total = sum(one.all.wrong.total for one in found.people)
    parts = [
        f"blind judgments and own submissions, {counted(total, 'label')} of {counted(found.cases, 'case')}"
    ]
    if found.shared:
        parts.append(f"on {counted(len(found.shared), 'item')} everybody was wrong: look at the guideline")
    return " · ".join(parts)


class ErrorsPanel(QWidget):
    """Shows everybody's errors to leads, to others their own; at the right those of the marked person."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, notice: ErrorBanner, **properties: Any) -> None:
        build(super().__init__, objectName="errors-panel", **properties)
        self._operations = operations
        self._notice = notice
        self._job: WindowJob | None = None
        self._words = ElidedLabel("", "small-muted", objectName="errors-words")
        policies = [("All policies", None), *((POLICY[policy], policy) for policy in Policy)]
        self._policy = DropDown("errors-policy", policies, accessibleName="Policy")
        spans = [("All the time", 0), ("Last 30 days", 30), ("Last 7 days", 7)]
        self._days = DropDown("errors-days", spans, accessibleName="Since")
        for field in (self._policy, self._days):
            field.currentIndexChanged.connect(self.refresh)
        self._table = FigureTable(
            "errors", "Wrong against the final content", COLUMNS, marked=self._show_marked, nothing=_NOTHING
        )
        self._name = ElidedLabel("what was said, what is final", "small-muted", objectName="errors-name")
        self._confusions = FigureTable("confusions", "What was said of what is final", (), is_still=True)
        self._verdict = TextLabel("", "accent", objectName="errors-verdict", wordWrap=True, margin=8)
        self._cases = FigureTable(
            "error-cases",
            "Cases",
            (Column[Any]("Case"), Column[Any]("Taken for", 200)),
            opened=self._open,
            nothing="No mistake",
        )
        title = PanelHeader("Wrong against the final content", (self._words, 1), self._policy, self._days)
        left = column(title, (self._table, 1))
        right = column(
            PanelHeader("Mistakes", (self._name, 1)), (self._confusions, 3), self._verdict, (self._cases, 2)
        )
        vbox(split(Qt.Orientation.Horizontal, (left, 976), (right, 400), grows=left), within=self)
        self.setFocusProxy(self._table)

    def refresh(self) -> None:
        """Read it again."""
        where = AgreementSlice(policy=self._policy.currentData())
        self._job = self._operations.start_job(
            job_of(partial(label_errors, where=where, days=self._days.currentData())),
            "Hold labels against the final content",
            then=self._show,
            failed=unread(self._notice.show_error, self._table),
            instead_of=self._job,
        )

    def _show(self, found: LabelErrors) -> None:
        words = head_words(found)
        self._words.setText(words)
        self._words.setToolTip(words)
        self._table.show_rows(error_rows(found))
        self._show_marked()

    def _show_marked(self) -> None:
        one: PersonErrors | None = self._table.marked_item
        if one is None:
            self._confusions.show_rows((), columns=())
            self._cases.show_rows(())
            self._verdict.say("")
            return
        columns, rows = confusion_table(one)
        self._name.setText(f"{one.person}: what was said (left), what is final (above)")
        self._confusions.show_rows(rows, columns=columns)
        self._verdict.say(one.mistakes[0].verdict if one.mistakes else "")
        self._cases.show_rows(case_rows(one))

    def _open(self, key: tuple[int, str]) -> None:
        self.case_wanted.emit(key[1])
