"""A record as a form: each field in what edits its kind, with its words, its bounds and its problem."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field, model_validator
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLabel, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from annotator.fields import GROUPS, LISTS, NAMES, SHARE, FieldHints
from scoring.errors import InputError
from scoring.model.record import Record
from ui.services.forms import FormRow, RecordForm, path_editor
from ui.services.topics import topic_of
from ui.theme import WrappedLabel
from ui.theme.dialogs import FramedDialog
from ui.theme.fields import ChoiceBoxes, PathField


class Colour(StrEnum):
    """What a thing looks like."""

    RED = "red"
    DARK_BLUE = "dark_blue"


class Limits(Record):
    """What a thing may cost."""

    dollars: float | None = Field(default=None, gt=0)
    price: float | None = None

    @model_validator(mode="after")
    def _priced(self) -> "Limits":
        if self.dollars is not None and self.price is None:
            raise ValueError("a limit needs a price")
        return self


class Thing(Record):
    """A record with a field of each kind."""

    name: str = Field(min_length=1, title="Full name", description="What it is called.", examples=["e.g. a"])
    is_on: bool = True
    count: Annotated[int, FieldHints(unit=" of them", topic="policy")] = Field(default=2, ge=1, le=5)
    share: Annotated[float, SHARE] = Field(default=0.125, ge=0, le=0.5)
    colour: Colour = Colour.RED
    colours: Annotated[tuple[Colour, ...], NAMES] = (Colour.DARK_BLUE,)
    pairs: Annotated[tuple[tuple[str, ...], ...], GROUPS] = (("a", "b"), ("c",))
    skills: Annotated[dict[str, tuple[str, ...]], LISTS] = Field(default_factory=dict)
    place: Path = Path("here")
    secret: Annotated[str, FieldHints(only_with=("is_on", True))] = Field(default="", repr=False)
    note: str | None = None
    limits: Limits = Limits()
    kept: int = 7


LIMIT = ("Limit, dollars", "limits.dollars", "zu", "limits.price")  # one word, as other languages may have
ROWS: tuple[FormRow, ...] = (*list(Thing.model_fields)[:11], LIMIT)


@pytest.fixture
def form(qtbot: QtBot) -> Iterator[RecordForm]:
    """A form of the record above, all of it but the last field, in a dialog."""
    dialog = FramedDialog("thing-dialog", "Thing", "Thing", width=400)
    qtbot.addWidget(dialog)
    place = path_editor(PathField("thing-place", "Place"))
    made = RecordForm("thing", Thing, *ROWS, editors={"place": place}, parent=dialog)
    dialog.frame.add_form(*made.rows())
    yield made
    dialog.close()


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("name", QLineEdit),
        ("is_on", QCheckBox),
        ("count", QSpinBox),
        ("share", QDoubleSpinBox),
        ("colour", QComboBox),
        ("colours", ChoiceBoxes),
        ("pairs", QLineEdit),
        ("place", PathField),
        ("limits.dollars", QLineEdit),
    ],
)
def test_a_field_is_edited_in_what_fits_its_kind(form: RecordForm, key: str, kind: type[QWidget]) -> None:
    assert isinstance(form.fields[key].editor.widget, kind)


def test_a_form_begins_with_the_defaults_and_says_what_is_missing(form: RecordForm) -> None:
    assert form.check() == "Fill in “Full name”."
    form.fields["name"].editor.show("a")
    assert form.check() == ""
    assert form.record() == Thing(name="a")


def test_a_record_is_read_back_with_what_the_form_does_not_show(
    form: RecordForm,
) -> None:
    full = Thing(
        name="a",
        is_on=False,
        count=5,
        share=0.333,
        colour=Colour.DARK_BLUE,
        colours=(Colour.RED, Colour.DARK_BLUE),
        pairs=(("x", "y"),),
        skills={"x": ("en", "zh"), "y": ()},
        place=Path("/there"),
        secret="s",
        note="n",
        limits=Limits(dollars=2.5, price=3),
        kept=9,
    )
    form.fill(full)
    assert form.check() == ""
    assert form.record() == full


def test_words_bounds_and_topic_come_from_the_field(form: RecordForm) -> None:
    name, count = form.fields["name"].editor.widget, form.fields["count"].editor.widget
    assert isinstance(name, QLineEdit)
    assert isinstance(count, QSpinBox)
    assert (name.accessibleName(), name.toolTip(), name.placeholderText()) == (
        "Full name",
        "What it is called.",
        "e.g. a",
    )
    assert (count.minimum(), count.maximum(), count.suffix(), topic_of(count)) == (1, 5, " of them", "policy")


def test_a_secret_is_not_shown(form: RecordForm) -> None:
    secret = form.fields["secret"].editor.widget
    assert isinstance(secret, QLineEdit)
    assert secret.echoMode() is QLineEdit.EchoMode.Password
    secret.setText(" two words ")
    assert form.values()["secret"] == " two words "


@pytest.mark.parametrize(
    ("key", "text", "words"),
    [
        ("skills", "x", "A name and its list are divided by a colon."),
        ("limits.dollars", "many", "“Dollars” takes a number above 0."),
        ("limits.price", "many", "“Price” takes a number, such as 10 or 2.50."),
        ("limits.dollars", "$1,000", "A limit needs a price."),
    ],
)
def test_a_problem_is_said_beside_its_field(form: RecordForm, key: str, text: str, words: str) -> None:
    form.fields["name"].editor.show("a")
    form.fields[key].editor.show(text)
    assert form.check() == words
    assert {name: field.problem.text() for name, field in form.fields.items() if field.problem.text()} == {
        key: words
    }


def test_a_field_that_another_one_switches_off_is_blocked(form: RecordForm) -> None:
    form.check()
    assert form.fields["secret"].editor.widget.isEnabled()
    form.fields["is_on"].editor.show(False)
    form.check()
    assert not form.fields["secret"].editor.widget.isEnabled()


def test_a_row_holds_several_fields_with_words_between_them(form: RecordForm) -> None:
    dollars, price = (form.fields[key].editor.widget for key in ("limits.dollars", "limits.price"))
    row = dollars.parentWidget()
    assert row is not None
    assert row is price.parentWidget()
    words = [one.text() for one in row.findChildren(QLabel)]
    assert "zu" in words
    assert row.focusProxy() is dollars


def test_a_record_that_cannot_be_used_is_told_below_all_fields(qtbot: QtBot) -> None:
    dialog = FramedDialog("thing-dialog", "Thing", "Thing", width=400)
    qtbot.addWidget(dialog)

    def accept(limits: Limits) -> None:
        raise InputError(f"{limits.price} is too much.", "Ask again.")

    form = RecordForm("limits", Limits, "dollars", "price", accept=accept, parent=dialog)
    dialog.frame.add_form(*form.rows())
    form.fields["price"].editor.show(3)
    assert form.check() == "3.0 is too much. Ask again."
    problems = [one for one in dialog.findChildren(WrappedLabel) if one.property("look") == "error"]
    assert [one.text() for one in problems if one.isVisibleTo(dialog)] == ["3.0 is too much. Ask again."]
    form.fields["price"].editor.show("many")
    form.check()
    assert [one.text() for one in problems if one.isVisibleTo(dialog)] == [
        "“Price” takes a number, such as 10 or 2.50."
    ]
