"""A record as a form: every field in what edits its kind, with its words, and its problem beside it."""

from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import ValidationError
from pydantic.fields import FieldInfo
from PySide6.QtCore import QObject, Signal, SignalInstance
from PySide6.QtWidgets import QCheckBox, QDoubleSpinBox, QLayout, QLineEdit, QWidget

from annotator.fields import FieldHints, bound_of, choices_of, hints_of, taken_by, title_of, written
from scoring.errors import AnnotatorError
from scoring.model.record import Record
from scoring.texts import in_language, tr
from scoring.wording import sentence_case
from ui.services.topics import set_topic
from ui.theme import TextLabel, WrappedLabel, theme
from ui.theme.dialogs import FormDialog
from ui.theme.fields import (
    ChoiceBoxes,
    DropDown,
    FilesField,
    NoteField,
    PathField,
    form_row,
    line_field,
    number_field,
)
from ui.theme.labels import restyle
from ui.theme.layouts import build, column
from ui.theme.words import plain_tip

_PERCENT = 100
PREDICTIONS_FILTER = tr("Predictions (*.jsonl *.json);;All files (*)")
"""Which files a window shows that asks for replies of models."""
_NOTHING: tuple[object, ...] = (None, "", ())
_MOST = 2**31 - 1

Words = Mapping[Any, str]
"""What the values of a field are called."""
FormRow = str | tuple[str, ...]
"""A field, or the name of a row with fields and words beside each other."""


@dataclass(frozen=True)
class Editor:
    """What a field is edited in.

    Attributes:
        widget: What is seen.
        changed: Goes out when another value stands there.
        read: The value as the record takes it; an empty one is None, or has no length.
        show: Takes a value of the record.
    """

    widget: QWidget
    changed: SignalInstance
    read: Callable[[], Any]
    show: Callable[[Any], object]


def editor_of(name: str, field: FieldInfo, words: Words | None = None) -> Editor:
    """What fits the kind of a field: boxes, a list, numbers within its bounds, or a line.

    Args:
        name: Object name.
        field: The field.
        words: Its values, where they are a few, and what they are called; None for its closed set.
    """
    kind, low, high = field.annotation, bound_of(field, "ge"), bound_of(field, "le")
    words = words or {one: tr(one.value.replace("_", " ")) for one in choices_of(field)}
    if words and isinstance(field.default, tuple):
        boxes = ChoiceBoxes(name, words)
        return Editor(boxes, boxes.changed, lambda: boxes.chosen, boxes.choose)
    if words:
        chosen = DropDown(name, [(text, value) for value, text in words.items()])
        choose = chosen.setCurrentIndex
        return Editor(
            chosen,
            chosen.currentIndexChanged,
            chosen.currentData,
            lambda value: choose(list(words).index(value) if value in words else -1),
        )
    if kind is bool:
        box = build(QCheckBox, objectName=name)
        return Editor(box, box.toggled, box.isChecked, box.setChecked)
    if kind is int:
        limits = int(low or 0), int(high or _MOST)
        count = number_field(name, limits, value=limits[0], suffix=tr(hints_of(field).unit))
        return Editor(count, count.valueChanged, count.value, count.setValue)
    if kind is float and high is not None:
        share = build(QDoubleSpinBox, objectName=name, decimals=1, suffix=" %", maximum=_PERCENT * high)
        share.lineEdit().setTextMargins(theme().px(6), 0, 0, 0)
        return Editor(
            share,
            share.valueChanged,
            lambda: round(share.value() / _PERCENT, 5),
            lambda value: share.setValue(value * _PERCENT),
        )
    return _line_editor(name, field)


def path_editor(path: PathField) -> Editor:
    """A field for a path, as what a field of a record is edited in."""
    return Editor(path, path.line.textChanged, path.read, path.show_path)


def budget_row(place: str) -> FormRow:
    """The row of a limit in dollars with its prices; `place` is the field of the `Budget`."""
    limit, read, wrote = (f"{place}.{key}" for key in ("dollars", "prompt_price", "completion_price"))
    return (tr("Spending limit, dollars"), limit, tr("at $ per million tokens"), read, wrote)


