"""The pane beside the list: everything a release's manifest says, and what checks and comparisons found."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QGridLayout, QMenu, QScrollArea, QVBoxLayout, QWidget

from annotator.release.freeze import ReleaseRow
from annotator.release.manifest import Manifest
from annotator.release.verification import ReleaseDiff, VerifyReport
from ui.releases.facts import FactGroup, facts_of
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
    theme,
)
from ui.theme.layouts import STRETCH, build, clear_layout, vbox
from ui.theme.words import counted

_MOST_LINES = 30
_MOST_NAMED = 8


class ReleaseDetails(QFrame):
    """Shows one release; asks for its verification and for comparisons by signal."""

    compare_asked = Signal(str)
    """Name of the other release, or empty for a folder to be chosen."""
    errata_asked = Signal()
    """The errata of the release shown are to be written."""

    def __init__(self, commands: Commands, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("release-details")
        self._others: tuple[str, ...] = ()
        self._header = PanelHeader("Release")
        self._verify = Button(
            "Verify", ButtonKind.GHOST, icon_name="shield-check", objectName="release-verify"
        )
        self._compare = Button(
            "Compare with…", ButtonKind.GHOST, icon_name="git-diff", objectName="release-compare"
        )
        commands.bind(self._verify, "releases.verify")
        commands.bind(self._compare, "releases.compare")
        for button in (self._verify, self._compare):
            self._header.add_right(button)
        self._unwritten = QVBoxLayout()
        self._results = QVBoxLayout()
        self._results.setSpacing(theme().px(8))
        self._facts = QVBoxLayout()
        self._facts.setSpacing(theme().px(2))
        body = QWidget()
        vbox(self._unwritten, self._results, self._facts, STRETCH, within=body, gap=8, margins=12)
        area = build(
            QScrollArea, widgetResizable=True, horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        )
        area.setWidget(body)
        vbox(self._header, (area, 1), within=self)

    def show_release(self, row: ReleaseRow, *, others: tuple[str, ...]) -> None:
        """Show a release; `others` are the names it can be compared with."""
        manifest = Manifest.model_validate_json(row.manifest)
        self._others = others
        self._header.set_title(row.name)
        self.clear_results()
        clear_layout(self._facts)
        self._facts.addWidget(_copyable(f"SHA-256 {row.content_sha256}"))
        self._facts.addWidget(_copyable(row.directory))
        for group in facts_of(manifest):
            self._add_group(group)

    def show_unwritten(self, case_ids: tuple[str, ...]) -> None:
        """Show which cases were corrected or rejected since, and offer to write their errata."""
        clear_layout(self._unwritten)
        if not case_ids:
            return
        named = ", ".join(case_ids[:_MOST_NAMED]) + (" …" if len(case_ids) > _MOST_NAMED else "")
        hint = Hint(
            f"{counted(len(case_ids), 'erratum', 'errata')} not written yet",
            f"Corrected or rejected since: {named}. The release itself stays as it is.",
            Tone.WARN,
            actions=(HintAction("errata", "Write errata.json (E)"),),
            objectName="unwritten-errata",
        )
        hint.acted.connect(lambda _: self.errata_asked.emit())
        self._unwritten.addWidget(hint)

    def open_compare_menu(self) -> None:
        """Offer what the release can be compared with."""
        menu = build(QMenu, self, objectName="compare-menu")
        for name in self._others:
            menu.addAction(name).setData(name)
        if self._others:
            menu.addSeparator()
        menu.addAction("A folder…").setData("")
        menu.triggered.connect(lambda action: self.compare_asked.emit(str(action.data())))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._compare.mapToGlobal(self._compare.rect().bottomLeft()))

    def clear_results(self) -> None:
        """Take away what checks and comparisons said."""
        clear_layout(self._results)

    def show_report(self, report: VerifyReport) -> None:
        """Show what a verification found."""
        self.clear_results()
        if report.ok:
            words = f"{counted(report.case_count, 'case')}; no file was changed since the freeze."
            self._add_result(Hint("Verified", words, Tone.OK), "verify-result")
            if report.errata:
                self._results.addWidget(SectionLabel(f"Corrected since · {len(report.errata):,}"))
                self._add_lines(report.errata)
            return
        problems = counted(len(report.problems), "problem")
        self._add_result(Hint(f"Changed since the freeze: {problems}", "", Tone.ERROR), "verify-result")
        self._add_lines(report.problems)

    def show_diff(self, diff: ReleaseDiff, *, first: str, second: str) -> None:
        """Show how the second release differs from the first."""
        self.clear_results()
        words = (
            f"{len(diff.added):,} added, {len(diff.removed):,} removed, {len(diff.changed):,} changed, "
            f"{diff.same:,} the same."
        )
        self._add_result(Hint(f"From {first} to {second}", words, Tone.ACCENT), "diff-result")
        for heading, ids in (("Added", diff.added), ("Removed", diff.removed), ("Changed", diff.changed)):
            if ids:
                self._results.addWidget(SectionLabel(f"{heading} · {len(ids):,}"))
                self._add_lines(ids)

    def _add_result(self, hint: Hint, name: str) -> None:
        hint.setObjectName(name)
        self._results.addWidget(hint)

    def _add_lines(self, lines: tuple[str, ...]) -> None:
        for line in lines[:_MOST_LINES]:
            label = TextLabel(
                line, "mono", wordWrap=True, textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse
            )
            self._results.addWidget(label)
        if len(lines) > _MOST_LINES:
            rest = f"… {len(lines) - _MOST_LINES:,} more; the command line lists all."
            self._results.addWidget(TextLabel(rest, "small-muted"))

    def _add_group(self, group: FactGroup) -> None:
        self._facts.addSpacing(theme().px(10))
        self._facts.addWidget(SectionLabel(group.heading))
        holder = QWidget()
        grid = QGridLayout(holder)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(theme().px(2))
        grid.setColumnStretch(0, 1)
        for place, fact in enumerate(group.facts):
            name, value = ElidedLabel(fact.name), TextLabel(fact.value, "strong")
            value.setToolTip(fact.tip)
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(name, place, 0)
            grid.addWidget(value, place, 1, Qt.AlignmentFlag.AlignRight)
        self._facts.addWidget(holder)


def _copyable(text: str) -> QWidget:
    label = ElidedLabel(
        text,
        "mono-muted",
        mode=Qt.TextElideMode.ElideMiddle,
        contextMenuPolicy=Qt.ContextMenuPolicy.ActionsContextMenu,
    )
    action = label.addAction("Copy")
    action.triggered.connect(lambda: QGuiApplication.clipboard().setText(text.removeprefix("SHA-256 ")))
    return label


def default_folder(rows: tuple[ReleaseRow, ...], project: str) -> Path:
    """Where the next release folder goes at first: beside the last one, else beside the project."""
    if rows:
        return Path(rows[0].directory).parent
    place = Path(project)
    return place.absolute().parent / "releases" if "://" not in project else Path.home() / "releases"
