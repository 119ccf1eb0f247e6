"""The cases of BFCL's questions made ready to be judged as BFCL judges it (scoring 4.6)."""

import re
from dataclasses import replace

from scoring.bfcl_simulators import are_simulators_installed
from scoring.formats.benchmark.bfcl import KEY
from scoring.formats.benchmark.bfcl_writer import accepted_calls, write
from scoring.matching.gold import Gold, NotScorableError, gold_of
from scoring.model.case import Case
from scoring.model.record import members_in

_OTHER_LANGUAGE = re.compile(r"(^|_)java(script)?_")


def bfcl_golds(case: Case) -> list[Gold]:
    """The tasks of a case with what BFCL accepts, as it is after review; of several turns each is one.

    Raises:
        NotScorableError: The case is not from BFCL, or of a category that is not judged here.
    """
    if KEY not in case.extras:
        raise NotScorableError("The case is not from a file of BFCL.", "Score it with --semantics paper.")
    if _OTHER_LANGUAGE.search(case.id):
        raise NotScorableError("BFCL judges Java and JavaScript by parsers of these languages.")
    golds = [gold_of(case, number) for number in range(len(case.tasks))]
    if "involved_classes" in members_in(case.extras[KEY]):
        if not are_simulators_installed():
            raise NotScorableError(
                "BFCL judges several turns by its simulators: `annotator bfcl setup` installs them."
            )
        question = write(case)
        return [replace(gold, simulated=question) for gold in golds]
    if len(golds) > 1:
        raise NotScorableError("BFCL judges several turns by its simulators, and the case names none.")
    [gold] = golds
    if gold.task.steps:
        return [replace(gold, accepted_calls=tuple(accepted_calls(case)))]
    if "relevance" not in case.id:
        raise NotScorableError("The task has no steps.", "Complete it first.")
    return [replace(gold, accepted_calls=None)]
