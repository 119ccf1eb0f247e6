"""The pane beside the list: what a release's manifest says, and what checks and comparisons found."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import JsonValue
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QWidget

from annotator.cases.phrases import listed
from annotator.fields import title_of, written
from annotator.project.policy import ReviewPolicy
from annotator.release.freeze import ReleaseRow
from annotator.release.manifest import Manifest
from annotator.release.verification import ReleaseDiff, VerifyReport
from annotator.review.expert.decisions import defect_words
from scoring.groups import grouped
from scoring.measures.coverage import LONGEST
from scoring.measures.residual_error import percent
from scoring.model.taxonomy import Information, Policy, Stage
from scoring.texts import tr, tr_count, with_commas
from scoring.wording import sentence_case
from ui.services.commands import Commands
from ui.theme import (
    Button,
    ButtonKind,
    ElidedLabel,
    Hint,
    HintAction,
    PanelHeader,
    SectionLabel,
    TextLabel,
    Tone,
    WrappedLabel,
    theme,
)
from ui.theme.dialogs import FormDialog, question_dialog
from ui.theme.layouts import STRETCH, build, clear_layout, column, fill, grid, lay, scrolled, vbox
from ui.theme.menus import open_choices
from ui.theme.words import INFORMATION, POLICY, STAGE

_NAMES = {
    **{policy.value: POLICY[policy] for policy in Policy},
    **{information.value: INFORMATION[information] for information in Information},
}


_STATISTICS = {
    "cases": tr("Cases"),
    "tasks": tr("Tasks"),
    "calls": tr("Calls"),
    "questions": tr("Questions"),
    "dependencies": tr("Dependencies"),
    "distinct tools": tr("Distinct tools"),
    "tasks by policy": tr("Tasks by policy"),
    "tasks by information": tr("Tasks by information"),
    "cases by tasks": tr("Cases by tasks"),
    f"policy sequences of length 1 to {LONGEST}": tr("Policy sequences of length 1 to {most}", most=LONGEST),
}
"""What the figures of a manifest are called; of another version of the program there may be others."""


@dataclass(frozen=True)
class DetailLine:
    """One line: a name, its value, and what to know besides (for the tooltip)."""

    name: str
    value: str
    tip: str = ""


_MOST_NAMED = 5


def errata_dialog(parent: QWidget, release: ReleaseRow, case_ids: Sequence[str]) -> FormDialog:
    """Ask before errata are written into the folder of a release; answers None.

    Args:
        parent: The page.
        release: The release.
        case_ids: Its cases whose errata the folder does not say yet.
    """
    more = len(case_ids) - _MOST_NAMED
    names = [*case_ids[:_MOST_NAMED], *([tr("{more:,} more", more=more)] if more > 0 else [])]
    return question_dialog(
        "errata",
        tr("Write errata"),
        tr("Write the errata of {name}?", name=release.name),
        WrappedLabel(
            tr(
                "errata.json in {directory} then also says what became of {names}.",
                directory=release.directory,
                names=listed(names, last=tr("and")),
            )
        ),
        WrappedLabel(tr("Every other file of the release stays as it is."), "muted"),
        verb=tr("Write errata.json"),
        width=480,
        parent=parent,
    )


def facts_of(manifest: Manifest) -> dict[str, tuple[DetailLine, ...]]:
    """Everything a manifest says that people ask for, under its headings; empty ones are left out."""
    groups = {
        tr("Content"): _plain_statistics(manifest),
        tr("How wrong may it be"): _quality(manifest),
        **dict(_counted_statistics(manifest)),
        tr("Stage accuracy"): _accuracy(manifest),
        tr("Agreement, alpha"): _agreement(manifest),
        tr("Policy"): _policy(manifest),
        tr("Files"): _files(manifest),
        tr("Known defects, kept on purpose"): _kept(manifest),
        tr("Not in every file"): _missing(manifest),
    }
    return {heading: facts for heading, lines in groups.items() if (facts := tuple(lines))}


def size_words(count: int) -> str:
    """A size in bytes as people say it, e.g. `412 B`, `1.2 MB`."""
    size = float(count)
    for unit in ("B", "kB", tr("MB")):
        if size < 1000:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1000
    return tr("{size:.1f} GB", size=size)


def _plain_statistics(manifest: Manifest) -> Iterator[DetailLine]:
    yield from (
        DetailLine(_STATISTICS.get(name, name), f"{value:,}" if isinstance(value, int) else tr(str(value)))
        for name, value in manifest.about.statistics.items()
        if not isinstance(value, dict)
    )


def _counted_statistics(manifest: Manifest) -> Iterator[tuple[str, Iterator[DetailLine]]]:
    for name, value in manifest.about.statistics.items():
        if isinstance(value, dict):
            labels = [
                tr_count(int(key), "task") if key.isdecimal() else _NAMES.get(key, key) for key in value
            ]
            counts = (f"{count:,}" for count in value.values())
            yield _STATISTICS.get(name, name), map(DetailLine, labels, counts)


def _quality(manifest: Manifest) -> Iterator[DetailLine]:
    quality = manifest.about.quality
    if quality is None:
        return
    bound = quality.bound
    tip = "\n".join(map(tr, (quality.headline, *quality.details)))
    if bound.is_known:
        yield DetailLine(tr("Wrong cases, at most"), percent(bound.share), tip)
        yield DetailLine(tr("Wrong tasks, at most"), percent(bound.task_share), tip)
    else:
        yield DetailLine(tr("Wrong cases"), tr("nothing is known"), tip)
    yield DetailLine(
        tr("Looked at in random samples"),
        tr(
            "{sampled:,} of {drawn_from:,}, {found:,} wrong",
            sampled=bound.sampled,
            drawn_from=bound.drawn_from,
            found=bound.found,
        )
        if bound.sampled
        else tr("none"),
        tr("Failed rounds included."),
    )
    yield DetailLine(
        tr("Settled by experts"), f"{quality.settled:,}", tr("Escalated or sampled; not part of the bound.")
    )


def _accuracy(manifest: Manifest) -> Iterator[DetailLine]:
    for point in manifest.about.stage_accuracy:
        accuracy, total = point.get("accuracy"), point.get("total")
        yield DetailLine(
            STAGE[Stage(str(point["stage"]))],
            f"{100 * accuracy:.1f} %" if isinstance(accuracy, float | int) else tr("undefined"),
            tr("{get} of {total} cases left it as they are now", get=point.get("correct"), total=total)
            if accuracy is not None
            else _why(point),
        )


def _agreement(manifest: Manifest) -> Iterator[DetailLine]:
    for row in manifest.about.agreement:
        alpha = row.get("alpha")
        if isinstance(alpha, dict):
            value = alpha.get("value")
            yield DetailLine(
                sentence_case(tr(str(row["field"]).replace("_", " ").lower())),
                f"{value:.2f}" if isinstance(value, float | int) else tr("undefined"),
                tr(
                    "Krippendorff's alpha; {get} of {get2} units used",
                    get=alpha.get("used"),
                    get2=alpha.get("total"),
                )
                if value is not None
                else _why(alpha),
            )


def _why(body: dict[str, JsonValue]) -> str:
    return tr(str(body.get("undefined") or ""))


def _policy(manifest: Manifest) -> Iterator[DetailLine]:
    for name, value in manifest.about.policy.items():
        known = ReviewPolicy.model_fields.get(name)
        yield DetailLine(
            tr(title_of(name, known)) if known else name,
            (tr("yes") if value else tr("no")) if isinstance(value, bool) else _setting_words(value),
        )


def _setting_words(value: JsonValue) -> str:
    return written(
        tuple(map(_setting_words, value)) if isinstance(value, list) else tr(str(value).replace("_", " "))
    ) or tr("none")


def _files(manifest: Manifest) -> Iterator[DetailLine]:
    for name, entry in manifest.files.items():
        yield DetailLine(name, size_words(entry.bytes), tr("SHA-256 {sha256}", sha256=entry.sha256))


def _kept(manifest: Manifest) -> Iterator[DetailLine]:
    for item in manifest.about.kept:
        yield DetailLine(f"{item.case_id} · {defect_words(item.field)}", tr("kept"), item.reason)


def _missing(manifest: Manifest) -> Iterator[DetailLine]:
    for name, reasons in grouped((item.file, item.reason) for item in manifest.content.not_expressed).items():
        yield DetailLine(name, tr_count(len(reasons), "case"), "\n".join(sorted(set(reasons))[:5]))


_MOST_LINES = 30
_MOST_NAMED = 8


class ReleaseDetails(QFrame):
    """Shows one release; asks for its verification and for comparisons by signal."""

    compare_asked = Signal(str)
    """Name of the other release, or empty for a folder to be chosen."""
    errata_asked = Signal()
    """The errata of the release shown are to be written."""

    def __init__(self, commands: Commands, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, objectName="release-details", **properties)
        self._others: tuple[str, ...] = ()
        verify, self._compare = (
            Button(words, ButtonKind.GHOST, icon_name=icon_name, objectName=name)
            for words, icon_name, name in (
                (tr("Verify"), "shield-check", "release-verify"),
                (tr("Compare with…"), "git-diff", "release-compare"),
            )
        )
        commands.bind_all("releases", ("verify", verify), ("compare", self._compare))
        self._header = PanelHeader(tr("Release"), STRETCH, verify, self._compare)
        self._unwritten = vbox()
        self._results = vbox(gap=8)
        self._facts = vbox(gap=2)
        area = scrolled(
            column(self._unwritten, self._results, self._facts, STRETCH, gap=8, margins=12),
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        vbox(self._header, (area, 1), within=self)

    def show_release(self, row: ReleaseRow, *, others: tuple[str, ...]) -> None:
        """Show a release; `others` are the names it can be compared with."""
        manifest = Manifest.model_validate_json(row.manifest)
        self._others = others
        self._header.set_title(row.name)
        self.clear_results()
        digest = tr("SHA-256 {content_sha256}", content_sha256=row.content_sha256)
        fill(self._facts, map(_copyable, (digest, row.directory)))
        for heading, facts in facts_of(manifest).items():
            self._add_group(heading, facts)

    def show_unwritten(self, case_ids: tuple[str, ...]) -> None:
        """Show which cases were corrected or rejected since, and offer to write their errata."""
        clear_layout(self._unwritten)
        if not case_ids:
            return
        self._unwritten.addWidget(
            Hint(
                tr("{errata} not written yet", errata=tr_count(len(case_ids), "erratum", "errata")),
                tr(
                    "Corrected or rejected since: {named}. The release itself stays as it is.",
                    named=with_commas(case_ids[:_MOST_NAMED]) + (" …" if len(case_ids) > _MOST_NAMED else ""),
                ),
                Tone.WARN,
                actions=(HintAction("errata", tr("Write errata.json (E)")),),
                objectName="unwritten-errata",
                acted=self.errata_asked,
            )
        )

    def open_compare_menu(self) -> None:
        """Offer what the release can be compared with."""
        open_choices(
            self._compare,
            "compare-menu",
            (
                *((name, partial(self._choose, name)) for name in self._others),
                *([("", None)] if self._others else []),
                (tr("A folder…"), partial(self._choose, "")),
            ),
        )

    def _choose(self, other: str, _: bool = False) -> None:
        self.compare_asked.emit(other)

    def clear_results(self) -> None:
        """Take away what checks and comparisons said."""
        clear_layout(self._results)

    def show_report(self, report: VerifyReport) -> None:
        """Show what a verification found."""
        self.clear_results()
        if report.ok:
            words = tr(
                "{case}; no file was changed since the freeze.", case=tr_count(report.case_count, "case")
            )
            heading = tr("Corrected since · {errata_count:,}", errata_count=len(report.errata))
            lay(
                self._results,
                Hint(tr("Verified"), words, Tone.OK, objectName="verify-result"),
                SectionLabel(heading) if report.errata else None,
                *_line_labels(report.errata),
            )
            return
        title = tr("Changed since the freeze: {problems}", problems=tr_count(len(report.problems), "problem"))
        told = Hint(title, "", Tone.ERROR, objectName="verify-result")
        lay(self._results, told, *_line_labels(report.problems))

    def show_diff(self, diff: ReleaseDiff, *, first: str, second: str) -> None:
        """Show how the second release differs from the first."""
        self.clear_results()
        words = tr(
            "{added_count:,} added, {removed_count:,} removed, {changed_count:,} changed, {same:,} the same.",
            added_count=len(diff.added),
            removed_count=len(diff.removed),
            changed_count=len(diff.changed),
            same=diff.same,
        )
        title = tr("From {first} to {second}", first=first, second=second)
        self._results.addWidget(Hint(title, words, Tone.ACCENT, objectName="diff-result"))
        for heading, ids in (
            (tr("Added"), diff.added),
            (tr("Removed"), diff.removed),
            (tr("Changed"), diff.changed),
        ):
            if ids:
                lay(self._results, SectionLabel(f"{heading} · {len(ids):,}"), *_line_labels(ids))

    def _add_group(self, heading: str, facts: Sequence[DetailLine]) -> None:
        self._facts.addSpacing(theme().px(10))
        self._facts.addWidget(SectionLabel(heading))
        holder = QWidget()
        lines = grid(within=holder, gaps=(6, 2))
        for place, fact in enumerate(facts):
            lines.addWidget(ElidedLabel(fact.name), place, 0)
            lines.addWidget(
                TextLabel(
                    fact.value,
                    "strong",
                    toolTip=fact.tip,
                    textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
                ),
                place,
                1,
                Qt.AlignmentFlag.AlignRight,
            )
        self._facts.addWidget(holder)


def _line_labels(lines: Sequence[str]) -> Iterator[TextLabel]:
    """Lines of a result to look at and to copy; of very many the first."""
    for line in lines[:_MOST_LINES]:
        yield TextLabel(
            line, "mono", wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse
        )
    if len(lines) > _MOST_LINES:
        rest = tr("… {lines_count:,} more; the command line lists all.", lines_count=len(lines) - _MOST_LINES)
        yield TextLabel(rest, "small-muted")


def _copyable(text: str) -> QWidget:
    label = ElidedLabel(
        text,
        "mono-muted",
        mode=Qt.TextElideMode.ElideMiddle,
        contextMenuPolicy=Qt.ContextMenuPolicy.ActionsContextMenu,
    )
    label.addAction(tr("Copy"), partial(QGuiApplication.clipboard().setText, text.removeprefix("SHA-256 ")))
    return label


def default_folder(rows: tuple[ReleaseRow, ...], project: str) -> Path:
    """Where the next release folder goes at first: beside the last one, else beside the project."""
    if rows:
        return Path(rows[0].directory).parent
    return Path(project).absolute().parent / "releases" if "://" not in project else Path.home() / "releases"
