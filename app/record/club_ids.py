"""The id under which a club is stored, whatever a file calls it. Reads only."""

from __future__ import annotations

from collections.abc import Collection

from sqlalchemy import select

from app.core.db import db
from app.record.models import Club, Game
from app.record.rules.clubs import club_of, nflverse_name

NFL = "nfl"


def stored_club_id(name: str, season: int | None, competition: str = NFL) -> str:
    """The id of the club that a file of this season calls by this name.

    A club that is not stored yet gets this id. A club of the NFL is found under any of its
    abbreviations (OAK, LV). If several are stored, by imports that did not know them yet, it is the
    one that has games in the season.
    """
    if competition != NFL:
        return name
    return club_id_among(
        name,
        season,
        db.session.scalars(select(Club.id)).all(),
        clubs_with_games(competition, season),
    )


def club_id_among(
    name: str, season: int | None, known: Collection[str], playing: Collection[str]
) -> str:
    """As stored_club_id for a club of the NFL, among these clubs."""
    club, nflverse_id = club_of(name, season), nflverse_name(name, season)
    same_clubs = sorted(club_id for club_id in known if club_of(club_id) == club)
    candidates = [club_id for club_id in same_clubs if club_id in playing] or same_clubs
    if not candidates or nflverse_id in candidates:
        return nflverse_id
    return name if name in candidates else candidates[0]


def clubs_with_games(competition: str, season: int | None) -> set[str]:
    """The ids of the clubs that play in the season."""
    games = (Game.competition == competition, Game.season == season)
    return set(
        db.session.scalars(
            select(Game.home_id).where(*games).union(select(Game.away_id).where(*games))
        )
    )
