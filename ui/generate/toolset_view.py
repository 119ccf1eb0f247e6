"""Toolsets of a file: what they lack, what would be better, and what a person accepted so far."""

import json
from collections.abc import Hashable
from functools import partial
from operator import attrgetter
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QWidget

from annotator.generation.toolsets.refinement import (
    CheckedToolsets,
    ToolChange,
    accept_and_check,
    check_file,
    part_at,
    refined_path,
)
from annotator.generation.toolsets.toolset_checks import RULES
from annotator.generation.toolsets.toolset_findings import ToolsetFinding
from scoring.errors import AnnotatorError
from scoring.model.record import JsonObject
from scoring.model.taxonomy import Severity
from scoring.texts import tr, tr_count
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.pages import ReportPanel
from ui.theme import Button, ButtonKind, ElidedLabel, PanelHeader, TextLabel
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell, moment_cell
from ui.theme.dialogs import open_dialog
from ui.theme.fields import NoteField
from ui.theme.labels import WrappedLabel
from ui.theme.layouts import STRETCH, ScrollArea, build, column, hbox, split, stacked, vbox
from ui.theme.panels import EmptyState
from ui.theme.tables import Column, FigureTable
from ui.theme.tokens import SEVERITY_TONE

_COLUMNS: tuple[Column[ToolsetFinding], ...] = (
    Column("", 84, lambda one: Cell(one.severity.value, chip=SEVERITY_TONE[one.severity], tip=one.rule)),
    Column(tr("Tool"), 200, lambda one: Cell(one.tool, is_mono=True, tip=one.toolset)),
    Column(
        tr("Where"),
        150,
        lambda one: Cell(
            one.path.replace("/properties/", " › ").replace("/items", " › item").strip(" ›"),
            is_mono=True,
            colour="muted",
        ),
    ),
    Column(tr("What is lacking"), cell=lambda one: Cell(one.message, tip=one.settle)),
)
_HISTORY_COLUMNS: tuple[Column[ToolChange], ...] = (
    Column(tr("When"), 100, lambda one: moment_cell(one.at)),
    Column(tr("Who"), 90, lambda one: one.person),
    Column(tr("Tool"), 180, lambda one: Cell(one.tool, is_mono=True)),
    Column(tr("Settled"), cell=lambda one: Cell(f"{one.rule} {one.path}".strip(), tip=_json(one.after))),
)
_ALL = ""
_MOST_ROWS = 2000
_GRAVEST = (Severity.ERROR, Severity.WARNING, Severity.INFO)


