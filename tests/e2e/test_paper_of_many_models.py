"""A paper of forty generated dialogues in a release and of 24 scripted models, whose LaTeX compiles."""

import hashlib
import json
import re
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from math import log10
from pathlib import Path
from random import Random

import pytest

from annotator.cases.access import show_case
from annotator.generation.generation_run import dialogues_of
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.people import add_person
from annotator.release import bundle as bundles
from annotator.release.bundle import BUNDLE, verify_bundle, write_bundle
from annotator.release.reports import paper as papers
from annotator.release.reports.album import album
from annotator.release.runs.evaluation import load_cases
from annotator.review.queue.assignments import assign_batch
from scoring.matching.gold import prepare
from scoring.model.case import Case
from scoring.model.taxonomy import Policy
from scoring.model_card import ModelCard
from tests.annotator.generation.scripted_run import TOOLSET, generate, plan_for
from tests.e2e.command import annotator
from tests.e2e.scripted_team import ANNOTATORS, MANAGER, ROLES, ScriptedTeam
from tests.scripted_model.agents import perfect, script_of, stops_early
from tests.scripted_model.endpoint import scripted_endpoint
from tests.scripted_model.server import Asked, ScriptedModel, Sent

DIALOGUES = 40
FAMILIES = {"alder": "open", "birch_& b": "open", "cedar": "closed", "drill": "specialised"}
"""Families of models and their kinds; one has a name that LaTeX takes for markup."""
SIZES = (2, 8, 64)
DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs,adjustbox}
\begin{document}
\input{numbers}
\input{tables}
\end{document}
"""


def models() -> Iterator[ModelCard]:
    for family, kind in FAMILIES.items():
        for size in SIZES:
            for thinking in ("off", "on"):
                known = {"family": family, "kind": kind, "size": size, "thinking": thinking}
                name = f"{family}-{size}b{'-thinking' if thinking == 'on' else ''}"
                yield ModelCard.model_validate({"model": name, **known})


class Models:
    """The endpoint of all models: right more often where one is larger, and where it thinks."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self._right, self._early = script_of(perfect, cases), script_of(stops_early, cases)
        self._levels = {
            one.model: 0.35 + 0.25 * log10(one.size or 1) + (0.1 if one.thinking == "on" else 0)
            for one in models()
        }

    def __call__(self, asked: Asked) -> Sent:
        """What is right is drawn by the model and the last request of the user."""
        request = next(one["content"] for one in reversed(asked.messages) if one["role"] == "user")
        is_right = Random(f"{asked.body['model']} {request}").random() < self._levels[asked.body["model"]]
        return (self._right if is_right else self._early)(asked)


