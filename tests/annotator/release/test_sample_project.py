"""The scripted team of the sample project does what its script says."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from annotator.cases.access import show_case
from annotator.jobs import JobContext
from annotator.project.people import login_name
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.sample_project import (
    CHINESE_CASE,
    EXPERT,
    FIRST_CASE,
    OWNER,
    REVIEWERS,
    make_sample,
    read_script,
)
from annotator.review.queue.case_rows import CaseFilter, list_cases
from annotator.review.queue.claims import claim_next, leave
from scoring.model.labels import compare, labels_of
from scoring.model.taxonomy import Stage
from tests.annotator.team import feedback_for_me


@pytest.fixture(scope="module")
def walked(released_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """The sample project at its end."""
    folder = tmp_path_factory.mktemp("walked")
    workspace = open_workspace(str(shutil.copy(released_sample / "sample.db", folder)), "founder")
    yield workspace
    workspace.close()


def test_everybody_is_told_what_the_scripted_expert_tells_them(walked: Workspace) -> None:
    names = dict(zip(("owner", "reviewer 1", "reviewer 2"), (OWNER, *REVIEWERS), strict=True))
    lines = [(line.case, item) for line in read_script().expert for item in line.feedback]
    for to, name in names.items():
        person = walked.as_person(name)
        told = {(row.case_id, row.category, row.note, row.sender) for row in feedback_for_me(person)}
        person.close()
        assert told == {(case, item.category, item.note, EXPERT) for case, item in lines if item.to == to}


def test_what_the_scripted_expert_decides_stands_in_the_final_cases(walked: Workspace) -> None:
    for line in read_script().expert:
        final = show_case(walked, line.case)
        drawn = [labels.model_copy(update={"drawn": True}) for labels in labels_of(final)]
        labels = {field.id: field.values[0] for field in compare(final, [drawn])}
        assert {name: labels.get(name) for name in line.fields} == dict(line.fields), line.case


def test_whoever_opens_it_is_handed_english_cases_to_check(tmp_path: Path) -> None:
    place = tmp_path / "sample.db"
    make_sample(place, context=JobContext())
    workspace = open_workspace(str(place), login_name())
    first, second = list_cases(workspace, CaseFilter(order="-changed"))[:2]
    assert (first.case_id, second.case_id) == (FIRST_CASE, CHINESE_CASE)
    assert show_case(workspace, CHINESE_CASE).language == "zh"
    handed = []
    while (held := claim_next(workspace, stage=Stage.SELF_CHECK_TASK).value) is not None:
        handed.append(held.case_id)
        assert show_case(workspace, held.case_id).language == "en"
        leave(workspace, held.id, skip=True, reason="looked at")
    workspace.close()
    assert handed == [
        "sample-11-allotment",
        "sample-12-wardrobe-move",
        "sample-13-momo-at-the-vet",
        "sample-14-festival-shifts",
        "sample-15-printers-down",
        "sample-16-paper-moons",
    ]
