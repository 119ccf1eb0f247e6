"""No command tells its holder a known-answer case from a case, and others see nothing of it."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from annotator.cases.history import mark_gold
from annotator.project.people import set_roles
from annotator.project.policy import ReviewPolicy
from annotator.review.queue.claims import claim_case, claim_next
from scoring.model.case import dump_case
from scoring.model.taxonomy import Role, Stage
from tests.annotator.review.attention.test_known_answers import bring_gold
from tests.annotator.team import Team, team_on, two_round_case
from tests.e2e.command import Ran, annotator

OWNED = ReviewPolicy(attention_share=0.5, cross_check=False, expert_sample=False)
BLIND = ReviewPolicy(attention_share=0.5, reviewers=1)
SHOWN = """
case show ID --json
case history ID --json
cases --text ID --json
cases --stage STAGE --json
cases --batch b1 --text parcel --json
check --case ID --json
check --json
review show SLOT
review show FIRST
"""
"""What prints the content of a case, or a list with it in."""
SAID = """
case show ID --revision 2
case history ID
case history NOTHING
case comment ID odd
case comment ID odd --json
case put ID --file FILE --reason better
case gold ID
case who ID
review withdraw ID
review withdraw ID --json
review reopen ID --reason again
review hand ID --to eve
category ID travel
adjudicate ID
review hand-back FIRST
review skip FIRST --reason long
cases --owner NAME --stage final
"""
"""What has the same words whatever the case says."""
COUNTED = """
export --format native --stage any -o OUT
export --format native --stage any -o OUT --json
batch list --json
coverage
stages
"""
"""What has the same words but for its numbers: who has a copy sees a case more."""
_OF_THE_DIALOGUE = {"tasks", "findings", "suggested_edges", "look", "proved", "evidence"}
ENDS = {
    "held": (),
    "handed back": ("review hand-back SLOT",),
    "skipped": ("review skip SLOT --reason long --json",),
    "taken again": ("review hand-back SLOT --json", "claim"),
    "skipped and taken again": ("review skip SLOT --reason long", "claim"),
}
"""What its holder does with it first."""


@dataclass
class Holder:
    """Who got which slot of what: `first` before they left it and took it again."""

    name: str
    case_id: str
    slot: int
    first: int
    stage: Stage


@dataclass
class Pair:
    """A project in which bob holds a copy, and dan, who may do what he may, a case of the same content."""

    team: Team
    copy: Holder
    real: Holder

    def both(self, command: str) -> tuple[Ran, Ran]:
        """What a command says to one and to the other, with their own names and numbers replaced."""
        return self._said(self.copy, command), self._said(self.real, command)

    def end(self, commands: tuple[str, ...]) -> None:
        """Let both do something with what they hold; what is said must be the same."""
        for command in commands:
            if command != "claim":
                mine, other = self.both(command)
                assert mine == other
                continue
            for holder in (self.copy, self.real):
                holder.slot = claim_case(self.team[holder.name], holder.case_id).value.id

    def _said(self, holder: Holder, command: str) -> Ran:
        file, out = self.team.folder / "case.json", self.team.folder / "out.jsonl"
        file.write_text(json.dumps(dump_case(two_round_case(holder.case_id))), encoding="utf-8")
        own = {"ID": holder.case_id, "SLOT": holder.slot, "FIRST": holder.first, "NAME": holder.name}
        words = {**own, "STAGE": holder.stage, "FILE": file, "OUT": out}
        ran = annotator(
            *(words.get(one, one) for one in command.split()), "-p", self.team.url, person=holder.name
        )
        return Ran(ran.code, _masked(ran.out, own), _masked(ran.err, own))


def _masked(text: str, own: Mapping[str, object]) -> str:
    text = re.sub(r"\d{4}-\d\d-\d\d[T ][\d:.]+(\+00:00|Z)?", "TIME", text)
    text = re.sub(r"\b[0-9a-f]{12}\b", "HASH", text)
    for word, value in own.items():
        before = (
            r"(?<=ssignment )|(?<=ssignment\": )|(?<=\"id\": )" if isinstance(value, int) else r"(?<![\w-])"
        )
        masked = f'"{word}"' if isinstance(value, int) else word
        text = re.sub(rf"({before}){re.escape(str(value))}(?![\w-])", masked, text)
    return re.sub(r"  +", "  ", text)


def _unnumbered(ran: Ran) -> Ran:
    return Ran(ran.code, re.sub(r"\d[\d.,]*", "N", ran.out), re.sub(r"\d[\d.,]*", "N", ran.err))


def _outline(value: JsonValue) -> object:
    """The fields of a document and the kinds of their values, but for what the dialogue itself decides."""
    if isinstance(value, dict):
        return {key: _outline(part) for key, part in value.items() if key not in _OF_THE_DIALOGUE}
    if isinstance(value, list):
        return sorted({json.dumps(_outline(part), sort_keys=True) for part in value})
    return value if value in ("ID", "NAME", "TIME") else type(value).__name__


def _own(document: Any) -> Any:
    """What a document says of one's own case: a list of cases has others, too."""
    rows = document.get("rows", ())
    if not any("case_id" in row for row in rows):
        return document
    [own] = [row for row in rows if row["case_id"] == "ID"]
    return own


