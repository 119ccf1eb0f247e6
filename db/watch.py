"""Noticing that a project was changed: told by its server, or by looking at the least there is."""

import threading
import time
from contextlib import suppress

from sqlalchemy import Connection, select, text
from sqlalchemy.exc import DBAPIError

from db.engine import open_engine, reading
from db.events import CHANNEL, News
from db.failures import translated
from db.project_files.location import shown_name
from db.tables import ChainHead
from scoring.errors import StoreError, reworded

ANY_NEWS = frozenset(News)
"""What may have been written where only that something was is known."""
_FILE_SECONDS, _SERVER_SECONDS = 1.0, 2.0
"""Between two looks at a file, and at a server that may not be listened to."""
_LISTEN_SECONDS = 0.5
"""How long the server's word is waited for at a time, so that `stop` is heard soon."""
_REST_SECONDS = 1.5
"""After news the server is not listened to for so long: what a team does meanwhile comes together."""


class Watch:
    """A connection of its own that waits for changes; used by one thread, stopped by any.

    PostgreSQL tells (LISTEN); where that is not allowed, the number of the last event is asked for. SQLite
    is asked for its data version, which costs no look at any table.

    Args:
        project: Path or URL.

    Raises:
        StoreError: The project cannot be opened.
    """

    def __init__(self, project: str) -> None:
        self._stopped = threading.Event()
        self._rested_at = 0.0
        self._engine = open_engine(project)
        self._is_file = self._engine.dialect.name == "sqlite"
        self._listening: Connection | None = None
        try:
            if not self._is_file:
                with translated(shown_name(self._engine.url)):
                    self._listening = self._listen()
            self._seen = self._look()
        except BaseException:
            self.close()
            raise

    def wait(self) -> frozenset[News]:
        """Wait a moment, at most two seconds; what somebody wrote meanwhile, empty for nothing.

        This process counts as somebody: whoever reads the news knows its own events.

        Raises:
            StoreError: The project does not answer any more.
        """
        if self._listening is not None:
            return self._hear(self._listening)
        self._stopped.wait(_FILE_SECONDS if self._is_file else _SERVER_SECONDS)
        seen = self._look()
        is_news, self._seen = seen != self._seen, seen
        return ANY_NEWS if is_news else frozenset()

    def stop(self) -> None:
        """End a `wait` soon."""
        self._stopped.set()

    def close(self) -> None:
        """Give the connections back."""
        if self._listening is not None:
            with suppress(DBAPIError):  # the server may be gone, and need not be told
                self._listening.close()
        self._engine.dispose()

    def _listen(self) -> Connection | None:
        connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        try:
            connection.exec_driver_sql(f"LISTEN {CHANNEL}")
        except DBAPIError:
            connection.close()
            return None
        return connection

    def _hear(self, connection: Connection) -> frozenset[News]:
        driver = connection.connection.driver_connection
        assert driver is not None
        self._stopped.wait(max(0.0, self._rested_at - time.monotonic()))
        with reworded(
            self._engine.dialect.loaded_dbapi.Error,
            into=lambda _: StoreError(
                f"{shown_name(self._engine.url)} does not answer any more.", "It is tried again by itself."
            ),
        ):
            heard = [told.payload for told in driver.notifies(timeout=_LISTEN_SECONDS, stop_after=1)]
        if heard:
            self._rested_at = time.monotonic() + _REST_SECONDS
        return frozenset(news for news in News if news in heard)

    def _look(self) -> int:
        with translated(shown_name(self._engine.url)), reading(self._engine) as tx:
            if self._is_file:
                return int(tx.scalar(text("PRAGMA data_version")) or 0)
            return tx.scalars(select(ChainHead.seq)).one()
