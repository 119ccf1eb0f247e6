"""Killing the window at random moments while somebody works in it, and checking what came back."""

import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from annotator.jobs import JobContext
from annotator.project.care import examine
from tests.e2e.keys.diary import STUCK, Line, Reader
from tests.e2e.keys.plan import CasePlan
from tests.shared import ROOT

ALLOWED_SECONDS = 1.0
_LIFE_SECONDS = 600.0
_LOOK_SECONDS = 0.004
_LONGEST_DELAY_SECONDS = 0.7
_ANYWHERE_SHARE = 0.2
"""Of the kills that may fall into the start of the program; the others wait until work goes on."""


@dataclass
class Report:
    """What the kills did: how many there were, and how many seconds of work each cost."""

    kills: int = 0
    restored: int = 0
    in_starting: int = 0
    in_submitting: int = 0
    lost_seconds: list[float] = field(default_factory=list)

    @property
    def words(self) -> str:
        """The report on one line."""
        worst = max(self.lost_seconds, default=0.0)
        mean = sum(self.lost_seconds) / max(len(self.lost_seconds), 1)
        return (
            f"{self.kills} kills, {self.in_starting} of them while it started and {self.in_submitting} while "
            f"it submitted; {self.restored} restored; lost: {worst:.2f} s at most, {mean:.2f} s on average"
        )


class Trial:
    """One case on one project, worked on by keys in one life of the program after the other.

    Args:
        project: Path or URL.
        person: Who works.
        plan: What they do.
        home: An empty folder: settings, journal and diary lie there.
        pace_milliseconds: From key to key.
    """

    def __init__(
        self, project: str, person: str, plan: CasePlan, *, home: Path, pace_milliseconds: int
    ) -> None:
        self.project = project
        self.plan = plan
        self.home = home
        self._plan_file = home / "plan.json"
        self._plan_file.write_text(plan.model_dump_json(), encoding="utf-8")
        self._diary = home / "diary.jsonl"
        self._reader = Reader(self._diary)
        self._person = person
        self._pace = pace_milliseconds
        self.report = Report()
        self._judge = Judge(self.report)
        self._program: subprocess.Popen[bytes] | None = None

    @property
    def lines(self) -> list[Line]:
        """The diary so far."""
        return self._reader.lines

    def finish(self) -> Line:
        """Let the person work until the case is submitted; returns the diary's last line."""
        program = self._start()
        deadline = time.monotonic() + _LIFE_SECONDS
        while program.poll() is None and time.monotonic() < deadline:
            self._follow()
            time.sleep(0.05)
        self._follow()
        _end(program)
        assert program.returncode == 0, self._why(program)
        return self.lines[-1]

    def kill_at(self, moments: list[float], *, size: int, chance: random.Random) -> None:
        """Kill the program once for each moment.

        Args:
            moments: Shares of the whole work, rising.
            size: How many steps the whole work has, as `distinct_steps` counts them.
            chance: Decides how long after the step, up to 0.7 s.
        """
        try:
            for moment in moments:
                delay = chance.random() * _LONGEST_DELAY_SECONDS
                self._kill_once(round(moment * size), delay=delay, at_work=chance.random() >= _ANYWHERE_SHARE)
        finally:
            if self._program is not None:
                _end(self._program)

    def _kill_once(self, step: int, *, delay: float, at_work: bool) -> None:
        born, program = len(self.lines), self._start()
        deadline = time.monotonic() + _LIFE_SECONDS
        until = None
        while until is None or time.monotonic() < until:
            assert time.monotonic() < deadline, self._why(program)
            if program.poll() is not None:  # it was done before its time had come
                assert program.returncode == 0, self._why(program)
                born, program = len(self.lines), self._start()
                until = time.monotonic() + delay
            works = any(line.kind in ("state", "typed") for line in self.lines[born:])
            if until is None and distinct_steps(self.lines) >= step and (works or not at_work):
                until = time.monotonic() + delay
            time.sleep(_LOOK_SECONDS)
            self._follow()
        program.send_signal(signal.SIGKILL)
        killed_at = time.monotonic()
        program.wait()
        self._follow()
        assert not examine(JobContext(), self.project, at=datetime.now(UTC))
        self._judge.note_kill(killed_at, self.lines[born:])
        (self.home / "report.txt").write_text(self.report.words, encoding="utf-8")

    def _follow(self) -> None:
        for line in self._reader.read():
            self._judge.read(line)

    def _start(self) -> "subprocess.Popen[bytes]":
        inherited = {key: value for key, value in os.environ.items() if not key.startswith("ANNOTATOR_")}
        places = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("CONFIG", "STATE", "DATA")}
        screen = f"offscreen:configfile={Path(__file__).with_name('screen.json')}"
        command = [sys.executable, "-m", "tests.e2e.keys.sitting", self.project, self._person]
        with (self.home / "stderr.txt").open("ab") as errors:
            self._program = subprocess.Popen(
                [*command, str(self._plan_file), str(self._diary), str(self._pace)],
                cwd=ROOT,
                env={
                    **inherited,
                    **places,
                    "HOME": str(self.home),
                    "PYTHONPATH": str(ROOT),
                    "QT_QPA_PLATFORM": screen,
                },
                stderr=errors,
            )
        return self._program

    def _why(self, program: "subprocess.Popen[bytes]") -> str:
        _end(program)
        said = (self.home / "stderr.txt").read_text(encoding="utf-8", errors="replace")[-3000:]
        stuck = self.lines[-1].words if program.returncode == STUCK and self.lines else ""
        return f"the program ended with {program.returncode}: {stuck}\n{said}"


