"""The graph column of a page with its menu, and two drawings laid over each other, to compare."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path

from PySide6.QtCore import QBuffer, QLineF, QObject, QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QAction, QImage, QPainter, QPaintEvent
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from annotator.files import replaced_file
from scoring.errors import AnnotatorError
from scoring.groups import keyed
from scoring.model.case import Answer, Edge, Task
from scoring.model.graph import step_graph
from scoring.texts import in_language, tr, with_commas
from ui.graph.canvas_content import (
    BOTH,
    ONLY_FIRST,
    ONLY_SECOND,
    OVERLAY_COLOURS,
    CanvasContent,
    EdgeLook,
    Mark,
    MarkKind,
)
from ui.graph.gestures import Mode
from ui.graph.items import line_pen
from ui.graph.simulation import Simulation, scorer_words
from ui.graph.summary import SummaryCard
from ui.graph.view import GraphView
from ui.services.operations import Operations
from ui.theme import Button, ButtonKind, EmptyState, PanelHeader, TextLabel, Tone, ToolButton, theme
from ui.theme.dialogs import ask_file
from ui.theme.layouts import STRETCH, build, connect, hbox, stacked, vbox
from ui.theme.look import paint_with, scaled
from ui.theme.menus import open_menu


class GraphPanel(QWidget):
    """A task's graph with everything around it.

    The signals of `view` are the page's; besides, `suggestions_accepted` carries every open suggestion at
    once, as a tuple.

    Args:
        operations: Counts orders where that takes long.
        title: What the header says.
    """

    suggestions_accepted = Signal(object)

    def __init__(
        self, operations: Operations, title: str = tr("Dependencies"), parent: QWidget | None = None
    ) -> None:
        build(super().__init__, parent, objectName="graph-panel", topic="dependency")
        self.view = GraphView()
        self.menu = GraphMenu(self.view)
        self.summary = SummaryCard(operations)
        self.header = PanelHeader(title)
        scaled(self.header.row, setSpacing=4)  # its title and modes are as wide as the column at its least
        self.game: Simulation | None = None
        """The game that is played; None outside the simulation."""
        self._content = CanvasContent()
        self._modes = self._mode_buttons()
        self._empty = EmptyState(
            "tree-structure",
            tr("No steps yet"),
            tr("Add a call or an answer to the task, and it appears here."),
        )
        self._stack = stacked(self.view, self._empty)
        vbox(
            self.header, (self._stack, 1), hbox(self.summary, gap=None, margins=(12, 4, 12, 12)), within=self
        )
        connect(
            (self.view.mode_changed, self._follow_mode),
            (self.view.step_played, self._choose),
            (self.view.round_played, lambda: self._stand(self.game and self.game.play())),
            (self.view.round_taken_back, lambda: self._stand(self.game and self.game.back())),
            (self.summary.branches.round_wanted, self._play_round),
            (
                self.summary.accept_all.clicked,
                lambda: self.suggestions_accepted.emit(self._content.suggestions),
            ),
        )

    def show_content(self, content: CanvasContent) -> None:
        """Mirror a task, as `GraphView.show_content`; a simulation ends when the task changed."""
        task = content.task
        content = replace(content, is_drawn=content.is_drawn or not task.needs_drawing)
        is_same = task == self._content.task and content.is_drawn
        self._content = content
        self._stack.setCurrentWidget(self.view if task.steps else self._empty)
        self.summary.setVisible(bool(task.steps))
        if self.game is not None and not is_same:
            # The mode is left for the task that was played.
            self.view.set_mode(Mode.SELECT)
        self._redraw()

    def set_read_only(self) -> None:
        """Let the drawing only be looked at, and its orders be played through."""
        self.view.set_read_only(on=True)
        self.summary.is_read_only = True
        self._modes[Mode.CONNECT].hide()

    @keyed
    def _mode_buttons(self) -> Iterator[tuple[Mode, Button]]:
        for mode, words, keys in (
            (Mode.SELECT, tr("Select"), "V"),
            (Mode.CONNECT, tr("Connect"), "D"),
            (Mode.SIMULATE, tr("Simulate"), "S"),
        ):
            button = Button(
                words,
                ButtonKind.GHOST,
                keys=keys,
                objectName=f"graph-mode-{mode.value}",
                checkable=True,
                autoExclusive=True,
                checked=mode is Mode.SELECT,
                clicked=partial(self._ask_mode, mode),
            )
            self.header.add_right(button)
            yield mode, button
        self.header.add_right(
            ToolButton(
                "dots-three",
                tr("Zoom, arrange anew, save as a picture"),
                objectName="graph-more",
                clicked=self._open_menu,
            )
        )

    def _open_menu(self) -> None:
        button = self.sender()
        if isinstance(button, QWidget):
            open_menu(self.menu.menu, button.mapToGlobal(QPoint(0, button.height())))

    def _ask_mode(self, mode: Mode) -> None:
        self.view.set_mode(mode)
        self._modes[self.view.mode].setChecked(True)
        self.view.setFocus()

    def _follow_mode(self, mode: Mode) -> None:
        self._modes[mode].setChecked(True)
        self.game = Simulation(step_graph(self._content.task)) if mode is Mode.SIMULATE else None
        self._redraw()

    def _choose(self, step: int) -> None:
        game = self.game
        if game is None:
            return
        if step in game.ready:
            self._stand(game.toggle(step))
        elif step not in game.done:
            waits = with_commas(game.waits_for(step))
            kind = tr("answer") if isinstance(self._content.task.steps[step], Answer) else tr("step")
            self.view.say(
                tr("Too early: {kind} {step} waits for {waits}.", kind=kind, step=step, waits=waits),
                Tone.ERROR,
            )
            self.summary.say_verdict(scorer_words(self._content.task, game.rounds, attempt=(step,)))

    def _play_round(self, steps: tuple[int, ...]) -> None:
        self._stand(self.game and self.game.playing(steps))
        self.view.setFocus()

    def _stand(self, game: Simulation | None) -> None:
        self.game = game
        self.view.say("")
        self._redraw()

    def _redraw(self) -> None:
        content, game = self._content, self.game
        is_offered = game is None and content.is_drawn
        self.summary.offer(len(content.suggestions) if is_offered else 0)
        if game:
            self.view.show_content(replace(content, suggestions=(), marks=_game_marks(game)))
            self.summary.show_simulation(content.task, game)
        else:
            self.view.show_content(content)
            if not content.is_drawn:
                self.summary.show_undrawn(content.proposed_count)
            elif content.task.steps:
                self.summary.show_task(content.task)


def _game_marks(game: Simulation) -> dict[int, Mark]:
    marks = dict.fromkeys(game.ready, Mark(MarkKind.READY))
    marks |= dict.fromkeys(game.chosen, Mark(MarkKind.CHOSEN))
    for number, steps in enumerate(game.rounds, start=1):
        marks |= dict.fromkeys(steps, Mark(MarkKind.DONE, tr("round {number}", number=number)))
    return marks


class _Sample(QWidget):
    """A short piece of a line as it is drawn."""

    def __init__(self, look: EdgeLook, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred),
        )
        self.look = look

    def sizeHint(self) -> QSize:
        return QSize(theme().px(26), theme().px(16))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = paint_with(
            QPainter(self),
            pen=line_pen(replace(self.look, width=self.look.width * theme().scale), self.look.colour),
        )
        level = self.height() / 2
        painter.drawLine(QLineF(0, level, self.width(), level))


class Legend(QWidget):
    """Which line means what."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="graph-legend")
        self._entries = [
            (_Sample(look), TextLabel("", "small-muted")) for look in (BOTH, ONLY_FIRST, ONLY_SECOND)
        ]
        hbox(*chain.from_iterable(self._entries), within=self, gap=6)
        self.explain(("A", "B"), OVERLAY_COLOURS)

    def explain(self, names: tuple[str, str], colours: tuple[str, str]) -> None:
        """Name the two drawings, and show them in colours of the tokens."""
        texts = (tr("both"), tr("only {names}", names=names[0]), tr("only {names}", names=names[1]))
        for (sample, word), text, colour in zip(self._entries, texts, (BOTH.colour, *colours), strict=True):
            word.setText(text)
            sample.look = replace(sample.look, colour=colour)
            sample.update()
        self.setAccessibleName(tr("Lines: ") + with_commas(texts))


