"""Runs question the gold: the list of a release, a suspect on its way to an expert, and errata."""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotator.cases.file_import import ImportOrder
from annotator.cases.places import with_step
from annotator.jobs import JobContext
from annotator.release.errata import ERRATA, Errata, errata_of, unwritten_errata, write_errata
from annotator.release.freeze import freeze
from annotator.release.quality import quality
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.recorded_runs import record_run
from annotator.release.suspects import (
    nominate,
    proposed_values,
    question_release,
    start_mending,
    suspect_words,
    value_words,
)
from annotator.release.verification import verify_release
from annotator.review.escalation import EscalationReason
from annotator.review.expert.decisions import Decision, Own
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.case_rows import CaseFilter, list_cases
from scoring.bfcl_simulators import simulators_folder
from scoring.errors import ForbiddenError, InputError, NotFoundError
from scoring.formats.case_writer import encode
from scoring.measures.suspects import Suspect
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CaseFormat, Stage, Verdict
from scoring.predictions import Prediction
from tests.annotator.team import Team, two_step_case
from tests.scoring.bfcl_package import put_package
from tests.scoring.formats.test_bfcl import lay_out, question
from tests.scoring.test_bfcl_simulators import ADD_3, LOOK, RIGHT, SUM, said

IDS = ("c-1", "c-2", "c-3")


def _replies_file(
    team: Team, name: str, wrong: Sequence[str], depot: str = "Hamar-8", model: str = ""
) -> Path:
    """A run that reroutes from `depot` in some cases and is right in the others.

    Its predictions name the model, where there is one.
    """
    said = {"setting": {"model": model}} if model else {}
    lines = []
    for case_id in IDS:
        place = depot if case_id in wrong else "Hamar-7"
        calls = (("findParcel", {"number": "P-881"}), ("reroute", {"depot": place}))
        replies = [
            {"tool_calls": [{"function": {"name": tool, "arguments": json.dumps(arguments)}}]}
            for tool, arguments in calls
        ]
        replies.append({"content": "It goes on."})  # type: ignore[dict-item]
        lines.append(json.dumps({"case": case_id, "task": 0, "replies": replies, **said}))
    path = team.folder / f"{name}.jsonl"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _run(
    team: Team, folder: Path, name: str, wrong: Sequence[str], depot: str = "Hamar-8", model: str = ""
) -> None:
    """Score and record such a run."""
    path = _replies_file(team, name, wrong, depot, model)
    card = evaluate(load_cases(folder), [path], context=JobContext(), source=folder)
    assert sum(not task.is_correct for task in card.tasks) == len(wrong)
    record_run(team["max"], name, card=card, predictions=[path], source=folder)


@pytest.fixture
def released(team: Team, tmp_path: Path) -> tuple[Team, Path]:
    """Three cases in release `r1`, never sampled."""
    change_review_policy(team["max"], ("cross_check=false", "expert_sample=false"))
    team.bring(*map(two_step_case, IDS))
    for case_id in IDS:
        team.self_check("ann", case_id)
    folder = tmp_path / "r1"
    freeze(team["max"], "r1", directory=folder, context=JobContext())
    return team, folder


def _suspect(team: Team, folder: Path) -> Suspect:
    _run(team, folder, "gpt-4o", ["c-2"])
    _run(team, folder, "qwen2.5", ["c-2"])
    [suspect] = question_release(team["max"]).questions.suspects
    return suspect


def test_two_models_that_make_the_same_call_question_the_gold(released: tuple[Team, Path]) -> None:
    suspect = _suspect(*released)
    assert (suspect.case, suspect.task) == ("c-2", 0)
    assert suspect_words(suspect) == (
        'task 1: gpt-4o, qwen2.5 called reroute({"depot": "Hamar-8"}) instead of the gold'
    )


