"""From 100 to 200 %, on small and large screens: nothing is out of reach or cut."""

from collections.abc import Iterator
from functools import partial
from itertools import product

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPushButton,
    QScrollArea,
    QSplitter,
    QTabBar,
    QTabWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from annotator.project.people import login_name
from tests.ui.cut import cut
from tests.ui.find import find
from tests.ui.settling import is_settled
from tests.ui.sizes import destroyed_while_sized
from ui.adjudication.page import AdjudicationPage
from ui.runs.page import RunsPage
from ui.shell.appearance import SCALES
from ui.shell.main_window import MainWindow
from ui.shell.navigation import RailButton
from ui.shell.pages import PAGES
from ui.theme import Tone, apply_theme
from ui.theme.cells import Cell, cell_width
from ui.theme.layouts import column, split
from ui.theme.panels import PageHead
from ui.theme.tables import Column, FigureTable, Row
from ui.workbench.page import WorkbenchPage

SCREENS = ((1280, 720), (1440, 900), (1920, 1080))


@pytest.fixture(autouse=True)
def usual_size(light: QApplication) -> Iterator[QApplication]:
    """100 % also afterwards."""
    yield light
    apply_theme(light, dark=False)


@pytest.fixture
def whole(qtbot: QtBot, window: MainWindow, reviewed_project: str) -> MainWindow:
    """The window with a case on the workbench, for a person in every role."""
    window.resize(*SCREENS[0])
    window.entrance.open(reviewed_project, login_name())
    settle(qtbot, window)
    page = window.ways.show_page("workbench")
    assert isinstance(page, WorkbenchPage)
    page.next_case()
    qtbot.waitUntil(lambda: page.open_work.document is not None)
    return window


def settle(qtbot: QtBot, window: MainWindow) -> None:
    qtbot.waitUntil(lambda: bool(window.ways.open_pages()) and not window.operations.pending_count)


