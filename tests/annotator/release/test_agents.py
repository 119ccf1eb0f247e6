"""Six agents over real HTTP: each one's weakness shows in the figure that is there to show it.

Of the 56 tasks of the corrected samples 19 are single, 12 parallel, 6 serial, 6 mixed, 6 clarify and
7 chat; of the 31 published ones 13, 5, 1, 2, 6 and 4. One published single task calls a tool without two
arguments its own schema requires, so that even its gold solution is wrong by the rules.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from matplotlib.patches import Rectangle

from annotator.jobs import JobContext
from annotator.release.reports.score_figures import error_figure, orchestration_figure
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.resources import resource_path, resource_text
from scoring.measures.summary import Summary
from scoring.model.case import Case, load_case
from scoring.model.taxonomy import Policy, Protocol, ToolMode, WildtoolMistake
from scoring.scorecard import Scorecard
from tests.scripted_model.agents import AGENTS, script_of
from tests.scripted_model.asking import plan_of, run, scripted
from tests.shared import SHARED, needs_shared

SAMPLES = "samples"
PUBLISHED = "published"
EVERYWHERE = [SAMPLES, pytest.param(PUBLISHED, marks=needs_shared)]


@dataclass(frozen=True)
class Counts:
    """How many tasks of each kind a set of cases has; of `flawed` single ones the gold breaks a schema."""

    single: int
    parallel: int
    serial: int
    mixed: int
    clarify: int
    chat: int
    flawed: int

    @property
    def all(self) -> int:
        return self.single + self.parallel + self.serial + self.mixed + self.clarify + self.chat


COUNTS = {
    SAMPLES: Counts(single=19, parallel=12, serial=6, mixed=6, clarify=6, chat=7, flawed=0),
    PUBLISHED: Counts(single=13, parallel=5, serial=1, mixed=2, clarify=6, chat=4, flawed=1),
}

Played = Callable[..., Scorecard]


def cases_of(source: str) -> tuple[Case, ...]:
    if source == PUBLISHED:
        return load_cases(SHARED / "data" / "published_cases.jsonl")
    lines = resource_text("samples", "corrections.jsonl").splitlines()
    corrected = {case.id: case for case in map(load_case, map(json.loads, lines))}
    return tuple(corrected.get(case.id, case) for case in load_cases(resource_path("samples", "cases.jsonl")))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Lets an agent play a set of cases over HTTP and scores it; the same play is done once."""
    folder = tmp_path_factory.mktemp("played")
    done: dict[tuple[str, str, Protocol, ToolMode], Scorecard] = {}

    def play(
        agent: str,
        source: str,
        *,
        protocol: Protocol = Protocol.WILDTOOL,
        tools: ToolMode = ToolMode.NATIVE,
    ) -> Scorecard:
        key = agent, source, protocol, tools
        if key not in done:
            cases = cases_of(source)
            out = folder / f"{'-'.join(key)}.jsonl"
            with scripted(script_of(AGENTS[agent], cases)) as (client, _):
                state = run(cases, client, out, plan=plan_of(protocol=protocol, tools=tools, concurrency=4))
            done[key] = evaluate(cases, [out], context=JobContext(), protocol=protocol)
            assert done[key].summary.accuracy.tasks == state.accuracy
        return done[key]

    return play


def right_by_policy(summary: Summary) -> dict[str, int]:
    return {policy: rate.count for policy, rate in summary.accuracy.by_policy.items() if policy != "multi"}


def failures(summary: Summary) -> Mapping[str, int]:
    return {name: rate.count for name, rate in summary.errors.items() if rate.count}


@pytest.mark.parametrize("source", EVERYWHERE)
def test_the_counts_are_those_of_the_cases(source: str, played: Played) -> None:
    found = played("perfect", source).summary.accuracy.by_policy
    counts = COUNTS[source]
    assert [found[policy].total for policy in Policy] == [
        counts.single,
        counts.serial,
        counts.parallel,
        counts.mixed,
        counts.clarify,
        counts.chat,
    ]


@pytest.mark.parametrize("source", EVERYWHERE)
def test_the_perfect_agent_is_right_and_shortest_everywhere(source: str, played: Played) -> None:
    summary, counts = played("perfect", source).summary, COUNTS[source]
    assert summary.accuracy.tasks.count == counts.all - counts.flawed
    assert (summary.optimal_path_rate, summary.accomplished_progress) == (1.0, 1.0)
    assert failures(summary) == ({WildtoolMistake.PARAM_TYPE: 1} if counts.flawed else {})


@pytest.mark.parametrize("source", EVERYWHERE)
def test_the_serial_agent_is_right_but_never_shortest(source: str, played: Played) -> None:
    summary, counts = played("serial-only", source).summary, COUNTS[source]
    assert summary.accuracy.tasks.count == counts.all - counts.flawed
    assert (summary.optimal["total"].count, summary.optimal["total"].total) == (
        0,
        counts.parallel + counts.mixed,
    )
    assert summary.accomplished_progress == 1.0


