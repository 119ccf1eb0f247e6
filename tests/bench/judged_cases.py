"""Cases as three reviewers labelled them: mostly alike, each field misjudged now and then."""

from collections.abc import Iterator
from random import Random

from scoring.agreement.rated_cases import RatedCase, rated_case
from scoring.model.labels import TaskLabels
from scoring.model.taxonomy import CheckAnswer, EdgeKind, Information, Policy
from tests.factories import answer, call, case, task

REVIEWERS = ("ada", "ben", "eve")
ITEMS = ("relevant", "facts", "language", "distinct", "policy_fits", "hidden")


def labels_of_reviewer(random: Random, truth: TaskLabels) -> TaskLabels:
    """The truth, each field misjudged with a chance of one in ten or twenty."""
    drawn = {
        (a, b): random.choice(list(EdgeKind)[:2]) if random.random() < 0.1 else kind
        for a, b, kind in truth.edges
        if random.random() > 0.05
    }
    return TaskLabels(
        policy=random.choice(list(Policy)) if random.random() < 0.1 else truth.policy,
        information=random.choice(list(Information)) if random.random() < 0.1 else truth.information,
        edges=tuple((a, b, kind) for (a, b), kind in drawn.items()),
        calls_correct=tuple(random.random() > 0.05 for _ in truth.calls_correct),
        completed=random.random() > 0.05,
        checklist={item: CheckAnswer.FAIL if random.random() < 0.02 else CheckAnswer.PASS for item in ITEMS},
    )


SHAPES: list[tuple[int, list[tuple[int, int]], Policy]] = [
    (1, [], Policy.SINGLE),
    (2, [(0, 1)], Policy.MULTI_SERIAL),
    (3, [], Policy.MULTI_PARALLEL),
    (4, [(0, 2), (1, 2), (2, 3)], Policy.MULTI_MIXED),
]


def judged_cases(count: int) -> Iterator[RatedCase]:
    """Cases of four tasks with one to four calls, each judged by three reviewers."""
    random = Random(4)
    for number in range(count):
        chosen = [random.choice(SHAPES) for _ in range(4)]
        judged = case(
            *(task(*[call()] * steps, answer(), edges=pairs) for steps, pairs, _ in chosen),
            id=f"case-{number:05}",
        )
        truths = [
            TaskLabels(
                policy=policy,
                information=random.choice(list(Information)),
                edges=tuple((a, b, random.choice(list(EdgeKind)[:2])) for a, b in pairs),
                calls_correct=(True,) * steps,
                completed=True,
            )
            for steps, pairs, policy in chosen
        ]
        said = {name: [labels_of_reviewer(random, truth) for truth in truths] for name in REVIEWERS}
        yield rated_case(judged, said)
