"""The scorecard of a run (contracts 3): what `scorecard.json` holds, and hashes of what was scored."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal

from pydantic import Field

from scoring.agreement.preferences import WinRate
from scoring.generics import T
from scoring.groups import collected, grouped
from scoring.matching.task_scores import TaskScore
from scoring.measures.sample import ScoredSample
from scoring.measures.summary import Summary, summarise
from scoring.measures.suspects import model_of
from scoring.model.case import Case, content_sha256
from scoring.model.record import JsonObject, Record, is_none, to_text
from scoring.model.taxonomy import ArgumentProfile, InfraErrors, Protocol, Semantics, ToolMode, Undrawn
from scoring.model_card import ModelCard
from scoring.predictions import Ignored

SCORER_VERSION = "1.2"
"""Raised whenever a score could come out otherwise than before."""

ArgumentRules = ArgumentProfile | Literal["auto"]
"""A profile for all cases, or `auto`: c3 for cases that came from a c3 file, else wtb (scoring 4.4)."""


_BASIS_WORDS = {
    "semantics": "semantics {value}",
    "arguments": "argument rules {value}",
    "protocol": "protocol {value}",
    "cases_sha256": "set of cases {value:.12}",
    "infra_errors": "failures outside the model {value}",
    "undrawn": "undrawn tasks {value}",
    "scorer_version": "scorer {value}",
}


class Basis(Record):
    """What the figures of a run rest on.

    Only runs with one basis are averaged, ranked, marked as best or tested together (scoring 11).
    """

    semantics: Semantics
    arguments: ArgumentRules
    protocol: Protocol
    cases_sha256: str
    infra_errors: InfraErrors
    undrawn: Undrawn | None
    scorer_version: str = "unknown"

    def words(self, name: str) -> str:
        """One entry in words, e.g. `protocol c2`."""
        value = getattr(self, name)
        said = _BASIS_WORDS[name].format(value=getattr(value, "words", value))
        return "no undrawn tasks known" if value is None else said


def apart(bases: Iterable[Basis]) -> list[str]:
    """The entries in which some bases differ, in their order; empty for one basis."""
    every = set(bases)
    return [name for name in Basis.model_fields if len({getattr(basis, name) for basis in every}) > 1]


def comparable_groups(
    items: Iterable[tuple[Basis, T]], *, cases: Mapping[str, str] | None = None
) -> dict[str, list[T]]:
    """Put together what may stand together: the one rule of reports, leaderboard and comparison.

    Args:
        items: Runs, each with its basis.
        cases: What sets of cases are called, by hash; others by the beginning of their hash.

    Returns:
        The runs of each basis, in the order they come, under the words that tell it from the others:
        `semantics paper; protocol c2`. The words of a single group are empty.
    """
    groups = grouped(items)
    names = apart(groups)
    known = cases or {}
    return {
        "; ".join(known.get(getattr(basis, name)) or basis.words(name) for name in names): members
        for basis, members in groups.items()
    }


class Scorecard(Record):
    """The scores of one run against one set of cases.

    `tasks` has every task that can be scored, in the order of the cases; `ignored` everything that did
    not count and why. Each task says which argument profile judged it. `name` is what the run is called,
    `setting` what the model was asked under as its predictions say; both are empty in older scorecards.
    `model_card` is what is known of the model, None where nobody said; `win_rate` how a judge model prefers
    the run to a baseline, None where none was asked.
    """

    semantics: Semantics
    arguments: ArgumentRules
    protocol: Protocol
    cases_sha256: str
    predictions_sha256: str
    scorer_version: str
    name: str = ""
    setting: JsonObject = Field(default_factory=dict)
    model_card: ModelCard | None = None
    win_rate: WinRate | None = Field(default=None, exclude_if=is_none)
    summary: Summary
    ignored: tuple[Ignored, ...]
    tasks: tuple[TaskScore, ...]

    @property
    def basis(self) -> Basis:
        """What its figures rest on."""
        own = {name: getattr(self, name) for name in Basis.model_fields if name in Scorecard.model_fields}
        summary = self.summary
        return Basis(**own, infra_errors=summary.infra_errors_count, undrawn=summary.undrawn.matched)

    @property
    def model(self) -> str:
        """The model: as the predictions say, else by the name of the run; empty where neither is known."""
        said = self.setting.get("model")
        return said if isinstance(said, str) else model_of(self.name)

    @property
    def known_card(self) -> ModelCard | None:
        """The model's card, else one with what the setting says; None where no card can have its name."""
        card = self.model_card or ModelCard.readable({"model": self.model})
        return card and card.under(self.setting)

    @property
    def sample(self) -> ScoredSample:
        """The tasks as they are measured: failures outside the model as the summary counts them."""
        return ScoredSample(
            self.tasks, leaves_out_infra=self.summary.infra_errors_count is InfraErrors.LEFT_OUT
        )

    def counting(self, infra_errors: InfraErrors) -> "Scorecard":
        """The scorecard with failures outside the model counted in one way.

        One that is older than the choice is measured again, as far as its tasks say.
        """
        summary = self.summary.counting(infra_errors)
        if summary.infra_errors and summary.infra_errors_count is not infra_errors:
            sample = ScoredSample(self.tasks, leaves_out_infra=infra_errors is InfraErrors.LEFT_OUT)
            summary = summarise(sample, ignored=summary.ignored, replies=summary.replies)
        return self.model_copy(update={"summary": summary})


