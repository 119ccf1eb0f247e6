"""The whole picture of quality: every part has its lines, and says why a figure is missing."""

import csv
import io
import shutil
import threading
from pathlib import Path

import pytest

from annotator.jobs import JobCancelled, JobContext
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.quality_table import QualityLine, Topic, quality_table, save_quality, table_csv
from annotator.review.measures.progress import stage_report
from scoring.errors import NotFoundError, StoreError
from tests.annotator.team import Team


@pytest.fixture(scope="module")
def released(released_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The sample project, released and with two scored runs."""
    folder = tmp_path_factory.mktemp("quality")
    return open_workspace(str(shutil.copy(released_sample / "sample.db", folder)), "expert-1")


def _lines(workspace: Workspace, topic: Topic) -> list[QualityLine]:
    return [one for one in quality_table(workspace, context=JobContext()) if one.topic is topic]


def test_a_released_project_has_lines_about_everything(released: Workspace) -> None:
    lines = quality_table(released, context=JobContext(), release="samples-1")
    assert {one.topic for one in lines} == set(Topic)
    curve = stage_report(released).curve
    assert [(one.value, one.low, one.n) for one in lines if one.topic is Topic.STAGE] == [
        (point.accuracy, point.low, point.total) for point in curve
    ]


def test_what_is_not_known_has_no_figure_and_says_why(released: Workspace) -> None:
    (bound,) = _lines(released, Topic.BOUND)
    assert bound.value is None
    assert bound.note.startswith("Nothing is known")
    (attention,) = _lines(released, Topic.ATTENTION)
    assert (attention.value, attention.note) == (None, "Not measured: known-answer cases are off.")


def test_a_project_without_releases_and_judgments_is_told_of_too(team: Team) -> None:
    lines = quality_table(team["max"], context=JobContext())
    assert [one.what for one in lines if one.topic is Topic.BOUND] == ["cases of the project"]
    assert not any(one.topic is Topic.ERRATA for one in lines)
    assert all(one.value is None for one in lines)


def test_a_release_nobody_froze_is_refused(released: Workspace) -> None:
    with pytest.raises(NotFoundError, match="no release 'other'"):
        quality_table(released, context=JobContext(), release="other")


def test_gathering_can_be_cancelled(released: Workspace) -> None:
    cancel = threading.Event()
    cancel.set()
    context = JobContext(cancel=cancel)
    with pytest.raises(JobCancelled):
        quality_table(released, context=context)


def test_table_and_pictures_are_written(released: Workspace, tmp_path: Path) -> None:
    lines = quality_table(released, context=JobContext())
    table, drawn = tmp_path / "quality.csv", tmp_path / "quality.png"
    save_quality(lines, table=table, figure=drawn)
    save_quality(lines, figure=tmp_path / "quality.svg")
    rows = list(csv.DictReader(io.StringIO(table.read_text())))
    assert [row["topic"] for row in rows] == [one.topic.value for one in lines]
    assert drawn.read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (tmp_path / "quality.svg").read_text()


def test_a_picture_without_any_figure_is_empty_and_no_error(tmp_path: Path) -> None:
    nothing = QualityLine(topic=Topic.ERRATA, what="cases", n=0)
    save_quality((nothing,), figure=tmp_path / "quality.png")
    assert (tmp_path / "quality.png").stat().st_size > 0


def test_a_file_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError):
        save_quality((), table=tmp_path / "file" / "quality.csv")


def test_a_note_that_looks_like_a_formula_is_no_formula() -> None:
    assert "'=1+1" in table_csv([QualityLine(topic=Topic.KEPT, what="c-1", note="=1+1")])
