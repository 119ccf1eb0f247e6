"""An evaluator written from the specification alone, slow and plain: it tries all instead of computing."""

import ast
import itertools
import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import networkx

Cosine = Callable[[str, str], float]
Body = dict[str, Any]

THRESHOLD = {"paper": 0.7, "ref_v1": 0.7, "ref_v2": 0.8}
FLOOR = {"paper": 0, "ref_v1": 1, "ref_v2": 1}


class UnreadableError(Exception):
    """As teval 4.2 step 6."""


def load(raw: Any, first: str = "", last: str = "") -> Any:
    """As teval 4.2."""
    if type(raw) is not str:
        return raw
    parts = raw.split("```json", 1)
    text = raw if len(parts) == 1 else parts[1].strip("`")
    if first:
        text = text[text.index(first) :] if first in text else text[-1:]
    if last:
        text = text[: text.rindex(last) + len(last)] if last in text else ""
    attempts: tuple[Callable[[], Any], ...] = (
        lambda: ast.literal_eval(text),
        lambda: json.loads(text),
        lambda: json.loads('"'.join(text.split("'"))),
    )
    for attempt in attempts:
        try:
            return attempt()
        except Exception:
            pass
    raise UnreadableError


def shown(value: Any) -> str:
    """`disp` of teval 5."""
    return value if type(value) is str else str(value)


def instruct(item: Body) -> Body:
    """As teval 5.1."""
    template, gold = item["template"], item["ground_truth"]
    if item["meta_data"]["response_format"] == "json":
        try:
            read = load(item["prediction"])
            name, args = read[template["action"]], read[template["args"]]
            read[template["thought"]]
        except Exception:
            return {"format": 0, "args_em": 0.0, "score": 0.0}
        if type(read) is not dict:
            return {"format": 0, "args_em": 0.0, "score": 0.0}
    else:
        pattern = "(.*)".join(
            (
                re.escape(template["thought_start"]),
                re.escape(template["thought_end"]) + re.escape(template["action_start"]),
                re.escape(template["action_end"]) + re.escape(template["args_start"]),
                re.escape(template["args_end"]),
            )
        )
        found = re.search(pattern, item["prediction"], re.DOTALL)
        if found is None:
            return {"format": 0, "args_em": 0.0, "score": 0.0}
        name = found[2].strip()
        try:
            args = ast.literal_eval(found[3].strip())
        except Exception:
            args = {}
    if type(args) is not dict:
        args = {}
    hits = [name == gold["action"]]
    for parameter, value in gold["args"].items():
        hits.append(args.get(parameter, "") == value)
    share = hits.count(True) / len(hits)
    return {"format": 1, "args_em": share, "score": (1 + share) / 2}


def plan_list(value: Any) -> list[Body]:
    """As teval 5.2, parsing of JSON."""
    try:
        listed = load(value, "[", "]")
        assert type(listed) is list
        return [
            {"id": int(one["id"]), "name": shown(one["name"]), "args": shown(one["args"])} for one in listed
        ]
    except Exception:
        return []


def plan_lines(text: str, names: Sequence[str]) -> list[Body]:
    """As teval 5.2, parsing of text."""
    steps: list[Body] = []
    for line in "\n".join(text.split(". ")).split("\n"):
        hit = None
        for name in names:
            if name in line and (hit is None or line.index(name) < line.index(hit)):
                hit = name
        if hit is not None:
            steps.append({"id": len(steps), "name": hit, "args": line})
    return steps


def matchings(allowed: Sequence[Sequence[bool]]) -> Iterator[tuple[int, ...]]:
    """Every matching, rows in order, columns ascending, none last."""
    columns = range(len(allowed[0]))
    for chosen in itertools.product(*([*columns, -1] for _ in allowed)):
        taken = [column for column in chosen if column >= 0]
        if len(set(taken)) == len(taken) and all(
            column < 0 or allowed[i][column] for i, column in enumerate(chosen)
        ):
            yield chosen


def longest(matching: Sequence[int], keeps_order: Callable[[int, int], bool]) -> int:
    """The largest set of matched positions in which every two keep their order."""
    taken = [gold for gold in matching if gold >= 0]
    for size in range(len(taken), 0, -1):
        for some in itertools.combinations(taken, size):
            if all(keeps_order(a, b) for a, b in itertools.combinations(some, 2)):
                return size
    return 0


def released(scores: Sequence[Sequence[float]], profile: str) -> tuple[int, ...]:
    """The released code's side of teval 5.2, steps 4 and 7: floats as they fall, networkx's matching."""
    graph = networkx.Graph()
    for place in itertools.product(range(len(scores)), range(len(scores[0]))):
        if scores[place[0]][place[1]] > THRESHOLD[profile]:
            graph.add_edge(place[0], f"{place[1]}", weight=scores[place[0]][place[1]])
    pairs = [sorted(pair, key=lambda node: type(node) is str) for pair in networkx.max_weight_matching(graph)]
    column_of = {row: int(column) for row, column in pairs}
    return tuple(column_of.get(row, -1) for row in range(len(scores)))


