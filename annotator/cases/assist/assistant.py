"""Proposals a model is asked for: a wording, dependencies, labels, reviews; a person accepts them or not."""

import hashlib
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from typing import Annotated, Literal

from pydantic import AwareDatetime, Field

from annotator.cases.assist.answer_drafts import AnswerDraft, read_answer, with_answer
from annotator.cases.assist.assist_prompts import prompt_for
from annotator.cases.assist.assist_replies import (
    AssistError,
    Edges,
    Labels,
    Reviews,
    Rewording,
    read_edges,
    read_labels,
    read_reviews,
    read_wording,
)
from annotator.cases.edits.edge_edits import add_edges
from annotator.cases.edits.text_edits import (
    set_answer_text,
    set_ask,
    set_information,
    set_policy,
    set_review,
    set_user_text,
)
from annotator.cases.row_views import get_row
from annotator.jobs import JobContext, run_leavable
from annotator.llm import ChatClient
from annotator.llm.endpoints import Endpoint, Patience, find_api_key
from annotator.project.workspace import Done, Work, Workspace
from annotator.settings import AssistSettings
from db.read.known_answers import copy_named
from scoring.errors import ConflictError, InputError
from scoring.model.case import Answer, Ask, Case
from scoring.model.record import JsonObject, Record

PATIENCE = Patience(timeout_seconds=60.0, retries=1)
"""Somebody waits for the answer: rather a clear failure soon than an answer late."""


What = Annotated[Rewording | Edges | Labels | Reviews | AnswerDraft, Field(discriminator="kind")]
"""What is proposed."""


class Proposal(Record):
    """What a model proposed, and everything that is recorded about it.

    `prompt` and `response` are the texts as they were sent and came back; `at` is when it came.
    """

    case_id: str
    what: What
    model: str
    host: str
    prompt: str
    response: str
    at: AwareDatetime

    @property
    def kind(self) -> str:
        """`wording`, `edges`, `labels`, `reviews` or `answer`."""
        return self.what.kind

    @property
    def prompt_sha256(self) -> str:
        """Hash of the prompt, by which equal ones are found."""
        return hashlib.sha256(self.prompt.encode()).hexdigest()


def endpoint_of(settings: AssistSettings) -> Endpoint:
    """The endpoint a person set up, with its key.

    Raises:
        InputError: None is set up, its address or model cannot be used, or its variable is not set.
    """
    if not settings.is_on:
        raise InputError("No endpoint is set up for proposals.", "Name one in the settings of proposals.")
    return Endpoint(
        settings.base_url,
        settings.model,
        find_api_key(settings.base_url, variable=settings.key_variable or None),
    )


TaskProposalKind = Literal["edges", "labels", "reviews", "answer"]
ProposalKind = Literal["wording", TaskProposalKind]
_READERS: Mapping[TaskProposalKind, Callable[..., What]] = {
    "edges": read_edges,
    "labels": read_labels,
    "reviews": read_reviews,
    "answer": read_answer,
}


class ProposalOrder(Record):
    """What a model is asked to propose; `step` is looked at for a wording only, None for the request."""

    settings: AssistSettings
    kind: ProposalKind
    case: Case
    task: int
    step: int | None = None

    def carry_out(self, _: Workspace, *, context: JobContext) -> Proposal:
        """Ask the endpoint of the settings; a job.

        Raises:
            AnnotatorError: It cannot be asked, or its reply is no proposal.
        """
        with closing(ChatClient(endpoint_of(self.settings), patience=PATIENCE)) as client:
            if self.kind == "wording":
                return suggest_wording(self.case, self.task, step=self.step, client=client, context=context)
            return suggest(self.kind, self.case, self.task, client=client, context=context)


def wording_of(case: Case, task: int, *, step: int | None) -> str:
    """The text a wording can be asked for.

    Raises:
        InputError: The step has no text of its own, as a call.
    """
    if step is None:
        return case.tasks[task].user
    found = case.tasks[task].steps[step]
    if not isinstance(found, Ask | Answer):
        raise InputError("A call has no wording.", "Choose the request, a question or the answer.")
    return found.text


def suggest_wording(
    case: Case, task: int, *, step: int | None, client: ChatClient, context: JobContext
) -> Proposal:
    """Ask for a more natural wording of a request, a question or an answer.

    Args:
        case: The case as the person sees it.
        task: Task number.
        step: A question or the answer; None for the request.
        client: The endpoint.
        context: Of the job; cancelling it gives up the waiting at once.

    Raises:
        InputError: The step has no text of its own, or the text is empty.
        ModelError: The endpoint could not be asked.
        AssistError: Its reply is no proposal.
        JobCancelled: Somebody cancelled.
    """
    before = wording_of(case, task, step=step)
    if not before.strip():
        raise InputError("There is no text to word otherwise yet.", "Write it first.")
    place = f"the request of task {task}" if step is None else f"the text of step {step} of task {task}"
    read = partial(read_wording, task=task, step=step, before=before)
    return _proposal(client, case, task, "assist_wording", read, place=place, context=context)


