"""What scripts import: the functions the window and the commands call, under one name that stays.

Installed, this is `annotator_workbench.api`; contracts 9 has a whole script. What is refused raises an
`AnnotatorError`, whose `message` and `hint` are sentences for people. A call that changes a project gives its
result as `value`. A `JobContext` tells how far long work is and can cancel it.
"""

from annotator.cases.file_export import export_cases
from annotator.cases.file_import import ImportReport, import_files
from annotator.jobs import JobContext
from annotator.project.creation import create_workspace
from annotator.project.people import add_person
from annotator.project.workspace import Workspace, open_workspace
from annotator.release.freeze import freeze
from annotator.release.manifest import Manifest
from annotator.release.runs.evaluation import evaluate, load_cases, load_gold, write_scorecard
from annotator.release.verification import verify_release
from annotator.review.drafts import OpenCase, open_assignment
from annotator.review.expert.decisions import Decision
from annotator.review.expert_review import decide, open_adjudication
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.assignments import assign_batch
from annotator.review.queue.case_rows import CaseFilter, CaseRow, list_cases
from annotator.review.queue.claims import claim_next
from annotator.review.submissions import submission_key, submit
from scoring.errors import AnnotatorError
from scoring.model.labels import Judgment
from scoring.model.taxonomy import CaseFormat, Role, Stage
from scoring.scorecard import Scorecard

__all__ = [
    "AnnotatorError",
    "CaseFilter",
    "CaseFormat",
    "CaseRow",
    "Decision",
    "ImportReport",
    "JobContext",
    "Judgment",
    "Manifest",
    "OpenCase",
    "Role",
    "Scorecard",
    "Stage",
    "Workspace",
    "add_person",
    "assign_batch",
    "change_review_policy",
    "claim_next",
    "create_workspace",
    "decide",
    "evaluate",
    "export_cases",
    "freeze",
    "import_files",
    "list_cases",
    "load_cases",
    "load_gold",
    "open_adjudication",
    "open_assignment",
    "open_workspace",
    "submission_key",
    "submit",
    "verify_release",
    "write_scorecard",
]
