"""The agreement page: a line a field, the disagreements behind it, and how right each stage was."""

from collections.abc import Callable, Hashable
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from annotator.files import replace_text
from annotator.project.changes import Changes
from annotator.review.measures.accuracy_curve import AccuracySlice
from annotator.review.measures.agreement_sheets import (
    coefficients_csv,
    disagreements_csv,
    experts_csv,
    pairs_csv,
    stages_csv,
    trend_csv,
)
from annotator.review.measures.rater_agreement import OUTCOMES, AgreementSlice, diagnosis_csv, write_ratings
from annotator.review.measures.slice_agreement import (
    AccuracyDimension,
    Choices,
    SliceAgreement,
    accuracy_slice,
    list_stage_cases,
    measure,
    measure_accuracy,
    read_choices,
    refine,
    week_span,
)
from annotator.review.measures.trends import TrendStep
from scoring.agreement.rated_cases import RatedField
from scoring.generics import T
from scoring.model.taxonomy import Policy, Role, Stage
from scoring.texts import tr, tr_count
from ui.agreement.accuracy import AccuracyPanel, CurvePlace
from ui.agreement.agreement_lines import FIELD_COLUMNS, SHEET_WORDS, Sheet, summary_words
from ui.agreement.panels import CasesPanel, RaterPanels
from ui.services.calls import WorkspaceJob
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner, unread
from ui.services.jobs import WindowJob
from ui.services.operations import Operations
from ui.services.pages import FiguresPage
from ui.theme import ElidedLabel, EmptyState, PanelHeader, TextLabel, Tone
from ui.theme.buttons import ChoiceChip
from ui.theme.dialogs import ask_file
from ui.theme.events import DueReading
from ui.theme.layouts import STRETCH, build, column, split, stacked, vbox
from ui.theme.menus import open_choices
from ui.theme.panels import PageHead
from ui.theme.tables import FigureTable
from ui.theme.words import LOADING, POLICY, name_key


