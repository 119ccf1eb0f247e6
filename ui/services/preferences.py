"""A person's settings while the window is open: read once, changed by anybody, written at once."""

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from annotator.settings import Settings, load_settings, save_settings
from scoring.errors import StoreError


class Preferences(QObject):
    """Holds the settings and keeps their file; a change that cannot be written still holds in this window.

    Args:
        path: The settings file; it need not exist.
    """

    changed = Signal(object)
    """The new `Settings`."""
    failed = Signal(object)
    """The `StoreError` of a file that could not be written; told once."""

    def __init__(self, path: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        loaded = load_settings(path)
        self._path = path
        self.settings = loaded.settings
        """The settings as they are now."""
        self._has_failed = False
        self.message = loaded.message
        """What to tell the person about the file as it was found; empty where all is well."""

    def replace(self, settings: Settings) -> None:
        """Use other settings from now on."""
        if settings == self.settings:
            return
        self.settings = settings
        try:
            save_settings(settings, self._path)
        except StoreError as error:
            if not self._has_failed:
                self._has_failed = True
                self.failed.emit(error)
        self.changed.emit(settings)

    def change(self, **values: object) -> None:
        """Change some fields of the settings.

        Raises:
            pydantic.ValidationError: A field does not exist or a value does not fit.
        """
        self.replace(Settings.model_validate(self.settings.model_dump() | values))
