"""What the queue shows, as values: one view is a set of filters and an order."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from pydantic import ValidationError

from annotator.review.queue.case_rows import CaseFilter
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import EXPERT_STAGES, Information, Policy, Stage
from scoring.texts import tr
from ui.theme.words import FINDING, INFORMATION, POLICY_SHORT, STAGE

UNLABELLED = ""
"""Stands for a task without the label, among policies and informations."""


class FilterDimension(StrEnum):
    """What cases can be narrowed by."""

    STAGE = "stage"
    BATCH = "batch"
    POLICY = "policy"
    INFORMATION = "information"
    RULE = "rule"
    OWNER = "owner"


MINE = "mine"
"""Among stages and owners: what the person owns or holds, whoever that is."""


class QueueView(Record):
    """Filters of the queue and its order; an empty field filters nothing.

    `policies` and `informations` may hold `UNLABELLED`. `order` is a column with a leading minus for
    descending. A kept view says `is_mine` instead of a person, so that it means whoever uses it.
    """

    stages: tuple[Stage, ...] = ()
    batch: str = ""
    policies: tuple[str, ...] = ()
    informations: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    owner: str = ""
    is_mine: bool = False
    text: str = ""
    order: str = "-changed"

    @property
    def is_everything(self) -> bool:
        """Whether nothing is left out."""
        return self == QueueView(order=self.order)

    def chosen(self, dimension: FilterDimension) -> tuple[str, ...]:
        """Values chosen in a dimension; empty where it filters nothing."""
        match dimension:
            case FilterDimension.STAGE:
                return tuple(stage.value for stage in self.stages)
            case FilterDimension.BATCH:
                return (self.batch,) if self.batch else ()
            case FilterDimension.POLICY:
                return self.policies
            case FilterDimension.INFORMATION:
                return self.informations
            case FilterDimension.RULE:
                return self.rules
            case FilterDimension.OWNER:
                return (MINE,) if self.is_mine else (self.owner,) if self.owner else ()

    def choosing(self, dimension: FilterDimension, values: Sequence[str]) -> "QueueView":
        """The same view with other values in one dimension; of batch and owner the last one counts."""
        last = values[-1] if values else ""
        match dimension:
            case FilterDimension.STAGE:
                change: dict[str, object] = {"stages": tuple(map(Stage, values))}
            case FilterDimension.BATCH:
                change = {"batch": last}
            case FilterDimension.POLICY:
                change = {"policies": tuple(values)}
            case FilterDimension.INFORMATION:
                change = {"informations": tuple(values)}
            case FilterDimension.RULE:
                change = {"rules": tuple(values)}
            case FilterDimension.OWNER:
                change = {"is_mine": last == MINE, "owner": "" if last == MINE else last}
        return self.model_copy(update=change)

    def case_filter(self, person_id: int | None) -> CaseFilter:
        """The filter to ask the project for, with `is_mine` meaning this person."""
        return CaseFilter(
            stages=self.stages,
            policies=self.policies,
            informations=self.informations,
            rules=self.rules,
            owner=self.owner,
            batch=self.batch,
            text=self.text.strip(),
            mine_id=person_id if self.is_mine else None,
            order=self.order,
        )


MY_DAY = QueueView(is_mine=True)
BUILT_IN: dict[str, QueueView] = {
    tr("My day"): MY_DAY,
    tr("Escalated"): QueueView(stages=EXPERT_STAGES),
    tr("Missing edges"): QueueView(rules=("graph.missing_edge",)),
    tr("Not labelled"): QueueView(policies=(UNLABELLED,)),
}
"""Views everybody has, by name."""

TITLES: Mapping[FilterDimension, str] = {
    FilterDimension.STAGE: tr("Stage"),
    FilterDimension.BATCH: tr("Batch"),
    FilterDimension.POLICY: tr("Policy"),
    FilterDimension.INFORMATION: tr("Information"),
    FilterDimension.RULE: tr("Findings"),
    FilterDimension.OWNER: tr("Owner"),
}


def value_words(dimension: FilterDimension, value: str) -> str:
    """How a value of a dimension is called on screen."""
    if value == UNLABELLED:
        return tr("Not labelled")
    match dimension:
        case FilterDimension.STAGE:
            return STAGE[Stage(value)]
        case FilterDimension.POLICY:
            return POLICY_SHORT[Policy(value)]
        case FilterDimension.INFORMATION:
            return INFORMATION[Information(value)]
        case FilterDimension.RULE:
            return FINDING.get(value, value)
        case _:
            return value


def chip_words(view: QueueView, dimension: FilterDimension) -> str:
    """What the chip of a dimension says: its title, or what was chosen."""
    values = view.chosen(dimension)
    if not values:
        return TITLES[dimension]
    return f"{TITLES[dimension]}: {', '.join(value_words(dimension, value) for value in values)}"


def read_views(kept: Mapping[str, JsonObject]) -> dict[str, QueueView]:
    """Read a person's own views; one that an other version wrote and this one cannot read is left out."""
    views = {}
    for name, body in kept.items():
        try:
            views[name] = QueueView.model_validate(body)
        except ValidationError:
            continue
    return views
