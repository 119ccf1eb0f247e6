"""The catalogues: what `make texts` refuses, and what a text means elsewhere."""

import importlib.util
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

from scoring.texts import in_language, speak, tr

ROOT = Path(__file__).parents[2]
_SPEC = importlib.util.spec_from_file_location("texts", ROOT / ".ci" / "texts.py")
assert _SPEC is not None
assert _SPEC.loader is not None
texts = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(texts)


@pytest.mark.parametrize(
    ("text", "said", "is_refused"),
    [
        ("{count} of {total}", "{total} 中的 {count}", False),
        ("{count} of {total}", "{total} 中的 {number}", True),
        ("{count} of {total}", "共 {total}", True),
        ("{count} of {total}", "{total 中的 {count}", True),
        (("{count:,} case", "{count:,} cases"), ("{count:,} 个用例",), False),
        (("{count:,} case", "{count:,} cases"), ("用例",), True),
        (("one case", "{count:,} cases"), ("一个用例",), False),
        (("one case", "{count:,} cases"), ("{number} 个用例",), True),
        ("{count} of {total}", "", False),
    ],
)
def test_a_translation_has_the_places_of_its_text(
    text: str | tuple[str, str], said: str | tuple[str], is_refused: bool
) -> None:
    catalog = Catalog("zh_CN")
    catalog.add(text, said)
    assert bool(texts.misplaced(catalog)) is is_refused


def test_a_text_with_two_meanings_has_a_translation_for_each(tmp_path: Path) -> None:
    catalog = Catalog("zh_CN")
    catalog.add("Open", "打开")
    catalog.add("Open", "开源", context="model")
    path = tmp_path / "zh_CN" / "LC_MESSAGES" / "annotator.mo"
    path.parent.mkdir(parents=True)
    path.write_bytes(texts.mo_bytes(catalog))
    speak("zh_CN", tmp_path)
    try:
        assert [tr("Open"), tr("Open", context="model"), tr("Open", context="else")] == [
            "打开",
            "开源",
            "打开",
        ]
    finally:
        speak("en")


def test_a_place_with_its_noun_is_no_number() -> None:
    module = texts.ast.parse("f\"{counted(row.count, 'case')} assigned to {row.name}\"")
    assert texts.template(module.body[0].value) == "{counted} assigned to {name}"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("It was stopped with 4 cases left.", "已停止，剩余 4 个用例。"),
        (
            "4 cases are in batch b1 now, a new one. 1 of its cases are sampled.",
            "4 个用例现在位于批次 b1，它是新批次。其中 1 个用例已抽样。",
        ),
        (
            "3 cases: 2 changed, 0 had it already, 1 stay. 1 because: You have judged this case already.",
            "3 个用例：已更改 2 个，原已如此 0 个，保持不变 1 个。1 个，原因：你已判断过此用例。",
        ),
        ("task 1: a, b called x(1) instead of the gold", "任务 1：a、b 调用了 x(1)，而非标准答案"),
        ("Write pairing=VALUE with one of free, swap.", "写成 pairing=VALUE，值为以下之一：free、swap。"),
        ("c-1 is at stage final now: bob owns it.", "c-1 现处于阶段“定稿”：其负责人为 bob。"),
        (
            "Reply 0: a (step 0) arguments: adds x; b (step 1) /date: edit ratio below 0.8 (0.13)",
            "回复 0：a（步骤 0）arguments：多出 x；b（步骤 1）/date：编辑相似度低于 0.8（0.13）",
        ),
        ("Reply 0: book is called although a question is due.", "回复 0：应当提问，却调用了 book。"),
        ("Reply 1: moveLesson is not in the toolset.", "回复 1：moveLesson 不在工具集中。"),
        ("from 2 models", "来自 2 个模型"),
    ],
)
def test_what_came_of_a_command_is_said_in_chinese(message: str, said: str) -> None:
    speak("zh_CN")
    try:
        assert in_language(message) == said
    finally:
        speak("en")


def test_the_same_value_twice_is_one_place_and_another_format_is_another() -> None:
    module = texts.ast.parse('f"{row.id} of {row.id}, {share} or {share:.0%}"')
    assert texts.template(module.body[0].value) == "{id} of {id}, {share} or {share2}"


def test_the_pseudo_language_is_longer_and_keeps_places_and_marks() -> None:
    said = texts.pseudo("<b>{count:,}</b> cases &amp; more")
    assert said.startswith("⟦<b>{count:,}</b> çåšéš &amp; möré~")
    assert len(said) >= len("<b>{count:,}</b> cases &amp; more") + 0.4 * len(" cases  more") - 1
