"""`annotator teval`: from cases to items to scores, as a script would call it."""

import json
import signal
import threading
from itertools import cycle
from pathlib import Path

import pytest

from annotator.jobs import JobCancelled
from annotator.resources import resource_path
from scoring.model.case import dump_case
from scoring.teval.items import read_items
from tests.e2e.command import annotator, interrupt_twice, started
from tests.scoring.teval.gold_replies import full_case, gold_replies
from tests.scripted_model.server import Asked, ScriptedModel, Sent, said
from ui.cli.output import stoppable_context


@pytest.fixture
def derived(tmp_path: Path) -> Path:
    """A folder of items, and beside it `gold`, the same with the right replies."""
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(dump_case(full_case())) + "\n", encoding="utf-8")
    folder = tmp_path / "items"
    done = annotator("teval", "derive", cases, "-o", folder, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.document["counts"]["instruct"] == 4
    found = read_items(folder)
    replies = gold_replies(found.items)
    (tmp_path / "gold").mkdir()
    for subset, items in found.items.items():
        whole = {
            name: {**body, "prediction": replies[subset, name].prediction} for name, body in items.items()
        }
        (tmp_path / "gold" / f"{subset}_m.json").write_text(json.dumps(whole), encoding="utf-8")
    return folder


def test_gold_replies_score_one_under_both_profiles(derived: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    options = ("--similarity", "char3", "-o", tmp_path / "scores", "--json")
    done = annotator("teval", "score", derived, gold, *options, "--pictures", tmp_path / "pictures")
    assert (done.code, done.err) == (0, "")
    drawn = {
        f"teval-{name}.{form}" for name in ("abilities-1", "columns-1") for form in ("png", "svg", "pdf")
    }
    assert {path.name for path in (tmp_path / "pictures").iterdir()} == drawn
    paper, newer = done.document["scores"]
    assert (paper["profile"], paper["overall"]) == ("paper", 1.0)
    assert (newer["profile"], newer["overall"]) == ("ref_v2", pytest.approx(1.0, abs=1e-5))
    assert (tmp_path / "scores" / "teval.json").is_file()
    shown = annotator("teval", "score", derived, gold, "--similarity", "char3", "--profile", "ref_v1")
    assert "100.0" in shown.out
    assert "ref_v1" in shown.out


def test_scores_stand_in_a_paper_and_in_a_report_beside_runs(derived: Path, tmp_path: Path) -> None:
    options = ("--similarity", "char3", "-o", "all-right")
    assert annotator("teval", "score", derived, "gold", *options, cwd=tmp_path).code == 0
    samples = resource_path("samples")
    cases, replies = samples / "cases.jsonl", samples / "predictions_careful.jsonl"
    assert annotator("score", cases, replies, "-o", "scores", cwd=tmp_path).code == 0
    forms = ("--format", "csv", "-o", "report.csv", "--pictures", "drawn", "--teval", "all-right")
    done = annotator("report", "scores", *forms, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    text = (tmp_path / "report.csv").read_text(encoding="utf-8")
    assert "T-Eval · rules: paper,all-right,plan S,100.0,," in text
    assert (tmp_path / "drawn" / "teval-abilities-1.svg").is_file()
    done = annotator("paper", cases, "scores", "-o", "paper", "--teval", "scores", cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert "scores holds no T-Eval scores" in done.err
    assert not (tmp_path / "paper").exists()


def test_a_result_folder_is_imported_and_scores_by_itself(derived: Path, tmp_path: Path) -> None:
    gold = tmp_path / "gold"
    done = annotator("teval", "import", gold, "-o", tmp_path / "usual", "--json")
    assert done.document["files"]["rru_json"] == {"items": 3, "replies": 3}
    assert done.document["missing"] == []
    assert read_items(tmp_path / "usual").items == read_items(derived).items
    assert annotator("teval", "score", gold, gold, "--similarity", "char3").code == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "annotator teval setup"),
        (("--similarity", "bert"), "Name minilm, char3"),
        (("--similarity", "char3", "--profile", "best"), "paper, ref_v1, ref_v2"),
    ],
)
def test_what_cannot_be_done_says_what_to_do(
    derived: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    without_model = str(tmp_path / "data")
    done = annotator("teval", "score", derived, tmp_path / "gold", *options, XDG_DATA_HOME=without_model)
    assert (done.code, done.out) == (1, "")
    assert said in done.err
    assert "Traceback" not in done.err


UNREADABLE = (
    "",
    "No JSON at all.",
    "{",
    "[]",
    "```json\n{}\n```",
    "null",
    '{"thought": 1, "name": ["x"], "args": "y"}',
    '[{"name": "No.tool", "id": 0, "args": {}}]',
    "thought: \naction: \nargs: {",
    "1. No.tool",
    "[" * 3000,
    "{'a': __import__('os')}",
    "\ufffd",
)


def test_replies_that_cannot_be_read_are_counted_and_stop_nothing(derived: Path, tmp_path: Path) -> None:
    items = read_items(derived).items
    kinds = cycle(UNREADABLE)
    folder = tmp_path / "bad"
    folder.mkdir()
    for subset, found in items.items():
        whole = {name: {**body, "prediction": next(kinds)} for name, body in found.items()}
        (folder / f"{subset}_m.json").write_text(json.dumps(whole), encoding="utf-8")
    assert sum(map(len, items.values())) >= len(UNREADABLE)
    done = annotator("teval", "score", derived, folder, "--similarity", "char3", "--json")
    assert (done.code, done.err) == (0, "")
    paper = done.document["scores"][0]
    assert paper["overall"] < 0.1
    assert paper["subsets"]["instruct_json"]["failed"] == 4
    assert paper["subsets"]["rru_json"]["failed"] >= 1


def test_what_is_installed_or_written_wrongly_names_the_way_out(derived: Path, tmp_path: Path) -> None:
    weights = tmp_path / "home" / "annotator" / "teval"
    weights.mkdir(parents=True)
    for name in ("model.safetensors", "tokenizer.json"):
        (weights / name).write_bytes(b"another file")
    changed = annotator("teval", "score", derived, tmp_path / "gold", XDG_DATA_HOME=str(tmp_path / "home"))
    assert (changed.code, changed.out) == (1, "")
    assert "has changed" in changed.err
    assert "annotator teval setup" in changed.err
    file = derived / "instruct.json"
    body = {f"{name}.1": item for name, item in json.loads(file.read_text(encoding="utf-8")).items()}
    file.write_text(json.dumps(body), encoding="utf-8")
    dotted = annotator("teval", "import", derived)
    assert (dotted.code, dotted.out) == (1, "")
    assert "the id has a dot" in dotted.err
    assert "without dots" in dotted.err


def test_a_release_without_thoughts_says_what_would_bring_the_rest(tmp_path: Path) -> None:
    bare = full_case().tasks[0]
    steps = [step.model_copy(update={"thought": None}) for step in bare.steps]
    task = bare.model_copy(update={"steps": tuple(steps)})
    cases = tmp_path / "cases.jsonl"
    body = dump_case(full_case().model_copy(update={"tasks": (task,)}))
    cases.write_text(json.dumps(body) + "\n", encoding="utf-8")
    done = annotator("teval", "derive", cases, "-o", tmp_path / "items")
    assert done.code == 0
    assert "Write a thought for each call." in done.out


def test_a_sample_of_altered_items_goes_through_the_queue_and_back(tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(dump_case(full_case())) + "\n", encoding="utf-8")
    negatives = tmp_path / "negatives.jsonl"
    done = annotator("teval", "sample", cases, "-o", negatives, "--count", "5", "--json")
    assert (done.code, done.document["cases"]) == (0, 2)
    project = tmp_path / "team.db"
    assert annotator("init", project).code == 0
    assert annotator("import", negatives, "-p", project).code == 0
    shown = annotator("teval", "agree", negatives, "--json")
    assert (shown.document["labelled"], shown.document["unlabelled"]) == (0, 2)


def test_ctrl_c_says_what_it_waits_for_and_a_second_one_does_not_wait(derived: Path, tmp_path: Path) -> None:
    out = tmp_path / "replies.jsonl"
    reached = threading.Event()

    def stuck(asked: Asked) -> Sent:
        if asked.number < 3:
            return said("{}")
        reached.set()
        return Sent(message={"role": "assistant", "content": "{}"}, delay_seconds=60)

    with ScriptedModel(stuck) as model:
        to_model = ("--model", "m-1", "--base-url", model.base_url, "-o", out)
        with started("teval", "run", derived, *to_model, "--concurrency", 1) as process:
            assert reached.wait(120)
            told = interrupt_twice(process)
    assert process.returncode == 1
    assert f"The replies so far are in {out}. To continue, run the same command again." in told
    assert "Traceback" not in told
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3


def test_only_a_third_ctrl_c_interrupts_what_is_being_done() -> None:
    with stoppable_context() as context:
        signal.raise_signal(signal.SIGINT)
        assert not context.is_left
        with pytest.raises(JobCancelled):
            context.check_cancelled()
        signal.raise_signal(signal.SIGINT)
        assert context.is_left
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
