"""The past and the marks of a case: revisions, corrections by `put`, gold examples, comments."""

import re
from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path

from annotator.cases import copies
from annotator.cases.access import seen_by
from annotator.cases.bodies import facts_of, load_revision, write_body
from annotator.cases.findings.checks import check_case
from annotator.cases.row_views import get_row, is_blind, shown_row
from annotator.project.workspace import Work, Workspace, operation, query
from db.read import comments, reviews
from db.read.known_answers import at_hand, copy_named
from db.read.queries import list_revisions, revision_body
from db.read.rows import CaseRow, PersonRow
from db.read.rows import CommentRow as CommentRow
from db.read.rows import EventRow as EventRow
from db.read.rows import RevisionRow as RevisionRow
from db.tables import Transaction
from db.write import messages, store
from scoring.errors import ForbiddenError, InputError, NotFoundError, reworded
from scoring.formats.case_reader import read_case
from scoring.model.case import Case
from scoring.model.record import Record
from scoring.model.taxonomy import OWNER_STAGES, CaseFormat, Role, Stage

_COMMENT_PLACE = re.compile(r"task (?P<task>\d+)\b(?:,? step (?P<step>\d+)\b)?(?:,? (?P<path>/.*))?")


class CommentPlace(Record):
    """What a comment is about: a task, perhaps a step of it and a value there; without a task the case."""

    task: int | None = None
    step: int | None = None
    path: str | None = None

    @classmethod
    def of(cls, where: str) -> "CommentPlace":
        """Read a place text; one that names no task is about the case."""
        match = _COMMENT_PLACE.match(where)
        return cls.model_validate(match.groupdict()) if match else cls()

    @property
    def text(self) -> str:
        """The place text, such as `task 0 step 1 /city`."""
        if self.task is None:
            return "case"
        step = f" step {self.step}" if self.step is not None else ""
        return f"task {self.task}{step}{f' {self.path}' if self.path else ''}"


def new_revision(
    w: Work,
    row: CaseRow,
    case: Case,
    *,
    reason: str,
    stage: Stage,
    by_system: bool = False,
    undrawn: Collection[int] | None = None,
) -> tuple[int, dict[str, object]]:
    """Append a revision and give the columns of the head that go with it; nothing where nothing changed.

    `undrawn` is as for `check_case`; where it is given, the findings are counted anew in any case, since
    a drawing that was confirmed may contradict a label.

    Returns:
        The head's revision number in the store, and the columns for `store.change_case`.
    """
    body = write_body(case)
    is_same = revision_body(w.tx, row.head_id) == body
    if is_same and undrawn is None:
        return row.head_id, {}
    facts = facts_of(case, check_case(case, undrawn=undrawn))
    if is_same:
        return row.head_id, asdict(facts)
    head = store.add_revision(
        w.tx,
        row.pk,
        body=body,
        sha256=facts.sha256,
        author_id=None if by_system else w.person.id,
        stage=stage,
        reason=reason,
        at=w.at,
    )
    return head, {"head_id": head, **asdict(facts)}


def put_case(workspace: Workspace, case_id: str, *, file: Path, reason: str) -> None:
    """Replace the content of a case by a file's, as a new revision with a reason.

    Raises:
        InputError: The file holds not exactly one case of this id, or the reason is empty.
        ForbiddenError: The case is under review by others, final or not the person's own.
        ConflictError: Somebody changed the case meanwhile.
    """
    if not reason.strip():
        raise InputError("A new revision needs a reason.", "Say why with --reason.")
    with reworded(
        InputError,
        into=lambda exc: InputError(
            f"{file} does not hold exactly one readable case. {exc.message}", exc.hint or "Correct the file."
        ),
    ):
        case = read_case(file).case
    if case.id != case_id:
        raise InputError(
            f"{file} holds the case '{case.id}', not '{case_id}'.", "Give the file of this case."
        )
    replace_content(workspace, case_id, case=case, reason=reason)


@operation("case:content:put")
def replace_content(w: Work, case_id: str, *, case: Case, reason: str) -> int:
    """Make a new revision of a case outside an assignment; returns the revision's number in the store."""
    row = copies.named_row(w.tx, case_id, w.person)
    if row.stage not in OWNER_STAGES:
        raise ForbiddenError(
            f"{case_id} is at stage {row.stage}; its content is changed by review only.",
            "An expert can reopen it with `annotator review reopen`.",
        )
    _refuse_own(w, row, "Put the change into your review as its edit.")
    may = w.person.has_role(Role.MANAGER) or w.person.has_role(Role.EXPERT)
    if not may and row.owner_id not in (None, w.person.id):
        raise ForbiddenError(f"{case_id} belongs to {row.owner}.", "Its owner or a manager can change it.")
    head, columns = new_revision(w, row, case, reason=reason, stage=row.stage)
    if columns:
        store.change_case(w.tx, row.pk, expected_version=row.version, at=w.at, values=columns)
        w.record_case(case_id, {"reason": reason, "sha256": str(columns["sha256"])})
    return head


def _refuse_own(w: Work, row: CaseRow, hint: str) -> None:
    """Refuse to change what the person works on or has left, a case as well as a copy: neither is told by it.

    Raises:
        ForbiddenError: They do or have.
    """
    if row.pk < 0 or row.pk in at_hand(w.tx, w.person.id):
        raise ForbiddenError(f"You are working on {row.case_id} yourself, or have left it.", hint)


