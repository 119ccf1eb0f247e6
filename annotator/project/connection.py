"""Connecting to a team's server: testing it, and the invitation a manager sends."""

import hashlib
import re
import ssl
import threading
from enum import StrEnum
from functools import partial
from pathlib import Path

from annotator.files import replace_text, settings_path
from annotator.jobs import JobContext, run_leavable
from annotator.project.people import list_people
from annotator.project.workspace import Workspace
from db.care.server_check import ServerCheck, check_server
from db.project_files.server import FIRST_TIME, VERIFY, setup_statements
from db.project_files.server import ServerPlace as ServerPlace
from db.project_files.server import read_place as read_place
from db.project_files.versions import ProjectState
from scoring.errors import InputError, NotFoundError, ServerAccessError, StoreError, existing, reworded
from scoring.model.record import Record
from scoring.wording import counted

_URL = re.compile(r"postgres(?:ql)?://[^\s<>\"'`]+")
_NAME = "Your name in the project:"
_NAME_LINE = re.compile(rf"(?im)^\W*{re.escape(_NAME)}(.+)$")
_CERTIFICATES = re.compile(r"-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----")
_LONGEST_CERTIFICATES = 20_000  # characters; the system's whole list is no part of an invitation


class ConnectionResult(StrEnum):
    """What a test of a connection found."""

    PROJECT = "project"
    OLDER = "older"
    EMPTY = "empty"
    UNUSABLE = "unusable"


class ConnectionTest(Record):
    """What was found at an address, in plain words with the next step.

    `statements` are the lines of SQL that help, where the server needs them.
    """

    finding: ConnectionResult
    message: str
    hint: str = ""
    statements: tuple[str, ...] = ()


class ServerInvitation(Record):
    """What a pasted text says: `url` holds a password only where somebody wrote one into it."""

    url: str
    person: str = ""
    certificates: str = ""


def try_connection(url: str, *, context: JobContext) -> ConnectionTest:
    """Connect once, and say what is there or what is wrong; nothing is changed.

    Raises:
        JobCancelled: Somebody cancelled it; the attempt is left to itself.
    """
    place, _ = read_place(url)
    try:
        found = run_leavable(partial(check_server, url), context=context, stop=threading.Event())
    except ServerAccessError as error:
        return _unusable(error.message, f"{error.hint} {FIRST_TIME}", setup_statements(place))
    except StoreError as error:
        return _unusable(error.message, error.hint)
    return _told(found, place)


def keep_certificates(text: str) -> Path:
    """Write certificates that came with an invitation where they stay; the same ones have one file.

    Raises:
        StoreError: The folder cannot be written.
    """
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    path = settings_path().parent / "certificates" / f"{digest}.pem"
    with reworded(OSError, into=lambda _: StoreError(f"{path.parent} cannot be made.", "Check its rights.")):
        path.parent.mkdir(parents=True, exist_ok=True)
    replace_text(path, text)
    return path


def write_invitation(workspace: Workspace, name: str) -> str:
    """Write what a person needs to join a team's project; nothing in it is secret.

    Raises:
        InputError: The project is a file.
        NotFoundError: Nobody active has this name.
    """
    if not workspace.is_shared:
        raise InputError(
            "Only a project on a server has invitations; this one is a file.",
            "Create a team project, or move this one with `annotator restore`.",
        )
    if name not in [person.name for person in list_people(workspace) if person.is_active]:
        raise NotFoundError(f"Nobody active is called '{name}' in this project.", "Add the person first.")
    place, _ = read_place(workspace.project)
    mode = place.tls or ("" if place.is_local else VERIFY)
    system = "system" if place.certificate == "system" else ""
    certificates = _certificates_in(Path(place.certificate)) if place.certificate and not system else ""
    lines = [
        f'You are invited to the project "{workspace.name()}" in Annotator.',
        "",
        'Start Annotator, choose "Team project…", copy this whole text and press "Paste invitation" there.',
        "The database password is not in here; you get it separately.",
        "",
        place.model_copy(update={"tls": mode, "certificate": system}).url(),
        f"{_NAME} {name}",
    ]
    if certificates:
        lines += ["", "The server is known by this certificate:", certificates.rstrip()]
    return "\n".join(lines) + "\n"


