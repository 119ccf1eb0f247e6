"""The argument values of a case as a table: where each comes from, and how far that is settled."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt

from annotator.drafts.assessment import EvidenceLine, EvidenceState
from scoring.groups import collected, grouped
from scoring.model.record import to_text
from scoring.model.taxonomy import SourceMark
from scoring.texts import tr
from ui.desk.key_table import KeyModel
from ui.theme import theme
from ui.theme.cells import Cell, Index
from ui.theme.look import icon
from ui.theme.tables import Column
from ui.theme.tokens import SMALL, Tone

_STATES = {
    EvidenceState.CITED: ("check", Tone.OK, tr("cited")),
    EvidenceState.MARKED: ("check", Tone.OK, tr("marked")),
    EvidenceState.BROKEN: ("warning", Tone.WARN, tr("to confirm")),
    EvidenceState.FOUND: ("check", Tone.OK, tr("found word for word")),
    EvidenceState.PROPOSED: ("lightbulb", Tone.ACCENT, tr("proposed")),
    EvidenceState.OPEN: ("question", Tone.ERROR, tr("open")),
}


@dataclass(frozen=True)
class CallHead:
    """The line above the values of one call."""

    task: int
    step: int
    words: str


Row = CallHead | EvidenceLine


@collected
def rows_of(lines: Sequence[EvidenceLine]) -> Iterator[Row]:
    """Lines in dialogue order with a head above those of each call."""
    for (task, step), found in grouped(((line.task, line.step), line) for line in lines).items():
        words = tr(
            "Task {task} · {step} {tool_name} · {done} of {found_count}",
            task=task + 1,
            step=step,
            tool_name=found[0].tool_name,
            done=sum(line.is_settled for line in found),
            found_count=len(found),
        )
        yield CallHead(task, step, words)
        yield from found


def source_words(line: EvidenceLine) -> str:
    """Where a value comes from, with a question mark while nobody has confirmed it."""
    if line.citation is None:
        return tr("nobody has said")
    said = " · ".join(map(tr, line.origin.split(" · ")))
    return f"{said}?" if line.state is EvidenceState.PROPOSED else said


def _value(row: Row) -> Cell:
    return (
        Cell(" ".join(to_text(row.value)[:120].split()), tip=to_text(row.value)[:2000])
        if isinstance(row, EvidenceLine)
        else Cell("")
    )


def _source(row: Row) -> Cell:
    if isinstance(row, CallHead):
        return Cell("")
    words = tr("{name}: {words}", name=_STATES[row.state][2], words=source_words(row))
    return Cell(source_words(row), tip=f"{words}\n{tr(row.reason)}" if row.reason else words)


COLUMNS: tuple[Column[Row], ...] = (
    Column(
        tr("Argument"),
        cell=lambda row: row.words if isinstance(row, CallHead) else Cell(row.path.lstrip("/"), tip=row.path),
    ),
    Column(tr("Value"), cell=_value),
    Column(tr("Comes from"), cell=_source),
)
SOURCE = len(COLUMNS) - 1


class EvidenceModel(KeyModel[Row]):
    """Shows lines; it is given others after each edit."""

    def show_lines(self, lines: Sequence[EvidenceLine]) -> None:
        """Show other lines; rows that are the same ones stay."""
        self.show(
            rows_of(lines),
            COLUMNS,
            id_of=lambda row: row.place if isinstance(row, EvidenceLine) else (row.task, row.step),
        )

    @property
    def heads(self) -> tuple[int, ...]:
        """Numbers of the rows that are heads."""
        return tuple(i for i, row in enumerate(self.rows) if isinstance(row, CallHead))

    def line(self, row: int) -> EvidenceLine | None:
        """The line of a row; None for a head, or where there is no such row."""
        found = self.rows[row] if 0 <= row < len(self.rows) else None
        return found if isinstance(found, EvidenceLine) else None

    def flags(self, index: Index) -> Qt.ItemFlag:
        return Qt.ItemFlag.NoItemFlags if self.line(index.row()) is None else super().flags(index)

    def topic_at(self, row: int) -> str:
        line = self.line(row)
        source = line.citation.source if line is not None and line.citation is not None else None
        topic = f"mark.{source}" if isinstance(source, SourceMark) else "judgment.evidence"
        return topic if line is not None else ""

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line, is_source = self.line(index.row()), index.column() == SOURCE
        match role:
            case Qt.ItemDataRole.FontRole:
                if line is None:
                    return theme().sans(SMALL, is_strong=True)
                return theme().sans(SMALL) if is_source else theme().mono(12)
            case Qt.ItemDataRole.DecorationRole if line is not None and is_source:
                name, tone, _ = _STATES[line.state]
                return icon(name, tone=tone)
            case Qt.ItemDataRole.AccessibleTextRole if line is not None:
                return tr("{name}: {words}", name=COLUMNS[index.column()].title, words=super().data(index))
            case _:
                return super().data(index, role)
