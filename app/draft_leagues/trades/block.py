"""Puts footballers on the trade block and takes them off. Each function is one transaction."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db, transaction
from app.core.refusals import Refusal
from app.draft_leagues import league_clock
from app.draft_leagues.free_text import text_refusals
from app.draft_leagues.trades.desk import Actor, Desk
from app.draft_leagues.trades.models import TradeBlockEntry
from app.fantasy.rosters.queries import rosters_of

LONGEST_NOTE = 100

NOT_YOURS = Refusal("footballer", "footballer", "Choose a player on your own team.")


def put(
    league_id: int, actor: Actor, footballer_id: str, note: str, now: datetime
) -> list[Refusal]:
    """Show that the team would trade a footballer. Again changes the note."""
    league_clock.settle(league_id, now)
    with transaction():
        desk = Desk.load(league_id, now)
        franchise, refused = desk.acting(actor)
        if refused is not None:
            return [refused]
        if footballer_id not in rosters_of(league_id).of(franchise):
            return [NOT_YOURS]
        if refusals := text_refusals(note, "note"):
            return refusals
        values = {"franchise": franchise, "note": note[:LONGEST_NOTE], "listed_at": now}
        db.session.execute(
            insert(TradeBlockEntry)
            .values(league_id=league_id, footballer_id=footballer_id, **values)
            .on_conflict_do_update(index_elements=["league_id", "footballer_id"], set_=values)
        )
    return []


def take_off(league_id: int, actor: Actor, footballer_id: str, now: datetime) -> list[Refusal]:
    """Take a footballer of the team off the trade block; again changes nothing."""
    league_clock.settle(league_id, now)
    with transaction():
        desk = Desk.load(league_id, now)
        franchise, refused = desk.acting(actor)
        if refused is not None:
            return [refused]
        db.session.execute(
            delete(TradeBlockEntry).where(
                TradeBlockEntry.league_id == league_id,
                TradeBlockEntry.footballer_id == footballer_id,
                TradeBlockEntry.franchise == franchise,
            )
        )
    return []
