"""The results section of a paper as a folder: tables, pictures, numbers, methods, and what they rest on."""

import hashlib
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from itertools import count
from pathlib import Path

from annotator.files import replace_bytes
from annotator.release.manifest import file_entry
from annotator.release.reports.album import album, save_album
from annotator.release.reports.dataset_tables import dataset_pictures, dataset_tables
from annotator.release.reports.effect_tables import effect_numbers
from annotator.release.reports.report import latex_text, markdown_text, render, report_tables
from annotator.release.reports.run_groups import Cards, groups_apart, named
from annotator.release.reports.score_tables import (
    ScoreTable,
    shown,
)
from annotator.release.reports.teval_section import (
    NO_TEVAL,
    TevalGroups,
    teval_methods,
    teval_numbers,
    teval_pictures,
)
from db.project_files.unfinished import unfinished
from scoring.errors import DISTRIBUTION, InputError, StoreError, reworded
from scoring.golds import GoldSet
from scoring.measures import catalogue
from scoring.measures.dataset import dataset_statistics
from scoring.measures.intervals import RESAMPLES
from scoring.model.taxonomy import Grouping, ReportFormat
from scoring.scorecard import Scorecard, setting_words
from scoring.texts import in_english
from scoring.wording import counted

MANIFEST = "paper.json"
"""Says what a folder rests on, and what was written into it: what is still so may be made anew."""
_FORMS = {
    ReportFormat.MARKDOWN: "tables.md",
    ReportFormat.LATEX: "tables.tex",
    ReportFormat.CSV: "tables.csv",
    ReportFormat.HTML: "tables.html",
    ReportFormat.XLSX: "tables.xlsx",
}
_DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


def write_paper(
    gold: GoldSet,
    runs: Sequence[Scorecard],
    directory: Path,
    *,
    release: str,
    by: Sequence[Grouping] = (),
    teval: TevalGroups = NO_TEVAL,
) -> tuple[Path, ...]:
    """Write everything a results section needs; the same inputs give the same bytes.

    Args:
        gold: The cases of the release.
        runs: Their runs, in printed order.
        directory: A new folder, or one that this wrote before and nobody changed, which is replaced.
        release: What the release is called.
        by: What of the models' cards runs are grouped by in the tables.
        teval: Scores of T-Eval that stand beside the runs; see `read_teval`.

    Returns:
        The files.

    Raises:
        InputError: A run is of other cases or given twice, or the folder holds what this did not write.
        StoreError: It cannot be written.
    """
    cards = named(runs)
    for name, card in cards:
        if card.cases_sha256 != gold.cases_sha256:
            raise InputError(
                f"{name} was scored against other cases than those of {release}.",
                "Score its predictions against this release, then name that folder.",
            )
    if foreign := _foreign_file(directory):
        raise InputError(f"{foreign} was not written by this command, or was changed.", "Name a new folder.")
    with in_english(), unfinished(directory) as work:
        _write(gold, cards, work, release, by, teval)
        with reworded(
            OSError,
            into=lambda exc: StoreError(
                f"{directory} cannot be replaced: {exc.strerror}.", "Name a new folder."
            ),
        ):
            if directory.exists():
                shutil.rmtree(directory)
            work.rename(directory)
    return _files_in(directory)


def _files_in(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.rglob("*") if not path.is_dir()))


