"""Who is asked to cross-check a case: anybody, the owner's pair, people in turn, or by skill.

Among those who suit a case equally, whoever has the least to do is asked first.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from functools import partial

from annotator.cases.bodies import load_revision
from annotator.cases.tool_categories import categories_of
from annotator.project.policy import Pairing
from annotator.project.workspace import Work
from db.read import assignments, claims, queries
from db.read.rows import CaseRow, PersonRow
from db.write import slots, store
from scoring.model.taxonomy import Stage


def ask_reviewers(
    w: Work, row: CaseRow, *, load: Counter[int], resting: Collection[int] = ()
) -> tuple[PersonRow, ...]:
    """Ask people to judge a case that has come to cross-check, as the policy pairs them.

    Whom the policy prefers is asked first; where they are too few for the round, others fill it up, so
    that no case waits for somebody who cannot take it.

    Args:
        w: The operation.
        row: The case at cross-check, in the round it is to be judged in.
        load: How much each person has to do, see `load_of`; who is asked has one more.
        resting: People who have just served and stay out while enough others are there.

    Returns:
        Who was asked; empty where anybody may come.
    """
    able = claims.possible_reviewers(w.tx, row.pk)
    rested = [person for person in able if person.id not in resting]
    pool = rested if len(rested) >= w.policy.needed_judgments else list(able)
    held = _holding(w, row)
    is_open_to_all = w.policy.pairing is Pairing.FREE and len(pool) == len(able)
    count = max(w.policy.needed_judgments - len(held), 0)
    asked = [] if is_open_to_all else _chosen(w, row, pool, count=count, load=load)
    load.update(person.id for person in asked)
    people = (*held, *(person.id for person in asked)) if asked else ()
    slots.invite(w.tx, row.pk, round_=row.round, people=sorted(set(people)))
    return tuple(asked)


def load_of(w: Work) -> Counter[int]:
    """How many cases each person holds or is asked to cross-check; empty where anybody may come."""
    if w.policy.pairing is Pairing.FREE:
        return Counter()
    return Counter(claims.open_invitations(w.tx)) + Counter(assignments.held_counts(w.tx))


def ask_others(w: Work) -> bool:
    """Ask more people where those who were asked cannot answer any more; whether anybody was."""
    more = False
    short = claims.short_of_reviewers(w.tx, reviewers=w.policy.needed_judgments)
    load = load_of(w) if short else Counter()
    for pk in short:
        row = queries.get_case(w.tx, pk)
        if not store.try_lock_case(w.tx, pk, expected_version=row.version):
            continue  # whoever holds it may just be asking
        before = assignments.invited(w.tx, pk, round_=row.round)
        ask_reviewers(w, row, load=load)
        more |= bool(set(assignments.invited(w.tx, pk, round_=row.round)) - set(before))
    return more


def _holding(w: Work, row: CaseRow) -> list[int]:
    found = assignments.assignments_of(w.tx, row.pk, stage=Stage.CROSS_CHECK, round_=row.round)
    return [held.person_id for held in found if held.status in assignments.OCCUPYING]


def _chosen(
    w: Work, row: CaseRow, pool: Sequence[PersonRow], *, count: int, load: Counter[int]
) -> list[PersonRow]:
    first = row.pk % len(pool) if pool else 0
    in_turn = [*pool[first:], *pool[:first]]  # each case begins one person further on
    in_turn.sort(key=lambda person: load[person.id])
    preferred: list[PersonRow] = []
    match w.policy.pairing:
        case Pairing.FREE:
            return list(pool)
        case Pairing.SWAP:
            mates = next((pair for pair in w.policy.pairs if row.owner in pair), ())
            preferred = [person for person in in_turn if person.name in mates][:count]
        case Pairing.SKILL:
            case = load_revision(w.tx, row.head_id) if w.policy.toolset_skills else None
            suits = partial(
                w.policy.suits,
                language=row.language,
                categories=categories_of(w.tx, case) if case else (),
            )
            preferred = [person for person in pool if suits(person.name)]
        case Pairing.ROUND_ROBIN:
            preferred = in_turn[:count]
    others = [person for person in in_turn if person not in preferred]
    return preferred + others[: max(count - len(preferred), 0)]
