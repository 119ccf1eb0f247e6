"""The T-Eval half of the runs page: models in eleven columns, below them pictures, items, and one item."""

from collections.abc import Hashable
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QPlainTextEdit,
    QWidget,
)

from annotator.release.reports.bars import MOST_BARS
from annotator.release.reports.teval_section import columns_figure, radar_figure
from annotator.teval.figures import difference_figure
from annotator.teval.results import TevalResult, gold_text, read_result
from scoring.teval.columns import AbilityColumn, ColumnDifference, column_values, compare_models
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import part
from scoring.teval.scores import ItemResult
from scoring.texts import tr, tr_count
from ui.charts import PictureView
from ui.services.calls import job_of
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.teval.lines import (
    ABILITY_WORDS,
    ITEM_COLUMNS,
    PROFILE_WORDS,
    Model,
    best_first,
    difference_columns,
    item_words,
    model_columns,
    models_under,
    scored_items,
    verdict_words,
)
from ui.teval.score_dialog import ScoreDialog
from ui.theme import (
    ButtonKind,
    ElidedLabel,
    EmptyState,
    PanelHeader,
    SectionLabel,
    TextLabel,
    Tone,
    theme,
)
from ui.theme.buttons import ChoiceChip
from ui.theme.dialogs import ask_file
from ui.theme.events import DueReading
from ui.theme.layouts import STRETCH, build, column, hbox, split, stacked, vbox
from ui.theme.menus import open_choices
from ui.theme.tables import FigureTable


class ItemView(QFrame):
    """Shows one item; `case_wanted` carries the id of the case it was cut from."""

    case_wanted = Signal(str)

    def __init__(self, commands: Commands, **properties: Any) -> None:
        build(super().__init__, objectName="teval-item", **properties)
        look = theme()
        self._commands = commands
        self._case = ""
        commands.add(
            Command(
                "teval.case",
                tr("Open the case of the item"),
                tr("T-Eval"),
                lambda: self.case_wanted.emit(self._case),
                keys="O",
            ),
            self,
        )
        self._name = ElidedLabel(tr("Item"), "strong", objectName="teval-item-name")
        opening = commands.button(
            "teval.case", tr("Open the case"), name="teval-open-case", kind=ButtonKind.GHOST
        )
        self._about = TextLabel("", "small-muted", objectName="teval-item-about", wordWrap=True)
        self._about.setContentsMargins(look.px(12), look.px(8), look.px(12), look.px(4))
        self.reply, self.gold, self.prompt = (
            build(
                QPlainTextEdit,
                objectName=f"teval-{name}",
                accessibleName=title,
                readOnly=True,
                font=look.mono(),
                minimumHeight=look.px(56),
            )
            for name, title in (("reply", tr("Reply")), ("gold", tr("Gold")), ("prompt", tr("Prompt")))
        )
        texts = split(
            Qt.Orientation.Vertical,
            (_headed("Reply", self.reply), 110),
            (_headed("Gold", self.gold), 110),
            (_headed("Prompt", self.prompt), 260),
        )
        vbox(PanelHeader("", (self._name, 1), opening), self._about, (texts, 1), within=self)

    def show_item(self, result: TevalResult, one: ItemResult) -> None:
        """Show an item of a result."""
        body = result.found.items[one.subset][one.item]
        source = part(part(body, "meta_data"), "source").get("case")
        self._case = source if isinstance(source, str) else ""
        reason = "" if self._case else tr("The item does not say which case it was cut from.")
        self._commands.block("teval.case", reason)
        self._name.setText(one.item)
        self._about.setText(item_words(one))
        reply = result.reply(one.subset, one.item)
        said = None if reply is None else reply.prediction
        self.reply.setPlainText(said if isinstance(said, str) else "" if said is None else str(said))
        self.reply.setPlaceholderText(tr("No reply") if reply is None else tr("An empty reply"))
        self.gold.setPlainText(gold_text(result, one.subset, one.item))
        prompt = body.get("origin_prompt")
        messages = [m for m in prompt if isinstance(m, dict)] if isinstance(prompt, list) else []
        self.prompt.setPlainText("\n\n".join(f"[{m.get('role')}]\n{m.get('content')}" for m in messages))

    def show_nothing(self) -> None:
        """Show no item."""
        self._case = ""
        self._commands.block("teval.case", tr("No item is selected."))
        self._name.setText(tr("Item"))
        self._about.setText(tr("Select an item of the list."))
        for text in (self.reply, self.gold, self.prompt):
            text.setPlaceholderText("")
            text.setPlainText("")


def _headed(title: str, text: QPlainTextEdit) -> QWidget:
    return column(vbox(SectionLabel(title), (text, 1), gap=4, margins=(12, 4)))


_RADAR, _BARS = "radar", "bars"


