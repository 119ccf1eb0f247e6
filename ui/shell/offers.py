"""What is offered before work begins: the upgrade of an older project, a page to whom it suits."""

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QProgressBar, QWidget

from scoring.texts import tr, tr_count
from scoring.wording import sentence_case
from ui.services.errors import ManualLink, pass_over
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.shell.extensions import Offer
from ui.theme import Button, ButtonKind, Card, TextLabel, WrappedLabel
from ui.theme.events import ENTER_KEYS, on_keys
from ui.theme.layouts import STRETCH, FlowLayout, build, hbox, show_all, vbox
from ui.theme.look import scaled

if TYPE_CHECKING:
    from annotator.jobs import ProgressReport
    from annotator.project.upgrade import UpgradePlan


_MEGABYTE = 1_000_000
_MEGABYTES_A_SECOND = 20
"""Copying, changing and checking together: 318 MB took 11 seconds on two busy cores."""
_STEPS = 1000


class UpgradeOffer(QWidget):
    """Says what an upgrade does and asks for it; shows its progress and why it failed."""

    wanted = Signal()
    """The person goes on."""
    left = Signal()
    """Back to the projects."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        build(super().__init__, parent, objectName="upgrade-offer", **properties)
        self._title = TextLabel("", "title", wordWrap=True)
        self._words = TextLabel("", objectName="upgrade-words", wordWrap=True)
        self._step = TextLabel("", "muted", objectName="upgrade-step", wordWrap=True)
        self._bar = build(
            QProgressBar,
            objectName="upgrade-bar",
            accessibleName=tr("Progress of the upgrade"),
            textVisible=False,
        )
        self._problem = TextLabel("", "error", objectName="upgrade-problem", wordWrap=True)
        self._manual = ManualLink(objectName="upgrade-manual")
        self._back = Button(tr("Not now"), objectName="upgrade-back", clicked=self.left)
        self._go = Button(
            tr("Upgrade and open"), ButtonKind.PRIMARY, objectName="upgrade-go", clicked=self.wanted
        )
        enter = dict.fromkeys(ENTER_KEYS, self._press)
        on_keys(self, {Qt.Key.Key_Escape: self._back.click} | enter)
        card = Card()
        scaled(card, setFixedWidth=520)
        labels = self._title, self._words, self._problem, self._step
        manual = hbox(self._manual, STRETCH, gap=None)
        buttons = hbox(self._back, STRETCH, self._go, gap=None)
        vbox(*labels, manual, self._bar, buttons, within=card, gap=12, margins=24)
        # No alignment: the card is as high as its wrapped words.
        vbox(STRETCH, hbox(STRETCH, card, STRETCH), 2, within=self, margins=9)
        QWidget.setTabOrder(self._go, self._back)
        self._set_busy(is_busy=False)

    def _press(self) -> None:
        (self._back if self._back.hasFocus() else self._go).click()

    def show_plan(self, plan: "UpgradePlan") -> None:
        """Say what will happen, and offer it."""
        name = plan.name.rstrip("/").rsplit("/", 1)[-1]
        self._title.setText(tr("{name} was written by an older version of Annotator", name=name))
        self._words.setText(plan_words(plan))
        self.show_problem("")

    def show_problem(self, problem: str, *, message: str = "") -> None:
        """Say why it could not be done, and offer it again; empty words only offer it.

        `message` is the error's own, for the manual.
        """
        self._problem.say(problem)
        self._manual.offer(message)
        self._go.setText(tr("Try again") if problem else tr("Upgrade and open"))
        self._set_busy(is_busy=False)
        self._go.setFocus()

    def show_progress(self, report: "ProgressReport | None") -> None:
        """Say how far it is, and offer nothing meanwhile; None before the first step."""
        self._problem.hide()
        self._manual.offer("")
        self._set_busy(is_busy=True)
        if report is not None and report.share is not None:
            self._bar.setRange(0, _STEPS)
            self._bar.setValue(round(report.share * _STEPS))
            self._step.setText(f"{sentence_case(tr(report.note))} …")
        else:
            self._bar.setRange(0, 0)
            self._step.setText(tr("Waiting for others to close the project …"))

    @property
    def is_busy(self) -> bool:
        """Whether an upgrade is under way."""
        return not self._bar.isHidden()

    def _set_busy(self, *, is_busy: bool) -> None:
        why = tr("The upgrade is in progress and cannot be cancelled.") if is_busy else ""
        for button in (self._go, self._back):
            button.set_blocked(why)
        show_all(self._bar, self._step, on=is_busy)


def plan_words(plan: "UpgradePlan") -> str:
    """What upgrading a project will do, what is kept, and how long it takes roughly."""
    change = tr(
        "It is brought from version {before} to version {after}, which this program uses.",
        before=plan.before,
        after=plan.after,
    )
    if plan.kept is None:
        return tr(
            "{change} The server changes everything or nothing, in one step. Nobody can work in it "
            "meanwhile, and older programs cannot open it afterwards: make a backup first if you may "
            "want to go back.",
            change=change,
        )
    return tr(
        "{change} The file is copied, the copy is changed and checked, and only then put in its "
        "place.\n\nKept as it is now: {folded}\nTakes {time_words} for {value:,} MB. Nobody may "
        "have it open meanwhile, and older programs cannot open it afterwards.",
        change=change,
        folded=str(plan.kept).replace("/", "/\u200b"),  # may be broken behind each of its folders
        time_words=time_words(plan.byte_count),
        value=max(1, round(plan.byte_count / _MEGABYTE)),
    )


def time_words(byte_count: int) -> str:
    """Roughly how long the upgrade of a file takes.

    Example:
        >>> time_words(3_000_000), time_words(600_000_000), time_words(6_000_000_000)
        ('a few seconds', 'about 30 seconds', 'about 5 minutes')
    """
    seconds = byte_count / _MEGABYTE / _MEGABYTES_A_SECOND
    if seconds < 10:
        return tr("a few seconds")
    if seconds < 100:
        return tr("about {seconds} seconds", seconds=round(seconds / 10) * 10)
    return tr("about {minute}", minute=tr_count(round(seconds / 60), "minute"))


class PageOffer(QFrame):
    """Offers pages above the first one until the person declines or they suit no more; `accepted` has the id.

    Args:
        operations: The way to the project.
        preferences: Remember who declined.
        offer: Who is offered what, in which words.
    """

    accepted = Signal(str)

    def __init__(
        self, operations: Operations, preferences: Preferences, offer: Offer, **properties: Any
    ) -> None:
        build(
            super().__init__,
            objectName=f"{offer.page_ids[0]}-offer",
            visible=False,
            **properties,
            look="bar",
        )
        self._operations, self._preferences = operations, preferences
        self._suits = offer.suits
        self._is_first_page = False
        kinds = ButtonKind.PRIMARY, ButtonKind.SECONDARY
        buttons = [
            Button(
                tr(words), kind, objectName=f"offer-{page_id}", clicked=partial(self.accepted.emit, page_id)
            )
            for page_id, words, kind in zip(offer.page_ids, offer.accept, kinds, strict=True)
        ]
        later = Button(tr("Not now"), ButtonKind.GHOST, objectName="offer-later", clicked=self._decline)
        choices = QWidget()
        FlowLayout(*buttons, later, within=choices, left_count=0)
        title, words = TextLabel(tr(offer.title), "strong"), WrappedLabel(tr(offer.words))
        hbox(title, (words, 1), (choices, 1), within=self, gap=8, margins=(16, 8))

    def follow(self, page: QWidget | None) -> None:
        """Show the offer above the first page, where it suits the person and was not declined."""
        self._is_first_page = page is not None and page.objectName() == "queue-page"
        self.hide()
        if self._is_first_page and self._operations.name not in self._preferences.settings.declined:
            self._operations.run(self._suits, then=self._show, failed=pass_over)

    def _show(self, is_offered: bool) -> None:
        self.setVisible(is_offered and self._is_first_page)

    def _decline(self) -> None:
        self.hide()
        self._preferences.change(declined=(*self._preferences.settings.declined, self._operations.name))
