"""What the leaderboard knows of a run, and how a figure of it is shown."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from annotator.release.runs.recorded_runs import RunRow, RunSummary
from scoring.agreement.preferences import WinRate
from scoring.measures.catalogue import NOTHING, Form
from scoring.measures.rates import Figure, Number
from scoring.measures.summary import Summary
from scoring.model.taxonomy import InfraErrors, Protocol
from scoring.model_card import ModelCard
from scoring.scorecard import Basis, apart
from scoring.texts import in_language, tr, tr_count
from ui.theme.cells import Cell
from ui.theme.tokens import Tone

APART = tr("Ranked apart: scored under different rules or cases")
"""What is said of runs that are not ranked, averaged or compared with each other."""
NO_RELEASE = tr("no release")
"""What the cases of a run are called that were never frozen in this project."""

_GROUP_PARTS = {
    "closed": tr("closed", context="model"),
    "open": tr("open", context="model"),
    "specialised": tr("specialised", context="model"),
    "thinking on": tr("thinking on"),
    "thinking off": tr("thinking off"),
    "thinking budget": tr("thinking budget"),
    "kind unknown": tr("kind unknown"),
    "family unknown": tr("family unknown"),
    "size unknown": tr("size unknown"),
    "thinking unknown": tr("thinking unknown"),
    "up to 4 B": tr("up to 4 B"),
    "4 to 10 B": tr("4 to 10 B"),
    "10 to 40 B": tr("10 to 40 B"),
    "above 40 B": tr("above 40 B"),
    "on": tr("on", context="model"),
    "off": tr("off", context="model"),
    "budget": tr("budget", context="model"),
    "native": tr("native", context="label"),
    "prompt": tr("prompt", context="label"),
}


def group_part(words: str) -> str:
    """A word of a model card or of the name of a group, as people read it; the name of a family stays."""
    return _GROUP_PARTS.get(words, words)


@dataclass(frozen=True)
class RunEntry:
    """One run of the project with its metrics."""

    row: RunRow
    summary: Summary
    model_card: ModelCard | None = None
    win_rate: WinRate | None = None
    scorer_version: str = "unknown"

    def counting(self, infra_errors: InfraErrors) -> "RunEntry":
        """The run with failures outside the model counted in one way."""
        return replace(self, summary=self.summary.counting(infra_errors))

    @property
    def basis(self) -> Basis:
        """What its figures rest on; runs of different ones are not ranked or compared."""
        summary = self.summary
        return Basis(
            **{
                name: getattr(self.row, name)
                for name in ("semantics", "arguments", "protocol", "cases_sha256")
            },
            infra_errors=summary.infra_errors_count,
            undrawn=summary.undrawn.matched,
            scorer_version=self.scorer_version,
        )

    @property
    def release(self) -> str:
        """The release it was scored against."""
        return self.row.release or NO_RELEASE


def entries_of(rows: Sequence[RunRow]) -> tuple[RunEntry, ...]:
    """Read the metrics of every run, the card of its model and its win rate."""
    read = ((row, RunSummary.model_validate_json(row.summary)) for row in rows)
    return tuple(
        RunEntry(row, found, found.model_card, found.win_rate, found.scorer_version) for row, found in read
    )


def are_comparable(one: RunEntry, other: RunEntry) -> bool:
    """Whether two runs can be compared: on one basis, or only shown different histories (c2, the others)."""
    differ = apart(entry.counting(InfraErrors.WRONG).basis for entry in (one, other))
    return not differ or (differ == ["protocol"] and Protocol.C2 in (one.row.protocol, other.row.protocol))


def outside_cell(summary: Summary) -> Cell:
    """How many tasks failed outside the model, as a badge, and how they count."""
    count = summary.infra_errors
    if not count:
        return Cell("0", 0, tr("No task failed outside the model."), colour="faint")
    badge = tr("as wrong") if summary.infra_errors_count is InfraErrors.WRONG else tr("excluded")
    return Cell(
        f"{count:,} {badge}",
        count,
        tr(
            "{task} failed outside the model, {how} in every figure of this row",
            task=tr_count(count, "task"),
            how=tr(summary.infra_errors_count.words),
        ),
        chip=Tone.WARN,
    )


def figure_cell(figure: Figure | None, form: Form, *, what: str = "") -> Cell:
    """A figure in its own form; where there is none a dash, and why.

    Args:
        figure: The figure; None where the scorecard has none.
        form: How it is printed.
        what: What it counts, in one line.
    """
    if figure is None or figure.value is None:
        why = (
            tr("There is no such task")
            if figure is not None
            else tr("There is no such task, or it was scored before")
        )
        return Cell(NOTHING, tip=f"{why}: {what}" if what else f"{why}.", colour="faint")
    return Cell(
        form.text(figure),
        figure.value,
        tr("over {of:,}", of=figure.of)
        if isinstance(figure, Number)
        else tr("{count:,} of {total:,}", count=figure.count, total=figure.total),
    )


def about(entry: RunEntry) -> str:
    """A run in one line: what was scored and what did not count."""
    summary = entry.summary
    outside = tr(
        "{infra_errors:,} failed outside the model, {how}",
        infra_errors=summary.infra_errors,
        how=tr(summary.infra_errors_count.words),
    )
    known = entry.model_card.note if entry.model_card is not None else ""
    parts = (
        entry.row.name,
        tr_count(summary.tasks, "task"),
        entry.release,
        tr("{missing:,} without a prediction", missing=summary.missing) if summary.missing else "",
        outside if summary.infra_errors else "",
        tr("undrawn: {words}", words=in_language(summary.undrawn.words)) if summary.undrawn.count else "",
        tr("{unpassable:,} no reply can pass", unpassable=summary.unpassable) if summary.unpassable else "",
        tr("{ignored:,} ignored", ignored=summary.ignored) if summary.ignored else "",
        *(map(in_language, known.split(" · ")) if known else (tr("no model card"),)),
    )
    return " · ".join(filter(None, parts))
