"""Records whose validators are made when they are first used."""

import pkgutil
from collections.abc import Iterator
from importlib import import_module

import annotator
import db
import scoring
import ui
from scoring.model.record import Record


def _records(kind: type[Record]) -> Iterator[type[Record]]:
    for below in kind.__subclasses__():
        yield below
        yield from _records(below)


def test_every_record_of_the_program_can_be_made_ready() -> None:
    for floor in (annotator, db, scoring, ui):
        for module in pkgutil.walk_packages(floor.__path__, f"{floor.__name__}."):
            if ".migrations" not in module.name and not module.name.endswith("__main__"):
                import_module(module.name)
    ours = [one for one in _records(Record) if one.__module__.split(".")[0] != "tests"]
    assert len(ours) > 100
    for record in ours:
        record.model_rebuild()
        assert record.__pydantic_complete__, record
