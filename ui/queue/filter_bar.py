"""The lines above the table: title and counts, then filters, the text field and views one comes back to."""

from collections.abc import Mapping, Sequence
from functools import partial
from html import escape
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QCheckBox, QFrame, QLabel, QLineEdit, QMenu, QWidget

from annotator.review.queue.queue_status import Waiting
from scoring.model.taxonomy import Information, Policy, Priority, Stage
from scoring.texts import tr, tr_count, with_commas
from ui.queue.views import BUILT_IN, TITLES, UNLABELLED, FilterDimension, QueueView, chip_words, value_words
from ui.services.commands import Commands
from ui.theme import ButtonKind, ChipButton, Kbd, TextLabel, Tone, ToolButton, theme
from ui.theme.buttons import ChoiceChip
from ui.theme.events import follow_events, on_keys
from ui.theme.layouts import FlowLayout, build, clear_layout, hbox, vbox
from ui.theme.look import scaled
from ui.theme.menus import open_menu
from ui.theme.panels import PageHead
from ui.theme.words import plain_tip, visible


class TextField(QLineEdit):
    """The field for words of the dialogue; Escape empties and leaves it, Down goes to the table."""

    left = Signal()

    def __init__(self, keys: str, **properties: Any) -> None:
        build(
            super().__init__,
            objectName="filter-text",
            placeholderText=tr("Text in the dialogue"),
            accessibleName=tr("Text in the dialogue or case id"),
            **properties,
            look="search",
        )
        self._keys = keys
        self._kbd = Kbd(keys, self)
        self._kbd.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.textChanged.connect(self._show_kbd)
        scaled(self, setFixedWidth=240)
        follow_events(self, self._place_kbd, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.StyleChange)
        on_keys(
            self,
            {Qt.Key.Key_Escape: self._give_up}
            | dict.fromkeys((Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter), self.left.emit),
        )

    def _give_up(self) -> None:
        self.clear()
        self.left.emit()

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
    kept_views_changed = Signal(object, bool)
    """Views to keep by name, None for one to remove, and whether they are the team's."""
    left = Signal()
    """The text field was left towards the table."""

    def __init__(
        self, *, text_keys: str, leads: bool, parent: QWidget | None = None, **properties: Any
    ) -> None:
        build(super().__init__, parent, objectName="filter-bar", **properties)
        self.view = QueueView()
        self._leads = leads
        self._kept: dict[bool, dict[str, QueueView]] = {True: {}, False: {}}
        self._offered: list[tuple[ChipButton, QueueView]] = []
        self._chips = {
            dimension: FilterChip(
                dimension,
                is_single=dimension in (FilterDimension.BATCH, FilterDimension.OWNER),
                narrowed=lambda dimension, values: self.set_view(self.view.choosing(dimension, values)),
            )
            for dimension in FilterDimension
        }
        self._chips[FilterDimension.STAGE].set_values([stage.value for stage in Stage])
        self._chips[FilterDimension.PRIORITY].set_values(list(Priority))
        self._chips[FilterDimension.POLICY].set_values([*(policy.value for policy in Policy), UNLABELLED])
        informations = [*(one.value for one in Information), UNLABELLED]
        self._chips[FilterDimension.INFORMATION].set_values(informations)
        self._typing = build(QTimer, self, singleShot=True, interval=150, timeout=self._take_text)
        self.text = TextField(text_keys, textChanged=lambda: self._typing.start(), left=self.left.emit)
        filters = QWidget()
        self._flow = FlowLayout(*self._chips.values(), self.text, within=filters)
        hbox(filters, within=self, margins=(16, 10))
        self._offer_views()
        self._show()

    def set_choices(self, dimension: FilterDimension, values: Sequence[str]) -> None:
        """What can be chosen in a dimension."""
        self._chips[dimension].set_values(values)

    def set_view(self, view: QueueView) -> None:
        """Show another view."""
        if view != self.view:
            self.view = view
            self._show()
            self.view_changed.emit(view)

    def set_views(self, views: Mapping[str, QueueView], *, of_team: bool = False) -> None:
        """Show the person's own views beside the built-in ones, or those of the team."""
        if views != self._kept[of_team]:
            self._kept[of_team] = dict(views)
            self._offer_views()

    def _offer_views(self) -> None:
        clear_layout(self._flow, len(self._chips) + 1)
        keep = ToolButton("plus", tr("Save these filters as a view"), objectName="view-keep")
        keep.clicked.connect(lambda: self._ask_name(keep))
        self._offered = [self._offer(name, view) for name, view in BUILT_IN.items()]
        self._offered += [
            self._offer(name, view, of_team)
            for of_team, views in self._kept.items()
            for name, view in views.items()
        ]
        for widget in (TextLabel(tr("Saved views"), "muted"), *(chip for chip, _ in self._offered), keep):
            self._flow.addWidget(widget)
        self._mark_views()

    def _offer(self, name: str, view: QueueView, of_team: bool | None = None) -> tuple[ChipButton, QueueView]:
        """A button for a view: built in where nobody keeps it."""
        chip = ChipButton(
            (tr("{name} · team", name=name) if of_team else name).replace("&", "&&"),
            Tone.ACCENT,
            objectName=f"{'team-' if of_team else ''}view-{name}",
            clicked=partial(self._use_view, view),
        )
        if of_team is not None:
            tip = tr("Right-click to rename, replace or delete it.")
            chip.setToolTip(tr("A view of the team, kept by managers and experts.") if of_team else tip)
            if self._leads or not of_team:
                chip.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
                chip.customContextMenuRequested.connect(partial(self._show_view_menu, chip, name, of_team))
        return chip, view

    def _show(self) -> None:
        for chip in self._chips.values():
            chip.show_view(self.view)
        if self.text.text().strip() != self.view.text:
            self.text.setText(self.view.text)
            self._typing.stop()
        self._mark_views()

    def _mark_views(self) -> None:
        for chip, view in self._offered:
            chip.setChecked(_without_order(view) == _without_order(self.view))

    def _take_text(self) -> None:
        self.set_view(self.view.model_copy(update={"text": self.text.text().strip()}))

    def _use_view(self, view: QueueView) -> None:
        is_on = _without_order(view) == _without_order(self.view)
        self.set_view(QueueView(order=self.view.order) if is_on else view)
        self._mark_views()

    def _show_view_menu(self, chip: ChipButton, name: str, of_team: bool, at: QPoint) -> None:
        menu, change = build(QMenu, self, objectName="view-menu"), self.kept_views_changed.emit
        menu.addAction(tr("Rename…"), partial(self._ask_name, chip, name, of_team))
        menu.addAction(tr("Replace by the present filters"), partial(change, {name: self.view}, of_team))
        menu.addAction(tr("Delete this view"), partial(change, {name: None}, of_team))
        menu.aboutToHide.connect(menu.deleteLater)
        open_menu(menu, chip.mapToGlobal(at))

    def _ask_name(self, button: QWidget, former: str = "", of_team: bool = False) -> None:
        lets_share = self._leads and not former
        keep = partial(self._keep, former)
        _NameField(self, former, of_team=of_team, lets_share=lets_share, named=keep).show_below(button)

    def _keep(self, former: str, name: str, of_team: bool) -> None:
        """Keep the filters that are set under a name, or call a view by it; an empty one keeps nothing."""
        clean = " ".join(name.split())[:40]
        if clean and clean not in BUILT_IN:
            renamed = {former: None} if former else {}
            view = self._kept[of_team].get(former, self.view)
            self.kept_views_changed.emit({**renamed, clean: view}, of_team)


