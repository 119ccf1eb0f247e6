"""A public file mended: only what people corrected differs, in the form its authors wrote it in."""

import csv
import gzip
import json
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from annotator.cases.file_import import import_files
from annotator.cases.places import with_step, with_task
from annotator.jobs import JobContext
from annotator.release.freeze import freeze
from annotator.release.mended_file import mend_file
from annotator.release.runs.evaluation import evaluate, load_cases
from annotator.release.runs.recorded_runs import record_run
from annotator.review.drafts import open_assignment
from annotator.review.policy_changes import change_review_policy
from annotator.review.queue.claims import claim_case
from scoring.errors import InputError, StoreError
from scoring.formats.case_reader import ReadCase, read_cases
from scoring.formats.case_writer import encode
from scoring.formats.remainder import without_remainder
from scoring.model.case import AcceptedValue, Answer, Call, Case
from scoring.model.record import JsonObject
from scoring.model.taxonomy import CaseFormat, Information, Policy, Semantics
from tests.annotator.team import Team, two_step_case
from tests.shared import full_disk

FILES = [
    (CaseFormat.WILDTOOL, "lines"),
    (CaseFormat.WILDTOOL, "indented"),
    (CaseFormat.C3, "compact"),
    (CaseFormat.C3, "data"),
    (CaseFormat.OPENAI, "ascii"),
]


def public_file(folder: Path, form: CaseFormat, shape: str) -> Path:
    """Three cases as their authors publish them, in a shape of their own."""
    cases = [two_step_case(name) for name in ("c-1", "c-2", "c-3")]
    lines = [without_remainder(encode(one, form, position=n)) for n, one in enumerate(cases)]
    records: list[JsonObject] = [line | {"by": "Zoë"} for line in lines]
    path = folder / "public" / "set.json"
    path.parent.mkdir()
    if shape == "indented":
        text = json.dumps(records, indent=4, ensure_ascii=False)
    elif shape == "data":
        text = json.dumps({"version": 2, "data": records}, indent=2)
    else:
        compact = (",", ":") if shape == "compact" else None
        text = "\r\n".join(
            json.dumps(one, separators=compact, ensure_ascii=shape == "ascii") for one in records
        )
    path.write_text(text, encoding="utf-8", newline="")
    return path


def labelled(case: Case) -> Case:
    """A case with the labels that its file may be silent about."""
    names = ("policy", "information", "edges")
    known = two_step_case(case.id).tasks[0]
    return with_task(case, 0, changed=case.tasks[0].model_copy(update={n: getattr(known, n) for n in names}))


def rerouted(case: Case, depot: str = "Hamar-9") -> Case:
    """A case whose second call goes elsewhere."""
    call = case.tasks[0].steps[1]
    assert isinstance(call, Call)
    return with_step(case, 0, step=1, changed=call.model_copy(update={"arguments": {"depot": depot}}))


def verified(team: Team, file: Path, *, wrong: str, out: Path) -> None:
    """The file imported, one case corrected by ann, the others as they are, and all frozen as `r1`."""
    change_review_policy(team["max"], ("cross_check=false", "expert_sample=false"))
    report = import_files(team["max"], [file], context=JobContext(), batch="b1")
    assert not report.rejects
    for name in ("c-1", "c-2", "c-3"):
        held = claim_case(team["ann"], name).value
        base = labelled(open_assignment(team["ann"], held.id).base)
        team.self_check("ann", name, edit=rerouted(base) if name == wrong else base)
    freeze(team["max"], "r1", directory=out / "r1", context=JobContext())


def steps(file: Path) -> list[tuple[object, ...]]:
    """The steps of each case of a file."""
    read = [one for one in read_cases(file) if isinstance(one, ReadCase)]
    return [one.case.tasks[0].steps for one in read]


def applied(diff: Path, folder: Path) -> None:
    """Apply a diff in a copy of the public folder, as its authors would."""
    subprocess.run(["git", "apply", "-p1", str(diff)], cwd=folder, check=True, capture_output=True)


