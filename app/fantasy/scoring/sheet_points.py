"""Points of team sheets, many at once: ownership as an array, times a vector of footballers'
points.

Lives here: reading sheets and footballers into arrays, and writing changed totals as one set. The
rule itself is in sheets/lineups.py. Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from sqlalchemy import text

from app.core.db import db
from app.fantasy.market.formats import FORMATS, Format
from app.fantasy.scoring import counted_footballers
from app.fantasy.sheets.lineups import Footballers, Lineups, counted, totals
from app.record.rules.state import NOT_AWAITED


@dataclass(frozen=True)
class Changed:
    """A sheet whose points under these rules are new: what they were (None: nothing), and what they
    are.
    """

    sheet_id: int
    member_id: int
    team_rules_id: int
    rules: str
    before: int | None
    points: int


@dataclass(frozen=True)
class PlayedBy:
    """What the points of a sheet depend on besides scoring: team rules, their format, and whether
    games count that were moved here from another gameweek. `changeable_from`: sheets may have been
    changed after it; None: none was.
    """

    team_rules_id: int
    format: Format
    counts_moved: bool
    changeable_from: datetime | None = None


@dataclass(frozen=True)
class Week:
    """The footballers of one gameweek under some rules: `index` of each by id (0 is nobody), and
    their arrays.
    """

    format: Format
    index: dict[str, int]
    footballers: Footballers


_PLAYS = text("""
    SELECT r.id, r.format, r.postponed_games = 'played', r.lock = 'game', w.deadline,
      array_agg(DISTINCT l.rules ORDER BY l.rules) AS rules
    FROM team_rules r JOIN leagues l ON l.team_rules_id = r.id JOIN gameweeks w
      ON w.season_id = r.season_id
    WHERE w.id = :gameweek GROUP BY r.id, w.id ORDER BY r.id
""")

_LEAGUE = text("SELECT team_rules_id, rules FROM leagues WHERE id = :league")

_PLAYERS = text(f"""
    WITH {counted_footballers.COUNTED}
    SELECT {counted_footballers.COLUMNS}, coalesce(c.is_over, true) AS is_over
    FROM {counted_footballers.JOINED} WHERE f.id = ANY(:ids) ORDER BY f.id
""")  # noqa: S608 (made of our own words alone)

_NOTED = text("""
    SELECT footballer_id AS id, position, points, held, played, is_out FROM counted_footballers
    WHERE (gameweek_id, counts_moved, rules) = (:gameweek, :counts_moved, :rules)
      AND footballer_id = ANY(:ids)
    ORDER BY footballer_id
""")

_SHEETS = text("""
    SELECT s.id, s.member_id, s.picks, s.captain, s.vice_captain FROM team_sheets s
    WHERE s.gameweek_id = :gameweek AND s.team_rules_id = :team_rules
      AND (CAST(:touched AS text[]) IS NULL OR s.picks && CAST(:touched AS text[])
        OR s.saved_at > :changeable_from)
      AND (CAST(:members AS bigint[]) IS NULL OR s.member_id = ANY(CAST(:members AS bigint[])))
      AND s.member_id IN (
        SELECT m.member_id FROM leagues l JOIN league_members m ON m.league_id = l.id
        WHERE l.team_rules_id = :team_rules AND l.rules = :rules AND (l.id = :league
          OR CAST(:league AS bigint) IS NULL)
          AND (CAST(:members AS bigint[]) IS NULL OR m.member_id = ANY(CAST(:members AS bigint[])))
        UNION ALL
        SELECT f.member_id FROM leagues l JOIN league_scores f ON f.league_id = l.id
          AND f.gameweek_id = :gameweek
        WHERE l.team_rules_id = :team_rules AND l.rules = :rules AND (l.id = :league
          OR CAST(:league AS bigint) IS NULL)
          AND (CAST(:members AS bigint[]) IS NULL OR f.member_id = ANY(CAST(:members AS bigint[])))
      )
    ORDER BY s.id
""")

# One statement for all; what did not change is not written. `before` is read as the table was when
# the statement began, in every PostgreSQL (RETURNING old is new in 18); the gameweek's lock keeps
# others from writing meanwhile.
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
        WHERE (s.points, s.held, s.multipliers) IS DISTINCT FROM (excluded.points, excluded.held,
          excluded.multipliers)
      RETURNING s.team_sheet_id, s.points
    )
    SELECT w.team_sheet_id, s.points AS before, w.points
    FROM written w LEFT JOIN sheet_points s ON s.team_sheet_id = w.team_sheet_id
      AND s.rules = :rules
    ORDER BY w.team_sheet_id
""")


@dataclass(frozen=True)
class Which:
    """Which sheets are added up: of who owns one of the `touched`, of these `members`, of this
    `league`; None: of all.

    `noted`: by what footballers counted when that was noted last, not by what they count now.
    """

    touched: Collection[str] | None = None
    members: Collection[int] | None = None
    league_id: int | None = None
    noted: bool = False


def rescore(gameweek_id: int, season_id: int, *, everybody: bool = False) -> list[Changed]:
    """Brings the points of the gameweek's sheets up to date.

    Returns those that changed, by rules and sheet.

    Only sheets are looked at that own a footballer who counts otherwise than when this ran last, or
    that may have been changed since the deadline (team rules with lock 'game'); with `everybody`,
    or the first time, all of them.
    """
    touched = note_footballers(gameweek_id, season_id)
    return [
        one
        for played_by, rulebook in _plays(gameweek_id)
        for rules in rulebook
        for one in _rescore(
            gameweek_id,
            season_id,
            played_by,
            rules,
            Which(None if everybody else touched[played_by.counts_moved, rules]),
        )
    ]


