"""The list of findings: errors first, many of one rule on one line."""

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotator.cases.edits.edge_edits import remove_edge
from annotator.cases.edits.text_edits import set_policy
from annotator.cases.findings.rules import RULES
from annotator.drafts.problems import findings_words
from annotator.guidelines import Language, read_guidelines
from scoring.model.labels import Finding, Waiver
from scoring.model.taxonomy import Policy, Severity
from tests.ui.find import find, words_in
from tests.ui.workbench.driving import Bench
from ui.desk.tabs.findings_section import FindingRow, FindingsSection, GroupRow, grouped
from ui.dialogue.card_head import hint_of
from ui.theme import Button
from ui.theme.words import FINDING


def finding(rule: str, task: int, severity: Severity = Severity.WARNING) -> Finding:
    """A finding of a rule in a task."""
    return Finding(rule=rule, severity=severity, message=f"{rule} in {task}", task=task)


MISSING = [finding("observation.missing", task) for task in range(3)]
WRONG = finding("policy.differs", 2, Severity.ERROR)


def test_errors_stand_first_and_many_warnings_of_one_rule_on_one_line() -> None:
    differs = finding("args.differs", 0)
    assert grouped([*MISSING, differs, WRONG], set()) == [WRONG, MISSING, differs]


def test_a_rule_that_was_opened_is_shown_one_by_one() -> None:
    assert grouped(MISSING, {"observation.missing"}) == MISSING


def test_two_of_a_kind_are_no_group() -> None:
    assert grouped(MISSING[:2], set()) == MISSING[:2]


def test_a_group_opens_into_its_findings(qtbot: QtBot, light: QApplication) -> None:
    section = FindingsSection()
    qtbot.addWidget(section)
    section.show_findings(MISSING, ())
    group = find(section, GroupRow, "group-observation.missing")
    assert group.hint.words == "Observation missing 3 times in tasks 1, 2, 3"
    find(group, Button, "action-open").click()
    assert len([row for row in section.findChildren(FindingRow) if not row.isHidden()]) == 3


def test_a_row_names_its_task_as_people_count_them(qtbot: QtBot, light: QApplication) -> None:
    section = FindingsSection()
    qtbot.addWidget(section)
    section.show_findings([WRONG], ())
    row = section.row(WRONG)
    assert row is not None
    assert row.hint.words == "Policy differs from the drawing Task 3 · blocks the submission"


def test_the_code_of_a_finding_is_told_on_demand_alone(qtbot: QtBot, light: QApplication) -> None:
    differs = Finding(rule="args.differs", severity=Severity.WARNING, message="It differs.", task=0, step=1)
    section = FindingsSection()
    qtbot.addWidget(section)
    section.show_findings([differs], ())
    row = section.row(differs)
    assert row is not None
    for shown in (row.hint, hint_of(differs, is_waived=True, is_read_only=False)):
        assert differs.rule not in words_in(shown)
        assert differs.rule in shown.toolTip()


def test_what_its_card_says_and_offers_a_row_only_points_to(qtbot: QtBot, light: QApplication) -> None:
    section = FindingsSection()
    qtbot.addWidget(section)
    differs = finding("information.differs", 0).model_copy(update={"proposal": "omission"})
    everywhere = Finding(rule="text.untrusted", severity=Severity.WARNING, message="A tool hides text.")
    section.show_findings([differs, everywhere, MISSING[0]], ())
    for one, said, offers in (
        (differs, "Information differs from the evidence Task 1", []),
        (everywhere, "Suspicious characters Whole case · A tool hides text.", []),
        (MISSING[0], "Observation missing Task 1", ["Write it"]),
    ):
        row = section.row(one)
        assert row is not None
        assert row.hint.words == said
        assert [button.text() for button in row.findChildren(Button)] == offers
    card = hint_of(differs, is_waived=False, is_read_only=False)
    assert differs.message in card.words
    assert [button.text() for button in card.findChildren(Button)] == ["Label it Omission", "Waive"]


def test_every_rule_has_the_name_its_explanation_has() -> None:
    finding_terms = read_guidelines(Language.ENGLISH).section_of("finding")
    assert finding_terms is not None
    assert {term.id: term.title for term in finding_terms.terms} == dict(FINDING)
    assert tuple(FINDING) == RULES


def test_a_row_says_whether_its_finding_blocks(qtbot: QtBot, light: QApplication) -> None:
    section, warning = FindingsSection(), finding("args.differs", 0)
    qtbot.addWidget(section)
    waived = Waiver(rule=WRONG.rule, where=WRONG.where, reason="seen")
    for waivers, do_errors_block, said in (
        ((), True, ("Task 3 · blocks the submission", "Task 1")),
        ((), False, ("Task 3", "Task 1")),
        ((waived,), True, ("Task 3 · waived: seen", "Task 1")),
    ):
        section.show_findings([WRONG, warning], waivers, do_errors_block=do_errors_block)
        rows = [section.row(one) for one in (WRONG, warning)]
        for row, words in zip(rows, said, strict=True):
            assert row is not None
            assert row.hint.words == f"{FINDING[row.finding.rule]} {words}"


def test_asking_for_the_row_of_a_grouped_finding_opens_its_group(qtbot: QtBot, light: QApplication) -> None:
    section = FindingsSection()
    qtbot.addWidget(section)
    section.show_findings(MISSING, ())
    row = section.row(MISSING[1])
    assert row is not None
    assert row.finding == MISSING[1]


def test_errors_and_warnings_are_counted_apart_and_notes_not_at_all() -> None:
    note = finding("args.default", 0, Severity.INFO)
    assert findings_words([note, WRONG, *MISSING]) == "1 error, 3 warnings"
    assert findings_words(MISSING[:1]) == "1 warning"
    assert findings_words([note]) == ""


def test_the_bar_and_the_panel_count_the_same_also_where_nothing_stops_the_submission(bench: Bench) -> None:
    bench.open("c-1")
    document = bench.document
    document.edit_case("forget", lambda case: remove_edge(case, 0, source=0, target=1))
    bench.press("U", "Alt+2", "G", "Alt+1")
    document.edit_case("adopt", lambda case: set_policy(case, 0, policy=Policy.MULTI_PARALLEL))
    panel = bench.panels.review.findings
    assert panel.heading.accessibleName() == "Findings · 3 warnings"
    assert bench.chip_words()[0] == "3 warnings, not blocking"
    document.edit_case("label", lambda case: set_policy(case, 0, policy=Policy.SINGLE))
    words = bench.chip_words()[0]
    assert words.startswith("1 error, ")
    assert panel.heading.accessibleName() == f"Findings · {words}"


def test_notes_are_shown_on_demand_and_waived_ones_after_the_open_ones(
    qtbot: QtBot, light: QApplication
) -> None:
    section = FindingsSection()
    qtbot.addWidget(section)
    note = finding("args.default", 0, Severity.INFO)
    waiver = Waiver(rule=WRONG.rule, where=WRONG.where, reason="seen")
    section.show_findings([note, WRONG, MISSING[0]], [waiver])
    assert section.heading.accessibleName() == "Findings · 1 warning"
    assert section.row(note) is None
    find(section, Button, "show-notes").click()
    assert section.row(note) is not None
    waived = section.row(WRONG)
    assert waived is not None
    assert "waived: seen" in waived.hint.words
