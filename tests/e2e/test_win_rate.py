"""`annotator win-rate`: a judge model compares whole replies, each pair twice."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from annotator.project.workspace import open_workspace
from annotator.release.runs.recorded_runs import RunSummary, list_runs
from scoring.agreement.preferences import WinRate
from scoring.matching.gold import Gold
from scoring.model.case import dump_case
from scoring.model.record import to_json
from tests.annotator.release.weather import weather
from tests.e2e.command import Ran, annotator
from tests.scripted_model.agents import Agent, Said, perfect, script_of, stops_early
from tests.scripted_model.asking import run, scripted
from tests.scripted_model.server import Asked, ScriptedModel, Sent, said
from tests.shared import ROOT

CASES = [weather(1), weather(2)]
QUESTIONS = 8
"""Two tasks of each case are answered differently; each pair is asked twice."""


def early(gold: Gold, turn: int) -> Said:
    """Does nothing of the first task and half of the second."""
    return stops_early(gold, turn) if gold.task_number else "Hm."


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cases, a run that is right and one that stops early."""
    folder = tmp_path_factory.mktemp("runs")
    (folder / "cases.jsonl").write_text("".join(to_json(dump_case(case)) + "\n" for case in CASES))
    agents: dict[str, Agent] = {"early": early, "right": perfect}
    for name, agent in agents.items():
        with scripted(script_of(agent, CASES)) as (client, _):
            run(CASES, client, folder / f"{name}.jsonl")
    for path in folder.glob("*.jsonl"):
        lines = sorted(path.read_text().splitlines())
        renamed = [line.replace('"model":"m-1"', f'"model":"{path.stem}"') for line in lines]
        path.write_text("\n".join(renamed) + "\n")
    return folder


Judge = Callable[[str, str], str]
"""What a judge model says of two replies."""


@contextmanager
def judge(say: Judge, *, tokens: tuple[int, int] | None = (100, 10)) -> Iterator[ScriptedModel]:
    def script(asked: Asked) -> Sent:
        one, two = re.findall(
            r'<reply number="\d">\n(.*?)\n</reply>', asked.messages[-1]["content"], re.DOTALL
        )
        return said(say(one, two), tokens=tokens)

    with ScriptedModel(script) as model:
        yield model


def longer(one: str, two: str) -> str:
    """Prefers the longer reply, which is that of the run that does everything."""
    better = 1 if len(one) > len(two) else 2
    return f"<think>Better: 2</think>At first sight:\nBetter: tie\nIt does more.\n**Better: {better}**"


def ask(made: Path, model: ScriptedModel, *words: object, runs: tuple[str, ...] = ("early", "right")) -> Ran:
    files = [f"{name}.jsonl" for name in runs]
    to_model = ("--model", "j-1", "--base-url", model.base_url, "--retries", 0)
    return annotator("win-rate", "cases.jsonl", *files, *to_model, *words, cwd=made)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_each_pair_is_shown_whole_and_in_both_orders(made: Path, tmp_path: Path) -> None:
    with judge(longer) as model:
        ran = ask(made, model, "-o", tmp_path / "p.jsonl", "--json")
    assert ran.code == 0, ran.err
    (found,) = ran.document["runs"]
    # Four tasks are won; the replies to the thanks are equal, which is a tie nobody was asked about.
    assert (found["won"], found["tied"], found["lost"], found["swayed"]) == (4, 2, 0, 0)
    assert found["win_rate"] == {"value": pytest.approx(5 / 6), "of": 6}
    assert (found["accuracy"]["count"], found["baseline_accuracy"]["count"]) == (6, 2)
    assert ran.document["consistency"] is None
    assert len(model.asked) == QUESTIONS
    prompts = [asked.messages[-1]["content"] for asked in model.asked]
    assert all("call: getForecast(" in prompt and '"name":"getTime"' in prompt for prompt in prompts)
    assert any(
        'tool: {"sky": "grey"}' in prompt and "assistant: Grey at nine." in prompt for prompt in prompts
    )
    assert {(line["first"], line["second"]) for line in lines_of(tmp_path / "p.jsonl")} == {
        ("early", "right"),
        ("right", "early"),
    }