def test_a_value_that_models_agree_on_is_proposed_with_the_release_and_for_its_case(
    released: tuple[Team, Path],
) -> None:
    team, folder = released
    for model in ("gpt-4o", "qwen2.5"):
        _run(team, folder, model, ["c-2"])
    _run(team, folder, "glm-4", [])
    [found] = proposed_values(team["max"], "r1")
    assert (found.case, found.step, found.tool, found.path) == ("c-2", 1, "reroute", "/depot")
    assert value_words(found) == '"Hamar-8": 2 of 3 models'
    assert proposed_values(team["max"], case_id="c-2") == (found,)
    assert proposed_values(team["max"], case_id="c-1") == ()


def test_a_release_without_runs_proposes_nothing_and_an_unknown_one_is_named(
    released: tuple[Team, Path],
) -> None:
    team, _ = released
    assert proposed_values(team["max"], "r1") == proposed_values(team["max"]) == ()
    with pytest.raises(NotFoundError, match="r2"):
        proposed_values(team["max"], "r2")


def test_a_long_call_is_cut_in_the_sentence(released: tuple[Team, Path]) -> None:
    suspect = _suspect(*released)
    for length, ends in ((300, "x instead of the gold"), (301, "x… instead of the gold")):
        first = suspect.accusers[0].model_copy(update={"deed": "x" * length})
        words = suspect_words(suspect.model_copy(update={"accusers": (first,)}))
        assert words.endswith(ends)
        assert words.count("x") + words.count("…") == 300


def test_one_model_run_twice_questions_nothing(released: tuple[Team, Path]) -> None:
    team, folder = released
    _run(team, folder, "gpt-4o", ["c-2"])
    _run(team, folder, "gpt-4o", ["c-2", "c-3"])
    found = question_release(team["max"], "r1")
    assert found.runs == ("gpt-4o", "gpt-4o")
    assert (found.questions.models, found.questions.suspects) == (("gpt-4o",), ())


def test_runs_that_name_one_model_are_one_model_whatever_they_are_called(
    released: tuple[Team, Path],
) -> None:
    team, folder = released
    for name in ("ours", "theirs"):
        _run(team, folder, name, ["c-2"], model="gpt-4o")
    found = question_release(team["max"], "r1")
    assert (found.questions.models, found.questions.suspects) == (("gpt-4o",), ())
    _run(team, folder, "qwen2.5", ["c-2"])
    [suspect] = question_release(team["max"], "r1").questions.suspects
    assert [one.runs for one in suspect.accusers] == [("theirs", "ours"), ("qwen2.5",)]


def test_without_a_run_it_says_what_to_do(released: tuple[Team, Path]) -> None:
    team, _ = released
    with pytest.raises(NotFoundError, match="No run was scored"):
        question_release(team["max"])
    with pytest.raises(NotFoundError, match="no release 'r9'"):
        question_release(team["max"], "r9")
    assert question_release(team["max"], "r1").questions.suspects == ()


def test_a_suspect_goes_to_the_expert_with_the_models_that_nominated_it(
    released: tuple[Team, Path],
) -> None:
    team, folder = released
    suspect = _suspect(team, folder)
    with pytest.raises(ForbiddenError):
        nominate(team["ann"], suspect, release="r1")
    assert question_release(team["max"]).asked == ()
    nominate(team["eve"], suspect, release="r1")
    assert question_release(team["max"]).asked == ("c-2",)
    assert team.stage("c-2") is Stage.ESCALATED
    adjudication = team.open_expert("c-2")
    assert adjudication.escalation is not None
    assert adjudication.escalation.reason is EscalationReason.GOLD_QUESTIONED
    assert adjudication.escalation.models == ("gpt-4o", "qwen2.5")
    assert "Hamar-8" in adjudication.why
    with pytest.raises(ForbiddenError, match="not possible at stage escalated"):
        nominate(team["eve"], suspect, release="r1")