def suggest(
    kind: TaskProposalKind, case: Case, task: int, *, client: ChatClient, context: JobContext
) -> Proposal:
    """Ask for dependencies, labels, how calls ended, or the answer of a task; only what is not so already.

    An answer is written from the task's observations, with every value cited.

    Raises:
        InputError: No call of the task returned anything to write an answer from.
        As for `suggest_wording`.
    """
    if kind == "answer" and not any(call.observation is not None for _, call in case.tasks[task].calls):
        raise InputError(
            "No call of this task returned anything to write from.", "Write the answer yourself."
        )
    read = partial(_READERS[kind], case=case, task=task)
    return _proposal(client, case, task, f"assist_{kind}", read, context=context)


def applied(case: Case, what: What) -> Case:
    """The case with a proposal a person accepted.

    Raises:
        ConflictError: The text it is about, or what it was written from, has changed since.
        GraphError: The drawing has changed so that a dependency would break a rule.
    """
    task = what.task
    match what:
        case Rewording():
            return _reworded(case, what)
        case AnswerDraft():
            return with_answer(case, what)
        case Edges():
            return add_edges(case, task, edges=[proposed.edge for proposed in what.edges])
        case Reviews():
            for one in what.reviews:
                case = set_review(case, task, step=one.step, review=one.label)
            return case
    if what.policy is not None:
        case = set_policy(case, task, policy=what.policy)
    if what.information is not None:
        case = set_information(case, task, information=what.information)
    return case


def _reworded(case: Case, what: Rewording) -> Case:
    is_there = what.task < len(case.tasks) and (
        what.step is None or what.step < len(case.tasks[what.task].steps)
    )
    if not is_there or wording_of(case, what.task, step=what.step) != what.before:
        raise ConflictError("The text has changed since the model was asked.", "Ask again.")
    if what.step is None:
        return set_user_text(case, what.task, text=what.after)
    if isinstance(case.tasks[what.task].steps[what.step], Ask):
        return set_ask(case, what.task, step=what.step, text=what.after)
    return set_answer_text(case, what.task, text=what.after)


def record_decision(workspace: Workspace, proposal: Proposal, *, accepted: bool) -> Done[None]:
    """Note that a person accepted or declined a proposal, with all that led to it.

    Whoever may not see what others said about the case does not see the event either.

    Raises:
        NotFoundError: The project has no such case.
    """

    def work(w: Work) -> None:
        if copy_named(w.tx, proposal.case_id, person_id=w.person.id) is not None:
            return  # what is said about a known-answer case is counted nowhere else
        get_row(w.tx, proposal.case_id)
        w.record(
            f"case:{proposal.case_id}",
            {
                "kind": proposal.kind,
                "what": proposal.what.model_dump(mode="json"),
                "model": proposal.model,
                "host": proposal.host,
                "prompt_sha256": proposal.prompt_sha256,
                "prompt": proposal.prompt,
                "response": proposal.response,
                "proposed_at": proposal.at.isoformat(),
            },
        )

    return workspace.run(f"assist:proposal:{'accept' if accepted else 'decline'}", work)


def _proposal(
    client: ChatClient,
    case: Case,
    task: int,
    instruction: str,
    read: Callable[[str], What],
    *,
    place: str = "",
    context: JobContext,
) -> Proposal:
    """Ask and read the reply; the place is the whole task where none is named."""
    prompt = prompt_for(case, task, instruction=instruction, place=place or f"task {task}")
    messages: list[JsonObject] = [
        {"role": role, "content": text} for role, text in zip(("system", "user"), prompt, strict=True)
    ]
    context.progress(0, 1, f"waiting for {client.endpoint.host}")
    stop = threading.Event()
    completion = run_leavable(lambda: client.ask(messages, stop=stop), context=context, stop=stop)
    context.progress(1, 1, "answered")
    content = completion.message.get("content")
    if not isinstance(content, str) or not content.strip():
        raise AssistError("The model's reply is empty.", "Ask again, or name another model in the settings.")
    return Proposal(
        case_id=case.id,
        what=read(content),
        model=client.endpoint.model,
        host=client.endpoint.host,
        prompt="\n\n".join(prompt),
        response=content,
        at=datetime.now(UTC),
    )
