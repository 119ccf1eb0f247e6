"""Every dialog and popup panel of the window, made of little, usual or much content."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from enum import IntEnum
from pathlib import Path

from PySide6.QtWidgets import QDialog, QLineEdit, QMainWindow, QPlainTextEdit, QPushButton, QTreeWidget

from annotator.cases.editing import set_user_text
from annotator.cases.importing import ImportReport, Reject
from annotator.release.freezing import Excluded, FreezePreview, ReleaseRow
from annotator.review.drafts import DraftBody
from annotator.review.listing import BatchRow
from annotator.review.notifying import Notification
from annotator.settings import AssistSettings
from scoring.model.case import Case
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import FeedbackCategory, Role, Stage
from tests.factories import answer, call, case, task, tool
from tests.ui.find import find
from ui.commands import Command, Commands, Palette, Profiles, ShortcutSheet
from ui.commands.profiles import DEFAULT
from ui.errors import CrashDialog
from ui.main_window.leaving import LeaveDialog
from ui.main_window.notices import NoticePanel
from ui.queue.assigning import AssignDialog
from ui.queue.importing import ImportDialog, RejectsDialog
from ui.releases.freezing import FreezeDialog
from ui.runs.importing import PredictionsDialog
from ui.runs.starting import RunDialog
from ui.team.batch_dialogs import GiveDialog, HandOverDialog, ReturnDialog
from ui.team.people import PasswordDialog, PersonDialog, RolesDialog
from ui.workbench.aside import AsideDialog
from ui.workbench.assist_settings import AssistDialog
from ui.workbench.journal import Kept, SetAside, WorkKey
from ui.workbench.reason_dialog import ReasonDialog
from ui.workbench.replace_dialog import ReplaceDialog
from ui.workbench.snapshot import opening_snapshot

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


class Amount(IntEnum):
    """How much there is to show."""

    LITTLE = 0
    USUAL = 1
    MUCH = 2


def _count(amount: Amount, *, usual: int, much: int) -> int:
    return (0, usual, much)[amount]


def _name(amount: Amount, number: int, *, stem: str) -> str:
    if amount is Amount.MUCH:
        return (
            f"{stem}_{number:02}_of_the_second_delivery_of_november_2026_with_every_long_dialogue_{'x' * 20}"
        )
    return f"{stem}-{number:02}"


def _people(amount: Amount) -> list[str]:
    if amount is Amount.MUCH:
        return [
            "Wilhelmina-Alexandra " + "von und zu " * 6 + "Hohenfels",
            *(f"ann-{n}" for n in range(2, 31)),
        ]
    return [f"ann-{number}" for number in range(1, 1 + _count(amount, usual=4, much=30))]


def _batches(amount: Amount) -> list[BatchRow]:
    return [
        BatchRow(number, _name(amount, number, stem="batch"), NOON, False, 100 * number, {})
        for number in range(1, 1 + _count(amount, usual=3, much=40))
    ]


def _paths(amount: Amount, *, stem: str) -> list[Path]:
    folder = Path("/srv/annotation/deliveries") / ("2026-11-20-second-delivery/" * 6 if amount > 1 else "")
    return [
        folder / f"{_name(amount, number, stem=stem)}.jsonl"
        for number in range(1, 1 + _count(amount, usual=2, much=20))
    ]


def _releases(amount: Amount) -> list[ReleaseRow]:
    return [
        ReleaseRow(
            number, _name(amount, number, stem="release"), NOON, "ann", "0" * 64, 100, f"/srv/{number}", "{}"
        )
        for number in range(1, 1 + _count(amount, usual=2, much=40))
    ]


def _case(amount: Amount) -> Case:
    long = "Please send the parcel with the number P-881 on to the depot in Hamar. " * (1 + 20 * (amount > 1))
    tasks = [
        task(call("reroute", {"ok": True}, depot="Hamar-7"), answer(long), user=f"{number}: {long}")
        for number in range(1 + _count(amount, usual=3, much=40))
    ]
    return case(*tasks, tools=[tool("reroute", depot={"type": "string"})])


def _assign(parent: QMainWindow, amount: Amount) -> QDialog:
    return AssignDialog(_batches(amount), _people(amount), parent=parent)


def _import(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = ImportDialog(parent)
    dialog.add_files([str(path) for path in _paths(amount, stem="cases")])
    return dialog


def _rejects(parent: QMainWindow, amount: Amount) -> QDialog:
    rejects = tuple(
        Reject(
            file=str(path), line=number * 1000, reason="Task 2 has no request: a task begins with one. " * 4
        )
        for path in _paths(amount, stem="cases")
        for number in range(1, 6)
    )
    report = ImportReport(
        imported=100, duplicates=4, rejected=len(rejects), findings=12, batch=1, rejects=rejects
    )
    dialog = RejectsDialog(report, batch=_name(amount, 1, stem="batch"), parent=parent)
    if amount is Amount.MUCH:
        dialog.save("/no/such/folder/" + "deliveries/" * 20 + "rejects.tsv")
    return dialog


def _give(parent: QMainWindow, amount: Amount) -> QDialog:
    return GiveDialog(_name(amount, 1, stem="batch"), _people(amount), parent)


def _return(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = ReturnDialog(_name(amount, 1, stem="batch"), 1234, parent)
    find(dialog, QPlainTextEdit, "return-reason").setPlainText("The dates are wrong. " * amount**6)
    return dialog


def _hand_over(parent: QMainWindow, amount: Amount) -> QDialog:
    people = _people(amount)
    return HandOverDialog(_name(amount, 1, stem="batch"), dict.fromkeys(people, 120), people, parent)


def _person(parent: QMainWindow, amount: Amount) -> QDialog:
    return PersonDialog(_people(amount), parent)


def _roles(parent: QMainWindow, amount: Amount) -> QDialog:
    return RolesDialog((_people(amount) or ["ann"])[0], tuple(Role), parent=parent)


def _password(parent: QMainWindow, amount: Amount) -> QDialog:
    return PasswordDialog((_people(amount) or ["ann"])[0], parent)


def _reason(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = ReasonDialog(
        "Reject this case?",
        "An expert decides whether it is thrown away. Say why it cannot be repaired.",
        verb="Reject case",
        parent=parent,
        has_category=amount > 0,
    )
    dialog.note.setPlainText("The tool does not do what is asked. " * amount**6)
    return dialog


def _replace(parent: QMainWindow, amount: Amount) -> QDialog:
    shown = _case(amount)
    dialog = ReplaceDialog(lambda: shown, parent, words="parcel" if amount else "")
    places = find(dialog, QTreeWidget, "replace-places")
    places.setCurrentIndex(places.model().index(0, 0))
    return dialog


def _aside(parent: QMainWindow, amount: Amount) -> QDialog:
    shown = _case(amount)
    key = WorkKey(project="/srv/p.db", person="ann", case_id="c-1", stage=Stage.SELF_CHECK_TASK, round=1)
    judgment = Judgment(tasks=labels_of(shown))
    found = [
        SetAside(
            path,
            Kept(
                key=key,
                at=NOON - timedelta(hours=number),
                body=DraftBody(case=set_user_text(shown, 0, text=f"Text {number}"), judgment=judgment),
            )
            if number != 1
            else None,
        )
        for number, path in enumerate(_paths(amount, stem="work"))
    ]
    return AsideDialog(found, opening_snapshot(shown, judgment), parent)


def _assist(parent: QMainWindow, amount: Amount) -> QDialog:
    address = "ftp://" + "models.internal.example/" * 12 if amount > 1 else "http://localhost:11434/v1"
    settings = AssistSettings(base_url=address, model="careful-agent-32b" * amount**4, key_variable="KEY")
    dialog = AssistDialog(settings if amount else AssistSettings(), parent)
    if amount is Amount.MUCH:
        find(dialog, QLineEdit, "assist-address").setText(address)
        find(dialog, QPushButton, "assist-save").click()
    return dialog


def _freeze(parent: QMainWindow, amount: Amount) -> QDialog:
    count = _count(amount, usual=12, much=400)
    stages = (Stage.IMPORTED, Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK, Stage.ESCALATED, Stage.EXPERT)
    excluded = tuple(
        Excluded(
            case_id=_name(amount, number, stem="case"),
            stage=stages[number % len(stages)],
            reason="its reviewers have not all spoken",
        )
        for number in range(count)
    )
    preview = FreezePreview(
        case_count=1234, task_count=5678, open_errors=count, excluded_count=count * 3, excluded=excluded
    )
    folder = Path("/srv/releases") / ("a-folder-far-down/" * 12 if amount > 1 else "")
    dialog = FreezeDialog(preview, folder=folder, name=_name(amount, 1, stem="2026.11"), parent=parent)
    if amount is Amount.MUCH:
        find(dialog, QTreeWidget, "freeze-outside").expandAll()
    return dialog


def _predictions(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = PredictionsDialog(_releases(amount), parent=parent)
    dialog.add_files([str(path) for path in _paths(amount, stem="careful")])
    return dialog


def _run(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = RunDialog(_releases(amount), project="/srv/annotation/team.db", parent=parent)
    if amount:
        find(dialog, QLineEdit, "run-model").setText("careful-agent-32b" * amount**4)
        find(dialog, QLineEdit, "run-address").setText("ftp://models.internal.example/" * amount**4)
    return dialog


def _leave(parent: QMainWindow, amount: Amount) -> QDialog:
    reasons = ["The project has not answered yet; your last changes may not be saved."]
    for number in range(_count(amount, usual=2, much=20)):
        title = f"Import {_name(amount, number, stem='batch')}"
        reasons.append(f"“{title}” is still running; it would stop here, and what it has done stays.")
    return LeaveDialog(reasons, parent)


def _crash(parent: QMainWindow, amount: Amount) -> QDialog:
    report = "\n".join(
        f'  File "/srv/annotator/{"deep/" * 30}module.py", line {n}' for n in range(3 + amount * 100)
    )
    saved = "Your work on this case is kept in /srv/" + "annotation-drafts/" * amount**4
    return CrashDialog(report, saved=saved, parent=parent)


def _commands(parent: QMainWindow, amount: Amount) -> Commands:
    commands = Commands(parent)
    for number in range(_count(amount, usual=20, much=150)):
        title = f"Accept what the reviewer proposes for place {number}"
        commands.add(
            Command(
                f"c.{number}", title, f"Category {number % 9}", lambda: None, keys=f"Ctrl+F{number % 30 + 1}"
            )
        )
    return commands


def _sheet(parent: QMainWindow, amount: Amount) -> QDialog:
    profiles = Profiles(_commands(parent, amount), active=DEFAULT, own={})
    if amount is Amount.MUCH:
        profiles.add("Of the second team in November")
    return ShortcutSheet(parent.findChildren(Commands)[-1], profiles, parent=parent)


DIALOGS: Mapping[str, Callable[[QMainWindow, Amount], QDialog]] = {
    "assign": _assign,
    "import": _import,
    "rejects": _rejects,
    "give": _give,
    "return": _return,
    "hand-over": _hand_over,
    "person": _person,
    "roles": _roles,
    "password": _password,
    "reason": _reason,
    "replace": _replace,
    "aside": _aside,
    "assist": _assist,
    "freeze": _freeze,
    "predictions": _predictions,
    "run": _run,
    "leave": _leave,
    "crash": _crash,
    "sheet": _sheet,
}
"""What is opened with `open_dialog`."""


def palette_of(parent: QMainWindow, amount: Amount) -> Palette:
    """The palette over so many commands."""
    return Palette(_commands(parent, amount), parent)


def notices_of(parent: QMainWindow, amount: Amount) -> NoticePanel:
    """The panel of what is new, with so much of it."""
    panel = NoticePanel(parent)
    panel.show_notices(
        [
            Notification(
                kind=("returned", "answer", "feedback")[number % 3],
                case_id=_name(amount, number, stem="case"),
                text="The day in the second call is not the one that was asked for. " * amount,
                at=NOON - timedelta(hours=number),
                sender=_people(amount)[0],
                number=number or None,
                category=FeedbackCategory.OTHER if number % 3 == 2 else None,
            )
            for number in range(_count(amount, usual=4, much=60))
        ]
    )
    return panel
