"""Where files that travel with the program lie: fonts, icons, styles, prompts, samples, templates."""

import re
from pathlib import Path

MESSAGES = "troubleshooting.md"
"""The page of the manual with every message a person can act on."""
_GAP = "…"
_ESCAPED = re.compile(r"\\([\W_])")
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


def anchor_of(title: str) -> str:
    """The anchor of a heading, as GitHub and the built manual make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def is_message(title: str, message: str) -> bool:
    """Whether a heading is a message, which has values where the heading has gaps, and quotes code."""
    pattern = ".*".join(map(re.escape, title.split(_GAP)))
    return re.fullmatch(pattern, message.replace("`", ""), re.DOTALL) is not None


def place_of_message(message: str) -> str:
    """File and anchor where the manual explains a message; empty where it does not."""
    page = manual_path(MESSAGES)
    lines = page.read_text(encoding="utf-8").splitlines() if page.is_file() else []
    titles = (_ESCAPED.sub(r"\1", line[4:]) for line in lines if line.startswith("### "))
    found = next((title for title in titles if is_message(title, message)), "")
    return f"{page}#{anchor_of(found)}" if found else ""


def resource_text(*parts: str) -> str:
    """Read a bundled text file, as UTF-8."""
    return resource_path(*parts).read_text(encoding="utf-8")
