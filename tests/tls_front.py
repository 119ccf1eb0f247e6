"""TLS before a real PostgreSQL, which the server of the tests was built without; certificates of its own."""

import asyncio
import shutil
import ssl
import struct
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.postgres import MortalServer, mortal_server

_TLS, _KERBEROS = 80877103, 80877104  # https://www.postgresql.org/docs/current/protocol-message-formats.html
PASSWORD = "planted-hunter2"
"""Password of the database user `anna`."""
_REFUSAL = b'SFATAL\0C28000\0Mno pg_hba.conf entry for host "127.0.0.1", user "anna", no encryption\0\0'
_RULES = "local all postgres trust\nlocal all all scram-sha-256\n"


@dataclass(frozen=True)
class TlsServer:
    """A PostgreSQL that lets people in by password, reached over TLS at a port of 127.0.0.1.

    Its certificate is for `localhost` and `db.example.org`; `authority` is the file that proves it,
    `stranger` one that does not.
    """

    mortal: MortalServer
    port: int
    authority: Path
    stranger: Path

    def url(self, database: str, *, password: str = PASSWORD, host: str = "localhost", **options: str) -> str:
        """Address of one of its databases for the user anna; other hosts are sent to this computer, too."""
        named = options if host == "localhost" else {"hostaddr": "127.0.0.1", **options}
        query = "&".join(f"{key}={value}" for key, value in named.items())
        secret = f":{password}" if password else ""
        return f"postgresql://anna{secret}@{host}:{self.port}/{database}?{query}".rstrip("?")


def make_certificates(folder: Path) -> None:
    """Make two authorities, and a server's certificate that the first of them signs."""
    if shutil.which("openssl") is None:
        pytest.skip("the command openssl is missing: it makes the certificates")

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
    for name in ("authority", "stranger"):
        files = ("-keyout", f"{name}.key", "-out", f"{name}.pem")
        openssl("req", "-x509", *key, "-days", "30", "-subj", f"/CN={name}", *files)
    openssl("req", *key, "-subj", "/CN=db.example.org", "-keyout", "server.key", "-out", "server.csr")
    (folder / "names").write_text("subjectAltName=DNS:localhost,DNS:db.example.org")
    signed = ("-CA", "authority.pem", "-CAkey", "authority.key", "-extfile", "names", "-days", "30")
    openssl("x509", "-req", "-in", "server.csr", *signed, "-out", "server.pem")


@contextmanager
def tls_server(folder: Path) -> Iterator[TlsServer]:
    """A server of its own with TLS before it, a user `anna`, and an empty database `team` of hers."""
    make_certificates(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    with mortal_server() as mortal:
        home = Path(mortal.server.url.partition("host=")[2])
        (home / "pg_hba.conf").write_text(_RULES)
        mortal.server.execute("SELECT pg_reload_conf()")
        mortal.server.execute(f"CREATE ROLE anna LOGIN PASSWORD '{PASSWORD}'")
        mortal.server.execute("CREATE DATABASE team OWNER anna")
        with _front(home / ".s.PGSQL.5432", context) as port:
            yield TlsServer(mortal, port, folder / "authority.pem", folder / "stranger.pem")


@contextmanager
def _front(server: Path, context: ssl.SSLContext) -> Iterator[int]:
    """Listen on a free port, and hand what comes in over TLS to a server's socket."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, asyncio.IncompleteReadError), _cut(writer):
            code = 0
            while code != _TLS:
                begin = await reader.readexactly(8)
                _, code = struct.unpack("!II", begin)
                if code not in (_TLS, _KERBEROS):
                    writer.write(b"E" + struct.pack("!I", 4 + len(_REFUSAL)) + _REFUSAL)
                    await writer.drain()
                    return
                writer.write(b"S" if code == _TLS else b"N")
            await writer.drain()
            await writer.start_tls(context)
            back, forth = await asyncio.open_unix_connection(str(server))
            with _cut(forth):
                await asyncio.gather(_pump(reader, forth), _pump(back, writer))

    ready: Future[tuple[int, asyncio.AbstractEventLoop, asyncio.Event]] = Future()

    async def listen() -> None:
        stop = asyncio.Event()
        async with await asyncio.start_server(serve, "127.0.0.1", 0) as listening:
            port = int(listening.sockets[0].getsockname()[1])
            ready.set_result((port, asyncio.get_running_loop(), stop))
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(listen(),), name="tls-front", daemon=True)
    thread.start()
    port, loop, stop = ready.result(10)
    try:
        yield port
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(10)


@contextmanager
def _cut(writer: asyncio.StreamWriter) -> Iterator[None]:
    """At the end nothing of a connection stays open, however it ended; a TLS farewell could hang."""
    try:
        yield
    finally:
        writer.transport.abort()


async def _pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await source.read(65536):
            target.write(chunk)
            await target.drain()
    target.close()
