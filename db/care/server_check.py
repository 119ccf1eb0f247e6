"""Looking at a database on a server before it is used: whether it holds a project, and of which version."""

from dataclasses import dataclass

from sqlalchemy import inspect, text
from sqlalchemy.orm import Session

from db.engine import disposed, open_engine, revision_of
from db.failures import translated
from db.project_files.location import shown_name
from db.project_files.versions import HISTORY, ProjectState
from db.read import people


@dataclass(frozen=True)
class ServerCheck:
    """What was found on a server that let the user in.

    `table` is one of another program's, empty where the database is empty; `may_create` is whether this
    user may make tables in it. `project` is the name of a current project, `person_count` its active people.
    """

    state: ProjectState
    table: str = ""
    may_create: bool = True
    project: str = ""
    person_count: int = 0
    is_encrypted: bool = False


def check_server(url: str) -> ServerCheck:
    """Look at a database on a server, and change nothing.

    Raises:
        StoreError: The server cannot be reached or does not answer as it should.
        ServerAccessError: It refuses the user, or has no such database.
    """
    with (
        disposed(open_engine(url, must_exist=False)) as engine,
        translated(shown_name(engine.url)),
        engine.connect() as connection,
        Session(connection) as session,
    ):
        driver = connection.connection.driver_connection
        is_encrypted = driver is not None and bool(driver.pgconn.ssl_in_use)
        state = HISTORY.state_of(revision_of(connection))
        if state is ProjectState.CURRENT:
            name, _, _ = people.project_row(session)
            active = [person for person in people.list_people(session) if person.is_active]
            return ServerCheck(state, project=name, person_count=len(active), is_encrypted=is_encrypted)
        tables = sorted(inspect(connection).get_table_names())
        may_create = connection.scalar(
            text("SELECT coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)")
        )
        return ServerCheck(
            state,
            table=tables[0] if tables else "",
            may_create=bool(may_create),
            is_encrypted=is_encrypted,
        )