class OverlayPanel(QWidget):
    """Header with a legend, and the canvas with both drawings."""

    def __init__(self, title: str = tr("Drawings compared"), parent: QWidget | None = None) -> None:
        build(super().__init__, parent, objectName="graph-overlay")
        self.view = GraphView()
        self.view.set_read_only(on=True)
        self._legend = Legend()
        self.header = PanelHeader(title, STRETCH, self._legend)
        vbox(self.header, (self.view, 1), within=self)

    def show_drawings(
        self,
        task: Task,
        first: Sequence[Edge],
        second: Sequence[Edge],
        *,
        names: tuple[str, str] = ("A", "B"),
        colours: tuple[str, str] = OVERLAY_COLOURS,
    ) -> None:
        """Show two drawings of a task's steps.

        Args:
            task: Gives the steps; its own edges are not shown.
            first: Edges of one rater.
            second: Edges of the other.
            names: What the two are called.
            colours: Of the tokens, for what only the one or the other drew.
        """
        self._legend.explain(names, colours)
        self.view.show_overlay(task, first, second, names=names, colours=colours)


_MARGIN = 12.0


class GraphMenu(QObject):
    """The menu of a canvas, opened by a right click or from the header.

    `file_name` is what a saved picture is called at first; what no file system takes is left out of it.
    """

    def __init__(self, view: GraphView) -> None:
        super().__init__(view)
        self._view = view
        self.file_name = "graph"
        self.menu = build(QMenu, view, objectName="graph-menu", aboutToShow=self._refresh)
        for text, keys, do in (
            (tr("Show the whole drawing"), "F", view.show_whole),
            (tr("Zoom in"), "Ctrl++", view.zoom_in),
            (tr("Zoom out"), "Ctrl+-", view.zoom_out),
            (tr("Arrange anew"), "L", view.tidy),
        ):
            self._add(text, keys, do)
        self.menu.addSeparator()
        self._choose_all = self._add(tr("Select all edges"), "Ctrl+A", view.choose_all)
        self._kinds = self._add(tr("Change the kind of selected edges"), "K", view.toggle_kinds)
        self._remove = self._add(tr("Remove selected edges"), tr("Del"), view.remove_chosen)
        self.menu.addSeparator()
        self._add(tr("Save as picture…"), "", self.ask_file)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(
            lambda point: open_menu(self.menu, view.viewport().mapToGlobal(point))
        )

    def ask_file(self) -> None:
        """Ask where to save the drawing, as SVG or PNG."""
        ask_file(
            self._view,
            tr("Save the drawing"),
            f"{_plain(self.file_name)}.svg",
            tr("Picture to scale (*.svg);;Picture of pixels (*.png)"),
            saves=True,
            objectName="graph-file",
            defaultSuffix="svg",
            fileSelected=self.save,
        )

    def save(self, name: str) -> None:
        """Write the drawing to a file; its ending says as what."""
        path = Path(name)
        export = export_png if path.suffix.lower() == ".png" else export_svg
        try:
            export(self._view, path)
        except AnnotatorError as error:
            self._view.say(in_language(str(error)), Tone.ERROR)
        else:
            self._view.say(tr("Saved as {path}.", path=path))

    def _add(self, text: str, keys: str, do: Callable[[], None]) -> QAction:
        # The canvas answers the keys itself; the menu only names them.
        return self.menu.addAction(f"{text}\t{keys}" if keys else text, do)

    def _refresh(self) -> None:
        can_edit = bool(self._view.chosen_edges) and not self._view.is_read_only
        self._choose_all.setEnabled(bool(self._view.task.drawn_edges))
        self._kinds.setEnabled(can_edit)
        self._remove.setEnabled(can_edit)


