"""`annotator run` against a real endpoint on this computer: killed, interrupted, resumed, recorded."""

import json
import signal
import threading
from contextlib import closing
from pathlib import Path

import pytest

from annotator.project.workspace import open_workspace
from annotator.release.runs.evaluation import load_cases
from annotator.release.runs.recorded_runs import list_runs
from annotator.resources import resource_path
from scoring.model.case import dump_case
from scoring.model.record import to_json
from tests.e2e.command import annotator, annotator_process, interrupt_twice, started
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.asking import lines_of
from tests.scripted_model.server import Asked, Script, ScriptedModel, Sent, refused

SAMPLES = resource_path("samples", "cases.jsonl")
KEY = "sk-secret-0123456789"


@pytest.fixture(scope="module")
def script() -> Script:
    """The perfect agent over the bundled samples."""
    return script_of(perfect, load_cases(SAMPLES))


def command(model: ScriptedModel, out: Path, *more: object) -> list[object]:
    return ["run", SAMPLES, "--model", "m-1", "--base-url", model.base_url, "-o", out, *more]


def halting(script: Script, after: int) -> tuple[Script, threading.Event]:
    """A script that answers so many requests and then lets everybody wait; the event says it is so far."""
    reached = threading.Event()

    def answer(asked: Asked) -> Sent:
        sent = script(asked)
        if asked.number < after:
            return sent
        reached.set()
        return Sent(message=sent.message, delay_seconds=60)

    return answer, reached


def test_a_run_reports_one_json_document(script: Script, tmp_path: Path) -> None:
    with ScriptedModel(script) as model:
        ran = annotator(*command(model, tmp_path / "p.jsonl", "--json"))
    assert ran.code == 0, ran.err
    report = ran.document
    assert (report["total"], report["answered"], report["correct"]) == (56, 56, 56)
    assert report["accuracy"] == {"value": 1.0, "count": 56, "total": 56}
    assert report["is_finished"] is True


