"""With `--json` every command prints exactly one JSON document, whatever it does."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from scoring.model.case import dump_case
from tests.annotator.team import approval, two_round_case, two_step_case
from tests.e2e.schemas import check_document, command_of
from tests.e2e.test_help import COMMANDS
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.endpoint import FiveRoles
from tests.scripted_model.server import ScriptedModel, said
from ui.cli.main import exit_code


class Session:
    """Commands typed one after another in this process, and which of them were."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.typed: set[tuple[str, ...]] = set()
        self._capsys = capsys

    def __call__(self, *words: object, code: int = 0) -> Any:
        """Type a command with `--json`, and give the one document it prints."""
        arguments = [str(word) for word in words]
        self.typed |= {path for path in COMMANDS if tuple(arguments[: len(path)]) == path}
        found = exit_code([*arguments, "--json"])
        out, err = self._capsys.readouterr()
        assert found == code, f"{arguments}\n{err}"
        document = json.loads(out)
        assert not list(json_in_strings(document)), arguments
        name = command_of(arguments)
        assert name, arguments
        check_document(name, document)
        return document


def json_in_strings(value: Any) -> Iterator[str]:
    """Every text of a document that is itself an object or a list in JSON."""
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from json_in_strings(part)
    elif isinstance(value, str) and value[:1] in ("{", "["):
        with suppress(ValueError):
            json.loads(value)
            yield value


def hold_session(say: Session) -> None:
    """Settle the case that waits in a review session, which ends with it."""
    assert say("session", "open", "Alone")["leader"] == "max"
    say("session", "join")
    assert say("session", "vote", 1)["questions"][0]["votes"] == {"max": 1}
    say("session", "reveal")
    say("session", "next", "--reason", "later")
    say("session", "close")
    say("session", "open", "Alone again")
    decided = say("session", "decide", 1, "--note", "unusable", "--verdict", "reject")
    assert decided["current"] is None
    say("session", "show")
    assert say("session", "minutes")["session"]["number"] == 2
    say("session", "close")


