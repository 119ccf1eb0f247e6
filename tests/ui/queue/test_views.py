"""Views of the queue: values that narrow the list, and are kept by name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.review.queue.case_rows import CaseFilter
from scoring.model.taxonomy import Information, Policy, Stage
from ui.queue.views import MINE, MY_DAY, UNLABELLED, FilterDimension, QueueView, chip_words, read_views

labels = st.sampled_from([*(policy.value for policy in Policy), UNLABELLED])
views = st.builds(
    QueueView,
    stages=st.lists(st.sampled_from(Stage), unique=True).map(tuple),
    batch=st.text(max_size=5),
    policies=st.lists(st.sampled_from([*Policy, UNLABELLED]), unique=True).map(
        lambda found: tuple(map(str, found))
    ),
    informations=st.lists(st.sampled_from([one.value for one in Information]), unique=True).map(tuple),
    owner=st.text(max_size=5),
    text=st.text(max_size=5),
    order=st.sampled_from(["case", "-changed"]),
)


@given(views)
def test_a_kept_view_is_read_back_as_it_was(view: QueueView) -> None:
    assert read_views({"mine": view.model_dump(mode="json", exclude_defaults=True)}) == {"mine": view}


@given(views, st.sampled_from(FilterDimension))
def test_clearing_a_dimension_leaves_nothing_chosen_in_it(
    view: QueueView, dimension: FilterDimension
) -> None:
    assert view.choosing(dimension, ()).chosen(dimension) == ()


@given(views, st.sampled_from([FilterDimension.STAGE, FilterDimension.POLICY, FilterDimension.INFORMATION]))
def test_choosing_what_is_chosen_changes_nothing(view: QueueView, dimension: FilterDimension) -> None:
    assert view.choosing(dimension, view.chosen(dimension)) == view


def test_a_view_nobody_can_read_is_left_out() -> None:
    assert read_views({"broken": {"stages": ["nowhere"]}, "fine": {"batch": "07"}}) == {
        "fine": QueueView(batch="07")
    }


def test_mine_means_whoever_looks() -> None:
    assert MY_DAY.case_filter(7) == CaseFilter(mine_id=7)
    assert MY_DAY.chosen(FilterDimension.OWNER) == (MINE,)


def test_a_person_among_owners_is_no_longer_mine() -> None:
    assert MY_DAY.choosing(FilterDimension.OWNER, ("ben",)) == QueueView(owner="ben")


@pytest.mark.parametrize(
    ("view", "dimension", "words"),
    [
        (QueueView(), FilterDimension.STAGE, "Stage"),
        (QueueView(batch="07"), FilterDimension.BATCH, "Batch: 07"),
        (QueueView(policies=("single", UNLABELLED)), FilterDimension.POLICY, "Policy: Single, Not labelled"),
        (QueueView(informations=("long_range",)), FilterDimension.INFORMATION, "Information: Long range"),
    ],
)
def test_a_chip_says_what_was_chosen(view: QueueView, dimension: FilterDimension, words: str) -> None:
    assert chip_words(view, dimension) == words
