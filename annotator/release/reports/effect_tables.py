"""The table of effects, and which runs differ in one thing only: thinking, interface, or size."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence

from annotator.release.reports.challenge_tables import HistoryPairs
from annotator.release.reports.run_groups import Cards
from annotator.release.reports.score_figures import ModelRobustness
from annotator.release.reports.score_tables import (
    Mean,
    ScoreTable,
    figure_table,
    shown,
)
from scoring.groups import grouped
from scoring.measures.catalogue import NOTHING, Direction, Form
from scoring.measures.effects import (
    PAIRED_RATES,
    Contrast,
    Effect,
    effects,
    paired_arms,
    size_arms,
    slice_contrasts,
)
from scoring.measures.intervals import RESAMPLES
from scoring.measures.rates import Figure, Number, Rate, rate
from scoring.model.taxonomy import Thinking, ToolMode
from scoring.model_card import ModelCard
from scoring.scorecard import Scorecard
from scoring.wording import counted, half_up, written_interval

Pair = tuple[tuple[str, Scorecard], tuple[str, Scorecard]]
"""Two runs that differ in one thing."""

_COLUMNS = (
    "effect",
    "points",
    "95 % interval",
    "models",
    "above 0",
    "lowest to highest",
    "dialogues",
    "tasks",
    "p",
    "p (Holm)",
    "printed",
)
_NOTES = (
    "Each effect is a contrast within the same dialogues, its mean over models in percentage points; "
    f"intervals and p are by {RESAMPLES:,} resamples of whole dialogues, the same for all models.",
    f"p is two-sided, at least {2 / (RESAMPLES + 1):.3f}; p (Holm) is corrected for the whole table. "
    "Printed values are of other data and stand for comparison.",
)
_TOKENS = "A scorecard keeps the tokens of all tasks together: their difference has no interval and no p."
_SLOPE = (
    "The slope of DDD over policy switches is by least squares over its defined values, at least two; as "
    "resamples define others, it has no interval and no p."
)
_FIRST_TOKEN = "seconds to the first token"
_STREAMED = (
    "Seconds to the first token are from a task's request to the first token of its first reply, mean over "
    "the tasks whose reply came as a stream; where these are not all tasks, their number stands beside."
)
_UNSETTLED = (
    "Switching unsettles a model whose DDD never falls with policy switches and ends higher than it began; "
    "an undefined DDD is passed over, and a model with fewer than two others does not count."
)


def thinking_pairs(cards: Cards) -> list[Pair]:
    """Runs of one family and size without and with thinking, the fast one first.

    Where no size is known, one model in both modes. Of several the one under the same setting is taken.
    """
    return _pairs(
        cards,
        lambda card: (
            card.family
            and (card.maker, card.family, card.size or card.model, card.active_size, card.interface)
        ),
        lambda card: None if card.thinking is None else card.thinking is Thinking.OFF,
    )


def _pairs(
    cards: Cards, key: Callable[[ModelCard], Hashable], is_first: Callable[[ModelCard], bool | None]
) -> list[Pair]:
    """Each run of the second kind with one of the first that has the same key; nothing for an empty key.

    Of several firsts it is the one that differs least, also in how many tasks have a prediction, repetitions
    one after another.
    """
    known = [(run, card) for run in cards if (card := run[1].known_card) and key(card)]
    sides = grouped(((key(card), is_first(card)), run) for run, card in known)
    return [
        min(
            ((first, run) for first in (*firsts[place:], *firsts[:place])),
            key=lambda pair: len(_differing(pair)),
        )
        for (one, side), runs in sides.items()
        if side is False and (firsts := sides.get((one, True)))
        for place, run in enumerate(runs)
    ]


def _differing(pair: Pair) -> list[str]:
    """What differs in how two runs were asked, e.g. `temperature 0 and temperature 0.6`, or in how far."""
    cards = [card.known_card for _, card in pair]
    words = [
        " against ".join((card and card.words(name)) or f"{name.replace('_', ' ')} unknown" for card in cards)
        for name in ("temperature", "max_tokens")
        if len({getattr(card, name, None) for card in cards}) > 1
    ]
    answered = [{(task.case, task.task) for task in card.tasks if task.is_answered} for _, card in pair]
    if answered[0] != answered[1]:
        one, other = (counted(len(tasks), "task") for tasks in answered)
        both = len(answered[0] & answered[1])
        words.append(f"{one} against {other} with a prediction and {both:,} with one in both")
    return words


def _unequal_note(title: str, pairs: Sequence[Pair]) -> list[str]:
    """Which pairs differ in more than they are compared by; nothing where none does."""
    found = [
        f"the pair of {first} and {second}: {'; '.join(words)}"
        for pair in pairs
        if (words := _differing(pair))
        for (first, _), (second, _) in [pair]
    ]
    of = counted(len(pairs), "pair")
    return (
        [f"Of {of} of “{title}” {len(found):,} also differ in settings or tasks: {' · '.join(found)}."]
        if found
        else []
    )


def size_series(cards: Cards) -> dict[str, list[tuple[float, str, Scorecard]]]:
    """Runs of one family in two sizes or more, the small ones first: size in billions, name, scorecard."""

    def words(card: ModelCard) -> str:
        thinking = card.thinking and f"thinking {card.thinking}"
        differs = len({one.interface for _, one in known}) > 1
        maker = card.maker if len({one.maker for _, one in known if one.family == card.family}) > 1 else None
        return ", ".join(filter(None, (maker, card.family, thinking, card.interface if differs else None)))

    known = [(run, card) for run in cards if (card := run[1].known_card) and card.family and card.size]
    return {
        name: sorted(runs, key=lambda run: run[0])
        for name, runs in grouped((words(card), (card.size or 0.0, *run)) for run, card in known).items()
        if len({size for size, _, _ in runs}) > 1
    }


def effect_table(cards: Cards) -> ScoreTable:
    """What dependencies, hidden information, tasks, switches, thinking, interface and size cost in points.

    Args:
        cards: Runs that may stand together.
    """
    samples = {name: card.sample for name, card in cards}
    pairs = (
        (
            "Thinking: on − off",
            [(slow, fast) for fast, slow in thinking_pairs(cards)],
            "no two runs of one family and size, with thinking and without",
        ),
        (
            "Interface: native calls − prompt protocol",
            _pairs(
                cards,
                lambda card: (card.model, card.thinking),
                lambda card: None if card.interface is None else card.interface is ToolMode.NATIVE,
            ),
            "no two runs of one model under both interfaces",
        ),
    )
    found = [
        *slice_contrasts(samples),
        *(_paired(title, sides, why_none, by) for title, sides, why_none in pairs for by in PAIRED_RATES),
        Contrast(
            "Size: one doubling within a family",
            {
                words: size_arms([(size, samples[name]) for size, name, _ in runs])
                for words, runs in size_series(cards).items()
            },
            why_none="no family in two known sizes",
        ),
    ]
    sessions = [task.case for _, card in cards for task in card.tasks]
    tokens = [row for title, sides, _ in pairs if (row := _token_row(title, sides))]
    unequal = (note for title, sides, _ in pairs for note in _unequal_note(title, sides))
    return _table(
        "Effects in points",
        effects(found, sessions),
        more=dict.fromkeys(tokens),
        notes=(*([_TOKENS] if tokens else []), *unequal),
    )


def _paired(title: str, pairs: Sequence[Pair], why_none: str, by: str) -> Contrast:
    models = {
        f"{first} and {second}": paired_arms(one.sample, other.sample, by=by)
        for (first, one), (second, other) in pairs
    }
    return Contrast(title if by == "accuracy" else f"{title}, {by}", models, why_none=why_none)


def _token_row(title: str, pairs: Sequence[Pair]) -> tuple[str, ...] | None:
    """How many more tokens the first run of each pair writes for a task; None where no pair says."""
    found = [
        (one, other)
        for (_, first), (_, second) in pairs
        if (one := tokens_of_task(first)) is not None and (other := tokens_of_task(second)) is not None
    ]
    if not found:
        return None
    return _bare_row(
        ", ".join((title, "tokens written for a task")),
        [one - other for one, other in found],
        form="+,.1f",
        unit="{value} tokens",
        printed="C3-Bench 492.6 in one pair" if title.startswith("Thinking") else NOTHING,
    )


def _bare_row(
    title: str, own: Sequence[float], *, unit: str, form: str = "+.2f", printed: str = NOTHING
) -> tuple[str, ...]:
    """An effect without interval and p: the mean of what it is in each model or pair."""
    mean = unit.format(value=_signed(sum(own) / len(own), form))
    return (title, mean, NOTHING, *_spread(own, form), *[NOTHING] * 4, printed)


def cost_tables(cards: Cards) -> list[ScoreTable]:
    """What a task costs in dollars, by the prices on the cards, and in seconds; none where nobody says."""
    table = figure_table(
        "Dollars and seconds per task",
        cards,
        _cost,
        form=Form.VARIANCE,
        directions=dict.fromkeys(("dollars", "seconds", _FIRST_TOKEN), Direction.LOWER),
    )
    if _FIRST_TOKEN in table.columns:
        table = table.model_copy(update={"notes": (_STREAMED,)})
    return [table] if len(table.columns) > 1 else []


def _cost(card: Scorecard) -> dict[str, Figure]:
    found = {"dollars": dollars_of_task(card), "seconds": card.summary.seconds_per_task}
    known: dict[str, Figure] = {
        name: Number(value=one, of=card.summary.predictions) for name, one in found.items() if one is not None
    }
    first = card.summary.first_token
    if first is not None:
        known[_FIRST_TOKEN] = Mean(value=first.value, of=first.of, among=card.summary.predictions)
    return known


def dollars_of_task(card: Scorecard) -> float | None:
    """Dollars for the tokens of a task; None where prices or tokens are not known."""
    known = card.model_card
    return known.dollars(tokens_of_task(card, "read"), tokens_of_task(card)) if known else None


def tokens_of_task(card: Scorecard, which: str = "written") -> float | None:
    """Tokens read or written for a task, mean over the tasks whose replies say; None where none does."""
    found = card.summary.measures.get("tokens_per_task", {}).get(which)
    return found.value if found else None


def history_effect_table(pairs: HistoryPairs, models: Sequence[ModelRobustness]) -> ScoreTable:
    """What the full process costs, what thinking changes in DDD, and how many models switching unsettles.

    Args:
        pairs: Models that were run both ways, under one set of rules.
        models: How steady these are.
    """
    arms = {name: paired_arms(ua.sample, upta.sample, since=1) for name, ua, upta in pairs}
    title = "History: requests and answers only − full process, first tasks left out"
    sessions = [task.case for _, ua, _ in pairs for task in ua.tasks]
    decided = [sensitive for one in models if (sensitive := one.table.is_sensitive) is not None]
    unsettled = rate(sum(decided), len(decided))
    share = (
        "Models that switching unsettles (%)",
        f"{shown(unsettled)} of models" if decided else "undefined: no model has two DDD",
        *[NOTHING] * (len(_COLUMNS) - 3),
        "C3-Bench 68 %",
    )
    slopes = {one.name: slope for one in models if (slope := one.table.descent_slope) is not None}
    both = thinking_pairs([(name, upta) for name, _, upta in pairs])
    own = [slopes[slow] - slopes[fast] for (fast, _), (slow, _) in both if {fast, slow} <= slopes.keys()]
    steeper = [_bare_row("Thinking: on − off, slope of DDD", own, unit="{value} a switch")] if own else []
    return _table(
        "Effects of the history shown",
        effects([Contrast(title, arms)], sessions),
        more={**dict.fromkeys(steeper), share: unsettled},
        notes=[*([_SLOPE] if own else []), *_unequal_note("Thinking: on − off", both), _UNSETTLED],
    )


def _table(
    title: str, found: Sequence[Effect], *, more: Mapping[tuple[str, ...], Rate | None], notes: Sequence[str]
) -> ScoreTable:
    """The table of some effects, further rows of texts below them."""
    known = (*(Number(value=one.value, of=len(one.by_model)) for one in found), *more.values())
    return ScoreTable(
        title=title,
        columns=_COLUMNS,
        rows=(*map(_row, found), *more),
        figures=tuple((one, *[None] * (len(_COLUMNS) - 2)) for one in known),
        notes=(*_NOTES, *notes),
    )


def effect_numbers(tables: Sequence[ScoreTable]) -> Iterator[tuple[str, dict[str, str]]]:
    """What a text says of each effect that is defined: by name it, its bounds, models and p-values."""
    for table in (table for table in tables if table.columns[1:] == _COLUMNS[1:]):
        for title, points, interval, models, *_, p_value, corrected, _ in table.rows:
            if not points.startswith("undefined"):
                low, _, high = interval.partition(" to ")
                said = {
                    "": points.split(" ")[0],
                    "From": low,
                    "To": high,
                    "Models": models,
                    "P": p_value,
                    "P Holm": corrected,
                }
                words = table.title.partition(" · ")[2]
                yield (
                    f"Effect {title} {words}",
                    {name: text for name, text in said.items() if text not in ("", NOTHING)},
                )


def _row(one: Effect) -> tuple[str, ...]:
    if one.value is None:
        return (
            one.title,
            f"undefined: {one.undefined}",
            *[NOTHING] * (len(_COLUMNS) - 3),
            one.printed or NOTHING,
        )
    return (
        one.title,
        _signed(100 * one.value),
        written_interval(100 * one.interval.low, 100 * one.interval.high, form="+.1f")
        if one.interval
        else NOTHING,
        *_spread([100 * value for value in one.by_model.values()]),
        f"{one.sessions:,}",
        f"{one.tasks:,}",
        NOTHING if one.p_value is None else f"{one.p_value:.3f}",
        NOTHING if one.holm is None else f"{one.holm:.3f}",
        one.printed or NOTHING,
    )


def _spread(own: Sequence[float], form: str = "+.2f") -> tuple[str, str, str]:
    """How many models there are, in how many the effect is above 0, and its least and largest."""
    return (
        str(len(own)),
        f"{sum(value > 0 for value in own)}/{len(own)}",
        written_interval(min(own), max(own), form=form),
    )


def _signed(value: float, form: str = "+.2f") -> str:
    return f"{half_up(value):{form}}".replace("-", "−")