class Judge:
    """Reads the diary and says whether what came back after a kill is what was there before.

    Args:
        report: Is filled in.
    """

    def __init__(self, report: Report) -> None:
        self._report = report
        self._known: set[str] = set()
        self._timeline: list[Line] = []  # states of the stage that is worked on, and letters typed
        self._killed_at: float | None = None
        self._is_sending = False
        self._is_sent = False
        self._starts: set[str] = set()

    def note_kill(self, at: float, life: list[Line]) -> None:
        """The program was killed; `life` are the lines it wrote since it was started."""
        self._report.kills += 1
        if any(line.kind == "opened" for line in life):
            self._killed_at = at
            self._report.in_submitting += bool(life) and life[-1].kind == "submitting"
        else:
            self._report.in_starting += 1

    def read(self, line: Line) -> None:
        """Take in one line of the diary."""
        if line.kind == "opened":
            self._check_opening(line)
            self._killed_at = None
        if line.kind in ("opened", "state", "submitting"):
            self._known.add(line.state)
            self._timeline.append(line)
        elif line.kind == "typed":
            self._timeline.append(line)
        self._is_sending = self._is_sending or line.kind == "submitting"
        if line.kind == "submitted":
            self._is_sent = True

    def _check_opening(self, line: Line) -> None:
        """What the window shows after it was started, or after the first self-check was handed on."""
        before = [one for one in self._timeline if one.kind != "typed"]
        if not before or before[-1].stage is not line.stage:
            self._check_stage(line, before)
            return
        assert not self._is_sent, f"a submitted stage came back: {line}"
        assert line.state in self._known, f"a state nobody made: {line}"
        self._is_sending = False
        if self._killed_at is not None:
            self._check_age(line, before, self._killed_at)

    def _check_stage(self, line: Line, before: list[Line]) -> None:
        """Another stage begins with exactly what was submitted."""
        assert not before or self._is_sending, f"the stage changed unasked: {line}"
        assert not before or line.answers == before[-1].answers, f"not what was submitted: {line}"
        assert not line.words, f"nothing was restored: {line}"
        self._timeline.clear()
        self._is_sending = self._is_sent = False
        self._starts.add(line.state)

    def _check_age(self, line: Line, before: list[Line], killed_at: float) -> None:
        due = killed_at - ALLOWED_SECONDS
        begun = max(i for i, one in enumerate(before) if one.kind == "opened")
        before = before[begun:]
        found = [i for i, one in enumerate(before) if one.state == line.state]
        assert found, f"a state of an earlier life came back: {line}"
        place = found[-1]
        gone_at = before[place + 1].at if place + 1 < len(before) else killed_at
        lost = killed_at - gone_at
        self._report.lost_seconds.append(lost)
        assert gone_at >= due, f"{lost:.2f} s of work are lost: {line}"
        letters = [one for one in self._timeline if one.kind == "typed" and one.at >= before[0].at]
        for task, written in enumerate(line.answers):
            typed = [one for one in letters if one.task == task]
            last = max((i for i, one in enumerate(typed) if one.at <= due), default=None)
            texts = {one.words for one in typed[last:]} if last is not None else None
            assert texts is None or written in texts, f"typed letters are lost: {written!r} of {texts}"
        if line.state not in self._starts:
            assert line.words.startswith("Restored "), f"it does not say what was restored: {line}"
            self._report.restored += 1


def distinct_steps(lines: list[Line]) -> int:
    """How far the work is: states and letters that were there for the first time."""
    return len(
        {(one.kind, one.state, one.task, one.words) for one in lines if one.kind in ("state", "typed")}
    )


def moments(count: int, *, chance: random.Random) -> list[float]:
    """Random moments spread over the whole work, as rising shares of it."""
    return sorted(chance.random() for _ in range(count))


def _end(program: "subprocess.Popen[bytes]") -> None:
    if program.poll() is None:
        program.kill()
    program.wait()
