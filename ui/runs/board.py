"""The leaderboard: runs in groups, narrowed by filters, beside each other under chosen columns."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame

from scoring.model.taxonomy import Grouping, InfraErrors
from scoring.model_card import group_of
from scoring.texts import tr, tr_count
from scoring.wording import folded
from ui.runs.entries import APART, RunEntry, group_part
from ui.runs.leaderboard import BoardColumn, board_columns, headings, leaderboard, run_labels, shown_columns
from ui.services.commands import Command, Commands
from ui.services.preferences import Preferences
from ui.services.topics import set_topic
from ui.theme import ButtonKind, ElidedLabel, TextLabel
from ui.theme.buttons import ChoiceChip
from ui.theme.fields import line_field
from ui.theme.layouts import FlowLayout, build, connect, hbox, show_either, vbox
from ui.theme.look import scaled
from ui.theme.menus import open_choices
from ui.theme.tables import FigureTable

ALL = ""
"""What a filter is set to that lets every run through."""

_GROUPS = (
    ("", tr("No groups")),
    ("kind,thinking", tr("Group: kind, thinking")),
    ("kind", tr("Group: kind")),
    ("family", tr("Group: family")),
    ("family,thinking", tr("Group: family, thinking")),
    ("size", tr("Group: size")),
    ("size,thinking", tr("Group: size, thinking")),
    ("thinking", tr("Group: thinking")),
)


def _interface(entry: RunEntry) -> tuple[int, str]:
    known = entry.model_card.interface if entry.model_card is not None else None
    return (0, tr("{known} interface", known=known)) if known else (1, tr("interface unknown"))


_FILTERS: dict[str, tuple[str, Callable[[RunEntry], tuple[int, str]]]] = {
    "release": (tr("Release"), lambda entry: (0, entry.release)),
    **{
        by.value: (tr(by.value), partial(lambda by, entry: group_of(entry.model_card, (by,))[0], by))
        for by in Grouping
    },
    "interface": (tr("Interface"), _interface),
    "protocol": (
        tr("Protocol"),
        lambda entry: (0, tr("protocol {protocol}", protocol=entry.row.protocol)),
    ),
    "semantics": (
        tr("Semantics"),
        lambda entry: (0, tr("semantics {semantics}", semantics=entry.row.semantics)),
    ),
}
"""What runs are narrowed by: its name, and of a run the order and name of its value."""


class BoardFilters(QFrame):
    """Says which runs are shown, in which groups, and how failures outside the model count.

    A filter is there only where the runs differ in it.
    """

    changed = Signal()
    """Something else is chosen."""

    def __init__(self, **properties: Any) -> None:
        build(super().__init__, objectName="runs-filters", **properties)
        self.group = ChoiceChip(
            "runs-group",
            tr("Group"),
            _GROUPS,
            toolTip=tr("Groups of the leaderboard (G)"),
            chosen=self.changed,
        )
        self.group.choose("kind,thinking")
        self._chips = {
            name: ChoiceChip(f"runs-{name}", title, chosen=self.changed)
            for name, (title, _) in _FILTERS.items()
        }
        self._outside = ChoiceChip(
            "runs-outside",
            tr("Failed outside"),
            [
                (InfraErrors.WRONG, tr("Failed outside: wrong")),
                (InfraErrors.LEFT_OUT, tr("Failed outside: excluded")),
            ],
            toolTip=tr("How tasks that failed outside the model count in every figure"),
            chosen=self.changed,
        )
        set_topic("semantics", self._chips["semantics"])
        self.text = line_field(
            "runs-text", tr("Model  /"), about=tr("Part of a model's name"), textChanged=self.changed
        )
        scaled(self.text, setFixedWidth=140)
        FlowLayout(self.group, *self._chips.values(), self._outside, self.text, within=self)

    @property
    def by(self) -> tuple[Grouping, ...]:
        """What runs are grouped by, the outermost first."""
        return tuple(Grouping(name) for name in self.group.value.split(",") if name)

    @property
    def infra_errors(self) -> InfraErrors:
        """How tasks that failed outside the model count."""
        return InfraErrors(self._outside.value)

    @property
    def release(self) -> str:
        """The only release whose runs are shown; empty for all."""
        return self._chips["release"].value

    def offer(self, entries: Sequence[RunEntry]) -> None:
        """Offer what these runs can be narrowed by."""
        for name, (title, value_of) in _FILTERS.items():
            values = [words for _, words in sorted({value_of(entry) for entry in entries})]
            self._chips[name].set_choices(
                [(ALL, tr("{by}: all", by=title)), *((value, group_part(value)) for value in values)]
            )
            self._chips[name].setVisible(len(values) > 1)
        self._outside.setVisible(any(entry.summary.infra_errors for entry in entries))

    def narrowed(self, entries: Sequence[RunEntry]) -> tuple[RunEntry, ...]:
        """The runs that everything chosen lets through."""
        words, labels = folded(self.text.text().strip()), run_labels(entries)
        return tuple(
            entry
            for entry in entries
            if words in folded(labels[entry.row.id])
            and all(
                self._chips[name].value in (ALL, value_of(entry)[1])
                for name, (_, value_of) in _FILTERS.items()
            )
        )


class Leaderboard(QFrame):
    """Shows runs ranked, in groups; one of them is marked.

    `filters` says which of them and `table` has their lines.
    """

    changed = Signal()
    """Other runs are shown, or they are counted or grouped otherwise."""
    marked = Signal(object)
    """Key of the marked row, None if there is none."""
    opened = Signal()
    """The marked run is to be looked at."""

    def __init__(self, commands: Commands, preferences: Preferences, **properties: Any) -> None:
        build(super().__init__, objectName="runs-board", **properties)
        self._preferences = preferences
        self._entries: tuple[RunEntry, ...] = ()
        self.shown: tuple[RunEntry, ...] = ()
        """The runs that are let through, in no order."""
        self.filters = BoardFilters()
        self.table = FigureTable(
            "runs",
            tr("Runs"),
            headings(()),
            nothing=tr("No run fits these filters"),
            marked=self.marked.emit,
            opened=self.opened,
        )
        commands.add_all(
            self,
            Command(
                "runs.columns",
                tr("Columns of the leaderboard"),
                tr("Runs"),
                self.open_columns,
                keys="V",
                waits=True,
            ),
            Command(
                "runs.group",
                tr("Groups of the leaderboard"),
                tr("Runs"),
                self.filters.group.open_menu,
                keys="G",
                waits=True,
            ),
            Command("runs.find", tr("Find a model"), tr("Runs"), self.filters.text.setFocus, keys="/"),
        )
        self._count = TextLabel("", "muted", objectName="run-count")
        self._apart = ElidedLabel(
            APART, "small-muted", objectName="runs-apart", visible=False, topic="semantics"
        )
        self._columns = commands.button(
            "runs.columns", tr("Columns"), name="runs-columns", kind=ButtonKind.GHOST
        )
        self._legend = ElidedLabel(
            tr(
                "Best of each group bold, second best underlined; means beside its name, (n) over n runs only"
            ),
            "small-muted",
        )
        notes = hbox(
            (self._legend, 1), (self._apart, 1), self._count, self._columns, gap=12, margins=(16, 0, 8, 4)
        )
        filters = hbox((self.filters, 1), margins=(16, 6, 16, 2))
        vbox(filters, notes, (self.table, 1), within=self, focus=self.table)
        connect(
            (self.filters.changed, self._show),
            (self.filters.text.returnPressed, self.table.setFocus),
        )

    @property
    def marked_run(self) -> RunEntry | None:
        """The marked run; None if there is none."""
        found: RunEntry | None = self.table.marked_item
        return found

    @property
    def has_runs(self) -> bool:
        """Whether there are runs, shown or not."""
        return bool(self._entries)

    def in_order(self) -> tuple[RunEntry, ...]:
        """The runs of the table as they stand in it."""
        return tuple(row.item for row in self.table.rows if not row.is_heading)

    def show_entries(self, entries: Sequence[RunEntry]) -> None:
        """Show other runs."""
        self._entries = tuple(entries)
        self.filters.offer(entries)
        self._show()

    def _show(self) -> None:
        self.shown = self.filters.narrowed(self._entries)
        counting = self.filters.infra_errors
        chosen = self._preferences.settings.run_columns
        columns = shown_columns([entry.counting(counting) for entry in self.shown], chosen)
        rows = leaderboard(self.shown, columns=columns, by=self.filters.by, infra_errors=counting)
        shown, every = len(self.shown), tr_count(len(self._entries), "run")
        words = every if shown == len(self._entries) else tr("{shown} of {every}", shown=shown, every=every)
        releases = {f"{run.release} · {tr_count(run.summary.tasks, 'task')}" for run in self.shown}
        self._count.setText(" · ".join([words, *releases]) if len(releases) == 1 else words)
        show_either(self._apart, self._legend, on=any(row.is_heading and row.topic for row in rows))
        self.table.show_rows(rows, columns=headings(columns, folds=not chosen))
        self.changed.emit()

    def open_columns(self) -> None:
        """Offer the columns: those that are shown are ticked, and a choice shows or hides one."""
        choices = [(one.column.title, partial(self._toggle, one.key)) for one in board_columns()]
        open_choices(
            self._columns,
            "columns-menu",
            (*choices, ("", None), (tr("The usual ones"), partial(self._keep, ()))),
            ticked=[one.column.title for one in self._shown_columns()],
        )

    def _shown_columns(self) -> tuple[BoardColumn, ...]:
        return shown_columns(self.shown, self._preferences.settings.run_columns)

    def _toggle(self, key: str, _: bool = False) -> None:
        chosen = [one.key for one in self._shown_columns()]
        self._keep(tuple(one for one in chosen if one != key) if key in chosen else (*chosen, key))

    def _keep(self, keys: tuple[str, ...], _: bool = False) -> None:
        self._preferences.change(run_columns=keys)
        self._show()
