"""How long frames of a graph of 60 and 200 steps take, against those of an empty scene of the same size."""

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QGraphicsScene, QGraphicsView, QWidget
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from scoring.model.case import Edge, Task
from scoring.model.graph import redundant_edges, with_drawn_edges
from scoring.model.taxonomy import EdgeKind
from tests.bench.yardsticks import MEASURES
from tests.factories import answer, call, task
from tests.ui.graph.driving import handle_of, point_of
from ui.graph.canvas_content import CanvasContent, Pair
from ui.graph.panel import GraphPanel
from ui.services.operations import Operations
from ui.services.preflight import hold_singletons
from ui.theme import apply_theme
from ui.theme.look import dress

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
hold_singletons()
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support propagateSizeHints")

FRAMES = 60 if MEASURES else 6
SIZE = (900, 800)


def sparse_pairs(calls: int, chance: random.Random) -> list[Pair]:
    """Short chains with a jump here and there: one edge in for about every second step."""
    return [(max(0, step - chance.randint(1, 9)), step) for step in range(1, calls) if chance.random() < 0.6]


def layered_pairs(calls: int, chance: random.Random) -> list[Pair]:
    """Rounds of five steps, each waiting for two of the round before."""
    return sorted(
        {
            (source, step)
            for step in range(5, calls)
            for source in chance.sample(range(5 * (step // 5 - 1), 5 * (step // 5)), 2)
        }
    )


def long_pairs(calls: int, chance: random.Random) -> list[Pair]:
    """One chain, and edges that pass many rounds of it."""
    chain = [(step - 1, step) for step in range(1, calls)]
    jumps = [
        (max(0, step - chance.randint(5, 40)), step) for step in range(6, calls) if chance.random() < 0.3
    ]
    return sorted({*chain, *jumps})


def edits(pairs: Sequence[Pair], calls: int, chance: random.Random) -> list[Task]:
    """Drawings that differ by one edge each, drawn now and removed then."""
    plain = task(*(call(f"tool{number % 7}", n=number) for number in range(calls)), answer())
    drawn = set(pairs)
    found = []
    for _ in range(FRAMES + 1):
        drawn ^= {tuple(sorted(chance.sample(range(calls), 2)))}  # type: ignore[arg-type]
        edges = [Edge(source=a, target=b, kind=EdgeKind.LOGICAL) for a, b in sorted(drawn)]
        found.append(with_drawn_edges(plain, edges))
    return found


@pytest.fixture(params=[60, 200])
def calls(request: pytest.FixtureRequest) -> int:
    """Calls of the drawing; the answer comes besides."""
    return int(request.param) - 1


@pytest.fixture(params=[sparse_pairs, layered_pairs, long_pairs])
def drawings(request: pytest.FixtureRequest, calls: int) -> list[Task]:
    chance = random.Random(5)
    return edits(request.param(calls, chance), calls, chance)


@pytest.fixture(params=["fitted", "full size"])
def graph(
    request: pytest.FixtureRequest,
    qtbot: QtBot,
    qapp: QApplication,
    drawings: list[Task],
) -> Iterator[GraphPanel]:
    """The first drawing: all of it as far as its words stay readable, or its middle at 100 %."""
    apply_theme(qapp, dark=False)
    operations = Operations()
    panel = GraphPanel(operations)
    opened(qtbot, panel)
    panel.show_content(CanvasContent(drawings[0], redundant=redundant_pairs(drawings[0])))
    if request.param == "full size":
        panel.view.set_zoom(1.0)
        for bar in (panel.view.horizontalScrollBar(), panel.view.verticalScrollBar()):
            bar.setValue((bar.minimum() + bar.maximum()) // 2)
    painted(panel.view)
    yield panel
    operations.close()


@pytest.fixture
def empty_seconds(qtbot: QtBot, qapp: QApplication) -> float:
    """How long a frame of an empty scene takes."""
    view = QGraphicsView(QGraphicsScene(qapp))
    opened(qtbot, view)
    painted(view)
    return median(painted(view) for _ in range(FRAMES))


def opened(qtbot: QtBot, widget: QWidget) -> None:
    qtbot.addWidget(widget)
    dress(widget)
    widget.resize(*SIZE)
    # Nothing is painted before the window has come up.
    with qtbot.waitExposed(widget):
        widget.show()


def redundant_pairs(drawing: Task) -> list[Pair]:
    return [edge.pair for edge in redundant_edges(drawing)]


def painted(view: QGraphicsView, do: Callable[[], object] = bool) -> float:
    """Seconds of this thread until something is done and painted.

    Other programs on the machine are not the canvas's doing.
    """
    start = time.thread_time()
    do()
    # The whole of what is visible, which is more than most frames ask for.
    QApplication.sendPostedEvents()
    view.viewport().repaint()
    return time.thread_time() - start


@pytest.fixture
def measure(
    request: pytest.FixtureRequest, benchmark: BenchmarkFixture, graph: GraphPanel, empty_seconds: float
) -> Callable[[Callable[[int], object]], None]:
    """Do something and paint the frame, each time; print the frames as multiples of an empty one."""

    def run(do: Callable[[int], object]) -> None:
        seconds = sorted(
            benchmark.pedantic(  # type: ignore[no-untyped-call]
                lambda: [painted(graph.view, partial(do, number)) for number in range(FRAMES)], rounds=1
            )
        )
        ratios = [round(seconds[place] / empty_seconds) for place in (FRAMES // 2, -4, -1)]
        benchmark.extra_info["ratios"] = ratios
        name = f"{request.node.originalname} [{request.node.callspec.id}]"
        print(f"\n{name}: {ratios[0]} empty frames, 95 %: {ratios[1]}, most: {ratios[2]}")

    return run


Measure = Callable[[Callable[[int], object]], None]


def test_drawing_an_edge(graph: GraphPanel, drawings: list[Task], measure: Measure) -> None:
    contents = [CanvasContent(drawing, redundant=redundant_pairs(drawing)) for drawing in drawings]
    measure(lambda number: graph.show_content(contents[1 + number]))
    assert graph.view.task == drawings[-1]


def test_selecting_steps_all_over_the_drawing(graph: GraphPanel, calls: int, measure: Measure) -> None:
    # Seven at a time: the next one is seldom in sight, and the canvas goes there.
    measure(lambda number: graph.view.select_step(7 * number % calls))
    assert graph.view.current_step == 7 * (FRAMES - 1) % calls


def test_going_from_step_to_step(graph: GraphPanel, measure: Measure) -> None:
    arrows = random.Random(6).choices(
        [Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Left], k=FRAMES
    )
    measure(lambda number: QTest.keyClick(graph.view, arrows[number]))
    assert graph.view.current_step is not None


def test_pulling_a_line_over_the_drawing(graph: GraphPanel, measure: Measure) -> None:
    view = graph.view
    room = view.viewport().rect()
    source = min(view.board.steps, key=lambda step: (point_of(view, step) - room.center()).manhattanLength())
    QTest.mousePress(
        view.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, handle_of(view, source)
    )
    # In strides over the canvas, and every second time over a card.
    cards = [point for step in view.board.steps if room.contains(point := point_of(view, step))]
    strides = [QPoint(37 * n % room.width(), 23 * n % room.height()) for n in range(FRAMES)]
    places = [cards[n % len(cards)] if n % 2 else strides[n] for n in range(FRAMES)]
    measure(lambda number: QTest.mouseMove(view.viewport(), places[number]))
    assert view.chosen_edges == ()  # no frame was drawn instead
    view.escape()


@pytest.mark.parametrize("across", [False, True], ids=["down", "across"])
def test_scrolling(graph: GraphPanel, across: bool, measure: Measure) -> None:
    bar = graph.view.horizontalScrollBar() if across else graph.view.verticalScrollBar()
    length = max(bar.maximum() - bar.minimum(), 1)
    measure(lambda number: bar.setValue(bar.minimum() + 60 * number % length))
