"""A paper of a release of forty dialogues and of 24 scripted models, whose LaTeX compiles."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from math import log10
from pathlib import Path
from random import Random

import pytest

from annotator.release.runs.conversation import RunSetting
from annotator.release.runs.evaluation import load_cases
from annotator.release.runs.model_run import RunPlan
from annotator.resources import resource_path
from scoring.matching.gold import Gold
from scoring.model.case import Case, dump_case
from scoring.model.record import to_json
from scoring.model_card import ModelCard
from tests.annotator.release.weather import weather
from tests.e2e.command import annotator
from tests.scripted_model.agents import Said, perfect, script_of, stops_early
from tests.scripted_model.asking import run, scripted

FAMILIES = {"alder": "open", "birch_& b": "open", "cedar": "closed", "drill": "specialised"}
"""Families of models and their kinds; one has a name that LaTeX takes for markup."""
SIZES = (2, 8, 64)
DOCUMENT = r"""\documentclass{article}
\usepackage{booktabs}
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


def answers(model: ModelCard, gold: Gold, turn: int) -> Said:
    """Right more often where the model is larger, and where it thinks."""
    level = 0.35 + 0.25 * log10(model.size or 1) + (0.1 if model.thinking == "on" else 0)
    is_right = Random(f"{model.model} {gold.case_id} {gold.task_number}").random() < level
    return perfect(gold, turn) if is_right else stops_early(gold, turn) if gold.task.calls else "Hm."


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper of all models beside their predictions."""
    folder = tmp_path_factory.mktemp("paper")
    samples = load_cases(resource_path("samples", "cases.jsonl"))
    cases: list[Case] = [*samples, *(weather(number) for number in range(40 - len(samples)))]
    (folder / "cases.jsonl").write_text("".join(to_json(dump_case(case)) + "\n" for case in cases))
    files = []
    for number, model in enumerate(models()):
        plan = RunPlan(setting=RunSetting(model=model.model), model_card=model, concurrency=4)
        files.append(f"{number}.jsonl")
        agent = script_of(partial(answers, model), cases)
        with scripted(agent) as (client, _):
            run(cases, client, folder / files[-1], plan=plan)
    assert len(files) == 24
    ran = annotator("paper", "cases.jsonl", *files, "-o", "paper", cwd=folder)
    assert ran.code == 0, ran.err
    return folder


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