@pytest.mark.parametrize("source", EVERYWHERE)
def test_the_parallel_agent_fails_where_one_call_waits_for_another_or_for_the_user(
    source: str, played: Played
) -> None:
    summary, counts = played("parallel-happy", source).summary, COUNTS[source]
    assert right_by_policy(summary) == {
        "single": counts.single - counts.flawed,
        "multi_serial": 0,
        "multi_parallel": counts.parallel,
        "multi_mixed": 0,
        "clarify": 0,
        "chat": counts.chat,
    }
    # Tools of the solution called before they are ready, and calls where a question was due.
    mistakes = dict(failures(summary))
    mistakes.pop(WildtoolMistake.PARAM_TYPE, None)
    assert mistakes == {
        WildtoolMistake.CALL_ERROR: counts.serial + counts.mixed,
        WildtoolMistake.WRONG_NAME: counts.clarify,
    }
    # Parallel tasks are solved in one round; of serial and mixed ones not a step is done.
    assert summary.optimal["total"].count == counts.parallel
    assert summary.progress["total"].count == 0


@pytest.mark.parametrize("source", EVERYWHERE)
def test_the_asking_agent_is_right_only_where_a_question_or_a_text_is_due(
    source: str, played: Played
) -> None:
    summary, counts = played("asks-too-much", source).summary, COUNTS[source]
    assert right_by_policy(summary) == {
        "single": 0,
        "multi_serial": 0,
        "multi_parallel": 0,
        "multi_mixed": 0,
        "clarify": counts.clarify,
        "chat": counts.chat,
    }
    # A text before any call, while calls are due, is a refusal to call.
    assert failures(summary) == {WildtoolMistake.REFUSAL: counts.all - counts.clarify - counts.chat}


@pytest.mark.parametrize("source", EVERYWHERE)
def test_the_hallucinating_agent_names_every_tool_right_and_every_argument_list_wrong(
    source: str, played: Played
) -> None:
    summary, counts = played("hallucinates", source).summary, COUNTS[source]
    assert summary.names_accuracy == 1.0
    assert summary.accuracy.tasks.count == counts.chat
    called = counts.all - counts.chat
    expected = {WildtoolMistake.PARAM_HALLUCINATION: called - counts.flawed}
    # Where an argument is missing as well, the type of mistake that weighs more is named.
    assert failures(summary) == expected | ({WildtoolMistake.PARAM_TYPE: 1} if counts.flawed else {})


@pytest.mark.parametrize("source", EVERYWHERE)
def test_the_hasty_agent_is_right_where_one_round_is_enough(source: str, played: Played) -> None:
    summary, counts = played("stops-early", source).summary, COUNTS[source]
    assert right_by_policy(summary) == {
        "single": counts.single - counts.flawed,
        "multi_serial": 0,
        "multi_parallel": counts.parallel,
        "multi_mixed": 0,
        "clarify": 0,
        "chat": counts.chat,
    }
    # After some call it ends too early; after a mere question it has refused to call.
    mistakes = dict(failures(summary))
    mistakes.pop(WildtoolMistake.PARAM_TYPE, None)
    assert mistakes == {
        WildtoolMistake.EARLY_TERMINATION: counts.serial + counts.mixed,
        WildtoolMistake.REFUSAL: counts.clarify,
    }
    # Its first round counts: some steps of serial and mixed tasks are done, unlike the parallel agent's.
    assert 0 < (summary.accomplished_progress or 0) < 1


@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_is_worth_the_same_however_it_is_asked(agent: str, played: Played) -> None:
    usual = played(agent, SAMPLES)
    prompted = played(agent, SAMPLES, protocol=Protocol.C2, tools=ToolMode.PROMPT)
    assert prompted.protocol is Protocol.C2
    assert [task.label for task in prompted.tasks] == [task.label for task in usual.tasks]
    assert [task.error for task in prompted.tasks] == [task.error for task in usual.tasks]


def test_the_pictures_show_each_weakness(played: Played) -> None:
    cards = [(agent, played(agent, SAMPLES)) for agent in AGENTS]
    (axes,) = orchestration_figure(cards).axes
    heights = [round(bar.get_height(), 1) for bar in axes.patches if isinstance(bar, Rectangle)]
    # Accuracy over 24 tasks, shortest over 18, progress; drawn run by run, zero as a foot of 1.2.
    shown = {agent: tuple(heights[3 * i : 3 * i + 2]) for i, agent in enumerate(AGENTS)}
    assert shown == {
        "perfect": (100.0, 100.0),
        "serial-only": (100.0, 1.2),
        "parallel-happy": (50.0, 66.7),
        "asks-too-much": (1.2, 1.2),
        "hallucinates": (1.2, 1.2),
        "stops-early": (50.0, 66.7),
    }
    (errors,) = error_figure(cards).axes
    pieces = [bar for bar in errors.patches if isinstance(bar, Rectangle)]
    widths: dict[int, list[float]] = {}
    for piece in pieces:
        widths.setdefault(round(piece.get_y() + piece.get_height() / 2), []).append(
            round(piece.get_width(), 1)
        )
    # Rows from the top: two agents without a failure; 6 and 12 of 18; all; all; 6 and 12 of 18.
    assert widths == {2: [33.3, 66.7], 3: [100.0], 4: [100.0], 5: [33.3, 66.7]}
