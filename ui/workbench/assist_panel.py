"""The strip in which a model's proposal is shown, and the dialog that names the endpoint to ask."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QWidget

from annotator.cases.assist.answer_drafts import AnswerDraft, OutlineLine
from annotator.cases.assist.assist_replies import CallReview, Edges, Labels, ProposedEdge, Reviews, Rewording
from annotator.llm.endpoints import Endpoint
from annotator.settings import AssistSettings
from scoring.errors import AnnotatorError
from scoring.groups import grouped
from scoring.model.case import Call, Case, Task
from scoring.texts import tr, tr_count, with_commas
from ui.diffs import SideBySide
from ui.services.errors import ManualLink
from ui.services.forms import record_form
from ui.services.preferences import Preferences
from ui.theme import Button, ButtonKind, ElidedLabel, WrappedLabel, theme
from ui.theme.dialogs import FormDialog
from ui.theme.events import ENTER_KEYS, follow_events, scroll_by_pages
from ui.theme.layouts import build, clear_layout, column, hbox, scrolled, vbox
from ui.theme.look import follow_theme
from ui.theme.words import EDGE_KIND, INFORMATION, POLICY, REVIEW, visible

_ENDPOINT = tr("Endpoint for proposals")
What = Rewording | Edges | Labels | Reviews | AnswerDraft


_WORDS: Mapping[type[What], tuple[str, str, str]] = {
    Rewording: (
        tr("Proposed wording"),
        tr("The model finds the wording natural"),
        tr("accept the proposed wording"),
    ),
    AnswerDraft: (
        tr("Drafted answer"),
        tr("The model would answer the same"),
        tr("accept the drafted answer"),
    ),
    Labels: (
        tr("Proposed labels"),
        tr("The model would label it as it is"),
        tr("accept the proposed labels"),
    ),
    Reviews: (
        tr("How the calls ended"),
        tr("The model would say the same of each call"),
        tr("accept how the calls ended"),
    ),
}
"""What is proposed, that nothing is, and what accepting it is called in the undo list."""


def title_of(what: What) -> str:
    """What is proposed, in a few words."""
    return (
        tr_count(len(what.edges), "proposed dependency", "proposed dependencies")
        if isinstance(what, Edges)
        else _WORDS[type(what)][0]
    )


def nothing_of(what: What) -> str:
    """That nothing is proposed, in a sentence."""
    return tr("The model would draw nothing else") if isinstance(what, Edges) else _WORDS[type(what)][1]


def undo_words(what: What) -> str:
    """What accepting it is called in the undo list."""
    return (
        tr("draw ") + with_commas(f"{item.edge.source} → {item.edge.target}" for item in what.edges)
        if isinstance(what, Edges)
        else _WORDS[type(what)][2]
    )


def lines_of(what: What, case: Case) -> tuple[str, ...]:
    """What would change, line by line, against the case as it is; then why."""
    task = case.tasks[what.task]
    match what:
        case Rewording():
            return (what.reason,)
        case AnswerDraft():
            tools = {step: call.name for step, call in task.calls}
            return (
                *(
                    tr(
                        "“{value}” from call {step} {tools} {path}",
                        value=one.value,
                        step=one.step,
                        tools=tools[one.step],
                        path=one.path,
                    )
                    for one in what.cited
                ),
                what.reason,
            )
        case Edges():
            names = [f"{number} {getattr(step, 'name', step.kind)}" for number, step in enumerate(task.steps)]
            return tuple(_edge_line(item, names) for item in what.edges)
        case Reviews():
            is_finished = tr("It finds the task finished: you say so with T.")
            rest = is_finished if what.is_finished else tr("It finds the task not finished.")
            return (*(_review_line(one, task) for one in what.reviews), rest, what.reason)
    lines = []
    if what.policy is not None:
        today = POLICY[task.policy] if task.policy else tr("not labelled")
        lines.append(tr("Policy: {today} → {policy}", today=today, policy=POLICY[what.policy]))
    if what.information is not None:
        today = INFORMATION[task.information] if task.information else tr("not labelled")
        lines.append(
            tr("Information: {today} → {information}", today=today, information=INFORMATION[what.information])
        )
    return (*lines, what.reason)


def outline_words(lines: Sequence[OutlineLine]) -> tuple[str, ...]:
    """What the calls returned, a line for each call."""
    by_call = grouped(
        (
            f"{line.step} {line.tool_name}",
            f"{line.path.lstrip('/').replace('/', ' ')} {line.value}".strip(),
        )
        for line in lines
    )
    return tuple(f"{call}: {' · '.join(values)}" for call, values in by_call.items())


def _edge_line(item: ProposedEdge, names: Sequence[str]) -> str:
    edge = item.edge
    return f"{names[edge.source]} → {names[edge.target]}, {EDGE_KIND[edge.kind]}. {item.reason}"


def _review_line(one: CallReview, task: Task) -> str:
    call = task.steps[one.step]
    label = call.review_label if isinstance(call, Call) else None
    today = REVIEW[label] if label is not None else tr("not labelled")
    return f"{one.step} {getattr(call, 'name', '')}: {today} → {REVIEW[one.label]}. {one.reason}"


_CLOSE = tr("Close")


class AssistPanel(QFrame):
    """Says one thing at a time, with at most two answers: Enter for the first, Esc for the second.

    `accepted` and `declined` answer whatever is shown; what that was, the owner knows.

    Args:
        name: What the names of it and of its buttons begin with.
    """

    accepted = Signal()
    declined = Signal()

    def __init__(self, name: str = "assist", parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName=f"{name}-panel",
            focusPolicy=Qt.FocusPolicy.StrongFocus,
            visible=False,
            look="bar",
        )
        self._title = ElidedLabel("", "strong", objectName=f"{name}-title")
        self._about = ElidedLabel("", "small-muted", objectName=f"{name}-about")
        self._yes = Button(
            tr("Accept"),
            ButtonKind.PRIMARY,
            keys="Enter",
            objectName=f"{name}-accept",
            clicked=self.accepted,
        )
        self._no = Button(tr("Decline"), keys="Esc", objectName=f"{name}-decline", clicked=self.declined)
        head = hbox(self._title, (self._about, 1), self._no, self._yes, gap=8)
        self._lines = vbox(gap=4)
        self._compared = SideBySide((tr("Today"), tr("Proposed")))
        self._body = column(self._compared, self._lines, gap=None)
        self._scroll = scrolled(
            self._body,
            frameShape=QFrame.Shape.NoFrame,
            focusPolicy=Qt.FocusPolicy.NoFocus,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            look="surface",
        )
        scroll_by_pages(self, self._scroll)
        for ground in (self._scroll.viewport(), self._body, self._compared):
            ground.setAutoFillBackground(False)
        vbox(head, self._scroll, within=self, gap=8, margins=(16, 8))
        follow_theme(self._fit)
        follow_events(self, self._fit, QEvent.Type.Resize)

    @property
    def has_focus_inside(self) -> bool:
        """Whether the person is in it."""
        return self.hasFocus() or self.focusWidget() not in (None, self)

    def show_question(self, title: str, *lines: str, yes: str, no: str) -> None:
        """Ask something before anything is sent."""
        self._show(title, "", yes=yes, no=no)
        self._say(*lines)

    def show_waiting(self, title: str) -> None:
        """Say that an answer is waited for; only declining is possible."""
        self._show(title, tr("You can go on working meanwhile."), yes="", no=tr("Cancel"))

    def add_line(self, line: str) -> None:
        """Say one thing more, and keep it in sight."""
        self._say(line, look="small")
        bar = self._scroll.verticalScrollBar()
        bar.setValue(bar.maximum())

    def show_proposal(
        self, title: str, about: str, *lines: str, texts: tuple[str, str] | None = None
    ) -> None:
        """Show what is proposed.

        Args:
            title: What it is.
            about: Where it comes from.
            lines: What would change, and why.
            texts: A text as it is and as it would be, compared word by word.
        """
        self._show(title, about, yes=tr("Accept"), no=tr("Decline"))
        if texts is not None:
            self._compared.show_texts(visible(texts[0]), visible(texts[1]))
            self._compared.show()
        self._say(*lines, look="small")

    def show_nothing(self, title: str, about: str, *lines: str) -> None:
        """Say that there is nothing to accept."""
        self._show(title, about, yes="", no=_CLOSE)
        self._say(*lines)

    def show_error(self, error: AnnotatorError) -> None:
        """Say what went wrong and what to do next."""
        self._show(tr("No proposal"), "", yes=tr("Ask again"), no=_CLOSE)
        self._say(tr(error.message), look="error")
        self._say(tr(error.hint))
        link = ManualLink(objectName="assist-manual")
        self._lines.addWidget(link)
        link.offer(error.message)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        is_enter = key in ENTER_KEYS
        if is_enter and self.focusWidget() is self._no:
            self.declined.emit()
        elif is_enter and not self._yes.isHidden():
            self.accepted.emit()
        elif key == Qt.Key.Key_Escape or (is_enter and self._no.shown_text == _CLOSE):
            self.declined.emit()
        else:
            super().keyPressEvent(event)

    def _show(self, title: str, about: str, *, yes: str, no: str) -> None:
        clear_layout(self._lines)
        self._compared.hide()
        self._scroll.verticalScrollBar().setValue(0)
        self._title.setText(title)
        self._about.setText(about)
        self._yes.setText(yes)
        self._yes.setVisible(bool(yes))
        self._no.setText(no)
        self.setAccessibleName(f"{title} {about}".strip())
        self.show()
        self._fit()

    def _say(self, *lines: str, look: str = "small-muted") -> None:
        for line in filter(None, lines):
            label = WrappedLabel(visible(line), look, objectName=self.objectName().replace("panel", "line"))
            self._lines.addWidget(label)
            label.show()  # now, that its height counts
        self._fit()

    def _fit(self) -> None:
        """Take as much height as the texts and lines need at this width, up to a limit."""
        width = self.width() - theme().px(2 * 16)
        for widget in self._body.findChildren(QWidget):
            widget.ensurePolished()  # else what is not shown yet would be measured in another font
        layout = self._body.layout()
        height = layout.totalHeightForWidth(width) if layout is not None else 0
        self._scroll.setVisible(bool(self._lines.count()) or not self._compared.isHidden())
        self._scroll.setFixedHeight(min(max(height, 0), theme().px(200)))


def ask_endpoint(preferences: Preferences, parent: QWidget) -> None:
    """Ask which endpoint proposals come from, and keep it."""
    assist_dialog(preferences.settings.assist, parent).ask(
        lambda settings: preferences.change(assist=settings.model_dump())
    )


def assist_dialog(before: AssistSettings, parent: QWidget) -> FormDialog:
    """Ask for address, model and key, at first as they are; answers `AssistSettings`, which may be off."""
    about = tr(
        "Any OpenAI-compatible endpoint, on this computer or elsewhere. Nothing is sent before "
        "you ask for a proposal, and you are told where it goes. Without an address there are no "
        "proposals."
    )
    dialog = FormDialog("assist", _ENDPOINT, _ENDPOINT, width=520, about=about, parent=parent)
    form = record_form(
        dialog,
        "assist",
        AssistSettings,
        "base_url",
        "model",
        "key_variable",
        accept=lambda settings: Endpoint(settings.base_url, settings.model),
    )
    form.fill(before)

    def switch_off() -> None:
        dialog.accept()
        dialog.answered.emit(AssistSettings())

    off = Button(tr("Switch off"), objectName="assist-off", clicked=switch_off)
    off.set_blocked("" if before.is_on else tr("Proposals are off."))

    def missing() -> str:
        is_named = all(form.fields[key].editor.read() for key in ("base_url", "model"))
        return form.check() if is_named else tr("Type an address and a model.")

    return dialog.end_with(tr("Save"), form.record, missing=missing, left=off)
