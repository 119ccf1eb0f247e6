"""The command line with `--lang`: prose in the language, contracts as they are."""

import re
import shutil
from pathlib import Path
from unicodedata import east_asian_width

import pytest

from annotator.project.people import login_name
from annotator.resources import resource_path
from tests.e2e.command import annotator, annotator_process

CHINESE = re.compile("[\u4e00-\u9fff]")


def chinese(*arguments: object, code: int = 0) -> tuple[str, str]:
    """What a command says in Chinese on its two streams; in a process, whose help is built anew."""
    ran = annotator_process("--lang", "zh_CN", *arguments)
    assert ran.code == code, ran.err
    return ran.out, ran.err


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample project at its end; made in English."""
    folder = tmp_path_factory.mktemp("language")
    annotator("demo", "--headless", "--dir", folder)
    return folder


def english_lines(text: str) -> list[str]:
    """Lines with a sentence or a heading that is not Chinese."""
    return [line for line in text.splitlines() if line.strip() and not CHINESE.search(line)]


def test_help_is_chinese_and_fits_the_width() -> None:
    out, _ = chinese("score", "--help")
    assert out.startswith("用法：annotator score [OPTIONS] {CASES} {PREDICTIONS}...")
    for words in (
        "参数：",
        "选项：",
        "[必填]",
        "[默认：",
        "[环境变量：",
        "显示此帮助并退出。",
        "示例：annotator score",
    ):
        assert words in out
    widths = [sum(1 + (east_asian_width(char) in "WF") for char in line) for line in out.splitlines()]
    assert max(widths) <= 80
    assert not re.search("\n *[，。、；：）”]", out), "a line begins with the end of a sentence"


def test_a_variable_says_the_language_and_what_is_typed_counts_before_it() -> None:
    in_chinese = annotator_process("--help", ANNOTATOR_LANG="zh_CN").out
    assert "列出用例" in in_chinese
    assert "List cases" in annotator_process("--lang", "en", "--help", ANNOTATOR_LANG="zh_CN").out


def test_nothing_is_chinese_unless_asked_for() -> None:
    ran = annotator_process("--help", LANG="zh_CN.UTF-8", LC_ALL="zh_CN.UTF-8", LANGUAGE="zh_CN")
    assert not CHINESE.search(ran.out)


def test_what_is_refused_is_said_in_chinese_with_the_next_step(project: Path) -> None:
    samples = project / "samples.db"
    assert chinese("case", "show", code=2)[1].splitlines()[1:] == [
        "运行“annotator case show -h”查看帮助。",
        "",
        "错误：缺少参数 'ID'。",
    ]
    assert chinese("nothing", code=2)[1].endswith("错误：没有命令 'nothing'。\n")
    assert english_lines(chinese("reassign", "--to", "eve", "-p", samples, code=2)[1]) == []
    assert english_lines(chinese("case", "show", "none", "-p", samples, code=1)[1]) == []
    assert "'xx' is not one of 'en', 'zh_CN'." in annotator("--lang", "xx", "cases").err


def test_tables_and_sentences_are_chinese(project: Path) -> None:
    samples = project / "samples.db"
    out = chinese("stages", "-p", samples)[0]
    assert out.splitlines()[0].split() == ["阶段", "用例", "最早始于", "中位数（秒）"]
    assert "批次" in out
    assert "16 个用例中未发现问题。" in chinese("check", "-p", samples)[0]
    out = chinese("digest", "--since", "1d", "-p", samples)[0]
    assert english_lines(out) == []
    errata = chinese("release", "errata", "samples-1", "-p", samples)[0]
    assert english_lines(errata) == []


def test_words_of_cells_are_chinese_and_names_stay(project: Path) -> None:
    samples = shutil.copy(project / "samples.db", project / "named.db")
    annotator("user", "add", "yes", "--role", "annotator", "-p", samples, "--as", login_name())
    lines = [line.split() for line in chinese("user", "list", "-p", samples)[0].splitlines()]
    assert ["yes", "annotator", "是", "否"] in lines
    line = (project / "release" / "cases.jsonl").read_text(encoding="utf-8").splitlines()[0]
    case = project / "case.jsonl"
    case.write_text(re.sub('"id": "sample-[^"]*"', '"id": "fresh-1"', line), encoding="utf-8")
    annotator("import", case, "--batch", "Not saved", "-p", samples, "--as", login_name())
    assert "Not saved" in chinese("batch", "list", "-p", samples)[0]


def test_documents_stay_english(project: Path) -> None:
    samples = project / "samples.db"
    for command in (("digest", "--since", "1d"), ("people",), ("policy", "show"), ("release", "quality")):
        document = annotator_process("--lang", "zh_CN", *command, "--json", "-p", samples)
        assert (document.code, CHINESE.search(document.out)) == (0, None)


def test_a_report_is_in_the_language_but_not_for_a_paper(project: Path, tmp_path: Path) -> None:
    release, replies = project / "release", resource_path("samples", "predictions_careful.jsonl")
    annotator("score", release, replies, "-o", tmp_path / "scores")
    written = {}
    for form in ("md", "html", "csv", "latex"):
        chinese("report", tmp_path / "scores", "--format", form, "-o", tmp_path / f"r.{form}")
        written[form] = (tmp_path / f"r.{form}").read_text(encoding="utf-8")
    assert "## 准确率" in written["md"]
    assert "<h2>准确率" in written["html"]
    assert not CHINESE.search(written["csv"] + written["latex"])
    for number in (1, 2):
        annotator_process(
            *(["--lang", "zh_CN"] if number == 2 else []),
            *("bundle", "pack", release, replies, "-o", tmp_path / f"{number}.zip"),
        )
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()