def test_every_command_prints_one_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOGNAME", "max")
    say = Session(capsys)
    cases = [two_round_case(f"c-{number}") for number in range(1, 7)]
    Path("cases.jsonl").write_text("".join(json.dumps(dump_case(case)) + "\n" for case in cases))

    say("init", "p.db")
    monkeypatch.setenv("ANNOTATOR_PROJECT", "p.db")
    say("migrate")
    say("user", "add", "ann", "--role", "annotator")
    say("user", "list")
    say("user", "passwd", "ann", "--remove")
    assert say("user", "away", "ann", "9999-12-31")["held"] == []
    assert say("user", "share-out", "ann", "--dry-run")["cases"] == []
    say("user", "disable", "ann")
    say("policy", "set", "solo=true")
    say("policy", "show")
    say("policy", "set", "guidelines=policy.single: One call.")
    assert say("policy", "guidelines")["changes"][0]["added"] == ["policy.single: One call."]

    say("import", "cases.jsonl", "--batch", "b")
    assert say("mend", "cases.jsonl", "--batch", "b")["cases"] == 6
    say("check", "cases.jsonl")
    Path("tools.json").write_text('[{"name": "find", "description": "Find a parcel of one sender."}]')
    say("toolset", "check", "tools.json")
    with ScriptedModel(FiveRoles()) as model:
        words = ("generate", "--toolsets", "tools.json", "--tasks", 1, "--policies", "single", "-n", 1)
        say(*words, "--model", "m", "--base-url", model.base_url, "--dry-run")
        say(*words, "--model", "m", "--base-url", model.base_url)
    copied = say("prompts", "copy", "ours")["files"]
    english = Path(copied[0])
    english.write_text(english.read_text().replace("Switch role to", "Now speak as"))
    assert [bool(row["diff"]) for row in say("prompts", "diff", "ours")["rows"]] == [True, False]
    assert say("prompts", "show", "switch", "c-1", "--from", "ours")["text"] == "Now speak as {role}."
    (compared,) = say("prompts", "compare")["rows"]
    assert (compared["cases"], compared["survived"]["value"]) == (1, None)
    assert say("prompts", "use", "ours")["rows"][0]["version"].startswith("en-own-")
    Path("case.json").write_text(json.dumps(say("case", "show", "c-1")))
    say("case", "put", "c-1", "--file", "case.json", "--reason", "same")
    say("case", "history", "c-1")
    say("case", "gold", "c-1")
    say("case", "comment", "c-1", "Which parcel?")
    say("cases", "--text", "parcel")
    assert say("view", "save", "parcels", "--text", "parcel", "--batch", "b") == {
        "version": 2,
        "view": "parcels",
    }
    filters = {"batch": "b", "text": "parcel", "order": "-changed"}
    assert say("view", "list")["rows"] == [{"view": "parcels", "filters": filters}]
    assert say("cases", "--view", "parcels") == say("cases", "--text", "parcel", "--batch", "b")
    assert say("cases", "--view", "parcels", "--text", "nowhere")["rows"] == []
    say("view", "delete", "parcels")
    say("batch", "list")
    say("batch", "show", "b")
    say("assign", "--batch", "b", "--to", "max")
    say("reassign", "c-6", "--to", "max")
    say("batch", "due", "b", "2026-12-09")
    assert say("batch", "split", "b", "--name", "later", "--case", "c-6")["left"] == 5
    assert say("batch", "move", "c-5", "--to", "later")["moved"] == 1
    assert say("batch", "merge", "later", "--into", "b")["moved"] == 2
    assert [row["count"] for row in say("batch", "waiting", "b")["rows"]] == [6]

    judge(say, "approve")
    say("review", "withdraw", "c-1")
    judge(say, "approve")
    judge(say, "approve")
    judge(say, "escalate")
    held = say("review", "next")
    assert say("review", "show", held["assignment"])["case"] == held["case"]
    say("review", "hand-back", held["assignment"])
    say("review", "release", say("review", "next")["assignment"])  # its former name
    say("review", "skip", say("review", "next")["assignment"], "--reason", "later")
    hold_session(say)
    judge(say, "escalate")
    escalated = say("cases", "--stage", "escalated")["rows"][0]["case_id"]
    assert [row["case_id"] for row in say("review", "waiting")["rows"]] == [escalated]
    assert say("review", "hand", escalated, "--to", "max")["handed_to"] == "max"
    decision, printed = say("adjudicate", escalated)["template"], say("case", "show", escalated)
    assert decision["verdict"] is None
    Path("decision.json").write_text(
        json.dumps({**decision, "verdict": "reject", "note": "unusable", "edit": printed})
    )
    say("adjudicate", escalated, "--file", "decision.json")
    say("batch", "return", "b", "--reason", "unclear")

    say("stages")
    say("agreement")
    say("people")
    say("digest")
    say("coverage")
    say("stats")
    assert {row["category"] for row in say("category", "c-1", "travel")["rows"]} >= {"travel"}
    say("release", "freeze", "r1", "-o", "r1")
    assert say("release", "card", "r1", "--license", "cc-by-4.0")["license"] == "cc-by-4.0"
    assert say("release", "export", "r1", "--format", "huggingface", "-o", "chats.jsonl")["written"] == 1
    say("release", "verify", "r1")
    subprocess.run(["git", "init", "-q", "--bare", "remote.git"], check=True)
    for variable in ("GIT_AUTHOR", "GIT_COMMITTER"):
        monkeypatch.setenv(f"{variable}_NAME", "max")
        monkeypatch.setenv(f"{variable}_EMAIL", "max@example.org")
    assert say("release", "push", "r1", "--to", "git", "remote.git", "--yes")["is_done"]
    say("release", "diff", "r1", "r1")
    say("release", "list")
    known = say("release", "quality", "r1")
    assert (known["headline"][:16], known["errata"]) == ("Nothing is known", [])
    assert say("release", "errata", "r1")["errata"] == []
    assert say("release", "suspects", "r1", "--values")["values"] == []
    assert say("release", "mend", "r1", "cases.jsonl", "-o", "mended")["rows"] > 0
    assert len(say("case", "who", "c-1")["people"]) > 0
    say("review", "pool")
    assert say("change", "--batch", "b", "--assign", "max", "--dry-run")["is_done"] is False
    assert say("change", "--batch", "b", "--priority", "high")["changed"] > 1
    assert say("cases", "--batch", "b")["rows"][0]["priority"] == "high"
    say("review", "reopen", "c-1", "--reason", "again")
    say("export", "--format", "wildtool", "--stage", "any", "-o", "out.jsonl")
    with ScriptedModel(script_of(perfect, cases[:1])) as model:
        say("run", "r1", "--model", "m", "--base-url", model.base_url, "-o", "m.jsonl")
    say("score", "r1", "m.jsonl", "-o", "scores")
    Path("models.toml").write_text('[[models]]\nmodel = "m"\nsize = 7\n', encoding="utf-8")
    assert len(say("model", "list")["rows"]) == 1
    assert say("model", "import", "models.toml") == {"version": 2, "models": 1, "changed": 1}
    assert say("model", "set", "m", "size=7") == {"version": 2, "changed": 0}
    say("report", "scores", "--format", "md", "-o", "report.md")
    assert [run["left"] for run in say("replies", "c-1", "r1", "m.jsonl")["runs"]] == [None]
    with ScriptedModel(lambda asked: said("Better: tie")) as model:
        Path("n.jsonl").write_text(Path("m.jsonl").read_text().replace("Oslo", "Rome"))
        to_judge = ("--model", "j", "--base-url", model.base_url, "-o", "preferences.jsonl")
        assert say("win-rate", "r1", "m.jsonl", "n.jsonl", *to_judge)["runs"][0]["won"] == 0
    assert "numbers.tex" in say("paper", "r1", "scores", "-o", "paper")["files"]
    assert len(say("bundle", "pack", "r1", "m.jsonl", "-o", "results.zip")["runs"]) == 1
    assert say("bundle", "verify", "results.zip")["ok"] is True
    say("audit", "verify")
    assert say("audit", "verify", "--anchor", "anchors.jsonl")["anchors"] == 0
    assert say("audit", "verify", "--anchor", "anchors.jsonl")["anchors"] == 1
    assert say("audit", "export", "-o", "events.jsonl")["events"] == say("audit", "verify")["events"]
    say("doctor")
    say("backup", "copy.db")
    say("restore", "copy.db", "-p", "again.db")
    assert Path(say("move", "again.db", "moved.db")["kept"]).name == "again.db.moved"
    assert say("schema", "prediction")["title"] == "prediction"
    say("demo", "--headless", "--dir", "demo")
    # T-Eval's own commands need weights and replies of their own: tests/e2e/test_teval.py.
    # BFCL's package is fetched: tests/annotator/release/test_bfcl_package.py.
    # An invitation needs a server: tests/e2e/test_secrets.py.
    elsewhere = {path for path in COMMANDS if path[0] in ("teval", "bfcl") or path == ("user", "invite")}
    assert say.typed == set(COMMANDS) - elsewhere


def judge(say: Session, verdict: str) -> None:
    """Take the next case and submit a judgment of it."""
    shown = say("review", "next")
    judgment = approval(two_round_case(shown["case"]["id"])).model_dump(mode="json", by_alias=True)
    reasons = [] if verdict == "approve" else [{"category": "other", "note": "look"}]
    said = {**judgment, "verdict": verdict, "reasons": reasons, "edit": shown["case"]}  # as it was printed
    Path("judgment.json").write_text(json.dumps(said))
    say("review", "submit", shown["assignment"], "--file", "judgment.json")


def test_an_empty_queue_is_a_document_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOGNAME", "max")
    say = Session(capsys)
    say("init", "p.db")
    assert say("review", "next", "-p", "p.db")["assignment"] is None
    assert say("cases", "-p", "p.db") == say("release", "list", "-p", "p.db") == {"version": 2, "rows": []}
    bad = two_step_case("c-1").model_copy(update={"tools": ()})
    Path("bad.jsonl").write_text(json.dumps(dump_case(bad)))
    assert say("check", "bad.jsonl", code=3)["errors"] > 0
