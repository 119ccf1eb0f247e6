"""The parts that can be left out, each joined here and nowhere else; nothing of Qt is imported yet."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scoring.texts import tr

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtWidgets import QWidget

    from annotator.generation.records import GenerationState
    from annotator.project.workspace import Workspace
    from ui.desk.model_actions import ModelAction
    from ui.shell.navigation import PageContext, PageKind


@dataclass(frozen=True)
class Offer:
    """Words above the first page that offer two others to whom they suit.

    Attributes:
        page_ids: The pages.
        title: Who is spoken to.
        words: What the pages are for.
        accept: The words of the button that leads to each.
        suits: Whether they suit the person of the workspace.
    """

    page_ids: tuple[str, str]
    title: str
    words: str
    accept: tuple[str, str]
    suits: "Callable[[Workspace], bool]"


@dataclass(frozen=True)
class Extension:
    """What a part adds to the program.

    Attributes:
        commands: The module with its commands; empty for none.
        section: The heading of the help they stand under.
        page: Gives its page.
        page_above: The page that stands below it on the rail; empty for the end of the rail.
        tour: Gives a page without a place on the rail, which a command shows.
        offer: Offers pages.
        run_view: The title of a tab on the Runs page, and what makes it.
        coverage_view: The title of a tab on the Coverage page, and what makes it.
        case_action: Gives what it lets a model make for the open case.
        fill_coverage: Has cases made that fill what the coverage lacks.
        fill_sample: Gives a batch of the sample project and what fills it with the cases that are missing.
        rooms: What its pages rest on and takes long to import.
    """

    commands: str = ""
    section: str = ""
    page: "Callable[[], PageKind] | None" = None
    page_above: str = ""
    tour: "Callable[[], PageKind] | None" = None
    offer: Offer | None = None
    run_view: "tuple[str, Callable[[PageContext], QWidget]] | None" = None
    coverage_view: "tuple[str, Callable[[PageContext], QWidget]] | None" = None
    case_action: "Callable[[], ModelAction] | None" = None
    fill_coverage: "Callable[[PageContext], None] | None" = None
    fill_sample: "Callable[[], tuple[str, Callable[..., GenerationState]]] | None" = None
    rooms: tuple[str, ...] = ()


def _teval_view(context: "PageContext") -> "QWidget":
    from ui.teval.view import TevalView

    return TevalView(
        context.operations, context.commands, context.preferences, case_wanted=context.ways.open_case
    )


def _generate_page() -> "PageKind":
    from ui.shell.navigation import PageKind

    def make(context: "PageContext") -> "QWidget":
        from ui.generate.page import GeneratePage

        return GeneratePage(context.operations, context.commands, case_wanted=context.ways.open_case)

    return PageKind("generate", tr("Generate"), "sparkle", make)


def _next_task() -> "ModelAction":
    from ui.generate.next_task import NEXT_TASK

    return NEXT_TASK


def _target_view(context: "PageContext") -> "QWidget":
    from ui.generate.target_view import TargetView

    return TargetView(context.operations)


def _generate_missing(context: "PageContext") -> None:
    from ui.generate.page import GeneratePage

    page = context.ways.show_page("generate")
    assert isinstance(page, GeneratePage)
    page.ask_missing()


def _sample_generator() -> "tuple[str, Callable[..., GenerationState]]":
    from annotator.generation.sample_run import BATCH, generate_sample

    return BATCH, generate_sample


def _training_page() -> "PageKind":
    from ui.shell.navigation import PageKind

    def make(context: "PageContext") -> "QWidget":
        from ui.training.page import TrainingPage

        return TrainingPage(context.operations, context.commands, context.preferences)

    return PageKind(
        "training", tr("Training"), "graduation-cap", make, keys="Ctrl+Shift+T", is_of_annotators=True
    )


def _tour_page() -> "PageKind":
    from ui.shell.navigation import PageKind

    def make(context: "PageContext") -> "QWidget":
        from ui.training.tour import TourPage

        return TourPage(context.operations, context.preferences)

    return PageKind("tour", tr("Tour of one case"), "graduation-cap", make)


def _is_new_here(workspace: "Workspace") -> bool:
    from annotator.training.progress import offers_training

    return offers_training(workspace)


_TEVAL = Extension(
    commands="ui.cli.teval", section=tr("Releases and scores"), run_view=(tr("T-Eval"), _teval_view)
)
_GENERATION = Extension(
    commands="ui.cli.generation",
    section=tr("Cases"),
    page=_generate_page,
    page_above="team",
    coverage_view=(tr("Targets"), _target_view),
    case_action=_next_task,
    fill_coverage=_generate_missing,
    fill_sample=_sample_generator,
    rooms=("annotator.generation.run_loop",),
)
_TRAINING = Extension(
    page=_training_page,
    tour=_tour_page,
    offer=Offer(
        ("tour", "training"),
        tr("New here?"),
        tr("The tour shows one case in a minute; eight short cases then teach what to look for."),
        (tr("Take the tour"), tr("Start training")),
        _is_new_here,
    ),
    rooms=("annotator.training.feedback",),
)

EXTENSIONS: tuple[Extension, ...] = (
    _TEVAL,
    _GENERATION,
    _TRAINING,
)
