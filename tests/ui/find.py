"""Find a widget by its object name, or fail with the names there are; and read what stands there."""

from typing import TypeVar

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QLabel, QListView, QWidget

from ui.queue.filter_bar import FilterBar
from ui.queue.views import QueueView
from ui.theme import Chip, Stat

Found = TypeVar("Found", bound=QWidget)


def find(parent: QObject, kind: type[Found], name: str) -> Found:
    """The one child widget of a kind with a name, however deep."""
    found = parent.findChildren(kind, name)
    if len(found) != 1:
        names = sorted({child.objectName() for child in parent.findChildren(kind)} - {""})
        raise AssertionError(f"{len(found)} widgets are named {name!r}; there are {names}")
    return found[0]


def words_in(parent: QWidget) -> str:
    """What all its labels say, line by line, also those that are not seen yet."""
    return "\n".join(label.text() for label in parent.findChildren(QLabel))


def titles_of(palette: QWidget) -> tuple[str, ...]:
    """The lines of the palette that can be chosen, from the top."""
    model = find(palette, QListView, "palette-list").model()
    lines = [model.index(row, 0) for row in range(model.rowCount())]
    return tuple(line.data() for line in lines if line.flags() & Qt.ItemFlag.ItemIsEnabled)


def title_of(panel: QWidget) -> str:
    """What a panel of the assistant says first; empty while it is not shown."""
    title = panel.objectName().replace("panel", "title")
    return "" if panel.isHidden() else find(panel, QLabel, title).text()


def lines_of(panel: QWidget) -> tuple[str, ...]:
    """What a panel of the assistant says below, line by line."""
    lines = panel.findChildren(QLabel, panel.objectName().replace("panel", "line"))
    return tuple(line.text() for line in lines if not line.isHidden())


def figure_of(stat: Stat) -> str:
    """The value a figure shows."""
    return stat.accessibleName().partition(": ")[2]


def chip_of(stat: Stat) -> str:
    """What the chip beside a figure says; empty where there is none."""
    [chip] = stat.findChildren(Chip)
    return "" if chip.isHidden() else chip.text()


def show_view(page: QWidget, view: QueueView) -> None:
    """List the cases of a view of the queue."""
    [bar] = page.findChildren(FilterBar)
    bar.set_view(view)


def said_in(parent: QWidget, *names: str) -> str:
    """What labels of these names say, one behind the other."""
    return " ".join(find(parent, QLabel, name).text() for name in names).strip()
