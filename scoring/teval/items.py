"""Item sets on disk: the eight files as published or derived, result folders, and what a model replied."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn

from scoring.errors import InputError, reworded
from scoring.model.record import JsonObject, Record, members_in, sha256_of
from scoring.model.strict_json import kind_of
from scoring.teval.evaluators import FINISH, LETTERS, TEMPLATE_MARKS, read_gold_step, read_plan
from scoring.teval.replies import loaded_reply
from scoring.teval.subsets import Items, Subset

_ALIASES = {"reason_retrieve_understand_json": Subset.RRU_JSON} | {subset.value: subset for subset in Subset}
_FILE_NAME = re.compile(rf"({'|'.join(_ALIASES)})(?:_.*)?")

ItemKey = tuple[Subset, str]


class ItemReply(Record):
    """What a model replied to one item; `hit_limit` where it was cut off at the longest reply."""

    prediction: Any
    hit_limit: bool = False


Replies = dict[ItemKey, ItemReply]


class ItemSet(Record):
    """Items by file and id, and the replies that stood beside them."""

    items: Items
    replies: Replies

    @property
    def sha256(self) -> str:
        """Hash of the items, whatever the names of their files and the order of their keys."""
        return sha256_of(self.items)

    def __len__(self) -> int:
        return sum(map(len, self.items.values()))


def read_items(folder: Path) -> ItemSet:
    """Read the files of a folder whose names begin as those of T-Eval's subsets do.

    `instruct_v2.json` is read as `instruct`, `reason_retrieve_understand_json_v2.json` as `rru_json`. A
    folder of such a name is read as one item a file, which is what the published runner leaves.

    Raises:
        InputError: There is none, two claim one subset, or an item or its gold cannot be read.
    """
    if not folder.is_dir():
        raise InputError(f"{folder} is not a folder.", "Name the folder that holds the files of items.")
    items: Items = {}
    replies: Replies = {}
    for subset, path in _item_files(folder).items():
        read: dict[str, JsonObject] = {}
        for name, body in _bodies(path):
            where = f"{path.name}, item {name}"
            if "." in name:
                raise InputError(
                    f"{where}: the id has a dot, at which T-Eval's own runner cuts file names.",
                    "Write the ids without dots.",
                )
            if "prediction" in body:
                replies[subset, name] = ItemReply(prediction=body["prediction"])
            read[name] = {key: value for key, value in body.items() if key != "prediction"}
            try:
                check_item(subset, read[name])
            except InputError as exc:
                raise InputError(f"{where}: {exc.message}", exc.hint) from exc
        items[subset] = read
    return ItemSet(items=items, replies=replies)


def _item_files(folder: Path) -> dict[Subset, Path]:
    found: dict[Subset, Path] = {}
    for path in sorted(folder.iterdir(), key=lambda path: (path.is_dir(), path.name)):
        matched = _FILE_NAME.fullmatch(path.stem if path.suffix == ".json" else path.name)
        if not matched or not (path.is_dir() or path.suffix == ".json"):
            continue
        subset = _ALIASES[matched[1]]
        before = found.setdefault(subset, path)
        if before is not path and not path.is_dir():
            raise InputError(
                f"{before.name} and {path.name} are both items of {subset}.",
                "Leave one of them in the folder.",
            )
    if not found:
        raise InputError(
            f"{folder} holds no file of items.",
            f"Expected are names like {', '.join(f'{s}.json' for s in Subset)}.",
        )
    return {subset: found[subset] for subset in Subset if subset in found}


def _bodies(path: Path) -> Iterator[tuple[str, JsonObject]]:
    if path.is_dir():
        yield from ((file.stem, _read_object(file)) for file in sorted(path.glob("*.json")))
        return
    for name, body in _read_object(path).items():
        if not isinstance(body, dict):
            raise InputError(f"{path.name}, item {name}: it is {kind_of(body)}, not an object.")
        yield name, body


def _read_object(path: Path) -> JsonObject:
    with reworded(
        OSError,
        ValueError,
        RecursionError,
        into=lambda exc: InputError(f"{path} cannot be read as JSON: {exc}", "Check the file."),
    ):
        # Not by the strict reader of cases: whatever a model said is to be scored, half a character too.
        value = json.loads(path.read_text(encoding="utf-8-sig"), parse_constant=_refuse_constant)
    if not isinstance(value, dict):
        raise InputError(f"{path} is {kind_of(value)}; an object of items by their ids is expected.")
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON value")


def check_item(subset: Subset, body: JsonObject) -> None:
    """Refuse an item that no reply could be compared with (teval 7).

    Raises:
        InputError: What evaluators read of it is missing or broken.
    """
    gold = body.get("ground_truth")
    match subset:
        case Subset.INSTRUCT:
            fields = (
                ("thought", "action", "args") if response_format(subset, body) == "json" else TEMPLATE_MARKS
            )
            template = part(body, "template")
            wrong = [field for field in fields if not isinstance(template.get(field), str)]
            if wrong:
                raise InputError(f"template.{wrong[0]} is no text.")
            if not isinstance(gold, dict) or "action" not in gold or not isinstance(gold.get("args"), dict):
                raise InputError("ground_truth is no object with action and args.")
        case Subset.PLAN_JSON | Subset.PLAN_STR:
            _check_plan(subset, body)
        case Subset.REVIEW_STR:
            if not isinstance(gold, dict) or gold.get("answer") not in LETTERS:
                raise InputError(f"ground_truth.answer is none of {', '.join(LETTERS)}.")
        case _:
            form = response_format(subset, body)
            if form not in ("json", "str"):
                raise InputError(f"meta_data.response_format is {form!r}; json or str is expected.")
            read_gold_step(gold, is_json=form == "json")


def _check_plan(subset: Subset, body: JsonObject) -> None:
    gold = body.get("ground_truth")
    steps = read_plan(gold)
    if not steps and loaded_reply(gold, "[", "]") != []:
        raise InputError("ground_truth is no list of steps with id, name and args.")
    form = response_format(subset, body)
    if form not in ("json", "str"):
        raise InputError(f"meta.prompt_type is {form!r}; json or str is expected.")
    names = part(body, "meta").get("API_list")
    if form == "str" and not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise InputError("meta.API_list is no list of names, which plans in text are read with.")
    deps = part(body, "meta_data").get("deps")
    if deps is not None and not (
        isinstance(deps, list)
        and len(deps) == len(steps)
        and all(_are_earlier(waits_for, step) for step, waits_for in enumerate(deps))
    ):
        raise InputError("meta_data.deps does not name earlier steps for each step of the gold plan.")


def _are_earlier(waits_for: Any, step: int) -> bool:
    return isinstance(waits_for, list) and all(type(one) is int and 0 <= one < step for one in waits_for)


def gold_dependencies(body: JsonObject) -> list[list[int]] | None:
    """For each step of a gold plan the earlier ones it waits for; None where nobody says.

    Derived items have them in `meta_data.deps`, published ones in the `prev` of each step, by its id.
    """
    deps: Any = part(body, "meta_data").get("deps")
    gold: Any = body.get("ground_truth")
    if deps is not None or not isinstance(gold, list):
        return deps  # type: ignore[no-any-return]
    if not all(
        isinstance(step, dict) and type(step.get("id")) is int and isinstance(step.get("prev"), list)
        for step in gold
    ):
        return None
    steps = gold[:-1] if gold and gold[-1].get("name") == FINISH else gold
    ids = [step["id"] for step in steps]
    if ids != sorted(set(ids)) or any(
        waited_for not in ids[:i] for i, step in enumerate(steps) for waited_for in step["prev"]
    ):
        return None
    return [[ids.index(waited_for) for waited_for in step["prev"]] for step in steps]


def part(body: JsonObject, name: str) -> JsonObject:
    """A part of an item that is an object; empty where there is none."""
    return members_in(body.get(name))


def response_format(subset: Subset, body: JsonObject) -> str:
    """The form an item wants its reply in: as it says itself, else as its file is named."""
    is_plan = subset in (Subset.PLAN_JSON, Subset.PLAN_STR)
    said = (
        part(body, "meta").get("prompt_type") if is_plan else part(body, "meta_data").get("response_format")
    )
    return str(said) if said is not None else subset.rpartition("_")[2]


def dump_items(items: Mapping[str, JsonObject]) -> str:
    """Write one file of items, the same bytes for the same items."""
    return json.dumps(items, ensure_ascii=False, indent=1) + "\n"


def read_replies(source: Path) -> tuple[Replies, str | None]:
    """Read what a model replied: a result folder, or the lines that `annotator teval run` writes.

    Returns:
        The replies, and the hash of the items they answer where the lines say it. Lines of items that failed
        outside the model hold no reply; of two lines for one item the first counts.

    Raises:
        InputError: It cannot be read, or holds no reply.
    """
    replies, answered = (read_items(source).replies, None) if source.is_dir() else read_lines(source)
    if not replies:
        raise InputError(f"{source} holds no reply.", "Name a result folder, or the file of a run.")
    return replies, answered


def read_lines(path: Path, *, model: str | None = None) -> tuple[Replies, str | None]:
    """Read the lines of a run as `read_replies` does; there may be no reply among them.

    Raises:
        InputError: It cannot be read, a line is no line of a run, or a reply is not of `model`.
    """
    replies: Replies = {}
    answered: str | None = None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        raise InputError(f"{path} is not a text file in UTF-8.", "Name the file of a run.") from exc
    except OSError as exc:
        raise InputError(f"{path} cannot be read: {exc.strerror}.", "Check the name.") from exc
    # What follows the last line break is a line that a kill has torn.
    for number, line in enumerate(text.split("\n")[:-1] if "\n" in text else [text], 1):
        if not line.strip():
            continue
        try:
            body = json.loads(line)
            if not isinstance(body, dict):
                raise ValueError("the line is no object")
            key = Subset(str(body.get("subset"))), str(body["item"])
        except (ValueError, KeyError, RecursionError) as exc:
            raise InputError(f"{path}, line {number}: it is no reply to an item.", str(exc)) from exc
        hashed = body.get("items_sha256")
        answered = answered or (hashed if isinstance(hashed, str) else None)
        if "error" not in body:
            if model is not None and body.get("model", model) != model:
                raise InputError(
                    f"{path}, line {number}: the reply is of {body['model']!r}, not of {model!r}.",
                    "Name another file with -o.",
                )
            replies.setdefault(
                key,
                ItemReply(prediction=body.get("prediction"), hit_limit=body.get("finish_reason") == "length"),
            )
    return replies, answered
