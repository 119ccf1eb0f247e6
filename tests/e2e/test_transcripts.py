"""What commands print for people and as JSON, compared with the text that was approved.

A change that was meant is approved by `APPROVE_COMMANDS=1 make test TESTS=tests/e2e/test_transcripts.py`;
read the difference before it is committed.
"""

import json
import os
import re
import shlex
import shutil
from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path

import pytest

from annotator.generation.prompts import file_name, shipped_text
from annotator.release.runs.evaluation import load_cases
from annotator.resources import resource_path
from scoring.model.case import dump_case
from scoring.teval.derivation import derive
from tests.annotator.generation.scripted_run import TOOLSET
from tests.annotator.generation.toolsets.test_toolset_checks import BROKEN
from tests.e2e.command import annotator
from tests.e2e.test_help import COMMANDS
from tests.scoring.teval.gold_replies import full_case, gold_replies
from tests.scripted_model.agents import perfect, script_of
from tests.scripted_model.endpoint import FiveRoles
from tests.scripted_model.server import ScriptedModel

APPROVED = Path(__file__).parents[1] / "golden" / "commands"
SAMPLES = resource_path("samples", "cases.jsonl")
FOUNDER = "founder"
GOOD = "sample-01-ghent-weekend"

_CHANGING = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(\+00:00|Z)?"), "TIME"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "DAY"),
    (re.compile(r"\b[0-9a-f]{64}\b"), "HASH"),
    (re.compile(r"\b[0-9a-f]{12}\b"), "HASH"),
    (re.compile(r"\b[0-9a-f]{32}\b"), "KEY"),
    (re.compile(r'("\w*seconds\w*": )[\d.]+'), r"\1SECONDS"),
    (re.compile(r"[^\s\"]*/templates/released/"), "FINISHED/"),
    (re.compile(r"(?<=\S)  +"), "  "),
    (re.compile(r" +$", re.MULTILINE), ""),
)
"""What differs from run to run, and what is written in its place."""

READING = """
cases
cases --limit 3 --json
cases --stage returned
cases --stage final --stage escalated --limit 2
cases --owner ann-1 --text train
cases --stage nowhere
case history sample-01-ghent-weekend
case show sample-01-ghent-weekend --revision 1
case who sample-05-squealing-brakes
case who sample-05-squealing-brakes --json
case gold sample-02-sunday-lunch
case gold sample-02-sunday-lunch --json
batch list
batch list --json
batch show samples
batch waiting samples
check --case sample-03-library-card
check CASES
review waiting
review waiting --for expert-1
stages
stages --json
agreement
agreement --field completed --json
agreement --all --field completed
agreement --pair ann-2,ann-3 --policy multi_serial
agreement --stage escalated
agreement --person ann-2
agreement --batch samples --field policy --raw -
people
people --batch nowhere
coverage
coverage --stage escalated
coverage --batch samples --stage final --json
stats --stage escalated
category
release list --json
release quality
release quality samples-1 --bound 20
release quality samples-1 --bound 20 --json
release quality --draw
release quality --figure picture.txt
release errata samples-1
release suspects
release suspects --items
release suspects --values
release suspects samples-1 --json
release suspects --send nobody
policy show
policy show --json
user list
"""
"""Commands that only read, in the sample project at its end."""