def read_invitation(text: str) -> ServerInvitation:
    """Find an invitation in a text, whatever stands around it.

    Raises:
        InputError: There is no address of a server in it.
    """
    address = existing(
        _URL.search(text),
        InputError(
            "This text is not an invitation: it names no postgresql:// address.",
            "Copy the whole text that the manager sent.",
        ),
    )
    url = address.group().rstrip(".,;:!?)]}*_”’»")
    with reworded(
        StoreError,
        into=lambda _: InputError("The address in the invitation cannot be read.", "Ask for another one."),
    ):
        place, _ = read_place(url)
    if place.certificate and place.certificate != "system" and not Path(place.certificate).exists():
        own = place.model_copy(update={"certificate": ""})  # it names a file of somebody else's computer
        url = own.url(read_place(url)[1])
    name = _NAME_LINE.search(text)
    return ServerInvitation(
        url=url, person=name.group(1).strip(" \t\r*_") if name else "", certificates=_certificates(text)
    )


def is_local(url: str) -> bool:
    """Whether a server is this computer, so that its address means another one elsewhere."""
    return read_place(url)[0].is_local


def _told(found: ServerCheck, place: ServerPlace) -> ConnectionTest:
    match found.state:
        case ProjectState.CURRENT:
            people = counted(found.person_count, "active person", "active people")
            return ConnectionTest(
                finding=ConnectionResult.PROJECT,
                message=f"Connected: the project {found.project} with {people}.",
                hint=_protection(found, place),
            )
        case ProjectState.OLDER:
            return ConnectionTest(
                finding=ConnectionResult.OLDER,
                message="Connected: the project was written by an older version of Annotator.",
                hint="Joining shows what an upgrade does, and asks before it begins.",
            )
        case ProjectState.NEWER:
            return _unusable(
                "Connected, but the project was written by a newer version of Annotator.",
                "Update Annotator on this computer, then join.",
            )
    if found.table:
        return _unusable(
            f"Connected, but the database holds no project: it has another program's table '{found.table}'.",
            "Check the name of the database, or create an empty one for the project.",
            setup_statements(place)[1:],
        )
    if not found.may_create:
        return _unusable(
            "Connected; the database is empty, but this user may not create anything in it.",
            "Ask the server's administrator to make this user its owner.",
            (setup_statements(place)[1].replace("CREATE", "ALTER").replace(" OWNER ", " OWNER TO "),),
        )
    return ConnectionTest(
        finding=ConnectionResult.EMPTY,
        message="Connected: the database is empty.",
        hint="You can create a project in it; you will hold every role. " + _protection(found, place),
    )


def _protection(found: ServerCheck, place: ServerPlace) -> str:
    if not found.is_encrypted:
        return "" if place.is_local else "Nothing is encrypted: the network can read everything."
    mode = place.tls or ("" if place.is_local else VERIFY)
    if mode == VERIFY:
        return "The connection is encrypted, and the server is the one it claims to be."
    return "The connection is encrypted; which server it is was not checked."


def _unusable(message: str, hint: str, statements: tuple[str, ...] = ()) -> ConnectionTest:
    return ConnectionTest(
        finding=ConnectionResult.UNUSABLE, message=message, hint=hint, statements=statements
    )


def _certificates_in(path: Path) -> str:
    try:
        text = path.expanduser().read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return _certificates(text) if len(text) <= _LONGEST_CERTIFICATES else ""


def _certificates(text: str) -> str:
    """The certificates in a text, also where a mail put marks before its lines; never a private key."""
    found = []
    for body in _CERTIFICATES.findall(text):
        letters = re.sub(r"[^A-Za-z0-9+/=]", "", body)
        lines = [letters[start : start + 64] for start in range(0, len(letters), 64)]
        pem = "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])
        try:
            ssl.PEM_cert_to_DER_cert(pem)
        except ValueError:
            continue
        found.append(pem)
    return "".join(found)
