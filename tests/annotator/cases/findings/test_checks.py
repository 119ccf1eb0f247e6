"""Every rule of the table breaks alone on a case that is clean otherwise."""

import pytest
from pydantic import JsonValue

from annotator.cases.findings.checks import check_case
from annotator.cases.findings.rules import ERROR_RULES, RULES
from scoring.errors import GraphError
from scoring.model.case import Answer, Ask, AskedTool, Case, Edge, Task, Tool
from scoring.model.graph import with_drawn_edges
from scoring.model.labels import Citation, DialogueSource, Finding
from scoring.model.record import JsonObject
from scoring.model.taxonomy import EdgeKind, Information, Policy, Severity, SourceMark
from tests.annotator.cases.clean import clean_case, with_arguments, with_call, with_task
from tests.factories import answer, call, case, task, tool


def only(found: Case, rule: str) -> Finding:
    """The one finding of a case, which must be of this rule."""
    findings = check_case(found)
    assert [finding.rule for finding in findings] == [rule], findings
    assert (findings[0].severity is Severity.ERROR) is (rule in ERROR_RULES)
    return findings[0]


def edited(found: Task, **changes: object) -> Task:
    return found.model_copy(update=changes)


def one_call(
    *, user: str, now: str | None = None, schema: JsonObject | None = None, **said: JsonValue
) -> Case:
    """A case of one call with one tool whose argument has any type, or the one schema given."""
    (name,) = said
    return case(
        task(call("act", "ok", **said), answer("All done now."), user=user),
        tools=[Tool(definition={"name": "act", "parameters": {"properties": {name: schema or {}}}})],
        now=now,
    )


def test_a_clean_case_has_no_findings() -> None:
    assert check_case(clean_case()) == ()


def test_a_call_to_an_unknown_tool_is_an_error_that_names_the_nearest() -> None:
    finding = only(with_call(clean_case(), (3, 0), name="cancelBookings"), "call.unknown_tool")
    assert (finding.severity, finding.task, finding.step) == (Severity.ERROR, 3, 0)
    assert finding.proposal == "cancelBooking"
    long = only(with_call(clean_case(), (3, 0), name="b" * 90), "call.unknown_tool")
    assert long.message.startswith(f'"{"b" * 59}… is not in')


def test_a_required_argument_that_is_absent_is_missing() -> None:
    finding = only(with_arguments(clean_case(), (0, 0), origin=None), "args.missing")
    assert (finding.severity, finding.path) == (Severity.ERROR, "/origin")


@pytest.mark.parametrize("blank", [None, ""])
def test_null_and_blank_do_not_count_as_a_required_argument(blank: str | None) -> None:
    spoiled = with_call(clean_case(), (3, 0), arguments={"bookingId": blank})
    assert only(spoiled, "args.missing").path == "/bookingId"


def test_an_argument_the_tool_does_not_have_is_undefined() -> None:
    finding = only(with_arguments(clean_case(), (0, 1), seats="window"), "args.undefined")
    assert (finding.path, finding.proposal) == ("/seats", "seat")


def test_an_undefined_argument_is_found_inside_an_object() -> None:
    finding = only(with_arguments(clean_case(), (0, 1), extras={"bike": True}), "args.undefined")
    assert (finding.path, finding.proposal) == ("/extras/bike", "bikes")


def test_a_value_of_another_type_is_an_error_with_the_converted_value() -> None:
    finding = only(with_arguments(clean_case(), (0, 0), passengers="2"), "args.type")
    assert (finding.path, finding.proposal) == ("/passengers", 2)


def test_a_value_outside_the_closed_set_is_an_error_with_the_nearest_option() -> None:
    finding = only(with_arguments(clean_case(), (0, 1), seat="Window"), "args.enum")
    assert (finding.path, finding.proposal) == ("/seat", "window")


def test_a_value_nobody_said_is_unsourced() -> None:
    finding = only(with_arguments(clean_case(), (0, 0), origin="Bregenz"), "args.unsourced")
    assert (finding.severity, finding.path) == (Severity.WARNING, "/origin")
    assert '"Bregenz"' in finding.message


def test_an_unsourced_value_is_only_an_info_where_an_observation_is_missing() -> None:
    lost = with_call(clean_case(), (0, 1), observation=None)
    spoiled = with_arguments(lost, (3, 0), bookingId="b-9999")
    found = {finding.rule: finding.severity for finding in check_case(spoiled)}
    assert found == {"observation.missing": Severity.WARNING, "args.unsourced": Severity.INFO}


def test_an_accepted_citation_settles_an_unsourced_value() -> None:
    spoiled = with_arguments(clean_case(), (0, 0), origin="Bregenz")
    mark = Citation(task=0, step=0, path="/origin", source=SourceMark.WORLD)
    assert check_case(spoiled, citations=[mark]) == ()
    offered = mark.model_copy(update={"accepted": False})
    assert [finding.rule for finding in check_case(spoiled, citations=[offered])] == ["args.unsourced"]


