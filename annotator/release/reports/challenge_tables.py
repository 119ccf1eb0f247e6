"""The Challenge tables of C3-Bench, how steady models are between them, and two runs compared."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from annotator.release.reports.run_groups import Cards, are_comparable, named
from annotator.release.reports.score_figures import ModelRobustness
from annotator.release.reports.score_tables import (
    ScoreTable,
    figure_table,
    shown,
)
from scoring.agreement.preferences import WinRate, consistency
from scoring.groups import grouped
from scoring.measures import catalogue
from scoring.measures.accuracy import accuracy_by_transitions
from scoring.measures.catalogue import NOTHING, TOTAL, Direction
from scoring.measures.comparison import PairedComparison, compare_runs
from scoring.measures.rates import Figure, Number, Rate, rate, share_of
from scoring.measures.robustness import Robustness, compare_histories
from scoring.measures.suspects import model_of
from scoring.model.taxonomy import Policy, Protocol, WildtoolMistake
from scoring.scorecard import Scorecard, comparable_groups, why_not_paired
from scoring.wording import half_up, written_interval

_FLIPS_SHOWN = 100
_SMALLEST_P = 0.001

NamedCard = tuple[str, Scorecard]


def challenge_tables(cards: Cards) -> tuple[ScoreTable, ...]:
    """The tables of Challenge 1 to 3 (scoring 3.7, C3-Bench); runs stand where their protocol belongs.

    Challenge 1 looks at tasks with several calls and Challenge 3 at all but first tasks, both after the
    full process; Challenge 2 at all but first tasks after requests and answers only. A challenge nobody
    ran has no table.
    """
    process = [(name, card) for name, card in cards if card.protocol is not Protocol.C2]
    challenges = (
        ("Challenge 1: tool dependencies", process, _dependencies),
        (
            "Challenge 2: hidden information",
            [(name, card) for name, card in cards if card.protocol is Protocol.C2],
            _hidden,
        ),
        ("Challenge 3: policy switching", process, _switching),
    )
    return tuple(figure_table(title, runs, figures) for title, runs, figures in challenges if runs)


def _dependencies(card: Scorecard) -> dict[str, Rate]:
    summary = card.summary
    accuracy, optimal, progress = summary.accuracy.by_policy, summary.optimal, summary.progress
    return {
        "parallel": accuracy["multi_parallel"],
        "serial": accuracy["multi_serial"],
        "mixed": accuracy["multi_mixed"],
        "all multi": accuracy["multi"],
        "OP parallel": optimal["multi_parallel"],
        "OP mixed": optimal["multi_mixed"],
        "OP": optimal["total"],
        "AP serial": progress["multi_serial"],
        "AP mixed": progress["multi_mixed"],
        "AP": progress["total"],
    }


def _hidden(card: Scorecard) -> dict[str, Rate]:
    found = card.summary.accuracy.by_information
    return {
        "overall": found["subsequent"],
        "omission": found["omission"],
        "reference": found["reference"],
        "long range": found["long_range"],
        "first tasks": found["first"],
    }


def _switching(card: Scorecard) -> dict[str, Rate]:
    accuracy = card.summary.accuracy
    lengths = {f"{count} tasks": one for count, one in accuracy.by_task_count.items() if int(count) > 1}
    later = accuracy_by_transitions(card.sample, has_first=False)
    return {
        "overall": accuracy.by_information["subsequent"],
        **lengths,
        **{f"PTF {count}": one for count, one in later.items()},
    }


HistoryPairs = Sequence[tuple[str, Scorecard, Scorecard]]
"""Models that were run both ways: the name, the run after requests and answers only, the other one."""


def model_robustness(pairs: HistoryPairs) -> tuple[ModelRobustness, ...]:
    """How steady each model is that was run both ways under one setting and the same rules (scoring 5.6)."""
    return tuple(
        ModelRobustness(
            name=name,
            table=compare_histories(ua.sample, upta.sample),
            accuracy=upta.summary.subsequent_accuracy,
            kind=upta.model_card.kind if upta.model_card else None,
        )
        for name, ua, upta in pairs
    )


def history_groups(cards: Cards) -> dict[str, list[tuple[str, Scorecard, Scorecard]]]:
    """The pairs of each set of rules, in the order of their runs after the full process (scoring 11.2)."""
    pairs = [(ua, upta) for (_, ua), (_, upta), reasons in _nearest(cards) if not reasons]
    models = named([upta.model_copy(update={"name": model_of(upta.name)}) for _, upta in pairs])
    return comparable_groups(
        (upta.basis, (name, ua, upta)) for (name, _), (ua, upta) in zip(models, pairs, strict=True)
    )


def _nearest(cards: Cards) -> list[tuple[NamedCard, NamedCard, tuple[str, ...]]]:
    """For each run the one under the other history that is nearest to being its pair, and why it is none.

    Runs after the full process come first, repetitions one after another, those with fewer tasks without a
    prediction before the others; a run that stands there already has no place of its own.
    """
    process = [run for run in cards if run[1].protocol is not Protocol.C2]
    visible = [run for run in cards if run[1].protocol is Protocol.C2]
    pairs = [(ua, upta, why_not_paired(ua[1], upta[1])) for upta in process for ua in visible]
    nearest: list[tuple[NamedCard, NamedCard, tuple[str, ...]]] = []
    for run in (*process, *visible):
        own = [pair for pair in pairs if run is pair[0] or run is pair[1]]
        if own and not any(run is ua for ua, _, _ in nearest):
            nearest.append(
                min(
                    own,
                    key=lambda pair: (
                        len(pair[2]),
                        sum(card.summary.missing for _, card in pair[:2]),
                        sum(pair[0] is ua for ua, _, _ in nearest),
                    ),
                )
            )
    return nearest


def unpaired_table(cards: Cards) -> ScoreTable:
    """Why runs under different histories say nothing about volatility and descent together."""
    return ScoreTable(
        title="Not paired for VF and DDD: both need one model, one setting and the same rules",
        columns=("run", "not paired for VF and DDD with", "differs in"),
        rows=tuple(
            (after, before, "; ".join(reasons))
            for (before, _), (after, _), reasons in _nearest(cards)
            if reasons
        ),
    )


def robustness_table(models: Sequence[ModelRobustness]) -> ScoreTable:
    """Counts of pairs, VF, Acc2 and DDD of every model, overall and by policy transitions (scoring 5.6).

    First tasks stand beside and count in no other row.
    """
    columns = (
        "model",
        "PTF",
        "right in both",
        "lost",
        "won",
        "wrong in both",
        "VF",
        "Acc2",
        "DDD",
        "sensitive",
    )
    rows = []
    for model in models:
        sensitive = {True: "yes", False: "no", None: NOTHING}[model.table.is_sensitive]
        rows += [
            (model.name, "all", *_steadiness(model.table.overall), sensitive),
            *(
                (model.name, count, *_steadiness(found), "")
                for count, found in model.table.by_transitions.items()
            ),
            (model.name, "first tasks", *_steadiness(model.table.first), ""),
        ]
    return ScoreTable(title="Challenge 2 against Challenge 3", columns=columns, rows=tuple(rows))


def _steadiness(found: Robustness) -> tuple[str, ...]:
    counts = (found.right_right, found.right_wrong, found.wrong_right, found.wrong_wrong)
    pairs = sum(counts)
    return (
        *map(str, counts),
        rate(found.right_wrong + found.wrong_right, pairs).percent or NOTHING,
        rate(found.right_right, pairs).percent or NOTHING,
        f"undefined: {found.undefined}" if found.descent is None else f"{half_up(found.descent):.2f}",
    )


def habit_tables(cards: Cards) -> tuple[ScoreTable, ...]:
    """How models err: cautious against eager, and by what the task before asked for (WT-T4).

    A cautious model refuses where calls are due, an eager one calls with wrong names or without asking. A
    habit shows where a task goes wrong more often after one that asked for calls, or for parallel ones.
    """
    profile = figure_table(
        "Refusals and wrong names: cautious or eager",
        cards,
        _profile,
        directions=defaultdict(lambda: Direction.NEITHER),
    )
    before = figure_table(
        "Wrong tasks by what the task before asked for",
        cards,
        _by_previous,
        directions=defaultdict(lambda: Direction.LOWER),
    )
    return tuple(table for table in (profile, before) if len(table.columns) > 1)


def _profile(card: Scorecard) -> dict[str, Figure]:
    cautious, eager = (
        card.summary.errors[name] for name in (WildtoolMistake.REFUSAL, WildtoolMistake.WRONG_NAME)
    )
    lead = None if cautious.value is None or eager.value is None else cautious.value - eager.value
    return {
        "refusals (cautious)": cautious,
        "wrong names, missing information (eager)": eager,
        "cautious − eager, points": Number(value=lead, of=cautious.total),
    }


def _by_previous(card: Scorecard) -> dict[str, Rate]:
    pairs = [
        (before.shape, task)
        for session in card.sample.sessions
        for before, task in pairwise(session)
        if before.shape and task.task == before.task + 1 and card.sample.counts(task)
    ]
    silent = (Policy.CHAT, Policy.CLARIFY)
    groups = {
        "no call due first, after calls": [
            task for was, task in pairs if task.shape in silent and was not in silent
        ],
        "no call due first, after none": [
            task for was, task in pairs if task.shape in silent and was in silent
        ],
        "one call due, after parallel": [
            task for was, task in pairs if task.shape is Policy.SINGLE and was is Policy.MULTI_PARALLEL
        ],
        "one call due, after others": [
            task for was, task in pairs if task.shape is Policy.SINGLE and was is not Policy.MULTI_PARALLEL
        ],
    }
    return {name: share_of(tasks, lambda task: not task.is_correct) for name, tasks in groups.items()}


Wins = Sequence[tuple[str, WinRate]]
"""Names of runs and their win rates."""


def wins_of(cards: Cards) -> Wins:
    """The win rates that are known of some runs."""
    return [(name, card.win_rate) for name, card in cards if card.win_rate]


def win_groups(wins: Wins) -> dict[tuple[str, str], list[tuple[str, WinRate]]]:
    """The win rates against one baseline and by one judge model together."""
    return grouped(((one.baseline, one.judge), (name, one)) for name, one in wins)


def win_tables(wins: Wins) -> tuple[ScoreTable, ...]:
    """How often a judge model prefers each run to the baseline, beside its scores (T-Eval 2.2.3)."""
    return tuple(
        ScoreTable(
            title=f"Win rates against {baseline}, by {judge}",
            columns=_WIN_COLUMNS,
            rows=tuple(_win_row(*pair) for pair in pairs),
            figures=tuple((one.win_rate, *[None] * (len(_WIN_COLUMNS) - 2)) for _, one in pairs),
            directions=(Direction.HIGHER, *[Direction.NEITHER] * (len(_WIN_COLUMNS) - 2)),
            notes=(
                "tau: rank correlation of preference and difference in correctness, task by task "
                "(Kendall's tau-b).",
                *([f"Win rate and accuracy over the runs: tau {tau:.2f}."] if tau is not None else []),
            ),
        )
        for (baseline, judge), pairs in win_groups(wins).items()
        for tau in [consistency([one for _, one in pairs])]
    )


_WIN_COLUMNS = (
    "run",
    "win rate %",
    "95 %",
    "won",
    "tied",
    "lost",
    "changed with the order",
    "no preference",
    "no reply",
    "right %",
    "baseline right %",
    "tau",
)


def _win_row(name: str, one: WinRate) -> tuple[str, ...]:
    bounds = one.interval
    return (
        name,
        shown(one.win_rate),
        written_interval(100 * bounds.low, 100 * bounds.high) if bounds else NOTHING,
        *map(str, (one.won, one.tied, one.lost, one.swayed, one.unread, one.missing)),
        one.accuracy.percent or NOTHING,
        one.baseline_accuracy.percent or NOTHING,
        NOTHING if one.tau is None else f"{one.tau:.2f}".replace("-", "−"),
    )


def comparison_tables(cards: Cards) -> tuple[ScoreTable, ...]:
    """Two comparable runs, task by task; nothing for any other number of runs."""
    if len(cards) != 2 or not are_comparable(cards):
        return ()
    (first, one), (second, two) = cards
    paired = compare_runs(one.sample.counted, two.sample.counted)
    changes = ScoreTable(
        title=f"{second} against {first}",
        columns=("", "tasks"),
        rows=(
            ("right in both", str(paired.both_right)),
            (f"right only in {first}", str(paired.only_first)),
            (f"right only in {second}", str(paired.only_second)),
            ("wrong in both", str(paired.both_wrong)),
            ("without a prediction in one of them, excluded", str(paired.left_out)),
            ("difference in points (95 %)", _difference(paired)),
            ("p, exact permutation test over sessions", _probability(paired.p_value)),
            ("p, McNemar's exact test over tasks", _probability(paired.mcnemar)),
        ),
    )
    return (changes, difference_table(cards), *_flips(cards, paired))


def _probability(value: float) -> str:
    return f"{value:.3f}" if value >= _SMALLEST_P else f"below {_SMALLEST_P}"


def difference_table(cards: Cards) -> ScoreTable:
    """Every measure of two runs that is no detail, and by how much the second exceeds the first."""
    (first, base), (second, other) = cards
    rows = []
    for measure in catalogue.MEASURES:
        if measure.is_detail:
            continue
        before, after = base.summary.figures(measure), other.summary.figures(measure)
        for name in dict.fromkeys((*before, *after)):
            figures = before.get(name), after.get(name)
            label = measure.title if name == TOTAL else f"{measure.title}: {measure.label(name)}"
            texts = (shown(figure, form=measure.form) for figure in figures)
            rows.append((label, *texts, measure.difference(*figures)))
    return ScoreTable(
        title="Differences", columns=("measure", first, second, "difference"), rows=tuple(rows), is_down=True
    )


def _difference(paired: PairedComparison) -> str:
    if paired.difference is None:
        return NOTHING
    bounds = paired.interval
    text = f"{half_up(100 * paired.difference):+.2f}".replace("-", "−")
    if bounds is None:
        return text
    return f"{text} ({written_interval(100 * bounds.low, 100 * bounds.high, form='+.2f')})"


def _flips(cards: Cards, paired: PairedComparison) -> Iterator[ScoreTable]:
    if not paired.flips:
        return
    names = [name for name, _ in cards]
    details = [{(task.case, task.task): task.detail for task in card.tasks} for _, card in cards]
    rows = []
    for flip in paired.flips[:_FLIPS_SHOWN]:
        key = flip.case, flip.task
        wrong = 1 if flip.only_first else 0
        rows.append((flip.case, str(flip.task), names[1 - wrong], details[wrong].get(key) or NOTHING))
    more = len(paired.flips) - len(rows)
    rest = f", {more} more not shown" if more else ""
    yield ScoreTable(
        title=f"Flipped tasks ({len(paired.flips)}{rest})",
        columns=("case", "task", "right in", "what went wrong in the other"),
        rows=tuple(rows),
    )
