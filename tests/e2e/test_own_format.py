"""A package of somebody else teaches the program a format of files; what is wrong in one is said of it."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pytest

from scoring.errors import InputError
from scoring.formats.case_reader import ReadCase, Rejected, read_cases
from scoring.formats.case_writer import WriteReport, encode, write_cases
from scoring.formats.dialects import known
from scoring.model.record import JsonObject
from scoring.model.taxonomy import WrittenFormat
from tests.e2e.command import Ran, annotator_process
from tests.shared import ROOT
from ui.cli.cases import exported

TURNS: list[JsonObject] = [
    {"who": "user", "text": "Weather in Oslo and Rome?"},
    {"who": "model", "text": None, "calls": [["weather", {"city": "Oslo"}], ["weather", {"city": "Rome"}]]},
    {"who": "tool", "text": "rain"},
    {"who": "tool", "text": "sun"},
    {"who": "model", "text": "Rain in Oslo, sun in Rome."},
]
WEATHER: JsonObject = {
    "name": "weather",
    "description": "The weather of a city.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
}
LINE: JsonObject = {"dialog": "lab-1", "functions": [WEATHER], "turns": list(TURNS)}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the manual, installed as the manual says; the folder it went into."""
    source, target = (tmp_path_factory.mktemp(name) for name in ("source", "target"))
    text = (ROOT / "docs/how_to/import_a_file.md").read_text(encoding="utf-8")
    blocks = dict(re.findall(r"^```(python|toml)\n(.*?)^```", text, re.DOTALL | re.MULTILINE))
    (source / "turns_format.py").write_text(blocks["python"], encoding="utf-8")
    (source / "pyproject.toml").write_text(blocks["toml"], encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-build-isolation"]
    subprocess.run([*pip, "--target", str(target), str(source)], check=True)
    return target


def with_package(folder: Path, *arguments: object) -> Ran:
    path = os.pathsep.join((str(ROOT), str(folder)))
    ran = annotator_process(*arguments, person="ana", PYTHONPATH=path)
    assert ran.code == 0, ran.err
    return ran


def test_the_package_of_the_manual_is_read_and_written(installed: Path, tmp_path: Path) -> None:
    project, file, out = (tmp_path / name for name in ("team.db", "lab.jsonl", "out.jsonl"))
    file.write_text(json.dumps(LINE) + "\n", encoding="utf-8")
    with_package(installed, "init", project, "--name", "ana")
    assert "1 case read as turns." in with_package(installed, "import", file, "-p", project, "--dry-run").out
    with_package(installed, "import", file, "-p", project)
    written = ("export", "-p", project, "--format", "turns", "--stage", "any", "-o", out)
    assert "1 case written" in with_package(installed, *written).out
    assert json.loads(out.read_text(encoding="utf-8")) == LINE


def test_without_the_package_nobody_knows_its_files(tmp_path: Path) -> None:
    (tmp_path / "lab.jsonl").write_text(json.dumps(LINE), encoding="utf-8")
    [rejected] = read_cases(tmp_path / "lab.jsonl")
    assert isinstance(rejected, Rejected)
    assert "not a case of a known format" in rejected.reason
    made = annotator_process("init", tmp_path / "team.db", "--name", "ana", person="ana")
    assert made.code == 0, made.err
    wanted = ("export", "--format", "turns", "-p", tmp_path / "team.db", "-o", tmp_path / "out.jsonl")
    ran = annotator_process(*wanted, person="ana")
    assert ran.code == 2
    assert "'turns' is no format" in ran.err


Plant = Callable[..., None]


@pytest.fixture
def plant(monkeypatch: pytest.MonkeyPatch) -> Iterator[Plant]:
    """Has packages bring objects as their formats."""

    def planted(**formats: object) -> None:
        module = SimpleNamespace(**formats)
        monkeypatch.setitem(sys.modules, "planted_formats", module)
        points = [EntryPoint(name, f"planted_formats:{name}", known.GROUP) for name in formats]
        monkeypatch.setattr(known, "entry_points", lambda *, group: points if group == known.GROUP else [])
        known.installed.cache_clear()

    yield planted
    known.installed.cache_clear()


def chat(_: object) -> list[JsonObject]:
    said: list[JsonObject] = [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]
    return [{"id": "lab-1", "tools": [], "messages": list(said)}]


def every(_: object) -> bool:
    return True


def raises(_: object) -> None:
    raise KeyError("lost")


def read(folder: Path, *lines: JsonObject) -> list[ReadCase | Rejected]:
    (folder / "lab.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return list(read_cases(folder / "lab.jsonl"))


def reason(folder: Path) -> str:
    [rejected] = read(folder, LINE)
    assert isinstance(rejected, Rejected)
    return rejected.reason


def test_who_claims_every_line_gets_only_what_nobody_else_reads(tmp_path: Path, plant: Plant) -> None:
    plant(greedy=SimpleNamespace(recognise=every, read=chat))
    ours, share, theirs = read(
        tmp_path,
        {"id": "chat-1", "tools": [], "messages": chat(None)[0]["messages"]},
        {"id": "s-1", "conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Hello"}]},
        LINE,
    )
    assert isinstance(ours, ReadCase)
    assert not ours.dialect
    assert isinstance(share, ReadCase)
    assert share.dialect not in ("", "greedy")
    assert isinstance(theirs, ReadCase)
    assert (theirs.dialect, theirs.case.id) == ("greedy", "lab-1")


