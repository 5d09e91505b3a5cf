"""Stores totals of team sheets of a settled gameweek: what changed, as one set.

Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine import footballers
from app.fantasy.engine.footballers import SheetTerms, Touched
from app.fantasy.engine.ownership import Ownership

_SHEETS = text("""
    SELECT s.id, s.picks, s.captain, s.vice_captain FROM team_sheets s
    WHERE s.gameweek_id = :gameweek AND s.team_rules_id = :team_rules
      AND (CAST(:owners_of AS text[]) IS NULL OR s.picks && CAST(:owners_of AS text[])
        OR s.saved_at > :changeable_from)
      AND s.member_id IN (
        SELECT who.member_id
        FROM leagues l JOIN (
          SELECT league_id, member_id FROM league_members
          UNION ALL SELECT league_id, member_id FROM league_scores WHERE gameweek_id = :gameweek
        ) who ON who.league_id = l.id
        WHERE l.team_rules_id = :team_rules AND l.rules = :rules
          AND (CAST(:league AS bigint) IS NULL OR l.id = :league)
      )
    ORDER BY s.id
""")

# Only what changed is written.
_WRITE = text("""
    INSERT INTO sheet_points AS s (team_sheet_id, rules, points, held, multipliers)
    SELECT id, :rules, points, held, multipliers::smallint[]
    FROM unnest(CAST(:ids AS bigint[]), CAST(:points AS bigint[]), CAST(:held AS bigint[]),
      CAST(:multipliers AS text[])) AS t (id, points, held, multipliers)
    ON CONFLICT (team_sheet_id, rules) DO UPDATE
      SET points = excluded.points, held = excluded.held, multipliers = excluded.multipliers
      WHERE (s.points, s.held, s.multipliers) IS DISTINCT FROM (excluded.points, excluded.held,
        excluded.multipliers)
    RETURNING s.team_sheet_id
""")


def rescore(
    gameweek_id: int, touched: Touched | None = None, *, league_id: int | None = None
) -> list[int]:
    """Bring the points of the gameweek's sheets up to date.

    Args:
        gameweek_id: The gameweek.
        touched: The footballers whose owners' sheets are added up, as footballers.note_all returns
            them; with lock 'game' also sheets that may have been changed since the deadline. None:
            all sheets are.
        league_id: Only sheets of this league's members.

    Returns:
        Ids of the sheets that changed.
    """
    changed: list[int] = []
    for terms in footballers.terms_of_gameweek(gameweek_id, league_id):
        owners_of = None if touched is None else touched[terms.counts_moved, terms.rules]
        values = {
            "gameweek": gameweek_id,
            "team_rules": terms.team_rules_id,
            "rules": terms.rules,
            "owners_of": None if owners_of is None else list(owners_of),
            "league": league_id,
            "changeable_from": terms.changeable_from,
        }
        if sheets := db.session.execute(_SHEETS, values).all():
            changed += _write(terms, sheets)
    return changed


def _write(terms: SheetTerms, sheets: Sequence[Any]) -> Sequence[int]:
    totals = footballers.totals_now(Ownership.of(terms.format, sheets), terms)
    multipliers = [",".join(map(str, row)) for row in totals.multipliers.tolist()]
    values = {
        "ids": [sheet.id for sheet in sheets],
        "points": totals.points.tolist(),
        "held": totals.held_points.tolist(),
        "multipliers": [f"{{{row}}}" for row in multipliers],
        "rules": terms.rules,
    }
    return db.session.scalars(_WRITE, values).all()
