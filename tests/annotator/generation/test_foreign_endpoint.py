"""The five roles played by a server of another make, which knows the header and has styles of its own."""

from contextlib import closing
from pathlib import Path

import pytest

from annotator.cases.access import show_case
from annotator.cases.findings.checks import check_case
from annotator.generation.generation_run import dialogues_of
from annotator.project.creation import create_workspace
from scoring.model.taxonomy import Severity
from tests.annotator.generation.foreign_endpoint import STYLES, foreign_endpoint
from tests.annotator.generation.scripted_run import generate, plan_for

SEQUENCES = (("single", "multi"), ("clarify", "chat"), ("multi_parallel", "clarify"), ("chat", "single"))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("style", STYLES)
def test_every_style_gives_the_wanted_dialogues_without_a_rejected_reply(
    style: str, language: str, tmp_path: Path
) -> None:
    workspace = create_workspace(str(tmp_path / "p.db"), name="p")
    with closing(workspace), foreign_endpoint(style) as base_url:
        plan = plan_for(base_url, policies="given", sequences=SEQUENCES, language=language)
        state = generate(workspace, plan)
        cases = [show_case(workspace, str(row.case_id)) for row in dialogues_of(workspace, state.run)]
    assert (state.finished, state.given_up, state.rejected, state.failures) == (4, 0, {}, {})
    policies = [tuple(task.policy.main_type for task in case.tasks if task.policy) for case in cases]
    assert policies == [tuple(word.partition("_")[0] for word in sequence) for sequence in SEQUENCES]
    for case in cases:
        assert not [found for found in check_case(case) if found.severity is Severity.ERROR]
