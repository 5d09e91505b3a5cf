"""Writes totals of team sheets through to PostgreSQL: what changed, as one set.

When sheets are written is the write policy of a gameweek (gameweeks/write_policy.py). Only the
caller commits.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import text

from app.core.db import db
from app.fantasy.scoring.engine import footballers
from app.fantasy.scoring.engine.footballers import SheetTerms, Touched
from app.fantasy.scoring.engine.ownership import Ownership


@dataclass(frozen=True)
class Changed:
    """A sheet with new points under these rules. `before`: None where it had none."""

    sheet_id: int
    member_id: int
    team_rules_id: int
    rules: str
    before: int | None
    points: int


@dataclass(frozen=True)
class Selection:
    """Which sheets of a gameweek are added up. None: all.

    `touched`: those that have one of these footballers. `members`, `league_id`: those of these
    members, of this league.
    """

    touched: Collection[str] | None = None
    members: Collection[int] | None = None
    league_id: int | None = None


_LEAGUE = text("SELECT team_rules_id, rules FROM leagues WHERE id = :league")

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


def rescore(gameweek_id: int, touched: Touched | None) -> list[Changed]:
    """Bring the points of the gameweek's sheets up to date.

    Args:
        gameweek_id: The gameweek.
        touched: Whose owners' sheets are added up, as footballers.note_all returns it; sheets that
            may have been changed since the deadline (team rules with lock 'game') are added up too.
            None: all sheets are.

    Returns:
        The sheets that changed, by team rules, scoring rules and sheet.
    """
    return [
        changed
        for terms in footballers.terms_of_gameweek(gameweek_id)
        for changed in _rescore(
            terms,
            Selection(None if touched is None else touched[terms.counts_moved, terms.rules]),
        )
    ]


def rescore_league(
    gameweek_id: int, league_id: int, *, members: Collection[int] | None = None
) -> list[Changed]:
    """As `rescore`, of the sheets of this league (None: of all members), whatever changed."""
    league = tuple(db.session.execute(_LEAGUE, {"league": league_id}).one())
    return [
        changed
        for terms in footballers.terms_of_gameweek(gameweek_id)
        if (terms.team_rules_id, terms.rules) == league
        for changed in _rescore(terms, Selection(members=members, league_id=league_id))
    ]


def rescore_owners(gameweek_id: int, players: Collection[str], *, as_noted: bool) -> list[Changed]:
    """As `rescore`, of the sheets that have one of these footballers, whatever changed.

    `as_noted`: by what footballers counted when that was last noted, not by what they count now.
    """
    return [
        changed
        for terms in footballers.terms_of_gameweek(gameweek_id)
        for changed in _rescore(terms, Selection(touched=players), as_noted=as_noted)
    ]


def _rescore(terms: SheetTerms, selection: Selection, *, as_noted: bool = False) -> list[Changed]:
    touched, members = selection.touched, selection.members
    if touched is not None and not touched and terms.changeable_from is None:
        return []
    sheets = db.session.execute(
        _SHEETS,
        {
            "gameweek": terms.gameweek_id,
            "team_rules": terms.team_rules_id,
            "rules": terms.rules,
            "touched": None if touched is None else list(touched),
            "members": None if members is None else list(members),
            "league": selection.league_id,
            "changeable_from": terms.changeable_from,
        },
    ).all()
    if not sheets:
        return []
    ownership = Ownership.of(terms.format, sheets)
    totals_then = footballers.totals_as_noted if as_noted else footballers.totals_now
    totals = totals_then(ownership, terms)
    member_of = {sheet.id: sheet.member_id for sheet in sheets}
    written = db.session.execute(
        _WRITE,
        {
            "ids": [sheet.id for sheet in sheets],
            "points": totals.points.tolist(),
            "held": totals.held.tolist(),
            "multipliers": [
                "{" + ",".join(map(str, row)) + "}" for row in totals.multipliers.tolist()
            ],
            "rules": terms.rules,
        },
    )
    return [
        Changed(sheet, member_of[sheet], terms.team_rules_id, terms.rules, before, points)
        for sheet, before, points in written
    ]
