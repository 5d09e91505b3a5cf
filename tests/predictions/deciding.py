"""A tournament whose provider dropped a match, and the signs that an operator has decided."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select, text

from app.audit.models import AuditEntry
from app.core.db import db
from app.predictions.decisions.services import Order
from app.predictions.matches import findings
from app.predictions.models import Match
from app.predictions.points import PRESETS
from tests.predictions.plain import plain_points
from tests.worlds.tournament import BEFORE, KICKOFF, World

LATER = BEFORE + timedelta(hours=2)
NEW = KICKOFF + timedelta(days=4)


def order(
    now: datetime = LATER, digest: str = "", reason: str = "The provider dropped it."
) -> Order:
    return Order(by=None, reason=reason, now=now, digest=digest)


def stored(world: World, match_id: str) -> Match:
    db.session.rollback()
    return db.session.get_one(Match, world.id_of(match_id), populate_existing=True)


def entries() -> list[tuple[str, str]]:
    """Act and match of what is in the audit."""
    db.session.rollback()
    rows = db.session.scalars(select(AuditEntry).order_by(AuditEntry.id))
    return [
        (row.act, row.details["match"]) for row in rows if row.act.startswith("operations.match_")
    ]


def titles(world: World, name: str) -> list[str]:
    db.session.rollback()
    query = (
        "SELECT title FROM notices n JOIN players p USING (member_id) WHERE p.id = :player_id "
        "ORDER BY n.id"
    )
    return list(db.session.scalars(text(query), {"player_id": world.player(name)}))


def kinds(world: World) -> list[tuple[str, str]]:
    return sorted((row.kind, row.subject) for row, _ in findings.current(LATER, world.id))


def right(world: World) -> None:
    """Points are what the plainest recomputation gives."""
    assert world.points() == plain_points(world, PRESETS["margin"])


def dropped_match(world: World) -> World:
    """Matches 1 and 2 of week 1; Ann guesses both right, Bob the first.

    The provider has dropped 2.
    """
    world.match("1")
    world.match("2", "liv", "mun")
    world.poll(BEFORE)
    for name, match_id, home, away in (
        ("Ann", "1", 2, 1),
        ("Ann", "2", 2, 1),
        ("Bob", "1", 1, 0),
        ("Bob", "2", 0, 1),
    ):
        world.guess(name, match_id, home, away)
    del world.matches["2"]
    world.poll(LATER)
    assert kinds(world) == [("left", "2")]
    return world


def back(world: World, **values: object) -> None:
    """The provider lists 2 again."""
    world.match("2", "liv", "mun", **values)


def snapshot() -> list[Any]:
    """Everything that an act may change."""
    db.session.rollback()
    tables = (
        "matches",
        "match_acts",
        "guesses",
        "tournaments",
        "tournament_points",
        "settlements",
        "notices",
    )
    return [
        db.session.execute(text(f"SELECT t::text FROM {table} t ORDER BY 1")).all()
        for table in (
            *tables,
            "provider_findings",
            "provider_sources",
            "audit_entries",
            "settlement_audit",
        )
    ]
