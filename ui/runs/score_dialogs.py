"""Dialogs about what a model has answered: scoring it against cases, and the card of the model."""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from annotator.release.freeze import ReleaseRow
from annotator.release.runs.orders import ImportedRun, PredictionsOrder
from scoring.model.taxonomy import ArgumentProfile, ModelKind, Semantics, Thinking, ToolMode, Undrawn
from scoring.model_card import ModelCard
from scoring.scorecard import ArgumentRules
from scoring.texts import in_language, tr, tr_count, with_commas
from scoring.wording import sentence_case
from ui.runs.run_dialog import PROTOCOL_WORDS, CasesField
from ui.services.forms import PREDICTIONS_FILTER, files_editor, record_form
from ui.theme.dialogs import FormDialog
from ui.theme.fields import FilesField

SEMANTICS_WORDS = {
    Semantics.PAPER: tr("As the papers describe it"),
    Semantics.REFERENCE: tr("As the published evaluators do it"),
    Semantics.BFCL: tr("As BFCL's checker does it"),
}
RULE_WORDS: dict[ArgumentRules, str] = {
    "auto": tr("By the format a case came from"),
    ArgumentProfile.WTB: "WildToolBench",
    ArgumentProfile.C3: tr("C3-Bench"),
    ArgumentProfile.WTB_STRICT: tr("WildToolBench, strict"),
    ArgumentProfile.ACCEPTED: tr("Exactly, or an accepted value"),
}
UNDRAWN_WORDS = {one: sentence_case(tr(one.words)) for one in Undrawn}
"""Concerns cases of a file that has no dependencies."""
_UNKNOWN = {None: tr("Not known")}


def imported_words(run: ImportedRun) -> tuple[str, str]:
    """Say what an import did: a sentence, and what did not count."""
    summary = run.summary
    title = tr(
        "{name}: {count:,} of {task} right.",
        name=run.name,
        count=summary.accuracy.tasks.count,
        task=tr_count(summary.tasks, "task"),
    )
    missing = tr("{missing:,} without a prediction, which counts as wrong.", missing=summary.missing)
    ignored = tr(
        "{prediction} did not count; the first: {first}",
        prediction=tr_count(summary.ignored, "prediction"),
        first=run.ignored[0].reason if run.ignored else "",
    )
    parts = (
        tr("These predictions are in the table already.") if run.is_known else "",
        missing if summary.missing else "",
        tr("Undrawn: {words}.", words=in_language(summary.undrawn.words)) if summary.undrawn.count else "",
        tr("{task} no reply can pass.", task=tr_count(summary.unpassable, "task"))
        if summary.unpassable
        else "",
        ignored if summary.ignored else "",
    )
    return title, " ".join(filter(None, parts))


class PredictionsDialog(FormDialog):
    """Asks which predictions to score; answers a `PredictionsOrder`.

    Args:
        releases: To choose from, the newest first.
        wanted: Name of the release chosen at first.
    """

    def __init__(
        self, releases: Sequence[ReleaseRow], *, wanted: str = "", parent: QWidget | None = None
    ) -> None:
        title = tr("Import predictions")
        super().__init__("predictions", title, title, width=560, parent=parent)
        self.files = FilesField("predictions", tr("Predictions"), filters=PREDICTIONS_FILTER, drops_on=self)
        form = record_form(
            self,
            "predictions",
            PredictionsOrder,
            "files",
            "cases",
            "name",
            "protocol",
            "semantics",
            "arguments",
            "undrawn",
            words={
                "protocol": {None: tr("As the predictions say"), **PROTOCOL_WORDS},
                "semantics": SEMANTICS_WORDS,
                "arguments": RULE_WORDS,
                "undrawn": UNDRAWN_WORDS,
            },
            editors={
                "files": files_editor(self.files),
                "cases": CasesField(releases, wanted=wanted).editor,
            },
        )
        self.frame.explain(
            tr(
                "Our own predictions, or result files of C3-Bench, MMTB and WildToolBench; several files "
                "are parts of one run."
            ),
            "small-muted",
        )
        self.end_with(tr("Score"), form.record, missing=form.check)


def card_dialog(card: ModelCard, *, parent: QWidget | None = None) -> FormDialog:
    """Ask what is known of a model; answers its card, in which nothing is guessed any more."""
    dialog = FormDialog("card", tr("Model card"), card.model, width=560, parent=parent)
    form = record_form(
        dialog,
        "card",
        ModelCard,
        "maker",
        "family",
        (tr("Size, billions"), "size", tr("of it active"), "active_size"),
        "kind",
        "thinking",
        "released",
        "interface",
        (tr("Temperature"), "temperature", tr("with seed"), "seed"),
        "max_tokens",
        (tr("Dollars per million tokens read"), "prompt_price", tr("and written"), "completion_price"),
        words={
            "kind": _UNKNOWN
            | {
                ModelKind.OPEN: tr("Open", context="model"),
                ModelKind.CLOSED: tr("Closed"),
                ModelKind.SPECIALISED: tr("Specialised"),
            },
            "thinking": _UNKNOWN
            | {Thinking.OFF: tr("Off"), Thinking.ON: tr("On"), Thinking.BUDGET: tr("Budget")},
            "interface": _UNKNOWN
            | {ToolMode.NATIVE: tr("By native calls"), ToolMode.PROMPT: tr("In the prompt")},
        },
    )
    form.fill(card)
    guessed = [form.fields[name].title for name in card.guessed]
    words = (
        tr("Guessed from the model's name: {guessed}. Saving confirms it. ", guessed=with_commas(guessed))
        if guessed
        else ""
    )
    dialog.frame.explain(
        tr("{words}Scores stay as they are.", words=words), "small-muted", objectName="card-words"
    )

    def answer() -> ModelCard:
        record: ModelCard = form.record()
        return record.model_copy(update={"guessed": ()})

    return dialog.end_with(tr("Save"), answer, missing=form.check)