def test_the_answer_is_a_revision_for_the_next_release_and_an_erratum_of_this_one(
    released: tuple[Team, Path], tmp_path: Path
) -> None:
    team, folder = released
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    bound = quality(team["max"]).bound
    nominate(team["eve"], _suspect(team, folder), release="r1")
    assert errata_of(team["max"], "r1").errata == ()  # nobody has decided yet
    assert errata_of(team["max"], "r1").headline.startswith("No case of r1 was corrected or rejected")
    kind: dict[str, str | Own] = {"task.0.edge.0-1": Own(own="parameter")}
    team.decide("c-2", Decision(fields=kind, verdict=Verdict.APPROVE, note="the depot was wrong"))
    assert unwritten_errata(team["max"]) == {"r1": ("c-2",)}
    errata = write_errata(team["max"], "r1")
    assert unwritten_errata(team["max"]) == {}
    assert errata.headline == "1 erratum of r1 written."
    [erratum] = errata.errata
    assert (erratum.case_id, erratum.sha256 is None, erratum.reason) == ("c-2", False, "the depot was wrong")
    assert erratum.models == ("gpt-4o", "qwen2.5")
    assert {path: path.read_bytes() for path in before} == before
    report = verify_release(folder)
    assert (report.ok, report.errata) == (True, ("c-2",))
    # What models point at is settled, but it is no random sample: nothing more is known of the others.
    after = quality(team["max"]).bound
    assert (bound.is_known, after.is_known, after.sampled) == (False, False, 0)
    assert after.wrong_cases == 2
    manifest = freeze(team["max"], "r2", directory=tmp_path / "r2", context=JobContext()).value
    assert manifest.content.content_sha256 != errata.content_sha256


def test_a_suspect_the_expert_confirms_is_no_erratum(released: tuple[Team, Path]) -> None:
    team, folder = released
    nominate(team["eve"], _suspect(team, folder), release="r1")
    team.decide("c-2", Decision(verdict=Verdict.APPROVE))
    assert team.stage("c-2") is Stage.FINAL
    assert errata_of(team["max"], "r1").errata == ()


def test_a_rejected_case_is_an_erratum_without_a_correction(released: tuple[Team, Path]) -> None:
    team, folder = released
    nominate(team["eve"], _suspect(team, folder), release="r1")
    team.decide("c-2", Decision(verdict=Verdict.REJECT, note="no such depot"))
    [erratum] = errata_of(team["max"], "r1").errata
    assert (erratum.sha256, erratum.sha256 is None, erratum.reason) == (None, True, "no such depot")


def test_errata_that_cannot_be_read_and_a_folder_that_is_gone_count_as_not_written(
    released: tuple[Team, Path],
) -> None:
    team, folder = released
    nominate(team["eve"], _suspect(team, folder), release="r1")
    team.decide("c-2", Decision(verdict=Verdict.REJECT, note="no such depot"))
    (folder / ERRATA).write_text("{}", encoding="utf-8")
    assert unwritten_errata(team["max"]) == {"r1": ("c-2",)}
    folder.rename(folder.with_name("elsewhere"))
    assert unwritten_errata(team["max"]) == {"r1": ("c-2",)}
    with pytest.raises(InputError) as refused:
        write_errata(team["max"], "r1")
    assert refused.value.hint
    write_errata(team["max"], "r1", directory=folder.with_name("elsewhere"))


def test_errata_that_do_not_fit_the_release_are_problems(released: tuple[Team, Path]) -> None:
    team, folder = released
    nominate(team["eve"], _suspect(team, folder), release="r1")
    team.decide("c-2", Decision(verdict=Verdict.REJECT, note="no such depot"))
    errata = write_errata(team["max"], "r1")
    gone = errata.errata[0].model_copy(update={"case_id": "c-9"})
    strange = errata.model_copy(update={"errata": (gone,)})
    for wrong, problem in (
        (
            strange.model_copy(update={"errata_sha256": strange.seal}),
            "names c-9, which is not in the release",
        ),
        (strange, "its own checksum does not fit"),
        (errata.model_copy(update={"content_sha256": "0" * 64}), "belongs to another release"),
    ):
        (folder / ERRATA).write_text(wrong.model_dump_json(), encoding="utf-8")
        assert any(problem in said for said in verify_release(folder).problems)
    (folder / ERRATA).write_text("{", encoding="utf-8")
    assert any("cannot be checked" in said for said in verify_release(folder).problems)


