"""Every page and dialog in Chinese and in the pseudo-language: nothing untranslated, glued or clipped.

In Chinese also what an annotator does in a day, with an input method. Modules keep texts from when they are
imported, so the screens are shown by a process of their own.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scoring.texts import CATALOGUES
from tests.ui.untranslated import is_glued, untranslated

ROOT = Path(__file__).parents[3]


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en_XA", "zh_CN"])
def test_every_screen_goes_through_the_catalogue_and_has_room(language: str, tmp_path: Path) -> None:
    folder = CATALOGUES
    if language == "en_XA":
        folder = tmp_path / "pseudo"
        subprocess.run([sys.executable, ".ci/texts.py", "--pseudo", str(folder)], cwd=ROOT, check=True)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    more = [f"tests/ui/shell/chinese_{name}.py" for name in ("walk", "cells")]
    done = subprocess.run(
        [*command, "tests/ui/shell/pseudo_screens.py", *more * (language == "zh_CN")],
        cwd=ROOT,
        env=os.environ | {"SPOKEN_LANGUAGE": str(folder / language)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, "\n".join(line for line in done.stdout.splitlines() if line.startswith("E "))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("⟦Tåšk 3~⟧", []),
        ("⟦Tåšk 3: ~⟧ nothing was said", ["nothing was said"]),
        ("⟦öñlý everybody~⟧", ["everybody"]),
        ("⟦Stép 0 getTimetable~⟧; 7B · Friday", []),  # a tool and a value of the sample project
        ("⟦Qûéûé~⟧ (⟦Ctrl 1~⟧)", []),
        ("任务 3 的 JSON", []),
        ("建议，mistaken。volunteerId 来自步骤 1", ["mistaken 。 volunteerId"]),
        ("next", ["next"]),  # a word of the dialogues, and none of its own
        ("once", ["once"]),
    ],
)
def test_a_text_that_no_catalogue_can_change_is_found(text: str, found: list[str]) -> None:
    assert untranslated(text) == found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("⟦Shöw~⟧ ⟦öbšérvåtîöñ~⟧", True),
        ("⟦Döñé.~⟧ ⟦Néxt.~⟧", False),
        ("⟦Dîålögûé: ~⟧⟦Tåšk~⟧", False),
        ("⟦öné~⟧ · ⟦twö~⟧", False),
    ],
)
def test_texts_beside_each_other_without_an_end_are_glued(text: str, expected: bool) -> None:
    assert is_glued(text) is expected