def test_win_rates_are_kept_with_the_scores_of_their_runs_and_shown_in_reports(
    made: Path, tmp_path: Path
) -> None:
    project = ("-p", tmp_path / "team.db", "--as", "max")
    assert annotator("init", tmp_path / "team.db", "--as", "max").code == 0
    for name in ("early", "right"):
        words = ("score", "cases.jsonl", f"{name}.jsonl", "-o", tmp_path / name, *project)
        assert annotator(*words, cwd=made).code == 0
    folders = ("--scores", tmp_path / "early", "--scores", tmp_path / "right")
    with judge(longer) as model:
        ran = ask(made, model, "-o", tmp_path / "p.jsonl", "--json", *folders, *project)
    assert ran.code == 0, ran.err
    (found,) = ran.document["runs"]
    assert (found["baseline"], found["judge"]) == ("early", "j-1")
    kept = [json.loads((tmp_path / name / "scorecard.json").read_text()) for name in ("early", "right")]
    assert [card.get("win_rate") for card in kept] == [None, found]
    with closing(open_workspace(str(tmp_path / "team.db"), "max")) as workspace:
        of_runs = {row.name: RunSummary.model_validate_json(row.summary) for row in list_runs(workspace)}
    assert of_runs["early"].win_rate is None
    assert of_runs["right"].win_rate == WinRate.model_validate(found)
    report = ("report", tmp_path / "early", tmp_path / "right", "--format", "md", "-o", tmp_path / "r.md")
    assert annotator(*report).code == 0
    # Four won and two tied of six are (4 + 1) / 6.
    assert "## Win rates against early, by j-1" in (tmp_path / "r.md").read_text()
    assert "| right | 83.33 |" in (tmp_path / "r.md").read_text()


def test_a_folder_of_other_scores_is_refused_before_anything_is_asked(made: Path, tmp_path: Path) -> None:
    lines = (made / "right.jsonl").read_text().splitlines()
    (tmp_path / "third.jsonl").write_text("\n".join(lines[:2]) + "\n")
    score = ("score", "cases.jsonl", tmp_path / "third.jsonl", "-o", tmp_path / "third")
    assert annotator(*score, cwd=made).code == 0
    before = (tmp_path / "third" / "scorecard.json").read_bytes()
    with judge(longer) as model:
        ran = ask(made, model, "-o", tmp_path / "p.jsonl", "--scores", tmp_path / "third")
    assert ran.code == 1
    assert "holds the scores of none of the runs." in ran.err
    assert "Name folders of early, right." in ran.err
    assert model.asked == []
    assert (tmp_path / "third" / "scorecard.json").read_bytes() == before


def test_a_judge_that_prefers_a_place_decides_nothing(made: Path, tmp_path: Path) -> None:
    with judge(lambda one, two: "Better: 1") as model:
        (found,) = ask(made, model, "-o", tmp_path / "p.jsonl", "--json").document["runs"]
    assert (found["won"], found["tied"], found["lost"], found["swayed"]) == (0, 6, 0, 4)
    assert found["tau"] is None


@pytest.mark.parametrize("words", ["Both are fine.", "", "Better: 3", "Better: 1 or 2"])
def test_nonsense_is_no_preference_and_is_said(made: Path, tmp_path: Path, words: str) -> None:
    with judge(lambda one, two: words) as model:
        (found,) = ask(made, model, "-o", tmp_path / "p.jsonl", "--json").document["runs"]
        again = ask(made, model, "-o", tmp_path / "p.jsonl")
        assert len(model.asked) == QUESTIONS
    assert (found["unread"], found["tied"]) == (4, 2)
    assert "no preference" in again.out


