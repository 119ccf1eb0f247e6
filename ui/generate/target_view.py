"""What the runs of a project were to make, what they made, and how far the two are apart."""

from functools import partial

from annotator.generation.quality import RunQuality, run_qualities
from scoring.texts import tr
from ui.generate.generate_lines import TARGET_COLUMNS, target_key, targets_of
from ui.services.errors import unread
from ui.services.operations import Operations
from ui.theme.events import DueReading
from ui.theme.tables import FigureTable


class TargetView(FigureTable):
    """A table of the targets of all runs, the newest run first; read again when the project changes."""

    def __init__(self, operations: Operations) -> None:
        super().__init__(
            "run-targets",
            tr("Targets of the runs"),
            TARGET_COLUMNS,
            nothing=tr("No run of the generator has targets."),
        )
        read = partial(
            operations.run,
            run_qualities,
            then=self._show,
            failed=unread(operations.failure.emit, self),
            newest_of=self,
        )
        due = DueReading(self, read)
        operations.changed.connect(due.ask)
        due.ask()

    def _show(self, found: tuple[RunQuality, ...]) -> None:
        self.show_items(targets_of(found), key=target_key)
