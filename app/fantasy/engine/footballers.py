"""What each footballer counts in a gameweek: now, or as noted when sheets were last added up.

`counted_footballers` is written in the same transaction as the sheets' points, so it has what these
points rest on. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine.ownership import Counted, Ownership, Totals
from app.fantasy.market.formats import Format, format_named
from app.record.rules.state import NOT_AWAITED


@dataclass(frozen=True)
class SheetTerms:
    """What decides the worth of a gameweek's team sheets besides the record.

    `rules`: the name of the scoring rules. `counts_moved`: whether games count that were moved here
    from another gameweek. `changeable_from`: sheets may have been changed after this time; None: no
    sheet was.
    """

    gameweek_id: int
    season_id: int
    team_rules_id: int
    format: Format
    counts_moved: bool
    rules: str
    changeable_from: datetime | None = None


_TERMS = text("""
    SELECT r.season_id, r.id, r.format, r.postponed_games = 'played', l.rules,
      CASE WHEN r.lock = 'game' THEN w.deadline END
    FROM team_rules r JOIN leagues l ON l.team_rules_id = r.id JOIN gameweeks w
      ON w.season_id = r.season_id
    WHERE w.id = :gameweek AND (CAST(:league AS bigint) IS NULL OR l.id = :league)
    GROUP BY r.id, w.id, l.rules ORDER BY r.id, l.rules
""")

# A footballer's games are those of their club. A footballer with points in another club's game has
# played, and is never out. A game that was moved here from another gameweek belongs to this one
# only if such games count.
_COUNTED = """
    week AS (
      SELECT g.id, g.home_id, g.away_id, coalesce(s.status, 'scheduled') = ANY(:done) AS is_over
      FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
      LEFT JOIN game_states s ON s.game_id = g.id
      WHERE w.id = :gameweek AND (g.planned_week IS NULL OR :counts_moved)
    ), clubs AS (
      SELECT club, bool_and(is_over) AS is_over
      FROM week, unnest(ARRAY[home_id, away_id]) AS club GROUP BY club
    ), earned AS (
      SELECT player_id, sum(points) AS points, sum(held) AS held
      FROM player_points WHERE rules = :rules AND game_id IN (SELECT id FROM week)
        GROUP BY player_id
    )
"""
_COLUMNS = """f.id, coalesce(m.position, f.position) AS position, coalesce(e.points, 0) AS points,
      coalesce(e.held, 0) AS held, e.player_id IS NOT NULL AS played"""
_JOINED = """footballers f
    LEFT JOIN footballer_seasons m ON m.footballer_id = f.id AND m.season_id = :season
    LEFT JOIN clubs c ON c.club = f.club_id LEFT JOIN earned e ON e.player_id = f.id"""

# Everybody on the season's market, of the clubs that play, with points, or with points before.
_NOTE = text(f"""
    WITH {_COUNTED}, noted AS (
      SELECT footballer_id FROM counted_footballers
      WHERE (gameweek_id, counts_moved, rules) = (:gameweek, :counts_moved, :rules)
    ), who AS (
      SELECT footballer_id AS id FROM footballer_seasons WHERE season_id = :season
      UNION SELECT player_id FROM earned UNION SELECT footballer_id FROM noted
      UNION SELECT f.id FROM footballers f JOIN clubs c ON c.club = f.club_id
    ), fresh AS (
      SELECT {_COLUMNS}, coalesce(c.is_over, true) AND e.player_id IS NULL AS is_out
      FROM {_JOINED} JOIN who USING (id)
    ), written AS (
      INSERT INTO counted_footballers AS t
        (gameweek_id, counts_moved, rules, footballer_id, position, points, held, played, is_out)
      SELECT :gameweek, :counts_moved, :rules, id, position, points, held, played, is_out FROM fresh
      ON CONFLICT (gameweek_id, counts_moved, rules, footballer_id) DO UPDATE
        SET position = excluded.position, points = excluded.points, held = excluded.held,
          played = excluded.played,
          is_out = excluded.is_out
        WHERE (t.position, t.points, t.held, t.played, t.is_out)
          IS DISTINCT FROM (excluded.position, excluded.points, excluded.held, excluded.played,
            excluded.is_out)
      RETURNING t.footballer_id
    )
    SELECT EXISTS (SELECT FROM noted), (SELECT array_agg(footballer_id ORDER BY footballer_id)
      FROM written)
""")  # noqa: S608 (made of our own words alone)

_NOW = text(f"""
    WITH {_COUNTED}
    SELECT {_COLUMNS}, coalesce(c.is_over, true) AS is_over FROM {_JOINED} WHERE f.id = ANY(:ids)
