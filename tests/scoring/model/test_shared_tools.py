"""Tools that many cases bring are decoded, written and hashed once, and nothing comes out otherwise."""

from hypothesis import given
from hypothesis import strategies as st

from scoring.formats import native
from scoring.formats.alignment import digest
from scoring.formats.chat import openai
from scoring.formats.preserved_fields import KEPT_KEY, kept_of
from scoring.model.case import Case, Tool, content_of, content_sha256, dump_case, write_case
from scoring.model.record import JsonObject, sha256_of, to_json
from tests.factories import answer, call, case, task, tool
from tests.scoring.formats.cases import answered_cases
from tests.scoring.formats.json_values import json_objects

_DEFINITIONS = st.builds(lambda rest: rest | {"name": "bookTable"}, json_objects())


@given(told=answered_cases(), definitions=st.lists(_DEFINITIONS, max_size=3))
def test_a_case_is_written_and_hashed_as_if_its_tools_were_its_own(
    told: Case, definitions: list[JsonObject]
) -> None:
    tools = tuple(Tool(definition=definition) for definition in definitions)
    whole = told.model_copy(update={"tools": tools, "id": '"tools":[]'})
    assert write_case(whole) == to_json(dump_case(whole))
    assert content_sha256(whole) == sha256_of(content_of(whole))


def test_two_native_lines_share_the_tools_they_both_bring() -> None:
    lines = [native.encode(case(id=name, tools=[tool("bookTable")])) for name in ("a", "b")]
    one, other = (native.decode(line, file="n.jsonl", line=1) for line in lines)
    assert one.tools == (tool("bookTable"),)
    assert one.tools[0] is other.tools[0]


def test_a_line_of_messages_is_known_again_by_the_digest_of_all_it_says() -> None:
    written = openai.encode(case(task(call(), answer()), tools=[tool("getForecast"), tool("bookTable")]))
    line: JsonObject = {"licence": "CC0", **written}
    read = openai.decode(line, file="c.jsonl", line=1)
    kept = kept_of(read)
    assert kept is not None
    ours = openai.encode(
        read.model_copy(update={"extras": {k: v for k, v in read.extras.items() if k != KEPT_KEY}})
    )
    assert list(ours) != list(line)
    assert kept.unchanged == digest(ours)
    assert openai.encode(read) == line
