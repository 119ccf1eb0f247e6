"""What a database's own errors mean to the person who meets them, and what to do next."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from scoring.errors import AnnotatorError, ConflictError, ServerAccessError, StoreError


class _Meaning(NamedTuple):
    kind: type[AnnotatorError]
    message: str  # {name} is the project
    hint: str


_BUSY = _Meaning(
    StoreError,
    "{name} is busy: another program has been writing to it for more than 10 seconds.",
    "Try again in a moment; if it lasts, close the other program.",
)
_DISK_FULL = _Meaning(
    StoreError,
    "The disk that holds {name} is full; nothing of this action was saved.",
    "Free some space and try again.",
)
_UNREACHABLE = _Meaning(
    StoreError,
    "The database server of {name} cannot be reached.",
    "Check the network and that the server runs, then try again.",
)
_LOST = _Meaning(
    StoreError,
    "The connection to {name} was lost; whether the last action was saved is not known.",
    "Check the network, look whether the action is there, and try again.",
)
_CROSSED = _Meaning(
    ConflictError,
    "Somebody else changed {name} in the same moment; nothing was overwritten.",
    "Reload and try again.",
)
_DAMAGED = _Meaning(
    StoreError,
    "{name} is damaged.",
    "Keep a copy of the file, then restore the last backup with `annotator restore`.",
)

# Primary result codes, https://www.sqlite.org/rescode.html; the low byte of the extended ones.
_SQLITE = {
    5: _BUSY,
    6: _BUSY,
    8: _Meaning(
        StoreError,
        "{name} cannot be written: it is read-only, or was moved or replaced while open.",
        "Make the file and its folder writable, and open the project again.",
    ),
    10: _Meaning(
        StoreError,
        "Reading or writing {name} failed on the disk.",
        "Check the disk and its free space, then try again.",
    ),
    11: _DAMAGED,
    13: _DISK_FULL,
    14: _Meaning(
        StoreError,
        "{name} cannot be opened.",
        "Check that the file and its folder exist and that you may write there.",
    ),
    26: _Meaning(
        StoreError, "{name} is not a project: it is not an SQLite database.", "Choose another file."
    ),
}
_SQLITE_UNIQUE = (1555, 2067, 2579)  # primary key, unique, rowid

# https://www.postgresql.org/docs/current/errcodes-appendix.html; two characters name a whole class.
_POSTGRESQL = {
    "08": _LOST,
    "57P01": _LOST,
    "57P02": _LOST,
    "57P03": _UNREACHABLE,
    "25P03": _LOST,
    "28": _Meaning(
        ServerAccessError,
        "{name} does not let this user in.",
        "Check user and password; the password is taken from the keyring, PGPASSWORD or ~/.pgpass.",
    ),
    "3D000": _Meaning(
        ServerAccessError,
        "{name} does not exist on its server.",
        "Check the name, or ask the server's administrator to create the database.",
    ),
    "42501": _Meaning(
        StoreError,
        "The database user of {name} lacks a right it needs.",
        "Ask the server's administrator to make this user the owner of the database.",
    ),
    "53100": _DISK_FULL,
    "53": _Meaning(
        StoreError,
        "The database server of {name} is out of connections or memory.",
        "Try again later, or ask the server's administrator.",
    ),
    "55P03": _BUSY,
    "57014": _Meaning(StoreError, "{name} took too long to answer and the action was stopped.", "Try again."),
    "40001": _CROSSED,
    "40P01": _CROSSED,
    "23505": _CROSSED,
    "23P01": _CROSSED,
    "XX001": _DAMAGED,
    "XX002": _DAMAGED,
}


_CERTIFICATE = "Choose the certificate file (PEM) of the authority that signed it; the manager has it."
# libpq gives no state for what goes wrong while connecting; only its English text tells them apart. What
# stands first decides: a text may name two attempts, with and without encryption.
_WHILE_CONNECTING = (
    (
        "password authentication failed",
        _Meaning(
            ServerAccessError,
            "{name} does not let this user in: the password is wrong, or there is no such user.",
            "Check user and password; the password is taken from the keyring, PGPASSWORD or ~/.pgpass.",
        ),
    ),
    (
        "no password supplied",
        _Meaning(
            ServerAccessError,
            "{name} does not let this user in: it asks for a password, and none was found.",
            "Type it in the window (Team project…), or put it into ~/.pgpass.",
        ),
    ),
    (
        "does not match host name",
        _Meaning(
            StoreError,
            "The certificate of the server of {name} is for another host name.",
            "Use the name that stands in the certificate; if you do, somebody may stand between you and it.",
        ),
    ),
    (
        "certificate verify failed",
        _Meaning(
            StoreError,
            "The certificate of the server of {name} is signed by nobody this computer trusts.",
            _CERTIFICATE,
        ),
    ),
    (
        "root certificate file",
        _Meaning(StoreError, "The certificate file for {name} cannot be read.", _CERTIFICATE),
    ),
    (
        "does not support SSL",
        _Meaning(
            StoreError,
            "The server of {name} offers no encryption (TLS).",
            "Ask its administrator to switch TLS on; sslmode=disable goes without, for everybody to read.",
        ),
    ),
    (
        "no pg_hba.conf entry",
        _Meaning(
            ServerAccessError,
            "The server of {name} has no rule that lets this user in from this computer.",
            "Check user, database and TLS, or ask its administrator for a line in pg_hba.conf.",
        ),
    ),
    (
        "failed to resolve host",
        _Meaning(
            StoreError,
            "The database server of {name} cannot be reached: no computer has this host name.",
            "Check the spelling of the host; some names are known in the office or over its VPN only.",
        ),
    ),
    (
        "Connection refused",
        _Meaning(
            StoreError,
            "The database server of {name} cannot be reached: its computer answers, but not at this port.",
            "Check the port, and that the server runs and accepts connections from other computers.",
        ),
    ),
    (
        "timeout expired",
        _Meaning(
            StoreError,
            "The database server of {name} cannot be reached: nothing answers.",
            "Check host and port, the network and its firewall, then try again.",
        ),
    ),
    ("too many c", _POSTGRESQL["53"]),
    ("starting up", _UNREACHABLE),
    (
        "invalid ",
        _Meaning(
            StoreError,
            "The address of {name} holds an option that PostgreSQL does not know.",
            "Check what stands behind the question mark.",
        ),
    ),
    (
        "weak sslmode",
        _Meaning(
            StoreError,
            "The address of {name} names certificates, but its sslmode does not check any.",
            "Use sslmode=verify-full.",
        ),
    ),
    ("role ", _POSTGRESQL["28"]),
    ("authentication", _POSTGRESQL["28"]),
    ("password", _POSTGRESQL["28"]),
    ("does not exist", _POSTGRESQL["3D000"]),
)


@contextmanager
def translated(name: str) -> Iterator[None]:
    """Turn database errors the user can act on into `StoreError` or `ConflictError`; let bugs pass.

    Args:
        name: The project as it may be shown (`Location.name`).

    Raises:
        ConflictError: Deadlock, serialisation failure, or a row somebody else inserted first.
        StoreError: Locked, full, read-only, unreachable or lost, damaged.
    """
    try:
        yield
    except PoolTimeoutError as exc:
        raise _told(_BUSY, name) from exc
    except (DBAPIError, sqlite3.Error) as exc:
        meaning = _meaning_of(exc)
        if meaning is None:
            raise
        raise _told(meaning, name) from exc


def _told(meaning: _Meaning, name: str) -> AnnotatorError:
    return meaning.kind(meaning.message.format(name=name), meaning.hint)


def is_refused_write(exc: DBAPIError) -> bool:
    """Whether the database refused a write because the transaction was opened for reading."""
    return (
        getattr(exc.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_READONLY
        or getattr(exc.orig, "sqlstate", None) == "25006"
    )


def is_passing(error: AnnotatorError) -> bool:
    """Whether the same operation may succeed if it is begun again: nothing of it was saved.

    Args:
        error: What `translated` raised.
    """
    origin = error.__cause__.orig if isinstance(error.__cause__, DBAPIError) else error.__cause__
    code = getattr(origin, "sqlite_errorcode", None)
    if isinstance(code, int):
        return code & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    return getattr(origin, "sqlstate", None) in ("40001", "40P01")


def is_busy(error: AnnotatorError) -> bool:
    """Whether an operation was refused only because somebody else held what it needed; see `is_passing`."""
    return is_passing(error) or getattr(getattr(error.__cause__, "orig", None), "sqlstate", None) == "55P03"


def _meaning_of(exc: DBAPIError | sqlite3.Error) -> _Meaning | None:
    origin = exc.orig if isinstance(exc, DBAPIError) else exc
    code = getattr(origin, "sqlite_errorcode", None)
    if isinstance(code, int):
        return _CROSSED if code in _SQLITE_UNIQUE else _SQLITE.get(code & 0xFF)
    state = getattr(origin, "sqlstate", None)
    if isinstance(state, str):
        return _POSTGRESQL.get(state) or _POSTGRESQL.get(state[:2])
    if isinstance(exc, DBAPIError) and exc.connection_invalidated:
        return _LOST
    return _before_the_server_spoke(origin)


def _before_the_server_spoke(origin: BaseException | None) -> _Meaning | None:
    import psycopg  # a tenth of a second that projects in a file never need

    text = str(origin)
    if (not isinstance(origin, psycopg.OperationalError)) and "invalid connection option" not in text:
        return None
    return next((meaning for words, meaning in _WHILE_CONNECTING if words in text), _UNREACHABLE)