class AgreementPage(FiguresPage):
    """How far the raters of this project agree."""

    case_wanted = Signal(str)
    """Id of a case the person wants to open."""

    def __init__(self, operations: Operations, commands: Commands, **properties: Any) -> None:
        super().__init__("agreement", operations, commands, **properties, topic="agreement")
        self._choices = Choices()
        self._measured: SliceAgreement | None = None
        self._jobs: dict[str, WindowJob] = {}
        self._listed: CurvePlace | None = None
        self._due = DueReading(self, self._read)
        self._person = operations.person
        self._sees_cases = operations.has_role(Role.EXPERT, Role.MANAGER)
        self._slice = SliceBar(self, chosen=self._measure)
        self._raters = RaterPanels(
            people_chosen=self._choose_people,
            point_chosen=self._slice.choose_point,
        )
        self._add_commands()
        self._build()
        self._read()

    # building ------------------------------------------------------------------------------------

    def _add_commands(self) -> None:
        group = tr("Agreement")
        self._commands.add_all(
            self,
            Command("agreement.open", tr("Open the selected case"), group, self._open_marked, keys="O"),
            Command("agreement.export", tr("Export"), group, self._open_export, keys="E"),
            Command("agreement.everything", tr("Show everything"), group, self._slice.clear, keys="Shift+X"),
            Command(
                "agreement.cases",
                tr("Disagreements, diagnosis, stages"),
                group,
                lambda: self._cases.next_tab(),
                keys="D",
            ),
            Command(
                "agreement.raters",
                tr("Pairs, trend, against experts"),
                group,
                self._raters.next_tab,
                keys="T",
            ),
        )

    def _build(self) -> None:
        self._summary = ElidedLabel("", "muted", objectName="agreement-summary")
        self._export = self._commands.button("agreement.export", tr("Export…"), name="agreement-export")
        head = PageHead(tr("Agreement"), self._slice.chips, (self._summary, self._export))
        self._notice = ErrorBanner(objectName="agreement-notice")
        self._accuracy = AccuracyPanel(
            dimension_chosen=self._compare, chosen=self._list_stage, opened=self._enter_stage
        )
        right = split(
            Qt.Orientation.Vertical, (self._accuracy, 390), (self._raters, 390), name="agreement-side"
        )
        columns = split(Qt.Orientation.Horizontal, (self._left(), 836), (right, 540))
        self._empty = EmptyState("chart-line-up", LOADING, tr("Every cross-check is read once."))
        self._stack = stacked(columns, self._empty)
        self._stack.setCurrentWidget(self._empty)
        vbox(head, self._notice, (self._stack, 1), within=self, focus=self._fields)

    def _left(self) -> QWidget:
        self._cases = CasesPanel(
            self._commands,
            sees_cases=self._sees_cases,
            case_opened=self.case_wanted.emit,
            field_opened=self._go_to_field,
            marked=self._block_open,
        )
        self._fields = FigureTable(
            "fields",
            tr("Agreement by field"),
            FIELD_COLUMNS,
            is_sortable=False,
            marked=self._show_field,
            opened=self._cases.enter,
        )
        hint = TextLabel(tr("select a row to see its cases"), "small-muted")
        upper = column(PanelHeader(tr("By field"), STRETCH, hint), (self._fields, 1))
        return split(Qt.Orientation.Vertical, (upper, 330), (self._cases, 450))

    # reading and measuring -----------------------------------------------------------------------

    def _is_counting(self) -> bool:
        return bool(self._jobs)

    def _count_changes(self, changes: Changes) -> None:
        if changes.case_ids or changes.has_new_cases:
            self._due.ask()

    def _read(self) -> None:
        self._start("measure", read_choices, tr("Read the judgments"), self._take_choices)

    def _start(self, kind: str, fn: WorkspaceJob, title: str, then: Callable[[T], None]) -> None:
        """Start a job instead of the one of its kind that is under way."""
        failed, former = unread(self._notice.show_error, self._empty), self._jobs.get(kind)
        job = self._operations.start_job(fn, title, then=then, failed=failed, instead_of=former)
        self._jobs[kind] = job
        job.ended.connect(self._forget_job)

    def _forget_job(self) -> None:
        ended = self.sender()
        self._jobs = {kind: job for kind, job in self._jobs.items() if job is not ended}
        if self._measured is not None:
            self._summary.setText(summary_words(self._measured, is_drawing="measure" in self._jobs))

    def _take_choices(self, choices: Choices) -> None:
        self._choices = choices
        only = None if self._sees_cases or self._person is None else self._person.name
        self._slice.offer(choices, only=only)
        self._measure()

    def _measure(self) -> None:
        """Measure the chosen part: at once without intervals, then with them and with trends."""
        self._start(
            "measure", partial(measure, part=self._slice.part), tr("Measure the agreement"), self._take_first
        )

    def _take_first(self, measured: SliceAgreement) -> None:
        self._show(measured)
        if self._listed is not None:
            self._read_stage(self._listed)
        if measured.rounds:
            self._start(
                "measure", partial(refine, measured=measured), tr("Draw intervals and trends"), self._show
            )

    def _compare(self, by: AccuracyDimension | None) -> None:
        if by is not None:
            self._start(
                "accuracy",
                partial(measure_accuracy, by=by),
                tr("Measure stage accuracy"),
                self._accuracy.show_curves,
            )

    def _list_stage(self, place: CurvePlace) -> None:
        """List the cases behind a point of the curve, and again whenever the figures are measured anew."""
        self._listed = place
        self._cases.await_stage_cases(place)
        self._read_stage(place)

    def _read_stage(self, place: CurvePlace) -> None:
        where = accuracy_slice(self._slice.part, place.reading)
        if place.by is not None:
            where = AccuracySlice.model_validate({place.by.value: place.name, "reading": place.reading})
        job = partial(list_stage_cases, where=where, stage=place.stage)
        self._start("stage", job, tr("Read the cases of a stage"), self._cases.show_stage_cases)

    def _enter_stage(self, place: CurvePlace) -> None:
        self._list_stage(place)
        self._cases.enter_stage_cases()

    # showing -------------------------------------------------------------------------------------

    def _show(self, measured: SliceAgreement) -> None:
        self._measured = measured
        if not measured.rounds and self._choices.people:
            self._empty.set_words(
                tr("No matching judgments"), tr("Change the filters above, or show everything (Shift+X).")
            )
        elif not measured.rounds:
            self._empty.set_words(
                tr("Nothing was cross-checked yet"),
                tr(
                    "Agreement needs two people who judged the same case: let others cross-check what owners "
                    "approved."
                ),
            )
        self._stack.setCurrentIndex(0 if measured.rounds else 1)
        self._summary.setText(summary_words(measured, is_drawing=not measured.has_intervals))
        self._commands.block("agreement.export", "" if measured.rounds else tr("There is nothing to export."))
        self._accuracy.show_overall(measured.curves)
        if measured.part.since is None and measured.trends:
            self._slice.offer_weeks(measured)
        self._fields.show_items(measured.table, key=attrgetter("field"))
        self._cases.show_measured(measured)
        self._show_field(self._fields.marked_key)

    def _show_field(self, field: Hashable) -> None:
        measured = self._measured
        if measured is None or not isinstance(field, RatedField):
            return
        row = next(row for row in measured.table if row.field is field)
        self._cases.show_field(measured, row)
        self._raters.show_field(measured, field)
        self._block_open()

    # choosing and opening ------------------------------------------------------------------------

    def _choose_people(self, person: str, second: str) -> None:
        if self._sees_cases or (self._person is not None and person == self._person.name):
            self._slice.choose_people(person, second)
        else:
            self._notice.show_message(
                tr("Only experts and managers can see the judgments of others."), tone=Tone.ACCENT
            )

    def _go_to_field(self, field: RatedField) -> None:
        self._fields.mark(field)
        self._cases.enter()

    def _open_marked(self) -> None:
        if self._cases.marked_case is not None:
            self.case_wanted.emit(self._cases.marked_case)

    def _block_open(self) -> None:
        self._commands.block("agreement.open", self._cases.why_none_opens)

    # exporting -----------------------------------------------------------------------------------

    def _open_export(self) -> None:
        sheets = (
            (
                words,
                partial(self._ask_file, sheet)
                if sheet is not Sheet.DISAGREEMENTS or self._sees_cases
                else None,
            )
            for sheet, words in SHEET_WORDS.items()
        )
        open_choices(self._export, "export-menu", (*sheets, ("", None), (tr("Copy the table"), self._copy)))

    def _copy(self) -> None:
        self._fields.copy_all()
        self._notice.show_message(tr("Table copied to the clipboard."), tone=Tone.OK)

    def _ask_file(self, sheet: Sheet, _: bool = False) -> None:
        kinds = tr("CSV (*.csv);;JSON (*.json)") if sheet is Sheet.RATINGS else tr("CSV (*.csv)")
        ask_file(
            self._export,
            tr("Export"),
            f"{sheet.value}.csv",
            kinds,
            saves=True,
            fileSelected=partial(self.export, sheet),
        )

    def export(self, sheet: Sheet, file: str) -> None:
        """Write one of the tables into a file, and say so; ratings as CSV or JSON by its ending."""
        measured, path = self._measured, Path(file)
        if measured is None:
            return
        said, failed = partial(self._say_exported, path), self._notice.show_error
        if sheet is Sheet.RATINGS:
            self._operations.run(
                partial(write_ratings, target=path, where=measured.part),
                then=said,
                failed=failed,
                origin=self,
            )
        else:
            # Outside the project: a file that cannot be written must not look as if the project were lost.
            self._operations.run_outside(
                partial(replace_text, path, self._text_of(sheet, measured)), then=said, failed=failed
            )

    def _say_exported(self, path: Path, ratings: int | None) -> None:
        words = (
            tr("Exported.")
            if ratings is None
            else tr("{rating} exported.", rating=tr_count(ratings, "rating"))
        )
        self._notice.show_message(words, str(path), tone=Tone.OK)

    def _text_of(self, sheet: Sheet, measured: SliceAgreement) -> str:
        return {
            Sheet.COEFFICIENTS: partial(coefficients_csv, measured.table),
            Sheet.DIAGNOSIS: partial(diagnosis_csv, measured.diagnosis),
            Sheet.PAIRS: partial(pairs_csv, measured.table),
            Sheet.TREND: partial(trend_csv, measured.trends),
            Sheet.DISAGREEMENTS: partial(disagreements_csv, self._cases.found if self._sees_cases else ()),
            Sheet.EXPERTS: partial(experts_csv, measured.experts),
            Sheet.STAGES: partial(stages_csv, {**self._accuracy.overall, **self._accuracy.curves}),
        }[sheet]()