def test_two_packages_that_claim_a_line_are_both_named(tmp_path: Path, plant: Plant) -> None:
    both = SimpleNamespace(recognise=every, read=chat)
    plant(one=both, two=both)
    assert reason(tmp_path) == "2 installed formats claim this line: one and two. Uninstall all but one."


@pytest.mark.parametrize(
    ("brought", "said"),
    [
        (SimpleNamespace(recognise=raises), "failed to recognise this: KeyError: 'lost'"),
        (SimpleNamespace(), "failed to recognise this: AttributeError"),
        (SimpleNamespace(recognise=every, read=raises), "failed to read this: KeyError: 'lost'"),
        (SimpleNamespace(recognise=every, read=lambda _: 3), "failed to read this: TypeError"),
        (SimpleNamespace(recognise=every, read=lambda _: ["text"]), "what it gave is"),
        (SimpleNamespace(recognise=every, read=lambda _: [{"messages": every}]), "failed to read this"),
        (SimpleNamespace(recognise=every, read=lambda _: [{"id": "x"}]), "broken, dialogue x: "),
    ],
)
def test_what_fails_in_a_package_is_said_of_it(
    tmp_path: Path, plant: Plant, brought: object, said: str
) -> None:
    plant(broken=brought)
    assert said in reason(tmp_path)
    plant(broken=brought, whole=SimpleNamespace(recognise=every, read=chat))
    if not hasattr(brought, "read"):  # what looks at lines and fails keeps nobody else from them
        [case] = read(tmp_path, LINE)
        assert isinstance(case, ReadCase)


def test_what_is_installed_changes_nothing_of_our_own_formats(tmp_path: Path, plant: Plant) -> None:
    [found] = read(tmp_path, {"id": "chat-1", "tools": [], "messages": chat(None)[0]["messages"]})
    assert isinstance(found, ReadCase)
    ours = {form: encode(found.case, form) for form in WrittenFormat if form is not WrittenFormat.BFCL}
    claims = SimpleNamespace(recognise=every, read=raises, write=raises)
    plant(broken=SimpleNamespace(recognise=raises), claims=claims, sharegpt=claims, native=claims)
    assert {form: encode(found.case, form) for form in ours} == ours
    with (tmp_path / "out.jsonl").open("wb") as stream:
        assert write_cases([found.case], stream, format="sharegpt").written == 1
    wanted: list[str | None] = []

    def write(form: str | None) -> WriteReport:
        wanted.append(form)
        return WriteReport(written=0)

    plant(inspect=claims, bfcl=claims)
    for form in ("inspect", "bfcl"):
        exported(write, form, tmp_path / "out.jsonl")
    assert wanted == [None, WrittenFormat.BFCL]
    assert isinstance(wanted[1], WrittenFormat)  # whose answers go into a file of their own


def test_a_package_that_fails_to_write_leaves_that_case_out(tmp_path: Path, plant: Plant) -> None:
    plant(broken=SimpleNamespace(recognise=every, read=chat, write=raises))
    [case] = read(tmp_path, LINE)
    assert isinstance(case, ReadCase)
    with (tmp_path / "out.jsonl").open("wb") as stream:
        report = write_cases([case.case], stream, format="broken")
    assert report.written == 0
    assert "The installed format broken failed to write this: KeyError" in report.skipped[0].reason
    with pytest.raises(InputError, match="No installed format other writes cases"):
        encode(case.case, "other")
