"""A killed program loses at most the last second, and never shows a half state."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from annotator.review.claiming import claim_case
from annotator.review.drafts import open_assignment
from scoring.model.taxonomy import Stage
from tests.annotator.team import Team
from tests.ui.workbench.cases import parcel_case
from ui.workbench.journal import Journal, WorkKey
from ui.workbench.opening import choose_work

ROOT = Path(__file__).parents[3]
_MARGIN_SECONDS = 0.5
"""A busy machine may run the timer of the save late."""


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_at_most_the_last_second_is_lost_when_the_program_is_killed(
    team: Team, tmp_path: Path, seed: int
) -> None:
    journal = tmp_path / "journal"
    command = [sys.executable, "-m", "tests.ui.workbench.annotating", team.url, "c-1", str(journal)]
    program = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        first = program.stdout.readline()
        assert first, "the program ended before its first edit"
        time.sleep(1.5 + 2 * random.Random(seed).random())
    finally:
        program.send_signal(signal.SIGKILL)
        killed_at = time.time()
        rest, _ = program.communicate()
    edits = {int(n): float(at) for n, at in (line.split() for line in [first, *rest.splitlines()])}
    restored = _restored(team, journal)
    due = [n for n, at in edits.items() if at < killed_at - 1 - _MARGIN_SECONDS]
    assert restored >= max(due, default=0)
    assert restored <= max(edits)


def _restored(team: Team, journal: Path) -> int:
    """Number of the edit the work goes on from; the whole case is otherwise as it was."""
    opened = open_assignment(team["ann"], claim_case(team["ann"], "c-1").value.id)
    key = WorkKey(project=team.url, person="ann", case_id="c-1", stage=Stage.SELF_CHECK_TASK, round=1)
    body = choose_work(opened, Journal(journal).find(key)).body
    if body is None:
        return 0
    text = body.case.tasks[0].user
    untouched = parcel_case()
    assert body.case.tasks[1:] == untouched.tasks[1:]
    assert body.case.tasks[0].steps == untouched.tasks[0].steps
    return int(text.removeprefix("edit "))
