"""The freeze wizard: what is in, what is out and why, then a name and a place."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QTreeWidget, QTreeWidgetItem, QWidget

from annotator.release.freeze import FreezeOrder, FreezePreview
from annotator.release.manifest import KeptDefect
from annotator.review.expert.decisions import defect_words
from scoring.errors import InputError
from scoring.groups import grouped
from scoring.model.taxonomy import FINAL_STAGES
from scoring.texts import joined, tr, tr_count
from ui.services.forms import path_editor, record_form
from ui.theme import Hint, Stat, Tone, theme
from ui.theme.dialogs import DialogFrame, FormDialog
from ui.theme.fields import PathField
from ui.theme.layouts import STRETCH, build, connect, hbox
from ui.theme.look import follow_theme
from ui.theme.words import STAGE, plain_tip

_FEWEST_LINES, _MOST_LINES = 3, 10
_MOST_KEPT = 5


class FreezeDialog(FormDialog):
    """Shows what a freeze would take and asks for name and folder; answers a `FreezeOrder`.

    Args:
        preview: What is in and what is out.
        folder: Where release folders are put at first.
        name: The name proposed.
    """

    def __init__(
        self, preview: FreezePreview, *, folder: Path, name: str, parent: QWidget | None = None
    ) -> None:
        super().__init__("freeze", tr("Freeze a release"), tr("Freeze a release"), width=560, parent=parent)
        self._preview = preview
        self._tell_contents(self.frame)
        self._form = record_form(
            self,
            "freeze",
            FreezeOrder,
            "name",
            "folder",
            editors={"folder": path_editor(PathField("freeze-folder", tr("Folder for releases")))},
            accept=_accept,
        )
        self._form.fill(FreezeOrder(name=name, folder=folder))
        self._place = self.frame.explain("", "small-muted", objectName="freeze-place")
        self.end_with(tr("Freeze"), self._form.record, missing=self._why_not)

    def _tell_contents(self, frame: DialogFrame) -> None:
        preview = self._preview
        frame.add(_counts(preview))
        if preview.quality:
            said = (preview.quality.headline, *preview.quality.details)
            frame.explain(joined(*map(tr, said)), "small-muted", objectName="freeze-quality")
        if preview.open_errors:
            frame.add(
                Hint(
                    tr("Final cases with findings"),
                    tr(
                        "{errors} in the final cases.",
                        errors=tr_count(
                            preview.open_errors, "waived or open finding of severity error", "such findings"
                        ),
                    ),
                    Tone.WARN,
                )
            )
        if preview.kept:
            _tell_kept(frame, preview.kept)
        if preview.excluded:
            frame.explain(tr("Excluded cases"), "strong")
            frame.add((_Outside(preview, grown=frame.fit), 1))
        else:
            frame.explain(tr("Every case of the project is included."))

    def _why_not(self) -> str:
        problem, nothing = self._form.check(), ""
        if not self._preview.case_count:
            nothing = (
                tr("No final case is drawn.")
                if any(one.stage in FINAL_STAGES for one in self._preview.excluded)
                else tr("No case is final yet.")
            )
        place = (
            ""
            if problem
            else tr("The release folder will be {directory}.", directory=self._form.record().directory)
        )
        self._place.say(nothing or place)
        return nothing or problem


def _accept(order: FreezeOrder) -> None:
    """Raise an `InputError` where the release cannot be put there."""
    if "/" in order.name or "\\" in order.name or order.name in (".", ".."):
        raise InputError(tr("Choose a name without slashes, e.g. 2026.11."))
    if order.directory.exists():
        raise InputError(tr("{directory} exists already; choose another name.", directory=order.directory))


def _tell_kept(frame: DialogFrame, kept: Sequence[KeptDefect]) -> None:
    frame.add(
        Hint(
            tr("Known defects, kept on purpose"),
            tr("{count} of final cases.", count=tr_count(len(kept), "field")),
            Tone.WARN,
            objectName="freeze-kept",
        )
    )
    for one in kept[:_MOST_KEPT]:
        place = f"{one.case_id} · {tr(defect_words(one.field))}"
        frame.explain(tr("{name}: {words}", name=place, words=one.reason), "small-muted")
    if len(kept) > _MOST_KEPT:
        frame.explain(
            tr("… {kept_count} more; the manifest lists all.", kept_count=len(kept) - _MOST_KEPT),
            "small-muted",
        )


def _counts(preview: FreezePreview) -> QHBoxLayout:
    stats = []
    for name, count in (
        (tr("Cases in"), preview.case_count),
        (tr("Tasks in"), preview.task_count),
        (tr("Cases out"), preview.excluded_count),
    ):
        stats.append(Stat(name, objectName=f"freeze-{name.lower().replace(' ', '-')}"))
        stats[-1].set_value(f"{count:,}")
    return hbox(*stats, STRETCH, gap=32)


class _Outside(QTreeWidget):
    """Excluded cases, stage by stage and why; as high as what is unfolded, up to some lines."""

    grown = Signal()
    """More or fewer lines are unfolded."""

    def __init__(self, preview: FreezePreview, **properties: Any) -> None:
        build(
            super().__init__,
            headerHidden=True,
            objectName="freeze-outside",
            accessibleName=tr("Excluded cases and reasons"),
            textElideMode=Qt.TextElideMode.ElideMiddle,
            columnCount=2,
            **properties,
        )
        self.header().setStretchLastSection(True)
        self._fill(preview)
        follow_theme(self._fit)
        connect(
            (self.itemExpanded, self._grow),
            (self.itemCollapsed, self._grow),
        )

    def sizeHint(self) -> QSize:
        return self._size_of(_MOST_LINES)

    def minimumSizeHint(self) -> QSize:
        return self._size_of(_FEWEST_LINES)

    def _fit(self) -> None:
        self.setColumnWidth(0, theme().px(200))

    def _size_of(self, most: int) -> QSize:
        groups = (self.topLevelItem(number) for number in range(self.topLevelItemCount()))
        lines = sum(1 + group.childCount() * group.isExpanded() for group in groups if group is not None)
        return QSize(theme().px(200), self.sizeHintForRow(0) * min(lines, most) + 2 * self.frameWidth())

    def _fill(self, preview: FreezePreview) -> None:
        left_out = grouped(((one.stage, one.reason), one.case_id) for one in preview.excluded)
        for (stage, reason), case_ids in left_out.items():
            words = tr("{name}: {words}", name=tr_count(len(case_ids), "case"), words=reason)
            group = QTreeWidgetItem([STAGE[stage], words])
            group.setToolTip(1, plain_tip(group.text(1)))
            self.addTopLevelItem(group)
            for case_id in case_ids:
                leaf = QTreeWidgetItem([case_id])
                leaf.setFont(0, theme().mono())
                group.addChild(leaf)
                leaf.setFirstColumnSpanned(True)
                leaf.setToolTip(0, plain_tip(case_id))
        rest = preview.excluded_count - len(preview.excluded)
        if rest > 0:
            self.addTopLevelItem(QTreeWidgetItem(["…", tr_count(rest, "more case")]))

    def _grow(self) -> None:
        self.updateGeometry()
        self.grown.emit()