def note_footballers(gameweek_id: int, season_id: int) -> dict[tuple[bool, str], list[str] | None]:
    """Notes what footballers count now.

    Returns who counts otherwise than noted before, by whether games count that were moved here, and
    scoring rules; None: nothing was noted, all sheets are to be added up. The caller does that.
    """
    keys = {
        (played_by.counts_moved, rules)
        for played_by, rulebook in _plays(gameweek_id)
        for rules in rulebook
    }
    return {key: counted_footballers.note(gameweek_id, season_id, *key) for key in sorted(keys)}


def rescore_league(
    gameweek_id: int, season_id: int, league_id: int, *, members: Collection[int] | None = None
) -> list[Changed]:
    """As rescore, of the sheets of this league (None: of all members), whatever changed."""
    team_rules, rules = db.session.execute(_LEAGUE, {"league": league_id}).one()
    which = Which(members=members, league_id=league_id)
    return [
        one
        for played_by, rulebook in _plays(gameweek_id)
        if played_by.team_rules_id == team_rules and rules in rulebook
        for one in _rescore(gameweek_id, season_id, played_by, rules, which)
    ]


def rescore_owners(
    gameweek_id: int, season_id: int, players: Collection[str], *, noted: bool
) -> list[Changed]:
    """As rescore, of the sheets that own one of these, whatever changed.

    `noted`: by what was noted last.
    """
    which = Which(touched=players, noted=noted)
    return [
        one
        for played_by, rulebook in _plays(gameweek_id)
        for rules in rulebook
        for one in _rescore(gameweek_id, season_id, played_by, rules, which)
    ]


def played_by(gameweek_id: int, team_rules_id: int) -> PlayedBy:
    """What the gameweek's sheets under these team rules depend on."""
    return next(one for one, _ in _plays(gameweek_id) if one.team_rules_id == team_rules_id)


def _plays(gameweek_id: int) -> list[tuple[PlayedBy, list[str]]]:
    """Everything that the gameweek is played by, each with the scoring rules of its leagues, by
    name.
    """
    found = db.session.execute(_PLAYS, {"gameweek": gameweek_id}).all()
    return [
        (
            PlayedBy(team_rules, FORMATS[format], counts_moved, deadline if may_change else None),
            rulebook,
        )
        for team_rules, format, counts_moved, may_change, deadline, rulebook in found
    ]


def _rescore(
    gameweek_id: int, season_id: int, played_by: PlayedBy, rules: str, which: Which
) -> list[Changed]:
    if which.touched is not None and not which.touched and played_by.changeable_from is None:
        return []
    team_rules, format = played_by.team_rules_id, played_by.format
    sheets = db.session.execute(
        _SHEETS,
        {
            "gameweek": gameweek_id,
            "team_rules": team_rules,
            "rules": rules,
            "touched": None if which.touched is None else list(which.touched),
            "members": None if which.members is None else list(which.members),
            "league": which.league_id,
            "changeable_from": played_by.changeable_from,
        },
    ).all()
    if not sheets:
        return []
    ids = {player for sheet in sheets for player in sheet.picks}
    footballers = _footballers_noted if which.noted else footballers_of
    week = footballers(gameweek_id, season_id, ids, played_by, rules)
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
    return [
        Changed(sheet, members[sheet], team_rules, rules, before, after)
        for sheet, before, after in found
    ]


def footballers_of(
    gameweek_id: int, season_id: int, ids: Collection[str], played_by: PlayedBy, rules: str
) -> Week:
    """These footballers as they stand in the gameweek now."""
    found = db.session.execute(
        _PLAYERS,
        {
            "gameweek": gameweek_id,
            "season": season_id,
            "ids": sorted(ids),
            "rules": rules,
            "counts_moved": played_by.counts_moved,
            "done": list(NOT_AWAITED),
        },
    ).all()
    return week_of(
        played_by.format, [(m.id, m.position, m.points, m.held, m.played, m.is_over) for m in found]
    )


def _footballers_noted(
    gameweek_id: int, season_id: int, ids: Collection[str], played_by: PlayedBy, rules: str
) -> Week:
    """As footballers_of, as they were noted last: out is whose games were over without them."""
    values = {
        "gameweek": gameweek_id,
        "counts_moved": played_by.counts_moved,
        "rules": rules,
        "ids": sorted(ids),
    }
    found = db.session.execute(_NOTED, values).all()
    return week_of(
        played_by.format, [(m.id, m.position, m.points, m.held, m.played, m.is_out) for m in found]
    )


def week_of(format: Format, players: Sequence[tuple[str, str, int, int, bool, bool]]) -> Week:
    """Arrays of (id, position, points, held, played, over).

    Index 0 is nobody: out, and worth nothing.
    """
    rows: list[tuple[str, str, int, int, bool, bool]] = [("", "", 0, 0, False, True), *players]
    # A sheet is saved with positions that have a place; nobody's place is never filled from the
    # bench.
    groups = [format.group_of(position) or 0 for _, position, *_ in rows]
    columns: tuple[Any, ...] = tuple(zip(*rows, strict=True))
    return Week(
        format,
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
    """Picks, captain and vice-captain (places from 1) of each sheet as arrays.

    `owned` has the shape (sheets, places) whatever the number of sheets: no sheets are no rows, but
    as many columns.
    """
    index = week.index
    owned = [[index.get(player, 0) for player in picks] for picks, _, _ in sheets]
    return Lineups(
        owned=np.array(owned, np.int32).reshape(len(sheets), len(week.format.places)),
        captain=np.array([captain - 1 for _, captain, _ in sheets], np.int8),
        vice_captain=np.array([vice - 1 for _, _, vice in sheets], np.int8),
    )