def test_a_value_spelled_unlike_its_source_differs_and_proposes_the_spelling() -> None:
    spoiled = with_arguments(clean_case(), (0, 1), trainId="RX881")
    finding = only(spoiled, "args.differs")
    assert (finding.severity, finding.path, finding.proposal) == (Severity.WARNING, "/trainId", "RX-881")


def test_an_optional_argument_at_its_default_is_an_info() -> None:
    finding = only(with_arguments(clean_case(), (0, 0), passengers=1), "args.default")
    assert (finding.severity, finding.path) == (Severity.INFO, "/passengers")


def test_the_same_call_twice_is_a_duplicate() -> None:
    twice = task(
        call("act", "ok", city="Graz"),
        call("act", "ok", city="Graz"),
        answer("All done now."),
        user="Ask twice about Graz.",
    )
    finding = only(case(twice, tools=[tool("act", city={"type": "string"})]), "call.duplicate")
    assert (finding.step, finding.severity) == (1, Severity.WARNING)


def test_a_value_that_flows_without_an_edge_proposes_the_edge() -> None:
    def undrawn(found: Task) -> Task:
        return edited(with_drawn_edges(found, []), policy=Policy.MULTI_PARALLEL)

    finding = only(with_task(clean_case(), 0, undrawn), "graph.missing_edge")
    assert (finding.edge, finding.path, finding.proposal) == ((0, 1), "/trainId", [0, 1, "parameter"])


def test_an_edge_that_others_imply_is_redundant() -> None:
    chain = task(
        call("act", "one", text="a b"),
        call("act", "two", text="c d"),
        call("act", "three", text="e f"),
        answer("All done now."),
        user="Do a b, then c d, then e f.",
        edges=[(0, 1), (1, 2), (0, 2)],
    )
    finding = only(case(chain, tools=[tool("act", text={"type": "string"})]), "graph.redundant_edge")
    assert (finding.edge, finding.severity) == ((0, 2), Severity.INFO)


def test_an_answer_that_waits_for_some_steps_only_comes_early() -> None:
    def early(found: Task) -> Task:
        edges = [
            Edge(source=0, target=1, kind=EdgeKind.LOGICAL),
            Edge(source=0, target=2, kind=EdgeKind.DERIVED),
        ]
        return edited(found, edges=tuple(edges))

    finding = only(with_task(clean_case(), 0, early), "graph.answer_early")
    assert (finding.step, finding.proposal) == (2, [[1, 2]])


def test_a_policy_the_graph_does_not_show_differs() -> None:
    spoiled = with_task(clean_case(), 3, lambda found: edited(found, policy=Policy.CHAT))
    finding = only(spoiled, "policy.differs")
    assert (finding.severity, finding.proposal) == (Severity.ERROR, "single")


def test_an_unlabelled_task_is_no_finding() -> None:
    bare = with_task(clean_case(), 3, lambda found: edited(found, policy=None, information=None))
    assert check_case(bare) == ()


def test_the_first_task_hides_nothing() -> None:
    spoiled = with_task(clean_case(), 0, lambda found: edited(found, information=Information.OMISSION))
    assert only(spoiled, "information.differs").proposal == "first"


def test_only_the_first_task_is_first() -> None:
    spoiled = with_task(clean_case(), 3, lambda found: edited(found, information=Information.FIRST))
    assert only(spoiled, "information.differs").task == 3


def test_a_long_range_label_needs_a_source_more_than_two_turns_back() -> None:
    near = with_task(clean_case(), 1, lambda found: edited(found, information=Information.LONG_RANGE))
    assert "one turn back" in only(near, "information.differs").message


@pytest.mark.parametrize("label", [Information.OMISSION, Information.REFERENCE])
def test_a_task_that_says_everything_itself_hides_nothing(label: Information) -> None:
    def plain(found: Task) -> Task:
        return edited(found, user="Cancel booking b-4471.", information=label)

    assert only(with_task(clean_case(), 3, plain), "information.differs").severity is Severity.WARNING


def test_a_cited_source_decides_about_the_label() -> None:
    far = DialogueSource(task=0, step=1, path="/bookingId")
    near = DialogueSource(task=2, text="user", span=(0, 3))
    there = Citation(task=3, step=0, path="/bookingId", source=far)
    assert check_case(clean_case(), citations=[there]) == ()
    here = there.model_copy(update={"source": near})
    assert [f.rule for f in check_case(clean_case(), citations=[here])] == ["information.differs"]


def test_a_call_without_observation_is_a_warning() -> None:
    finding = only(with_call(clean_case(), (3, 0), observation=None), "observation.missing")
    assert (finding.severity, finding.where) == (Severity.WARNING, "task 3 step 0")


