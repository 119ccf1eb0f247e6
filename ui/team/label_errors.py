"""Who is right: everybody against the final content, and what the marked person takes for what."""

from collections.abc import Sequence
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

from PySide6.QtCore import Qt, Signal

from annotator.review.measures.disagreements import label_words
from annotator.review.measures.label_errors import LabelErrors, Mistake, PersonErrors, label_errors
from annotator.review.measures.rater_agreement import AgreementSlice
from scoring.agreement.error_rates import ErrorRate
from scoring.agreement.rated_cases import RatedField
from scoring.model.taxonomy import Policy, Stage
from scoring.texts import in_language, tr, tr_count
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.theme import ElidedLabel, PanelHeader, TextLabel, Tone
from ui.theme.cells import Cell, known_cell, share_cell, tally_cell
from ui.theme.fields import DropDown
from ui.theme.layouts import column, split, vbox
from ui.theme.tables import Column, FigureTable
from ui.theme.words import POLICY

_SHARE = tr("Share of labels that are others in the final content")


def error_columns(people: Sequence[PersonErrors]) -> tuple[Column[PersonErrors], ...]:
    """How often a person is wrong, with intervals over the same range for everybody."""
    most = max((one.all.interval.high for one in people), default=0) or 1

    def interval(one: PersonErrors) -> Cell:
        rate, bounds = one.all, one.all.interval
        span = (bounds.low / most, rate.estimate / most, bounds.high / most)
        return Cell(in_language(rate.words), bounds.low, _wrong_tip(rate), colour="muted", span=span)

    return (
        Column(tr("Person"), 100, lambda one: Cell(one.person, is_strong=True)),
        Column(tr("Wrong"), 84, _wrong, tip=tr("Drawn towards the team where there are few labels")),
        Column(
            "95 %", 190, interval, is_figure=True, tip=tr("Interval of the share of the person's own labels")
        ),
        Column(tr("Most often"), cell=_most_often),
        Column(
            tr("Blind"),
            64,
            lambda one: _share(one.stages.get(Stage.CROSS_CHECK)),
            is_figure=True,
            tip=tr("{share}: judgments of cross-checks", share=_SHARE),
        ),
        Column(
            tr("Own"),
            64,
            lambda one: _share(one.stages.get(Stage.SELF_CHECK_TASK)),
            is_figure=True,
            tip=tr("{share}: what they submitted as an owner", share=_SHARE),
        ),
        Column(
            tr("Planted"),
            76,
            lambda one: known_cell(
                one.caught.value, tr("{count} of {total}", count=one.caught.count, total=one.caught.total)
            ),
            is_figure=True,
            tip=tr("Planted defects caught, of those given (known-answer cases)"),
        ),
    )


def _wrong_tip(rate: ErrorRate) -> str:
    return tr(
        "{count:,} of {total:,} labels ({share:.1f} %)",
        count=rate.wrong.count,
        total=rate.wrong.total,
        share=100 * rate.share,
    )


def _wrong(one: PersonErrors) -> Cell:
    above = tr(". The whole interval lies above that of everybody else together.") if one.is_above else ""
    tone = Tone.ERROR if one.is_above else Tone.NEUTRAL
    return share_cell(one.all.estimate, f"{_wrong_tip(one.all)}{above}", chip=tone)


def _most_often(one: PersonErrors) -> Cell:
    if not one.mistakes:
        return Cell("–", colour="muted")
    top = one.mistakes[0]
    return Cell(
        tr("{words}, {count:,} of {total:,}", words=top.words, count=top.count, total=top.total),
        tip=tr(top.verdict),
        colour="muted",
    )


def _share(found: ErrorRate | None) -> Cell:
    if found is None:
        return Cell("–", None, colour="muted")
    tip = tr(
        "{count:,} of {total:,}, 95 %: {words}",
        count=found.wrong.count,
        total=found.wrong.total,
        words=in_language(found.words),
    )
    return share_cell(found.share, tip)


def confusion_columns(one: PersonErrors) -> tuple[Column[str], ...]:
    """What is final (a column each) of what was said, in the field most often mistaken."""
    field = _confused_field(one)
    most = max((m.count for m in one.mistakes), default=1)

    def count(final: str, said: str) -> Cell:
        found = one.said[field][final].get(said, 0)
        if said == final or not found:
            return tally_cell(found)
        return Cell(f"{found:,}", found, colour="error", is_strong=True, heat=found / most)

    return (
        Column(
            tr(field.value.replace("_", " ")),
            cell=lambda said: Cell(label_words(field, said), is_strong=True),
        ),
        *(
            Column(label_words(field, final), 84, partial(count, final), is_figure=True)
            for final in one.said.get(field, {})
        ),
    )