def files_editor(files: FilesField) -> Editor:
    """A list of files, as what a field of a record is edited in."""
    return Editor(files, files.changed, lambda: files.files, files.add)


def _line_editor(name: str, field: FieldInfo) -> Editor:
    example = tr(str(field.examples[0])) if field.examples else ""
    if hints_of(field).has_lines:
        note = NoteField(name, "", example.replace("; ", "\n"))
        return Editor(
            note,
            note.textChanged,
            lambda: note.words,
            lambda value: note.setPlainText(written(value).replace("; ", "\n")),
        )
    line = line_field(name, example)
    kinds = (field.annotation, *get_args(field.annotation))
    if not field.repr:
        line.setEchoMode(QLineEdit.EchoMode.Password)

    def read() -> str | None:
        text = line.text().strip() if field.repr else line.text()
        if {int, float} & set(kinds):
            text = text.lstrip("$").replace(",", "")
        return None if not text and type(None) in kinds else text

    return Editor(line, line.textChanged, read, lambda value: line.setText(written(value)))


class FormField:
    """A field of a form.

    Args:
        title: What it is called.
        info: Its kind, bounds and words.
        editor: What it is edited in.
    """

    def __init__(self, title: str, info: FieldInfo, editor: Editor) -> None:
        self.title = title
        self.info = info
        self.editor = editor
        self.hints: FieldHints = hints_of(info)
        self.problem = WrappedLabel("", "error", visible=False)
        """Says beside the field what is wrong with it."""
        widget, words = editor.widget, tr(info.description or "")
        widget.setToolTip(plain_tip(words))
        widget.setAccessibleName(widget.accessibleName() or title)
        widget.setAccessibleDescription(words)
        if self.hints.topic:
            set_topic(self.hints.topic, widget)

    def mark(self, problem: str) -> None:
        """Say what is wrong beside it; empty for nothing."""
        self.problem.say(problem, "error")
        if isinstance(self.editor.widget, QLineEdit):
            restyle(self.editor.widget, "problem", "yes" if problem else "no")


