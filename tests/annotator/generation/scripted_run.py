"""A small run against a scripted endpoint, for the tests of this room."""

from collections.abc import Sequence
from typing import Any

from annotator.generation.generation_run import start
from annotator.generation.models import LoopSetting
from annotator.generation.plan import GenerationPlan, RoleModel, Toolset
from annotator.generation.records import GenerationState
from annotator.generation.roles import AgentRole
from annotator.generation.run_loop import resume
from annotator.jobs import JobContext
from annotator.llm.endpoints import Patience
from annotator.project.workspace import Workspace
from scoring.model.case import Tool

QUICK = Patience(timeout_seconds=10, retries=4, first_wait_seconds=0.01, longest_wait_seconds=0.05)


def tool(name: str, description: str, *required: str, **optional: Any) -> Tool:
    """A tool whose parameters are texts."""
    properties = {key: {"type": "string", "description": f"The {key} to look for."} for key in required}
    return Tool(
        definition={
            "type": "function",
            "function": {
                "name": name,
                "description": description,
                "parameters": {
                    "type": "object",
                    "properties": {**properties, **optional},
                    "required": list(required),
                },
            },
        }
    )


TOOLSET = Toolset(
    name="town",
    tools=(
        tool("findHotels", "Find the hotels of a town.", "town"),
        tool("bookRoom", "Book a room in a hotel.", "hotel_id", "arrival_date"),
        tool("getWeather", "Get the weather of a town.", "town"),
        tool("findTrains", "Find trains to a town.", "town", "travel_date"),
    ),
)
"""Our own tools, enough for every policy."""


def plan_for(base_url: str, **fields: Any) -> GenerationPlan:
    """A plan in which one model plays all roles."""
    played = (RoleModel(model="m-1", base_url=base_url),)
    return GenerationPlan.model_validate(
        {"name": "made", "tasks": 2, "models": dict.fromkeys(AgentRole, played), "seed": 7, **fields}
    )


def generate(
    workspace: Workspace,
    plan: GenerationPlan,
    *,
    toolsets: Sequence[Toolset] = (TOOLSET,),
    concurrency: int = 4,
    context: JobContext | None = None,
    **setting: Any,
) -> GenerationState:
    """Start a run or find it again, and work on it."""
    run = start(workspace, plan, toolsets)
    assert run is not None
    return resume(
        workspace,
        run,
        context=context or JobContext(),
        setting=LoopSetting(concurrency=concurrency, patience=QUICK, **setting),
    )
