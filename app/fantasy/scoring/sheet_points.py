"""Points of team sheets, many at once: ownership as an array, times a vector of footballers' points.

Lives here: reading sheets and footballers into arrays, and writing changed totals as one set. The rule itself is in
sheets/lineups.py. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.sheets.lineups import Footballers, Lineups, counted, totals
from app.record.rules.state import NOT_AWAITED


@dataclass(frozen=True)
class Changed:
    """A sheet whose points under these rules are new: what they were (None: nothing), and what they are."""

    sheet_id: int
    member_id: int
    team_rules_id: int
    rules: str
    before: int | None
    points: int


@dataclass(frozen=True)
class PlayedBy:
    """What the points of a sheet depend on besides scoring: team rules, their format, and whether games count that were
    moved here from another gameweek."""

    team_rules_id: int
    format: Format
    counts_moved: bool


@dataclass(frozen=True)
class Week:
    """The footballers of one gameweek under some rules: `index` of each by id (0 is nobody), and their arrays."""

    index: dict[str, int]
    footballers: Footballers


_PLAYS = text("""
    SELECT r.id, r.format, r.postponed_games, array_agg(DISTINCT l.rules) AS rules
    FROM team_rules r JOIN leagues l ON l.team_rules_id = r.id JOIN gameweeks w ON w.season_id = r.season_id
    WHERE w.id = :gameweek GROUP BY r.id ORDER BY r.id
""")

# A player's games are those of their club; whoever has points in another club's game has played, and is never out.
# Where games that were moved to another gameweek do not count, they are none of this one.
_PLAYERS = text("""
    WITH week AS (
      SELECT g.id, g.home_id, g.away_id, coalesce(s.status, 'scheduled') = ANY(:done) AS is_over
      FROM games g JOIN gameweeks w USING (competition, season, season_type, week)
      LEFT JOIN game_states s ON s.game_id = g.id
      WHERE w.id = :gameweek AND (g.planned_week IS NULL OR :counts_moved)
    ), clubs AS (
      SELECT club, bool_and(is_over) AS is_over
      FROM week, unnest(ARRAY[home_id, away_id]) AS club GROUP BY club
    ), earned AS (
      SELECT player_id, sum(points) AS points, sum(held) AS held
      FROM player_points WHERE rules = :rules AND game_id IN (SELECT id FROM week) GROUP BY player_id
    )
    SELECT f.id, coalesce(m.position, f.position) AS position, coalesce(e.points, 0) AS points,
      coalesce(e.held, 0) AS held, e.player_id IS NOT NULL AS played, coalesce(c.is_over, true) AS is_over
    FROM footballers f
    LEFT JOIN footballer_seasons m ON m.footballer_id = f.id AND m.season_id = :season
    LEFT JOIN clubs c ON c.club = f.club_id LEFT JOIN earned e ON e.player_id = f.id
    WHERE f.id = ANY(:ids) ORDER BY f.id
""")

_SHEETS = text("""
    SELECT s.id, s.member_id, s.picks, s.captain, s.vice_captain FROM team_sheets s
    WHERE s.gameweek_id = :gameweek AND s.team_rules_id = :team_rules
      AND (CAST(:touched AS text[]) IS NULL OR s.picks && CAST(:touched AS text[]))
      AND s.member_id IN (
        SELECT m.member_id FROM leagues l JOIN league_members m ON m.league_id = l.id
        WHERE l.team_rules_id = :team_rules AND l.rules = :rules
        UNION ALL
        SELECT f.member_id FROM leagues l JOIN league_scores f ON f.league_id = l.id AND f.gameweek_id = :gameweek
        WHERE l.team_rules_id = :team_rules AND l.rules = :rules)
    ORDER BY s.id
""")

# One statement for all; what did not change is not written. `before` is read as the table was when the statement
# began, in every PostgreSQL (RETURNING old is new in 18); the gameweek's lock keeps others from writing meanwhile.
_WRITE = text("""
    WITH fresh AS (
      SELECT id, points, held, multipliers::smallint[] AS multipliers
      FROM unnest(CAST(:ids AS bigint[]), CAST(:points AS bigint[]), CAST(:held AS bigint[]),
        CAST(:multipliers AS text[]))
        AS t (id, points, held, multipliers)
    ), written AS (
      INSERT INTO sheet_points AS s (team_sheet_id, rules, points, held, multipliers)
      SELECT id, :rules, points, held, multipliers FROM fresh
      ON CONFLICT (team_sheet_id, rules) DO UPDATE
        SET points = excluded.points, held = excluded.held, multipliers = excluded.multipliers
        WHERE (s.points, s.held, s.multipliers) IS DISTINCT FROM (excluded.points, excluded.held, excluded.multipliers)
      RETURNING s.team_sheet_id, s.points
    )
    SELECT w.team_sheet_id, s.points AS before, w.points
    FROM written w LEFT JOIN sheet_points s ON s.team_sheet_id = w.team_sheet_id AND s.rules = :rules
    ORDER BY w.team_sheet_id
