"""The package of BFCL, whose simulators judge questions of several turns (scoring 4.6)."""

from pathlib import Path

from annotator.wheels import PinnedWheel, install_wheels
from scoring.bfcl_simulators import simulators_folder

PACKAGES = (
    PinnedWheel("bfcl-eval==2026.3.23", "3bb6dfa5f0c68ad403c9ec50b00db2bb3b4cc9b38ab1ff33f48fe30d853d3a0a"),
    PinnedWheel("mpmath==1.3.0", "a0b2b9fe80bbcd81a6647ff13108738cfb482d481d826cc0e02f5b35e5c88d2c"),
)
"""The package, and the one of its dependencies that its simulators import."""


def install_simulators(wheels: Path | None = None) -> Path:
    """Install BFCL's simulators for this person, in a folder that nothing else imports from.

    Args:
        wheels: As in `fetched_wheel`.

    Raises:
        StoreError: As `install_wheels`.
    """
    folder = simulators_folder()
    hint = "Fetch the wheels on another computer and run `annotator bfcl setup --wheels DIR`."
    install_wheels(*PACKAGES, into=folder, wheels=wheels, hint=hint)
    return folder
