"""How good a run is: how varied, what of it survives review, and at what cost."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from annotator.cases.coverage import project_coverage
from annotator.generation.checks.diversity import Variety, variety_of
from annotator.generation.checks.replies import read_candidates
from annotator.generation.exchanges import exchange_from
from annotator.generation.generation_run import GenerationRun, dialogues_of, find_run, list_runs, state_of
from annotator.generation.plan import LANGUAGES, WANTED, Chooser, fits
from annotator.generation.roles import REQUESTS, AgentRole
from annotator.generation.traversal import drawn_information
from annotator.jobs import JobContext
from annotator.project.workspace import Workspace
from db.read import generations, queries
from scoring.groups import collected, grouped
from scoring.measures.accuracy import RELATIONS
from scoring.measures.coverage import LONGEST, Route
from scoring.measures.intervals import Interval, wilson_interval
from scoring.measures.rates import Rate, rate, share_of
from scoring.model.record import Record
from scoring.model.taxonomy import FINAL_STAGES, Stage

_MULTI = "multi"


class PickedRequest(Record):
    """A request a person picked: who had worded it and how, and how it is asked."""

    dialogue: int
    task: int
    model: str
    offered: str
    asked: str

    @property
    def is_reworded(self) -> bool:
        """Whether its words are others now; blanks, which a field may change, are no words."""
        return self.offered.split() != self.asked.split()


class Target(Record):
    """A share that a plan wanted, and what was made.

    Policies are of tasks, types of information of later tasks, languages and categories of dialogues.
    """

    word: str
    wanted: float
    made: Rate


class RunQuality(Record):
    """What came of one run.

    Attributes:
        run: Its number.
        name: Its name.
        models: Who played each role, e.g. `planner: m-1`.
        prompt_version: Version of the prompts.
        cases: Dialogues that became cases.
        final: Of these, cases that are final.
        rejected: Of these, cases that reviewers rejected.
        raw: Share of the final cases that are as they were generated: the `raw` point of the
            stage-accuracy curve for this generator.
        requests: Replies that were stored.
        dollars: What they cost; None without prices.
        tokens_per_final: Tokens for each final case; None before the first.
        dollars_per_final: Dollars for each final case; None without prices or before the first.
        picks: The requests that people picked; none where they pick nothing.
        reworded: Of these by model, the share that was worded anew.
        targets: The shares the plan wanted, with what was made.
    """

    run: int
    name: str
    models: tuple[str, ...]
    prompt_version: str
    cases: int
    final: int
    rejected: int
    raw: Rate
    requests: int
    dollars: float | None
    tokens_per_final: float | None
    dollars_per_final: float | None
    picks: tuple[PickedRequest, ...]
    reworded: dict[str, Rate]
    targets: tuple[Target, ...] = ()


class PromptsQuality(Record):
    """What came of all runs with one version of the prompts.

    Attributes:
        version: Of the prompts; a run in two languages has two, with a blank between them.
        runs: How many runs.
        cases: Dialogues that became cases.
        final: Of these, cases that are final.
        rejected: Of these, cases that reviewers rejected.
        survived: Share of the final cases in those that are final or rejected.
        interval: Of this share, at 95%; None where no case is either.
    """

    version: str
    runs: int
    cases: int
    final: int
    rejected: int
    survived: Rate
    interval: Interval | None


@collected
def prompts_qualities(workspace: Workspace) -> Iterator[PromptsQuality]:
    """What came of each version of the prompts, the one of the newest run first."""
    for version, runs in grouped((one.prompt_version, one) for one in run_qualities(workspace)).items():
        final, rejected = sum(one.final for one in runs), sum(one.rejected for one in runs)
        yield PromptsQuality(
            version=version,
            runs=len(runs),
            cases=sum(one.cases for one in runs),
            final=final,
            rejected=rejected,
            survived=rate(final, final + rejected),
            interval=wilson_interval(final, final + rejected),
        )


def run_variety(workspace: Workspace, run: int) -> Variety:
    """How different the first requests of a run's cases are."""
    ids = [row.case_id for row in dialogues_of(workspace, run) if row.case_id]
    heads = workspace.read(lambda tx: queries.find_cases(tx, ids))
    return variety_of(heads[case_id].request for case_id in ids if case_id in heads)