class _NameField(QFrame):
    """A small popup that asks for the name of a view, and whether it is for the team."""

    named = Signal(str, bool)

    def __init__(
        self, parent: QWidget, name: str, *, of_team: bool, lets_share: bool, **properties: Any
    ) -> None:
        build(
            super().__init__,
            parent,
            Qt.WindowType.Popup,
            objectName="view-name-popup",
            **properties,
            look="card",
        )
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._field = build(
            QLineEdit,
            name,
            objectName="view-name",
            placeholderText=tr("Name of the view"),
            returnPressed=self._take,
        )
        self._is_shared = build(
            QCheckBox,
            tr("For the whole team"),
            objectName="view-shared",
            checked=of_team,
            visible=lets_share,
        )
        vbox(self._field, self._is_shared, within=self, gap=8, margins=8)

    def show_below(self, widget: QWidget) -> None:
        """Open below a widget, right edges aligned."""
        self.adjustSize()
        self.move(widget.mapToGlobal(widget.rect().bottomRight()) - QPoint(self.width(), 0))
        self.show()
        self._field.setFocus()

    def _take(self) -> None:
        self.named.emit(self._field.text(), self._is_shared.isChecked())
        self.close()


def _without_order(view: QueueView) -> QueueView:
    return view.model_copy(update={"order": ""})