def _confused_field(one: PersonErrors) -> RatedField:
    return one.mistakes[0].field if one.mistakes else RatedField.POLICY


MistakenCase = tuple[int, str, Mistake]
"""The place of a mistake among those of a person, and one of its cases."""
CASE_COLUMNS: tuple[Column[MistakenCase], ...] = (
    Column(tr("Case"), cell=lambda one: Cell(one[1], is_mono=True)),
    Column(tr("Taken for"), 200, lambda one: Cell(one[2].words, colour="muted")),
)


def head_words(found: LabelErrors) -> str:
    """What the figures rest on."""
    parts = (
        tr(
            "{label} of {case}, blind and own",
            label=tr_count(sum(one.all.wrong.total for one in found.people), "label"),
            case=tr_count(found.cases, "case"),
        ),
        tr("all wrong on {item}", item=tr_count(len(found.shared), "item")) if found.shared else "",
    )
    return " · ".join(filter(None, parts))


class ErrorsPanel(ReportPanel):
    """Shows everybody's errors to leads, to others their own; at the right those of the marked person."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, notice: ErrorBanner, **properties: Any) -> None:
        super().__init__("errors-panel", operations, notice, **properties)
        self._words = ElidedLabel("", "small-muted", objectName="errors-words")
        self._policy = DropDown(
            "errors-policy",
            [(tr("All policies"), None), *((POLICY[policy], policy) for policy in Policy)],
            accessibleName=tr("Policy"),
        )
        self._days = DropDown(
            "errors-days",
            [(tr("All the time"), 0), (tr("Last 30 days"), 30), (tr("Last 7 days"), 7)],
            accessibleName=tr("Since"),
        )
        for field in (self._policy, self._days):
            field.currentIndexChanged.connect(self.refresh)
        self._table = FigureTable(
            "errors",
            tr("Wrong against the final content"),
            error_columns(()),
            marked=self._show_marked,
            nothing=tr("No final case has been cross-checked yet"),
        )
        self._name = ElidedLabel(tr("what was said, what is final"), "small-muted", objectName="errors-name")
        self._confusions = FigureTable("confusions", tr("What was said of what is final"), (), is_still=True)
        self._verdict = TextLabel("", "accent", objectName="errors-verdict", wordWrap=True, margin=8)
        self._cases = FigureTable(
            "error-cases",
            tr("Cases"),
            CASE_COLUMNS,
            opened=lambda key: self.case_wanted.emit(key[1]),
            nothing=tr("No mistake"),
        )
        title = PanelHeader(tr("Wrong against the final content"), (self._words, 1), self._policy, self._days)
        left = column(title, (self._table, 1))
        right = column(
            PanelHeader(tr("Mistakes"), (self._name, 1)),
            (self._confusions, 3),
            self._verdict,
            (self._cases, 2),
        )
        vbox(
            split(Qt.Orientation.Horizontal, (left, 976), (right, 400), grows=left),
            within=self,
            focus=self._table,
        )

    def refresh(self) -> None:
        """Read it again."""
        where = AgreementSlice(policy=self._policy.currentData())
        self._read_again(
            partial(label_errors, where=where, days=self._days.currentData()),
            tr("Hold labels against the final content"),
            show=self._show,
            waiting=(self._table, self._confusions, self._cases),
        )

    def _show(self, found: LabelErrors) -> None:
        self._words.setText(head_words(found))
        self._table.show_items(found.people, key=attrgetter("person"), columns=error_columns(found.people))
        self._show_marked()

    def _show_marked(self) -> None:
        one: PersonErrors | None = self._table.marked_item
        if one is None:
            self._confusions.show_rows((), columns=())
            self._cases.show_rows(())
            self._verdict.say("")
            return
        labels = {said for counts in one.said.get(_confused_field(one), {}).values() for said in counts}
        self._confusions.show_items(sorted(labels), key=str, columns=confusion_columns(one))
        self._name.setText(tr("{person}: what was said (left), what is final (above)", person=one.person))
        self._verdict.say(tr(one.mistakes[0].verdict) if one.mistakes else "")
        cases = [(place, case, found) for place, found in enumerate(one.mistakes) for case in found.cases]
        self._cases.show_items(cases, key=itemgetter(0, 1))
