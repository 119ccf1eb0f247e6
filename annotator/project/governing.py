"""Changing how a project works: its review policy and its name."""

from typing import TYPE_CHECKING

from annotator.project.changes import Changes
from annotator.project.policy import ReviewPolicy, changed_policy
from annotator.project.workspace import Done, Work, Workspace
from db import queries, store
from scoring.model.taxonomy import Role

if TYPE_CHECKING:
    from scoring.model.record import JsonObject


def set_policy(workspace: Workspace, assignments: tuple[str, ...]) -> Done[ReviewPolicy]:
    """Change the review policy by `KEY=VALUE` texts; cases keep what was decided under the former one.

    Raises:
        InputError: A key or value does not fit.
        ForbiddenError: The person is no manager.
    """

    def work(w: Work) -> ReviewPolicy:
        _, _, version = queries.project_row(w.tx)
        policy = changed_policy(w.policy, assignments)
        store.set_policy(w.tx, policy.model_dump_json(), expected_version=version)
        before, after = w.policy.model_dump(mode="json"), policy.model_dump(mode="json")
        payload: JsonObject = {key: [before[key], after[key]] for key in after if before[key] != after[key]}
        w.record("project:policy", payload)
        w.change(Changes(has_policy=True))
        return policy

    return workspace.run("project:policy:set", work, roles=(Role.MANAGER,))
