"""A project's database on a server: its parts, how the connection is protected, what its server needs."""

import os
import ssl
from ipaddress import ip_address
from pathlib import Path

from pydantic import Field
from sqlalchemy import URL

from db.project_files.location import SECRET_OPTIONS, locate
from scoring.errors import InputError
from scoring.model.record import Record

VERIFY = "verify-full"
"""The mode in which nobody can stand in for the server: encrypted, its certificate and host name checked."""

FIRST_TIME = "Where the server has no such user or database yet, its administrator runs once:"
"""What stands before `setup_statements`."""

_SYSTEM = "system"


class ServerPlace(Record):
    """Where a database is and how it is reached; the password is no part of it.

    `host` is empty for the socket of this computer, `port` None for the usual one, `user` empty for the
    login name. `tls` is libpq's sslmode; empty means `VERIFY`, except on this computer. `certificate` is a
    PEM file with the authorities to trust, empty for the system's. `options` are libpq's others.
    """

    host: str = Field(default="", examples=["db.example.org; empty: this computer"])
    port: int | None = Field(default=None, ge=1, le=65535, examples=["5432"])
    database: str = Field(default="", examples=["team"])
    user: str = Field(default="", examples=["Empty: your login name"])
    tls: str = Field(default="", title="Encryption (TLS)")
    certificate: str = Field(default="", title="Certificate file")
    options: dict[str, str] = Field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """Whether it lies on this computer, so that nothing crosses a network."""
        named = self.host or self.options.get("hostaddr", "") or os.environ.get("PGHOST", "")
        return "service" not in self.options and all(map(_is_loopback, named.split(",")))

    def url(self, password: str = "") -> str:
        """The URL that opens it.

        Raises:
            InputError: No database is named.
        """
        if not self.database:
            raise InputError("No database is named.", "Type its name.")
        named = {"sslmode": self.tls, "sslrootcert": self.certificate}
        query = {key: value for key, value in {**self.options, **named}.items() if value}
        is_plain = self.host and "," not in self.host and self.host[0] not in "/@"
        if self.host and not is_plain:
            query["host"] = self.host
        host = self.host if is_plain else None
        url = URL.create(
            "postgresql", self.user or None, password or None, host, self.port, self.database, query
        )
        # A blank at the end would be taken for one of the text around the URL.
        return url.render_as_string(hide_password=False).replace(" ", "%20")


def read_place(url: str) -> tuple[ServerPlace, str]:
    """Take a server's URL apart into the place and the password in it, which is mostly empty.

    Raises:
        StoreError: It is no URL that can be read.
        InputError: It names a file.
    """
    location = locate(url)
    if location.path is not None:
        raise InputError(f"{location.name} is a file on this computer.", "Open it with Open project….")
    return place_of(location.url), location.url.password or str(location.url.query.get("password", ""))


def place_of(url: URL) -> ServerPlace:
    """The parts of a server's URL."""
    options = {
        key: value if isinstance(value, str) else ",".join(value)
        for key, value in url.query.items()
        if key not in SECRET_OPTIONS
    }
    asked = options.pop("host", "")
    return ServerPlace(
        host=url.host or asked,
        database=url.database or "",
        user=url.username or options.pop("user", ""),
        port=url.port,
        tls=options.pop("sslmode", ""),
        certificate=options.pop("sslrootcert", ""),
        options=options,
    )


def tls_options(url: URL) -> dict[str, str]:
    """What libpq is to be told about TLS where neither the URL nor the environment says it.

    Beyond this computer the certificate and its host name are checked, against `~/.postgresql/root.crt`
    where somebody put one there, else against the system's authorities.
    """
    place = place_of(url)
    mode = place.tls or os.environ.get("PGSSLMODE", "") or ("" if place.is_local else VERIFY)
    if mode not in (VERIFY, "verify-ca"):
        return {}
    named = place.certificate or os.environ.get("PGSSLROOTCERT", "")
    if not named and (Path.home() / ".postgresql" / "root.crt").exists():
        return {"sslmode": mode}
    # The libpq of psycopg's wheels was built elsewhere and does not find the authorities of this system.
    system = ssl.get_default_verify_paths().cafile or _SYSTEM
    return {"sslmode": mode, "sslrootcert": system if named in ("", _SYSTEM) else named}


def setup_statements(place: ServerPlace) -> tuple[str, str]:
    """The two lines of SQL that a server's administrator runs once, so that a project can be made there."""
    user = _quoted(place.user or os.environ.get("PGUSER", "") or "annotator")
    return (
        f"CREATE ROLE {user} LOGIN PASSWORD 'choose a password';",
        f"CREATE DATABASE {_quoted(place.database)} OWNER {user};",
    )


def _is_loopback(host: str) -> bool:
    if not host or host[0] in "/@" or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
