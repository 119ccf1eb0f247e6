"""Where files that travel with the program lie: fonts, icons, styles, prompts, samples, templates."""

from pathlib import Path

_FOLDER = Path(__file__).resolve().parents[1] / "resources"


def resource_path(*parts: str) -> Path:
    """Find a bundled file or folder.

    Args:
        parts: Names below the resources folder, e.g. `"fonts", "Inter-Regular.otf"`.

    Returns:
        Its path, in a checkout and in an installed program alike.

    Raises:
        FileNotFoundError: The program was installed without it.
    """
    path = _FOLDER.joinpath(*parts)
    if not path.exists():
        raise FileNotFoundError(f"the program is incomplete: {path} is missing")
    return path


def manual_path(*parts: str) -> Path:
    """A page of the manual, below `docs`: beside the resources, in a checkout and in an installed program."""
    return _FOLDER.with_name("docs").joinpath(*parts)


def resource_text(*parts: str) -> str:
    """Read a bundled text file, as UTF-8."""
    return resource_path(*parts).read_text(encoding="utf-8")