def test_errata_are_written_only_into_the_folder_of_their_release(
    released: tuple[Team, Path], tmp_path: Path
) -> None:
    team, _ = released
    team.bring(two_step_case("c-4"))
    team.self_check("ann", "c-4")
    freeze(team["max"], "r2", directory=tmp_path / "r2", context=JobContext())
    with pytest.raises(InputError, match="holds another release than r1"):
        write_errata(team["max"], "r1", directory=tmp_path / "r2")
    with pytest.raises(InputError, match="not a release folder"):
        write_errata(team["max"], "r1", directory=tmp_path)
    assert Errata.model_validate_json(write_errata(team["max"], "r1").model_dump_json()).errata == ()


def test_a_suspect_that_is_gone_is_refused(released: tuple[Team, Path]) -> None:
    team, folder = released
    suspect = _suspect(team, folder)
    with pytest.raises(NotFoundError, match="no case 'c-9'"):
        nominate(team["eve"], suspect.model_copy(update={"case": "c-9"}), release="r1")
    with pytest.raises(InputError, match="there is no task 8"):
        nominate(team["eve"], suspect.model_copy(update={"task": 7}), release="r1")


@pytest.fixture
def public(team: Team) -> ImportOrder:
    """A public file: `c-3` lacks an argument its tool asks for, line 4 cannot be read."""
    cases = [two_step_case(case_id) for case_id in IDS]
    call = cases[2].tasks[0].steps[1].model_copy(update={"arguments": {}})
    cases[2] = with_step(cases[2], 0, step=1, changed=call)
    lines = [json.dumps(encode(one, CaseFormat.NATIVE, position=n)) for n, one in enumerate(cases)]
    file = team.folder / "public.jsonl"
    file.write_text("\n".join([*lines, "no case"]), encoding="utf-8")
    return ImportOrder(files=(file,))


def _priorities(team: Team) -> dict[str, str]:
    rows = list_cases(team["max"], CaseFilter(batch="public"))
    return {row.case_id: row.priority.value for row in rows}


def test_the_doubtful_cases_of_a_public_file_are_given_out_first(team: Team, public: ImportOrder) -> None:
    runs = [_replies_file(team, name, ["c-2"]) for name in ("gpt-4o", "qwen2.5")]
    start = start_mending(team["max"], public, runs=runs, context=JobContext())
    assert (start.report.imported, start.report.rejected, start.cases) == (3, 1, 3)
    broken, questioned = start.doubtful
    assert [one.case for one in start.doubtful] == ["c-3", "c-2"]
    assert "args.missing" in broken.rules
    assert broken.weight - broken.suspects[0].weight >= math.log(3)  # one of three cases breaks the rule
    assert "Hamar-8" in suspect_words(questioned.suspects[0])
    assert _priorities(team) == {"c-1": "normal", "c-2": "high", "c-3": "high"}


def test_what_all_cases_break_says_nothing_about_one(team: Team, public: ImportOrder) -> None:
    lines = public.files[0].read_text(encoding="utf-8").splitlines()
    public.files[0].write_text(lines[2] + "\n", encoding="utf-8")
    start = start_mending(team["max"], public, runs=(), context=JobContext())
    assert (start.cases, start.doubtful) == (1, ())
    assert _priorities(team) == {"c-3": "normal"}


def test_an_error_that_most_cases_have_makes_none_of_them_urgent(team: Team, public: ImportOrder) -> None:
    lines = public.files[0].read_text(encoding="utf-8").splitlines()
    twice = [lines[0], lines[2], lines[2].replace('"c-3"', '"c-2"')]
    public.files[0].write_text("\n".join(twice), encoding="utf-8")
    start = start_mending(team["max"], public, runs=(), context=JobContext())
    assert {one.case for one in start.doubtful} == {"c-2", "c-3"}
    assert _priorities(team) == {"c-1": "normal", "c-2": "normal", "c-3": "normal"}


