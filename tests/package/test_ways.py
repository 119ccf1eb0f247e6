"""The ways to install, and releases as others open them, without the checkout; apart, as they fetch packages.

`make test-ways` runs them (some minutes); `make frozen` leaves the frozen folder in `dist`.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from annotator.resources import resource_path
from tests.shared import ROOT

pytestmark = [pytest.mark.download, pytest.mark.timeout(3600)]
CASES = resource_path("samples", "cases.jsonl")
REPLIES = resource_path("samples", "predictions_careful.jsonl")
CAREFUL = 48 / 56
"""Tasks the careful model gets right of those of the sample, as `annotator score` prints."""
NOBODY = {"LOGNAME": "ana", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}


def run(*command: object, home: Path, **variables: str) -> str:
    """Run a command as somebody would who has nothing of the checkout; its output."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=home,
        env={
            "HOME": str(home),
            "LOGNAME": "ana",
            "PATH": "/usr/bin:/bin",
            "LANG": "C.UTF-8",
            **_network(),
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}: {done.stdout[-2000:]}{done.stderr[-4000:]}"
    return done.stdout


def _network() -> dict[str, str]:
    """How this computer reaches an index of packages."""
    known = ("PIP_", "UV_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE")
    return {key: value for key, value in os.environ.items() if key.upper().startswith(known)}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = (
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        folder,
        ROOT,
    )
    subprocess.run([str(word) for word in build], check=True)
    return next(folder.glob("*.whl"))


def environment(folder: Path, *packages: object, is_pinned: bool = True) -> Path:
    """Make an empty environment with packages, those of ours pinned; the folder of its programs."""
    venv.create(folder, with_pip=True)
    pip = (folder / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check")
    constraints = ("-c", ROOT / "constraints.txt") if is_pinned else ()
    if packages:
        subprocess.run([str(word) for word in (*pip, *constraints, *packages)], check=True)
    return folder / "bin"


def holds(annotator: Path, home: Path) -> None:
    """The demo walks to a release, a project survives a check, and a run scores as it always does."""
    assert "Content hash" in run(annotator, "demo", "--headless", home=home)
    run(annotator, "init", "team.db", home=home)
    run(annotator, "import", CASES, "-p", "team.db", home=home)
    assert "No problems" in run(annotator, "doctor", "-p", "team.db", home=home)
    scored = run(annotator, "score", CASES, REPLIES, "-o", "s", "--workers", "2", "--json", home=home)
    assert json.loads(scored)["summary"]["task_accuracy"] == CAREFUL


def test_pipx_installs_the_command(wheel: Path, tmp_path: Path) -> None:
    pipx = environment(tmp_path / "pipx", "pipx") / "pipx"
    places = {"PIPX_HOME": str(tmp_path / "apps"), "PIPX_BIN_DIR": str(tmp_path / "bin")}
    run(pipx, "install", wheel, home=tmp_path, **places)
    assert sorted(path.name for path in (tmp_path / "bin").iterdir()) == ["annotator"]
    holds(tmp_path / "bin" / "annotator", tmp_path)
    _opens_a_window(tmp_path / "bin" / "annotator", tmp_path)


def test_uvx_runs_the_command(wheel: Path, tmp_path: Path) -> None:
    uvx = environment(tmp_path / "uv", "uv") / "uvx"
    said = run(
        uvx, "--python", sys.executable, "--from", wheel, "annotator", "demo", "--headless", home=tmp_path
    )
    assert "Content hash" in said


def test_the_steps_of_the_container_make_a_command_line(tmp_path: Path) -> None:
    """No container is started: the RUN lines run in an empty environment, on a copy of the checkout."""
    text = (ROOT / ".ci" / "Dockerfile").read_text("utf-8")
    source, wheels = tmp_path / "source", tmp_path / "wheels"
    kept = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in kept.stdout.split("\0")[:-1]:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).is_file():
            shutil.copy(ROOT / name, source / name)
    wheels.mkdir()
    shutil.copy(ROOT / "constraints.txt", wheels)
    tools = environment(tmp_path / "venv")
    steps = [line for line in re.findall(r"^RUN (.*)$", text, re.MULTILINE) if not line.startswith("useradd")]
    assert len(steps) == 2
    for step in steps:
        in_place = step.replace("/wheels", str(wheels))
        run("bash", "-ec", f"cd {source} && {in_place}", home=tmp_path, PATH=f"{tools}:/usr/bin:/bin")
    entry, usual = (
        json.loads(found) for found in re.findall(r"^(?:ENTRYPOINT|CMD) (.*)$", text, re.MULTILINE)
    )
    assert "Usage: annotator" in run(tools / entry[0], *usual, home=tmp_path)
    holds(tools / entry[0], tmp_path)


