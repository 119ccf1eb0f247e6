"""A finished dialogue as a case: with the provenance of every field."""

from annotator.cases.coverage import GENERATION_KEY
from annotator.generation.dialogue import DialogueOrder, MadeDialogue
from annotator.generation.exchanges import Attempt, AttemptFailed
from annotator.generation.plan import GenerationPlan
from annotator.generation.records import AttemptFailure, GeneratedFrom
from scoring.errors import AnnotatorError, reworded
from scoring.formats.native import decode
from scoring.model.case import Case, Source, dump_case


def generated_case(
    made: MadeDialogue,
    *,
    run: int,
    plan: GenerationPlan,
    attempt: Attempt,
    order: DialogueOrder,
    wanted: tuple[str, ...],
) -> Case:
    """Build the case of a finished dialogue.

    Raises:
        AttemptFailed: It is no case.
    """
    toolset, scenario = order.toolset, order.steering.scenario
    origin = GeneratedFrom(
        run=plan.name,
        dialogue=attempt.dialogue,
        attempt=attempt.number,
        seed=attempt.seed,
        prompt_version=attempt.prompt_version,
        toolset=toolset.name,
        scenario=scenario.name if scenario else None,
        style=order.steering.style,
        wanted=wanted,
        patterns=made.patterns,
        fields=made.fields,
    )
    case = Case(
        id=f"gen-{run}-{attempt.dialogue + 1:04d}",
        language=made.language,
        now=made.now,
        tools=toolset.tools,
        tasks=made.tasks,
        source=Source(format="generated", file=plan.name, line=attempt.dialogue + 1),
        extras={GENERATION_KEY: origin.model_dump(mode="json")},
    )
    with reworded(AnnotatorError, into=lambda exc: AttemptFailed(AttemptFailure.UNFIT_CASE, exc.message)):
        return decode(dump_case(case), file=plan.name, line=attempt.dialogue + 1)


def origin_of(case: Case) -> GeneratedFrom | None:
    """How a case was made; None where it was not generated, or the reader may not know."""
    found = case.extras.get(GENERATION_KEY)
    return GeneratedFrom.model_validate(found) if isinstance(found, dict) else None
