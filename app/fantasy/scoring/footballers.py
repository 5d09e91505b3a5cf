"""Queries about one footballer: who they are, their price, and every game with its points.

These are behind a footballer's page and the comparison of two footballers. The pages are in
pages/footballers/, the market as a list in market/listing.py, the API's own queries in
api_queries/.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.statuses import LEFT

OTHERS = 6  # how many footballers are suggested for a comparison
LATEST_GAMES = 40


@dataclass(frozen=True)
class Market:
    """A footballer's place on a season's market.

    Prices in tenths of a million, `selected` in thousandths.
    """

    season_id: int
    season: str
    rules: str
    competition: str
    year: int
    season_type: str
    price: int
    start_price: int
    selected: int
    status: str
    news: str


@dataclass(frozen=True)
class Footballer:
    """A footballer, on a season's market or on none.

    `position`: on the market. `own_position`: in the record; steps of scoring rules count by it.
    """

    id: str
    name: str
    number: int | None
    club_id: str | None
    club: str | None
    position: str
    own_position: str
    market: Market | None


@dataclass(frozen=True)
class Played:
    """A game of the footballer or of their club.

    Attributes:
        club_id: The club that the footballer played for.
        stats: Empty if they did nothing.
        points: Thousandths.
        held_points: How much of `points` rests on plays under review.
        is_explained: The game has an official record, which explains each point.
    """

    game_id: str
    week: int
    kickoff: datetime
    home_id: str
    away_id: str
    club_id: str | None
    status: str
    home_score: int | None
    away_score: int | None
    state: Mapping[str, Any]
    stats: Mapping[str, int]
    points: int
    held_points: int
    is_explained: bool


@dataclass(frozen=True)
class Week:
    """The footballer's price after the deadline of a gameweek, and the share of teams with them."""

    week: int
    price: int
    selected: int


@dataclass(frozen=True)
class Total:
    """Points and form in a season under some scoring rules, in thousandths.

    `place`: the rank among footballers of the position; equal ones share it.
    """

    points: int
    form: int
    place: int


WHO = """
SELECT f.id, f.name, f.number, f.club_id, c.name AS club, coalesce(m.position,
  f.position) AS position,
  f.position AS own_position, s.id AS season_id, s.name AS season, s.rules, s.competition,
    s.season AS year,
  s.season_type, m.price, m.start_price, m.selected, m.status, m.news
FROM footballers f
LEFT JOIN clubs c ON c.id = f.club_id
LEFT JOIN seasons s ON s.id = coalesce(CAST(:season AS bigint),
  (SELECT n.id FROM seasons n WHERE NOT n.is_simulated AND EXISTS (
    SELECT FROM footballer_seasons x WHERE x.season_id = n.id AND x.footballer_id = :footballer)
   ORDER BY n.id DESC LIMIT 1),
  (SELECT n.id FROM seasons n WHERE EXISTS (
    SELECT FROM footballer_seasons x WHERE x.season_id = n.id AND x.footballer_id = :footballer)
   ORDER BY n.id DESC LIMIT 1))
LEFT JOIN footballer_seasons m ON m.season_id = s.id AND m.footballer_id = f.id
WHERE f.id = :footballer
"""

_GAME_COLUMNS = """g.id, g.week, g.kickoff, g.home_id, g.away_id,
  coalesce(l.team, i.team,
    CASE WHEN CAST(:club AS text) IN (g.home_id, g.away_id) THEN CAST(:club AS text) END),
  coalesce(t.status, 'scheduled'), t.home_score, t.away_score, coalesce(t.state, '{}'),
  coalesce(l.stats, i.stats, '{}'), coalesce(p.points, 0), coalesce(p.held, 0),
  l.game_id IS NOT NULL
"""
# OFFSET 0 makes the planner look these up game by game; it would read whole tables for the few
# games of a season.
_GAME_JOINS = """
LEFT JOIN LATERAL (SELECT x.* FROM game_states x WHERE x.game_id = g.id OFFSET 0) t ON true
LEFT JOIN LATERAL (
  SELECT x.* FROM imported_lines x WHERE x.game_id = g.id AND x.player_id = :footballer OFFSET 0
) i ON true
LEFT JOIN player_points p ON p.game_id = g.id AND p.player_id = :footballer AND p.rules = :rules
"""

GAMES = f"""
SELECT {_GAME_COLUMNS}FROM games g
LEFT JOIN stat_lines l ON l.game_id = g.id AND l.player_id = :footballer{_GAME_JOINS}
WHERE (g.competition, g.season, g.season_type) = (:competition, :year, :season_type)
  AND (:club IN (g.home_id, g.away_id) OR l.game_id IS NOT NULL OR i.game_id IS NOT NULL)
ORDER BY g.kickoff, g.id
"""

GAMES_OUTSIDE = f"""
SELECT {_GAME_COLUMNS}FROM stat_lines l JOIN games g ON g.id = l.game_id
  AND NOT g.is_practice{_GAME_JOINS}
WHERE l.player_id = :footballer
ORDER BY g.kickoff DESC, g.id LIMIT :limit
"""

VERSION = """
SELECT coalesce(sum(t.version), 0) + (SELECT coalesce(sum(hashtext(CAST(w.stats AS text))), 0)
  FROM player_weeks w WHERE w.footballer_id = :footballer)
FROM games g CROSS JOIN LATERAL (SELECT x.version FROM game_states x
  WHERE x.game_id = g.id OFFSET 0) t
WHERE (g.competition, g.season, g.season_type) = (:competition, :year, :season_type)
  AND (:club IN (g.home_id, g.away_id)
    OR EXISTS (SELECT FROM stat_lines l WHERE l.game_id = g.id AND l.player_id = :footballer))
"""

