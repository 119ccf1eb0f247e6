"""Commands of review sessions: people settle cases together, votes first."""

from typing import TYPE_CHECKING, Annotated

import typer

from scoring.model.taxonomy import Stage, Verdict
from scoring.texts import tr
from ui.cli.command import CommandResult, Shape, command, group
from ui.cli.output import Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from annotator.project.workspace import Workspace

app = typer.Typer()
session_app = group(app, "session", "Review sessions: settle cases together.")
Number = Annotated[
    int | None, typer.Option("--session", help="Its number; else the open one you are in, or the newest.")
]
Choice = Annotated[int, typer.Argument(metavar="OPTION", help="Its number, as `show` lists them.")]
_SESSION: Shape = {"*": "annotator.review.sessions.state.ReviewSession", "options": [str]}


@command(
    session_app,
    "open",
    gives=_SESSION,
    example='annotator session open "Week 1" --batch week-1 -p team.db',
)
def session_open(
    workspace: "Workspace",
    title: Annotated[str, typer.Argument(metavar="TITLE")],
    batch: Annotated[str, typer.Option("--batch", help="Only cases of this batch.")] = "",
    stage: Annotated[
        Stage | None, typer.Option("--stage", help="escalated: disputes only; expert: samples only.")
    ] = None,
) -> CommandResult:
    """Open a review session on what waits for an expert, and lead it."""
    from annotator.review.sessions.steps import open_session

    return _shown(workspace, open_session(workspace, title, batch=batch, stage=stage).value)


@command(session_app, "join", gives=_SESSION, example="annotator session join --as ana -p team.db")
def session_join(
    workspace: "Workspace",
    number: Number = None,
    lead: Annotated[bool, typer.Option("--lead", help="Lead it from now on (experts, managers).")] = False,
) -> CommandResult:
    """Come into a session. With --lead take it over, as where the leader's window is gone."""
    from annotator.review.sessions.steps import join_session

    join_session(workspace, number, lead=lead)
    return _shown(workspace, number)


@command(session_app, "vote", gives=_SESSION, example="annotator session vote 2 --as ana -p team.db")
def session_vote(workspace: "Workspace", choice: Choice, number: Number = None) -> CommandResult:
    """Vote on the question that is up. Nobody else sees it before the leader reveals the votes."""
    from annotator.review.sessions.steps import vote

    vote(workspace, choice, number=number)
    return _shown(workspace, number)


@command(session_app, "reveal", gives=_SESSION, example="annotator session reveal --as eve -p team.db")
def session_reveal(workspace: "Workspace", number: Number = None) -> CommandResult:
    """Reveal the votes on the question that is up."""
    from annotator.review.sessions.steps import reveal_votes

    reveal_votes(workspace, number)
    return _shown(workspace, number)


@command(
    session_app,
    "decide",
    gives=_SESSION,
    example='annotator session decide 2 --note "it waits" -p team.db',
)
def session_decide(
    workspace: "Workspace",
    choice: Choice,
    note: Annotated[str, typer.Option("--note", help="What the discussion said.")] = "",
    entry: Annotated[str, typer.Option("--entry", help="A sentence proposed for the guidelines.")] = "",
    verdict: Annotated[
        Verdict | None, typer.Option("--verdict", help="Settle the case at once: approve, return, reject.")
    ] = None,
    number: Number = None,
) -> CommandResult:
    """Decide the question that is up. The last question of a case settles the case."""
    from annotator.review.sessions.steps import decide_question

    became = decide_question(workspace, choice, note=note, entry=entry, verdict=verdict, number=number).value
    told = [tr("The case is at stage {stage} now.", stage=became)] if became else []
    return _shown(workspace, number, notes=told)


@command(session_app, "next", gives=_SESSION, example="annotator session next --as eve -p team.db")
def session_next(
    workspace: "Workspace",
    reason: Annotated[str, typer.Option("--reason", help="Why it is left open.")] = "",
    number: Number = None,
) -> CommandResult:
    """Go on to the next question without a decision."""
    from annotator.review.sessions.steps import skip_question

    skip_question(workspace, reason, number=number)
    return _shown(workspace, number)


@command(session_app, "close", gives=_SESSION, example="annotator session close --as eve -p team.db")
def session_close(workspace: "Workspace", number: Number = None) -> CommandResult:
    """Close a session. What was not decided waits for the experts as before."""
    from annotator.review.sessions.steps import close_session

    close_session(workspace, number)
    return _shown(workspace, number)


@command(session_app, "show", gives=_SESSION, example="annotator session show --as ana -p team.db")
def session_show(workspace: "Workspace", number: Number = None) -> CommandResult:
    """Print a session: who is there, every question, what is up and its options."""
    return _shown(workspace, number)


@command(
    session_app,
    "minutes",
    gives="annotator.review.sessions.minutes.Minutes",
    example="annotator session minutes --session 2 -p team.db",
)
def session_minutes(workspace: "Workspace", number: Number = None) -> CommandResult:
    """Print the minutes of a session as Markdown."""
    from annotator.review.sessions.minutes import minutes_of, minutes_text

    minutes = minutes_of(workspace, number)
    return CommandResult(minutes, [minutes_text(minutes)])


def _shown(workspace: "Workspace", number: int | None, *, notes: "Sequence[str]" = ()) -> CommandResult:
    from annotator.review.sessions.minutes import outcome_words, votes_words
    from annotator.review.sessions.steps import show_session

    session = show_session(workspace, number)
    asked = session.question
    options = [words for words, _ in asked.options] if asked is not None else []
    rows = [
        [">" if one is asked else "", one.case_id, one.title, votes_words(one), outcome_words(one)]
        for one in session.questions
    ]
    return CommandResult(
        {**session.model_dump(mode="json"), "options": options},
        [
            session.words,
            Table(["", "case", "question", "votes", "decision"], rows),
            "  ".join(f"{i}: {words}" for i, words in enumerate(options, 1)),
            tr("It is closed.") if session.closed_at is not None else "",
        ],
        notes,
    )
