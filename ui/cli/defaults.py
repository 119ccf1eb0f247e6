"""Defaults of commands and of the window: a small file that says what a variable could say, too."""

import os
from pathlib import Path

from scoring.errors import InputError

CONFIG = "annotator.toml"
"""A file of defaults: in the folder where a command is typed, else in the user's folder of settings."""
_VARIABLES = {
    "project": "ANNOTATOR_PROJECT",
    "person": "ANNOTATOR_USER",
    "base_url": "ANNOTATOR_BASE_URL",
    "model": "ANNOTATOR_MODEL",
    "models": "ANNOTATOR_MODELS",
    "lang": "ANNOTATOR_LANG",
}
"""What a file of defaults may say, and the variable that says the same and counts before it."""


def read_config() -> None:
    """Set the variables that a file of defaults names and nobody has set; a path in it is relative to it.

    Raises:
        InputError: It cannot be read, or says what is not known.
    """
    import tomllib

    import platformdirs

    file = Path(CONFIG)
    if not file.is_file():
        file = platformdirs.user_config_path("annotator", appauthor=False) / CONFIG
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return
    except (OSError, ValueError) as exc:
        raise InputError(f"{file.resolve()} cannot be read: {exc}.", "Correct it, or remove it.") from exc
    for key, value in values.items():
        if key not in _VARIABLES or not isinstance(value, str):
            known = ", ".join(_VARIABLES)
            raise InputError(f"{file.resolve()} says '{key}', which is no default.", f"Write texts: {known}.")
        is_path = key == "models" or (key == "project" and "://" not in value)
        os.environ.setdefault(_VARIABLES[key], str(file.parent / value) if is_path else value)
