"""What waits in the browser of a scorer who lost the game, and what the new scorer does with it.

Decision 52 has the rules.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from flask import Flask
from flask.testing import FlaskClient
from sqlalchemy import func, select, update

from app.core import clock
from app.core.db import db
from app.stream.models import OutboxMessage
from scorer_console.entry import services
from scorer_console.entry.services import Submitted
from scorer_console.lease import leases
from scorer_console.lease.leases import Holder, LeaseLostError
from scorer_console.models import WaitingEntry
from scorer_console.offline import waiting
from scorer_console.offline.waiting import KEPT, Waiting
from scorer_console.queries import log_version
from scorer_console.record.numbering import Sender
from tests.console.conftest import CONSOLE, RUN, SNAP, Enter

THERE = "0a1b2c3d-0000-4000-8000-000000000002"
Post = Callable[..., Any]


@pytest.fixture
def sal(enter: Enter, scorer: FlaskClient) -> FlaskClient:
    """Had the game until Bob took it: play 1 (#1, #2) is recorded."""
    assert enter(SNAP, RUN).status_code == 200
    return scorer


@pytest.fixture
def bob(sal: FlaskClient, sign_in: Callable[..., FlaskClient]) -> FlaskClient:
    """Took the game over."""
    client = sign_in("scorer", "bob")
    assert (
        client.post("/console/g1/lease", json={"console": THERE, "over": True}).status_code == 200
    )
    return client


def one(*bodies: dict[str, Any], key: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "key": key or str(uuid4()),
        "entries": [{"body": body} for body in bodies],
        "made_under": 1,
    } | more


def tell(client: FlaskClient, *entries: dict[str, Any], console: str = CONSOLE) -> Any:
    scorer = client.get("/console/g1").text.split('"member": "')[1].split('"')[0]
    return client.post(
        "/console/g1/waiting", json={"console": console, "scorer": scorer, "waiting": list(entries)}
    )


def settle(
    client: FlaskClient, row: dict[str, Any], *, console: str = THERE, drop: bool = False
) -> Any:
    asked = {"console": console, "owner": row["console"], "key": row["key"], "drop": drop}
    return client.post("/console/g1/waiting/settle", json=asked)


def waits(client: FlaskClient, console: str = THERE) -> list[dict[str, Any]]:
    """What the console shows, from the page's own situation."""
    answer = client.post("/console/g1/lease", json={"console": console})
    rows: list[dict[str, Any]] = answer.json["situation"]["waiting"]  # type: ignore[index]
    return rows


def entered() -> int:
    db.session.rollback()
    return db.session.scalar(select(func.count()).select_from(OutboxMessage)) or 0


def test_whoever_has_the_game_sees_what_waits_in_the_other_browser_in_order(
    sal: FlaskClient, bob: FlaskClient
) -> None:
    before = bob.get("/console/g1/log", headers={"HX-Request": "true"}).headers["ETag"]
    answer = tell(sal, one(SNAP | {"spot": 34}), one({"type": "timeout", "team": "DAL"}))
    assert answer.status_code == 200
    rows = waits(bob)
    assert [(row["holder"], row["made_under"], row["is_recorded"]) for row in rows] == [
        ("A-Scorer", 1, False)
    ] * 2
    assert [row["bodies"][0]["type"] for row in rows] == ["snap", "timeout"]
    assert "Timeout" in rows[1]["words"]
    again = bob.get("/console/g1/log", headers={"HX-Request": "true", "If-None-Match": before})
    assert again.status_code == 200, "the poll is answered anew"


def test_an_adopted_entry_and_its_own_scorers_sending_it_are_one(
    sal: FlaskClient, bob: FlaskClient, enter: Enter
) -> None:
    key = str(uuid4())
    tell(sal, one({"type": "timeout", "team": "DAL"}, key=key, play=1))
    bob_entry = {
        "key": str(uuid4()),
        "console": THERE,
        "entries": [{"body": SNAP | {"spot": 34, "clock": 660}}],
    }
    assert bob.post("/console/g1/events", json=bob_entry).status_code == 200
    adopted = settle(bob, waits(bob)[0])
    assert adopted.status_code == 200
    accepted = adopted.json["accepted"]
    assert [(row["event_number"], row["play_number"]) for row in accepted] == [(4, 1)], (
        "in the play that it was made for"
    )
    assert waits(sal, CONSOLE)[0]["is_recorded"], "its own scorer hears of it"
    sent = enter({"type": "timeout", "team": "DAL"}, key=key)
    assert sent.json["accepted"][0] == accepted[0] | {"repeated": True}  # type: ignore[index]
    assert settle(bob, {"console": waits(bob)[0]["console"], "key": key}).json["accepted"][0][
        "repeated"
    ]
    assert entered() == 4


def test_an_adopted_entry_that_its_scorer_changed_is_still_one(
    sal: FlaskClient, bob: FlaskClient, enter: Enter
) -> None:
    key = str(uuid4())
    tell(sal, one({"type": "timeout", "team": "DAL"}, key=key, play=1))
    accepted = settle(bob, waits(bob)[0]).json["accepted"]
    changed = enter({"type": "timeout", "team": "SF"}, {"type": "timeout", "team": "DAL"}, key=key)
    assert changed.json["accepted"] == [accepted[0] | {"repeated": True}]  # type: ignore[index]
    assert entered() == 3


def test_a_dropped_entry_stays_with_its_own_scorer_who_reads_who_dropped_it(
    sal: FlaskClient, bob: FlaskClient
) -> None:
    entry = one({"type": "timeout", "team": "DAL"})
    tell(sal, entry)
    (row,) = waits(bob)
    assert settle(bob, row, drop=True).status_code == 200
    tell(sal, entry)
    assert [row["dropped_by"] for row in waits(sal, CONSOLE)] == ["Bob"], (
        "telling of it again wakes it not"
    )
    refused = settle(bob, row)
    assert refused.status_code == 422
    assert "is no longer waiting" in refused.json["error"]
    assert entered() == 2


def test_a_drop_is_shown_although_its_request_came_before_the_last_telling(
    app: Flask, game: str
) -> None:
    """A request takes its moment before it waits for the game's lock.

    The last change may have an earlier moment.
    """
    now = clock.now()
    ann, ben = Holder("1:a", "Ann"), Holder("2:b", "Ben")
    leases.take(game, ann, now)
    key, entry = str(uuid4()), [Submitted({"type": "timeout"})]
    entries = [Waiting(key, entry, 1, None), Waiting(str(uuid4()), entry, 1, None)]
    waiting.tell(game, ann, entries, now + timedelta(seconds=2))
    leases.take(game, ben, now, take_over=True)
    before = log_version(game, now)
    waiting.drop(game, ann.console, key, now + timedelta(seconds=1), holder=ben)
    assert log_version(game, now) != before


def test_only_the_console_that_has_the_game_adopts_or_drops(
    sal: FlaskClient, bob: FlaskClient
) -> None:
    tell(sal, one({"type": "timeout", "team": "DAL"}))
    (row,) = waits(bob)
    for drop in (False, True):
        refused = settle(sal, row, console=CONSOLE, drop=drop)
        assert refused.status_code == 409
        assert "took over the game" in refused.json["error"]
    assert waits(bob)[0]["dropped_by"] is None
    assert entered() == 2


def test_nobody_tells_of_another_scorers_entries(sal: FlaskClient, bob: FlaskClient) -> None:
    report = {"console": THERE, "scorer": "999", "waiting": [one(SNAP)]}
    assert bob.post("/console/g1/waiting", json=report).status_code == 403
    assert waits(bob) == []


def test_what_a_browser_does_not_name_any_more_is_forgotten_and_a_week_is_the_end(
    sal: FlaskClient, bob: FlaskClient
) -> None:
    stays = one({"type": "timeout", "team": "DAL"})
    tell(sal, one(SNAP), stays)
    tell(sal, stays)
    assert [row["key"] for row in waits(bob)] == [stays["key"]]
    db.session.execute(
        update(WaitingEntry).values(changed_at=clock.now() - KEPT - timedelta(minutes=1))
    )
    db.session.commit()
    assert waits(bob) == []
    tell(bob, one(SNAP), console=THERE)
    assert len(db.session.scalars(select(WaitingEntry.key)).all()) == 1, "the old copy is deleted"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"entries": []}, "entries"),
        ({"entries": [{"body": {"type": "snap"}}]}, "possession"),
        ({"entries": [{"body": {"type": "of tomorrow"}}]}, "of tomorrow"),
        ({"play": -1}, "play"),
    ],
    ids=["no events", "event", "unknown type", "play"],
)
def test_an_entry_that_cannot_be_read_hides_no_other_and_says_why(
    sal: FlaskClient, bob: FlaskClient, change: dict[str, Any], words: str
) -> None:
    assert (
        tell(
            sal, one(SNAP), one(SNAP) | change, one({"type": "timeout", "team": "DAL"})
        ).status_code
        == 200
    )
    first, unread, last = waits(bob)
    assert (first["bodies"][0]["type"], last["bodies"][0]["type"]) == ("snap", "timeout")
    assert unread["bodies"] == []
    assert unread["words"].startswith("Can't be read: ")
    assert words in unread["words"]
    refused = settle(bob, unread)
    assert refused.status_code == 422
    assert words in refused.json["error"]
    assert settle(bob, unread, drop=True).status_code == 200
    assert settle(bob, last).status_code == 200


