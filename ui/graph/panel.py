"""The graph column of a page: header with the modes, canvas, and the card with the figures."""

from dataclasses import replace

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QWidget

from scoring.model.case import Answer
from scoring.model.graph import step_graph
from ui.graph.canvas_content import CanvasContent, Mark, MarkKind
from ui.graph.gestures import Mode
from ui.graph.menu import GraphMenu
from ui.graph.simulation import Simulation, scorer_words
from ui.graph.summary import SummaryCard
from ui.graph.view import GraphView
from ui.services.topics import set_topic
from ui.theme import Button, ButtonKind, EmptyState, PanelHeader, Tone, ToolButton, theme
from ui.theme.buttons import open_menu
from ui.theme.layouts import stacked, vbox


class GraphPanel(QWidget):
    """A task's graph with everything around it.

    The signals of `view` are the page's; besides, `suggestions_accepted` carries every open suggestion at
    once, as a tuple.
    """

    suggestions_accepted = Signal(object)

    def __init__(self, title: str = "Dependencies", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("graph-panel")
        set_topic("dependency", self)
        self.view = GraphView()
        self.menu = GraphMenu(self.view)
        self.summary = SummaryCard()
        self.header = PanelHeader(title)
        self._game: Simulation | None = None
        self._content = CanvasContent()
        self._modes = self._mode_buttons()
        self._empty = EmptyState(
            "tree-structure", "No steps yet", "Add a call or an answer to the task, and it appears here."
        )
        self._stack = stacked(self.view, self._empty)
        look = theme()
        self.summary.accept_all.clicked.connect(self._take_all)
        foot = QHBoxLayout()
        foot.setContentsMargins(look.px(12), look.px(4), look.px(12), look.px(12))
        foot.addWidget(self.summary)
        vbox(self.header, (self._stack, 1), foot, within=self)
        self.view.mode_changed.connect(self._follow_mode)
        self.view.step_played.connect(self._choose)
        self.view.round_played.connect(self._play)
        self.view.round_taken_back.connect(self._take_back)
        self.summary.branches.round_wanted.connect(self._play_round)

    def show_content(self, content: CanvasContent) -> None:
        """Mirror a task, as `GraphView.show_content`; a simulation ends when the task changed."""
        task = content.task
        content = replace(content, is_drawn=content.is_drawn or not task.needs_drawing)
        is_same = task == self._content.task and content.is_drawn
        self._content = content
        self._stack.setCurrentWidget(self.view if task.steps else self._empty)
        self.summary.setVisible(bool(task.steps))
        if self._game is not None and not is_same:
            # The mode is left for the task that was played.
            self.view.set_mode(Mode.SELECT)
        self._redraw()

    def set_read_only(self) -> None:
        """Let the drawing only be looked at, and its orders be played through."""
        self.view.set_read_only(on=True)
        self.summary.set_read_only()
        self._modes[Mode.CONNECT].hide()

    @property
    def game(self) -> Simulation | None:
        """The game that is played; null outside the simulation."""
        return self._game

    def _mode_buttons(self) -> dict[Mode, Button]:
        buttons = {
            Mode.SELECT: Button("Select", ButtonKind.GHOST, keys="V"),
            Mode.CONNECT: Button("Connect", ButtonKind.GHOST, keys="D"),
            Mode.SIMULATE: Button("Simulate", ButtonKind.GHOST, keys="S"),
        }
        group = QButtonGroup(self)
        for mode, button in buttons.items():
            button.setObjectName(f"graph-mode-{mode.value}")
            button.setCheckable(True)
            button.setProperty("mode", mode.value)
            button.clicked.connect(self._ask_mode)
            group.addButton(button)
            self.header.add_right(button)
        buttons[Mode.SELECT].setChecked(True)
        more = ToolButton("dots-three", "Zoom, arrange anew, save as a picture")
        more.setObjectName("graph-more")
        more.clicked.connect(self._open_menu)
        self.header.add_right(more)
        return buttons

    def _open_menu(self) -> None:
        button = self.sender()
        if isinstance(button, QWidget):
            open_menu(self.menu.menu, button.mapToGlobal(QPoint(0, button.height())))

    def _ask_mode(self) -> None:
        self.view.set_mode(Mode(self.sender().property("mode")))
        self._modes[self.view.mode].setChecked(True)
        self.view.setFocus()

    def _follow_mode(self, mode: Mode) -> None:
        self._modes[mode].setChecked(True)
        self._game = Simulation(step_graph(self._content.task)) if mode is Mode.SIMULATE else None
        self._redraw()

    def _choose(self, step: int) -> None:
        game = self._game
        if game is None:
            return
        if step in game.ready:
            self._stand(game.toggle(step))
        elif step not in game.done:
            waits = " and ".join(map(str, game.waits_for(step)))
            kind = "answer" if isinstance(self._content.task.steps[step], Answer) else "step"
            self.view.say(f"Too early: {kind} {step} waits for {waits}.", Tone.ERROR)
            self.summary.say_verdict(scorer_words(self._content.task, game.rounds, attempt=(step,)))

    def _play(self) -> None:
        self._stand(self._game and self._game.play())

    def _play_round(self, steps: tuple[int, ...]) -> None:
        self._stand(self._game and self._game.playing(steps))
        self.view.setFocus()

    def _take_back(self) -> None:
        self._stand(self._game and self._game.back())

    def _stand(self, game: Simulation | None) -> None:
        self._game = game
        self.view.say("")
        self._redraw()

    def _redraw(self) -> None:
        content, game = self._content, self._game
        is_offered = game is None and content.is_drawn
        self.summary.offer(len(content.suggestions) if is_offered else 0)
        if game:
            self.view.show_content(replace(content, suggestions=(), marks=_game_marks(game)))
            self.summary.show_simulation(content.task, game)
            return
        self.view.show_content(content)
        if not content.is_drawn:
            self.summary.show_undrawn(content.task, suggested=len(content.suggestions))
        elif content.task.steps:
            self.summary.show_task(content.task)

    def _take_all(self) -> None:
        self.suggestions_accepted.emit(self._content.suggestions)


def _game_marks(game: Simulation) -> dict[int, Mark]:
    marks = dict.fromkeys(game.ready, Mark(MarkKind.READY))
    marks |= dict.fromkeys(game.chosen, Mark(MarkKind.CHOSEN))
    for number, steps in enumerate(game.rounds, start=1):
        marks |= dict.fromkeys(steps, Mark(MarkKind.DONE, f"round {number}"))
    return marks
