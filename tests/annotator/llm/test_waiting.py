"""Waiting for an endpoint: rate limits, pace, outages, and what ends the waiting."""

import gc
import threading
import time
import warnings
from email.utils import formatdate

import pytest

from annotator.jobs import JobCancelled
from annotator.llm import ChatClient, ModelError
from annotator.llm.endpoints import Endpoint, Patience
from annotator.llm.pace import Clock
from tests.annotator.llm.asking import HELLO, QUICK, client_of, failure
from tests.scripted_model.server import ScriptedModel, Sent, in_turn, refused, said


def test_an_address_nobody_answers_at_fails_soon_and_says_so() -> None:
    client = ChatClient(Endpoint("http://127.0.0.1:9/v1", "m"), patience=QUICK)
    with pytest.raises(ModelError) as caught:
        client.ask(HELLO)
    client.close()
    assert (caught.value.kind, caught.value.is_hopeless) == ("connection", True)
    assert "ssl" not in caught.value.message
    assert "address" in caught.value.hint


@pytest.mark.parametrize("header", [{"retry_after": "0.3"}, {"retry_after_ms": "300"}])
def test_a_rate_limit_is_waited_for(header: dict[str, str]) -> None:
    with client_of(in_turn(refused(429, **header), said("Hi."))) as (client, _):
        started = time.monotonic()
        client.ask(HELLO)
    assert time.monotonic() - started >= 0.3


def test_a_rate_limit_given_as_a_date_is_understood() -> None:
    long_ago = formatdate(0, usegmt=True)
    with client_of(in_turn(refused(429, retry_after=long_ago), said("Hi."))) as (client, _):
        assert client.ask(HELLO).message["content"] == "Hi."


def test_a_limit_of_an_hour_is_told_instead_of_waited_for() -> None:
    error, count = failure(in_turn(refused(429, retry_after="3600")))
    assert (error.is_hopeless, count) == (True, 1)


def test_requests_keep_the_pace() -> None:
    patience = QUICK.model_copy(update={"requests_per_minute": 600})  # one each 0.1 s
    with client_of(in_turn(said("Hi.")), patience=patience) as (client, _):
        started = time.monotonic()
        for _ in range(4):
            client.ask(HELLO)
    assert time.monotonic() - started >= 0.3


def test_stopping_ends_a_wait_at_once() -> None:
    stop = threading.Event()
    patience = QUICK.model_copy(update={"first_wait_seconds": 60.0, "longest_wait_seconds": 60.0})
    with client_of(in_turn(refused(503)), patience=patience) as (client, _):
        threading.Timer(0.2, stop.set).start()
        started = time.monotonic()
        with pytest.raises(JobCancelled):
            client.ask(HELLO, stop=stop)
    assert time.monotonic() - started < 30


@pytest.mark.filterwarnings("always::ResourceWarning")
def test_closing_ends_requests_under_way_and_leaves_no_socket_open() -> None:
    ended: list[type[BaseException]] = []

    def ask(client: ChatClient) -> None:
        try:
            client.ask(HELLO)
        except BaseException as exc:
            ended.append(type(exc))

    with ScriptedModel(in_turn(Sent(delay_seconds=60))) as model:
        client = ChatClient(Endpoint(model.base_url, "m-1"), patience=Patience(timeout_seconds=120))
        threads = [threading.Thread(target=ask, args=(client,), daemon=True) for _ in range(4)]
        for thread in threads:
            thread.start()
        until = time.monotonic() + 20
        while len(model.asked) < 4:
            assert time.monotonic() < until, "the requests did not arrive"
            time.sleep(0.01)
        with warnings.catch_warnings(record=True) as warned:
            client.close()
            for thread in threads:
                thread.join(20)
            gc.collect()
    assert ended == [JobCancelled] * 4
    assert not [str(one.message) for one in warned]
    with pytest.raises(JobCancelled):
        client.ask(HELLO)


class SpedUp(Clock):
    """A clock on which every wait is over at once."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def now(self) -> float:
        return sum(self.waits)

    def wait(self, stop: threading.Event, seconds: float) -> None:
        self.waits.append(seconds)


TEN_MINUTES = Patience(timeout_seconds=5, retries=2, outage_seconds=600)


@pytest.mark.parametrize(
    ("gone", "kind"),
    [(Sent(hangs_up=True), "connection"), (refused(503), "http_503")],
    ids=["line", "gateway"],
)
def test_an_endpoint_that_went_away_is_asked_again_for_ten_minutes(gone: Sent, kind: str) -> None:
    clock, told = SpedUp(), list[float]()
    with client_of(in_turn(said("Hi."), gone), patience=TEN_MINUTES, clock=clock) as (client, _):
        client.ask(HELLO)
        with pytest.raises(ModelError) as caught:
            client.ask(HELLO, on_outage=told.append)
    # Pauses of 1, 2, 4 ... 32 and then 60 seconds, each up to a quarter shorter.
    assert told == clock.waits
    assert all(0.75 * 2**i <= pause <= 2**i for i, pause in enumerate(told[:6]))
    assert all(45 <= pause <= 60 for pause in told[6:])
    assert 600 <= sum(told) < 660
    assert (caught.value.kind, caught.value.is_hopeless) == (kind, True)
    assert "endpoint is running" in caught.value.hint


def test_an_endpoint_that_comes_back_gets_its_attempts_anew() -> None:
    script = in_turn(said("Hi."), *[Sent(hangs_up=True)] * 8, *[refused(500)] * 2, said("Back."))
    clock = SpedUp()
    with client_of(script, patience=TEN_MINUTES, clock=clock) as (client, _):
        client.ask(HELLO)
        assert client.ask(HELLO).message["content"] == "Back."
    assert len(clock.waits) == 10


def test_a_mistyped_address_is_not_waited_for() -> None:
    clock = SpedUp()
    client = ChatClient(Endpoint("http://127.0.0.1:9/v1", "m"), patience=TEN_MINUTES, clock=clock)
    with pytest.raises(ModelError):
        client.ask(HELLO)
    client.close()
    assert len(clock.waits) == 1
