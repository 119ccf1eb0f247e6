"""What the released inference and metric codes do with a file, written anew from the specification alone.

Only what they read of a line is here (formats 3 to 6, scoring 3 and 5), as strictly as they read it: a
missing field or an unknown word is a KeyError, a date that does not parse a ValueError.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

Line = dict[str, Any]
"""A line as `json.loads` gives it; the released code checks nothing of it."""

TYPES = (
    "Single-Tool",
    "Parallel Multi-Tool",
    "Sequential Multi-Tool",
    "Mixed Multi-Tool",
    "Clarify",
    "Chat",
)
RELATIONS = ("Coreferential Reference", "Partial Information", "Long-Range Dependency")
LABELS = {
    "english_": ("ai", "ai agent", "user", "ai agent assistant"),
    "": ("用户", "AI Agent助手", "AI Agent"),
}


def load(text: bytes) -> list[Line]:
    """The lines of a file."""
    return [json.loads(line) for line in text.splitlines()]


def walk(nodes: Sequence[Line]) -> int:
    """The nodes a run along the gold graph finishes, round by round, by their positions."""
    done: set[int] = set()
    while ready := [i for i, n in enumerate(nodes) if i not in done and set(n["dependency_list"]) <= done]:
        for i in ready:
            action = nodes[i]["action"]
            assert isinstance(action["name"], str)
            assert isinstance(action["arguments"], dict | str)
            assert "observation" in nodes[i]
            if action["name"] == "ask_user_for_required_parameters":
                assert isinstance(nodes[i]["user_input"], str)
        done.update(ready)
    assert len(done) == len(nodes)
    return len(done)


def offered(tools: Sequence[Line]) -> list[str]:
    """The names of the tools as they are offered to a model, floats replaced in the serialised list."""
    texts = json.loads(json.dumps(tools).replace('"type": "float"', '"type": "number"'))
    assert texts, "no endpoint takes an empty list of tools"
    for tool in texts:
        function = tool["function"]
        assert tool["type"] == "function"
        assert isinstance(function["description"], str)
        assert isinstance(function["parameters"]["properties"], dict)
        assert isinstance(function["parameters"]["required"], list)
    return [tool["function"]["name"] for tool in texts]


def wildtool_results(lines: Sequence[Line], is_right: Callable[[str], bool]) -> list[Line]:
    """Run every line with an agent that is right or wrong by the text of a request."""
    results = []
    for line in sorted(lines, key=lambda line: int(line["id"].rsplit("_", 1)[1])):
        assert isinstance("Current Date: " + line["english_env_info"], str)
        offered(line["english_tools"])
        told = []
        for t, (text, nodes) in enumerate(
            zip(line["english_tasks"], line["english_answer_list"], strict=True)
        ):
            walk(nodes)
            log: Line = {"task_idx": t, "begin_of_current_task": {"role": "user", "content": text}}
            label = "correct" if is_right(text) else "error"
            told.append({"action_name_label": label, "is_optimal": True, "inference_log": log})
        results.append({"id": line["id"], "model_name": "m", "result": told})
    return results


def wildtool_metrics(lines: Sequence[Line], results: Sequence[Line]) -> dict[str, list[int]]:
    """[right, all] of the tasks by type, layer and relation, and of the nodes that count as progress."""
    groups = (*TYPES, *RELATIONS, "0", "1", "2", "3", "total", "session", "nodes")
    found = {group: [0, 0] for group in groups}

    def count(group: str, right: int, of: int = 1) -> None:
        found[group][0] += right
        found[group][1] += of

    for result in results:
        entry = lines[int(result["id"].rsplit("_", 1)[1])]
        rights = [told["action_name_label"] == "correct" for told in result["result"]]
        count("session", all(rights))
        for t, right in enumerate(rights):
            nodes = len(entry["answer_list"][t])
            for group in ("total", str(t), entry["english_task_types"][t]):
                count(group, right)
            if t and entry["english_turn_subtypes"]:
                count(entry["english_turn_subtypes"][t - 1], right)
            count("nodes", nodes * right, nodes)
    return found


def c3_tasks(line: Line, prefix: str) -> list[Line]:
    """The tasks a C3-Bench run evaluates of a line, in English (`english_`) or Chinese (empty)."""
    texts, env = line[f"{prefix}task"], line["env_info"]
    times = env if isinstance(env, list) else [env] * len(texts)
    dates = [_date(time) for time in times if "星期" in time]
    segments = _segments(line[f"{prefix}messages"], prefix)
    names = offered(line[f"{prefix}tools"])
    answers, codes = line[f"{prefix}answer_list"], line["type"]
    truths = [{"真": True, "假": False}.get(item, item) for item in line["turn_type"]]
    relations = iter(line["turn_subtypes"])
    told = []
    # Where a time has no weekday, it is dropped and with it the last tasks.
    for t, (text, date) in enumerate(zip(texts, dates, strict=False)):
        begin = segments[t][line["task_ids"][t]]
        assert begin["role"] == "user"
        assert text in begin["content"]
        assert [message["role"] for message in segments[t]] == ["user", "assistant"] * (len(segments[t]) // 2)
        told.append(
            {
                "id": "".join(line["id"]),
                "text": text,
                "date": date,
                "type": {"单": "single", "多": "multi", "反": "clarify", "拒": "chat"}[codes[t]],
                "relation": next(relations, None) if truths[t] is True else None,
                "nodes": walk(answers[t]),
                "tools": names,
            }
        )
    return told


def _date(time: str) -> str:
    text = time[: time.index("星期")]
    for label in ("当前时间：", "环境："):
        text = text.removeprefix(label)
    return f"{datetime.strptime(text.strip(), '%Y-%m-%d %H:%M:%S'):%Y-%m-%d %H:%M:%S %A}"  # noqa: DTZ007


def _segments(messages: Sequence[Any], prefix: str) -> list[list[Mapping[str, str]]]:
    segments: list[list[Mapping[str, str]]] = [[]]
    for message in messages:
        if isinstance(message, str) and "=====" in message:
            segments.append([])
        else:
            segments[-1].append({**message, "content": _unlabelled(message["content"], prefix)})
    return segments if segments[-1] else segments[:-1]


def _unlabelled(content: str, prefix: str) -> str:
    label, colon, rest = content.partition(":" if prefix else "：")
    return rest if colon and (label.lower() if prefix else label) in LABELS[prefix] else content