class RecordForm(QObject):
    """Edits some fields of a record; the others keep what the record they are filled from has.

    A field of a record in the record is named with a dot, e.g. `budget.tokens`.

    Args:
        stem: Begins the object names of the fields.
        model: What is edited.
        rows: The fields, from the top.
        words: What the values of a field are called; needed only where its closed set does not say it.
        editors: What fields are edited in that need something of their own.
        accept: Raises an `AnnotatorError` where a record is none that can be used.
    """

    edited = Signal()
    """Another value stands in a field, or what does not fit has become another."""

    def __init__(
        self,
        stem: str,
        model: type[Record],
        *rows: FormRow,
        words: Mapping[str, Words] | None = None,
        editors: Mapping[str, Editor] | None = None,
        accept: Callable[[Any], object] | None = None,
        parent: QObject | None = None,
        **signals: Any,
    ) -> None:
        build(super().__init__, parent, **signals)
        self._model, self._rows, self._accept = model, rows, accept
        self._problem = WrappedLabel("", "error", visible=False)
        self._kept: dict[str, Any] = {}
        self.fields: dict[str, FormField] = {}
        """Every field by its name."""
        for key in (
            part
            for row in rows
            for part in ((row,) if isinstance(row, str) else row[1:])
            if part.partition(".")[0] in model.model_fields  # else it is a word between two fields
        ):
            last, info = key.rpartition(".")[2], _field_at(model, key)
            editor = (editors or {}).get(key) or editor_of(f"{stem}-{last}", info, (words or {}).get(key))
            self.fields[key] = FormField(tr(title_of(last, info)), info, editor)
            if not info.is_required():
                editor.show(info.get_default(call_default_factory=True))
            editor.changed.connect(self.edited)

    def rows(self) -> Iterator[tuple[QWidget, QWidget | QLayout]]:
        """The rows for `DialogFrame.add_form`; below the last one a problem that is of no field."""
        for row in self._rows:
            title, *parts = (
                (tr(row[0]), *row[1:]) if isinstance(row, tuple) else (self.fields[row].title, row)
            )
            fields = [self.fields[part] for part in parts if part in self.fields]
            widgets = [self.fields[part].editor.widget if part in self.fields else part for part in parts]
            problems = [one.problem for one in fields]
            problems += [self._problem] if row is self._rows[-1] else []
            within = form_row(*widgets) if len(widgets) > 1 else fields[0].editor.widget
            label = build(TextLabel, tr(title), buddy=fields[0].editor.widget)
            set_topic(fields[0].hints.topic, label)
            yield (label, column(within, *problems, focus=fields[0].editor.widget))

    def fill(self, record: Record) -> None:
        """Show the values of a record."""
        self._kept = record.model_dump()
        for key, field in self.fields.items():
            value: Any = record
            for name in key.split("."):
                value = getattr(value, name)
            field.editor.show(value)

    def values(self) -> dict[str, Any]:
        """What the fields say, as the record takes it."""
        values = deepcopy(self._kept)
        for key, field in self.fields.items():
            *outer, last = key.split(".")
            place = values
            for name in outer:
                place = place.setdefault(name, {})
            place[last] = field.editor.read()
        return values

    def record(self) -> Any:
        """The record the fields say.

        Raises:
            ValidationError: They say none; `check` gives the reason.
        """
        return self._model.model_validate(self.values())

    def check(self) -> str:
        """Say beside a field what is wrong with it; answers what is wrong, empty for nothing.

        A field with nothing in it is told only by the answer.
        """
        key, problem = self._find_problem()
        is_missing = self._is_empty(key)
        self.mark("" if is_missing else key, "" if is_missing else problem)
        return problem

    def _is_empty(self, key: str) -> bool:
        return bool(key) and self.fields[key].editor.read() in _NOTHING

    def mark(self, key: str, problem: str) -> None:
        """Say a problem beside one field and none beside the others, and block what depends on another.

        A problem of no field is said below all of them.
        """
        self._problem.say("" if key else problem)
        for name, field in self.fields.items():
            field.mark(problem if name == key else "")
            if field.hints.only_with is not None:
                other, wanted = field.hints.only_with
                other = name[: name.rfind(".") + 1] + other
                field.editor.widget.setEnabled(self.fields[other].editor.read() == wanted)

    def _find_problem(self) -> tuple[str, str]:
        """A field with a problem and the problem, one in what is written before one of an empty field."""
        try:
            record = self.record()
            if self._accept is not None:
                self._accept(record)
        except ValidationError as exc:
            found = [self._told(error) for error in exc.errors()]
            return next((one for one in found if not self._is_empty(one[0])), found[0])
        except AnnotatorError as exc:
            return "", in_language(str(exc))
        return "", ""

    def _told(self, error: Any) -> tuple[str, str]:
        """The field an error is about, empty for none, and what is told of it."""
        place = ".".join(map(str, error["loc"])) + "."
        near = (key for key in self.fields if f"{key}.".startswith(place) or place.startswith(f"{key}."))
        key = next(near, "")
        if error["type"] == "value_error":
            return key, in_language(f"{sentence_case(str(error['ctx']['error']))}.")
        field = self.fields[key]
        if self._is_empty(key):
            return key, tr("Fill in “{title}”.", title=field.title)
        return key, tr("“{title}” takes {value}.", title=field.title, value=tr(taken_by(field.info)))


def record_form(
    dialog: FormDialog, stem: str, model: type[Record], *rows: FormRow, **properties: Any
) -> RecordForm:
    """Add a `RecordForm` to a dialog, which looks at what is missing whenever it is edited."""
    form = RecordForm(stem, model, *rows, parent=dialog, edited=dialog.check, **properties)
    dialog.frame.add_form(*form.rows())
    return form


def _field_at(model: Any, key: str) -> FieldInfo:
    *outer, last = key.split(".")
    for name in outer:
        model = model.model_fields[name].annotation
    found: FieldInfo = model.model_fields[last]
    return found