def setting_words(setting: JsonObject) -> tuple[str, ...]:
    """What is unusual in a setting, beside model and protocol: `("tools prompt", "temperature 0.7")`."""
    flat = dict(
        pair
        for key, value in setting.items()
        for pair in (value.items() if isinstance(value, dict) else [(key, value)])
    )
    return tuple(
        f"{key.replace('_', ' ')} {to_text(value)}"
        for key, value in flat.items()
        if key not in ("model", "protocol") and (key, value) != ("tools", ToolMode.NATIVE)
    )


@collected
def why_not_paired(ua: Scorecard, upta: Scorecard) -> Iterator[str]:
    """Why two runs say nothing about volatility (VF) and descent (DDD) together (scoring 5.6, 11).

    They do where one model answered under one setting, once after requests and answers only (`c2`) and once
    after the full process, and both were scored under the same rules.

    Returns:
        The reasons, those about the model first; empty for a pair.
    """
    if not ua.model or not upta.model:
        yield "a model is not named"
    elif ua.model != upta.model:
        yield f"models {ua.model} and {upta.model}"
    settings = [", ".join(setting_words(card.setting)) or "nothing unusual" for card in (ua, upta)]
    if settings[0] != settings[1]:
        yield f"settings {' against '.join(settings)}"
    if (ua.protocol is Protocol.C2) is (upta.protocol is Protocol.C2):
        yield f"protocol {ua.protocol} against protocol {upta.protocol}, not c2 and another"
    bases = ua.basis, upta.basis
    yield from (
        " against ".join(basis.words(name) for basis in bases) for name in apart(bases) if name != "protocol"
    )


def dump_scorecard(card: Scorecard) -> JsonObject:
    """Write a scorecard as the object `scorecard.json` holds; the opposite of `load_scorecard`."""
    return card.model_dump(mode="json")


def load_scorecard(body: JsonObject) -> Scorecard:
    """Read a scorecard.

    Raises:
        pydantic.ValidationError: A field is missing, unknown or of the wrong type.
    """
    return Scorecard.model_validate(body)


def cases_sha256(cases: Iterable[Case]) -> str:
    """Hash of a set of cases: SHA-256 over the content hash of every case, one per line, in file order.

    The same cases give the same hash whatever format they were written in; another order gives another.
    Each line is the 64 hexadecimal digits of `content_sha256` and a line feed.
    """
    return joined_sha256(map(content_sha256, cases))


def joined_sha256(hashes: Iterable[str]) -> str:
    """SHA-256 over hashes in their order, each followed by a line feed."""
    return hashlib.sha256("".join(f"{one}\n" for one in hashes).encode()).hexdigest()


def predictions_sha256(hashes: Iterable[str]) -> str:
    """Hash of the predictions that counted: SHA-256 over their own hashes, sorted, one per line.

    Sorted, because a run may be split over files in any way.
    """
    return joined_sha256(sorted(hashes))