WORKING = """
export --format wildtool --stage any -o FOLDER/wildtool.jsonl
export --format c3 -o FOLDER/c3.jsonl
export --format openai -o FOLDER/openai.jsonl --json
export --format native --stage cross_check -o FOLDER/none.jsonl
export --format native --stage nowhere -o FOLDER/none.jsonl
import FOLDER/wildtool.jsonl --batch again
import FOLDER/openai.jsonl --format openai --batch again
import FOLDER/fresh.jsonl --batch again
import FOLDER/broken.jsonl --batch broken --rejects FOLDER/rejects.jsonl
import FOLDER/broken.jsonl --batch broken --json
check FOLDER/broken.jsonl
check FOLDER/broken.jsonl --json
cases --batch again
cases --batch broken
assign --batch again --to ann-1,ann-2
assign --batch again --to ,
reassign --batch again --to ann-3
reassign --batch again --from ann-1 --to ann-3
reassign --batch again --from ann-3 --to ann-3
review reopen sample-04-energy-meter --reason ""
review reopen sample-04-energy-meter --reason "look again"
case who sample-04-energy-meter
review waiting
release errata samples-1
release errata samples-1 --json
release quality samples-1
release quality samples-1 --bound 30 --draw
review waiting --for expert-1
review hand sample-05-squealing-brakes --to expert-1
release quality samples-1 --bound 30 --draw
release quality --table FOLDER/quality.csv
change --batch again --assign ann-3 --dry-run
change --batch again --assign ann-3 --dry-run --json
change --batch again --assign ann-3
change --batch again --move again
change --batch again --return "look" --move again
change --return "look"
change --owner nobody --assign ann-3
batch split samples --name first --case sample-01-ghent-weekend
batch split samples
batch move sample-02-sunday-lunch --to again
batch merge broken --into again
batch due again 2030-01-01
batch due again none
batch due again tomorrow
batch return again --reason "look"
batch list
stages
session show
session open "Week 1"
session vote 2 --as ann-2
session join --as ann-1
session vote 2 --as ann-1
session join --as ann-2
session vote 9 --as ann-2
session vote 2 --as ann-2
session show --as ann-3
session show --as ann-2 --json
session decide 1
session reveal
session reveal --as expert-1
session join --lead --as expert-1
session reveal --as expert-1
session decide 2 --note "it is meant so" --entry "Say what a sum is for." --as expert-1
session next --reason "nobody knows" --as expert-1
session minutes
session close --as expert-1
session vote 1 --as ann-2
audit verify
"""
"""Commands that change it, in this order."""

SCORING = """
score CASES CAREFUL --name careful -o FOLDER/careful
score CASES CARELESS --name careless -o FOLDER/careless
score CASES CARELESS --name careless -o FOLDER/careless --json
score CASES CARELESS -o FOLDER/strict --semantics code --arguments wtb-strict --name strict
score CASES CARELESS -o FOLDER/c3 --arguments c3 --protocol c3 --infra-errors left-out
score CASES CARELESS -o FOLDER/none --arguments loose
score FOLDER/openai.jsonl FOLDER/openai.jsonl -o FOLDER/none
report FOLDER/careful FOLDER/careless --format md -o -
report FOLDER/careful --format csv -o -
report FOLDER/careful FOLDER/careless --format latex -o -
report FOLDER/careless --format md --infra-errors left-out -o -
report FOLDER/careful FOLDER/careless --format latex --group kind --sort name --models FOLDER/models.toml -o -
report FOLDER/careful FOLDER/careless --format xlsx -o FOLDER/scores.xlsx
report FOLDER/careful --format md --sort luck -o -
replies one-fails CASES CAREFUL CARELESS
replies orders-differ CASES CAREFUL CARELESS --task 99
replies sample-01-ghent-weekend CASES CAREFUL --task 9
teval derive CASES -o FOLDER/items
teval derive CASES -o FOLDER/items --json
teval import FOLDER/items
teval import FOLDER/items --json
teval derive FOLDER/full.jsonl -o FOLDER/derived
teval import FOLDER/gold
teval score FOLDER/derived FOLDER/gold --similarity char3
teval score FOLDER/derived FOLDER/half --similarity char3
teval score FOLDER/half FOLDER/half --similarity char3 --profile ref_v1 --json
teval sample CASES -o FOLDER/negatives.jsonl --count 5
teval agree FOLDER/negatives.jsonl
teval score FOLDER/items FOLDER/none.jsonl
teval score FOLDER/items CASES --profile none
"""
"""Commands without a project."""