ALL = ""
_OUTCOME_WORDS = {
    Stage.APPROVED: tr("Went to approved"),
    Stage.ESCALATED: tr("Went to escalated"),
    Stage.RETURNED: tr("Went to returned"),
}


class SliceBar(QObject):
    """Holds the chips; says when another slice was chosen."""

    chosen = Signal()

    def __init__(self, parent: QObject, **properties: Any) -> None:
        build(super().__init__, parent, **properties)
        tell = self._tell
        self._batch = ChoiceChip("agreement-batch", tr("Batch"), [(ALL, tr("All batches"))], chosen=tell)
        self._stage = ChoiceChip(
            "agreement-stage",
            tr("Stage"),
            [(ALL, tr("Whole cross-check")), *[(stage.value, _OUTCOME_WORDS[stage]) for stage in OUTCOMES]],
            toolTip=tr("Stage: where the case went after the round"),
            chosen=tell,
        )
        self._person = ChoiceChip("agreement-person", tr("Person"), [(ALL, tr("Everybody"))], chosen=tell)
        self._second = ChoiceChip(
            "agreement-second", tr("And"), [(ALL, tr("and all others"))], chosen=tell, visible=False
        )
        policies = [(policy.value, POLICY[policy]) for policy in Policy]
        policies = [(ALL, tr("All policies")), *policies]
        self._policy = ChoiceChip("agreement-policy", tr("Policy"), policies, chosen=tell)
        self._week = ChoiceChip(
            "agreement-week", tr("Week"), [(ALL, tr("All weeks"))], chosen=tell, visible=False
        )
        self._people: tuple[str, ...] = ()

    @property
    def chips(self) -> tuple[ChoiceChip, ...]:
        """The chips from left to right."""
        return self._batch, self._stage, self._person, self._second, self._policy, self._week

    @property
    def part(self) -> AgreementSlice:
        """What is chosen."""
        person, second = self._person.value, self._second.value
        since, until = week_span(self._week.value) if self._week.value else (None, None)
        return AgreementSlice(
            pair=(person, second) if person and second else (),
            person="" if second else person,
            batch=self._batch.value,
            policy=Policy(self._policy.value) if self._policy.value else None,
            outcome=Stage(self._stage.value) if self._stage.value else None,
            since=since,
            until=until,
        )

    def offer(self, choices: Choices, *, only: str | None) -> None:
        """Offer other batches and people; of the people only one where `only` names them."""
        self._people = tuple(sorted(choices.people, key=name_key))
        named = [name for name in self._people if only in (None, name)]
        self._batch.set_choices([(ALL, tr("All batches")), *((name, name) for name in choices.batches)])
        self._person.set_choices([(ALL, tr("Everybody")), *((name, name) for name in named)])
        self._offer_second()

    def offer_weeks(self, measured: SliceAgreement) -> None:
        """Offer the weeks of a trend, of which the page finds out later."""
        weeks = [point.label for point in measured.trends.get(TrendStep.WEEK, ())]
        self._week.set_choices(
            [(ALL, tr("All weeks")), *((week, tr("Week {week}", week=week)) for week in weeks)]
        )
        self._week.setVisible(len(weeks) > 1)

    def choose_point(self, step: TrendStep, label: str) -> None:
        """Ask about one batch, or one week."""
        (self._week if step is TrendStep.WEEK else self._batch).choose(label)
        self._tell()

    def choose_people(self, person: str, second: str = ALL) -> None:
        """Ask about one rater, or about two."""
        self._person.choose(person)
        self._offer_second()
        self._second.choose(second)
        self._tell()

    def clear(self) -> None:
        """Ask about everything."""
        for chip in self.chips:
            chip.choose(ALL)
        self._tell()

    def _tell(self) -> None:
        self._offer_second()
        self.chosen.emit()

    def _offer_second(self) -> None:
        others = [name for name in self._people if name != self._person.value]
        self._second.set_choices(
            [(ALL, tr("and all others")), *((name, tr("and {name}", name=name)) for name in others)]
        )
        if not self._person.value:
            self._second.choose(ALL)
        self._second.setVisible(bool(self._person.value))