def test_the_frozen_folder_starts_the_demo_and_its_window(wheel: Path, tmp_path: Path) -> None:
    tools = environment(tmp_path / "venv", f"{wheel}[reports,postgresql,keyring]", "pyinstaller")
    built = ("--noconfirm", "--distpath", tmp_path / "dist", "--workpath", tmp_path / "work")
    run(tools / "pyinstaller", *built, ROOT / ".ci" / "annotator.spec", home=tmp_path)
    shutil.rmtree(tmp_path / "venv")  # nothing of it may be needed
    folder = tmp_path / "elsewhere"
    shutil.move(tmp_path / "dist" / "annotator", folder)
    home = tmp_path / "home"
    home.mkdir()
    holds(folder / "annotator", home)
    inside = folder / "_internal" / "annotator_workbench"
    for name in (
        "db/migrations/env.py",
        "resources/samples/cases.jsonl",
        "docs/CHANGELOG.md",
        "docs/index.md",
    ):
        assert (inside / name).is_file()
    run(folder / "annotator", "report", "s", "--format", "html", "-o", "r.html", home=home)
    _opens_a_window(folder / "annotator", home)


def _opens_a_window(annotator: Path, home: Path) -> None:
    """Open the window on a project; once it has it open, a second start brings it forward."""
    (sockets := home / "run").mkdir(mode=0o700)  # where others may look, it would not be taken
    variables = {**NOBODY, "HOME": str(home), "QT_QPA_PLATFORM": "offscreen", "XDG_RUNTIME_DIR": str(sockets)}
    program = subprocess.Popen(
        [annotator, "team.db"],
        cwd=home,
        env=variables,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not list((sockets / "annotator").glob("*")):  # where it answers second starts
            assert program.poll() is None, program.communicate()[1]
            time.sleep(0.05)
        command = [annotator, "team.db"]
        again = subprocess.run(
            list(map(str, command)), cwd=home, env=variables, capture_output=True, text=True, check=True
        )
        assert "comes forward" in again.stderr
        assert program.poll() is None
    finally:
        program.terminate()
        program.communicate()


INSPECT = """
import json, sys
from pathlib import Path
import tiktoken
from inspect_ai import eval
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput, get_model
from inspect_ai.tool import ToolCall


class Letters:  # the real table of tokens is fetched from a network
    def encode(self, text, **_):
        return list(text)


tiktoken.get_encoding = lambda name: Letters()
task, replies = sys.argv[1:]
said = []
for line in Path(replies).read_text("utf-8").splitlines():
    for reply in json.loads(line)["replies"]:
        calls = [
            ToolCall(id=c["id"], function=f["name"], arguments=json.loads(f["arguments"]))
            for c in reply["tool_calls"] or ()
            for f in [c["function"]]
        ]
        message = ChatMessageAssistant(content=reply["content"] or "", tool_calls=calls or None)
        said.append(ModelOutput(model="mock", choices=[ChatCompletionChoice(message=message)]))
for form in ("eval", "json"):
    model = get_model("mockllm/model", custom_outputs=list(said), memoize=False)
    (log,) = eval(task, model=model, max_samples=1, display="none", log_format=form, log_dir=form)
    print(len(log.samples), log.results.scores[0].metrics["accuracy"].value)
"""


def test_inspect_asks_an_exported_task_and_scores_it_as_we_do(wheel: Path, tmp_path: Path) -> None:
    """Its mock model says what the careful model said, reply by reply."""
    scoring = ("pydantic", "networkx", "numpy", "jieba", "inspect_ai")
    tools = environment(tmp_path / "venv", *scoring, is_pinned=False)  # Inspect asks for versions of its own
    subprocess.run([tools / "pip", "install", "-q", "--no-deps", wheel], check=True)
    ours = Path(sys.executable).parent / "annotator"
    run(ours, "init", "team.db", home=tmp_path)
    run(ours, "import", CASES, "-p", "team.db", home=tmp_path)
    run(ours, "export", "--format", "inspect", "--stage", "any", "-o", "t.py", "-p", "team.db", home=tmp_path)
    said = run(tools / "python", "-c", INSPECT, "t.py", REPLIES, home=tmp_path)
    assert said.splitlines() == [f"56 {CAREFUL}"] * 2
    logs = [*(tmp_path / "eval").iterdir(), *(tmp_path / "json").iterdir()]
    assert len(logs) == 2
    for log in logs:
        scored = run(ours, "score", CASES, log, "-o", "s", "--json", home=tmp_path)
        assert json.loads(scored)["summary"]["task_accuracy"] == CAREFUL


LOADED = """
import json, sys
from pathlib import Path
import datasets, mlcroissant

folder = Path(sys.argv[1])
for name in datasets.get_dataset_config_names(str(folder)):
    rows = list(datasets.load_dataset(str(folder), name, split="test"))
    lines = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
    for row, line in zip(rows, lines, strict=True):
        for key, said in row.items():
            assert said in (line.get(key), None) or json.loads(said) == line[key], (name, key)
    print(name, len(rows))
told = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
assert not told.metadata.issues.errors
for one in told.metadata.record_sets:
    print(one.uuid, sum(1 for _ in told.records(one.uuid)))
"""


def test_a_release_from_a_repository_verifies_and_opens_as_data_sets(wheel: Path, tmp_path: Path) -> None:
    """Pushed to a local remote, cloned from there, opened by `datasets` and checked by `mlcroissant`."""
    tools = environment(tmp_path / "venv", f"{wheel}[hub]", "datasets", "mlcroissant", is_pinned=False)
    annotator, project = tools / "annotator", ("-p", "demo/samples.db", "--as", "ana")
    run(annotator, "demo", "--headless", "--dir", "demo", home=tmp_path)
    run(annotator, "release", "freeze", "tables", "-o", "tables", "--parquet", *project, home=tmp_path)
    for name, form in (("cases", "Annotator (native)"), ("openai", "OpenAI messages")):
        table = f"tables/data/{name}.parquet"
        said = run(annotator, "import", "--dry-run", table, *project, home=tmp_path)
        assert f"16 cases read as {form}." in said
    who = {
        f"GIT_{role}_{what}": "ana@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    for folder in ("demo/release", "tables"):
        remote, clone = tmp_path / f"{folder}.git", tmp_path / f"{folder}.clone"
        run("git", "init", "-q", "--bare", remote, home=tmp_path)
        run(annotator, "release", "push", folder, "--to", "git", remote, "--yes", home=tmp_path, **who)
        run("git", "clone", "-q", remote, clone, home=tmp_path)
        assert "every byte matches" in run(annotator, "release", "verify", clone, home=tmp_path)
        said = run(tools / "python", "-c", LOADED, clone, home=tmp_path, HF_HUB_OFFLINE="1")
        names = ("cases", "wildtoolbench", "c3bench", "openai")
        assert sorted(said.splitlines()) == sorted(2 * [f"{name} 16" for name in names])