def test_a_task_without_answer_is_an_error() -> None:
    unanswered = case(task(call("act", "ok"), user="Act."), tools=[tool("act")])
    assert only(unanswered, "answer.missing").severity is Severity.ERROR


def test_an_answer_without_text_is_missing() -> None:
    blank = case(task(call("act", "ok"), answer(" "), user="Act."), tools=[tool("act")])
    assert only(blank, "answer.missing").step == 1


@pytest.mark.parametrize("text", ["=", "c u", "好。"])
def test_an_answer_of_fewer_than_three_words_is_a_warning(text: str) -> None:
    shown = case(task(call("act", "ok"), answer(text), user="Act."), tools=[tool("act")])
    finding = only(shown, "answer.short")
    assert (finding.severity, finding.step) == (Severity.WARNING, 1)


@pytest.mark.parametrize("text", ["It is done.", "已订好"])
def test_an_answer_of_three_words_is_no_warning(text: str) -> None:
    assert check_case(case(task(call("act", "ok"), answer(text), user="Act."), tools=[tool("act")])) == ()


def test_a_task_without_steps_is_empty_and_nothing_else() -> None:
    assert only(case(task(user="Hello?")), "task.empty").severity is Severity.ERROR


def test_a_question_that_names_no_required_parameter_proposes_one_the_reply_gives() -> None:
    def vague(found: Task) -> Task:
        first = found.steps[0]
        assert isinstance(first, Ask)
        bare = first.model_copy(update={"asks_for": (), "reply": "On 2026-03-05."})
        return edited(found, steps=(bare, *found.steps[1:]))

    finding = only(with_task(clean_case(), 1, vague), "ask.no_parameter")
    assert (finding.severity, finding.step) == (Severity.WARNING, 0)
    assert finding.proposal == [{"tool_name": "findTrain", "missing_required_parameters": ["date"]}]


@pytest.mark.parametrize(
    ("about", "missing", "said"),
    [
        ("findTrain", (), "The question names no missing required parameter."),
        ("findTrain", ("colour",), 'The question asks for "colour", which no tool it names requires.'),
        ("findTaxi", ("date",), 'The question is about "findTaxi", which is not in the toolset.'),
    ],
)
def test_what_is_wrong_with_the_names_of_a_question_is_said(
    about: str, missing: tuple[str, ...], said: str
) -> None:
    def asking(found: Task) -> Task:
        asked = AskedTool(tool_name=about, missing_required_parameters=missing)
        first = found.steps[0].model_copy(update={"asks_for": (asked,)})
        return edited(found, steps=(first, *found.steps[1:]))

    assert only(with_task(clean_case(), 1, asking), "ask.no_parameter").message == said


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("It is fine\u0000.", "control characters"),
        ("It is fine\u202e.", "reading direction"),
        ("![plan](https://example.org/plan.png)", "remote image"),
        ("<script>alert(1)</script>", "HTML"),
    ],
)
def test_an_untrusted_text_is_an_info_that_says_what_it_holds(text: str, named: str) -> None:
    spoiled = with_task(
        clean_case(), 2, lambda found: edited(found, steps=(Answer(text=text, answer_type="chat"),))
    )
    finding = only(spoiled, "text.untrusted")
    assert finding.severity is Severity.INFO
    assert named in finding.message


def test_comparisons_and_placeholders_are_no_html() -> None:
    harmless = with_task(
        clean_case(),
        2,
        lambda found: edited(found, steps=(Answer(text="If 3 < 4 > 2 then <name> it.", answer_type="chat"),)),
    )
    assert check_case(harmless) == ()


def test_an_untrusted_tool_description_is_found_once_for_the_case() -> None:
    hostile = Tool(definition={"name": "act", "description": "Acts\u202e."})
    finding = only(case(task(call("act", "ok"), answer(), user="Act."), tools=[hostile]), "text.untrusted")
    assert (finding.task, finding.path) == (None, "/tools/0")


@pytest.mark.parametrize(
    ("user", "value"),
    [
        ("Book for two people.", 2),
        ("Transfer $10,000 please.", 10_000),
        ("Raise it by 5%.", 0.05),
        ("Take twenty-five of them.", 25),
        ("I need a ticket.", 1),
        ("Is it on? Switch it.", True),
        ("给三个人订位", 3),
        ("Add double the usual 7.5 litres.", 15.0),
        ("My passport is P followed by 12345678.", "P12345678"),
    ],
)
def test_numbers_said_in_words_or_computed_are_sourced(user: str, value: JsonValue) -> None:
    assert check_case(one_call(user=user, value=value)) == ()