ASKING = """
toolset check FOLDER/tools.jsonl
toolset check FOLDER/broken.json
toolset check FOLDER/broken.json --rule enum.empty --json
toolset check FOLDER/broken.json --rule none
init FOLDER/team.db
generate --toolsets FOLDER/tools.jsonl --tasks 2 --policies single,multi_serial -n 1 ROLES -p FOLDER/team.db
generate --toolsets FOLDER/tools.jsonl --tasks 2 -n 4 --name four --export FOLDER/four ROLES -p FOLDER/team.db
generate --toolsets FOLDER/tools.jsonl --tasks 2 -n 4 --name some --budget 5 ROLES -p FOLDER/team.db
generate --toolsets FOLDER/tools.jsonl --tasks 1 -n 2 --name more --layered --json ROLES -p FOLDER/team.db
generate --toolsets FOLDER/tools.jsonl --tasks 1 --model-for poet=x ROLES -p FOLDER/team.db
generate --toolsets FOLDER/tools.jsonl --tasks 2 --policies single,nothing ROLES -p FOLDER/team.db
generate --toolsets FOLDER/tools.jsonl --lang fr ROLES -p FOLDER/team.db
prompts copy FOLDER/prompts
prompts copy FOLDER/own
prompts diff FOLDER/prompts
prompts diff FOLDER/own
prompts diff
prompts use FOLDER/own -p FOLDER/team.db
prompts diff --json -p FOLDER/team.db
prompts show switch gen-1-0001 -p FOLDER/team.db
prompts show nothing gen-1-0001 --from FOLDER/prompts -p FOLDER/team.db
prompts use FOLDER/wrong -p FOLDER/team.db
prompts use FOLDER/none -p FOLDER/team.db
prompts use -p FOLDER/team.db
prompts use --shipped --json -p FOLDER/team.db
prompts compare -p FOLDER/team.db
coverage -p FOLDER/team.db
check --case generated-0 -p FOLDER/team.db
run FOLDER/two.jsonl -o FOLDER/m.jsonl --concurrency 1 AGENT
run FOLDER/two.jsonl -o FOLDER/m.jsonl --concurrency 1 --json AGENT
run FOLDER/two.jsonl -o FOLDER/few.jsonl --concurrency 1 --budget-tokens 200 AGENT
run FOLDER/two.jsonl -o FOLDER/x.jsonl --body [] AGENT
run FOLDER/two.jsonl -o FOLDER/m.jsonl --concurrency 1 AGENT -p FOLDER/team.db
model list -p FOLDER/team.db
model set m size=72 kind=open thinking=off -p FOLDER/team.db
model set m size=many -p FOLDER/team.db
model set m weight=72 -p FOLDER/team.db
model set nobody size=72 -p FOLDER/team.db
model import FOLDER/models.toml -p FOLDER/team.db
model import FOLDER/models.toml --json -p FOLDER/team.db
model import FOLDER/twice.toml -p FOLDER/team.db
model list -p FOLDER/team.db
model list --json -p FOLDER/team.db
"""
"""Commands that ask a model."""


@pytest.fixture
def folder(released_sample: Path, tmp_path: Path) -> Path:
    """A folder of its own for a test with that project."""
    shutil.copytree(released_sample, tmp_path, dirs_exist_ok=True)
    return tmp_path


def compare(name: str, lines: Iterable[str]) -> None:
    """Hold a text against the approved one, or approve it."""
    path, shown = APPROVED / f"{name}.txt", "".join(lines)
    if "APPROVE_COMMANDS" in os.environ:
        path.write_text(shown, encoding="utf-8")
    approved = path.read_text(encoding="utf-8").splitlines()
    changed = list(unified_diff(approved, shown.splitlines(), path.name, "printed", lineterm="", n=2))
    assert not changed, "\n".join(changed)


def transcript(commands: str, folder: Path, *project: object) -> Iterable[str]:
    """What each of some commands prints and how it ends, without what differs from run to run."""
    places = {
        "FOLDER": str(folder),
        "CASES": str(SAMPLES),
        "CAREFUL": str(resource_path("samples", "predictions_careful.jsonl")),
        "CARELESS": str(resource_path("samples", "predictions_careless.jsonl")),
    }
    for line in commands.strip().splitlines():
        words = [
            re.sub("FOLDER|CASES|CAREFUL|CARELESS", lambda m: places[m[0]], w) for w in shlex.split(line)
        ]
        ran = annotator(*words, *project, LOGNAME=FOUNDER, COLUMNS="120")
        said = f"$ annotator {line}\n{ran.out}{ran.err}" + (f"[ends with {ran.code}]\n" if ran.code else "")
        said = re.sub(r"^[{\[].*?^[}\]]$", _narrow, said, flags=re.MULTILINE | re.DOTALL)
        for word, place in places.items():
            said = said.replace(place, word)
        for pattern, instead in _CHANGING:
            said = pattern.sub(instead, said)
        yield said + "\n"


