"""The line above the table: filters, the text field, and the views one comes back to."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from scoring.model.taxonomy import Information, Policy, Stage
from ui.queue.views import BUILT_IN, UNLABELLED, Dimension, QueueView, chip_words, value_words
from ui.theme import ChipButton, Kbd, TextLabel, Tone, ToolButton, theme
from ui.theme.buttons import open_menu
from ui.theme.layouts import FlowLayout, build, clear_layout, hbox
from ui.theme.look import paint_icon
from ui.theme.words import plain_tip, visible

_TYPING_MILLISECONDS = 150
_SINGLE = (Dimension.BATCH, Dimension.OWNER)


class TextField(QLineEdit):
    """The field for words of the dialogue; Escape empties and leaves it, Down goes to the table."""

    left = Signal()

    def __init__(self, keys: str) -> None:
        super().__init__()
        self.setObjectName("filter-text")
        self.setProperty("look", "search")
        self.setPlaceholderText("Text in the dialogue")
        self.setAccessibleName("Text in the dialogue or case id")
        self._keys = keys
        self._kbd = Kbd(keys, self)
        self._kbd.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.textChanged.connect(self._show_kbd)
        self.setFixedWidth(theme().px(240))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
            self.left.emit()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange:
            self.setFixedWidth(theme().px(240))

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.StyleChange):
            self._place_kbd()
        return handled

    def _show_kbd(self, text: str) -> None:
        self._kbd.setText("Esc" if text else self._keys)
        self._place_kbd()

    def _place_kbd(self) -> None:
        look, size = theme(), self._kbd.sizeHint()
        left = self.width() - size.width() - look.px(8)
        self._kbd.setGeometry(left, (self.height() - size.height()) // 2, size.width(), size.height())
        self.setTextMargins(0, 0, size.width() + look.px(4), 0)


class FilterBar(QFrame):
    """Edits one `QueueView`."""

    view_changed = Signal(object)
    """The new `QueueView`."""
    kept_views_changed = Signal(object)
    """The person's own views by name."""
    left = Signal()
    """The text field was left towards the table."""

    def __init__(self, *, text_keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filter-bar")
        look = theme()
        self._view = QueueView()
        self._own: dict[str, QueueView] = {}
        self._chips = {
            dimension: FilterChip(dimension, is_single=dimension in _SINGLE) for dimension in Dimension
        }
        self._chips[Dimension.STAGE].set_choices([stage.value for stage in Stage])
        self._chips[Dimension.POLICY].set_choices([*(policy.value for policy in Policy), UNLABELLED])
        informations = [*(one.value for one in Information), UNLABELLED]
        self._chips[Dimension.INFORMATION].set_choices(informations)
        self.text = TextField(text_keys)
        self.text.textChanged.connect(self._wait_for_typing)
        self.text.left.connect(self.left)
        self._typing = build(
            QTimer, self, singleShot=True, interval=_TYPING_MILLISECONDS, timeout=self._take_text
        )
        filters = QWidget()
        flow = FlowLayout(filters)
        flow.setContentsMargins(0, 0, 0, 0)
        for chip in self._chips.values():
            chip.chosen.connect(self._choose)
            flow.addWidget(chip)
        flow.addWidget(self.text)
        self._views = QWidget()
        self._views_row = QHBoxLayout(self._views)
        self._views_row.setContentsMargins(0, 0, 0, 0)
        self._views_row.setSpacing(look.px(8))
        row = hbox((filters, 1), within=self, gap=16, margins=(16, 10))
        row.addWidget(self._views, 0, Qt.AlignmentFlag.AlignTop)
        self.set_own_views({})
        self._show()

    @property
    def view(self) -> QueueView:
        """The view that is shown."""
        return self._view

    def set_choices(self, dimension: Dimension, values: Sequence[str]) -> None:
        """What can be chosen in a dimension."""
        self._chips[dimension].set_choices(values)

    def set_view(self, view: QueueView) -> None:
        """Show another view."""
        if view == self._view:
            return
        self._view = view
        self._show()
        self.view_changed.emit(view)

    def set_own_views(self, own: Mapping[str, QueueView]) -> None:
        """Show the person's own views beside the built-in ones."""
        self._own = dict(own)
        clear_layout(self._views_row)
        self._views_row.addWidget(TextLabel("Saved views", "muted"))
        for name in (*BUILT_IN, *own):
            chip = ChipButton(name.replace("&", "&&"), Tone.ACCENT, objectName=f"view-{name}")
            chip.setProperty("view", name)
            chip.clicked.connect(self._use_view)
            if name in own:
                chip.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                chip.customContextMenuRequested.connect(self._show_view_menu)
                chip.setToolTip("Your saved view; right-click to delete it.")
            self._views_row.addWidget(chip)
        self._views_row.addWidget(
            ToolButton("plus", "Save these filters as a view", objectName="view-keep", clicked=self._ask_name)
        )
        self._mark_views()

    def keep_view(self, name: str) -> None:
        """Keep the filters that are set under a name; an empty one keeps nothing."""
        clean = " ".join(name.split())[:40]
        if clean and clean not in BUILT_IN:
            self.set_own_views(self._own | {clean: self._view})
            self.kept_views_changed.emit(dict(self._own))

    def forget_view(self, name: str) -> None:
        """Forget one of the person's own views."""
        self.set_own_views({other: view for other, view in self._own.items() if other != name})
        self.kept_views_changed.emit(dict(self._own))

    def _show(self) -> None:
        for chip in self._chips.values():
            chip.show_view(self._view)
        if self.text.text().strip() != self._view.text:
            self.text.setText(self._view.text)
            self._typing.stop()
        self._mark_views()

    def _mark_views(self) -> None:
        known = BUILT_IN | self._own
        for chip in self._views.findChildren(ChipButton):
            view = known.get(str(chip.property("view")))
            chip.setChecked(view is not None and _without_order(view) == _without_order(self._view))

    def _choose(self, dimension: Dimension, values: tuple[str, ...]) -> None:
        self.set_view(self._view.choosing(dimension, values))

    def _wait_for_typing(self) -> None:
        self._typing.start()

    def _take_text(self) -> None:
        self.set_view(self._view.model_copy(update={"text": self.text.text().strip()}))

    def _use_view(self) -> None:
        name = str(self.sender().property("view"))
        view = (BUILT_IN | self._own)[name]
        is_on = _without_order(view) == _without_order(self._view)
        self.set_view(QueueView(order=self._view.order) if is_on else view)
        self._mark_views()

    def _show_view_menu(self, at: QPoint) -> None:
        chip = self.sender()
        assert isinstance(chip, ChipButton)
        menu = QMenu(self)
        forget = QAction("Delete this view", menu)
        forget.setData(chip.property("view"))
        menu.addAction(forget)
        menu.triggered.connect(self._forget_asked)
        menu.aboutToHide.connect(menu.deleteLater)
        open_menu(menu, chip.mapToGlobal(at))

    def _forget_asked(self, action: QAction) -> None:
        self.forget_view(str(action.data()))

    def _ask_name(self) -> None:
        button = self.sender()
        assert isinstance(button, QWidget)
        asking = _NameField(self)
        asking.named.connect(self.keep_view)
        asking.show_below(button)


class _NameField(QFrame):
    """A small popup that asks for the name of a view."""

    named = Signal(str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("view-name-popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("look", "card")
        self._field = build(
            QLineEdit, objectName="view-name", placeholderText="Name of the view", returnPressed=self._take
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(*(theme().px(8),) * 4)
        row.addWidget(self._field)

    def show_below(self, widget: QWidget) -> None:
        """Open below a widget, right edges aligned."""
        self.adjustSize()
        corner = widget.mapToGlobal(widget.rect().bottomRight())
        self.move(corner - QPoint(self.width(), 0))
        self.show()
        self._field.setFocus()

    def _take(self) -> None:
        self.named.emit(self._field.text())
        self.close()


def _without_order(view: QueueView) -> QueueView:
    return view.model_copy(update={"order": ""})


_LONGEST = 220
_SIGN = 12


class FilterChip(QPushButton):
    """One dimension of a view.

    Args:
        dimension: What it filters by.
        is_single: Whether one value excludes the others.
    """

    chosen = Signal(object, object)
    """(dimension, values): empty values clear it."""

    def __init__(self, dimension: Dimension, *, is_single: bool) -> None:
        super().__init__()
        self.dimension = dimension
        self._is_single = is_single
        self._words = ""
        self._values: tuple[str, ...] = ()
        self._choices: tuple[str, ...] = ()
        self.setObjectName(f"filter-{dimension.value}")
        self.setProperty("chip", "accent")
        self.setCheckable(True)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_choices(self, choices: Sequence[str]) -> None:
        """What can be chosen, in the order of the menu."""
        self._choices = tuple(choices)

    def show_view(self, view: QueueView) -> None:
        """Show what a view has chosen."""
        self._values = view.chosen(self.dimension)
        words = visible(chip_words(view, self.dimension))
        self._words = words
        self.setText(_as_button_text(words))
        self.setChecked(bool(self._values))
        tip = f"{words}\nDelete clears it." if self._values else f"Filter by {words.lower()}"
        self.setToolTip(plain_tip(tip))
        self.setAccessibleName(words)
        self.updateGeometry()

    def menu_of_choices(self) -> QMenu:
        """A menu of what can be chosen; its owner shows and forgets it."""
        menu = build(QMenu, self, objectName=f"menu-{self.dimension.value}")
        for value in dict.fromkeys((*self._choices, *self._values)):
            action = build(
                QAction,
                _as_button_text(value_words(self.dimension, value)),
                menu,
                checkable=True,
                checked=value in self._values,
            )
            action.setData(value)
            menu.addAction(action)
        if menu.isEmpty():
            nothing = menu.addAction("No options yet")
            nothing.setEnabled(False)
        menu.triggered.connect(self._choose)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def sizeHint(self) -> QSize:
        look = theme()
        words = self.fontMetrics().horizontalAdvance(self._shown)
        return QSize(words + look.px(10 + 4 + _SIGN + 8), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self._clear()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space, Qt.Key.Key_Down):
            self._open()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
        elif self._values and event.position().x() >= self._sign_box().left() - theme().px(4):
            self._clear()
        else:
            self._open()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()  # the press did it; releasing must not toggle the look

    def paintEvent(self, event: QPaintEvent) -> None:
        look = theme()
        option = QStyleOptionButton()
        self.initStyleOption(option)
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButtonBevel, option)
        colour = look.colour("accent" if self._values else "muted")
        painter.setPen(colour)
        room = self.rect().adjusted(look.px(10), 0, 0, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self._shown)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_icon(painter, "x" if self._values else "caret-down", QRectF(self._sign_box()), colour)

    @property
    def _shown(self) -> str:
        longest = theme().px(_LONGEST)
        return self.fontMetrics().elidedText(self._words, Qt.TextElideMode.ElideRight, longest)

    def _sign_box(self) -> QRect:
        side = theme().px(_SIGN)
        return QRect(self.width() - side - theme().px(8), (self.height() - side) // 2, side, side)

    def _open(self) -> None:
        open_menu(self.menu_of_choices(), self.mapToGlobal(self.rect().bottomLeft()))

    def _clear(self) -> None:
        if self._values:
            self.chosen.emit(self.dimension, ())

    def _choose(self, action: QAction) -> None:
        value = str(action.data())
        if self._is_single:
            values: tuple[str, ...] = (value,) if value not in self._values else ()
        elif value in self._values:
            values = tuple(other for other in self._values if other != value)
        else:
            values = (*self._values, value)
        self.chosen.emit(self.dimension, values)


def _as_button_text(words: str) -> str:
    """Words in which no character becomes a key."""
    return words.replace("&", "&&")
