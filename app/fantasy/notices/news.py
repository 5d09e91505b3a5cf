"""What happened in a league, noted in the transaction in which it happened.

A subject above the fantasy game (app/talk) turns the notes into posts and deletes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import text

from app.core.db import db

JOINED, RULES, RESULT, CORRECTED = "joined", "rules", "result", "corrected"

_NOTE = text("""
    INSERT INTO league_news (league_id, kind, ref, created_at)
    SELECT id, :kind, :ref, CAST(:now AS timestamptz) FROM leagues
    WHERE id = ANY(:leagues) AND NOT is_overall
    ORDER BY id
    ON CONFLICT ON CONSTRAINT uq_league_news_ref DO UPDATE SET created_at = league_news.created_at
""")


def note(kind: str, league_ids: Sequence[int], ref: int, now: datetime) -> None:
    """Note the news for these leagues; overall leagues are left out. Only the caller commits.

    An older note of the same stays, and stays locked: who reads it before this transaction ends
    would post what is no longer true.

    Args:
        kind: JOINED, RULES, RESULT or CORRECTED.
        league_ids: The leagues.
        ref: Whom or what it is about: the member, the change of the rules, the gameweek.
        now: When it happened.
    """
    if league_ids:
        values = {"kind": kind, "leagues": sorted(league_ids), "ref": ref, "now": now}
        db.session.execute(_NOTE, values)
