"""A case is brought from import to cross-check in the real window by keys alone, killed at random on the way.

Three keys a second and a moment of thought before each intent are what practised people need (keystroke-level
model: 0.28 s a key, 1.35 s a thought). `KILLS` and `SEED` in the environment change how often and when the
program is killed; 50 kills, as many as the promise is made for, take about two minutes a test. `make test`
kills it three times, at work on the sample.
"""

import json
import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from annotator.cases.access import show_case
from annotator.cases.evidence.citations import leaf_paths
from annotator.cases.file_import import import_files
from annotator.cases.row_views import get_row
from annotator.drafts.statements import cited_place
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.workspace import open_workspace
from annotator.review.owner import settled
from scoring.formats.case_writer import encode
from scoring.model.case import Call, Case, load_case
from scoring.model.graph import derive_policy
from scoring.model.taxonomy import CaseFormat, Stage
from tests.e2e.keys.killing import Trial, distinct_steps, moments
from tests.e2e.keys.plan import MILEAGE, CasePlan, plan_of
from tests.postgres import Server
from tests.shared import ROOT, SHARED, needs_shared

KEY_SECONDS, THOUGHT_SECONDS = 0.28, 1.35
KILLS = int(os.environ.get("KILLS", "10"))
FEW_KILLS = min(KILLS, 3)
SEED = int(os.environ.get("SEED", "1"))
PACE_MILLISECONDS = 30
PERSON = "ann"

MISSING_ANSWER = 3
SAMPLE = "sample-12-wardrobe-move"
SAMPLES = ROOT / "resources" / "samples" / "cases.jsonl"
REAL = SHARED / "data" / "bfcl_multi_turn_base.openai.jsonl"


def real_work(folder: Path) -> tuple[Path, CasePlan]:
    """A published dialogue without graphs, labels and answers, and what somebody makes of it."""
    lines = REAL.read_text(encoding="utf-8").splitlines()
    path = folder / "real.jsonl"
    path.write_text(next(line for line in lines if json.loads(line)["id"] == MILEAGE.case_id) + "\n")
    return path, MILEAGE


def sample_work(folder: Path) -> tuple[Path, CasePlan]:
    """A bundled dialogue as a bare conversation whose last answer is missing, and what it is to become."""
    found = (load_case(json.loads(line)) for line in SAMPLES.read_text(encoding="utf-8").splitlines())
    case = next(case for case in found if case.id == SAMPLE)
    bare = encode(case, CaseFormat.OPENAI)
    messages = bare["messages"]
    assert isinstance(messages, list)
    path = folder / "sample.jsonl"
    path.write_text(json.dumps(bare | {"messages": messages[:-1]}) + "\n")
    return path, plan_of(
        case, writes=MISSING_ANSWER, answer="The slot is booked; they call before they come."
    )


Work = Callable[[Path], tuple[Path, CasePlan]]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(real_work, marks=[needs_shared, pytest.mark.slow], id="real"),
        pytest.param(sample_work, id="sample"),
    ],
)
def work(request: pytest.FixtureRequest) -> Work:
    """A dialogue with what somebody makes of it."""
    found: Work = request.param
    return found


@pytest.fixture(scope="module")
def undisturbed(work: Work, tmp_path_factory: pytest.TempPathFactory) -> Trial:
    """The whole work by keys, without a kill."""
    folder = tmp_path_factory.mktemp("undisturbed")
    trial = begin(work, str(folder / "p.db"), folder)
    trial.finish()
    return trial


def begin(work: Work, project: str, folder: Path) -> Trial:
    """Import the dialogue into a new project and put somebody before the window."""
    path, plan = work(folder)
    workspace = create_workspace(project, person=PERSON)
    report = import_files(workspace, [path], context=JobContext(), batch="07")
    workspace.close()
    assert report.imported == 1
    return Trial(project, PERSON, plan, home=folder, pace_milliseconds=PACE_MILLISECONDS)


def assert_finished(trial: Trial) -> None:
    """Everything that was planned is in the case, and nothing of a draft is left."""
    workspace = open_workspace(trial.project, PERSON)
    try:
        case = show_case(workspace, trial.plan.case_id)
        row = workspace.read(lambda tx: get_row(tx, trial.plan.case_id))
        assert row.stage is Stage.CROSS_CHECK
        for task, wanted in zip(case.tasks, trial.plan.tasks, strict=True):
            assert (task.policy, task.information) == (wanted.policy, wanted.information)
            assert {edge.pair for edge in task.drawn_edges} >= set(wanted.edges)
            assert derive_policy(task) is wanted.policy
            assert task.answer is not None
            assert wanted.answer in (None, task.answer.text)
        said = workspace.read(lambda tx: settled(tx, row.pk, head_id=row.head_id, case=case))
        values = {(t, s, p) for t, s, call in calls_of(case) for p in leaf_paths(call.arguments)}
        assert {cited_place(citation) for citation in said.evidence if citation.accepted} == values
    finally:
        workspace.close()
    assert not list((trial.home / "state" / "annotator" / "drafts").glob("*"))


def calls_of(case: Case) -> list[tuple[int, int, Call]]:
    return [(t, s, call) for t, task in enumerate(case.tasks) for s, call in task.calls]


def test_a_bare_dialogue_is_brought_to_cross_check_by_keys_alone_in_under_three_minutes(
    undisturbed: Trial,
) -> None:
    assert_finished(undisturbed)
    done = undisturbed.lines[-1]
    seconds = done.keys * KEY_SECONDS + int(done.words) * THOUGHT_SECONDS
    print(f"{undisturbed.plan.case_id}: {done.keys} keys, {done.words} thoughts, {seconds:.0f} s")  # noqa: T201
    assert seconds <= 180


def kill_at_random(trial: Trial, undisturbed: Trial, *, kills: int) -> None:
    """Kill the program again and again while the work is done, and check what comes back each time."""
    chance = random.Random(SEED)
    trial.kill_at(moments(kills, chance=chance), size=distinct_steps(undisturbed.lines), chance=chance)
    trial.finish()
    print(f"seed {SEED}: {trial.report.words}")  # noqa: T201 (this is what the run is for)
    assert trial.report.kills == kills
    assert_finished(trial)


def test_killed_at_random_moments_it_loses_a_second_at_most_and_shows_no_half_state(
    work: Work, undisturbed: Trial, tmp_path: Path
) -> None:
    kills = KILLS if work is real_work else FEW_KILLS
    kill_at_random(begin(work, str(tmp_path / "p.db"), tmp_path), undisturbed, kills=kills)


@pytest.mark.slow
@pytest.mark.parametrize("work", [pytest.param(real_work, marks=needs_shared, id="real")], indirect=True)
def test_killed_at_random_moments_on_a_server_it_loses_a_second_at_most(
    work: Work, undisturbed: Trial, tmp_path: Path, postgres: Server
) -> None:
    with postgres.database() as name:
        kill_at_random(begin(work, postgres.url_of(name), tmp_path), undisturbed, kills=KILLS)
