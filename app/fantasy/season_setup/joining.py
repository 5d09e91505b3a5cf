"""Finds clubs of a season without games, and clubs with games but without footballers.

Schedules and rosters come from different files. A club that the two spell differently becomes two
clubs, and its footballers would never have a game.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.models import Season
from app.record.rules.team_defence import POSITION


@dataclass(frozen=True)
class Unjoined:
    """Clubs that have only games, or only footballers; none until the season has some of both.

    Attributes:
        without_games: Each club's id and number of footballers on the market.
        without_footballers: Each club's id and number of games.
    """

    without_games: tuple[tuple[str, int], ...] = ()
    without_footballers: tuple[tuple[str, int], ...] = ()

    @property
    def lines(self) -> list[str]:
        """The clubs in sentences for an operator."""
        lines = []
        if self.without_games:
            names = ", ".join(
                f"{club} ({_count(count, 'player')})" for club, count in self.without_games
            )
            lines.append(
                f"Clubs without a game in this season: {names}. Their players cannot score. If "
                "the schedule has such a club under another abbreviation, correct one of the two "
                "files and import it again."
            )
        if self.without_footballers:
            names = ", ".join(
                f"{club} ({_count(count, 'game')})" for club, count in self.without_footballers
            )
            lines.append(
                f"Clubs with games, but without a player on the market: {names}. Import their "
                "roster."
            )
        return lines


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


_UNJOINED = text("""
    WITH playing AS (
      SELECT c.club, count(*) AS games
      FROM games g CROSS JOIN LATERAL (VALUES (g.home_id), (g.away_id)) AS c (club)
      WHERE (g.competition, g.season, g.season_type) = (:competition, :year, :season_type)
      GROUP BY c.club
    ), on_market AS (
      SELECT f.club_id AS club, count(*) AS footballers
      FROM footballer_seasons s JOIN footballers f ON f.id = s.footballer_id
      WHERE s.season_id = :season AND s.status <> 'left' AND f.club_id IS NOT NULL
        AND s.position <> :defence
      GROUP BY f.club_id
    )
    SELECT coalesce(p.club, m.club), p.games, m.footballers
    FROM playing p FULL JOIN on_market m USING (club)
    WHERE (p.club IS NULL OR m.club IS NULL) AND EXISTS (SELECT FROM playing) AND EXISTS (SELECT
      FROM on_market)
    ORDER BY 1
""")


def unjoined(season: Season) -> Unjoined:
    """Return the clubs of the season, as it is stored now, that do not join."""
    rows = db.session.execute(
        _UNJOINED,
        {
            "season": season.id,
            "competition": season.competition,
            "year": season.season,
            "season_type": season.season_type,
            "defence": POSITION,
        },
    ).all()
    return Unjoined(
        tuple((club, footballers) for club, games, footballers in rows if games is None),
        tuple((club, games) for club, games, _ in rows if games is not None),
    )
