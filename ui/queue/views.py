"""What the queue shows, as values: one view is a set of filters and an order."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from annotator.review.queue.case_rows import CaseFilter
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import EXPERT_STAGES, Priority, Stage
from scoring.texts import tr, with_commas
from ui.theme.words import FINDING, INFORMATION, POLICY_SHORT, PRIORITY, STAGE

UNLABELLED = ""
"""Stands for a task without the label, among policies and informations."""


class FilterDimension(StrEnum):
    """What cases can be narrowed by."""

    STAGE = "stage"
    BATCH = "batch"
    PRIORITY = "priority"
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
    priorities: tuple[Priority, ...] = ()
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
        chosen = {
            FilterDimension.STAGE: self.stages,
            FilterDimension.BATCH: (self.batch,) if self.batch else (),
            FilterDimension.PRIORITY: self.priorities,
            FilterDimension.POLICY: self.policies,
            FilterDimension.INFORMATION: self.informations,
            FilterDimension.RULE: self.rules,
            FilterDimension.OWNER: (MINE,) if self.is_mine else (self.owner,) if self.owner else (),
        }
        return tuple(map(str, chosen[dimension]))

    def choosing(self, dimension: FilterDimension, values: Sequence[str]) -> "QueueView":
        """The same view with other values in one dimension; of batch and owner the last one counts."""
        last = values[-1] if values else ""
        changes: dict[FilterDimension, dict[str, object]] = {
            FilterDimension.STAGE: {"stages": tuple(values)},
            FilterDimension.BATCH: {"batch": last},
            FilterDimension.PRIORITY: {"priorities": tuple(values)},
            FilterDimension.POLICY: {"policies": tuple(values)},
            FilterDimension.INFORMATION: {"informations": tuple(values)},
            FilterDimension.RULE: {"rules": tuple(values)},
            FilterDimension.OWNER: {"is_mine": last == MINE, "owner": "" if last == MINE else last},
        }
        return QueueView.model_validate({**self.model_dump(), **changes[dimension]})

    def case_filter(self, person_id: int | None) -> CaseFilter:
        """The filter to ask the project for, with `is_mine` meaning this person."""
        return CaseFilter(
            stages=self.stages,
            policies=self.policies,
            informations=self.informations,
            rules=self.rules,
            owner=self.owner,
            batch=self.batch,
            priorities=self.priorities,
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
    FilterDimension.PRIORITY: tr("Priority"),
    FilterDimension.POLICY: tr("Policy"),
    FilterDimension.INFORMATION: tr("Information"),
    FilterDimension.RULE: tr("Findings"),
    FilterDimension.OWNER: tr("Owner"),
}


def value_words(dimension: FilterDimension, value: str) -> str:
    """How a value of a dimension is called on screen."""
    named: Mapping[FilterDimension, Mapping[Any, str]] = {
        FilterDimension.STAGE: STAGE,
        FilterDimension.PRIORITY: PRIORITY,
        FilterDimension.POLICY: POLICY_SHORT,
        FilterDimension.INFORMATION: INFORMATION,
        FilterDimension.RULE: FINDING,
    }
    return tr("Not labelled") if value == UNLABELLED else named.get(dimension, {}).get(value, value)


def chip_words(view: QueueView, dimension: FilterDimension) -> str:
    """What the chip of a dimension says: its title, or what was chosen."""
    values = view.chosen(dimension)
    if not values:
        return TITLES[dimension]
    return tr(
        "{name}: {words}",
        name=TITLES[dimension],
        words=with_commas(value_words(dimension, value) for value in values),
    )


def read_views(kept: Mapping[str, JsonObject]) -> dict[str, QueueView]:
    """Read kept views; one that an other version wrote and this one cannot read is left out."""
    views = {name: QueueView.readable(body) for name, body in kept.items()}
    return {name: view for name, view in views.items() if view is not None}
