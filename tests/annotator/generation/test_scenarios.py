"""Scenarios steer first requests, and styles say how users speak: drawn evenly, kept with run and case."""

import threading
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from annotator.cases.access import show_case
from annotator.cases.findings.text_findings import personal_data_in
from annotator.generation.choices import dialogue_so_far, pick, waiting_candidates
from annotator.generation.generation_run import dialogues_of, exchanges_of, find_run, list_runs, state_of
from annotator.generation.made_case import origin_of
from annotator.generation.models import LoopSetting
from annotator.generation.next_task import make_next_task
from annotator.generation.orders import GenerationOrder
from annotator.generation.plan import Chooser, GenerationPlan, RoleModel, Scenario, UserStyle, identity_of
from annotator.generation.prompts import check_prompts, prompts_in, shipped_text, use_prompts
from annotator.generation.records import GenerationState
from annotator.generation.roles import AgentRole, RequestKind
from annotator.generation.scenarios.scenario_files import (
    MOST_LETTERS,
    MOST_SCENARIOS,
    personal_warning,
    read_scenarios,
)
from annotator.generation.traversal import dealt_steering
from annotator.jobs import JobCancelled, JobContext
from annotator.project.workspace import Workspace
from scoring.errors import InputError
from scoring.model.record import to_json
from tests.annotator.generation.scripted_run import QUICK, TOOLSET, generate, plan_for
from tests.scripted_model.endpoint import FiveRoles
from tests.scripted_model.server import ScriptedModel

NOWHERE = "http://127.0.0.1:1/v1"
SITUATIONS = tuple(
    Scenario(name=f"s.txt:{number}", text=text)
    for number, text in enumerate(
        ("A nurse swaps a night shift.", "A baker is out of yeast.", "A choir lost its hall."), 1
    )
)
MANNERS = {
    UserStyle.TERSE: "This user is terse",
    UserStyle.VAGUE: "This user words things loosely",
    UserStyle.CHATTY: "This user is chatty",
    UserStyle.CORRECTS: "This user corrects",
}


def steered(base_url: str = NOWHERE, **fields: Any) -> GenerationPlan:
    """A plan of eight dialogues over three scenarios and two styles."""
    plan = {
        "policies": "given",
        "sequences": [["single"]],
        "count": 8,
        "scenarios": SITUATIONS,
        "styles": ["terse", "chatty"],
    }
    return plan_for(base_url, **{**plan, **fields})


def written(folder: Path, text: str, name: str = "s.txt") -> Path:
    """A file with a text."""
    path = folder / name
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("one\n two \nthree\n", "s.txt", {"s.txt:1": "one", "s.txt:2": "two", "s.txt:3": "three"}),
        ("\ufeffone\r\n\r\ntwo\r\nmore\r\n", "s.txt", {"s.txt:1": "one", "s.txt:3": "two\nmore"}),
        ("\n\none\ntwo\n\n\n", "s.log", {"s.log:3": "one", "s.log:4": "two"}),
        ('{"a": 1}\n{"b": 2}', "s.log", {"s.log:1": '{"a": 1}', "s.log:2": '{"b": 2}'}),
        (
            '{"text": "late train", "known": "the line", "who": "a nurse"}\n\n"only this"\n',
            "s.jsonl",
            {"s.jsonl:1": "late train\nwho: a nurse\nknown: the line", "s.jsonl:3": "only this"},
        ),
    ],
)
def test_a_file_is_lines_paragraphs_or_json_lines(
    tmp_path: Path, text: str, name: str, found: dict[str, str]
) -> None:
    assert {one.name: one.text for one in read_scenarios(written(tmp_path, text, name))} == found


