"""The three columns of the page, the reasons below the dialogue, and the bar below them all."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QScrollArea, QWidget

from annotator.review.expert import decided_edges, decision_edits
from annotator.review.expert.decided_edges import Pair, edge_id
from annotator.review.expert.decision_edits import is_correction
from annotator.review.expert.decisions import Adjudication, Decision, Own, Side
from scoring.groups import grouped
from scoring.model.labels import TASK_CHECKLIST
from scoring.model.taxonomy import CheckAnswer, Verdict
from scoring.texts import tr, tr_count, with_commas
from ui.adjudication.decision_document import DecisionDocument
from ui.adjudication.decision_rows import DecisionLine, has_open_edge
from ui.adjudication.drawings import DrawingsColumn
from ui.adjudication.judgments import Judgments
from ui.desk.case_view import CaseView
from ui.dialogue.content import ActionRequest
from ui.services.operations import Operations
from ui.services.preferences import Preferences
from ui.theme import Bar, Button, ButtonKind, Chip, ElidedLabel, SectionLabel, Tone, WrappedLabel, theme
from ui.theme.layouts import Splitter, build, clear_layout, column, connect, lay, stacked, vbox
from ui.theme.look import scaled
from ui.theme.panels import StatePlace
from ui.theme.words import FEEDBACK, VERDICT

_FEW, _MANY = "adjudication", "adjudication-many"
_MOST = 3
"""Sides that count as few."""
_SIZES = {_FEW: (570, 415, 345), _MANY: (728, 326, 281)}
"""At first; many sides need the room for what they say, field by field."""


class Columns(Splitter):
    """Shows a decision in the making and turns what the expert does into changes of it."""

    def __init__(
        self, operations: Operations, preferences: Preferences, parent: QWidget | None = None
    ) -> None:
        build(
            super().__init__,
            _SIZES[_FEW],
            least=890,  # three columns with every word of their headers in sight
            parent=parent,
            objectName="adjudication-columns",
            splitterMoved=self._keep_sizes,
        )
        self._preferences = preferences
        self._sizes_name = ""
        self._document: DecisionDocument | None = None
        self._is_showing = False
        self.judgments = Judgments()
        self.table = self.judgments.table
        self.detail = self.judgments.detail
        self.drawings = DrawingsColumn(operations)
        self.case_view = CaseView(self, operations)
        self.dialogue, self.graph = self.case_view.dialogue, self.case_view.graph
        self.graph.summary.is_read_only = True
        self._middle = stacked(self.drawings, self.graph)
        self.case_view.focus_places = (self.judgments, self._middle)
        self.reasons = Reasons()
        for part, least in (
            (self.judgments, 340),
            (self._middle, 250),
            (column((self.dialogue, 1), self.reasons), 230),
        ):
            scaled(part, setMinimumWidth=least)
            self.addWidget(part)
        self.setFocusProxy(self.table)
        connect(
            (self.table.row_changed, self._follow_row),
            (self.table.taken, self._take),
            (self.table.answered, self._answer),
            (self.judgments.merged, self._merge),
            (self.detail.edit.answered, self._answer),
            (self.detail.told, self._tell),
            (self.detail.note.textEdited, self._note),
            (self.detail.reason.textEdited, self._keep),
            (self.detail.left, self.table.setFocus),
            (self.case_view.asked, self._act),
            (self.case_view.refreshed, self._show_drawings),
            (self.drawings.panel.view.edge_requested, self._draw_own),
            (
                self.drawings.left_out,
                partial(self._decide_edges, tr("leave out"), decided_edges.leave_out_edge),
            ),
            (
                self.drawings.kinds_changed,
                partial(self._decide_edges, tr("change the kind of"), decided_edges.change_kind),
            ),
            (self.drawings.edge_chosen, lambda pair: self.table.go_to(edge_id(self._task, pair))),
            (self.drawings.left, self.table.setFocus),
            (self.drawings.panel.view.step_selected, self.case_view.select_node),
        )

    def share_out(self, sizes: Sequence[int]) -> None:
        """Share the room out in proportion to some widths."""
        room, total = self.width(), sum(sizes)
        self.setSizes([round(room * size / total) for size in sizes])

    def make_room(self, side_count: int) -> None:
        """Take the widths the expert left the columns at with as many sides."""
        name = _FEW if side_count <= _MOST else _MANY
        if name != self._sizes_name:
            self._sizes_name = name
            self.share_out(self._preferences.settings.splitters.get(name) or _SIZES[name])

    def set_document(self, document: DecisionDocument) -> None:
        """Show another decision."""
        self._document = document
        adjudication = document.adjudication
        letters = tuple(side.letter for side in adjudication.sides)
        self.judgments.model.show_rows(document.rows, letters=letters)
        self.judgments.show_case(adjudication, own=document.policy.feedback_categories)
        self.reasons.show_case(adjudication)
        is_direct = not letters or adjudication.is_sampled
        self._middle.setCurrentWidget(self.graph if is_direct else self.drawings)
        self.case_view.set_document(document, content=document.content)
        document.changed.connect(self.refresh)
        self.refresh()
        if not self.table.go_to_open() and self.judgments.model.rows:
            self.table.go_to(self.judgments.model.rows[0].id)
        self.drawings.panel.view.fit()
        self.graph.view.fit()

    def refresh(self) -> None:
        """Show the decision as it is now."""
        document = self._document
        if document is None or self._is_showing:
            return
        self._is_showing = True
        try:
            letters = tuple(side.letter for side in document.adjudication.sides)
            current = self.table.row
            self.judgments.model.show_rows(document.rows, letters=letters)
            if current is not None and self.table.row is None:
                _ = self.table.go_to(current.id) or self.table.go_to_open()
            self.judgments.filter_rows()
            self.detail.show_decision(document.decision, self.table.row)
        finally:
            self._is_showing = False
        self.case_view.refresh()

    def offer_merges(self) -> None:
        """Offer the ways to decide many fields at once."""
        document = self._document
        if document is not None and document.adjudication.sides:
            self.judgments.offer_merges(document.adjudication, document.decision)

    def start_drawing(self) -> None:
        """Give the graph the keys, ready for the numbers of two steps."""
        if self._middle.currentWidget() is self.drawings:
            self.drawings.start_drawing()
        else:
            self.graph.view.setFocus(Qt.FocusReason.OtherFocusReason)
            self.graph.view.start_edge()

    # building

    # showing

    @property
    def _task(self) -> int:
        """The task that is shown."""
        return self._document.selection.task if self._document is not None else 0

    def _show_drawings(self) -> None:
        document = self._document
        if document is not None and self._middle.currentWidget() is self.drawings:
            decided = None if has_open_edge(document.rows, self._task) else document.result.case
            self.drawings.show_task(document.adjudication, document.decision, self._task, result=decided)

    def _follow_row(self, row: DecisionLine | None) -> None:
        document = self._document
        if document is None or row is None or self._is_showing:
            return
        self.detail.show_decision(document.decision, row)
        step = row.field.step if row.field is not None else row.edit.step if row.edit is not None else None
        if row.task is not None:
            canvas = self.drawings.panel.view
            keys = canvas if canvas.hasFocus() else self.table
            self.case_view.go_to(row.task, step)
            keys.setFocus(Qt.FocusReason.OtherFocusReason)  # showing a place took them

    def _keep_sizes(self) -> None:
        sizes = {self._sizes_name: tuple(self.sizes())}
        self._preferences.change(splitters=self._preferences.settings.splitters | sizes)

    # deciding

    def _take(self, choice: str | Own | None) -> None:
        row, document = self.table.row, self._document
        if row is None or document is None or row.field is None:
            return
        if row.is_own and (isinstance(choice, str) or (choice is not None and choice.own is None)):
            choice = None  # every side left this edge out: to say the same is to forget it
        title = (
            tr("decide {title}", title=row.title)
            if choice is not None
            else tr("reopen {title}", title=row.title)
        )
        is_done = document.decide(title, partial(decision_edits.take_side, field_id=row.id, choice=choice))
        if is_done and choice is not None:
            self.table.go_to_open()

    def _answer(self, answer: str) -> None:
        row, document = self.table.row, self._document
        if row is None or document is None or row.edit is None:
            return
        change = partial(
            decision_edits.answer_edit,
            edit_id=row.id,
            answer="accept" if answer == "accept" else "decline" if answer == "decline" else None,
        )
        if document.decide(f"{answer or tr('reopen')} {row.title}", change) and answer:
            self.table.go_to_open()

    def _merge(self, after: Decision, words: str) -> None:
        if self._document is not None and self._document.decide(
            tr("take {words}", words=words), lambda _: after
        ):
            self.table.go_to_open()
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _draw_own(self, source: int, target: int) -> None:
        self._decide_edge(
            tr("draw {source} → {target}", source=source, target=target),
            decided_edges.draw_edge,
            (source, target),
        )

    def _decide_edges(self, verb: str, change: Callable[..., Decision], pairs: tuple[Pair, ...]) -> None:
        for source, target in pairs:
            self._decide_edge(f"{verb} {source} → {target}", change, (source, target))

    def _decide_edge(self, title: str, change: Callable[..., Decision], pair: Pair) -> None:
        document = self._document
        if document is not None and document.decide(
            title, lambda decision: change(document.adjudication, decision, self._task, pair=pair)
        ):
            self.table.go_to(edge_id(self._task, pair))

    def _tell(self, to: str, category: str | None, note: str) -> None:
        if self._document is not None:
            change = partial(decision_edits.tell, to=to, category=category, note=note)
            self._document.change(tr("feedback to {to}", to=to), change, key=f"feedback {to} {category}")

    def _note(self, text: str) -> None:
        if self._document is not None:
            self._document.change(
                tr("change the note"), lambda held: held.model_copy(update={"note": text}), key="note"
            )

    def _keep(self, reason: str) -> None:
        row = self.table.row
        if row is not None and self._document is not None:
            change = partial(decision_edits.keep, field_id=row.id, reason=reason)
            self._document.change(tr("keep {title}", title=row.title), change, key=f"keep {row.id}")

    def _act(self, request: ActionRequest) -> None:
        if request.name == "waive" and request.finding is not None:
            # An expert leaves an error by saying why in the note.
            self.judgments.go_to(self.judgments.detail.note)


NOTE_MILLISECONDS = 8000


class DecisionBar(Bar):
    """A chip and a sentence at the left, buttons at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self.left = Chip(objectName="fields-left")
        self._words = ElidedLabel("", "small-muted", objectName="decision-words")
        self.more = Button(tr("More"), icon_name="caret-down", objectName="adjudication-more")
        """Opens what else can be done with the case."""
        self.finalise = Button(tr("Finalise"), ButtonKind.PRIMARY, objectName="adjudication-finalise")
        members = self.left, (self._words, 1), StatePlace(), self.more, self.finalise
        super().__init__("bar", *members, height=52, parent=parent, objectName="decision-bar")
        self.row.setAlignment(Qt.AlignmentFlag.AlignVCenter)
        self._usual = ""
        self._back = build(QTimer, self, singleShot=True, interval=NOTE_MILLISECONDS, timeout=self._say_usual)

    def show_document(self, document: DecisionDocument) -> None:
        """Show how far the decision is."""
        count = len(document.left)
        self.left.set_chip(
            tr("{field} left", field=tr_count(count, "field")) if count else tr("decided"),
            Tone.WARN if count else Tone.OK,
        )
        result = document.result
        is_sampled = document.adjudication.is_sampled
        is_other = is_sampled and is_correction(document.adjudication, result)
        words = (
            tr("Save correction") if is_other else tr("Verify unchanged") if is_sampled else tr("Finalise")
        )
        if self.finalise.text() != words:
            self.finalise.setText(words)
            self.finalise.updateGeometry()
        verified = (
            tr("Your correction becomes a new revision, and counts as an error of the sample.")
            if is_other
            else tr("Nothing is changed: the case is verified as it is.")
        )
        usual = verified if is_sampled else tr("The result becomes a new revision in your name.")
        self._usual = result.problem or usual
        self._say_usual()

    def tell(self, words: str) -> None:
        """Say something for a few seconds."""
        self._words.setText(words)
        self._back.start()

    @property
    def words(self) -> str:
        """What it says."""
        return self._words.text()

    def _say_usual(self) -> None:
        self._back.stop()
        self._words.setText(self._usual)


