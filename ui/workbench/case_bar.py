"""The line above a case: which one it is, at which stage, and how long one has been at it."""

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from annotator.project.policy import ReviewPolicy
from scoring.model.case import Case
from scoring.model.taxonomy import Stage
from ui.theme import Chip, ElidedLabel, TextLabel, Tone, theme
from ui.theme.stepper import Station, Stepper, stations
from ui.theme.words import STAGE, counted
from ui.workbench.activity import clock_words

_HEIGHT = 44
_ID_WIDTH = 260


def stage_stations(stage: Stage, policy: ReviewPolicy) -> tuple[Station, ...]:
    """The stages a case passes under a policy, and where it is."""
    path = [Stage.IMPORTED, Stage.SELF_CHECK_TASK, Stage.SELF_CHECK_DIALOGUE]
    if policy.has_cross_check:
        path.append(Stage.CROSS_CHECK)
    if policy.has_expert_sample or policy.has_cross_check:
        path.append(Stage.EXPERT)
    path.append(Stage.FINAL)
    if stage is Stage.APPROVED:
        path.insert(path.index(Stage.CROSS_CHECK) + 1 if policy.has_cross_check else -1, stage)
    elif stage is Stage.ESCALATED:
        path = [*(one for one in path[:-1] if one is not Stage.EXPERT), stage, Stage.FINAL]
    elif stage is Stage.RELEASED:
        path.append(stage)
    elif stage is Stage.REJECTED:
        path[-1] = stage
    now = path.index(stage) if stage in path else 1
    return stations([STAGE[one] for one in path], now)


class CaseBar(QFrame):
    """Id, facts and chips at the left, the stages in the middle, the clock at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("case-bar")
        self.setProperty("look", "header")
        self.case_id = ElidedLabel("", "mono-strong", mode=Qt.TextElideMode.ElideMiddle)
        self.case_id.setObjectName("case-id")
        self._facts = ElidedLabel("", "small-muted")
        self._facts.setObjectName("case-facts")
        self.blind = Chip("blind", Tone.ACCENT)
        self.blind.setObjectName("case-blind")
        self.blind.setToolTip("You see the case without the labels and the drawing of its owner.")
        self.read_only = Chip("read only", Tone.NEUTRAL)
        self.read_only.setObjectName("case-read-only")
        self._round = Chip("", Tone.WARN)
        self._round.setObjectName("case-round")
        self.stepper = Stepper()
        self.stepper.setObjectName("case-stages")
        self._clock = TextLabel("", "small-muted")
        self._clock.setObjectName("case-clock")
        self._clock.setToolTip("Active time on this case; breaks do not count.")
        left, right = QWidget(), QWidget()
        facts = (self.case_id, self._facts, self.blind, self.read_only, self._round)
        for side, members in ((left, facts), (right, ())):
            row = QHBoxLayout(side)
            row.setContentsMargins(0, 0, 0, 0)
            row.setSpacing(theme().px(8))
            for member in members:
                row.addWidget(member)
            row.addStretch(1)
            side.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        right_row = right.layout()
        assert isinstance(right_row, QHBoxLayout)
        right_row.addWidget(self._clock)
        self.read_only.hide()
        self._row = QHBoxLayout(self)
        self._row.addWidget(left, 5)
        self._row.addWidget(self.stepper, 7)
        self._row.addWidget(right, 1)
        self._fit()

    def show_case(
        self, case: Case, *, batch: str, stage: Stage, round_: int, is_blind: bool, policy: ReviewPolicy
    ) -> None:
        """Show another case."""
        self.case_id.setText(case.id)
        self.case_id.setMinimumWidth(min(self.case_id.sizeHint().width(), theme().px(_ID_WIDTH)))
        self.show_facts(case, batch=batch)
        self.blind.setVisible(is_blind)
        self._round.set_chip(f"round {round_}", Tone.WARN)
        self._round.setVisible(round_ > 1)
        self.stepper.show_stations(stage_stations(stage, policy))

    def show_facts(self, case: Case, *, batch: str) -> None:
        """Show what there is to know about a case in one line."""
        now = case.now.raw if case.now else ""
        parts = (
            f"batch {batch}" if batch else "",
            counted(len(case.tools), "tool"),
            f"now {now}" if now else "",
        )
        self._facts.setText(" · ".join(part for part in parts if part))

    def show_read_only(self, reason: str) -> None:
        """Say that nobody can work on the case here, and why."""
        self.read_only.setToolTip(reason)
        self.read_only.show()

    def show_seconds(self, seconds: float) -> None:
        """Show the active time."""
        self._clock.setText(clock_words(seconds))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self._fit()

    def _fit(self) -> None:
        look = theme()
        self.setFixedHeight(look.px(_HEIGHT))
        self._row.setContentsMargins(look.px(16), 0, look.px(16), 0)
        self._row.setSpacing(look.px(12))
