"""The file of defaults: what it says counts where nothing was typed and no variable is set."""

from pathlib import Path

import pytest

from scoring.model.case import dump_case
from scoring.model.record import to_json
from tests.annotator.team import two_step_case
from tests.e2e.command import annotator
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.server import ScriptedModel


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two projects, `team.db` of max and `other.db` of eve."""
    for name, person in (("team.db", "max"), ("other.db", "eve")):
        assert annotator("init", tmp_path / name, "--as", person).code == 0
    return tmp_path


def names(folder: Path, *words: object, **environment: str) -> list[str]:
    """Who is in the project that a command in the folder works on."""
    ran = annotator("user", "list", "--json", *words, cwd=folder, **environment)
    assert ran.code == 0, ran.err
    return [person["name"] for person in ran.rows]


def test_the_file_beside_a_project_names_it_and_the_person(folder: Path) -> None:
    (folder / "annotator.toml").write_text('project = "team.db"\nperson = "max"\n')
    assert names(folder) == ["max"]
    assert names(folder, ANNOTATOR_PROJECT=str(folder / "other.db"), ANNOTATOR_USER="eve") == ["eve"]
    assert names(folder, "-p", "other.db", "--as", "eve") == ["eve"]


def test_the_users_folder_counts_where_there_is_no_file_here(folder: Path) -> None:
    place = folder / "config" / "annotator"
    place.mkdir(parents=True)
    (place / "annotator.toml").write_text(f'project = "{folder}/other.db"\nperson = "eve"\n')
    config = str(folder / "config")
    assert names(folder, XDG_CONFIG_HOME=config) == ["eve"]
    (folder / "annotator.toml").write_text('project = "team.db"\nperson = "max"\n')
    assert names(folder, XDG_CONFIG_HOME=config) == ["max"]


def test_a_run_takes_its_model_and_address_from_the_file(tmp_path: Path) -> None:
    case = two_step_case("c-1")
    (tmp_path / "cases.jsonl").write_text(to_json(dump_case(case)) + "\n")
    with ScriptedModel(script_of(perfect, [case])) as model:
        (tmp_path / "annotator.toml").write_text(f'model = "m"\nbase_url = "{model.base_url}"\n')
        ran = annotator("run", "cases.jsonl", "-o", "m.jsonl", "--json", cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.document["answered"] == 1


def test_an_endpoint_is_asked_through_the_proxy_of_the_environment(tmp_path: Path) -> None:
    case = two_step_case("c-1")
    (tmp_path / "cases.jsonl").write_text(to_json(dump_case(case)) + "\n")
    with ScriptedModel(script_of(perfect, [case])) as model:
        words = (
            "run",
            "cases.jsonl",
            "-o",
            "m.jsonl",
            "--model",
            "m",
            "--base-url",
            "http://model.invalid/v1",
        )
        proxy = model.base_url.removesuffix("/v1")
        ran = annotator(*words, "--json", cwd=tmp_path, HTTP_PROXY=proxy, http_proxy=proxy)
    assert ran.code == 0, ran.err
    assert ran.document["answered"] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("project =", "annotator.toml cannot be read"),
        ('api_key = "secret"\n', "says 'api_key', which is no default"),
        ("project = 3\n", "says 'project', which is no default"),
    ],
)
def test_a_file_that_cannot_be_followed_is_refused_by_name(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "annotator.toml").write_text(text)
    ran = annotator("user", "list", cwd=tmp_path)
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err
    assert (
        "project, person, base_url, model, models, lang" in ran.err or "Correct it, or remove it." in ran.err
    )
    assert "secret" not in ran.err
