"""The dialogs about a case: why it is let go, which tool is called, which words are replaced."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QLineEdit,
    QListWidget,
    QPlainTextEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from annotator.cases.edits.replacement import Field, Occurrence, find_all, find_and_replace, text_around
from scoring.errors import AnnotatorError
from scoring.model.case import Case, Tool
from scoring.model.labels import Reason
from scoring.model.record import to_text
from scoring.model.taxonomy import FeedbackCategory
from scoring.texts import in_language, tr, tr_count, with_commas
from scoring.wording import folded, sentence_case
from ui.dialogue.arguments.completions import declared_in
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind, ElidedLabel, WrappedLabel, theme
from ui.theme.dialogs import FormDialog, FramedDialog
from ui.theme.events import LIST_STEPS, on_keys
from ui.theme.fields import DropDown, NoteField
from ui.theme.layouts import build, hbox
from ui.theme.look import scaled
from ui.theme.words import mistake_kinds, plain_tip, visible


def reason_dialog(
    title: str,
    words: str,
    *,
    verb: str,
    parent: QWidget,
    hint: str = tr("What is wrong, and where"),
    has_category: bool = True,
    topic: str = "",
    own: Sequence[str] = (),
    blank: str = tr("Say why in a few words; whoever gets the case reads it."),
) -> FormDialog:
    """Asks for a note and its category; the answer is the `Reason`.

    Args:
        title: What is about to be done, as a question.
        words: What follows from it, in one sentence.
        verb: What the button says.
        parent: The page.
        hint: What the note says while it is empty.
        has_category: Whether a kind of mistake is asked for besides the note.
        topic: What `F1` explains in it; empty for nothing.
        own: The team's own kinds of mistake.
        blank: Why an empty note is not enough.
    """
    dialog = FormDialog("reason", title, title, width=460, about=words, parent=parent, topic=topic)
    category = DropDown(
        "reason-category",
        [(sentence_case(words), str(kind)) for kind, words in mistake_kinds(own).items()],
        accessibleName=tr("Kind of mistake"),
    )
    category.currentIndexChanged.connect(lambda: set_topic(f"feedback.{category.currentData()}", category))
    category.setCurrentIndex(category.findData(FeedbackCategory.OTHER.value))
    if not has_category:
        category.hide()
    note = NoteField("reason-note", tr("Why"), hint, textChanged=dialog.check, sent=dialog.give)

    def answer() -> Reason:
        return Reason(category=category.currentData(), note=note.words)

    def missing() -> str:
        return "" if note.words else blank

    dialog.frame.add(category, (note, 1))
    dialog.end_with(verb, answer, missing=missing, keys=tr("Ctrl ↵"))
    if dialog.go is not None:
        dialog.go.setDefault(True)  # for Enter on the category
    note.setFocus()
    return dialog


def time_dialog(raw: str, parent: QWidget, *, task: int | None = None) -> FormDialog:
    """Asks for the simulated time, from which "tomorrow" is counted; the answer is the text.

    Args:
        raw: The time as it stands.
        parent: The page.
        task: The task whose own time it is; None for that of the whole case.
    """
    title = tr("Change the time") if task is None else tr("Change the time of task {task}", task=task + 1)
    about = tr("The moment in which the dialogue takes place. Leave it empty where there is none.")
    dialog = FormDialog("time", title, title, width=420, about=about, parent=parent)
    field = build(
        QLineEdit,
        raw,
        objectName="time-text",
        accessibleName=tr("Simulated time"),
        placeholderText=tr("2026-03-02 09:30:00 Monday"),
    )
    dialog.frame.add(field)
    return dialog.end_with(tr("Change"), field.text)


def derived_dialog(parent: QWidget, *, count: int) -> FormDialog:
    """Asks from what values were worked out, before they are marked so; the answer is the text.

    Args:
        parent: The table of values.
        count: How many they are.
    """
    title = tr("Mark {value} as derived", value=tr_count(count, "value"))
    dialog = FormDialog(
        "derived",
        title,
        title,
        width=420,
        about=tr("From what is it worked out? The words stand beside the value."),
        parent=parent,
        topic="mark.derived",
    )
    field = build(
        QLineEdit,
        objectName="derived-from",
        accessibleName=tr("From what it is derived"),
        placeholderText=tr("two adults and three kids"),
        textChanged=dialog.check,
    )
    dialog.frame.add(field)
    field.setFocus()
    missing = tr("Say from what, in a word or two.")
    return dialog.end_with(
        tr("Mark"), lambda: field.text().strip(), missing=lambda: "" if field.text().strip() else missing
    )


def matching_tools(tools: Sequence[Tool], words: str, *, recent: Sequence[str] = ()) -> tuple[Tool, ...]:
    """The tools that have every word in their name or description.

    Args:
        tools: What there is.
        words: What was typed; nothing matches every tool.
        recent: Names of tools that were chosen before, the last one first.

    Returns:
        Recent tools first, then those whose name has the words, each in the order of the case.
    """
    asked = folded(words).split()

    def rank(tool: Tool) -> tuple[int, bool]:
        place = recent.index(tool.name) if tool.name in recent else len(recent)
        return place, not all(word in folded(tool.name) for word in asked)

    found = [t for t in tools if all(word in folded(f"{t.name} {t.description}") for word in asked)]
    return tuple(sorted(found, key=rank))


def tool_words(tool: Tool) -> str:
    """What a tool does, and a line for each of its parameters."""
    properties, needed = declared_in(tool.parameters)
    lines = [tool.description.strip() or tr("No description.")]
    for name, about in properties.items():
        fields = about if isinstance(about, dict) else {}
        kind = fields.get("type", tr("any"))
        notes = [kind if isinstance(kind, str) else to_text(kind)]
        notes += [tr("required")] if name in needed else []
        if isinstance(fields.get("enum"), list):
            notes.append(tr("one of ") + to_text(fields["enum"]))
        lines += ["", f"{name}: {with_commas(notes)}"]
        if fields.get("description"):
            lines.append(f"    {fields['description']}")
    return "\n".join(lines)


class ToolPicker(FramedDialog):
    """Lists the tools of a case; while nothing is typed a digit takes one of the first nine.

    Args:
        tools: What there is.
        title: What the tool is chosen for.
        recent: Names of tools that were chosen before, the last one first.
        properties: What it opens above, and what its signal calls.
    """

    chosen = Signal(str)
    """Name of the tool."""

    def __init__(
        self, tools: Sequence[Tool], *, title: str, recent: Sequence[str], **properties: Any
    ) -> None:
        super().__init__("tool-picker", title, title, width=680, height=420, **properties)
        self._tools, self._recent = tuple(tools), tuple(recent)
        self._shown: tuple[Tool, ...] = ()
        self.words = build(
            QLineEdit,
            objectName="tool-filter",
            placeholderText=tr("Type to filter"),
            accessibleName=tr("Filter the tools"),
            textChanged=self._filter,
        )
        self._list = build(
            QListWidget,
            objectName="tool-list",
            accessibleName=tr("Tools"),
            focusPolicy=Qt.FocusPolicy.NoFocus,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            currentRowChanged=self._show_tool,
            itemDoubleClicked=self._choose_current,
        )
        self._about = build(
            QPlainTextEdit, objectName="tool-about", accessibleName=tr("What the tool does"), readOnly=True
        )
        self._ok = Button(
            tr("Choose"),
            ButtonKind.PRIMARY,
            keys="↵",
            objectName="tool-ok",
            default=True,
            clicked=self._choose_current,
        )
        self.frame.add(self.words, (hbox((self._list, 2), (self._about, 3), gap=8), 1))
        self.frame.end_with(self._ok)
        # The field's own parents would scroll with these keys.
        on_keys(self.words, {key: partial(self._move, by) for key, by in LIST_STEPS.items()})
        self._filter("")
        self.words.setFocus()

    def _move(self, by: int) -> None:
        self._list.setCurrentRow(min(max(self._list.currentRow() + by, 0), len(self._shown) - 1))

    def _filter(self, words: str) -> None:
        if words.isdecimal() and 1 <= int(words) <= min(len(self._shown), 9):
            self._choose(int(words) - 1)
            return
        self._shown = matching_tools(self._tools, words, recent=self._recent)
        self._list.clear()
        for number, tool in enumerate(self._shown, 1):
            digit = f"{number}  " if number < 10 and not words else ""
            self._list.addItem(f"{digit}{visible(tool.name)}")
        self._ok.set_blocked("" if self._shown else tr("No tool matches."))
        self._list.setCurrentRow(0 if self._shown else -1)

    def _show_tool(self, row: int) -> None:
        is_there = 0 <= row < len(self._shown)
        self._about.setPlainText(
            visible(tool_words(self._shown[row])) if is_there else tr("No tool matches.")
        )

    def _choose_current(self) -> None:
        self._choose(self._list.currentRow())

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self._shown) and self.isVisible():
            self.accept()
            self.chosen.emit(self._shown[row].name)


_FIELDS: Mapping[str, frozenset[Field]] = {
    tr("Everywhere"): frozenset(("user", "text", "reply", "arguments", "observation")),
    tr("Requests"): frozenset(("user",)),
    tr("Questions, replies and answers"): frozenset(("text", "reply")),
    tr("Arguments of calls"): frozenset(("arguments",)),
    tr("Observations"): frozenset(("observation",)),
}
_NAMES: Mapping[Field, str] = {
    "user": tr("request"),
    "text": tr("text"),
    "reply": tr("reply"),
    "arguments": tr("argument"),
    "observation": tr("observation"),
}
_BEFORE, _BEHIND = 28, 48
_MOST_SHOWN = 500
_FEWEST_LINES = 3


class ReplaceDialog(FramedDialog):
    """Asks for the words, what they become, and where.

    Args:
        case: Gives the case as it is now.
        parent: The page.
        words: What is looked for at first.
    """

    wanted = Signal(str, object)
    """(title, change of the case)."""
    place_wanted = Signal(int, object)
    """(task, step or None for the request): the place that is current in the list."""

    def __init__(self, case: Callable[[], Case], parent: QWidget, *, words: str = "", **signals: Any) -> None:
        title = tr("Replace in this case")
        about = tr("Names of tools and arguments stay as they are.")
        super().__init__(
            "replace-dialog", title, title, width=640, height=480, about=about, parent=parent, **signals
        )
        self._case = case
        self._hits: tuple[Occurrence, ...] = ()
        self.needle = build(
            QLineEdit, words, objectName="replace-needle", accessibleName=tr("Find"), textChanged=self._look
        )
        self.replacement = build(QLineEdit, objectName="replace-with", accessibleName=tr("Replace with"))
        self.match_case = build(
            QCheckBox, tr("Match capital letters"), objectName="replace-match-case", toggled=self._look
        )
        self.scope = DropDown(
            "replace-scope", [(name, name) for name in _FIELDS], accessibleName=tr("Where to look")
        )
        self.places = build(
            _Places,
            objectName="replace-places",
            accessibleName=tr("Places; Space leaves one out or takes it in"),
            columnCount=2,
            rootIsDecorated=False,
            uniformRowHeights=True,
            itemChanged=self._count_chosen,
            currentItemChanged=self._show_place,
        )
        self.places.setHeaderLabels([tr("Place"), tr("What stands there")])
        # The words that are replaced have the room, however long a place is called.
        scaled(self.places.header(), setDefaultSectionSize=220)
        self._count = ElidedLabel("", "small-muted", objectName="replace-count")
        self._problem = WrappedLabel("", "error", objectName="replace-problem", visible=False)
        self._this = Button(
            tr("Replace this"), keys=tr("Ctrl ↵"), objectName="replace-this", clicked=self._replace_current
        )
        self._all = Button(
            tr("Replace all"),
            ButtonKind.PRIMARY,
            keys="↵",
            objectName="replace-ok",
            default=True,
            clicked=self._replace_chosen,
        )
        self._lay_out()
        self.scope.currentIndexChanged.connect(self._look)
        QShortcut(Qt.Modifier.CTRL | Qt.Key.Key_Return, self, self._replace_current)
        self._look()
        self.needle.selectAll()

    def _lay_out(self) -> None:
        frame = self.frame
        scope = hbox((self.scope, 1), self.match_case, gap=None)
        frame.add_form((tr("Find"), self.needle), (tr("Replace with"), self.replacement), (tr("In"), scope))
        frame.add((self.places, 1), self._problem)
        frame.end_with(self._this, self._all, cancel=tr("Close"), left=self._count)

    # places

    def _look(self) -> None:
        """List the places again."""
        needle, case = self.needle.text(), self._case()
        fields = _FIELDS[self.scope.currentText()]
        found = find_all(case, needle, match_case=self.match_case.isChecked()) if needle else ()
        self._hits = tuple(hit for hit in found if hit.field in fields)
        with QSignalBlocker(self.places):
            self.places.clear()
            self.places.addTopLevelItems([_item(case, hit) for hit in self._hits[:_MOST_SHOWN]])
        self._count_chosen()

    def _chosen(self) -> tuple[Occurrence, ...]:
        """The places that are ticked; those beyond the end of the list cannot be left out."""
        rows = range(self.places.topLevelItemCount())
        ticked = [self._hits[row] for row in rows if _is_ticked(self.places.topLevelItem(row))]
        return (*ticked, *self._hits[_MOST_SHOWN:])

    def _count_chosen(self) -> None:
        count, total = len(self._chosen()), len(self._hits)
        words = (
            tr_count(total, "place")
            if count == total
            else tr("{count:,} of {place}", count=count, place=tr_count(total, "place"))
        )
        self._count.setText(words if self.needle.text() else "")
        blocked = "" if total else tr("Type words that stand in the case.")
        self._all.setText(tr("Replace all") if count == total else tr("Replace {count:,}", count=count))
        self._all.set_blocked(blocked or ("" if count else tr("Tick a place in the list (Space).")))
        self._this.set_blocked(
            blocked or ("" if self.places.currentItem() else tr("Go to a place in the list."))
        )

    def _show_place(self) -> None:
        row = self.places.currentIndex().row()
        if 0 <= row < len(self._hits):
            self.place_wanted.emit(self._hits[row].task, self._hits[row].step)
        self._count_chosen()

    # replacing

    def _replace_chosen(self) -> None:
        chosen = self._chosen()
        self._replace(None if len(chosen) == len(self._hits) and self.scope.currentIndex() == 0 else chosen)

    def _replace_current(self) -> None:
        row = self.places.currentIndex().row()
        if not 0 <= row < len(self._hits):
            return
        self._replace((self._hits[row],))
        self.places.setCurrentIndex(self.places.model().index(min(row, len(self._hits) - 1), 0))

    def _replace(self, chosen: Collection[Occurrence] | None) -> None:
        needle = self.needle.text()
        change = partial(
            find_and_replace,
            needle=needle,
            replacement=self.replacement.text(),
            match_case=self.match_case.isChecked(),
            chosen=chosen,
        )
        try:
            change(self._case())
        except AnnotatorError as error:
            self._problem.say(in_language(str(error)))
            return
        self._problem.hide()
        self.wanted.emit(tr("replace “{needle}”", needle=needle), change)
        self._look()


class _Places(QTreeWidget):
    """The list of places; on a low screen the fields above give way, not its lines."""

    def minimumSizeHint(self) -> QSize:
        row = max(self.sizeHintForRow(0), theme().px(20))
        height = self.header().sizeHint().height() + _FEWEST_LINES * row
        return QSize(super().minimumSizeHint().width(), height)


def _item(case: Case, hit: Occurrence) -> QTreeWidgetItem:
    where = (
        tr("Task {task}", task=hit.task + 1)
        if hit.step is None
        else tr("Task {task} · step {step}", task=hit.task + 1, step=hit.step)
    )
    text = text_around(case, hit)
    start, end = hit.span
    before, behind = text[max(start - _BEFORE, 0) : start], text[end : end + _BEHIND]
    shown = f"{'…' if start > _BEFORE else ''}{before}“{text[start:end]}”{behind}"
    name = " ".join(part for part in (_NAMES[hit.field], hit.path) if part)
    item = QTreeWidgetItem([f"{where} · {visible(name)}", visible(" ".join(shown.split()))])
    item.setToolTip(1, plain_tip(text[:2000]))
    item.setCheckState(0, Qt.CheckState.Checked)
    return item


def _is_ticked(item: QTreeWidgetItem | None) -> bool:
    return item is not None and item.checkState(0) is Qt.CheckState.Checked
