"""Candidate requests that wait: a person sees the dialogue so far, and picks one, words it, or wants none."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QRadioButton, QWidget

from annotator.cases.versions.differences import DiffSegment, PieceKind, word_diff
from annotator.generation.choices import decline, dialogue_so_far, pick
from annotator.generation.plan import Toolset
from annotator.generation.records import Candidates, OfferedRequest
from annotator.project.workspace import Done
from scoring.errors import AnnotatorError
from scoring.model.case import Case
from scoring.model.labels import Reason
from scoring.texts import tr, tr_count
from ui.desk.dialogs import reason_dialog
from ui.dialogue.view import DialogueView
from ui.diffs import WordDiffLabel
from ui.generate.generate_lines import sequence_words
from ui.graph.canvas_content import CanvasContent
from ui.graph.view import GraphView
from ui.services.commands import Command, Commands
from ui.services.errors import unread
from ui.services.operations import Operations
from ui.theme import ButtonKind, ElidedLabel, PanelHeader, SectionLabel, TextLabel
from ui.theme.cells import count_cell
from ui.theme.events import follow_events
from ui.theme.fields import NoteField
from ui.theme.labels import WrappedLabel
from ui.theme.layouts import STRETCH, ScrollArea, build, column, fill, hbox, split, stacked, vbox
from ui.theme.panels import Card, EmptyState
from ui.theme.tables import Column, FigureTable
from ui.theme.words import INFORMATION, LOADING

_COLUMNS: tuple[Column[Candidates], ...] = (
    Column(tr("Dialogue"), 76, lambda item: count_cell(item.dialogue + 1), is_figure=True),
    Column(tr("Task"), 56, lambda item: count_cell(item.task + 1), is_figure=True),
    Column(tr("Policies"), cell=lambda item: sequence_words(item.sequence)),
)
_NOTHING = (
    "hand-pointing",
    tr("No request waits"),
    tr("In a run whose requests a person picks, the candidates of each task are listed here."),
)
_READING = LOADING, tr("Each is kept with the request it answers.")
_KEYS = 5
"""Candidates that have a key of their own."""
_USE, _DECLINE = "generate.use", "generate.decline"


class CandidatesPanel(QWidget):
    """Lists what waits, and shows the dialogue, the candidates and the tools of the marked one.

    Args:
        operations: The way to the project.
        commands: Takes the commands that choose.
    """

    settled = Signal(object)
    """A request was picked or declined (None), or could not be any more (why): read again what waits."""

    def __init__(self, operations: Operations, commands: Commands, **properties: Any) -> None:
        build(super().__init__, objectName="candidates-panel", **properties)
        self._operations = operations
        self._commands = commands
        self._waiting: tuple[Candidates, ...] = ()
        self._run = 0
        self._add_commands()
        self.nothing = EmptyState(_NOTHING[0], LOADING, "")
        """What stands where no dialogue waits, or it is not known yet."""
        parts = split(
            Qt.Orientation.Horizontal,
            (self._dialogue_part(), 480),
            (self._choice_part(), 600),
            (self._toolset_part(), 300),
        )
        self._wanted = ElidedLabel("", "small-muted", objectName="candidates-wanted")
        head = PanelHeader(
            tr("Choose the next request"),
            (self._wanted, 1),
            commands.button(_DECLINE, tr("None of these…"), name="candidate-none"),
            commands.button(_USE, tr("Use this request"), name="candidate-pick", kind=ButtonKind.PRIMARY),
        )
        self._stack = stacked(self.nothing, column(head, (parts, 1)))
        vbox(self._stack, within=self)
        self._show_marked(None)

    def _add_commands(self) -> None:
        group = tr("Generate")
        self._commands.add_all(
            self,
            Command(_USE, tr("Use this request"), group, self._pick, keys="Ctrl+Return", is_done_once=True),
            Command(_DECLINE, tr("None of these"), group, self._ask_why, keys="X"),
            *(
                Command(
                    f"generate.choose_{number + 1}",
                    tr("Choose candidate {number}", number=number + 1),
                    group,
                    partial(self._choose, number),
                    keys=f"{number + 1}",
                )
                for number in range(_KEYS)
            ),
        )

    def _dialogue_part(self) -> QWidget:
        self._dialogue = DialogueView()
        self._dialogue.set_read_only(on=True)
        self._dialogue.is_unfolded = True
        self._graph = GraphView()
        self._graph.set_read_only(on=True)
        self._no_dialogue = EmptyState("chats", LOADING, "", objectName="no-dialogue")
        self._before = stacked(
            self._no_dialogue, split(Qt.Orientation.Vertical, (self._dialogue, 480), (self._graph, 200))
        )
        self._policies = ElidedLabel("", "small-muted", objectName="candidates-policies")
        return column(PanelHeader(tr("So far"), (self._policies, 1)), (self._before, 1))

    def _choice_part(self) -> QWidget:
        self._cards: list[CandidateCard] = []
        self._chosen: int | None = None
        self._choices = vbox(gap=8)
        self._text = NoteField(
            "candidate-text",
            tr("Your wording"),
            tr("Pick a request, then change its words here."),
            textChanged=self._compare,
        )
        self._changed = WordDiffLabel()
        area = ScrollArea(
            column(
                self._choices,
                SectionLabel(tr("Your wording")),
                self._text,
                self._changed,
                TextLabel(tr("What was offered, chosen and changed is kept."), "small-muted"),
                STRETCH,
                gap=12,
                margins=(16, 12),
            ),
            width=320,
            height=160,
        )
        self._kinds = TextLabel("", "small-muted")
        return column(PanelHeader(tr("Candidates"), self._kinds), (area, 1))

    def _toolset_part(self) -> QWidget:
        self._toolset = ElidedLabel("", "small-muted")
        self._tools = vbox(gap=8)
        tools = ScrollArea(column(self._tools, STRETCH, margins=12), width=200, height=120)
        self._table = FigureTable(
            "waiting",
            tr("Dialogues that wait for a pick"),
            _COLUMNS,
            is_sortable=False,
            marked=self._show_marked,
        )
        return split(
            Qt.Orientation.Vertical,
            (column(PanelHeader(tr("Toolset"), (self._toolset, 1)), (tools, 1)), 420),
            (column(PanelHeader(tr("Waiting")), (self._table, 1)), 280),
        )

    def note_count(self, count: int) -> None:
        """Take note of how many dialogues wait, while they are still being read."""
        self.nothing.set_words(*(_READING if count else _NOTHING[1:]))

    def show_waiting(self, run: int, waiting: Sequence[Candidates]) -> None:
        """Show what waits in a run; a dialogue that is looked at stays, with what was typed."""
        if (run, tuple(waiting)) == (self._run, self._waiting):
            return
        before = self._table.marked_item
        self._run, self._waiting = run, tuple(waiting)
        self._stack.setCurrentIndex(1 if waiting else 0)
        self._table.show_items(waiting, key=attrgetter("dialogue", "attempt", "task"))
        if before is None or self._table.marked_item != before:
            self._show_marked(self._table.marked_key)

    def _show_marked(self, _: Hashable) -> None:
        found: Candidates | None = self._table.marked_item
        self._commands.block_all("" if found else tr("No request waits."), _USE, _DECLINE)
        self._cards = [
            CandidateCard(number, offer, chosen=partial(self._choose, number))
            for number, offer in enumerate(found.offers if found else ())
        ]
        fill(self._choices, self._cards)
        if found is None:
            return
        self._wanted.setText(
            tr(
                "dialogue {dialogue} · task {task} of {tasks} · {policy} wanted",
                dialogue=found.dialogue + 1,
                task=found.task + 1,
                tasks=len(found.sequence),
                policy=sequence_words(found.sequence[found.task :][:1]),
            )
        )
        self._kinds.setText(
            tr("one for each way to hide information")
            if len({offer.information for offer in found.offers}) > 1
            else ""
        )
        self._no_dialogue.say(LOADING)
        self._before.setCurrentIndex(0)
        self._operations.run(
            partial(dialogue_so_far, run=self._run, candidates=found),
            then=self._show_before,
            failed=unread(self._operations.failure.emit, self._no_dialogue),
            newest_of=self,
        )
        self._choose(None)
        if self._text.hasFocus():
            self._cards[0].button.setFocus()  # so that the keys choose again

    def _show_before(self, found: tuple[Toolset, Case | None]) -> None:
        """Show the dialogue, the drawing of its last task and the toolset."""
        toolset, case = found
        self._no_dialogue.set_words(tr("No dialogue yet"), tr("This request begins it."))
        self._before.setCurrentIndex(1 if case else 0)
        self._policies.setText(sequence_words([task.policy or "" for task in case.tasks] if case else ()))
        if case:
            self._dialogue.show_case(case, task=len(case.tasks) - 1)
            self._dialogue.select(len(case.tasks) - 1, len(case.tasks[-1].steps) - 1, takes_focus=False)
            self._graph.show_content(CanvasContent(task=case.tasks[-1]))
        self._toolset.setText(f"{toolset.name} · {tr_count(len(toolset.tools), 'tool')}")
        tools = (
            column(TextLabel(tool.name, "mono"), WrappedLabel(tool.description, "muted"), gap=2)
            for tool in toolset.tools
        )
        fill(self._tools, tools)

    def _choose(self, number: int | None) -> None:
        """Choose a candidate, if there are so many; the words of the others are compared with it.

        None is chosen at first: the key that uses a request takes none that nobody has looked for.
        """
        if number is not None and number >= len(self._cards):
            return
        self._chosen = number
        chosen = self._cards[number] if number is not None else None
        for card in self._cards:
            card.show_beside(chosen)
        self._text.setPlainText(chosen.offer.text if chosen else "")

    def _compare(self) -> None:
        words, chosen = self._text.words, self._chosen
        offered = self._cards[chosen].offer.text if chosen is not None else words
        missing = tr("Choose a request first.") if chosen is None else tr("The request is empty.")
        self._commands.block(_USE, missing if chosen is None or not words else "")
        self._changed.show_texts(offered, words)
        self._changed.setVisible(words not in ("", offered))

    def _pick(self) -> None:
        assert self._chosen is not None  # the command is blocked
        self._settle(partial(pick, chosen=self._chosen, text=self._text.words), self._table.marked_item)

    def _ask_why(self) -> None:
        reason_dialog(
            tr("None of these requests?"),
            tr("The model is told why, and makes others when the run goes on."),
            verb=tr("Ask for others"),
            parent=self,
            has_category=False,
            blank=tr("Say why in a few words; the model is told."),
        ).ask(partial(self._decline, self._table.marked_item))

    def _decline(self, found: Candidates, reason: Reason) -> None:
        self._settle(partial(decline, reason=reason.note), found)

    def _settle(self, work: Callable[..., Done[None]], found: Candidates) -> None:
        self._operations.run(
            partial(work, run=self._run, candidates=found), then=self.settled.emit, failed=self._refuse
        )

    def _refuse(self, error: AnnotatorError) -> None:
        self._operations.failure.emit(error)
        self.settled.emit(error)


class CandidateCard(Card):
    """One candidate: its number, how it leans on the dialogue, who made it, and its words.

    Args:
        number: Its place, from 0.
        offer: The candidate.
        chosen: Called when a person chooses it.
    """

    def __init__(self, number: int, offer: OfferedRequest, *, chosen: Callable[[], object]) -> None:
        super().__init__()
        self.offer = offer
        self.button = build(
            QRadioButton,
            f"{number + 1}",
            objectName=f"candidate-{number + 1}",
            accessibleName=tr("Candidate {number}: {value}", number=number + 1, value=offer.text),
            clicked=chosen,
        )
        self._words = WordDiffLabel(shown=(PieceKind.SAME, PieceKind.ADDED))
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        follow_events(self, chosen, QEvent.Type.MouseButtonPress)
        head = hbox(
            self.button,
            *([TextLabel(INFORMATION[offer.information], "strong")] if offer.information else []),
            (ElidedLabel(offer.model, "small-muted"), 1),
            gap=8,
        )
        vbox(head, self._words, within=self, gap=4, margins=(12, 8))

    def show_beside(self, chosen: "CandidateCard | None") -> None:
        """Show whether it is the chosen one, and mark what it says otherwise."""
        self.set_selected(on=self is chosen)
        self.button.setChecked(self is chosen)
        pieces = word_diff((chosen or self).offer.text, self.offer.text)
        same = sum(len(piece.text) for piece in pieces if piece.kind is PieceKind.SAME)
        if same * 2 < len(self.offer.text):  # another request altogether: all of it would be marked
            pieces = (DiffSegment(kind=PieceKind.SAME, text=self.offer.text),)
        self._words.show_pieces(pieces)
