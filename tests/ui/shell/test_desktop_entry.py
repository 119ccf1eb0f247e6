"""The menu entry and the file type: what a desktop does with a project file opens that project."""

import configparser
import shlex
import sqlite3
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from annotator.resources import resource_path
from tests.e2e.command import annotator
from ui.cli import main


def test_the_entry_opens_the_file_it_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[tuple[str | None, ...]] = []

    def open_window(*asked: str | None) -> int:
        opened.append(asked)
        return 0

    monkeypatch.setattr(main, "open_window", open_window)
    monkeypatch.delenv("ANNOTATOR_USER", raising=False)
    monkeypatch.delenv("ANNOTATOR_PROJECT", raising=False)
    entry = configparser.ConfigParser(interpolation=None)
    entry.optionxform = str  # type: ignore[assignment, method-assign]
    entry.read(resource_path("desktop", "annotator.desktop"), encoding="utf-8")
    program, *words = shlex.split(entry["Desktop Entry"]["Exec"])
    project = tmp_path / "team.db"
    project.touch()
    assert program == "annotator"
    for file in (project, None):  # from a file, and from the menu
        given = [str(file) if word == "%f" else word for word in words if file or word != "%f"]
        assert main.exit_code(given) == 0
    assert opened == [(str(project), None), (None, None)]


def test_what_names_no_file_is_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.exit_code(["team.db"]) == 2
    assert "team.db" in capsys.readouterr().err


def test_the_type_knows_a_project_from_any_other_database(tmp_path: Path) -> None:
    annotator("init", tmp_path / "team.db")
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE t (x)").connection.close()
    space = {"m": "http://www.freedesktop.org/standards/shared-mime-info"}
    tree = ET.parse(resource_path("desktop", "annotator.xml"))
    (outer,) = tree.findall(".//m:magic/m:match", space)
    (inner,) = outer.findall("m:match", space)
    for name, fits in (("team.db", True), ("other.db", False)):
        head = (tmp_path / name).read_bytes()[:100]
        assert head.startswith(outer.attrib["value"].encode())
        at = int(inner.attrib["offset"])
        assert (head[at : at + 4] == int(inner.attrib["value"], 16).to_bytes(4)) is fits


def test_the_icon_is_a_picture() -> None:
    from PySide6.QtGui import QImage

    assert not QImage(str(resource_path("desktop", "annotator.svg"))).isNull()
