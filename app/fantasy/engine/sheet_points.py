"""Stores totals of team sheets of a settled gameweek: what changed, as one set.

Only the caller commits.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import text

from app.core.db import db
from app.fantasy.engine import footballers
from app.fantasy.engine.footballers import SheetTerms, Touched
from app.fantasy.engine.ownership import Ownership


@dataclass(frozen=True)
class Selection:
    """The sheets of a gameweek that are added up: those that meet each condition that is not None.

    Attributes:
        owners_of: The sheet has one of these footballers, or may have been changed since the
            deadline (team rules with lock 'game').
        league_id: Its owner is in this league.
    """

    owners_of: Collection[str] | None = None
    league_id: int | None = None


_SHEETS = text("""
    SELECT s.id, s.picks, s.captain, s.vice_captain FROM team_sheets s
    WHERE s.gameweek_id = :gameweek AND s.team_rules_id = :team_rules
      AND (CAST(:owners_of AS text[]) IS NULL OR s.picks && CAST(:owners_of AS text[])
        OR s.saved_at > :changeable_from)
      AND s.member_id IN (
        SELECT m.member_id FROM leagues l JOIN league_members m ON m.league_id = l.id
        WHERE l.team_rules_id = :team_rules AND l.rules = :rules AND (l.id = :league
          OR CAST(:league AS bigint) IS NULL)
        UNION ALL
        SELECT f.member_id FROM leagues l JOIN league_scores f ON f.league_id = l.id
          AND f.gameweek_id = :gameweek
        WHERE l.team_rules_id = :team_rules AND l.rules = :rules AND (l.id = :league
          OR CAST(:league AS bigint) IS NULL)
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


def rescore(gameweek_id: int, touched: Touched | None) -> list[int]:
    """Bring the points of the gameweek's sheets up to date.

    Args:
        gameweek_id: The gameweek.
        touched: The footballers whose owners' sheets are added up, as footballers.note_all returns
            them. None: all sheets are.

    Returns:
        Ids of the sheets that changed.
    """
    return [
        sheet
        for terms in footballers.terms_of_gameweek(gameweek_id)
        for sheet in _rescore(
            terms,
            Selection(None if touched is None else touched[terms.counts_moved, terms.rules]),
        )
    ]


def rescore_selected(gameweek_id: int, selection: Selection) -> list[int]:
    """As `rescore`, for the selected sheets, whatever changed."""
    return [
        sheet
        for terms in footballers.terms_of_gameweek(gameweek_id, selection.league_id)
        for sheet in _rescore(terms, selection)
    ]


def _rescore(terms: SheetTerms, selection: Selection) -> list[int]:
    owners_of = selection.owners_of
    if owners_of is not None and not owners_of and terms.changeable_from is None:
        return []
    sheets = db.session.execute(
        _SHEETS,
        {
            "gameweek": terms.gameweek_id,
            "team_rules": terms.team_rules_id,
            "rules": terms.rules,
            "owners_of": None if owners_of is None else list(owners_of),
            "league": selection.league_id,
            "changeable_from": terms.changeable_from,
        },
    ).all()
    if not sheets:
        return []
    ownership = Ownership.of(terms.format, sheets)
    totals = footballers.totals_now(ownership, terms)
    written = db.session.scalars(
        _WRITE,
        {
            "ids": [sheet.id for sheet in sheets],
            "points": totals.points.tolist(),
            "held": totals.held_points.tolist(),
            "multipliers": [
                "{" + ",".join(map(str, row)) + "}" for row in totals.multipliers.tolist()
            ],
            "rules": terms.rules,
        },
    )
    return list(written)
