"""What others changed in the team's guidelines, shown before the next case."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QWidget

from annotator.guidelines import own_words
from annotator.review.measures.guideline_versions import GuidelineChange, see_changes, unseen_changes
from scoring.texts import tr
from ui.services.errors import pass_over
from ui.services.operations import Operations
from ui.theme import Hint, SectionLabel, Tone
from ui.theme.dialogs import FormDialog

_LOOK = {
    "": (tr("In this project"), Tone.ACCENT),
    "right": (f"✓ {tr('Right example')}", Tone.OK),
    "wrong": (f"✗ {tr('Wrong example')}", Tone.ERROR),
}
"""How what a team says of a topic is headed, and examples of it."""


def after_news(
    operations: Operations,
    page: QWidget,
    go_on: Callable[[], object],
    waiting: Callable[[bool], object] = pass_over,
    held: Callable[[], object] = lambda: None,
) -> None:
    """Go on once the person was shown what others changed in the guidelines: at once where nothing did.

    Whoever closes the dialog without "Understood" does not go on, and is shown it again. `waiting` is told
    while the project is asked, and `held` is called before something is shown.
    """
    waiting(True)
    operations.run(
        unseen_changes,
        then=partial(_tell_news, operations, page, go_on, waiting, held),
        failed=lambda _: go_on(),
        newest_of=after_news,
    )


def _tell_news(
    operations: Operations,
    page: QWidget,
    go_on: Callable[[], object],
    waiting: Callable[[bool], object],
    held: Callable[[], object],
    changes: tuple[GuidelineChange, ...],
) -> None:
    waiting(False)
    if not changes:
        go_on()
        return
    held()

    def note(version: int) -> None:
        operations.run(partial(see_changes, version=version), then=lambda _: go_on())

    news_dialog(page, changes).ask(note)


def news_dialog(parent: QWidget, changes: Sequence[GuidelineChange]) -> FormDialog:
    """Show changes of the guidelines; "Understood" answers the version of the last one."""
    dialog = FormDialog("news", tr("Guidelines"), tr("The guidelines have changed"), width=560, parent=parent)
    for change in changes:
        dialog.frame.add(
            SectionLabel(tr("Version {version}, by {name}", version=change.version, name=change.by)),
            *(own_hint(line, with_topic=True) for line in change.added),
            *(Hint(tr("Withdrawn"), line) for line in change.removed),
        )
    return dialog.end_with(tr("Understood"), lambda: changes[-1].version)


def own_hint(line: str, *, with_topic: bool = False) -> Hint:
    """What a team says, in a box; with what it is about where nothing else says that."""
    topic, example, text = own_words(line)
    title, tone = _LOOK[example]
    return Hint(f"{topic}, {title}" if with_topic else title, text, tone)