def test_a_killed_run_goes_on_without_asking_finished_tasks_again(script: Script, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    slow, reached = halting(script, after=40)
    with ScriptedModel(slow) as model, started(*command(model, out)) as process:
        assert reached.wait(120)
        process.kill()
        process.wait()
    whole = out.read_bytes()
    kept = lines_of(out)
    assert 0 < len(kept) < 56
    # A kill in the middle of a write leaves half a line.
    out.write_bytes(whole + whole.splitlines()[0][:50])
    with ScriptedModel(script) as model:
        ran = annotator(*command(model, out, "--json"))
        asked = len(model.asked)
    assert ran.document["resumed"] == len(kept)
    after = lines_of(out)
    assert len(after) == 56
    assert asked == sum(len(line["replies"]) for line in after) - sum(len(line["replies"]) for line in kept)


def test_ctrl_c_stops_between_replies_and_says_how_to_go_on(script: Script, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    reached = threading.Event()

    def slow(asked: Asked) -> Sent:
        if asked.number == 20:
            reached.set()
        return Sent(message=script(asked).message, delay_seconds=0.05)

    with ScriptedModel(slow) as model, started(*command(model, out)) as process:
        assert reached.wait(120)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
    assert process.returncode == 1
    assert "To continue, run the same command again." in told
    assert "Traceback" not in told
    assert f"{len(lines_of(out))} of 56 tasks answered in" in told


def test_a_second_ctrl_c_does_not_wait_for_the_endpoint(script: Script, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    stuck, reached = halting(script, after=20)
    with ScriptedModel(stuck) as model, started(*command(model, out)) as process:
        assert reached.wait(120)
        told = interrupt_twice(process)
    assert process.returncode == 1
    assert "Traceback" not in told
    assert all("error" not in line for line in lines_of(out))


def test_the_key_comes_from_the_named_variable_and_shows_nowhere(script: Script, tmp_path: Path) -> None:
    with ScriptedModel(lambda _: refused(401, f"Incorrect API key: {KEY}")) as model:
        ran = annotator(*command(model, tmp_path / "p.jsonl", "--api-key-env", "MY_KEY"), MY_KEY=KEY)
        assert model.asked[0].headers["authorization"] == f"Bearer {KEY}"
    assert (ran.code, ran.out) == (1, "")
    assert "Check the API key." in ran.err
    assert KEY not in ran.err + (tmp_path / "p.jsonl").read_text()


def test_a_recorded_run_is_in_the_project_once(script: Script, tmp_path: Path) -> None:
    project = tmp_path / "p.db"
    annotator("init", project, "--as", "max")
    with ScriptedModel(script) as model:
        call = command(model, tmp_path / "p.jsonl", "--protocol", "c3", "-p", project, "--json")
        first, again = annotator(*call), annotator(*call)
    assert first.code == 0, first.err
    assert first.document["run"] == again.document["run"] == 1
    assert KEY.encode() not in project.read_bytes()


def test_an_unfinished_run_is_not_recorded(script: Script, tmp_path: Path) -> None:
    project = tmp_path / "p.db"
    annotator("init", project, "--as", "max")
    with ScriptedModel(script) as model:
        call = command(model, tmp_path / "p.jsonl", "-p", project, "--budget-tokens", 1000, "--json")
        report = annotator(*call).document
    assert (report["is_over_budget"], report["run"]) == (True, None)


def test_a_run_with_nothing_to_ask_says_why(script: Script, tmp_path: Path) -> None:
    case = load_cases(SAMPLES)[0]
    bare = case.model_copy(
        update={"tasks": tuple(t.model_copy(update={"steps": (), "edges": ()}) for t in case.tasks)}
    )
    (tmp_path / "bare.jsonl").write_text(to_json(dump_case(bare)) + "\n")
    with ScriptedModel(script) as model:
        _, _, *options = command(model, tmp_path / "p.jsonl")
        ran = annotator("run", tmp_path / "bare.jsonl", *options)
        assert model.asked == []
    assert (ran.code, ran.out) == (1, "")
    assert f"None of {len(case.tasks)} tasks can be asked" in ran.err
    assert case.id in ran.err
    assert not (tmp_path / "p.jsonl").exists()


def test_a_run_into_standard_output_prints_its_predictions(script: Script, tmp_path: Path) -> None:
    with ScriptedModel(script) as model:
        ran = annotator_process(*command(model, Path("-")))
    assert ran.code == 0, ran.err
    assert len([json.loads(line) for line in ran.out.splitlines()]) == 56
    assert "56 of 56 tasks answered" in ran.err


def test_a_run_that_is_recorded_needs_its_file(script: Script, tmp_path: Path) -> None:
    annotator("init", tmp_path / "p.db")
    with ScriptedModel(script) as model:
        ran = annotator(*command(model, Path("-"), "-p", tmp_path / "p.db"))
        assert model.asked == []
    assert (ran.code, "recorded from its file" in ran.err) == (1, True)


def test_nobody_to_record_for_is_told_before_anything_is_asked(script: Script, tmp_path: Path) -> None:
    with ScriptedModel(script) as model:
        ran = annotator(*command(model, tmp_path / "p.jsonl", "-p", tmp_path / "none.db"))
        assert model.asked == []
    assert ran.code == 1


def test_the_score_of_a_run_knows_its_protocol(script: Script, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    with ScriptedModel(script) as model:
        annotator(*command(model, out, "--protocol", "c2", "--tools", "prompt", "--concurrency", 2))
    assert annotator("score", SAMPLES, out, "-o", tmp_path / "scores").code == 0
    card = json.loads((tmp_path / "scores" / "scorecard.json").read_text())
    assert (card["protocol"], card["summary"]["task_accuracy"]) == ("c2", 1.0)
    assert (card["name"], card["setting"]["tools"]) == ("m-1 · tools prompt", "prompt")


def test_predictions_scored_twice_into_a_project_are_one_run(script: Script, tmp_path: Path) -> None:
    project, out = tmp_path / "p.db", tmp_path / "p.jsonl"
    annotator("init", project, "--as", "max")
    with ScriptedModel(script) as model:
        asked = annotator(*command(model, out, "-p", project, "--json"))
    for _ in range(2):
        assert annotator("score", SAMPLES, out, "-o", tmp_path / "s", "-p", project).code == 0
    with closing(open_workspace(str(project), "max")) as workspace:
        assert [(row.id, row.name) for row in list_runs(workspace)] == [(asked.document["run"], "m-1")]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--base-url", "localhost:1/v1"], "not the address"),
        (["--body", "[1]"], "not a JSON object"),
        (["--body", "{"], "not JSON"),
        (["--budget-dollars", "1"], "needs the price"),
        (["--api-key-env", "NOT_SET"], "NOT_SET"),
        (["--arguments", "kind"], "not a set of argument rules"),
    ],
)
def test_wrong_options_are_explained(options: list[str], said: str, tmp_path: Path) -> None:
    base = ["run", SAMPLES, "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "-o", tmp_path / "p.jsonl"]
    ran = annotator(*base, *options)
    assert (ran.code, ran.out) == (1, "")
    assert said in ran.err


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The folders of two scored runs of model m: the bundled predictions, as if under both histories."""
    folder = tmp_path_factory.mktemp("scores")
    for protocol, kind in (("c2", "careful"), ("c3", "careless")):
        predictions = resource_path("samples", f"predictions_{kind}.jsonl")
        out = folder / f"folder-{protocol}"
        ran = annotator("score", SAMPLES, predictions, "--name", "m", "--protocol", protocol, "-o", out)
        assert ran.code == 0, ran.err
    return [folder / "folder-c2", folder / "folder-c3"]


def test_each_file_is_scored_as_a_run_of_its_own_as_if_it_were_alone(tmp_path: Path) -> None:
    files = [resource_path("samples", f"predictions_{kind}.jsonl") for kind in ("careful", "careless")]
    ran = annotator("score", SAMPLES, *files, "--each", "-o", tmp_path / "each", "--json")
    assert ran.code == 0, ran.err
    assert [Path(run["folder"]) for run in ran.document["runs"]] == [
        tmp_path / "each" / file.stem for file in files
    ]
    for file in files:
        alone = tmp_path / "alone" / file.stem
        assert annotator("score", SAMPLES, file, "-o", alone).code == 0
        for name in ("scorecard.json", "tasks.csv"):
            written = tmp_path / "each" / file.stem / name
            assert written.read_bytes() == (alone / name).read_bytes()


def test_runs_of_files_with_one_name_are_refused(tmp_path: Path) -> None:
    file = resource_path("samples", "predictions_careful.jsonl")
    ran = annotator("score", SAMPLES, file, file, "--each", "-o", tmp_path / "each")
    assert (ran.code, ran.out) == (1, "")
    assert "predictions_careful" in ran.err
    assert not (tmp_path / "each").exists()


def test_a_report_holds_tables_and_pictures_of_several_runs(scores: list[Path], tmp_path: Path) -> None:
    page, pictures = tmp_path / "report.html", tmp_path / "pictures"
    options = ["--format", "html", "-o", page, "--pictures", pictures, "--theme", "dark", "--json"]
    ran = annotator("report", *scores, *options)
    assert ran.code == 0, ran.err
    assert ran.document["runs"] == 2
    files = [Path(file) for file in ran.document["pictures"]]
    assert {file.name for file in files} >= {"group-1-policy.png", "group-2-errors.svg", "descent.png"}
    assert all(file.is_file() for file in files)
    text = page.read_text()
    assert "Challenge 2 against Challenge 3" in text
    assert "m · protocol c3" in text
    assert "folder-" not in text


@pytest.mark.parametrize("form", ["md", "csv", "latex"])
def test_a_report_can_be_written_in_every_form(scores: list[Path], tmp_path: Path, form: str) -> None:
    ran = annotator("report", *scores, "--format", form, "-o", tmp_path / "report")
    assert ran.code == 0, ran.err
    text = (tmp_path / "report").read_text()
    assert "Challenge 2 against Challenge 3" in text
    assert "not averaged, ranked or tested together" in text
    assert "folder-" not in text