def test_mending_starts_again_with_a_run_more(team: Team, public: ImportOrder) -> None:
    start = start_mending(team["max"], public, runs=(), context=JobContext())
    assert [one.case for one in start.doubtful] == ["c-3"]
    runs = [_replies_file(team, name, ["c-1"]) for name in ("gpt-4o", "qwen2.5")]
    start = start_mending(team["max"], public, runs=runs, context=JobContext())
    assert (start.report.imported, start.report.duplicates) == (0, 3)
    assert _priorities(team) == {"c-1": "high", "c-2": "normal", "c-3": "high"}
    assert (start.first.changed, start.first.already) == (1, 1)


class Interrupted(JobContext):
    """A job whose person presses Ctrl+C when one case has its priority."""

    def progress(self, done: int, total: int | None = None, note: str = "") -> None:
        if (done, note) == (1, "changing cases"):
            raise KeyboardInterrupt


def test_stopped_before_the_last_priority_it_counts_those_that_have_one(
    team: Team, public: ImportOrder
) -> None:
    runs = [_replies_file(team, name, ["c-2"]) for name in ("gpt-4o", "qwen2.5")]
    start = start_mending(team["max"], public, runs=runs, context=Interrupted())
    assert _priorities(team) == {"c-1": "normal", "c-2": "normal", "c-3": "high"}
    assert "the queue gives 1 out first" in start.lines[0]
    assert start.lines[1] == "It was stopped with 1 case left."


def test_models_question_the_gold_of_bfcl_whose_files_have_no_answers(team: Team) -> None:
    asked: list[JsonObject] = [question(f"a_{n}") for n in range(3)]
    truths: list[JsonObject] = [
        {"weather.forecast": {"city": [city], "days": ["", 3]}} for city in ("Oslo", "Oslo", "Narvik")
    ]
    gold: list[JsonObject] = [
        {"id": str(one["id"]), "ground_truth": [truth]} for one, truth in zip(asked, truths, strict=True)
    ]
    file = lay_out(team.folder, asked, gold)
    runs = []
    for name, days in (("gpt-4o", 3), ("qwen2.5", 4)):
        path = team.folder / f"{name}.jsonl"
        lines = []
        for n in range(3):
            # Both only talk about the second, and say another city of the third; what comes after the first
            # reply says nothing.
            both: list[JsonObject] = [
                {"city": "Bergen" if n == 2 else "Oslo", "days": 3},
                {"city": "Oslo", "days": days},
            ]
            replies: list[JsonObject] = [{"tool_calls": [_call("weather.forecast", one)]} for one in both]
            if n == 1:
                replies = [{"content": "It rains."}]
            lines.append(json.dumps({"case": f"a_{n}", "task": 0, "replies": replies}))
        path.write_text("\n".join(lines), encoding="utf-8")
        runs.append(path)
    start = start_mending(team["max"], ImportOrder(files=(file,)), runs=runs, context=JobContext())
    deeds = {one.case: [accuser.deed for accuser in one.suspects[0].accusers] for one in start.doubtful}
    assert deeds == {
        "a_1": ["a text"] * 2,
        "a_2": ['weather.forecast({"city": "Bergen", "days": 3})'] * 2,
    }
    assert start.first.changed == 2
    # Nobody said Narvik; what all three cases break says less of one and stands behind it.
    rules = {one.case: one.rules for one in start.doubtful}
    assert rules["a_2"] == ("args.unsourced", "answer.missing", "observation.missing")