class FilterChip(ChoiceChip):
    """One dimension of a view: any number of values, or at most one where it is single; Delete clears it.

    Args:
        dimension: What it filters by.
        is_single: Whether one value excludes the others.
    """

    narrowed = Signal(object, object)
    """(dimension, values): empty values clear it."""

    def __init__(self, dimension: FilterDimension, *, is_single: bool, **properties: Any) -> None:
        self.dimension = dimension
        self._is_single = is_single
        self.view = QueueView()
        self._values: tuple[str, ...] = ()
        super().__init__(f"filter-{dimension.value}", TITLES[dimension], **properties)
        on_keys(self, dict.fromkeys((Qt.Key.Key_Delete, Qt.Key.Key_Backspace), self._clear))

    def set_values(self, values: Sequence[str]) -> None:
        """What can be chosen, in the order of the menu."""
        self._values = tuple(values)
        every = dict.fromkeys((*values, *self.marked_values()))
        self.set_choices([(value, value_words(self.dimension, value)) for value in every])

    def show_view(self, view: QueueView) -> None:
        """Show what a view has chosen."""
        self.view = view
        self.set_values(self._values)

    def marked_values(self) -> tuple[str, ...]:
        return self.view.chosen(self.dimension)

    def take(self, value: str) -> None:
        before = self.marked_values()
        others = tuple(other for other in before if other != value)
        kept = () if self._is_single else before
        self.narrowed.emit(self.dimension, others if value in before else (*kept, value))

    def refresh(self) -> None:
        words, is_on = visible(chip_words(self.view, self.dimension)), bool(self.marked_values())
        tip = (
            tr("{words}\nDelete clears it.", words=words)
            if is_on
            else tr("Filter by {words}", words=words.lower())
        )
        self.show_words(words, tip=plain_tip(tip), is_on=is_on)
        self.setAccessibleName(words)

    @property
    def icon_name(self) -> str:
        return "x" if self.marked_values() else "caret-down"

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_sign = event.position().x() >= self.sign_box.left() - theme().px(4)
        if event.button() is Qt.MouseButton.LeftButton and self.marked_values() and is_sign:
            self._clear()
        else:
            super().mousePressEvent(event)

    def _clear(self) -> None:
        if self.marked_values():
            self.narrowed.emit(self.dimension, ())


def waiting_parts(waiting: Waiting) -> tuple[tuple[str, bool], ...]:
    """What waits for a person, most urgent first, each with whether it is urgent; empty for nothing."""
    counts = (
        (waiting.returned, tr("returned"), True),
        (waiting.held, tr("in hand"), False),
        (waiting.self_check, tr("in self-check"), False),
        (waiting.cross_check, tr("to cross-check"), False),
        (waiting.expert, tr("to decide"), False),
    )
    return tuple((f"{count:,} {words}", is_urgent) for count, words, is_urgent in counts if count)


def next_words(waiting: Waiting) -> str:
    """Why the next case is the next one: cases come back first, then the oldest, then escalations."""
    counts = (
        (waiting.returned, tr("a case that was returned to you")),
        (waiting.self_check, tr("the oldest in self-check")),
        (waiting.cross_check, tr("the oldest to cross-check")),
        (waiting.expert, tr("the oldest to decide")),
    )
    found = next((words for count, words in counts if count), "")
    return (
        tr("Takes {found}: returned cases come first, then the oldest, then escalations.", found=found)
        if found
        else ""
    )


class QueueHead(PageHead):
    """Title, counts and the main actions."""

    def __init__(self, commands: Commands) -> None:
        self.counts = TextLabel("", "muted", objectName="case-count")
        self.waiting = build(QLabel, objectName="waiting", textFormat=Qt.TextFormat.RichText, look="muted")
        self.assign = commands.button("queue.assign", tr("Assign…"), name="assign")
        imports = commands.button("queue.import", tr("Import…"), name="import")
        self.language = ChoiceChip("next-language", tr("Language of the next case"), visible=False)
        """In which language the next case is taken; shown where cases have several."""
        self.next = commands.button("queue.next", tr("Next case"), name="next-case", kind=ButtonKind.PRIMARY)
        buttons = self.assign, imports, self.language, self.next
        super().__init__(tr("Queue"), [self.counts], (self.waiting, *buttons))

    def show_languages(self, languages: Sequence[str], chosen: str) -> None:
        """Offer the languages of the cases, and any."""
        only = ((language, tr("Only {language}", language=language)) for language in languages)
        self.language.set_choices([("", tr("Any language")), *only])
        self.language.choose(chosen)
        self.language.setVisible(len(languages) > 1)

    def show_counts(self, shown: int, total: int) -> None:
        """Say how many cases the view has, of how many."""
        words = (
            tr_count(total, "case")
            if shown == total
            else tr("{shown:,} of {case}", shown=shown, case=tr_count(total, "case"))
        )
        self.counts.setText(words)

    def show_waiting(self, waiting: Waiting) -> None:
        """Say what waits for the person."""
        colour = theme().tokens.error
        parts = [
            tr(
                '<span style="font-weight:600; color:{colour}">{words}</span>',
                colour=colour,
                words=escape(words),
            )
            if is_urgent
            else escape(words)
            for words, is_urgent in waiting_parts(waiting)
        ]
        self.waiting.setText(
            tr("Yours: {parts}", parts=" · ".join(parts)) if parts else tr("Nothing waits for you")
        )
        plain = with_commas(words for words, _ in waiting_parts(waiting))
        if self.next.isEnabled():
            self.next.setToolTip(next_words(waiting))
        self.waiting.setAccessibleName(
            tr("Yours: {plain}", plain=plain) if plain else tr("Nothing waits for you")
        )
