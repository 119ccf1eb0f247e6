#!/usr/bin/env python3
"""Writes `docs/reference/sizes.md`: how long each extra takes to install, and how much it brings.

    .venv/bin/python .ci/sizes.py

Scoring alone has an environment of its own. The program has another, to which each extra is added in turn
and from which it is taken away again. The help is timed as in `tests/e2e/test_start_of_commands.py`.
"""

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
import venv
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EXTRAS = tuple(
    tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
)
NOT_MEASURED = {"teval-torch": "depends on the build of PyTorch"}
HEAD = """# Size and time of an installation

Made by `.venv/bin/python .ci/sizes.py` on {day}: {system}, {cores} processors, Python {version}. The
computer ran other programs, too: its load was {load:.0f}.

An extra is what it adds to the program. *MB* is the room in `site-packages`, *bare* the same without
compiled modules (`__pycache__`). Nothing came from a cache of `pip`. *processor* is
the seconds of the processor, *wait* the seconds until it is there.

| installed | packages | MB | bare | processor | wait |
| --- | ---: | ---: | ---: | ---: | ---: |
"""
HELP = """
`annotator --help` takes {ours:.2f} seconds of the processor, `import typer` alone {theirs:.2f}: {ratio:.1f}
times as much. A test fails above 3 times.
"""


def cpu() -> float:
    """Processor seconds of the programs that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pip(environment: Path, *words: object) -> None:
    command = [environment / "bin" / "python", "-m", "pip", "-q", "--disable-pip-version-check", *words]
    subprocess.run([str(word) for word in command], check=True, stderr=subprocess.DEVNULL)


def room(environment: Path) -> tuple[set[str], int, int]:
    """The packages in an environment; their bytes, and those without compiled modules."""
    site = next(environment.glob("lib/python*/site-packages"))
    names = {path.name.partition("-")[0] for path in site.glob("*.dist-info")}
    files = [path for path in site.rglob("*") if path.is_file() and not path.is_symlink()]
    bare = sum(path.stat().st_size for path in files if "__pycache__" not in path.parts)
    return names, sum(path.stat().st_size for path in files), bare


def measured(environment: Path, name: str, *wanted: object) -> str:
    """The line of what is added to an environment; an extra is taken away again."""
    names, *before = room(environment)
    used, began = cpu(), time.monotonic()
    pip(environment, "install", "--no-cache-dir", "-c", ROOT / "constraints.txt", *wanted)
    used, took = cpu() - used, time.monotonic() - began
    more, *after = room(environment)
    size, bare = ((now - then) / 1e6 for now, then in zip(after, before, strict=True))
    if name.startswith("`[") and more - names:
        pip(environment, "uninstall", "-y", *(more - names))
    line = f"| {name} | {len(more - names)} | {size:,.0f} | {bare:,.0f} | {used:,.0f} | {took:,.0f} |\n"
    print(line, end="", flush=True)
    return line


def rows(folder: Path) -> Iterator[str]:
    """The lines of the table."""
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"]
    subprocess.run([*build, "-w", str(folder), str(ROOT)], check=True)
    wheel = next(folder.glob("*.whl"))
    alone, whole = folder / "alone", folder / "whole"
    for environment in (alone, whole):
        venv.create(environment, with_pip=True)
    yield measured(alone, "the package without what it needs", "--no-deps", wheel)
    yield measured(alone, "what scoring alone needs", "pydantic", "networkx", "numpy")
    yield measured(whole, "the program and all it needs", wheel)
    for extra in EXTRAS:
        if why := NOT_MEASURED.get(extra, ""):
            yield f"| `[{extra}]` | {why} | | | | |\n"
        else:
            yield measured(whole, f"`[{extra}]`", f"{wheel}[{extra}]")


def timed(*command: object) -> float:
    """Processor seconds of a command, the least of five times."""
    found = []
    for _ in range(5):
        before = cpu()
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
        found.append(cpu() - before)
    return min(found)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        table = "".join(rows(Path(name)))
        programs = Path(name, "whole", "bin")
        ours, theirs = (
            timed(programs / "annotator", "--help"),
            timed(programs / "python", "-c", "import typer"),
        )
    head = HEAD.format(
        day=datetime.now(UTC).date(),
        system=f"{platform.system()} on {platform.machine()}",
        cores=os.cpu_count(),
        version=platform.python_version(),
        load=os.getloadavg()[2],
    )
    last = HELP.format(ours=ours, theirs=theirs, ratio=ours / theirs)
    path = ROOT / "docs" / "reference" / "sizes.md"
    path.write_text(head + table + last, "utf-8")
    print(path)


if __name__ == "__main__":
    main()