@pytest.mark.parametrize(("form", "shape"), FILES)
def test_only_the_corrected_row_differs(team: Team, tmp_path: Path, form: CaseFormat, shape: str) -> None:
    file, out = public_file(tmp_path, form, shape), tmp_path / "mended"
    verified(team, file, wrong="c-2", out=tmp_path)
    report = mend_file(team["max"], "r1", file=file, out=out, context=JobContext())
    [row] = report.mended
    [change] = row.changes
    assert (row.row, row.case_id, row.verified_by) == (2, "c-2", ("ann",))
    assert (change.where, change.after) == ("task 0 step 1 arguments", {"depot": "Hamar-9"})
    assert (report.rows, report.unverified, report.skipped) == (3, 0, ())
    before, after = (path.read_bytes().split(b"Zo") for path in (file, out / "set.json"))
    assert [a == b for a, b in zip(before, after, strict=True)] == [True, False, True, True]
    assert after[1].replace(b"Hamar-9", b"Hamar-7") == before[1]
    kept = [one.case for one in read_cases(file) if isinstance(one, ReadCase)]
    assert steps(out / "set.json") == [
        kept[0].tasks[0].steps,
        rerouted(kept[1]).tasks[0].steps,
        steps(file)[2],
    ]
    applied(out / "changes.diff", file.parent)
    assert file.read_bytes() == (out / "set.json").read_bytes()


def test_people_are_named_in_the_table_and_not_in_the_issue(team: Team, tmp_path: Path) -> None:
    file, out = public_file(tmp_path, CaseFormat.C3, "lines"), tmp_path / "mended"
    verified(team, file, wrong="c-2", out=tmp_path)
    mend_file(team["max"], "r1", file=file, out=out, context=JobContext())
    [line] = csv.DictReader((out / "changes.csv").read_text(encoding="utf-8").splitlines())
    assert (line["row"], line["verified by"], line["after"]) == ("2", "ann", '{"depot": "Hamar-9"}')
    issue = (out / "issue.md").read_text(encoding="utf-8")
    assert "| 2 | c-2 | task 0 step 1 arguments |" in issue
    assert "1 person looked at these rows" in issue
    assert "ann" not in issue.split()


def test_rows_of_others_and_rows_that_changed_since_stay_as_they_are(team: Team, tmp_path: Path) -> None:
    file, out = public_file(tmp_path, CaseFormat.C3, "lines"), tmp_path / "mended"
    verified(team, file, wrong="c-2", out=tmp_path)
    newer = file.read_text(encoding="utf-8").replace("P-881", "P-882") + "\r\nnot a case\r\n"
    file.write_text(newer, encoding="utf-8", newline="")
    report = mend_file(team["max"], "r1", file=file, out=out, context=JobContext())
    assert (out / "set.json").read_bytes() == file.read_bytes()
    assert (report.rows, report.unverified, report.mended) == (4, 1, ())
    assert [one.case_id for one in report.skipped] == ["c-1", "c-2", "c-3"]
    assert all("since it was imported" in one.reason for one in report.skipped)


