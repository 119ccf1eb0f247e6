"""A case becomes cards: one task open, the others folded, notes where they belong."""

from scoring.model.case import Call, Task
from scoring.model.labels import DialogueSource, Finding, Waiver
from scoring.model.taxonomy import Information, Policy, Severity
from tests.factories import answer, ask, call, case, task
from ui.dialogue.content import ANSWER_MISSING, USER_STEP, CardKind, CardNotes, EvidenceCoverage, cards_of


def finding(**places: object) -> Finding:
    fields = {"rule": "args.differs", "severity": Severity.WARNING, "message": "Differs."} | places
    return Finding.model_validate(fields)


def test_only_the_open_task_shows_its_steps() -> None:
    cards = cards_of(case(task(call(), answer()), task(answer())), open_task=1, notes=CardNotes())
    assert [(card.kind, card.key) for card in cards] == [
        (CardKind.FOLDED, (0, USER_STEP)),
        (CardKind.USER, (1, USER_STEP)),
        (CardKind.ANSWER, (1, 0)),
    ]


def test_every_kind_of_step_has_its_fields() -> None:
    cards = cards_of(case(task(ask(), call(), answer(), edges=[(0, 1)])), open_task=0, notes=CardNotes())
    assert [tuple(part.field for part in card.parts) for card in cards] == [
        ("user",),
        ("text", "reply"),
        ("arguments", "observation"),
        ("text",),
    ]


def test_a_thought_is_shown_before_the_arguments() -> None:
    step = Call(name="find", arguments={}, thought="Let me look.")
    cards = cards_of(case(Task(user="Find it", steps=(step,))), open_task=0, notes=CardNotes())
    assert [part.field for part in cards[1].parts] == ["thought", "arguments", "observation"]


def test_a_missing_answer_offers_to_be_written() -> None:
    cards = cards_of(case(Task(user="Find it", steps=(call(),))), open_task=0, notes=CardNotes())
    assert cards[-1].key == (0, ANSWER_MISSING)
    assert cards[-1].parts[0].field == "text"


def test_a_finding_stands_in_the_card_of_its_step() -> None:
    notes = CardNotes(findings=[finding(task=0, step=1, path="/city")])
    cards = cards_of(case(task(call(), call(city="Oslo"), answer())), open_task=0, notes=notes)
    assert [len(card.findings) for card in cards] == [0, 0, 1, 0]
    assert cards[2].parts[0].troubled == ("/city",)


def test_a_finding_about_an_edge_stands_in_the_card_that_waits() -> None:
    notes = CardNotes(findings=[finding(task=0, edge=(0, 1), severity=Severity.INFO)])
    cards = cards_of(case(task(call(), call(), answer())), open_task=0, notes=notes)
    assert len(cards[2].findings) == 1


def test_a_finding_about_the_task_stands_in_the_request() -> None:
    notes = CardNotes(findings=[finding(task=0, rule="policy.differs")])
    assert len(cards_of(case(task(answer())), open_task=0, notes=notes)[0].findings) == 1


def test_a_folded_task_counts_its_open_findings() -> None:
    findings = [
        finding(task=0, step=0),
        finding(task=0, step=1),
        finding(task=0, step=0, severity=Severity.INFO),
    ]
    waivers = [Waiver(rule="args.differs", where="task 0 step 1", reason="colloquial")]
    notes = CardNotes(findings=findings, waivers=waivers)
    cards = cards_of(case(task(call(), call(), answer()), task(answer())), open_task=1, notes=notes)
    assert cards[0].chip == "1 open"


def test_coverage_and_cited_values_reach_the_call() -> None:
    covered = EvidenceCoverage(cited=1, total=2, paths=("/city",))
    notes = CardNotes(coverage={(0, 0): covered})
    cards = cards_of(case(task(call(city="Oslo", day=1), answer())), open_task=0, notes=notes)
    assert cards[1].coverage == covered
    assert cards[1].parts[0].cited == ("/city",)


def test_cited_places_reach_request_reply_and_observation() -> None:
    sources = [
        DialogueSource(task=0, text="user", span=(0, 4)),
        DialogueSource(task=0, step=0, text="reply", span=(1, 2)),
        DialogueSource(task=0, step=1, path="/rows/0"),
        DialogueSource(task=1, text="user", span=(5, 6)),
    ]
    shown = case(task(ask(), call(), answer(), edges=[(0, 1)]))
    cards = cards_of(shown, open_task=0, notes=CardNotes(sources=sources))
    assert cards[0].parts[0].spans == ((0, 4),)
    assert cards[1].parts[1].spans == ((1, 2),)
    assert cards[2].parts[1].cited == ("/rows/0",)


def test_labels_are_named_in_words() -> None:
    labelled = task(answer(), policy=Policy.CHAT, information=Information.LONG_RANGE)
    cards = cards_of(case(labelled, task(answer())), open_task=0, notes=CardNotes())
    assert cards[0].chip == "long range"
    folded = cards_of(case(labelled, task(answer())), open_task=1, notes=CardNotes())[0]
    assert (folded.title, folded.note) == ("Task 1", "Chat")


def test_all_tasks_are_shown_with_their_steps_where_the_dialogue_is_judged_as_a_whole() -> None:
    shown = case(task(call(city="Oslo"), answer()), task(answer()))
    cards = cards_of(shown, open_task=1, notes=CardNotes(), is_unfolded=True)
    assert [card.key for card in cards] == [(0, -1), (0, 0), (0, 1), (1, -1), (1, 0)]


def test_the_same_case_gives_equal_cards() -> None:
    one, other = (
        cards_of(case(task(call(city="Oslo"), answer())), open_task=0, notes=CardNotes()) for _ in range(2)
    )
    assert one == other
