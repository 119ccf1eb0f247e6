"""The value there was before an edit, beside the editor, with what is different now marked in it."""

from pydantic import JsonValue
from PySide6.QtWidgets import QVBoxLayout, QWidget

from annotator.cases.diffing import json_diff
from ui.theme import TextLabel, theme
from ui.theme.untrusted import visible
from ui.transcript.json_text import write_json
from ui.transcript.rendering import json_document
from ui.transcript.text_block import TextBlock

_MOST_NAMED = 6
_READ_LIMIT = 20_000


class FormerValue(QWidget):
    """Names the places that changed, and shows the former value with those that were changed or removed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("json-former")
        self._words = TextLabel("", "small-muted")
        self._words.setWordWrap(True)
        self._block = TextBlock(is_code=True)
        self._block.setObjectName("json-former-text")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme().px(2))
        column.addWidget(self._words)
        column.addWidget(self._block)

    @property
    def words(self) -> str:
        """What it says about the difference."""
        return self._words.text()

    def show_values(self, before: JsonValue, after: JsonValue) -> None:
        """Compare two values."""
        changes = json_diff(before, after)
        named = [f"{change.kind} {change.path.lstrip('/') or 'everything'}" for change in changes]
        more = f" and {len(named) - _MOST_NAMED:,} more" if len(named) > _MOST_NAMED else ""
        self._words.setText(visible(f"Before: {', '.join(named[:_MOST_NAMED]) or 'no difference'}{more}"))
        self.setAccessibleName(self._words.text())
        written = write_json(before, limit=_READ_LIMIT)
        self._block.show_document(json_document(written, troubled=[change.path for change in changes]))
