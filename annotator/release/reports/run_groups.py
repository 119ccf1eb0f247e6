"""Which runs may stand together in a report, in which order, and what they are called there."""

from collections.abc import Sequence

from scoring.errors import InputError
from scoring.groups import grouped
from scoring.model.record import sha256_of
from scoring.model.taxonomy import Grouping
from scoring.model_card import group_of, group_words
from scoring.scorecard import Scorecard, apart, comparable_groups, setting_words
from scoring.wording import numbered

Cards = Sequence[tuple[str, Scorecard]]
"""Names and scorecards of runs, in printed order."""


def are_comparable(cards: Cards) -> bool:
    """Whether several runs rest on the same, so that a mean says something."""
    return len(cards) > 1 and len(comparable_groups((card.basis, card) for _, card in cards)) == 1


def named(cards: Sequence[Scorecard]) -> Cards:
    """Runs under their names; where two share one, with the rules that tell them apart, else numbered.

    What is said of a setting that all share is left out.
    """
    names = [card.name or f"unnamed run {card.predictions_sha256[:8]}" for card in cards]
    shared = set.intersection(*(set(setting_words(card.setting)) for card in cards)) if cards[1:] else set()
    names = [" · ".join(part for part in name.split(" · ") if part not in shared) or name for name in names]
    namesakes = grouped(zip(names, cards, strict=True))
    differing = {name: apart(one.basis for one in alike) for name, alike in namesakes.items()}
    told = [
        " · ".join((name, *map(card.basis.words, differing[name])))
        for name, card in zip(names, cards, strict=True)
    ]
    return list(zip(numbered(told), cards, strict=True))


def groups_apart(cards: Cards) -> dict[str, Cards]:
    """The runs that may stand together, under the words that tell them from the others.

    Where there are such words, names say no more than what is not in them.
    """
    groups = comparable_groups((card.basis, (name, card)) for name, card in cards)
    if len(groups) < 2:
        return dict(groups)
    return {
        words: named([card.model_copy(update={"name": card.name or name}) for name, card in members])
        for words, members in groups.items()
    }


def check_distinct(cards: Cards) -> None:
    """Check that no run is given twice: the same replies under one setting.

    Args:
        cards: Runs that may stand together.

    Raises:
        InputError: One is given twice; says under which names.
    """
    runs = grouped((sha256_of([card.predictions_sha256, card.setting]), name) for name, card in cards)
    for names in runs.values():
        if len(names) > 1:
            raise InputError(
                f"{' and '.join(names)} are one run: the same replies, scored by the same rules.",
                "Name it once.",
            )


def ordered_cards(cards: Cards, *, by: Sequence[Grouping] = (), order: str = "") -> dict[str, Cards]:
    """Runs in the groups of their models' cards, in each by a figure.

    Args:
        cards: Names and scorecards.
        by: What they are grouped by, the outermost first; nothing for one group without a name.
        order: A headline of the summary, the highest first, `name`, `size`, or empty for as they come.
    """

    def place(run: tuple[str, Scorecard]) -> tuple[bool, float | str]:
        name, card = run
        if order == "name":
            return False, name
        value = getattr(card.model_card, "size", None) if order == "size" else getattr(card.summary, order)
        return value is None, -(value or 0.0)

    runs = sorted(cards, key=place) if order else cards
    runs = sorted(runs, key=lambda run: group_of(run[1].model_card, by))
    return dict(grouped((group_words(card.model_card, by), (name, card)) for name, card in runs))
