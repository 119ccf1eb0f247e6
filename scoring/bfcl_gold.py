"""The case of a BFCL question made ready to be judged as BFCL judges it (scoring 4.6)."""

import re
from dataclasses import replace

from scoring.formats.benchmark.bfcl import KEY
from scoring.formats.benchmark.bfcl_writer import accepted_calls
from scoring.matching.gold import Gold, NotScorableError, gold_of
from scoring.model.case import Case
from scoring.model.record import members_in

_OTHER_LANGUAGE = re.compile(r"(^|_)java(script)?_")


def bfcl_gold(case: Case) -> Gold:
    """The one task of a case with the calls that BFCL accepts, as they are after review.

    Raises:
        NotScorableError: The case is not from BFCL, or of a category that is not judged here.
    """
    if KEY not in case.extras:
        raise NotScorableError("The case is not from a file of BFCL.", "Score it with --semantics paper.")
    if _OTHER_LANGUAGE.search(case.id):
        raise NotScorableError("BFCL judges Java and JavaScript by parsers of these languages.")
    if "involved_classes" in members_in(case.extras[KEY]) or len(case.tasks) > 1:
        raise NotScorableError("BFCL judges several turns by running its simulators.")
    gold = gold_of(case, 0)
    if gold.task.steps:
        return replace(gold, accepted_calls=tuple(accepted_calls(case)))
    if "relevance" not in case.id:
        raise NotScorableError("The task has no steps.", "Complete it first.")
    return replace(gold, accepted_calls=None)
