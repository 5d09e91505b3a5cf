"""What a link to a gameweek of a league shows, whoever opens it."""

from __future__ import annotations

from dataclasses import dataclass

from flask import abort
from sqlalchemy import select

from app.core import clock
from app.core.db import db
from app.fantasy.leagues import shares
from app.fantasy.leagues.models import WeekShare
from app.fantasy.market.gameweeks import GameweekRow, gameweek_row
from app.fantasy.market.models import Gameweek
from app.fantasy.standings import queries
from app.fantasy.standings.models import League
from app.fantasy.standings.queries import LeagueRow

RATE_LIMIT = "60 per minute; 600 per hour"  # of the pages and pictures behind links
SHARING_LIMIT = "20 per minute; 100 per hour"


@dataclass(frozen=True)
class SharedWeek:
    """A link, with its league as the member who shared it sees it, and its gameweek."""

    share: WeekShare
    league: LeagueRow
    gameweek: GameweekRow


def load_shared_week(kind: str, token: str) -> SharedWeek:
    """Load what the link shows; 404 if it is withdrawn, or of another kind."""
    share = shares.WEEKS.find(token, clock.now())
    if share is None or share.kind != kind:
        abort(404)
    slug = db.session.scalar(select(League.slug).where(League.id == share.league_id))
    league = queries.league_for_viewer(str(slug), share.member_id) or abort(404)
    gameweek = gameweek_row(db.session.get_one(Gameweek, share.gameweek_id))
    return SharedWeek(share, league, gameweek)