def test_an_entry_without_a_key_is_refused(sal: FlaskClient, bob: FlaskClient) -> None:
    refused = tell(sal, one(SNAP, key="x"))
    assert refused.status_code == 422
    assert "key" in refused.json["error"]
    assert waits(bob) == []


def test_adopting_and_sending_at_the_same_time_give_one_entry(app: Flask, game: str) -> None:
    now = clock.now()
    ann, ben = Holder("1:a", "Ann"), Holder("2:b", "Ben")
    leases.take(game, ann, now)
    key, event = str(uuid4()), Submitted({"type": "timeout"})
    waiting.tell(game, ann, [Waiting(key, [event], 1, None)], now)
    leases.take(game, ben, now, take_over=True)

    def act(number: int) -> int | None:
        with app.app_context():
            try:
                if number % 2:
                    return waiting.adopt(game, ann.console, key, now, console=ben.console)[
                        0
                    ].event_number
                entered_now = services.enter(game, key, [event], now, Sender(ann.console))
                return entered_now.outcomes[0].event_number
            except LeaseLostError:
                return None  # Ann was first to ask, before Ben's adoption

    with ThreadPoolExecutor(max_workers=4) as pool:
        assert set(pool.map(act, range(12))) - {None} == {1}
    assert entered() == 1