def _foreign_file(folder: Path) -> Path | None:
    """A file that a former paper did not write, or that is not as it was written; None where all may go."""
    if not folder.exists():
        return None
    if not folder.is_dir() or folder.is_symlink():
        return folder
    try:
        written = json.loads((folder / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError, TypeError):
        written = {}
    own = {folder / MANIFEST} if written else set()
    changed = (
        path
        for path in _files_in(folder)
        if path not in own and written.get(path.relative_to(folder).as_posix()) != file_entry(path).sha256
    )
    return next(changed, None)


def _write(
    gold: GoldSet, cards: Cards, folder: Path, release: str, by: Sequence[Grouping], teval: TevalGroups
) -> None:
    sets = [(release, dataset_statistics(gold.cases.values()))]
    tables = (*report_tables(cards, by=by, teval=teval), *dataset_tables(sets))
    pictures = (*album(cards), *teval_pictures(teval), *dataset_pictures(sets))
    for name, data in {
        **{name: render(tables, form, title=release, pictures=pictures) for form, name in _FORMS.items()},
        "numbers.tex": numbers_text(cards, tables, teval).encode(),
        "methods.md": methods_text(gold, cards, release, teval).encode(),
    }.items():
        replace_bytes(folder / name, data)
    save_album(pictures, folder / "figures")
    replace_bytes(folder / MANIFEST, _manifest(gold, cards, release, folder, teval).encode())


def numbers_text(cards: Cards, tables: Sequence[ScoreTable] = (), teval: TevalGroups = NO_TEVAL) -> str:
    r"""A LaTeX macro for every headline figure of every run, e.g. `\ModelATaskAccuracy` for 56.64.

    Effects have one each, too, e.g. `\EffectThinkingOnOff`, with the same and `From`, `To`, `Models`, `P`
    and `PHolm` for what stands beside them. Names of macros have letters only, so digits are written out;
    names that come out alike are numbered.

    Args:
        cards: Names and scorecards.
        tables: Tables, of which those of effects count.
        teval: Scores of T-Eval, of which the mean of six abilities counts.
    """
    lines: list[str] = []
    seen: set[str] = set()
    for name, figures in (*_headlines(cards), *effect_numbers(tables), *teval_numbers(teval)):
        lines.append(f"% {' '.join(name.split())}")
        for title, text in figures.items():
            stem = _letters(f"{name} {title}")
            names = (stem if number == 1 else f"{stem}{_letters(str(number))}" for number in count(1))
            macro = next(name for name in names if name not in seen)
            seen.add(macro)
            lines.append(rf"\newcommand{{\{macro}}}{{{latex_text(text)}}}")
    return "\n".join(lines) + "\n"


def _headlines(cards: Cards) -> Iterator[tuple[str, dict[str, str]]]:
    for name, card in cards:
        figures = {"Tasks": f"{card.summary.tasks:,}"}
        for measure in catalogue.MEASURES:
            found = card.summary.figures(measure).get(catalogue.TOTAL) if measure.heading else None
            if found is not None and found.value is not None:
                figures[measure.heading] = measure.form.text(found)
        if card.win_rate and card.win_rate.win_rate.value is not None:
            figures["win rate"] = shown(card.win_rate.win_rate)
        yield name, figures


def _letters(text: str) -> str:
    """A text as the name of a macro: words begin large, digits are written out, the rest is left out."""
    return "".join(
        _DIGITS[int(word)] if word.isdigit() else word[0].upper() + word[1:]
        for word in re.findall(r"[A-Za-z]+|\d", text)
    )


def methods_text(gold: GoldSet, cards: Cards, release: str, teval: TevalGroups = NO_TEVAL) -> str:
    """How the figures came about, in sentences: cases, rules, failures, intervals, settings of each run."""
    parts = [
        f"# Methods\n\nRelease {markdown_text(release)}: {counted(len(gold.cases), 'case')}, "
        f"{counted(len(gold.golds), 'scored task')}, "
        f"{counted(len(gold.not_scorable), 'task')} that cannot be scored. "
        f"SHA-256 of the cases: {gold.cases_sha256}.",
        "A task without a prediction counts as wrong in rates. It is excluded where runs are compared with "
        "each other (task by task, without and with thinking, two interfaces, doublings of the size, two "
        "histories): these count the tasks that have a prediction in all of their runs. How many each run "
        "lacks stands below. Rates are in percent with their count and total. "
        "Intervals beside rates of slices are 95 % Wilson intervals; those of the overall figures "
        f"are 95 % percentile bootstrap intervals over dialogues with {RESAMPLES:,} resamples. "
        "Nothing is averaged, ranked or compared between runs of different rules.",
    ]
    for words, members in groups_apart(cards).items():
        basis = members[0][1].basis
        rules = ", ".join(basis.words(entry) for entry in type(basis).model_fields)
        parts.append(f"## {words or 'Rules of all runs'}\n\nScored under {rules}.")
        for name, card in members:
            summary = card.summary
            right = summary.figures(catalogue.headlines()["task_accuracy"])[catalogue.TOTAL]
            facts = (
                ", ".join(setting_words(card.setting)) or "usual setting",
                f"n = {summary.tasks:,}",
                f"undrawn tasks {summary.undrawn.words}",
                f"accuracy in percent {shown(right)}",
                f"{summary.missing:,} without a prediction",
                f"{summary.infra_errors:,} failed outside the model ({summary.infra_errors_count.words})",
                f"{counted(summary.ignored, 'prediction')} ignored",
            )
            parts.append(f"* {markdown_text(name)}: {', '.join(facts)}.")
    parts += teval_methods(teval)
    return "\n\n".join(parts) + "\n"


def _manifest(gold: GoldSet, cards: Cards, release: str, folder: Path, teval: TevalGroups) -> str:
    body = {
        "release": release,
        "cases_sha256": gold.cases_sha256,
        "program": version(DISTRIBUTION),
        "runs": [
            {
                "name": name,
                "predictions_sha256": card.predictions_sha256,
                "scorer": card.scorer_version,
                "scorecard_sha256": hashlib.sha256(card.model_dump_json().encode()).hexdigest(),
            }
            for name, card in cards
        ],
        "teval": [
            {"name": name, "scores_sha256": hashlib.sha256(one.model_dump_json().encode()).hexdigest()}
            for models in teval.values()
            for name, one in models
        ],
        "files": {path.relative_to(folder).as_posix(): file_entry(path).sha256 for path in _files_in(folder)},
    }
    return json.dumps(body, ensure_ascii=False, indent=1) + "\n"
