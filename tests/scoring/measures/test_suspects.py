"""Suspects and items: who accuses, who does not, and how a task tells models apart."""

from dataclasses import replace

import pytest

from scoring.matching.gold import prepare
from scoring.matching.task_scores import TaskScore, judge_task
from scoring.measures.suspects import (
    ScoredRun,
    deed_of,
    make_of,
    model_of,
    question_gold,
)
from scoring.model.taxonomy import ActionDetail, ArgumentProfile
from scoring.predictions import InfraError, Prediction, Reply, ToolCall
from tests.factories import answer, call, case, task, tool


def _score(number: int, right: bool) -> TaskScore:
    return TaskScore(
        case=f"c-{number}",
        task=0,
        policy=None,
        information=None,
        label="correct" if right else "error",
        action_label="correct",
        action_detail=None,
        arguments_label=None,
        arguments_profile=ArgumentProfile.WTB,
        optimal=False,
        steps_done=1,
        steps_total=3,
        error=None,
        error_c3=None,
        detail=None,
    )


def _run(name: str, rights: str, *, deeds: dict[int, str] | None = None) -> ScoredRun:
    """A run over as many cases as there are letters: `+` right, `-` wrong."""
    tasks = tuple(_score(i, mark == "+") for i, mark in enumerate(rights))
    return ScoredRun(name, model_of(name), tasks, {(f"c-{i}", 0): deed for i, deed in (deeds or {}).items()})


def test_models_of_two_makes_that_do_the_same_against_the_gold_make_a_suspect() -> None:
    runs = [
        _run("gpt-4o", "-+++", deeds={0: "f(1)"}),
        _run("qwen2.5", "-+++", deeds={0: "f(1)"}),
        _run("weak", "+--+"),
    ]
    [found] = question_gold(runs).suspects
    assert found.case == "c-0"
    assert [one.model for one in found.accusers] == ["gpt-4o", "qwen2.5"]
    assert found.loyal == ("weak",)
    # Two that are right elsewhere (capped at 0.99) against one that is right in one of three:
    # 2 * -ln 0.01 + ln (2/3) = 9.210 - 0.405
    assert found.weight == pytest.approx(8.805, abs=1e-3)


def test_unrelated_mistakes_at_one_step_are_no_agreement() -> None:
    names = ("gpt-4o", "qwen2.5", "gemma-3")
    assert question_gold([_run(name, "-++", deeds={0: f"f({name})"}) for name in names]).suspects == ()
    assert question_gold([_run(name, "-++") for name in names]).suspects == ()  # nobody knows what they did
    [found] = question_gold([_run(name, "-++", deeds={0: "f(1)"}) for name in names]).suspects
    assert len(found.accusers) == 3


def test_runs_of_one_model_are_one_model_whatever_they_are_called() -> None:
    first, second = (_run(name, "-+++", deeds={0: "x"}) for name in ("ours", "with tools in the prompt"))
    assert len(question_gold([first, second]).suspects) == 1
    runs = [replace(one, model="m") for one in (first, second)]
    found = question_gold(runs)
    assert (found.models, found.suspects, found.items[0].n) == (("m",), (), 1)
    # Beside another make they accuse together, and each of their runs is named.
    [suspect] = question_gold([*runs, _run("qwen2.5", "-+++", deeds={0: "x"})]).suspects
    assert [one.runs for one in suspect.accusers] == [("ours", "with tools in the prompt"), ("qwen2.5",)]


@pytest.mark.parametrize(
    "runs",
    [
        pytest.param([_run("gpt-4o", "-+++", deeds={0: "x"})], id="one model only"),
        pytest.param(
            [_run("gpt-4o run 1", "-+++", deeds={0: "x"}), _run("gpt-4o run 2", "-+++", deeds={0: "x"})],
            id="two runs of one model",
        ),
        pytest.param(
            [_run("qwen-c2", "-+++", deeds={0: "x"}), _run("qwen-c3", "-+++", deeds={0: "x"})],
            id="one model under two protocols",
        ),
        pytest.param(
            [_run("gpt-4o", "-+++", deeds={0: "x"}), _run("gpt-4o-mini", "-+++", deeds={0: "x"})],
            id="two models of one make",
        ),
        pytest.param(
            [_run("a", "----", deeds=dict.fromkeys(range(4), "x")), _run("b", "----"), _run("c", "----")],
            id="all models failing everything",
        ),
        pytest.param(
            [_run("a", "-+--", deeds={0: "x"}), _run("b", "-+--", deeds={0: "x"}), _run("c", "++++")],
            id="a strong model meets the gold",
        ),
        pytest.param([], id="no run"),
    ],
)
def test_no_suspect_is_invented(runs: list[ScoredRun]) -> None:
    assert question_gold(runs).suspects == ()