def frozen(folder: Path) -> Path:
    """Forty dialogues of four tasks, generated, reviewed by a scripted team, and frozen."""
    team = ScriptedTeam(url=str(folder / "project.db"), folder=folder, truths={}, plan={})
    create_workspace(team.url, name="p", person=MANAGER).close()
    for name, roles in ROLES.items():
        if name != MANAGER:
            add_person(team[MANAGER], name, roles=roles)
    words = ("single", "multi", "chat", "clarify")
    sequences = [tuple(words[(n // 4**k + k * n) % 4] for k in range(4)) for n in range(DIALOGUES)]
    with scripted_endpoint() as endpoint:
        plan = plan_for(endpoint.base_url, name="generated", tasks=4, policies="given", sequences=sequences)
        state = generate(team[MANAGER], plan, toolsets=[TOOLSET], concurrency=8)
    ids = [row.case_id for row in dialogues_of(team[MANAGER], state.run) if row.case_id]
    team.truths |= {case_id: show_case(team[MANAGER], case_id) for case_id in ids}
    assign_batch(team[MANAGER], "generated", to=ANNOTATORS)
    team.work()
    team.command(MANAGER, "release", "freeze", "generated.1", "-o", folder / "release", "--json")
    team.close()
    return folder / "release"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release, the predictions of all models, and their paper."""
    folder = tmp_path_factory.mktemp("paper")
    cases = load_cases(frozen(folder))
    with ScriptedModel(Models(cases)) as model:
        lines = []
        for one in models():
            body = {**one.dump(), "base_url": model.base_url}
            lines += ["[[models]]", *(f"{key} = {json.dumps(value)}" for key, value in body.items())]
        (folder / "models.toml").write_text("\n".join(lines) + "\n")
        ran = annotator(
            "run", "release", "--models", "models.toml", "-o", "runs", "--together", 4, cwd=folder
        )
    assert ran.code == 0, ran.err
    write_paper(folder, "paper")
    return folder


def runs_of(folder: Path) -> list[Path]:
    """The files of predictions, in the order of the models."""
    names = [f"{one.model} thinking {one.thinking}" for one in models()]
    stems = [re.sub(r"[^\w.-]+", "-", name) for name in names]
    return [folder / "runs" / f"{stem}.jsonl" for stem in stems]


def write_paper(folder: Path, name: str) -> None:
    ran = annotator("paper", "release", *runs_of(folder), "-o", name, cwd=folder)
    assert ran.code == 0, ran.err


@pytest.mark.slow
def test_the_release_has_forty_dialogues_of_four_tasks_of_every_policy(made: Path) -> None:
    cases = load_cases(made / "release")
    assert [len(case.tasks) for case in cases] == [4] * DIALOGUES
    counts = Counter(task.policy for case in cases for task in case.tasks)
    assert set(counts) == set(Policy)
    assert min(counts.values()) >= 5
    assert len({tuple(task.policy for task in case.tasks) for case in cases}) > 30


@pytest.mark.slow
def test_the_same_release_and_runs_give_the_same_paper(made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every fifth picture is enough: all take half a minute, and the tests of small papers draw them.
    monkeypatch.setattr(papers, "album", lambda cards: album(cards)[::5])
    write_paper(made, "again")

    def hashes(name: str) -> dict[str, str]:
        files = (path for path in (made / name).rglob("*") if path.is_file())
        return {
            path.relative_to(made / name).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
        }

    before, after = hashes("paper"), hashes("again")
    other = {"paper.json", "tables.html"}  # they name, or hold, every picture
    assert {name for name in after if before[name] != after[name]} <= other
    assert len(after) >= 30
    assert {"tables.md", "tables.tex", "tables.xlsx", "numbers.tex", "methods.md"} < set(after)


@pytest.mark.slow
def test_three_figures_of_the_paper_are_those_of_the_lines_of_the_runs(made: Path) -> None:
    """Right is what says every gold call and then a text: the models either do that or stop early."""
    cases = {case.id: case for case in load_cases(made / "release")}
    text = (made / "paper" / "tables.csv").read_text()
    for file, one in list(zip(runs_of(made), models(), strict=True))[::11]:
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        right = 0
        for line in lines:
            gold = prepare(cases[line["case"]], line["task"])
            said = sum(len(reply.get("tool_calls") or ()) for reply in line["replies"])
            texts = sum(not reply.get("tool_calls") for reply in line["replies"])
            right += said == len(gold.task.calls) and texts == 1 + len(gold.task.asks)
        assert len(lines) == 4 * DIALOGUES
        assert f"Accuracy,{one.model},task,{int(10_000 * right / 160 + 0.5) / 100:.2f},{right},160" in text


@pytest.mark.slow
def test_the_paper_of_24_models_has_tables_pictures_and_effects_that_are_those_of_their_cards(
    made: Path,
) -> None:
    paper = made / "paper"
    manifest = json.loads((paper / "paper.json").read_text())
    assert [run["name"] for run in manifest["runs"]] == [model.model for model in models()]
    pictures = {path.stem for path in (paper / "figures").glob("*.pdf")}
    assert {
        "overall",
        "size",
        "thinking",
        "decline-lines",
        "information-map",
        "error-map",
        "pyramids",
    } <= pictures
    text = (paper / "tables.md").read_text()
    # Twelve pairs of one family and size; eight series of three sizes.
    assert re.search(r"^\| Thinking: on − off \| \+\d+\.\d\d \| [^|]+ \| 12 \|", text, re.MULTILINE)
    assert re.search(
        r"^\| Size: one doubling within a family \| \+\d+\.\d\d \| [^|]+ \| 8 \|", text, re.MULTILINE
    )


@pytest.mark.slow
def test_the_latex_of_a_paper_parses(made: Path) -> None:
    for name in ("tables.tex", "numbers.tex"):
        text = (made / "paper" / name).read_text()
        bare = re.sub(r"\\[{}\\%&_$#]", "", re.sub(r"(?m)(?<!\\)%.*$", "", text))
        depth = 0
        for sign in re.findall(r"[{}]", bare):
            depth += 1 if sign == "{" else -1
            assert depth >= 0
        assert depth == 0
        assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}")
        assert "birch_&" not in bare
    macros = re.findall(r"\\newcommand\{\\([^}]*)\}", (made / "paper" / "numbers.tex").read_text())
    assert len(set(macros)) == len(macros) > 24 * 5
    assert all(re.fullmatch("[A-Za-z]+", macro) for macro in macros)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX is installed (2026-11-28)")
def test_the_latex_of_a_paper_compiles(made: Path) -> None:
    (made / "paper" / "check.tex").write_text(DOCUMENT)
    ran = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "check.tex"],
        cwd=made / "paper",
        capture_output=True,
        text=True,
        errors="replace",
        timeout=120,
    )
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert (made / "paper" / "check.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.slow
def test_a_bundle_of_the_runs_verifies_and_every_changed_file_is_named(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundles, "report", lambda *_, **__: b"report")  # its pictures are those of the paper
    packed = tmp_path / "b.zip"
    write_bundle(made / "release", runs_of(made)[:3], packed, context=JobContext())
    assert verify_bundle(packed, context=JobContext()).problems == ()
    with zipfile.ZipFile(packed) as whole:
        files = {name: whole.read(name) for name in whole.namelist()}
    assert sum(name.endswith("scorecard.json") for name in files) == 3
    with zipfile.ZipFile(packed, "w") as changed:
        for name, data in files.items():
            changed.writestr(name, data if name == BUNDLE else data + b" ")
    said = "\n".join(verify_bundle(packed, context=JobContext()).problems)
    assert [name for name in files if name != BUNDLE and name not in said] == []