def put_on(qtbot: QtBot, window: MainWindow, screen: tuple[int, int], *, scale: float) -> None:
    """Give everything a size and the window a screen to fill."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    apply_theme(app, dark=False, scale=scale)
    qtbot.wait(30)
    window.resize(*screen)
    qtbot.wait(30)


def place_in(window: MainWindow, widget: QWidget) -> QRect:
    """Where a widget is in the window."""
    return QRect(widget.mapTo(window, widget.rect().topLeft()), widget.size())


def is_whole(window: MainWindow, widget: QWidget) -> bool:
    """Whether all of a widget is in sight, as wide as its words are."""
    is_inside = window.rect().contains(place_in(window, widget))
    return widget.isVisible() and is_inside and widget.width() >= widget.minimumSizeHint().width()


def test_no_widget_of_any_page_is_destroyed_while_a_size_is_put_on(
    qtbot: QtBot, whole: MainWindow, light: QApplication
) -> None:
    for kind in PAGES:
        whole.ways.show_page(kind.id)
        settle(qtbot, whole)
    whole.ways.show_page("workbench")
    assert destroyed_while_sized(light, scales=(1.25, 1.75, 1.0), settle=partial(qtbot.wait, 30)) == []


def test_the_window_is_never_larger_than_the_smallest_screen(qtbot: QtBot, whole: MainWindow) -> None:
    for kind in PAGES:
        whole.ways.show_page(kind.id)
        settle(qtbot, whole)
        put_on(qtbot, whole, SCREENS[0], scale=2)
        assert (kind.id, whole.size().toTuple()) == (kind.id, SCREENS[0])


def test_the_explanation_beside_the_work_is_narrower_where_the_screen_ends(
    qtbot: QtBot, whole: MainWindow
) -> None:
    whole.explain_topic("policy.single")
    for scale in SCALES:
        put_on(qtbot, whole, SCREENS[0], scale=scale)
        assert (scale, whole.size().toTuple()) == (scale, SCREENS[0])
    assert whole.help.width() < 2 * 320 or place_in(whole, whole.help).left() == whole.rail.width()
    put_on(qtbot, whole, SCREENS[1], scale=1)
    assert whole.help.width() == 320


def test_the_title_over_the_drawing_is_whole_in_its_least_width(qtbot: QtBot, whole: MainWindow) -> None:
    title = next(one for one in whole.findChildren(QLabel) if one.text() == "Dependencies")
    cut = []
    for has_help in (False, True):
        for scale, screen in product(SCALES, SCREENS):
            put_on(qtbot, whole, screen, scale=scale)
            if title.isVisible() and title.width() < title.fontMetrics().horizontalAdvance(title.text()):
                cut.append((has_help, scale, screen))
        whole.explain_topic("policy.single")
    assert cut == []


def test_submit_person_bell_and_save_state_are_in_reach_and_no_word_of_the_header_is_cut(
    qtbot: QtBot, whole: MainWindow
) -> None:
    whole.footer.show_saved("Saved 2 s ago", Tone.OK)
    for scale, screen in product(SCALES, SCREENS):
        put_on(qtbot, whole, screen, scale=scale)
        wanted = (
            *(find(whole, QPushButton, f"workbench-{name}") for name in ("submit", "more")),
            *(find(whole, QPushButton, "person"), whole.header.bell, whole.header.search),
            find(whole, QLabel, "save-state"),
            *(word for word in whole.header.findChildren(QLabel) if word.isVisible()),
        )

        def none_is_cut(
            widgets: tuple[QWidget, ...] = wanted, at: tuple[object, ...] = (scale, screen)
        ) -> None:
            assert [
                (*at, widget.objectName(), widget.size(), widget.minimumSizeHint())
                for widget in widgets
                if not is_whole(whole, widget)
            ] == []

        qtbot.waitUntil(none_is_cut)
        rail = whole.rail.rect()
        assert all(rail.contains(button.geometry()) for button in whole.rail.findChildren(RailButton))


def test_what_blocks_and_what_the_next_key_does_is_in_sight_at_every_size(
    qtbot: QtBot, whole: MainWindow
) -> None:
    bar = find(whole, QWidget, "submit-bar")
    for scale, screen in product(SCALES, SCREENS):
        if (scale, screen) == (2, SCREENS[0]):
            continue  # 640 x 360 pixels at 100 %: the page has no room and scrolls
        put_on(qtbot, whole, screen, scale=scale)

        def is_in_sight(at: tuple[object, ...] = (scale, screen)) -> None:
            shown = bar.visibleRegion().boundingRect()
            assert (*at, shown.size().toTuple()) == (*at, bar.size().toTuple())

        qtbot.waitUntil(is_in_sight)


def test_a_narrow_header_leaves_out_the_place_before_the_roles(qtbot: QtBot, whole: MainWindow) -> None:
    place, person = find(whole, QLabel, "project-place"), find(whole, QPushButton, "person")
    put_on(qtbot, whole, SCREENS[2], scale=1)
    assert place.isVisible()
    assert person.text().endswith("every role")
    put_on(qtbot, whole, (760, 720), scale=1)
    assert not place.isVisible()
    assert person.text().endswith("every role")
    put_on(qtbot, whole, (1080, 720), scale=2)
    assert person.text() == login_name()
    assert person.toolTip().endswith("every role")


def test_the_search_stands_in_the_middle_where_there_is_room(qtbot: QtBot, whole: MainWindow) -> None:
    put_on(qtbot, whole, SCREENS[1], scale=1)
    search = place_in(whole, whole.header.search)
    assert abs(search.center().x() - whole.width() // 2) <= 4
    assert search.width() == 360


def test_the_rail_shows_icons_only_where_words_do_not_fit(qtbot: QtBot, whole: MainWindow) -> None:
    buttons = whole.rail.findChildren(RailButton)
    put_on(qtbot, whole, SCREENS[1], scale=1)
    assert all(button.shows_word for button in buttons)
    put_on(qtbot, whole, SCREENS[0], scale=2)
    assert not any(button.shows_word for button in buttons)


def test_a_page_that_needs_more_room_is_scrolled_to_where_the_keys_go(
    qtbot: QtBot, whole: MainWindow
) -> None:
    page = whole.ways.show_page("team")
    settle(qtbot, whole)
    put_on(qtbot, whole, SCREENS[0], scale=2)
    assert page.height() > find(whole, QScrollArea, "room").viewport().height()
    buttons = [one for one in page.findChildren(QPushButton) if one.isVisible() and one.isEnabled()]
    last = max(buttons, key=lambda button: place_in(whole, button).bottom())
    assert not whole.rect().contains(place_in(whole, last))
    last.setFocus()
    qtbot.wait(10)
    assert whole.rect().contains(place_in(whole, last))


SMALLEST = (1024, 700)
LARGE_WORDS = ((1440, 900), 1.5)


def _check_width(window: MainWindow, page: QWidget) -> None:
    """A page takes its width when it is laid out, a moment after what it shows has come."""
    assert page.width() == find(window, QScrollArea, "room").viewport().width(), page.objectName()


def _check_cut(window: MainWindow) -> None:
    assert cut(window) == []


@pytest.mark.parametrize(("screen", "scale"), [(SMALLEST, 1), LARGE_WORDS])
def test_on_a_small_laptop_or_with_large_words_no_page_is_wider_than_the_window(
    qtbot: QtBot, window: MainWindow, released_project: str, screen: tuple[int, int], scale: float
) -> None:
    window.entrance.open(released_project, login_name())
    settle(qtbot, window)
    put_on(qtbot, window, screen, scale=scale)
    for kind in PAGES:
        page = window.ways.show_page(kind.id)
        qtbot.waitUntil(lambda: is_settled(window.operations) and not window.operations.jobs)
        qtbot.waitUntil(partial(_check_width, window, page))
        buttons = [button for button in page.findChildren(QPushButton) if button.isVisibleTo(page)]
        assert [button.objectName() for button in buttons if not is_whole(window, button)] == []
    runs = window.ways.show_page("runs")
    assert isinstance(runs, RunsPage)
    runs.toggle_details()
    qtbot.waitUntil(lambda: is_settled(window.operations) and find(runs, QWidget, "run-details").isVisible())
    qtbot.waitUntil(lambda: runs.width() == find(window, QScrollArea, "room").viewport().width())


def test_twice_as_large_on_a_small_screen_no_page_scrolls_sideways(
    qtbot: QtBot, window: MainWindow, released_project: str
) -> None:
    window.entrance.open(released_project, login_name())
    settle(qtbot, window)
    put_on(qtbot, window, (1366, 768), scale=2.0)
    for kind in PAGES:
        page = window.ways.show_page(kind.id)
        qtbot.waitUntil(lambda: is_settled(window.operations) and not window.operations.jobs)
        qtbot.waitUntil(partial(_check_width, window, page))
        for head in page.findChildren(PageHead):
            words = [
                word
                for word in head.findChildren(QWidget)
                if word.isVisible() and word.parent() in head.children()
            ]
            assert words
            assert all(head.rect().contains(QRect(word.mapTo(head, QPoint()), word.size())) for word in words)


def test_halves_lie_side_by_side_again_where_there_is_room_again(qtbot: QtBot) -> None:
    left, right = QLabel("a"), QLabel("b")
    for half in (left, right):
        half.setMinimumWidth(300)
    halves = split(Qt.Orientation.Horizontal, (left, 400), (right, 200))
    room = column((halves, 1))
    qtbot.addWidget(room)
    room.resize(900, 500)
    room.show()
    assert right.x() > left.x()
    room.resize(500, 500)
    qtbot.waitUntil(lambda: right.y() > left.y())
    assert right.x() == left.x()
    assert halves.minimumSizeHint().width() == 300
    room.resize(900, 500)
    qtbot.waitUntil(lambda: right.x() > left.x())
    assert left.width() > right.width()


@pytest.mark.parametrize(
    ("screen", "scale"), [((1366, 768), 2.0), ((1440, 900), 2.0), ((1440, 900), 1.5), ((1366, 768), 1.25)]
)
def test_nothing_of_a_case_is_cut_and_nothing_scrolls_sideways(
    qtbot: QtBot, whole: MainWindow, screen: tuple[int, int], scale: float
) -> None:
    put_on(qtbot, whole, screen, scale=scale)
    columns = find(whole, QSplitter, "workbench-columns")
    qtbot.waitUntil(lambda: bool(columns.width()) and cut(whole) == [])
    is_beside = columns.orientation() is Qt.Orientation.Horizontal
    assert is_beside is (scale < 2), "dialogue and tabs stand side by side where both have room"


def test_with_large_words_no_field_of_the_policy_and_no_figure_of_the_workload_is_cut(
    qtbot: QtBot, window: MainWindow, released_project: str
) -> None:
    screen, scale = LARGE_WORDS
    window.entrance.open(released_project, login_name())
    settle(qtbot, window)
    put_on(qtbot, window, screen, scale=scale)
    page = window.ways.show_page("team")
    qtbot.waitUntil(lambda: find(page, QWidget, "policy-reviewers").isVisible())
    policy, fields = find(page, QScrollArea, "policy-area"), find(page, QWidget, "policy-fields")
    assert fields.width() <= policy.viewport().width()
    find(page, QTabBar, "team-tabs").setCurrentIndex(2)
    workload = find(page, FigureTable, "workload")
    qtbot.waitUntil(lambda: workload.model().rowCount() > 0)
    qtbot.waitUntil(lambda: workload.horizontalScrollBar().maximum() == 0)
    last = workload.model().columnCount() - 1
    assert workload.columnWidth(last) >= cell_width(Cell("12,345"))


def test_with_large_words_the_line_above_a_decision_says_how_far_it_is(
    qtbot: QtBot, window: MainWindow, reviewed_project: str
) -> None:
    screen, scale = LARGE_WORDS
    window.entrance.open(reviewed_project, login_name())
    settle(qtbot, window)
    page = window.ways.show_page("adjudication")
    assert isinstance(page, AdjudicationPage)
    page.next_case()
    qtbot.waitUntil(lambda: page.document is not None)
    put_on(qtbot, window, screen, scale=scale)
    progress = find(page, QLabel, "case-progress")
    qtbot.waitUntil(lambda: progress.text().endswith("decided"))
    qtbot.waitUntil(lambda: is_whole(window, progress))


def test_on_a_small_laptop_every_tab_of_the_workbench_is_in_sight(qtbot: QtBot, whole: MainWindow) -> None:
    put_on(qtbot, whole, (800, 700), scale=1)
    put_on(qtbot, whole, SMALLEST, scale=1)
    tabs = find(whole, QTabWidget, "case-tabs")
    bar = tabs.tabBar()
    qtbot.waitUntil(lambda: sum(map(bar.isTabVisible, range(tabs.count()))) == 5)
    qtbot.waitUntil(lambda: bar.sizeHint().width() <= tabs.width())


def test_a_heading_is_never_cut_by_the_width_of_its_column(qtbot: QtBot, light: QApplication) -> None:
    table = FigureTable("t", "Fields", (Column("Field"), Column("Gwet AC1 and more", 40, is_figure=True)))
    qtbot.addWidget(table)
    header = table.horizontalHeader()
    for scale in (1.0, 2.0):
        apply_theme(light, dark=False, scale=scale)
        qtbot.waitUntil(lambda: header.sectionSize(1) == header.sectionSizeFromContents(1).width())
        assert header.sectionSize(1) > header.fontMetrics().horizontalAdvance("Gwet AC1 and more")


def test_a_column_that_takes_what_is_left_stays_wide_enough_to_read(qtbot: QtBot) -> None:
    table = FigureTable("t", "Tools", (Column("Tool"), Column("Calls", 72), Column("Tip", 90)))
    qtbot.addWidget(table)
    table.show_rows([Row("a", (Cell("getAirQualityForecast"), Cell("3"), Cell("x")))])
    table.show()
    for width, least in ((200, 100), (600, 400), (220, 100)):
        table.resize(width, 200)
        assert table.columnWidth(0) >= least


def test_twice_as_large_on_a_small_screen_the_queue_gives_its_room_to_the_table(
    qtbot: QtBot, whole: MainWindow
) -> None:
    page = whole.ways.show_page("queue")
    settle(qtbot, whole)
    preview = find(page, QWidget, "preview")
    put_on(qtbot, whole, (1366, 768), scale=2.0)
    assert not preview.isVisible()
    assert cut(whole) == []
    put_on(qtbot, whole, (1440, 900), scale=1.0)
    assert preview.isVisible()


@pytest.mark.parametrize("screen", [(1366, 768), (1440, 900)])
def test_with_large_words_labels_are_counted_and_a_dispute_is_shown_without_scrolling_sideways(
    qtbot: QtBot, window: MainWindow, reviewed_project: str, screen: tuple[int, int]
) -> None:
    window.entrance.open(reviewed_project, login_name())
    settle(qtbot, window)
    coverage = window.ways.show_page("coverage")
    labels = find(coverage, FigureTable, "information")
    adjudication = window.ways.show_page("adjudication")
    assert isinstance(adjudication, AdjudicationPage)
    adjudication.next_case()
    qtbot.waitUntil(lambda: adjudication.document is not None and labels.model().rowCount() > 0)
    fields = adjudication.columns.table
    for scale in (1.25, 1.5, 2.0):
        for page, table in ((coverage, labels), (adjudication, fields)):
            window.ways.show_page(page.objectName().removesuffix("-page"))
            put_on(qtbot, window, screen, scale=scale)
            bar = table.horizontalScrollBar()
            qtbot.waitUntil(partial(lambda bar: bar.maximum() == 0, bar))


def test_the_buttons_of_the_pictures_of_runs_stand_in_one_line(
    qtbot: QtBot, window: MainWindow, released_project: str
) -> None:
    window.entrance.open(released_project, login_name())
    settle(qtbot, window)
    put_on(qtbot, window, (1440, 900), scale=1)
    page = window.ways.show_page("runs")
    buttons = [find(page, QPushButton, f"chart-{name}") for name in ("which", "effects", "save")]
    qtbot.waitUntil(lambda: is_settled(window.operations) and not window.operations.jobs)
    qtbot.waitUntil(lambda: len({button.geometry().center().y() for button in buttons}) == 1)


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("screen", [(1366, 768), (1440, 900), (1920, 1080)])
def test_what_the_next_key_does_keeps_its_room_beside_what_is_told_and_saved(
    qtbot: QtBot, whole: MainWindow, screen: tuple[int, int], scale: float
) -> None:
    put_on(qtbot, whole, screen, scale=scale)
    page = whole.ways.show_page("workbench")
    assert isinstance(page, WorkbenchPage)
    bar = page.submit_bar
    bar.next_keys.setText(
        "Task 3, step 1: say where 2 values come from. E accepts the source · S selects it · D default · "
        "R derived · W world knowledge"
    )
    reason = "42 points to settle first (F8). Task 1, step 0: say where /plot of getSoilReport comes from."
    bar.tell(reason)
    whole.footer.show_saved("Saved 2 s ago", Tone.OK)
    whole.footer.show_undo("Ctrl Z undoes: draw the recorded order of task 1")
    whole.footer.tell(f"Submit: {reason}")
    qtbot.wait(30)
    two_lines = bar.next_keys.minimumHeight()
    assert bar.next_keys.heightForWidth(bar.next_keys.width()) <= two_lines
    assert bar.height() <= two_lines + 3 * bar.submit.height()
    assert cut(whole) == []


@pytest.mark.parametrize("name", [kind.id for kind in PAGES])
def test_with_an_explanation_no_page_scrolls_sideways_and_both_can_be_read(
    qtbot: QtBot, whole: MainWindow, name: str
) -> None:
    page = whole.ways.show_page(name)
    if isinstance(page, AdjudicationPage):
        page.next_case()
        qtbot.waitUntil(lambda: page.document is not None)
    settle(qtbot, whole)
    whole.explain_topic("policy.single")
    room = find(whole, QScrollArea, "room")
    for scale, screen in product((1.5, 2.0), ((1366, 768), (1440, 900))):
        put_on(qtbot, whole, screen, scale=scale)
        qtbot.waitUntil(partial(_check_width, whole, page))
        qtbot.waitUntil(partial(_check_cut, whole), timeout=20_000)
        assert whole.size().toTuple() == screen
        assert whole.help.width() >= 240 * scale, "narrower than that its words are cut"
        assert min(whole.help.height(), room.height()) >= screen[1] // 5
    put_on(qtbot, whole, (1920, 1080), scale=1.0)
    qtbot.waitUntil(lambda: place_in(whole, whole.help).left() > place_in(whole, room).right())
    assert whole.help.width() == 320


def test_the_offer_to_who_is_new_is_whole_at_every_size(qtbot: QtBot, whole: MainWindow) -> None:
    whole.ways.show_page("queue")
    offer = find(whole, QWidget, "tour-offer")
    offer.show()
    for scale, screen in product(SCALES, SCREENS):
        put_on(qtbot, whole, screen, scale=scale)
        assert (scale, whole.size().toTuple()) == (scale, screen)
        words = [label for label in offer.findChildren(QLabel) if label.text()]
        members = [*words, *offer.findChildren(QPushButton)]
        assert [member.objectName() for member in members if not is_whole(whole, member)] == []
        assert all(label.height() >= label.heightForWidth(label.width()) for label in words)