def test_failing_models_do_not_make_a_second_make() -> None:
    runs = [_run("a", "-+++", deeds={0: "x"}), _run("broken", "----", deeds={0: "x"})]
    assert question_gold(runs).suspects == ()


def test_a_run_that_failed_outside_the_model_says_nothing() -> None:
    outside = _score(0, False).model_copy(update={"action_detail": ActionDetail.INFRA_ERROR})
    runs = [_run("a", "-++"), ScoredRun("b", "b", (outside, _score(1, True), _score(2, True)))]
    found = question_gold(runs)
    assert found.suspects == ()
    assert [item.n for item in found.items] == [1, 2, 2]


def test_a_model_that_is_right_in_one_of_its_runs_accuses_nobody() -> None:
    runs = [
        _run("a #1", "-+++", deeds={0: "x"}),
        _run("a #2", "++++"),
        _run("b", "-+++", deeds={0: "x"}),
    ]
    assert question_gold(runs).suspects == ()
    assert question_gold(runs).models == ("a", "b")


def test_items_have_difficulty_and_point_biserial_discrimination() -> None:
    runs = [_run("a", "++++"), _run("b", "+++-"), _run("c", "-+--"), _run("d", "-+-+")]
    first, easy, *_ = question_gold(runs).items
    # Right at task 0: a, b. Elsewhere: a 3/3, b 2/3, c 1/3, d 2/3 with mean 2/3.
    # covariance = (1/2 * 1/3 + 1/2 * 0 + 1/2 * 1/3 - 1/2 * 0) / 4 = 1/12; deviations 1/2 and 0.2357
    assert (first.n, first.difficulty) == (4, 0.5)
    assert first.discrimination == pytest.approx((1 / 12) / (0.5 * (2 / 36) ** 0.5))
    assert (easy.difficulty, easy.discrimination, easy.tells_apart) == (1.0, None, False)


@pytest.mark.parametrize(
    ("run", "model", "make"),
    [
        ("gpt-4o-mini", "gpt-4o-mini", "gpt"),
        ("GPT-4o run 2", "GPT-4o", "gpt"),
        ("qwen2.5-72b_seed7", "qwen2.5-72b", "qwen"),
        ("openai/o3 (2)", "openai/o3", "openai"),
        ("model-a", "model-a", "model-a"),
        ("m_c3 run 2", "m", "m"),
        ("m run 2 wildtool", "m", "m"),
        ("m · seed 1", "m", "m"),
        ("m · c2", "m", "m"),
        ("m · wildtool #2", "m", "m"),
        ("mc2", "mc2", "mc"),
        ("run 3", "run 3", "run"),
    ],
)
def test_names_say_model_and_make(run: str, model: str, make: str) -> None:
    assert (model_of(run), make_of(model_of(run))) == (model, make)


def _called(*calls: tuple[str, str]) -> Reply:
    return Reply(tool_calls=tuple(ToolCall(name=name, arguments=text) for name, text in calls))


def test_a_deed_is_what_was_done_where_the_gold_was_left() -> None:
    gold = prepare(
        case(
            task(call("f", "ok", city="Oslo", day=1), call("g", "ok", x=1), answer("Done.")),
            tools=[
                tool("f", city={"type": "string"}, day={"type": "integer"}),
                tool("g", x={"type": "integer"}),
            ],
        ),
        0,
    )

    def deed(*replies: Reply, error: InfraError | None = None) -> str | None:
        told = Prediction(case=gold.case_id, task=0, replies=replies, error=error)
        profile = ArgumentProfile.WTB
        found = deed_of(gold, told, profile=profile)
        assert (found is None) or not judge_task(gold, told, profile=profile).score.is_correct
        return found

    right = ("f", '{"city": "Oslo", "day": 1}'), ("g", '{"x": 1}')
    assert deed(_called(*right), Reply(content="Done.")) is None
    wrong = 'f({"city": "Rome", "day": 1})'
    # The same wrong call, whatever the order of its keys and whatever was called beside it.
    assert deed(_called(right[1], ("f", '{"day": 1, "city": "Rome"}'))) == wrong
    assert deed(_called(("f", '{"city":"Rome","day":1}')), _called(right[1])) == wrong
    assert deed(Reply(content="I cannot.")) == "a text"
    assert deed(_called(right[0]), Reply(content="I cannot.")) == "a text after 1 round"
    assert deed() is None
    assert deed(_called(("f", "{"))) == "f({)"
    assert deed(error=InfraError(kind="http_500")) is None
