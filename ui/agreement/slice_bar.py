"""The chips above the page that choose which part of the judgments is measured."""

from PySide6.QtCore import QObject, Signal

from annotator.review.measures.rater_agreement import OUTCOMES, AgreementSlice
from annotator.review.measures.trends import TrendStep
from scoring.model.taxonomy import Policy, Stage
from ui.agreement.agreement_jobs import Choices, Measured, week_span
from ui.theme.buttons import ChoiceChip
from ui.theme.words import POLICY

ALL = ""
_OUTCOME_WORDS = {
    Stage.APPROVED: "Went to approved",
    Stage.ESCALATED: "Went to escalated",
    Stage.RETURNED: "Went to returned",
}


class SliceBar(QObject):
    """Holds the chips; says when another slice was chosen."""

    chosen = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._batch = ChoiceChip("agreement-batch", "Batch", [(ALL, "All batches")])
        outcomes = [(stage.value, _OUTCOME_WORDS[stage]) for stage in OUTCOMES]
        self._stage = ChoiceChip(
            "agreement-stage",
            "Stage",
            [(ALL, "Whole cross-check"), *outcomes],
            toolTip="Stage: where the case went after the round",
        )
        self._person = ChoiceChip("agreement-person", "Person", [(ALL, "Everybody")])
        self._second = ChoiceChip("agreement-second", "And", [(ALL, "and all others")])
        policies = [(policy.value, POLICY[policy]) for policy in Policy]
        self._policy = ChoiceChip("agreement-policy", "Policy", [(ALL, "All policies"), *policies])
        self._week = ChoiceChip("agreement-week", "Week", [(ALL, "All weeks")])
        self._people: tuple[str, ...] = ()
        for chip in self.chips:
            chip.chosen.connect(self._tell)
        self._second.hide()
        self._week.hide()

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
        self._people = choices.people
        named = [name for name in choices.people if only in (None, name)]
        self._batch.set_choices([(ALL, "All batches"), *((name, name) for name in choices.batches)])
        self._person.set_choices([(ALL, "Everybody"), *((name, name) for name in named)])
        self._offer_second()

    def offer_weeks(self, measured: Measured) -> None:
        """Offer the weeks of a trend, of which the page finds out later."""
        weeks = [point.label for point in measured.trends.get(TrendStep.WEEK, ())]
        self._week.set_choices([(ALL, "All weeks"), *((week, f"Week {week}") for week in weeks)])
        self._week.setVisible(len(weeks) > 1)

    def choose_batch(self, batch: str) -> None:
        """Ask about one batch."""
        self._batch.choose(batch)
        self._tell()

    def choose_week(self, week: str) -> None:
        """Ask about one week."""
        self._week.choose(week)
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
        self._second.set_choices([(ALL, "and all others"), *((name, f"and {name}") for name in others)])
        if not self._person.value:
            self._second.choose(ALL)
        self._second.setVisible(bool(self._person.value))