def test_what_comes_after_the_first_wrong_turn_questions_no_gold(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    put_package(simulators_folder())
    file = lay_out(team.folder, [SUM, {**SUM, "id": "multi_turn_base_2"}], None)
    wrong = (said(SUM["id"], 0, [ADD_3], [LOOK]), said(SUM["id"], 1), said(SUM["id"], 2, [ADD_3], [LOOK]))
    right = [one.model_copy(update={"case": "multi_turn_base_2"}) for one in RIGHT]
    runs = [team.folder / f"{name}.jsonl" for name in ("gpt-4o", "qwen2.5")]
    for path in runs:
        path.write_text("\n".join(map(_line, (*wrong, *right))), encoding="utf-8")
    start = start_mending(team["max"], ImportOrder(files=(file,)), runs=runs, context=JobContext())
    suspects = [suspect for one in start.doubtful for suspect in one.suspects]
    assert [(one.case, one.task, one.accusers[0].deed) for one in suspects] == [
        (SUM["id"], 0, 'add({"number": 3}); look({})')
    ]


def test_why_no_reply_can_be_scored_is_told(team: Team) -> None:
    asked = {"id": 1, "query": "Go on.", "tools": "[]", "answers": "[]"}
    file, run = team.folder / "asked.jsonl", team.folder / "gpt-4o.jsonl"
    file.write_text(json.dumps(asked), encoding="utf-8")
    run.write_text(json.dumps({"case": "1", "task": 0, "replies": [{"content": "On."}]}), encoding="utf-8")
    with pytest.raises(InputError, match="answers no case of the files that can be scored") as caught:
        start_mending(team["max"], ImportOrder(files=(file,)), runs=[run], context=JobContext())
    assert "Not scorable: The task has no steps" in caught.value.hint


def test_who_lacks_the_simulators_is_told_how_to_install_them(
    team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "empty"))
    file, run = lay_out(team.folder, [SUM], None), team.folder / "gpt-4o.jsonl"
    run.write_text("\n".join(map(_line, RIGHT)), encoding="utf-8")
    with pytest.raises(InputError, match="can be scored") as caught:
        start_mending(team["max"], ImportOrder(files=(file,)), runs=[run], context=JobContext())
    assert "annotator bfcl setup" in caught.value.hint


def _line(told: Prediction) -> str:
    replies = [
        {
            "content": reply.content,
            "tool_calls": [
                _call(call.name or "", json.loads(call.arguments or "")) for call in reply.tool_calls
            ],
        }
        for reply in told.replies
    ]
    return json.dumps({"case": told.case, "task": told.task, "replies": replies})


def _call(name: str, arguments: JsonObject) -> JsonObject:
    return {"function": {"name": name, "arguments": json.dumps(arguments)}}


def test_a_run_over_other_cases_is_told(team: Team, public: ImportOrder) -> None:
    other = _replies_file(team, "other", ())
    other.write_text(other.read_text(encoding="utf-8").replace('"c-', '"d-'), encoding="utf-8")
    runs = [_replies_file(team, "gpt-4o", ()), other]
    with pytest.raises(InputError, match=r"other\.jsonl answers no case of the files"):
        start_mending(team["max"], public, runs=runs, context=JobContext())


def test_cases_that_are_in_another_batch_are_not_looked_for_in_vain(team: Team, public: ImportOrder) -> None:
    start_mending(team["max"], public, runs=(), context=JobContext())
    again = public.model_copy(update={"batch": "other"})
    with pytest.raises(InputError, match="other has no cases: those of the files are in another batch"):
        start_mending(team["max"], again, runs=(), context=JobContext())


def test_a_file_of_which_nothing_can_be_read_is_told(team: Team, public: ImportOrder) -> None:
    public.files[0].write_text("no case\nnor this", encoding="utf-8")
    with pytest.raises(InputError, match=r"public has no cases: .* or cannot be read"):
        start_mending(team["max"], public, runs=(), context=JobContext())


def test_only_a_manager_starts_mending(team: Team, public: ImportOrder) -> None:
    change_review_policy(team["max"], ("annotators_import=true",))
    with pytest.raises(ForbiddenError, match="Only managers"):
        start_mending(team["ann"], public, runs=(), context=JobContext())
    assert _priorities(team) == {}