def best(scores: Sequence[Sequence[float]], profile: str) -> tuple[tuple[int, ...], int]:
    """As teval 5.2 steps 4 to 7: the matching, and how many share its weight."""
    if profile != "paper":
        return released(scores, profile), 0
    whole = [[round(score * 10**6) for score in row] for row in scores]
    allowed = [[score > THRESHOLD[profile] * 10**6 for score in row] for row in whole]
    weighed = [
        (sum(whole[i][column] for i, column in enumerate(one) if column >= 0), one)
        for one in matchings(allowed)
    ]
    top = max(weight for weight, _ in weighed)
    optimal = [one for weight, one in weighed if weight == top]
    chains = [longest(one, lambda a, b: a < b) for one in optimal]
    return optimal[chains.index(max(chains))], len(optimal)


def plan(item: Body, profile: str, cosine: Cosine) -> Body:
    """As teval 5.2."""
    meta = item["meta"]
    mine = (
        plan_lines(item["prediction"], meta["API_list"])
        if meta["prompt_type"] == "str"
        else plan_list(item["prediction"])
    )
    theirs = plan_list(item["ground_truth"])
    nothing: Body = {"precision": 0.0, "recall": 0.0, "f1_score": 0.0, "f1_exact": 0.0, "f1_dag": 0.0}
    if not mine or not theirs:
        return {"parse_rate": 0, **nothing}
    mine, theirs = (sorted(steps, key=lambda step: step["id"]) for steps in (mine, theirs))
    for steps in (mine, theirs):
        if steps[-1]["name"] == "FinishAction":
            steps.pop()
    if not mine or not theirs:
        return {"parse_rate": 1, **nothing}

    def scores(same_name: Cosine) -> list[list[float]]:
        return [
            [
                0.75 * max(0, same_name(p["name"], g["name"])) + 0.25 * max(0, cosine(p["args"], g["args"]))
                for g in theirs
            ]
            for p in mine
        ]

    def f1(length: float) -> float:
        precision, recall = length / len(mine), length / len(theirs)
        return 2 * precision * recall / (precision + recall) if length else 0.0

    matching, optimal = best(scores(cosine), profile)
    chain = longest(matching, lambda a, b: a < b)
    exact, _ = best(scores(lambda a, b: float(a == b)), profile)
    deps = item["meta_data"]["deps"]

    def needs(step: int, other: int) -> bool:
        return other in deps[step] or any(needs(between, other) for between in deps[step])

    length = max(chain, FLOOR[profile])
    return {
        "parse_rate": 1,
        "matching": matching,
        "optimal_matchings": optimal,
        "lis": chain,
        "precision": length / len(mine),
        "recall": length / len(theirs),
        "f1_score": f1(length),
        "f1_exact": f1(max(longest(exact, lambda a, b: a < b), FLOOR[profile])),
        "f1_dag": f1(longest(matching, lambda a, b: not needs(a, b))),
    }


def joint(item: Body, profile: str, cosine: Cosine) -> Body:
    """As teval 5.3, JSON mode."""
    gold, reply = item["ground_truth"], item["prediction"]
    try:
        read = load(reply, "{", "}")
    except UnreadableError:
        read = None
    if type(read) is not dict:
        return {"parse_rate": 0, "thought": 0.0, "name": 0, "args": 0.0}
    args = read.get("args")
    args = args if type(args) is dict else {}
    if profile != "ref_v2":
        value = max(0.0, cosine(shown(args), shown(gold["args"])))
    elif gold["args"]:
        equal = [p for p in gold["args"] if p in args and shown(args[p]) == shown(gold["args"][p])]
        value = len(equal) / (len(gold["args"]) + 0.00001)
    else:
        value = 0.0 if args else 1.0
    return {
        "parse_rate": 1,
        "thought": max(0.0, cosine(shown(read.get("thought", "")), gold["thought"])),
        "name": 1 if shown(read.get("name", "")) == gold["name"] else 0,
        "args": value,
    }


def text_step(item: Body, kind: str, profile: str, cosine: Cosine) -> Body:
    """As teval 5.3, string mode."""
    reply = item["prediction"]
    if kind == "reason":
        return {"parse_rate": 1, "thought": max(0.0, cosine(reply, item["ground_truth"]["thought"]))}
    if kind == "retrieve":
        name = item["ground_truth"]["name"]
        others = set(re.findall(r"\w+\.\w+|FinishAction", reply)) | set(re.findall("FinishAction", reply))
        dotted = set(re.findall(r"\w+\.\w+", reply))
        return {"parse_rate": 1, "name": int(name in reply and others | dotted <= {name})}
    gold = shown(item["ground_truth"]["args"])
    if profile == "ref_v2":
        return {"parse_rate": 1, "args": float(reply.strip("'").strip('"') == gold)}
    return {"parse_rate": 1, "args": max(0.0, cosine(reply, gold))}


def review(item: Body) -> Body:
    """As teval 5.4."""
    after = item["prediction"].partition(":")[2] if ":" in item["prediction"] else item["prediction"]
    first = after.strip()[:1]
    is_read = first != "" and first in "ABCDE"
    return {
        "choice": first if is_read else None,
        "parse_rate": float(is_read),
        "review_quality": float(is_read and first == item["ground_truth"]["answer"]),
    }
