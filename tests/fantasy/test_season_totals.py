"""Season totals of footballers: what they cost."""

from __future__ import annotations

import pytest
from sqlalchemy import TextClause, text

from app.core.db import db
from app.fantasy.scoring import season_totals
from tests.worlds.footballers import make_footballers


@pytest.mark.parametrize(
    "statement", [season_totals._ADD_UP, season_totals._ADD_UP_STATISTICS], ids=["points", "stats"]
)
@pytest.mark.usefixtures("app")
def test_totals_without_points_are_found_in_a_hash_table(statement: TextClause) -> None:
    """Comparing each total with each new one took half a second for 2,000 totals.

    PostgreSQL chose that while it had no statistics, as in a new season (issue 32).
    """
    season = make_footballers(begun=1)
    values = {"season": season.id, "touched": None, "form": season_totals.FORM_GAMEWEEKS}
    plan = "\n".join(db.session.scalars(text(f"EXPLAIN {statement}"), values))
    assert "hashed SubPlan" in plan
    assert "Anti Join" not in plan
