"""The bodies of the three read contracts, byte for byte the same from any source (PRODUCT C10).

Made from PostgreSQL. Keeping them in Redis is in store.py, answering requests in
app/api/tournaments.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from uuid import UUID

import msgspec
from sqlalchemy import text

from app.accounts.sanctions import SEEN_PLAYER
from app.core.db import db
from app.predictions import keys, points

MOST_ROWS = 10_000  # rows of a leaderboard per response; the next response continues after them


class MatchSide(msgspec.Struct, frozen=True):
    """A team of a match."""

    id: UUID
    name: str
    score: int | None


class MatchRow(msgspec.Struct, frozen=True):
    """A match. `date`: of its kickoff, null while it has none; scores are null until it begins."""

    id: UUID
    date: str | None
    status: Literal["open", "ended", "not-defined"]
    home: MatchSide
    away: MatchSide


class MatchesBody(msgspec.Struct, frozen=True):
    """The matches of a round, by kickoff."""

    data: Sequence[MatchRow]


class StandingRow(msgspec.Struct, frozen=True, rename="camel"):
    """A team: three points for a win, one for a draw. Teams that are level share the position."""

    position: int
    team_id: UUID
    team: str
    points: int
    played: int


class StandingsBody(msgspec.Struct, frozen=True):
    """The table of the teams."""

    data: Sequence[StandingRow]


class LeaderboardRow(msgspec.Struct, frozen=True, rename="camel"):
    """A member. Equal points have the same rank, and the next rank follows without a gap."""

    rank: int
    member_id: UUID
    nick_name: str
    points: int | float


class LeaderboardMeta(msgspec.Struct, frozen=True):
    """How the ranks are counted."""

    ranking: Literal["dense"] = "dense"


class LeaderboardBody(msgspec.Struct, frozen=True):
    """The members by points, then nickname, then id."""

    data: Sequence[LeaderboardRow]
    meta: LeaderboardMeta = LeaderboardMeta()


class Entry(msgspec.Struct, frozen=True, array_like=True):
    """A member of a leaderboard as stored in Redis. The rank is computed on read.

    `points` are hundredths.
    """

    member_id: UUID
    nick_name: str
    points: int


_MATCHES = text(
    """
    SELECT m.id, m.kickoff, m.status, m.home_id, h.name AS home, m.home_score, m.away_id,
      a.name AS away, m.away_score
    FROM matches m JOIN rounds r ON r.id = m.round_id JOIN teams h ON h.id = m.home_id JOIN teams a
      ON a.id = m.away_id
    WHERE r.tournament_id = :tournament_id AND r.slug = :slug AND m.merged_into_id IS NULL
    ORDER BY m.kickoff NULLS LAST, m.external_id
    """
)

# Three points for a win, one for a draw; ties by goal difference, then goals scored, then name.
# Teams that are level share the position.
_STANDINGS = text(
    """
    WITH results AS (
      SELECT home_id AS team_id, home_score AS scored, away_score AS conceded FROM matches
      WHERE tournament_id = :tournament_id AND status = 'ended'
      UNION ALL
      SELECT away_id, away_score, home_score FROM matches WHERE tournament_id = :tournament_id
        AND status = 'ended'
    ), sums AS (
      SELECT t.id, t.name, count(r.team_id) AS played,
        coalesce(sum(CASE WHEN scored > conceded THEN 3 WHEN scored = conceded THEN 1 ELSE 0 END),
          0) AS points,
        coalesce(sum(scored - conceded), 0) AS difference, coalesce(sum(scored), 0) AS scored
      FROM teams t LEFT JOIN results r ON r.team_id = t.id WHERE t.tournament_id = :tournament_id
        GROUP BY t.id, t.name
    )
    SELECT rank() OVER (ORDER BY points DESC, difference DESC, scored DESC) AS position, id, name,
      points, played
    FROM sums ORDER BY position, name, id
    """
)

_ENTRIES = text(
    f"""
    SELECT p.player_id, n.display_name, p.points FROM tournament_points p JOIN players n
      ON n.id = p.player_id
    WHERE p.tournament_id = :tournament_id AND {SEEN_PLAYER.format("p.player_id")}
    ORDER BY p.points DESC, n.display_name COLLATE "C", p.player_id LIMIT :limit OFFSET :offset
    """  # noqa: S608 (made of our own words alone)
)
_LEVELS_ABOVE = text(
    f"""
    SELECT count(DISTINCT p.points) FROM tournament_points p
    WHERE p.tournament_id = :tournament_id AND p.points > :points
      AND {SEEN_PLAYER.format("p.player_id")}
    """  # noqa: S608 (made of our own words alone)
)


def matches(tournament_id: UUID, slug: str) -> bytes:
    """Build the matches of a round by kickoff; those without a kickoff come last."""
    rows = db.session.execute(_MATCHES, {"tournament_id": tournament_id, "slug": slug})
    return msgspec.json.encode(
        MatchesBody(
            [
                MatchRow(
                    row.id,
                    None if row.kickoff is None else keys.iso(row.kickoff),
                    row.status,
                    MatchSide(row.home_id, row.home, row.home_score),
                    MatchSide(row.away_id, row.away, row.away_score),
                )
                for row in rows
            ]
        )
    )


def standings(tournament_id: UUID) -> bytes:
    """The table of the teams from the matches that ended."""
    rows = db.session.execute(_STANDINGS, {"tournament_id": tournament_id})
    return msgspec.json.encode(
        StandingsBody(
            [StandingRow(*(int(row[0]), row[1], row[2], int(row[3]), row[4])) for row in rows]
        )
    )


def entries(tournament_id: UUID, offset: int = 0) -> list[Entry]:
    """Load at most MOST_ROWS members by points, then nickname, then id, from `offset` on."""
    rows = db.session.execute(
        _ENTRIES, {"tournament_id": tournament_id, "limit": MOST_ROWS, "offset": offset}
    )
    return [Entry(*row) for row in rows]


def leaderboard_from(tournament_id: UUID, offset: int) -> list[LeaderboardRow]:
    """Load at most MOST_ROWS rows of the leaderboard after the first `offset`.

    They are ranked as in the whole leaderboard.
    """
    page = entries(tournament_id, offset)
    if not page:
        return []
    above = {"tournament_id": tournament_id, "points": page[0].points}
    return ranked(page, db.session.execute(_LEVELS_ABOVE, above).scalar_one())


def ranked(sorted_entries: Sequence[Entry], ranks_above: int = 0) -> list[LeaderboardRow]:
    """Give the sorted entries dense ranks (1, 1, 2) that continue after `ranks_above`."""
    rows: list[LeaderboardRow] = []
    rank, before = ranks_above, None
    for entry in sorted_entries:
        if entry.points != before:
            rank, before = rank + 1, entry.points
        rows.append(
            LeaderboardRow(rank, entry.member_id, entry.nick_name, points.number(entry.points))
        )
    return rows


def leaderboard(rows: Sequence[LeaderboardRow]) -> bytes:
    """The leaderboard's body."""
    return msgspec.json.encode(LeaderboardBody(rows))
