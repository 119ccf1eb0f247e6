"""Generation by the real command: killed and resumed, over real toolsets, with faulty replies."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from annotator.cases.coverage import project_coverage
from annotator.generation.generation_run import dialogues_of, exchanges_of, list_runs
from annotator.project.workspace import Workspace, open_workspace
from tests.annotator.generation.scripted_run import TOOLSET
from tests.e2e.command import annotator
from tests.scripted_model.endpoint import FiveRoles
from tests.scripted_model.foreign import ForeignRoles, never_asks
from tests.scripted_model.plain_roles import PlainRoles, key_of
from tests.scripted_model.server import Asked, ScriptedModel, Sent
from tests.shared import ROOT, SHARED, needs_shared

FAULTY_SHARE = 0.15
KEY = "sk-e2e-4711"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """An empty project."""
    place = tmp_path / "team.db"
    assert annotator("init", place).code == 0
    return place


@pytest.fixture
def toolsets(tmp_path: Path) -> Path:
    """A file with our own toolset."""
    path = tmp_path / "tools.jsonl"
    path.write_text(json.dumps([tool.definition for tool in TOOLSET.tools]) + "\n")
    return path


@contextmanager
def looked_at(project: Path) -> Iterator[Workspace]:
    """The project, to look into."""
    workspace = open_workspace(str(project))
    try:
        yield workspace
    finally:
        workspace.close()


def stored_keys(project: Path, name: str) -> set[str]:
    """What a run asked and whose reply is stored, in the form of `key_of`."""
    with looked_at(project) as workspace:
        return {
            json.dumps({"role": one.ask.role.value, "messages": list(one.messages)}, sort_keys=True)
            for row in list_runs(workspace)
            if row.name == name
            for dialogue in range(len(json.loads(row.plan)["sequences"]))
            for one in exchanges_of(workspace, row.id, dialogue=dialogue)
        }


def test_the_command_makes_cases_and_says_so_in_one_document(project: Path, toolsets: Path) -> None:
    with ScriptedModel(PlainRoles()) as model:
        words = ["generate", "--toolsets", toolsets, "--tasks", 2, "--policies", "single,single", "-n", 2]
        ran = annotator(
            *words, "--model", "m", "--base-url", model.base_url, "-p", project, "--json", "--budget", 1e6
        )
    assert ran.code == 0, ran.err
    assert (ran.document["finished"], ran.document["is_finished"]) == (2, True)
    listed = annotator("cases", "--batch", "generated", "-p", project, "--json").rows
    assert len(listed) == 2


def test_a_dry_run_sets_what_is_planned_beside_what_is_there_and_makes_nothing(
    project: Path, toolsets: Path
) -> None:
    with ScriptedModel(PlainRoles()) as model:
        words = ["generate", "--toolsets", toolsets, "--tasks", 1, "--policies", "single", "--model", "m"]
        command = [*words, "--base-url", model.base_url, "-p", project]
        assert annotator(*command).code == 0
        count, asked = len(annotator("cases", "-p", project, "--json").rows), len(model.asked)
        more = [*command, "--policies", "all", "-n", 8, "--dry-run"]
        planned = annotator(*more, "--json").document["tasks"]
        told = annotator(*more)
        assert len(model.asked) == asked
    assert [(one["policy"], one["planned"]) for one in planned] == [
        ("single", 2),
        ("multi", 2),
        ("clarify", 2),
        ("chat", 2),
    ]
    single = planned[0]["present"]
    assert single >= 1
    assert "8 dialogues: about 50 requests" in told.out
    assert re.search(rf"single +{single} +2 +{single + 2} +\d+\.\d\d\n", told.out)
    assert len(annotator("cases", "-p", project, "--json").rows) == count


def test_the_summary_counts_the_dialogues_that_have_the_sequence_asked_for(
    project: Path, toolsets: Path
) -> None:
    with ScriptedModel(ForeignRoles("planner", never_asks)) as model:
        words = ["generate", "--toolsets", toolsets, "--tasks", 1, "--policies", "missing", "--model", "m"]
        command = [*words, "--base-url", model.base_url, "-p", project]
        ran = annotator(*command)
        assert ran.out.startswith("4 dialogues, 3 with the sequence asked for, in batch generated: "), ran.out
        assert "1 dialogue with another sequence; --policies missing tries again what is missing." in ran.out
        assert re.search(r"P-9 +\d+", ran.out)
        again = annotator(*command, "--json").document
    assert (again["total"], again["finished"], again["as_wanted"]) == (1, 1, 0)
    assert again["sequences"] == {"chat": 1}
    covered = annotator("coverage", "-p", project)
    assert "2 generated cases with another sequence than asked for." in covered.out
    assert "\nclarify, tried 2 times " in covered.out


def test_targets_stand_beside_what_was_made_and_those_that_cannot_be_are_named(
    project: Path, toolsets: Path
) -> None:
    with ScriptedModel(FiveRoles(seed=1)) as model:
        words = ["generate", "--toolsets", toolsets, "--tasks", 2, "-n", 4, "--model", "m"]
        command = [*words, "--base-url", model.base_url, "-p", project]
        refused = annotator(*command, "--shares", "long_range: 50%")
        assert refused.code == 1
        assert "at most 0% of the later tasks" in refused.err
        assert "add up to 110%" in annotator(*command, "--shares", "single: 90%; chat: 20%").err
        ran = annotator(*command, "--shares", "single: 50%; omission: 0.75")
    lines = [line.split() for line in ran.out.splitlines()]
    assert ["target", "wanted", "%", "made", "%", "of"] in lines
    assert ["single", "50.00", "50.00", "8"] in lines
    assert ["omission", "75.00", "75.00", "4"] in lines


def test_scenarios_and_styles_are_told_before_the_start_and_refused_by_line(
    project: Path, toolsets: Path, tmp_path: Path
) -> None:
    file, long = tmp_path / "log.txt", tmp_path / "long.txt"
    file.write_text("A nurse swaps a shift.\nWrite to eva@example.org.\n")
    long.write_text("short\n" + "x" * 1001)
    with ScriptedModel(PlainRoles()) as model:
        words = ["generate", "--toolsets", toolsets, "--tasks", 1, "--policies", "single", "-n", 3]
        command = [*words, "--model", "m", "--base-url", model.base_url, "-p", project]
        for options, told in (
            (["--scenarios", tmp_path / "gone.txt"], "gone.txt cannot be read"),
            (["--scenarios", long], "long.txt:2: the scenario has 1001 characters, more than 1000."),
            (["--style", "rude"], "'terse', 'vague', 'chatty' or 'corrects'"),
        ):
            refused = annotator(*command, *options)
            assert (refused.code, refused.out) == (1, "")
            assert told in refused.err
        command += ["--scenarios", file, "--style", "terse", "--style", "chatty"]
        dry = annotator(*command, "--dry-run")
        assert not model.asked
        ran = annotator(*command)
        asked = len(model.asked)
        again = annotator(*command, "--json")
        assert len(model.asked) == asked
    warning = "1 scenario may tell who somebody is: log.txt:2 (an e-mail address). Take that out"
    assert warning in dry.out
    assert warning in ran.err
    drawn = [line.split()[:2] for line in dry.out.splitlines() if line.startswith("log.txt:")]
    assert sorted(count for _, count in drawn) == ["1", "2"]
    assert re.search(r"terse +[12]\n", dry.out)
    assert again.document["run"] == 1
    assert "3 dialogues, 3 with the sequence asked for" in ran.out


def test_a_role_can_have_its_own_model_and_an_unknown_one_is_named(project: Path, toolsets: Path) -> None:
    words = ["--toolsets", toolsets, "--tasks", 1, "--policies", "single", "--model", "m", "-p", project]
    with ScriptedModel(PlainRoles()) as model:
        there = ["--base-url", model.base_url]
        assert annotator("generate", *words, *there, "--model-for", "tool=t-9").code == 0
        named = {(asked.headers["x-annotator-role"], asked.body["model"]) for asked in model.asked}
        refused = annotator("generate", *words, *there, "--model-for", "observer=x")
    assert named == {("user", "m"), ("planner", "m"), ("tool", "t-9"), ("agent", "m")}
    assert (refused.code, refused.out) == (1, "")
    assert "roles: user, planner, tool, agent, checker" in refused.err


@pytest.mark.parametrize("policies", ["solo", ""])
def test_a_policy_that_is_none_is_refused(project: Path, toolsets: Path, policies: str) -> None:
    ran = annotator(
        "generate", "--toolsets", toolsets, "--policies", policies, "--model", "m",
        "--base-url", "http://127.0.0.1:9/v1", "-p", project,
    )  # fmt: skip
    assert (ran.code, ran.out) == (1, "")
    assert "Traceback" not in ran.err


def test_nobody_at_the_address_is_said_at_once(project: Path, toolsets: Path) -> None:
    ran = annotator(
        "generate", "--toolsets", toolsets, "--tasks", 1, "--model", "m",
        "--base-url", "http://127.0.0.1:9/v1", "-p", project,
    )  # fmt: skip
    assert (ran.code, ran.out) == (1, "")
    assert "same command" in ran.err


def test_a_full_disk_loses_nothing_and_the_same_command_goes_on(project: Path, toolsets: Path) -> None:
    room = project.stat().st_size + 200_000
    with ScriptedModel(PlainRoles()) as model:
        words = ["generate", "--toolsets", toolsets, "--tasks", 2, "--policies", "single,single", "-n", 6]
        command = [*words, "--model", "m", "--base-url", model.base_url, "-p", project]
        full = subprocess.run(
            [sys.executable, "-m", "ui.cli", *map(str, command)],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room)),
        )
        assert (full.returncode, full.stdout) == (1, "")
        assert "free space" in full.stderr
        stored, asked = stored_keys(project, "generated"), len(model.asked)
        assert stored
        assert annotator(*command).code == 0
    assert not stored & {key_of(one) for one in model.asked[asked:]}


class _Killing:
    """A script that kills a program after so many requests."""

    def __init__(self, script: FiveRoles) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._left = 0
        self._victim: subprocess.Popen[str] | None = None

    def aim(self, victim: "subprocess.Popen[str]", after: int) -> None:
        """Kill this program after so many further requests."""
        with self._lock:
            self._victim, self._left = victim, after

    def __call__(self, asked: Asked) -> Sent:
        """Answer, and strike when it is time."""
        with self._lock:
            self._left -= 1
            if self._victim and self._left <= 0:
                os.kill(self._victim.pid, signal.SIGKILL)
                self._victim = None
        return self._script(asked)


@needs_shared
@pytest.mark.slow
def test_all_336_sequences_are_made_by_runs_killed_three_times(project: Path) -> None:
    script = _Killing(FiveRoles(seed=3, mistake_rate=FAULTY_SHARE, key=KEY))
    env = {**os.environ, "PYTHONPATH": str(ROOT), "GEN_KEY": KEY}
    stored_at_kill: list[tuple[set[str], int]] = []
    with ScriptedModel(script) as model:
        for tasks in (2, 3, 4):
            words = [
                "generate", "--toolsets", SHARED / "data" / "toolsets_en.jsonl", "--tasks", tasks,
                "--model", "m", "--base-url", model.base_url, "--api-key-env", "GEN_KEY",
                "--concurrency", 8, "--seed", 5, "--name", f"all-{tasks}", "-p", project, "--json",
            ]  # fmt: skip
            command = [sys.executable, "-m", "ui.cli", *map(str, words)]
            for kill in range(3 if tasks == 4 else 0):
                begun = subprocess.Popen(command, env=env, text=True, stdout=subprocess.PIPE)
                script.aim(begun, after=60 + 25 * kill)
                begun.communicate(timeout=300)
                assert begun.returncode == -signal.SIGKILL
                stored_at_kill.append((stored_keys(project, f"all-{tasks}"), len(model.asked)))
            ended = subprocess.run(command, env=env, text=True, capture_output=True, timeout=3000, check=True)
            document = json.loads(ended.stdout)
            assert (document["finished"], document["given_up"]) == (4**tasks, 0)
    for stored, asked in stored_at_kill:
        assert stored
        assert not stored & {key_of(one) for one in model.asked[asked:]}
    checked = annotator("check", "-p", project, "--json")
    assert checked.code == 0
    with looked_at(project) as workspace:
        found = project_coverage(workspace)
        finished = [row for run in list_runs(workspace) for row in dialogues_of(workspace, run.id)]
    assert (found.case_count, found.coverage.switching.count) == (336, 336)
    assert sum(row.case_id is not None for row in finished) == 336
    assert KEY.encode() not in project.read_bytes()


@pytest.mark.slow
def test_the_sample_project_is_filled_without_any_key(tmp_path: Path) -> None:
    ran = annotator("demo", "--generate", "--headless", "--dir", tmp_path, "--json")
    assert ran.code == 0, ran.err
    assert ran.document["generated"]["finished"] > 40
    assert ran.document["after"]["count"] > ran.document["before"]["count"]
