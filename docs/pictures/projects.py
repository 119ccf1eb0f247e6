"""What happens to a copy of the sample project before its pictures are taken."""

import json
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from annotator.cases.file_import import import_files
from annotator.cases.history import mark_gold
from annotator.jobs import JobContext
from annotator.project.people import add_person, login_name
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.sample_project import EXPERT
from annotator.resources import resource_path
from annotator.review.drafts import open_assignment
from annotator.review.expert.decisions import Decision, FeedbackItem
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import list_cases
from annotator.review.queue.claims import claim_next
from annotator.review.sessions.steps import join_session, open_session, vote
from annotator.review.submissions import submission_key, submit
from annotator.teval.items_folder import write_items
from annotator.teval.results import score_replies, write_result
from db.read.rows import CaseFilter
from scoring.model.case import Case, load_case
from scoring.model.taxonomy import FeedbackCategory, Role, Verdict
from scoring.model.record import JsonObject
from scoring.teval.evaluators import TEvalProfile
from scoring.teval.items import ItemSet
from scoring.teval.similarity import CharacterTriples
from tests.annotator.team import approval
from tests.e2e.truths import waivers_for
from tests.scoring.teval.agents import WEAK, agent_replies
from tests.scoring.teval.sample_items import sample_items
from tests.ui.runs.test_suspect_panel import record_suspect

PEOPLE, ROUNDS = {"ana": 7, "ben": 5, "cleo": 2}, 12
"""Of how many cases each of three newcomers approves one unread, and how many cases each takes."""
ESCALATED, RETURNED = "sample-06-cover-lesson", "sample-04-energy-meter"


def give_back(project: str) -> None:
    """Let the expert return one case and tell the owner something about another."""
    told = FeedbackItem(
        to="owner",
        category=FeedbackCategory.INFORMATION_MISMATCH,
        note="The class was named three tasks before: long range.",
    )
    with closing(open_workspace(project, EXPERT)) as workspace:
        for case_id, wanted in (
            (ESCALATED, Decision(feedback=(told,), verdict=Verdict.APPROVE)),
            (
                RETURNED,
                Decision(verdict=Verdict.RETURN, note="Task 2 leaves the meter out: label it omission."),
            ),
        ):
            seen = open_adjudication(workspace, case_id).value
            edits = {edit.id: "decline" for edit in seen.edits}
            fields = {field.id: "A" for field in seen.differing}
            decision = Decision.model_validate({**wanted.model_dump(), "fields": fields, "edits": edits})
            decide(workspace, seen.assignment_id, decision=decision, key=submission_key())


def begin_session(project: str) -> None:
    """Let the expert open a review session in which two people have voted."""
    with closing(open_workspace(project, EXPERT)) as workspace:
        open_session(workspace, "Week 1")
    for name, choice in (("ann-2", 3), ("ann-3", 1)):
        with closing(open_workspace(project, name)) as workspace:
            join_session(workspace)
            vote(workspace, choice)


def measure(project: str) -> None:
    """Score two models that agree against the gold, three agents in T-Eval, and plant known answers."""
    folder = Path(project).with_suffix("")
    folder.mkdir()
    record_suspect(project, folder)
    _score_agents(folder)
    Path("cases.jsonl").write_bytes(resource_path("samples", "cases.jsonl").read_bytes())
    Path("tools.json").write_text(json.dumps(next(_samples("cases"))["tools"]), encoding="utf-8")
    with closing(open_workspace(project, login_name())) as workspace:
        _plant(workspace, folder)


def teval_folders(project: Path) -> list[Path]:
    """Where the scores of the agents are."""
    return sorted((project.with_suffix("") / "scores").iterdir())


def _samples(name: str) -> Iterator[JsonObject]:
    with resource_path("samples", f"{name}.jsonl").open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _score_agents(folder: Path) -> None:
    items = {subset: dict(list(listed.items())[:40]) for subset, listed in sample_items().items()}
    write_items(ItemSet(items=items, replies={}), folder / "items")
    for lacking in ("plan", "retrieve", "review"):
        replies = agent_replies(items, WEAK[lacking])
        name = f"weak at {lacking}"
        write_items(ItemSet(items=items, replies=replies), folder / name)
        result = score_replies(
            folder / "items",
            folder / name,
            profiles=tuple(TEvalProfile),
            similarity=CharacterTriples(),
            context=JobContext(),
        )
        write_result(result, folder / "scores" / name)


def _plant(workspace: Workspace, folder: Path) -> None:
    """Mark the released cases gold, bring the same dialogues under other names, and let people meet copies."""
    with closing(workspace.as_person(EXPERT)) as expert:
        for row in list_cases(workspace, CaseFilter()):
            mark_gold(expert, row.case_id, gold=True)
    cases = {case["id"]: case for name in ("cases", "corrections") for case in _samples(name)}
    again = folder / "again.jsonl"
    texts = (json.dumps({**case, "id": f"{case['id']}-again"}) for case in cases.values())
    again.write_text("\n".join(texts) + "\n", encoding="utf-8")
    import_files(workspace, [again], context=JobContext(), batch="again")
    change_review_policy(workspace, ("attention_share=0.5", "cross_check=false", "expert_sample=false"))
    right = [load_case(case) for case in cases.values()]
    for name, misses in PEOPLE.items():
        add_person(workspace, name, roles=[Role.ANNOTATOR])
        with closing(workspace.as_person(name)) as person:
            for turn in range(ROUNDS):
                held = claim_next(person).value
                if held is None:
                    break
                shown = open_assignment(person, held.id).base
                edit = None if turn % misses == 0 else _like(shown, right)
                waivers = {"waivers": waivers_for(edit or shown)}
                judgment = approval(edit or shown, edit=edit).model_copy(update=waivers)
                submit(person, held.id, judgment=judgment, key=submission_key())


def _like(shown: Case, cases: list[Case]) -> Case:
    """The case without a defect that has the same requests."""
    requests = [task.user for task in shown.tasks]
    found = next((one for one in cases if [task.user for task in one.tasks] == requests), shown)
    return found.model_copy(update={"id": shown.id})
