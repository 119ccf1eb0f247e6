"""Where a project lies: a file of the embedded database, or a database on a PostgreSQL server."""

import re
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from scoring.errors import StoreError, reworded

SECRET_OPTIONS = ("password", "sslpassword")
"""Options of a URL that hold a secret."""
_FORMS = "Name a project file such as team.db, or a URL such as postgresql://anna@host/team."


@dataclass(frozen=True)
class Location:
    """A project's place, checked in form only: nothing was opened or contacted.

    `path` is the absolute path of a project file, None for a database on a server. `url` carries our
    own choice of driver and, for a server, the password: show `name` instead.
    """

    url: URL
    path: Path | None

    @property
    def name(self) -> str:
        """The place as it may be shown and logged: the path, or the URL without password and options."""
        return shown_name(self.url)

    @property
    def address(self) -> str:
        """What finds the project again and may be kept in a file: as `name`, but with the options."""
        if self.path is not None:
            return str(self.path)
        url = self.url
        options = {key: value for key, value in url.query.items() if key not in SECRET_OPTIONS}
        kept = URL.create("postgresql", url.username, None, url.host, url.port, url.database, options)
        return kept.render_as_string()


def shown_name(url: URL) -> str:
    """A database URL as it may be shown and logged.

    Returns:
        The file's path, or user, host, port and database; never the password, nor the options after
        the question mark, where libpq takes passwords too.
    """
    if url.drivername.startswith("sqlite"):
        return url.database or ""
    user = f"{url.username}@" if url.username else ""
    port = f":{url.port}" if url.port else ""
    return f"postgresql://{user}{url.host or ''}{port}/{url.database or ''}"


def locate(url_or_path: str) -> Location:
    """Read a project's place from what a person typed.

    Args:
        url_or_path: A path (`~` is the home folder), `sqlite:///path`, or `postgresql://...`.

    Raises:
        StoreError: Nothing was named, the URL is broken, or it is a kind of database we do not use.
    """
    text = url_or_path.strip()
    found = re.match(r"([A-Za-z][A-Za-z0-9+]*)://", text)
    if not text:
        raise StoreError("No project was named.", _FORMS)
    if found is None:
        return _file(text)
    scheme = found.group(1).lower()
    match scheme:
        case "sqlite":
            path = text[len("sqlite:///") :] if text.startswith("sqlite:///") else ""
            if not path or path == ":memory:":
                raise StoreError("A project in memory would be lost when the program ends.", _FORMS)
            return _file(path)
        case "postgres" | "postgresql" | "postgresql+psycopg" | "postgresql+psycopg2":
            return _server(text)
        case _:
            raise StoreError(f"Projects cannot be kept in a database of the kind '{scheme}'.", _FORMS)


def _file(text: str) -> Location:
    if "\0" in text or not _is_writable_text(text):
        raise StoreError("The path of the project contains characters that are not text.", _FORMS)
    with reworded(
        OSError, RuntimeError, into=lambda _: StoreError(f"The path {text} cannot be resolved.", _FORMS)
    ):
        path = Path(text).expanduser().resolve()  # a swap must replace the file, not a link to it
    return Location(url=URL.create("sqlite", database=str(path)), path=path)


def _is_writable_text(text: str) -> bool:
    # A file name outside UTF-8 reaches Python as lone surrogates, which no settings file can keep.
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _server(text: str) -> Location:
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):
        # `from None`: both errors quote the text, and the text may hold a password.
        raise StoreError("The PostgreSQL URL cannot be read.", _FORMS) from None
    if not url.database:
        raise StoreError(f"{shown_name(url)} names no database.", _FORMS)
    return Location(url=url.set(drivername="postgresql+psycopg"), path=None)
