"""Commands that generate dialogues by models in five roles: their runs, toolsets and prompts."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from scoring.errors import InputError, existing
from scoring.model.taxonomy import Severity
from scoring.texts import tr, with_commas
from scoring.wording import counted, written_interval
from ui.cli.command import CommandResult, command, group
from ui.cli.options import order_of
from ui.cli.output import Table, job_context, stoppable_context, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from annotator.generation.checks.diversity import Variety
    from annotator.generation.estimate import Estimate
    from annotator.generation.orders import GenerationOrder
    from annotator.generation.quality import RunQuality
    from annotator.generation.records import GenerationState
    from annotator.generation.roles import AgentRole
    from annotator.project.workspace import Workspace


app = typer.Typer()
toolset_app = typer.Typer(help="Toolsets: what dialogues are generated over.", rich_markup_mode=None)
app.add_typer(toolset_app, name="toolset")
prompts_app = group(app, "prompts", "The words of the five roles.")


@command(
    app,
    "generate",
    gives=(
        {
            "*": "annotator.generation.records.GenerationState",
            "-": "newest",
            "is_finished": bool,
            "batch": str,
            "quality": "annotator.generation.quality.RunQuality",
            "variety": "annotator.generation.checks.diversity.Variety",
            "files": [str],
        },
        {"run": None, "total": int, "finished": int, "given_up": int, "is_finished": bool},
        {"*": "annotator.generation.estimate.Estimate"},
    ),
    example="annotator generate --toolsets t.jsonl --model M --base-url URL",
)
def generate(
    workspace: "Workspace",
    toolsets: Annotated[Path, typer.Option("--toolsets", help="Tool schemas to generate from.")],
    model: Annotated[str, typer.Option("--model", envvar="ANNOTATOR_MODEL", help="Plays every role.")],
    base_url: Annotated[
        str, typer.Option("--base-url", envvar="ANNOTATOR_BASE_URL", help="Address up to /v1.")
    ],
    tasks: Annotated[int, typer.Option("--tasks", min=1, max=12, help="Tasks of a dialogue.")] = 4,
    policies: Annotated[
        str,
        typer.Option(
            help="all, missing (what coverage lacks), or a,b,..: one sequence, or the policies to combine."
        ),
    ] = "all",
    model_for: Annotated[
        list[str] | None,
        typer.Option("--model-for", metavar="ROLE=M", help="For user, planner, tool, agent or checker."),
    ] = None,
    shares: Annotated[
        str,
        typer.Option(
            "--shares",
            metavar="TARGETS",
            help="Wanted shares: 'single: 40%; omission: 60%; zh: 30%; travel: 50%'.",
        ),
    ] = "",
    scenarios: Annotated[
        Path | None,
        typer.Option("--scenarios", help="Situations of first requests: text, or JSON lines."),
    ] = None,
    styles: Annotated[
        list[str] | None,
        typer.Option(
            "--style", metavar="NAME", help="How users speak: terse, vague, chatty, corrects; several."
        ),
    ] = None,
    count: Annotated[int | None, typer.Option("-n", min=1, help="Dialogues; each sequence once.")] = None,
    language: Annotated[str, typer.Option("--lang", help="en or zh.")] = "en",
    seed: Annotated[int, typer.Option(help="All draws follow from it.")] = 0,
    budget: Annotated[
        float | None, typer.Option(min=0.0001, help="Stop at so many dollars; tokens without prices.")
    ] = None,
    prompt_price: Annotated[float | None, typer.Option(min=0, help="Dollars per million tokens.")] = None,
    completion_price: Annotated[float | None, typer.Option(min=0, help="Dollars per million tokens.")] = None,
    api_key_env: Annotated[
        str | None, typer.Option("--api-key-env", help="Variable with the API key; else the keyring.")
    ] = None,
    concurrency: Annotated[int, typer.Option(min=1, max=256, help="Dialogues made at once.")] = 4,
    temperature: Annotated[
        float | None, typer.Option(min=0, help="Left to the endpoint unless given.")
    ] = None,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Longest reply.")] = None,
    timeout: Annotated[float, typer.Option(min=0.1, help="Seconds for one whole reply.")] = 300.0,
    retries: Annotated[int, typer.Option(min=0, help="Further attempts after one that failed.")] = 6,
    requests_per_minute: Annotated[
        float | None, typer.Option(min=0.01, help="Spaces requests evenly.")
    ] = None,
    now: Annotated[str | None, typer.Option(help="The simulated time; else one of 2024 is drawn.")] = None,
    chooser: Annotated[str, typer.Option(help="Who picks a request: rule, model or person.")] = "rule",
    examples: Annotated[int, typer.Option(min=0, max=5, help="Gold requests shown as examples.")] = 0,
    layered: Annotated[
        bool, typer.Option("--layered", help="First tasks only; each next one after its review (Alt+N).")
    ] = False,
    name: Annotated[str, typer.Option(help="Name of the run and of its batch.")] = "generated",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what it takes and adds to what the project has.")
    ] = False,
    export: Annotated[
        Path | None, typer.Option(help="Folder for the raw, streamlined and per-role files.")
    ] = None,
) -> CommandResult:
    """Generate dialogues into the project. Stopped or killed, the same command goes on."""
    from annotator.generation.models import PATIENCE
    from annotator.generation.orders import GenerationOrder
    from annotator.generation.quality import run_quality, run_variety

    plan = {
        "name": name,
        "tasks": tasks,
        **_policies(policies, tasks),
        "count": count,
        "shares": shares or {},
        "styles": styles or (),
        "models": _models(
            model,
            model_for or [],
            base_url=base_url,
            key_variable=api_key_env,
            sampling={"temperature": temperature, "max_tokens": max_tokens},
        ),
        "language": language,
        "seed": seed,
        "now": now,
        "chooser": chooser,
        "examples": examples,
        "is_layered": layered,
        "budget": _budget(budget, prompt_price, completion_price),
    }
    limits = {"timeout_seconds": timeout, "retries": retries, "requests_per_minute": requests_per_minute}
    order = order_of(
        GenerationOrder,
        {
            "plan": plan,
            "files": (toolsets,),
            "scenarios": scenarios,
            "concurrency": concurrency,
            "patience": PATIENCE.model_copy(update=limits),
        },
    )
    if dry_run:
        with job_context() as context:
            found = order.estimate(workspace, context=context)
        dollars = f", ${found.dollars:,.2f}" if found.dollars is not None else ""
        takes = f"{counted(found.dialogues, 'dialogue')}: about {counted(found.requests, 'request')}"
        mix = Table(
            ["label", "present", "planned", "then", "then %"],
            [[one.word, one.present, one.planned, one.then.count, one.then.percent] for one in found.shares],
        )
        tokens = counted(found.prompt_tokens + found.completion_tokens, "token")
        return CommandResult(
            found, [f"{takes}, {tokens}{dollars}. Nothing is made.", mix, *_steering_parts(found)]
        )
    tell(order.warning())
    run = order.begin(workspace)
    if run is None:
        nothing = {"run": None, "total": 0, "finished": 0, "given_up": 0, "is_finished": True}
        return CommandResult(nothing, [f"No sequence of up to {counted(tasks, 'task')} is missing."])
    state = _watched(workspace, order.model_copy(update={"run": run}), run)
    files = _export(workspace, run, export)
    quality, variety = run_quality(workspace, run), run_variety(workspace, run)
    document = {
        **state.model_dump(mode="json", exclude={"newest"}),
        "is_finished": state.is_finished,
        "batch": quality.name,
        "quality": quality,
        "variety": variety,
        "files": [str(path) for path in files],
    }
    return CommandResult(document, _parts(state, quality, variety, files=files))


def _steering_parts(found: "Estimate") -> "Iterator[Table | str]":
    """What steers the requests of a run, and what is to be known of it."""
    from annotator.generation.scenarios.scenario_files import personal_warning

    if found.scenarios:
        yield Table(
            ["scenario", "planned", "may tell who somebody is"],
            [[one.name, one.planned, ", ".join(one.personal)] for one in found.scenarios],
        )
        yield personal_warning({one.name: one.personal for one in found.scenarios})
    if found.styles:
        yield Table(["style", "planned"], [[*row] for row in found.styles.items()])


def _policies(text: str, tasks: int) -> dict[str, object]:
    """What `--policies` names: a source, one sequence, or the policies whose sequences are made."""
    from itertools import product

    if text in ("all", "missing"):
        return {"policies": text}
    words = [word.strip() for word in text.split(",") if word.strip()]
    sequences = [words] if len(words) == tasks else [list(one) for one in product(words, repeat=tasks)]
    return {"policies": "given", "sequences": sequences}


def _models(model: str, model_for: list[str], **endpoint: object) -> "dict[AgentRole, tuple[object, ...]]":
    from annotator.generation.roles import AgentRole

    named: dict[AgentRole, list[str]] = {}
    for item in model_for:
        role, separator, name = item.partition("=")
        if not separator or role not in set(AgentRole) or not name.strip():
            known = ", ".join(AgentRole)
            raise InputError(f"'{item}' names no model for a role.", f"Write ROLE=MODEL; roles: {known}.")
        named.setdefault(AgentRole(role), []).append(name.strip())
    return {role: tuple({"model": one, **endpoint} for one in named.get(role, [model])) for role in AgentRole}


def _budget(limit: float | None, prompt_price: float | None, completion_price: float | None) -> object:
    prices = {"prompt_price": prompt_price, "completion_price": completion_price}
    if limit is None or None in prices.values():
        return {"tokens": max(1, int(limit)) if limit is not None else None, **prices}
    return {"dollars": limit, **prices}


def _watched(workspace: "Workspace", order: "GenerationOrder", run: int) -> "GenerationState":
    from annotator.generation.generation_run import state_of

    outage = ""

    def note(state: "GenerationState") -> None:
        nonlocal outage
        if state.outage and state.outage != outage:
            tell(f"{state.outage}.")  # an endpoint is out of reach, and when it is asked again
        outage = state.outage

    def so_far() -> tuple[str, str]:
        state = state_of(workspace, run)
        done = f"{state.finished} of {counted(state.total, 'dialogue')} are cases."
        return done, "Run the same command again to go on."

    with stoppable_context(so_far) as context:
        return order.carry_out(workspace, context=context, listen=note)


def _export(workspace: "Workspace", run: int, directory: Path | None) -> tuple[Path, ...]:
    from annotator.generation.export import export_run

    if directory is None:
        return ()
    with job_context() as context:
        return export_run(workspace, run, directory, context=context)


def _parts(
    state: "GenerationState", quality: "RunQuality", variety: "Variety", *, files: tuple[Path, ...]
) -> "Iterator[Table | str]":
    tokens = counted(state.prompt_tokens + state.completion_tokens, "token")
    whole = counted(state.total, "dialogue")
    is_whole = state.finished >= state.total
    made = whole if is_whole else tr("{finished} of {all}", finished=state.finished, all=tr(whole))
    yield (
        f"{made}, {state.as_wanted} with the sequence asked for, "
        f"in batch {quality.name}: {state.note}; {tokens}."
    )
    if variety.count > 1:
        forms = with_commas(
            tr("{number} as {form}", number=count, form=form) for form, count in sorted(variety.forms.items())
        )
        yield (
            f"First requests: {forms}; {counted(variety.openings, 'opening')}, {variety.shortest} to "
            f"{variety.longest} words, {counted(variety.near_duplicates, 'near duplicate')}."
        )
    if state.rejected:
        rows = sorted(state.rejected.items(), key=lambda item: (-item[1], item[0]))
        yield Table(["rule", "rejected replies"], [list(row) for row in rows])
    if quality.targets:
        yield Table(
            ["target", "wanted %", "made %", "of"],
            [
                [one.word, f"{100 * one.wanted:.2f}", one.made.percent, one.made.total]
                for one in quality.targets
            ],
        )
    if quality.picks:
        shares = [
            [model, quality.prompt_version, one.total, one.percent] for model, one in quality.reworded.items()
        ]
        yield Table(["model", "prompts", "picked", "reworded"], shares)
        yield Table(["offered", "asked"], [[one.offered, one.asked] for one in quality.picks])
    yield from (f"Written: {path}" for path in files)
    if state.waiting:
        yield f"{counted(state.waiting, 'dialogue')} wait for a person to pick a request."
    if state.as_wanted < state.finished:
        others = counted(state.finished - state.as_wanted, "dialogue")
        yield f"{others} with another sequence; --policies missing tries again what is missing."
    if state.given_up:
        yield f"{counted(state.given_up, 'dialogue')} failed at every attempt; another seed may make them."
    if state.is_over_budget:
        yield "The budget is used up; the same command with a higher one goes on."
    elif not state.is_finished and not state.waiting:
        yield "Some dialogues failed outside the model; run the same command again to go on."


@command(
    toolset_app,
    "check",
    gives={
        "toolsets": int,
        "tools": int,
        "errors": int,
        "findings": ["annotator.generation.toolsets.toolset_findings.ToolsetFinding"],
        "remarks": ["annotator.generation.toolsets.schema_references.Remarked"],
    },
    example="annotator toolset check tools.jsonl",
)
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE")],
    rule: Annotated[str | None, typer.Option("--rule", help="Only findings of this rule.")] = None,
) -> CommandResult:
    """Print what the toolsets of a file lack. The exit code is 3 if any finding is an error."""
    from annotator.files import readable_files
    from annotator.generation.toolsets.toolset_checks import RULES, check_toolset
    from annotator.generation.toolsets.toolset_files import read_toolsets

    if rule is not None and rule not in {known.id for known in RULES}:
        raise InputError(f"There is no rule {rule}.", f"Rules: {', '.join(known.id for known in RULES)}.")
    with readable_files(file) as (read,):
        toolsets = read_toolsets(read)
    found = [item for toolset in toolsets for item in check_toolset(toolset) if rule in (None, item.rule)]
    remarks = [remark for toolset in toolsets for remark in toolset.remarks]
    errors = sum(item.severity is Severity.ERROR for item in found)
    tools = sum(len(toolset.tools) for toolset in toolsets)
    table = Table(
        ["toolset", "tool", "where", "severity", "rule", "message"],
        [[f.toolset, f.tool, f.path, f.severity, f.rule, f.message] for f in found]
        + [
            [r.where, "", "", "info", r.remark.value, _remark_words(r.remark.value, r.detail)]
            for r in remarks
        ],
    )
    counts = counted(len(toolsets), "toolset"), counted(tools, "tool")
    more = counted(len(found), "finding"), counted(errors, "error")
    return CommandResult(
        {"toolsets": len(toolsets), "tools": tools, "errors": errors, "findings": found, "remarks": remarks},
        [table, f"{', '.join(counts + more)}."],
        code=3 if errors else 0,
    )


def _remark_words(remark: str, detail: str) -> str:
    return {
        "external_reference": f"{detail} lies elsewhere and is not fetched; any object is accepted there.",
        "broken_reference": f"{detail} leads nowhere; anything is accepted there.",
        "cycle": f"{detail} repeats itself; it is written out once.",
        "too_large": "The schema is too large; its deepest parts are left out.",
        "renamed": f"{detail} is not a name a model can call; it was changed.",
        "repeated_name": f"{detail} more of the same name; the last one stays.",
    }[remark]


@command(prompts_app, "copy", gives={"files": [str]}, example="annotator prompts copy prompts")
def prompts_copy(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to write the files into.")],
    workspace: "Workspace | None" = None,
) -> CommandResult:
    """Write the shipped prompts as files to edit. With -p they are those the project uses."""
    from annotator.generation.prompts import copy_prompts, shipped_texts, used_texts

    texts = workspace.read(used_texts) if workspace else shipped_texts()
    files = [str(path) for path in copy_prompts(texts, folder)]
    return CommandResult({"files": files}, [f"Written: {path}" for path in files])


@command(
    prompts_app,
    "diff",
    gives=[{"language": str, "version": str, "diff": str}],
    example="annotator prompts diff prompts",
)
def prompts_diff(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Folder with prompts; else those of the project.")
    ] = None,
    workspace: "Workspace | None" = None,
) -> CommandResult:
    """Compare prompts with the shipped ones: those of a folder, or of the project."""
    from difflib import unified_diff

    from annotator.generation.prompts import file_name, prompts_in, read_prompts, shipped_text, used_texts

    nowhere = InputError("Neither a folder nor a project was named.", "Name DIR or -p PROJECT.")
    texts = read_prompts(folder) if folder else existing(workspace, nowhere).read(used_texts)
    rows = []
    for language, text in texts.items():
        file, before = file_name(language), shipped_text(language).splitlines()
        found = unified_diff(
            before, text.splitlines(), f"shipped/{file}", f"{folder or 'project'}/{file}", lineterm=""
        )
        rows.append(
            {"language": language, "version": prompts_in(language, text).version, "diff": "\n".join(found)}
        )
    none = "" if any(row["diff"] for row in rows) else "No difference from the shipped prompts."
    return CommandResult(rows, [*(row["diff"] for row in rows), none])


@command(
    prompts_app,
    "show",
    gives={"case": str, "section": str, "text": str},
    example="annotator prompts show planner c-1 -p team.db",
)
def prompts_show(
    workspace: "Workspace",
    section: Annotated[
        str, typer.Argument(metavar="SECTION", help="A heading of the file: planner, next_task ...")
    ],
    case_id: Annotated[str, typer.Argument(metavar="CASE")],
    folder: Annotated[Path | None, typer.Option("--from", help="Prompts of a folder, not used yet.")] = None,
) -> CommandResult:
    """Print a prompt with the tools and the time of a case filled in."""
    from annotator.cases.access import show_case
    from annotator.generation.prompts import preview, read_prompts, used_texts

    texts = workspace.read(used_texts) | (read_prompts(folder) if folder else {})
    text = preview(texts, section, show_case(workspace, case_id))
    return CommandResult({"case": case_id, "section": section, "text": text}, [text])


@command(
    prompts_app,
    "use",
    gives=[{"language": str, "version": str}],
    example="annotator prompts use prompts -p team.db",
)
def prompts_use(
    workspace: "Workspace",
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="Folder with the prompts; one file or both.")
    ] = None,
    shipped: Annotated[bool, typer.Option("--shipped", help="Go back to the shipped prompts.")] = False,
) -> CommandResult:
    """Use the prompts of a folder for new runs. Runs that have begun keep theirs."""
    from annotator.generation.prompts import read_prompts, shipped_texts, use_prompts

    if shipped == (folder is not None):
        raise InputError("Name either a folder or --shipped.", "Make a folder with `annotator prompts copy`.")
    texts = read_prompts(folder) if folder else shipped_texts()
    used = use_prompts(workspace, texts).value
    rows = [{"language": one.language, "version": one.version} for one in used]
    return CommandResult(
        rows, [Table(["language", "prompts of new runs"], [[*row.values()] for row in rows])]
    )


@command(
    prompts_app,
    "compare",
    gives=["annotator.generation.quality.PromptsQuality"],
    example="annotator prompts compare -p team.db",
)
def prompts_compare(workspace: "Workspace") -> CommandResult:
    """Print for each version of the prompts how many of its dialogues survive review."""
    from annotator.generation.quality import prompts_qualities

    found = prompts_qualities(workspace)
    lines = [
        [
            one.version,
            one.runs,
            one.cases,
            one.final,
            one.rejected,
            one.survived.percent,
            written_interval(100 * one.interval.low, 100 * one.interval.high) if one.interval else "",
        ]
        for one in found
    ]
    heads = ["prompts", "runs", "cases", "final", "rejected", "survived %", "interval"]
    return CommandResult(found, [Table(heads, lines)])
