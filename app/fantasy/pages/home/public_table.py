"""The table that shows visitors what Pressbox is: a public league's gameweek, as it moves.

While no game is played, the gameweek is replayed (frames.py). Visitors see names of teams and
points, no names of people (decision 82).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from app.core.db import db
from app.fantasy.leagues.services import APART
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.home.frames import ROWS, Frame, frames, public_name
from app.fantasy.pages.replay.queries import film
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow, Standing

MOST_MEMBERS = 1_000  # of a league that is shown
MOST_REPLAYED = 200  # of one whose gameweek is replayed

# The newest gameweek that has begun; leagues of members before the overall one, the larger first.
_PUBLIC = text("""
    SELECT l.slug, w.week
    FROM leagues l JOIN seasons s ON s.id = l.season_id AND NOT s.is_simulated
    JOIN LATERAL (SELECT week, deadline FROM gameweeks
      WHERE season_id = l.season_id AND deadline <= :now ORDER BY week DESC LIMIT 1) w ON true
    JOIN LATERAL (SELECT count(*) AS members FROM (
      SELECT FROM league_members WHERE league_id = l.id LIMIT :most + 1) m) size ON true
    WHERE l.is_public AND w.week >= l.first_week AND strpos(s.competition, :apart) = 0
      AND size.members BETWEEN 2 AND :most
    ORDER BY w.deadline DESC, l.is_overall, size.members DESC, l.id LIMIT 1
""")


@dataclass(frozen=True)
class PublicRow:
    """A team in the table, without its member.

    Attributes:
        key: Tells the team from the others in the table, also when it has moved.
        points: Those of the gameweek so far, in thousandths.
        playing: How many of its starters are playing.
        to_play: How many of them are still to play.
    """

    key: int
    rank: int
    shared: bool
    name: str
    points: int
    playing: int
    to_play: int


@dataclass(frozen=True)
class PublicTable:
    """The top of a public league's gameweek.

    `live`: how many games are being played. `frames`: those of the replay while there are none.
    """

    league: str
    gameweek: str
    rows: tuple[PublicRow, ...]
    live: int
    frames: Sequence[Frame] = ()


@dataclass(frozen=True)
class PublicLeague:
    """The league and the gameweek whose table visitors see."""

    league: LeagueRow
    gameweek: GameweekRow


def find_public_league(now: datetime) -> PublicLeague | None:
    """The public league for visitors; None if none has played."""
    values = {"now": now, "apart": APART, "most": MOST_MEMBERS}
    row = db.session.execute(_PUBLIC, values).first()
    league = queries.league_to_read(row.slug, 0) if row else None
    if row is None or league is None:
        return None
    gameweek = gameweeks.gameweek_of(league.season_id, row.week)
    return PublicLeague(league, gameweek) if gameweek else None


def load_table(public: PublicLeague, version: str) -> PublicTable:
    """Load the first ROWS places of the gameweek, or what is replayed.

    `version`: that of the league's table and the gameweek's games, read before.
    """
    league, gameweek = public.league, public.gameweek
    games = gameweeks.games_of(gameweek)
    live = sum(game.status == "live" for game in games)
    replayed: Sequence[Frame] = ()
    if not live and league.members <= MOST_REPLAYED:
        replayed = frames(film(league, gameweek, games, 0, version))
    rows = rows_for_visitors(queries.standings(league.id, gameweek.id))
    return PublicTable(league.name, gameweek.name, rows, live, replayed)


def rows_for_visitors(standings: Sequence[Standing]) -> tuple[PublicRow, ...]:
    """The first ROWS places without the names of members."""
    keys = {member: key for key, member in enumerate(sorted(row.member_id for row in standings))}
    return tuple(
        PublicRow(
            keys[row.member_id],
            row.rank,
            row.shared,
            public_name(row.team_name, row.display_name),
            row.points,
            row.playing,
            row.to_play,
        )
        for row in standings[:ROWS]
    )
