#!/usr/bin/env python3
"""Writes `docs/third_party.md`: the licences of the packages the program needs, as the packages name them."""

import re
from importlib.metadata import Distribution, distribution
from pathlib import Path

NAME = "annotator-workbench"
EXTRAS = ("reports", "postgresql", "keyring", "teval", "cluster", "inspect")
HEAD = """# Third-party notices

What `pip install annotator-workbench` installs with its extras on Linux. `teval-torch` and `hub` are left
out: they are chosen by who runs them. Made from the installed packages by
`.venv/bin/python .ci/notices.py`. The texts of the licences lie beside the packages, in the `.dist-info`
folders.

Qt for Python (PySide6, Shiboken) and Qt itself are used under the LGPL version 3. They are separate packages
and are loaded at run time. To exchange them, install another version of `PySide6-Essentials` into the same
environment.

Fonts and icons that travel in the package: Inter and JetBrains Mono (SIL Open Font License 1.1, `OFL.txt`),
Phosphor icons (MIT, `MIT.txt`). The texts of these licences lie beside the fonts.

| package | licence |
| --- | --- |
"""


def normal(name: str) -> str:
    """A package's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(name: str, extras: tuple[str, ...], found: dict[str, Distribution]) -> None:
    """Collect what a package needs, and what that needs, where it is installed."""
    from packaging.requirements import Requirement

    own = distribution(name)
    for text in own.requires or ():
        requirement = Requirement(text)
        marker = requirement.marker
        if marker is not None and not any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            continue
        key = normal(requirement.name)
        if key not in found:
            found[key] = distribution(requirement.name)
            needed(requirement.name, tuple(requirement.extras), found)


def licence(package: Distribution) -> str:
    """How a package names its licence: the expression, else its classifiers, else its one line of words."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return str(expression)
    classes = [
        line.rpartition(" :: ")[2] for line in metadata.get_all("Classifier") or () if "License ::" in line
    ]
    if classes:
        return "; ".join(sorted(classes))
    words = (metadata.get("License") or "").strip().splitlines()
    return words[0] if words else "see its licence file"


def notices() -> str:
    """The whole page."""
    found: dict[str, Distribution] = {}
    needed(NAME, EXTRAS, found)
    rows = (f"| {found[key].metadata['Name']} | {licence(found[key])} |\n" for key in sorted(found))
    return HEAD + "".join(rows)


if __name__ == "__main__":
    path = Path(__file__).resolve().parents[1] / "docs" / "third_party.md"
    path.write_text(notices(), "utf-8")
    print(path)
