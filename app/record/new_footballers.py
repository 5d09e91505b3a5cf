"""Registers footballers whom a game's own roster facts introduce, in the caller's transaction.

Recomputed from the valid facts, so a rebuild from the stream registers the same people.
"""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from app.core.db import db
from app.record import events as ev
from app.record.models import Footballer, RecordedEvent
from app.record.rules.stat_lines import Numbered

MADE = "made-"  # how the ids begin of footballers who were made at a game, by a scorer


def register_people(game_id: str, events: Collection[Numbered]) -> None:
    """Register everybody whom a fact with a name puts on a roster.

    A footballer made by hand has the name, number, position and club of the last such fact, and no
    club once none is valid; all others stay as an import has them.
    """
    facts = {
        body.player: body
        for _, _, body in events
        if isinstance(body, ev.RosterFact) and body.name is not None
    }
    if facts:
        rows = [_row(fact) for _, fact in sorted(facts.items())]
        statement = insert(Footballer)
        db.session.execute(
            statement.on_conflict_do_update(
                index_elements=["id"],
                set_={
                    name: statement.excluded[name]
                    for name in ("name", "club_id", "position", "number")
                },
                where=Footballer.id.startswith(MADE, autoescape=True),
            ),
            rows,
        )
    if not any(isinstance(body, ev.Correction) for _, _, body in events):
        return
    named_in_facts = select(RecordedEvent.body["player"].astext).where(
        RecordedEvent.game_id == game_id,
        RecordedEvent.type == "roster",
        RecordedEvent.body.has_key("name"),
    )
    db.session.execute(
        update(Footballer)
        .where(
            Footballer.id.in_(named_in_facts),
            Footballer.id.startswith(MADE, autoescape=True),
            Footballer.id.not_in(facts),
            Footballer.club_id.is_not(None),
        )
        .values(club_id=None)
    )


def _row(fact: ev.RosterFact) -> dict[str, object]:
    return {
        "id": fact.player,
        "name": fact.name,
        "club_id": fact.team,
        "position": fact.position or "",
        "number": fact.number,
    }
