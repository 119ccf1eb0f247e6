"""Why a claim, a move or a submission is refused, in Chinese: only names, ids, keys and paths stay."""

import random
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

from annotator.drafts.gates import blockers, require_open
from annotator.project.policy import Pairing, ReviewPolicy
from annotator.project.stages import MOVES, Actor, check_move
from annotator.review.queue.takers import who_could_take
from annotator.review.submissions import submission_key, submit
from annotator.review.withdrawals import withdraw
from scoring.errors import AnnotatorError, BlockedError, ForbiddenError
from scoring.model.labels import Judgment, TaskLabels
from scoring.model.taxonomy import SELF_CHECKS, Role, SlotStatus, Stage, Verdict
from scoring.texts import CATALOGUES, in_language, tr
from tests.annotator.drafts.cases import parcel_case
from tests.annotator.review.queue.test_takers import steps
from tests.annotator.team import team_on, two_step_case

SETS = {
    "role": Role,
    "status": SlotStatus,
    "ended": SlotStatus,
    "stage": Stage,
    "verdict": Verdict,
}
"""Closed sets by the place of a message that one of their values fills."""
ROOMS = re.compile("annotator/(project|review|drafts|training)/|ui/cli/")
KEYS = ("Choose one of these stages: {stage}.", "Roles: {role}.")
"""Messages that list what can be typed."""
_KEPT = re.compile(
    r"(?<![A-Za-z])(c-\d|b1|ann|bob|cleo|dan|eve|max|N|F|C|T|JSON|reroute|drawn|true|false)(?![A-Za-z])|`[^`]+`|/\w+|\w+[a-z][A-Z]\w*|\w+_\w+"
)
"""Names of people, cases and tools, commands and keys."""
_LATIN = re.compile("[A-Za-z]+")
pytestmark = pytest.mark.usefixtures("said_in_chinese")


def english(texts: Iterator[str] | set[str]) -> list[str]:
    """The texts with a word that is neither Chinese nor kept."""
    return sorted({text for text in texts if _LATIN.search(_KEPT.sub("", text))})


def said(error: AnnotatorError) -> set[str]:
    """What an error says, as the window shows it."""
    return {in_language(error.message), in_language(error.hint)}


def templates() -> Iterator[tuple[str, str]]:
    """Every message about work with a place for a value of a closed set, and that place."""
    with (CATALOGUES / "zh_CN" / "LC_MESSAGES" / "annotator.po").open("rb") as stream:
        known = [(str(one.id), one.locations) for one in read_po(stream, locale="zh_CN")]
    for text, places in known:
        if text not in KEYS and any(ROOMS.match(file) for file, _ in places):
            yield from ((text, place) for place in SETS if f"{{{place}}}" in text)


def filled(text: str, place: str, value: str) -> str:
    """A message with a value in its place, and names or numbers in the others."""
    names = {name: "3" if name == "count" else "c-1" for name in re.findall(r"\{(\w+)", text)}
    return text.format(**names | {place: value})


def test_a_stage_role_or_verdict_is_said_in_the_language_of_its_message() -> None:
    found = [filled(text, place, value) for text, place in templates() for value in SETS[place]]
    assert len(found) > 100
    assert not english(set(map(in_language, found)))


def test_a_list_of_what_can_be_typed_stays() -> None:
    stages = tr(f"Choose one of these stages: {', '.join(Stage)}.")
    assert stages.startswith("请选择以下阶段之一：imported、self_check_task、")
    assert stages.endswith("、rejected。")
    assert tr("Roles: annotator, expert, manager.") == "角色：annotator、expert、manager。"


def test_every_move_that_is_refused_is_refused_in_chinese() -> None:
    found: set[str] = set()
    for stage, who, action in product(Stage, Actor, {move.action for move in MOVES}):
        if not any((move.at, move.who, move.action) == (stage, who, action) for move in MOVES):
            with pytest.raises(ForbiddenError) as refused:
                check_move(stage, action, actor=who, to=Stage.FINAL)
            found |= said(refused.value)
    assert len(found) > 100
    assert not english(found)


@contextmanager
def _gathered(found: set[str]) -> Iterator[None]:
    """What is said where something is refused goes to the others."""
    try:
        yield
    except AnnotatorError as error:
        found |= said(error)


@pytest.mark.parametrize("seed", range(3))
def test_whoever_is_refused_a_case_reads_why_in_chinese(sqlite_path: Path, tmp_path: Path, seed: int) -> None:
    chance, found = random.Random(seed), set[str]()
    policy = ReviewPolicy(
        pairing=[*Pairing][seed % len(Pairing)], pairs=(("ann", "bob", "cleo"),) * (seed == 1)
    )
    with team_on(str(sqlite_path), tmp_path, policy=policy) as team:
        team.bring(two_step_case("c-1"), two_step_case("c-2"))
        for number in range(60):
            name, case_id = chance.choice(("ann", "bob", "eve")), chance.choice(("c-1", "c-2"))
            taken_back = partial(withdraw, team[name], case_id)
            sent = partial(submit, team[name], number, judgment=Judgment(tasks=()), key=submission_key())
            possible: list[Callable[[], object]] = [*steps(team, chance), taken_back, sent]
            with _gathered(found):
                chance.choice(possible)()
            with _gathered(found):  # refused to whoever works on the case
                takers = who_could_take(team["max"], case_id).value
                found |= {in_language(takers.words), *(tr(one.why) for one in takers.people)}
    assert len(found) > 10
    assert not english(found)


@pytest.mark.parametrize("stage", [*SELF_CHECKS, Stage.CROSS_CHECK])
def test_what_is_open_before_a_submission_is_said_in_chinese(stage: Stage) -> None:
    case, found = parcel_case(), set[str]()
    for verdict in (None, *Verdict):
        judgment = Judgment(verdict=verdict, tasks=(TaskLabels(),) * len(case.tasks))
        points = blockers(case, judgment, stage=stage, policy=ReviewPolicy(teval_fields=True))
        found |= {in_language(point.message) for point in points}
        if points:
            with pytest.raises(BlockedError) as refused:
                require_open(points)
            found |= said(refused.value)
    assert len(found) > 10
    assert not english(found)