def reason_words(side: Side) -> str:
    """What a side wrote with its verdict; empty for nothing."""
    said = ((FEEDBACK.get(one.category, str(one.category)), one.note) for one in side.reasons)
    return "; ".join(tr("{name}: {words}", name=kind, words=note) if note else kind for kind, note in said)


def failed_checks(side: Side) -> tuple[str, ...]:
    """What a side found wrong while checking, task by task, in the words of the checklist."""
    return tuple(
        tr("Task {number}: fails “{get}”", number=number, get=TASK_CHECKLIST.get(item, item))
        for number, labels in enumerate(side.labels, 1)
        for item, answer in labels.checklist.items()
        if answer is CheckAnswer.FAIL
    )


def unanswered_words(side: Side) -> str:
    """What a side did not say about the checklist; empty where nothing is missing."""
    count = side.unanswered_count
    return tr("Not answered: {item} of the checklist.", item=tr_count(count, "item")) if count else ""


def _told_by(side: Side) -> tuple[Verdict, str]:
    """The verdict of a side with what it said to it."""
    words = (reason_words(side), *failed_checks(side), unanswered_words(side))
    return side.verdict, "\n".join(filter(None, words)) or tr("No reason was given, and no check failed.")


class Reasons(QScrollArea):
    """Verdict, reasons and failed checks of each side, and the owner's version once it is revealed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        build(
            super().__init__,
            parent,
            objectName="reasons",
            widgetResizable=True,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
        )
        self._words: list[str] = []
        scaled(self, setFixedHeight=190)
        self._rows = vbox(gap=4, margins=(12, 8, 12, 12))
        self.setWidget(column(self._rows))

    def show_case(self, adjudication: Adjudication) -> None:
        """Show what was said about another case; its owner's version stays hidden."""
        self._begin()
        self._show_sides(adjudication)
        if adjudication.is_owner_hidden:
            self._add(tr("Owner"), tr("What the owner said is shown once everything is decided."))
        elif adjudication.why:
            self._add(tr("Why it is here"), tr(adjudication.why))
        self._rows.addStretch(1)

    def show_owner(
        self, adjudication: Adjudication, name: str | None, *, lines: Sequence[tuple[str, str, str]]
    ) -> None:
        """Show what the owner had said, before what the sides did.

        Args:
            adjudication: The case.
            name: Who owns it; None where nobody does any more.
            lines: What was in dispute as (field, decision, owner), in words.
        """
        self._begin()
        said = [
            f"{field}: {owner} ({tr('as you') if owner == chosen else tr('you: {chosen}', chosen=chosen)})"
            for field, chosen, owner in lines
        ]
        self._add(
            tr("Owner · {name}", name=name) if name else tr("Owner"),
            "\n".join(said) or tr("No field was in dispute."),
        )
        self._show_sides(adjudication)
        self._rows.addStretch(1)

    def _begin(self) -> None:
        clear_layout(self._rows)
        self._words.clear()
        self.verticalScrollBar().setValue(0)

    def _show_sides(self, adjudication: Adjudication) -> None:
        alike = grouped((_told_by(side), side.letter) for side in adjudication.sides)
        for (verdict, said), letters in alike.items():
            self._add(f"{with_commas(letters)} · {VERDICT[verdict]}", said)

    @property
    def words(self) -> str:
        """What it says, line by line."""
        return "\n".join(self._words)

    def _add(self, heading: str, words: str) -> None:
        self._words.append(words)
        if self._rows.count():
            self._rows.addSpacing(theme().px(6))
        lay(self._rows, SectionLabel(heading), WrappedLabel(words, "muted"))