""")


def rescore(
    gameweek_id: int,
    season_id: int,
    touched: Collection[str] | None,
    *,
    team_rules: int | None = None,
    rules: str | None = None,
) -> list[Changed]:
    """Brings the points of the gameweek's sheets up to date; returns those that changed, by rules and sheet.

    `touched`: only sheets with one of these footballers; None: all of them. `team_rules`, `rules`: only these.
    """
    changed: list[Changed] = []
    for found, format_name, postponed, rulebook in db.session.execute(_PLAYS, {"gameweek": gameweek_id}).all():
        played_by = PlayedBy(found, FORMATS[format_name], postponed == "played")
        for one in rulebook:
            if team_rules in (None, found) and rules in (None, one):
                changed += _rescore(gameweek_id, season_id, played_by, one, touched)
    return changed


def _rescore(
    gameweek_id: int, season_id: int, played_by: PlayedBy, rules: str, touched: Collection[str] | None
) -> list[Changed]:
    team_rules, format = played_by.team_rules_id, played_by.format
    sheets = db.session.execute(
        _SHEETS,
        {
            "gameweek": gameweek_id,
            "team_rules": team_rules,
            "rules": rules,
            "touched": None if touched is None else sorted(touched),
        },
    ).all()
    if not sheets:
        return []
    ids = {player for sheet in sheets for player in sheet.picks}
    week = footballers_of(gameweek_id, season_id, ids, played_by, rules)
    lineups = lineups_of([(s.picks, s.captain, s.vice_captain) for s in sheets], week)
    multipliers = counted(format, lineups, week.footballers)
    points, held = totals(lineups, multipliers, week.footballers)
    members = {sheet.id: sheet.member_id for sheet in sheets}
    found = db.session.execute(
        _WRITE,
        {
            "ids": [sheet.id for sheet in sheets],
            "points": points.tolist(),
            "held": held.tolist(),
            "multipliers": ["{" + ",".join(map(str, row)) + "}" for row in multipliers.tolist()],
            "rules": rules,
        },
    )
    return [Changed(sheet, members[sheet], team_rules, rules, before, after) for sheet, before, after in found]


def footballers_of(gameweek_id: int, season_id: int, ids: Collection[str], played_by: PlayedBy, rules: str) -> Week:
    """These footballers as they stand in the gameweek now."""
    found = db.session.execute(
        _PLAYERS,
        {
            "gameweek": gameweek_id,
            "season": season_id,
            "ids": sorted(ids),
            "rules": rules,
            "done": list(NOT_AWAITED),
            "counts_moved": played_by.counts_moved,
        },
    ).all()
    return week_of(played_by.format, [(m.id, m.position, m.points, m.held, m.played, m.is_over) for m in found])


def week_of(format: Format, players: Sequence[tuple[str, str, int, int, bool, bool]]) -> Week:
    """Arrays of (id, position, points, held, played, over). Index 0 is nobody: out, and worth nothing."""
    rows: list[tuple[str, str, int, int, bool, bool]] = [("", "", 0, 0, False, True), *players]
    # A sheet is saved with positions that have a place; nobody's place is never filled from the bench.
    groups = [format.group_of(position) or 0 for _, position, *_ in rows]
    columns: tuple[Any, ...] = tuple(zip(*rows, strict=True))
    return Week(
        {player: index for index, player in enumerate(columns[0])},
        Footballers(
            points=np.array(columns[2], np.int64),
            held=np.array(columns[3], np.int64),
            group=np.array(groups, np.int8),
            played=np.array(columns[4], np.bool_),
            over=np.array(columns[5], np.bool_),
        ),
    )


def lineups_of(sheets: Sequence[tuple[Sequence[str], int, int]], week: Week) -> Lineups:
    """Picks, captain and vice-captain (places from 1) of each sheet as arrays."""
    index = week.index
    return Lineups(
        owned=np.array([[index.get(player, 0) for player in picks] for picks, _, _ in sheets], np.int32),
        captain=np.array([captain - 1 for _, captain, _ in sheets], np.int8),
        vice_captain=np.array([vice - 1 for _, _, vice in sheets], np.int8),
    )
