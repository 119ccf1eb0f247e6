"""A field of the review policy is enough for a setting: command and form take it, with its words."""

from collections.abc import Iterator

import pytest
from pydantic import Field
from pydantic.fields import FieldInfo
from PySide6.QtWidgets import QLabel, QSpinBox

from annotator.project.people import login_name
from annotator.project.policy import ReviewPolicy
from tests.ui.find import find
from tests.ui.team.opening import Opened
from ui.cli.main import exit_code
from ui.team.policy_panel import PolicyPanel

MEANING = "Cups of tea a person gets for each case."


@pytest.fixture
def planted() -> Iterator[None]:
    """One more field of the policy, for one test."""
    words = Field(default=1, ge=0, le=3, title="Cups of tea", description=MEANING)
    ReviewPolicy.model_fields["cups"] = FieldInfo.from_annotated_attribute(int, words)
    ReviewPolicy.model_rebuild(force=True)
    yield
    del ReviewPolicy.model_fields["cups"]
    ReviewPolicy.model_rebuild(force=True)


@pytest.mark.usefixtures("planted")
def test_a_planted_setting_is_in_command_and_form(capsys: pytest.CaptureFixture[str], opened: Opened) -> None:
    assert exit_code(["policy", "set", "cups=4", "-p", opened.project]) != 0
    assert "cups does not fit: it takes a whole number from 0 to 3" in capsys.readouterr().err
    assert exit_code(["policy", "set", "cups=3", "-p", opened.project]) == 0
    capsys.readouterr()
    assert exit_code(["policy", "show", "-p", opened.project]) == 0
    shown = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("cups"))
    assert shown.rstrip().split(maxsplit=2) == ["cups", "3", MEANING]

    page = opened.open(login_name())
    cups = find(page, QSpinBox, "policy-cups")
    assert (cups.value(), cups.maximum(), cups.toolTip()) == (3, 3, MEANING)
    assert {"Cups of tea", MEANING} <= {label.text() for label in page.findChildren(QLabel)}
    cups.setValue(2)
    panel = page.findChild(PolicyPanel)
    assert panel is not None
    assert panel.changed() == ("cups=2",)
    panel.save()
    opened.settle()
    assert opened.policy().model_dump()["cups"] == 2
