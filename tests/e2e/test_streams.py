"""`-`, pipes and links wherever a command names a file, and an output that nobody takes."""

import json
import os
import pty
import resource
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from annotator.cases.file_import import CHUNK
from annotator.cases.findings.checks import LISTED
from annotator.resources import anchor_of, resource_path
from scoring.model.case import dump_case
from tests.annotator.team import two_step_case
from tests.e2e.command import PROGRAM, annotator, annotator_process, started
from tests.shared import ROOT
from ui.cli.main import LEFT_ALONE

SAMPLES = resource_path("samples", "cases.jsonl")
PREDICTIONS = resource_path("samples", "predictions_careful.jsonl")


@pytest.fixture
def line() -> str:
    """A file of one case."""
    return json.dumps(dump_case(two_step_case())) + "\n"


@pytest.fixture
def project(tmp_path: Path, line: str) -> Path:
    """A project with the case `c-1`, founded by `max`."""
    place = tmp_path / "p.db"
    assert annotator("init", place, "--as", "max").code == 0
    (tmp_path / "one.jsonl").write_text(line)
    assert annotator("import", tmp_path / "one.jsonl", "-p", place).code == 0
    return place


def test_a_bad_line_of_standard_input_is_named(project: Path, line: str) -> None:
    ran = annotator_process("import", "-", "-p", project, "--json", stdin=line + "{broken\n")
    assert (ran.document["duplicates"], ran.document["rejected"]) == (1, 1)
    assert (ran.document["rejects"][0]["file"], ran.document["rejects"][0]["line"]) == ("-", 2)


@pytest.mark.parametrize("command", [["check"], ["score", "--workers", "2"]])
def test_ctrl_c_is_answered_in_words(tmp_path: Path, command: list[str]) -> None:
    pipe = tmp_path / "endless.jsonl"
    os.mkfifo(pipe)
    rest = [PREDICTIONS, "-o", tmp_path / "scores"] if "score" in command else []
    with started(*command, pipe, *rest) as process:
        writer = os.open(pipe, os.O_WRONLY)  # comes back once the command reads
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120) == ("", "Stopped. What was finished before stays.\n")
        os.close(writer)
    assert process.returncode == 1


def test_an_import_that_is_killed_leaves_whole_chunks_and_nothing_else(project: Path, tmp_path: Path) -> None:
    pipe, scratch = tmp_path / "endless.jsonl", tmp_path / "scratch"
    os.mkfifo(pipe)
    scratch.mkdir()
    body = dump_case(two_step_case())
    is_flowing = threading.Event()

    def write() -> None:
        with suppress(BrokenPipeError), pipe.open("wb", buffering=0) as stream:
            written = 0
            while True:
                line = json.dumps({**body, "id": f"e-{written}"}).encode() + b"\n"
                stream.write(line)
                written += 1
                if written == 2000:  # more than pipe and buffer hold, so that some have landed
                    is_flowing.set()

    writer = threading.Thread(target=write)
    writer.start()
    command = [sys.executable, "-m", "ui.cli", "import", str(pipe), "-p", str(project)]
    begun = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "TMPDIR": str(scratch)})
    assert is_flowing.wait(120)
    assert list(scratch.iterdir()) == []
    begun.kill()
    begun.wait()
    writer.join(timeout=120)
    assert list(scratch.iterdir()) == []
    landed = len(annotator("cases", "--batch", "endless", "--limit", 9999, "-p", project, "--json").rows)
    assert (landed > 0, landed % CHUNK) == (True, 0)
    assert annotator("doctor", "-p", project).code == 0


def test_a_limit_for_streams_can_be_given(project: Path, line: str) -> None:
    ran = annotator_process("import", "-", "-p", project, "--stream-limit", 0.001, stdin=line + "x\n" * 10**6)
    assert (ran.code, ran.out) == (1, "")
    assert "Standard input holds more than 1,000,000 bytes" in ran.err


def test_an_empty_standard_input_is_called_so(project: Path) -> None:
    ran = annotator_process("import", "-", "-p", project, stdin="")
    assert (ran.code, ran.err.partition(".")[0]) == (1, "Standard input is empty")


