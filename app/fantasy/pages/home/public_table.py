"""The table that shows visitors what Pressbox is: a public league's gameweek, as it moves.

While no game is played, the gameweek is replayed (frames.py). Visitors see names of teams and
points, no names of people (decision 82).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from app.core.db import db
from app.fantasy.leagues.services import APART
from app.fantasy.market import gameweeks
from app.fantasy.market.gameweeks import GameweekRow
from app.fantasy.pages.home.frames import ROWS, Frame, ShownPlay, frames, public_name
from app.fantasy.pages.replay.queries import film
from app.fantasy.scoring.league_gameweek import league_gameweek
from app.fantasy.scoring.swings import cache as swing_cache
from app.fantasy.scoring.swings.swings import Swing
from app.fantasy.standings import queries
from app.fantasy.standings.queries import LeagueRow, Standing
from app.record.queries import GameRow

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
        gained: How much of them the latest play gave, as far as it is known.
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
    gained: int = 0


@dataclass(frozen=True)
class PublicTable:
    """The top of a public league's gameweek.

    Attributes:
        live: How many games are being played.
        play: The play that moved it last while there are some.
        frames: Those of the replay while there are none.
    """

    league: str
    gameweek: str
    rows: tuple[PublicRow, ...]
    live: int
    play: ShownPlay | None = None
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
    swing = None
    if league.members <= MOST_REPLAYED:
        if live:
            swing = _latest_swing(public, version)
        else:
            replayed = frames(film(league, gameweek, games, 0, version))
    gains = {mover.member_id: mover.points for mover in swing.movers} if swing else {}
    rows = rows_for_visitors(queries.standings(league.id, gameweek.id), gains)
    play = _shown_play(swing, games) if swing else None
    return PublicTable(league.name, gameweek.name, rows, live, play, replayed)


def _latest_swing(public: PublicLeague, version: str) -> Swing | None:
    league, gameweek = public.league, public.gameweek
    latest = swing_cache.latest(
        swing_cache.Place(league.id, gameweek.id),
        version,
        0,
        lambda: league_gameweek(league, gameweek, gameweeks.shared_games_of(gameweek)),
    )
    return next(iter(latest.swings), None)


def _shown_play(swing: Swing, games: Sequence[GameRow]) -> ShownPlay | None:
    """The play of the swing; None if its game came into the week after these games were read."""
    game = next((game for game in games if game.id == swing.game_id), None)
    if game is None:
        return None
    where = f"{game.away.id} at {game.home.id}" + (f", {swing.when}" if swing.when else "")
    return ShownPlay(swing.game_id, swing.play_number, where, " ".join(swing.words))


def rows_for_visitors(
    standings: Sequence[Standing], gains: Mapping[int, int] | None = None
) -> tuple[PublicRow, ...]:
    """The first ROWS places without the names of members.

    `gains`: what the latest play gave, by member.
    """
    gains = gains or {}
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
            gains.get(row.member_id, 0),
        )
        for row in standings[:ROWS]
    )
