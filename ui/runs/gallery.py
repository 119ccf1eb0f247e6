"""The pictures of the runs beside the leaderboard, one at a time, and the effects they show."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QFrame

from annotator.files import replace_bytes
from annotator.release.reports.album import Picture, album
from annotator.release.reports.bars import MOST_BARS
from annotator.release.reports.effect_tables import effect_table
from annotator.release.reports.figure_style import PictureFormat
from annotator.release.reports.run_groups import Cards
from annotator.release.reports.score_figures import TITLES, Slice, accuracy_figure
from annotator.release.reports.score_tables import (
    ScoreTable,
)
from annotator.release.reports.teval_section import read_teval, teval_pictures
from scoring.errors import InputError
from scoring.model.taxonomy import InfraErrors
from scoring.texts import tr
from ui.charts import PictureView
from ui.runs.card_reader import CardReader
from ui.runs.entries import RunEntry
from ui.services.calls import job_of
from ui.services.commands import Command, Commands
from ui.services.errors import ErrorBanner
from ui.services.operations import Operations
from ui.theme import ButtonKind
from ui.theme.buttons import ChoiceChip
from ui.theme.cells import Cell
from ui.theme.dialogs import ask_file
from ui.theme.layouts import FlowLayout, build, vbox
from ui.theme.menus import open_choices
from ui.theme.panels import PanelHeader, TabBar
from ui.theme.tables import Column, FigureTable

_TOPICS = (
    (tr("Size"), ("size",)),
    (tr("Tasks"), ("decline-lines", "position")),
    (tr("Hidden"), ("information-lines", "information")),
    (tr("Errors"), ("error-map", "errors")),
    (tr("Volatility"), ("volatility",)),
)
"""What the tabs are called, and which picture each leads to: the first one there is."""

_CHIP = 104
"""How wide the title of a picture may be beside the buttons, in pixels at 100 %."""
_EFFECTS: tuple[Column[Sequence[str]], ...] = (
    Column(
        tr("Effect, points"),
        cell=lambda row: Cell(
            row[0],
            tip=tr(
                "{row}: {row2} models ({row3} above 0), {row4} tasks, p (Holm) {row5}",
                row=row[0],
                row2=row[3],
                row3=row[4],
                row4=row[7],
                row5=row[9],
            ),
        ),
    ),
    Column("", 68, itemgetter(1), is_figure=True),
    Column("95 %", 128, lambda row: Cell(row[2], colour="muted"), is_figure=True),
)
"""Of a row of the table of effects."""


class Gallery(QFrame):
    """Shows one of the pictures of some runs: five are a tab away, all of them in a menu."""

    def __init__(
        self, operations: Operations, commands: Commands, notice: ErrorBanner, **properties: Any
    ) -> None:
        build(super().__init__, objectName="charts", **properties)
        self._operations = operations
        self._notice = notice
        self._reader = CardReader(operations, notice.show_error, kept=0)
        self._runs: tuple[RunEntry, ...] = ()
        self._teval: tuple[Path, ...] = ()
        self._pictures: dict[str, Picture] = {}
        self._tabs = TabBar(
            "chart-tabs", [*(title for title, _ in _TOPICS), tr("All")], tabBarClicked=self._choose_topic
        )
        self._which = ChoiceChip("chart-which", tr("Picture"), longest=_CHIP, chosen=self._show_chosen)
        self._view = PictureView(operations, "chart")
        self._effects = FigureTable(
            "effects",
            tr("Effects"),
            _EFFECTS,
            is_still=True,
            nothing=tr("No effect is defined for these runs"),
            visible=False,
        )
        commands.add_all(
            self,
            Command("runs.picture_next", tr("Next picture"), tr("Runs"), partial(self._step, 1), keys="N"),
            Command(
                "runs.picture_before",
                tr("Previous picture"),
                tr("Runs"),
                partial(self._step, -1),
                keys="Shift+N",
            ),
            Command(
                "runs.effects",
                tr("Effects in the shown runs, in points"),
                tr("Runs"),
                self._count_effects,
                keys="F",
            ),
            Command(
                "runs.picture_save",
                tr("Save the picture"),
                tr("Runs"),
                lambda: open_choices(
                    self._save,
                    "picture-menu",
                    (
                        (tr("As {form}…", form=form.upper()), partial(self._ask_file, form))
                        for form in PictureFormat
                    ),
                ),
                keys="S",
                waits=True,
            ),
        )
        self._save = commands.button(
            "runs.picture_save", tr("Save…"), name="chart-save", kind=ButtonKind.GHOST
        )
        self._commands = commands
        line = FlowLayout(
            self._which,
            commands.button("runs.effects", tr("Effects"), name="chart-effects", kind=ButtonKind.GHOST),
            self._save,
            left_count=1,
            gap=4,
            margins=(12, 8, 12, 4),
        )
        vbox(PanelHeader("", self._tabs), line, (self._view, 2), (self._effects, 1), within=self)

    def show_runs(
        self, runs: Sequence[RunEntry], infra_errors: InfraErrors, teval: tuple[Path, ...] = ()
    ) -> None:
        """Show pictures of some runs in this order; none for no run.

        Args:
            runs: Runs that may stand together.
            infra_errors: How tasks that failed outside the model count in them.
            teval: Folders of T-Eval scores, whose pictures come last.
        """
        if (tuple(runs), teval) == (self._runs, self._teval) and infra_errors is self._reader.infra_errors:
            return
        self._runs, self._teval = tuple(runs), teval
        self._reader.count_infra_errors(infra_errors)
        self._reader.need(self._runs, self._draw)

    def _draw(self) -> None:
        self._operations.run_outside(
            partial(pictures_of, self._reader.named(self._runs), self._teval),
            then=self._take,
            newest_of=self,
        )
        self._effects.hide()

    def _count_effects(self) -> None:
        if not self._runs or any(run not in self._reader for run in self._runs):
            return  # they are still being read
        cards = self._reader.named(self._runs)
        self._operations.start_job(
            job_of(lambda _: effect_table(cards)),
            tr("Count the effects in the shown runs"),
            then=partial(self._take_effects, self._runs),
            failed=self._notice.show_error,
            origin=self,
        )

    def _take_effects(self, runs: tuple[RunEntry, ...], table: ScoreTable) -> None:
        if runs == self._runs:
            self._effects.show_items(
                (row for row in table.rows if not row[1].startswith("undefined")), key=itemgetter(0)
            )
            self._effects.show()

    def _take(self, pictures: tuple[Picture, ...]) -> None:
        self._pictures = {one.name: one for one in pictures}
        self._which.set_choices([(one.name, one.caption.rstrip(".")) for one in pictures])
        for place, (_, names) in enumerate(_TOPICS):
            self._tabs.setTabVisible(place, any(name in self._pictures for name in names))
        self._tabs.setTabText(len(_TOPICS), tr("All {pictures_count}…", pictures_count=len(pictures)))
        self._commands.block_all(
            "" if pictures else tr("There is no picture."),
            "runs.effects",
            "runs.picture_next",
            "runs.picture_before",
            "runs.picture_save",
        )
        self._show_chosen()

    def _choose_topic(self, place: int) -> None:
        if place == len(_TOPICS):
            self._which.open_menu()
        elif place >= 0:
            self._choose(next(name for name in _TOPICS[place][1] if name in self._pictures))

    def _choose(self, name: str) -> None:
        self._which.choose(name)
        self._show_chosen()

    def _step(self, by: int) -> None:
        names = list(self._pictures)
        self._choose(names[(names.index(self._which.value) + by) % len(names)])

    def _show_chosen(self, _: str = "") -> None:
        chosen = self._pictures.get(self._which.value)
        self._view.show_picture(chosen.draw if chosen else None, chosen.caption if chosen else "")
        places = (n for n, (_, names) in enumerate(_TOPICS) if self._which.value in names)
        self._tabs.setCurrentIndex(next(places, len(_TOPICS)))

    def _ask_file(self, form: PictureFormat, _: bool = False) -> None:
        ask_file(
            self,
            tr("Save the picture"),
            f"{self._which.value}.{form}",
            f"{form.upper()} (*.{form})",
            saves=True,
            defaultSuffix=form.value,
            fileSelected=partial(self.save, form),
        )

    def save(self, form: PictureFormat, file: str) -> None:
        """Write the picture that is shown into a file, in the colours of paper."""
        self._operations.run_outside(
            partial(_write, self._pictures[self._which.value], form, Path(file)),
            then=partial(self._notice.tell, lambda _: tr("Saved."), hint=str),
            failed=self._notice.show_error,
        )


def _write(picture: Picture, form: PictureFormat, path: Path) -> Path:
    replace_bytes(path, picture.save(form))
    return path


def pictures_of(cards: Cards, teval: Sequence[Path] = ()) -> tuple[Picture, ...]:
    """The pictures of some runs: first those that a tab leads to, then the others, those of T-Eval last.

    Folders of T-Eval that cannot be read have none; the page of T-Eval says why.
    """
    every = list(album(tuple(cards)))
    if 0 < len(cards) <= MOST_BARS:
        title = tr(TITLES[Slice.POSITION])
        every.append(Picture("position", title, partial(accuracy_figure, tuple(cards), Slice.POSITION)))
    with suppress(InputError):
        every += teval_pictures(read_teval([folder for folder in teval if folder.is_dir()]) if cards else {})
    names = [one.name for one in every]
    first = [next((name for name in topic if name in names), "") for _, topic in _TOPICS]
    return tuple(sorted(every, key=lambda one: first.index(one.name) if one.name in first else len(first)))