def test_the_answers_of_bfcl_are_mended_in_their_own_file(team: Team, tmp_path: Path) -> None:
    folder = tmp_path / "public"
    (folder / "possible_answer").mkdir(parents=True)
    function = {
        "name": "reroute",
        "description": "Send on.",
        "parameters": {"type": "dict", "properties": {"depot": {"type": "string"}}, "required": ["depot"]},
    }
    ids = ("parallel_1", "parallel_2", "parallel_3", "parallel_4")
    questions = [
        {"id": one, "question": [[{"role": "user", "content": "To Hamar-7."}]], "function": [function]}
        for one in ids
    ]
    answers = [{"id": one, "ground_truth": [{"reroute": {"depot": ["Hamar-7", "Hamar 7"]}}]} for one in ids]
    file, twin = folder / "BFCL_v4_parallel.json", folder / "possible_answer" / "BFCL_v4_parallel.json"
    for path, rows in ((file, questions), (twin, answers[::-1])):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    change_review_policy(team["max"], ("cross_check=false", "expert_sample=false"))
    import_files(team["max"], [file], context=JobContext(), batch="b1")
    for name in ids:
        held = claim_case(team["ann"], name).value
        base = open_assignment(team["ann"], held.id).base
        call = base.tasks[0].steps[0]
        assert isinstance(call, Call)
        if name in ids[1:3]:
            call = call.model_copy(
                update={"accepted": {"/depot": AcceptedValue(values=("Hamar 7", "depot 7"))}}
            )
        labels = {"policy": Policy.SINGLE, "information": Information.FIRST}
        user = "On to Hamar-7, please." if name == ids[3] else base.tasks[0].user
        whole = {"user": user, "steps": (call, Answer(text="It goes on.")), **labels}
        changed = base.tasks[0].model_copy(update=whole)
        team.self_check("ann", name, edit=with_task(base, 0, changed=changed))
    freeze(team["max"], "r1", directory=tmp_path / "r1", context=JobContext())
    _run_over_bfcl(team, tmp_path, ids)
    out = tmp_path / "mended"
    report = mend_file(team["max"], "r1", file=file, out=out, context=JobContext())
    # The public file has no answers, so that the papers' rules judge nothing in it.
    assert [(one.rules, one.before, one.after) for one in report.runs] == [
        ("wildtool, bfcl, auto", 0.5, 0.75)
    ]
    asked = (out / file.name).read_text(encoding="utf-8").splitlines()
    assert asked[:3] == file.read_text(encoding="utf-8").splitlines()[:3]
    assert json.loads(asked[3])["question"] == [[{"role": "user", "content": "On to Hamar-7, please."}]]
    told = (out / "possible_answer" / file.name).read_text(encoding="utf-8").splitlines()[::-1]
    assert (told[0], told[3]) == (json.dumps(answers[0]), json.dumps(answers[3]))
    for line in told[1:3]:
        assert json.loads(line)["ground_truth"] == [{"reroute": {"depot": ["Hamar-7", "Hamar 7", "depot 7"]}}]
    mended = [(row.case_id, [one.field for one in row.changes]) for row in report.mended]
    assert mended == [(ids[1], ["accepted"]), (ids[2], ["accepted"]), (ids[3], ["user"])]
    applied(out / "changes.diff", folder)
    assert twin.read_bytes() == (out / "possible_answer" / file.name).read_bytes()


def _run_over_bfcl(team: Team, folder: Path, ids: Sequence[str]) -> None:
    """One run, recorded by the rules of BFCL and of the papers; of two cases it says another depot."""
    lines = []
    for name in ids:
        depot = {ids[0]: "elsewhere", ids[1]: "depot 7"}.get(name, "Hamar-7")
        call = {"function": {"name": "reroute", "arguments": json.dumps({"depot": depot})}}
        lines.append(json.dumps({"case": name, "task": 0, "replies": [{"tool_calls": [call]}]}))
    path = folder / "replies.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    source = folder / "r1"
    for semantics in (Semantics.BFCL, Semantics.PAPER):
        cases = load_cases(source)
        card = evaluate(cases, [path], context=JobContext(), source=source, semantics=semantics)
        record_run(team["max"], semantics.value, card=card, predictions=[path], source=source)


def test_recorded_runs_are_scored_by_both_files(team: Team, tmp_path: Path) -> None:
    file, out = public_file(tmp_path, CaseFormat.C3, "lines"), tmp_path / "mended"
    verified(team, file, wrong="c-2", out=tmp_path)
    for name, depot in (("old", "Hamar-7"), ("new", "Hamar-9")):
        lines = []
        for case_id in ("c-1", "c-2", "c-3"):
            to = depot if case_id == "c-2" else "Hamar-7"
            calls = [("findParcel", {"number": "P-881"}), ("reroute", {"depot": to})]
            replies: list[JsonObject] = [
                {"tool_calls": [{"function": {"name": tool, "arguments": json.dumps(arguments)}}]}
                for tool, arguments in calls
            ]
            lines.append(
                json.dumps({"case": case_id, "task": 0, "replies": [*replies, {"content": "Done."}]})
            )
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(lines), encoding="utf-8")
        folder = tmp_path / "r1"
        card = evaluate(load_cases(folder), [path], context=JobContext(), source=folder)
        record_run(team["max"], name, card=card, predictions=[path], source=folder)
    stranger = without_remainder(encode(two_step_case("c-4"), CaseFormat.C3))
    with file.open("a", encoding="utf-8") as stream:
        stream.write(f"\n{json.dumps(stranger)}\nnot a case\n")
    report = mend_file(team["max"], "r1", file=file, out=out, context=JobContext())
    assert report.unverified == 2
    runs = {one.name: one for one in report.runs}
    assert [runs[name].before for name in ("old", "new")] == [1, pytest.approx(2 / 3)]
    assert [runs[name].after for name in ("old", "new")] == [pytest.approx(2 / 3), 1]
    assert [runs["old"].rank_before, runs["old"].rank_after] == ["1", "2"]
    assert "66.67%" in (out / "issue.md").read_text(encoding="utf-8")