@pytest.mark.parametrize(
    ("text", "name", "message", "hint"),
    [
        ("", "s.txt", "s.txt holds no scenario.", "one a line"),
        (" \n\t\n", "s.jsonl", "s.jsonl holds no scenario.", "one a line"),
        ("x" * (MOST_LETTERS + 1), "s.txt", "s.txt:1: the scenario has 1001 characters", "Shorten it"),
        ("a\n\n" + "b\n" * 600, "s.txt", "s.txt:3: the scenario has 1199 characters", "divide it"),
        ("a\n" * (MOST_SCENARIOS + 1), "s.txt", "holds 501 scenarios, more than 500.", "Divide the file"),
        ('"a"\n{"who": "b"}', "s.jsonl", "s.jsonl:2 is no scenario.", '{"text": "..."'),
        ('{"text": "a", "when": "now"}', "s.jsonl", "s.jsonl:1 is no scenario.", "may be left out"),
        ('["a"]', "s.jsonl", "s.jsonl:1 is no scenario.", '{"text": "..."'),
        ('{"text": "a", "who": 3}', "s.jsonl", "s.jsonl:1 is no scenario.", '{"text"'),
        ("{", "s.jsonl", "s.jsonl:1: ", '{"text": "..."'),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_its_line(
    tmp_path: Path, text: str, name: str, message: str, hint: str
) -> None:
    with pytest.raises(InputError) as refused:
        read_scenarios(written(tmp_path, text, name))
    assert message in refused.value.message
    assert hint in (refused.value.hint or "")


def test_a_file_that_is_no_text_missing_or_too_long_is_refused(tmp_path: Path) -> None:
    latin = tmp_path / "latin.txt"
    latin.write_bytes("Müller".encode("latin-1"))
    with pytest.raises(InputError, match=r"latin.txt is not a text file in UTF-8"):
        read_scenarios(latin)
    with pytest.raises(InputError, match=r"gone.txt cannot be read"):
        read_scenarios(tmp_path / "gone.txt")
    with pytest.raises(InputError, match="is longer than 1 MB"):
        read_scenarios(written(tmp_path, "a" * 2_000_001))


def test_each_scenario_and_style_is_drawn_as_often_as_the_others_as_the_seed_says() -> None:
    sequences = [["single"]] * 40
    plan = steered(sequences=sequences, styles=[*UserStyle][:3])
    found = dealt_steering(plan)
    scenarios = Counter(one.scenario.name for one in found if one.scenario)
    assert sorted(scenarios.values()) == [13, 13, 14]
    assert sorted(Counter(one.style for one in found).values()) == [13, 13, 14]
    assert len({(one.scenario, one.style) for one in found}) == 9  # neither follows from the other
    assert dealt_steering(plan) == found
    seeds = [dealt_steering(steered(sequences=sequences[:1], seed=seed)) for seed in range(20)]
    assert {one.scenario for (one,) in seeds} == {*SITUATIONS}  # too few dialogues: not always the first
    assert dealt_steering(steered(sequences=sequences, seed=8)) != found
    bare = dealt_steering(steered(sequences=sequences, scenarios=(), styles=()))
    assert {(one.scenario, one.style) for one in bare} == {(None, None)}


def test_what_steers_a_run_makes_it_another_run() -> None:
    bare = steered(scenarios=(), styles=())
    identities = {
        identity_of(plan, (TOOLSET,))
        for plan in (bare, steered(styles=()), steered(scenarios=()), steered(scenarios=SITUATIONS[1:]))
    }
    assert len(identities) == 4
    assert not {"scenarios", "styles"} & bare.model_dump().keys()


def user_prompts(workspace: Workspace, run: int, dialogue: int) -> dict[RequestKind, str]:
    """What the user role of a dialogue was instructed, by what was asked."""
    found = exchanges_of(workspace, run, dialogue=dialogue)
    return {one.ask: str(one.messages[0]["content"]) for one in found if one.ask.role is AgentRole.USER}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_user_role_reads_scenario_and_style_and_the_case_says_which(
    workspace: Workspace, language: str
) -> None:
    with ScriptedModel(FiveRoles(seed=1)) as model:
        fields = {"sequences": [["clarify", "single"]], "count": 4, "styles": [*UserStyle]}
        run = generate(workspace, steered(model.base_url, language=language, **fields)).run
    rows = dialogues_of(workspace, run)
    steering = find_run(workspace, run).steering
    assert len(rows) == 4
    for row in rows:
        wanted = steering[row.dialogue]
        assert wanted.scenario is not None
        assert wanted.style is not None
        manner = prompts_in(language).text(f"style_{wanted.style.value}")
        prompts = user_prompts(workspace, run, row.dialogue)
        assert {RequestKind.CLARIFY, RequestKind.NEXT_TASK} < prompts.keys()  # and answers
        assert all(manner in text for text in prompts.values())
        first = prompts.pop(RequestKind.CLARIFY)
        assert f"<scenario>\n{wanted.scenario.text}\n</scenario>" in first
        assert not any(wanted.scenario.text in text for text in prompts.values())
        others = [
            one
            for one in exchanges_of(workspace, run, dialogue=row.dialogue)
            if one.ask.role is not AgentRole.USER
        ]
        assert not any(manner in str(one.messages) for one in others)
        case = show_case(workspace, str(row.case_id))
        origin = origin_of(case)
        assert origin is not None
        assert (origin.scenario, origin.style) == (wanted.scenario.name, wanted.style)
        assert wanted.scenario.text not in to_json(case.model_dump(mode="json"))


def test_the_sentences_of_the_four_styles_differ_in_both_languages() -> None:
    for style, words in MANNERS.items():
        assert words in prompts_in("en").text(f"style_{style.value}")
    assert len({prompts_in("zh").text(f"style_{style.value}") for style in UserStyle}) == 4


def test_a_case_of_a_run_without_scenarios_is_what_it_was(workspace: Workspace, model: ScriptedModel) -> None:
    run = generate(workspace, steered(model.base_url, scenarios=(), styles=(), count=1)).run
    (row,) = dialogues_of(workspace, run)
    generation = show_case(workspace, str(row.case_id)).extras["generation"]
    assert isinstance(generation, dict)
    assert not {"scenario", "style"} & generation.keys()
    assert "<scenario>" not in user_prompts(workspace, run, 0)[RequestKind.SINGLE]


def test_a_run_keeps_its_scenarios_and_one_that_was_stopped_makes_what_it_would_have_made(
    workspace: Workspace, model: ScriptedModel, tmp_path: Path
) -> None:
    file = written(tmp_path, "\n".join(one.text for one in SITUATIONS))
    tools = written(tmp_path, to_json([one.definition for one in TOOLSET.tools]), "tools.json")
    order = GenerationOrder(
        plan=steered(model.base_url, scenarios=()), files=(tools,), scenarios=file, patience=QUICK
    )
    stop = threading.Event()

    def listen(state: GenerationState) -> None:
        if state.requests >= 6:
            stop.set()

    with pytest.raises(JobCancelled):
        order.carry_out(workspace, context=JobContext(cancel=stop), listen=listen)
    began = find_run(workspace, 1)
    assert began.plan.scenarios == SITUATIONS
    assert state_of(workspace, 1).requests == len(model.asked)
    state = order.carry_out(workspace, context=JobContext())  # the same command
    assert (state.run, state.finished, state.requests) == (1, 8, len(model.asked))
    assert len(list_runs(workspace)) == 1
    file.write_text("Something else.", encoding="utf-8")
    kept = GenerationOrder(plan=began.plan, run=1).carry_out(workspace, context=JobContext())
    assert kept.finished == 8
    for row in dialogues_of(workspace, 1):
        scenario = began.steering[row.dialogue].scenario
        assert scenario is not None
        assert scenario.text in user_prompts(workspace, 1, row.dialogue)[RequestKind.SINGLE]
    other = order.begin(workspace)
    assert other == 2  # another file is another run


def test_people_who_choose_and_next_tasks_meet_the_same_user(
    workspace: Workspace, model: ScriptedModel
) -> None:
    plan = steered(model.base_url, sequences=[["single"] * 2], count=2, chooser=Chooser.PERSON)
    run = generate(workspace, plan).run
    for one in waiting_candidates(workspace, run):
        pick(workspace, run, one, chosen=0)
    generate(workspace, plan)
    waiting = waiting_candidates(workspace, run)
    assert [one.task for one in waiting] == [1, 1]
    assert all(dialogue_so_far(workspace, run, one)[1] is not None for one in waiting)
    layered = steered(model.base_url, sequences=[["single"] * 2], count=1, is_layered=True, styles=["vague"])
    made = generate(workspace, layered).run
    asked = len(model.asked)
    make_next_task(
        workspace,
        show_case(workspace, str(dialogues_of(workspace, made)[0].case_id)),
        wanted="single",
        played=RoleModel(model="m-2", base_url=model.base_url),
        context=JobContext(),
        setting=LoopSetting(patience=QUICK),
    )
    assert MANNERS[UserStyle.VAGUE] in str(model.asked[asked].messages[0]["content"])


def test_prompts_of_a_team_may_word_scenarios_and_older_ones_go_on(
    workspace: Workspace, model: ScriptedModel
) -> None:
    ours = shipped_text("en").replace("<scenario>\n{scenario}\n</scenario>", "Our log says: {scenario}")
    use_prompts(workspace, {"en": ours})
    run = generate(workspace, steered(model.base_url, count=1, scenarios=SITUATIONS[:1])).run
    assert f"Our log says: {SITUATIONS[0].text}" in user_prompts(workspace, run, 0)[RequestKind.SINGLE]
    head, section, rest = ours.partition("## scenario\n")
    older = head + "## next_task\n" + rest.partition("## next_task\n")[2]
    assert section
    assert prompts_in("en", older).text("scenario", scenario="x") == prompts_in("en").text(
        "scenario", scenario="x"
    )
    with pytest.raises(InputError, match="section 'scenario' is missing") as refused:
        check_prompts("en", older)
    assert "Write '## scenario'" in (refused.value.hint or "")
    with pytest.raises(InputError, match=r"lacks the placeholder \{scenario\}"):
        check_prompts("en", ours.replace("Our log says: {scenario}", "Our log."))


def test_the_estimate_says_how_often_each_is_drawn_and_what_is_personal(
    workspace: Workspace, tmp_path: Path
) -> None:
    text = "A nurse swaps a shift.\nBook for eva.lind@example.org.\nCall +46 70 123 45 67."
    tools = written(tmp_path, to_json([one.definition for one in TOOLSET.tools]), "tools.json")
    order = GenerationOrder(
        plan=steered(scenarios=(), count=7), files=(tools,), scenarios=written(tmp_path, text)
    )
    found = order.estimate(workspace, context=JobContext())
    assert sorted(one.planned for one in found.scenarios) == [2, 2, 3]
    assert [one.name for one in found.scenarios] == ["s.txt:1", "s.txt:2", "s.txt:3"]
    mail, number = ("an e-mail address",), ("a long number, as of a telephone or a card",)
    assert [one.personal for one in found.scenarios] == [(), mail, number]
    assert sorted(found.styles.values()) == [3, 4]
    warning = order.warning()
    assert warning == personal_warning({one.name: one.personal for one in found.scenarios})
    assert warning.startswith("2 scenarios may tell who somebody is: s.txt:2 (an e-mail address), s.txt:3 (")
    bare = GenerationOrder(plan=steered(scenarios=()), files=(tools,))
    assert bare.warning() == ""
    assert bare.estimate(workspace, context=JobContext()).scenarios == ()


def test_a_warning_names_a_few_and_says_that_there_are_more() -> None:
    found = {f"s:{number}": ("an e-mail address",) for number in range(1, 8)}
    assert "s:5 (an e-mail address), …. Take" in personal_warning(found)
    assert "…" not in personal_warning({name: found[name] for name in [*found][:5]})


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Write to a.b+c@mail.example.com", 1),
        ("card 4111 1111 1111 1111", 1),
        ("tel. (030) 901820-123", 1),
        ("a.b@x.org, 030/9018201234", 2),
        ("at 2024-05-17 09:30:00, from 2024-05-17 12 rooms", 0),
        ("59.91386880 north, 12345678 steps", 0),
        ("user@host said room 12", 0),
    ],
)
def test_personal_data_are_addresses_and_long_numbers_and_no_dates(text: str, found: int) -> None:
    assert len(personal_data_in(text)) == found
