"""The graph of a task on a canvas one can work on with the mouse or the keyboard alone.

It never changes the task: it says what is wanted, and is shown the next task.
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from annotator.cases.evidence.suggestions import SuggestedEdge
from scoring.errors import CycleError, GraphError
from scoring.model.case import Edge, Task
from scoring.texts import in_language, tr
from ui.graph.canvas import Canvas
from ui.graph.canvas_content import OVERLAY_COLOURS, CanvasContent, Pair, about_edges, about_step
from ui.graph.gestures import BandGesture, ConnectGesture, Gesture, Mode, PanGesture, StepNumber, refusal
from ui.graph.items import EdgeItem
from ui.graph.layout import neighbour
from ui.theme import Tone, theme
from ui.theme.events import claim_keys
from ui.theme.layouts import build, connect
from ui.theme.look import follow_theme

KeyTable = Mapping[Qt.Key, Callable[[], None]]


class GraphView(Canvas):
    """Mirrors one task; signals what the user wants.

    `edges_removed` and `kinds_toggled` carry a tuple of (source, target) pairs, so that one gesture is one
    step of undo. `step_selected` is -1 where nothing is selected. `step_played` is a step chosen in the
    simulation; `round_played` and `round_taken_back` are Enter and Backspace there.
    """

    step_selected = Signal(int)
    edge_requested = Signal(int, int)
    edges_removed = Signal(object)
    kinds_toggled = Signal(object)
    suggestion_accepted = Signal(object)
    step_activated = Signal(int)
    step_played = Signal(int)
    round_played = Signal()
    round_taken_back = Signal()
    mode_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName="graph-view",
            accessibleName=tr("Dependencies of the task"),
            focusPolicy=Qt.FocusPolicy.StrongFocus,
            mouseTracking=True,
        )
        self._content = CanvasContent()
        self._mirror: Callable[[], None] = partial(self.board.show_content, self._content)
        self.mode = Mode.SELECT
        """What a click means now."""
        self.current_step: int | None = None
        """The selected step."""
        self._gesture: Gesture | None = None
        self.is_read_only = False
        """Whether edges can only be looked at."""
        self._returns = False
        follow_theme(self._take_room)
        # By themselves, with Shift (others do what they do by themselves), and with Ctrl.
        tables: tuple[KeyTable, KeyTable, KeyTable] = (
            {
                Qt.Key.Key_D: self._start_connecting,
                Qt.Key.Key_V: partial(self.set_mode, Mode.SELECT),
                Qt.Key.Key_S: partial(self.set_mode, Mode.SIMULATE),
                Qt.Key.Key_K: self.toggle_kinds,
                Qt.Key.Key_F: self.show_whole,
                Qt.Key.Key_L: self.tidy,
                Qt.Key.Key_Delete: self.remove_chosen,
                Qt.Key.Key_Backspace: self._press_backspace,
                Qt.Key.Key_Return: self._press_enter,
                Qt.Key.Key_Enter: self._press_enter,
                Qt.Key.Key_Space: self._press_space,
                Qt.Key.Key_Escape: self.escape,
                Qt.Key.Key_Home: partial(self.select_step, 0),
                Qt.Key.Key_End: lambda: self.select_step(len(self.task.steps) - 1),
                Qt.Key.Key_Up: partial(self.go, 0, -1),
                Qt.Key.Key_Down: partial(self.go, 0, 1),
                Qt.Key.Key_Left: partial(self.go, -1, 0),
                Qt.Key.Key_Right: partial(self.go, 1, 0),
            },
            {
                Qt.Key.Key_Up: partial(self.next_edge, -1),
                Qt.Key.Key_Down: partial(self.next_edge, 1),
                Qt.Key.Key_Left: partial(self.next_edge, -1),
                Qt.Key.Key_Right: partial(self.next_edge, 1),
            },
            {
                Qt.Key.Key_Plus: self.zoom_in,
                Qt.Key.Key_Equal: self.zoom_in,
                Qt.Key.Key_Minus: self.zoom_out,
                Qt.Key.Key_0: self.fit,
                Qt.Key.Key_A: self.choose_all,
            },
        )
        self._plain_keys, self._shift_keys, self._control_keys = tables
        claim_keys(self, self._meaning)
        self._number = StepNumber(self)
        connect(
            (self._number.changed, self._show_number),
            (self._number.typed, self._take_number),
        )

    # what is shown

    def show_content(self, content: CanvasContent) -> None:
        """Mirror a task; selection, zoom and place stay where they can."""
        self._show(content, partial(self.board.show_content, content))

    def tidy(self) -> None:
        """Arrange the drawing anew, with few crossings; edits leave steps where they stand."""
        self.board.is_due_anew = True
        self._show(self._content, self._mirror)
        self.fit()

    def show_overlay(
        self,
        task: Task,
        first: Collection[Edge],
        second: Collection[Edge],
        *,
        names: tuple[str, str] = ("A", "B"),
        colours: tuple[str, str] = OVERLAY_COLOURS,
    ) -> None:
        """Lay two drawings of the steps of a task over each other; nothing can be edited then."""
        self.is_read_only = True
        show = self.board.show_overlay
        self._show(CanvasContent(task), partial(show, task, first, second, names=names, colours=colours))

    def _show(self, content: CanvasContent, mirror: Callable[[], None]) -> None:
        self._drop_gesture()
        self._content, self._mirror = content, mirror
        mirror()
        self._number.limit = len(content.task.steps)
        self._number.forget()
        self._show_grips()
        self._show_current(self.current_step if self.current_step in self.board.steps else None)
        self.refresh()

    def set_read_only(self, *, on: bool) -> None:
        """Let edges be changed, or only looked at."""
        self.is_read_only = on
        self._show_grips()
        if on and self.mode is Mode.CONNECT:
            self.set_mode(Mode.SELECT)

    @property
    def task(self) -> Task:
        """The task that is mirrored."""
        return self._content.task

    @property
    def chosen_edges(self) -> tuple[Pair, ...]:
        """The selected edges."""
        return self.board.chosen_edges

    def select_step(self, step: int | None) -> None:
        """Select a step, or none; says so if it was not selected."""
        step = step if step in self.board.steps else None
        is_news = step != self.current_step
        self._show_current(step)
        if is_news:
            self.step_selected.emit(-1 if step is None else step)

    def set_mode(self, mode: Mode) -> None:
        """Change what a click means; says so if it meant something else."""
        if mode is Mode.CONNECT and self.is_read_only:
            return
        if mode is Mode.SIMULATE and not self._content.is_drawn:
            self.say(tr("Draw the dependencies first, then play the orders."))
            return
        self._number.forget()
        is_news = mode is not self.mode
        self.mode = mode
        self._show_grips()
        self.say(tr("Drag from one step to another, or type a step number.") if mode is Mode.CONNECT else "")
        if is_news:
            self.mode_changed.emit(mode)

    def start_edge(self) -> None:
        """Wait for the numbers of both steps of an edge, whatever was selected."""
        self.set_mode(Mode.SELECT)
        self.select_step(None)
        self._start_connecting()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._take_room()
        super().resizeEvent(event)

    def _take_room(self) -> None:
        """Give the cards widths with which a round fits; one that was edited stays as it is."""
        if self.board.take_room(self.viewport().width() / theme().scale):
            self.board.is_due_anew = True
            self._mirror()

    # mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        match event.button():
            case Qt.MouseButton.MiddleButton:
                self._gesture = PanGesture(self, point)
            case Qt.MouseButton.LeftButton:
                self._press(point, is_adding=bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._gesture is not None:
            self._gesture.move(event.position().toPoint())
        else:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._gesture is not None:
            gesture, self._gesture = self._gesture, None
            gesture.finish(event.position().toPoint())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        item = self.board.step_at(self.mapToScene(event.position().toPoint()))
        if item is not None and self.mode is not Mode.SIMULATE:
            self.step_activated.emit(item.number)

    def _press(self, point: QPoint, *, is_adding: bool) -> None:
        where = self.mapToScene(point)
        step, edge = self.board.step_at(where), self.board.edge_at(where)
        if step is not None:
            is_grip = step.handle_rect().contains(step.mapFromScene(where))
            if self.mode is Mode.SIMULATE:
                self._show_current(step.number)
                self.step_played.emit(step.number)
                return
            self.select_step(step.number)
            if not self.is_read_only and (self.mode is Mode.CONNECT or is_grip):
                self._gesture = ConnectGesture(
                    self,
                    self.task,
                    step.number,
                    on_done=self._request,
                    on_refused=self._refuse,
                )
        elif edge is not None:
            self._click_edge(edge, is_adding=is_adding)
        else:
            if not is_adding:
                self.board.choose_edges(())
                self.select_step(None)
            self._gesture = BandGesture(self, point, kept=self.chosen_edges)

    def _click_edge(self, edge: EdgeItem, *, is_adding: bool) -> None:
        if edge is self.board.ghosts.get(edge.pair):
            self._accept(edge.pair)
        else:
            chosen = set(self.chosen_edges) if is_adding else set()
            self._choose(chosen ^ {edge.pair})

    # keyboard

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self._meaning(event)
        if action is None:
            if event.key() == Qt.Key.Key_Escape:
                self.select_step(None)
            super().keyPressEvent(event)
        else:
            action()
            event.accept()

    def _meaning(self, event: QKeyEvent) -> Callable[[], None] | None:
        """What a key does on the canvas; None where it means nothing here."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            return self._control_keys.get(key)
        if modifiers & Qt.KeyboardModifier.AltModifier:
            return None
        if modifiers & Qt.KeyboardModifier.ShiftModifier and key in self._shift_keys:
            return self._shift_keys[key]
        if event.text().isdecimal():
            return partial(self._number.add, event.text())
        if key is Qt.Key.Key_Escape and self.is_at_rest:
            return None  # the page's own Escape acts
        return self._plain_keys.get(key)

    def _press_enter(self) -> None:
        if self._number.digits is not None:
            self._number.complete()
        elif self.mode is Mode.SIMULATE:
            self.round_played.emit()
        else:
            self.accept_chosen()

    def _press_space(self) -> None:
        if self.mode is Mode.SIMULATE and self.current_step is not None:
            self.step_played.emit(self.current_step)

    def _press_backspace(self) -> None:
        if self.mode is Mode.SIMULATE:
            self.round_taken_back.emit()
        else:
            self.remove_chosen()

    # numbers of steps: they select, or connect after D

    def _start_connecting(self) -> None:
        self._returns = self.mode is Mode.SELECT
        self.set_mode(Mode.CONNECT)
        if self.mode is Mode.CONNECT:
            self._number.digits = ""
            self._show_number()

    def _show_number(self) -> None:
        if self._number.digits is None:
            return
        if self.mode is not Mode.CONNECT:
            self.select_step(self._number.value)
            return
        begun = self._number.digits or "…"
        start = begun if self.current_step is None else f"{self.current_step} → {begun}"
        self.say(tr("Connect {start}   Type the number of a step, Esc leaves.", start=start))

    def _take_number(self, number: int) -> None:
        if self.mode is not Mode.CONNECT:
            return
        source = self.current_step
        if source is None:
            self.select_step(number)
            self._number.digits = ""
            self._show_number()
        else:
            if self._returns:
                self.set_mode(Mode.SELECT)
            self.toggle_edge(source, number)

    # what keys and gestures ask for

    def toggle_edge(self, source: int, target: int) -> None:
        """Ask for an edge, or for its removal where it is drawn; says why where neither is possible."""
        if any(edge.pair == (source, target) for edge in self.task.drawn_edges):
            self.edges_removed.emit(((source, target),))
            self.say(tr("Removed {source} → {target}.", source=source, target=target))
        else:
            error = refusal(self.task, source, target)
            self._refuse(error)
            if error is None:
                self._request(source, target)

    def remove_chosen(self) -> None:
        """Ask for the removal of the selected edges; those into the answer follow by themselves and stay."""
        if self._changeable:
            self.edges_removed.emit(self._changeable)
        elif self.chosen_edges:
            self.say(tr("Edges into the answer follow by themselves; they cannot be removed."))

    def toggle_kinds(self) -> None:
        """Ask for the other kind of the selected edges: parameter or logical."""
        if self._changeable:
            self.kinds_toggled.emit(self._changeable)

    @property
    def _changeable(self) -> tuple[Pair, ...]:
        """The selected edges somebody has drawn; none where they can only be looked at."""
        drawn = {edge.pair for edge in self.task.drawn_edges}
        return () if self.is_read_only else tuple(pair for pair in self.chosen_edges if pair in drawn)

    def choose_all(self) -> None:
        """Select every drawn edge."""
        self._choose({edge.pair for edge in self.task.drawn_edges})

    def accept_chosen(self) -> None:
        """Accept the suggestion that is pointed at, or the only one there is."""
        ghosts = self.board.chosen_ghosts or tuple(self.board.ghosts)
        if self.board.chosen_ghosts or len(ghosts) == 1:
            self._accept(ghosts[0])

    def go(self, across: int, down: int) -> None:
        """Select the nearest step in a direction; the first one where none is selected."""
        self.select_step(neighbour(self.board.layout, self.current_step, across=across, down=down))

    def next_edge(self, by: int) -> None:
        """Select the next edge or suggestion at the selected step, going round."""
        items = {**self.board.edges, **self.board.ghosts}
        pairs = [p for p in sorted(items) if self.current_step is None or self.current_step in p]
        chosen = [number for number, pair in enumerate(pairs) if pair in self.board.highlight.edges]
        start = chosen[0] + by if chosen else (0 if by > 0 else -1)
        if pairs:
            self._choose({pairs[start % len(pairs)]})

    @property
    def is_at_rest(self) -> bool:
        """Whether nothing is under way, no mode is on and no edge is selected."""
        is_busy = self._gesture is not None or self._number.digits is not None or self.mode is not Mode.SELECT
        return not (is_busy or self.chosen_edges or self.board.chosen_ghosts)

    def escape(self) -> None:
        """Cancel what is under way, else leave the mode, else select no edge and no step."""
        if self._gesture is not None:
            self._drop_gesture()
        elif self._number.digits is not None or self.mode is not Mode.SELECT:
            self.set_mode(Mode.SELECT)
        else:
            self._choose(set())
            self.select_step(None)

    # answers to gestures

    def _request(self, source: int, target: int) -> None:
        if not self.is_read_only:
            self.say("")
            self.edge_requested.emit(source, target)

    def _refuse(self, error: GraphError | None) -> None:
        if isinstance(error, CycleError):
            self.say(tr("This would close a circle: ") + " → ".join(map(str, error.cycle)) + ".", Tone.ERROR)
        else:
            self.say(in_language(str(error)) if error else "", Tone.ERROR)

    def _accept(self, pair: Pair) -> None:
        if not self.is_read_only:
            self.suggestion_accepted.emit(self._suggestion(pair))

    def _suggestion(self, pair: Pair) -> SuggestedEdge:
        return next(item for item in self._content.suggestions if item.edge.pair == pair)

    def _choose(self, pairs: Collection[Pair]) -> None:
        self.board.choose_edges(pairs)
        if self.board.chosen_ghosts:
            (source, target), *_ = self.board.chosen_ghosts
            self.say(
                tr(
                    "Suggested {source} → {target}. {reason} Enter accepts it.",
                    source=source,
                    target=target,
                    reason=self._suggestion((source, target)).reason,
                )
            )
        else:
            self.say("" if self.is_read_only else about_edges(self.task, self.chosen_edges))

    def _show_grips(self) -> None:
        self.board.show_grips(on=not self.is_read_only and self.mode is not Mode.SIMULATE)

    def _show_current(self, step: int | None) -> None:
        self.current_step = step
        self.board.show_current(step)
        if step is not None:
            self.keep_in_sight(step)
        self.setAccessibleDescription(about_step(self.task, step, self.board.layout.rounds))

    def _drop_gesture(self) -> None:
        if self._gesture is not None:
            gesture, self._gesture = self._gesture, None
            gesture.cancel()