def test_an_export_to_standard_output_is_the_file_and_nothing_else(project: Path) -> None:
    ran = annotator_process("export", "--format", "native", "--stage", "any", "-o", "-", "-p", project)
    assert json.loads(ran.out)["id"] == "c-1"
    assert "1 case written" in ran.err


def test_two_documents_on_standard_output_are_wrong_usage(project: Path) -> None:
    ran = annotator_process("export", "--format", "native", "-o", "-", "--json", "-p", project)
    assert (ran.code, ran.out) == (2, "")


def test_an_export_into_a_pipe_goes_through_it(project: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_text()))
    reader.start()
    ran = annotator_process("export", "--format", "native", "--stage", "any", "-o", pipe, "-p", project)
    reader.join(timeout=120)
    assert (ran.code, pipe.is_fifo()) == (0, True)
    assert json.loads(found[0])["id"] == "c-1"


def test_an_export_into_a_link_leaves_the_link(project: Path, tmp_path: Path) -> None:
    (tmp_path / "cases.jsonl").write_text("old")
    (tmp_path / "link").symlink_to("cases.jsonl")
    annotator("export", "--format", "native", "--stage", "any", "-o", tmp_path / "link", "-p", project)
    assert (tmp_path / "link").is_symlink()
    assert json.loads((tmp_path / "cases.jsonl").read_text())["id"] == "c-1"


def test_what_show_prints_put_reads(project: Path, tmp_path: Path) -> None:
    shown = annotator("case", "show", "c-1", "-p", project)
    changed = shown.out.replace("Oslo", "Bergen")
    put = ["case", "put", "c-1", "--reason", "same", "-p", project, "--file"]
    assert annotator_process(*put, "-", stdin=changed).code == 0
    (tmp_path / "f").write_text(changed)
    ran = annotator(*put, tmp_path / "f")
    assert ran.code == 0, ran.err
    assert annotator("case", "show", "c-1", "-p", project).document == json.loads(changed)