def _plain(name: str) -> str:
    """A name that every file system takes."""
    return re.sub(r"[^\w.-]+", "-", name)[:100].strip("-.") or "graph"


def export_svg(view: GraphView, path: Path) -> None:
    """Write the whole drawing as SVG, in the colours that are on.

    Raises:
        StoreError: The file cannot be written.
    """
    area, written = _area(view), _buffer()
    generator = QSvgGenerator()
    generator.setOutputDevice(written)
    generator.setSize(area.size().toSize())
    generator.setViewBox(QRectF(0, 0, area.width(), area.height()))
    generator.setTitle(tr("Dependencies"))
    with QPainter(generator) as painter:
        _render(view, painter, area)
    _save(written, path)


def export_png(view: GraphView, path: Path, *, factor: float = 2.0) -> None:
    """Write the whole drawing as PNG, in the colours that are on.

    Args:
        view: Canvas whose drawing is written.
        path: File to write.
        factor: Pixels for each pixel at 100 %.

    Raises:
        StoreError: The file cannot be written.
    """
    area = _area(view)
    image = QImage((area.size() * factor).toSize(), QImage.Format.Format_ARGB32)
    image.fill(theme().colour("bg"))
    with QPainter(image) as painter:
        painter.scale(factor, factor)
        _render(view, painter, area)
    written = _buffer()
    image.save(written, "PNG")  # type: ignore[call-overload]
    _save(written, path)


def _area(view: GraphView) -> QRectF:
    return (view.board.itemsBoundingRect() | view.board.sceneRect()).adjusted(
        -_MARGIN, -_MARGIN, _MARGIN, _MARGIN
    )


def _render(view: GraphView, painter: QPainter, area: QRectF) -> None:
    page = QRectF(0, 0, area.width(), area.height())
    painter.fillRect(page, theme().colour("bg"))
    view.board.render(painter, page, area)


def _buffer() -> QBuffer:
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    return buffer


def _save(picture: QBuffer, path: Path) -> None:
    with replaced_file(path) as stream:
        stream.write(picture.data().data())