def test_what_is_stopped_goes_on_and_asks_nothing_twice(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    with judge(longer) as model:
        ran = ask(made, model, "-o", out, "--budget-tokens", 330, "--concurrency", 1, "--json")
        # 110 tokens a reply: the fourth would begin at 330.
        assert (ran.document["asked"]["answered"], ran.document["asked"]["is_over_budget"]) == (3, True)
        assert "The budget is used up: 3 of 8 questions" in ran.err
        with out.open("ab") as stream:
            stream.write(out.read_bytes().splitlines()[0][:40])  # as a kill leaves it
        after = ask(made, model, "-o", out, "--json")
        assert len(model.asked) == QUESTIONS
        ask(made, model, "-o", out)
        assert len(model.asked) == QUESTIONS
    assert after.document["asked"]["resumed"] == 3
    assert after.document["runs"][0]["won"] == 4
    assert len({line["asked_sha256"] for line in lines_of(out)}) == len(lines_of(out)) == QUESTIONS


def test_a_budget_needs_an_endpoint_that_counts(made: Path, tmp_path: Path) -> None:
    with judge(longer, tokens=None) as model:
        ran = ask(made, model, "-o", tmp_path / "p.jsonl", "--budget-tokens", 1000, "--concurrency", 1)
    assert ran.code != 0
    assert "does not report tokens" in ran.err


def test_a_task_without_a_reply_is_counted_apart(made: Path, tmp_path: Path) -> None:
    part = made / "part.jsonl"
    part.write_text("".join(line + "\n" for line in (made / "right.jsonl").read_text().splitlines()[1:]))
    with judge(longer) as model:
        (found,) = ask(made, model, "-o", tmp_path / "p.jsonl", "--json", runs=("early", "part")).document[
            "runs"
        ]
    assert (found["missing"], found["won"], found["tied"]) == (1, 3, 2)


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        (("early", "other"), "other does not answer the cases"),
        (("early",), "nothing to compare"),
        (("early", "c2"), "early.jsonl was asked under protocol wildtool, c2.jsonl under c2."),
    ],
)
def test_what_cannot_be_compared_is_refused_before_anything_is_asked(
    made: Path, tmp_path: Path, runs: tuple[str, ...], words: str
) -> None:
    text = (made / "right.jsonl").read_text()
    digest = json.loads(text.splitlines()[0])["cases_sha256"]
    (made / "other.jsonl").write_text(text.replace(digest, "0" * 64).replace('"right"', '"other"'))
    (made / "c2.jsonl").write_text(text.replace('"protocol":"wildtool"', '"protocol":"c2"'))
    with judge(longer) as model:
        ran = ask(made, model, "-o", tmp_path / "p.jsonl", runs=runs)
        assert model.asked == []
    assert (ran.code, ran.out) == (1, "")
    assert words in ran.err
    assert not (tmp_path / "p.jsonl").exists()


@pytest.mark.parametrize("text", ["some words", '{"case": "c-1"}\n', "\udcff"])
def test_a_file_of_something_else_stays_as_it_is(made: Path, tmp_path: Path, text: str) -> None:
    out = tmp_path / "p.jsonl"
    out.write_bytes(text.encode(errors="surrogateescape"))
    with judge(longer) as model:
        ran = ask(made, model, "-o", out)
        assert model.asked == []
    assert ran.code == 1
    assert "is not a file of preferences" in ran.err
    assert out.read_bytes() == text.encode(errors="surrogateescape")


def test_people_stand_beside_the_judge(made: Path, tmp_path: Path) -> None:
    people = tmp_path / "people.jsonl"
    say = [
        ("c-1", 0, "early", "right", "second"),
        ("c-1", 1, "right", "early", "second"),
        ("c-1", 2, "early", "right", "tie"),
    ]
    keys = ("case", "task", "first", "second", "preference")
    people.write_text("".join(json.dumps(dict(zip(keys, one, strict=True))) + "\n" for one in say))
    with judge(longer) as model:
        ran = ask(made, model, "-o", tmp_path / "p.jsonl", "--people", people, "--json")
        shown = ask(made, model, "-o", tmp_path / "p.jsonl", "--people", people)
    found = ran.document["people"]
    # The judge says right, right, tie; people say right, early, tie.
    assert found["share"]["value"] == pytest.approx(2 / 3)
    # Chance: right 2/3 x 1/3, early 0, tie 1/3 x 1/3 = 1/3; (2/3 - 1/3) / (1 - 1/3) = 1/2.
    assert found["kappa"]["value"] == pytest.approx(1 / 2)
    assert "66.67 % equal, kappa 0.50" in shown.out
    people.write_text(people.read_text().replace("right", "wrong"))
    with judge(longer) as model:
        refused = ask(made, model, "-o", tmp_path / "q.jsonl", "--people", people)
        assert model.asked == []
    assert "people compared early with wrong" in refused.err


def test_the_prompt_can_be_read_without_asking(made: Path, tmp_path: Path) -> None:
    with judge(longer) as model:
        ran = ask(made, model, "-o", tmp_path / "p.jsonl", "--show-prompt")
        assert model.asked == []
    assert "Two assistants were given the same request." in ran.out
    assert (ROOT / "resources/prompts/preference.txt").read_text().splitlines()[-1] in ran.out
    assert not (tmp_path / "p.jsonl").exists()
