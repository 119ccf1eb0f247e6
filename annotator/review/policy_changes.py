"""Changing how a project works: its review policy, and what follows for the cases under review."""

from annotator.project.changes import Changes
from annotator.project.policy import ReviewPolicy, changed_policy, strangers
from annotator.project.workspace import Done, Work, Workspace
from annotator.review import samples
from annotator.review.cross_check import settle_open_rounds
from annotator.review.measures.guideline_versions import require_topics
from db.read import batches, people
from db.write import store
from scoring.errors import NotFoundError
from scoring.model.taxonomy import Role


def change_review_policy(workspace: Workspace, assignments: tuple[str, ...]) -> Done[ReviewPolicy]:
    """Change the review policy by `KEY=VALUE` texts; cases keep what was decided under the former one.

    Rounds that have enough judgments under the changed policy are closed, and batches that wait for
    nothing any more go on.

    Raises:
        InputError: A key or value does not fit, or the guidelines have no such topic.
        NotFoundError: A person it names is not in the project.
        ForbiddenError: The person is no manager.
    """
    return workspace.run(
        "project:policy:set",
        lambda w: _replace(w, changed_policy(w.policy, assignments)),
        roles=(Role.MANAGER,),
        is_alone=True,
    )


def replace_review_policy(workspace: Workspace, policy: ReviewPolicy) -> Done[ReviewPolicy]:
    """Take a whole policy, as a form or a file gives it; see `change_review_policy`."""
    return workspace.run(
        "project:policy:set", lambda w: _replace(w, policy), roles=(Role.MANAGER,), is_alone=True
    )


def _replace(w: Work, policy: ReviewPolicy) -> ReviewPolicy:
    for _, name in strangers(policy, {person.name for person in people.list_people(w.tx)}):
        raise NotFoundError(
            f"The policy names '{name}', who is not in this project.", "See `annotator user list`."
        )
    require_topics(policy.guidelines)
    _, _, version = people.project_row(w.tx)
    store.write_review_policy(w.tx, policy.model_dump_json(ensure_ascii=True), expected_version=version)
    before, after = w.policy.model_dump(mode="json"), policy.model_dump(mode="json")
    w.record(
        "project:policy",
        {key: [before[key], after[key]] for key in after if before[key] != after[key]},
        Changes(has_policy=True),
    )
    w.policy = policy
    settle_open_rounds(w)
    for batch_id in batches.batches_with_approved(w.tx):
        samples.settle_batch(w, batch_id)
    return policy