VERSION_OUTSIDE = """
SELECT coalesce(sum(t.version), 0) FROM stat_lines l JOIN game_states t ON t.game_id = l.game_id
WHERE l.player_id = :footballer
"""

WEEKS = """
SELECT w.week, n.price, n.selected
FROM footballer_weeks n JOIN gameweeks w ON w.id = n.gameweek_id
WHERE n.footballer_id = :footballer AND w.season_id = :season
ORDER BY w.week
"""

TOTALS = """
SELECT t.rules, t.total_points, t.form,
  1 + (SELECT count(*) FROM footballer_totals o WHERE (o.season_id, o.rules, o.position)
    = (t.season_id, t.rules, t.position) AND o.total_points > t.total_points) AS place
FROM footballer_totals t
WHERE t.season_id = :season AND t.footballer_id = :footballer
  AND t.rules = ANY(CAST(:named AS text[]))
ORDER BY t.rules
"""

# Footballers of the same position, the nearest price first.
OTHERS_LIKE = """
SELECT o.footballer_id, f.name, f.club_id, o.price
FROM footballer_seasons m
JOIN footballer_seasons o ON o.season_id = m.season_id AND o.position = m.position
  AND o.footballer_id <> m.footballer_id AND o.status <> :left
JOIN footballers f ON f.id = o.footballer_id
WHERE m.season_id = :season AND m.footballer_id = :footballer
ORDER BY abs(o.price - m.price), o.selected DESC, o.footballer_id LIMIT :limit
"""

# Published in docs/fantasy-queries.md.
LOOKUPS: Mapping[str, tuple[str, str]] = {
    "footballer-page": (
        "A footballer's details, from the newest season's market that has them.",
        WHO,
    ),
    "footballer-games": (
        "Every game of a footballer's season with points, and their club's games to come.",
        GAMES,
    ),
    "footballer-games-outside": (
        "The latest games of a footballer who is not on any market.",
        GAMES_OUTSIDE,
    ),
    "footballer-version": (
        "A value that changes whenever one of these games or an earlier season changes.",
        VERSION,
    ),
    "footballer-version-outside": (
        "The same for a footballer who is not on any market.",
        VERSION_OUTSIDE,
    ),
    "footballer-weeks": ("A footballer's price and ownership after each deadline.", WEEKS),
    "footballer-totals": (
        "A footballer's season under given scoring rules, with their rank at the position.",
        TOTALS,
    ),
    "footballers-alike": (
        "Footballers to compare with: at the same position, nearest price first.",
        OTHERS_LIKE,
    ),
}


def footballer(footballer_id: str, season_id: int | None = None) -> Footballer | None:
    """The footballer on the market of the season; None if there is no such footballer.

    Without a season: on the newest market that has them, simulated seasons last.
    """
    row = (
        db.session.execute(text(WHO), {"footballer": footballer_id, "season": season_id})
        .mappings()
        .one_or_none()
    )
    if row is None:
        return None
    values = dict(row)
    market = {name: values.pop(name) for name in Market.__dataclass_fields__}
    return Footballer(**values, market=Market(**market) if market["price"] is not None else None)


def games(who: Footballer, rules: str) -> list[Played]:
    """The season's games of the footballer and of their club, by kickoff.

    For a footballer on no market, their last LATEST_GAMES games.
    """
    values = _named(who) | {"club": who.club_id, "rules": rules}
    if who.market is None:
        rows = db.session.execute(text(GAMES_OUTSIDE), values | {"limit": LATEST_GAMES}).all()[::-1]
    else:
        rows = list(db.session.execute(text(GAMES), values))
    return [Played(*row) for row in rows]


def version(who: Footballer) -> int:
    """A version that changes with each game of the footballer or their club, and their history."""
    if who.market is None:
        return int(db.session.scalar(text(VERSION_OUTSIDE), _named(who)) or 0)
    return int(db.session.scalar(text(VERSION), _named(who) | {"club": who.club_id}) or 0)


def _named(who: Footballer) -> dict[str, Any]:
    """The values that name the footballer and the season of their market in a statement."""
    market = who.market
    if market is None:
        return {"footballer": who.id}
    return {
        "footballer": who.id,
        "season": market.season_id,
        "competition": market.competition,
        "year": market.year,
        "season_type": market.season_type,
    }


def weeks(who: Footballer) -> list[Week]:
    """Prices by week; empty for a footballer on no market, and before the first deadline."""
    if who.market is None:
        return []
    return [Week(*row) for row in db.session.execute(text(WEEKS), _named(who))]


def totals(who: Footballer, rules: Sequence[str]) -> dict[str, Total]:
    """Totals by scoring rules, without rules under which the footballer has no points."""
    if who.market is None:
        return {}
    values = _named(who) | {"named": list(rules)}
    return {row[0]: Total(*row[1:]) for row in db.session.execute(text(TOTALS), values)}


def alike(who: Footballer) -> list[tuple[str, str, str | None, int]]:
    """Id, name, club and price of the OTHERS footballers to compare with."""
    if who.market is None:
        return []
    values = _named(who) | {"limit": OTHERS, "left": LEFT}
    return [
        (row[0], row[1], row[2], row[3]) for row in db.session.execute(text(OTHERS_LIKE), values)
    ]
