"""The pages about a project: its figures, no name of a person, and a dialogue only where it is asked for."""

import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from annotator.cases.access import show_case
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.people import list_people
from annotator.project.workspace import Workspace, open_workspace
from annotator.release import project_site
from annotator.release.project_site import write_site
from annotator.release.runs.evaluation import load_cases
from annotator.resources import resource_path
from scoring.errors import ForbiddenError
from scoring.model.case import Case
from tests.annotator.release.reports.test_chinese_tables import english

_KEPT = re.compile(r"samples(-1)?|Sample project|sample-\d\d[\w-]*|\balpha\b|\bn\b")
"""Names of the project, its batch, release and cases, and signs of statistics."""


@pytest.fixture
def released(released_sample: Path, tmp_path: Path) -> Iterator[Workspace]:
    place = shutil.copy(released_sample / "sample.db", tmp_path / "copy.db")
    workspace = open_workspace(str(place), "expert-1")
    yield workspace
    workspace.close()


def _requests() -> list[str]:
    """Every request of the samples."""
    cases = load_cases(resource_path("samples", "cases.jsonl"))
    return [task.user for case in cases for task in case.tasks]


def _text(page: Path) -> str:
    return unescape(page.read_text(encoding="utf-8"))


def test_the_page_says_how_far_and_how_right_the_project_is(released: Workspace, tmp_path: Path) -> None:
    [page] = write_site(released, tmp_path / "site", context=JobContext())
    text = _text(page)
    assert page == tmp_path / "site" / "index.html"
    assert "<td>released</td><td>16</td><td>100.00</td>" in text
    assert "Nearly always “yes”: 2 of 59 differ." in text
    assert "<td>all lengths</td><td>36</td><td>340</td>" in text
    assert "<td>Stage accuracy</td><td>cross check</td><td>93.8</td><td>71.7 to 98.9</td>" in text
    assert 'aria-label="How right the cases are."' in text
    assert "Planted defects caught" not in text  # that is said person by person
    for elsewhere in ("<script", "<link", "src="):
        assert elsewhere not in text


def test_nobody_is_named_and_no_dialogue_told_unless_it_is_asked_for(
    released: Workspace, tmp_path: Path
) -> None:
    [page] = write_site(released, tmp_path / "site", context=JobContext())
    text = _text(page)
    assert [one.name for one in list_people(released) if one.name in text] == []
    assert [request for request in _requests() if request in text] == []
    pages = write_site(released, tmp_path / "site", context=JobContext(), has_dialogues=True)
    assert [one.name for one in pages] == ["index.html", "dialogues.html"]
    told = _text(pages[1])
    assert told.count("<details") == 16
    assert sum(request in told for request in _requests()) > 50
    assert _text(pages[0]) == text


def test_a_dialogue_that_is_kept_from_the_person_is_left_out_and_not_named(
    released: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_back = "sample-03-library-card"

    def show(workspace: Workspace, case_id: str) -> Case:
        if case_id == kept_back:
            raise ForbiddenError("You work on a copy of it.")
        return show_case(workspace, case_id)

    monkeypatch.setattr(project_site, "show_case", show)
    told = _text(write_site(released, tmp_path / "site", context=JobContext(), has_dialogues=True)[1])
    assert told.count("<details") == 15
    assert kept_back not in told


@pytest.mark.usefixtures("said_in_chinese")
def test_no_cell_of_the_page_is_english_in_chinese(released: Workspace, tmp_path: Path) -> None:
    [page] = write_site(released, tmp_path / "site", context=JobContext())
    cells = {unescape(cell) for cell in re.findall(r"<t[dh][^>]*>([^<]*)<", page.read_text(encoding="utf-8"))}
    assert {"已发布", "自检（任务）", "策略", "说明"} <= cells
    assert not sorted(cell for cell in cells if english(_KEPT.sub("", cell)))


def test_a_project_without_a_case_has_a_page_too(tmp_path: Path) -> None:
    workspace = create_workspace(str(tmp_path / "new.db"), name="<New>", person="max")
    [page] = write_site(workspace, tmp_path / "site", context=JobContext())
    text = _text(page)
    workspace.close()
    assert "<h1><New></h1>" in text
    assert "Nobody judged what somebody else did." in text
