"""Scorecards made by hand for tests of tables and pictures."""

import io
import zipfile
from collections.abc import Sequence
from xml.etree import ElementTree

from scoring.matching.task_scores import TaskScore
from scoring.measures.summary import summarise
from scoring.model.taxonomy import (
    ActionDetail,
    ArgumentProfile,
    C3Mistake,
    Information,
    Policy,
    Protocol,
    Semantics,
    WildtoolMistake,
)
from scoring.scorecard import SCORER_VERSION, Scorecard


def text_of(written: bytes) -> str:
    """The text of a report; of a workbook the texts of all its cells."""
    if not written.startswith(b"PK"):
        return written.decode()
    with zipfile.ZipFile(io.BytesIO(written)) as book:
        root = ElementTree.fromstring(book.read("xl/sharedStrings.xml"))
    return "\n".join("".join(item.itertext()) for item in root)


def scored(
    number: int = 0,
    *,
    case: str = "c-1",
    policy: Policy = Policy.SINGLE,
    information: Information | None = None,
    right: bool = True,
    optimal: bool = True,
    done: int = 0,
    steps: int = 2,
    error: WildtoolMistake = WildtoolMistake.REFUSAL,
) -> TaskScore:
    """The score of one task; a right one is done in full."""
    return TaskScore(
        case=case,
        task=number,
        policy=policy,
        information=information or (Information.OMISSION if number else Information.FIRST),
        label="correct" if right else "error",
        action_label="correct" if right else "error",
        action_detail=None if right else ActionDetail.TEXT_TOO_EARLY,
        arguments_label="correct" if right else None,
        arguments_profile=ArgumentProfile.WTB,
        optimal=right and optimal,
        steps_done=steps if right else done,
        steps_total=steps,
        error=None if right else error,
        error_c3=None if right else C3Mistake.REJECT,
        detail=None if right else "Reply 0: A text although calls are due.",
    )


def card(
    *tasks: TaskScore,
    name: str = "",
    semantics: Semantics = Semantics.PAPER,
    protocol: Protocol = Protocol.WILDTOOL,
    sha: str = "ab" * 32,
) -> Scorecard:
    """The scorecard of some tasks; its name says its model."""
    return Scorecard(
        name=name,
        semantics=semantics,
        arguments="auto",
        protocol=protocol,
        cases_sha256=sha,
        predictions_sha256="cd" * 32,
        scorer_version=SCORER_VERSION,
        summary=summarise(tasks),
        ignored=(),
        tasks=tasks,
    )


def rights(
    pattern: str, *, policies: Sequence[Policy] = (Policy.SINGLE,), case: str = "c-1"
) -> list[TaskScore]:
    """The tasks of one case, right where the pattern has a `+`."""
    return [
        scored(number, case=case, right=sign == "+", policy=policies[number % len(policies)])
        for number, sign in enumerate(pattern)
    ]


def mixed_card(shift: int = 0, **options: object) -> Scorecard:
    """Two cases of four tasks with all main types, some of them wrong."""
    policies = (Policy.SINGLE, Policy.MULTI_PARALLEL, Policy.CLARIFY, Policy.CHAT)
    patterns = ["++-+", "+-++", "-+--", "++++"]
    tasks = [
        *rights(patterns[shift % 4], policies=policies),
        *rights(patterns[(shift + 1) % 4], policies=(Policy.MULTI_MIXED, *policies[1:]), case="c-2"),
    ]
    return card(*tasks, **options)  # type: ignore[arg-type]
