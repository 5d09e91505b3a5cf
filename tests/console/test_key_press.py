"""A key press costs the same at the end of a game as at its beginning.

Counted in statements, rows and decoded messages.

Seconds are in benchmarks/key_press.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from unittest.mock import patch

from flask.testing import FlaskClient
from sqlalchemy import delete, event, update

from app.core import clock
from app.core.db import db
from app.record import events as ev
from app.record.events import messages
from app.record.models import Game, ScorerLease
from app.stream.models import OutboxMessage
from scorer_console.record import accepted
from scorer_console.record.numbering import Entry
from tests.console.conftest import CONSOLE, RUN, SNAP, Enter
from tests.worlds.scorer import submit

PLAY = [
    ev.Snap(possession="SF", spot=30, period=1, clock=700, down=1, distance=10),
    ev.Run(team="SF", player="sf-25", kind="rush", start_yard=30, end_yard=34),
]


def fill(game: str, until: int) -> None:
    """Enters plays until the game has so many events."""
    last = db.session.query(Game).filter_by(id=game).one().last_event_number
    submit(game, [Entry(PLAY[n % 2], f"fill:{n}") for n in range(last, until)], clock.now())


def cost(act: Callable[[], object]) -> Counter[str]:
    """What `act` costs.

    Statements, rows that PostgreSQL gave or wrote, messages decoded, bodies checked.
    """
    counts: Counter[str] = Counter()

    def count(connection, cursor, *details: object) -> None:  # type: ignore[no-untyped-def]
        counts["statements"] += 1
        counts["rows"] += max(0, cursor.rowcount)

    def counted(name: str, function: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            counts[name] += 1
            return function(*args, **kwargs)

        return call

    event.listen(db.engine, "after_cursor_execute", count)
    try:
        with (
            patch.object(accepted, "decode", counted("decoded", accepted.decode)),
            patch.object(messages.msgspec, "convert", counted("checked", messages.msgspec.convert)),
        ):
            act()
    finally:
        event.remove(db.engine, "after_cursor_execute", count)
    return counts


def hand_over(game: str) -> None:
    """Ends whatever lease the game has."""
    db.session.execute(
        update(ScorerLease).where(ScorerLease.game_id == game).values(expires_at=clock.now())
    )
    db.session.commit()


def test_a_key_press_costs_the_same_after_600_events_as_after_50(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    def press() -> None:
        assert enter(SNAP).status_code == 200

    def cost_after(events: int) -> Counter[str]:
        hand_over(game)
        fill(game, events)
        hand_over(game)
        assert scorer.post(f"/console/{game}/lease", json={"console": CONSOLE}).status_code == 200
        press()
        return cost(press)

    early, late = cost_after(50), cost_after(600)
    assert early == late
    assert (late["decoded"], late["checked"]) == (1, 1)


def test_a_poll_decodes_nothing_that_was_shown_before(
    scorer: FlaskClient, enter: Enter, game: str
) -> None:
    enter(SNAP, RUN)
    scorer.get("/console/g1/log")
    assert cost(lambda: scorer.get("/console/g1/log"))["decoded"] == 0


def test_what_another_process_accepted_is_read_too(enter: Enter, game: str) -> None:
    enter(SNAP, RUN)
    hand_over(game)
    assert len(accepted.accepted_events(game).fold.entered) == 2
    fill(game, 5)  # numbers and writes, and shows nothing
    assert [event.event_number for event in accepted.accepted_events(game).fold.entered] == [
        1,
        2,
        3,
        4,
        5,
    ]


def test_a_game_that_was_entered_anew_is_read_anew(enter: Enter, game: str) -> None:
    enter(SNAP, RUN)
    assert len(accepted.accepted_events(game).fold.entered) == 2
    db.session.execute(delete(OutboxMessage).where(OutboxMessage.game_id == game))
    db.session.execute(update(Game).values(last_event_number=0, last_play_number=0))
    db.session.commit()
    assert accepted.accepted_events(game).fold.entered == []
    enter(SNAP)
    enter({"type": "timeout", "team": "SF"})
    entered = accepted.accepted_events(game).fold.entered
    assert [ev.type_of(event.body) for event in entered] == ["snap", "timeout"]
