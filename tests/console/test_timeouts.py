"""The console's door takes no timeout that a club does not have."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

from flask import Flask
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from app.core import clock
from app.core.db import db
from app.stream.models import OutboxMessage
from scorer_console.entry import services
from scorer_console.entry.services import Submitted
from scorer_console.lease import leases
from scorer_console.record.numbering import RefusedEntryError, Sender
from tests.console.conftest import SNAP, Enter

CALL = {"type": "timeout", "team": "SF"}


def answer(response: TestResponse) -> dict[str, Any]:
    situation: dict[str, Any] = response.json  # type: ignore[assignment]
    return situation


def entered() -> int:
    return db.session.scalar(select(func.count()).select_from(OutboxMessage)) or 0


def test_a_fourth_timeout_of_a_half_is_refused_and_the_next_half_has_three_again(
    enter: Enter,
) -> None:
    assert answer(enter(SNAP, CALL, CALL))["situation"]["timeouts"] == {
        "left": {"SF": 1, "DAL": 3},
        "excess": False,
    }
    third = str(uuid4())
    assert enter(CALL, key=third).status_code == 200
    refused = enter(CALL)
    assert refused.status_code == 422
    assert "SF has no timeouts left (0)" in answer(refused)["error"]
    # what was accepted is answered again, not counted again
    assert enter(CALL, key=third).status_code == 200
    assert entered() == 4
    assert enter({"type": "period", "period": 3, "phase": "start"}, CALL).status_code == 200


def test_two_in_one_entry_are_counted_one_by_one(enter: Enter) -> None:
    enter(SNAP, CALL, CALL)
    refused = enter(CALL, CALL)
    assert refused.status_code == 422
    assert entered() == 3


def test_an_injury_in_the_last_two_minutes_may_cost_one_more(enter: Enter) -> None:
    enter(SNAP | {"period": 2, "clock": 90}, CALL, CALL, CALL)
    assert enter(CALL).status_code == 422
    assert enter(CALL | {"reason": "Injury, no timeout left"}).status_code == 200


def test_one_that_was_taken_back_can_be_called_again(enter: Enter) -> None:
    enter(SNAP, CALL, CALL, CALL)
    enter({"type": "nullify", "events": [4]})
    assert enter(CALL).status_code == 200


def test_of_two_browsers_that_call_the_last_timeout_at_once_one_gets_it(
    app: Flask, enter: Enter
) -> None:
    """Both tabs of a console hold the lease.

    What is left is asked under the lock that the number is given under.
    """
    enter(SNAP, CALL, CALL)
    lease = leases.current("g1")
    assert lease is not None
    db.session.rollback()

    def call(_: int) -> bool:
        with app.app_context():
            try:
                services.enter(
                    "g1", str(uuid4()), [Submitted(CALL)], clock.now(), Sender(lease.console)
                )
            except RefusedEntryError:
                return False
            return True

    with ThreadPoolExecutor(max_workers=4) as pool:
        assert list(pool.map(call, range(8))).count(True) == 1
    assert entered() == 4
