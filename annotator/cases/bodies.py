"""Case bodies and the facts the queue keeps beside them: the one door between values and stored text."""

import json

from db.read.queries import join_list, revision_body
from db.tables import Transaction
from db.write.store import CaseFacts, ImportedCase
from scoring.model.case import Case, content_sha256, load_case, write_case
from scoring.model.labels import Finding
from scoring.model.record import R, Record, to_json
from scoring.model.taxonomy import Severity
from scoring.wording import folded

_REQUEST_LENGTH = 300
_SEARCHED_LENGTH = 4000


def write_body(case: Case) -> str:
    """A case as the ASCII JSON text of a revision."""
    return write_case(case)


def read_body(text: str) -> Case:
    """A case from the text of a revision."""
    return load_case(json.loads(text))


def write_record(value: Record) -> str:
    """A judgment, draft or decision as ASCII JSON text; unpaired surrogates in its texts stay as they are."""
    return to_json(value.model_dump(mode="json", by_alias=True))


def read_record(kind: type[R], text: str) -> R:
    """The opposite of `write_record`; pydantic's own reader of JSON refuses unpaired surrogates."""
    return kind.model_validate(json.loads(text))


def load_revision(tx: Transaction, revision_id: int) -> Case:
    """The case as one revision has it."""
    return read_body(revision_body(tx, revision_id))


def facts_of(case: Case, findings: tuple[Finding, ...]) -> CaseFacts:
    """What the queue shows of a case: its hash, labels per task, the rules found, the first request.

    Findings of severity info are not counted, since nobody has to settle them.
    """
    noticed = [finding for finding in findings if finding.severity is not Severity.INFO]
    return CaseFacts(
        sha256=content_sha256(case),
        task_count=len(case.tasks),
        language=case.language[:40],
        policies=join_list([task.policy or "" for task in case.tasks]),
        informations=join_list([task.information or "" for task in case.tasks]),
        rules=join_list(sorted({finding.rule for finding in findings})),
        finding_count=len(noticed),
        error_count=sum(finding.severity is Severity.ERROR for finding in noticed),
        request=" ".join(case.tasks[0].user.split())[:_REQUEST_LENGTH],
        searched=folded("\n".join([case.id, *(task.user for task in case.tasks)])).casefold()[
            :_SEARCHED_LENGTH
        ],
    )


def imported(case: Case, findings: tuple[Finding, ...]) -> ImportedCase:
    """A case ready to enter the store."""
    return ImportedCase(case_id=case.id, body=write_body(case), facts=facts_of(case, findings))
