"""The command line's contract; in a process of its own where the exit of one or the screen matters."""

import json
import re
import sqlite3
from pathlib import Path

import pytest

from annotator.cases.access import show_case
from annotator.project.people import login_name
from annotator.project.workspace import open_workspace
from annotator.release.manifest import Manifest, read_manifest
from annotator.resources import resource_path
from annotator.review.queue.claims import claim_case
from annotator.review.submissions import submission_key, submit
from scoring.model.case import dump_case
from scoring.model.taxonomy import Policy
from tests.annotator.team import approval, team_on, two_round_case, two_step_case
from tests.e2e.command import annotator, annotator_process
from tests.factories import answer, call, case, task, tool


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one case, founded by `max`."""
    place = tmp_path / "p.db"
    assert annotator("init", place, "--as", "max").code == 0
    cases = tmp_path / "cases.jsonl"
    cases.write_text(json.dumps(dump_case(two_round_case())) + "\n{broken\n")
    return place


def test_import_reports_as_the_contract_says(project: Path, tmp_path: Path) -> None:
    ran = annotator("import", tmp_path / "cases.jsonl", "-p", project, "--json")
    assert ran.code == 0
    report = ran.document
    assert {key: report[key] for key in ("imported", "duplicates", "rejected", "batch")} == {
        "imported": 1,
        "duplicates": 0,
        "rejected": 1,
        "batch": 1,
    }
    assert (report["rejects"][0]["file"], report["rejects"][0]["line"]) == (str(tmp_path / "cases.jsonl"), 2)


def test_an_import_of_nothing_readable_ends_with_exit_code_one(project: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.jsonl").write_text("{broken\n[1]\n")
    for asked in ((), ("--json",), ("--strict",)):
        ran = annotator(
            "import", tmp_path / "bad.jsonl", "-p", project, "--rejects", tmp_path / "why.jsonl", *asked
        )
        assert (ran.code, ran.out) == (1, "")
        assert "bad.jsonl, line 1: " in ran.err
        assert "Nothing could be imported: 2 lines rejected." in ran.err
    assert len((tmp_path / "why.jsonl").read_text().splitlines()) == 2


def test_a_dry_run_says_what_a_file_holds_and_imports_nothing(project: Path, tmp_path: Path) -> None:
    wanted = ("import", tmp_path / "cases.jsonl", "--dry-run", "-p", project)
    ran = annotator(*wanted)
    assert ran.code == 0
    assert ran.out.startswith(
        "1 case read as Annotator (native).\nc-1 (en): 2 tasks, 2 calls, 2 tools. “Send"
    )
    assert "1 line would be rejected.\ncases.jsonl, line 2: " in ran.out
    assert annotator(*wanted, "--json").document["preview"]["formats"] == [
        {"name": "Annotator (native)", "cases": 1, "lost": ""}
    ]
    (tmp_path / "bad.jsonl").write_text("[1]\n")
    assert annotator("import", tmp_path / "bad.jsonl", "--dry-run", "-p", project).code == 1
    assert annotator("cases", "-p", project, "--json").document["rows"] == []


def test_a_strict_import_ends_with_exit_code_one_where_a_line_was_rejected(
    project: Path, tmp_path: Path
) -> None:
    ran = annotator("import", tmp_path / "cases.jsonl", "-p", project, "--strict", "--json")
    assert (ran.code, ran.document["imported"], ran.document["rejected"]) == (1, 1, 1)
    assert annotator("import", tmp_path / "cases.jsonl", "-p", project).code == 0
    (tmp_path / "good.jsonl").write_text(json.dumps(dump_case(two_round_case("c-2"))) + "\n")
    assert annotator("import", tmp_path / "good.jsonl", "-p", project, "--strict").code == 0


def test_an_annotator_imports_where_the_policy_says_so(project: Path, tmp_path: Path) -> None:
    annotator("user", "add", "ann", "--role", "annotator", "-p", project, "--as", "max")
    wanted = ("import", tmp_path / "cases.jsonl", "-p", project, "--as", "ann")
    refused = annotator(*wanted)
    assert (refused.code, refused.out) == (1, "")
    assert "ann is not a manager" in refused.err
    assert annotator("cases", "-p", project, "--as", "max", "--json").rows == []
    annotator("policy", "set", "annotators_import=true", "-p", project, "--as", "max")
    assert annotator(*wanted).code == 0


@pytest.mark.parametrize(
    ("floor", "code"),
    [
        ("task_accuracy=0", 0),
        ("task_accuracy=1", 3),
        ("session_accuracy=99.5%", 3),
        ("accuracy=0.5", 2),
        ("task_accuracy=2", 2),
        ("task_accuracy=much", 2),
        ("task_accuracy", 2),
    ],
)
def test_a_score_below_what_was_asked_for_ends_with_exit_code_three(
    tmp_path: Path, floor: str, code: int
) -> None:
    samples = [resource_path("samples", name) for name in ("cases.jsonl", "predictions_careless.jsonl")]
    ran = annotator("score", *samples, "-o", tmp_path, "--json", "--fail-under", floor)
    assert ran.code == code, ran.err
    if code == 3:
        assert ran.document["summary"]["predictions"] > 0
        assert f"{floor.partition('=')[0]} is " in ran.err
    assert (tmp_path / "scorecard.json").exists() == (code != 2)


def test_one_person_goes_from_file_to_score_on_the_command_line(project: Path, tmp_path: Path) -> None:
    annotator("import", tmp_path / "cases.jsonl", "-p", project)
    assert annotator("policy", "set", "solo=true", "-p", project).code == 0
    for was_drawn in (False, True):
        shown = annotator("review", "next", "-p", project, "--json").document
        judgment = shown["judgment"]
        judgment["verdict"] = "approve"
        # Nothing can be drawn in the second task, an answer alone.
        assert [labels["drawn"] for labels in judgment["tasks"]] == [was_drawn, None]
        judgment["tasks"][0]["drawn"] = True
        for labels in judgment["tasks"]:
            labels["checklist"] = dict.fromkeys(labels["checklist"], "pass")
        judgment["checklist"] = dict.fromkeys(judgment["checklist"], "pass")
        for citation in judgment["evidence"]:
            citation["accepted"] = True
        (tmp_path / "judgment.json").write_text(json.dumps(judgment))
        done = annotator(
            "review",
            "submit",
            shown["assignment"],
            "--file",
            tmp_path / "judgment.json",
            "-p",
            project,
            "--json",
        )
        assert done.code == 0, done.err
    assert done.document["stage"] == "final"
    frozen = annotator("release", "freeze", "r1", "-o", tmp_path / "r1", "-p", project, "--json")
    assert frozen.document["content"]["case_count"] == 1
    assert annotator("release", "verify", tmp_path / "r1").code == 0

    replies = [
        {"content": None, "tool_calls": [_call("findParcel", {"number": "P-881"})]},
        {"content": None, "tool_calls": [_call("reroute", {"depot": "Hamar-7"})]},
        {"content": "On its way.", "tool_calls": None},
    ]
    predictions = tmp_path / "predictions.jsonl"
    thanked = [{"content": "You are welcome.", "tool_calls": None}]
    lines = [{"case": "c-1", "task": t, "replies": said} for t, said in enumerate((replies, thanked))]
    predictions.write_text("".join(json.dumps(line) + "\n" for line in lines))
    scored = annotator(
        "score", tmp_path / "r1", predictions, "-o", tmp_path / "scores", "-p", project, "--json"
    )
    assert scored.code == 0, scored.err
    assert scored.document["summary"]["task_accuracy"] == 1.0
    card = json.loads((tmp_path / "scores" / "scorecard.json").read_text())
    assert card["cases_sha256"] == frozen.document["content"]["content_sha256"]
    assert card["tasks"][0]["optimal"] is True
    report = annotator("report", tmp_path / "scores", "--format", "html", "-o", tmp_path / "report.html")
    assert report.code == 0
    assert "100.00 (2/2)" in (tmp_path / "report.html").read_text()


def test_a_freeze_lists_the_cases_nobody_was_asked_to_draw(project: Path, tmp_path: Path) -> None:
    shown = two_round_case("c-2")
    blank = shown.tasks[0].model_copy(update={"edges": (), "policy": Policy.MULTI_PARALLEL})
    (tmp_path / "more.jsonl").write_text(
        json.dumps(dump_case(shown.model_copy(update={"tasks": (blank, *shown.tasks[1:])}))) + "\n"
    )
    annotator("import", tmp_path / "cases.jsonl", tmp_path / "more.jsonl", "-p", project)
    annotator("policy", "set", "solo=true", "-p", project)
    workspace = open_workspace(str(project), "max")
    for case_id in ("c-1", "c-2"):
        for _ in range(2):
            held = claim_case(workspace, case_id).value
            judgment = approval(show_case(workspace, case_id))
            submit(workspace, held.id, judgment=judgment, key=submission_key())
    workspace.close()
    with sqlite3.connect(project) as store:  # as an older version left it
        store.execute("""UPDATE judgments SET body = replace(body, '"drawn":true', '"drawn":null')""")
    store.close()
    frozen = annotator("release", "freeze", "r1", "-o", tmp_path / "r1", "-p", project, "--json")
    assert (frozen.code, frozen.document["content"]["case_count"]) == (0, 1)
    assert "1 final case excluded: nobody is known to have drawn it" in frozen.err
    assert "annotator review reopen c-2 --reason" in frozen.err


def _call(name: str, arguments: dict[str, str]) -> dict[str, object]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": "c1", "type": "function", "function": function}


def test_a_changed_byte_ends_with_exit_code_three(tmp_path: Path) -> None:
    ran = annotator("demo", "--headless", "--dir", tmp_path / "demo", "--json")
    assert ran.code == 0, ran.err
    assert (
        ran.document["runs"]["careful"]["task_accuracy"] > ran.document["runs"]["careless"]["task_accuracy"]
    )
    curve = {p["stage"]: (p["correct"], p["total"]) for p in ran.document["stages"]["curve"]}
    # By hand, see resources/samples/README.md: 10 of 16 right as imported, 13 after the self-check,
    # 15 after the cross-check, all after the expert.
    assert curve == {
        "imported": (10, 16),
        "self_check_task": (13, 16),
        "self_check_dialogue": (13, 16),
        "cross_check": (15, 16),
        "expert": (16, 16),
    }
    release, project = tmp_path / "demo" / "release", next((tmp_path / "demo").glob("*.db"))
    stages = annotator("stages", "-p", project, "--as", login_name(), "--hourly-rate", 30).out
    # By hand: 67 judgments of 90 s are 6,030 s; over 16 final cases 6.28 min, at 30 an hour 3.14.
    assert re.search(r"all stages +1\.7 +6\.3 +3\.14\b", stages)
    site = annotator("report", "--project", project, "--as", login_name(), "-o", tmp_path / "site", "--json")
    page = tmp_path / "site" / "index.html"
    assert site.document == {"version": 2, "file": str(page), "runs": 0, "pictures": []}
    assert "<title>Sample project</title>" in page.read_text(encoding="utf-8")
    assert not (tmp_path / "site" / "dialogues.html").exists()
    nameless = annotator("report", tmp_path / "scores", "-o", tmp_path / "report.html")
    assert (nameless.code, "'--format'" in nameless.err) == (2, True)
    for value, why in (
        ("nan", "Input should be greater than or equal to 0"),
        ("-1", "Input should be greater than or equal to 0"),
        ("inf", "inf is not a valid float."),
    ):
        refused = annotator("stages", "-p", project, "--as", login_name(), "--hourly-rate", value)
        assert (refused.code, refused.out) == (2, "")
        assert f"Invalid value for '--hourly-rate': {why}" in refused.err
    asked = ("release", "verify", release, "-p", project, "--as", login_name())
    assert annotator(*asked).code == 0
    manifest = read_manifest(release)
    forged = Manifest.seal(manifest.content, manifest.about.model_copy(update={"by": "somebody"}))
    (release / "manifest.json").write_bytes(forged.to_bytes())
    (release / "manifest.sha256").write_bytes(forged.seal_line)
    assert annotator("release", "verify", release).code == 0
    compared = annotator(*asked, "--json")
    assert (compared.code, compared.document["ok"]) == (3, False)
    cases = release / "cases.jsonl"
    cases.write_bytes(cases.read_bytes().replace(b"e", b"f", 1))
    verified = annotator_process("release", "verify", release, "--json")
    assert (verified.code, verified.document["ok"]) == (3, False)


def test_a_project_and_a_person_may_be_named_before_the_command(project: Path) -> None:
    named = annotator("-p", project, "--as", "max", "user", "list", "--json", ANNOTATOR_PROJECT="none.db")
    assert [person["name"] for person in named.rows] == ["max"]
    assert "none.db" in annotator("-p", project, "user", "list", "-p", "none.db").err
    assert "nobody" in annotator("--as", "nobody", "user", "list", "-p", project).err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cases",), "No project was named"),
        (("cases", "-p", "{tmp}/none.db"), "none.db"),
        (("cases", "-p", "{tmp}/text.db"), "text.db"),
        (("cases", "--batch", "nope", "-p", "{tmp}/p.db"), "There is no batch 'nope'"),
        (
            ("cases", "--owner", "nope", "-p", "{tmp}/p.db"),
            "in this project.\nPeople: ",
        ),
        (("batch", "show", "nope", "-p", "{tmp}/p.db"), "There is no batch 'nope'"),
        (("check", "--case", "nope", "-p", "{tmp}/p.db"), "no case 'nope'"),
        (("case", "show", "nobody", "-p", "{tmp}/p.db"), "no case 'nobody'"),
        (("import", "{tmp}/none.jsonl", "-p", "{tmp}/p.db"), "There is no file"),
        (("import", "{tmp}/cases.jsonl", "--format", "yaml", "-p", "{tmp}/p.db"), "not a case format"),
        (("init", "{tmp}/p.db"), "exists already"),
        (("release", "verify", "{tmp}"), "not a release folder"),
        (("release", "export", "{tmp}", "--format", "bfcl", "-o", "{tmp}/o"), "not a release folder"),
        (("score", "{tmp}", "{tmp}/cases.jsonl", "-o", "{tmp}/s"), "not a release folder"),
        (("cases", "-p", "{tmp}/p.db", "--as", "nobody"), "Nobody is called 'nobody'"),
        (("release", "freeze", "r", "-o", "{tmp}/r", "-p", "{tmp}/p.db"), "No case is final"),
    ],
)
def test_what_cannot_be_done_says_why_and_what_next(
    project: Path, tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "text.db").write_text("Dear diary, today I opened a text file as a project.")
    ran = annotator(*(argument.format(tmp=tmp_path) for argument in arguments))
    assert ran.code == 1
    assert ran.out == ""
    assert words in ran.err
    assert "Traceback" not in ran.err
    assert len(ran.err.strip().splitlines()) == 2
    assert project.exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("fly",),
        ("import",),
        ("score", "x"),
        ("user", "add", "x", "--role", "king"),
        ("report", "--format", "md", "-o", "tables.md"),  # the runs are forgotten; it is no project's page
    ],
)
def test_wrong_usage_ends_with_exit_code_two(arguments: tuple[str, ...]) -> None:
    ran = annotator(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert "Value error" not in ran.err


def test_check_ends_with_exit_code_three_where_there_are_errors(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text(json.dumps(dump_case(two_step_case())) + "\n")
    bad.write_text(json.dumps(dump_case(two_step_case().model_copy(update={"tools": ()}))) + "\n")
    ran = annotator("check", good)
    assert (ran.code, ran.out) == (0, "Nothing was found in 1 case.\n")
    ran = annotator("check", bad, "--json")
    assert ran.code == 3
    assert {finding["rule"] for finding in ran.document["cases"][0]["findings"]} >= {"call.unknown_tool"}


def test_a_project_of_a_newer_version_is_refused_with_advice(project: Path) -> None:
    with sqlite3.connect(project) as connection:
        connection.execute("UPDATE annotator_revision SET version_num = 'r9999'")
    connection.close()
    ran = annotator("cases", "-p", project)
    assert ran.code == 1
    assert "newer" in ran.err


def test_without_a_display_the_window_names_the_way_out() -> None:
    ran = annotator_process("demo", DISPLAY="", WAYLAND_DISPLAY="", QT_QPA_PLATFORM="")
    assert ran.code == 1
    assert "annotator demo --headless" in ran.err
    assert ran.out == ""


def test_a_template_does_not_propose_a_source_that_says_something_else(tmp_path: Path) -> None:
    """Who accepts every proposal of the template must not hide that a value differs from its source."""
    place, cases = tmp_path / "p.db", tmp_path / "cases.jsonl"
    book = tool("book", city={"type": "string"}, near={"type": "string"}, required=["city"])
    first = call("book", {"ok": True}, city="LasVegas", near="Reno")
    shown = case(task(first, answer("Done."), user="Book in Las Vegas, towards Reno."), tools=[book])
    cases.write_text(json.dumps(dump_case(shown)) + "\n")
    assert annotator("init", place, "--as", "max").code == 0
    annotator("import", cases, "-p", place)
    taken = annotator("review", "next", "-p", place, "--json").document
    assert [citation["path"] for citation in taken["judgment"]["evidence"]] == ["/near"]
    differs = [finding for finding in taken["findings"] if finding["rule"] == "args.differs"]
    assert [(finding["path"], finding["proposal"]) for finding in differs] == [("/city", "Las Vegas")]


def test_a_known_defect_is_kept_on_the_command_line(sqlite_path: Path, tmp_path: Path) -> None:
    place = sqlite_path
    with team_on(str(place), tmp_path) as team:
        team.bring(two_step_case())
        team.self_check("ann", "c-1")
        team.cross_check("bob", "c-1", wrong_calls={0: [1]})
        team.cross_check("cleo", "c-1")
    template = annotator("adjudicate", "c-1", "-p", place, person="eve").document["template"]
    assert template["kept"] == []
    field = "task.0.call.1.correct"
    decision = {"fields": {field: "A"}, "verdict": "approve"}
    file = tmp_path / "decision.json"
    file.write_text(json.dumps(decision))
    refused = annotator("adjudicate", "c-1", "--file", file, "-p", place, person="eve")
    assert (refused.code, refused.out) == (1, "")
    assert "Task 1: call 1 is wrong" in refused.err
    file.write_text(json.dumps({**decision, "kept": [{"field": field, "reason": "on purpose"}]}))
    assert annotator("adjudicate", "c-1", "--file", file, "-p", place, person="eve").code == 0
    frozen = annotator("release", "freeze", "r1", "-o", tmp_path / "r1", "-p", place, person="max")
    assert "Kept on purpose in c-1: Task 1: call 1 is wrong. on purpose" in " ".join(frozen.out.split())


def test_cases_that_are_left_out_for_one_reason_share_a_line(tmp_path: Path) -> None:
    project, cases = tmp_path / "p.db", tmp_path / "cases.jsonl"
    annotator("init", project, "--as", "max")
    bodies = [dump_case(two_round_case(f"c-{number}")) for number in (1, 2, 3)]
    bodies.append(dump_case(case(task(call(), answer()), id="c-4")))
    cases.write_text("".join(json.dumps(body) + "\n" for body in bodies))
    annotator("import", cases, "-p", project)
    wanted = ("export", "--format", "bfcl", "--stage", "any", "-o", tmp_path / "b.jsonl", "-p", project)
    ran = annotator(*wanted)
    [excluded] = [line for line in ran.err.splitlines() if "excluded" in line]
    assert excluded.startswith("c-1 and 2 more excluded: The case is no single request that is answered by")
    document = annotator(*wanted, "--json").document
    assert [one["case_id"] for one in document["skipped"]] == ["c-1", "c-2", "c-3"]
    assert document["written"] == 1