def run_qualities(workspace: Workspace) -> tuple[RunQuality, ...]:
    """What came of every run of the project, newest first."""
    return tuple(run_quality(workspace, row.id) for row in list_runs(workspace))


def run_quality(workspace: Workspace, run: int) -> RunQuality:
    """What came of one run.

    Raises:
        NotFoundError: There is no such run.
    """
    found, state = find_run(workspace, run), state_of(workspace, run)
    made = [row for row in dialogues_of(workspace, run) if row.case_id]
    heads = workspace.read(lambda tx: queries.find_cases(tx, [row.case_id for row in made if row.case_id]))
    final = [head for head in heads.values() if head.stage in FINAL_STAGES]
    tokens = state.prompt_tokens + state.completion_tokens
    picks = _picks(workspace, found) if found.plan.chooser is Chooser.PERSON else ()
    played = {role: sorted({one.model for one in found.plan.models[role]}) for role in AgentRole}
    return RunQuality(
        run=run,
        name=found.name,
        models=tuple(f"{role.value}: {', '.join(names)}" for role, names in played.items()),
        prompt_version=found.prompt_version,
        cases=len(heads),
        final=len(final),
        rejected=sum(head.stage is Stage.REJECTED for head in heads.values()),
        raw=rate(sum(head.imported_sha256 == head.sha256 for head in final), len(final)),
        requests=state.requests,
        dollars=state.dollars,
        tokens_per_final=tokens / len(final) if final else None,
        dollars_per_final=state.dollars / len(final) if final and state.dollars is not None else None,
        picks=picks,
        reworded={
            model: rate(sum(anew), len(anew))
            for model, anew in grouped((pick.model, pick.is_reworded) for pick in picks).items()
        },
        targets=_targets(found, state.sequences, [row.dialogue for row in made]),
    )


@collected
def _targets(run: GenerationRun, sequences: Mapping[str, int], dialogues: Sequence[int]) -> Iterator[Target]:
    """What came of the targets of a plan: the policies dialogues have, and what each was asked in."""
    drawn = drawn_information(run.plan)
    for words, labels in (
        (WANTED, [word for name, count in sequences.items() for word in name.split() * count]),
        (RELATIONS, [kind for dialogue in dialogues for kind in drawn.get(dialogue, {}).values()]),
        (LANGUAGES, [run.languages[dialogue] for dialogue in dialogues]),
        (run.plan.categories, [run.categories[dialogue] for dialogue in dialogues]),
    ):
        for word, wanted in run.plan.shares_of(words).items():
            made = share_of(labels, partial(fits, word))
            yield Target(word=word, wanted=wanted, made=made)


def _picks(workspace: Workspace, run: GenerationRun) -> tuple[PickedRequest, ...]:
    """The requests of a run that people picked, by dialogue and task."""
    exchanges = workspace.read(
        lambda tx: [
            exchange_from(row) for row in generations.requests_of(tx, run.number) if row.ask in REQUESTS
        ]
    )
    return tuple(
        PickedRequest(
            dialogue=one.dialogue,
            task=one.task,
            model=one.model,
            offered=read_candidates(one.reply)[one.verdict.chosen],
            asked=one.verdict.text,
        )
        for one in exchanges
        if one.verdict.chosen is not None and one.verdict.text is not None
    )


def prefix_counts(sequences: Mapping[str, int], before: Mapping[Route, int]) -> dict[Route, int]:
    """How many cases begin with each sequence: those of the project before, and those of the run."""
    counts = Counter(before)
    for name, count in sequences.items():
        # Every kind of multi is multi to the pyramid, and the fifth task is not counted.
        route = tuple(_MULTI if word.startswith(_MULTI) else word for word in name.split())[:LONGEST]
        counts.update({route[:length]: count for length in range(1, len(route) + 1)})
    return dict(counts)


def coverage_before(workspace: Workspace, *, run: int, context: JobContext) -> dict[Route, int]:
    """How many cases of the project begin with each sequence without those of a run; a job."""
    counts = project_coverage(workspace, context=context).coverage.cases
    own = prefix_counts(state_of(workspace, run).sequences, {})
    return {**counts, **{route: max(0, counts.get(route, 0) - count) for route, count in own.items()}}
