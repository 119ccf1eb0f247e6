"""Ordinary tasks of the published kind, with the replies of a fair model, in the published files.

python -m tests.bench.ordinary_tasks FOLDER CASES
"""

import json
import sys
from pathlib import Path
from random import Random
from typing import Any

TASKS = 4
KINDS = ("Single-Tool", "Multi-Tool", "Clarify", "Chat")
WORDS = ("harbour", "ferry", "timetable", "saturday", "morning", "window", "seat", "adults", "return", "noon")
NOUNS = ("Ferry", "Weather", "Hotel", "Ticket", "Museum", "Station", "Market", "Message", "Garden", "Route")
VERBS = ("get", "search", "book", "list", "find")
Json = dict[str, Any]


def words(rng: Random, least: int, most: int) -> str:
    return " ".join(rng.choices(WORDS, k=rng.randint(least, most)))


def a_toolset(rng: Random) -> list[Json]:
    """Three to eight tools, as large as published ones, each dialogue with its own."""
    pairs = [verb + noun for verb in VERBS for noun in NOUNS]
    tools = []
    for name in rng.sample(pairs, rng.choice((3, 3, 4, 4, 5, 5, 6, 8))):
        properties = {
            "query": {"type": "string", "description": words(rng, 6, 12)},
            "date": {"type": "string", "description": words(rng, 6, 12)},
            "count": {"type": "integer", "description": words(rng, 4, 8)},
            "unit": {"type": "string", "enum": ["day", "hour"], "description": words(rng, 4, 8)},
            "tags": {"type": "array", "items": {"type": "string"}, "description": words(rng, 4, 8)},
        }
        kept = dict(rng.sample(sorted(properties.items()), rng.randint(2, 5)))
        schema = {"type": "object", "properties": kept, "required": sorted(kept)[:2]}
        function = {"name": name, "description": words(rng, 8, 16), "parameters": schema}
        tools.append({"type": "function", "function": function})
    return tools


def arguments(rng: Random, tool: Json) -> Json:
    made = {
        "query": words(rng, 1, 6),
        "date": f"2026-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}",
        "count": rng.randint(1, 9),
        "unit": rng.choice(("day", "hour")),
        "tags": rng.choices(WORDS, k=2),
    }
    parameters = tool["function"]["parameters"]
    names = [one for one in parameters["properties"] if one in parameters["required"] or rng.random() < 0.5]
    return {name: made[name] for name in names}


def node(number: int, name: str, arguments: Json, observation: Any, after: list[int]) -> Json:
    action = {"name": name, "arguments": arguments}
    return {"idx": number, "action": action, "observation": observation, "dependency_list": after}


def a_task(rng: Random, kind: str, tools: list[Json]) -> tuple[str, list[Json]]:
    """The type and the nodes of one task."""
    nodes: list[Json] = []
    if kind == "Clarify":
        asked = {
            "tool_list": [
                {"tool_name": tools[0]["function"]["name"], "missing_required_parameters": ["query"]}
            ]
        }
        nodes.append(node(0, "ask_user_for_required_parameters", asked, words(rng, 5, 9), []))
        nodes[0]["user_input"] = words(rng, 2, 5)
    calls = {"Single-Tool": 1, "Clarify": 1, "Chat": 0}.get(kind, rng.randint(2, 4))
    shape = rng.choice(
        ("Parallel Multi-Tool", "Parallel Multi-Tool", "Mixed Multi-Tool", "Sequential Multi-Tool")
    )
    shape = "Sequential Multi-Tool" if calls == 2 and shape == "Mixed Multi-Tool" else shape
    for number in range(len(nodes), len(nodes) + calls):
        tool = rng.choice(tools)
        after = list(range(number)) if kind == "Clarify" else []
        if kind == "Multi-Tool" and number:
            after = {"Sequential Multi-Tool": [number - 1], "Mixed Multi-Tool": [0]}.get(shape, [])
        found = {"status": "ok", "results": [{"title": words(rng, 2, 5), "value": rng.randint(1, 99)}]}
        nodes.append(node(number, tool["function"]["name"], arguments(rng, tool), found, after))
    end = {"answer_type": "tool" if calls else "chat"}
    nodes.append(node(len(nodes), "prepare_to_answer", end, words(rng, 12, 30), list(range(len(nodes)))))
    return (shape if kind == "Multi-Tool" else kind), nodes


def replies(rng: Random, nodes: list[Json], tools: list[Json]) -> list[Json]:
    """The replies of a model that follows a shortest path and goes wrong in a third of the tasks."""
    said: list[Json] = []
    done: set[int] = set()
    slips = rng.random() < 0.33
    while len(done) < len(nodes):
        ready = [
            i for i, one in enumerate(nodes) if i not in done and done.issuperset(one["dependency_list"])
        ]
        done.update(ready)
        if nodes[ready[0]]["action"]["name"] in ("prepare_to_answer", "ask_user_for_required_parameters"):
            said.append({"role": "assistant", "content": words(rng, 8, 20), "tool_calls": None})
            continue
        calls = []
        for i in ready:
            name, own = nodes[i]["action"]["name"], dict(nodes[i]["action"]["arguments"])
            if slips and rng.random() < 0.5:
                own = {
                    key: words(rng, 1, 4) if isinstance(value, str) else value for key, value in own.items()
                }
            if slips and rng.random() < 0.2:
                name = rng.choice(tools)["function"]["name"]
            function = {"name": name, "arguments": json.dumps(own)}
            calls.append({"id": f"call_{i}", "type": "function", "function": function})
        said.append({"role": "assistant", "content": None, "tool_calls": calls})
    if slips and rng.random() < 0.3:
        del said[-1]
        said.append({"role": "assistant", "content": "", "tool_calls": None})
    return said


def an_entry(rng: Random, number: int) -> tuple[Json, Json]:
    """A line of cases, and the line of results that answers it."""
    tools, name = a_toolset(rng), f"wild_tool_bench_{number}"
    tasks = [a_task(rng, kind, tools) for kind in rng.sample(KINDS, TASKS)]
    requests = [words(rng, 8, 20) for _ in tasks]
    relations = ("Coreferential Reference", "Partial Information", "Long-Range Dependency")
    entry = {
        "id": name,
        "english_env_info": "2026-07-10 09:30:00",
        "english_tools": tools,
        "english_tasks": requests,
        "english_answer_list": [nodes for _, nodes in tasks],
        "english_task_types": [kind for kind, _ in tasks],
        "english_turn_subtypes": rng.choices(relations, k=TASKS - 1),
    }
    results = []
    for i, (_, nodes) in enumerate(tasks):
        outputs = replies(rng, nodes, tools)
        log: Json = {"task_idx": i, "begin_of_current_task": {"role": "user", "content": requests[i]}}
        log |= {f"step_{k}": {"inference_output": output} for k, output in enumerate(outputs)}
        costs = {
            key: rng.choices(range(100, 999), k=len(outputs))
            for key in ("input_token_count", "output_token_count")
        }
        results.append({"latency": [0.5] * len(outputs), **costs, "inference_log": log})
    return entry, {"id": name, "model_name": "a-model", "result": results}


def write(folder: Path, count: int) -> tuple[Path, Path]:
    """Write so many cases of four tasks, and the results of one run."""
    rng = Random(5)
    paths = folder / "cases.jsonl", folder / "results.jsonl"
    with paths[0].open("w", encoding="utf-8") as cases, paths[1].open("w", encoding="utf-8") as results:
        for number in range(count):
            entry, result = an_entry(rng, number)
            cases.write(json.dumps(entry) + "\n")
            results.write(json.dumps(result) + "\n")
    return paths


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]))