class TevalView(QWidget):
    """Shows results of T-Eval; `case_wanted` carries the case of an item.

    Args:
        operations: The way to the project, whose jobs score.
        commands: Takes the commands of the view.
        preferences: Remember the folders that are shown, by project.
    """

    case_wanted = Signal(str)

    def __init__(
        self, operations: Operations, commands: Commands, preferences: Preferences, **properties: Any
    ) -> None:
        build(super().__init__, objectName="teval-view", **properties)
        self._operations = operations
        self._commands = commands
        self._preferences = preferences
        self._results: dict[str, TevalResult] = {}
        self._compared: tuple[str, str] | None = None
        self._commands.add_all(
            self,
            Command("teval.score", tr("Score replies"), tr("T-Eval"), self.ask_score, keys="R"),
            Command("teval.open", tr("Open a folder of scores"), tr("T-Eval"), self.ask_folder, keys="I"),
            Command(
                "teval.compare", tr("Compare with another result"), tr("T-Eval"), self._open_compare, keys="C"
            ),
            Command(
                "teval.end_comparison",
                tr("End the comparison"),
                tr("T-Eval"),
                self.end_comparison,
                keys="Shift+C",
            ),
        )
        self._build()
        self._show()
        DueReading(self, self._reopen).ask()

    # building ------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._notice = ErrorBanner(objectName="teval-notice")
        self._profile = ChoiceChip(
            "teval-profile",
            tr("Rules"),
            [
                (one.value, tr("T-Eval: {profile_words}", profile_words=PROFILE_WORDS[one]))
                for one in TEvalProfile
            ],
            chosen=self._show,
        )
        self._count = TextLabel("", "muted", objectName="teval-count")
        button, primary = self._commands.button, ButtonKind.PRIMARY
        self._compare = button("teval.compare", tr("Compare…"), name="teval-compare")
        opening = button("teval.open", tr("Open scores…"), name="teval-open")
        score = button("teval.score", tr("Score replies…"), name="teval-score")
        bar = hbox(self._profile, self._count, STRETCH, self._compare, opening, score, gap=8, margins=(16, 4))
        self._table = FigureTable("teval-models", tr("T-Eval results"), model_columns(()), marked=self._mark)
        details = self._details()
        halves = split(Qt.Orientation.Vertical, (self._table, 180), (details, 560), grows=details)
        start = button("teval.score", tr("Score replies…"), name="teval-empty-score", kind=primary)
        self._stack = stacked(
            halves,
            EmptyState(
                "chart-bar",
                tr("No T-Eval result yet"),
                tr("Score the replies of a model to T-Eval items, or open a folder of scores."),
                button=start,
            ),
        )
        vbox(self._notice, bar, (self._stack, 1), within=self, focus=self._table)

    def _details(self) -> QWidget:
        look = theme()
        self._picture = PictureView(self._operations, "teval-picture")
        self._which = ChoiceChip(
            "teval-which",
            tr("Picture"),
            ((_RADAR, tr("Six abilities")), (_BARS, tr("Eleven columns"))),
            chosen=self._show_picture,
        )
        left = column(PanelHeader(tr("Abilities"), STRETCH, self._which), (self._picture, 1))
        self._ability = ChoiceChip(
            "teval-ability",
            tr("Items"),
            [(one.value, ABILITY_WORDS[one]) for one in AbilityColumn],
            chosen=self._show_items,
        )
        self._items = FigureTable("teval-items-list", tr("Items"), ITEM_COLUMNS, marked=self._show_item)
        listed = column(PanelHeader(tr("Items, worst first"), STRETCH, self._ability), (self._items, 1))
        self._item = ItemView(self._commands, case_wanted=self.case_wanted.emit)
        drill = split(Qt.Orientation.Horizontal, (listed, 450), (self._item, 450))
        drill.setStretchFactor(0, 1)
        drill.setStretchFactor(1, 1)
        self._differences = FigureTable("teval-differences", tr("Comparison"), (), is_still=True)
        self._verdict = TextLabel("", objectName="teval-verdict", wordWrap=True)
        self._verdict.setContentsMargins(*(look.px(12),) * 4)
        close = self._commands.button(
            "teval.end_comparison", tr("Back to items"), name="teval-end-comparison", kind=ButtonKind.GHOST
        )
        self._right = stacked(
            drill,
            column(PanelHeader(tr("Comparison"), STRETCH, close), self._verdict, (self._differences, 1)),
        )
        halves = split(Qt.Orientation.Horizontal, (left, 470), (self._right, 906))
        halves.setStretchFactor(0, 1)
        halves.setStretchFactor(1, 2)
        return halves

    # results -------------------------------------------------------------------------------------

    def ask_folder(self) -> None:
        """Ask for a folder of scores."""
        ask_file(
            self,
            tr("Folder of T-Eval scores"),
            fileMode=QFileDialog.FileMode.Directory,
            fileSelected=self.open,
        )

    def _reopen(self) -> None:
        for folder in self._remembered():
            if Path(folder).is_dir():
                self.open(folder)

    def _remembered(self) -> tuple[str, ...]:
        """What was shown before."""
        project = self._operations.project
        return self._preferences.settings.teval_results.get(project.address, ()) if project else ()

    def _remember(self, folder: Path) -> None:
        project = self._operations.project
        if project is not None:
            known = self._preferences.settings.teval_results
            folders = tuple(dict.fromkeys((*self._remembered(), str(folder.absolute()))))
            self._preferences.change(teval_results={**known, project.address: folders})

    def open(self, folder: str) -> None:
        """Read a folder of scores and show it."""
        self._operations.start_job(
            job_of(lambda _: read_result(Path(folder))),
            tr("Open {name}", name=Path(folder).name),
            then=partial(self._take, Path(folder)),
            failed=self._notice.show_error,
            origin=self,
        )

    def ask_score(self) -> None:
        """Ask which replies to score."""
        ScoreDialog(self).ask(
            lambda order: self._operations.start_job(
                order.carry_out,
                tr("Score {name}", name=order.replies.name),
                then=partial(self._take, order.out),
                failed=self._notice.show_error,
                origin=self,
            )
        )

    def _take(self, folder: Path, result: TevalResult) -> None:
        self._results[result.name] = result
        if result.strangers:
            self._notice.show_message(
                tr("{name} is scored.", name=result.name),
                tr(
                    "{replies} to other items were ignored.",
                    replies=tr_count(result.strangers, "reply", "replies"),
                ),
                tone=Tone.WARN,
                page="how_to/compare_with_teval.md",
            )
        self._show()
        self._table.mark(result.name)
        self._remember(folder)

    # showing -------------------------------------------------------------------------------------

    def _models(self) -> tuple[Model, ...]:
        return models_under(tuple(self._results.values()), TEvalProfile(self._profile.value))

    @property
    def _marked(self) -> Model | None:
        found: Model | None = self._table.marked_item
        return found

    def _show(self, _: object = None) -> None:
        models = self._models()
        self._stack.setCurrentIndex(0 if self._results else 1)
        self._count.setText(tr_count(len(models), "result"))
        self._table.show_items(
            best_first(models), key=attrgetter("result.name"), columns=model_columns(models)
        )
        self._mark()

    def _mark(self, _: Hashable = None) -> None:
        self.end_comparison()
        self._show_items()

    def _drawn(self) -> tuple[Model, ...]:
        """The marked model first, then the others of the table, as many as can be told apart."""
        marked, models = self._marked, {one.result.name: one for one in self._models()}
        ordered = [models[str(row.key)] for row in self._table.rows if row.key in models]
        first = [marked] if marked is not None else []
        return tuple([*first, *(one for one in ordered if one is not marked and one != marked)][:MOST_BARS])

    def _show_picture(self, _: object = None) -> None:
        models = self._drawn()
        if not models:
            self._picture.show_picture(None, "")
        elif self._which.value == _RADAR:
            shown = tuple((one.result.name, one.scores.abilities) for one in models)
            self._picture.show_picture(partial(radar_figure, shown), tr("Six abilities"))
        else:
            values = tuple((one.result.name, column_values(one.scores)) for one in models)
            self._picture.show_picture(partial(columns_figure, values), tr("Eleven columns"))

    def _show_items(self, _: object = None) -> None:
        model = self._marked
        items = scored_items(model, AbilityColumn(self._ability.value)) if model is not None else ()
        self._items.show_items(items, key=lambda one: (one[1].subset, one[1].item))
        self._show_item()

    def _show_item(self, _: object = None) -> None:
        model, marked = self._marked, self._items.marked_item
        if model is None or marked is None:
            self._item.show_nothing()
        else:
            self._item.show_item(model.result, marked[1])

    # comparing -----------------------------------------------------------------------------------

    def _rivals(self) -> tuple[Model, ...]:
        marked = self._marked
        if marked is None:
            return ()
        same = (marked.scores.items_sha256, marked.scores.similarity.digest)
        return tuple(
            one
            for one in self._models()
            if one != marked and (one.scores.items_sha256, one.scores.similarity.digest) == same
        )

    def _block(self) -> None:
        self._commands.block_each(
            "teval",
            {
                "compare": ""
                if self._rivals()
                else tr("There is no other result over the same items and sentence model."),
                "end_comparison": "" if self._compared is not None else tr("No two results are compared."),
            },
        )

    def _open_compare(self) -> None:
        names = (one.result.name for one in self._rivals())
        rivals = ((name, partial(self._compare_with, name)) for name in names)
        open_choices(self._compare, "teval-compare-menu", rivals)

    def _compare_with(self, name: str, _: bool = False) -> None:
        first = self._marked
        second = next((one for one in self._rivals() if one.result.name == name), None)
        if first is None or second is None:
            return
        self._compared = first.result.name, name
        self._block()
        self._operations.run_outside(
            partial(compare_models, first.results, second.results),
            then=partial(self._show_comparison, self._compared),
            failed=self._notice.show_error,
        )

    def _show_comparison(self, names: tuple[str, str], rows: tuple[ColumnDifference, ...]) -> None:
        if self._compared != names:
            return
        self._differences.show_items(rows, key=attrgetter("name"), columns=difference_columns(names))
        self._verdict.setText(verdict_words(rows, names))
        self._right.setCurrentIndex(1)
        self._picture.show_picture(partial(difference_figure, rows, names), tr("Two models apart"))

    def end_comparison(self) -> None:
        """Show the items again."""
        self._compared = None
        self._right.setCurrentIndex(0)
        self._block()
        self._show_picture()
