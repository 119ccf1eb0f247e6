"""Every dialog and popup panel of the window, made of little, usual or much content."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import (
    QDialog,
    QLabel,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QPushButton,
    QTreeWidget,
)

from annotator.cases.edits.text_edits import set_user_text
from annotator.cases.file_import import ImportReport
from annotator.cases.import_preview import Reject
from annotator.cases.tool_categories import ToolsetRow
from annotator.drafts.draft_body import DraftBody
from annotator.drafts.journal import JournalEntry, SetAside, WorkKey
from annotator.drafts.snapshot import opening_snapshot
from annotator.generation.plan import GenerationPlan, RoleModel
from annotator.generation.roles import AgentRole
from annotator.project.people import PersonRow
from annotator.project.policy import ReviewPolicy
from annotator.release.freeze import Excluded, FreezePreview
from annotator.release.manifest import KeptDefect
from annotator.release.quality import Plan
from annotator.review.bulk_changes import BulkAction, BulkChange, BulkOutcome
from annotator.review.measures.guideline_versions import GuidelineChange
from annotator.review.queue.notices import Notification
from annotator.review.queue.takers import CaseTaker, CaseTakers
from annotator.settings import AssistSettings
from scoring.errors import ServerAccessError, StoreError
from scoring.measures.proposed_values import ProposedValue
from scoring.model.case import AcceptedValue, Call
from scoring.model.labels import Judgment, labels_of
from scoring.model.taxonomy import FeedbackCategory, Role, Stage
from scoring.model_card import CARD_FIELDS, ModelCard
from tests.factories import tool
from tests.ui.amounts import NOON, Amount, batches, count_of, long_case, name_of, paths, people, releases
from tests.ui.find import find
from ui.coverage.tables import category_dialog
from ui.desk.accepted_dialog import AcceptedDialog
from ui.desk.dialogs import (
    ReplaceDialog,
    ToolPicker,
    derived_dialog,
    reason_dialog,
    time_dialog,
)
from ui.desk.document import CaseDocument
from ui.generate.run_dialog import GenerateDialog, resume_dialog
from ui.queue.dialogs import change_dialog, takers_dialog
from ui.queue.import_dialogs import ImportDialog, RejectsDialog
from ui.releases.freeze_wizard import FreezeDialog
from ui.releases.quality import SampleDialog
from ui.releases.release_details import errata_dialog
from ui.runs.exports import paper_dialog
from ui.runs.run_dialog import RunDialog
from ui.runs.score_dialogs import PredictionsDialog, card_dialog
from ui.services.assignments import assign_dialog, confirm_dialog, hand_dialog
from ui.services.commands import Command, Commands
from ui.services.errors import CrashDialog
from ui.services.guideline_news import news_dialog
from ui.services.operations import Operations
from ui.services.palette import CommandPalette
from ui.services.preferences import DEFAULT, Preferences, Profiles
from ui.services.shortcut_sheet import ShortcutSheet
from ui.shell.connect_dialog import ConnectDialog
from ui.shell.entrance import leave_dialog
from ui.shell.help_panel import GuideDialog
from ui.shell.notices import NoticePanel
from ui.shell.settings_dialog import SettingsDialog
from ui.team.batch_dialogs import (
    away_dialog,
    due_dialog,
    hand_over_dialog,
    merge_dialog,
    move_dialog,
    return_dialog,
    split_dialog,
)
from ui.team.lead_tasks import pool_dialog
from ui.team.person_dialogs import disable_dialog, password_dialog, person_dialog, roles_dialog
from ui.workbench.assist_panel import assist_dialog
from ui.workbench.restored_work import SetAsideDialog
from ui.workbench.submission import ChangesDialog


def _assign(parent: QMainWindow, amount: Amount) -> QDialog:
    return assign_dialog(parent, batches(amount), people(amount))


def _import(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = ImportDialog(parent)
    dialog.files.add([str(path) for path in paths(amount, stem="cases")])
    return dialog


def _rejects(parent: QMainWindow, amount: Amount) -> QDialog:
    rejects = tuple(
        Reject(
            file=str(path), line=number * 1000, reason="Task 2 has no request: a task begins with one. " * 4
        )
        for path in paths(amount, stem="cases")
        for number in range(1, 6)
    )
    report = ImportReport(imported=100, duplicates=4, findings=12, batch=1, rejects=rejects)
    dialog = RejectsDialog(report, batch=name_of(amount, 1, stem="batch"), parent=parent)
    if amount is Amount.MUCH:
        place = "/no/such/folder/" + "deliveries/" * 20
        dialog.show_error(StoreError(f"{place}rejects.tsv cannot be written: there is no folder {place}."))
    return dialog


def _return(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = return_dialog(parent, name_of(amount, 1, stem="batch"), 1234)
    find(dialog, QPlainTextEdit, "return-reason").setPlainText("The dates are wrong. " * amount**6)
    return dialog


def _hand_over(parent: QMainWindow, amount: Amount) -> QDialog:
    everybody = people(amount)
    name = name_of(amount, 1, stem="batch")
    return hand_over_dialog(parent, name, dict.fromkeys(everybody, 120), everybody)


def _split(parent: QMainWindow, amount: Amount) -> QDialog:
    name = name_of(amount, 1, stem="batch")
    return split_dialog(parent, name, finished=17, open_=167, name=f"{name}-part-1", taken=[name])


def _merge(parent: QMainWindow, amount: Amount) -> QDialog:
    others = [batch.name for batch in batches(amount)]
    return merge_dialog(parent, name_of(amount, 0, stem="batch"), 184, others)


def _move(parent: QMainWindow, amount: Amount) -> QDialog:
    cases: dict[str | None, tuple[str, ...]] = dict.fromkeys(people(amount), ("c-1", "c-2"))
    others = [batch.name for batch in batches(amount)]
    return move_dialog(parent, name_of(amount, 0, stem="batch"), cases, others=others, taken=others)


def _due(parent: QMainWindow, amount: Amount) -> QDialog:
    return due_dialog(parent, name_of(amount, 1, stem="batch"), NOON.date() if amount else None)


def _category(parent: QMainWindow, amount: Amount) -> QDialog:
    tools = tuple(name_of(amount, number, stem="tool") for number in range(6))
    row = ToolsetRow(id="1", case_id=name_of(amount, 1, stem="case"), cases=3, tools=tools)
    return category_dialog(parent, row)


def _hand(parent: QMainWindow, amount: Amount) -> QDialog:
    return hand_dialog(parent, name_of(amount, 1, stem="case"), people(amount), chosen=None)


def _who(parent: QMainWindow, amount: Amount) -> QDialog:
    whys = ("", "Others were asked.", "Has not finished the training.")
    takers = tuple(
        CaseTaker(person=name, may=not number % 3, why=whys[number % 3])
        for number, name in enumerate(people(amount))
    )
    name = name_of(amount, 1, stem="case")
    helps = "A manager can add an annotator, lower `reviewers`, or return the batch."
    return takers_dialog(parent, CaseTakers(case_id=name, stage=Stage.CROSS_CHECK, people=takers, help=helps))


def _change_cases(parent: QMainWindow, amount: Amount) -> QDialog:
    names = [batch.name for batch in batches(amount)]
    return change_dialog(parent, count_of(amount, usual=37, much=12_000), people(amount), names)


def _confirm_change(parent: QMainWindow, amount: Amount) -> QDialog:
    case_id = name_of(amount, 1, stem="case")
    reasons = (
        f"{name_of(amount, 2, stem='ann')} has decided {case_id} and cannot own it.",
        f"{name_of(amount, 1, stem='ann')} has cross-checked {case_id} and cannot own it.",
    )
    outcome = BulkOutcome(
        cases=(case_id,) * 37,
        changed=30,
        already=2,
        refused=dict.fromkeys(reasons, 2),
        refused_cases=dict.fromkeys(reasons, (case_id, case_id)),
        left=0,
        is_done=False,
    )
    change = BulkChange(action=BulkAction.ASSIGN, value=name_of(amount, 1, stem="ann"))
    return confirm_dialog(parent, change, outcome)


def _away(parent: QMainWindow, amount: Amount) -> QDialog:
    name, back = name_of(amount, 1, stem="ann"), NOON.date() if amount else None
    return away_dialog(parent, PersonRow(1, name, (Role.ANNOTATOR,), True, False, NOON, back))


def _news(parent: QMainWindow, amount: Amount) -> QDialog:
    line = "policy.single right: 'It' stands for the van: reference. " * amount
    changes = [
        GuidelineChange(version=number, at=NOON, by=people(amount)[0], added=(line,), removed=(line,))
        for number in range(1, 1 + count_of(amount, usual=2, much=12))
    ]
    return news_dialog(parent, changes)


def _pool(parent: QMainWindow, amount: Amount) -> QDialog:
    whys = ("Is away until 2026-12-10.", "Others were asked.")
    cases = tuple(
        CaseTakers(
            case_id=name_of(amount, number, stem="case"),
            stage=Stage.CROSS_CHECK,
            people=tuple(
                CaseTaker(person=name, may=False, why=whys[place % 2])
                for place, name in enumerate(people(amount))
            ),
            help="A manager can add an expert who had no part in it.",
        )
        for number in range(count_of(amount, usual=3, much=40))
    )
    return pool_dialog(parent, cases)


def _person(parent: QMainWindow, amount: Amount) -> QDialog:
    return person_dialog(parent, people(amount))


def _roles(parent: QMainWindow, amount: Amount) -> QDialog:
    return roles_dialog(parent, (people(amount) or ["ann"])[0], tuple(Role))


def _password(parent: QMainWindow, amount: Amount) -> QDialog:
    return password_dialog(parent, (people(amount) or ["ann"])[0])


def _disable(parent: QMainWindow, amount: Amount) -> QDialog:
    held = ("c-1",) * count_of(amount, usual=9, much=12_000)
    return disable_dialog(parent, name_of(amount, 1, stem="ann"), held)


def _guide(parent: QMainWindow, _: Amount) -> QDialog:
    return GuideDialog(Preferences(Path("no settings yet.json")), parent)


def _reason(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = reason_dialog(
        "Reject this case?",
        "An expert decides whether it is thrown away. Say why it cannot be repaired.",
        verb="Reject case",
        parent=parent,
        has_category=amount > 0,
    )
    find(dialog, QPlainTextEdit, "reason-note").setPlainText(
        "The tool does not do what is asked. " * amount**6
    )
    return dialog


def _time(parent: QMainWindow, amount: Amount) -> QDialog:
    return time_dialog("2026-03-02 09:30:00 Monday, " * amount**3, parent, task=amount or None)


def _accepted(parent: QMainWindow, amount: Amount) -> QDialog:
    value = 10**amount
    call = Call(name="see", arguments={"city": value}, accepted={"/city": {"values": [*range(amount**3)]}})
    dialog = AcceptedDialog(call, parent, task=0, path="/city")
    models = tuple(name_of(amount, number, stem="model") for number in range(amount))
    added = AcceptedValue(values=(name_of(amount, 1, stem="city"),))
    place = {"case": "c-1", "task": 0, "step": 0, "tool": "see", "path": "/city", "gold": value}
    dialog.offer([ProposedValue(**place, added=added, models=models, asked=amount)] * amount)
    return dialog


def _replace(parent: QMainWindow, amount: Amount) -> QDialog:
    shown = long_case(amount)
    dialog = ReplaceDialog(lambda: shown, parent, words="parcel" if amount else "")
    places = find(dialog, QTreeWidget, "replace-places")
    places.setCurrentIndex(places.model().index(0, 0))
    return dialog


def _tools(parent: QMainWindow, amount: Amount) -> QDialog:
    tools = [
        tool(
            name_of(amount, number, stem="tool"),
            depot={"type": "string", "description": "Where. " * amount**5},
        )
        for number in range(1, 2 + count_of(amount, usual=5, much=60))
    ]
    return ToolPicker(tools, title="Insert a call", recent=(), parent=parent)


def _changes(parent: QMainWindow, amount: Amount) -> QDialog:
    shown = long_case(amount)
    judgment = Judgment(tasks=labels_of(shown))
    document = CaseDocument(
        shown, judgment, stage=Stage.SELF_CHECK_TASK, policy=ReviewPolicy(), parent=parent
    )
    for number in range(amount * 30):
        document.edit_case(f"edit {number}", partial(set_user_text, task=0, text="word " * (number + 1)))
    return ChangesDialog(document, parent)


def _aside(parent: QMainWindow, amount: Amount) -> QDialog:
    shown = long_case(amount)
    key = WorkKey(project="/srv/p.db", person="ann", case_id="c-1", stage=Stage.SELF_CHECK_TASK, round=1)
    judgment = Judgment(tasks=labels_of(shown))
    found = [
        SetAside(
            path,
            JournalEntry(
                key=key,
                at=NOON - timedelta(hours=number),
                body=DraftBody(case=set_user_text(shown, 0, text=f"Text {number}"), judgment=judgment),
            )
            if number != 1
            else None,
        )
        for number, path in enumerate(paths(amount, stem="work"))
    ]
    return SetAsideDialog(found, opening_snapshot(shown, judgment), parent)


def _assist(parent: QMainWindow, amount: Amount) -> QDialog:
    address = "ftp://" + "models.internal.example/" * 12 if amount > 1 else "http://localhost:11434/v1"
    settings = AssistSettings(base_url=address, model="careful-agent-32b" * amount**4, key_variable="KEY")
    dialog = assist_dialog(settings if amount else AssistSettings(), parent)
    if amount is Amount.MUCH:
        find(dialog, QLineEdit, "assist-base_url").setText(address)
        find(dialog, QPushButton, "assist-go").click()
    return dialog


def _freeze(parent: QMainWindow, amount: Amount) -> QDialog:
    count = count_of(amount, usual=12, much=400)
    stages = (Stage.IMPORTED, Stage.SELF_CHECK_TASK, Stage.CROSS_CHECK, Stage.ESCALATED, Stage.EXPERT)
    excluded = tuple(
        Excluded(
            case_id=name_of(amount, number, stem="case"),
            stage=stages[number % len(stages)],
            reason="its reviewers have not all spoken",
        )
        for number in range(count)
    )
    kept = tuple(
        KeptDefect(
            case_id=name_of(amount, number, stem="case"),
            field="task.0.completed",
            reason="meant so " * amount**3,
        )
        for number in range(count)
    )
    preview = FreezePreview(
        case_count=1234,
        task_count=5678,
        open_errors=count,
        excluded_count=count * 3,
        excluded=excluded,
        kept=kept,
    )
    folder = Path("/srv/releases") / ("a-folder-far-down/" * 12 if amount > 1 else "")
    dialog = FreezeDialog(preview, folder=folder, name=name_of(amount, 1, stem="2026.11"), parent=parent)
    if amount is Amount.MUCH:
        find(dialog, QTreeWidget, "freeze-outside").expandAll()
    return dialog


def _sample(parent: QMainWindow, amount: Amount) -> QDialog:
    drawn = {row.name: 12 for row in batches(amount)}
    dialog = SampleDialog(parent)
    dialog.show_plan(0.02, Plan(target=0.02, cases=12 * len(drawn), batches=drawn, reached=0.0199))
    return dialog


def _predictions(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = PredictionsDialog(releases(amount), parent=parent)
    dialog.files.add([str(path) for path in paths(amount, stem="careful")])
    return dialog


def _card(parent: QMainWindow, amount: Amount) -> QDialog:
    card = ModelCard(model="careful-agent-32b" * max(1, amount), guessed=CARD_FIELDS if amount else ())
    dialog = card_dialog(card, parent=parent)
    if amount:
        find(dialog, QLineEdit, "card-family").setText("careful" * amount**4)
        find(dialog, QLineEdit, "card-size").setText("many")
    return dialog


def _run(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = RunDialog(releases(amount), project="/srv/annotation/team.db", parent=parent)
    if amount:
        find(dialog, QLineEdit, "run-model").setText("careful-agent-32b" * amount**4)
        find(dialog, QLineEdit, "run-base_url").setText("ftp://models.internal.example/" * amount**4)
    return dialog


def _paper(parent: QMainWindow, amount: Amount) -> QDialog:
    return paper_dialog(Path("/srv/annotation") / ("release-" * amount**4 + "paper"), parent=parent)


def _generate(parent: QMainWindow, amount: Amount) -> QDialog:
    count = count_of(amount, usual=1, much=12)
    files = tuple(Path(f"/srv/annotation/toolsets-{number}.jsonl") for number in range(count))
    dialog = GenerateDialog(files=files, parent=parent)
    if amount:
        find(dialog, QLineEdit, "generate-model").setText("careful-agent-32b" * amount**4)
        find(dialog, QLineEdit, "generate-base_url").setText("ftp://models.internal.example/" * amount**4)
    return dialog


def _derived(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = derived_dialog(parent, count=count_of(amount, usual=1, much=40))
    find(dialog, QLineEdit, "derived-from").setText("two adults and three kids " * amount**3)
    return dialog


def _errata(parent: QMainWindow, amount: Amount) -> QDialog:
    count = count_of(amount, usual=2, much=40)
    cases = [name_of(amount, number, stem="case") for number in range(count)]
    return errata_dialog(parent, releases(amount or Amount.USUAL)[0], cases)


def _resume(parent: QMainWindow, amount: Amount) -> QDialog:
    model = RoleModel(model="careful-agent-32b" * (amount or 1) ** 3, base_url="http://127.0.0.1:8000/v1")
    plan = GenerationPlan(
        name=name_of(amount, 1, stem="generation"), tasks=2, models=dict.fromkeys(AgentRole, (model,))
    )
    return resume_dialog(parent, plan)


def _leave(parent: QMainWindow, amount: Amount) -> QDialog:
    reasons = ["The project has not answered yet; your last changes may not be saved."]
    for number in range(count_of(amount, usual=2, much=20)):
        title = f"Import {name_of(amount, number, stem='batch')}"
        reasons.append(f"“{title}” is still running. Leaving stops it; finished work is kept.")
    return leave_dialog(parent, reasons)


def _crash(parent: QMainWindow, amount: Amount) -> QDialog:
    report = "\n".join(
        f'  File "/srv/annotator/{"deep/" * 30}module.py", line {n}' for n in range(3 + amount * 100)
    )
    saved = "Your work on this case is kept in /srv/" + "annotation-drafts/" * amount**4
    return CrashDialog(report, saved=saved, parent=parent)


def _connect(parent: QMainWindow, amount: Amount) -> QDialog:
    url = f"postgresql://anna@{'db.of.the.second.team.' * amount**4}example.org:5432/team?sslmode=require"
    problem = ServerAccessError(f"{url} does not let this user in. " * amount, "Ask. " * amount**5)
    return ConnectDialog(
        Operations(parent), parent, url=url if amount else None, problem=problem if amount else None
    )


def _settings(parent: QMainWindow, amount: Amount) -> QDialog:
    dialog = SettingsDialog(Preferences(Path("no settings yet.json")), Operations(parent), parent)
    find(dialog, QLabel, "settings-endpoint").setText("careful-agent-32b" * amount**4)
    find(dialog, QLabel, "settings-message").setText("There is no keyring. " * amount**4)
    return dialog


def _commands(parent: QMainWindow, amount: Amount) -> Commands:
    commands = Commands(parent)
    for number in range(count_of(amount, usual=20, much=150)):
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
    "return": _return,
    "hand-over": _hand_over,
    "split": _split,
    "merge": _merge,
    "move": _move,
    "due": _due,
    "category": _category,
    "hand": _hand,
    "who": _who,
    "change": _change_cases,
    "change-confirm": _confirm_change,
    "away": _away,
    "pool": _pool,
    "news": _news,
    "person": _person,
    "roles": _roles,
    "password": _password,
    "disable": _disable,
    "derived": _derived,
    "errata": _errata,
    "resume": _resume,
    "guide": _guide,
    "reason": _reason,
    "replace": _replace,
    "time": _time,
    "accepted": _accepted,
    "tools": _tools,
    "changes": _changes,
    "aside": _aside,
    "assist": _assist,
    "freeze": _freeze,
    "sample": _sample,
    "predictions": _predictions,
    "card": _card,
    "run": _run,
    "paper": _paper,
    "generate": _generate,
    "leave": _leave,
    "crash": _crash,
    "connect": _connect,
    "settings": _settings,
    "sheet": _sheet,
}
"""What is opened with `open_dialog`."""


def palette_of(parent: QMainWindow, amount: Amount) -> CommandPalette:
    """The palette over so many commands."""
    return CommandPalette(_commands(parent, amount), parent)


def notices_of(parent: QMainWindow, amount: Amount) -> NoticePanel:
    """The panel of what is new, with so much of it."""
    panel = NoticePanel(parent)
    panel.show_notices(
        [
            Notification(
                kind=("returned", "answer", "feedback")[number % 3],
                case_id=name_of(amount, number, stem="case"),
                text="The day in the second call is not the one that was asked for. " * amount,
                at=NOON - timedelta(hours=number),
                sender=people(amount)[0],
                number=number or None,
                category=FeedbackCategory.OTHER if number % 3 == 2 else None,
            )
            for number in range(count_of(amount, usual=4, much=60))
        ]
    )
    return panel