@query
def case_history(workspace: Workspace, tx: Transaction, case_id: str) -> tuple[RevisionRow, ...]:
    """The revisions of a case, oldest first; a blind reviewer sees only that the case was imported."""
    person = workspace.person
    copy = copy_named(tx, case_id, person_id=person.id)
    if copy is not None:
        return copies.history_of(tx, copy)
    row = shown_row(tx, case_id, person)
    revisions = list_revisions(tx, row.pk)
    return (replace(revisions[0], sha256=""),) if is_blind(tx, row, person) else revisions


@query
def revision_case(workspace: Workspace, tx: Transaction, case_id: str, *, number: int) -> Case:
    """A case as one of its revisions has it, blind where the person cross-checks it."""
    person = workspace.person
    copy = copy_named(tx, case_id, person_id=person.id)
    if copy is not None:
        return copies.case_of(tx, copy, number=number)
    row = shown_row(tx, case_id, person)
    revisions = {revision.number: revision.id for revision in list_revisions(tx, row.pk)}
    if is_blind(tx, row, person):
        revisions = {1: row.head_id}  # how often it changed is kept from them, and so what changed
    if number not in revisions:
        raise NotFoundError(f"{case_id} has no revision {number}.", "See `annotator case history`.")
    return seen_by(tx, row, load_revision(tx, revisions[number]), person)


@query
def case_events(workspace: Workspace, tx: Transaction, case_id: str) -> tuple[EventRow, ...]:
    """What happened to a case, newest first; nothing for a blind reviewer."""
    person = workspace.person
    copy = copy_named(tx, case_id, person_id=person.id)
    if copy is not None:
        return copies.events_of(tx, copy)
    row = shown_row(tx, case_id, person)
    return () if is_blind(tx, row, person) else reviews.events_of(tx, [f"case:{case_id}"])


@operation("case:gold:mark", roles=(Role.EXPERT,))
def mark_gold(w: Work, case_id: str, *, gold: bool) -> None:
    """Make a case a gold example, or no longer; an expert does this."""
    row = copies.named_row(w.tx, case_id, w.person)
    _refuse_own(w, row, "Submit it first.")
    store.set_gold(w.tx, row.pk, gold=gold)
    w.record_case(case_id, {"is_gold": gold})


@operation("case:comment:add")
def add_comment(w: Work, case_id: str, *, where: str, text: str, parent: int | None = None) -> int:
    """Comment on a place of a case; `where` is the text of a `CommentPlace`.

    Args:
        w: In whose name.
        case_id: The case.
        where: The place, at most 300 characters.
        text: What is to be said.
        parent: The comment it answers, of the same case; its author is notified.

    Raises:
        InputError: There is no text, or the place is too long.
        NotFoundError: There is no such comment to answer on this case.
    """
    if not text.strip() or len(where) > 300:
        raise InputError("A comment needs a text and a place of at most 300 characters.", "Write one.")
    copy = copy_named(w.tx, case_id, person_id=w.person.id)
    if copy is not None:
        return copies.add_comment(w, copy, where=where, text=text, parent=parent)
    row = shown_row(w.tx, case_id, w.person)
    if parent is not None:
        _require_comment(w.tx, row, parent, w.person)
    number = messages.add_comment(
        w.tx, row.pk, person_id=w.person.id, where=where, text=text, at=w.at, parent_id=parent
    )
    w.record_case(case_id, {"comment": number, "where": where})
    return number


@operation("case:comment:resolve")
def resolve_comment(w: Work, case_id: str, *, comment: int) -> None:
    """Resolve a comment with its answers.

    Raises:
        NotFoundError: There is no such comment on this case.
    """
    copy = copy_named(w.tx, case_id, person_id=w.person.id)
    if copy is not None:
        copies.resolve_comment(w, copy, comment)
        return
    _require_comment(w.tx, get_row(w.tx, case_id), comment, w.person)
    messages.resolve_comment(w.tx, comment, at=w.at)
    w.record_case(case_id, {"comment": comment})


@query
def comments_of(workspace: Workspace, tx: Transaction, case_id: str) -> tuple[CommentRow, ...]:
    """The comments on a case, oldest first; a blind reviewer sees their own."""
    person = workspace.person
    copy = copy_named(tx, case_id, person_id=person.id)
    if copy is not None:
        return copies.comments_of(copy)
    return _visible_comments(tx, shown_row(tx, case_id, person), person)


def _visible_comments(tx: Transaction, row: CaseRow, person: PersonRow) -> tuple[CommentRow, ...]:
    found = comments.comments_of(tx, row.pk)
    if is_blind(tx, row, person):
        return tuple(comment for comment in found if comment.person == person.name)
    return found


def _require_comment(tx: Transaction, row: CaseRow, comment: int, person: PersonRow) -> None:
    if comment not in {known.id for known in _visible_comments(tx, row, person)}:
        raise NotFoundError(f"{row.case_id} has no comment {comment}.", "Load the case again.")


def parse_case_format(name: str) -> CaseFormat | None:
    """Read the `--format` option: a format, or None for `auto`.

    Raises:
        InputError: The name is no format.
    """
    if name == "auto":
        return None
    with reworded(
        ValueError,
        into=lambda _: InputError(
            f"'{name}' is not a case format.", f"Formats: auto, {', '.join(CaseFormat)}."
        ),
    ):
        return CaseFormat(name)
