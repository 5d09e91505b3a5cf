"""A footballer's earlier seasons under some scoring rules, by the record and by weekly statistics.

Where the record has a week, it counts instead of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text

from app.core.db import db
from app.fantasy.scoring.footballers import Footballer
from app.fantasy.scoring.rules import ScoringRules, points
from app.fantasy.scoring.season_totals import FORM_GAMEWEEKS

SHOWN = 3  # how many seasons are loaded, the latest first

_WEEKS = text("""
    SELECT w.season, w.week, w.stats, CAST(NULL AS bigint) AS points FROM player_weeks w
    WHERE w.footballer_id = :footballer AND w.competition = :competition AND w.season < :year
    UNION ALL
    SELECT s.season, CAST(e.key AS int), CAST('{}' AS jsonb), CAST(e.value AS bigint)
    FROM footballer_totals t JOIN seasons s ON s.id = t.season_id
    CROSS JOIN jsonb_each_text(t.gameweeks) e
    WHERE t.footballer_id = :footballer AND t.rules = :rules AND s.competition = :competition
      AND s.season_type = 'REG' AND s.season < :year AND NOT s.is_simulated
""")


@dataclass(frozen=True)
class SeasonBefore:
    """A footballer's earlier season. Points and form are in thousandths.

    `form`: the mean of their last FORM_GAMEWEEKS.
    """

    season: int
    games: int
    points: int
    form: int


def earlier_seasons(who: Footballer, rules: ScoringRules) -> list[SeasonBefore]:
    """The footballer's last SHOWN seasons before that of their market, the latest first."""
    if who.market is None:
        return []
    values = {
        "footballer": who.id,
        "competition": who.market.competition,
        "year": who.market.year,
        "rules": rules.name,
    }
    filed: dict[int, dict[int, int]] = {}
    recorded: dict[int, dict[int, int]] = {}
    for row in db.session.execute(_WEEKS, values):
        is_filed = row.points is None
        amount = points(row.stats, rules, who.own_position) if is_filed else row.points
        seasons = filed if is_filed else recorded
        seasons.setdefault(row.season, {})[row.week] = amount
    years = sorted(filed.keys() | recorded.keys(), reverse=True)[:SHOWN]
    return [_season(year, filed.get(year, {}) | recorded.get(year, {})) for year in years]


def _season(year: int, by_week: Mapping[int, Any]) -> SeasonBefore:
    latest = [by_week[week] for week in sorted(by_week, reverse=True)][:FORM_GAMEWEEKS]
    return SeasonBefore(year, len(by_week), sum(by_week.values()), int(sum(latest) / len(latest)))
