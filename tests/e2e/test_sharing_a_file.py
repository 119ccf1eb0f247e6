"""A project file that a window keeps open while commands come and go."""

from pathlib import Path

from annotator.project.people import add_person, list_people
from annotator.project.workspace import open_workspace
from scoring.model.taxonomy import Role
from tests.e2e.command import annotator


def test_opening_a_project_again_leaves_the_locks_of_an_open_one(tmp_path: Path) -> None:
    place = tmp_path / "p.db"
    assert annotator("init", place, "--as", "max").code == 0
    kept = open_workspace(str(place), "max")
    try:
        list_people(kept)
        open_workspace(str(place), "max").close()
        # The command is the last to close the file only where our lock is gone; then it takes the log away.
        assert annotator("user", "list", "-p", place, "--json").code == 0
        assert Path(f"{place}-wal").exists()
        add_person(kept, "ann", roles=[Role.ANNOTATOR])
    finally:
        kept.close()
    people = annotator("user", "list", "-p", place, "--json").rows
    assert [one["name"] for one in people] == ["ann", "max"]