""")  # noqa: S608 (made of our own words alone)

# A footballer is out if their games ended without them.
_NOTED = text("""
    SELECT c.gameweek_id, c.counts_moved, c.rules, c.footballer_id, c.position, c.points, c.held,
      c.played, c.is_out
    FROM unnest(CAST(:gameweeks AS bigint[]), CAST(:counts_moved AS boolean[]),
      CAST(:rules AS text[])) AS k (gameweek_id, counts_moved, rules)
    JOIN counted_footballers c USING (gameweek_id, counts_moved, rules)
    WHERE c.footballer_id = ANY(:ids)
""")

_IS_NOTED = text("""
    SELECT EXISTS (SELECT FROM counted_footballers
      WHERE (gameweek_id, counts_moved, rules) = (:gameweek, :counts_moved, :rules))
""")

_FORGET_OF_GAME = text("""
    DELETE FROM counted_footballers c USING gameweeks w JOIN games g USING (competition, season,
      season_type, week)
    WHERE g.id = :game AND c.gameweek_id = w.id AND w.settled_at IS NOT NULL
""")


# By (whether moved games count, scoring rules): the footballers who count otherwise than noted
# before; None if nothing was noted, so that every sheet has to be added up.
Touched = Mapping[tuple[bool, str], Collection[str] | None]

# What was noted for a gameweek: its id, whether moved games count, and the scoring rules.
Noted = tuple[int, bool, str]
ById = Mapping[str, Counted]


def terms_of_gameweek(gameweek_id: int, league_id: int | None = None) -> list[SheetTerms]:
    """The terms of the gameweek's leagues, or of this one, by team rules and scoring rules."""
    values = {"gameweek": gameweek_id, "league": league_id}
    return [
        SheetTerms(gameweek_id, season_id, team_rules_id, format_named(name), *others)
        for season_id, team_rules_id, name, *others in db.session.execute(_TERMS, values)
    ]


def terms_of(gameweek_id: int, team_rules_id: int, rules: str) -> SheetTerms:
    """The terms of the leagues with these team rules and scoring rules."""
    return next(
        terms
        for terms in terms_of_gameweek(gameweek_id)
        if (terms.team_rules_id, terms.rules) == (team_rules_id, rules)
    )


def totals_now(ownership: Ownership, terms: SheetTerms) -> Totals:
    """Add up these sheets as footballers count now."""
    values = _values(terms) | {"ids": list(ownership.footballers)}
    counted = [Counted(*row) for row in db.session.execute(_NOW, values)]
    return ownership.totals(ownership.arrays({row.footballer_id: row for row in counted}))


def noted(keys: Collection[Noted], ids: Collection[str]) -> dict[Noted, ById]:
    """What these footballers counted when that was last noted, by id, for each of the keys."""
    counted: dict[Noted, dict[str, Counted]] = {key: {} for key in keys}
    columns = zip(*sorted(keys), strict=True) if keys else ((), (), ())
    gameweeks, counts_moved, rules = (list(column) for column in columns)
    values = {"gameweeks": gameweeks, "counts_moved": counts_moved, "rules": rules}
    if keys:
        for row in db.session.execute(_NOTED, values | {"ids": list(ids)}):
            counted[row[0], row[1], row[2]][row[3]] = Counted(*row[3:])
    return dict(counted)


def _values(terms: SheetTerms) -> dict[str, object]:
    return {
        "gameweek": terms.gameweek_id,
        "season": terms.season_id,
        "counts_moved": terms.counts_moved,
        "rules": terms.rules,
        "done": list(NOT_AWAITED),
    }


def note_all(gameweek_id: int) -> dict[tuple[bool, str], list[str] | None]:
    """Note what every footballer counts now under the terms of all the gameweek's leagues.

    The caller adds up the sheets of those who count otherwise than before (Touched).
    """
    terms = {(terms.counts_moved, terms.rules): terms for terms in terms_of_gameweek(gameweek_id)}
    return {key: note(terms[key]) for key in sorted(terms)}


def note(terms: SheetTerms) -> list[str] | None:
    """Note what every footballer counts now.

    Returns:
        Ids of the footballers who count otherwise than noted; None if nothing was noted before.
    """
    was_noted, changed = db.session.execute(_NOTE, _values(terms)).one()
    return (changed or []) if was_noted else None


def note_missing(gameweek_id: int, league_id: int) -> None:
    """Note what every footballer counts now under the league's terms, if that was never noted."""
    for terms in terms_of_gameweek(gameweek_id, league_id):
        if not db.session.scalar(_IS_NOTED, _values(terms)):
            note(terms)


def forget_of_game(game_id: str) -> None:
    """Forget what was noted for the game's settled gameweek, so that all sheets are added up."""
    db.session.execute(_FORGET_OF_GAME, {"game": game_id})
