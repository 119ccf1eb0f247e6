"""The card of a release, and its tables as the Hub and catalogues of data sets read them."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from annotator.cases.file_export import export_cases, write_file
from annotator.jobs import JobContext
from annotator.release.card import read_card
from annotator.release.freeze import freeze
from annotator.release.front_matter import front_part, how_made
from annotator.release.runs.evaluation import load_cases
from annotator.release.verification import verify_release
from annotator.review.policy_changes import change_review_policy
from scoring.errors import InputError
from scoring.model.case import Call
from scoring.model.taxonomy import FINAL_STAGES, CaseFormat, Information, Policy, WrittenFormat
from tests.annotator.team import Team, two_step_case
from tests.factories import answer, call, case, task

yaml = pytest.importorskip("yaml", reason="PyYAML comes with the tokenizers of the development packages")


@pytest.fixture
def release(team: Team, tmp_path: Path) -> Path:
    return _frozen(team, tmp_path / "r1")


def _frozen(team: Team, folder: Path, *, parquet: bool = False) -> Path:
    """Cases that differ wherever tables want equal rows: types of values, missing keys, languages.

    The third is one round of calls, which BFCL can hold, too.
    """
    change_review_policy(team["max"], ("solo=true",))
    first, second = two_step_case("c-1"), two_step_case("c-2")
    found = next(step for step in second.tasks[0].steps if isinstance(step, Call))
    changed = found.model_copy(update={"observation": [{"depot": 7}, None, "Hamar-7"]})
    odd = second.tasks[0].model_copy(
        update={"user": "Zażółć\u2028 🚀", "steps": (changed, *second.tasks[0].steps[1:])}
    )
    asked = task(
        call("findParcel", {"depot": "Hamar-7"}, number="P-881"),
        answer("It lies at Hamar-7."),
        user="Where is P-881?",
        policy=Policy.SINGLE,
        information=Information.FIRST,
    )
    third = case(asked, id="c-3", tools=first.tools)
    update = {"language": "no", "extras": {"n": 2**70}, "tasks": (odd,)}
    team.bring(first, second.model_copy(update=update), third)
    for case_id in ("c-1", "c-2", "c-3"):
        team.self_check("max", case_id)
    freeze(team["max"], "r1", directory=folder, context=JobContext(), parquet=parquet)
    return folder


def _front(folder: Path) -> Any:
    return yaml.safe_load(front_part((folder / "README.md").read_text("utf-8")).removesuffix("---\n"))


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def _told(row: dict[str, Any], line: dict[str, Any]) -> bool:
    """Whether a row says what a line says, nested values as JSON."""
    return all(value == line.get(key) or json.loads(value) == line.get(key) for key, value in row.items())


def test_every_configuration_of_the_front_matter_opens_with_equal_rows(release: Path) -> None:
    front = _front(release)
    assert [config["config_name"] for config in front["configs"]] == [
        "cases",
        "wildtoolbench",
        "c3bench",
        "openai",
    ]
    types = {"string": str, "int64": int, "bool": bool}
    for config, info in zip(front["configs"], front["dataset_info"], strict=True):
        features = {feature["name"]: types[feature["dtype"]] for feature in info["features"]}
        (found,) = config["data_files"]
        rows = _lines(release / found["path"])
        lines = _lines(release / f"{config['config_name']}.jsonl")
        assert info["splits"][0]["num_examples"] == len(rows) == len(lines) == 3
        for row, line in zip(rows, lines, strict=True):
            assert row.keys() == features.keys() == {*features, *line}
            assert all(value is None or type(value) is features[key] for key, value in row.items())
            assert _told(row, line)


def test_the_front_matter_tells_how_the_release_was_made(release: Path) -> None:
    front, about = _front(release), json.loads((release / "manifest.json").read_text())["about"]
    assert front["language"] == ["en", "no"]
    assert front["license"] == "unknown"
    own = front["annotator"]
    # One person worked alone: the policy's two reviewers and its samples did not take place.
    assert [own["policy"][name] for name in ("solo", "cross_check", "expert_sample")] == [True] * 3
    assert own["how_made"] == "Each case was checked by its owner."
    assert front["annotations_creators"] == ["other"]
    team = how_made({**own["policy"], "solo": False})
    assert team.endswith("settled what they contested; experts looked at random samples of each batch.")
    assert own["policy"] == about["policy"]
    assert own["stage_accuracy"] == about["stage_accuracy"]
    assert own["bound"] == about["quality"]["bound"]


@pytest.mark.parametrize("form", [None, *CaseFormat, *WrittenFormat])
def test_a_folder_gives_every_format_as_its_project_does(
    team: Team, release: Path, tmp_path: Path, form: CaseFormat | WrittenFormat | None
) -> None:
    of_folder, of_project = tmp_path / "of_folder", tmp_path / "of_project"
    written = write_file(load_cases(release), of_folder / "lines", format=form)
    assert written == export_cases(team["max"], of_project / "lines", format=form, stages=FINAL_STAGES)
    assert written.written == (1 if form is WrittenFormat.BFCL else 3)  # which has no two rounds in a task
    files, others = (
        sorted(path for path in one.rglob("*") if path.is_file()) for one in (of_folder, of_project)
    )
    assert [path.read_bytes() for path in files] == [path.read_bytes() for path in others]
    assert len(files) == 1 + (form is WrittenFormat.BFCL)
    assert all(path.stat().st_size for path in files)


def test_only_the_licence_of_a_card_is_its_owners(release: Path) -> None:
    assert read_card(release, licence="cc-by-4.0").licence == "cc-by-4.0"
    assert verify_release(release).problems == ()
    with pytest.raises(InputError, match="is no identifier of a licence"):
        read_card(release, licence="mine\npolicy: none")
    card = release / "README.md"
    whole = card.read_text("utf-8")
    card.write_text(whole.replace('- "agents"', '- "audio"'), "utf-8")
    (said,) = verify_release(release).problems
    assert said.startswith("README.md was changed in its front matter, the lines between --- at its top")
    card.write_text(whole.replace("# r1", "# r2"), "utf-8")
    assert verify_release(release).problems == ("README.md was changed: its checksum does not fit.",)
    card.write_text(whole.replace("license: cc-by-4.0\n", ""), "utf-8")
    assert "in its front matter" in verify_release(release).problems[0]


def test_the_checksum_to_publish_elsewhere_is_that_of_the_manifest(release: Path) -> None:
    told = hashlib.sha256((release / "manifest.json").read_bytes()).hexdigest()
    assert (release / "manifest.sha256").read_text() == f"{told}  manifest.json\n"
    (release / "manifest.sha256").unlink()
    assert verify_release(release).problems == (
        "manifest.sha256 is missing or not the checksum of manifest.json.",
    )


def test_the_description_for_catalogues_fits_the_tables(release: Path) -> None:
    told = json.loads((release / "croissant.json").read_text("utf-8"))
    assert (told["@type"], told["conformsTo"]) == ("sc:Dataset", "http://mlcommons.org/croissant/1.0")
    files = {file["@id"]: file for file in told["distribution"]}
    for name, file in files.items():
        assert file["sha256"] == hashlib.sha256((release / name).read_bytes()).hexdigest()
    for records in told["recordSet"]:
        fields = {field["source"]["extract"]["column"]: field for field in records["field"]}
        (name,) = {field["source"]["fileObject"]["@id"] for field in fields.values()}
        assert fields.keys() == _lines(release / name)[0].keys()
        assert {field["@id"] for field in fields.values()} == {
            f"{records['@id']}/{column}" for column in fields
        }


@pytest.mark.parametrize("parquet", [False, True])
def test_datasets_opens_every_configuration(team: Team, tmp_path: Path, parquet: bool) -> None:
    datasets = pytest.importorskip(
        "datasets", reason="2026-11-27: needs datasets, which nothing here installs"
    )
    folder = _frozen(team, tmp_path / "r1", parquet=parquet)
    assert verify_release(folder).problems == ()
    names = datasets.get_dataset_config_names(str(folder))
    assert names == ["cases", "wildtoolbench", "c3bench", "openai"]
    for name in names:
        rows = datasets.load_dataset(str(folder), name, split="test", cache_dir=str(tmp_path / "cache"))
        pairs = zip(rows, _lines(folder / f"{name}.jsonl"), strict=True)
        assert all(_told(row, line) for row, line in pairs)
