"""Whether the people of a project can do what its review policy asks for, with the arithmetic in words."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from annotator.cases.tool_categories import assigned_categories
from annotator.project.people import PersonRow
from annotator.project.policy import Pairing, ReviewPolicy
from annotator.project.workspace import Workspace, policy_of, query
from db.read import claims, known_answers, people
from db.tables import Transaction
from scoring.groups import collected
from scoring.model.taxonomy import Role
from scoring.wording import counted


def people_needed(policy: ReviewPolicy) -> int:
    """How many annotators a case takes under a policy: its owner, and those who check it blind."""
    return policy.needed_judgments + 1


@collected
def shortages(
    policy: ReviewPolicy, people: Sequence[PersonRow], *, categories: Collection[str] = ()
) -> Iterator[str]:
    """What a policy asks for that these people cannot give; empty where all of it can be done.

    Args:
        policy: The policy, saved or not.
        people: Everybody in the project; who is disabled or away does nothing.
        categories: Of the toolsets of the project, besides those the policy names.

    Returns:
        Sentences, the gravest first: too few cross-checkers, no expert, pairs and skills that pair nobody.
    """
    active = [person for person in people if person.is_here]
    if policy.solo:
        return
    annotators = [person for person in active if person.has_role(Role.ANNOTATOR)]
    yield from [*_too_few_reviewers(policy, annotators), *_no_expert(policy, active)]
    if policy.has_cross_check and policy.pairing is Pairing.SWAP:
        yield from _unpaired(policy, annotators)
    if policy.has_cross_check and policy.pairing is Pairing.SKILL:
        yield from _unskilled(policy, annotators, categories if policy.toolset_skills else ())


NO_GOLD = (
    "Known-answer cases are switched on, but no final case is marked gold, so none is mixed in: "
    "an expert marks finished cases as gold examples."
)


@query
def shortages_now(workspace: Workspace, tx: Transaction) -> tuple[str, ...]:
    """What the policy of a project asks for that its people and gold cases cannot give; see `shortages`."""
    policy = policy_of(tx)
    lacks_gold = policy.attention_share > 0 and not known_answers.source_count(tx)
    categories = set(assigned_categories(tx).values()) - {""} if policy.toolset_skills else ()
    found = shortages(policy, people.list_people(tx), categories=categories)
    return (*found, *((NO_GOLD,) if lacks_gold else ()))


@query
def stuck_cases(workspace: Workspace, tx: Transaction) -> tuple[str, ...]:
    """Ids of the cases that wait for a cross-check or a decision that nobody could make, the oldest first."""
    policy = policy_of(tx)
    return claims.stuck(tx, reviewers=policy.needed_judgments, is_solo=policy.solo)


def _too_few_reviewers(policy: ReviewPolicy, annotators: Sequence[PersonRow]) -> Iterator[str]:
    if policy.has_cross_check and len(annotators) < people_needed(policy):
        yield (
            f"A case needs {counted(policy.needed_judgments, 'cross-checker')} besides the owner; "
            f"the project has {counted(len(annotators), 'active annotator')}. "
            "Cases will wait at cross-check: add annotators or lower reviewers."
        )


def _no_expert(policy: ReviewPolicy, active: Sequence[PersonRow]) -> Iterator[str]:
    if not (policy.has_cross_check or policy.has_expert_sample):
        return
    experts = [person for person in active if person.has_role(Role.EXPERT)]
    if not experts:
        yield (
            "Escalated and sampled cases need an expert; the project has no active one: "
            "give somebody the role."
        )
        return
    annotators = [person for person in active if person.has_role(Role.ANNOTATOR)]
    everybody = {person.name for person in (*experts, *annotators)}
    needed = people_needed(policy)
    # Whoever decides a case is neither its owner nor one of its cross-checkers.
    if len(annotators) >= needed and len(everybody) < needed + 1:
        yield (
            f"A case needs an expert besides its {counted(needed, 'annotator')}; every expert is "
            f"an annotator, too, and the project has {counted(len(everybody), 'person', 'people')} "
            "with either role: add an expert."
        )


def _unpaired(policy: ReviewPolicy, annotators: Sequence[PersonRow]) -> Iterator[str]:
    names = {person.name for person in annotators}
    if not policy.pairs:
        yield "pairing is swap, but there are no pairs: everybody is asked until some are named."
        return
    for pair in policy.pairs:
        members = [name for name in pair if name in names]
        if len(members) <= policy.needed_judgments:
            yield (
                f"A case needs {counted(policy.needed_judgments, 'cross-checker')} from its owner's pair; "
                f"{', '.join(pair)} has {counted(max(len(members) - 1, 0), 'active annotator')} besides the "
                "owner: others are asked for the rest."
            )
    alone = sorted(names - {name for pair in policy.pairs for name in pair})
    if alone:
        yield f"In no pair: {', '.join(alone)}. For their cases everybody is asked."


def _unskilled(
    policy: ReviewPolicy, annotators: Sequence[PersonRow], categories: Collection[str]
) -> Iterator[str]:
    if not policy.skills and not policy.toolset_skills:
        yield "pairing is skill, but there are no skills: whoever is not named reads every language."
        return
    for language, able in _rare(policy, annotators, policy.skills):
        yield (
            f"A case in {language} needs {counted(policy.needed_judgments, 'cross-checker')} besides "
            f"the owner; {counted(able, 'active annotator')} can read it: "
            "others are asked for the rest."
        )
    for category, able in _rare(policy, annotators, policy.toolset_skills, known=categories):
        yield (
            f"A case with tools of the category {category} needs "
            f"{counted(policy.needed_judgments, 'cross-checker')} besides the owner; "
            f"{counted(able, 'active annotator')} can judge it: others are asked for the rest."
        )


def _rare(
    policy: ReviewPolicy,
    annotators: Sequence[PersonRow],
    skills: Mapping[str, Collection[str]],
    *,
    known: Collection[str] = (),
) -> Iterator[tuple[str, int]]:
    """The skills that fewer people have than a case takes, with how many have them."""
    for skill in sorted({*known, *(one for having in skills.values() for one in having)}):
        able = sum(person.name not in skills or skill in skills[person.name] for person in annotators)
        if able < people_needed(policy):
            yield skill, able