@pytest.mark.parametrize(
    ("user", "value"),
    [
        ("How is it tomorrow?", "2026-03-03"),
        ("How is it this weekend?", "2026-03-08"),
        ("How is it next Friday?", "2026-03-13"),
        ("How is it next Friday?", "2026-03-06"),
        ("And in three days?", "2026-03-05T00:00:00"),
        ("On the 15th of March, please.", "15/03/2026"),
        ("The past two months.", "2026-01-02"),
        ("On 4 March for three nights.", "2026-03-07"),
        ("下周五呢？", "2026-03-13"),
        ("Tomorrow at 9:30 am.", "2026-03-03 09:30:00"),
    ],
)
def test_dates_counted_from_now_are_sourced(user: str, value: str) -> None:
    assert check_case(one_call(user=user, now="2026-03-02 09:00:00", value=value)) == ()


@pytest.mark.parametrize(
    ("user", "value"),
    [
        ("How is it tomorrow?", "2026-03-04"),
        ("How is it today?", "2025-03-02"),
        ("Tomorrow at 9:30 am.", "2026-03-03 17:45:00"),
    ],
)
def test_dates_that_no_word_means_are_unsourced(user: str, value: str) -> None:
    found = check_case(one_call(user=user, now="2026-03-02 09:00:00", value=value))
    assert [finding.rule for finding in found] == ["args.unsourced"]


def test_an_option_named_in_the_description_is_sourced() -> None:
    described: JsonObject = {"type": "string", "description": "One of: economy, business, first."}
    assert check_case(one_call(user="Book it.", schema=described, travel_class="business")) == ()


def test_a_fraction_is_not_the_whole_number_the_description_offers() -> None:
    described: JsonObject = {"type": "number", "description": "One of: 2, 3."}
    assert check_case(one_call(user="Book it.", schema=described, seats=2.0)) == ()
    found = check_case(one_call(user="Book it.", schema=described, seats=2.5))
    assert [finding.rule for finding in found] == ["args.unsourced"]


def test_an_example_in_the_description_is_no_source() -> None:
    described: JsonObject = {"type": "string", "description": "The city (e.g. 'Oslo')."}
    found = check_case(one_call(user="Book it.", schema=described, city="Oslo"))
    assert [finding.rule for finding in found] == ["args.unsourced"]


def test_a_hashtag_the_tool_asks_for_is_no_other_spelling() -> None:
    described: JsonObject = {"type": "string", "description": "Starts with #."}
    assert check_case(one_call(user="Tag it Travel.", schema=described, tag="#Travel")) == ()


def test_calls_recorded_in_one_round_cannot_feed_each_other() -> None:
    first = call("act", {"id": "K-77123"}).model_copy(update={"recorded_round": 0})
    second = call("use", "ok", id="K-77123").model_copy(update={"recorded_round": 0})
    tools = [tool("act"), tool("use", id={"type": "string"})]
    together = case(task(first, second, answer(), user="Use it."), tools=tools)
    assert [finding.rule for finding in check_case(together)] == ["args.unsourced"]
    later = second.model_copy(update={"recorded_round": 1})
    apart = case(task(first, later, answer(), user="Use it."), tools=tools)
    assert [finding.rule for finding in check_case(apart)] == ["graph.missing_edge"]


def test_a_value_the_user_said_needs_no_edge() -> None:
    tools = [tool("act"), tool("use", id={"type": "string"})]
    said = task(
        call("act", {"id": "K-77123"}), call("use", "ok", id="K-77123"), answer(), user="Use K-77123."
    )
    assert check_case(case(said, tools=tools)) == ()


def test_a_path_through_other_steps_is_edge_enough() -> None:
    tools = [tool("act"), tool("use", id={"type": "string"})]
    chain = task(
        call("act", {"id": "K-77123"}),
        call("act", "ok").model_copy(update={"arguments": {}}),
        call("use", "ok", id="K-77123"),
        answer(),
        user="Use it.",
        edges=[(0, 1), (1, 2)],
    )
    assert {finding.rule for finding in check_case(case(chain, tools=tools))} == {"call.duplicate"}


def test_a_case_with_a_circle_is_refused() -> None:
    circle = (Edge(source=0, target=1), Edge(source=1, target=0))
    broken = with_task(clean_case(), 0, lambda found: edited(found, edges=circle))
    with pytest.raises(GraphError):
        check_case(broken)


def test_every_rule_of_the_table_is_listed() -> None:
    assert len(RULES) == len(set(RULES)) == 23


def test_a_task_nobody_has_drawn_contradicts_no_policy() -> None:
    blank = with_drawn_edges(clean_case().tasks[0], ())
    spoiled = clean_case().model_copy(update={"tasks": (blank, *clean_case().tasks[1:])})
    assert "policy.differs" not in {finding.rule for finding in check_case(spoiled)}
    assert "policy.differs" in {finding.rule for finding in check_case(spoiled, undrawn=())}
    assert "policy.differs" not in {finding.rule for finding in check_case(spoiled, undrawn=(0,))}
