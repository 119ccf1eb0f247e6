"""A review session held by commands, each in a process of its own, some of them at the same time."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from scoring.model.taxonomy import Policy, Stage
from tests.annotator.team import team_on, two_step_case
from tests.e2e.command import annotator_process


def test_people_who_vote_at_the_same_time_all_count_and_the_chain_holds(
    sqlite_path: Path, tmp_path: Path
) -> None:
    with team_on(str(sqlite_path), tmp_path) as team:
        team.bring(two_step_case())
        team.self_check("ann", "c-1")
        team.cross_check("bob", "c-1", policies={0: Policy.MULTI_PARALLEL})
        team.cross_check("cleo", "c-1")
        team.close()
        say = partial(annotator_process, ANNOTATOR_PROJECT=str(sqlite_path))
        assert say("session", "open", "Week 1", person="eve").code == 0
        for name in ("bob", "cleo", "dan"):
            assert say("session", "join", person=name).code == 0
        voters = {"bob": "3", "cleo": "2", "dan": "2", "eve": "2"}
        with ThreadPoolExecutor(len(voters)) as pool:
            votes = [pool.submit(say, "session", "vote", vote, person=name) for name, vote in voters.items()]
            assert [one.result().code for one in votes] == [0] * len(voters)
        hidden = say("session", "show", "--json", person="bob").document["questions"][0]
        assert (hidden["votes"], hidden["vote_count"]) == ({"bob": 3}, 4)
        refused = say("audit", "export", person="max")
        assert (refused.code, refused.out) == (1, "")
        assert "votes that are not revealed" in refused.err
        assert say("session", "reveal", person="eve").code == 0
        assert say("session", "decide", "2", "--note", "it waits", person="eve").code == 0
        assert "Policy · task 1 | bob: Multi, parallel" in _sorted_votes(
            say("session", "minutes", person="max").out
        )
        assert say("audit", "verify", person="max").code == 0
        assert say("audit", "export", person="max").code == 0
        assert team.stage("c-1") is Stage.FINAL


def _sorted_votes(text: str) -> str:
    """Minutes with the votes of each line by name: who came first is chance."""
    lines = ([*map(str.strip, line.split("|"))] for line in text.splitlines())
    return "\n".join(" | ".join("; ".join(sorted(cell.split("; "))) for cell in line) for line in lines)