def test_what_cannot_be_mended_in_place_is_refused(team: Team, tmp_path: Path) -> None:
    file, out = public_file(tmp_path, CaseFormat.C3, "lines"), tmp_path / "mended"
    verified(team, file, wrong="c-2", out=tmp_path)
    with pytest.raises(InputError, match="holds the file itself"):
        mend_file(team["max"], "r1", file=file, out=file.parent, context=JobContext())
    packed = tmp_path / "set.json.gz"
    with file.open("rb") as plain, gzip.open(packed, "wb") as stream:
        shutil.copyfileobj(plain, stream)
    with pytest.raises(InputError, match="is packed"):
        mend_file(team["max"], "r1", file=packed, out=out, context=JobContext())
    assert not out.exists()
    report = mend_file(team["max"], "r1", file=tmp_path / "r1" / "cases.jsonl", out=out, context=JobContext())
    assert {one.reason for one in report.skipped} == {
        "Rows of native are not mended in place. Export the cases."
    }
    assert (len(report.skipped), report.mended) == (3, ())


def test_a_full_disk_leaves_no_half_file_and_the_work_can_be_done_again(team: Team, tmp_path: Path) -> None:
    file, out = public_file(tmp_path, CaseFormat.C3, "lines"), tmp_path / "mended"
    verified(team, file, wrong="c-2", out=tmp_path)
    with full_disk(file.stat().st_size // 2), pytest.raises(StoreError, match="cannot be written"):
        mend_file(team["max"], "r1", file=file, out=out, context=JobContext())
    assert not [path for path in out.rglob("*") if path.is_file()]
    mend_file(team["max"], "r1", file=file, out=out, context=JobContext())
    applied(out / "changes.diff", file.parent)
    assert file.read_bytes() == (out / "set.json").read_bytes()


def test_an_answer_without_a_file_of_answers_is_named_and_not_lost(team: Team, tmp_path: Path) -> None:
    function = {
        "name": "reroute",
        "parameters": {"type": "dict", "properties": {"depot": {"type": "string"}}},
    }
    file = tmp_path / "public" / "BFCL_v4_irrelevance.json"
    file.parent.mkdir()
    row = {"id": "irrelevance_1", "question": [[{"role": "user", "content": "On."}]], "function": [function]}
    file.write_text(json.dumps(row), encoding="utf-8")
    change_review_policy(team["max"], ("cross_check=false", "expert_sample=false"))
    import_files(team["max"], [file], context=JobContext(), batch="b1")
    held = claim_case(team["ann"], "irrelevance_1").value
    base = open_assignment(team["ann"], held.id).base
    steps = (
        Call(name="reroute", arguments={"depot": "Hamar-7"}, observation={"ok": True}),
        Answer(text="Done."),
    )
    labels = {"policy": Policy.SINGLE, "information": Information.FIRST}
    changed = base.tasks[0].model_copy(update={"user": "On to Hamar-7.", "steps": steps, **labels})
    team.self_check("ann", "irrelevance_1", edit=with_task(base, 0, changed=changed))
    freeze(team["max"], "r1", directory=tmp_path / "r1", context=JobContext())
    out = tmp_path / "mended"
    report = mend_file(team["max"], "r1", file=file, out=out, context=JobContext())
    assert [one.reason for one in report.skipped] == [
        "Its answer has no file to stand in. Make one in possible_answer by hand."
    ]
    assert (report.mended, (out / file.name).read_bytes()) == ((), file.read_bytes())
