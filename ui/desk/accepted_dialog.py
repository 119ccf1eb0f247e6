"""What else is right where a value stands: said by a person, proposed by runs and the schema."""

import json
from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from pydantic import JsonValue
from PySide6.QtWidgets import QWidget

from annotator.cases.pointers import value_at
from annotator.release.suspects import value_words
from scoring.errors import InputError
from scoring.formats.differences import same
from scoring.measures.proposed_values import ProposedValue, widened
from scoring.model.case import AcceptedValue, Call
from scoring.model.record import items_in, to_text
from scoring.model.strict_json import parse_embedded
from scoring.texts import tr, with_commas
from ui.services.forms import Editor, record_form
from ui.theme import Button, ButtonKind, WrappedLabel
from ui.theme.dialogs import FormDialog
from ui.theme.fields import line_field
from ui.theme.layouts import hbox


class AcceptedDialog(FormDialog):
    """Asks what else is right at a place of a call's arguments; the answer is an `AcceptedValue`.

    Args:
        call: The call as it is now.
        task: The number of its task.
        path: The JSON Pointer of the place.
        parent: The page.
    """

    def __init__(self, call: Call, parent: QWidget, *, task: int, path: str) -> None:
        title = tr("What else is right for {place}", place=path.lstrip("/"))
        super().__init__("accepted", title, title, width=460, parent=parent)
        self._value = value = value_at(call.arguments, path)
        self._place = task, call.name, path
        self.frame.explain(
            tr("It is {value}. Scoring by accepted values takes these, too.", value=to_text(value)[:200])
        )
        self._line = line = line_field("accepted-values", tr("Oslo, Bergen"))
        values = Editor(
            line,
            line.textChanged,
            lambda: _typed_values(line.text()),
            lambda shown: line.setText(with_commas(json.dumps(one, ensure_ascii=False) for one in shown)),
        )
        kinds = {str: "any_text", int: "tolerance", float: "tolerance", list: "any_order"}
        own = [kinds[type(value)]] if type(value) in kinds else []
        self._form = record_form(
            self,
            "accepted",
            AcceptedValue,
            *("values", "optional", *own),
            editors={"values": values},
        )
        self._form.fill(call.accepts.get(path, AcceptedValue()))
        self.end_with(tr("Save"), self._form.record, missing=self._form.check)
        line.setFocus()

    def offer(self, proposed: Iterable[ProposedValue]) -> None:
        """Show what is proposed for this place and value; a press puts it into the form, nothing is saved."""
        before = [*self._form.fields.values()][-1].editor.widget
        at_place = (one for one in proposed if (one.task, one.tool, one.path) == self._place)
        for number, one in enumerate((one for one in at_place if same(one.gold, self._value)), 1):
            words, name = value_words(one), f"accepted-add-{number}"
            add = Button(
                tr("Add"),
                ButtonKind.GHOST,
                objectName=name,
                accessibleName=tr("Add {value}", value=words),
                clicked=partial(self._add, one.added),
            )
            self.frame.add(hbox((WrappedLabel(words, toolTip=with_commas(one.models)), 1), add))
            self.setTabOrder(before, add)
            before = add

    def _add(self, added: AcceptedValue) -> None:
        if not self._form.check():
            self._form.fill(widened(self._form.record(), added))
            self._line.setFocus()


def _typed_values(text: str) -> list[JsonValue]:
    """Values as they were typed: JSON, or texts with commas between them."""
    with suppress(InputError):
        return list(items_in(parse_embedded(f"[{text}]")))
    return [part.strip() for part in text.replace("，", ",").split(",") if part.strip()]
