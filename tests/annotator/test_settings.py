"""A person's settings: kept whole, brought up to date, and never in the way of starting."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from annotator.files import settings_path
from annotator.settings import (
    RECENT_COUNT,
    ColourScheme,
    Density,
    Settings,
    load_settings,
    save_settings,
    with_project,
    without_project,
)
from scoring.errors import StoreError
from scoring.model.record import JsonObject

_texts = st.text(max_size=20)
_settings = st.builds(
    Settings,
    theme=st.sampled_from(ColourScheme),
    scale=st.floats(1, 2),
    density=st.sampled_from(Density),
    recent_projects=st.lists(_texts, max_size=3).map(tuple),
    last_project=st.none() | _texts,
    splitters=st.dictionaries(_texts, st.lists(st.integers(0, 4000), max_size=3).map(tuple), max_size=3),
    profile=_texts,
    profiles=st.dictionaries(_texts, st.dictionaries(_texts, _texts, max_size=3), max_size=3),
    people=st.dictionaries(_texts, _texts, max_size=3),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A settings file that does not exist yet, in a folder that does not either."""
    return tmp_path / "annotator" / "settings.json"


@hypothesis_settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chosen=_settings)
def test_what_was_saved_is_read_again(path: Path, chosen: Settings) -> None:
    save_settings(chosen, path)
    assert load_settings(path).settings == chosen


def test_without_a_file_the_defaults_are_used_silently(path: Path) -> None:
    loaded = load_settings(path)
    assert (loaded.settings, loaded.message) == (Settings(), "")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"7",
        b"\xff\xfe",
        b'{"version": "one"}',
        b'{"version": 0}',
        b'{"version": 1, "scale": 9}',
        b'{"version": 1, "colour": "red"}',
        b'{"theme": "dark"}',
        b"[" * 100_000,
    ],
)
def test_a_damaged_file_is_set_aside_and_said_so(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    loaded = load_settings(path)
    kept = next(path.parent.iterdir())
    assert loaded.settings == Settings()
    assert kept.name in loaded.message
    assert kept.read_bytes() == content


def test_settings_of_a_newer_program_are_kept_for_it(path: Path) -> None:
    save_settings(Settings(theme=ColourScheme.DARK), path, version=3)
    loaded = load_settings(path)
    assert "newer version" in loaded.message
    assert json.loads(next(path.parent.iterdir()).read_text())["theme"] == "dark"


def test_an_older_file_goes_through_every_migrator_after_its_version(path: Path) -> None:
    """A file of version 1, where the theme was called `colours` and the scale was a percentage."""
    path.parent.mkdir()
    path.write_text(json.dumps({"version": 1, "colours": "dark", "scale": 150}))

    def rename(body: JsonObject) -> JsonObject:
        return {"theme": body["colours"], "scale": body["scale"]}

    def divide(body: JsonObject) -> JsonObject:
        assert isinstance(body["scale"], int)
        return body | {"scale": body["scale"] / 100}

    loaded = load_settings(path, migrators=(rename, divide))
    assert loaded.settings == Settings(theme=ColourScheme.DARK, scale=1.5)


def test_saving_leaves_no_other_file(path: Path) -> None:
    save_settings(Settings(), path)
    save_settings(Settings(), path)
    assert [file.name for file in path.parent.iterdir()] == ["settings.json"]


def test_settings_that_cannot_be_saved_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreError, match="cannot be saved"):
        save_settings(Settings(), tmp_path / "file" / "settings.json")


def test_an_opened_project_moves_to_the_front(tmp_path: Path) -> None:
    first, second = str(tmp_path / "first.db"), str(tmp_path / "second.db")
    chosen = Settings()
    for project in (first, second, first):
        chosen = with_project(chosen, project, person="anna")
    assert chosen.recent_projects == (first, second)
    assert chosen.last_project == first
    assert chosen.people == {first: "anna", second: "anna"}


def test_only_the_newest_projects_are_remembered(tmp_path: Path) -> None:
    chosen = Settings()
    for number in range(RECENT_COUNT + 3):
        chosen = with_project(chosen, str(tmp_path / f"{number}.db"))
    assert len(chosen.recent_projects) == RECENT_COUNT


def test_a_password_in_a_url_is_never_kept() -> None:
    chosen = with_project(Settings(), "postgresql://anna:hush@db.example/team", person="anna")
    assert "hush" not in chosen.model_dump_json()


def test_a_project_that_is_gone_can_be_forgotten(tmp_path: Path) -> None:
    project = str(tmp_path / "team.db")
    assert without_project(with_project(Settings(), project, person="anna"), project) == Settings()


def test_the_tests_never_touch_the_settings_of_whoever_runs_them() -> None:
    assert "annotator-tests" in str(settings_path())


def test_shortcuts_chosen_before_there_were_profiles_become_one(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"version": 1, "shortcuts": {"queue.next": "J"}}), encoding="utf-8")
    loaded = load_settings(path)
    assert loaded.message == ""
    assert (loaded.settings.profile, loaded.settings.profiles) == (
        "My keys",
        {"My keys": {"queue.next": "J"}},
    )


def test_settings_without_chosen_shortcuts_stay_on_the_default_ones(path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"version": 1, "shortcuts": {}}), encoding="utf-8")
    assert load_settings(path).settings == Settings()