def _begin(team: Team, *, is_blind: bool) -> None:
    if is_blind:
        bring_gold(team)
    else:
        team.bring(two_round_case("c-1"), batch="gold")
        team.self_check("ann", "c-1")
        mark_gold(team["eve"], "c-1", gold=True)
    team.bring(*(two_round_case(f"c-{number}") for number in range(2, 6)))
    for number in range(2, 6) if is_blind else ():
        team.self_check("ann", f"c-{number}")


@pytest.fixture(params=["own", "blind"])
def pair(request: pytest.FixtureRequest, sqlite_path: Path, tmp_path: Path) -> Iterator[Pair]:
    """Two people who hold what looks alike: to label, or blind to cross-check."""
    is_blind = request.param == "blind"
    with team_on(str(sqlite_path), tmp_path, policy=BLIND if is_blind else OWNED) as team:
        team.walk(_begin, is_blind=is_blind)
        copy, real = claim_next(team["bob"]).value, claim_case(team["cleo"], "c-3").value
        claim_case(team["dan"], "c-5")  # somebody else is at work, for both of them
        assert copy is not None
        assert (copy.case_pk, copy.stage) == (0, real.stage)
        held = [Holder(one.person, one.case_id, one.id, one.id, one.stage) for one in (copy, real)]
        yield Pair(team, *held)


@pytest.mark.parametrize("end", ENDS)
def test_every_command_answers_its_holder_as_of_a_case(pair: Pair, end: str) -> None:
    pair.end(ENDS[end])
    for command in SHOWN.strip().splitlines():
        mine, other = pair.both(command)
        assert (mine.code, mine.err) == (other.code, other.err), command
        seen, like = _own(json.loads(mine.out)), _own(json.loads(other.out))
        assert _outline(seen) == _outline(like), command
    for command in SAID.strip().splitlines():
        mine, other = pair.both(command)
        assert mine == other, command
    for command in COUNTED.strip().splitlines():
        mine, other = pair.both(command)
        assert _unnumbered(mine) == _unnumbered(other), command
    for name in ("bob", "cleo"):
        set_roles(pair.team["max"], name, roles=(Role.ANNOTATOR, Role.EXPERT))
    for command in (
        "case gold ID",
        "case who ID",
        "review reopen ID --reason again",
        "review hand ID --to eve",
        "adjudicate ID",
    ):
        mine, other = pair.both(command)
        assert mine == other, command


@pytest.mark.parametrize("end", ENDS)
def test_totals_leave_out_what_their_reader_works_on_or_left_and_say_so(pair: Pair, end: str) -> None:
    pair.end(ENDS[end])
    for holder in (pair.copy, pair.real):

        def said(command: str, holder: Holder = holder) -> Ran:
            return annotator(*command.split(), "-p", pair.team.url, person=holder.name)

        listed = said("cases --json").rows
        batch = [line for line in listed if line["batch"] == "b1"]
        assert holder.case_id in [line["case_id"] for line in batch]
        [counted] = [one for one in said("batch list --json").rows if one["name"] == "b1"]
        assert counted["case_count"] == len(batch) - 1
        stages = said("stages --json")
        in_batches = [one["case_count"] for one in said("batch list --json").rows]
        assert sum(stages.document["stages"]["counts"].values()) == sum(in_batches)
        assert said("coverage --json").document["case_count"] == sum(in_batches)
        for ran in (stages, said("coverage"), said("batch list"), said("batch waiting b1")):
            assert "Not counted: 1 case that you work on or have left." in ran.err
    for other in ("max", "ann", "eve"):
        told = [annotator(*words.split(), "-p", pair.team.url, person=other) for words in ("stages", "cases")]
        assert not any("Not counted" in ran.err or pair.copy.case_id in ran.out for ran in told)