def test_a_blind_view_is_not_put_back(project: Path, tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        annotator("user", "add", name, "--role", "annotator", "-p", project, "--as", "max")
    annotator("assign", "--batch", "one", "--to", "ann", "-p", project, "--as", "max")
    blind = annotator("case", "show", "c-1", "-p", project, "--as", "bob")
    assert blind.document["blind"] is True
    put = ["case", "put", "c-1", "--reason", "r", "--file", "-", "-p", project, "--as", "max"]
    ran = annotator_process(*put, stdin=blind.out)
    assert (ran.code, ran.out) == (1, "")
    assert "blind reviewer" in ran.err


def test_a_policy_comes_back_through_standard_input(project: Path) -> None:
    policy = annotator("policy", "show", "-p", project, "--json").out.replace('"solo": false', '"solo": true')
    ran = annotator_process("policy", "set", "--file", "-", "-p", project, "--json", stdin=policy)
    assert ran.document["solo"] is True


def test_a_judgment_comes_through_standard_input(project: Path) -> None:
    shown = annotator("review", "next", "-p", project, "--json").document
    judgment = {**shown["judgment"], "verdict": "reject", "reasons": [{"category": "other", "note": "n"}]}
    submit = ["review", "submit", shown["assignment"], "--file", "-", "-p", project, "--json"]
    ran = annotator_process(*submit, stdin=json.dumps(judgment))
    assert ran.code == 0, ran.err
    wrong = annotator_process(*submit, stdin="{")
    assert wrong.err.startswith("Standard input is not JSON")


def test_scores_and_reports_go_through_standard_streams(tmp_path: Path) -> None:
    scored = annotator_process("score", SAMPLES, "-", "-o", tmp_path / "s", stdin=PREDICTIONS.read_text())
    assert scored.code == 0, scored.err
    ran = annotator_process("report", tmp_path / "s", "--format", "csv", "-o", "-")
    assert ran.out.startswith("table,run,measure,value")
    assert "1 run written" in ran.err
    by_hand = annotator_process(
        "report", "-", "--format", "csv", "-o", "-", stdin=(tmp_path / "s" / "scorecard.json").read_text()
    )
    assert by_hand.code == 0, by_hand.err


def test_a_file_from_standard_input_is_checked(line: str) -> None:
    assert annotator_process("check", "-", "--json", stdin=line).document["errors"] == 0


def test_a_backup_through_standard_streams_is_the_project(project: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ui.cli"]
    backup = [*command, "backup", "-", "-p", str(project)]
    copy = subprocess.run(backup, cwd=ROOT, capture_output=True, check=True)
    restore = [*command, "restore", "-", "-p", str(tmp_path / "again.db")]
    subprocess.run(restore, cwd=ROOT, input=copy.stdout, capture_output=True, check=True)
    assert len(annotator("cases", "-p", tmp_path / "again.db", "--json").rows) == 1


def test_anchors_from_standard_input_are_compared_and_nothing_else_is_printed(project: Path) -> None:
    wrong = json.dumps({"events": 1, "head": "0" * 64, "at": "2026-01-01T00:00:00Z"})
    ran = annotator_process("audit", "verify", "--anchor", "-", "-p", project, "--json", stdin=wrong)
    assert (ran.code, ran.document["holds"], ran.document["anchors"]) == (3, False, 1)
    ran = annotator_process("audit", "verify", "--anchor", "-", "-p", project, "--json", stdin="")
    assert (ran.code, ran.document["holds"], ran.document["anchors"]) == (0, True, 0)


@pytest.mark.parametrize(
    "command",
    ["check FILE", "check FILE --json", "--help", "export --format native --stage any -o -", "backup -"],
)
def test_a_reader_who_leaves_ends_a_command_in_silence(command: str, project: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    arguments = [str(SAMPLES) if word == "FILE" else word for word in command.split()]
    in_project = [] if "FILE" in command or "help" in command else ["-p", str(project)]
    try:
        assert _told_when(*arguments, *in_project, stdout=write, code=LEFT_ALONE) == ""
    finally:
        os.close(write)


@pytest.mark.parametrize("command", [["check", str(SAMPLES)], ["check", str(SAMPLES), "--json"], ["--help"]])
def test_an_output_without_room_is_told_in_a_sentence(command: list[str], tmp_path: Path) -> None:
    with (tmp_path / "out").open("wb") as out:
        told = _told_when(*command, stdout=out.fileno(), room=10)
    assert told.startswith("Standard output cannot be written: File too large.")


def test_a_closed_output_is_told_in_a_sentence() -> None:
    shell = f'exec "{sys.executable}" -m {PROGRAM} check "{SAMPLES}" >&-'
    ran = subprocess.run(["sh", "-c", shell], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stderr.splitlines()[0]) == (1, "Standard output is closed.")


def _told_when(*command: str, stdout: int, room: int | None = None, code: int = 1) -> str:
    """What a command says on standard error while its standard output takes at most `room` bytes."""

    def limit() -> None:
        if room is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))

    process = subprocess.run(
        [sys.executable, "-m", "ui.cli", *(command or ("check", str(SAMPLES)))],
        cwd=ROOT,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=limit,
        check=False,
    )
    assert process.returncode == code
    return process.stderr


def test_a_check_lists_the_first_unreadable_lines_and_counts_them_all(tmp_path: Path, line: str) -> None:
    (tmp_path / "many.jsonl").write_text("x\n" * (LISTED + 500) + line)
    ran = annotator("check", tmp_path / "many.jsonl", "--json")
    assert (ran.code, ran.document["unreadable"], len(ran.document["cases"])) == (3, LISTED + 500, LISTED + 1)


def test_an_error_names_its_place_in_the_manual_to_people_and_not_to_scripts(tmp_path: Path) -> None:
    missing = tmp_path / "none.db"
    assert "See:" not in annotator_process("cases", "-p", missing).err
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", PROGRAM, "cases", "-p", missing],
        stderr=theirs,
        stdout=subprocess.PIPE,
        check=False,
    )
    os.close(theirs)
    said = os.read(ours, 100_000).decode()
    os.close(ours)
    page, _, anchor = said.strip().splitlines()[-1].removeprefix("See: ").partition("#")
    titles = [line.lstrip("# ") for line in Path(page).read_text().splitlines() if line.startswith("#")]
    assert anchor in map(anchor_of, titles)
