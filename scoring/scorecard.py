"""The scorecard of a run: what `scorecard.json` holds, and the hashes that say what was scored (cli.md)."""

import hashlib
from collections.abc import Iterable
from typing import Literal

from scoring.matching.task_scores import TaskScore
from scoring.measures.sample import Sample
from scoring.measures.summary import Summary, summarise
from scoring.model.case import Case, content_sha256
from scoring.model.record import JsonObject, Record
from scoring.model.taxonomy import ArgumentProfile, InfraErrors, Protocol, Semantics
from scoring.predictions import Ignored

SCORER_VERSION = "1.1"
"""Raised whenever a score could come out otherwise than before."""

ArgumentRules = ArgumentProfile | Literal["auto"]
"""A profile for all cases, or `auto`: c3 for cases that came from a c3 file, else wtb (scoring 4.4)."""


class Scorecard(Record):
    """The scores of one run against one set of cases.

    `tasks` has every task that can be scored, in the order of the cases; `ignored` everything that did
    not count and why. Each task says which argument profile judged it.
    """

    semantics: Semantics
    arguments: ArgumentRules
    protocol: Protocol
    cases_sha256: str
    predictions_sha256: str
    scorer_version: str
    summary: Summary
    ignored: tuple[Ignored, ...]
    tasks: tuple[TaskScore, ...]

    @property
    def sample(self) -> Sample:
        """The tasks as they are measured: failures outside the model as the summary counts them."""
        is_without = self.summary.infra_errors_count is InfraErrors.LEFT_OUT
        return Sample(self.tasks, leaves_out_infra=is_without)

    def counting(self, infra_errors: InfraErrors) -> "Scorecard":
        """The scorecard with failures outside the model counted in one way.

        One that is older than the choice is measured again, as far as its tasks say.
        """
        summary = self.summary.counting(infra_errors)
        if summary.infra_errors and summary.infra_errors_count is not infra_errors:
            sample = Sample(self.tasks, leaves_out_infra=infra_errors is InfraErrors.LEFT_OUT)
            summary = summarise(sample, ignored=summary.ignored, replies=summary.replies)
        return self.model_copy(update={"summary": summary})


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
    digest = hashlib.sha256()
    for one in hashes:
        digest.update(f"{one}\n".encode())
    return digest.hexdigest()


def predictions_sha256(hashes: Iterable[str]) -> str:
    """Hash of the predictions that counted: SHA-256 over their own hashes, sorted, one per line.

    Sorted, because a run may be split over files in any way.
    """
    return joined_sha256(sorted(hashes))
