"""Twenty processes claim at once, on both databases: no slot goes to two people, and none is lost."""

from tests.annotator.crowd import deadlocks, found_crowd, let_them_work, require_every_slot_once


def test_twenty_processes_take_every_slot_once(store_url: str) -> None:
    found_crowd(store_url, people=20, cases=15)
    shifts = let_them_work(store_url, people=20)
    require_every_slot_once(store_url, shifts, cases=15)
    assert deadlocks(store_url) == 0
