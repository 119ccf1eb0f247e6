"""Texts in the language of the process: places, counted nouns, messages found by their template."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from scoring import texts
from scoring.texts import cell_in_language, in_language, joined, speak, tr, tr_count, with_commas

SAID = {
    "Queue": "队列",
    "{first} {next}": "{first}{next}",
    "{done:,} of {total:,} done": "共 {total:,} 项，已完成 {done:,} 项",
    "The file {path} cannot be read: {why}.": "无法读取文件 {path}：{why}。",
    "{cases} left out.": "已排除 {cases}。",
    "{count} cases": "{count} 个用例",
    "{name} waits for {name}.": "{name} 在等自己。",
    "no such file": "没有该文件",
    "Task {task}": "任务 {task}",
    "Task {number}: {words}": "任务 {number}：{words}",
    "open": "未完成",
    "There is no batch {name}.": "没有批次 {name}。",
    "{one} and {other}": "{one} 与 {other}",
    "In batch {name} now{rest}.": "现在批次 {name} 中{rest}。",
    "a {{brace}} and {value}": "{{括号}}与 {value}",
}


@pytest.fixture
def chinese(tmp_path: Path) -> Iterator[None]:
    catalog = Catalog(locale="zh_CN")
    for text, said in SAID.items():
        catalog.add(text, said)
    catalog.add(("{count:,} finding", "{count:,} findings"), ("{count:,} 个问题",))
    folder = tmp_path / "zh_CN" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / "annotator.mo").open("wb") as stream:
        write_mo(stream, catalog)
    speak("zh_CN", tmp_path)
    yield
    speak("en")


@pytest.mark.usefixtures("chinese")
@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("Queue", "队列"),
        ("The file /a/b: c.json cannot be read: no such file.", "无法读取文件 /a/b: c.json：没有该文件。"),
        ("3 cases left out.", "已排除 3 个用例。"),
        ("eve waits for eve.", "eve 在等自己。"),
        ("eve waits for bob.", "eve waits for bob."),
        ("a {brace} and 7", "{括号}与 7"),
        ("Nothing knows this.", "Nothing knows this."),
        ("There is no batch open.", "没有批次 open。"),
        ("the hotel is wrong and dear", "the hotel is wrong and dear"),
        ("many cases", "many cases"),
        ("In batch b1 now.", "现在批次 b1 中。"),
        ("", ""),
    ],
)
def test_a_finished_message_is_said_by_the_template_it_was_made_of(message: str, shown: str) -> None:
    assert tr(message) == shown


@pytest.mark.usefixtures("chinese")
def test_places_are_named_and_may_change_their_order() -> None:
    assert tr("{done:,} of {total:,} done", done=1200, total=3000) == "共 3,000 项，已完成 1,200 项"
    assert tr_count(1, "finding") == "1 个问题"
    assert tr_count(1200, "finding") == "1,200 个问题"


def test_a_language_without_a_catalogue_is_english(tmp_path: Path) -> None:
    speak("xx", tmp_path)
    assert tr("{done:,} of {total:,} done", done=1200, total=3000) == "1,200 of 3,000 done"
    assert tr("3 cases left out.") == "3 cases left out."
    assert (tr_count(1, "entry", "entries"), tr_count(2, "entry", "entries")) == ("1 entry", "2 entries")


@pytest.mark.usefixtures("chinese")
def test_values_never_become_places() -> None:
    assert tr("{done:,} of {total:,} done", done=1, total=2).count("{") == 0
    assert tr("The file {path} cannot be read: {why}.", path="{why}", why="x") == "无法读取文件 {why}：x。"
    assert tr("The file {path} cannot be read: no such file.") == "无法读取文件 {path}：没有该文件。"
    assert texts.tr("100 % of {x}") == "100 % of {x}"


def test_a_word_and_a_number_tell_a_message_and_the_word_alone_tells_none(chinese: None) -> None:
    assert [tr("Task 3"), tr("Task 12: no such file")] == ["任务 3", "任务 12：没有该文件"]
    own = ["Task force needed", "Task A: see the notes"]  # what somebody wrote
    assert [tr(text) for text in own] == own


def test_a_line_of_data_is_no_prose_however_often_it_has_a_colon(chinese: None) -> None:
    data = "key: " * 3000
    assert in_language(data) == data
    assert in_language("Queue\n- a: Queue") == "队列\n- a: 队列"
    speak("en")
    assert in_language(data) is data


@pytest.mark.usefixtures("said_in_chinese")
@pytest.mark.parametrize(
    ("heading", "cell", "said"),
    [
        ("batch", "Not saved", "Not saved"),
        ("case", "Self-check", "Self-check"),
        ("person", "Others were asked.", "Others were asked."),
        ("verified by", "open", "open"),
        ("run", "Not saved · Not saved", "Not saved · 未保存"),
        ("run", "mean of 3", "3 次运行的均值"),
        ("case", "line 3", "第 3 行"),
        ("", "Not saved", "未保存"),
    ],
)
def test_a_cell_with_a_name_stays_and_the_words_of_the_program_are_said(
    heading: str, cell: str, said: str
) -> None:
    assert cell_in_language(cell, heading=heading) == said


@pytest.mark.usefixtures("said_in_chinese")
@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("There is no batch 'Not saved'.", "没有批次“Not saved”。"),
        ("Not saved belongs to Not saved.", "Not saved 的负责人是 Not saved。"),
        ("This looks like a ZIP archive, which is not read.", "这看起来是 ZIP 压缩包，无法读取。"),
        ("Reply 1: A text although calls are due: x y.", "回复 1：应当调用却给出文本，应有：x y。"),
        ("mean of 3, careful", "careful：3 次运行的均值"),
        ("Reply 1: A text although calls are due: x, y.", "回复 1：应当调用却给出文本，应有：x、y。"),
        ("mean of 3", "3 次运行的均值"),
    ],
)
def test_a_name_of_several_words_stays_in_a_message_and_the_longest_template_says_it(
    message: str, said: str
) -> None:
    assert tr(message) == said


@pytest.mark.usefixtures("said_in_chinese")
def test_a_list_has_the_comma_of_the_language() -> None:
    assert with_commas(["ann-1", 2]) == "ann-1、2"
    speak("en")
    assert with_commas(["ann-1", 2]) == "ann-1, 2"


@pytest.mark.usefixtures("said_in_chinese")
@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ("1 finding, 2 cases.", "1 个问题，2 个用例。"),
        ("2 cases, something odd.", "2 cases, something odd."),
    ],
)
def test_counts_in_a_row_are_said_one_by_one_or_not_at_all(counts: str, said: str) -> None:
    assert in_language(counts) == said


def test_no_sentence_or_some_stand_behind_each_other() -> None:
    assert joined() == joined("", "") == ""
    assert joined("One.", "", "Two.", "Three.") == "One. Two. Three."


def test_chinese_sentences_have_no_blank_between_them(chinese: None) -> None:
    assert joined("一。", "", "二。") == "一。二。"
