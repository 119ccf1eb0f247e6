"""Scorecards made by hand for tests of tables and pictures."""

import hashlib
import io
import zipfile
from collections.abc import Sequence
from math import log10
from random import Random
from xml.etree import ElementTree

from scoring.matching.task_scores import TaskScore
from scoring.measures.rates import Number
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
from scoring.model_card import ModelCard
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
        detail=None if right else "Reply 0: A text although calls are due: x y.",
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
        predictions_sha256=hashlib.sha256(repr((name, tasks)).encode()).hexdigest(),
        scorer_version=SCORER_VERSION,
        summary=summarise(tasks),
        ignored=(),
        tasks=tasks,
    )


def spent(one: Scorecard, *, read: float = 0, written: float | None) -> Scorecard:
    """A scorecard whose replies say so many tokens for a task; `written` is None where none says."""
    said = (
        {} if written is None else {"read": Number(value=read, of=4), "written": Number(value=written, of=4)}
    )
    measures = {**one.summary.measures, "tokens_per_task": said}
    return one.model_copy(update={"summary": one.summary.model_copy(update={"measures": measures})})


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


def league(protocol: Protocol = Protocol.C3, *, dialogues: int = 40) -> list[tuple[str, Scorecard]]:
    """Runs of 24 made-up models over the same dialogues: four families, three sizes, thinking on and off."""
    policies = list(Policy)
    errors = list(WildtoolMistake)
    runs = []
    for number, (family, kind) in enumerate(
        [("alder", "open"), ("birch", "open"), ("cedar", "closed"), ("drill", "specialised")]
    ):
        for size in (2, 8, 64):
            for thinking in ("off", "on"):
                random = Random(f"{family} {size} {thinking} {protocol}")
                name = f"{family}-{size}b{'-thinking' if thinking == 'on' else ''}"
                level = 0.35 + 0.1 * log10(size) + (0.06 if thinking == "on" else 0) + 0.03 * number
                tasks = []
                for case in range(dialogues):
                    for place in range(4):
                        policy = policies[(case * 7 + place * (1 + case % 5) + case // 6) % len(policies)]
                        drop = 0.07 * place * (2 if kind == "specialised" else 1)
                        drop += 0.2 if policy in (Policy.MULTI_SERIAL, Policy.MULTI_MIXED) else 0
                        tasks.append(
                            scored(
                                place,
                                case=f"c-{case}",
                                policy=policy,
                                information=list(Information)[1 + (case + place) % 3] if place else None,
                                right=random.random() < level + 0.2 - drop,
                                optimal=random.random() < 0.8,
                                done=random.randrange(2),
                                error=errors[int(random.random() ** (1 + number) * len(errors))],
                            )
                        )
                known = {"model": name, "family": family, "size": size, "kind": kind, "thinking": thinking}
                found = card(*tasks, name=name, protocol=protocol)
                model_card = ModelCard.model_validate(known)
                runs.append((name, found.model_copy(update={"model_card": model_card})))
    return runs
