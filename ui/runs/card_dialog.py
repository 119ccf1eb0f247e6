"""The card of a model beside a run, to be filled in."""

from PySide6.QtWidgets import QWidget

from scoring.model.taxonomy import ModelKind, Thinking, ToolMode
from scoring.model_card import ModelCard
from ui.services.forms import RecordForm
from ui.theme.dialogs import FormDialog

_UNKNOWN = {None: "Not known"}


def card_dialog(card: ModelCard, *, parent: QWidget | None = None) -> FormDialog:
    """Ask what is known of a model; answers its card, in which nothing is guessed any more."""
    dialog = FormDialog("card", "Model card", card.model, width=560, parent=parent)
    form = RecordForm(
        "card",
        ModelCard,
        "maker",
        "family",
        ("Size, billions", "size", "of it active", "active_size"),
        "kind",
        "thinking",
        "released",
        "interface",
        ("Temperature", "temperature", "with seed", "seed"),
        "max_tokens",
        ("Dollars per million tokens read", "prompt_price", "and written", "completion_price"),
        words={
            "kind": _UNKNOWN | {one: one.value.capitalize() for one in ModelKind},
            "thinking": _UNKNOWN | {one: one.value.capitalize() for one in Thinking},
            "interface": _UNKNOWN | {ToolMode.NATIVE: "By native calls", ToolMode.PROMPT: "In the prompt"},
        },
        parent=dialog,
    )
    form.fill(card)
    dialog.frame.add_form(*form.rows())
    guessed = [form.fields[name].title for name in card.guessed]
    words = f"Guessed from the model's name: {', '.join(guessed)}. Saving confirms it. " if guessed else ""
    dialog.frame.explain(f"{words}Scores stay as they are.", "small-muted", objectName="card-words")

    def answer() -> ModelCard:
        record: ModelCard = form.record()
        return record.model_copy(update={"guessed": ()})

    dialog.end_with("Save", answer, missing=form.check)
    form.edited.connect(dialog.check)
    return dialog
