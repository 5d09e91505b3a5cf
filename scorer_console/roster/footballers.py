"""Footballers of any club: search by name, and the events that name one of them.

The players who may be named in a game are in queries.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from app.core.db import db
from app.record import events as ev
from app.record.models import Footballer
from app.record.rules.team_defence import POSITION
from scorer_console.record.accepted import accepted_events
from scorer_console.roster.queries import NAMED_AT_ONCE

PAGE_ROWS = 8
PAGES = 50


@dataclass(frozen=True)
class FoundFootballer:
    """A footballer whose name matches.

    `club` is their club in this installation, "" without one. `number` is their jersey there.
    """

    id: str
    name: str
    club: str
    position: str
    number: int | None


@dataclass(frozen=True)
class FoundPage:
    """A page of footballers, counted from 1. `more` says whether another page follows."""

    rows: list[FoundFootballer]
    page: int
    more: bool


def search(name: str, page: int) -> FoundPage:
    """Find people of any club, or without one, whose name contains this text.

    D/STs are left out. Names that begin with the text come first, then by name and id, PAGE_ROWS
    per page. An empty name finds nobody. A page beyond PAGES is page PAGES.
    """
    name, page = name.strip(), min(max(page, 1), PAGES)
    if not name:
        return FoundPage([], page, more=False)
    people = db.session.scalars(
        select(Footballer)
        .where(Footballer.name.icontains(name, autoescape=True), Footballer.position != POSITION)
        .order_by(
            Footballer.name.istartswith(name, autoescape=True).desc(),
            Footballer.name,
            Footballer.id,
        )
        .offset((page - 1) * PAGE_ROWS)
        .limit(PAGE_ROWS + 1)
    ).all()
    rows = [
        FoundFootballer(
            footballer.id,
            footballer.name,
            footballer.club_id or "",
            footballer.position,
            footballer.number,
        )
        for footballer in people[:PAGE_ROWS]
    ]
    return FoundPage(rows, page, more=len(people) > PAGE_ROWS and page < PAGES)


def events_naming(game_id: str, player: str, home: str, away: str) -> dict[str, Any]:
    """Return how many valid events name the player, and the first NAMED_AT_ONCE of them.

    Plays come before events of the rosters. Each has its number, play_number and last body.
    """
    events = accepted_events(game_id).fold.in_order
    naming = [
        event
        for event in events
        if player in {named.player for named in ev.named_in(event.body, home, away)}
    ]
    naming.sort(key=lambda event: isinstance(event.body, ev.RosterFact))
    first = [
        {
            "number": event.event_number,
            "play_number": event.play_number,
            "body": ev.body_to(event.body),
        }
        for event in naming[:NAMED_AT_ONCE]
    ]
    return {"id": player, "count": len(naming), "events": first}