class ToolsetView(ReportPanel):
    """What a file of toolsets lacks, a proposal for each finding that has one, and the history."""

    def __init__(self, operations: Operations, notice: ErrorBanner) -> None:
        super().__init__("toolset-view", operations, notice)
        self._looked: CheckedToolsets | None = None
        self._declined: set[tuple[str, ...]] = set()
        self._build()

    def _build(self) -> None:
        self._severity = ChoiceChip(
            "toolset-severity",
            tr("Severity"),
            [(_ALL, tr("Every severity")), *((one.value, one.value) for one in Severity)],
            chosen=self._show,
        )
        self._rule = ChoiceChip(
            "toolset-rule",
            tr("Rule"),
            [(_ALL, tr("Every rule")), *((rule.id, rule.id) for rule in RULES)],
            chosen=self._show,
        )
        self._about = ElidedLabel("", "small-muted", objectName="toolset-about")
        header = PanelHeader(
            "",
            self._severity,
            self._rule,
            (self._about, 1),
            Button(tr("Open file…"), icon_name="folder-open", objectName="toolset-open", clicked=self.ask),
        )
        self._table = FigureTable("toolset-findings", tr("Findings"), _COLUMNS, marked=self._show_marked)
        self._first = Button(
            tr("Open file…"), ButtonKind.PRIMARY, objectName="toolset-open-first", clicked=self.ask
        )
        self._stack = stacked(
            EmptyState(
                "wrench",
                tr("No toolset is open"),
                tr("Open a file of function schemas, an OpenAPI 3 file in JSON or an MCP tools/list reply."),
                button=self._first,
            ),
            split(Qt.Orientation.Horizontal, (self._table, 780), (self._details(), 560)),
        )
        vbox(header, (self._stack, 1), within=self)

    def take_keys(self) -> None:
        """Give the keys to the findings, or to the button that opens a file where none is open."""
        (self._first if self._stack.currentIndex() == 0 else self._table).setFocus()

    def _details(self) -> QWidget:
        self._message = WrappedLabel("", "strong")
        self._settle = WrappedLabel("", "small-muted")
        self._now = WrappedLabel(
            "", "mono", textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self._after = NoteField(
            "toolset-after",
            tr("As it becomes, as JSON"),
            tr("Write the better part as JSON."),
            textChanged=self._check,
            sent=self._accept_marked,
        )
        self._problem = WrappedLabel("", "error", visible=False)
        self._accept = Button(
            tr("Accept"),
            ButtonKind.PRIMARY,
            keys="Ctrl+↵",
            objectName="toolset-accept",
            clicked=self._accept_marked,
        )
        self._decline = Button(tr("Decline"), objectName="toolset-decline", clicked=self._decline_marked)
        inside = column(
            self._message,
            self._settle,
            TextLabel(tr("As it is"), "small-muted"),
            self._now,
            TextLabel(tr("As it becomes"), "small-muted"),
            (self._after, 1),
            self._problem,
            hbox(STRETCH, self._decline, self._accept, gap=None),
            gap=8,
            margins=(16, 12),
        )
        self._history = FigureTable("toolset-history", tr("History"), _HISTORY_COLUMNS, is_still=True)
        self._written = ElidedLabel("", "small-muted")
        return split(
            Qt.Orientation.Vertical,
            (ScrollArea(inside, width=320, height=200), 440),
            (column(PanelHeader(tr("Accepted changes"), (self._written, 1)), (self._history, 1)), 200),
        )

    # reading -------------------------------------------------------------------------------------

    def ask(self) -> None:
        """Ask which file to look at."""
        open_dialog(
            build(
                QFileDialog,
                self,
                tr("Toolsets"),
                "",
                tr("Toolsets (*.json *.jsonl *.json.gz *.jsonl.gz);;All files (*)"),
                fileMode=QFileDialog.FileMode.ExistingFile,
                fileSelected=self.open_file,
            )
        )

    def open_file(self, file: str) -> None:
        """Look at a file."""
        self._about.setText(tr("Reading {name} …", name=Path(file).name))
        self._operations.start_outside(
            partial(check_file, Path(file)), tr("Check toolsets"), then=self._take, failed=self._fail
        )

    def _take(self, looked: CheckedToolsets) -> None:
        self._looked = looked
        self._show()
        self._table.setFocus()

    def _fail(self, error: AnnotatorError) -> None:
        self._show()
        self._notice.show_error(error)

    # showing -------------------------------------------------------------------------------------

    def _show(self) -> None:
        looked = self._looked
        self._stack.setCurrentIndex(1 if looked else 0)
        if looked is None:
            self._about.setText("")
            return
        shown = [
            finding
            for finding in looked.findings
            if self._severity.value in (_ALL, finding.severity)
            and self._rule.value in (_ALL, finding.rule)
            and _key(finding) not in self._declined
        ]
        shown.sort(key=lambda finding: _GRAVEST.index(finding.severity))
        parts = (
            tr_count(len(looked.toolsets), "toolset"),
            tr_count(sum(len(toolset.tools) for toolset in looked.toolsets), "tool"),
        )
        more = tr(", the first {most_rows:,} shown", most_rows=_MOST_ROWS) if len(shown) > _MOST_ROWS else ""
        self._about.setText(
            f"{looked.file.name} · {' · '.join(parts)} · {tr_count(len(shown), 'finding')}{more}"
        )
        self._table.show_items(shown[:_MOST_ROWS], key=_key)
        self._history.show_items(reversed(looked.history), key=attrgetter("at", "tool", "path"))
        self._written.setText(
            tr("written to {name}", name=refined_path(looked.file).name) if looked.history else ""
        )
        self._show_marked(self._table.marked_key)

    def _show_marked(self, _: Hashable) -> None:
        finding, looked = self._table.marked_item, self._looked
        self._message.setText(finding.message if finding else tr("Nothing is lacking."))
        self._settle.setText(finding.settle if finding else "")
        part: JsonObject = {}
        if finding and looked:
            toolset = next(one for one in looked.toolsets if one.toolset.name == finding.toolset)
            part = part_at(next(tool for tool in toolset.tools if tool.name == finding.tool), finding.path)
        self._now.setText(_json(part) if finding else "")
        self._after.setPlainText(_json(finding.proposal or part) if finding else "")
        self._check()

    def _check(self) -> None:
        problem = self._refusal()
        has_changed = self._after.words != self._now.text().strip()
        self._problem.say(problem if has_changed and self._table.marked_item else "")
        self._accept.set_blocked(problem)
        self._decline.set_blocked("" if self._table.marked_item else problem)

    def _refusal(self) -> str:
        """Why what is written cannot be accepted; empty where it can."""
        if self._table.marked_item is None:
            return tr("Nothing is marked.")
        try:
            is_object = isinstance(json.loads(self._after.words), dict)
        except ValueError:
            return tr("This is no JSON yet.")
        if not is_object:
            return tr("This is no JSON object.")
        return (
            ""
            if self._after.words != self._now.text().strip()
            else tr("It is as before: change it, or decline.")
        )

    # deciding ------------------------------------------------------------------------------------

    def _accept_marked(self) -> None:
        finding, looked = self._table.marked_item, self._looked
        if finding is None or looked is None or self._refusal():
            return
        self._operations.start_outside(
            partial(
                accept_and_check,
                looked,
                finding,
                after=json.loads(self._after.words),
                person=self._operations.name,
            ),
            tr("Check toolsets"),
            then=self._take,
            failed=self._fail,
        )

    def _decline_marked(self) -> None:
        finding = self._table.marked_item
        if finding is not None:
            self._declined.add(_key(finding))
            self._show()


def _key(finding: ToolsetFinding) -> tuple[str, ...]:
    return finding.rule, finding.toolset, finding.tool, finding.path, tr(finding.message)


def _json(value: JsonObject) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
