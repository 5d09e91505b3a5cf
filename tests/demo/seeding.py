"""Making the demo season for tests, without what takes long and does not matter to them."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import func, insert, select

from app.accounts.models import Member
from app.core import clock
from app.core.db import db, upsert
from app.record.models import GameState, ScriptStep
from app.stream.models import OutboxMessage


def register_without_hash(
    username: str, display_name: str, password: str, roles: Collection[str]
) -> Member:
    """In place of `accounts.register`.

    All accounts of the demo have the same password, and hashing it is slow.
    """
    member = Member(
        username=username, display_name=display_name, password_hash="", roles=list(roles)
    )
    db.session.add(member)
    db.session.commit()
    return member


def enter_nothing(game_id: str, steps: int) -> None:
    """Replaces the console, through which the seeding enters the games that have begun."""


def enter_rows(game_id: str, until: int) -> None:
    """Enter a game's first steps without what is in them, and the state that the game has then."""
    entered = db.session.scalar(select(func.count()).where(OutboxMessage.game_id == game_id))
    total = db.session.scalar(
        select(func.max(ScriptStep.step)).where(
            ScriptStep.game_id == game_id, ScriptStep.variant == "final"
        )
    )
    assert total is not None
    db.session.execute(
        insert(OutboxMessage),
        [
            {
                "game_id": game_id,
                "event_number": number,
                "play_number": number,
                "idempotency_key": f"s:{number}",
                "payload": b"",
            }
            for number in range((entered or 0) + 1, until + 1)
        ],
    )
    state = {
        "game_id": game_id,
        "status": {total: "final", total - 1: "ended"}.get(until, "live"),
        "home_score": 0,
        "away_score": 0,
        "state": {},
        "version": until,
        "updated_at": clock.now(),
    }
    upsert(GameState, ["game_id"], [state])
    db.session.commit()


def rows(model: type) -> list[tuple[object, ...]]:
    """All rows of the table, by primary key."""
    db.session.expire_all()
    keys = model.__table__.columns
    return [
        tuple(row)
        for row in db.session.execute(select(*keys).order_by(*model.__table__.primary_key.columns))
    ]