def _narrow(document: re.Match[str]) -> str:
    """A JSON document in as few lines as can still be compared."""
    try:
        found = json.loads(document[0])
    except ValueError:
        return document[0]
    parts = found.items() if isinstance(found, dict) else enumerate(found)
    return "\n".join(f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in parts)


def test_commands_that_read_print_what_was_approved(folder: Path) -> None:
    compare("reading", transcript(READING, folder, "-p", folder / "sample.db"))


def test_commands_that_change_a_project_print_what_was_approved(folder: Path) -> None:
    good = SAMPLES.read_text(encoding="utf-8").splitlines()[0]
    odd = {"id": "odd", "tools": [], "tasks": [{"user": "", "steps": []}]}
    broken = ["{broken", good, json.dumps(odd), '{"id": 3}', *(["[]"] * 20)]
    (folder / "broken.jsonl").write_text("\n".join(broken), encoding="utf-8")
    fresh = "".join(f"{good.replace(GOOD, f'fresh-{n}')}\n" for n in range(4))
    (folder / "fresh.jsonl").write_text(fresh, encoding="utf-8")
    compare("working", transcript(WORKING, folder, "-p", folder / "sample.db"))


def test_commands_without_a_project_print_what_was_approved(tmp_path: Path) -> None:
    (tmp_path / "openai.jsonl").write_text("", encoding="utf-8")
    models = "[[models]]\nmodel = 'careful'\nkind = 'open'\nsize = 72\n[[models]]\nmodel = 'careless'\n"
    (tmp_path / "models.toml").write_text(models, encoding="utf-8")
    (tmp_path / "full.jsonl").write_text(f"{json.dumps(dump_case(full_case()))}\n", encoding="utf-8")
    found = derive([full_case()]).items
    for name, wrong in (("gold", None), ("half", "Success")):
        (tmp_path / name).mkdir()
        for subset, items in found.items():
            replies = gold_replies(found)
            whole = {
                item: {**body, "prediction": wrong if wrong and n % 2 else replies[subset, item].prediction}
                for n, (item, body) in enumerate(items.items())
            }
            (tmp_path / name / f"{subset}_m.json").write_text(json.dumps(whole), encoding="utf-8")
    compare("scoring", transcript(SCORING, tmp_path))


def test_commands_that_ask_a_model_print_what_was_approved(tmp_path: Path) -> None:
    (tmp_path / "tools.jsonl").write_text(json.dumps([tool.definition for tool in TOOLSET.tools]))
    (tmp_path / "broken.json").write_text(
        json.dumps([tool.definition for tools in BROKEN.values() for tool in tools])
    )
    one = '[[models]]\nmodel = "m"\nmaker = "R&D <50%> | lab_1"\nsize = "unknown"\nreleased = 2026-05-01\n'
    (tmp_path / "models.toml").write_text(one, encoding="utf-8")
    (tmp_path / "twice.toml").write_text(one * 2, encoding="utf-8")
    for folder, switch in (("own", "Now speak as {role}."), ("wrong", "Now speak as {who}.")):
        (tmp_path / folder).mkdir()
        changed = shipped_text("en").replace("Switch role to {role}.", switch)
        (tmp_path / folder / file_name("en")).write_text(changed, encoding="utf-8")
    cases = load_cases(SAMPLES)[:2]
    (tmp_path / "two.jsonl").write_text("".join(f"{json.dumps(dump_case(case))}\n" for case in cases))
    with ScriptedModel(FiveRoles()) as roles, ScriptedModel(script_of(perfect, cases)) as agent:
        options = "--model m --base-url"
        asked = ASKING.replace("ROLES", f"--concurrency 1 {options} {roles.base_url}")
        asked = asked.replace("AGENT", f"{options} {agent.base_url}")
        printed = [
            said.replace(roles.base_url, "ROLES").replace(agent.base_url, "AGENT")
            for said in transcript(asked, tmp_path)
        ]
    compare("asking", printed)


def test_the_help_of_every_command_is_as_it_was_approved(tmp_path: Path) -> None:
    asked = "\n".join(" ".join((*path, "--help")) for path in COMMANDS)
    compare("help", transcript(asked, tmp_path))
